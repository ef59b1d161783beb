#!/usr/bin/env bash
# scipy 1.17.1: mmread of a Matrix Market file with the exponents that Fortran writes for doubles (1.5D+02, 1.5d2, 1.5+102) stops before them and takes
# 1.5 for 150, without a word; so does fast-matrix-market 1.7.6, whose code it is. The reader of scipy before 1.12 refused such a file, and a complex one
# is refused today. All numbers of such a file come back between -10 and 10.
# Expected: 150, or an error. Seen: 1.5.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check scipy==1.17.1 fast-matrix-market==1.7.6 numpy==2.4.6
"$folder/venv/bin/python" -W error - "$folder/matrix.mtx" <<'PYTHON'
import sys

import fast_matrix_market
import scipy.io


def read(reader, number, layout="coordinate real"):
    size, place = ("1 1", "") if layout.startswith("array") else ("1 1 1", "1 1 ")
    with open(sys.argv[1], "w") as file:
        file.write(f"%%MatrixMarket matrix {layout} general\n{size}\n{place}{number}\n")
    try:
        matrix = reader(sys.argv[1])
    except ValueError:
        return "refused"
    return (matrix if layout.startswith("array") else matrix.toarray()).tolist()[0][0]


seen = {number: read(scipy.io.mmread, number) for number in ("1.5E+02", "1.5D+02", "1.5d2", "-2.5D-03", "1.5+102")}
seen["array"] = read(scipy.io.mmread, "1.5D+02", "array real")
seen["complex"] = read(scipy.io.mmread, "1.5D+02 0.0D+00", "coordinate complex")
seen["fast-matrix-market"] = read(fast_matrix_market.mmread, "1.5D+02")
print(scipy.__version__, seen)
expected = {"1.5E+02": 150.0, "1.5D+02": 1.5, "1.5d2": 1.5, "-2.5D-03": -2.5, "1.5+102": 1.5}
expected.update({"array": 1.5, "complex": "refused", "fast-matrix-market": 1.5})
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
