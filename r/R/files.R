# Model files, which every language reads.

save_ardvark <- function(object, file) {
  call <- match.call()
  if (!inherits(object, "ardvark")) stop_for(sprintf("object is of class %s; it must be a fit of ardvark()", class(object)[1L]), "object", call = call)
  if (is_linear(object$family_name) && !is.null(object$offset)) {
    stop_for("the offset of a regression of numbers is known to R only: use saveRDS(), or fit y - offset", "object", call = call)
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
    stop_for(sprintf("%s holds a model of the kind %s, which R does not read", file, results$task), "file", call = call)
  }
  family <- family_of_results(results)
  class(fit) <- "ardvark"
  fit[c("family_name", "family", "classes", "columns", "coefficients")] <- list(family, family_object(family), results$classes, results$columns, coefficients_of(results))
  fit[c("call", "impute", "is_grouped", "is_share")] <- list(call, !is.null(results$missing), FALSE, FALSE)
  if (isTRUE(results$has_row_offset)) fit$offset <- numeric()
  fit
}

family_of_results <- function(results) {
  if (results$task == "linear") return(if (identical(results$noise$family, "student")) "student" else "gaussian")
  if (results$task == "logistic") return(if (length(results$classes) > 2L) "multinomial" else "binomial")
  if (identical(results$family, "poisson")) "poisson" else "negbin"
}
