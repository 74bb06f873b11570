"""What the reports of a study say: its tables, its notes, and the verdict of FABRIK against CCD."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from handik.study._layout import Row, percent
from handik.study._protocol import PLAIN
from handik.study.estimate import Estimate, digits

if TYPE_CHECKING:
    from handik.study import SolverStudy, Study
    from handik.study._protocol import Published
    from handik.study.paper import PaperRow, PaperStudy
    from handik.study.smooth import Smoothness

#: Which targets the two kinds of starts go to.
STARTS = {
    "warm": "points of the path, from the frame before",
    "cold": "random targets, from random poses",
}

MEASURED = (
    "± is the half-width of the 95 % interval of a mean over runs; times are the processor's, of "
    "the median run, in brackets its 95 % interval, or with 'to' the range of fewer than six. "
    "loop: one call of the solver for each frame from Python, as an interactive program does; "
    "batched: all runs side by side, one call for each frame. Both on one thread; drawing is not "
    "counted."
)
ITERATION = (
    "An iteration is: of FABRIK (fabrik, fabrik_fast, ftl) one pass from the target to the base "
    "and, but for ftl, one back; of CCD (ccd, ccd_fast) every joint once, from the tip to the "
    "base; of the others one step of all joints together. A frame that is within tolerance "
    "before the first needs none, so that means below one are possible."
)
SMOOTH_NOTE = (
    "Largest move: how far a joint turns between two frames at most, in a run; a flip is more than "
    "a right angle. Travel: share of all turning done by the joints next to the frame. Second "
    "difference: root mean square of how much a joint's turn changes from frame to frame. track: "
    "Model.track along the same path, which is no solver of a frame but follows the whole path."
)
PAPER_NOTE = (
    "paper: Aristidou and Lasenby 2011, table 1, means of 20 runs; all but those of fabrik and "
    "ccd in reach as a summary of the paper rounds them. The starts and the stop rule of its "
    "table are not known here; its figure 11 stops within 1e-3 mm on a chain of 900 mm, 1.1e-06 "
    "of the reach: from the straight chain and with that rule fabrik takes what the paper says, "
    "and CCD several times as much. Its FTL is not described in what we could read. Cells: mean "
    "± half of its 95 % interval, the median, and the share solved where not all; a solve ends "
    "within the given share of the reach or at the solver's cap of iterations. A target out of "
    "reach ends as unreachable, never as solved; FABRIK here compares lengths first, the "
    "paper's 67.6 is of one that does not."
)
#: What holds of every study; `notes` has what one needs beside.
GENERAL = (MEASURED, ITERATION, PLAIN)


def title(study: Study) -> str:
    """Return one line that says what was studied."""
    return f"{study.model.name}, {study.model.nv} DoF, follows: {study.curve.name}"


def protocol(study: Study) -> str:
    """Return how it was studied."""
    share = study.tolerance / study.model.max_reach if study.model.max_reach else float("nan")
    return (
        f"{len(study.curve)} frames a run, {study.runs} runs a solver from random poses (seed "
        f"{study.seed}), each frame started from the pose of the one before, stopped within "
        f"{study.tolerance:.3g} m of the target ({share:.2g} of the reach)."
    )


def table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return two lines of headings and the rows of the main table."""
    head = [
        ("", "solved", "iterations", "", "s / 100 runs", "", "frames / s", "worst"),
        ("solver", "%", "mean a frame", "median", "loop", "batched", "loop", "error, mm"),
    ]
    rows: list[Row] = []
    for part in study.solvers:
        rows.append(
            (
                part.label,
                percent(part.solved),
                str(part.iterations_per_frame),
                f"{part.median_iterations:g}",
                str(part.seconds),
                str(part.seconds_batched),
                f"{part.frames_per_second.value:,.0f}",
                digits(1e3 * part.worst_error, 1e2 * part.worst_error),
            )
        )
        if part.published is not None:
            rows.append(("  thesis", "", *_published(part.published), ""))
    return list(head), rows


def _published(was: Published) -> tuple[str, str, str, str, str]:
    seconds = "" if was.seconds is None else f"{was.seconds:g}"
    frames = "" if was.frames_per_second is None else f"{was.frames_per_second:g}"
    return f"{was.iterations:g}", "", seconds, "", frames


def smooth_table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of how smoothly the joints turned."""
    last, joints = study.track.last, len(study.track.travel)
    head = [
        ("", "largest move a run, rad", "", "", f"travel in last {last} of {joints}", "second"),
        ("solver", "median", "worst", "flips", "joints, %", "difference, rad"),
    ]
    rows = [(part.label, part.smoothness) for part in study.solvers]
    rows.append((f"track ({len(study.track.moves)} runs)", study.track))
    return list(head), [_smooth(label, found) for label, found in rows]


def _smooth(label: str, found: Smoothness) -> Row:
    return (
        label,
        _or_dash(found.median, ".2f"),
        _or_dash(found.worst, ".2f"),
        str(found.flips),
        _or_dash(100 * found.last_share, ".0f"),
        _or_dash(found.second, ".2g"),
    )


def _or_dash(value: float, form: str) -> str:
    return format(value, form) if isfinite(value) else "-"


def stop_table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the iterations under each stop rule."""
    rules = list(dict.fromkeys(row.tolerance for row in study.stops))
    found = {(row.label, row.start, row.tolerance): row for row in study.stops}
    rows: list[Row] = []
    for start, words in STARTS.items():
        for label in study.labels:
            shown = (found[label, start, rule] for rule in rules)
            cells = [count(row.iterations, row.median, row.solved) for row in shown]
            rows.append((label, words, *cells))
    return [("solver", "each solve", *(f"to {rule:g} of reach" for rule in rules))], rows


