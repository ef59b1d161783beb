# Kernel machines and relevance vector machines, with kernlab's argument names where they mean the same.

rvm <- function(x, ...) UseMethod("rvm")
kernel_machine <- function(x, ...) UseMethod("kernel_machine")

rvm.formula <- function(x, data = NULL, ..., kernel = "auto", kpar = "automatic", scaled = identical(kpar, "automatic") && !isS4(kernel),
                        type = NULL, weights, subset, na.action) {
  call <- match.call()
  machine_of_formula("rvm", call, parent.frame(), list(...), kernel, kpar, scaled, type)
}

rvm.default <- function(x, y, ..., kernel = "auto", kpar = "automatic", scaled = identical(kpar, "automatic") && !isS4(kernel),
                        type = NULL, weights = NULL, subset, na.action = stats::na.omit) {
  call <- match.call()
  given <- given_rows(x, y, weights, subset, na.action, of_generic(call, "rvm"))
  machine_of_matrix("rvm", call, given, list(...), kernel, kpar, scaled, type)
}

kernel_machine.formula <- function(x, data = NULL, ..., kernel = "auto", kpar = "automatic", scaled = TRUE, type = NULL, weights, subset,
                                   na.action) {
  call <- match.call()
  machine_of_formula("kernel", call, parent.frame(), list(...), kernel, kpar, scaled, type)
}

kernel_machine.default <- function(x, y, ..., kernel = "auto", kpar = "automatic", scaled = TRUE, type = NULL, weights = NULL, subset,
                                   na.action = stats::na.omit) {
  call <- match.call()
  given <- given_rows(x, y, weights, subset, na.action, of_generic(call, "kernel"))
  machine_of_matrix("kernel", call, given, list(...), kernel, kpar, scaled, type)
}

# The call of a method, by the name of its generic.
of_generic <- function(call, model) {
  call[[1L]] <- if (model == "rvm") quote(rvm) else quote(kernel_machine)
  call
}

machine_of_formula <- function(model, call, env, dots, kernel, kpar, scaled, type) {
  call <- of_generic(call, model)
  if (is.null(call$x)) names(call)[names(call) == "formula"] <- "x"
  dots$formula <- NULL
  asked <- call
  names(asked)[names(asked) == "x"] <- "formula"
  asked$offset <- NULL  # that of a polynomial kernel
  frame <- framed(asked, env)
  terms <- attr(frame, "terms")
  attr(terms, "intercept") <- 1L  # a machine always has one; contrasts are then those of all_levels()
  check_frame(frame, terms, call)
  if (!is.null(attr(terms, "offset"))) refuse(call, "formula", "formula has an offset; a machine has none: subtract it from the response")
  X <- design(terms, frame, all_levels(frame, terms), FALSE)
  of_term <- attr(X, "assign")[-1L]
  is_factor <- factor_terms(terms)[of_term]
  columns <- colnames(X)[-1L]
  name <- deparse1(formula(terms)[[2L]])
  said <- said_of(call, rownames(frame), "data", name)
  question <- list(X = X, skip = 1L, columns = columns, response = frame[[attr(terms, "response")]], name = name,
                   weights = model.weights(frame), input_group = if (any(is_factor)) grouped_columns(is_factor, of_term))
  fit <- solve_machine(model, question, dots, kernel, kpar, scaled, type, said)
  more <- list(call = call, formula = formula(terms), terms = terms, model = frame, contrasts = attr(X, "contrasts"),
               xlevels = .getXlevels(terms, frame), na.action = attr(frame, "na.action"), is_sparse = FALSE)
  finished_machine(c(fit, more), X, 1L)
}

machine_of_matrix <- function(model, call, given, dots, kernel, kpar, scaled, type) {
  call <- of_generic(call, model)
  x <- given$x
  columns <- colnames(x)
  if (is.null(columns)) columns <- paste0("x", seq_len(ncol(x)))
  said <- said_of(call, rownames(x), "x", "y")
  question <- list(X = x, skip = 0L, columns = columns, response = given$y, name = "y", weights = given$weights)
  fit <- solve_machine(model, question, dots, kernel, kpar, scaled, type, said)
  finished_machine(c(fit, list(call = call, x = x, na.action = given$na.action)), x, 0L)
}

