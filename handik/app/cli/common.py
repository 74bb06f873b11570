"""What commands share: statuses, types of arguments, models by file or name, JSON."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

import handik
from handik.errors import ArgumentError

if TYPE_CHECKING:
    from handik import Model
    from handik.scene import Scene

#: Exit statuses: done; a target was not reached; wrong call, file or model; stopped by Ctrl-C.
DONE, NOT_REACHED, WRONG, STOPPED = 0, 1, 2, 130
STATUS = (
    "Exit status: 0 done, 1 a target was not reached, 2 a wrong call, file or model, 130 stopped "
    "by Ctrl-C. Results go to the standard output, progress and errors to the standard error."
)

#: Columns of text, whose words may look like numbers.
_WORDS = ("solver", "model", "frame", "path", "figure", "start", "target", "targets", "refused")

FILE = (
    "a model file (.urdf, .xacro, .sdf, .xml, .toml, .csv, .bvh ...), or the name of a model "
    "or robot: see 'handik info'"
)


# -- arguments ----------------------------------------------------------------------------------


class Help(argparse.HelpFormatter):
    """Help that keeps the lines of examples, and shows which numbers an option wants."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        kept = [line for line in text.split("\n") if line.startswith("  ")]
        if not kept:
            return super()._fill_text(text, width, indent)
        head, _, rest = text.partition("\n".join(kept))
        parts = [super()._fill_text(head, width, indent), *kept]
        if rest.strip():
            parts += ["", super()._fill_text(rest, width, indent)]
        return "\n".join(parts)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if isinstance(action, Numbers):
            return str(action.metavar)
        return super()._format_args(action, default_metavar)


def command(commands: Any, name: str, help: str, description: str, *examples: str) -> Any:
    """Add a command and return its parser, with examples below its help."""
    shown = "\n".join(f"  handik {example}" for example in examples)
    return commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=f"Examples:\n{shown}\n{STATUS}",
        formatter_class=Help,
    )


def add_import(parser: argparse.ArgumentParser, makes: str) -> None:
    """Add ``--import``."""
    parser.add_argument(
        "--import",
        dest="modules",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a file of Python (mine.py), or a module by name, with {makes} of yours; may be "
        "given several times",
    )


def import_modules(names: Sequence[str]) -> list[ModuleType]:
    """Import files and modules; a file is known by its stem, as a script beside it would know it.

    Raises
    ------
    ArgumentError
        When there is none, or its name is that of another module.
    """
    made = []
    for name in names:
        path = Path(name)
        is_file = path.suffix == ".py" or path.is_file()
        if is_file and not path.is_file():
            raise ArgumentError(f"--import {name}: there is no such file")
        folder = str(path.resolve().parent) if is_file else os.getcwd()
        if folder not in sys.path:
            sys.path.append(folder)  # last, so that mine/json.py hides nothing
        try:
            module = import_module(path.stem if is_file else name)
        except ModuleNotFoundError as error:
            raise ArgumentError(f"--import {name}: {error}") from None
        except (SyntaxError, NameError, TypeError, ValueError, AttributeError) as error:
            raise ArgumentError(f"--import {name}: {type(error).__name__}: {error}") from None
        there = getattr(module, "__file__", None)
        if is_file and (there is None or not os.path.samefile(there, path)):
            raise ArgumentError(
                f"--import {name}: {path.stem!r} is the name of another module "
                f"({there or 'built in'}): rename the file"
            )
        made.append(module)
    return made


def add_chain(parser: argparse.ArgumentParser) -> None:
    """Add the options that cut a chain out of a model."""
    parser.add_argument("--tip", metavar="LINK", help="link at the end of the chain")
    parser.add_argument("--base", metavar="LINK", help="link at its beginning (of files)")
    parser.add_argument(
        "--scale", type=positive, metavar="X", help="meters a unit of a BVH file, 0.01 for cm"
    )


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


def load(name: str, base: str | None, tip: str | None, scale: float | None = None) -> Model:
    """Read a file; a bare word that is no file names a model that comes with handik."""
    from handik.data import names as known

    if scale is not None and not name.lower().endswith(".bvh"):
        raise ArgumentError(f"--scale is for BVH files, the others say their unit; got {name!r}")
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
    return handik.load(name, base=base, tip=tip, scale=scale)


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


def scene_of(name: str) -> Scene:
    """Return the scene of a file, or one of the gallery; a file goes first."""
    known = handik.scene.gallery()
    if name in known and not Path(name).exists():
        return handik.scene.gallery(name)
    if not Path(name).suffix and not Path(name).exists():
        raise ArgumentError(
            f"{name}: no such file, and no scene of the gallery ({', '.join(known)})"
        )
    return handik.load_scene(name)
