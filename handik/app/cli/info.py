"""``handik info``: a model's joints and frames, or the solvers and models there are."""

from __future__ import annotations

import argparse
from math import degrees
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import numpy as np

import handik
from handik.app.cli.common import (
    DONE,
    FILE,
    add_chain,
    add_import,
    add_json,
    command,
    import_modules,
    load,
    print_json,
)

if TYPE_CHECKING:
    from handik import Model


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "info",
        "print a model, or the solvers and models there are",
        "Prints the joints and frames of a model; without FILE, the solvers, and the "
        "models that come with handik.",
        "info",
        "info ur5",
        "info robot.urdf --tip tool0 --json",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help=FILE)
    add_chain(parser)
    add_import(parser, "solvers, for the list,")
    add_json(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print it."""
    import_modules(given.modules)
    if given.file is None:
        return _lists(given.json)
    model = load(given.file, given.base, given.tip, given.scale)
    if given.json:
        print_json(_data(model))
        return DONE
    from handik.study._layout import text_table

    print(model)
    rows = [
        (row["joint"], row["kind"], _where(row), _limit(row, "lower"), _limit(row, "upper"))
        for row in _joints(model)
    ]
    if rows:
        print("\n" + text_table([("joint", "kind", "q", "lower", "upper")], rows))
    print("\nframes: " + ", ".join(model.frame_names))
    for note in model.notes:
        print(f"note: {note}")
    return DONE


def _lists(as_json: bool) -> int:
    from handik.data import names, source

    if as_json:
        print_json(
            {
                "solvers": [
                    {
                        "name": row.name,
                        "summary": row.summary,
                        "reference": row.reference,
                        "max_iter": row.max_iter,
                        "options": row.options,
                        "ranges": {name: [of.least, of.most] for name, of in row.ranges.items()},
                    }
                    for row in handik.solvers()
                ],
                "models": {name: source(name) for name in names()},
                "robots": list(handik.robot.names()),
            }
        )
        return DONE
    print("Solvers")
    print(indent(repr(handik.solvers()), "  "))
    print("\nModels that come with handik")
    for name in names():
        print(f"  {name:10} {source(name)}")
    print("\nRobots of installed packages")
    print(
        indent(fill(", ".join(handik.robot.names()) or "none: pip install 'handik[robots]'"), "  ")
    )
    return DONE


def _data(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "tip": model.tip,
        "nq": model.nq,
        "nv": model.nv,
        "joints": _joints(model),
        "frames": list(model.frame_names),
        "notes": list(model.notes),
    }


def _joints(model: Model) -> list[dict[str, Any]]:
    """Return the joints that move: where their coordinates are, and between which limits."""
    rows = []
    for joint, kind in zip(model.joint_names, model.joint_kinds, strict=True):
        if kind == "fixed":
            continue
        at = model.joint_q_slices.get(joint)
        row: dict[str, Any] = {"joint": joint, "kind": kind, "q": None}
        if at is not None:
            row["q"] = list(range(at.start, at.stop))
            if at.stop - at.start == 1:
                row["lower"] = float(model.lower[at.start])
                row["upper"] = float(model.upper[at.start])
        rows.append(row)
    return rows


def _where(row: dict[str, Any]) -> str:
    if row["q"] is None:
        return "-"
    first, last = row["q"][0], row["q"][-1]
    return f"{first}" if first == last else f"{first}..{last}"


def _limit(row: dict[str, Any], which: str) -> str:
    if row["q"] is None:
        return {"lower": "mimics", "upper": "another"}[which]
    value = row.get(which)
    if value is None:
        return ""
    if not np.isfinite(value):
        return "none"
    return f"{value:.4g} m" if row["kind"] == "prismatic" else f"{degrees(value):.4g} deg"
