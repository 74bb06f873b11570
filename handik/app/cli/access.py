"""``handik access``: a scene against building codes and people, as a report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from handik.app.cli.asked import add_people, asked_of
from handik.app.cli.common import (
    DONE,
    add_json,
    command,
    count,
    finite,
    names,
    print_json,
    scene_of,
    tell_written,
    whole,
)
from handik.errors import ArgumentError
from handik.spec.transforms import from_rpy


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "access",
        "measure a scene against building codes and people: a report",
        "Measures a scene against the rules of building codes, asks whether a seated person gets a "
        "hand to each of its targets and gets through its doors, and writes access.html, "
        "access.json, findings.csv, uses.csv and doors.csv, and of a scene from IFC "
        "issues.bcf. Needs pip install 'handik[plot]'.",
        "access kitchen --out report",
        "access kitchen --person sex=male,stature=1.9 --population 8 --lang fr --out report",
        "access flat --chair rear,width=0.7,length=1.3 --parquet --out report",
        "access room.toml --rules ADA2010,ISO21542:2021 --route way=0,0:3,2 --out report",
    )
    parser.add_argument(
        "scene",
        metavar="SCENE",
        help="a scene's file (.toml, .xml, .ifc, .dxf ...), or the name of one of the gallery",
    )
    add_people(parser)
    parser.add_argument(
        "--rules", type=names, default=["ADA2010"], metavar="A,B", help="codes (default ADA2010)"
    )
    parser.add_argument(
        "--route",
        action="append",
        default=[],
        metavar="NAME=X,Y:X,Y",
        help="two places between which the clear width is measured; may be given several times",
    )
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        metavar="X,Y,DEG",
        help="a place of the person besides those that the rules have in mind: of the pelvis, and "
        "which way it faces; may be given several times",
    )
    parser.add_argument(
        "--floor",
        metavar="Z",
        help="height of the floor in the scene, meters, or the name of a storey (default: all its "
        "storeys, each by itself, or 0 where it has none)",
    )
    parser.add_argument("--tries", type=count, default=32, metavar="N", help="starts (default 32)")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of all that is drawn")
    parser.add_argument("--lang", choices=["en", "fr"], default="en", help="of the report")
    parser.add_argument("--out", metavar="DIR", required=True, help="where the report is written")
    parser.add_argument(
        "--parquet",
        action="store_true",
        help="write the tables as Parquet too: pip install 'handik[parquet]'",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def _routes(texts: list[str]) -> dict[str, list[list[float]]]:
    out = {}
    for text in texts:
        name, _, rest = text.partition("=")
        try:
            ends = [[float(x) for x in end.split(",")] for end in rest.split(":")]
        except ValueError:
            ends = []
        if not name or [len(end) for end in ends] != [2, 2]:
            raise ArgumentError(f"--route: {text!r} is not of the form name=x,y:x,y")
        out[name] = ends
    return out


def _places(texts: list[str], floors: Sequence[float] = (0.0,)) -> list[np.ndarray]:
    if texts and len(floors) > 1:
        raise ArgumentError("--place: the scene has several storeys: give --floor")
    out = []
    for text in texts:
        try:
            x, y, turn = (finite(word) for word in text.split(","))
        except (ValueError, argparse.ArgumentTypeError):
            raise ArgumentError(f"--place: {text!r} is not of the form x,y,degrees") from None
        out.append(from_rpy([0.0, 0.0, np.radians(turn)], [x, y, floors[0]]))
    return out


def _floor(text: str | None) -> float | str | None:
    """Read a height, or the name of a storey."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _doors(scene: Any, person: Any, chair: Any, floor: Any) -> tuple[Any, ...] | None:
    """Ask all doors of a scene; None: one of them is none, as of 0.2 m, which ends no report."""
    import handik as hk

    if person.position != "seated":
        return ()
    try:
        return hk.access.open_doors(chair, scene, person=person, floor=floor)
    except ArgumentError as error:
        print(f"doors were not asked: {error}", file=sys.stderr)
        return None


def _ifc(text: str) -> Path | None:
    """Return the file of a scene that came from IFC."""
    path = Path(text)
    return path if path.suffix.lower() == ".ifc" and path.is_file() else None


def run(given: argparse.Namespace) -> int:
    """Measure, ask and write."""
    import handik as hk
    from handik.app import _report, _report_files
    from handik.scene.access._storeys import levels_of
    from handik.solve._progress import Bar

    if Path(given.out).exists() and not Path(given.out).is_dir():  # before anybody waits
        raise ArgumentError(f"--out: {given.out} is a file, not a folder")
    scene, routes = scene_of(given.scene), _routes(given.route)
    asked = asked_of(given)
    person, chair = asked.person, asked.chair
    if given.parquet:
        _report_files.arrow()  # before anybody waits
    codes = tuple(given.rules or dict.fromkeys(r.code for r in hk.access.rules()))
    options: dict[str, Any] = {"routes": routes, "tries": given.tries, "seed": given.seed}
    floor = options["floor"] = _floor(given.floor)
    options["places"] = _places(given.place, [one.floor for one in levels_of(scene, floor)])
    uses = hk.access.code_against_use(scene, person, codes, **options)
    crowd = None
    if asked.crowd is not None:
        people: Any = asked.crowd.people  # made one at a time, which users have a Population for
        with Bar() as bar:
            crowd = hk.access.code_against_use(
                scene, people, codes, progress=partial(bar, "people"), **options
            )
    doors = _doors(scene, person, chair, floor)
    report = _report.Report(
        scene,
        uses,
        person,
        asked.said,
        crowd,
        codes,
        given.lang,
        doors,
        chair,
        floor,
        _ifc(given.scene),
        asked.crowd,
        asked.seat.get("seat_height"),
    )
    paths = _report_files.write(report, Path(given.out), parquet=given.parquet)
    if given.json:
        print_json(_report_files.data(report))
    else:
        counts = uses.checked.counts
        print(f"{scene.name}: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
        for use in uses.uses:
            print(f"  {use.place}: {use.kind}")
        for one in doors or ():
            print(f"  {one.door}, from the {one.side} side: {one.verdict}")
    tell_written(paths, given.json)
    return DONE
