"""The command line: ``handik compare | info | solve | version``, or ``python -m handik``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from math import degrees
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np

import handik
from handik.errors import ArgumentError, HandikError

if TYPE_CHECKING:
    from handik.model import Model
    from handik.study.curve import Curve

__all__ = ["main"]

_FILE = (
    "a model file (.urdf, .xacro, .sdf, .xml, .toml, .csv, .bvh ...), or a model of handik's own"
)

#: Exit statuses: done; a target was not reached; wrong call, file or figure; stopped by Ctrl-C.
DONE, NOT_REACHED, WRONG, STOPPED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process if not given.

    Returns
    -------
    int
        0 done, 1 a target was not reached, 2 a wrong call, file or figure, 130 stopped by Ctrl-C.
    """
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:
        print("\nhandik: stopped", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # The reader of our output has gone, as in `handik info ur5 | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except MemoryError:
        print("handik: that needs more memory than there is", file=sys.stderr)
        return WRONG
    except (HandikError, OSError, ImportError) as error:  # the last: an extra is not installed
        print(f"handik: {_sentence(error)}", file=sys.stderr)
        return WRONG


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, HandikError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


# -- arguments ----------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="handik", description="Poses articulated figures, human and robot."
    )
    parser.add_argument("--version", action="version", version=f"handik {handik.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_compare(commands)
    _add_info(commands)
    _add_solve(commands)
    version = commands.add_parser("version", help="print the version")
    version.set_defaults(run=_version)
    return parser


def _add_chain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tip", metavar="LINK", help="link at the end of the chain")
    parser.add_argument("--base", metavar="LINK", help="link at its beginning")


def _add_compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="let solvers follow a path, and compare them",
        description="Lets solvers follow a path, frame by frame, and prints what each needs. "
        "Without --model it is the study of the nine-DoF chain on a figure of eight, then of a "
        "UR5, then the FABRIK paper's experiment. Writes tables, runs and frames (compare*.csv), "
        "compare.png and compare.html.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--model", metavar="FILE", help=_FILE)
    what.add_argument("--chain", metavar="N", type=_count, help="a planar chain of N equal links")
    what.add_argument(
        "--figure",
        metavar="A,B",
        help="no path, but the table of solvers by figures: planar9, ball10, chain100, puma560, "
        "upper_body, or all; writes survey.csv, survey.png and survey.html",
    )
    what.add_argument(
        "--experiment",
        choices=["paper"],
        help="no path, but that of the FABRIK paper alone: ten free balls, targets in and out of "
        "reach; writes paper.csv and paper.html",
    )
    parser.add_argument(
        "--start",
        choices=["random", "straight"],
        help="of --experiment paper: where its solves start (default random)",
    )
    _add_chain(parser)
    parser.add_argument(
        "--path",
        metavar="PATH",
        help="eight (default), circle, or FILE.csv: x,y,z",
    )
    parser.add_argument(
        "--frames", type=_frames, metavar="N", help="points of eight or circle (default 100)"
    )
    parser.add_argument(
        "--solvers",
        default="fabrik,fabrik_fast,ccd",
        metavar="A,B",
        help="default fabrik,fabrik_fast,ccd, or all; see handik info",
    )
    parser.add_argument(
        "--import",
        dest="modules",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module of Python, of this folder too, that makes solvers (handik.solver)",
    )
    parser.add_argument("--runs", type=_count, default=100, metavar="N", help="default 100")
    parser.add_argument(
        "--tolerance", type=_positive, metavar="M", help="metres; default 1e-3 of the reach"
    )
    parser.add_argument("--seed", type=_whole, default=0, metavar="N", help="of the random poses")
    parser.add_argument("--out", default=".", metavar="DIR", help="where files go; default here")
    parser.set_defaults(run=_compare)


