# Credible sets of susieR for the tables in a folder: Rscript sets.R FOLDER ROWS COLUMNS COUNT
suppressMessages(library(susieR))
a <- commandArgs(trailingOnly = TRUE)
n <- as.integer(a[2]); p <- as.integer(a[3])
for (i in seq_len(as.integer(a[4])) - 1) {
  numbers <- readBin(file.path(a[1], sprintf("%d.bin", i)), "double", n * p + n)
  X <- matrix(numbers[seq_len(n * p)], n, p)
  y <- numbers[n * p + seq_len(n)]
  took <- system.time(fit <- susie(X, y, L = 10))
  for (set in fit$sets$cs) cat(i, "set", set - 1, "\n")
  cat(i, "seconds", took[["user.self"]], "\n")
}
