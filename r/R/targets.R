# Many targets: a matrix as the response of numbers. Each column has a fit of its own; the table is read once.

has_many_targets <- function(response, family) is_linear(family) && is.matrix(response) && ncol(response) > 1L && is.numeric(response)

# shared: what the fits have in common.
fit_targets <- function(question, said, shared) {
  Y <- question$response
  targets <- target_names(Y, shared$terms)
  if (anyDuplicated(targets)) refuse(said$call, question$name, "%s has two columns named '%s'", question$name, targets[anyDuplicated(targets)])
  if (fits_together(question)) return(fit_together(question, said, shared, targets))
  fits <- lapply(seq_along(targets), function(k) fit_target(question, said, targets, k))
  names(fits) <- targets
  structure(c(list(fits = fits), shared), class = "ardvark_targets")
}

fit_target <- function(question, said, targets, k) {
  question$response <- as.double(question$response[, k])
  question$name <- targets[k]
  said$target <- targets[k]
  said$arguments[c("labels", "target", "y")] <- targets[k]
  finished(solve_question(question, said), question$X, question$skip)
}

# Whether one call of the library fits all. Some options are of one fit, or have predictions that are no Student-t distributions.
fits_together <- function(question) {
  options <- question$options
  question$family == "gaussian" && is.matrix(question$X) && !question$impute && !identical(options$solver, "iterative") &&
    !any(c("preset", "diagnose", "fdr", "posterior", "start_precision") %in% names(options))
}

# The part `together`: what the library says of all targets, and the question, from which the fit of a target is made when it is asked for.
fit_together <- function(question, said, shared, targets) {
  Y <- question$response
  if (!is.double(Y)) storage.mode(Y) <- "double"
  for (k in which(!is.finite(colSums(Y)))) fit_target(question, said, targets, k)  # an error, unless only the sum is beyond the range
  read <- read_question(replace(question, "response", list(numeric(nrow(Y)))), said)
  if (!is.null(read$offset)) Y <- Y - read$offset
  handle <- checked(.Call(C_fit_targets, question$X, question$skip, Y, targets, read$options), said)
  together <- results_of_targets(list(model_held = held_model(handle)))
  together[c("prior.weights", "offset")] <- list(read$response$trials, read$offset)
  together$num_rows <- nrow(Y)
  together$said <- said
  if (!is.null(shared$terms)) question[c("X", "response")] <- NULL  # they are in the model frame
  together$question <- question
  results <- together$results
  warn_for(results$warnings, said$call)
  unfitted <- which(!results$status %in% c("converged", "constant", "max_sweeps"))
  if (length(unfitted) > 0L) {
    warn_for(sprintf("%d of %d targets not fitted, the first is '%s' (%s)", length(unfitted), length(targets), targets[unfitted[1L]],
                     results$status[unfitted[1L]]), said$call)
  }
  structure(c(list(together = together), shared), class = "ardvark_targets")
}

# Coefficients and results by name. fit: a list that holds the targets.
results_of_targets <- function(fit) {
  results <- results_at(fit)
  targets <- results$targets
  if (is.null(targets)) targets <- paste0("y", seq_len(results$num_targets))
  beta <- t(results$mean)
  dimnames(beta) <- list(results$columns, targets)
  if (!is.null(results$intercept)) beta <- rbind(`(Intercept)` = as.vector(results$intercept), beta)
  if (!is.null(results$inclusion)) results$inclusion <- structure(t(results$inclusion), dimnames = list(results$columns, targets))
  results$mean <- NULL
  c(fit, list(targets = targets, coefficients = beta, results = results))
}

# NULL: the targets were fitted one after the other. A target may have this name, too.
together_of <- function(object) unclass(object)[["together"]]

# What does not depend on the target, as of a fit of one: rows, weights, family.
stem_of <- function(object) {
  parts <- unclass(object)
  together <- together_of(object)
  parts[["together"]] <- NULL
  stem <- list(family = family_object("gaussian"), family_name = "gaussian", impute = FALSE, columns = together$results$columns,
               results = list(num_rows = max(together$results$num_rows, na.rm = TRUE)))
  if (!is.null(together$num_rows)) {
    stem$y <- stem$fitted.values <- numeric(together$num_rows)
    names(stem$fitted.values) <- together$said$rows
  }
  structure(c(stem, together[c("model_held", "prior.weights", "offset")], parts), class = "ardvark")
}

