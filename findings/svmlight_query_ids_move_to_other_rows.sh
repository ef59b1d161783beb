#!/usr/bin/env bash
# scikit-learn 1.9.1: load_svmlight_file(query_id=True) of a file in which some rows have no qid returns fewer query identifiers than rows, without a
# message: the identifiers of later rows stand where earlier rows are. The format makes qid optional in every row.
# Expected: four identifiers (or an error). Seen: rows 2 and 4 have qid 7 and 8, and the array is [7, 8] for four rows.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
printf '1 1:1\n0 qid:7 1:2\n1 1:3\n0 qid:8 1:4\n' >"$folder/queries.svm"
"$folder/venv/bin/python" -W error - "$folder/queries.svm" <<'PYTHON'
import sys

import sklearn
from sklearn.datasets import load_svmlight_file

X, y, query = load_svmlight_file(sys.argv[1], query_id=True)
seen = {"rows": X.shape[0], "targets": y.tolist(), "query_id": query.tolist()}
print(sklearn.__version__, seen)
expected = {"rows": 4, "targets": [1.0, 0.0, 1.0, 0.0], "query_id": [7, 8]}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
