# What marginaleffects asks of a fit. Registered when it is there.

get_coef.ardvark <- function(model, ...) coefficient_vector(model)

get_vcov.ardvark <- function(model, vcov = NULL, ...) {
  if (isFALSE(vcov)) return(NULL)
  if (is.null(vcov) || isTRUE(vcov)) return(stats::vcov(model))
  if (!is.matrix(vcov)) refuse(match.call(), "vcov", "vcov must be TRUE, FALSE or a matrix: the covariance of a posterior has no other form")
  vcov
}

set_coef.ardvark <- function(model, coefs, ...) with_coefficients(model, coefs, match.call())

get_predict.ardvark <- function(model, newdata = NULL, type = "response", ...) {
  given <- list(...)
  predicted <- stats::predict(model, newdata, type = type, newoffset = given$newoffset)
  row <- if ("rowid" %in% names(newdata)) newdata$rowid else seq_len(NROW(predicted))
  if (!is.matrix(predicted)) return(data.frame(rowid = row, estimate = unname(predicted)))
  data.frame(rowid = rep(row, ncol(predicted)), group = rep(colnames(predicted), each = nrow(predicted)), estimate = as.vector(predicted))
}