# The question with its table.
question_of <- function(object, call) {
  parts <- unclass(object)
  question <- together_of(object)$question
  if (is.null(question)) refuse(call, "object", "the fit was read from a file, which has no rows")
  if (is.null(parts$terms)) return(question)
  question[c("X", "skip")] <- without_intercept(design(parts$terms, parts$model, parts$contrasts, FALSE), has_intercept(parts))
  question$response <- parts$model[[attr(parts$terms, "response")]]
  question
}

# Names of the columns; of cbind(y1, log(y2)) what stands there, else Y1, Y2, as in lm.
target_names <- function(Y, terms) {
  named <- if (is.null(colnames(Y))) rep("", ncol(Y)) else colnames(Y)
  said <- vapply(seq_along(named), function(k) {
    one <- if (!is.null(terms)) part_of_cbind(formula(terms)[[2L]], k, ncol(Y))
    if (is.null(one)) paste0("Y", k) else deparse1(one)
  }, "")
  ifelse(named == "", said, named)
}

# What stands for column k in cbind(); NULL: the response is something else.
part_of_cbind <- function(response, k, columns) {
  if (is.call(response) && identical(response[[1L]], quote(cbind)) && length(response) - 1L == columns) response[[k + 1L]]
}

# The fit of one target, with a formula of its own: fit[["y1"]] or fit[[1]].
`[[.ardvark_targets` <- function(x, i, ...) {
  call <- match.call()
  parts <- unclass(x)
  targets <- names(x)
  k <- if (is.character(i) && length(i) == 1L) match(i, targets) else if (is.numeric(i) && length(i) == 1L && i %in% seq_along(targets)) i else NA
  if (is.na(k)) {
    if (is.character(i) && length(i) == 1L && i %in% names(parts)) return(parts[[i]])
    refuse(call, "i", "there is no target %s; targets: %s", deparse1(i), some(targets))
  }
  with_parts(x, k, if (is.null(together_of(x))) parts$fits[[k]] else fit_again(x, k, question_of(x, call)))
}

# The fit of target k with what all have in common.
with_parts <- function(object, k, fit) {
  parts <- unclass(object)
  parts[c("fits", "together")] <- NULL
  if (!is.null(parts$terms)) parts <- of_one_target(parts, k, fit$y)
  structure(c(unclass(fit), parts), class = "ardvark")
}

# What the fit of all has warned of is not said again.
fit_again <- function(object, k, question) {
  together <- together_of(object)
  said <- replace(together$said, "known", list(together$results$warnings))
  fit_target(question, said, together$targets, k)
}

# Formula, terms, model frame and call of column k of the response.
of_one_target <- function(shared, k, y) {
  terms <- shared$terms
  at <- attr(terms, "response")
  all <- formula(terms)[[2L]]
  one <- part_of_cbind(all, k, ncol(shared$model[[at]]))
  if (is.null(one)) one <- bquote(.(all)[, .(k)])
  name <- deparse1(one)
  terms[[2L]] <- one
  for (part in c("variables", "predvars")) if (!is.null(attr(terms, part))) attr(terms, part)[[at + 1L]] <- one
  if (length(attr(terms, "factors")) > 0L) rownames(attr(terms, "factors"))[at] <- name
  attr(terms, "dataClasses")[at] <- "numeric"
  names(attr(terms, "dataClasses"))[at] <- name
  shared$model[[at]] <- y
  names(shared$model)[at] <- name
  attr(shared$model, "terms") <- shared$terms <- terms
  shared$formula <- formula(terms)
  shared$call$formula <- shared$formula
  shared
}

# To loops it is a list of the fits.
length.ardvark_targets <- function(x) length(names(x))
names.ardvark_targets <- function(x) {
  together <- together_of(x)
  if (is.null(together)) names(unclass(x)[["fits"]]) else together$targets
}
`[.ardvark_targets` <- function(x, i) lapply(setNames(seq_along(x), names(x))[i], function(k) x[[k]])
# A part of the object, such as its call; else a target.
`$.ardvark_targets` <- function(x, name) if (name %in% names(unclass(x))) unclass(x)[[name]] else if (name %in% names(x)) x[[name]]
as.list.ardvark_targets <- function(x, ...) {
  question <- if (!is.null(together_of(x))) question_of(x, match.call())
  lapply(setNames(seq_along(x), names(x)), function(k) with_parts(x, k, if (is.null(question)) unclass(x)$fits[[k]] else fit_again(x, k, question)))
}

