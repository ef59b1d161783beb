# The package in a session that has nothing else.

test_that("the namespace loads when only base is attached", {
  code <- "invisible(loadNamespace('ardvark')); fit <- ardvark::ardvark(mpg ~ wt, datasets::mtcars); cat(names(stats::coef(fit)))"
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE, stderr = TRUE,
                  env = c(paste0("R_LIBS=", Sys.getenv("R_LIBS")), "R_DEFAULT_PACKAGES=NULL"))
  expect_equal(said, "(Intercept) wt")
})
