# The engine "ardvark" of linear_reg, logistic_reg, multinom_reg and poisson_reg. A family of the same kind, such as "student" or "negbin", is an
# argument of set_engine().
register_engines <- function() {
  register_engine("linear_reg", "regression", quote(stats::gaussian()))
  register_engine("poisson_reg", "regression", quote(stats::poisson()))
  register_engine("logistic_reg", "classification", quote(stats::binomial()))
  register_engine("multinom_reg", "classification", "multinomial")
}

register_engine <- function(model, mode, family) {
  parsnip <- asNamespace("parsnip")
  if ("ardvark" %in% parsnip$get_from_env(model)$engine) return(invisible())  # this package was loaded before
  parsnip$set_model_engine(model, mode, "ardvark")
  parsnip$set_dependency(model, "ardvark", "ardvark", mode)
  fit <- list(interface = "formula", protect = c("formula", "data", "weights"), func = c(pkg = "ardvark", fun = "ardvark"),
              defaults = list(family = family))
  parsnip$set_fit(model = model, mode = mode, eng = "ardvark", value = fit)
  # the formula makes dummies and the intercept by itself
  encoding <- list(predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE)
  parsnip$set_encoding(model = model, mode = mode, eng = "ardvark", options = encoding)
  predictions <- engine_predictions(model, mode)
  for (type in names(predictions)) parsnip$set_pred(model = model, mode = mode, eng = "ardvark", type = type, value = predictions[[type]])
}

# What predict() is called with, and how its answer becomes a table of parsnip.
engine_predictions <- function(model, mode) {
  by <- function(post, ...) {
    list(pre = NULL, post = post, func = c(fun = "predict"), args = c(list(object = quote(object$fit), newdata = quote(new_data)), list(...)))
  }
  ends <- function(interval) by(ends_of, interval = interval, level = quote(level))
  raw <- by(NULL)
  if (mode == "regression") {
    return(list(numeric = by(NULL, type = "response"), conf_int = ends("confidence"), pred_int = ends("prediction"), raw = raw))
  }
  out <- list(class = by(NULL, type = "class"), prob = by(probabilities_of, type = "response"), raw = raw)
  if (model == "logistic_reg") out$conf_int <- ends("confidence")
  out
}

# Of classes: those of both, the first level first.
ends_of <- function(results, object) {
  lower <- unname(results[, "lwr"])
  upper <- unname(results[, "upr"])
  if (is.null(object$lvl)) return(as_table(list(.pred_lower = lower, .pred_upper = upper)))
  columns <- list(1 - upper, 1 - lower, lower, upper)
  as_table(setNames(columns, paste0(c(".pred_lower_", ".pred_upper_"), rep(object$lvl, each = 2L))))
}

# A column for each level; that of a level without rows in the fit is 0.
probabilities_of <- function(results, object) {
  classes <- object$fit$classes
  table <- if (is.matrix(results)) results else cbind(1 - results, results)
  columns <- lapply(object$lvl, function(level) if (level %in% classes) unname(table[, match(level, classes)]) else rep(0, nrow(table)))
  as_table(setNames(columns, object$lvl))
}
