"""Every script says what it does."""

import os
import pathlib
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
NAMES = sorted(path.name for path in SCRIPTS.iterdir() if path.is_file() and os.access(path, os.X_OK))


@pytest.mark.parametrize("name", NAMES)
def test_help(name, tmp_path):
    said = [
        subprocess.run([SCRIPTS / name, option], capture_output=True, text=True, timeout=60, cwd=tmp_path)
        for option in ("--help", "-h")
    ]
    assert [one.returncode for one in said] == [0, 0], said[0].stderr
    assert said[0].stdout == said[1].stdout
    comment = [line for line in (SCRIPTS / name).read_text().splitlines()[1:] if line.startswith("#")]
    assert said[0].stdout.splitlines()[0] == comment[0].removeprefix("# "), "the comment at its head"


def test_there_are_scripts():
    assert {"build", "check", "demo", "docs", "setup", "test"} <= set(NAMES)
