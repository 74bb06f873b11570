"""Reports of studies: text for the terminal, and one self-contained HTML page."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from handik.spec._given import path_text
from handik.study._layout import html_table, page, text_table, wrap
from handik.study._protocol import PLAIN
from handik.study._tables import (
    GENERAL,
    PAPER_NOTE,
    SMOOTH_NOTE,
    notes,
    paper_table,
    paper_title,
    protocol,
    smooth_table,
    stop_table,
    table,
    title,
    verdict,
)
from handik.study._theirs import (
    THESIS_NOTE,
    paper_rule_table,
    paper_rule_title,
    paper_verdict,
    takes_its_rule,
    thesis_table,
    thesis_title,
    thesis_verdict,
)

if TYPE_CHECKING:
    from handik.study import Study
    from handik.study.paper import PaperStudy

__all__ = [
    "html",
    "paper_text",
    "pictures",
    "report_text",
    "study_text",
    "write_html",
    "write_paper_html",
]

#: What stands over the table of stop rules.
STOPS = (
    "Iterations by stop rule: mean and median; a solve stops within this share of the reach; in "
    "brackets the share solved, where not all"
)
NO_LAW = (
    "Each of these holds for its model and path only. A published method makes one attempt here; "
    "by default ours restart and solve more (the column solved is not theirs)."
)


class _Once:
    """Notes on what several tables of a report have in common: each is told where it is first."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, *notes: str) -> list[str]:
        new = [note for note in notes if note not in self._told]
        self._told.update(new)
        return new


# -- text ---------------------------------------------------------------------------------------


def report_text(studies: Sequence[Study], papers: Sequence[PaperStudy]) -> str:
    """Return studies as text: published figures under their own rules first, then all of ours."""
    theirs = [text for study in studies for text in _thesis_text(study)]
    theirs += [text for paper in papers for text in _paper_rule_text(paper)]
    once = _Once()
    ours = [_study_text(study, once) for study in studies]
    ours += [_paper_text(paper, once) for paper in papers]
    return "\n\n".join([*theirs, *ours])


def study_text(study: Study) -> str:
    """Return the whole study as text."""
    return report_text([study], [])


def paper_text(paper: PaperStudy) -> str:
    """Return the paper's experiment as text."""
    return report_text([], [paper])


def _thesis_text(study: Study) -> list[str]:
    if not study.laps:
        return []
    said = thesis_verdict(study)
    words = [wrap(line) for line in (said, THESIS_NOTE) if line]
    return ["\n".join([wrap(thesis_title(study)), text_table(*thesis_table(study)), *words])]


def _paper_rule_text(paper: PaperStudy) -> list[str]:
    if not takes_its_rule(paper):
        return []
    lines = [wrap(paper_rule_title(paper)), text_table(*paper_rule_table(paper))]
    return ["\n".join([*lines, wrap(paper_verdict(paper))])]


def _study_text(study: Study, once: _Once) -> str:
    blocks = [title(study) + "\n" + wrap(protocol(study)), text_table(*table(study))]
    blocks.append("\n".join([text_table(*smooth_table(study)), *map(wrap, once(SMOOTH_NOTE))]))
    if study.stops:
        blocks.append(wrap(STOPS) + "\n" + text_table(*stop_table(study)))
    said = [line for line in (verdict(study), *once(*GENERAL), *notes(study)) if line]
    blocks.append("\n".join(map(wrap, said)))
    return "\n\n".join(filter(None, blocks))


def _paper_text(paper: PaperStudy, once: _Once) -> str:
    refused = [wrap(f"{label} does not apply: {why}") for label, why in paper.refused.items()]
    tables = [text_table(*paper_table(paper, reachable)) for reachable in (True, False)]
    told = map(wrap, once(PAPER_NOTE, PLAIN))
    return "\n\n".join([paper_title(paper), *tables, *refused, *told])


# -- HTML ---------------------------------------------------------------------------------------


