# Beside BMS: which columns are in, by all models of MASS::UScrime (2^15), and by a chain over those of datafls (2^41).
#   Rscript bench/r/inclusions.R        writes results/inclusions.csv and results/bms_density.csv (log density of left-out rows)
#   and results/simulated.csv (columns without and with correlation)
#   Rscript bench/r/inclusions.R density      only the second; simulated: only the third
#
# An inclusion of ours differs from one of BMS for two reasons: another prior, and that ours is approximate. So there is a third answer: our
# prior, with all subsets summed up (docs/math/sparse.md, SP.1, SP.21), or for datafls a chain over the subsets.

suppressMessages({
  library(BMS)
  library(ardvark)
})
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
data(datafls)

# Columns of unit mean square, and y, both centred; what every subset needs of them.
moments_of <- function(X, y) {
  X <- scale(X, scale = FALSE)
  X <- sweep(X, 2L, sqrt(colMeans(X^2)), "/")
  y <- y - mean(y)
  list(gram = crossprod(X), slopes = drop(crossprod(X, y)), yy = sum(y^2), n = length(y), p = ncol(X))
}

# ln p(y | members, kappa), noise integrated out: -ln|I + kappa X'X|/2 - (n - 1)/2 ln(y'y - y'X (X'X + 1/kappa)^-1 X'y)
log_evidence <- function(m, members, kappa) {
  k <- length(members)
  if (k == 0L) return(-(m$n - 1) / 2 * log(m$yy))
  root <- chol.default(m$gram[members, members, drop = FALSE] + diag(1 / kappa, k))
  t <- backsolve(root, m$slopes[members], transpose = TRUE)
  -sum(log(diag(root))) - k / 2 * log(kappa) - (m$n - 1) / 2 * log(m$yy - sum(t^2))
}

# (SP.1) with small effects of variance h in every column: they are noise, correlated between rows, and whitened here.
beside_small_effects <- function(m, h) {
  if (h == 0) return(c(m, log_det = 0))
  spread <- eigen(m$gram, symmetric = TRUE)
  keep <- spread$values > 1e-10 * spread$values[1L]
  Q <- spread$vectors[, keep]
  l <- spread$values[keep]
  t <- drop(crossprod(Q, m$slopes)) / sqrt(l)
  shrunk <- 1 / (1 + h * l)
  list(gram = Q %*% (l * shrunk * t(Q)), slopes = drop(Q %*% (sqrt(l) * shrunk * t)), yy = m$yy - sum(t^2) + sum(shrunk * t^2), n = m$n, p = m$p,
       log_det = sum(log1p(h * l)))
}

# The grid of (SP.21): each hyper-parameter with the logarithm of its prior.
share_grid <- function(p) {
  logit <- seq(-log(2 * p), log(3 * p), length.out = 8L)
  share <- plogis(logit)
  data.frame(share, log_prior = log(share * (1 - share) / sum(share * (1 - share))))
}
slab_grid <- function(n) {
  kappa <- 4^(1:8) / n
  prior <- exp(-0.05 / kappa) / sqrt(1 + kappa)
  data.frame(kappa, log_prior = log(prior / sum(prior)))
}
small_grid <- function(p) {
  j <- -5:3
  prior <- 4^j / (1 + 4^j)^2.25
  data.frame(h = 4^j / p, log_prior = log(prior / sum(prior)))
}

log_sum <- function(x) max(x) + log(sum(exp(x - max(x))))

# Every subset, every point of the grid. small = FALSE: prior slab, without small effects; TRUE: prior sparse, half of which has them.
all_subsets <- function(m, small) {
  subsets <- lapply(seq_len(2^m$p) - 1, function(code) which(bitwAnd(code, 2^(seq_len(m$p) - 1L)) > 0L))
  size <- lengths(subsets)
  shares <- share_grid(m$p)
  of_size <- vapply(0:m$p, function(k) log_sum(shares$log_prior + k * log(shares$share) + (m$p - k) * log1p(-shares$share)), 0)[size + 1L]
  slabs <- slab_grid(m$n)
  smalls <- data.frame(h = 0, log_prior = 0)
  if (small) smalls <- rbind(data.frame(h = 0, log_prior = log(0.5)), within(small_grid(m$p), log_prior <- log_prior + log(0.5)))
  total <- rep(-Inf, length(subsets))
  for (j in seq_len(nrow(smalls))) {
    beside <- beside_small_effects(m, smalls$h[j])
    for (i in seq_len(nrow(slabs))) {
      one <- vapply(subsets, function(members) log_evidence(beside, members, slabs$kappa[i]), 0) - beside$log_det / 2 + slabs$log_prior[i] + smalls$log_prior[j]
      total <- pmax(total, one) + log1p(exp(-abs(total - one)))
    }
  }
  weight <- exp(total + of_size - log_sum(total + of_size))
  vapply(seq_len(m$p), function(column) sum(weight[vapply(subsets, function(members) column %in% members, NA)]), 0)
}

