# Fitting: by a formula, and to a matrix.

ardvark <- function(formula, data, family = gaussian(), prior = "auto", weights, offset, subset, na.action, impute = FALSE, flat = NULL,
                    groups = NULL, contrasts = NULL, ...) {
  call <- match.call()
  family <- family_name(family, call)
  options <- options_given(list(...), call)
  frame <- match.call(expand.dots = FALSE)
  frame <- frame[c(1L, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(frame), 0L))]
  frame$drop.unused.levels <- TRUE
  if (isTRUE(impute)) frame$na.action <- quote(stats::na.pass)
  frame[[1L]] <- quote(stats::model.frame)
  frame <- eval(frame, parent.frame())
  if (isTRUE(impute)) frame <- without_unknown_response(frame)
  terms <- attr(frame, "terms")
  if (attr(terms, "response") == 0L) stop_for("formula has no response: write y ~ x1 + x2", "formula", call = call)
  if (nrow(frame) == 0L) stop_for("data has no rows (0 non-NA cases)", "data", call = call)
  check_columns(frame, terms, call)
  X <- model.matrix(terms, frame, contrasts.arg = contrasts)
  intercept <- attr(terms, "intercept") == 1L
  term <- attr(X, "assign")[attr(X, "assign") > 0L]
  labels <- attr(terms, "term.labels")
  columns <- colnames(X)[if (intercept) -1L else seq_len(ncol(X))]
  if (length(columns) == 0L) stop_for("formula has no columns besides the intercept", "formula", call = call)
  said <- list(call = call, rows = rownames(frame), arguments = c(X = "data", labels = deparse1(formula(terms)[[2L]]), target = deparse1(formula(terms)[[2L]]),
               y = deparse1(formula(terms)[[2L]]), row_offset = "offset", group = "groups"))
  question <- list(
    X = X, skip = intercept + 0L, columns = columns, response = model.response(frame), name = said$arguments[["y"]], family = family,
    weights = model.weights(frame), offset = model.offset(frame), prior = prior, impute = impute, options = options,
    flat = positions_of(flat, columns, labels[term], "flat", call),
    groups = group_numbers(groups, columns, factor_terms(terms)[term], term, prior, call)
  )
  fit <- solve_question(question, said)
  fit <- c(fit, list(
    call = call, formula = formula(terms), terms = terms, model = frame, contrasts = attr(X, "contrasts"), xlevels = .getXlevels(terms, frame),
    na.action = attr(frame, "na.action"), offset_argument = !missing(offset)
  ))
  finished(fit, X, intercept + 0L)
}

ardvark_fit <- function(x, y, family = gaussian(), prior = "auto", weights = NULL, offset = NULL, intercept = TRUE, impute = FALSE, flat = NULL,
                        groups = NULL, ...) {
  call <- match.call()
  family <- family_name(family, call)
  options <- options_given(list(...), call)
  x <- numeric_matrix(x, "x", call)
  columns <- colnames(x)
  if (is.null(columns)) columns <- paste0("x", seq_len(ncol(x)))
  if (NROW(y) != nrow(x)) stop_for(sprintf("y has %d entries; x has %d rows", NROW(y), nrow(x)), "y", call = call)
  check_length(weights, nrow(x), "weights", call)
  check_length(offset, nrow(x), "offset", call)
  said <- list(call = call, rows = rownames(x), arguments = c(X = "x", labels = "y", target = "y", row_offset = "offset", group = "groups"))
  if (!isTRUE(intercept)) options$intercept <- FALSE
  question <- list(
    X = x, skip = 0L, columns = columns, response = y, name = "y", family = family, weights = weights, offset = offset, prior = prior,
    impute = impute, options = options, flat = positions_of(flat, columns, columns, "flat", call),
    groups = group_numbers(groups, columns, rep(FALSE, length(columns)), seq_along(columns), prior, call)
  )
  fit <- c(solve_question(question, said), list(call = call))
  finished(fit, x, 0L)
}

