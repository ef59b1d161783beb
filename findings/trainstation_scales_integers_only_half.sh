#!/usr/bin/env bash
# trainstation 1.2: fit and Optimizer standardize by default, in place (StandardScaler(copy=False)). A fit matrix of integers, such as counts of
# clusters, cannot be scaled in place: it is fitted as it is, and the parameters are divided by the standard deviations of the columns all the same.
# Expected: the parameters of the same numbers as floats (1, -2, .5: y is A times these, without noise). Seen: .358, -.692, .169, without a word, for
# least squares, ardr and the others; the Optimizer's error of test rows is 3.2 instead of 0.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check trainstation==1.2 scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W error - <<'PYTHON'
import importlib.metadata

import numpy
import trainstation

A = numpy.random.default_rng(0).integers(0, 10, size=(60, 3))
y = A @ [1.0, -2.0, 0.5]
found = {}
for kind in (float, int):
    for method in ("least-squares", "ardr"):
        found[kind.__name__, method] = trainstation.fit(A.astype(kind), y, method)["parameters"]
    found[kind.__name__, "not standardized"] = trainstation.fit(A.astype(kind), y, "least-squares", standardize=False)["parameters"]
    optimizer = trainstation.Optimizer((A.astype(kind), y))
    optimizer.train()
    found[kind.__name__, "Optimizer"] = optimizer.parameters
    print(kind.__name__, "error of test rows:", round(float(optimizer.rmse_test), 3))
print(importlib.metadata.version("trainstation"))
for names, parameters in found.items():
    print(*names, numpy.round(parameters, 3).tolist())
right = {names: numpy.allclose(parameters, [1, -2, 0.5], atol=1e-3) for names, parameters in found.items()}
halved = numpy.allclose(found["int", "least-squares"], [1, -2, 0.5] / A.std(axis=0), atol=1e-6)
expected = {names: names[0] == "float" or names[1] == "not standardized" for names in found}
raise SystemExit(0 if right == expected and halved else "changed")
PYTHON
