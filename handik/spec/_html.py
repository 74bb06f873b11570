"""Tables in HTML, for Jupyter and for reports."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["Row", "html_table"]

Row = Sequence[str]


def html_table(head: Sequence[Row], rows: Sequence[Row]) -> str:
    """Lay a table out in HTML: on a narrow screen a block for each row, its headings beside."""
    names = _labels(head)
    lines = ['<div class="scroll"><table><thead>']
    for row in head:
        lines.append("<tr>" + _head_cells(row) + "</tr>")
    lines.append("</thead><tbody>")
    for row in rows:
        kind = ' class="published"' if row[0].startswith(" ") else ""
        cells = "".join(
            f'<td data-label="{escape(name)}">{escape(cell.strip())}</td>'
            for name, cell in zip(names, row, strict=True)
        )
        lines.append(f"<tr{kind}>{cells}</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def _labels(head: Sequence[Row]) -> list[str]:
    """Join what stands over each column; an empty heading of an upper line is that on its left."""
    names = [""] * len(head[-1])
    for row in head:
        upper = ""
        for i, text in enumerate(row):
            upper = text or (upper if i and len(head) > 1 and row is not head[-1] else "")
            names[i] = f"{names[i]} {upper}".strip()
    return names


def _head_cells(row: Row) -> str:
    """Join the headings; an empty one is spanned by the heading on its left, if there is one."""
    cells: list[tuple[str, int]] = []
    for i, text in enumerate(row):
        if not text and i and cells[-1][0]:
            cells[-1] = (cells[-1][0], cells[-1][1] + 1)
        else:
            cells.append((text, 1))
    return "".join(
        f'<th colspan="{span}" style="text-align:center">{escape(text)}</th>'
        if span > 1
        else f"<th>{escape(text)}</th>"
        for text, span in cells
    )
