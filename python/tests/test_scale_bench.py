"""The benchmark of long tables runs, adds only what is missing, and its coefficients are those of the table."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")

pytestmark = pytest.mark.long
PROGRAM = Path(__file__).resolve().parents[2] / "bench" / "scale" / "run.py"


def test_a_small_run(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- table -->\nold\n<!-- end of the table -->\nafter\n")
    command = [sys.executable, PROGRAM, "--rows", "3000,20000", "--columns", "4", "--only", "memory", "--tables", tmp_path / "tables",
               "--results", tmp_path / "scale.csv", "--picture", tmp_path / "scale.png", "--readme", readme]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with open(tmp_path / "scale.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["task"], row["rows"]) for row in rows} == {(task, size) for task in ("linear", "logistic") for size in ("3000", "20000")}
    assert len(rows) == 6
    for row in rows:
        assert float(row["error"]) < 2.5  # of four columns; P(chi^2 of 4 > 25) = 5e-5
        assert 30 < float(row["peak_mb"]) < 2000 and float(row["processor_seconds"]) > 0
    text = readme.read_text()
    assert text.startswith("before\n<!-- table -->\n**linear, 4 columns**") and text.endswith("<!-- end of the table -->\nafter\n") and "old" not in text
    assert (tmp_path / "scale.png").stat().st_size > 10_000
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert again.startswith("**linear") and again in done.stdout  # nothing was fitted
