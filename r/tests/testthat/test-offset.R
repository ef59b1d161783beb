# Offsets: in the formula, as an argument, and of new rows.

skip_if_not_installed("MASS")
Insurance <- MASS::Insurance
quietly <- suppressWarnings

test_that("both ways, and both together", {
  in_formula <- quietly(ardvark(Claims ~ Group + offset(log(Holders)), Insurance, poisson()))
  argument <- quietly(ardvark(Claims ~ Group, Insurance, poisson(), offset = log(Holders)))
  halves <- quietly(ardvark(Claims ~ Group + offset(log(Holders) / 2), Insurance, poisson(), offset = log(Holders) / 2))
  expect_equal(coef(argument), coef(in_formula), tolerance = 1e-12)
  expect_equal(coef(halves), coef(in_formula), tolerance = 1e-12)
  expect_equal(coef(in_formula), coef(glm(Claims ~ Group + offset(log(Holders)), poisson, Insurance)), tolerance = 0.05)
})

test_that("new rows", {
  in_formula <- quietly(ardvark(Claims ~ Group + offset(log(Holders)), Insurance, poisson()))
  argument <- quietly(ardvark(Claims ~ Group, Insurance, poisson(), offset = log(Holders)))
  exposure <- log(Insurance$Holders)
  given <- quietly(ardvark(Claims ~ Group, Insurance, poisson(), offset = exposure))
  expected <- unname(fitted(in_formula)[1:3])
  new <- Insurance[1:3, ]
  for (fit in list(in_formula, argument)) expect_equal(unname(predict(fit, new)), expected)
  expect_error(predict(given, new), "give newoffset", class = "ardvark_error")
  for (fit in list(in_formula, argument, given)) expect_equal(unname(predict(fit, new, newoffset = exposure[1:3])), expected)
  rates <- unname(predict(in_formula, new["Group"], newoffset = 0))
  expect_equal(rates * new$Holders, expected)
  skip_if_not_installed("generics")
  expect_equal(generics::augment(in_formula, newdata = new["Group"], newoffset = 0)$.fitted, rates)
  expect_error(predict(in_formula, new["Group"]), "newdata has no column 'Holders'", class = "ardvark_error")
  expect_error(predict(in_formula, new, newoffset = 1:2), "newoffset has 2 entries; newdata has 3 rows", class = "ardvark_error")
  expect_error(predict(ardvark(mpg ~ wt, mtcars), mtcars, newoffset = 1), "without an offset", class = "ardvark_error")
  draws <- predict(in_formula, new, type = "draws", ndraws = 4000, seed = 1)
  expect_equal(colMeans(draws), predict(in_formula, new), tolerance = 0.01)
  expect_equal(exp(predict(in_formula, new, type = "link")), predict(in_formula, new), tolerance = 0.01)
})

test_that("numbers with an offset are those of y - offset", {
  fit <- ardvark(mpg ~ hp + offset(-3 * wt), mtcars)
  shifted <- ardvark(I(mpg + 3 * wt) ~ hp, mtcars)
  expect_equal(unname(coef(fit)), unname(coef(shifted)), tolerance = 1e-12)
  expect_equal(fitted(fit), fitted(shifted) - 3 * mtcars$wt, ignore_attr = TRUE)
  expect_equal(residuals(fit), residuals(shifted), ignore_attr = TRUE)
  expect_equal(predict(fit, mtcars[1:3, ], interval = "prediction"), predict(shifted, mtcars[1:3, ], interval = "prediction") - 3 * mtcars$wt[1:3])
  expect_error(save_ardvark(fit, tempfile()), "known to R only", class = "ardvark_error")
})

test_that("a matrix with an offset", {
  x <- cbind(district = as.numeric(Insurance$District))
  fit <- quietly(ardvark_fit(x, Insurance$Claims, poisson(), offset = log(Insurance$Holders)))
  expect_error(predict(fit, x), "give newoffset", class = "ardvark_error")
  expect_equal(unname(predict(fit, x, newoffset = log(Insurance$Holders))), unname(fitted(fit)))
})

test_that("classes have none", {
  expect_error(ardvark(am ~ wt + offset(hp), mtcars, binomial()), "offset cannot be used with family binomial", class = "ardvark_error")
})
