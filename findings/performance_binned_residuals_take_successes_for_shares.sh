#!/usr/bin/env bash
# performance 0.10.2 with insight 0.19.0 (R): binned_residuals() of a glm whose response is cbind(successes, failures) subtracts the fitted probability from
# the number of successes, not from their share, without a word. The page of check_model() then shows "binned residuals" far outside of their bounds.
# Expected: mean residuals between -1 and 1; those of the shares are .05 to .29. Seen: .06, .55, 2.66, .89, 4.44 and 3.33, five of six outside.
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
fit <- glm(cbind(ncases, ncontrols) ~ agegp, binomial, esoph)
seen <- suppressWarnings(as.data.frame(binned_residuals(fit)))
at <- fitted(fit)
share <- residuals(fit, "response") + at
bins <- split(seq_along(at), findInterval(at, seen$xbar + 1e-6))
right <- vapply(bins, function(rows) mean(share[rows] - at[rows]), 0)
of_counts <- vapply(bins, function(rows) mean(esoph$ncases[rows] - at[rows]), 0)
print(packageVersion("performance"))
print(rbind(expected = right, seen = seen$ybar), digits = 3)
quit(status = if (isTRUE(all.equal(unname(of_counts), seen$ybar)) && sum(seen$group == "no") == 5) 0 else 1)
R
