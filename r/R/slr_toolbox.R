# The programs of the SLR toolbox: (x_train, t_train, x_test, t_test, [R | gamma1], name = value, ...), with the options of the toolbox.

# likeness: of the precisions; kernel: a kernel machine on the rows. reads_ax0: the published program uses ax0; all take it.
slr_programs <- local({
  of_all <- c("scale_mode", "mean_mode", "nlearn", "nstep")
  of_slr <- c(of_all, "amax", "usebias", "norm_sep", "displaytext", "ax0")
  of_laplace <- c("wmaxiter", "wdisp_mode")
  program <- function(preset, likeness, options, several = FALSE, reads_ax0 = FALSE) {
    list(preset = preset, likeness = likeness, options = options, several = several, reads_ax0 = reads_ax0)
  }
  list(
    biclsfy_slrvar = program("slr_var", "column", c(of_slr, "invhessian")),
    biclsfy_slrlap = program("slr_lap", "column", c(of_slr, of_laplace)),
    biclsfy_rlrvar = program("rlr_var", "shared", c(of_slr, "invhessian")),
    biclsfy_rlrlap = program("rlr_lap", "shared", c(of_slr, of_laplace, "gamma0")),
    biclsfy_rvm = program("slr_rvm", "kernel", c(of_slr, "kernel")),
    biclsfy_l1slrlap = program("l1_slr_lap", "column", c(of_slr, of_laplace)),
    biclsfy_l1slrc = program("l1_slr_c", "laplace", c(of_all, "usebias", "norm_sep", "displaytext")),
    muclsfy_smlr = program("smlr", "column", c(of_slr, of_laplace, "gamma0", "isplot"), TRUE),
    muclsfy_rmlr = program("rmlr", "shared", c(of_slr, of_laplace, "gamma0", "prenlearn"), TRUE),
    muclsfy_slrlapovrm = program("slr_lap_ovr", "column", c(of_slr, of_laplace, "reduceparm"), TRUE),
    muclsfy_slrvarovrm = program("slr_var_ovr", "column", c(of_slr, "invhessian", "reduceparm"), TRUE),
    muclsfy_rlrvarovrm = program("rlr_var_ovr", "shared", c(of_slr, "invhessian", "reduceparm"), TRUE, TRUE),
    muclsfy_slrvarovo = program("slr_var_ovo", "column", c(of_slr, "invhessian", "combine_mode"), TRUE, TRUE)
  )
})

of_toolbox <- function(name) {
  force(name)
  function(x_train, t_train, x_test, t_test, ..., compat = FALSE) {
    classified(name, x_train, t_train, x_test, t_test, NULL, list(...), compat, match.call())
  }
}

biclsfy_slrvar <- of_toolbox("biclsfy_slrvar")
biclsfy_slrlap <- of_toolbox("biclsfy_slrlap")
biclsfy_rlrvar <- of_toolbox("biclsfy_rlrvar")
biclsfy_rlrlap <- of_toolbox("biclsfy_rlrlap")
muclsfy_smlr <- of_toolbox("muclsfy_smlr")
muclsfy_rmlr <- of_toolbox("muclsfy_rmlr")
muclsfy_slrlapovrm <- of_toolbox("muclsfy_slrlapovrm")
muclsfy_slrvarovrm <- of_toolbox("muclsfy_slrvarovrm")
muclsfy_rlrvarovrm <- of_toolbox("muclsfy_rlrvarovrm")
muclsfy_slrvarovo <- of_toolbox("muclsfy_slrvarovo")

biclsfy_rvm <- function(x_train, t_train, x_test, t_test, R = NULL, ..., compat = FALSE) {
  classified("biclsfy_rvm", x_train, t_train, x_test, t_test, R, list(...), compat, match.call())
}
biclsfy_l1slrlap <- function(x_train, t_train, x_test, t_test, gamma1, ..., compat = FALSE) {
  classified("biclsfy_l1slrlap", x_train, t_train, x_test, t_test, gamma1, list(...), compat, match.call())
}
biclsfy_l1slrc <- function(x_train, t_train, x_test, t_test, gamma1, ..., compat = FALSE) {
  classified("biclsfy_l1slrc", x_train, t_train, x_test, t_test, gamma1, list(...), compat, match.call())
}