# Vectors of the targets as the columns of a matrix, matrices as the layers of an array.
beside <- function(values) {
  first <- values[[1L]]
  if (is.null(dim(first))) return(matrix(unlist(values), length(first), length(values), dimnames = list(names(first), names(values))))
  array(unlist(values), c(dim(first), length(values)), c(if (is.null(dimnames(first))) list(NULL, NULL) else dimnames(first), list(names(values))))
}

coef.ardvark_targets <- function(object, ...) if (is.null(together_of(object))) beside(lapply(object, coef)) else together_of(object)$coefficients
fitted.ardvark_targets <- function(object, ...) {
  if (is.null(together_of(object))) return(beside(lapply(object, fitted)))
  napredict(object$na.action, means_of_targets(object, question_of(object, match.call())))
}
residuals.ardvark_targets <- function(object, type = "response", ...) {
  if (is.null(together_of(object))) return(beside(lapply(object, residuals, type)))
  call <- match.call()
  type <- match.arg(type, eval(formals(residuals.ardvark)$type))
  off <- errors_of_targets(object, call)
  weights <- together_of(object)$prior.weights
  if (type != "response" && !is.null(weights)) off <- off * sqrt(weights)
  if (type == "quantile") off <- off / rep(sigma(object), each = nrow(off))
  naresid(object$na.action, off)
}
deviance.ardvark_targets <- function(object, ...) {
  if (is.null(together_of(object))) return(unlist(lapply(object, deviance)))
  colSums(errors_of_targets(object, match.call())^2 * row_weights(stem_of(object)))
}
sigma.ardvark_targets <- function(object, ...) {
  if (is.null(together_of(object))) vapply(object, sigma, 0) else setNames(together_of(object)$results$noise_sd, names(object))
}

# Of the rows of the fit [rows, targets], before na.action.
means_of_targets <- function(object, question) {
  beta <- coef(object)
  apart <- question$skip == 0L && !is.null(together_of(object)$results$intercept)  # X has no column of the intercept
  mean <- if (apart) question$X %*% beta[-1L, , drop = FALSE] + rep(beta[1L, ], each = nrow(question$X)) else question$X %*% beta
  if (!is.null(together_of(object)$offset)) mean <- mean + together_of(object)$offset
  dimnames(mean) <- list(rownames(question$X), names(object))
  mean
}
errors_of_targets <- function(object, call) {
  question <- question_of(object, call)
  unname(unclass(question$response)) - means_of_targets(object, question)
}
confint.ardvark_targets <- function(object, parm, level = 0.95, ...) {
  if (missing(parm)) lapply(object, confint, level = level) else lapply(object, confint, parm, level)
}
vcov.ardvark_targets <- function(object, ...) lapply(object, vcov)
first_of <- function(object) if (is.null(together_of(object))) object[[1L]] else stem_of(object)
nobs.ardvark_targets <- function(object, ...) nobs(first_of(object))
formula.ardvark_targets <- function(x, ...) formula.ardvark(x)
weights.ardvark_targets <- function(object, ...) weights(first_of(object))
family.ardvark_targets <- function(object, ...) family(first_of(object))
# The targets are independent given the table: their evidences add up.
logLik.ardvark_targets <- function(object, ...) {
  all <- results_of_each(object, c("bound", "effective_parameters"))
  structure(sum(all$bound), df = sum(all$effective_parameters), nobs = nobs(object), class = c("ardvark_bound", "logLik"))
}

# Numbers of each target, by the names of the library.
results_of_each <- function(object, names) {
  if (!is.null(together_of(object))) return(together_of(object)$results[names])
  lapply(setNames(names, names), function(name) vapply(unclass(object)[["fits"]], function(fit) fit$results[[name]], 0))
}

# What only a fit of one target has.
ask_each <- function(object, ..., call = match.call()) {
  refuse(call, "object", "object has many targets: ask each of them, such as by lapply(object, pip)")
}

