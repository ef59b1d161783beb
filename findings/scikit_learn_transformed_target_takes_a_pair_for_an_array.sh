#!/usr/bin/env bash
# scikit-learn 1.9.1: TransformedTargetRegressor.predict passes its keywords to the regressor, as documented ("Parameters passed to the predict method of
# the underlying regressor"), and then transforms what comes back as if it were an array: with return_std=True, which BayesianRidge has, it is a pair.
# Expected: the pair, transformed where it can be, or a sentence. Seen: AttributeError, 'tuple' object has no attribute 'ndim'.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import numpy
import sklearn
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import BayesianRidge

X = numpy.random.default_rng(0).normal(size=(50, 2))
y = numpy.exp(X[:, 0])
pair = BayesianRidge().fit(X, numpy.log(y)).predict(X, return_std=True)
stacked = StackingRegressor([("line", BayesianRidge())], final_estimator=BayesianRidge()).fit(X, y).predict(X, return_std=True)
model = TransformedTargetRegressor(BayesianRidge(), func=numpy.log, inverse_func=numpy.exp).fit(X, y)
try:
    found = type(model.predict(X, return_std=True)).__name__
except AttributeError as error:
    found = f"AttributeError: {error}"
print(sklearn.__version__)
print("BayesianRidge:", type(pair).__name__, "StackingRegressor:", type(stacked).__name__, "TransformedTargetRegressor:", found)
raise SystemExit(0 if isinstance(pair, tuple) and isinstance(stacked, tuple) and "has no attribute 'ndim'" in found else "changed")
PYTHON