classified <- function(name, x_train, t_train, x_test, t_test, extra, given, compat, call) {
  program <- slr_programs[[name]]
  check_compat(compat, call)
  x_train <- slr_table(x_train, "x_train", call)
  if (length(x_train) == 0L) refuse(call, "x_train", "x_train is empty (%d x %d)", nrow(x_train), ncol(x_train))
  x_test <- if (length(x_test) == 0L) x_train[0L, , drop = FALSE] else slr_table(x_test, "x_test", call)
  if (ncol(x_test) != ncol(x_train)) refuse(call, "x_test", "x_test has %d columns; x_train has %d", ncol(x_test), ncol(x_train))
  labels <- slr_labels(t_train, t_test, nrow(x_train), nrow(x_test), program$several, call)
  parm <- slr_options(name, given, call)
  classes <- length(labels$classes)
  machines <- if (!program$several) 1L else if (program$preset == "slr_var_ovo") choose(classes, 2L) else classes
  bias <- parm_flag(parm, "usebias", call)
  size <- list(rows = nrow(x_train), columns = ncol(x_train), classes = classes, machines = machines, bias = bias,
               width = (if (program$likeness == "kernel") nrow(x_train) else ncol(x_train)) + bias)
  train <- slr_scaled(x_train, NULL, parm, "x_train", call)
  test <- if (nrow(x_test) == 0L) x_test else slr_scaled(x_test, if (parm_flag(parm, "norm_sep", call)) NULL else x_train, parm, "x_test", call)
  options <- slr_library_options(program, parm, extra, size, compat, call)
  said <- function(X) list(call = call, arguments = c(X = X, X_new = X, labels = "t_train"))
  model <- checked(.Call(C_fit, train, 0L, NULL, labels$train, options), said("x_train"))
  results <- checked(.Call(C_result, model, NULL, list()))
  if (!compat || results$status != "max_sweeps") warn_of_status(results, call)
  probability <- function(X, name) {
    if (nrow(X) == 0L) return(matrix(0, 0L, classes))
    checked(.Call(C_predict, model, X, 0L, NULL, options[names(options) == "rule"]), said(name))$probability
  }
  of_classes <- function(p) structure(p, dimnames = list(NULL, labels$classes))
  ww <- slr_weights(program, results, size, compat)
  Ptr <- of_classes(if (program$likeness == "kernel" && compat) results$candidate_probability else probability(train, "x_train"))
  Pte <- of_classes(probability(test, "x_test"))
  out <- list(ww = ww, ix_eff_all = slr_survivors(program, ww, results, size, parm$amax, compat), errTable_tr = error_table(Ptr, labels$train),
              errTable_te = error_table(Pte, labels$test), parm = slr_parm(program, parm, extra, size, nrow(x_test)))
  if (program$likeness != "laplace") out$AXall <- slr_history(program, results, ww, bias)
  out <- c(out, list(Ptr = Ptr, Pte = Pte))
  if (program$preset == "slr_var_ovo") out$pairs <- t(utils::combn(classes, 2L))
  out
}

slr_table <- function(x, name, call) {
  if (is.atomic(x) && is.null(dim(x))) x <- as.matrix(x)
  as.matrix(numeric_matrix(x, name, call))
}

