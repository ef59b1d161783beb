# What the packages of easystats ask of a fit: insight of its parts, parameters of its coefficients, performance of its quality. All of it is
# registered when they are there.

find_parameters.ardvark <- function(x, flatten = FALSE, ...) {
  names <- coefficient_names(x)
  if (flatten) names else list(conditional = names)
}

get_parameters.ardvark <- function(x, ...) {
  out <- data.frame(Parameter = coefficient_names(x), Estimate = coefficient_vector(x), row.names = NULL)
  if (is.matrix(x$coefficients)) out$Response <- rep(rownames(x$coefficients), each = ncol(x$coefficients))
  out
}

# Posterior means in units of their standard deviations. A mean that the prior "laplace" has at zero, without a spread, is no effect: 0.
get_statistic.ardvark <- function(x, ...) {
  table <- posterior_table(x, x$results$interval_level)
  out <- data.frame(Parameter = rownames(table), Statistic = ifelse(table[, 1L] == 0, 0, table[, 1L] / table[, 2L]), row.names = NULL)
  structure(out, statistic = "z-statistic")
}

get_varcov.ardvark <- function(x, vcov = NULL, ...) {
  if (!is.null(vcov)) refuse(match.call(), "vcov", "vcov is given; the covariance of a posterior has no other form")
  stats::vcov(x)
}

get_df.ardvark <- function(x, type = "residual", ...) {
  types <- c("residual", "analytical", "wald", "normal", "model")
  if (!(is.character(type) && length(type) == 1L && type %in% types)) refuse(match.call(), "type", "type must be one of %s", some(types))
  switch(type, residual = , analytical = df.residual(x), wald = posterior_df(x), normal = Inf, model = x$results$effective_parameters)
}

# is_bayesian is what these packages ask before they look for draws of a sampler, which a fit does not have.
model_info.ardvark <- function(x, ...) {
  info <- NextMethod()
  info$is_bayesian <- FALSE
  info$is_bernoulli <- x$family_name == "binomial" && !isTRUE(x$is_grouped)
  if (x$family_name == "student") info$is_linear <- TRUE
  if (x$family_name == "multinomial") info$is_multinomial <- info$is_categorical <- info$is_logit <- TRUE
  info
}

find_algorithm.ardvark <- function(x, ...) list(algorithm = "variational inference")

link_inverse.ardvark <- function(x, ...) family(x)$linkinv
link_function.ardvark <- function(x, ...) family(x)$linkfun

get_loglikelihood.ardvark <- function(x, ...) logLik(x)

# Predictions with their intervals, as the class of insight has them: the mean of each row, or its linear predictor.
get_predicted.ardvark <- function(x, data = NULL, predict = "expectation", ci = NULL, newoffset = NULL, verbose = TRUE, ...) {
  call <- match.call()
  words <- c("expectation", "link", "prediction", "classification")
  if (!(is.character(predict) && length(predict) == 1L && predict %in% words)) refuse(call, "predict", "predict must be one of %s", some(words))
  type <- switch(predict, link = "link", classification = "class", "response")
  if (x$family_name == "multinomial" && type != "class") refuse(call, "x", "family multinomial has several predictions for a row: use predict()")
  level <- if (is.null(ci)) 0.95 else ci
  found <- if (type == "class") list(fit = stats::predict(x, data, type = type, newoffset = newoffset)) else
    stats::predict(x, data, type = type, newoffset = newoffset, se.fit = TRUE, level = level,
                   interval = if (predict == "prediction") "prediction" else "confidence")
  values <- if (type == "class") found$fit else unname(found$fit[, "fit"])
  if (type != "class") {
    ends <- data.frame(SE = unname(found$se.fit), CI_low = unname(found$fit[, "lwr"]), CI_high = unname(found$fit[, "upr"]))
    attr(values, "ci_data") <- if (is.null(ci)) ends["SE"] else ends
  }
  attributes(values) <- c(attributes(values), list(ci = ci, data = if (is.null(data)) model.frame(x) else data, predict = predict, scale = type))
  class(values) <- c("get_predicted", class(values))
  values
}

# ---- parameters ----

ci.ardvark <- function(x, ci = 0.95, ...) {
  one <- function(level) {
    check_level(level, NULL)
    ends <- confint(x, level = level)
    data.frame(Parameter = rownames(ends), CI = level, CI_low = unname(ends[, 1L]), CI_high = unname(ends[, 2L]))
  }
  do.call(rbind, lapply(ci, one))
}

standard_error.ardvark <- function(model, ...) {
  table <- posterior_table(model, model$results$interval_level)
  data.frame(Parameter = rownames(table), SE = unname(table[, 2L]))
}

