# Predictions, residuals and simulations.

predict.ardvark <- function(object, newdata = NULL, type = c("response", "link", "class", "draws", "terms"), se.fit = FALSE,
                            interval = c("none", "confidence", "prediction"), level = 0.95, newoffset = NULL, ndraws = 1000, seed = NULL,
                            na.action = stats::na.pass, ...) {
  call <- match.call()
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_level(level, call)
  check_type(object, type, se.fit, interval, call)
  rows <- rows_of(object, newdata, newoffset, na.action, call)
  said <- list(call = call, rows = rows$names, arguments = c(X = "newdata", X_new = "newdata", row_offset = "newoffset"))
  found <- switch(type,
    terms = return(restored(predicted_terms(object, rows, call), rows)),
    draws = return(t(restored(t(drawn_means(object, rows, ndraws, seed, call)), rows))),
    predictions(object, rows$X, rows$skip, rows$offset, if (interval == "prediction") "new" else "mean", level, said)
  )
  if (type == "class") {
    probability <- if (is.matrix(found$response)) found$response else cbind(1 - found$response, found$response)
    return(restored(factor(object$classes[max.col(probability, "first")], object$classes), rows, rows$names))
  }
  fit <- found[[type]]
  ends <- if (interval == "none") NULL else if (type == "link") link_ends(found, level) else found$ends
  out <- restored(if (is.null(ends)) fit else cbind(fit = fit, lwr = ends[, 1L], upr = ends[, 2L]), rows, rows$names)
  if (!se.fit) return(out)
  list(fit = out, se.fit = restored(if (type == "link") found$link_se else found$se, rows, rows$names), residual.scale = residual_scale(object))
}

check_level <- function(level, call) {
  if (!(is.numeric(level) && length(level) == 1L && !is.na(level) && level > 0 && level < 1)) stop_for("level must be a number between 0 and 1", "level", call = call)
}

check_type <- function(object, type, se.fit, interval, call) {
  family <- object$family_name
  wrong <- function(...) stop_for(sprintf(...), "type", call = call)
  if (type == "class" && is.null(object$classes)) wrong("type is \"class\"; family %s has no classes", family)
  if (interval == "prediction" && !is.null(object$classes)) {
    stop_for("interval is \"prediction\"; a new observation is one of the classes: use \"confidence\", the interval of the probability", "interval", call = call)
  }
  if (interval == "prediction" && type == "link") stop_for("interval is \"prediction\"; a new observation is on the scale type = \"response\"", "interval", call = call)
  if (family == "multinomial" && (se.fit || interval != "none")) wrong("family multinomial has no standard errors of predictions: se.fit = FALSE, interval = \"none\"")
  if (family == "multinomial" && type == "draws") wrong("type is \"draws\"; family multinomial has none")
  if (type %in% c("class", "draws", "terms") && (se.fit || interval != "none")) wrong("type is \"%s\"; se.fit and interval are those of \"response\" and \"link\"", type)
}

# The rows that are predicted: X, its columns before those of the fit, the offset, the names, and which rows of the caller they are.
rows_of <- function(object, newdata, newoffset, na.action, call) {
  if (is.null(newdata)) {
    if (is.null(object$terms)) stop_for("newdata must be a matrix: the fit does not keep x", "newdata", call = call)
    if (!is.null(newoffset)) stop_for("newoffset is given without newdata", "newoffset", call = call)
    X <- model.matrix(object)
    return(list(X = X, skip = has_intercept(object), offset = object$offset, names = rownames(X), left_out = object$na.action))
  }
  rows <- if (is.null(object$terms)) matrix_rows(object, newdata, newoffset, call) else frame_rows(object, newdata, newoffset, na.action, call)
  if (is.null(object$impute) || !object$impute) {
    complete <- if (is.matrix(rows$X)) !is.na(rowSums(rows$X)) | rowSums(is.na(rows$X)) == 0 else rep(TRUE, nrow(rows$X))
  } else {
    complete <- rep(TRUE, nrow(rows$X))
  }
  if (!is.null(rows$offset)) complete <- complete & !is.na(rows$offset)
  rows$all <- rows$names
  if (!all(complete)) {
    rows$kept <- which(complete)
    rows$X <- rows$X[complete, , drop = FALSE]
    rows$offset <- rows$offset[complete]
    rows$names <- rows$names[complete]
  }
  rows
}

has_intercept <- function(object) attr(object$terms, "intercept") == 1L

