"""What the report of the avatar's experiment says: its tables, lines of CSV, and its page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.study._layout import Row, html_table, page, percent, text_table, wrap
from handik.study._protocol import PLAIN

if TYPE_CHECKING:
    from handik.study.avatar import AvatarRow, AvatarStudy

__all__ = ["avatar_html", "avatar_lines", "avatar_text"]

TITLE = "The thesis's second experiment: FABRIK and CCD on an avatar"
NOTE = (
    "thesis: HandiAccess/FABRIK thesis, section 3.4.2: the final postures are alike but for the "
    "wrist, which is more correct with FABRIK. Its avatar is not known here. Wrist and elbow: how "
    "far they are bent off the rest, the median of all hands that have a target; inside: answers "
    "inside the limits of the joints, whether the solver knew them or not. posture: with a soft "
    "term that asks for the rest where the hands leave it free. track: Model.track on the straight "
    "way from rest, its last pose; iterations those of the whole way."
)
FUTURE = (
    "What the thesis leaves to the future, FABRIK with limits and with several chains: share "
    "solved and median iterations."
)


def _degrees(values: Any) -> str:
    return f"{np.degrees(np.median(values)):.1f}"


def _first(study: AvatarStudy) -> list[AvatarRow]:
    """Return the rows of the thesis's own experiment: one hand."""
    return [row for row in study.rows if len(row.chains) == 1]


def hand_table(study: AvatarStudy) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of one hand, with limits and without."""
    head = [
        ("solver", "limits", "solved, %", "iterations", "wrist, deg", "elbow, deg", "inside, %")
    ]
    return list(head), [
        (
            row.label,
            "yes" if row.limits else "no",
            percent(row.solved),
            f"{row.iterations:g}",
            _degrees(row.wrist),
            _degrees(row.elbow),
            percent(row.inside),
        )
        for row in _first(study)
    ]


def chain_table(study: AvatarStudy) -> tuple[list[Row], list[Row]]:
    """Return headings and rows by the number of chains: solved, iterations, wrist."""
    kinds = list(dict.fromkeys(row.chains for row in study.rows))
    found = {(row.label, row.limits, row.chains): row for row in study.rows}
    rows: list[Row] = []
    for limits in (True, False):
        for label in dict.fromkeys(row.label for row in study.rows):
            cells = [_cell(found.get((label, limits, kind))) for kind in kinds]
            rows.append((label, "yes" if limits else "no", *cells))
    names = [" + ".join(frame.replace("_", " ") for frame in kind) for kind in kinds]
    return [("solver", "limits", *names)], rows


def _cell(row: AvatarRow | None) -> str:
    if row is None:
        return "does not apply"
    return f"{percent(row.solved)} %, {row.iterations:g}"


def verdict(study: AvatarStudy) -> str:
    """Return whether the thesis's sentence on the wrist holds, for FABRIK and CCD with limits."""
    rows = {row.label: row for row in _first(study) if row.limits}
    if not {"fabrik", "ccd"} <= set(rows):
        return ""
    fabrik, ccd = (np.median(rows[name].wrist) for name in ("fabrik", "ccd"))
    agrees = "Agrees" if fabrik < ccd else "Does not agree"
    return (
        f"{agrees} with the thesis: FABRIK bends the wrist by {np.degrees(fabrik):.1f} deg off its "
        f"rest and CCD by {np.degrees(ccd):.1f} deg: medians of {study.targets} targets, one hand."
    )


def protocol(study: AvatarStudy) -> str:
    """Return how it was made."""
    return (
        f"{study.model.name}, {study.model.nv} DoF: {study.targets} targets a kind (seed "
        f"{study.seed}), places of the hands in random poses inside the limits; every solve starts "
        "at rest and ends within 1e-3 of the reach."
    )


def avatar_text(study: AvatarStudy) -> str:
    """Return the study as text."""
    said = verdict(study)
    blocks = [TITLE + "\n" + wrap(protocol(study)), text_table(*hand_table(study))]
    blocks.append("\n".join(wrap(line) for line in (said, NOTE) if line))
    blocks.append(wrap(FUTURE) + "\n" + text_table(*chain_table(study)))
    blocks += [wrap(f"{label} does not apply: {why}") for label, why in study.refused.items()]
    return "\n\n".join([*blocks, wrap(PLAIN)])


def avatar_lines(study: AvatarStudy) -> Iterable[dict[str, Any]]:
    """Return a line for each row, as in the CSV file."""
    for row in study.rows:
        yield {
            "solver": row.label,
            "model": study.model.name,
            "limits": row.limits,
            "chains": "+".join(row.chains),
            "targets": study.targets,
            "seed": study.seed,
            "solved_share": row.solved,
            "iterations_median": row.iterations,
            "wrist_flexion_rad_median": float(np.median(row.wrist)),
            "elbow_rad_median": float(np.median(row.elbow)),
            "inside_limits_share": row.inside,
        }


def avatar_html(study: AvatarStudy) -> str:
    """Return the study as one HTML page without any outside resource."""
    said = verdict(study)
    quiet = [f'<p class="quiet">{escape(text)}</p>' for text in (NOTE, PLAIN)]
    body: Sequence[str] = [
        f"<h1>{escape(TITLE)}</h1>",
        f'<p class="verdict">{escape(said)}</p>' if said else "",
        f"<p>{escape(protocol(study))}</p>",
        html_table(*hand_table(study)),
        quiet[0],
        _picture(study),
        "<h2>Limits and several chains</h2>",
        f"<p>{escape(FUTURE)}</p>",
        html_table(*chain_table(study)),
        *(
            f"<p>{escape(label)} does not apply: {escape(why)}</p>"
            for label, why in study.refused.items()
        ),
        quiet[1],
        "<h2>How it was measured</h2><dl>",
        *(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in study.machine.items()),
        "</dl>",
    ]
    return page(TITLE, body)


def _picture(study: AvatarStudy) -> str:
    try:
        from matplotlib.figure import Figure

        from handik import plot
    except ImportError:
        return '<p class="quiet">No picture: matplotlib is not installed.</p>'
    figure, buffer = Figure(figsize=(11, 4.4), layout="constrained"), BytesIO()
    axes = figure.subplots(1, 2)
    plot.wrist(study, ax=axes[0])
    plot.wrist(study, limits=False, ax=axes[1])
    figure.savefig(buffer, format="png", dpi=110)
    data = b64encode(buffer.getvalue()).decode("ascii")
    words = "How far the wrist is bent off its rest, with limits and without."
    return (
        f'<figure><img alt="{words}" src="data:image/png;base64,{data}">'
        f"<figcaption>{words}</figcaption></figure>"
    )
