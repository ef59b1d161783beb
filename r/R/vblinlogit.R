# The functions of VBLinLogit, with their arguments; their outputs are a list with the names that they have there.

vb_linear_fit <- function(X, y, a0 = NULL, b0 = NULL, c0 = NULL, d0 = NULL, compat = FALSE) {
  vb_linear("vb_linear_fit", X, y, list(a0 = a0, b0 = b0, c0 = c0, d0 = d0), compat, match.call())
}

vb_linear_fit_ard <- function(X, y, a0 = NULL, b0 = NULL, c0 = NULL, d0 = NULL, compat = FALSE) {
  vb_linear("vb_linear_fit_ard", X, y, list(a0 = a0, b0 = b0, c0 = c0, d0 = d0), compat, match.call())
}

vb_logit_fit <- function(X, y, a0 = NULL, b0 = NULL, compat = FALSE) {
  vb_logit("vb_logit_fit", X, y, list(a0 = a0, b0 = b0), compat, match.call())
}

vb_logit_fit_ard <- function(X, y, a0 = NULL, b0 = NULL, compat = FALSE) {
  vb_logit("vb_logit_fit_ard", X, y, list(a0 = a0, b0 = b0), compat, match.call())
}

# A filter: one class is allowed.
vb_logit_fit_iter <- function(X, y) {
  call <- match.call()
  X <- numeric_matrix(X, "X", call)
  y <- signs_of(y, nrow(X), call)
  if (ncol(X) < 1L) refuse(call, "X", "X is %d x 0; it must have a column", nrow(X))
  model <- checked(.Call(C_absorb, as.matrix(X), y, list()), said_of(call, rownames(X), "X", "y"))
  posterior_of(model, X, call)
}

vb_linear_pred <- function(X, w, V, an, bn) {
  call <- match.call()
  for (name in c("an", "bn")) {
    if (!is_positive(get(name))) refuse(call, name, "%s must be a number > 0", name)
  }
  found <- predicted_from(X, w, V, NULL, an, bn, "automatic", call)
  list(mu = found$mean, lambda = 1 / found$scale^2, nu = found$degrees_of_freedom)
}

vb_logit_pred <- function(X, w, V, invV = NULL, compat = FALSE) {
  logit_predicted(X, w, V, invV, compat, "published-batch", match.call())
}

vb_logit_pred_incr <- function(X, w, V, invV = NULL, compat = FALSE) {
  logit_predicted(X, w, V, invV, compat, "published-incremental", match.call())
}

# Its name in the paper.
vb_logit_pred_iter <- vb_logit_pred_incr

is_positive <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x) && x > 0

signs_of <- function(y, rows, call) {
  if (!is.numeric(y)) refuse(call, "y", "y is of class %s; its values must be -1 or 1", class(y)[1L])
  check_length(y, rows, "y", call)
  wrong <- which(!y %in% c(-1, 1))[1L]
  if (!is.na(wrong)) stop_for(sprintf("y at row %d is %s; it must be -1 or 1", wrong, format(y[wrong])), "y", row = wrong, call = call)
  as.double(y)
}

check_compat <- function(compat, call) if (!isTRUE(compat) && !isFALSE(compat)) refuse(call, "compat", "compat must be TRUE or FALSE")

vb_linear <- function(preset, X, y, hyper, compat, call) {
  X <- numeric_matrix(X, "X", call)
  if (!is.numeric(y)) refuse(call, "y", "y is of class %s; it must be numbers", class(y)[1L])
  check_length(y, nrow(X), "y", call)
  model <- fit_vblinlogit(preset, X, as.double(y), hyper, compat, call)
  results <- checked(.Call(C_result, model, NULL, list()))
  c(posterior_of(model, X, call), list(an = results$noise$shape, bn = results$noise$rate, E_a = results$precision, L = results$bound))
}

vb_logit <- function(preset, X, y, hyper, compat, call) {
  X <- numeric_matrix(X, "X", call)
  model <- fit_vblinlogit(preset, X, signs_of(y, nrow(X), call), hyper, compat, call)
  results <- checked(.Call(C_result, model, NULL, list()))
  c(posterior_of(model, X, call), list(E_a = results$precision, L = results$bound))
}

# With compat: the published sweeps. Without: the published model, fitted to the maximum of its bound.
fit_vblinlogit <- function(preset, X, y, hyper, compat, call) {
  check_compat(compat, call)
  for (name in names(hyper)) {
    if (!is.null(hyper[[name]]) && !is_positive(hyper[[name]])) refuse(call, name, "%s must be a number > 0", name)
  }
  options <- c(list(preset = preset, keep_covariance = "always"), if (compat) list(compat = TRUE) else list(converge = TRUE))
  options <- c(options, hyper[!vapply(hyper, is.null, NA)])
  if (!is.matrix(X)) X <- as.matrix(X)
  checked(.Call(C_fit, X, 0L, NULL, y, options), said_of(call, rownames(X), "X", "y"))
}

posterior_of <- function(model, X, call) {
  results <- checked(.Call(C_result, model, NULL, list()))
  warn_of_status(results, call)
  named <- function(matrix) structure(matrix, dimnames = if (!is.null(colnames(X))) list(colnames(X), colnames(X)))
  list(w = setNames(results$mean, colnames(X)), V = named(checked(.Call(C_result, model, "V", list()))),
       invV = named(checked(.Call(C_V_inverse, model, if (is.matrix(X)) X else as.matrix(X)))), logdetV = results$log_det_V)
}

warn_of_status <- function(results, call) if (results$status != "converged") warn_for(results$message, call)

# The posterior of a caller as a model, and its predictions.
predicted_from <- function(X, w, V, inverse, shape, rate, rule, call) {
  X <- numeric_matrix(X, "X", call)
  if (!is.numeric(w)) refuse(call, "w", "w is of class %s; it must be numbers", class(w)[1L])
  square <- function(matrix, name) {
    matrix <- numeric_matrix(if (length(matrix) == 1L) as.matrix(matrix) else matrix, name, call)
    if (!identical(dim(matrix), rep(length(w), 2L))) {
      refuse(call, name, "%s is %d x %d; it must be %d x %d, as w has %d entries", name, nrow(matrix), ncol(matrix), length(w), length(w), length(w))
    }
    matrix
  }
  if (ncol(X) != length(w)) refuse(call, "X", "X has %d columns; it must have %d, as w has %d entries", ncol(X), length(w), length(w))
  inverse <- if (!is.null(inverse)) square(inverse, "invV")
  said <- list(call = call, rows = rownames(X), arguments = c(mean = "w", X_new = "X", V_inverse = "invV"))
  model <- checked(.Call(C_from_moments, as.double(w), square(V, "V"), inverse, shape, rate), said)
  checked(.Call(C_predict, model, in_place(X), 0L, NULL, list(rule = rule)), said)
}

logit_predicted <- function(X, w, V, invV, compat, published, call) {
  check_compat(compat, call)
  if (compat && is.null(invV)) refuse(call, "invV", "invV is needed by the published bound: give that of the fit")
  predicted_from(X, w, V, if (compat) invV, 0, 0, if (compat) published else "exact", call)$probability[, 2L]
}