# Of matrices: the rows that subset and na.action leave.
given_rows <- function(x, y, weights, subset, na.action, call) {
  if (missing(y)) refuse(call, "y", "argument \"y\" is missing; give x and y, or a formula")
  if (is.atomic(x) && is.null(dim(x))) x <- cbind(x = x)
  x <- numeric_matrix(x, "x", call)
  if (!is.matrix(x)) x <- as.matrix(x)
  if (ncol(x) == 0L) refuse(call, "x", "x is empty (%d x 0)", nrow(x))
  if (NROW(y) != nrow(x)) refuse(call, "y", "y has %d entries; x has %d rows", NROW(y), nrow(x))
  check_length(weights, nrow(x), "weights", call)
  table <- list(x = x, y = y)
  table$weights <- weights
  table <- structure(table, class = "data.frame", row.names = if (is.null(rownames(x))) seq_len(nrow(x)) else make.unique(rownames(x)))
  if (!missing(subset)) table <- table[subset, , drop = FALSE]
  table <- na.action(table)
  if (nrow(table) == 0L) refuse(call, "x", "x has no rows (0 non-NA cases)")
  if (!is.null(rownames(x))) rownames(table$x) <- attr(table, "row.names")
  c(unclass(table), list(na.action = attr(table, "na.action")))
}

# Every level of a factor is an input of its own, so that all are at the same distance. Of logical columns, one input says all.
all_levels <- function(frame, terms) {
  response <- attr(terms, "response")
  with_levels <- vapply(frame, function(column) is.factor(column) || is.character(column), NA) & seq_along(frame) != response
  if (!any(with_levels)) return(NULL)
  lapply(frame[with_levels], function(column) stats::contr.treatment(levels(as.factor(column)), contrasts = FALSE))
}

# ---- the question of a machine ----

# What the arguments of kernlab are called here, and why others are not there.
of_kernlab <- c(
  alpha = "the fit finds the precisions itself", var = "the fit finds the noise itself", var.fix = "the fit finds the noise itself",
  iterations = "use max_sweeps", verbosity = "use summary(fit, verbose = TRUE)", tol = "a fit ends when the log evidence can gain no more",
  minmaxdiff = "a fit ends when the log evidence can gain no more", fit = "fitted(fit) is always there",
  cross = "logLik(fit) is the log evidence, by which compare() ranks fits without leaving out rows",
  prob.model = "predict(fit, type = \"probabilities\") is always there", variance.model = "predict(fit, interval = ) is always there",
  class.weights = "use weights, one for each row", C = "the evidence decides how smooth the function is",
  nu = "the evidence decides how smooth the function is", epsilon = "the fit finds the noise itself", cache = "it is not needed",
  shrinking = "it is not needed"
)

# Arguments of ardvark() that a machine does not have, and why.
of_regressions <- c(family = "use type", model = "use type", noise = "it is normal", prior = "its kernel is its prior",
                    flat = "its kernel is its prior", intercept = "it always has one")

# Kernels by kernlab's words and its classes, and what they are here.
kernels_of_kernlab <- c(rbfdot = "gaussian", laplacedot = "laplacian", vanilladot = "linear", polydot = "polynomial", splinedot = "spline",
                        rbfkernel = "gaussian", laplacekernel = "laplacian", vanillakernel = "linear", polykernel = "polynomial",
                        splinekernel = "spline")

machine_options <- function(dots, call) {
  theirs <- intersect(names(dots), names(of_kernlab))
  if (length(theirs) > 0L) refuse(call, theirs[1L], "%s of kernlab is no argument here: %s", theirs[1L], of_kernlab[[theirs[1L]]])
  theirs <- intersect(names(dots), names(of_regressions))
  if (length(theirs) > 0L) refuse(call, theirs[1L], "%s is no argument of a machine: %s", theirs[1L], of_regressions[[theirs[1L]]])
  for (own in c("standardize", "task")) {
    if (own %in% names(dots)) refuse(call, own, "%s is no option here: use %s", own, if (own == "task") "type" else "scaled")
  }
  options_given(dots, call)
}

