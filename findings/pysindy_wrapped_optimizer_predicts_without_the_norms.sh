#!/usr/bin/env bash
# pysindy 2.1.0: with normalize_columns=True, WrappedOptimizer fits an estimator of scikit-learn to columns of norm 1 and divides the coefficients by the
# norms, but its predict, and so SINDy.predict and score, give the estimator the columns as they are. The printed equations are right and the
# predictions are not, without a word. STLSQ with the same option predicts by its coefficients.
# Expected: predictions that are the columns times coefficients(), as without the option (score 1). Seen: larger by the norms (score below -9000).
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pysindy==2.1.0 scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata

import numpy
import pysindy
from sklearn.linear_model import Ridge

t = numpy.arange(0, 5, 0.01)
x = numpy.stack([10 * numpy.exp(-0.5 * t), 20 * numpy.exp(-1.5 * t)], axis=1)
slope = x * [-0.5, -1.5]
library = pysindy.PolynomialLibrary(degree=1, include_bias=False)


def first_row(optimizer):
    model = pysindy.SINDy(optimizer=optimizer, feature_library=library).fit(x, t=t, x_dot=slope)
    by_coefficients = x @ numpy.asarray(model.coefficients()).T
    return numpy.round(by_coefficients[0], 2).tolist(), numpy.round(numpy.asarray(model.predict(x))[0], 2).tolist(), model.score(x, t=t, x_dot=slope)


seen = {
    "plain": first_row(pysindy.WrappedOptimizer(Ridge(alpha=1.0, fit_intercept=False))),
    "normalized": first_row(pysindy.WrappedOptimizer(Ridge(alpha=1.0, fit_intercept=False), normalize_columns=True)),
    "STLSQ, normalized": first_row(pysindy.STLSQ(threshold=0.01, normalize_columns=True)),
}
print(importlib.metadata.version("pysindy"))
for name, (by_coefficients, predicted, score) in seen.items():
    print(f"{name}: columns times coefficients {by_coefficients}, predicted {predicted}, score {score:.3f}")
right = [-5.0, -30.0]
same = all(by_coefficients == right for by_coefficients, _, _ in seen.values())
agree = {name: numpy.allclose(by_coefficients, predicted, atol=0.01) for name, (by_coefficients, predicted, _) in seen.items()}
expected = {"plain": True, "normalized": False, "STLSQ, normalized": True}
raise SystemExit(0 if same and agree == expected and seen["normalized"][2] < -9000 else "changed")
PYTHON
