# Residuals and deviance.

residuals.ardvark <- function(object, type = c("deviance", "pearson", "response", "quantile"), ...) {
  if (missing(type) && (is_linear(object$family_name) || object$family_name == "multinomial")) type <- "response"
  type <- match.arg(type)
  need_rows(object, match.call())
  family <- object$family_name
  if (family == "multinomial" && type != "response") refuse(match.call(), "type", "family multinomial has residuals of type \"response\" only")
  mu <- object$fitted.values
  y <- object$y
  weights <- row_weights(object)
  out <- switch(type,
    response = y - mu,
    pearson = (y - mu) * sqrt(weights) / sqrt(variance_of(object, mu)),
    deviance = ifelse(y > mu, 1, -1) * sqrt(pmax(unit_deviance(object, y, mu) * weights, 0)),
    quantile = quantile_residuals(object, y, mu, weights)
  )
  if (is.matrix(mu)) rownames(out) <- rownames(mu) else names(out) <- names(mu)
  naresid(object$na.action, out)
}

# The variance of an observation of weight 1, as R's families have it: of numbers 1.
variance_of <- function(object, mu) {
  switch(object$family_name,
    gaussian = ,
    student = rep(1, length(mu)),
    binomial = mu * (1 - mu),
    poisson = mu,
    negbin = mu + object$results$dispersion * mu^2
  )
}

unit_deviance <- function(object, y, mu) {
  k <- object$results$dispersion
  log_ratio <- function(y, mu) ifelse(y > 0, y * log(ifelse(y > 0, y, 1) / mu), 0)
  switch(object$family_name,
    gaussian = (y - mu)^2,
    student = {
      nu <- object$results$noise$degrees_of_freedom
      tau <- object$results$noise$shape / object$results$noise$rate
      (nu + 1) * log1p(tau * (y - mu)^2 / nu)
    },
    binomial = 2 * (log_ratio(y, mu) + log_ratio(1 - y, 1 - mu)),
    poisson = 2 * (log_ratio(y, mu) - (y - mu)),
    negbin = 2 * (log_ratio(y, mu) - (y + 1 / k) * log((1 + k * y) / (1 + k * mu)))
  )
}

# Normal scores of the distribution function; of counts and classes between its two values, at random (Dunn and Smyth 1996).
quantile_residuals <- function(object, y, mu, weights) {
  between <- function(below, to) qnorm(below + runif(length(to)) * (to - below))
  results <- object$results
  switch(object$family_name,
    gaussian = (y - mu) * sqrt(weights) / noise_sd(object),
    student = qnorm(pt((y - mu) * sqrt(results$noise$shape / results$noise$rate), results$noise$degrees_of_freedom)),
    binomial = {
      trials <- round(weights)
      successes <- round(y * weights)
      between(pbinom(successes - 1, trials, mu), pbinom(successes, trials, mu))
    },
    poisson = between(ppois(y - 1, mu), ppois(y, mu)),
    negbin = between(pnbinom(y - 1, size = 1 / results$dispersion, mu = mu), pnbinom(y, size = 1 / results$dispersion, mu = mu))
  )
}

deviance.ardvark <- function(object, ...) {
  need_rows(object, match.call())
  weights <- row_weights(object)
  if (object$family_name == "multinomial") return(-2 * sum(weights * log(rowSums(object$y * object$fitted.values))))
  sum(weights * unit_deviance(object, object$y, object$fitted.values))
}

# ---- influence ----

# How much each row says of its own fitted value: with no prior the diagonal of the hat matrix, whose sum is the number of coefficients. The
# weights of the rows are those of the fit: of counts at the expected count, of two classes at the mean of the log odds.
hatvalues.ardvark <- function(model, ...) {
  call <- match.call()
  if (model$family_name == "multinomial") refuse(call, "model", "family multinomial has several linear predictors, and no leverages")
  if (is.null(model$terms)) refuse(call, "model", "leverages need a fit by a formula: this one does not keep x")
  X <- model.matrix(model)
  covariance <- scale_of_coefficients(model)
  spread <- if (is.matrix(X)) rowSums((X %*% covariance) * X) else Matrix::rowSums((X %*% covariance) * X)
  mu <- if (model$family_name == "binomial") plogis(model$linear.predictors) else model$fitted.values
  weights <- row_weights(model)
  if (model$family_name == "student") weights <- weights * model$results$row_weight
  slope <- model$family$mu.eta(model$family$linkfun(mu))
  leverage <- weights * slope^2 / variance_of(model, mu) / residual_scale(model)^2 * spread
  out <- naresid(model$na.action, leverage)
  replace(out, is.na(naresid(model$na.action, numeric(length(leverage)))), 0)  # as lm says of rows that were left out
}

rstandard.ardvark <- function(model, ...) residuals(model, "pearson") / (residual_scale(model) * sqrt(1 - hatvalues(model)))

cooks.distance.ardvark <- function(model, ...) {
  leverage <- hatvalues(model)
  rstandard(model)^2 * leverage / ((1 - leverage) * model$results$effective_parameters)
}
