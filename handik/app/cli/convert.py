"""``handik convert``: read a model in one format, write it in another."""

from __future__ import annotations

import argparse
from typing import Any

from handik.app.cli.common import DONE, FILE, add_chain, add_json, command, load, print_json, tell
from handik.errors import ArgumentError


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "convert",
        "write a model in another format",
        "Writes a model in the format of the suffix of OUT, and says what that format cannot hold.",
        "convert ur5 ur5.urdf",
        "convert robot.urdf robot.toml --strict",
    )
    parser.add_argument("file", metavar="FILE", help=FILE)
    parser.add_argument("out", metavar="OUT", help="its suffix says which format")
    add_chain(parser)
    parser.add_argument(
        "--strict", action="store_true", help="write nothing if anything would be lost"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Convert."""
    import os
    import tempfile
    from pathlib import Path

    model = load(given.file, given.base, given.tip, given.scale)
    out = Path(given.out)
    lost: list[str] = []
    if given.strict:
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, out.name), lost)
        if lost:
            raise ArgumentError(f"{out}: not written, it would lose: " + "; ".join(lost))
    model.save(out, lost)
    if given.json:
        print_json({"written": str(out), "lost": lost})
        return DONE
    for what in lost:
        tell(f"lost: {what}")
    print(f"written: {out}")
    return DONE
