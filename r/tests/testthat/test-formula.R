# model.frame and model.matrix decide what a formula means.

columns <- function(...) suppressWarnings(ardvark(...))$columns
expect_columns <- function(formula, data, ...) expect_equal(columns(formula, data, ...), colnames(model.matrix(formula, data))[-1L])

test_that("terms of every kind", {
  expect_columns(mpg ~ ., mtcars)
  expect_columns(mpg ~ . - hp, mtcars)
  expect_columns(mpg ~ wt * factor(cyl), mtcars)
  expect_columns(mpg ~ I(wt^2) + poly(hp, 2) + log(disp), mtcars)
  expect_columns(breaks ~ wool:tension, warpbreaks)
  expect_columns(cbind(ncases, ncontrols) ~ agegp + alcgp, esoph, family = binomial())  # ordered factors
  skip_if_not_installed("splines")
  expect_columns(mpg ~ splines::ns(wt, 3), mtcars)
})

test_that("least squares of each is that of lm", {
  formulas <- list(mpg ~ wt * factor(cyl), mpg ~ poly(hp, 2) + am, mpg ~ splines::ns(wt, 3), log(mpg) ~ . - hp, mpg ~ wt - 1,
                   mpg ~ 0 + factor(cyl) + wt)
  for (formula in formulas) {
    expect_equal(coef(ardvark(formula, mtcars, prior = "none")), coef(lm(formula, mtcars)), tolerance = 1e-6)
  }
})

test_that("dummies of a factor are a group, an interaction is another", {
  fit <- ardvark(breaks ~ wool * tension, warpbreaks)
  expect_equal(fit$columns, c("woolB", "tensionM", "tensionH", "woolB:tensionM", "woolB:tensionH"))
  expect_equal(fit$results$group, c(1, 2, 2, 3, 3))
  inclusion <- pip(fit)
  expect_equal(inclusion[["tensionM"]], inclusion[["tensionH"]])
  expect_equal(ardvark(breaks ~ wool * tension, warpbreaks, groups = FALSE)$results$group, 1:5)
  expect_equal(ardvark(breaks ~ wool + tension, warpbreaks, groups = c("a", "b", "a"))$results$group, c(1, 2, 1))
  expect_equal(ardvark(breaks ~ wool + tension, warpbreaks, groups = c(tensionH = 1, tensionM = 1, woolB = 2))$results$group, c(1, 2, 2))
})

test_that("flat columns by name, term and position", {
  for (flat in list("tension", c("tensionM", "tensionH"), 2:3)) {
    fit <- ardvark(breaks ~ wool + tension, warpbreaks, prior = "shared", flat = flat)
    expect_equal(fit$results$options$flat, c(2, 3))
  }
})

test_that("contrasts, levels without rows, subset", {
  fit <- ardvark(breaks ~ tension, warpbreaks, contrasts = list(tension = "contr.sum"))
  expect_equal(fit$columns, c("tension1", "tension2"))
  expect_equal(ardvark(breaks ~ tension, warpbreaks, subset = tension != "H")$columns, "tensionM")
  expect_equal(ardvark(breaks ~ tension, droplevels(warpbreaks[warpbreaks$tension != "L", ]))$columns, "tensionH")
})

test_that("variables of the calling environment, and a formula that is a text", {
  y <- mtcars$mpg
  x <- mtcars$wt
  reference <- unname(coef(ardvark(mpg ~ wt, mtcars)))
  expect_equal(unname(coef(ardvark(y ~ x))), reference)
  expect_equal(unname(coef(ardvark("mpg ~ wt", mtcars))), reference)
  inside <- function(data) {
    w <- rep(2, nrow(data))
    ardvark(mpg ~ wt, data, weights = w)
  }
  expect_equal(inside(mtcars)$prior.weights, rep(2, 32))
})

test_that("methods know the formula", {
  fit <- ardvark(mpg ~ wt + factor(cyl), mtcars)
  expect_equal(formula(fit), mpg ~ wt + factor(cyl), ignore_formula_env = TRUE)
  expect_s3_class(terms(fit), "terms")
  expect_equal(model.matrix(fit), model.matrix(mpg ~ wt + factor(cyl), mtcars))
  expect_equal(dim(model.frame(fit)), c(32L, 3L))
  expect_equal(update(fit, . ~ . - factor(cyl))$columns, "wt")
  expect_equal(update(fit, prior = "shared")$results$prior, "shared")
  expect_equal(coef(update(fit, data = mtcars[1:20, ])), coef(ardvark(mpg ~ wt + factor(cyl), mtcars[1:20, ])))
})
