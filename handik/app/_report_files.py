"""The files of the report on access: the page, its data as JSON, its tables as CSV and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handik.app._bcf import file_of, has_guids, issues
from handik.app._report import html
from handik.app._report_doors import driven
from handik.app._report_profile import impairments
from handik.app._report_tables import asked, measured
from handik.app._report_words import Words
from handik.errors import UnsupportedError
from handik.scene.access._seat import in_chair, seat_height_of

if TYPE_CHECKING:
    from handik.app._report import Report
    from handik.scene.access import Chair, Finding

__all__ = ["arrow", "data", "write"]

#: The columns of each table, in order.
COLUMNS = {
    "uses": ("place", "legal", "usable", "kind", "approach", "share", "least", "most"),
    "findings": (
        "rule",
        "place",
        "found",
        "op",
        "asked",
        "unit",
        "verdict",
        "why",
        "trust",
        "source",
    ),
    "doors": ("door", "side", "verdict", "why", "rolls", "turns"),
}
#: Those that are numbers; all else is text.
NUMBERS = ("share", "least", "most", "found", "asked", "rolls", "turns")


def arrow() -> Any:
    """Return pyarrow.

    Raises
    ------
    UnsupportedError
        When it is not installed; the sentence says how it is.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UnsupportedError("Parquet needs pyarrow: pip install 'handik[parquet]'") from None
    return pyarrow


def data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, in SI units."""
    crowd = report.crowd
    return {
        "scene": report.scene.name,
        "person": report.said,
        "people": None if report.people is None else report.people.data,
        "codes": list(report.codes),
        "counts": report.uses.checked.counts,
        "uses": [
            {
                "place": use.place,
                "legal": use.legal,
                "usable": use.usable,
                "kind": use.kind,
                "approach": None if use.witness is None else use.witness.approach,
                "pose": None if use.witness is None else use.witness.pose.tolist(),
                "q": None if use.witness is None else use.witness.reach.q.tolist(),
                "short": None if use.witness is None else list(use.witness.reach.short),
                "share": None if crowd is None else crowd.uses[k].share.share,
                "interval": None if crowd is None else list(crowd.uses[k].share.interval),
            }
            for k, use in enumerate(report.uses.uses)
        ],
        "findings": [
            {
                "rule": f.rule.id,
                "place": f.place,
                "found": f.found,
                "op": f.rule.op,
                "asked": f.rule.value,
                "asked_inches": f.rule.inches,
                "unit": f.rule.unit,
                "verdict": f.verdict,
                "why": f.why,
                "trust": f.rule.trust,
                "source": f.rule.source,
            }
            for f in report.uses.checked
        ],
        "doors": [
            {
                "door": one.door,
                "side": one.side,
                "verdict": one.verdict,
                "why": one.why,
                "start": None if one.start is None else one.start.tolist(),
                "goal": None if one.goal is None else one.goal.tolist(),
                "path": [] if one.found is None else one.found.path.tolist(),
                "rolls": driven(one)[0],
                "turns": driven(one)[1],
                "facts": {} if one.found is None else dict(one.found.facts),
                "assumed": {} if one.found is None else dict(one.found.assumed),
            }
            for one in report.doors or ()
        ],
        "doors_asked": report.doors is not None,
        "chair": None if report.chair is None else _chair(report.chair, report),
        "storeys": [{"place": one.path, "floor": one.floor} for one, _ in report.levels],
        "impairments": impairments(report.person),
        "assumed": list(report.assumed),
    }


def _chair(chair: Chair, report: Report) -> dict[str, Any]:
    """Return a chair as plain data, each size with how it came; of the seat only who sits in it."""
    known = dict(chair.dimensions)
    if in_chair(report.person):
        how = "mean of those measured" if report.seat_height is None else "given"
        known["seat_height"] = (seat_height_of(report.person), how)
    return {"kind": chair.kind, **{k: {"value": v, "known": how} for k, (v, how) in known.items()}}


def tables(kept: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the tables of a report's data by name, all rows with all columns."""
    out = {}
    for name, columns in COLUMNS.items():
        rows = [dict(row) for row in kept[name]]
        for row in rows:
            row["least"], row["most"] = row.get("interval") or (None, None)
        out[name] = [{column: row[column] for column in columns} for row in rows]
    return out


def _csv(name: str, rows: Sequence[dict[str, Any]]) -> str:
    out = StringIO()
    writer = csv.DictWriter(out, COLUMNS[name], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _parquet(name: str, rows: Sequence[dict[str, Any]]) -> bytes:
    pa = arrow()
    kinds = [(c, pa.float64() if c in NUMBERS else pa.string()) for c in COLUMNS[name]]
    plain = [
        {c: float(v) if c in NUMBERS and v is not None else v for c, v in row.items()}
        for row in rows
    ]
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(pa.Table.from_pylist(plain, pa.schema(kinds)), sink)
    out: bytes = sink.getvalue().to_pybytes()
    return out


def _issue(found: Finding, say: Words) -> tuple[str, str]:
    """Return title and description of a finding that fails."""
    rule = found.rule
    what = ", ".join(filter(None, (say(rule.subject), say(rule.condition), say(rule.quantity))))
    code = f"{rule.code} {rule.section}".strip()
    title = say("{}: {}: {}, asked {}", code, what, measured(found, say), asked(found, say))
    lines = [found.place, say.note(found.why)]
    lines += [
        say("{}: {}", say(word), say(of))
        for word, of in (("trust", rule.trust), ("source", rule.source))
    ]
    return title, "\n".join(filter(None, lines))


def write(report: Report, folder: Path, *, parquet: bool = False) -> list[Path]:
    """Write the report and its data into a folder; of what came from IFC, its issues as BCF."""
    kept = data(report)
    flat = tables(kept)
    files = {
        "access.html": html(report).encode(),
        "access.json": (json.dumps(_finite(kept), indent=1, allow_nan=False) + "\n").encode(),
        **{f"{name}.csv": _csv(name, rows).encode() for name, rows in flat.items()},
    }
    if parquet:
        files |= {f"{name}.parquet": _parquet(name, rows) for name, rows in flat.items()}
    if has_guids(report.scene):
        say = Words(report.language)
        failed = report.uses.checked.failed
        own = None if report.file is None else file_of(report.file)
        files["issues.bcf"] = issues(report.scene, failed, partial(_issue, say=say), file=own)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, made in files.items():
        path = folder / name
        path.write_bytes(made)
        paths.append(path)
    return paths


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
