# An L1 path by glmnet of the table in a folder: Rscript glmnet.R FOLDER ROWS COLUMNS sparse|dense gaussian|binomial COUNT SMALLEST
suppressMessages({library(glmnet); library(Matrix)})
a <- commandArgs(TRUE)
n <- as.integer(a[2]); p <- as.integer(a[3])
path <- function(name) file.path(a[1], name)
number <- function(name, count) readBin(path(name), "double", count)
whole <- function(name, count) readBin(path(name), "integer", count)
if (a[4] == "sparse") {
  start <- whole("indptr", p + 1)
  X <- new("dgCMatrix", i = whole("indices", start[p + 1]), p = start, x = number("data", start[p + 1]), Dim = c(n, p))
} else {
  X <- matrix(number("X", n * p), n, p)
}
y <- number("y", n)
invisible(gc(reset = TRUE))
took <- system.time(fit <- glmnet(X, y, family = a[5], nlambda = as.integer(a[6]), lambda.min.ratio = as.numeric(a[7])))
# gc() counts the memory of R; what compiled code takes beside it is not in it.
used <- sum(gc()[, 6])
B <- as(fit$beta, "CsparseMatrix")
entered <- rep(as.integer(a[6]), p)
at <- summary(B)
first <- tapply(at$j - 1L, at$i, min)
entered[as.integer(names(first))] <- as.integer(first)
writeBin(entered, path("entered"))
writeBin(B@x, path("beta.x"))
writeBin(B@i, path("beta.i"))
writeBin(B@p, path("beta.p"))
writeBin(fit$lambda, path("lambda"))
cat(sprintf('{"processor_seconds": %.4f, "peak_mb": %.1f}', took[1] + took[2], used), file = path("told.json"))
