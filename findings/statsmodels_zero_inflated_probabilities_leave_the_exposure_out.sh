#!/usr/bin/env bash
# statsmodels 0.15.0: ZeroInflatedPoisson.predict(which="prob") leaves the exposure out, also one that it is given, without a word, while its mean and
# which="prob-zero" have it. The diagnostics of the fit are made of these probabilities: test_chisquare_prob rejects the model that drew the counts.
# Expected: a share of zeros of .222 by both, as observed, and a p value that is not near 0. Seen: .222 and .421, and p of 0. Without an exposure all agree.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/venv/bin/python" -W error - <<'PYTHON'
import numpy
import statsmodels
from statsmodels.discrete.count_model import ZeroInflatedPoisson

random = numpy.random.default_rng(0)
x = random.normal(size=3000)
days = random.uniform(0.5, 20.0, 3000)
X = numpy.column_stack([numpy.ones(3000), x])


def shares_of_zeros(time, **given):
    """By probabilities, by the probability of zero, as observed; and the p value of the diagnostic."""
    y = numpy.where(random.uniform(size=3000) < 0.2, 0, random.poisson(time * numpy.exp(0.3 + 0.5 * x)))
    fit = ZeroInflatedPoisson(y, X, **given).fit(disp=0, maxiter=500)
    by_probabilities = fit.predict(X, which="prob", **given)[:, 0].mean()
    p = fit.get_diagnostic().test_chisquare_prob(bin_edges=numpy.arange(6)).pvalue
    return by_probabilities, fit.predict(X, which="prob-zero", **given).mean(), (y == 0).mean(), p


seen, without = shares_of_zeros(days, exposure=days), shares_of_zeros(numpy.ones(3000))
print(statsmodels.__version__, numpy.round(seen, 4), numpy.round(without, 4))
same = abs(seen[1] - seen[2]) < 0.01 and seen[0] > seen[2] + 0.1 and seen[3] < 1e-10 and abs(without[0] - without[1]) < 1e-10 and without[3] > 0.01
raise SystemExit(0 if same else "changed")
PYTHON
