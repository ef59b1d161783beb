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

# The horseshoe's default scales are for columns and numbers of unit spread. It gets these, and its answer is in the units of the data.
scaled <- function(set, rows) {
  X <- model.matrix(set$formula, set$data)[, -1L]
  y <- response_of(set, seq_len(nrow(X)))
  by <- list(X = apply(X[rows, ], 2L, sd), y = if (set$family == "gaussian") sd(y[rows]) else 1)
  list(data = data.frame(y = y / by$y, scale(X, colMeans(X[rows, ]), by$X)), by = by)
}

# Logarithm of the mean over draws, which are rows.
mean_density <- function(log_likelihood) apply(log_likelihood, 2L, function(l) max(l) + log(mean(exp(l - max(l)))))

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
