# Predictions.

# seed is after the dots, so that se = TRUE is se.fit, as for glm.
predict.ardvark <- function(object, newdata = NULL, type = c("response", "link", "class", "draws", "terms"), se.fit = FALSE,
                            interval = c("none", "confidence", "prediction"), level = 0.95, newoffset = NULL, ndraws = 1000,
                            na.action = stats::na.pass, ..., seed = NULL) {
  call <- match.call()
  type <- match.arg(type)
  interval <- match.arg(interval)
  check_level(level, call)
  check_type(object, type, se.fit, interval, call)
  if (type %in% c("draws", "terms")) object$impute <- FALSE  # rows with gaps have none
  rows <- rows_of(object, newdata, newoffset, na.action, call, keep_gaps = type == "terms")
  predicted(object, rows, type, se.fit, interval, level, ndraws, seed, call)
}

# The predictions of rows as rows_of() has them.
predicted <- function(object, rows, type, se.fit, interval, level, ndraws, seed, call) {
  said <- list(call = call, rows = rows$names, arguments = c(X = "newdata", X_new = "newdata", row_offset = "newoffset"))
  found <- switch(type,
    terms = return(restored(predicted_terms(object, rows, call), rows)),
    draws = return(drawn_predictions(object, rows, ndraws, seed, call)),
    predictions(object, rows$X, rows$skip, rows$offset, if (interval == "prediction") "new" else "mean", level, said)
  )
  if (type == "class") {
    probability <- if (is.matrix(found$response)) found$response else cbind(1 - found$response, found$response)
    return(restored(factor(object$classes[max.col(probability, "first")], object$classes), rows))
  }
  fit <- found[[type]]
  ends <- if (interval == "none") NULL else if (type == "link") link_ends(found, level) else found$ends
  out <- restored(if (is.null(ends)) fit else cbind(fit = fit, lwr = ends[, 1L], upr = ends[, 2L]), rows)
  if (!se.fit) return(out)
  # those of the mean, as in lm, not of a new observation
  if (interval == "prediction") found <- predictions(object, rows$X, rows$skip, rows$offset, "mean", level, said)
  list(fit = out, se.fit = restored(if (type == "link") found$link_se else found$se, rows), residual.scale = residual_scale(object))
}

check_level <- function(level, call) {
  is_level <- is.numeric(level) && length(level) == 1L && !is.na(level) && level > 0 && level < 1
  if (!is_level) refuse(call, "level", "level must be a number between 0 and 1")
}

check_type <- function(object, type, se.fit, interval, call) {
  family <- object$family_name
  wrong <- function(...) refuse(call, "type", ...)
  if (!isTRUE(se.fit) && !isFALSE(se.fit)) refuse(call, "se.fit", "se.fit must be TRUE or FALSE")
  if (type == "class" && is.null(object$classes)) wrong("type is \"class\"; family %s has no classes", family)
  if (family == "multinomial" && (se.fit || interval != "none")) wrong("family multinomial has no standard errors and intervals of predictions")
  if (interval == "prediction" && !is.null(object$classes)) {
    refuse(call, "interval", "interval is \"prediction\"; a new observation is a class: \"confidence\" is the interval of its probability")
  }
  if (interval == "prediction" && type == "link") refuse(call, "interval", "interval is \"prediction\"; it needs type = \"response\"")
  if (interval == "prediction" && is_count(family)) refuse_moved(object, "interval of new counts", call)
  has_spread <- se.fit || interval != "none"
  if (family == "multinomial" && type == "terms") wrong("type is \"terms\"; family multinomial has none")
  if (type %in% c("class", "draws", "terms") && has_spread) wrong("type is \"%s\"; se.fit and interval need \"response\" or \"link\"", type)
}

