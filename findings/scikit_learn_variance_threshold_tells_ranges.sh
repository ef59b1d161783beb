#!/usr/bin/env bash
# scikit-learn 1.9.1: VarianceThreshold().variances_, "variances of individual features", holds the range (largest less smallest value) of every column
# whose range is smaller than its variance: of 0, 50, 100 it tells 100, and the variance is 1667. So does a sparse X. Only with the default threshold of
# 0; with any other, such as 1e-300, it tells variances. Who ranks columns by variances_, or takes a threshold from it, compares ranges with variances.
# Expected: [1666.7, 1.56]. Seen: [100, 1.56].
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" -W error - <<'PYTHON'
import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.feature_selection import VarianceThreshold

X = np.array([[0.0, 0.0], [100.0, 3.0], [50.0, 1.0]])
seen = {
    "variance": X.var(0).round(2).tolist(),
    "variances_": VarianceThreshold().fit(X).variances_.round(2).tolist(),
    "of a sparse X": VarianceThreshold().fit(sp.csr_array(X)).variances_.round(2).tolist(),
    "threshold 1e-300": VarianceThreshold(1e-300).fit(X).variances_.round(2).tolist(),
}
print(sklearn.__version__, np.__version__, seen)
variance, ranges = [1666.67, 1.56], [100.0, 1.56]
expected = {"variance": variance, "variances_": ranges, "of a sparse X": ranges, "threshold 1e-300": variance}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
