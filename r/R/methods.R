# A fitted object as R has it.

coef.ardvark <- function(object, ...) object$coefficients
fitted.ardvark <- function(object, ...) {
  need_rows(object, match.call())
  napredict(object$na.action, object$fitted.values)
}
# The fit as of the rows that na.action left.
without_padding <- function(object) {
  object["na.action"] <- list(NULL)
  object
}
# A model file has no rows of its fit.
need_rows <- function(object, call) {
  if (!is.null(object$y)) return(invisible())
  refuse(call, "object", if (is_moved(object)) "the fit does not keep x: with other coefficients, it does not know its fitted values" else
    "the fit was read from a file, which has no rows")
}
formula.ardvark <- function(x, ...) {
  if (is.null(x$terms)) stop_for("the fit has no formula: it was made from a matrix", call = match.call())
  formula(x$terms)
}
family.ardvark <- function(object, ...) object$family
weights.ardvark <- function(object, ...) {
  weights <- object$prior.weights
  if (is.null(weights)) return(NULL)
  names(weights) <- row_names(object)
  naresid(object$na.action, weights)
}
row_weights <- function(object) if (is.null(object$prior.weights)) rep(1, NROW(object$y)) else object$prior.weights
row_names <- function(object) if (is.matrix(object$fitted.values)) rownames(object$fitted.values) else names(object$fitted.values)
case.names.ardvark <- function(object, full = FALSE, ...) {
  names <- row_names(object)
  if (full) names else names[row_weights(object) != 0]
}
variable.names.ardvark <- function(object, ...) coefficient_names(object)
labels.ardvark <- function(object, ...) attr(object$terms, "term.labels")
model.frame.ardvark <- function(formula, ...) {
  if (is.null(formula$terms)) stop_for("the fit has no model frame: it was made from a matrix", call = match.call())
  formula$model
}
model.matrix.ardvark <- function(object, ...) {
  if (is.null(object$terms)) stop_for("the fit does not keep its matrix", call = match.call())
  design(object$terms, object$model, object$contrasts, object$is_sparse)
}

# Rows of weight 0 are no observations, as for glm.
nobs.ardvark <- function(object, ...) {
  if (is.null(object$y)) return(object$results$num_rows)
  sum(row_weights(object) != 0)
}

vcov.ardvark <- function(object, ...) {
  covariance <- result_named(object, "covariance")
  results <- object$results
  names <- c(results$columns, if (!is.null(results$intercept)) "(Intercept)")
  if (is.matrix(results$mean)) names <- paste(rep(scored_classes(results), each = length(names)), names, sep = ":")
  if (nrow(covariance) != length(names)) names <- names[seq_len(nrow(covariance))]
  dimnames(covariance) <- list(names, names)
  order <- if (is.matrix(results$mean)) coefficient_names(object) else names(object$coefficients)
  covariance[order, order, drop = FALSE]
}

# Of several classes: class:column, class after class.
coefficient_names <- function(object) {
  beta <- object$coefficients
  if (!is.matrix(beta)) return(names(beta))
  paste(rep(rownames(beta), each = ncol(beta)), colnames(beta), sep = ":")
}

# All coefficients, with these names.
coefficient_vector <- function(object) {
  beta <- object$coefficients
  if (is.matrix(beta)) setNames(as.vector(t(beta)), coefficient_names(object)) else beta
}

# Of numbers the posterior of coefficients is a Student-t distribution with these degrees of freedom, otherwise a normal one.
posterior_df <- function(object) {
  df <- object$results$degrees_of_freedom
  if (object$family_name != "gaussian" || is.null(df)) Inf else df
}

# The covariance of coefficients, or the scale matrix of the Student-t distribution: with no prior, what vcov() of lm is.
scale_of_coefficients <- function(object) {
  df <- posterior_df(object)
  vcov(object) * (if (is.finite(df) && df > 2) (df - 2) / df else 1)
}

df.residual.ardvark <- function(object, ...) nobs(object) - object$results$effective_parameters

# The standard deviation of the noise; of "negbin" theta, as in the package glmmTMB; 1 where the mean says the variance.
sigma.ardvark <- function(object, ...) if (object$family_name == "negbin") 1 / object$results$dispersion else residual_scale(object)

# Posterior means and standard deviations, in the order of coefficient_names().
posterior_table <- function(object, level) {
  results <- if (level == object$results$interval_level) object$results else results_at(object, level = level)
  with_intercept <- !is.null(results$intercept)
  if (is.matrix(results$mean)) {
    mean <- as.vector(t(object$coefficients))
    sd <- as.vector(t(cbind(if (with_intercept) sqrt(results$intercept$variance), results$sd)))
    half <- qnorm((1 + level) / 2) * sd
    centre <- if (is_moved(object)) as.vector(t(object$own_coefficients)) else mean
    ends <- cbind(centre - half, centre + half)
  } else {
    mean <- object$coefficients
    sd <- c(if (with_intercept) sqrt(results$intercept$variance), results$sd)
    ends <- rbind(if (with_intercept) results$intercept$interval, results$interval)
  }
  if (is_moved(object)) ends <- ends + (mean - as.vector(t(object$own_coefficients)))
  out <- cbind(mean, sd, ends)
  share <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE, scientific = FALSE, digits = 3), "%")
  dimnames(out) <- list(coefficient_names(object), c("Estimate", "Std.Dev", share))
  out
}

