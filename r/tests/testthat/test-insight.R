# What insight, parameters and performance find out of a fit.

skip_if_not_installed("insight")
fits <- suppressWarnings(list(
  gaussian = ardvark(mpg ~ wt + hp + factor(cyl), mtcars), student = ardvark(stack.loss ~ ., stackloss, "student"),
  binomial = ardvark(case ~ spontaneous + induced, infert, binomial(), prior = "shared"),
  grouped = ardvark(cbind(ncases, ncontrols) ~ agegp + alcgp, esoph, binomial()),
  multinomial = ardvark(Species ~ ., iris, "multinomial"), poisson = ardvark(breaks ~ wool + tension, warpbreaks, poisson()),
  negbin = ardvark(breaks ~ wool + tension, warpbreaks, "negbin")
))
single <- fits[names(fits) != "multinomial"]

test_that("coefficients, their covariance and their statistics", {
  for (fit in fits) {
    names <- rownames(vcov(fit))
    mean <- setNames(if (is.matrix(coef(fit))) as.vector(t(coef(fit))) else coef(fit), names)
    expect_equal(insight::find_parameters(fit, flatten = TRUE), names)
    expect_equal(insight::find_parameters(fit), list(conditional = names))
    parameters <- insight::get_parameters(fit)
    expect_equal(setNames(parameters$Estimate, parameters$Parameter), mean)
    expect_equal(insight::get_varcov(fit), vcov(fit))
    statistic <- insight::get_statistic(fit)
    expect_equal(setNames(statistic$Statistic, statistic$Parameter), mean / sqrt(diag(vcov(fit))), tolerance = 1e-8)
    expect_equal(attr(statistic, "statistic"), "z-statistic")
    expect_equal(insight::get_df(fit, type = "model"), fit$results$effective_parameters)
    expect_equal(insight::get_df(fit), insight::n_obs(fit) - fit$results$effective_parameters)
    expect_equal(insight::get_df(fit, type = "normal"), Inf)
    expect_equal(insight::get_df(fit, type = "wald"), if (fit$family_name == "gaussian") fit$results$degrees_of_freedom else Inf)
    expect_equal(as.numeric(insight::get_loglikelihood(fit)), fit$results$bound)
    expect_equal(insight::find_algorithm(fit)$algorithm, "variational inference")
    expect_error(insight::get_varcov(fit, vcov = "HC3"), "no other form", class = "ardvark_error")
    expect_error(insight::get_df(fit, type = "other"), "type must be one of", class = "ardvark_error")
  }
  expect_equal(unique(insight::get_parameters(fits$multinomial)$Response), levels(iris$Species))
  lasso <- ardvark(mpg ~ ., mtcars, prior = "laplace", lambda = 50)
  zero <- insight::get_statistic(lasso)$Statistic[coef(lasso) == 0]
  expect_true(length(zero) > 0 && all(zero == 0))
})

test_that("variables, data and response are those of lm and glm", {
  skip_if_not_installed("MASS")
  months <- transform(airquality, Month = factor(Month))
  pairs <- suppressWarnings(list(
    list(ardvark(log(Ozone) ~ log(Wind) + poly(Temp, 2) + Month, months), lm(log(Ozone) ~ log(Wind) + poly(Temp, 2) + Month, months)),
    list(ardvark(Ozone ~ Wind, months, na.action = na.exclude), lm(Ozone ~ Wind, months, na.action = na.exclude)),
    list(ardvark(mpg ~ wt * am, mtcars, subset = hp < 200, weights = carb), lm(mpg ~ wt * am, mtcars, subset = hp < 200, weights = carb)),
    list(ardvark(Claims ~ Group + offset(log(Holders)), MASS::Insurance, poisson()),
         glm(Claims ~ Group + offset(log(Holders)), poisson, MASS::Insurance)),
    list(ardvark(Claims ~ Group, MASS::Insurance, poisson(), offset = log(Holders)),
         glm(Claims ~ Group, poisson, MASS::Insurance, offset = log(Holders))),
    list(ardvark(cbind(ncases, ncontrols) ~ agegp, esoph, binomial()), glm(cbind(ncases, ncontrols) ~ agegp, binomial, esoph)),
    list(ardvark(wool ~ breaks, warpbreaks, binomial()), glm(wool ~ breaks, binomial, warpbreaks))
  ))
  questions <- c("find_formula", "find_parameters", "find_response", "find_predictors", "find_terms", "find_offset", "find_weights", "find_variables",
                 "find_interactions", "get_data", "get_response", "get_predictors", "n_obs", "get_modelmatrix", "get_weights")
  for (pair in pairs) {
    for (question in questions) {
      ask <- getExportedValue("insight", question)
      expect_equal(suppressWarnings(ask(pair[[1]])), suppressWarnings(ask(pair[[2]])), ignore_attr = TRUE, ignore_formula_env = TRUE)
    }
    for (link in c("link_function", "link_inverse")) {
      ask <- getExportedValue("insight", link)
      expect_equal(ask(pair[[1]])(0.3), ask(pair[[2]])(0.3))
    }
    ours <- unlist(insight::model_info(pair[[1]]))
    theirs <- unlist(insight::model_info(pair[[2]]))
    expect_equal(ours[names(theirs)], theirs)
  }
  expect_true(insight::model_info(fits$student)$is_linear)
  expect_true(insight::model_info(fits$negbin)$is_negbin)
  expect_true(insight::model_info(fits$multinomial)$is_multinomial)
  for (fit in fits) expect_false(insight::model_info(fit)$is_bayesian)
})

