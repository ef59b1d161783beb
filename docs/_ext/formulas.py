"""Labels of formulas, such as (LIN.4), are links to where docs/math defines them, on every page and in every docstring.

A label is defined where a page of `math/` has it in bold and in parentheses. One that is cited and defined nowhere is a warning.
"""

import re
from pathlib import Path
from typing import Any, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

PAGES = Path(__file__).parents[1] / "math"
# The letters of labels, as SP of (SP.4): those that some page defines.
FAMILIES = {
    family
    for page in PAGES.glob("*.md")
    for family in re.findall(r"\*\*\(([A-Z][A-Z0-9]*)\.\d", page.read_text(encoding="utf-8"))
}
LABEL = rf"(?:{'|'.join(sorted(FAMILIES))})\.\d+[a-z]?"
CITED = re.compile(rf"(?<![\w.]){LABEL}(?!\w)")
DEFINED = re.compile(rf"\(({LABEL})\)")
NOT_THERE = (
    nodes.literal,
    nodes.literal_block,
    nodes.reference,
    nodes.title,
    nodes.raw,
    nodes.math,
    nodes.math_block,
    nodes.target,
)

log = logging.getLogger(__name__)


def anchor(label: str) -> str:
    return "formula-" + label.lower().replace(".", "-")


def define(app: Sphinx, doctree: nodes.document) -> None:
    """Notes where the labels of this page are, and gives each an anchor."""
    page = app.env.docname
    labels = app.env.__dict__.setdefault("formulas", {})
    if not page.startswith("math/"):
        return
    for bold in list(doctree.findall(nodes.strong)):
        for label in DEFINED.findall(bold.astext()):
            if label in labels and labels[label] != page:
                log.warning(
                    "%s is defined on two pages: %s and %s",
                    label,
                    labels[label],
                    page,
                    location=bold,
                )
            labels[label] = page
            bold["ids"].append(anchor(label))


def forget(app: Sphinx, env: Any, page: str) -> None:
    labels = env.__dict__.setdefault("formulas", {})
    for label in [label for label, where in labels.items() if where == page]:
        del labels[label]


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Citations become links."""
    for text in list(doctree.findall(nodes.Text)):
        if CITED.search(text) is None or any(
            isinstance(node, NOT_THERE) for node in ancestors(text)
        ):
            continue
        bold = text.parent if isinstance(text.parent, nodes.strong) else None
        pieces: list[nodes.Node] = []
        end = 0
        for match in CITED.finditer(text):
            label = match[0]
            if bold is not None and anchor(label) in bold["ids"]:
                continue
            where = app.env.formulas.get(label)
            if where is None:
                log.warning(
                    "formula %s is cited, but no page of math/ defines it",
                    label,
                    location=text.parent,
                )
                continue
            uri = app.builder.get_relative_uri(page, where) + "#" + anchor(label)
            pieces += [
                nodes.Text(text[end : match.start()]),
                nodes.reference("", label, refuri=uri, internal=True),
            ]
            end = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[end:])])


def ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", define)
    app.connect("env-purge-doc", forget)
    app.connect("doctree-resolved", link)
    return {"version": "1", "env_version": 2, "parallel_read_safe": False, "parallel_write_safe": True}