# The classes of the training labels in their order, and labels as positions from 0.
slr_labels <- function(t_train, t_test, num_train, num_test, several, call) {
  check_length(t_train, num_train, "t_train", call)
  if (length(t_test) != num_test) refuse(call, "t_test", "t_test has %d entries; x_test has %d rows", length(t_test), num_test)
  if (is.numeric(t_train) && any(!is.finite(t_train))) {
    wrong <- which(!is.finite(t_train))[1L]
    refuse(call, "t_train", "t_train at row %d is %s; it must be finite", wrong, format(t_train[wrong]))
  }
  if (anyNA(t_train)) refuse(call, "t_train", "t_train at row %d is missing", which(is.na(t_train))[1L])
  labels <- if (is.factor(t_train)) droplevels(t_train) else factor(as.vector(t_train))
  classes <- levels(labels)
  if (if (several) length(classes) < 2L else length(classes) != 2L) {
    refuse(call, "t_train", "t_train has %d classes; there must be %s", length(classes), if (several) "two or more" else "two")
  }
  test <- match(as.character(t_test), classes)
  if (anyNA(test)) {
    wrong <- which(is.na(test))[1L]
    refuse(call, "t_test", "t_test at row %d is %s, which is not a class of t_train", wrong, format(t_test[wrong]))
  }
  list(classes = classes, train = as.double(labels) - 1, test = test - 1)
}

# The defaults of the toolbox, changed by the caller's values.
slr_options <- function(name, given, call) {
  program <- slr_programs[[name]]
  of_preset <- catalogue()$defaults[[program$preset]]
  mode <- if (name == "biclsfy_rlrlap") "all" else "each"
  defaults <- list(
    scale_mode = mode, mean_mode = mode, nlearn = of_preset$max_sweeps, nstep = 100, amax = of_preset$prune_at, usebias = 1, norm_sep = 0,
    displaytext = 1, ax0 = NULL, wmaxiter = 50, wdisp_mode = "iter", invhessian = 0, gamma0 = 0, isplot = 0, prenlearn = 150, reduceparm = 0,
    combine_mode = 0, kernel = "linear"
  )
  if (program$likeness == "shared" && name != "biclsfy_rlrvar") defaults$ax0 <- 1
  if (length(given) > 0L && (is.null(names(given)) || any(names(given) == ""))) stop_for("an option has no name: give name = value", call = call)
  unknown <- setdiff(names(given), program$options)
  if (length(unknown) > 0L) {
    refuse(call, unknown[1L], "there is no option '%s'; the options are %s", unknown[1L], paste(program$options, collapse = ", "))
  }
  parm <- defaults[intersect(program$options, names(defaults))]
  parm[names(given)] <- given
  words <- list(scale_mode = c("each", "all", "stdeach", "stdall", "none"), mean_mode = c("each", "all", "none"))
  for (option in names(words)) {
    if (!(is.character(parm[[option]]) && length(parm[[option]]) == 1L && parm[[option]] %in% words[[option]])) {
      refuse(call, option, "%s is %s; it must be one of %s", option, deparse1(parm[[option]]), paste(words[[option]], collapse = ", "))
    }
  }
  parm
}

parm_flag <- function(parm, name, call) {
  value <- parm[[name]]
  if (is.null(value)) return(FALSE)
  if (!(length(value) == 1L && value %in% c(0, 1))) refuse(call, name, "%s is %s; it must be 0 or 1", name, deparse1(value))
  value == 1
}

parm_count <- function(parm, name, call) {
  value <- parm[[name]]
  if (!(is_positive(value) && value == round(value))) refuse(call, name, "%s is %s; it must be a whole number from 1", name, deparse1(value))
  value
}

slr_scaled <- function(X, like, parm, name, call) {
  checked(.Call(C_normalize, X, like, parm$mean_mode, parm$scale_mode), list(call = call, arguments = c(X = name)))
}

