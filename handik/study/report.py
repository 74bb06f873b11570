"""Reports of a study: text for the terminal, CSV, and one self-contained HTML page."""

from __future__ import annotations

import base64
import csv
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.errors import ArgumentError
from handik.result import Outcome
from handik.study.estimate import Estimate, digits
from handik.study.protocol import PLAIN

if TYPE_CHECKING:
    from handik.study import SolverStudy, Study
    from handik.study.paper import PaperStudy
    from handik.study.protocol import Published

__all__ = [
    "machine",
    "paper_text",
    "pictures",
    "study_text",
    "verdict",
    "write_csv",
    "write_html",
    "write_paper_csv",
    "write_paper_html",
]

Row = Sequence[str]

#: What the starts of the stop rules are called.
STARTS = {"warm": "from the frame before", "cold": "from a random pose"}

MEASURED = (
    "± is the half-width of the 95 % interval of the mean, over runs (batched times: over passes). "
    "loop: one call of the solver for each frame from Python, as an interactive program does; "
    "batched: all runs side by side, one call for each frame. Both on one thread; drawing is not "
    "counted."
)
THESIS_NOTE = (
    "thesis: HandiAccess/FABRIK thesis, section 3.4.1. Its stop rule, its link lengths and what "
    "it calls a run are not known here, and its frames per second may include drawing: compare "
    "the order of the solvers, not the seconds."
)
PAPER_NOTE = (
    "paper: Aristidou and Lasenby 2011, table 1, means of 20 runs; all but those of fabrik and ccd "
    "in reach as a summary of the paper rounds them. Its starts and the stop rule of the table are "
    "not known here; its figure 11 stops within 1e-3 mm on a chain of 900 mm, which is 1.1e-06 of "
    "the reach. Its FTL is not described in what we could read. Ours: every solve ends within the "
    "given share of the reach, or at the solver's cap of iterations. A target out of reach ends as "
    "'unreachable', never as solved."
)


def machine() -> dict[str, str]:
    """Return where this runs: processor, versions, kind of lanes."""
    import handik

    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "handik": handik.__version__,
        "lanes": handik.simd(),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


# -- what the tables hold -----------------------------------------------------------------------


def title(study: Study) -> str:
    """Return one line that says what was studied."""
    return f"{study.model.name}, {study.model.nv} DoF, follows: {study.curve.name}"


def protocol(study: Study) -> str:
    """Return how it was studied."""
    share = study.tolerance / study.model.reach if study.model.reach else float("nan")
    return (
        f"{len(study.curve)} frames a run, {study.runs} runs a solver from random poses (seed "
        f"{study.seed}), each frame started from the pose of the one before, stopped within "
        f"{study.tolerance:.3g} m of the target ({share:.2g} of the reach)."
    )


def table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return two lines of headings and the rows of the main table."""
    head = [
        ("", "iterations", "s / 100 runs", "", "frames / s", "", "solved", "worst"),
        ("solver", "a frame", "loop", "batched", "loop", "batched", "%", "error, mm"),
    ]
    rows: list[Row] = []
    for part in study.solvers:
        rows.append(
            (
                part.label,
                str(part.iterations_per_frame),
                str(part.seconds),
                str(part.seconds_batched),
                str(part.frames_per_second),
                str(part.frames_per_second_batched),
                percent(part.solved),
                digits(1e3 * part.worst_error, 1e2 * part.worst_error),
            )
        )
        if part.published is not None:
            was = part.published
            rows.append(("  thesis", *_published(was), "", ""))
    return list(head), rows


def _published(was: Published) -> tuple[str, str, str, str, str]:
    seconds = "" if was.seconds is None else f"{was.seconds:g}"
    frames = "" if was.frames_per_second is None else f"{was.frames_per_second:g}"
    return f"{was.iterations:g}", seconds, "", frames, ""


def stop_table(study: Study) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the iterations under each stop rule."""
    rules = list(dict.fromkeys(row.tolerance for row in study.stops))
    labels = [part.label for part in study.solvers]
    found = {(row.label, row.start, row.tolerance): row for row in study.stops}
    rows: list[Row] = []
    for start, words in STARTS.items():
        for label in labels:
            cells = []
            for rule in rules:
                row = found[label, start, rule]
                cells.append(
                    str(row.iterations)
                    + ("" if row.solved == 1.0 else f" ({percent(row.solved)} %)")
                )
            rows.append((label, words, *cells))
    return [("solver", "each solve starts", *(f"{rule:g}" for rule in rules))], rows


