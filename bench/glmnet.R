# glmnet's path on the table that bench_l1 wrote: the same lambdas, and the largest threshold at which no objective is more than 1e-6 worse.
folder <- commandArgs(trailingOnly = TRUE)[1]
if (!suppressWarnings(suppressMessages(require(glmnet, quietly = TRUE)))) { cat("(no glmnet here)\n"); quit() }
labels <- readBin(file.path(folder, "labels.bin"), "double", 1e7)
n <- length(labels)
X <- matrix(readBin(file.path(folder, "X.bin"), "double", 1e9), n)
for (smallest in c("0.05", "0.01")) {
  record <- readBin(file.path(folder, paste0("path_", smallest, ".bin")), "double", 1e6)
  ours <- record[length(record)]
  record <- matrix(record[-length(record)], 2)
  for (thresh in 10^-(7:14)) {
    time <- system.time(fit <- glmnet(X, labels, family = "binomial", lambda = record[1, ], thresh = thresh, maxit = 1e7))[["elapsed"]]
    behind <- sapply(seq_len(ncol(record)), function(i) {
      w <- as.vector(fit$beta[, i])
      used <- which(w != 0)
      z <- (2 * labels - 1) * (fit$a0[i] + as.vector(X[, used, drop = FALSE] %*% w[used]))
      objective <- -sum(pmax(-z, 0) + log1p(exp(-abs(z)))) - n * record[1, i] * sum(abs(w))
      (record[2, i] - objective) / abs(record[2, i])
    })
    if (max(behind) < 1e-6 || time > 60) break
  }
  cat(sprintf("        glmnet to %s lambda_max %.3f s at thresh %.0e, its worst objective %.1e behind: %.1f times as long\n", smallest, time, thresh,
              max(behind), time / ours))
}