# The fit of a question: what is independent of where X came from.
solve_question <- function(question, said) {
  family <- question$family
  weights <- question$weights
  if (!is.null(weights)) {
    if (!is.numeric(weights)) stop_for(sprintf("weights is of type %s; it must be numbers", typeof(weights)), "weights", call = said$call)
    weights <- as.double(weights)
    if (any(!is.finite(weights)) || any(weights < 0)) stop_for("weights has a value that is negative or not finite (negative weights not allowed)", "weights", call = said$call)
  }
  offset <- if (is.null(question$offset)) NULL else finite_offset(question$offset, said$call)
  if (!is.null(offset) && family %in% c("binomial", "multinomial")) {
    stop_for(sprintf("offset cannot be used with family %s", family), "offset", call = said$call)
  }
  response <- read_response(question$response, weights, family, question$name, said$call)
  y <- response$y
  # A regression of numbers with an offset is that of y - offset.
  if (!is.null(offset) && is_linear(family)) y <- y - offset
  X <- question$X
  if (!is.null(response$rows)) {
    said$rows <- said$rows[response$rows]
    if (!is.matrix(X)) X <- X[response$rows, , drop = FALSE]
  }
  options <- c(families[[family]]$options, list(prior = question$prior, column_names = question$columns, target = question$name), question$options)
  options$weights <- response$weights
  options$class_names <- response$classes
  if (is_count(family)) options$row_offset <- offset
  if (!is.null(question$flat)) options$flat <- question$flat - 1
  if (!is.null(question$groups)) options$group <- question$groups - 1
  if (isTRUE(question$impute)) options$missing <- "impute"
  if (question$skip == 0L && is.null(options$intercept) && !is.null(attr(X, "assign"))) options$intercept <- FALSE
  handle <- checked(.Call(C_fit, in_place(X), question$skip, response$rows, y, options), said)
  fit <- list(
    family = family_object(family), family_name = family, prior.weights = response$trials, offset = offset, y = response$observed,
    classes = response$classes, columns = question$columns, is_grouped = isTRUE(response$is_grouped), is_share = isTRUE(response$is_share),
    impute = isTRUE(question$impute), model_held = held_model(handle)
  )
  fit$results <- results_at(fit)
  warn_for(fit$results$warnings, said$call)
  fit
}

# Adds coefficients and what the fit says of its own rows.
finished <- function(fit, X, skip) {
  class(fit) <- "ardvark"
  fit$coefficients <- coefficients_of(fit$results)
  said <- predictions(fit, X, skip, fit$offset)
  fit$fitted.values <- said$response
  fit$linear.predictors <- said$link
  fit
}

# With an intercept first. Of several classes: a row for each class.
coefficients_of <- function(results) {
  if (is.matrix(results$mean)) {
    out <- cbind(`(Intercept)` = results$intercept$mean, results$mean)
    dimnames(out) <- list(results$classes, c(if (!is.null(results$intercept)) "(Intercept)", results$columns))
    return(out)
  }
  c(if (!is.null(results$intercept)) c(`(Intercept)` = results$intercept$mean), setNames(results$mean, results$columns))
}

# ---- tables ----

# A matrix as the calls take it.
in_place <- function(X) if (is.matrix(X)) X else list(X@p, X@i, X@x, X@Dim)

