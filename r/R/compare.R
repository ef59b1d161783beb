# Fits ranked by their log evidence.

compare <- function(object, ...) UseMethod("compare")

compare.ardvark <- function(object, ...) {
  call <- match.call()
  fits <- list(object, ...)
  if (!all(vapply(fits, inherits, NA, "ardvark"))) stop_for("compare() takes fits of ardvark()", call = call)
  names <- vapply(as.list(call)[-1L], function(one) deparse1(one), "")
  for (fit in fits[-1L]) {
    same <- identical(as.vector(fit$y), as.vector(object$y)) && identical(fit$prior.weights, object$prior.weights)
    if (!same) stop_for("the fits have other rows, responses or weights; their evidences are comparable only for the same data", call = call)
  }
  bounds <- vapply(fits, function(fit) fit$results$bound, 0)
  comparable <- vapply(fits, function(fit) isTRUE(fit$results$bound_comparable), NA)
  best <- if (any(comparable)) max(bounds[comparable]) else NA
  out <- data.frame(
    family = vapply(fits, `[[`, "", "family_name"), prior = vapply(fits, function(fit) fit$results$prior, ""), evidence = bounds,
    difference = ifelse(comparable, bounds - best, NA), effective_parameters = vapply(fits, function(fit) fit$results$effective_parameters, 0),
    row.names = make.unique(unname(names))
  )
  structure(out[order(!comparable, -bounds), , drop = FALSE], class = c("ardvark_comparison", "data.frame"))
}

print.ardvark_comparison <- function(x, digits = 4L, ...) {
  cat("Log evidence (a lower bound) in nats, the best first:\n\n")
  print.data.frame(x, digits = digits, ...)
  if (anyNA(x$difference)) cat("\nNA: a bound under this prior is not comparable with the others.\n")
  invisible(x)
}