# The rows that are predicted: X, its columns before those of the fit, the offset, the names, and which rows of the caller they are. Rows with
# gaps are left out, if these are not kept for terms that have none.
rows_of <- function(object, newdata, newoffset, na.action, call, keep_gaps = FALSE) {
  if (is.null(newdata)) {
    if (is.null(object$terms)) refuse(call, "newdata", "newdata must be a matrix: the fit does not keep x")
    if (!is.null(newoffset)) refuse(call, "newoffset", "newoffset is given without newdata")
    rows <- without_intercept(model.matrix(object), has_intercept(object))
    return(c(rows, list(offset = object$offset, names = rownames(rows$X), left_out = object$na.action)))
  }
  rows <- if (is.null(object$terms)) matrix_rows(object, newdata, newoffset, call) else frame_rows(object, newdata, newoffset, na.action, call)
  complete <- rows$complete
  if (!is.null(rows$offset)) complete <- complete & !is.na(rows$offset)
  rows$all <- rows$names
  if (!all(complete) && !(keep_gaps && is.matrix(rows$X))) {  # a sparse matrix has zeros for a level that is missing
    rows$at <- match(seq_along(complete), which(complete))
    rows$X <- rows$X[complete, , drop = FALSE]
    rows$offset <- rows$offset[complete]
    rows$names <- rows$names[complete]
  }
  rows
}

complete_rows <- function(X) {
  if (!is.matrix(X)) return(!seq_len(nrow(X)) %in% (X@i[is.na(X@x)] + 1L))
  complete <- !is.na(rowSums(X))
  if (all(complete)) complete else rowSums(is.na(X)) == 0
}

has_intercept <- function(object) attr(object$terms, "intercept") == 1L

frame_rows <- function(object, newdata, newoffset, na.action, call) {
  terms <- delete.response(object$terms)
  if (!is.null(newoffset)) terms <- without_offset(terms)
  if (!is.data.frame(newdata) && !is.list(newdata)) refuse(call, "newdata", "newdata is of class %s; it must be a data frame", class(newdata)[1L])
  for (name in setdiff(all.vars(attr(terms, "variables")), names(newdata))) {
    if (!exists(name, envir = environment(object$terms))) absent_column(call, name, sprintf(" (object '%s' not found)", name))
  }
  frame <- model.frame(terms, newdata, na.action = na.action, xlev = object$xlevels)
  classes <- attr(terms, "dataClasses")
  if (!is.null(classes)) .checkMFClasses(classes, frame)
  rows <- without_intercept(design(terms, frame, object$contrasts, object$is_sparse), has_intercept(object))
  need <- if (object$impute) vapply(frame, has_levels, NA) else rep(TRUE, ncol(frame))
  c(rows, list(offset = new_offset(object, frame, newdata, newoffset, call), names = rownames(frame), left_out = attr(frame, "na.action"),
               complete = if (any(need)) stats::complete.cases(frame[need]) else rep(TRUE, nrow(frame))))
}

matrix_rows <- function(object, newdata, newoffset, call) {
  X <- if (is.data.frame(newdata)) encoded(object, newdata, call) else numeric_matrix(newdata, "newdata", call)
  if (ncol(X) != length(object$columns)) {
    refuse(call, "newdata", "newdata has %d columns; the fit has %d: %s", ncol(X), length(object$columns), some(object$columns))
  }
  if (!is.null(colnames(X)) && !identical(colnames(X), object$columns)) {
    found <- match(object$columns, colnames(X))
    if (anyNA(found)) absent_column(call, object$columns[is.na(found)][1L])
    X <- X[, found, drop = FALSE]
  }
  if (is.null(newoffset) && !is.null(object$offset)) need_offset(call)
  if (!is.null(newoffset) && is.null(object$offset)) refuse(call, "newoffset", "newoffset is given, but the model was fitted without an offset")
  list(X = X, skip = 0L, offset = if (is.null(newoffset)) NULL else rep_to(newoffset, nrow(X), call), names = rownames(X),
       complete = object$impute | complete_rows(X))
}

# The columns of a model without a formula, from a data frame with those of the table that it was fitted to.
encoded <- function(object, newdata, call) {
  encoding <- checked(.Call(C_encoding, handle_of(object)))
  absent <- setdiff(encoding$features, names(newdata))
  if (length(absent) > 0L) absent_column(call, absent[1L])
  of_texts <- vapply(encoding$text_columns, `[[`, "", "name")
  columns <- lapply(setNames(encoding$features, encoding$features), function(name) {
    column <- newdata[[name]]
    if (is.factor(column) || is.character(column) || name %in% of_texts) as.character(column) else as.double(column)
  })
  X <- checked(.Call(C_encode, handle_of(object), columns, nrow(newdata)), list(call = call, rows = rownames(newdata)))
  dimnames(X) <- list(rownames(newdata), object$columns)
  X
}

