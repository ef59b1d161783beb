#!/usr/bin/env bash
# pysindy 2.1.0: set_params of its optimizers returns None, where an estimator of scikit-learn (BaseOptimizer is a LinearRegression) returns itself. What
# sets parameters and goes on with the result fails: GridSearchCV ends with a message about NoneType that does not name the optimizer.
# Expected: the optimizer, and a search over thresholds. Seen: None; AttributeError, 'NoneType' object has no attribute '__sklearn_tags__'.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pysindy==2.1.0 scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import importlib.metadata

import numpy
import pysindy
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV

rng = numpy.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = 2 * X[:, :1] + 0.1 * rng.normal(size=(60, 1))
returned = {kind.__name__: kind().set_params(copy_X=True) for kind in (LinearRegression, pysindy.STLSQ, pysindy.SR3, pysindy.SSR)}
alone = pysindy.STLSQ(threshold=0.5).fit(X, y)
try:
    found = GridSearchCV(pysindy.STLSQ(), {"threshold": [0.1, 0.5]}, cv=3).fit(X, y).best_params_
except Exception as error:
    found = f"{type(error).__name__}: {error}"
print(importlib.metadata.version("pysindy"))
print("set_params returns", {name: type(value).__name__ for name, value in returned.items()})
print("without a search:", numpy.round(alone.coef_, 2).tolist())
print("the search:", found)
same = isinstance(returned.pop("LinearRegression"), LinearRegression) and numpy.round(alone.coef_, 1).tolist() == [[2.0, 0.0, 0.0]]
raise SystemExit(0 if same and all(value is None for value in returned.values()) and "NoneType" in str(found) else "changed")
PYTHON
