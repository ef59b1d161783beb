# The program, which fits the same table from a CSV file.

table_file <- function(table, file = tempfile(fileext = ".csv")) {
  quoted <- function(column) if (is.numeric(column)) sprintf("%.17g", column) else paste0("\"", column, "\"")
  lines <- do.call(paste, c(lapply(table, quoted), sep = ","))
  writeLines(c(paste(sprintf("\"%s\"", names(table)), collapse = ","), lines), file)
  file
}

shell <- function(...) {
  program <- Sys.getenv("ARDVARK_PROGRAM")
  testthat::skip_if(program == "", "ARDVARK_PROGRAM does not name the program ardvark")
  trouble <- tempfile()
  said <- suppressWarnings(system2(program, shQuote(c(...)), stdout = TRUE, stderr = trouble))
  if (length(said) == 0L) stop("ardvark: ", paste(readLines(trouble), collapse = " "))
  jsonlite::fromJSON(paste(said, collapse = "\n"), simplifyMatrix = TRUE)
}

shell_fit <- function(table, target, model, ...) shell("fit", table_file(table), "--target", target, "--model", model, "--json", ...)

# Expects the numbers of the shell, to 1e-12 of the largest.
expect_same_fit <- function(fit, said) {
  results <- fit$results
  of_fit <- !said$columns %in% said$offset_column  # which the program lists, without a coefficient
  said$columns <- said$columns[of_fit]
  if (!all(of_fit)) for (name in c("mean", "sd", "inclusion")) said[[name]] <- said[[name]][of_fit]
  if (!all(of_fit)) said$interval <- said$interval[of_fit, , drop = FALSE]
  testthat::expect_equal(results$columns, said$columns)
  testthat::expect_equal(results$prior, said$prior)
  expect_close <- function(ours, theirs) {
    testthat::expect_equal(length(ours), length(theirs))
    testthat::expect_lte(max(abs(as.vector(ours) - as.vector(theirs))), 1e-12 * max(1, abs(theirs)))
  }
  for (name in c("mean", "sd", "interval", "bound", "inclusion")) if (!is.null(said[[name]])) expect_close(results[[name]], said[[name]])
  for (name in c("mean", "variance", "interval")) {
    if (!is.null(said$intercept[[name]])) expect_close(results$intercept[[name]], said$intercept[[name]])
  }
  if (!is.null(said$dispersion)) expect_close(results$dispersion, said$dispersion)
  if (!is.null(said$noise)) expect_close(results$noise$sd, said$noise$sd)
}