def _add_info(commands: Any) -> None:
    parser = commands.add_parser(
        "info",
        help="print a model, or the solvers there are",
        description="Prints the joints and frames of a model; without FILE, the solvers and the "
        "models of handik's own.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help=_FILE)
    _add_chain(parser)
    parser.set_defaults(run=_info)


def _add_solve(commands: Any) -> None:
    parser = commands.add_parser(
        "solve",
        help="bring one frame of a model to a place",
        description="Prints coordinates that bring a frame to a place; status 1 if it was not "
        "reached.",
    )
    parser.add_argument("file", metavar="FILE", help=_FILE)
    parser.add_argument(
        "--position", nargs=3, type=_finite, required=True, metavar=("X", "Y", "Z"), help="metres"
    )
    _add_chain(parser)
    parser.add_argument("--solver", metavar="NAME", help="default: the first that can")
    parser.add_argument("--tolerance", type=_positive, metavar="M", help="metres")
    parser.add_argument("--retries", type=_whole, default=10, metavar="N", help="default 10")
    parser.add_argument("--seed", type=_whole, default=0, metavar="N", help="of the retries")
    parser.set_defaults(run=_solve)


def _number(kind: type, text: str, least: float, what: str) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not np.isfinite(value) or value < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return value


def _count(text: str) -> int:
    return int(_number(int, text, 1, "a whole number from 1 up"))


def _frames(text: str) -> int:
    return int(_number(int, text, 3, "a whole number from 3 up"))


def _whole(text: str) -> int:
    return int(_number(int, text, 0, "a whole number from 0 up"))


def _finite(text: str) -> float:
    return float(_number(float, text, -np.inf, "a number"))


def _positive(text: str) -> float:
    return float(_number(float, text, np.nextafter(0, 1), "a number above 0"))


# -- models and paths ---------------------------------------------------------------------------


def _load(name: str, base: str | None, tip: str | None) -> Model:
    """Read a file; a bare word that is no file names a model of handik's own."""
    from handik.data import names

    if name in names() and not os.path.exists(name):
        if base is not None:
            raise ArgumentError(f"--base is for files, not for {name!r} of handik's own")
        return _at_tip(handik.data(name), tip)
    if os.path.isdir(name):
        raise ArgumentError(f"{name}: a folder, not a file")
    if not os.path.exists(name) and not os.path.splitext(name)[1]:
        raise ArgumentError(
            f"{name}: no such file, and no model of handik's own: " + ", ".join(names())
        )
    return handik.load(name, base=base, tip=tip)


def _at_tip(model: Model, tip: str | None) -> Model:
    if tip is None or tip == model.tip:
        return model
    spec = model.spec.chain(None, tip)
    return type(model)(spec)


def _one_tip(model: Model) -> Model:
    if model.tip is None:
        parents = {joint.parent for joint in model.spec.joints}
        ends = [joint.child for joint in model.spec.joints if joint.child not in parents]
        shown = ", ".join(ends[:8]) + (", ..." if len(ends) > 8 else "")
        raise ArgumentError(f"{model.name!r} has several tips, choose one with --tip: {shown}")
    if not model.nq:
        raise ArgumentError(f"{model.name!r} has no joint that moves above {model.tip!r}")
    return model


def _path(name: str, frames: int | None) -> Curve:
    from handik.study import circle, figure_of_eight, read_path

    shapes = {"eight": figure_of_eight, "circle": circle}
    if name in shapes:
        return shapes[name](frames or 100)
    if frames is not None:
        raise ArgumentError("--frames is for --path eight or circle; a file has its own points")
    if not os.path.exists(name) and not os.path.splitext(name)[1]:
        raise ArgumentError(f"--path is eight, circle or a CSV file; there is no file {name!r}")
    return read_path(name)


# -- commands -----------------------------------------------------------------------------------


def _compare(given: argparse.Namespace) -> int:
    _import(given.modules)
    solvers = _names(given.solvers)
    if given.start is not None and given.experiment is None:
        raise ArgumentError("--start is for --experiment paper")
    if given.figure is not None:
        return _survey(given, solvers)
    if given.experiment is not None:
        return _paper(given, solvers)
    return _study(given, solvers)


#: The robot of the default study, and how many times fewer runs than the chain it makes.
_ROBOT, _FEWER = "ur5", 5


def _study(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the study of a path; without a model also on a robot, and the FABRIK paper's."""
    from handik.solve._progress import Bar
    from handik.study import compare, paper_experiment

    path = _path(given.path or "eight", given.frames)
    model = _model_of(given)
    alone = given.model is not None or given.chain is not None
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    chosen = "all" if solvers is None else solvers
    papers = []
    with Bar() as bar:
        shared = {"tolerance": given.tolerance, "seed": given.seed, "progress": bar}
        studies = [compare(model, path, solvers=chosen, runs=given.runs, **shared)]
        if not alone:
            runs = max(2, given.runs // _FEWER)
            robot = handik.data(_ROBOT)
            labels = list(studies[0].labels)
            if not path.placed:
                studies.append(compare(robot, path, solvers=labels, runs=runs, **shared))
            papers = [
                paper_experiment(
                    max(10, 10 * given.runs), given.seed, solvers=labels, start=start, progress=bar
                )
                for start in ("straight", "random")
            ]
    print("\n\n".join(map(str, [*studies, *papers])))
    _write_study(studies, papers, out)
    return DONE


def _write_study(studies: list[Any], papers: list[Any], out: Path) -> None:
    """Write tables, raw runs, pictures and the page of studies into a folder."""
    from handik.study.csvs import KINDS, write_csv, write_paper_csv
    from handik.study.report import pictures, write_html

    written = []
    for what in KINDS:
        written.append(out / ("compare.csv" if what == "table" else f"compare_{what}.csv"))
        write_csv(studies, written[-1], what)
    if papers:
        written.append(out / "compare_paper.csv")
        write_paper_csv(papers, written[-1])
    shown = pictures(studies, papers)
    written.append(out / "compare.html")
    write_html(studies, written[-1], papers, shown)
    if shown:
        written.append(out / "compare.png")
        written[-1].write_bytes(shown[0][0])
    else:
        print("handik: no pictures without matplotlib: pip install 'handik[plot]'", file=sys.stderr)
    print("\nwritten: " + ", ".join(map(str, written)))


def _import(modules: Sequence[str]) -> None:
    """Import modules that make solvers, from this folder too."""
    from importlib import import_module

    if modules and "" not in sys.path:
        sys.path.insert(0, "")
    for name in modules:
        try:
            import_module(name.removesuffix(".py"))
        except ModuleNotFoundError as error:
            raise ArgumentError(f"--import {name}: {error}") from None


def _names(text: str) -> list[str] | None:
    """Names between commas; None for all."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return None if names == ["all"] else names


def _survey(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the table of solvers by figures."""
    from handik.solve._progress import Bar
    from handik.study import survey

    out = _folder_without_path(given, "--figure")
    with Bar() as bar:
        found = survey(
            _names(given.figure),
            solvers=solvers,
            problems=given.runs,
            seed=given.seed,
            progress=bar,
        )
    print(found)
    written = [out / "survey.csv", out / "survey.html"]
    found.to_csv(written[0])
    found.to_html(written[1])
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("handik: no pictures without matplotlib: pip install 'handik[plot]'", file=sys.stderr)
    else:
        written.append(out / "survey.png")
        found.plot(Figure()).savefig(written[-1], dpi=120)
    print("\nwritten: " + ", ".join(map(str, written)))
    return DONE


def _paper(given: argparse.Namespace, solvers: list[str] | None) -> int:
    """Run the experiment of the FABRIK paper."""
    from handik.solve._progress import Bar
    from handik.study import paper_experiment
    from handik.study.report import write_paper_html

    out = _folder_without_path(given, "--experiment")
    with Bar() as bar:
        paper = paper_experiment(
            given.runs,
            given.seed,
            solvers="all" if solvers is None else solvers,
            start=given.start or "random",
            progress=bar,
        )
    print(paper)
    written = [out / "paper.csv", out / "paper.html"]
    paper.to_csv(written[0])
    write_paper_html([paper], written[1])
    print("\nwritten: " + ", ".join(map(str, written)))
    return DONE


def _folder_without_path(given: argparse.Namespace, what: str) -> Path:
    """Return where files go; options of a path do not go with `what`."""
    for name in ("base", "tip", "path", "frames", "tolerance"):
        if getattr(given, name) is not None:
            raise ArgumentError(f"--{name} does not go with {what}")
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    return out


def _model_of(given: argparse.Namespace) -> Model:
    if given.model is not None:
        return _one_tip(_load(given.model, given.base, given.tip))
    if given.base is not None or given.tip is not None:
        raise ArgumentError("--base and --tip are for --model FILE")
    if given.chain is not None:
        n = given.chain
        return handik.chain(np.full(n, 1.0 / n), name=f"chain of {n} links")
    return handik.data("planar9")


def _info(given: argparse.Namespace) -> int:
    from handik.study.layout import text_table

    if given.file is None:
        from handik.data import names, source

        print("Solvers")
        print(indent(repr(handik.solvers()), "  "))
        print("\nModels of handik's own")
        for name in names():
            print(f"  {name:10} {source(name)}")
        return DONE
    model = _load(given.file, given.base, given.tip)
    print(model)
    rows = [
        (joint, kind, *_limits(model, joint, kind))
        for joint, kind in zip(model.joint_names, model.joint_kinds, strict=True)
        if kind != "fixed"
    ]
    if rows:
        print("\n" + text_table([("joint", "kind", "q", "lower", "upper")], rows))
    print("\nframes: " + ", ".join(model.frame_names))
    for note in model.notes:
        print(f"note: {note}")
    return DONE


def _limits(model: Model, joint: str, kind: str) -> tuple[str, str, str]:
    at = model.joint_q_slices.get(joint)
    if at is None:
        return "-", "mimics", "another"
    where = f"{at.start}" if at.stop - at.start == 1 else f"{at.start}..{at.stop - 1}"
    if at.stop - at.start != 1:
        return where, "", ""
    low, high = float(model.lower[at.start]), float(model.upper[at.start])
    return where, _limit(low, kind), _limit(high, kind)


def _limit(value: float, kind: str) -> str:
    if not np.isfinite(value):
        return "none"
    return f"{value:.4g} m" if kind == "prismatic" else f"{degrees(value):.4g} deg"


def _solve(given: argparse.Namespace) -> int:
    model = _one_tip(_load(given.file, given.base, given.tip))
    result = model.solve(
        position=given.position,
        solver=given.solver,
        position_tolerance=given.tolerance,
        retries=given.retries,
        seed=given.seed,
    )
    place = np.asarray(model.fk(result.q))[:3, 3]
    print(f"{result.outcome.name.lower()} after {result.iterations} iterations of {result.solver}")
    print(
        f"error {result.position_error:.3g} m, {model.tip} at "
        + " ".join(f"{x:.6f}" for x in place)
    )
    for joint, at in model.joint_q_slices.items():
        print(f"  {joint}: " + " ".join(f"{x:.6f}" for x in result.q[at]))
    return DONE if result.converged else NOT_REACHED


def _version(given: argparse.Namespace) -> int:
    print(f"handik {handik.__version__}")
    return DONE
