# The calls of the library, its errors as conditions, and a model with its bytes.

# Options of the library that this package sets from its own arguments.
own_options <- c(
  model = "family", family = "family", noise = "family = \"student\"", group = "groups", missing = "impute or na.action",
  exposure = "offset", offset_column = "offset", row_offset = "offset", weights = "weights", column_names = "the names of the columns",
  class_names = "the levels of the response", target = "formula", reference = "contrasts", prior = "prior", flat = "flat", preset = NA, compat = NA
)

# Raises what is wrong as a condition of class ardvark_error, which has the fields of the library.
stop_for <- function(message, argument = "", ..., call = NULL) {
  fields <- list(message = message, call = call, argument = argument, ...)
  stop(structure(class = c("ardvark_error", "error", "condition"), fields))
}

# The names that a message of the library has for its arguments, in those of the call that R sees.
our_names <- function(text, renamed) {
  text <- .Call(C_spell, text, c("group", "groups", renamed))
  text <- gsub("missing='impute'", "impute=TRUE", text, fixed = TRUE)
  gsub("missing='drop'", "na.action=na.omit", text, fixed = TRUE)
}

# The result of a call of the library. `said` says how the caller's arguments and rows are called.
checked <- function(value, said = NULL) {
  if (!inherits(value, "ardvark_failure")) return(value)
  if (value$code == 130L) {
    .Call(C_interrupt)
    stop_for("interrupted: there is no result", call = said$call)
  }
  message <- value$message
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
  value$message <- our_names(message, character())
  Encoding(value$message) <- "UTF-8"
  do.call(stop_for, c(unclass(value), list(call = said$call)), quote = TRUE)
}

text_of <- function(bytes) {
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  text
}

warn_for <- function(messages, call) {
  for (message in messages) {
    warning(structure(class = c("ardvark_warning", "warning", "condition"), list(message = our_names(message, character()), call = call)))
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
  if (!.Call(C_alive, held$handle)) held$handle <- checked(.Call(C_from_bytes, held$bytes))
  held$handle
}

results_at <- function(object, ...) checked(.Call(C_result, handle_of(object), NULL, list(...)))

result_named <- function(object, name) checked(.Call(C_result, handle_of(object), name, list()))

#  The options of the dots, which must have the names of the library.
options_given <- function(dots, call) {
  if (length(dots) == 0L) return(list())
  names <- names(dots)
  if (is.null(names) || any(names == "")) stop_for("an option has no name: give name = value", call = call)
  known <- names(catalogue()$option_help)
  for (name in names) {
    if (name %in% names(own_options)) {
      ours <- own_options[[name]]
      stop_for(if (is.na(ours)) sprintf("%s is not available in R", name) else sprintf("%s is no option here: use %s", name, ours), name, call = call)
    }
    if (!name %in% known) stop_for(sprintf("unused argument %s: it is no argument of ardvark() and no option; see ardvark_options()", name), name, call = call)
    if (!(is.atomic(dots[[name]]) && length(dots[[name]]) > 0L)) stop_for(sprintf("%s must be a number, a text or a vector", name), name, call = call)
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

ardvark_options <- function() {
  help <- catalogue()$option_help
  help <- help[!names(help) %in% names(own_options)]
  data.frame(option = names(help), values = vapply(help, `[[`, "", "values"), help = vapply(help, function(one) our_names(one$help, character()), ""),
             row.names = NULL)
}
