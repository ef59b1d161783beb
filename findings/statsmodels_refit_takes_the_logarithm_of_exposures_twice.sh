#!/usr/bin/env bash
# statsmodels 0.15.0: GLM.fit_regularized(refit=True) of a model with an exposure takes the logarithm of the exposure twice in the second fit, so that
# all rates are wrong, without a word; with offset=log(exposure), the same model, and without refit all is right.
# Expected: the parameters with offset: -1.03, .51. Seen with exposure: .98, .52, that is a rate of 2.67 for .36 per year.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
"$folder/venv/bin/python" -W error - <<'PYTHON'
import numpy
import statsmodels
from statsmodels.genmod.families import Poisson
from statsmodels.genmod.generalized_linear_model import GLM

random = numpy.random.default_rng(0)
X = numpy.column_stack([numpy.ones(300), random.normal(size=300)])
years = random.uniform(3.0, 40.0, 300)
y = random.poisson(years * numpy.exp(-1.0 + 0.5 * X[:, 1]))


def parameters(refit, offset=None, **exposure):
    model = GLM(y, X, family=Poisson(), offset=offset, **exposure)
    return model.fit_regularized(alpha=0.01, refit=refit).params


offset = numpy.log(years)
right, right_refit = parameters(False, offset), parameters(True, offset)
seen, seen_refit = parameters(False, exposure=years), parameters(True, exposure=years)
twice = GLM(y, X, family=Poisson(), offset=numpy.log(offset)).fit().params
print(statsmodels.__version__, right, right_refit, seen, seen_refit)
same = numpy.allclose(seen, right) and numpy.allclose(seen_refit, twice) and seen_refit[0] - right_refit[0] > 1.5
raise SystemExit(0 if same else "changed")
PYTHON
