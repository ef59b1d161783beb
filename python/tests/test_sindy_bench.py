"""The benchmark of equations runs, and writes its table."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pysindy", reason="pysindy is not installed (pip install pysindy): its benchmark is not run")
FOLDER = Path(__file__).resolve().parents[2] / "bench" / "sindy"


def test_a_small_run(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text((FOLDER / "README.md").read_text())
    command = [sys.executable, FOLDER / "run.py", "--draws", "2", "--noise", "0.01", "--sampled", "0", "--readme", readme]
    subprocess.run(command, check=True, capture_output=True)
    text = readme.read_text()
    assert text.partition("<!-- table -->")[0] == (FOLDER / "README.md").read_text().partition("<!-- table -->")[0]
    assert "| 1% | ardvark, prior slab | 2 of 2 | 2 | 7.00 | 0.00 |" in text and "| 1% | STLSQ, best threshold" in text
    assert "| 10% |" not in text and "A fit takes" in text