# The options of a kernel: its name, and width, degree and offset from kpar. n: the number of observations.
kernel_options <- function(kernel, kpar, scaled, n, call) {
  if (isS4(kernel)) {  # such as kernlab::rbfdot(sigma = 1)
    if (!identical(kpar, "automatic")) refuse(call, "kpar", "kpar is given, but kernel has parameters already")
    kpar <- slot(kernel, "kpar")
    kernel <- class(kernel)[1L]
  }
  if (!(is.character(kernel) && length(kernel) == 1L && !is.na(kernel))) refuse(call, "kernel", "kernel must be a word, such as \"gaussian\"")
  if (kernel %in% names(kernels_of_kernlab)) kernel <- kernels_of_kernlab[[kernel]]
  words <- names(catalogue()$option_facts$kernel$words)
  if (!kernel %in% words) refuse(call, "kernel", "kernel is \"%s\"; it must be one of %s", kernel, some(words))
  if (identical(kpar, "automatic")) return(list(kernel = kernel))
  if (kernel == "auto") kernel <- "gaussian"
  known <- switch(kernel, gaussian = , laplacian = "sigma", polynomial = c("degree", "scale", "offset"), character())
  if (!is.list(kpar) || (length(kpar) > 0L && is.null(names(kpar)))) {
    refuse(call, "kpar", "kpar must be \"automatic\" or a list with names, such as list(sigma = 0.1)")
  }
  unknown <- setdiff(names(kpar), known)
  if (length(unknown) > 0L) {
    has <- if (length(known) > 0L) paste("has", paste(known, collapse = ", ")) else "has none; width is an option of its own"
    refuse(call, "kpar", "kpar has %s; the kernel \"%s\" %s", unknown[1L], kernel, has)
  }
  for (name in names(kpar)) {
    if (!(is.numeric(kpar[[name]]) && length(kpar[[name]]) == 1L && is.finite(kpar[[name]]) && (kpar[[name]] > 0 || name == "offset"))) {
      refuse(call, "kpar", "%s of kpar must be a number > 0", name)
    }
  }
  options <- list(kernel = kernel)
  if (!is.null(kpar$sigma)) {
    # exp(-sigma |x - x'|^2) and exp(-sigma |x - x'|); kernlab scales by the standard deviation with n - 1, the library with n
    options$width <- (if (kernel == "gaussian") kpar$sigma^-0.5 else 1 / kpar$sigma) * if (scaled) sqrt(n / (n - 1)) else 1
  }
  if (kernel == "polynomial") {
    # (scale x'c + offset)^degree is a multiple of (x'c + offset / scale)^degree; the defaults are those of kernlab
    options$degree <- if (is.null(kpar$degree)) 1 else kpar$degree
    options$offset <- (if (is.null(kpar$offset)) 1 else kpar$offset) / if (is.null(kpar$scale)) 1 else kpar$scale
  }
  options
}

# regression or classification: of a factor, texts and logical values, as in kernlab.
task_of <- function(type, y, call) {
  if (is.null(type)) return(if (is.factor(y) || is.character(y) || is.logical(y)) "classification" else "regression")
  tasks <- c("regression", "classification")
  if (!(is.character(type) && length(type) == 1L && type %in% tasks)) {
    refuse(call, "type", "type must be \"regression\" or \"classification\"")
  }
  type
}

