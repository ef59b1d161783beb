#!/usr/bin/env bash
# kernlab 0.9-32 (R): predict(gausspr(..., variance.model = TRUE), type = "sdeviation") adds the mean of y to the standard deviation, without a word, because
# it undoes the scaling of y as for a mean; type = "variance" does the same, and multiplies by the standard deviation of y instead of its square.
# scaled = TRUE is the default. With a target about 1000, all intervals are about 1000 wide; with one about -1000, standard deviations are negative.
# Expected: .030 at x = -2, by the formula (it does not change with a constant added to y). Seen: .060, with y + 1000: 1000.060, with y - 1000: -999.940.
# Exits with 1 if this changes. Needs R; Debian's package of kernlab is unpacked in a temporary folder.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq r-cran-kernlab=0.9-32-1
dpkg-deb -x r-cran-kernlab_*.deb .
export R_LIBS=$work/usr/lib/R/site-library
Rscript --vanilla - <<'R'
suppressMessages(library(kernlab))
set.seed(1)
x <- matrix(runif(200, -3, 3))
y <- sin(x[, 1]) + 0.2 * rnorm(200)
new <- matrix(-2)
seen <- function(shift, type) {
  fit <- gausspr(x, y + shift, variance.model = TRUE, kernel = "rbfdot", kpar = list(sigma = 1), var = 0.04)
  as.vector(predict(fit, new, type = type))
}
# the posterior of the function, of scaled x and y
scaled <- scale(x)
at <- scale(new, attr(scaled, "scaled:center"), attr(scaled, "scaled:scale"))
kernel <- rbfdot(sigma = 1)
across <- kernelMatrix(kernel, at, scaled)
variance <- drop(1 - across %*% solve(kernelMatrix(kernel, scaled) + 0.04 * diag(200), t(across)))
right <- sqrt(variance) * sd(y)
found <- vapply(c(0, 1000, -1000), seen, 0, "sdeviation")
print(packageVersion("kernlab"))
print(c(expected = right, y = found[1], `y + 1000` = found[2], `y - 1000` = found[3]), digits = 7)
same <- isTRUE(all.equal(found, right + mean(y) + c(0, 1000, -1000))) && isTRUE(all.equal(seen(0, "variance"), variance * sd(y) + mean(y)))
quit(status = if (same) 0 else 1)
R
