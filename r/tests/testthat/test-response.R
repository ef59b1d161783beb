# What a response means: as in glm. Under prior "none" with Laplace's approximation, the fit is that of maximum likelihood.

mode_of <- function(...) coef(ardvark(..., prior = "none", likelihood = "laplace"))
expect_as_glm <- function(ours, theirs) expect_equal(ours, theirs, tolerance = 1e-5)

test_that("the event of two classes", {
  d <- infert
  d$case_factor <- factor(d$case, 0:1, c("control", "case"))
  reference <- coef(glm(case ~ spontaneous + induced, binomial, d))
  expect_as_glm(mode_of(case ~ spontaneous + induced, d, binomial()), reference)
  expect_as_glm(mode_of(case == 1 ~ spontaneous + induced, d, binomial), reference)
  expect_as_glm(mode_of(case_factor ~ spontaneous + induced, d, "binomial"), reference)
  expect_as_glm(mode_of(as.character(case_factor == "case") ~ spontaneous + induced, d, binomial), reference)
  expect_as_glm(mode_of(relevel(case_factor, "case") ~ spontaneous + induced, d, binomial), -reference)
})

test_that("a level that no row has is no class", {
  d <- transform(infert, f = factor(case, c(2, 0, 1)))
  fit <- ardvark(f ~ spontaneous, d, binomial())
  expect_equal(fit$classes, c("0", "1"))
  expect_equal(coef(fit), coef(ardvark(case ~ spontaneous, d, binomial())))
})

test_that("successes and failures, and shares with weights", {
  reference <- glm(cbind(ncases, ncontrols) ~ agegp, binomial, esoph)
  fit <- ardvark(cbind(ncases, ncontrols) ~ agegp, esoph, binomial(), prior = "none", likelihood = "laplace")
  expect_as_glm(coef(fit), coef(reference))
  expect_equal(fit$classes, c("ncontrols", "ncases"))
  expect_equal(unname(fit$y), unname(reference$y))
  expect_equal(unname(fit$prior.weights), unname(reference$prior.weights))
  expect_equal(nobs(fit), nobs(reference))
  d <- transform(esoph, trials = ncases + ncontrols, share = ncases / (ncases + ncontrols))
  d <- d[d$trials > 0, ]
  shares <- ardvark(share ~ agegp, d, binomial(), weights = trials)
  expect_equal(coef(shares), coef(ardvark(cbind(ncases, ncontrols) ~ agegp, d, binomial())), tolerance = 1e-10)
  expect_warning(ardvark(share ~ agegp, d, binomial()), "non-integer #successes")
})

test_that("weights are repetitions", {
  d <- infert[c(1:60, 84:120), ]
  times <- rep(1:3, length.out = nrow(d))
  repeated <- d[rep(seq_len(nrow(d)), times), ]
  for (family in c("gaussian", "student", "poisson")) {
    weighted <- suppressWarnings(ardvark(parity ~ age + education, d, family, weights = times))
    expect_equal(coef(weighted), suppressWarnings(coef(ardvark(parity ~ age + education, repeated, family))), tolerance = 1e-4)
  }
  d$education <- NULL
  weighted <- ardvark(case ~ age + parity, d, binomial(), weights = times)
  expect_equal(coef(weighted), coef(ardvark(case ~ age + parity, repeated, binomial())), tolerance = 1e-6)
})

test_that("rows of weight 0 are no observations", {
  fit <- ardvark(mpg ~ wt, mtcars, weights = rep(c(0, 1), 16))
  expect_equal(nobs(fit), 16)
  expect_equal(coef(fit), coef(ardvark(mpg ~ wt, mtcars[rep(c(FALSE, TRUE), 16), ])), tolerance = 1e-8)
})

test_that("least squares", {
  fit <- ardvark(mpg ~ wt + factor(cyl), mtcars, prior = "none")
  reference <- lm(mpg ~ wt + factor(cyl), mtcars)
  expect_equal(coef(fit), coef(reference), tolerance = 1e-8)
  expect_equal(confint(fit), confint(reference), tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(vcov(fit), vcov(reference) * 28 / 26, tolerance = 1e-6)  # the variance of a Student-t distribution
})