def verdict(study: Study) -> str:
    """Return in a sentence which of FABRIK and CCD needs fewer iterations, and under which rule."""
    labels = {part.label for part in study.solvers}
    if not {"fabrik", "ccd"} <= labels or not study.stops:
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
    return "; ".join(parts).capitalize().replace("fabrik", "FABRIK").replace("ccd", "CCD") + "."


def _fewer(fabrik: Estimate, ccd: Estimate) -> str:
    """Return who needs fewer; nobody when the intervals touch."""
    gap = sum(half for half in (fabrik.half, ccd.half) if isfinite(half))
    if abs(fabrik.mean - ccd.mean) <= gap:
        return ""
    return "FABRIK" if fabrik.mean < ccd.mean else "CCD"


def notes(study: Study) -> list[str]:
    """Return what the reader of the tables must know."""
    lines = [MEASURED, PLAIN]
    if any(part.published for part in study.solvers):
        lines.append(THESIS_NOTE)
    for part in study.solvers:
        if part.solved < 1.0:
            counts = ", ".join(f"{n} {word}" for word, n in part.counts.items())
            lines.append(f"{part.label}: of {part.outcomes.size} frames {counts}.")
        if not part.same:
            lines.append(f"{part.label}: the answers of loop and batch differ; please report it.")
    lines += [f"{label} does not apply: {why}" for label, why in study.refused.items()]
    if all(part.same for part in study.solvers):
        lines.append("Loop and batch gave the same answers, to the bit.")
    return lines


def paper_table(paper: PaperStudy) -> tuple[list[Row], list[Row]]:
    """Return headings and rows of the FABRIK paper's experiment."""
    head = [("solver", "target", "stops within", "iterations", "paper", "solved %", "us / target")]
    rows = [
        (
            row.label,
            "reachable" if row.reachable else "out of reach",
            f"{row.tolerance:.2g} reach",
            str(row.iterations),
            "" if row.published is None else f"{row.published.iterations:g}",
            percent(row.solved),
            digits(1e6 * row.seconds, 1e5 * row.seconds),
        )
        for row in paper.rows
    ]
    return list(head), list(rows)


def paper_title(paper: PaperStudy) -> str:
    """Return one line that says what the paper's experiment was."""
    return (
        f"FABRIK paper's experiment: 10 unconstrained joints, {paper.runs} targets of each kind "
        f"(seed {paper.seed}), from {paper.start} starts"
    )


def percent(share: float) -> str:
    """Write a share in percent; 100 only if it is all of them, 0 only if it is none."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    return f"{min(99.99, max(0.01, 100 * share)):.2f}"


# -- text ---------------------------------------------------------------------------------------


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


def study_text(study: Study) -> str:
    """Return the whole study as text."""
    blocks = [title(study) + "\n" + wrap(protocol(study)), text_table(*table(study))]
    if study.stops:
        blocks.append(
            "Iterations by stop rule (distance as a share of the reach; in brackets the share "
            "solved, where not all)\n" + text_table(*stop_table(study))
        )
    said = verdict(study)
    blocks.append("\n".join(wrap(line) for line in ([said] if said else []) + notes(study)))
    return "\n\n".join(blocks)


def paper_text(paper: PaperStudy) -> str:
    """Return the paper's experiment as text."""
    refused = [wrap(f"{label} does not apply: {why}") for label, why in paper.refused.items()]
    table = text_table(*paper_table(paper))
    return "\n\n".join([paper_title(paper), table, *refused, wrap(PAPER_NOTE), wrap(PLAIN)])


