#!/usr/bin/env bash
# pyarrow 26.0.1: pyarrow.csv infers whole numbers for a column of texts like 0x1F, and so does a cast of such strings to int64; pandas 2.3.3 keeps
# the texts. Identifiers (addresses, barcodes, devices) become numbers without a word; one 0x1G among them makes texts of all. Seen:
#   csv: int64 [31, 1449, 16]; with 0x1G: string; cast of "0x1F": 31; cast of "0x1F" to double is refused; pandas: object.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pyarrow==26.0.1 pandas==2.3.3
"$folder/venv/bin/python" - <<'PYTHON'
import io

import pandas
import pyarrow
from pyarrow import csv


def column(text):
    return csv.read_csv(io.BytesIO(text.encode())).column(0)


hexadecimal, mixed = "code\n0x1F\n0x5A9\n0x10\n", "code\n0x1F\n0x1G\n0x10\n"
try:
    as_double = pyarrow.array(["0x1F"]).cast(pyarrow.float64()).to_pylist()
except pyarrow.ArrowInvalid:
    as_double = "refused"
seen = {
    "csv": (str(column(hexadecimal).type), column(hexadecimal).to_pylist()),
    "csv with 0x1G": str(column(mixed).type),
    "cast to int64": pyarrow.array(["0x1F"]).cast(pyarrow.int64()).to_pylist(),
    "cast to double": as_double,
    "pandas": str(pandas.read_csv(io.StringIO(hexadecimal))["code"].dtype),
}
print(pyarrow.__version__, pandas.__version__, seen)
expected = {
    "csv": ("int64", [31, 1449, 16]),
    "csv with 0x1G": "string",
    "cast to int64": [31],
    "cast to double": "refused",
    "pandas": "object",
}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
