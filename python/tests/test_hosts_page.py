"""The blocks of docs/hosts.md run where their program is installed."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "hosts.md").read_text()
BLOCKS = re.findall(r"^<!-- needs ([\w. ]+) -->\n```python\n(.*?)^```", PAGE, re.M | re.S)


def test_every_block_says_what_it_needs():
    assert len(BLOCKS) == PAGE.count("```python") > 0


@pytest.mark.parametrize("needs, block", BLOCKS, ids=[needs for needs, _ in BLOCKS])
def test_a_block(needs, block, capsys):
    for name in needs.split():
        pytest.importorskip(name, reason=f"{name} is not installed: its block of docs/hosts.md is not run")
    if "matplotlib" in needs or "plt" in block:
        pytest.importorskip("matplotlib").use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec(compile(block, "docs/hosts.md", "exec"), {})