def count(iterations: Estimate, median: float, solved: float) -> str:
    """Write a mean and a median of iterations, and the share solved where it is not all."""
    share = "" if solved == 1.0 else f" ({percent(solved)} %)"
    return f"{iterations}, {median:g}{share}"


# -- the verdict --------------------------------------------------------------------------------


def verdict(study: Study) -> str:
    """Return in a few sentences how FABRIK and CCD compare here: share solved, iterations, time."""
    if not {"fabrik", "ccd"} <= set(study.labels):
        return ""
    said = [_shares(study), _iterations(study), _times(study)]
    return f"On {study.model.name}: " + " ".join(filter(None, said))


def _shares(study: Study) -> str:
    fabrik, ccd = study["fabrik"].solved, study["ccd"].solved
    if fabrik == ccd == 1.0:
        return "FABRIK and CCD solve every frame."
    said = f"FABRIK solves {percent(fabrik)} % of the frames and CCD {percent(ccd)} %"
    if abs(fabrik - ccd) > 0.01:
        return said + ", so their iterations and times are not those of the same work."
    return said + "."


def _iterations(study: Study) -> str:
    """Say which needs fewer iterations, and under which rule."""
    if not study.stops:
        return ""
    fewer: dict[tuple[str, str], list[str]] = {}
    found = {(row.label, row.start, row.tolerance): row.iterations for row in study.stops}
    for (label, start, rule), fabrik in found.items():
        if label == "fabrik":
            who = _fewer(fabrik, found["ccd", start, rule])
            fewer.setdefault((who, STARTS[start]), []).append(f"{rule:g}")
    whos = {who for who, _ in fewer}
    if whos == {"FABRIK"} or whos == {"CCD"}:
        (who,) = whos
        other = "CCD" if who == "FABRIK" else "FABRIK"
        return f"{who} needs fewer iterations than {other} under every stop rule tried."
    parts = []
    for (who, start), rules in fewer.items():
        what = f"{who} needs fewer iterations" if who else "no clear difference"
        parts.append(f"{start}: {what} at {', '.join(rules)}")
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def _fewer(fabrik: Estimate, ccd: Estimate) -> str:
    """Return who needs fewer; nobody when the intervals touch, or when there is none."""
    gap = fabrik.half + ccd.half
    if not isfinite(gap) or abs(fabrik.mean - ccd.mean) <= gap:
        return ""
    return "FABRIK" if fabrik.mean < ccd.mean else "CCD"


def _times(study: Study) -> str:
    fabrik, ccd = study["fabrik"], study["ccd"]
    loop = fabrik.seconds.value / ccd.seconds.value
    batched = fabrik.seconds_batched.value / ccd.seconds_batched.value
    return (
        f"A frame takes FABRIK {loop:.2g} times as long as CCD one by one, {batched:.2g} times in "
        "a batch."
    )


# -- notes --------------------------------------------------------------------------------------


def notes(study: Study) -> list[str]:
    """Return what the reader must know of this study; `GENERAL` holds of all."""
    lines = _endings(study)
    lines += [f"{label} does not apply: {why}" for label, why in study.refused.items()]
    if all(part.same for part in study.solvers):
        lines.append("Loop and batch gave the same answers, to the bit.")
    return lines


def _endings(study: Study) -> list[str]:
    lines = []
    for part in study.solvers:
        if part.solved < 1.0:
            lines.append(f"{part.label}: of {part.outcomes.size} frames {_counts(part)}.")
        if not part.same:
            lines.append(f"{part.label}: the answers of loop and batch differ; please report it.")
    return lines


def _counts(part: SolverStudy) -> str:
    return ", ".join(f"{n} {word}" for word, n in part.counts.items())


# -- the paper ----------------------------------------------------------------------------------


def paper_title(paper: PaperStudy) -> str:
    """Return one line that says what the paper's experiment was."""
    start = "random poses" if paper.start == "random" else "the straight chain"
    return (
        f"FABRIK paper's experiment: 10 unconstrained joints, {paper.runs} targets of each kind "
        f"(seed {paper.seed}), from {start}"
    )


def paper_table(paper: PaperStudy, reachable: bool) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the FABRIK paper's experiment on one kind of targets."""
    rules = list(dict.fromkeys(row.tolerance for row in paper.rows))
    labels = list(dict.fromkeys(row.label for row in paper.rows))
    found = {(r.label, r.tolerance): r for r in paper.rows if r.reachable == reachable}
    what = "targets in reach" if reachable else "targets out of reach"
    head = [(what, *(f"to {rule:.2g} of reach" for rule in rules), "paper", "us / target")]
    rows = []
    for label in labels:
        mine = [found[label, rule] for rule in rules]
        was = mine[0].published
        said = "" if was is None else f"{was.iterations:g}"
        # Out of reach none is to be solved: its share is left out.
        cells = [count(r.iterations, r.median, r.solved if reachable else 1.0) for r in mine]
        rows.append((label, *cells, said, _span(mine)))
    return list(head), list(rows)


def _span(rows: list[PaperRow]) -> str:
    """Write the times of a target under the loosest and the tightest rule."""
    low, high = (1e6 * f(row.seconds for row in rows) for f in (min, max))
    return f"{digits(low, 0.1 * low)} to {digits(high, 0.1 * high)}"
