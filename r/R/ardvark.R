# Fitting: by a formula, and to a matrix.

ardvark <- function(formula, data, family = gaussian(), prior = "auto", weights, offset, subset, na.action, impute = FALSE, flat = NULL,
                    groups = NULL, contrasts = NULL, ...) {
  call <- match.call()
  family <- family_name(family, call)
  options <- options_given(list(...), call)
  check_words(prior, impute, call)
  asked <- call
  if (isTRUE(impute)) asked$na.action <- quote(stats::na.pass)
  frame <- framed(asked, parent.frame())
  if (isTRUE(impute)) frame <- without_unknown_response(frame)
  terms <- attr(frame, "terms")
  check_frame(frame, terms, call)
  if (impute) refuse_unknown_levels(frame, call)
  is_sparse <- !impute && is_mostly_zero(frame, terms)
  X <- design(terms, frame, contrasts, is_sparse)
  intercept <- attr(terms, "intercept") == 1L
  if (!intercept) options$intercept <- FALSE
  term <- attr(X, "assign")[attr(X, "assign") > 0L]
  labels <- attr(terms, "term.labels")
  columns <- colnames(X)[attr(X, "assign") > 0L]
  name <- deparse1(formula(terms)[[2L]])
  said <- said_of(call, rownames(X), "data", name, fills = TRUE)
  rows <- without_intercept(X, intercept)
  question <- list(
    X = rows$X, skip = rows$skip, columns = columns, response = frame[[attr(terms, "response")]], name = name, family = family,
    weights = model.weights(frame), offset = model.offset(frame), prior = prior, impute = impute, options = options,
    flat = positions_of(flat, columns, labels[term], "flat", call),
    groups = group_numbers(groups, columns, factor_terms(terms)[term], term, prior, call)
  )
  shared <- list(
    call = call, formula = formula(terms), terms = terms, model = frame, contrasts = attr(X, "contrasts"), xlevels = .getXlevels(terms, frame),
    na.action = attr(frame, "na.action"), offset_argument = !missing(offset), is_sparse = is_sparse
  )
  if (has_many_targets(question$response, family)) return(fit_targets(question, said, shared))
  finished(c(solve_question(question, said), shared), rows$X, rows$skip)
}

ardvark_fit <- function(x, y, family = gaussian(), prior = "auto", weights = NULL, offset = NULL, intercept = TRUE, impute = FALSE, flat = NULL,
                        groups = NULL, ...) {
  call <- match.call()
  options <- options_given(list(...), call, also = c("preset", "compat", "converge"))
  family <- if (is.null(options$preset)) family_name(family, call) else family_of_preset(options$preset, if (!missing(family)) family, call)
  if (!is.null(options$preset) && !missing(prior)) refuse(call, "prior", "prior is given, but preset \"%s\" has its own", options$preset)
  check_words(prior, impute, call)
  x <- numeric_matrix(x, "x", call)
  columns <- colnames(x)
  if (is.null(columns)) columns <- paste0("x", seq_len(ncol(x)))
  if (anyDuplicated(columns)) refuse(call, "x", "x has two columns named '%s'", columns[duplicated(columns)][1L])
  if (NROW(y) != nrow(x)) refuse(call, "y", "y has %d entries; x has %d rows", NROW(y), nrow(x))
  check_length(weights, nrow(x), "weights", call)
  check_length(offset, nrow(x), "offset", call)
  said <- said_of(call, rownames(x), "x", "y", fills = TRUE)
  if (!isTRUE(intercept) && !isFALSE(intercept)) refuse(call, "intercept", "intercept must be TRUE or FALSE")
  if (!intercept) options$intercept <- FALSE
  question <- list(
    X = x, skip = 0L, columns = columns, response = y, name = "y", family = family, weights = weights, offset = offset, prior = prior,
    impute = impute, options = options, flat = positions_of(flat, columns, columns, "flat", call),
    groups = group_numbers(groups, columns, rep(FALSE, length(columns)), seq_along(columns), prior, call)
  )
  if (has_many_targets(y, family)) return(fit_targets(question, said, list(call = call)))
  fit <- c(solve_question(question, said), list(call = call))
  if (identical(fit$results$model, "rvm")) finished_machine(c(fit, list(x = x)), x, 0L) else finished(fit, x, 0L)
}