# Of get_statistic(), which is in units of standard deviations.
degrees_of_freedom.ardvark <- function(model, method = "wald", ...) {
  if (identical(method, "residual")) df.residual(model) else Inf
}

# A posterior has no p-value: there is no such column in a table of parameters.
p_value.ardvark <- function(model, ...) NULL

# The table of parameters, without the footnote on p-values.
model_parameters.ardvark <- function(model, bootstrap = FALSE, ...) {
  if (!isFALSE(bootstrap)) refuse(match.call(), "bootstrap", "bootstrap is given; the posterior has the intervals: as_draws() draws from it")
  out <- NextMethod()
  attr(out, "ci_method") <- NULL
  out
}

# ---- performance ----

# Pearson's chi squared by its degrees of freedom.
check_overdispersion.ardvark <- function(x, ...) {
  if (!is_count(x$family_name) && !isTRUE(x$is_grouped)) {
    refuse(match.call(), "x", "overdispersion is of counts, and of successes in several trials; the family is %s", x$family_name)
  }
  chi_squared <- sum(residuals(x, "pearson")^2, na.rm = TRUE)
  df <- df.residual(x)
  structure(class = "check_overdisp", list(
    chisq_statistic = chi_squared, dispersion_ratio = chi_squared / df, residual_df = df,
    p_value = stats::pchisq(chi_squared, df, lower.tail = FALSE)
  ))
}

# What the hosts would compute of the coefficients of all classes as if they were of one linear predictor.
check_collinearity.ardvark <- function(x, ...) {
  need_one_predictor(x, "common collinearity", match.call())
  NextMethod()
}
check_model.ardvark <- function(x, ...) {
  need_one_predictor(x, "picture of residuals and leverages", match.call())
  NextMethod()
}
need_one_predictor <- function(object, what, call) {
  if (is.null(object$terms)) refuse(call, "x", "%s needs a fit by a formula: this one does not keep x", what)
  if (object$family_name == "multinomial") refuse(call, "x", "family multinomial has several linear predictors; there is no %s", what)
}

# datawizard, which refits; without this method it warns, and the coefficients of the table stay as they are.
standardize.ardvark <- function(x, ...) {
  refuse(match.call(), "x", "a fit is not made again to standardized columns: summary(fit, standardized = TRUE) has such coefficients")
}

check_normality.ardvark <- function(x, ...) {
  need_normal(x, match.call())
  NextMethod()
}
check_heteroscedasticity.ardvark <- function(x, ...) {
  need_normal(x, match.call())
  NextMethod()
}
need_normal <- function(object, call) {
  if (object$family_name != "gaussian") refuse(call, "x", "the test assumes normal noise; the family is %s", object$family_name)
}

# The share of the variance that the fit explains, of counts that of the deviance, of two classes Tjur's difference of the mean probabilities.
r2.ardvark <- function(model, ...) {
  family <- model$family_name
  if (is_linear(family)) return(r2_of("R2", model$results$r_squared))
  if (is_count(family)) return(r2_of("Deviance explained", model$results$deviance_explained))
  if (family == "multinomial" || isTRUE(model$is_grouped)) {
    refuse(match.call(), "model", "there is no R2 of %s", if (family == "multinomial") "several classes" else "successes and failures")
  }
  need_rows(model, match.call())
  weights <- row_weights(model)
  mean_of <- function(class) stats::weighted.mean(model$fitted.values[model$y == class], weights[model$y == class])
  r2_of("Tjur's R2", mean_of(1) - mean_of(0))
}
r2_of <- function(name, value) structure(list(R2 = setNames(value, name)), class = c("r2_generic", "list"))

# No AIC and BIC; the lower bound on the log evidence is there to compare fits to the same rows.
model_performance.ardvark <- function(model, ...) {
  need_rows(model, match.call())
  results <- model$results
  columns <- list(Log_evidence = results$bound, Effective_parameters = results$effective_parameters)
  if (model$family_name != "multinomial" && !isTRUE(model$is_grouped)) columns$R2 <- unname(r2.ardvark(model)$R2)
  if (!is.null(model$classes) && !isTRUE(model$is_grouped)) columns[c("Accuracy", "Log_loss")] <- results[c("accuracy", "log_loss")]
  if (is.null(model$classes)) columns$RMSE <- sqrt(mean_square(model))
  if (is_linear(model$family_name)) columns$Sigma <- sigma(model)
  if (model$family_name == "negbin") columns$Dispersion <- results$dispersion
  structure(data.frame(columns), class = c("performance_model", "data.frame"))
}

mean_square <- function(object) {
  stats::weighted.mean((object$y - object$fitted.values)^2, row_weights(object))
}
