"""The blocks of the tutorials, and how those in Python run: when the documentation is built, for the pictures that they save.

In a page, a block of python, sh or r is run. A block of text is what each block between it and the previous one prints. <!-- fails --> before a block says
that it ends with an error. Blocks of r run where the package is built for R. python/tests/test_tutorials.py runs all blocks, and compares what they print.
"""

import contextlib
import io
import os
import re
import shutil
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any, NamedTuple, Union

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "tutorials"
FENCED = re.compile(r"^(<!-- fails -->\n+)?```(.*)\n((?:.*\n)*?)```$", re.M)


class Block(NamedTuple):
    line: int
    language: str
    text: str
    fails: bool


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in their order."""
    return [
        Block(page.count("\n", 0, found.start(2)) + 1, found[2], found[3], found[1] is not None)
        for found in FENCED.finditer(page)
    ]


def prepare(folder: Union[str, Path]) -> None:
    """A folder in which a page can run: it has examples/, as the root of the repository."""
    (Path(folder) / "examples").symlink_to(ROOT / "examples")


def run_python(block: Block, names: dict[str, Any]) -> tuple[str, bool]:
    """What a block prints in the current folder, with its warnings and its error at the end; and whether it fails."""
    import matplotlib.pyplot as plt

    out, failed = io.StringIO(), False
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            exec(compile("\n" * block.line + block.text, "<tutorial>", "exec"), names)
        except Exception as error:
            failed = True
            caught_error = traceback.format_exception_only(error)
        finally:
            plt.close("all")
    printed = out.getvalue() + "".join(f"{w.category.__name__}: {w.message}\n" for w in caught)
    return printed + ("".join(caught_error) if failed else ""), failed


def draw(app: Any) -> None:
    """Runs the Python of each page, and keeps its pictures."""
    import matplotlib

    matplotlib.use("Agg")
    pictures, here = Path(app.srcdir) / "generated" / "tutorials", Path.cwd()
    pictures.mkdir(parents=True, exist_ok=True)
    for path in sorted(PAGES.glob("*.md")):
        names: dict[str, Any] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder)
            os.chdir(folder)
            try:
                for block in blocks(path.read_text(encoding="utf-8")):
                    if block.language != "python":
                        continue
                    printed, failed = run_python(block, names)
                    if failed != block.fails:
                        raise RuntimeError(f"{path}:{block.line}: {printed}")
            finally:
                os.chdir(here)
            for picture in Path(folder).glob("*.png"):
                shutil.copy(picture, pictures)


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
