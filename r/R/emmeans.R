# What emmeans asks of a fit. Registered when it is there.

# A text is what emmeans() then says.
recover_data.ardvark <- function(object, ...) {
  if (is.null(object$terms)) return("emmeans needs a fit by a formula: this one does not keep x")
  if (object$family_name == "multinomial") {
    return("family multinomial has a linear predictor for each class; emmeans needs one: use predict() on a grid")
  }
  emmeans::recover_data(object$call, delete.response(object$terms), object$na.action, frame = object$model, ...)
}

# The linear predictor at the grid. Of numbers, intervals have the degrees of freedom of the posterior, and are those of predict().
emm_basis.ardvark <- function(object, trms, xlev, grid, ...) {
  frame <- model.frame(trms, grid, na.action = stats::na.pass, xlev = xlev)
  X <- model.matrix(trms, frame, contrasts.arg = object$contrasts)
  link <- object$family$link
  misc <- if (link == "identity") list() else list(tran = link, inv.lbl = if (link == "logit") "prob" else "rate")
  list(X = X, bhat = unname(object$coefficients), nbasis = matrix(NA), V = scale_of_coefficients(object), dffun = function(k, dfargs) dfargs$df,
       dfargs = list(df = posterior_df(object)), misc = misc)
}
