"""Docstrings are written to be read as they are: names such as coef_ and |x - c| would mean something to reStructuredText, and are escaped."""

import re
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(``?.+?``?)")
ENTRY = re.compile(
    r"^(\s*[\w, *]+ : )(.*)$"
)  # "coef_, intercept_ : ndarray": numpydoc deals with the names


def escaped(line: str) -> str:
    if line.lstrip().startswith((">>>", "...")):
        return line
    entry = ENTRY.match(line)
    head, rest = entry.groups() if entry else ("", line)
    pieces = CODE.split(rest)
    pieces[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", piece) for piece in pieces[::2]]
    return head + "".join(pieces)


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if name.startswith("ardvark"):
        is_code = False
        for k, line in enumerate(lines):
            is_code = line.lstrip().startswith((">>>", "...")) or (is_code and line.strip() != "")
            if not is_code and not re.fullmatch(r"\s*[\w, ]+_", line):
                lines[k] = escaped(line)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", process, priority=400)  # before numpydoc
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