solve_machine <- function(model, question, dots, kernel, kpar, scaled, type, said) {
  call <- said$call
  if (!isTRUE(scaled) && !isFALSE(scaled)) refuse(call, "scaled", "scaled must be TRUE or FALSE, for all inputs")
  y <- question$response
  if (anyDuplicated(question$columns)) refuse(call, "x", "two inputs are named '%s'", question$columns[duplicated(question$columns)][1L])
  if (NCOL(y) > 1L) refuse(call, question$name, "%s has %d columns; a machine has one response", question$name, NCOL(y))
  task <- task_of(type, y, call)
  if (task == "classification" && is.numeric(y)) y <- factor(y)
  weights <- checked_numbers(question$weights, "weights", said, function(w) w >= 0, ">= 0 (negative weights not allowed)")
  levels <- if (task == "classification") length(unique(y[!is.na(y)]))
  family <- if (task == "regression") "gaussian" else if (levels > 2L) "multinomial" else "binomial"
  response <- read_response(y, weights, family, question$name, call)
  options <- machine_options(dots, call)
  of_kernel <- kernel_options(kernel, kpar, scaled, if (is.null(weights)) length(response$y) else sum(weights), call)
  both <- intersect(names(options), names(of_kernel))
  if (length(both) > 0L) refuse(call, both[1L], "%s is given twice: by itself and by kpar", both[1L])
  groups <- question$input_group
  if (!is.null(options$input_group)) groups <- match(options$input_group, unique(options$input_group))
  options <- c(options[names(options) != "input_group"], of_kernel, list(
    model = model, task = task, standardize = scaled, column_names = question$columns, target = question$name
  ))
  options$input_group <- if (!is.null(groups)) groups - 1
  options$weights <- weights
  options$class_names <- response$classes
  handle <- checked(.Call(C_fit, question$X, question$skip, NULL, response$y, options), said)
  fit <- list(family = family_object(family), family_name = family, prior.weights = weights, y = response$observed, classes = response$classes,
              columns = question$columns, is_grouped = FALSE, impute = FALSE, model_held = held_model(handle))
  fit$results <- results_at(fit)
  warn_for(fit$results$warnings, call)
  fit
}

finished_machine <- function(fit, X, skip) {
  class(fit) <- class_of_machine(fit$results)
  if (!is.null(fit$results$mean)) fit$coefficients <- coefficients_of(fit$results)
  # nothing is far from the rows of the fit, so there are no warnings
  fit$fitted.values <- machine_predictions(fit, X, skip)$response
  if (!is.matrix(fit$fitted.values)) names(fit$fitted.values) <- rownames(X)
  fit
}

# Not "rvm", which is a class of kernlab: its methods would be called.
class_of_machine <- function(results) c(paste0("ardvark_", results$model), "ardvark_machine")

# ---- methods ----

print.ardvark_machine <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  results <- x$results
  print_call(x$call)
  cat(if (results$model == "rvm") "Relevance vector machine" else "Kernel machine", ", ", results$task, ": ", results$num_rows, " rows, ",
      length(results$inputs), if (length(results$inputs) == 1L) " input\n" else " inputs\n", sep = "")
  if (!is.null(x$classes)) cat("Classes: ", paste(x$classes, collapse = ", "), "\n", sep = "")
  if (!is.null(results$kernel)) cat("Kernel: ", results$kernel, "\n", sep = "")
  cat("Relevance vectors: ", results$num_vectors, "\nLog evidence: ", format(results$log_evidence, digits = digits), " nats\n", sep = "")
  if (results$status != "converged") cat("\nThe fit is ", results$status, ": ", in_our_words(results$message), "\n", sep = "")
  if (!is.null(x$na.action)) cat("\n(", naprint(x$na.action), ")\n", sep = "")
  invisible(x)
}

summary.ardvark_machine <- function(object, level = 0.95, verbose = FALSE, ...) {
  call <- match.call()
  check_level(level, call)
  text <- checked(.Call(C_summary, handle_of(object), list(level = level, verbose = verbose)), list(call = call))
  structure(list(call = object$call, family = object$family, text = in_our_words(text), na.action = object$na.action), class = "summary.ardvark")
}

logLik.ardvark_machine <- function(object, ...) {
  degrees <- object$results$effective_parameters
  structure(object$results$log_evidence, df = if (is.null(degrees)) NA_real_ else sum(degrees), nobs = nobs(object),
            class = c("ardvark_bound", "logLik"))
}

model.matrix.ardvark_machine <- function(object, ...) {
  if (is.null(object$terms)) return(object$x)
  model.matrix.ardvark(object)[, -1L, drop = FALSE]
}

