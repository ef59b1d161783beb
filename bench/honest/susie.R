# Rscript susie.R folder n p: reads X (column after column) and y there, writes the posterior of SuSiE, defaults of the package.
suppressMessages(library(susieR))
arguments <- commandArgs(TRUE)
folder <- arguments[1]; n <- as.integer(arguments[2]); p <- as.integer(arguments[3])
X <- matrix(readBin(file.path(folder, "X"), "double", n * p), n, p)
y <- readBin(file.path(folder, "y"), "double", n)
start <- proc.time()
fit <- susie(X, y)
taken <- proc.time() - start
scale <- fit$X_column_scale_factors
write <- function(name, x) writeBin(as.double(x), file.path(folder, paste0(name, ".out")))
write("mean", fit$alpha * fit$mu / rep(scale, each = nrow(fit$mu)))         # effect after effect within a column: rows are columns of X
write("second", fit$alpha * fit$mu2 / rep(scale^2, each = nrow(fit$mu)))
write("inclusion", fit$pip)
write("noise", fit$sigma2)
write("bound", susie_get_objective(fit))
write("seconds", taken[["user.self"]] + taken[["sys.self"]])