def pictures(
    studies: Sequence[Study], papers: Sequence[PaperStudy] = ()
) -> list[tuple[bytes, str]]:
    """Return PNG files with captions, the first study's overview first; none without matplotlib."""
    try:
        from matplotlib.figure import Figure

        from handik import plot
    except ImportError:
        return []
    made: list[tuple[bytes, str]] = []

    def keep(figure: Any, caption: str) -> None:
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=110)
        made.append((buffer.getvalue(), caption))

    for study in studies:
        keep(
            plot.study(study, Figure()),
            f"{study.model.name}: poses of the first run and the trace of the frame; below, "
            "iterations along the path (mean over runs) and errors by iteration, random targets "
            "from random poses.",
        )
    first = studies[0]
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    axes = figure.subplots(1, 2)
    plot.largest_moves(first, ax=axes[0])
    plot.travel(first, ax=axes[1])
    keep(
        figure,
        f"{first.model.name}: how smoothly it moves. Largest turn of a joint from frame to frame, "
        "the median and the largest of all runs; share of all turning by joint.",
    )
    figure = Figure(figsize=(11, 8.6), layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    plot.stop_rules(first, ax=axes[0])
    plot.iterations_by_distance(first, ax=axes[1])
    plot.errors(first, ax=axes[2])
    if papers:
        plot.paper(papers[0], ax=axes[3])
    else:
        axes[3].set_visible(False)
    keep(
        figure,
        f"{first.model.name}: iterations by stop rule; by the distance to go, random targets from "
        "random poses; what error is left."
        + (" Last, the FABRIK paper's experiment beside its figures." if papers else ""),
    )
    return made


def html(
    studies: Sequence[Study],
    papers: Sequence[PaperStudy] = (),
    shown: Sequence[tuple[bytes, str]] | None = None,
) -> str:
    """Return studies as one HTML page without any outside resource.

    Parameters
    ----------
    studies : sequence of Study
        The first is drawn in full.
    papers : sequence of PaperStudy
    shown : sequence of (PNG file, caption), optional
        Made by `pictures` if not given.
    """
    names = ", ".join(studies[0].labels)
    shown = pictures(studies, papers) if shown is None else shown
    said = [verdict(study) for study in studies]
    body = [f"<h1>{escape(names)}</h1>"]
    body += [f'<p class="verdict">{escape(line)}</p>' for line in said if line]
    if any(said):
        body.append(_quiet(NO_LAW))
    body += _theirs_html(studies, papers)
    once = _Once()
    for study in studies:
        body += _study_html(study, once)
    body += _figures(shown)
    for study in studies:
        if study.stops:
            body += [
                f"<h2>{escape(study.model.name)}: iterations by stop rule</h2>",
                _quiet(STOPS + "."),
                html_table(*stop_table(study)),
            ]
    for paper in papers:
        body += _paper_html(paper)
    if papers:
        body.append(_quiet(PAPER_NOTE))
    body += _conditions(studies[0].machine)
    return page(f"{names}: {studies[0].model.name}", body)


def _study_html(study: Study, once: _Once) -> list[str]:
    return [
        f"<h2>{escape(title(study))}</h2>",
        f"<p>{escape(protocol(study))}</p>",
        html_table(*table(study)),
        *map(_quiet, once(*GENERAL)),
        *map(_quiet, notes(study)),
        f"<h2>{escape(study.model.name)}: how smoothly it moves</h2>",
        html_table(*smooth_table(study)),
        *map(_quiet, once(SMOOTH_NOTE)),
    ]


def _theirs_html(studies: Sequence[Study], papers: Sequence[PaperStudy]) -> list[str]:
    """Show published figures under their own rules, ours beside."""
    body: list[str] = []
    for study in studies:
        if study.laps:
            said = thesis_verdict(study)
            body += [
                f"<h2>{escape(thesis_title(study))}</h2>",
                html_table(*thesis_table(study)),
                *[f"<p>{escape(said)}</p>"] * bool(said),
                _quiet(THESIS_NOTE),
            ]
    for paper in filter(takes_its_rule, papers):
        body += [
            f"<h2>{escape(paper_rule_title(paper))}</h2>",
            html_table(*paper_rule_table(paper)),
            f"<p>{escape(paper_verdict(paper))}</p>",
        ]
    return body


def _paper_html(paper: PaperStudy) -> list[str]:
    return [
        f"<h2>{escape(paper_title(paper))}</h2>",
        "<h3>Targets in reach</h3>",
        html_table(*paper_table(paper, True)),
        "<h3>Targets out of reach</h3>",
        html_table(*paper_table(paper, False)),
        *(_quiet(f"{label} does not apply: {why}") for label, why in paper.refused.items()),
    ]


def _figures(shown: Sequence[tuple[bytes, str]]) -> list[str]:
    if not shown:
        return [_quiet("No pictures: matplotlib is not installed (pip install 'handik[plot]').")]
    body = []
    for png, caption in shown:
        data = base64.b64encode(png).decode("ascii")
        body.append(
            f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
    return body


def _conditions(machine: Mapping[str, str]) -> list[str]:
    rows = [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in machine.items()]
    return ["<h2>How it was measured</h2><dl>", *rows, "</dl>"]


def _quiet(text: str) -> str:
    return f'<p class="quiet">{escape(text)}</p>'


def write_html(
    studies: Sequence[Study],
    path: str | os.PathLike[str],
    papers: Sequence[PaperStudy] = (),
    shown: Sequence[tuple[bytes, str]] | None = None,
) -> None:
    """Write studies as one HTML page; see `html`."""
    with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as file:
        file.write(html(studies, papers, shown))


def write_paper_html(papers: Sequence[PaperStudy], path: str | os.PathLike[str]) -> None:
    """Write the paper's experiment as one self-contained HTML page."""
    body = ["<h1>The FABRIK paper's experiment</h1>", *_theirs_html([], papers)]
    for paper in papers:
        body += _paper_html(paper)
    body += [_quiet(PAPER_NOTE), _quiet(PLAIN), *_conditions(papers[0].machine)]
    with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as file:
        file.write(page("The FABRIK paper's experiment", body))