coef.ardvark_machine <- function(object, ...) {
  if (is.null(object$coefficients)) {
    why <- if (object$results$model == "rvm") "there is a machine for each class" else "a kernel machine averages over its functions"
    refuse(match.call(), "object", "the fit has no vector of coefficients: %s; see relevance_vectors()", why)
  }
  object$coefficients
}

update.ardvark_machine <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  if (is.null(call)) stop_for("the fit has no call: it was read from a file", call = match.call())
  if (!missing(formula.)) call$x <- stats::update.formula(formula(object), formula.)
  given <- match.call(expand.dots = FALSE)$...
  for (name in names(given)) call[[name]] <- given[[name]]
  if (evaluate) eval(call, parent.frame()) else call
}

# The rows of the table that carry the function: a row for each.
relevance_vectors <- function(object, ...) {
  if (!inherits(object, "ardvark_machine")) {
    refuse(match.call(), "object", "object is of class %s; it must be a fit of rvm() or kernel_machine()", class(object)[1L])
  }
  results <- object$results
  vectors <- results$relevance_vectors
  if (is.null(dim(vectors))) vectors <- matrix(vectors, ncol = length(results$inputs))
  out <- data.frame(index = as.integer(results$relevance_rows))
  machines <- if (is.null(results$machines)) list(results) else results$machines
  if (results$model == "rvm") {
    several <- length(machines) > 1L
    of <- function(machine, name) replace(numeric(nrow(out)), as.integer(machine$vectors), machine[[name]])
    for (machine in machines) {
      if (!several) machine$vectors <- seq_len(nrow(out))
      mark <- if (several) paste0(".", machine$class) else ""
      out[paste0(c("weight", "sd", "relevance"), mark)] <- list(of(machine, "mean"), of(machine, "sd"), of(machine, "relevance"))
    }
  }
  out <- cbind(out, structure(as.data.frame(vectors), names = results$inputs))
  names <- if (is.matrix(object$fitted.values)) rownames(object$fitted.values) else names(object$fitted.values)
  if (!is.null(names)) rownames(out) <- names[out$index]
  out
}

# ---- predictions ----

predict.ardvark_machine <- function(object, newdata = NULL, type = c("response", "link", "class", "probabilities", "draws"), se.fit = FALSE,
                                    interval = c("none", "confidence", "prediction"), level = 0.95, ndraws = 1000,
                                    na.action = stats::na.pass, ..., seed = NULL) {
  call <- match.call()
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_level(level, call)
  check_machine_type(object, type, se.fit, interval, call)
  rows <- machine_rows(object, newdata, na.action, call)
  said <- list(call = call, rows = rows$names, arguments = c(X = "newdata", X_new = "newdata"))
  if (type == "draws") return(t(restored(t(machine_draws(object, rows, ndraws, seed, said)), rows)))
  has_link <- type == "link" && !is.null(object$classes)
  found <- if (has_link) log_odds(object, rows, said) else
    machine_predictions(object, rows$X, rows$skip, if (interval == "prediction") "new" else "mean", level, said)
  if (type == "class") return(restored(factor(object$classes[max.col(found$probabilities, "first")], object$classes), rows))
  fit <- if (type == "link" && !has_link) found$response else found[[type]]
  out <- restored(if (interval == "none") fit else cbind(fit = fit, lwr = found$ends[, 1L], upr = found$ends[, 2L]), rows)
  if (!se.fit) return(out)
  if (interval == "prediction") found <- machine_predictions(object, rows$X, rows$skip, "mean", level, NULL)
  list(fit = out, se.fit = restored(found$se, rows), residual.scale = residual_scale(object))
}