# A question as the library reads it: y, the options, the rows of X if not all in their order, and the response as read_response() has it.
# Here it does not matter where X came from.
read_question <- function(question, said) {
  family <- question$family
  weights <- checked_numbers(question$weights, "weights", said, function(w) w >= 0, ">= 0 (negative weights not allowed)")
  offset <- checked_numbers(question$offset, "offset", said)
  check_length(offset, NROW(question$response), "offset", said$call)
  if (!is.null(offset) && family %in% c("binomial", "multinomial")) {
    refuse(said$call, "offset", "offset cannot be used with family %s: it applies to numbers and counts", family)
  }
  response <- read_response(question$response, weights, family, question$name, said$call)
  y <- response$y
  # A regression of numbers with an offset is that of y - offset.
  if (!is.null(offset) && is_linear(family)) y <- y - offset
  # a published program has its own model and prior
  of_model <- if (is.null(question$options$preset)) c(families[[family]]$options, list(prior = question$prior))
  options <- c(of_model, list(column_names = question$columns, target = question$name), question$options)
  options$weights <- response$weights
  options$class_names <- response$classes
  if (is_count(family)) options$row_offset <- offset
  if (!is.null(question$flat)) options$flat <- question$flat - 1
  if (!is.null(question$groups)) options$group <- question$groups - 1
  if (isTRUE(question$impute)) options$missing <- "impute"
  list(y = y, options = options, rows = response$rows, response = response, offset = offset)
}

solve_question <- function(question, said) {
  read <- read_question(question, said)
  response <- read$response
  family <- question$family
  X <- question$X
  if (!is.null(read$rows)) {
    said$rows <- said$rows[read$rows]
    if (!is.matrix(X)) X <- X[read$rows, , drop = FALSE]
  }
  handle <- checked(.Call(C_fit, in_place(X), question$skip, read$rows, read$y, read$options), said)
  fit <- list(
    family = family_object(family), family_name = family, prior.weights = response$trials, offset = read$offset, y = response$observed,
    classes = response$classes, columns = question$columns, is_grouped = isTRUE(response$is_grouped), is_share = isTRUE(response$is_share),
    impute = isTRUE(question$impute), model_held = held_model(handle),
    question = question[c("columns", "name", "prior", "impute", "options", "flat", "groups")]
  )
  fit$results <- results_at(fit)
  warn_for(setdiff(fit$results$warnings, said$known), said$call, said$target)
  fit
}

# Adds coefficients and what the fit says of its own rows.
finished <- function(fit, X, skip) {
  class(fit) <- "ardvark"
  fit$coefficients <- coefficients_of(fit$results)
  said <- if (is_linear(fit$family_name) && !fit$impute) fitted_means(fit, X, skip) else predictions(fit, X, skip, fit$offset)
  fit$fitted.values <- said$response
  fit$linear.predictors <- said$link
  fit
}

# X'w of each row: what predictions() says of the mean, without a copy of X and without standard deviations.
fitted_means <- function(fit, X, skip) {
  beta <- unname(fit$coefficients)
  apart <- skip == 0L && !is.null(fit$results$intercept)  # X has no column of the intercept
  mean <- as.matrix(if (apart) X %*% beta[-1L] + beta[1L] else X %*% beta)
  attributes(mean) <- NULL  # drop() would write out names that are row numbers
  if (!is.null(fit$offset)) mean <- mean + fit$offset
  names(mean) <- rownames(X)
  list(response = mean, link = mean)
}

# With an intercept first. Of several classes: a row for each class, or for each pair.
coefficients_of <- function(results) {
  if (is.matrix(results$mean)) {
    out <- cbind(`(Intercept)` = results$intercept$mean, results$mean)
    dimnames(out) <- list(scored_classes(results), c(if (!is.null(results$intercept)) "(Intercept)", results$columns))
    return(out)
  }
  c(if (!is.null(results$intercept)) c(`(Intercept)` = results$intercept$mean), setNames(results$mean, results$columns))
}