frame_rows <- function(object, newdata, newoffset, na.action, call) {
  terms <- delete.response(object$terms)
  if (!is.null(newoffset)) terms <- without_offset(terms)
  if (!is.data.frame(newdata) && !is.list(newdata)) stop_for(sprintf("newdata is of class %s; it must be a data frame", class(newdata)[1L]), "newdata", call = call)
  for (name in all.vars(attr(terms, "variables"))) {
    if (!name %in% names(newdata) && !exists(name, envir = environment(object$terms))) {
      stop_for(sprintf("newdata has no column '%s' (object '%s' not found)", name, name), "newdata", column = name, call = call)
    }
  }
  frame <- model.frame(terms, newdata, na.action = na.action, xlev = object$xlevels)
  classes <- attr(terms, "dataClasses")
  if (!is.null(classes)) .checkMFClasses(classes, frame)
  X <- model.matrix(terms, frame, contrasts.arg = object$contrasts)
  list(X = X, skip = has_intercept(object), offset = new_offset(object, frame, newdata, newoffset, call), names = rownames(frame),
       left_out = attr(frame, "na.action"))
}

matrix_rows <- function(object, newdata, newoffset, call) {
  X <- if (is.data.frame(newdata)) encoded(object, newdata, call) else numeric_matrix(newdata, "newdata", call)
  if (ncol(X) != length(object$columns)) {
    stop_for(sprintf("newdata has %d columns; the fit has %d: %s", ncol(X), length(object$columns), paste(utils::head(object$columns, 10L), collapse = ", ")), "newdata", call = call)
  }
  if (!is.null(colnames(X)) && !identical(colnames(X), object$columns)) {
    found <- match(object$columns, colnames(X))
    if (anyNA(found)) stop_for(sprintf("newdata has no column '%s'", object$columns[is.na(found)][1L]), "newdata", column = object$columns[is.na(found)][1L], call = call)
    X <- X[, found, drop = FALSE]
  }
  if (is.null(newoffset) && !is.null(object$offset)) stop_for("the model was fitted with an offset, so new rows need one, too: give newoffset", "newoffset", call = call)
  list(X = X, skip = 0L, offset = if (is.null(newoffset)) NULL else rep_to(newoffset, nrow(X), call), names = rownames(X))
}

# The columns of a model by their names.
encoded <- function(object, newdata, call) {
  absent <- setdiff(object$columns, names(newdata))
  if (length(absent) > 0L) stop_for(sprintf("newdata has no column '%s'", absent[1L]), "newdata", column = absent[1L], call = call)
  numeric_matrix(as.matrix(newdata[object$columns]), "newdata", call)
}

rep_to <- function(offset, rows, call) {
  if (!length(offset) %in% c(1L, rows)) stop_for(sprintf("newoffset has %d entries; newdata has %d rows", length(offset), rows), "newoffset", call = call)
  if (!is.numeric(offset)) stop_for(sprintf("newoffset is of type %s; it must be numbers", typeof(offset)), "newoffset", call = call)
  rep_len(as.double(offset), rows)
}

# newoffset replaces every offset of the fit. Without it, offset() of the formula and the argument offset are evaluated in newdata, as glm
# does; but where newdata does not have the variables of the argument, it must be given.
new_offset <- function(object, frame, newdata, newoffset, call) {
  if (is.null(object$offset)) {
    if (!is.null(newoffset)) stop_for("newoffset is given, but the model was fitted without an offset", "newoffset", call = call)
    return(NULL)
  }
  if (!is.null(newoffset)) return(kept_by(rep_to(newoffset, NROW(newdata), call), frame))
  offset <- model.offset(frame)
  if (object$offset_argument) {
    asked <- object$call$offset
    absent <- setdiff(all.vars(asked), names(newdata))
    if (length(all.vars(asked)) == 0L || length(absent) > 0L) {
      stop_for("the model was fitted with the argument offset, so new rows need one, too: give newoffset, such as the logarithm of the exposure of each row",
               "newoffset", call = call)
    }
    more <- kept_by(rep_to(eval(asked, newdata, environment(object$terms)), NROW(newdata), call), frame)
    offset <- if (is.null(offset)) more else offset + more
  }
  offset
}

# Of values for each row of newdata, those of the rows that na.action left in the frame.
kept_by <- function(values, frame) {
  left_out <- attr(frame, "na.action")
  if (is.null(left_out)) values else values[-as.integer(left_out)]
}

# Terms whose frame has no offset.
without_offset <- function(terms) {
  at <- attr(terms, "offset")
  if (is.null(at)) return(terms)
  for (name in c("variables", "predvars")) if (!is.null(attr(terms, name))) attr(terms, name) <- attr(terms, name)[-(1L + at)]
  if (length(attr(terms, "factors")) > 0L) attr(terms, "factors") <- attr(terms, "factors")[-at, , drop = FALSE]
  if (!is.null(attr(terms, "dataClasses"))) attr(terms, "dataClasses") <- attr(terms, "dataClasses")[-at]
  attr(terms, "offset") <- NULL
  terms
}