check_machine_type <- function(object, type, se.fit, interval, call) {
  family <- object$family_name
  wrong <- function(...) refuse(call, "type", ...)
  if (type %in% c("class", "probabilities") && is.null(object$classes)) wrong("type is \"%s\"; a regression has no classes", type)
  if (type %in% c("link", "draws") && family == "multinomial") wrong("type is \"%s\"; several classes have none", type)
  if (object$results$model == "rvm" && (type == "draws" || (type == "link" && family == "binomial"))) {
    wrong("type is \"%s\"; a relevance vector machine has none: kernel_machine() has", type)
  }
  has_spread <- se.fit || interval != "none"
  if (has_spread && !type %in% c("response", "link")) wrong("type is \"%s\"; se.fit and interval need \"response\" or \"link\"", type)
  if (interval != "none" && !is.null(object$classes)) refuse(call, "interval", "probabilities of a machine have no intervals")
  if (se.fit && !is.null(object$classes) && type != "link") refuse(call, "se.fit", "probabilities of a machine have no standard errors")
}

machine_rows <- function(object, newdata, na.action, call) {
  x <- if (is.null(newdata)) model.matrix(object)
  if (!is.null(x)) return(list(X = x, skip = 0L, names = rownames(x), left_out = object$na.action))
  if (is.null(object$terms) && is.atomic(newdata) && is.null(dim(newdata)) && !is.null(newdata)) newdata <- cbind(as.vector(newdata))
  rows_of(object, newdata, NULL, na.action, call)
}

machine_predictions <- function(object, X, skip, interval = "mean", level = 0.95, said = NULL) {
  is_regression <- is.null(object$classes)
  if (nrow(X) == 0L) {
    none <- matrix(0, 0L, length(object$classes), dimnames = list(NULL, object$classes))
    return(c(no_predictions(object), list(probabilities = none)))
  }
  options <- list(level = level)
  if (is_regression) options$interval <- interval
  found <- checked(.Call(C_predict, handle_of(object), X, skip, NULL, options), said)
  if (!is.null(said)) warn_for(found$warnings, said$call)
  if (is_regression) return(list(response = found$mean, se = found$sd, ends = cbind(found$lower, found$upper)))
  probability <- found$probability
  dimnames(probability) <- list(rownames(X), object$classes)
  list(response = if (length(object$classes) == 2L) unname(probability[, 2L]) else probability, probabilities = probability)
}

# Mean and standard deviation of the log odds; some rows at a time, because their covariance is a matrix of all pairs.
log_odds <- function(object, rows, said, block = 256L) {
  n <- nrow(rows$X)
  blocks <- split(seq_len(n), (seq_len(n) - 1L) %/% block)
  found <- lapply(blocks, function(at) {
    joint <- checked(.Call(C_predict_joint, handle_of(object), rows$X[at, , drop = FALSE], rows$skip, 0, list()), said)
    cbind(joint$mean, sqrt(diag(as.matrix(joint$covariance))))
  })
  found <- if (n == 0L) matrix(0, 0L, 2L) else do.call(rbind, found)
  list(link = found[, 1L], se = found[, 2L])
}

# Draws of the function in all rows together [count, rows]: of the mean, or of the probability of the event.
machine_draws <- function(object, rows, count, seed, said) {
  is_count <- is.numeric(count) && length(count) == 1L && count >= 1 && count == round(count)
  if (!is_count) refuse(said$call, "ndraws", "the number of draws must be a whole number from 1")
  if (nrow(rows$X) == 0L) return(matrix(0, count, 0L))
  options <- list(seed = seed_of(seed))
  if (is.null(object$classes)) options$interval <- "mean"
  drawn <- t(checked(.Call(C_predict_joint, handle_of(object), rows$X, rows$skip, count, options), said)$draws)
  colnames(drawn) <- rows$names
  if (is.null(object$classes)) drawn else plogis(drawn)
}

# ---- coefficients of a relevance vector machine of one score: weights of its vectors ----

confint.ardvark_machine <- function(object, parm, level = 0.95, ...) {
  coef(object)
  confint.ardvark(object, parm, level)
}

vcov.ardvark_machine <- function(object, ...) {
  coef(object)
  vcov.ardvark(object)
}

# ---- pictures ----