confint.ardvark <- function(object, parm, level = 0.95, ...) {
  check_level(level, match.call())
  out <- posterior_table(object, level)[, 3:4, drop = FALSE]
  if (missing(parm)) return(out)
  names <- if (is.numeric(parm)) rownames(out)[parm] else parm
  unknown <- parm[!names %in% rownames(out)]
  if (length(unknown) > 0L) refuse(match.call(), "parm", "parm has %s, which is no coefficient; there are %s", unknown[1L], some(rownames(out)))
  out[names, , drop = FALSE]
}

# The probability that a column has an effect of its own.
# Of columns; NULL if the prior has none. With several classes, a row for each score, for which the library calls it relevance.
inclusion_of <- function(results) {
  if (!is.matrix(results$mean)) return(results$inclusion)
  if (results$prior %in% c("sparse", "slab")) results$relevance
}

# Beside the rows of posterior_table(): none of intercepts.
inclusion_column <- function(results) {
  inclusion <- inclusion_of(results)
  if (is.null(inclusion)) return(NULL)
  of_intercept <- if (!is.null(results$intercept)) NA
  if (is.matrix(inclusion)) as.vector(t(cbind(of_intercept, inclusion, deparse.level = 0L))) else c(of_intercept, inclusion)
}

pip <- function(object, ...) {
  if (inherits(object, "ardvark_targets")) ask_each(object, call = match.call())
  if (!inherits(object, "ardvark")) refuse(match.call(), "object", "object is of class %s; it must be a fit of ardvark()", class(object)[1L])
  inclusion <- inclusion_of(object$results)
  if (is.null(inclusion)) {
    refuse(match.call(), "", "prior \"%s\" has no probability of inclusion: use prior = \"sparse\" or \"slab\"", object$results$prior)
  }
  if (is.matrix(inclusion)) dimnames(inclusion) <- list(scored_classes(object$results), object$columns) else names(inclusion) <- object$columns
  inclusion
}

# Sets of columns, each of which holds an effect.
credible_sets <- function(object, ...) {
  if (inherits(object, "ardvark_targets")) ask_each(object, call = match.call())
  sets <- object$results$credible_sets
  if (is.null(sets)) refuse(match.call(), "", "prior \"%s\" has no credible sets: use prior = \"sparse\" or \"slab\"", object$results$prior)
  lapply(sets, function(set) list(columns = object$columns[set$columns], probability = as.vector(set$probability), inclusion = set$inclusion))
}

# What R's functions for nested fits by maximum likelihood ask.
anova.ardvark <- function(object, ...) {
  refuse(match.call(), "object", "anova() compares likelihoods at their maxima; a Bayesian fit has the log evidence instead: compare(fit1, fit2)")
}
extractAIC.ardvark <- function(fit, scale, k = 2, ...) no_criterion("AIC", match.call())

logLik.ardvark <- function(object, ...) {
  structure(object$results$bound, df = object$results$effective_parameters, nobs = nobs(object), class = c("ardvark_bound", "logLik"))
}
print.ardvark_bound <- function(x, digits = getOption("digits"), ...) {
  parameters <- format(attr(x, "df"), digits = 3L)
  cat("log evidence (a lower bound): ", format(c(x), digits = digits), " nats; effective parameters: ", parameters, "\n", sep = "")
  invisible(x)
}
no_criterion <- function(name, call) {
  stop_for(paste0(name, " needs the maximum of a likelihood and the number of its parameters; a Bayesian fit has the log evidence instead, ",
                  "which already pays for its parameters: compare fits with compare(fit1, fit2)"), call = call)
}
AIC.ardvark <- function(object, ..., k = 2) no_criterion("AIC", match.call())
BIC.ardvark <- function(object, ...) no_criterion("BIC", match.call())
AIC.ardvark_bound <- function(object, ..., k = 2) no_criterion("AIC", match.call())
BIC.ardvark_bound <- function(object, ...) no_criterion("BIC", match.call())

print.ardvark <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_call(x$call)
  cat("Family: ", x$family_name, ", prior: ", x$results$prior, "\n\nCoefficients:\n", sep = "")
  print(format(x$coefficients, digits = digits), print.gap = 2L, quote = FALSE)
  if (x$results$status != "converged") cat("\nThe fit is ", x$results$status, ": ", in_our_words(x$results$message), "\n", sep = "")
  if (!is.null(x$na.action)) cat("\n(", naprint(x$na.action), ")\n", sep = "")
  invisible(x)
}

print_call <- function(call) if (!is.null(call)) cat("\nCall:\n", paste(deparse(call), collapse = "\n"), "\n\n", sep = "")

summary.ardvark <- function(object, level = 0.95, odds = FALSE, standardized = FALSE, verbose = FALSE, ...) {
  call <- match.call()
  check_level(level, call)
  refuse_moved(object, "summary", call)
  options <- list(level = level, odds = odds, standardized = standardized, verbose = verbose)
  text <- checked(.Call(C_summary, handle_of(object), options), list(call = call))
  table <- posterior_table(object, level)
  table <- cbind(table, Inclusion = inclusion_column(object$results))
  structure(list(call = object$call, family = object$family, coefficients = table, text = in_our_words(text), na.action = object$na.action),
            class = "summary.ardvark")
}

print.summary.ardvark <- function(x, ...) {
  print_call(x$call)
  cat(sub("\n+$", "", x$text), "\n", sep = "")
  if (!is.null(x$na.action)) cat("\n(", naprint(x$na.action), ")\n", sep = "")
  invisible(x)
}
