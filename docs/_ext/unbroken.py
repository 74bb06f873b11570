"""Cells of tables that hold only numbers, such as ``99.4 / 7 / 33``, are not broken into lines."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

#: Numbers and signs between blanks; no words.
NUMBERS = re.compile(r"[-\d.,%]+( [-/±\[\]\d.,%]+)+")


def unbreak(app: Any, tree: nodes.document, name: str) -> None:
    """Put blanks that break no line into such cells."""
    for cell in tree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)):
            if NUMBERS.fullmatch(text.astext()):
                text.parent.replace(text, nodes.Text(text.astext().replace(" ", "\u00a0")))


def setup(app: Any) -> dict[str, bool]:
    """Join the build."""
    app.connect("doctree-resolved", unbreak)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
