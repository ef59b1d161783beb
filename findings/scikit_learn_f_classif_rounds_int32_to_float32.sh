#!/usr/bin/env bash
# scikit-learn 1.9.1: f_classif, the default score of SelectKBest, converts int32 to float32 and takes sums of squares minus squares of sums there, so that
# of whole numbers with a large mean (raw counts of a 24-bit converter) nothing but rounding is left: noise has p = 3e-12, and an F is negative with p NaN,
# without a word. int64 and double are right, and so is f_regression of int32.
# Expected: F 0, .11, 1.67, 0 (p .99, .74, .20, .95). Seen: F -293, -8233, -64, 50 (p NaN, NaN, NaN, 3e-12).
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W error - <<'PYTHON'
import numpy
import sklearn
from sklearn.feature_selection import f_classif, f_regression

random = numpy.random.default_rng(0)
counts = 1_000_000 + random.poisson(2000, (2000, 4))
group = random.integers(0, 2, 2000)
seen = {type: f_classif(counts.astype(type), group) for type in ("float64", "int64", "int32")}
regression = [f_regression(counts.astype(type), group)[0] for type in ("float64", "int32")]
print(sklearn.__version__, {type: (F.round(2), p) for type, (F, p) in seen.items()})
right, wrong = seen["float64"], seen["int32"]
same = numpy.allclose(seen["int64"], right) and numpy.allclose(*regression) and numpy.allclose(right[0], regression[0], rtol=1e-3, atol=1e-3)
off = (abs(wrong[0] - right[0]) > 3).sum() > 1 and 0.05 < right[1].min()
raise SystemExit(0 if same and off else "changed")
PYTHON