# The options of the toolbox as those of the library.
slr_library_options <- function(program, parm, extra, size, compat, call) {
  preset <- program$preset
  options <- list(preset = preset, compat = compat, standardize = FALSE, max_sweeps = parm_count(parm, "nlearn", call))
  if (!size$bias) options$intercept <- FALSE
  if (program$likeness != "laplace") {
    options$record_every <- parm_count(parm, "nstep", call)
    if (program$likeness != "shared" && (preset != "l1_slr_lap" || compat)) {
      if (!is_positive(parm$amax)) refuse(call, "amax", "amax is %s; it must be > 0", deparse1(parm$amax))
      options$prune_at <- parm$amax
    }
  }
  gamma0 <- parm$gamma0
  if (!is.null(gamma0) && gamma0 != 0 && (preset == "smlr" || !compat)) options$toolbox_gamma0 <- gamma0
  if (parm_flag(parm, "reduceparm", call)) {
    refuse(call, "reduceparm", paste("reduceparm is 1; it must be 0: each class has a machine against all others, and a score of 0 for the last",
                                     "class cannot be compared with theirs; muclsfy_smlr is one model of all classes"))
  }
  if (parm_flag(parm, "combine_mode", call)) options$rule <- "average"
  options$start_precision <- slr_start(program, parm$ax0, size, compat, call)
  if (program$likeness == "kernel") return(c(options, slr_kernel(parm$kernel, extra, compat, call)))
  if (preset %in% c("l1_slr_lap", "l1_slr_c")) {
    if (!is_positive(extra)) refuse(call, "gamma1", "gamma1 must be a number > 0")
    options$toolbox_gamma1 <- extra
  }
  options
}

slr_kernel <- function(kernel, R, compat, call) {
  if (!(is.character(kernel) && length(kernel) == 1L && tolower(kernel) %in% c("gaussian", "linear"))) {
    refuse(call, "kernel", "kernel is %s; it must be \"linear\" or \"Gaussian\"", deparse1(kernel))
  }
  if (tolower(kernel) == "linear") return(if (compat) list(kernel = "linear"))
  if (!is_positive(R)) refuse(call, "R", "R must be a number > 0")
  list(kernel = "gaussian", toolbox_R = R)
}

# The starting precisions. All published programs take them; only two use them, and the mode of L1 does not depend on them.
slr_start <- function(program, ax0, size, compat, call) {
  if (length(ax0) == 0L) return(NULL)
  count <- if (program$likeness == "shared") 1 else size$width * size$machines
  if (!is.numeric(ax0) || length(ax0) != count) refuse(call, "ax0", "ax0 has %d entries; it must have %d, in the order of ww", length(ax0), count)
  wrong <- which(!(is.finite(ax0) & ax0 > 0))
  if (length(wrong) > 0L) refuse(call, "ax0", "ax0[%d] is %s; it must be positive and finite", wrong[1L], format(ax0[wrong[1L]]))
  if (program$preset == "l1_slr_lap" || (compat && !program$reads_ax0)) NULL else as.double(ax0)
}

# ---- outputs ----

# Weights of the scaled columns, the bias last.
slr_weights <- function(program, results, size, compat) {
  if (program$likeness != "kernel") return(if (program$several) t(results$standardized_mean) else results$standardized_mean)
  if (compat) return(results$candidate_mean)  # one for each training row; as published, also those that leave after the last sweep
  ww <- numeric(size$width)
  ww[results$relevance_rows] <- results$standardized_mean[seq_along(results$relevance_rows)]
  if (size$bias) ww[size$width] <- results$standardized_mean[length(results$standardized_mean)]
  ww
}

# Positions of the columns that remain: those with a weight and a precision that has not grown without limit; a vector for each machine.
slr_survivors <- function(program, ww, results, size, amax, compat) {
  if (program$likeness == "kernel") {
    with_bias <- compat && size$bias && results$standardized_mean[length(results$standardized_mean)] != 0
    return(c(as.integer(results$relevance_rows), if (with_bias) size$rows + 1L))
  }
  ww <- as.matrix(ww)
  columns <- seq_len(size$columns)
  precision <- if (is.matrix(results$precision)) t(results$precision) else as.matrix(results$precision)
  each <- program$likeness == "column" && nrow(precision) >= size$columns
  lapply(seq_len(ncol(ww)), function(k) {
    if (program$likeness == "shared") return(columns)
    columns[ww[columns, k] != 0 & (!each | if (each) precision[columns, k] < amax else TRUE)]
  })
}

