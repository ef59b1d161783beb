#!/usr/bin/env bash
# performance 0.10.2 with insight 0.19.0 (R): the picture of overdispersion of check_model() takes sigma(fit) of MASS::glm.nb, the square root of the
# deviance per degree of freedom (about 1), for theta. The variance that it draws for the counts is that of another model, without a word.
# Expected for warpbreaks: mu + mu^2 / theta = 195.4 at the first row (theta is 9.94). Seen: mu + mu^2 / 1.037 = 1535.8.
# Exits with 1 if this changes. Needs R; Debian's packages are unpacked in a temporary folder.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq r-cran-performance=0.10.2-1 r-cran-insight=0.19.0+dfsg-1 r-cran-bayestestr=0.13.0-1 r-cran-datawizard=0.6.5+dfsg-1 2>&1 | grep -v unsandboxed || true
for package in *.deb; do dpkg-deb -x "$package" .; done
export R_LIBS=$work/usr/lib/R/site-library
Rscript --vanilla - <<'R'
library(performance)
fit <- MASS::glm.nb(breaks ~ wool + tension, warpbreaks)
seen <- suppressWarnings(check_model(fit))$OVERDISPERSION$V[1]
mu <- fitted(fit)[[1]]
print(packageVersion("performance"))
print(c(theta = fit$theta, sigma = sigma(fit), expected = mu + mu^2 / fit$theta, seen = seen), digits = 5)
quit(status = if (isTRUE(all.equal(seen, mu + mu^2 / sigma(fit)))) 0 else 1)
R
