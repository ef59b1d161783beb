"""The wheel and the source distribution: they hold what they should, and work where there is numpy, and a compiler, and nothing else."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="scripts/wheel is for Linux")
def test_wheel(tmp_path):
    made = subprocess.run([ROOT / "scripts/wheel", "--from-build", tmp_path], capture_output=True, text=True, timeout=600)
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


def test_source_distribution_holds_what_a_build_needs_and_no_more(tmp_path):
    backend = pytest.importorskip("scikit_build_core.build")
    make = f"import {backend.__name__} as b; b.build_sdist({str(tmp_path)!r})"
    made = subprocess.run([sys.executable, "-c", make], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode != 0:
        pytest.skip("not a checkout of git, which knows what is ours")
    needed = re.compile(r"(src|include|cmake|python/ardvark)/|(CMakeLists\.txt|pyproject\.toml|LICENSE|python/README\.md)$")
    assert {name for name in tracked.stdout.split("\n") if needed.match(name)} <= names
    assert [n for n in names if re.match(r"(tests|bench|examples|docs|cli|octave|scripts|python/tests|shared|build|\.)", n)] == []


@pytest.mark.slow
def test_source_distribution_is_all_that_a_machine_with_a_compiler_needs(tmp_path):
    made = subprocess.run([ROOT / "scripts/sdist", tmp_path], capture_output=True, text=True, timeout=3600)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "works with numpy alone" in made.stdout
