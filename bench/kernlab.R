# kernlab's rvm on the table that bench_relevance wrote. The same kernel: exp(-sigma |x-c|^2), sigma = 1/9.
folder <- commandArgs(trailingOnly = TRUE)[1]
suppressMessages(library(kernlab))
data <- read.csv(file.path(folder, "sinc.csv"))
time <- system.time(fit <- rvm(as.matrix(data$x), data$y, type = "regression", kernel = "rbfdot", kpar = list(sigma = 1 / 9)))
cat(sprintf("        kernlab %.2f s, %d vectors, training error %.5f\n", time[["elapsed"]], length(RVindex(fit)),
            sqrt(mean((predict(fit, as.matrix(data$x)) - data$y)^2))))
