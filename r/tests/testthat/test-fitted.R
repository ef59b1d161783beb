# Fitted values of numbers are made without the library: they are what it predicts for the same rows.

test_that("fitted values are the predictions of the same rows", {
  expect_predicted <- function(fit, newdata, ...) {
    expect_equal(fitted(fit), predict(fit, newdata, ...), tolerance = 1e-12)
    expect_equal(fit$linear.predictors, predict(fit, newdata, type = "link", ...), tolerance = 1e-12)
  }
  expect_predicted(ardvark(mpg ~ ., mtcars), mtcars)
  expect_predicted(ardvark(mpg ~ . - 1, mtcars), mtcars)
  expect_predicted(ardvark(mpg ~ ., mtcars, "student"), mtcars)
  expect_predicted(ardvark(mpg ~ . + offset(2 * qsec), mtcars), mtcars)
  expect_predicted(ardvark(breaks ~ wool * tension, warpbreaks), warpbreaks)
  x <- as.matrix(mtcars[-1])
  expect_predicted(ardvark_fit(x, mtcars$mpg), x)
  expect_predicted(ardvark_fit(x, mtcars$mpg, intercept = FALSE), x)
  expect_predicted(ardvark_fit(x, mtcars$mpg, offset = x[, "qsec"]), x, newoffset = x[, "qsec"])
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(x * (x > 3), sparse = TRUE)
  expect_predicted(ardvark_fit(sparse, mtcars$mpg), sparse)
  old <- options(ardvark.dense_bytes = 1)
  on.exit(options(old))
  many <- data.frame(y = rnorm(200), f = factor(rep(1:40, 5)))
  fit <- ardvark(y ~ f, many)
  expect_true(fit$is_sparse)
  expect_predicted(fit, many)
})

test_that("a table of numbers does not load Matrix, which takes longer than the fit", {
  code <- "library(ardvark); fit <- ardvark(mpg ~ ., mtcars); cat('Matrix' %in% loadedNamespaces())"
  expect_equal(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE), "FALSE")
})
