"""What commands share: statuses, types of arguments, models by file or name, JSON."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import handik
from handik.errors import ArgumentError

if TYPE_CHECKING:
    from handik import Model

#: Exit statuses: done; a target was not reached; wrong call, file or model; stopped by Ctrl-C.
DONE, NOT_REACHED, WRONG, STOPPED = 0, 1, 2, 130

#: Columns of text, whose words may look like numbers.
_WORDS = ("solver", "model", "frame", "path", "figure", "start", "target", "targets", "refused")

FILE = (
    "a model file (.urdf, .xacro, .sdf, .xml, .toml, .csv, .bvh ...), or the name of a model "
    "or robot: see 'handik info'"
)


# -- arguments ----------------------------------------------------------------------------------


def add_chain(parser: argparse.ArgumentParser) -> None:
    """Add the options that cut a chain out of a model."""
    parser.add_argument("--tip", metavar="LINK", help="link at the end of the chain")
    parser.add_argument("--base", metavar="LINK", help="link at its beginning (of files)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print JSON (SI units, radians) and nothing else"
    )


class Numbers(argparse.Action):
    """So many numbers, between blanks or commas: ``0.4 0.2 0.5`` or ``0.4,0.2,0.5``.

    `count` says how many there must be.
    """

    def __init__(self, *, count: int | tuple[int, ...], **more: Any) -> None:
        self.count = (count,) if isinstance(count, int) else count
        super().__init__(**more, nargs="+")

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Split, read and count."""
        words = [word for text in values for word in text.replace(",", " ").split()]
        numbers = []
        for word in words:
            try:
                numbers.append(finite(word))
            except argparse.ArgumentTypeError as error:
                parser.error(f"argument {option_string}: {error}")
        if len(numbers) not in self.count:
            wanted = " or ".join(map(str, self.count))
            parser.error(
                f"argument {option_string}: expected {wanted} numbers, between blanks or commas, "
                f"got {len(numbers)}"
            )
        setattr(namespace, self.dest, numbers)


def _number(kind: type, text: str, least: float, what: str) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not (least <= value and abs(value) < (2**63 if kind is int else math.inf)):
        raise argparse.ArgumentTypeError(f"{text.strip()!r} is not {what}")
    return value


def count(text: str) -> int:
    """Read a whole number from 1 up."""
    return int(_number(int, text, 1, "a whole number from 1 up"))


def frames(text: str) -> int:
    """Read a whole number from 3 up."""
    return int(_number(int, text, 3, "a whole number from 3 up"))


def whole(text: str) -> int:
    """Read a whole number from 0 up."""
    return int(_number(int, text, 0, "a whole number from 0 up"))


def finite(text: str) -> float:
    """Read a finite number."""
    return float(_number(float, text, -np.inf, "a number"))


def positive(text: str) -> float:
    """Read a number above 0."""
    return float(_number(float, text, np.nextafter(0, 1), "a number above 0"))


def names(text: str) -> list[str] | None:
    """Split names at commas; None for all."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    return None if found == ["all"] else found


# -- models -------------------------------------------------------------------------------------


def load(name: str, base: str | None, tip: str | None) -> Model:
    """Read a file; a bare word that is no file names a model that comes with handik."""
    from handik.data import names as known

    if name in known() and not os.path.exists(name):
        if base is not None:
            raise ArgumentError(f"--base is for files, not for {name!r}, which comes with handik")
        return _at_tip(handik.data(name), tip)
    if not os.path.exists(name) and not os.path.splitext(name)[1] and name in handik.robot.names():
        return handik.robot(name, base=base, tip=tip)
    if os.path.isdir(name):
        raise ArgumentError(f"{name}: a folder, not a file")
    if not os.path.exists(name) and not os.path.splitext(name)[1]:
        raise ArgumentError(
            f"{name}: no such file, no model that comes with handik ({', '.join(known())}) and no "
            "robot of an installed package (pip install 'handik[robots]'; see 'handik info')"
        )
    return handik.load(name, base=base, tip=tip)


def _at_tip(model: Model, tip: str | None) -> Model:
    if tip is None or tip == model.tip:
        return model
    return type(model)(model.spec.chain(None, tip))


def one_tip(model: Model) -> Model:
    """Return the model, or say that it has several tips or no joint that moves."""
    if model.tip is None:
        parents = {joint.parent for joint in model.spec.joints}
        ends = [joint.child for joint in model.spec.joints if joint.child not in parents]
        shown = ", ".join(ends[:8]) + (", ..." if len(ends) > 8 else "")
        raise ArgumentError(f"{model.name!r} has several tips, choose one with --tip: {shown}")
    if not model.nq:
        raise ArgumentError(f"{model.name!r} has no joint that moves above {model.tip!r}")
    return model


# -- output -------------------------------------------------------------------------------------


def print_json(value: Any) -> None:
    """Print a value as JSON; arrays become lists, numbers that are none become null."""
    print(json.dumps(plain(value), indent=2))


def typed(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a CSV file with its numbers as numbers, and None where there is none."""
    found: dict[str, Any] = {}
    for key, value in line.items():
        found[key] = value
        if isinstance(value, str) and key not in _WORDS:
            try:
                found[key] = float(value) if value else None
            except ValueError:
                pass
    return found


def plain(value: Any) -> Any:
    """Turn arrays, NumPy numbers and tuples into what JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def tell(text: str) -> None:
    """Say something beside the result."""
    print(f"handik: {text}", file=sys.stderr)


def tell_written(paths: Sequence[object], beside: bool) -> None:
    """Say which files were written, beside the result if that is JSON."""
    said = "written: " + ", ".join(map(str, paths))
    print(said, file=sys.stderr) if beside else print("\n" + said)
