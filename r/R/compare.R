# Fits ranked by their log evidence.

compare <- function(object, ...) UseMethod("compare")

# The priors whose evidence the library knows, ard without a rank.
ranked_priors <- c("sparse", "slab", "dense", "shared", "ard")

# Each fit is asked for its log evidence, which is its bound without the cost of hyper-priors (CMP.1): it is fitted once more.
compare.ardvark <- function(object, ..., priors = NULL) {
  call <- match.call()
  fits <- list(object, ...)
  wrong <- function(...) refuse(call, "object", ...)
  is_machine <- vapply(fits, inherits, NA, "ardvark_machine")
  if (!all(is_machine | vapply(fits, inherits, NA, "ardvark"))) wrong("compare() takes fits of ardvark(), rvm() and kernel_machine()")
  if (any(vapply(fits[is_machine], function(fit) is.null(fit$y), NA))) wrong("compare() needs fits with their rows, which a file does not keep")
  if (any(vapply(fits[!is_machine], function(fit) is.null(fit$terms), NA))) wrong("compare() needs fits by a formula: others do not keep x")
  if (!is.null(priors)) return(compared_priors(object, priors, length(fits), call))
  same <- vapply(fits, function(fit) identical(as.vector(fit$y), as.vector(object$y)) && identical(fit$prior.weights, object$prior.weights), NA)
  if (!all(same)) refuse(call, "object", "the fits have other rows, responses or weights; their evidences are comparable only for the same data")
  given <- as.list(call)[-1L]
  names <- vapply(given[!names(given) %in% "priors"], function(one) deparse1(one), "")
  rows <- lapply(fits, function(fit) {
    if (inherits(fit, "ardvark_machine")) return(ranking_of_machine(fit))
    if (!fit$results$prior %in% ranked_priors) return(ranking(fit, list(list(name = fit$results$prior, bound = fit$results$bound))))
    # a comparison has two priors at least
    models <- asked(fit, unique(c(fit$results$prior, "shared", "dense"))[1:2], call)$models
    ranking(fit, models[prior_of(models) == fit$results$prior])
  })
  out <- do.call(rbind, rows)
  rownames(out) <- make.unique(unname(names))
  ranked(out)
}

# Several priors for the table of one fit.
compared_priors <- function(fit, priors, count, call) {
  if (inherits(fit, "ardvark_machine")) refuse(call, "priors", "priors are those of a fit of ardvark(); a machine has none")
  if (count > 1L) refuse(call, "priors", "priors are those of one fit; give it alone")
  if (!is.character(priors) || length(unique(priors)) < 2L || !all(priors %in% ranked_priors)) {
    refuse(call, "priors", "priors must be two or more of %s", some(ranked_priors))
  }
  said <- asked(fit, priors, call)
  out <- ranking(fit, said$models)
  rownames(out) <- out$prior
  ranked(out, in_our_words(said$verdict))
}

asked <- function(fit, priors, call) {
  if (fit$is_sparse) refuse(call, "object", "compare() reads no sparse table: set options(ardvark.dense_bytes = Inf) before the fit")
  frame <- fit$model
  question <- c(fit$question, list(family = fit$family_name, response = frame[[attr(fit$terms, "response")]], weights = model.weights(frame),
                                   offset = model.offset(frame)))
  said <- said_of(call, rownames(frame), "data", question$name)
  read <- read_question(question, said)
  options <- read$options
  options$prior <- NULL
  # the library compares families of numbers and counts, too
  word <- switch(fit$family_name, gaussian = "normal", student = "student", poisson = "poisson", negbin = "negative-binomial", "")
  options[c("family", "noise")] <- NULL
  checked(.Call(C_compare, model.matrix(fit), has_intercept(fit) + 0L, read$rows, read$y, paste(priors, collapse = ","), word, options), said)
}

prior_of <- function(models) sub("[ ,].*", "", vapply(models, `[[`, "", "name"))

# A row for each model of a comparison.
ranking <- function(fit, models) {
  number <- function(name) vapply(models, function(model) if (is.null(model[[name]])) NA_real_ else as.numeric(model[[name]]), 0)
  data.frame(family = fit$family_name, prior = prior_of(models), bound = number("bound"), evidence = number("evidence"), difference = NA_real_,
             effective_parameters = if (length(models) > 1L) number("effective_parameters") else fit$results$effective_parameters)
}

# A machine has its evidence already.
ranking_of_machine <- function(fit) {
  results <- fit$results
  evidence <- results$log_evidence
  if (results$model == "kernel" && is.null(fit$classes)) {
    half <- results$degrees_of_freedom / 2
    evidence <- evidence - (lgamma(half) + half - half * log(half))  # the noise has its best value in the others (CMP.6)
  }
  bound <- if (results$model == "kernel") results$log_evidence else sum(results$bound)
  degrees <- if (is.null(results$effective_parameters)) NA_real_ else sum(results$effective_parameters)
  data.frame(family = fit$family_name, prior = paste(c(results$model, results$kernel_spec$kind), collapse = " "), bound = bound, evidence = evidence,
             difference = NA_real_, effective_parameters = degrees)
}

ranked <- function(table, verdict = NULL) {
  best <- if (all(is.na(table$evidence))) NA else max(table$evidence, na.rm = TRUE)
  table$difference <- table$evidence - best
  table <- table[order(is.na(table$evidence), -table$evidence, -table$bound), ]
  structure(table, class = c("ardvark_comparison", "data.frame"), verdict = verdict)
}

print.ardvark_comparison <- function(x, digits = 7L, ...) {
  cat("Log evidence in nats, the best first:\n\n")
  print.data.frame(x, digits = digits, ...)
  if (anyNA(x$evidence)) cat("\nNA: a bound under this prior is not comparable with the others.\n")
  if (!is.null(attr(x, "verdict"))) cat("\n", attr(x, "verdict"), "\n", sep = "")
  invisible(x)
}
