# A fit as one page of HTML.

report <- function(object, ...) UseMethod("report")

report.ardvark <- function(object, file, newdata = NULL, response = NULL, level = 0.95, title = NULL, ...) {
  call <- match.call()
  check_level(level, call)
  refuse_moved(object, "report", call)
  if (!is.null(title) && !(is.character(title) && length(title) == 1L && !is.na(title))) refuse(call, "title", "title must be a text")
  rows <- report_rows(object, newdata, response, call)
  options <- list(level = level)
  if (is_count(object$family_name)) options$row_offset <- rows$offset
  words <- c(if (is.null(title)) NA_character_ else title, if (is.null(object$call)) NA_character_ else paste(deparse(object$call), collapse = "\n"))
  said <- list(call = call, rows = rows$names, arguments = c(X = "newdata", target = "response", html = "file", path = "file"))
  checked(.Call(C_report, handle_of(object), rows$X, rows$skip, rows$y, options, words, path_of(file, call)), said)
  invisible(file)
}
report.ardvark_machine <- report.ardvark

# The rows that a report compares with their predictions, with the response as the library has it: positions of classes. NULL: none are known,
# as after read_ardvark(), or the response counts several observations.
report_rows <- function(object, newdata, response, call) {
  if (is.null(newdata)) {
    if (!is.null(response)) refuse(call, "response", "response is given without newdata")
    if (is.null(object$y) || is.null(object$terms) || isTRUE(object$is_grouped)) return(list(skip = 0L))
    response <- stats::model.response(object$model)
  } else if (is.null(response)) {
    if (is.null(object$terms)) refuse(call, "response", "the fit has no formula, so that the response of newdata must be given: response =")
    response <- eval(formula(object$terms)[[2L]], newdata, environment(object$terms))
  }
  rows <- if (inherits(object, "ardvark_machine")) machine_rows(object, newdata, stats::na.pass, call) else rows_of(object, newdata, NULL, stats::na.pass, call)
  if (length(response) != NROW(rows$X) && !is.null(rows$at)) response <- response[!is.na(rows$at)]
  if (length(response) != NROW(rows$X)) refuse(call, "response", "response has %d entries; there are %d rows", length(response), NROW(rows$X))
  y <- if (is.null(object$classes)) as.double(response) else match(as.character(response), object$classes) - 1
  if (is_linear(object$family_name) && !is.null(rows$offset)) y <- y - rows$offset
  list(X = if (is.matrix(rows$X)) rows$X else as.matrix(rows$X), skip = rows$skip, y = as.double(y), offset = rows$offset, names = rows$names)
}