# What each row of coefficients is the score of. A pair is named second/first, whose log odds these are.
scored_classes <- function(results) {
  if (!identical(results$coding, "one_against_one")) return(results$classes)
  apply(utils::combn(results$classes, 2L), 2L, function(pair) paste(rev(pair), collapse = "/"))
}

# ---- tables ----

# Whether dummies would fill a large matrix with zeros: more bytes than this, of which a tenth or less are not zero.
is_mostly_zero <- function(frame, terms) {
  uses <- attr(terms, "factors")
  if (length(uses) == 0L || !any(vapply(frame, has_levels, NA))) return(FALSE)
  levels <- vapply(frame, function(column) if (has_levels(column)) length(unique(column)) else 1L, 0L)
  width <- vapply(frame, NCOL, 0L)
  of_term <- apply(uses > 0, 2L, function(used) c(columns = prod((levels * width)[rownames(uses)[used]]), filled = prod(width[rownames(uses)[used]])))
  bytes <- 8 * nrow(frame) * sum(of_term["columns", ])
  is_large <- bytes > getOption("ardvark.dense_bytes", 2^28) && sum(of_term["filled", ]) <= sum(of_term["columns", ]) / 10
  is_large && requireNamespace("Matrix", quietly = TRUE)  # which takes as long to load as many fits
}

# The model matrix, with its intercept.
design <- function(terms, frame, contrasts, is_sparse) {
  if (is_sparse) Matrix::sparse.model.matrix(terms, frame, contrasts.arg = contrasts) else model.matrix(terms, frame, contrasts.arg = contrasts)
}

# The columns of a fit: the intercept of a dense matrix is skipped when it is read.
without_intercept <- function(X, has_intercept) {
  if (!has_intercept || is.matrix(X)) list(X = X, skip = has_intercept + 0L) else list(X = X[, -1L, drop = FALSE], skip = 0L)
}

# A matrix as the calls take it.
in_place <- function(X) if (is.matrix(X)) X else list(X@p, X@i, X@x, X@Dim)

numeric_matrix <- function(x, name, call) {
  if (is.data.frame(x)) refuse(call, name, "%s is a data frame; use a formula with data = %s, or as.matrix(%s)", name, name, name)
  if (is(x, "Matrix")) {
    if (!is(x, "sparseMatrix")) return(numeric_matrix(as.matrix(x), name, call))
    if (!is(x, "dgCMatrix")) x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    return(x)
  }
  if (!is.matrix(x)) refuse(call, name, "%s is of class %s; it must be a matrix", name, class(x)[1L])
  if (!(is.numeric(x) || is.logical(x))) refuse(call, name, "%s is a matrix of type %s; it must be numbers", name, typeof(x))
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# What messages of the library call arguments, and its rows. fills: whether the caller has the argument impute.
said_of <- function(call, rows, X, y, fills = FALSE) {
  list(call = call, rows = rows, arguments = c(X = X, labels = y, target = y, y = y, row_offset = "offset", group = "groups"), fills = fills)
}

check_words <- function(prior, impute, call) {
  if (!(is.character(prior) && length(prior) == 1L)) refuse(call, "prior", "prior must be one word, such as \"auto\" or \"shared\"")
  if (!isTRUE(impute) && !isFALSE(impute)) refuse(call, "impute", "impute must be TRUE or FALSE")
}

check_length <- function(values, rows, name, call) {
  if (!is.null(values) && length(values) != rows) refuse(call, name, "%s has %d entries; there are %d rows", name, length(values), rows)
}

# The model frame of a call with a formula.
framed <- function(call, env) {
  call <- call[c(1L, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(call), 0L))]
  call$drop.unused.levels <- TRUE
  call[[1L]] <- quote(stats::model.frame)
  eval(call, env)
}

check_frame <- function(frame, terms, call) {
  if (attr(terms, "response") == 0L) refuse(call, "formula", "formula has no response: write y ~ x1 + x2")
  if (nrow(frame) == 0L) refuse(call, "data", "data has no rows (0 non-NA cases)")
  if (length(attr(terms, "term.labels")) == 0L) refuse(call, "formula", "formula has no columns besides the intercept")
  check_columns(frame, terms, call)
}

