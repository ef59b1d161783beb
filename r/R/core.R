# The calls of the library, its errors as conditions, and a model with its bytes.

# Options of the library that this package sets from its own arguments.
own_options <- c(
  model = "family", family = "family", noise = "family = \"student\"", group = "groups", missing = "impute or na.action",
  exposure = "offset", offset_column = "offset", row_offset = "offset", weights = "weights", column_names = "the names of the columns",
  class_names = "the levels of the response", target = "formula", reference = "contrasts", prior = "prior", flat = "flat",
  intercept = "y ~ x - 1", preset = "ardvark_fit()", compat = "ardvark_fit(preset = )", converge = "ardvark_fit(preset = )",
  toolbox_gamma0 = NA, toolbox_gamma1 = NA, toolbox_R = NA,
  precision = NA, block_rows = NA, rule = NA, repeats = NA, level = "summary(), confint() and predict()", interval = "predict()", odds = "summary()",
  standardized = "summary()", verbose = "summary()"
)

# Raises what is wrong as a condition of class ardvark_error, which has the fields of the library.
stop_for <- function(message, argument = "", ..., call = NULL) {
  fields <- list(message = message, call = call, argument = argument, ...)
  stop(structure(class = c("ardvark_error", "error", "condition"), fields))
}

# The same of an argument, with a message as sprintf makes it.
refuse <- function(call, argument, ...) stop_for(sprintf(...), argument, call = call)

absent_column <- function(call, column, why = "") {
  stop_for(sprintf("newdata has no column '%s'%s", column, why), "newdata", column = column, call = call)
}

# A list of names for a message.
some <- function(names) paste(c(utils::head(names, 10L), if (length(names) > 10L) "..."), collapse = ", ")

# A text of the library with its options as arguments of R.
in_our_words <- function(text) {
  text <- .Call(C_spell, text, c("group", "groups"))
  for (family in c("logistic", "linear", "counts")) {
    ours <- switch(family, logistic = "binomial", linear = "gaussian", counts = "poisson")
    text <- gsub(sprintf("model[ =]'%s'", family), sprintf("family = %s()", ours), text)
  }
  text
}

# The result of a call of the library. `said` says how the caller's arguments and rows are called.
checked <- function(value, said = NULL) {
  if (!inherits(value, "ardvark_failure")) return(value)
  if (value$code == 130L) {
    .Call(C_interrupt)
    stop_for("interrupted: there is no result", call = said$call)
  }
  message <- value$message
  if (value$value == "NaN" && value$remedy != "" && endsWith(message, value$remedy)) {
    by_formula <- identical(said$arguments[["X"]], "data")
    remedy <- paste0(if (by_formula) "na.action = na.omit leaves rows with missing values out" else
      "leave rows with missing values out, such as by complete.cases()",
      if (isTRUE(said$fills) && (by_formula || value$argument == "X")) ", impute = TRUE fills the gaps")
    message <- paste0(substr(message, 1L, nchar(message) - nchar(value$remedy)), remedy)
    value$remedy <- remedy
  }
  rows <- said$rows
  if (value$row > 0 && !is.null(rows) && value$row_end > value$row_begin && value$row <= length(rows)) {
    bytes <- charToRaw(message)
    value$row_name <- rows[value$row]
    message <- paste0(text_of(bytes[seq_len(value$row_begin)]), "row ", dQuote(rows[value$row], FALSE),
                      text_of(bytes[seq_along(bytes) > value$row_end]))
  }
  ours <- said$arguments[value$argument]
  if (length(ours) == 1L && !is.na(ours) && startsWith(message, value$argument)) {
    message <- paste0(ours, substring(message, nchar(value$argument) + 1L))
    value$argument <- unname(ours)
  }
  value$message <- in_our_words(message)
  do.call(stop_for, c(unclass(value), list(call = said$call)), quote = TRUE)
}

text_of <- function(bytes) {
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  text
}

# target: of many.
warn_for <- function(messages, call, target = NULL) {
  for (message in messages) {
    message <- paste0(if (!is.null(target)) paste0(target, ": "), in_our_words(message))
    warning(structure(class = c("ardvark_warning", "warning", "condition"), list(message = message, call = call)))
  }
}

# A model lives in an environment: its handle is made again from the bytes in a new process.
held_model <- function(handle) {
  held <- new.env(parent = emptyenv())
  held$handle <- handle
  held$bytes <- checked(.Call(C_to_bytes, handle))
  held
}

handle_of <- function(object) {
  held <- object$model_held
  if (!is.environment(held) || !is.raw(held$bytes)) stop_for("object holds no model")
  if (!.Call(C_alive, held$handle)) held$handle <- checked(.Call(C_from_bytes, held$bytes))
  held$handle
}

results_at <- function(object, ...) checked(.Call(C_result, handle_of(object), NULL, list(...)))

result_named <- function(object, name) checked(.Call(C_result, handle_of(object), name, list()))

# The options of the dots, which must have the names of the library. also: those that only some calls take.
options_given <- function(dots, call, also = character()) {
  if (length(dots) == 0L) return(list())
  names <- names(dots)
  if (is.null(names) || any(names == "")) stop_for("an option has no name: give name = value", call = call)
  known <- names(catalogue()$option_help)
  for (name in names) {
    if (name %in% setdiff(names(own_options), also)) {
      ours <- own_options[[name]]
      why <- if (is.na(ours)) "%s is not available in R" else paste("%s is no option here: use", ours)
      refuse(call, name, why, name)
    }
    if (!name %in% known) {
      refuse(call, name, "unused argument %s: it is no argument and no option; see ardvark_options()", name)
    }
    if (!(is.atomic(dots[[name]]) && length(dots[[name]]) > 0L)) refuse(call, name, "%s must be a number, a text or a vector", name)
  }
  dots
}

catalogue <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- checked(.Call(C_catalogue))
    known
  }
})

ardvark_options <- function(model = c("regression", "rvm", "kernel")) {
  model <- match.arg(model)
  models <- if (model == "regression") c("linear", "logistic", "counts") else model
  known <- catalogue()
  of_others <- vapply(known$option_facts, function(facts) all(models %in% facts$not_in), NA)
  own <- c(names(own_options), if (model != "regression") c("kernel", "task", "standardize", "imputations"))
  help <- known$option_help[!names(known$option_help) %in% c(own, names(which(of_others)))]
  said <- vapply(help, function(one) in_our_words(one$help), "")
  data.frame(option = names(help), values = vapply(help, `[[`, "", "values"), help = said, row.names = NULL)
}
