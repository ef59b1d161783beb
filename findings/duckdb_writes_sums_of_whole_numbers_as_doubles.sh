#!/usr/bin/env bash
# duckdb 2.0.1: the sum of a BIGINT column is a HUGEINT, and COPY writes a HUGEINT to Parquet as a double, without a word: whole numbers beyond 2**53 are
# rounded on the way through a file, also those that fit 64 bits. The column itself, and its min and max, are written exactly.
# Expected: 9007199254740993, as the query itself gives it, or an error. Seen: 9007199254740992.0 of type double.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys

import duckdb
import pyarrow.parquet as parquet

path = f"{sys.argv[1]}/sums.parquet"
query = "select max(id) as largest, sum(id) as total from (values (9007199254740992), (1)) as rows(id)"
direct = duckdb.sql(query).fetchall()
duckdb.sql(f"copy ({query}) to '{path}'")
file = parquet.read_table(path)
again = duckdb.sql(f"from '{path}'").fetchall()
seen = {name: (str(file.schema.field(name).type), file[name].to_pylist()[0]) for name in file.column_names}
print(duckdb.__version__, direct, seen, again)
expected = {"largest": ("int64", 9007199254740992), "total": ("double", 9007199254740992.0)}
same = direct == [(9007199254740992, 9007199254740993)] and seen == expected and again == [(9007199254740992, 9007199254740992.0)]
raise SystemExit(0 if same else f"changed: expected {expected}")
PYTHON
