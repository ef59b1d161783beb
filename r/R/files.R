# Model files, which every language reads.

save_ardvark <- function(object, file) {
  call <- match.call()
  if (!inherits(object, "ardvark")) refuse(call, "object", "object is of class %s; it must be a fit of ardvark()", class(object)[1L])
  if (is_linear(object$family_name) && !is.null(object$offset)) {
    refuse(call, "object", "the offset of a regression of numbers is known to R only: use saveRDS(), or fit y - offset")
  }
  checked(.Call(C_save, handle_of(object), path.expand(file)), list(call = call))
  invisible(file)
}

read_ardvark <- function(file) {
  call <- match.call()
  fit <- list(model_held = held_model(checked(.Call(C_load, path.expand(file)), list(call = call))))
  fit$results <- results_at(fit)
  results <- fit$results
  if (!results$task %in% c("linear", "logistic", "counts") || is.null(results$mean)) {
    refuse(call, "file", "%s holds a model of the kind %s, which R does not read", file, results$task)
  }
  family <- family_of_results(results)
  class(fit) <- "ardvark"
  fit$call <- call
  fit$family_name <- family
  fit$family <- family_object(family)
  fit$classes <- results$classes
  fit$columns <- results$columns
  fit$coefficients <- coefficients_of(results)
  fit$impute <- !is.null(results$missing)
  if (isTRUE(results$has_row_offset)) fit$offset <- numeric()
  fit
}

family_of_results <- function(results) {
  if (results$task == "linear") return(if (identical(results$noise$family, "student")) "student" else "gaussian")
  if (results$task == "logistic") return(if (length(results$classes) > 2L) "multinomial" else "binomial")
  if (identical(results$family, "poisson")) "poisson" else "negbin"
}
