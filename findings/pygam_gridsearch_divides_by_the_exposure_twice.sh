#!/usr/bin/env bash
# pygam 0.12.0: PoissonGAM.gridsearch divides the counts by the exposure twice: it hands the weights of the search to fit() by position, where the
# exposure stands. Weights alone are taken for an exposure, too. Nothing is said; fit(X, y, exposure) is right, so that a search changes the rates.
# Expected: one rate per year, near exp(-1) = .37, of both. Seen (exposures of 10 years on average): .36 by fit, .03 by gridsearch.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pygam==0.12.0 numpy==2.4.6 scipy==1.16.3
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import numpy
import pygam
from pygam import PoissonGAM, l

random = numpy.random.default_rng(0)
years = random.uniform(0.5, 20.0, 300)
X = random.normal(size=(300, 1))
y = random.poisson(years * numpy.exp(-1.0 + 0.5 * X[:, 0]))


def rate(model):
    return float(numpy.exp(model.coef_[-1]).round(2))


grid = {"lam": [0.6, 0.60001], "progress": False}
twos = numpy.full(300, 2.0)
seen = {
    "fit": rate(PoissonGAM(l(0), lam=0.6).fit(X, y, exposure=years)),
    "gridsearch": rate(PoissonGAM(l(0)).gridsearch(X, y, exposure=years, **grid)),
    "divided twice": rate(PoissonGAM(l(0), lam=0.6).fit(X, y / years, exposure=years)),
    "fit, weights of 2": rate(PoissonGAM(l(0), lam=0.6).fit(X, y, weights=twos)),
    "gridsearch, weights of 2": rate(PoissonGAM(l(0)).gridsearch(X, y, weights=twos, **grid)),
}
print(pygam.__version__, seen)
same = seen["fit"] == 0.36 and seen["gridsearch"] == seen["divided twice"] < 0.05
same = same and abs(seen["fit, weights of 2"] / seen["gridsearch, weights of 2"] - 2.0) < 0.05
raise SystemExit(0 if same else "changed")
PYTHON
