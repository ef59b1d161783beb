# Beside glmnet, alone and with a fit of the columns that it chose: log density of left-out rows, columns, seconds.
#   Rscript bench/r/selection.R         writes results/selection.csv

suppressMessages({
  library(glmnet)
  library(ardvark)
})
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
data(datafls, package = "BMS")
sets <- c(data_sets(), list(
  UScrime = list(formula = y ~ ., data = MASS::UScrime, family = "gaussian"),
  Cars93 = list(formula = Price ~ MPG.city + MPG.highway + EngineSize + Horsepower + RPM + Rev.per.mile + Fuel.tank.capacity + Passengers + Length +
    Wheelbase + Width + Turn.circle + Weight, data = MASS::Cars93, family = "gaussian"),
  datafls = list(formula = y ~ ., data = datafls, family = "gaussian")
))

# Estimates taken as the truth. glmnet has no noise: it gets the error of its own cross-validation.
density_at <- function(family, y, mu, spread) {
  switch(family,
    gaussian = dnorm(y, mu, spread, log = TRUE),
    negbin = dnbinom(y, size = spread, mu = mu, log = TRUE),
    binomial = dbinom(y, 1L, mu, log = TRUE)
  )
}

by_glmnet <- function(set, rows, choice, refit) {
  X <- model.matrix(set$formula, set$data)[, -1L]
  y <- response_of(set, seq_len(nrow(X)))
  others <- setdiff(seq_len(nrow(X)), rows)
  set.seed(2)
  seconds <- processor_seconds({
    path <- cv.glmnet(X[rows, ], y[rows], family = if (set$family == "negbin") "poisson" else set$family)
    beta <- as.vector(coef(path, s = choice))[-1L]
    if (refit) {
      chosen <- data.frame(X[, beta != 0, drop = FALSE])
      table <- cbind(y = y, chosen)[rows, , drop = FALSE]
      fit <- suppressWarnings(switch(set$family,
        gaussian = lm(y ~ ., table),
        negbin = MASS::glm.nb(y ~ ., table),
        binomial = glm(y ~ ., binomial(), table)
      ))
    }
  })
  if (length(others) == 0L) return(list(seconds = seconds, chosen = sum(beta != 0)))
  if (refit) {
    mu <- predict(fit, cbind(y = y, chosen)[others, , drop = FALSE], type = "response")
    spread <- switch(set$family, gaussian = summary(fit)$sigma, negbin = fit$theta, binomial = 1)
  } else {
    mu <- as.vector(predict(path, X[others, ], s = choice, type = "response"))
    at <- as.vector(predict(path, X[rows, ], s = choice, type = "response"))
    spread <- switch(set$family, gaussian = sqrt(path$cvm[path$lambda == path[[choice]]]), negbin = MASS::theta.ml(y[rows], at), binomial = 1)
  }
  list(seconds = seconds, chosen = sum(beta != 0), log_density = density_at(set$family, y[others], mu, spread))
}

by_ardvark <- function(set, rows) {
  seconds <- processor_seconds(fit <- ardvark(set$formula, set$data[rows, ], set$family))
  others <- setdiff(seq_len(nrow(set$data)), rows)
  list(seconds = seconds, chosen = sum(pip(fit) > 0.5 | fit$results$direction >= 0.999),
       log_density = if (length(others) > 0L) ardvark_log_density(fit, set$data[others, ], response_of(set, others)))
}

methods <- list(
  `ardvark, default` = by_ardvark,
  `glmnet, lambda.min` = function(set, rows) by_glmnet(set, rows, "lambda.min", FALSE),
  `glmnet, lambda.1se` = function(set, rows) by_glmnet(set, rows, "lambda.1se", FALSE),
  `lambda.min, then refit` = function(set, rows) by_glmnet(set, rows, "lambda.min", TRUE),
  `lambda.1se, then refit` = function(set, rows) by_glmnet(set, rows, "lambda.1se", TRUE)
)

found <- NULL
for (name in names(sets)) {
  set <- sets[[name]]
  fold <- folds_of(nrow(set$data))
  for (method in names(methods)) {
    on_all <- methods[[method]](set, seq_len(nrow(set$data)))
    for (k in 1:10) {
      one <- methods[[method]](set, which(fold != k))
      found <- rbind(found, data.frame(data = name, method, fold = k, row = which(fold == k), log_density = unname(one$log_density),
                                       chosen_on_all = on_all$chosen, seconds = one$seconds))
    }
  }
  cat(name, "\n")
}
write.csv(found, file.path(here, "results", "selection.csv"), row.names = FALSE)
