# What each row does to the fit.

test_that("leverages and Cook's distances under no prior are those of lm and glm", {
  pairs <- suppressWarnings(list(
    list(ardvark(mpg ~ wt + factor(cyl), mtcars, prior = "none"), lm(mpg ~ wt + factor(cyl), mtcars)),
    list(ardvark(breaks ~ wool + tension, warpbreaks, poisson(), prior = "none"), glm(breaks ~ wool + tension, poisson, warpbreaks)),
    list(ardvark(case ~ spontaneous + induced, infert, binomial(), prior = "none", likelihood = "laplace"),
         glm(case ~ spontaneous + induced, binomial, infert)),
    list(ardvark(Ozone ~ Wind + Temp, airquality, prior = "none", na.action = na.exclude),
         lm(Ozone ~ Wind + Temp, airquality, na.action = na.exclude))
  ))
  for (pair in pairs) {
    expect_equal(hatvalues(pair[[1]]), hatvalues(pair[[2]]), tolerance = 1e-5)
    is_number <- pair[[1]]$family_name == "gaussian"
    if (is_number) expect_equal(rstandard(pair[[1]]), rstandard(pair[[2]]), tolerance = 1e-6)
    if (is_number) expect_equal(sigma(pair[[1]]), sigma(pair[[2]]), tolerance = 1e-6)
    # of counts and classes at the mean over the posterior, not at the mode
    expect_equal(cooks.distance(pair[[1]]), cooks.distance(pair[[2]]), tolerance = if (is_number) 1e-5 else 0.2)
  }
  counts <- ardvark(breaks ~ wool + tension, warpbreaks, "negbin")
  expect_equal(sigma(counts), 1 / counts$results$dispersion)
  expect_equal(df.residual(counts), 54 - counts$results$effective_parameters)
  gaps <- ardvark(Ozone ~ Solar.R + Wind, airquality, impute = TRUE)
  expect_equal(unname(is.na(hatvalues(gaps))), is.na(airquality$Solar.R[!is.na(airquality$Ozone)]))  # those of filled values are not known
  classes <- ardvark(Species ~ Petal.Width, iris, "multinomial")
  for (ask in list(hatvalues, cooks.distance)) expect_error(ask(classes), "several linear predictors", class = "ardvark_error")
  expect_error(hatvalues(ardvark_fit(as.matrix(mtcars["wt"]), mtcars$mpg)), "fit by a formula", class = "ardvark_error")
})