# Puts NA where a row was not predicted, and what na.exclude left out.
restored <- function(values, rows, names = rows$names) {
  is_table <- is.matrix(values)
  if (!is.null(names) && !is.null(values)) if (is_table) rownames(values) <- names else names(values) <- names
  if (!is.null(rows$kept)) {
    at <- match(seq_along(rows$all), rows$kept)
    if (length(rows$all) == 0L) at <- integer()
    constant <- attr(values, "constant")
    values <- if (is_table) values[at, , drop = FALSE] else values[at]
    if (is_table) rownames(values) <- rows$all else names(values) <- rows$all
    if (!is.null(constant)) attr(values, "constant") <- constant
  }
  if (is.null(rows$left_out)) values else napredict(rows$left_out, values)
}

# ---- what the library says of rows ----

# response, link, and where there are some, se and link_se, their standard errors, and ends, the interval of the response.
predictions <- function(object, X, skip, offset, interval = "mean", level = 0.95, said = NULL) {
  family <- object$family_name
  options <- list(level = level)
  if (is_linear(family) || is_count(family)) options$interval <- interval
  if (is_count(family)) options$row_offset <- offset
  found <- checked(.Call(C_predict, handle_of(object), in_place(X), skip, NULL, options), said)
  shift <- if (is.null(offset)) 0 else offset
  out <- if (is_linear(family)) {
    list(response = found$mean + shift, link = found$mean + shift, se = found$sd, link_se = found$sd, ends = cbind(found$lower, found$upper) + shift)
  } else if (is_count(family)) {
    list(response = found$mean, link = found$log_mean, se = found$sd, link_se = sqrt(found$log_variance), ends = cbind(found$lower, found$upper))
  } else if (family == "binomial") {
    sd <- sqrt(found$variance)
    half <- qnorm((1 + level) / 2) * sd
    list(response = found$probability[, 2L], link = found$mean, se = probability_sd(found$mean, sd), link_se = sd,
         ends = cbind(plogis(found$mean - half), plogis(found$mean + half)))
  } else {
    colnames(found$probability) <- object$classes
    list(response = found$probability, link = linear_scores(object, X, skip))
  }
  out$df <- found$degrees_of_freedom
  named(out, rownames(X))
}

named <- function(found, names) {
  if (is.null(names)) return(found)
  for (part in c("response", "link")) if (is.matrix(found[[part]])) rownames(found[[part]]) <- names else names(found[[part]]) <- names
  found
}

linear_scores <- function(object, X, skip) {
  coefficients <- object$coefficients
  with_intercept <- identical(colnames(coefficients)[1L], "(Intercept)")
  weights <- if (with_intercept) coefficients[, -1L, drop = FALSE] else coefficients
  scores <- as.matrix((if (skip > 0L) X[, -1L, drop = FALSE] else X) %*% t(weights))
  if (with_intercept) sweep(scores, 2L, coefficients[, 1L], `+`) else scores
}

# The interval of the linear predictor.
link_ends <- function(found, level) {
  half <- if (is.null(found$df) || !is.finite(found$df[1L])) qnorm((1 + level) / 2) else stats::qt((1 + level) / 2, found$df[1L])
  scale <- if (is.null(found$df) || !is.finite(found$df[1L]) || found$df[1L] <= 2) 1 else sqrt((found$df[1L] - 2) / found$df[1L])
  cbind(found$link - half * scale * found$link_se, found$link + half * scale * found$link_se)
}

# The standard deviation of plogis(eta) for eta ~ N(mean, sd^2), by 32 nodes of Gauss and Hermite.
probability_sd <- function(mean, sd) {
  at <- outer(sd, hermite$nodes) + mean
  p <- plogis(at)
  first <- drop(p %*% hermite$weights)
  sqrt(pmax(drop((p - first)^2 %*% hermite$weights), 0))
}

# Golub and Welsch: nodes and weights for the standard normal distribution.
hermite <- local({
  n <- 32L
  jacobi <- matrix(0, n, n)
  jacobi[cbind(2:n, 1:(n - 1L))] <- jacobi[cbind(1:(n - 1L), 2:n)] <- sqrt(1:(n - 1L))
  found <- eigen(jacobi, symmetric = TRUE)
  list(nodes = found$values, weights = found$vectors[1L, ]^2)
})

residual_scale <- function(object) if (is_linear(object$family_name)) object$results$noise$sd else 1

# ---- terms and draws ----

