# Families: what they are to R, and to the library.

# A row for each: the options of the library, the link, and words. `deviance` (y, mu, weights, dispersion) as in R's families.
families <- list(
  gaussian = list(options = list(model = "linear"), link = "identity"),
  student = list(options = list(model = "linear", noise = "student"), link = "identity"),
  binomial = list(options = list(model = "logistic"), link = "logit"),
  multinomial = list(options = list(model = "logistic"), link = "logit"),
  poisson = list(options = list(model = "counts", family = "poisson"), link = "log"),
  negbin = list(options = list(model = "counts", family = "negative-binomial"), link = "log")
)

is_linear <- function(family) family %in% c("gaussian", "student")
is_count <- function(family) family %in% c("poisson", "negbin")

# The name of a family that is given as glm takes it: a name, a function or its value.
family_name <- function(family, call) {
  if (is.function(family)) family <- family()
  names <- paste0('gaussian(), binomial(), poisson(), "student", "negbin" or "multinomial"')
  if (inherits(family, "family")) {
    name <- family$family
    if (!name %in% names(families)) refuse(call, "family", "family is %s(); it must be %s", name, names)
    if (family$link != families[[name]]$link) {
      refuse(call, "family", "family is %s(link = \"%s\"); the link must be \"%s\"", name, family$link, families[[name]]$link)
    }
    return(name)
  }
  if (!(is.character(family) && length(family) == 1L && family %in% names(families))) {
    shown <- if (is.character(family) && length(family) == 1L) dQuote(family, FALSE) else paste("of class", class(family)[1L])
    refuse(call, "family", "family is %s; it must be %s", shown, names)
  }
  family
}

# A family object as R's methods know it.
family_object <- function(name) {
  if (name %in% c("gaussian", "binomial", "poisson")) return(get(name, mode = "function", envir = asNamespace("stats"))())
  link <- families[[name]]$link
  structure(class = "family", c(list(family = name, link = link), unclass(stats::make.link(link))[c("linkfun", "linkinv", "mu.eta", "valideta")]))
}

# The response of a model frame as the library reads it: y, its weights, and
#   rows     positions of the rows of X, if a row of the table is a row of failures and one of successes
#   classes  names of the classes
#   observed what residuals compare with, and `trials`, the weights of these
read_response <- function(y, weights, family, name, call) {
  wrong <- function(...) stop_for(paste0(name, " ", sprintf(...)), name, call = call)
  if (inherits(y, c("Date", "POSIXt", "difftime"))) wrong("is of class %s; the response must be numbers or a factor", class(y)[1L])
  if (is.list(y) || is.complex(y) || is.raw(y)) wrong("is of type %s; the response must be numbers or a factor", typeof(y))
  if (family %in% c("binomial", "multinomial")) {
    if (is.matrix(y) && ncol(y) > 1L) return(grouped_response(y, weights, family, wrong))
    return(class_response(drop_column(y), weights, family, wrong))
  }
  if (is.factor(y) || is.character(y)) wrong("is a %s; family %s needs numbers (for classes: binomial() or \"multinomial\")", class(y)[1L], family)
  if (is.matrix(y) && ncol(y) > 1L) wrong("has %d columns; family %s needs one", ncol(y), family)
  y <- as.double(drop_column(y))
  list(y = y, weights = weights, observed = y, trials = weights)
}

drop_column <- function(y) if (is.matrix(y)) y[, 1L] else y

grouped_response <- function(y, weights, family, wrong) {
  if (family == "multinomial") wrong("has %d columns; family multinomial needs a factor", ncol(y))
  if (ncol(y) != 2L) wrong("has %d columns; a response of binomial() has one, or two: cbind(successes, failures)", ncol(y))
  if (!is.numeric(y)) wrong("is of type %s; cbind(successes, failures) must be numbers", typeof(y))
  if (any(!is.finite(y)) || any(y < 0)) wrong("has a number of successes or failures that is negative or not finite")
  trials <- rowSums(y)
  if (!any(trials > 0)) wrong("has no observation: every row has 0 successes and 0 failures")
  names <- colnames(y)
  if (is.null(names) || any(names == "") || anyDuplicated(names)) names <- c("success", "failure")
  from_counts(y[, 1L], y[, 2L], trials, weights, rev(names))
}

# One row of failures and one of successes for each row; those without an observation are left out.
from_counts <- function(successes, failures, trials, weights, classes) {
  each <- if (is.null(weights)) 1 else weights
  n <- length(trials)
  counts <- as.double(c(failures * each, successes * each))
  kept <- counts > 0
  list(y = rep(c(0, 1), each = n)[kept], weights = counts[kept], rows = rep(seq_len(n), 2L)[kept], classes = classes,
       observed = ifelse(trials > 0, successes / trials, 0), trials = as.double(trials * each), is_grouped = TRUE)
}

class_response <- function(y, weights, family, wrong) {
  if (family == "binomial" && is.numeric(y)) {
    outside <- y[!(is.finite(y) & y >= 0 & y <= 1)]
    if (length(outside) > 0L) wrong("has the value %s; numbers must be between 0 and 1 (y values must be 0 <= y <= 1)", format(outside[1L]))
    if (any(y != 0 & y != 1)) {
      trials <- if (is.null(weights)) rep(1, length(y)) else weights
      if (any(abs(y * trials - round(y * trials)) > 1e-3)) warning("non-integer #successes in a binomial response", call. = FALSE)
      return(c(from_counts(y, 1 - y, rep(1, length(y)), trials, c("0", "1")), list(is_share = TRUE)))
    }
    return(list(y = as.double(y), weights = weights, classes = c("0", "1"), observed = as.double(y), trials = weights))
  }
  y <- if (is.logical(y)) factor(y, c(FALSE, TRUE)) else if (is.factor(y)) y else factor(y)
  levels <- levels(y)[tabulate(y, nlevels(y)) > 0L]
  if (family == "binomial" && length(levels) > 2L) {
    wrong("has %d levels (%s); binomial() needs two: use family = \"multinomial\"", length(levels), paste(utils::head(levels, 3L), collapse = ", "))
  }
  if (length(levels) < 2L) wrong("has one value only (%s); there must be two classes", levels)
  position <- as.double(match(as.character(y), levels)) - 1
  observed <- if (family == "binomial") position else outer(position + 1, seq_along(levels), `==`) + 0
  if (family == "multinomial") colnames(observed) <- levels
  list(y = position, weights = weights, classes = levels, observed = observed, trials = weights)
}