rep_to <- function(offset, rows, call) {
  if (!length(offset) %in% c(1L, rows)) refuse(call, "newoffset", "newoffset has %d entries; newdata has %d rows", length(offset), rows)
  if (!is.numeric(offset)) refuse(call, "newoffset", "newoffset is of type %s; it must be numbers", typeof(offset))
  rep_len(as.double(offset), rows)
}

need_offset <- function(call) {
  refuse(call, "newoffset", "the model was fitted with an offset, so new rows need one, too: give newoffset, such as the log of each exposure")
}

# newoffset replaces every offset of the fit. Without it, offset() of the formula and the argument offset are evaluated in newdata, as glm
# does; but where newdata does not have the variables of the argument, it must be given.
new_offset <- function(object, frame, newdata, newoffset, call) {
  if (is.null(object$offset)) {
    if (!is.null(newoffset)) refuse(call, "newoffset", "newoffset is given, but the model was fitted without an offset")
    return(NULL)
  }
  if (!is.null(newoffset)) return(kept_by(rep_to(newoffset, NROW(newdata), call), frame))
  offset <- model.offset(frame)
  if (object$offset_argument) {
    asked <- object$call$offset
    absent <- setdiff(all.vars(asked), names(newdata))
    if (length(all.vars(asked)) == 0L || length(absent) > 0L) {
      need_offset(call)
    }
    more <- kept_by(rep_to(eval(asked, newdata, environment(object$terms)), NROW(newdata), call), frame)
    offset <- if (is.null(offset)) more else offset + more
  }
  offset
}

# Of values for each row of newdata, those of the rows that na.action left in the frame.
kept_by <- function(values, frame) {
  left_out <- attr(frame, "na.action")
  if (is.null(left_out)) values else values[-as.integer(left_out)]
}

# Terms whose frame has no offset.
without_offset <- function(terms) {
  at <- attr(terms, "offset")
  if (is.null(at)) return(terms)
  for (name in c("variables", "predvars")) if (!is.null(attr(terms, name))) attr(terms, name) <- attr(terms, name)[-(1L + at)]
  if (length(attr(terms, "factors")) > 0L) attr(terms, "factors") <- attr(terms, "factors")[-at, , drop = FALSE]
  if (!is.null(attr(terms, "dataClasses"))) attr(terms, "dataClasses") <- attr(terms, "dataClasses")[-at]
  attr(terms, "offset") <- NULL
  terms
}

# Puts NA where a row was not predicted, and what na.exclude left out.
restored <- function(values, rows) {
  named <- function(values, names) {
    if (is.null(names)) return(values)
    if (is.matrix(values)) rownames(values) <- names else names(values) <- names
    values
  }
  if (is.null(rows$at)) {
    values <- named(values, rows$names)
  } else {
    constant <- attr(values, "constant")
    values <- named(if (is.matrix(values)) values[rows$at, , drop = FALSE] else values[rows$at], rows$all)
    if (!is.null(constant)) attr(values, "constant") <- constant
  }
  if (is.null(rows$left_out)) values else napredict(rows$left_out, values)
}

# ---- what the library says of rows ----

# response, link, and where there are some, se and link_se, their standard errors, and ends, the interval of the response.
predictions <- function(object, X, skip, offset, interval = "mean", level = 0.95, said = NULL) {
  family <- object$family_name
  if (nrow(X) == 0L) return(no_predictions(object))
  options <- list(level = level)
  if (is_linear(family) || is_count(family)) options$interval <- interval
  if (is_count(family)) options$row_offset <- offset
  found <- checked(.Call(C_predict, handle_of(object), in_place(X), skip, NULL, options), said)
  shift <- if (is.null(offset)) 0 else offset
  out <- if (is_linear(family)) {
    list(response = found$mean + shift, link = found$mean + shift, se = found$sd, link_se = found$sd, ends = cbind(found$lower, found$upper) + shift)
  } else if (is_count(family)) {
    list(response = found$mean, link = found$log_mean, se = found$sd, link_se = sqrt(found$log_variance), ends = cbind(found$lower, found$upper))
  } else if (family == "binomial") {
    sd <- sqrt(found$variance)
    half <- qnorm((1 + level) / 2) * sd
    list(response = found$probability[, 2L], link = found$mean, se = probability_sd(found$mean, sd), link_se = sd,
         ends = cbind(plogis(found$mean - half), plogis(found$mean + half)))
  } else {
    colnames(found$probability) <- object$classes
    list(response = found$probability, link = scores_by(object$coefficients, X, skip))
  }
  out$df <- found$degrees_of_freedom
  if (is_moved(object)) out <- moved_predictions(object, out, X, skip)
  named(out, rownames(X))
}