print.ardvark_targets <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_call(x$call)
  prior <- if (is.null(together_of(x))) unique(vapply(unclass(x)[["fits"]], function(fit) fit$results$prior, "")) else together_of(x)$results$prior
  cat("Family: ", family(x)$family, ", ", length(x), " targets, prior: ", paste(prior, collapse = ", "), "\n\nCoefficients:\n", sep = "")
  shown <- utils::head(seq_along(x), 10L)
  print(format(coef(x)[, shown, drop = FALSE], digits = digits), print.gap = 2L, quote = FALSE)
  if (length(x) > length(shown)) cat("... of ", length(x) - length(shown), " more targets\n", sep = "")
  if (!is.null(together_of(x))) {
    few <- table(Filter(function(one) !one %in% c("converged", "constant"), together_of(x)$results$status))
    if (length(few) > 0L) cat("\nStatus of targets: ", paste(few, names(few), collapse = ", "), "\n", sep = "")
  }
  if (!is.null(x$na.action)) cat("\n(", naprint(x$na.action), ")\n", sep = "")
  invisible(x)
}

summary.ardvark_targets <- function(object, ...) structure(lapply(object, summary, ...), class = "summary.ardvark_targets")

print.summary.ardvark_targets <- function(x, ...) {
  for (target in names(x)) {
    cat("Response ", target, ":\n", sep = "")
    print(x[[target]])
    cat("\n\n")
  }
  invisible(x)
}

plot.ardvark_targets <- function(x, ..., main = names(x)) {
  Map(function(target, main) plot(x[[target]], main = main, ...), names(x), main)
  invisible(x)
}

predict.ardvark_targets <- function(object, newdata = NULL, type = c("response", "link", "draws", "terms"), se.fit = FALSE,
                                    interval = c("none", "confidence", "prediction"), level = 0.95, newoffset = NULL, ndraws = 1000,
                                    na.action = stats::na.pass, ..., seed = NULL) {
  call <- match.call()
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_level(level, call)
  first <- first_of(object)
  check_type(first, type, se.fit, interval, call)
  if (type %in% c("draws", "terms")) first$impute <- FALSE
  rows <- rows_of(first, newdata, newoffset, na.action, call)
  if (!is.null(together_of(object)) && !type %in% c("draws", "terms")) return(predicted_together(object, rows, se.fit, interval, level, call))
  each <- as.list(object)
  found <- lapply(setNames(seq_along(object), names(object)), function(k) {
    of_target <- if (is.null(seed)) NULL else seed + k - 1L  # with one seed, draws of the targets would vary together
    predicted(each[[k]], rows, type, se.fit, interval, level, ndraws, of_target, call)
  })
  if (!se.fit) {
    out <- beside(found)
    if (type == "terms") attr(out, "constant") <- vapply(found, attr, 0, "constant")
    return(out)
  }
  of <- function(part) beside(lapply(found, `[[`, part))
  list(fit = of("fit"), se.fit = of("se.fit"), residual.scale = vapply(found, `[[`, 0, "residual.scale"))
}

predicted_together <- function(object, rows, se.fit, interval, level, call) {
  said <- list(call = call, rows = rows$names, arguments = c(X = "newdata", X_new = "newdata"))
  results <- together_of(object)$results
  predict_by <- function(interval, with_sd) {
    if (nrow(rows$X) == 0L) return(list(mean = matrix(0, 0L, length(object)), sd = matrix(0, 0L, length(object))))
    checked(.Call(C_predict_targets, handle_of(first_of(object)), rows$X, rows$skip, length(object), with_sd, list(interval = interval)), said)
  }
  restore <- function(values) {
    dimnames(values) <- list(rows$names, names(object))
    restored(values, rows)
  }
  found <- predict_by(if (interval == "prediction") "new" else "mean", se.fit || interval != "none")
  fit <- restore(if (is.null(rows$offset)) found$mean else found$mean + rows$offset)
  if (interval != "none") {
    df <- results$degrees_of_freedom
    half <- restore(found$sd * rep(qt((1 + level) / 2, df) * ifelse(is.finite(df), sqrt(pmax(df - 2, 0) / df), 1), each = nrow(found$sd)))
    fit <- aperm(array(c(fit, fit - half, fit + half), c(dim(fit), 3L), c(dimnames(fit), list(c("fit", "lwr", "upr")))), c(1L, 3L, 2L))
  }
  if (!se.fit) return(fit)
  # those of the mean, as in lm, not of a new observation
  if (interval == "prediction") found <- predict_by("mean", TRUE)
  list(fit = fit, se.fit = restore(found$sd), residual.scale = sigma(object))
}

