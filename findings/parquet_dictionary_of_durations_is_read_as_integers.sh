#!/usr/bin/env bash
# pyarrow 26.0.1: a dictionary-encoded column of durations is written to Parquet without an error, and read back as plain int64, without its unit
# and without a word; a plain column of durations comes back as one, and dictionaries of timestamps, dates and times as plain columns of these types.
# Expected: duration[s]. Seen: dictionary<duration[s]> -> int64 [90, 30, 90], duration[s] -> duration[s]. A model then takes seconds, or nanoseconds,
# as numbers.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pyarrow==26.0.1
"$folder/venv/bin/python" - "$folder/table.parquet" <<'PYTHON'
import sys

import pyarrow
import pyarrow.parquet as parquet

types = {"duration": pyarrow.duration("s"), "timestamp": pyarrow.timestamp("us"), "date": pyarrow.date32(), "time": pyarrow.time64("us")}
columns = {name: pyarrow.array([90, 30, 90], pyarrow.int32() if name == "date" else pyarrow.int64()).cast(type) for name, type in types.items()}
table = pyarrow.table({"plain": columns["duration"], **{name: column.dictionary_encode() for name, column in columns.items()}})
parquet.write_table(table, sys.argv[1])
again = parquet.read_table(sys.argv[1])
seen = {name: str(again.schema.field(name).type) for name in again.column_names}
print(pyarrow.__version__, seen, again.column("duration").to_pylist())
expected = {
    "plain": "duration[s]",
    "duration": "int64",
    "timestamp": "timestamp[us]",
    "date": "date32[day]",
    "time": "time64[us]",
}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
