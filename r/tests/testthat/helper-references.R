# Outputs of the published programs in tests/data/refs, which README.md there describes.

reference_folder <- function() {
  source <- Sys.getenv("ARDVARK_SOURCE")
  testthat::skip_if(source == "", "ARDVARK_SOURCE does not name the sources")
  file.path(source, "tests", "data", "refs")
}

# NULL: there is no such file.
reference <- function(...) {
  file <- file.path(reference_folder(), ...)
  if (!file.exists(file)) return(NULL)
  if (file.size(file) <= 1) return(numeric())
  unname(as.matrix(utils::read.csv(file, header = FALSE)))
}

# Kernel columns have no file.
reference_design <- function(set, what) {
  X <- reference(set, paste0(what, ".csv"))
  if (!is.null(X) || set != "synth_rbf") return(X)
  centres <- reference("synth", "X.csv")[, 2:3]
  Z <- reference("synth", paste0(what, ".csv"))[, 2:3]
  cbind(1, exp(-(outer(Z[, 1], centres[, 1], `-`)^2 + outer(Z[, 2], centres[, 2], `-`)^2) / 0.25))
}

# To a part of the largest expected number.
expect_near <- function(ours, expected, tolerance, label) {
  testthat::expect_equal(length(ours), length(expected), label = label)
  difference <- max(abs(as.vector(ours) - as.vector(expected))) / max(abs(expected), .Machine$double.xmin)
  testthat::expect_lte(difference, tolerance, label = label)
}
