"""How tables and pages are laid out: columns of text, HTML without any outside resource."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from handik.spec._html import Row, html_table

__all__ = ["Row", "html_table", "page", "percent", "text_table", "wrap"]

_STYLE = """
:root { color-scheme: light; --line: #d5dae0; --quiet: #5a6572; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1b2430; background: #fff;
  max-width: 70rem;
  margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
p { margin: .4rem 0; } .quiet { color: var(--quiet); font-size: .9rem; }
.verdict { border-left: 4px solid #0072b2; padding: .4rem .8rem; background: #eef5fa;
  margin: 1rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .3rem .6rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; } thead tr:last-child th { border-bottom: 2px solid #1b2430; }
td { border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
tr.published td { color: var(--quiet); font-style: italic; }
tr.published td:first-child { padding-left: 1rem; }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; font-size: .9rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  body { margin: 1rem auto; padding: 0 .8rem; } h1 { font-size: 1.35rem; }
  table, tbody, tr, td { display: block; } thead { display: none; }
  tr { border-bottom: 2px solid var(--line); padding: .5rem 0; }
  td { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0;
    white-space: normal; }
  td:empty { display: none; } td:first-child { font-weight: 600; }
  td:not(:first-child)::before { content: attr(data-label); color: var(--quiet);
    font-style: normal; text-align: left; }
}
"""


def page(name: str, body: Sequence[str]) -> str:
    """Make one page without any outside resource of pieces of HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(name)}</title>\n"
        f"<style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(filter(None, body))
        + "\n</body></html>\n"
    )


def percent(share: float) -> str:
    """Write a share in percent; 100 only if it is all of them, 0 only if it is none."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    return f"{min(99.99, max(0.01, 100 * share)):.2f}"


def text_table(head: Sequence[Row], rows: Sequence[Row]) -> str:
    """Lay a table out in columns, the first to the left."""
    both = [*head, *rows]
    widths = [max(len(row[i]) for row in both) for i in range(len(both[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in both
    ]
    lines.insert(len(head), "-" * max(map(len, lines)))
    return "\n".join(lines)


def wrap(text: str, width: int = 100) -> str:
    """Break text into lines."""
    from textwrap import fill

    return fill(text, width)