no_predictions <- function(object) {
  none <- if (object$family_name == "multinomial") matrix(0, 0L, length(object$classes), dimnames = list(NULL, object$classes)) else numeric()
  list(response = none, link = none, se = numeric(), link_se = numeric(), ends = matrix(0, 0L, 2L))
}

named <- function(found, names) {
  if (is.null(names)) return(found)
  for (part in c("response", "link")) if (is.matrix(found[[part]])) rownames(found[[part]]) <- names else names(found[[part]]) <- names
  found
}

# X times coefficients, which are a vector, or a matrix with a row for each class.
scores_by <- function(coefficients, X, skip) {
  beta <- if (is.matrix(coefficients)) coefficients else matrix(coefficients, 1L, dimnames = list(NULL, names(coefficients)))
  with_intercept <- identical(colnames(beta)[1L], "(Intercept)")
  weights <- if (with_intercept) beta[, -1L, drop = FALSE] else beta
  scores <- as.matrix((if (skip > 0L) X[, -1L, drop = FALSE] else X) %*% t(weights))
  if (with_intercept) scores <- sweep(scores, 2L, beta[, 1L], `+`)
  if (is.matrix(coefficients)) scores else scores[, 1L]
}

# The interval of the linear predictor.
link_ends <- function(found, level) {
  half <- if (is.null(found$df) || !is.finite(found$df[1L])) qnorm((1 + level) / 2) else stats::qt((1 + level) / 2, found$df[1L])
  scale <- if (is.null(found$df) || !is.finite(found$df[1L]) || found$df[1L] <= 2) 1 else sqrt((found$df[1L] - 2) / found$df[1L])
  cbind(found$link - half * scale * found$link_se, found$link + half * scale * found$link_se)
}

# The standard deviation of plogis(eta) for eta ~ N(mean, sd^2), by 32 nodes of Gauss and Hermite.
probability_sd <- function(mean, sd) {
  at <- outer(sd, hermite$nodes) + mean
  p <- plogis(at)
  first <- drop(p %*% hermite$weights)
  sqrt(pmax(drop((p - first)^2 %*% hermite$weights), 0))
}

# Golub and Welsch: nodes and weights for the standard normal distribution.
gauss_hermite <- function(n) {
  jacobi <- matrix(0, n, n)
  jacobi[cbind(2:n, 1:(n - 1L))] <- jacobi[cbind(1:(n - 1L), 2:n)] <- sqrt(1:(n - 1L))
  found <- eigen(jacobi, symmetric = TRUE)
  list(nodes = found$values, weights = found$vectors[1L, ]^2)
}
hermite <- gauss_hermite(32L)

residual_scale <- function(object) if (is_linear(object$family_name)) noise_sd(object) else 1

# A kernel machine has only this of its noise.
noise_sd <- function(object) if (is.null(object$results[["noise"]])) object$results$noise_sd else object$results$noise$sd

# ---- terms ----

# Contributions of the terms, as predict.lm has them: about the mean of the fit's own rows.
predicted_terms <- function(object, rows, call) {
  if (is.null(object$terms)) refuse(call, "type", "type is \"terms\"; the fit has no formula")
  training <- model.matrix(object)
  assign <- attr(training, "assign")
  labels <- attr(object$terms, "term.labels")
  with_intercept <- has_intercept(object)
  centre <- if (!with_intercept) rep(0, ncol(training)) else if (is.matrix(training)) colMeans(training, na.rm = TRUE) else Matrix::colMeans(training)
  beta <- object$coefficients
  X <- rows$X
  of_column <- if (ncol(X) == length(assign)) assign else assign[-1L]  # a sparse X has no intercept
  of_term <- function(term) {
    at <- assign == term
    drop(as.matrix(X[, of_column == term, drop = FALSE] %*% beta[at])) - sum(centre[at] * beta[at])
  }
  out <- matrix(vapply(seq_along(labels), of_term, numeric(nrow(rows$X))), nrow(rows$X), length(labels), dimnames = list(rows$names, labels))
  attr(out, "constant") <- if (with_intercept) sum(centre * beta) else 0
  out
}
