# Beside brms, which compiles a program of Stan for each model: log density of left-out rows under its horseshoe, seconds. One chain after the other.
#   Rscript bench/r/brms.R [FOLDS]      writes results/brms.csv (rows) and results/brms_seconds.csv

suppressMessages(library(brms))
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
options(mc.cores = 1L)
given <- commandArgs(TRUE)
count <- if (length(given) > 0L) as.integer(given[1L]) else 10L

seconds <- function(expression) sum(system.time(expression)[c("user.self", "sys.self", "user.child", "sys.child")])  # with the compiler

rows_found <- times <- NULL
for (name in names(data_sets())) {
  set <- data_sets()[[name]]
  all <- seq_len(nrow(set$data))
  family <- switch(set$family, gaussian = gaussian(), negbin = negbinomial(), binomial = bernoulli())
  table <- scaled(set, all)
  compiled <- seconds(model <- brm(y ~ ., table$data, family, set_prior("horseshoe()", class = "b"), chains = 0L,
                                   stan_model_args = list(boost_lib = "/usr/include")))  # where Debian has Boost
  sample_rows <- function(table, rows) suppressWarnings(update(model, newdata = table$data[rows, ], recompile = FALSE, chains = 4L, refresh = 0, seed = 1))
  times <- rbind(times, data.frame(data = name, compiled, sampled = seconds(sample_rows(table, all))))
  print(times)
  fold <- folds_of(nrow(set$data), max(count, 1L))
  for (k in seq_len(count)) {
    others <- which(fold == k)
    table <- scaled(set, which(fold != k))
    fit <- sample_rows(table, which(fold != k))
    log_density <- mean_density(log_lik(fit, newdata = table$data[others, ])) - log(table$by$y)
    rows_found <- rbind(rows_found, data.frame(data = name, fold = k, row = others, log_density = unname(log_density)))
  }
}
if (count > 0L) write.csv(rows_found, file.path(here, "results", "brms.csv"), row.names = FALSE)
write.csv(times, file.path(here, "results", "brms_seconds.csv"), row.names = FALSE)
