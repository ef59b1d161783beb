#!/usr/bin/env bash
# formulaic 1.2.2: the interaction a:b of two columns of int8 is multiplied in int8, so that products beyond 127 wrap around, without a word, in all of
# its outputs (pandas, numpy, sparse): a gene by age interaction has negative numbers. patsy 1.0.3 gives doubles, and the right numbers.
# Expected: dose x age = 2 x 70 = 140. Seen: -116 (formulaic), 140 (patsy).
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check formulaic==1.2.2 patsy==1.0.3 pandas==2.3.3 numpy==2.4.6
"$folder/venv/bin/python" -W error - <<'PYTHON'
import formulaic
import numpy
import pandas
import patsy

frame = pandas.DataFrame({"dose": [0, 1, 2, 2], "age": [70, 70, 60, 70]}, dtype="int8")
formula = "0 + dose:age"
seen = {output: formulaic.model_matrix(formula, frame, output=output) for output in ("pandas", "numpy")}
seen = {output: numpy.asarray(matrix).ravel().tolist() for output, matrix in seen.items()}
seen["sparse"] = formulaic.model_matrix(formula, frame, output="sparse").toarray().ravel().tolist()
seen["doubles"] = formulaic.model_matrix(formula, frame.astype(float), output="numpy").ravel().tolist()
seen["patsy"] = numpy.asarray(patsy.dmatrix(formula, frame)).ravel().tolist()
print(formulaic.__version__, patsy.__version__, seen)
wrapped, right = [0, 70, 120, -116], [0, 70, 120, 140]
expected = {"pandas": wrapped, "numpy": wrapped, "sparse": wrapped, "doubles": right, "patsy": right}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