# Contributions of the terms, as predict.lm has them: about the mean of the fit's own rows.
predicted_terms <- function(object, rows, call) {
  if (is.null(object$terms)) stop_for("type is \"terms\"; the fit has no formula", "type", call = call)
  if (is.matrix(object$coefficients)) stop_for("type is \"terms\"; family multinomial has none", "type", call = call)
  training <- model.matrix(object)
  assign <- attr(training, "assign")
  labels <- attr(object$terms, "term.labels")
  centre <- if (rows$skip == 1L) colMeans(training, na.rm = TRUE) else rep(0, ncol(training))
  beta <- object$coefficients
  out <- vapply(seq_along(labels), function(term) drop(sweep(rows$X[, assign == term, drop = FALSE], 2L, centre[assign == term]) %*% beta[assign == term]),
                numeric(nrow(rows$X)))
  out <- matrix(out, nrow(rows$X), length(labels), dimnames = list(rows$names, labels))
  attr(out, "constant") <- if (rows$skip == 1L) sum(centre * beta) else 0
  out
}

seed_of <- function(seed) if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else seed

# Draws of the linear predictor [count, rows], and of the noise.
drawn_scores <- function(object, rows, count, seed, call) {
  if (!(is.numeric(count) && length(count) == 1L && count >= 1 && count == round(count))) stop_for("the number of draws must be a whole number from 1", "ndraws", call = call)
  drawn <- checked(.Call(C_draws, handle_of(object), count, list(seed = seed_of(seed))), list(call = call))
  X <- if (rows$skip > 0L) rows$X[, -1L, drop = FALSE] else rows$X
  scores <- t(as.matrix(X %*% t(drawn$coef)))
  if (!is.null(drawn$intercept)) scores <- scores + as.vector(drawn$intercept)
  if (!is.null(rows$offset)) scores <- scores + rep(rows$offset, each = nrow(scores))
  list(scores = scores, noise_precision = drawn$noise_precision)
}

drawn_means <- function(object, rows, count, seed, call) {
  drawn <- object$family$linkinv(drawn_scores(object, rows, count, seed, call)$scores)
  colnames(drawn) <- rows$names
  drawn
}

simulate.ardvark <- function(object, nsim = 1, seed = NULL, ...) {
  call <- match.call()
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) runif(1)
  if (is.null(seed)) {
    state <- get(".Random.seed", envir = globalenv())
  } else {
    before <- get(".Random.seed", envir = globalenv())
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  drawn <- if (object$family_name == "multinomial") NULL else drawn_scores(object, rows_of(object, NULL, NULL, NULL, call), nsim, NULL, call)
  out <- lapply(seq_len(nsim), function(k) simulated(object, drawn$scores[k, ], drawn$noise_precision[k]))
  names(out) <- paste0("sim_", seq_len(nsim))
  out <- if (object$is_grouped && !object$is_share) structure(out, class = "data.frame", row.names = names(object$fitted.values)) else
    data.frame(out, row.names = if (is.matrix(object$fitted.values)) rownames(object$fitted.values) else names(object$fitted.values))
  structure(out, seed = state)
}

# One new observation for each row, given a draw of the linear predictor.
simulated <- function(object, scores, noise_precision) {
  n <- length(scores)
  weights <- object$prior.weights
  spread <- function() 1 / sqrt(noise_precision)
  switch(object$family_name,
    gaussian = rnorm(n, scores, spread()),
    student = scores + spread() * rt(n, object$results$noise$degrees_of_freedom),
    poisson = rpois(n, exp(scores)),
    negbin = rnbinom(n, size = 1 / object$results$dispersion, mu = exp(scores)),
    multinomial = factor(object$classes[apply(object$fitted.values, 1L, function(p) sample.int(length(p), 1L, prob = p))], object$classes),
    binomial = {
      if (!object$is_grouped) return(factor(object$classes[1L + rbinom(n, 1L, plogis(scores))], object$classes))
      successes <- rbinom(n, as.integer(round(weights)), plogis(scores))
      if (object$is_share) successes / weights else structure(cbind(successes, weights - successes), dimnames = list(NULL, rev(object$classes)))
    }
  )
}

# ---- residuals ----

residuals.ardvark <- function(object, type = c("deviance", "pearson", "response", "quantile"), ...) {
  if (missing(type) && is_linear(object$family_name)) type <- "response"
  type <- match.arg(type)
  family <- object$family_name
  if (family == "multinomial" && type != "response") stop_for(sprintf("type is \"%s\"; family multinomial has residuals of type \"response\"", type), "type", call = match.call())
  mu <- object$fitted.values
  y <- object$y
  weights <- if (is.null(object$prior.weights)) rep(1, NROW(y)) else object$prior.weights
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
  switch(object$family_name, gaussian = , student = rep(1, length(mu)), binomial = mu * (1 - mu), poisson = mu, negbin = mu + object$results$dispersion * mu^2)
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
    gaussian = (y - mu) * sqrt(weights) / results$noise$sd,
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
  if (object$family_name == "multinomial") stop_for("family multinomial has no deviance here", call = match.call())
  weights <- if (is.null(object$prior.weights)) 1 else object$prior.weights
  sum(weights * unit_deviance(object, object$y, object$fitted.values))
}
