#!/usr/bin/env bash
# glum 3.4.1: aic, aicc and bic of a fit with an offset leave the offset out of the predictions, without a word; they have no argument for it, although
# fit, predict and score have one. Models of counts with an exposure are then ranked by the likelihood of another model.
# Expected: the AIC of statsmodels 0.15.0 for the same coefficients, 1133.2, or an error. Seen: 4924.9; without an offset both agree.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check glum==3.4.1 statsmodels==0.15.0 scipy==1.17.1 pandas==2.3.3
"$folder/venv/bin/python" -W error - <<'PYTHON'
import inspect

import glum
import numpy
from glum import GeneralizedLinearRegressor
from statsmodels.genmod.families import Poisson
from statsmodels.genmod.generalized_linear_model import GLM

random = numpy.random.default_rng(0)
X = numpy.column_stack([numpy.ones(300), random.normal(size=(300, 2))])
years = random.uniform(0.5, 20.0, 300)
y = random.poisson(years * numpy.exp(-1.0 + 0.5 * X[:, 1]))


def both(offset):
    fit = GeneralizedLinearRegressor(family="poisson", alpha=0, fit_intercept=False).fit(X, y, offset=offset)
    reference = GLM(y, X, family=Poisson(), offset=offset).fit()
    assert numpy.allclose(fit.coef_, reference.params, atol=1e-5)
    return round(float(fit.aic(X, y)), 1), round(float(reference.aic), 1)


seen = {"with an offset": both(numpy.log(years)), "without": both(None)}
argument = {name: "offset" in inspect.signature(getattr(GeneralizedLinearRegressor, name)).parameters for name in ("aic", "bic", "score")}
print(glum.__version__, seen, argument)
same = seen["without"][0] == seen["without"][1] and seen["with an offset"] == (4924.9, 1133.2)
raise SystemExit(0 if same and argument == {"aic": False, "bic": False, "score": True} else "changed")
PYTHON
