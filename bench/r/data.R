# Data that R and MASS ship, and folds of their rows.

data_sets <- function() {
  births <- transform(MASS::birthwt[c("low", "age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv")], race = factor(race))
  list(
    mtcars = list(formula = mpg ~ ., data = mtcars, family = "gaussian"),
    swiss = list(formula = Fertility ~ ., data = swiss, family = "gaussian"),
    quine = list(formula = Days ~ Eth + Sex + Age + Lrn, data = MASS::quine, family = "negbin"),
    birthwt = list(formula = low ~ ., data = births, family = "binomial")
  )
}

# The fold of each row, the same for every method.
folds_of <- function(rows, count = 10L) {
  set.seed(1)
  sample(rep_len(seq_len(count), rows))
}

response_of <- function(set, rows) model.response(model.frame(set$formula, set$data))[rows]

# Log density of each row, of ardvark: what the library says of a target.
ardvark_log_density <- function(fit, newdata, y) {
  rows <- ardvark:::rows_of(fit, newdata, NULL, na.pass, NULL)
  found <- .Call(ardvark:::C_predict, ardvark:::handle_of(fit), ardvark:::in_place(rows$X), rows$skip, as.double(y), list())
  as.vector(ardvark:::checked(found)$log_density)
}

# Processor seconds, which on a shared machine are steadier than the clock's. Nothing here uses more than one thread.
processor_seconds <- function(expression) {
  used <- system.time(expression)
  used[["user.self"]] + used[["sys.self"]]
}

# Of one of many calls: one may be shorter than the clock's step.
seconds_of_one <- function(call, repeats = 51L) processor_seconds(for (i in seq_len(repeats)) call()) / repeats
