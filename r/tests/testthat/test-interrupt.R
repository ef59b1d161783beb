# Control-C ends a fit within about a second, and R goes on.

test_that("an interrupt ends a fit", {
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  said <- file.path(folder, "said")
  code <- c(
    "library(ardvark)", "set.seed(1); X <- matrix(rnorm(9e6), 3000); y <- rbinom(3000, 1, plogis(X[, 1]))",
    sprintf("say <- function(...) cat(..., '\\n', file = '%s', append = TRUE)", said),
    "say('begun', Sys.getpid())", "tryCatch(repeat ardvark_fit(X, y, binomial(), prior = 'ard'), interrupt = function(c) say('interrupted'))",
    "say('goes on', names(coef(ardvark(mpg ~ wt, mtcars)))[2])"
  )
  writeLines(code, file.path(folder, "endless.R"))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", file.path(folder, "endless.R")), wait = FALSE, stdout = FALSE, stderr = FALSE,
          env = paste0("R_LIBS=", Sys.getenv("R_LIBS")))
  lines <- function() if (file.exists(said)) trimws(readLines(said, warn = FALSE)) else character()
  within <- function(seconds, happened) {
    end <- Sys.time() + seconds
    while (!happened() && Sys.time() < end) Sys.sleep(0.05)
    happened()
  }
  expect_true(within(120, function() length(lines()) >= 1))
  process <- as.integer(sub("begun ", "", lines()[1]))
  on.exit(tools::pskill(process, tools::SIGKILL))
  Sys.sleep(2)
  started <- Sys.time()
  tools::pskill(process, tools::SIGINT)
  expect_true(within(20, function() length(lines()) >= 2))
  seconds <- as.numeric(difftime(Sys.time(), started, units = "secs"))
  expect_lt(seconds, 5)  # about one, on a processor that nobody else uses
  expect_true(within(20, function() length(lines()) >= 3))
  expect_equal(lines()[2:3], c("interrupted", "goes on wt"))
})
