"""The thesis and the FABRIK paper under their own stop rules: tables, and what agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from handik.study._layout import Row
from handik.study._protocol import PAPER_STOP
from handik.study.estimate import Estimate

if TYPE_CHECKING:
    from handik.study import Study
    from handik.study._protocol import Published
    from handik.study.paper import PaperRow, PaperStudy

__all__ = [
    "THESIS_NOTE",
    "paper_rule_table",
    "paper_rule_title",
    "paper_verdict",
    "takes_its_rule",
    "thesis_table",
    "thesis_title",
    "thesis_verdict",
]

#: A figure agrees with a published one from which it is away by at most this share.
NEAR = 0.25

THESIS_NOTE = (
    "thesis: HandiAccess/FABRIK thesis, section 3.4.1 and its listing, which stops at delta = 1. "
    "Read as one link of the chain, and with the iterations of all frames of a lap added up, its "
    "iterations come out on the default path: a reading that fits, no proof, and it explains "
    "neither its seconds nor its frames per second. Those are, in its words, how often the "
    "algorithm was called in a run, a measure of fluency: an odd definition, by which ours would "
    "be the points of the path for every solver. They may include drawing and do not follow from "
    "its seconds. Ours are frames of the path solved in a second."
)


# -- the thesis ---------------------------------------------------------------------------------


def thesis_title(study: Study) -> str:
    """Return one line that says what the thesis's rule is taken to be."""
    (stop,) = {row.tolerance for row in study.laps}
    return (
        f"As the thesis may have counted: {study.model.name}, each frame stopped within one link "
        f"({stop:.3g} m), iterations of a lap of {len(study.curve)} frames added up"
    )


def thesis_table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the thesis's figures, ours under its rule beside them."""
    head = [
        ("", "iterations a lap", "", "s / 100 laps", "", "frames / s", ""),
        ("solver", *("thesis", "ours") * 3),
    ]
    rows = []
    for row in study.laps:
        was = study[row.label].published
        rows.append(
            (
                row.label,
                _given(was, "iterations"),
                str(row.iterations),
                _given(was, "seconds"),
                str(row.seconds),
                _given(was, "frames_per_second"),
                f"{row.frames_per_second.value:,.0f}",
            )
        )
    return list(head), list(rows)


def thesis_verdict(study: Study) -> str:
    """Return what agrees with the thesis under its own rule and what does not."""
    rows = {row.label: row for row in study.laps}
    if not {"fabrik", "ccd"} <= set(rows):
        return ""
    fabrik, ccd = rows["fabrik"], rows["ccd"]
    first, second = study["fabrik"].published, study["ccd"].published
    assert first is not None
    assert second is not None
    ours, theirs = (fabrik.iterations, ccd.iterations), (first.iterations, second.iterations)
    near = all(_near(a.mean, b) for a, b in zip(ours, theirs, strict=True))
    fewer = (ours[0].mean < ours[1].mean) == (theirs[0] < theirs[1])
    said = [
        (
            near and fewer,
            f"iterations (FABRIK {_short(ours[0])} for its {theirs[0]:g}, CCD {_short(ours[1])} "
            f"for its {theirs[1]:g})",
        )
    ]
    if first.seconds and second.seconds:
        there, here = second.seconds / first.seconds, ccd.seconds.value / fabrik.seconds.value
        words = f"seconds (CCD takes {there:.2g} times as long as FABRIK there, {here:.2g} here)"
        said.append((_near(here, there), words))
    if first.frames_per_second and second.frames_per_second:
        there = first.frames_per_second / second.frames_per_second
        here = fabrik.frames_per_second.value / ccd.frames_per_second.value
        words = f"frames a second (FABRIK {there:.2g} times as many as CCD there, {here:.2g} here)"
        said.append((_near(here, there), words))
    return _sentences("the thesis", said)


# -- the paper ----------------------------------------------------------------------------------


def takes_its_rule(paper: PaperStudy) -> bool:
    """Say whether a study has what the paper's figures are to be set beside."""
    return paper.start == "straight" and any(row.tolerance == PAPER_STOP for row in paper.rows)


def paper_rule_title(paper: PaperStudy) -> str:
    """Return one line that says what the paper's rule is taken to be."""
    return (
        f"As the FABRIK paper may have counted: {paper.model.name}, from the straight chain, "
        f"stopped within {PAPER_STOP:.2g} of the reach, {paper.runs} targets of each kind"
    )


def paper_rule_table(paper: PaperStudy) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the paper's mean iterations, ours under its rule beside them."""
    head = [
        ("", "targets in reach", "", "targets out of reach", ""),
        ("solver", "paper", "ours", "paper", "ours"),
    ]
    rows: list[Row] = []
    for inside, outside in _pairs(paper):
        cells = [
            (_given(row.published, "iterations"), str(row.iterations)) for row in (inside, outside)
        ]
        rows.append((inside.label, *cells[0], *cells[1]))
    return list(head), rows


def paper_verdict(paper: PaperStudy) -> str:
    """Return what agrees with the paper under its own rule and what does not."""
    said = []
    for pair in _pairs(paper):
        for row, where in zip(pair, ("", " out of reach"), strict=True):
            if row.published is not None:
                near = _near(row.iterations.mean, row.published.iterations)
                said.append((near, f"{row.label}{where} ({_beside(paper, row, row.published)})"))
    return _sentences("the paper", said)


def _beside(paper: PaperStudy, row: PaperRow, was: Published) -> str:
    """Write ours for the paper's; where they are far apart, under which rule they are near."""
    said = f"{_short(row.iterations)} for its {was.iterations:g}"
    if _near(row.iterations.mean, was.iterations):
        return said
    others = [
        r
        for r in paper.rows
        if (r.label, r.reachable) == (row.label, row.reachable)
        and _near(r.iterations.mean, was.iterations)
    ]
    return said + "".join(
        f"; {_short(r.iterations)} at {r.tolerance:g} of the reach" for r in others
    )


def _pairs(paper: PaperStudy) -> list[tuple[PaperRow, PaperRow]]:
    """Return each solver's rows under the paper's rule, targets in reach and out of it."""
    rows = {(r.label, r.reachable): r for r in paper.rows if r.tolerance == PAPER_STOP}
    return [(rows[label, True], rows[label, False]) for label, inside in rows if inside]


# -- words --------------------------------------------------------------------------------------


def _sentences(what: str, said: Sequence[tuple[bool, str]]) -> str:
    """Make a sentence of what agrees and one of what does not."""
    agree = "; ".join(words for near, words in said if near)
    differ = "; ".join(words for near, words in said if not near)
    return " ".join(
        [f"Agrees with {what}: {agree}."] * bool(agree)
        + [f"Does not agree with {what}: {differ}."] * bool(differ)
    )


def _near(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= NEAR * theirs


def _given(was: Published | None, what: str) -> str:
    value = getattr(was, what, None)
    return "" if value is None else f"{value:g}"


def _short(value: Estimate) -> str:
    return f"{float(f'{value.mean:.3g}'):g}"
