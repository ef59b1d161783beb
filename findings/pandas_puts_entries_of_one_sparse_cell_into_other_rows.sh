#!/usr/bin/env bash
# pandas 3.1.1: DataFrame.sparse.from_spmatrix of a CSR or CSC matrix with several entries of one cell (scipy adds them; a list of events, one entry each,
# is such a matrix) makes a table that contradicts itself, without a word: its sums and to_coo() are right, while to_numpy(), to_dense() and the rows hold
# one of the entries, and in a column with as many entries as rows they put entries into other rows.
# Expected: [[2, 1, 0], [0, 0, 3]], or an error. Seen: [[1, 1, 0], [1, 0, 1]]; right from COO, and after sum_duplicates().
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1 scipy==1.17.1 numpy==2.4.6
"$folder/venv/bin/python" -W error - <<'PYTHON'
import numpy
import pandas
from scipy import sparse

cells, ends = numpy.array([0, 0, 1, 2, 2, 2], numpy.int32), numpy.array([0, 3, 6], numpy.int32)
events = sparse.csr_array((numpy.ones(6), cells, ends), shape=(2, 3))


def read(matrix):
    frame = pandas.DataFrame.sparse.from_spmatrix(matrix)
    tables = {"numpy": frame.to_numpy(), "dense": frame.sparse.to_dense().to_numpy(), "coo": frame.sparse.to_coo().toarray()}
    tables["rows"] = numpy.array([frame.iloc[row].to_numpy() for row in range(len(frame))])
    return {name: table.tolist() for name, table in tables.items()} | {"sums": frame.sum().astype(float).tolist()}


summed = events.copy()
summed.sum_duplicates()
seen = {name: read(matrix) for name, matrix in {"csr": events, "csc": events.tocsc(), "coo": events.tocoo(), "summed": summed}.items()}
print(pandas.__version__, seen)
right = {"numpy": [[2, 1, 0], [0, 0, 3]], "dense": [[2, 1, 0], [0, 0, 3]], "coo": [[2, 1, 0], [0, 0, 3]], "rows": [[2, 1, 0], [0, 0, 3]], "sums": [2, 1, 3]}
wrong = right | {"numpy": [[1, 1, 0], [1, 0, 1]], "dense": [[1, 1, 0], [1, 0, 1]], "rows": [[1, 1, 0], [0, 0, 1]]}
expected = {"csr": wrong, "csc": wrong, "coo": right, "summed": right}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
