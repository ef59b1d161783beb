"""The benchmark of many targets runs, and all methods predict the targets of its tables."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")

pytestmark = pytest.mark.long
FOLDER = Path(__file__).resolve().parents[2] / "bench" / "targets"


def test_a_small_run(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text((FOLDER / "README.md").read_text())
    sizes = {"rows": 150, "columns": 200, "targets": 40, "new-rows": 30, "predicted-targets": 20, "mapped-targets": 2300, "sparse-tables": "60x80x25"}
    command = [sys.executable, FOLDER / "run.py", "--tables", tmp_path / "tables", "--readme", readme, *(str(word) for name, size in sizes.items() for word in (f"--{name}", size))]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = dict(line.split(": ", 1) for line in done.splitlines() if ": {" in line)
    took = {name: json.loads(numbers) for name, numbers in lines.items()}
    assert {"ardvark, prior shared", "scikit-learn, BayesianRidge, one by one", "ardvark, means and standard deviations", "row by row"} <= took.keys()
    means = np.load(tmp_path / "tables" / "150x200x40" / "means-new.npy")
    of_zero = np.sqrt((means**2).mean())
    assert took.keys() >= {"ardvark, prior sparse, together", "ardvark, prior sparse, one by one", "scikit-learn, LassoCV, one by one"}
    for name, numbers in took.items():
        assert numbers["processor_seconds"] > 0 and 30 < numbers["peak_mb"] < 2000
        assert numbers.get("error", 0) < 0.9 * of_zero, name
    ours, ridge = (took[name]["error"] for name in ("ardvark, prior shared", "scikit-learn, RidgeCV, alpha_per_target"))
    assert ours < 1.05 * ridge
    text = readme.read_text()
    assert text.startswith((FOLDER / "README.md").read_text().partition("<!-- fit -->")[0])
    for part in ("**Fits**: 150 rows", "**Predictions**: 30 new rows", "**Mapped files**: 150 rows", "**Few effects**"):
        assert text.count(part) == 1
    assert not (tmp_path / "tables" / "150x200x2300").exists()  # as large as it may be


def test_the_files_of_a_table_hold_the_same_numbers(tmp_path):
    sys.path.insert(0, str(FOLDER))
    try:
        from tables import SIZES, write_tables
    finally:
        sys.path.remove(str(FOLDER))
    write_tables(tmp_path, 400, 50, 2003)  # two pieces
    Y, by_target = np.load(tmp_path / "Y.npy"), np.load(tmp_path / "Y-by-target.npy")
    assert Y.dtype == np.float32 and Y.shape == (400, 2003) and Y.flags.c_contiguous and by_target.flags.f_contiguous
    np.testing.assert_array_equal(Y, by_target)
    for k, size in enumerate(np.resize(SIZES, 10)):
        np.testing.assert_allclose(Y[:, k].std(), np.hypot(1, size), rtol=0.2)