# The curve over one input after another, the others at their medians, factors at their most frequent levels.
plot.ardvark_machine <- function(x, input = NULL, level = 0.95, n = 200L, ylab = NULL, main = "", ...) {
  call <- match.call()
  check_level(level, call)
  inputs <- x$results$inputs
  X <- if (is.null(x$y)) t(x$results$input_center + outer(1 / x$results$input_scale, seq(-2, 2, length.out = 9L))) else model.matrix(x)
  of_factor <- inputs_of_factors(x)
  numbers <- if (all(of_factor)) seq_along(inputs) else which(!of_factor)
  at <- if (is.null(input)) utils::head(numbers, 9L) else positions_of(input, inputs, inputs, "input", call)
  if (length(at) > 1L) {
    across <- ceiling(sqrt(length(at)))
    old <- par(mfrow = c(ceiling(length(at) / across), across), mar = c(4, 4, 2, 1))
    on.exit(par(old))
  }
  if (is.null(ylab)) ylab <- if (is.null(x$classes)) x$results$target else "probability"
  for (j in at) plot_curve(x, X, typical_row(X, of_factor), j, level, n, ylab, main, ...)
  invisible(x)
}

# Whether an input is the level of a factor.
inputs_of_factors <- function(x) {
  if (is.null(x$terms)) return(rep(FALSE, length(x$results$inputs)))
  factor_terms(x$terms)[attr(model.matrix.ardvark(x), "assign")[-1L]]
}

typical_row <- function(X, of_factor) {
  out <- apply(X, 2L, stats::median)
  if (!any(of_factor)) return(out)
  levels <- do.call(paste, as.data.frame(X[, of_factor]))
  out[of_factor] <- X[match(names(which.max(table(levels))), levels), of_factor]
  out
}

plot_curve <- function(x, X, typical, j, level, n, ylab, main, xlab = x$results$inputs[j], ylim = NULL, ...) {
  grid <- matrix(typical, n, ncol(X), byrow = TRUE)
  grid[, j] <- seq(min(X[, j]), max(X[, j]), length.out = n)
  at <- grid[, j]
  if (!is.null(x$classes)) return(plot_probabilities(x, X, j, grid, xlab, ylab, main, ylim, ...))
  mean <- machine_predictions(x, grid, 0L, "mean", level)
  new <- machine_predictions(x, grid, 0L, "new", level)
  if (is.null(ylim)) ylim <- range(new$ends, x$y, finite = TRUE)
  plot(at, mean$response, type = "n", ylim = ylim, xlab = xlab, ylab = ylab, main = main, ...)
  band <- function(ends, colour) polygon(c(at, rev(at)), c(ends[, 1L], rev(ends[, 2L])), col = colour, border = NA)
  band(new$ends, "#0072B220")
  band(mean$ends, "#0072B250")
  if (!is.null(x$y)) mark_rows(x, X[, j], x$y)
  lines(at, mean$response, col = strong, lwd = 2)
}

plot_probabilities <- function(x, X, j, grid, xlab, ylab, main, ylim, ...) {
  probability <- machine_predictions(x, grid, 0L)$probabilities
  two <- length(x$classes) == 2L
  colours <- if (two) strong else rep_len(palette.colors(9L, "Okabe-Ito")[-1L], length(x$classes))
  if (two) probability <- probability[, 2L]
  matplot(grid[, j], probability, type = "l", lty = if (two) 1L else seq_along(x$classes), lwd = 2, col = colours,
                    ylim = if (is.null(ylim)) c(0, 1) else ylim, xlab = xlab, ylab = if (two) sprintf("%s of %s", ylab, x$classes[2L]) else ylab,
                    main = main, ...)
  if (two && !is.null(x$y)) mark_rows(x, X[, j], x$y)
  if (!two) legend("bottom", x$classes, inset = c(0, 1), xpd = TRUE, horiz = TRUE, col = colours, lty = seq_along(x$classes), lwd = 2, bty = "n",
                   cex = 0.85)
}

# The rows of the fit, and a circle around those that are kept.
mark_rows <- function(x, at, y) {
  kept <- x$results$relevance_rows
  points(at, y, pch = 19, cex = 0.6, col = weak)
  points(at[kept], y[kept], pch = 1, cex = 1.3, lwd = 1.5, col = "#D55E00")
}
