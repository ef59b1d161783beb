# Beside rstanarm, which samples by NUTS: log density of left-out rows, intervals, seconds. One chain after the other.
#   Rscript bench/r/nuts.R [FOLDS]      writes results/nuts.csv (rows) and results/nuts_intervals.csv (coefficients and seconds)
# FOLDS 0: only the second.

suppressMessages({
  library(rstanarm)
  library(ardvark)
})
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
options(mc.cores = 1L)
given <- commandArgs(TRUE)
count <- if (length(given) > 0L) as.integer(given[1L]) else 10L

sampled <- function(set, rows, prior) {
  table <- if (prior == "hs") scaled(set, rows) else list(data = set$data, by = list(y = 1, X = 1))
  formula <- if (prior == "hs") y ~ . else set$formula
  arguments <- list(formula, data = table$data[rows, ], prior = if (prior == "hs") hs() else normal(autoscale = TRUE), refresh = 0, seed = 1)
  fit_by <- if (set$family == "negbin") stan_glm.nb else stan_glm
  if (set$family == "binomial") arguments$family <- binomial()
  seconds <- processor_seconds(fit <- suppressWarnings(do.call(fit_by, arguments)))
  others <- setdiff(seq_len(nrow(set$data)), rows)
  log_density <- if (length(others) > 0L) {
    mean_density(log_lik(fit, newdata = table$data[others, ])) - log(table$by$y)
  }
  draws <- as.matrix(fit)
  names <- setdiff(colnames(draws), c("(Intercept)", "sigma", "reciprocal_dispersion"))
  ends <- apply(draws[, names], 2L, quantile, c(0.025, 0.975)) * table$by$y
  ends <- sweep(ends, 2L, table$by$X, "/")
  divergent <- sum(vapply(rstan::get_sampler_params(fit$stanfit, inc_warmup = FALSE), function(chain) sum(chain[, "divergent__"]), 0))
  list(seconds = seconds, log_density = log_density, ends = t(ends), note = divergent)
}

ours <- function(set, rows, prior) {
  data <- set$data[rows, ]
  fit_once <- function() ardvark(set$formula, data, set$family, prior)
  fit <- fit_once()
  seconds <- seconds_of_one(fit_once)
  others <- setdiff(seq_len(nrow(set$data)), rows)
  list(seconds = seconds, log_density = if (length(others) > 0L) ardvark_log_density(fit, set$data[others, ], response_of(set, others)),
       ends = confint(fit)[-1L, ], note = 0)
}

# Maximum likelihood, its estimates taken as the truth.
plugged <- function(set, rows) {
  data <- set$data[rows, ]
  fit_once <- function() {
    suppressWarnings(switch(set$family,
      gaussian = lm(set$formula, data),
      negbin = MASS::glm.nb(set$formula, data),
      binomial = glm(set$formula, binomial(), data)
    ))
  }
  fit <- fit_once()
  seconds <- seconds_of_one(fit_once)
  others <- setdiff(seq_len(nrow(set$data)), rows)
  y <- response_of(set, others)
  mu <- if (length(others) > 0L) predict(fit, set$data[others, ], type = "response")
  log_density <- if (length(others) > 0L) switch(set$family,
    gaussian = dnorm(y, mu, summary(fit)$sigma, log = TRUE),
    negbin = dnbinom(y, size = fit$theta, mu = mu, log = TRUE),
    binomial = dbinom(y, 1L, mu, log = TRUE)
  )
  list(seconds = seconds, log_density = log_density, ends = suppressMessages(confint.default(fit))[-1L, ], note = 0)
}

methods <- list(
  `ardvark, default` = function(set, rows) ours(set, rows, "auto"),
  `ardvark, shared` = function(set, rows) ours(set, rows, "shared"),
  `rstanarm, hs()` = function(set, rows) sampled(set, rows, "hs"),
  `rstanarm, normal` = function(set, rows) sampled(set, rows, "normal"),
  `lm, glm, glm.nb` = plugged
)

rows_found <- intervals <- NULL
for (name in names(data_sets())) {
  set <- data_sets()[[name]]
  fold <- folds_of(nrow(set$data), max(count, 1L))
  for (method in names(methods)) {
    all <- methods[[method]](set, seq_len(nrow(set$data)))
    intervals <- rbind(intervals, data.frame(data = name, method, column = rownames(all$ends), lower = all$ends[, 1L], upper = all$ends[, 2L],
                                             seconds = all$seconds, divergent = all$note, row.names = NULL))
    for (k in seq_len(count)) {
      found <- methods[[method]](set, which(fold != k))
      rows_found <- rbind(rows_found, data.frame(data = name, method, fold = k, row = which(fold == k), log_density = unname(found$log_density),
                                                 divergent = found$note))
    }
    cat(name, method, "\n")
  }
}
if (count > 0L) write.csv(rows_found, file.path(here, "results", "nuts.csv"), row.names = FALSE)
write.csv(intervals, file.path(here, "results", "nuts_intervals.csv"), row.names = FALSE)
