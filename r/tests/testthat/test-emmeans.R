# Estimated means: as emmeans has them of lm and glm with the same design, given our coefficients and their covariance.

skip_if_not_installed("emmeans")
skip_if_not_installed("MASS")
quietly <- suppressWarnings

# ours and theirs have the same design; theirs takes our numbers
expect_same_means <- function(ours, theirs, ...) {
  df <- ours$results$degrees_of_freedom
  is_t <- ours$family_name == "gaussian" && is.finite(df)
  covariance <- vcov(ours) * if (is_t) (df - 2) / df else 1
  theirs$coefficients[] <- coef(ours)
  expected <- suppressMessages(emmeans::emmeans(theirs, ..., vcov. = covariance, df = if (is_t) df else Inf))
  found <- suppressMessages(emmeans::emmeans(ours, ...))
  numbers <- function(grid) {
    table <- as.data.frame(grid)
    as.matrix(table[vapply(table, is.numeric, NA)])
  }
  expect_equal(numbers(found), numbers(expected), tolerance = 1e-10)
  expect_equal(numbers(emmeans::contrast(found, "pairwise")), numbers(emmeans::contrast(expected, "pairwise")), tolerance = 1e-10)
}

test_that("numbers", {
  expect_same_means(ardvark(mpg ~ wt * factor(cyl) + poly(hp, 2), mtcars), lm(mpg ~ wt * factor(cyl) + poly(hp, 2), mtcars), ~cyl)
  expect_same_means(ardvark(log(Ozone) ~ Wind + factor(Month), airquality), lm(log(Ozone) ~ Wind + factor(Month), airquality), ~Month,
                    type = "response")
  expect_same_means(ardvark(breaks ~ tension + wool, warpbreaks, "student", contrasts = list(tension = "contr.sum")),
                    lm(breaks ~ tension + wool, warpbreaks, contrasts = list(tension = "contr.sum")), ~tension | wool)
  expect_same_means(ardvark(mpg ~ wt + factor(cyl), mtcars, subset = hp < 200, weights = carb),
                    lm(mpg ~ wt + factor(cyl), mtcars, subset = hp < 200, weights = carb), ~cyl)
  expect_same_means(ardvark(mpg ~ hp + factor(cyl) + offset(-3 * wt), mtcars), lm(mpg ~ hp + factor(cyl) + offset(-3 * wt), mtcars), ~cyl)
})

test_that("classes and counts", {
  for (type in c("link", "response")) {
    expect_same_means(ardvark(cbind(ncases, ncontrols) ~ agegp + alcgp, esoph, binomial()),
                      glm(cbind(ncases, ncontrols) ~ agegp + alcgp, binomial, esoph), ~alcgp, type = type)
    expect_same_means(ardvark(breaks ~ wool * tension, warpbreaks, "negbin"), glm(breaks ~ wool * tension, poisson, warpbreaks), ~wool | tension,
                      type = type)
  }
  # an offset, in the formula and as an argument, at its mean or another value
  counts <- MASS::Insurance
  in_formula <- quietly(ardvark(Claims ~ Group + Age + offset(log(Holders)), counts, poisson()))
  theirs <- glm(Claims ~ Group + Age + offset(log(Holders)), poisson, counts)
  expect_same_means(in_formula, theirs, ~Group)
  expect_same_means(in_formula, theirs, ~Group, offset = 0)
  expect_same_means(quietly(ardvark(Claims ~ Group + Age, counts, poisson(), offset = log(Holders))),
                    glm(Claims ~ Group + Age, poisson, counts, offset = log(Holders)), ~Group)
})

test_that("intervals are those of predict", {
  fit <- ardvark(mpg ~ wt + factor(cyl), mtcars)
  grid <- data.frame(wt = mean(mtcars$wt), cyl = c(4, 6, 8))
  means <- as.data.frame(emmeans::emmeans(fit, ~cyl, level = 0.9))
  expect_equal(unname(as.matrix(means[c("emmean", "lower.CL", "upper.CL")])), unname(predict(fit, grid, interval = "confidence", level = 0.9)),
               tolerance = 1e-8)
  counts <- ardvark(breaks ~ wool, warpbreaks, "negbin")
  means <- as.data.frame(emmeans::emmeans(counts, ~wool))
  link <- predict(counts, data.frame(wool = c("A", "B")), type = "link", interval = "confidence")
  expect_equal(unname(as.matrix(means[c("emmean", "asymp.LCL", "asymp.UCL")])), unname(link), tolerance = 1e-8)
  slope <- as.data.frame(emmeans::emtrends(fit, ~1, var = "wt"))
  expect_equal(slope$wt.trend, coef(fit)[["wt"]], tolerance = 1e-8)
})

test_that("what has no linear predictor of its own is refused", {
  expect_error(emmeans::emmeans(ardvark(Species ~ Petal.Width, iris, "multinomial"), ~Petal.Width), "linear predictor for each class")
  expect_error(emmeans::emmeans(ardvark_fit(as.matrix(mtcars["wt"]), mtcars$mpg), ~wt), "fit by a formula")
})
