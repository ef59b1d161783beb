# Draws in the form of the package posterior: their moments are those of the fit.

skip_if_not_installed("posterior")
fits <- suppressWarnings(list(
  gaussian = ardvark(mpg ~ wt + factor(cyl), mtcars), student = ardvark(stack.loss ~ ., stackloss, "student"),
  binomial = ardvark(case ~ spontaneous + induced, infert, binomial()), poisson = ardvark(breaks ~ wool + tension, warpbreaks, poisson()),
  negbin = ardvark(breaks ~ wool + tension, warpbreaks, "negbin"), multinomial = ardvark(Species ~ ., iris, "multinomial"),
  no_intercept = ardvark(mpg ~ wt + hp - 1, mtcars, prior = "shared")
))

test_that("moments are those of coef and vcov", {
  n <- 40000
  for (fit in fits) {
    draws <- posterior::as_draws_matrix(fit, ndraws = n, seed = 1)
    names <- rownames(vcov(fit))
    is_number <- fit$family_name %in% c("gaussian", "student")
    expect_equal(posterior::variables(draws), c(names, if (is_number) "sigma"))
    beta <- unclass(draws)[, names, drop = FALSE]
    mean <- if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit)
    sd <- sqrt(diag(vcov(fit)))
    expect_lt(max(abs(colMeans(beta) - mean) / sd), 5 / sqrt(n))
    expect_lt(max(abs(cov(beta) - vcov(fit)) / outer(sd, sd)), 0.06)
    if (is_number) {
      noise <- fit$results$noise
      tau <- 1 / as.vector(draws[, "sigma"])^2
      expect_equal(mean(tau), noise$shape / noise$rate, tolerance = 0.02)
      expect_equal(sd(tau), sqrt(noise$shape) / noise$rate, tolerance = 0.03)
    }
  }
})

test_that("each format, and seeds", {
  fit <- fits$gaussian
  formats <- c("matrix", "df", "array", "list", "rvars")
  for (format in formats) {
    as_format <- getExportedValue("posterior", paste0("as_draws_", format))
    draws <- as_format(fit, ndraws = 10, seed = 2)
    expect_s3_class(draws, paste0("draws_", format))
    expect_equal(posterior::ndraws(draws), 10)
    expect_equal(posterior::variables(draws), c("(Intercept)", "wt", "factor(cyl)6", "factor(cyl)8", "sigma"))
  }
  expect_equal(posterior::ndraws(posterior::as_draws(fit)), 4000)
  for (one in fits[c("gaussian", "multinomial")]) {
    set.seed(3)
    before <- .Random.seed
    expect_identical(posterior::as_draws_matrix(one, ndraws = 5, seed = 1), posterior::as_draws_matrix(one, ndraws = 5, seed = 1))
    expect_identical(.Random.seed, before)
    first <- posterior::as_draws_matrix(one, ndraws = 5)
    set.seed(3)
    expect_identical(posterior::as_draws_matrix(one, ndraws = 5), first)
  }
  summary <- posterior::summarise_draws(posterior::as_draws(fit, ndraws = 20000, seed = 1), "mean", "sd")
  expect_equal(summary$variable[2], "wt")
  expect_equal(as.numeric(summary$sd[2]), sqrt(vcov(fit)["wt", "wt"]), tolerance = 0.02)
  for (wrong in list(0, 1.5, NA, "a", 1:2)) expect_error(posterior::as_draws(fit, ndraws = wrong), "whole number from 1", class = "ardvark_error")
})

test_that("the draws of the linear predictor are X times those of the coefficients", {
  fit <- fits$poisson
  beta <- unclass(posterior::as_draws_matrix(fit, ndraws = 6, seed = 9))
  expect_equal(log(predict(fit, type = "draws", ndraws = 6, seed = 9)), beta %*% t(model.matrix(fit)), ignore_attr = TRUE)
})
