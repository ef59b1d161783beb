"""The wheel: its platform is the true one, it holds what it should, and it works where there is numpy and nothing else."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="scripts/wheel is for Linux")
def test_wheel(tmp_path):
    made = subprocess.run([ROOT / "scripts/wheel", tmp_path], capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "works with numpy alone" in made.stdout
    (wheel,) = tmp_path.iterdir()
    assert re.fullmatch(r"ardvark-[0-9.]+-py3-none-(manylinux\w+\.?)+\.whl", wheel.name)

    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
    sources = {p.relative_to(ROOT / "python").as_posix() for p in (ROOT / "python/ardvark").rglob("*.py")}
    assert sources <= set(names) and "ardvark/py.typed" in names
    assert [n for n in names if n.endswith("libardvark.so")] == ["ardvark/_lib/libardvark.so"]
    strangers = [n for n in names if not re.match(r"ardvark(\.libs)?/|ardvark-[0-9.]+\.dist-info/", n)]
    assert strangers == []
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line] == [
        "Requires-Dist: numpy>=1.22"
    ]