numeric_matrix <- function(x, name, call) {
  if (is.data.frame(x)) stop_for(sprintf("%s is a data frame; use ardvark(y ~ ., data), or as.matrix(%s)", name, name), name, call = call)
  if (is(x, "Matrix")) {
    if (!is(x, "sparseMatrix")) return(numeric_matrix(as.matrix(x), name, call))
    if (!is(x, "dgCMatrix")) x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    return(x)
  }
  if (!is.matrix(x)) stop_for(sprintf("%s is of class %s; it must be a matrix", name, class(x)[1L]), name, call = call)
  if (!(is.numeric(x) || is.logical(x))) stop_for(sprintf("%s is a matrix of type %s; it must be numbers", name, typeof(x)), name, call = call)
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

check_length <- function(values, rows, name, call) {
  if (!is.null(values) && length(values) != rows) stop_for(sprintf("%s has %d entries; there are %d rows", name, length(values), rows), name, call = call)
}

# Columns that model.matrix would read as something else than they are.
check_columns <- function(frame, terms, call) {
  is_variable <- !seq_along(frame) %in% c(attr(terms, "response"), attr(terms, "offset")) & !names(frame) %in% c("(weights)", "(offset)")
  for (name in names(frame)[is_variable]) {
    column <- frame[[name]]
    if (is.complex(column) || is.list(column) || is.raw(column)) {
      stop_for(sprintf("column '%s' is of type %s; it must be numbers, a factor, texts or logical", name, typeof(column)), name, call = call)
    }
    if (is.factor(column) && nlevels(column) < 2L && attr(terms, "intercept") == 1L) {
      stop_for(sprintf("column '%s' has one level only (contrasts need factors with 2 or more levels)", name), name, call = call)
    }
  }
}

# Of an imputed table: rows without a response say nothing.
without_unknown_response <- function(frame) {
  terms <- attr(frame, "terms")
  y <- model.response(frame)
  unknown <- if (is.matrix(y)) rowSums(is.na(y)) > 0 else is.na(y)
  if (!any(unknown)) return(frame)
  left_out <- structure(which(unknown), names = rownames(frame)[unknown], class = "omit")
  frame <- frame[!unknown, , drop = FALSE]
  structure(frame, terms = terms, na.action = left_out)
}

finite_offset <- function(offset, call) {
  if (!is.numeric(offset)) stop_for(sprintf("offset is of type %s; it must be numbers", typeof(offset)), "offset", call = call)
  if (any(!is.finite(offset))) stop_for(sprintf("offset at row %d is %s; all values must be finite", which(!is.finite(offset))[1L], format(offset[!is.finite(offset)][1L])), "offset", call = call)
  as.double(offset)
}

# Whether a term has a factor, so that its columns are dummies.
factor_terms <- function(terms) {
  classes <- attr(terms, "dataClasses")
  is_factor <- classes %in% c("factor", "ordered", "character", "logical")
  uses <- attr(terms, "factors")
  if (length(uses) == 0L) return(logical())
  colSums(uses[is_factor[match(rownames(uses), names(classes))], , drop = FALSE] > 0) > 0
}

# Positions of columns that a user names, by themselves or by their term.
positions_of <- function(given, columns, terms, argument, call) {
  if (is.null(given)) return(NULL)
  if (is.character(given)) {
    unknown <- setdiff(given, c(columns, terms))
    if (length(unknown) > 0L) stop_for(sprintf("%s names '%s', which is no column and no term; columns: %s", argument, unknown[1L], paste(utils::head(columns, 10L), collapse = ", ")), argument, call = call)
    return(which(columns %in% given | terms %in% given))
  }
  if (!is.numeric(given) || any(!given %in% seq_along(columns))) stop_for(sprintf("%s must be names of columns, or positions from 1 to %d", argument, length(columns)), argument, call = call)
  as.integer(given)
}

# A group number for each column. NULL: the dummies of a factor are one group, where the prior has groups.
group_numbers <- function(groups, columns, is_dummy, term, prior, call) {
  if (identical(groups, FALSE)) return(NULL)
  if (is.null(groups)) {
    if (!anyDuplicated(term[is_dummy]) || !prior %in% c("auto", "sparse", "slab", "groups", "ard")) return(NULL)
    key <- ifelse(is_dummy, paste0("term ", term), paste0("column ", seq_along(columns)))
    return(match(key, unique(key)))
  }
  if (!is.null(names(groups))) groups <- groups[columns]
  if (length(groups) != length(columns) || anyNA(groups)) {
    stop_for(sprintf("groups must have an entry for each of the %d columns: %s", length(columns), paste(utils::head(columns, 10L), collapse = ", ")), "groups", call = call)
  }
  match(groups, unique(groups))
}