def write_paper_html(paper: PaperStudy, path: str | os.PathLike[str]) -> None:
    """Write the paper's experiment as one self-contained HTML page."""
    body = [f"<h1>{escape(paper_title(paper))}</h1>", html_table(*paper_table(paper))]
    said = [f"{label} does not apply: {why}" for label, why in paper.refused.items()]
    body += [f'<p class="quiet">{escape(line)}</p>' for line in (*said, PAPER_NOTE, PLAIN)]
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(page("The FABRIK paper's experiment", body))


# -- CSV ----------------------------------------------------------------------------------------


def _number(value: float | None) -> Any:
    return "" if value is None or not isfinite(value) else repr(float(value))


def _two(name: str, value: Estimate) -> dict[str, Any]:
    return {f"{name}_mean": _number(value.mean), f"{name}_ci95": _number(value.half)}


def _shared(study: Study) -> dict[str, Any]:
    return {
        "model": study.model.name,
        "dof": study.model.nv,
        "frame": study.frame,
        "path": study.curve.name,
        "runs": study.runs,
        "seed": study.seed,
    }


def _line(study: Study, part: SolverStudy) -> dict[str, Any]:
    was = part.published
    return {
        "solver": part.label,
        **_shared(study),
        "frames": len(study.curve),
        "tolerance_m": _number(study.tolerance),
        "reach_m": _number(study.model.reach),
        **_two("iterations", part.iterations_per_frame),
        **_two("first_point_iterations", Estimate.of(part.first)),
        **_two("seconds_per_100_runs_loop", part.seconds),
        **_two("seconds_per_100_runs_batched", part.seconds_batched),
        **_two("frames_per_second_loop", part.frames_per_second),
        **_two("frames_per_second_batched", part.frames_per_second_batched),
        "solved_share": _number(part.solved),
        "worst_error_m": _number(part.worst_error),
        "thesis_iterations": _number(was.iterations if was else None),
        "thesis_seconds_per_100_runs": _number(was.seconds if was else None),
        "thesis_frames_per_second": _number(was.frames_per_second if was else None),
    }


def _table_lines(study: Study) -> Iterable[dict[str, Any]]:
    return (_line(study, part) for part in study.solvers)


def _stop_lines(study: Study) -> Iterable[dict[str, Any]]:
    for row in study.stops:
        yield {
            "solver": row.label,
            **_shared(study),
            "start": row.start,
            "tolerance_share": _number(row.tolerance),
            **_two("iterations", row.iterations),
            "solved_share": _number(row.solved),
        }


def _frame_lines(study: Study) -> Iterable[dict[str, Any]]:
    for part in study.solvers:
        for run, frame in np.ndindex(part.iterations.shape):
            yield {
                "solver": part.label,
                "run": run,
                "frame": frame,
                "iterations": int(part.iterations[run, frame]),
                "error_m": _number(float(part.errors[run, frame])),
                "outcome": Outcome(int(part.outcomes[run, frame])).name.lower(),
            }


_KINDS: dict[str, Callable[[Study], Iterable[dict[str, Any]]]] = {
    "table": _table_lines,
    "stops": _stop_lines,
    "frames": _frame_lines,
}


def write_csv(study: Study, path: str | os.PathLike[str], what: str = "table") -> None:
    """Write a study as CSV; see `handik.study.Study.to_csv`."""
    if what not in _KINDS:
        raise ArgumentError(f"what is {what!r}, not one of {', '.join(map(repr, _KINDS))}")
    write_lines(path, _KINDS[what](study))


def write_paper_csv(paper: PaperStudy, path: str | os.PathLike[str]) -> None:
    """Write the paper's experiment as CSV."""
    write_lines(
        path,
        (
            {
                "solver": row.label,
                "target": "reachable" if row.reachable else "out of reach",
                "runs": paper.runs,
                "seed": paper.seed,
                "start": paper.start,
                "tolerance_share": _number(row.tolerance),
                **_two("iterations", row.iterations),
                "paper_iterations": _number(row.published.iterations if row.published else None),
                "solved_share": _number(row.solved),
                "seconds_per_target": _number(row.seconds),
            }
            for row in paper.rows
        ),
    )


