# Model files, which every language reads.

save_ardvark <- function(object, file) {
  call <- match.call()
  if (inherits(object, "ardvark_targets")) {
    if (is.null(together_of(object))) {
      refuse(call, "object", "object has targets that were fitted one after the other; save one of them: save_ardvark(object[[1]], file)")
    }
    object <- first_of(object)
  }
  if (!inherits(object, c("ardvark", "ardvark_machine"))) refuse(call, "object", "object is of class %s; it must be a fit", class(object)[1L])
  refuse_moved(object, "model file", call)
  if (is_linear(object$family_name) && !is.null(object$offset)) {
    refuse(call, "object", "the offset of a regression of numbers is known to R only: use saveRDS(), or fit y - offset")
  }
  checked(.Call(C_save, handle_of(object), path_of(file, call)), list(call = call))
  invisible(file)
}

read_ardvark <- function(file) {
  call <- match.call()
  fit <- list(model_held = held_model(checked(.Call(C_load, path_of(file, call)), list(call = call))))
  fit$results <- results_at(fit)
  results <- fit$results
  if (!is.null(results$num_targets)) return(structure(list(together = results_of_targets(fit["model_held"]), call = call), class = "ardvark_targets"))
  if (isTRUE(results$model %in% c("rvm", "kernel"))) return(read_machine(fit, call))
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

path_of <- function(file, call) {
  if (!is.character(file) || length(file) != 1L || is.na(file)) refuse(call, "file", "file must be a path, a text")
  path.expand(file)
}

read_machine <- function(fit, call) {
  results <- fit$results
  classes <- length(results$classes)
  family <- if (classes == 0L) "gaussian" else if (classes == 2L) "binomial" else "multinomial"
  fit <- c(fit, list(family = family_object(family), family_name = family, classes = results$classes, columns = results$inputs, impute = FALSE))
  if (!is.null(results$mean)) fit$coefficients <- coefficients_of(results)
  fit$call <- call
  structure(fit, class = class_of_machine(results))
}

family_of_results <- function(results) {
  if (results$task == "linear") return(if (identical(results$noise$family, "student")) "student" else "gaussian")
  if (results$task == "logistic") return(if (length(results$classes) > 2L) "multinomial" else "binomial")
  if (identical(results$family, "poisson")) "poisson" else "negbin"
}
