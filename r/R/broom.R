# Tables in the form of the package broom, whose generics are those of the package generics. Registered when it is there.

as_table <- function(columns) {
  table <- data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(table) else table
}

# A row for each coefficient.
tidy.ardvark <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  call <- match.call()
  check_level(conf.level, call)
  if (exponentiate && is_linear(x$family_name)) refuse(call, "exponentiate", "exponentiate is TRUE; family %s has no ratios", x$family_name)
  table <- posterior_table(x, conf.level)
  ratio <- if (exponentiate) exp else identity
  beta <- x$coefficients
  columns <- if (!is.matrix(beta)) list(term = names(beta)) else
    list(y.level = rep(rownames(beta), each = ncol(beta)), term = rep(colnames(beta), nrow(beta)))
  columns$estimate <- unname(ratio(table[, 1L]))
  columns$std.error <- unname(table[, 2L])
  columns$inclusion <- inclusion_column(x$results)
  if (conf.int) columns <- c(columns, list(conf.low = unname(ratio(table[, 3L])), conf.high = unname(ratio(table[, 4L]))))
  as_table(columns)
}

# One row of what the fit says as a whole. logLik is the lower bound on the log evidence.
glance.ardvark <- function(x, ...) {
  results <- x$results
  columns <- list(family = x$family_name, prior = results$prior, nobs = nobs(x), logLik = results$bound,
                  effective.parameters = results$effective_parameters)
  if (is_linear(x$family_name)) columns <- c(columns, list(r.squared = results$r_squared, sigma = results$noise$sd))
  if (is_count(x$family_name)) columns$deviance.explained <- results$deviance_explained
  if (x$family_name == "negbin") columns$dispersion <- results$dispersion
  if (!is.null(x$classes)) columns$accuracy <- results$accuracy
  columns$converged <- results$status == "converged"
  as_table(columns)
}

# The rows with their predictions: those of the fit, or new ones.
augment.ardvark <- function(x, data = NULL, newdata = NULL, type.predict = c("response", "link"), interval = c("none", "confidence", "prediction"),
                            conf.level = 0.95, newoffset = NULL, ...) {
  interval <- match.arg(interval)
  rows <- if (!is.null(newdata)) newdata else if (!is.null(data)) data else model.frame(x)
  given <- !is.null(newdata) || !is.null(data)
  if (!given) x <- without_padding(x)
  predicted <- predict(x, if (given) rows, type = match.arg(type.predict), interval = interval, level = conf.level, newoffset = newoffset)
  columns <- as.list(as.data.frame(rows))
  if (.row_names_info(rows) > 0L) columns <- c(list(.rownames = rownames(rows)), columns)
  if (x$family_name == "multinomial") {
    for (level in colnames(predicted)) columns[[paste0(".fitted_", level)]] <- unname(predicted[, level])
  } else if (interval == "none") {
    columns$.fitted <- unname(predicted)
  } else {
    columns[c(".fitted", ".lower", ".upper")] <- list(unname(predicted[, 1L]), unname(predicted[, 2L]), unname(predicted[, 3L]))
  }
  if (is.null(newdata) && x$family_name != "multinomial") {
    residual <- residuals(x)
    if (length(residual) == nrow(rows)) columns$.resid <- unname(residual)
  }
  as_table(columns)
}
