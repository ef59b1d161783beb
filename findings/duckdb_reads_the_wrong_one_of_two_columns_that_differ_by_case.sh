#!/usr/bin/env bash
# duckdb 2.0.1: of a Parquet file with the columns "a" and "A", `select A` (and `select "A"`) gives the numbers of "a", without a word: the second column
# is renamed to "A_1" on reading, and names are compared without case. Written again, the file has the column "A_1" in place of "A". The same for a
# DataFrame and for CSV.
# Expected: the numbers of "A", or an error. Seen: [1.0, 2.0] for a column that holds [3.0, 4.0]; names ["a", "A_1"].
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1 pandas==3.1.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import duckdb
import pyarrow
import pyarrow.parquet as parquet

folder = sys.argv[1]
table = pyarrow.table({"a": [1.0, 2.0], "A": [3.0, 4.0]})
parquet.write_table(table, f"{folder}/in.parquet")
duckdb.sql(f"copy (from '{folder}/in.parquet') to '{folder}/out.parquet'")
with open(f"{folder}/in.csv", "w") as file:
    file.write("a,A\n1,3\n2,4\n")
frame = table.to_pandas()


def column(name, source):
    return [float(row[0]) for row in duckdb.sql(f"select {name} from {source}").fetchall()]


sources = [f"'{folder}/in.parquet'", f"'{folder}/in.csv'", "frame"]
seen = [[column(name, source) for name in ("a", "A", '"A"', "A_1")] for source in sources]
names = parquet.read_schema(f"{folder}/out.parquet").names
print(duckdb.__version__, seen[0], names)
expected = [[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0]]] * 3
raise SystemExit(0 if seen == expected and names == ["a", "A_1"] else f"changed: expected {expected} and ['a', 'A_1'], seen {seen}")
PYTHON
