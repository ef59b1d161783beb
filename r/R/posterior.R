# Draws in the formats of the package posterior. Registered when it is there.

# Draws of the coefficients and, of numbers, of the standard deviation of the noise: a matrix, a row for each.
draws_of <- function(x, ndraws = 4000, seed = NULL, ...) {
  check_count(ndraws, NULL)
  if (is.matrix(x$coefficients)) return(normal_draws(x, ndraws, seed))
  drawn <- drawn_coefficients(x, ndraws, seed, NULL)
  out <- cbind(drawn$intercept, drawn$coef)
  colnames(out) <- names(x$coefficients)
  if (is.null(drawn$noise_precision)) out else cbind(out, sigma = 1 / sqrt(drawn$noise_precision))
}

# Of several classes the posterior is normal. Its covariance may be singular.
normal_draws <- function(x, ndraws, seed) {
  found <- eigen(vcov(x), symmetric = TRUE)
  root <- found$vectors %*% (sqrt(pmax(found$values, 0)) * t(found$vectors))
  scores <- with_seed(seed, matrix(rnorm(ndraws * nrow(root)), ndraws))
  out <- scores %*% root + rep(coefficient_vector(x), each = ndraws)
  colnames(out) <- coefficient_names(x)
  out
}

as_draws.ardvark <- function(x, ...) posterior::as_draws(posterior::as_draws_matrix(draws_of(x, ...)))
as_draws_matrix.ardvark <- function(x, ...) posterior::as_draws_matrix(draws_of(x, ...))
as_draws_df.ardvark <- function(x, ...) posterior::as_draws_df(as_draws_matrix.ardvark(x, ...))
as_draws_array.ardvark <- function(x, ...) posterior::as_draws_array(as_draws_matrix.ardvark(x, ...))
as_draws_list.ardvark <- function(x, ...) posterior::as_draws_list(as_draws_matrix.ardvark(x, ...))
as_draws_rvars.ardvark <- function(x, ...) posterior::as_draws_rvars(as_draws_matrix.ardvark(x, ...))