# Metropolis and Hastings over subsets and the slab's grid; share ~ Beta(1, 1), so that p(subset) = B(1 + k, 1 + p - k).
chain_of_subsets <- function(m, steps) {
  members <- integer()
  slabs <- slab_grid(m$n)
  i <- 4L
  log_size <- function(k) lbeta(1 + k, 1 + m$p - k)
  current <- log_evidence(m, members, slabs$kappa[i])
  count <- numeric(m$p)
  for (step in seq_len(steps)) {
    new <- members
    new_i <- i
    u <- runif(1L)
    if (u < 0.1) {
      new_i <- i + sample(c(-1L, 1L), 1L)
    } else if (u < 0.55 || length(members) == 0L || length(members) == m$p) {
      flipped <- sample.int(m$p, 1L)
      new <- if (flipped %in% members) members[members != flipped] else c(members, flipped)
    } else {
      new[sample.int(length(new), 1L)] <- setdiff(seq_len(m$p), members)[sample.int(m$p - length(members), 1L)]
    }
    if (new_i >= 1L && new_i <= nrow(slabs)) {
      proposed <- log_evidence(m, new, slabs$kappa[new_i])
      # a flip is proposed more often from the empty subset, where no columns can be exchanged
      ways <- function(k) if (k == 0L || k == m$p) 0.9 else 0.45
      ratio <- proposed - current + log_size(length(new)) - log_size(length(members)) + slabs$log_prior[new_i] - slabs$log_prior[i]
      if (length(new) != length(members)) ratio <- ratio + log(ways(length(new)) / ways(length(members)))
      if (log(runif(1L)) < ratio) {
        members <- new
        i <- new_i
        current <- proposed
      }
    }
    if (step > steps / 5) count[members] <- count[members] + 1
  }
  count / (steps - floor(steps / 5))
}

by_bms <- function(table, ...) {
  fit <- bms(table, user.int = FALSE, nmodel = 100, ...)
  coef(fit, order.by.pip = FALSE)[, "PIP"]
}

crime <- MASS::UScrime[c("y", setdiff(names(MASS::UScrime), "y"))]

# Seven columns whose effects are known, orthogonal and correlated.
simulated <- NULL
for (correlation in c(0, 0.8)) {
  set.seed(3)
  X <- scale(matrix(rnorm(47 * 7), 47), scale = FALSE)
  X <- if (correlation == 0) qr.Q(qr(X)) * sqrt(47) else X %*% chol(correlation + (1 - correlation) * diag(7))
  colnames(X) <- paste0("x", 1:7)
  y <- drop(X %*% c(0.8, 0.4, 0.3, 0.2, 0, 0, 0)) + rnorm(47)
  m <- moments_of(X, y)
  for (prior in c("slab", "sparse")) {
    answers <- list(pip(ardvark_fit(X, y, prior = prior)), all_subsets(m, prior == "sparse"))
    names(answers) <- sprintf(c("correlation %g, ardvark, %s", "correlation %g, prior of %s, all subsets"), correlation, prior)
    for (answer in names(answers)) simulated <- rbind(simulated, data.frame(answer, column = colnames(X), inclusion = unname(answers[[answer]])))
  }
}
write.csv(simulated, file.path(here, "results", "simulated.csv"), row.names = FALSE)
if (identical(commandArgs(TRUE), "simulated")) quit()

