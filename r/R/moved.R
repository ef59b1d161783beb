# Fits with other coefficients: for derivatives of what they predict by the coefficients. The covariance stays.

with_coefficients <- function(object, coefficients, call) {
  names <- coefficient_names(object)
  if (!is.numeric(coefficients) || length(coefficients) != length(names) || any(!is.finite(coefficients))) {
    refuse(call, "coefs", "coefs must be %d finite numbers: %s", length(names), some(names))
  }
  if (is.matrix(coefficients)) coefficients <- as.vector(t(coefficients))
  if (!is.null(names(coefficients))) {
    unknown <- setdiff(names(coefficients), names)
    if (length(unknown) > 0L) refuse(call, "coefs", "coefs names '%s', which is no coefficient; there are %s", unknown[1L], some(names))
    coefficients <- coefficients[names]
  }
  beta <- object$coefficients
  if (identical(object$results$coding, "one_against_one")) {
    refuse(call, "model", "coding one-against-one has coefficients for each pair of classes, which cannot be set")
  }
  if (is.null(object$own_coefficients)) object$own_coefficients <- beta
  new <- if (is.matrix(beta)) matrix(coefficients, nrow(beta), byrow = TRUE) else coefficients
  object$coefficients[] <- new
  if (is.null(object$terms)) {  # which does not keep x
    object[c("y", "fitted.values", "linear.predictors")] <- list(NULL)
    return(object)
  }
  rows <- rows_of(object, NULL, NULL, NULL, call)
  said <- predictions(object, rows$X, rows$skip, rows$offset)
  object$fitted.values <- said$response
  object$linear.predictors <- said$link
  object
}

is_moved <- function(object) !is.null(object$own_coefficients)

# What the library says of the fit as it was.
refuse_moved <- function(object, what, call) {
  if (is_moved(object)) refuse(call, "object", "the coefficients of the fit were changed; there is no %s of it", what)
}

# Predictions after their coefficients changed. out: as the library predicts with those of the fit.
moved_predictions <- function(object, out, X, skip) {
  change <- object$coefficients - object$own_coefficients
  shift <- scores_by(change, X, skip)
  family <- object$family_name
  if (family == "multinomial") {
    out$response <- moved_probabilities(object, out$response, X, skip)
    return(out)  # whose link knows the coefficients
  }
  if (is_count(family)) {
    for (part in c("response", "se", "ends")) out[[part]] <- out[[part]] * exp(shift)
  } else if (family == "binomial") {
    before <- out$link
    out$ends <- plogis(stats::qlogis(out$ends) + shift)
    out$se <- probability_sd(before + shift, out$link_se)
    expected <- probability_by_shift(object, before, out$link_se, X, skip)
    out$response <- plogis(stats::qlogis(out$response) + stats::qlogis(expected(shift)) - stats::qlogis(expected(0)))
  } else {
    out$response <- out$response + shift
    out$ends <- out$ends + shift
  }
  out$link <- out$link + shift
  out
}

# The probability of the event in each row as a function of what is added to the log odds. Under the priors whose posterior is no normal
# distribution, by the same draws for each shift.
probability_by_shift <- function(object, mean, sd, X, skip) {
  if (!object$results$prior %in% c("sparse", "slab", "dense")) return(function(shift) expected_probability(mean + shift, sd))
  object$own_coefficients <- NULL
  log_odds <- drawn_scores(object, list(X = X, skip = skip), 4000L, 1L, NULL)$scores
  function(shift) colMeans(plogis(log_odds + rep(shift, each = nrow(log_odds))))
}

# E plogis(eta), eta ~ N(mean, sd^2)
expected_probability <- function(mean, sd) drop(plogis(outer(sd, hermite$nodes) + mean) %*% hermite$weights)

# Of several classes: the probabilities of the library, times the ratio of what the rule (SMX.8, SMX.9) says by quadrature before and after, of
# normal scores. Under sparse priors theirs are not normal, and the ratio is an approximation.
moved_probabilities <- function(object, probability, X, skip) {
  X <- with_ones(object, X, skip)
  rule <- if (identical(object$results$coding, "one_against_rest")) rest_probabilities else softmax_probabilities
  covariance <- vcov(object)
  out <- probability * rule(X, object$coefficients, covariance) / rule(X, object$own_coefficients, covariance)
  out / rowSums(out)
}

# The columns of the coefficients of several classes.
with_ones <- function(object, X, skip) {
  X <- as.matrix(if (skip > 0L) X[, -1L, drop = FALSE] else X)
  if (identical(colnames(object$coefficients)[1L], "(Intercept)")) cbind(1, X) else X
}

rest_probabilities <- function(X, beta, covariance) {
  of_class <- function(class) {
    at <- (class - 1L) * ncol(beta) + seq_len(ncol(beta))
    expected_probability(drop(X %*% beta[class, ]), sqrt(pmax(rowSums((X %*% covariance[at, at]) * X), 0)))
  }
  out <- vapply(seq_len(nrow(beta)), of_class, numeric(nrow(X)))
  matrix(out, nrow(X))
}

# E softmax(f), f ~ N(m, S): a product of Gauss and Hermite's rules for the scores less that of the last class.
softmax_probabilities <- function(X, beta, covariance) {
  classes <- nrow(beta)
  free <- classes - 1L
  m <- X %*% t(beta)
  block <- function(a, b) {
    at <- function(class) (class - 1L) * ncol(beta) + seq_len(ncol(beta))
    rowSums((X %*% covariance[at(a), at(b)]) * X)
  }
  S <- array(0, c(nrow(X), classes, classes))
  for (a in seq_len(classes)) for (b in seq_len(a)) S[, a, b] <- S[, b, a] <- block(a, b)
  one <- gauss_hermite(max(3L, floor(1000^(1 / free))))
  points <- as.matrix(expand.grid(rep(list(one$nodes), free)))
  weights <- apply(as.matrix(expand.grid(rep(list(one$weights), free))), 1L, prod)
  of_row <- function(n) {
    among <- seq_len(free)
    of_differences <- S[n, among, among, drop = TRUE] - outer(S[n, among, classes], S[n, among, classes], `+`) + S[n, classes, classes]
    found <- eigen(matrix(of_differences, free), symmetric = TRUE)
    root <- found$vectors %*% diag(sqrt(pmax(found$values, 0)), free)
    scores <- cbind(points %*% t(root) + rep(m[n, among] - m[n, classes], each = nrow(points)), 0)
    odds <- exp(scores - do.call(pmax, as.data.frame(scores)))
    colSums(weights * odds / rowSums(odds))
  }
  t(vapply(seq_len(nrow(X)), of_row, numeric(classes)))
}