# Precisions at the start and after every nstep sweeps, with those of a bias: 0 if it has none.
slr_history <- function(program, results, ww, bias) {
  history <- results$precision_history
  machines <- NCOL(ww)
  if (nrow(history) == length(ww) || !bias || program$likeness == "shared" || nrow(history) %% machines != 0L) return(history)
  rows <- nrow(history) / machines
  do.call(rbind, lapply(seq_len(machines), function(k) rbind(history[(k - 1L) * rows + seq_len(rows), , drop = FALSE], 0)))
}

# A row for each true class, a column for each most probable class; if two are equally probable, the second, as published.
error_table <- function(probability, labels) {
  best <- if (ncol(probability) == 2L) 1L + (probability[, 2L] >= probability[, 1L]) else max.col(probability, "first")
  classes <- colnames(probability)
  unclass(table(factor(classes[labels + 1], classes), factor(classes[best], classes), dnn = NULL))
}

slr_parm <- function(program, parm, extra, size, num_test) {
  all <- size$width * size$machines
  if (length(parm$ax0) == 0L && program$likeness != "shared" && "ax0" %in% program$options) parm$ax0 <- rep(1, all)
  c(parm, list(nclass = size$classes, nparm = all, nsamp_tr = size$rows, nsamp_te = num_test,
               nfeat = if (program$likeness == "kernel") size$columns else size$width), if (program$likeness == "kernel") list(R = extra))
}

# How often each column is kept in a cross-validation. CVRes: a list with an element for each fold.
calc_SCval <- function(CVRes, COND = NULL, noweight = FALSE, thres = NULL, compat = FALSE) {
  call <- match.call()
  check_compat(compat, call)
  if (!is.list(CVRes) || length(CVRes) == 0L || !all(vapply(CVRes, is.list, NA))) {
    refuse(call, "CVRes", "CVRes must be a list with an element for each fold, with ix_eff_all, g and errTable_te")
  }
  columns <- unique(vapply(CVRes, function(fold) {
    if (!is_positive(fold$g$nfeat)) refuse(call, "CVRes", "an element of CVRes has no g$nfeat; g is the output parm of a fit")
    fold$g$nfeat - (is.null(fold$g$usebias) || fold$g$usebias != 0)
  }, 0))
  if (length(columns) != 1L || columns < 1) refuse(call, "CVRes", "the elements of CVRes have different numbers of columns, or none")
  correct <- vapply(CVRes, function(fold) {
    if (!is.null(fold$errTable_te)) return(100 * sum(diag(fold$errTable_te)) / sum(fold$errTable_te))
    if (is.null(fold$Ncorrect_te)) refuse(call, "CVRes", "an element of CVRes has neither errTable_te nor Ncorrect_te")
    fold$Ncorrect_te
  }, 0)
  counts <- vapply(CVRes, function(fold) {
    kept <- fold$ix_eff_all
    if (is.null(kept)) refuse(call, "CVRes", "an element of CVRes has no ix_eff_all")
    if (is.list(kept)) kept <- unlist(if (compat) kept[1L] else kept)  # the published program looks at the first class only
    if (!all(kept %in% seq_len(columns))) refuse(call, "CVRes", "ix_eff_all must hold columns from 1 to %d", columns)
    seq_len(columns) %in% kept
  }, logical(columns))
  weight <- if (!is.null(thres)) (correct / 100 >= thres) + 0 else if (isTRUE(as.logical(noweight))) rep(1, length(CVRes)) else correct / 100
  list(SC = drop(matrix(counts, columns) %*% weight), NCORRECT_TE = correct)
}
