# Without a prior, each answer has the form of that of glm (its names, its gaps, its type) and about its numbers.

skip_if_not_installed("MASS")
months <- transform(airquality, Month = factor(Month))
fits <- function(formula, family, data, ..., arguments = list()) {
  ours <- suppressWarnings(do.call(ardvark, c(list(formula, data, family = family$family, prior = "none", ...), arguments)))
  list(ours = ours, theirs = do.call(glm, list(formula, family, data, ...)), new = data[3:7, ])
}
laplace <- list(likelihood = "laplace")
pairs <- list(
  numbers = fits(mpg ~ wt + factor(cyl), gaussian(), mtcars),
  excluded = fits(Ozone ~ Wind + Month, gaussian(), months, na.action = na.exclude),
  omitted = fits(Ozone ~ Wind + Solar.R, gaussian(), months),
  bases = fits(mpg ~ poly(hp, 2) * am, gaussian(), mtcars),
  counts = fits(Claims ~ Group + Age + offset(log(Holders)), poisson(), MASS::Insurance),
  grouped = fits(cbind(ncases, ncontrols) ~ agegp, binomial(), esoph, arguments = laplace),
  classes = fits(case ~ spontaneous + induced, binomial(), infert, arguments = laplace),
  factors = fits(wool ~ breaks, binomial(), warpbreaks, arguments = laplace)
)
asks <- list(
  coef = coef, fitted = fitted, working = function(fit) residuals(fit, "response"), pearson = function(fit) residuals(fit, "pearson"),
  deviance_residuals = function(fit) residuals(fit, "deviance"), response = function(fit) predict(fit, type = "response"),
  link = function(fit) predict(fit, type = "link"), terms = function(fit) predict(fit, type = "terms"),
  se = function(fit) predict(fit, type = "link", se.fit = TRUE)$se.fit, nobs = nobs, deviance = deviance, df = df.residual,
  matrix = model.matrix, link_name = function(fit) family(fit)$link, formula = formula, gaps = na.action,
  variables = variable.names, levels = function(fit) fit$xlevels, contrasts = function(fit) fit$contrasts,
  drawn = function(fit) {
    drawn <- simulate(fit, 2, seed = 1)
    list(names(drawn), row.names(drawn), vapply(drawn, function(column) class(column)[1], ""), vapply(drawn, anyNA, NA))
  }
)

test_that("of the rows of the fit", {
  for (pair in pairs) {
    tolerance <- if (pair$ours$family_name == "gaussian") 1e-4 else 0.05
    for (ask in asks) {
      theirs <- suppressWarnings(ask(pair$theirs))
      if (identical(ask, asks$se) && pair$ours$family_name == "gaussian") {
        df <- df.residual(pair$theirs)
        theirs <- theirs * sqrt(df / (df - 2))  # the standard deviation of a Student-t distribution
      }
      expect_equal(ask(pair$ours), theirs, tolerance = tolerance, ignore_formula_env = TRUE)
    }
  }
})

test_that("of new rows, with gaps", {
  for (pair in pairs) {
    # a probability is the mean over the posterior, which is nearer to 1/2
    tolerance <- switch(pair$ours$family_name, gaussian = 1e-4, poisson = 0.05, binomial = 0.2)
    for (type in c("response", "link", "terms")) {
      expect_equal(predict(pair$ours, pair$new, type = type), predict(pair$theirs, pair$new, type = type), tolerance = tolerance)
    }
  }
  weighted <- ardvark(mpg ~ wt, mtcars, weights = carb)
  expect_equal(weights(weighted), weights(glm(mpg ~ wt, gaussian, mtcars, weights = carb)))
  expect_equal(case.names(pairs$omitted$ours), case.names(pairs$omitted$theirs))
  expect_equal(labels(pairs$bases$ours), labels(lm(mpg ~ poly(hp, 2) * am, mtcars)))
  expect_equal(case.names(ardvark(mpg ~ wt, mtcars, weights = rep(0:1, 16))), rownames(mtcars)[seq(2, 32, 2)])
})
