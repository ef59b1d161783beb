#!/usr/bin/env bash
# pyarrow 26.0.1: pyarrow.compute.drop_null of a dictionary array of which a level is null keeps the rows of that level, although is_null is true
# there and count(mode="only_null") counts them. A table is "without nulls" after drop_null and is not. Seen (levels "a" and null, rows 0, 1, 1):
#   null_count 0; is_null false, true, true; count of nulls 2; drop_null gives 'a', None, None; after a cast to string it gives 'a'.
# Exits with 1 if this changes. Needs python3 and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pyarrow==26.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import pyarrow
import pyarrow.compute as compute

rows = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 1], pyarrow.int8()), pyarrow.array(["a", None]))
seen = {
    "null_count": rows.null_count,
    "is_null": rows.is_null().to_pylist(),
    "count of nulls": compute.count(rows, mode="only_null").as_py(),
    "drop_null": compute.drop_null(rows).to_pylist(),
    "drop_null after a cast": compute.drop_null(rows.cast(pyarrow.string())).to_pylist(),
}
print(pyarrow.__version__, seen)
expected = {
    "null_count": 0,
    "is_null": [False, True, True],
    "count of nulls": 2,
    "drop_null": ["a", None, None],
    "drop_null after a cast": ["a"],
}
raise SystemExit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