test_that("predictions", {
  for (fit in single) {
    found <- as.data.frame(insight::get_predicted(fit, ci = 0.9))
    theirs <- predict(fit, interval = "confidence", level = 0.9, se.fit = TRUE)
    expect_equal(found$Predicted, unname(theirs$fit[, "fit"]))
    expect_equal(cbind(found$CI_low, found$CI_high), theirs$fit[, 2:3], ignore_attr = TRUE)
    expect_equal(found$SE, unname(theirs$se.fit))
    link <- insight::get_predicted(fit, predict = "link")
    expect_equal(as.vector(link), unname(predict(fit, type = "link")))
  }
  new <- insight::get_predicted(fits$gaussian, data = mtcars[1:3, ], predict = "prediction", ci = 0.5)
  expect_equal(as.data.frame(new)$CI_low, unname(predict(fits$gaussian, mtcars[1:3, ], interval = "prediction", level = 0.5)[, "lwr"]))
  class <- insight::get_predicted(fits$multinomial, predict = "classification")
  expect_equal(as.character(class), as.character(predict(fits$multinomial, type = "class")))
  skip_if_not_installed("MASS")
  claims <- ardvark(Claims ~ Age + offset(log(Holders)), MASS::Insurance, "negbin")
  rates <- insight::get_predicted(claims, data = MASS::Insurance[1:3, ], newoffset = 0)
  expect_equal(as.vector(rates) * MASS::Insurance$Holders[1:3], unname(predict(claims)[1:3]))
  expect_error(insight::get_predicted(fits$multinomial), "several predictions", class = "ardvark_error")
  expect_error(insight::get_predicted(fits$gaussian, predict = "other"), "predict must be one of", class = "ardvark_error")
})

test_that("tables of parameters", {
  skip_if_not_installed("parameters")
  for (fit in fits) {
    table <- parameters::model_parameters(fit, ci = 0.9)
    interval <- confint(fit, level = 0.9)
    expect_equal(table$Parameter, rownames(interval))
    expect_equal(table$Coefficient, insight::get_parameters(fit)$Estimate)
    expect_equal(table$SE, unname(sqrt(diag(vcov(fit)))), tolerance = 1e-8)
    expect_equal(cbind(table$CI_low, table$CI_high), interval, ignore_attr = TRUE)
    expect_equal(table$z, table$Coefficient / table$SE)
    expect_false("p" %in% names(table))
    expect_output(suppressMessages(print(table)), "90% CI", fixed = TRUE)
    levels <- parameters::ci(fit, ci = c(0.5, 0.9))
    expect_equal(levels$CI_low[levels$CI == 0.5], unname(confint(fit, level = 0.5)[, 1]))
    expect_equal(parameters::standard_error(fit)$SE, table$SE)
    expect_null(parameters::p_value(fit))
    expect_equal(parameters::degrees_of_freedom(fit, method = "residual"), df.residual(fit))
  }
  odds <- parameters::model_parameters(fits$binomial, exponentiate = TRUE)
  expect_equal(cbind(odds$Coefficient, odds$CI_low), exp(cbind(coef(fits$binomial), confint(fits$binomial)[, 1])), ignore_attr = TRUE)
  expect_equal(parameters::model_parameters(fits$gaussian, keep = "wt")$Parameter, "wt")
  expect_error(parameters::model_parameters(fits$gaussian, bootstrap = TRUE), "as_draws", class = "ardvark_error")
  expect_error(parameters::model_parameters(fits$gaussian, standardize = "refit"), "standardized = TRUE")
  expect_error(parameters::ci(fits$gaussian, ci = 95), "level must be", class = "ardvark_error")
})