# Columns that model.matrix would read as something else than they are.
check_columns <- function(frame, terms, call) {
  is_variable <- !seq_along(frame) %in% c(attr(terms, "response"), attr(terms, "offset")) & !names(frame) %in% c("(weights)", "(offset)")
  for (name in names(frame)[is_variable]) {
    column <- frame[[name]]
    if (is.complex(column) || is.list(column) || is.raw(column)) {
      refuse(call, name, "column '%s' is of type %s; it must be numbers, a factor, texts or logical", name, typeof(column))
    }
    levels <- if (is.factor(column)) levels(column) else if (is.character(column)) unique(column)
    if (!is.null(levels) && length(levels) < 2L && attr(terms, "intercept") == 1L) {
      refuse(call, name, "column '%s' has one level only (contrasts need factors with 2 or more levels)", name)
    }
  }
}

# The columns of a factor, each filled in for itself, would be no level.
refuse_unknown_levels <- function(frame, call) {
  unknown <- names(frame)[vapply(frame, function(column) has_levels(column) && anyNA(column), NA)]
  if (length(unknown) == 0L) return(invisible())
  why <- "impute fills columns of numbers only; na.action = na.omit leaves such rows out, addNA() makes a level of them"
  stop_for(sprintf("column '%s' has missing values; %s", unknown[1L], why), unknown[1L], column = unknown[1L], call = call)
}

has_levels <- function(column) is.factor(column) || is.character(column) || is.logical(column)

# Of an imputed table: rows without a response say nothing.
without_unknown_response <- function(frame) {
  terms <- attr(frame, "terms")
  y <- frame[[attr(terms, "response")]]
  unknown <- if (is.matrix(y)) rowSums(is.na(y)) > 0 else is.na(y)
  if (!any(unknown)) return(frame)
  left_out <- structure(which(unknown), names = rownames(frame)[unknown], class = "omit")
  frame <- frame[!unknown, , drop = FALSE]
  structure(frame, terms = terms, na.action = left_out)
}

# A number for each row, or NULL.
checked_numbers <- function(values, name, said, holds = is.finite, why = "finite") {
  if (is.null(values)) return(NULL)
  if (!is.numeric(values)) refuse(said$call, name, "%s is of type %s; it must be numbers", name, typeof(values))
  wrong <- which(!(is.finite(values) & holds(values)))
  if (length(wrong) > 0L) {
    row <- if (is.null(said$rows)) wrong[1L] else dQuote(said$rows[wrong[1L]], FALSE)
    value <- values[wrong[1L]]
    said_wrong <- sprintf("%s at row %s is %s; all values must be %s", name, row, format(value), if (is.finite(value)) why else "finite")
    stop_for(said_wrong, name, row = wrong[1L], call = said$call)
  }
  as.double(values)
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
    if (length(unknown) > 0L) {
      refuse(call, argument, "%s names '%s', which is no column and no term; columns: %s", argument, unknown[1L], some(columns))
    }
    return(which(columns %in% given | terms %in% given))
  }
  if (!is.numeric(given) || any(!given %in% seq_along(columns))) {
    refuse(call, argument, "%s must be names of columns, or positions from 1 to %d", argument, length(columns))
  }
  as.integer(given)
}

# A group number for each column. NULL: the dummies of a factor are one group, where the prior has groups.
group_numbers <- function(groups, columns, is_dummy, term, prior, call) {
  if (identical(groups, FALSE)) return(NULL)
  if (is.null(groups)) {
    if (!anyDuplicated(term[is_dummy]) || !prior %in% c("auto", "sparse", "slab", "groups", "ard")) return(NULL)
    return(grouped_columns(is_dummy, term))
  }
  if (!is.null(names(groups))) groups <- groups[columns]
  if (length(groups) != length(columns) || anyNA(groups)) {
    refuse(call, "groups", "groups must have an entry for each of the %d columns: %s", length(columns), some(columns))
  }
  match(groups, unique(groups))
}

# A number for each column: the same for those of a term with a factor.
grouped_columns <- function(is_factor, term) {
  key <- ifelse(is_factor, paste("term", term), paste("column", seq_along(term)))
  match(key, unique(key))
}
