"""Tables of the report on access as HTML: values with units, verdicts, shares."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handik.app._report_words import Words
    from handik.scene.access import Finding, Share

__all__ = ["Html", "asked", "measured", "named", "percent", "table", "value_of", "word"]


class Html(str):
    """Text that is HTML already: a name of a scene never is, whatever it begins with."""

    __slots__ = ()


def value_of(value: float | None, unit: str, say: Words) -> str:
    """Return a value with its unit."""
    if value is None:
        return ""
    if value == float("inf"):
        return say("no limit")
    if unit == "m":
        return (
            say.number(1000 * value, 1 if abs(1000 * value - round(1000 * value)) > 0.05 else 0)
            + " mm"
        )
    if unit == "ratio":
        return say.number(100 * value, 2) + " %"
    if unit == "bool":
        return say("yes") if value else say("no")
    return f"{say.number(value, 1)} {say(unit)}"


def measured(found: Finding, say: Words) -> str:
    """Return the value found; what was looked for only so far is that or more."""
    said = value_of(found.found, found.rule.unit, say)
    return f"≥ {said}" if found.rule.unit == "m" and "m or more" in found.why else said


def asked(found: Finding, say: Words) -> str:
    """Return what the rule asks."""
    sign = {">=": "≥", "<=": "≤", "=": "="}[found.rule.op]
    inches = found.rule.inches
    also = "" if inches is None else f" ({say.number(inches, 0 if inches % 1 == 0 else 2)}″)"
    return f"{sign} {value_of(found.rule.value, found.rule.unit, say)}{also}"


def named(text: str) -> str:
    """Return text as HTML that may break after a stroke of a path, and not within its words."""
    return escape(text).replace("/", "/<wbr>")


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: tuple[int, ...] = ()
) -> str:
    """Return a table; the first column heads its row."""

    def cell(text: str) -> str:
        return text if isinstance(text, Html) else named(text)

    kind = ['class="n"' if k in right else "" for k in range(len(head))]
    lines = [f"<table><caption>{escape(caption)}</caption><thead><tr>"]
    lines += [f'<th scope="col" {kind[k]}>{escape(name)}</th>' for k, name in enumerate(head)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        lines.append(f'<tr><th scope="row">{cell(row[0])}</th>')
        lines += [
            f'<td {kind[k]} data-label="{escape(head[k])}">{cell(text)}</td>'
            for k, text in enumerate(row)
            if k
        ]
        lines.append("</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def word(verdict: str, say: Words) -> Html:
    """Return a verdict in its color."""
    kind = {"pass": "pass", "fail": "fail", "yes": "yes", "no": "no", "undecided": "undecided"}
    name = kind.get(verdict, "doubt" if "not" in verdict or verdict == "neither" else "quiet")
    return Html(f'<span class="{name}">{escape(say(verdict))}</span>')


def percent(share: Share, say: Words) -> str:
    """Return a share with its interval, and how many are undecided."""
    low, high = share.interval
    said = (
        f"{say.number(100 * share.share, 0)} % "
        f"({say.number(100 * low, 0)}–{say.number(100 * high, 0)} %)"
    )
    doubt = int((share.people == "undecided").sum())
    more = say("undecided: {} of {}", doubt, len(share.people))
    return f"{said}, {more}" if doubt else said