test_that("under no prior, checks are those of lm and glm", {
  skip_if_not_installed("performance")
  ours <- ardvark(mpg ~ wt + hp + factor(cyl), mtcars, prior = "none")
  theirs <- lm(mpg ~ wt + hp + factor(cyl), mtcars)
  for (check in c("check_collinearity", "check_normality", "check_heteroscedasticity", "performance_rmse", "check_autocorrelation")) {
    ask <- getExportedValue("performance", check)
    set.seed(1)
    found <- ask(ours)
    set.seed(1)
    expect_equal(found, ask(theirs), tolerance = 1e-5, ignore_attr = TRUE)
  }
  expect_equal(as.data.frame(performance::check_outliers(ours)), as.data.frame(performance::check_outliers(theirs)), tolerance = 1e-6)
  expect_equal(performance::r2(ours)$R2[[1]], performance::r2(theirs)$R2[[1]], tolerance = 1e-8)
  counts <- suppressWarnings(ardvark(breaks ~ wool + tension, warpbreaks, poisson(), prior = "none"))
  reference <- glm(breaks ~ wool + tension, poisson, warpbreaks)
  numbers <- c("chisq_statistic", "dispersion_ratio", "residual_df")
  expect_equal(performance::check_overdispersion(counts)[numbers], unclass(performance::check_overdispersion(reference))[numbers], tolerance = 0.01)
})

test_that("performance", {
  skip_if_not_installed("performance")
  row <- performance::model_performance(fits$gaussian)
  expect_equal(row$Log_evidence, fits$gaussian$results$bound)
  expect_equal(row$R2, 1 - var(residuals(fits$gaussian)) / var(mtcars$mpg), tolerance = 1e-3)
  expect_equal(row$RMSE, sqrt(mean(residuals(fits$gaussian)^2)))
  expect_equal(row$Sigma, fits$gaussian$results$noise$sd)
  for (fit in fits) expect_output(print(performance::model_performance(fit)), "Log_evidence")
  probability <- fitted(fits$binomial)
  tjur <- mean(probability[infert$case == 1]) - mean(probability[infert$case == 0])
  expect_equal(performance::r2(fits$binomial)$R2[[1]], tjur)
  for (fit in single) expect_s3_class(suppressMessages(performance::check_model(fit)), "check_model")
  drawn <- suppressMessages(performance::check_model(fits$negbin))$OVERDISPERSION  # the variance that the picture has
  expect_equal(drawn$V, unname(fitted(fits$negbin) + fits$negbin$results$dispersion * fitted(fits$negbin)^2))
  pearson <- (warpbreaks$breaks - fitted(fits$negbin))^2 / (fitted(fits$negbin) + fits$negbin$results$dispersion * fitted(fits$negbin)^2)
  expect_equal(performance::check_overdispersion(fits$negbin)$chisq_statistic, sum(pearson))
  expect_error(performance::check_overdispersion(fits$binomial), "several trials", class = "ardvark_error")
  expect_error(performance::check_normality(fits$student), "assumes normal noise", class = "ardvark_error")
  expect_error(performance::check_heteroscedasticity(fits$poisson), "assumes normal noise", class = "ardvark_error")
  for (check in c("check_collinearity", "check_model", "r2")) {
    expect_error(getExportedValue("performance", check)(fits$multinomial), "several", class = "ardvark_error")
  }
  of_matrix <- ardvark_fit(as.matrix(mtcars[c("wt", "hp")]), mtcars$mpg)
  for (check in c("check_collinearity", "check_model")) {
    expect_error(getExportedValue("performance", check)(of_matrix), "fit by a formula", class = "ardvark_error")
  }
  expect_error(performance::r2(fits$grouped), "no R2 of successes", class = "ardvark_error")
  expect_error(performance::check_outliers(fits$multinomial), "no leverages", class = "ardvark_error")
  file <- tempfile(fileext = ".ardvark")
  save_ardvark(fits$binomial, file)
  expect_error(performance::model_performance(read_ardvark(file)), "read from a file", class = "ardvark_error")
  expect_error(hatvalues(read_ardvark(file)), "fit by a formula", class = "ardvark_error")
})