# Left-out rows: BMS mixes its 500 best models.
density_by_bms <- function(table, rows, ...) {
  fit <- bms(table[rows, ], user.int = FALSE, nmodel = 500, ...)
  others <- setdiff(seq_len(nrow(table)), rows)
  vapply(others, function(row) -lps.bma(fit, table[row, 1L], newdata = as.matrix(table[row, -1L])), 0)
}

density_by_ardvark <- function(table, rows, prior) {
  fit <- suppressWarnings(ardvark(y ~ ., table[rows, ], prior = prior))
  others <- setdiff(seq_len(nrow(table)), rows)
  ardvark_log_density(fit, table[others, ], table$y[others])
}

densities <- NULL
for (data in c("UScrime", "datafls")) {
  table <- if (data == "UScrime") crime else datafls
  search <- if (data == "UScrime") list(mcmc = "enumerate") else list(mcmc = "bd", burn = 5e4, iter = 1e5)
  fold <- folds_of(nrow(table))
  methods <- list(
    `ardvark, sparse` = function(rows) density_by_ardvark(table, rows, "sparse"),
    `ardvark, slab` = function(rows) density_by_ardvark(table, rows, "slab"),
    `BMS, g = max(n, p^2), 1/2` = function(rows) do.call(density_by_bms, c(list(table, rows, g = "BRIC", mprior = "uniform"), search)),
    `BMS, hyper-g, Beta(1, 1)` = function(rows) do.call(density_by_bms, c(list(table, rows, g = "hyper", mprior = "random"), search))
  )
  for (method in names(methods)) for (k in 1:10) {
    set.seed(k)
    log_density <- methods[[method]](which(fold != k))
    densities <- rbind(densities, data.frame(data, method, row = which(fold == k), log_density = unname(log_density)))
  }
  cat(data, "\n")
}
write.csv(densities, file.path(here, "results", "bms_density.csv"), row.names = FALSE)
if (identical(commandArgs(TRUE), "density")) quit()

found <- NULL
keep <- function(data, answer, seconds, inclusion) {
  found <<- rbind(found, data.frame(data, answer, column = names(inclusion), inclusion = unname(inclusion), seconds))
  cat(data, "|", answer, "|", round(seconds, 2), "s\n")
}
timed <- function(data, answer, call, names = NULL) {
  seconds <- processor_seconds(inclusion <- call())
  if (!is.null(names)) names(inclusion) <- names
  keep(data, answer, seconds, inclusion)
}

for (data in c("UScrime", "datafls")) {
  table <- if (data == "UScrime") crime else datafls
  for (prior in c("slab", "sparse")) timed(data, paste("ardvark,", prior), function() pip(suppressWarnings(ardvark(y ~ ., table, prior = prior))))
}
m <- moments_of(as.matrix(crime[-1L]), crime$y)
timed("UScrime", "prior of slab, all subsets", function() all_subsets(m, FALSE), names(crime)[-1L])
timed("UScrime", "prior of sparse, all subsets", function() all_subsets(m, TRUE), names(crime)[-1L])
timed("UScrime", "BMS, g = n, Beta(1, 1)", function() by_bms(crime, mcmc = "enumerate", g = "UIP", mprior = "random"))
timed("UScrime", "BMS, hyper-g, Beta(1, 1)", function() by_bms(crime, mcmc = "enumerate", g = "hyper", mprior = "random"))
timed("UScrime", "BMS, g = n, 1/2", function() by_bms(crime, mcmc = "enumerate", g = "UIP", mprior = "uniform"))

m <- moments_of(as.matrix(datafls[-1L]), datafls$y)
for (seed in 1:2) {
  set.seed(seed)
  timed("datafls", paste("prior of slab, chain", seed), function() chain_of_subsets(m, 4e5), names(datafls)[-1L])
  set.seed(seed)
  timed("datafls", paste("BMS, g = p^2, 1/2, chain", seed), function() by_bms(datafls, burn = 1e5, iter = 5e5, mcmc = "bd", g = "BRIC", mprior = "uniform"))
  set.seed(seed)
  timed("datafls", paste("BMS, hyper-g, Beta(1, 1), chain", seed), function() by_bms(datafls, burn = 1e5, iter = 2e5, mcmc = "bd", g = "hyper", mprior = "random"))
}
write.csv(found, file.path(here, "results", "inclusions.csv"), row.names = FALSE)
