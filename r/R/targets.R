# Many targets: a matrix as the response of numbers. Each column has a fit of its own; the table is read once.

has_many_targets <- function(response, family) is_linear(family) && is.matrix(response) && ncol(response) > 1L && is.numeric(response)

# shared: what the fits have in common.
fit_targets <- function(question, said, shared, X, skip) {
  Y <- question$response
  targets <- target_names(Y, shared$terms)
  if (anyDuplicated(targets)) refuse(said$call, question$name, "%s has two columns named '%s'", question$name, targets[anyDuplicated(targets)])
  fits <- lapply(seq_along(targets), function(k) {
    question$response <- as.double(Y[, k])
    question$name <- targets[k]
    said$target <- targets[k]
    said$arguments[c("labels", "target", "y")] <- targets[k]
    finished(solve_question(question, said), X, skip)
  })
  names(fits) <- targets
  structure(c(list(fits = fits), shared), class = "ardvark_targets")
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
  fits <- unclass(x)$fits
  k <- if (is.character(i) && length(i) == 1L) match(i, names(fits)) else if (is.numeric(i) && length(i) == 1L && i %in% seq_along(fits)) i else NA
  if (is.na(k)) {
    if (is.character(i) && length(i) == 1L && i %in% names(unclass(x))) return(unclass(x)[[i]])
    refuse(match.call(), "i", "there is no target %s; targets: %s", deparse1(i), some(names(fits)))
  }
  shared <- unclass(x)
  shared$fits <- NULL
  if (!is.null(shared$terms)) shared <- of_one_target(shared, k, fits[[k]]$y)
  structure(c(unclass(fits[[k]]), shared), class = "ardvark")
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
length.ardvark_targets <- function(x) length(unclass(x)$fits)
names.ardvark_targets <- function(x) names(unclass(x)$fits)
`[.ardvark_targets` <- function(x, i) as.list(x)[i]
# A part of the object, such as its call; else a target.
`$.ardvark_targets` <- function(x, name) if (name %in% c("fits", names(unclass(x)))) unclass(x)[[name]] else if (name %in% names(x)) x[[name]]
as.list.ardvark_targets <- function(x, ...) lapply(setNames(seq_along(x), names(x)), function(k) x[[k]])

# Vectors of the targets as the columns of a matrix, matrices as the layers of an array.
beside <- function(values) {
  first <- values[[1L]]
  if (is.null(dim(first))) return(matrix(unlist(values), length(first), length(values), dimnames = list(names(first), names(values))))
  array(unlist(values), c(dim(first), length(values)), c(if (is.null(dimnames(first))) list(NULL, NULL) else dimnames(first), list(names(values))))
}

coef.ardvark_targets <- function(object, ...) beside(lapply(object, coef))
fitted.ardvark_targets <- function(object, ...) beside(lapply(object, fitted))
residuals.ardvark_targets <- function(object, type = "response", ...) beside(lapply(object, residuals, type))
deviance.ardvark_targets <- function(object, ...) unlist(lapply(object, deviance))
confint.ardvark_targets <- function(object, parm, level = 0.95, ...) {
  if (missing(parm)) lapply(object, confint, level = level) else lapply(object, confint, parm, level)
}
vcov.ardvark_targets <- function(object, ...) lapply(object, vcov)
nobs.ardvark_targets <- function(object, ...) nobs(object[[1L]])
formula.ardvark_targets <- function(x, ...) formula.ardvark(x)
weights.ardvark_targets <- function(object, ...) weights(object[[1L]])
family.ardvark_targets <- function(object, ...) family(object[[1L]])
# The targets are independent given the table: their evidences add up.
logLik.ardvark_targets <- function(object, ...) {
  bounds <- lapply(object, logLik)
  structure(sum(unlist(bounds)), df = sum(vapply(bounds, attr, 0, "df")), nobs = nobs(object), class = c("ardvark_bound", "logLik"))
}

# What only a fit of one target has.
ask_each <- function(object, ..., call = match.call()) {
  refuse(call, "object", "object has many targets: ask each of them, such as by lapply(object, pip)")
}

print.ardvark_targets <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_call(x$call)
  fits <- unclass(x)$fits
  cat("Family: ", fits[[1L]]$family_name, ", ", length(fits), " targets, prior: ",
      paste(unique(vapply(fits, function(fit) fit$results$prior, "")), collapse = ", "), "\n\nCoefficients:\n", sep = "")
  print(format(coef(x), digits = digits), print.gap = 2L, quote = FALSE)
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
  first <- object[[1L]]
  check_type(first, type, se.fit, interval, call)
  if (type %in% c("draws", "terms")) first$impute <- FALSE
  rows <- rows_of(first, newdata, newoffset, na.action, call)
  found <- lapply(setNames(seq_along(object), names(object)), function(k) {
    of_target <- if (is.null(seed)) NULL else seed + k - 1L  # with one seed, draws of the targets would vary together
    predicted(object[[k]], rows, type, se.fit, interval, level, ndraws, of_target, call)
  })
  if (!se.fit) {
    out <- beside(found)
    if (type == "terms") attr(out, "constant") <- vapply(found, attr, 0, "constant")
    return(out)
  }
  of <- function(part) beside(lapply(found, `[[`, part))
  list(fit = of("fit"), se.fit = of("se.fit"), residual.scale = vapply(found, `[[`, 0, "residual.scale"))
}

# With the column response, as tidy() of a fit of lm() to many targets has it.
tidy.ardvark_targets <- function(x, ...) table_of_targets(lapply(x, tidy.ardvark, ...))
glance.ardvark_targets <- function(x, ...) table_of_targets(lapply(x, glance.ardvark))

table_of_targets <- function(tables) {
  as_table(do.call(rbind, c(Map(function(target, table) data.frame(response = target, table, check.names = FALSE), names(tables), tables),
                            make.row.names = FALSE)))
}