def write_lines(path: str | os.PathLike[str], lines: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV, the names of the first as the headings."""
    rows = list(lines)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# -- HTML ---------------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light; --line: #d5dae0; --quiet: #5a6572; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1b2430; background: #fff;
  max-width: 66rem;
  margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
p { margin: .4rem 0; } .quiet { color: var(--quiet); font-size: .9rem; }
.verdict { border-left: 4px solid #0072b2; padding: .4rem .8rem; background: #eef5fa;
  margin: 1rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0; }
th, td { padding: .3rem .8rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; } thead tr:last-child th { border-bottom: 2px solid #1b2430; }
td { border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
tr.published td { color: var(--quiet); font-style: italic; }
tr.published td:first-child { padding-left: 1rem; }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
figcaption { color: var(--quiet); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; font-size: .9rem; }
dt { color: var(--quiet); } dd { margin: 0; }
"""


def html_table(head: Sequence[Row], rows: Sequence[Row]) -> str:
    """Lay a table out in HTML."""
    lines = ['<div class="scroll"><table><thead>']
    for row in head:
        lines.append("<tr>" + _head_cells(row) + "</tr>")
    lines.append("</thead><tbody>")
    for row in rows:
        kind = ' class="published"' if row[0].startswith(" ") else ""
        cells = "".join(f"<td>{escape(cell.strip())}</td>" for cell in row)
        lines.append(f"<tr{kind}>{cells}</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


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


def pictures(study: Study) -> list[tuple[bytes, str]]:
    """Return PNG files with captions, the overview first; none without matplotlib."""
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

    keep(
        plot.study(study, Figure()),
        "Poses of the first run and the trace of the frame; below, iterations along the curve "
        "(mean over runs) and errors by iteration from random poses.",
    )
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot.iterations_by_distance(study, ax=left)
    plot.errors(study, ax=right)
    keep(
        figure,
        "Left: iterations from random poses by the distance to go. Right: what error is left.",
    )
    return made


def html(
    study: Study,
    paper: PaperStudy | None = None,
    shown: Sequence[tuple[bytes, str]] | None = None,
) -> str:
    """Return the study as one HTML page without any outside resource.

    Parameters
    ----------
    study : Study
    paper : PaperStudy, optional
    shown : sequence of (PNG file, caption), optional
        Made by `pictures` if not given.
    """
    names = " and ".join(part.label for part in study.solvers)
    shown = pictures(study) if shown is None else shown
    said = verdict(study)
    body = [
        f"<h1>{escape(names)}: {escape(title(study))}</h1>",
        f"<p>{escape(protocol(study))}</p>",
        f'<p class="verdict">{escape(said)}</p>' if said else "",
        html_table(*table(study)),
        *(f'<p class="quiet">{escape(line)}</p>' for line in notes(study)),
    ]
    for png, caption in shown:
        data = base64.b64encode(png).decode("ascii")
        body.append(
            f'<figure><img alt="{escape(caption)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
    if not shown:
        body.append(
            '<p class="quiet">No pictures: matplotlib is not installed '
            "(pip install 'handik[plot]').</p>"
        )
    if study.stops:
        body += [
            "<h2>Iterations by stop rule</h2>",
            '<p class="quiet">A solve stops when the frame is within this share of the reach; '
            "in brackets the share solved, where not all.</p>",
            html_table(*stop_table(study)),
        ]
    if paper is not None:
        body += [
            f"<h2>{escape(paper_title(paper))}</h2>",
            html_table(*paper_table(paper)),
            f'<p class="quiet">{escape(PAPER_NOTE)}</p>',
        ]
    body.append("<h2>Measured on</h2><dl>")
    body += [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in study.machine.items()]
    body.append("</dl>")
    return page(f"{names}: {study.model.name}", body)


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


def write_html(
    study: Study,
    path: str | os.PathLike[str],
    paper: PaperStudy | None = None,
    shown: Sequence[tuple[bytes, str]] | None = None,
) -> None:
    """Write the study as one HTML page; see `html`."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(html(study, paper, shown))