# What is known of all targets together.
checked_together <- function(object, fdr, call) {
  if (!inherits(object, "ardvark_targets")) refuse(call, "object", "object is of class %s; it must be a fit with many targets", class(object)[1L])
  if (is.null(together_of(object))) {
    refuse(call, "object", "object has targets that were fitted one after the other: there is no evidence of each (see ?ardvark_targets)")
  }
  if (!(is.numeric(fdr) && length(fdr) == 1L && isTRUE(fdr > 0 && fdr < 1))) refuse(call, "fdr", "fdr must be a number between 0 and 1")
  together_of(object)
}

# Which columns raise or lower which targets, after a fit without a prior.
target_directions <- function(object, fdr = 0.1, pool_noise = TRUE) {
  call <- match.call()
  together <- checked_together(object, fdr, call)
  if (!(isTRUE(pool_noise) || isFALSE(pool_noise))) refuse(call, "pool_noise", "pool_noise must be TRUE or FALSE")
  found <- checked(.Call(C_directions, handle_of(first_of(object)), pool_noise), list(call = call))
  results <- together$results
  named <- function(values) structure(t(values), dimnames = list(results$columns, names(object)))
  q_value <- named(found$q_value)
  coef <- together$coefficients
  if (!is.null(results$intercept)) coef <- coef[-1L, , drop = FALSE]
  coef[is.na(q_value)] <- NA
  direction <- ifelse(!is.na(q_value) & q_value <= fdr, sign(coef), 0)
  tables <- list(direction = direction, coef = coef, se = named(found$sd), p_value = named(found$p_value), q_value = q_value)
  at <- which(direction != 0, arr.ind = TRUE)
  stated <- data.frame(target = names(object)[at[, 2L]], column = results$columns[at[, 1L]], lapply(tables, `[`, at), row.names = NULL)
  stated <- stated[order(stated$q_value, stated$p_value), ]
  row.names(stated) <- NULL
  structure(c(list(found = stated), tables,
    list(sigma = setNames(as.vector(found$noise_sd), names(object)), df = setNames(as.vector(found$degrees_of_freedom), names(object)),
         no_effect = setNames(as.vector(found$no_effect), results$columns), prior_df = found$pooled_degrees, prior_sigma = found$usual_noise_sd,
         fdr = fdr)), class = "ardvark_directions")
}
print.ardvark_directions <- function(x, ..., max = 20L) {
  cat(sprintf("%d of %d directions are stated, at a rate of wrong ones of %g\n", nrow(x$found), sum(!is.na(x$q_value)), x$fdr))
  if (nrow(x$found) > 0L) print(x$found[seq_len(min(max, nrow(x$found))), ], ...)
  if (nrow(x$found) > max) cat(sprintf("... %d more, see $found\n", nrow(x$found) - max))
  invisible(x)
}

# How well the columns explain each target, and which targets they explain at a rate of false discoveries.
target_summary <- function(object, fdr = 0.1) {
  call <- match.call()
  together <- checked_together(object, fdr, call)
  found <- checked(.Call(C_explained, handle_of(first_of(object)), fdr), list(call = call))
  results <- together$results
  effects <- if (is.null(results$inclusion)) results$effective_parameters - !is.null(results$intercept) else colSums(results$inclusion)
  data.frame(r_squared = results$r_squared, r_squared_loo = results$r_squared_loo, noise_std = results$noise_sd, effects = effects,
             evidence = results$evidence, probability = as.vector(found$probability), explained = as.vector(found$selected) == 1,
             status = results$status, row.names = names(object))
}

# With the column response, as tidy() of a fit of lm() to many targets has it.
tidy.ardvark_targets <- function(x, ...) table_of_targets(lapply(x, tidy.ardvark, ...))
glance.ardvark_targets <- function(x, ...) {
  if (is.null(together_of(x))) return(table_of_targets(lapply(x, glance.ardvark)))
  results <- together_of(x)$results
  as_table(list(response = names(x), family = "gaussian", prior = results$prior, nobs = nobs(x), logLik = results$bound,
                effective.parameters = results$effective_parameters, r.squared = results$r_squared, sigma = results$noise_sd,
                converged = results$status %in% c("converged", "constant")))
}

table_of_targets <- function(tables) {
  as_table(do.call(rbind, c(Map(function(target, table) data.frame(response = target, table, check.names = FALSE), names(tables), tables),
                            make.row.names = FALSE)))
}
