# Draws from the posterior, and of new observations.

seed_of <- function(seed) if (is.null(seed)) sample.int(.Machine$integer.max, 1L) else seed

# The value of an expression with a seed of its own, after which the generator is as before.
with_seed <- function(seed, value) {
  if (is.null(seed)) return(value)
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) runif(1)
  before <- get(".Random.seed", envir = globalenv())
  on.exit(assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed)
  value
}

check_count <- function(count, call, argument = "ndraws") {
  is_count <- is.numeric(count) && length(count) == 1L && is.finite(count) && count >= 1 && count == round(count)
  if (!is_count) refuse(call, argument, "the number of draws %s must be a whole number from 1", argument)
}

# Draws of the posterior: coef [count, columns], intercept [count], noise_precision [count] of numbers.
drawn_coefficients <- function(object, count, seed, call) {
  check_count(count, call)
  drawn <- checked(.Call(C_draws, handle_of(object), count, list(seed = seed_of(seed))), list(call = call))
  if (is_moved(object)) {
    change <- object$coefficients - object$own_coefficients
    of_column <- if (is.null(drawn$intercept)) change else change[-1L]
    if (!is.null(drawn$intercept)) drawn$intercept <- drawn$intercept + change[1L]
    drawn$coef <- drawn$coef + rep(of_column, each = count)
  }
  drawn
}

# Draws of the linear predictor [count, rows], and of the noise.
drawn_scores <- function(object, rows, count, seed, call) {
  drawn <- drawn_coefficients(object, count, seed, call)
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

# [draws, rows], of several classes [draws, rows, classes].
drawn_predictions <- function(object, rows, count, seed, call) {
  restore <- function(drawn) t(restored(t(drawn), rows))
  if (object$family_name != "multinomial") return(restore(drawn_means(object, rows, count, seed, call)))
  drawn <- lapply(drawn_probabilities(object, rows, count, seed, call), restore)
  array(unlist(drawn), c(dim(drawn[[1L]]), length(drawn)), list(NULL, colnames(drawn[[1L]]), object$classes))
}

# A matrix for each class.
drawn_probabilities <- function(object, rows, count, seed, call) {
  check_count(count, call)
  if (!identical(object$results$coding, "softmax")) {
    refuse(call, "type", "type is \"draws\"; of several classes only a softmax has them, and the coding is %s: set coding = \"softmax\"",
           gsub("_", "-", object$results$coding))
  }
  beta <- normal_draws(object, count, seed)
  X <- with_ones(object, rows$X, rows$skip)
  scores <- lapply(seq_along(object$classes), function(class) beta[, (class - 1L) * ncol(X) + seq_len(ncol(X)), drop = FALSE] %*% t(X))
  largest <- do.call(pmax, scores)
  odds <- lapply(scores, function(score) exp(score - largest))
  lapply(odds, function(one) one / Reduce(`+`, odds))
}

simulate.ardvark <- function(object, nsim = 1, seed = NULL, ...) {
  call <- match.call()
  check_count(nsim, call, "nsim")
  if (is.null(object$terms)) refuse(call, "object", "simulate() needs a fit by a formula: this one does not keep x")
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
  # those that na.exclude left out are NA
  rows <- napredict(object$na.action, setNames(seq_along(row_names(object)), row_names(object)))
  out <- lapply(out, function(column) if (is.matrix(column)) column[rows, , drop = FALSE] else column[rows])
  structure(out, class = "data.frame", row.names = names(rows), seed = state)
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
      if (!object$is_grouped) {
        event <- as.double(rbinom(n, 1L, plogis(scores)))
        observed <- stats::model.response(object$model)
        return(if (is.numeric(observed) || is.logical(observed)) event else factor(object$classes[1L + event], object$classes))
      }
      successes <- rbinom(n, as.integer(round(weights)), plogis(scores))
      if (object$is_share) successes / weights else structure(cbind(successes, weights - successes), dimnames = list(NULL, rev(object$classes)))
    }
  )
}
