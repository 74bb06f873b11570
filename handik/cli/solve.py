"""``handik solve``: bring a frame to a place, an orientation or a pose."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.cli.common import (
    DONE,
    FILE,
    NOT_REACHED,
    Numbers,
    add_chain,
    add_json,
    load,
    one_tip,
    positive,
    print_json,
    tell,
    whole,
)
from handik.errors import ArgumentError

if TYPE_CHECKING:
    from handik import Model
    from handik.result import Result


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "solve",
        help="bring one frame of a model to a place, an orientation or a pose",
        description="Prints coordinates that bring a frame where it is wanted; status 1 if it was "
        "not reached. Numbers stand between blanks or commas.",
    )
    parser.add_argument("file", metavar="FILE", help=FILE)
    parser.add_argument("--position", action=Numbers, count=3, metavar="X", help="x y z, metres")
    parser.add_argument(
        "--orientation", action=Numbers, count=4, metavar="W", help="quaternion w x y z"
    )
    parser.add_argument(
        "--rpy", action=Numbers, count=3, metavar="R", help="roll pitch yaw, degrees, fixed axes"
    )
    parser.add_argument(
        "--pose",
        action=Numbers,
        count=(7, 16),
        metavar="X",
        help="x y z and quaternion w x y z; or the 16 numbers of a 4x4 matrix, row by row",
    )
    add_chain(parser)
    parser.add_argument(
        "--q0",
        action=Numbers,
        count=tuple(range(1, 1000)),
        metavar="Q",
        help="where to start: angles in radians, with --deg in degrees",
    )
    parser.add_argument("--solver", metavar="NAME", help="default auto; see 'handik info'")
    parser.add_argument("--tolerance", type=positive, metavar="M", help="of positions, metres")
    parser.add_argument("--retries", type=whole, default=10, metavar="N", help="default 10")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of the retries")
    parser.add_argument(
        "--deg", action="store_true", help="angles in degrees, read (--q0) and printed"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the answer: .png, .svg, .pdf")
    add_json(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Solve and print."""
    model = one_tip(load(given.file, given.base, given.tip))
    goal = _goal(given)
    q0 = _start(model, given.q0, given.deg)
    result = model.solve(
        **goal,
        q0=q0,
        solver=given.solver,
        position_tolerance=given.tolerance,
        retries=given.retries,
        seed=given.seed,
    )
    if given.plot is not None:
        _draw(model, result, goal, Path(given.plot))
    if given.json:
        print_json(_data(model, result))
    else:
        _print(model, result, given.deg)
    return DONE if result.converged else NOT_REACHED


def _start(model: Model, q0: list[float] | None, degrees: bool) -> Any:
    """Return where to start, in radians and inside the limits; None where nothing is given."""
    if q0 is None:
        return None
    if len(q0) != model.nq:
        raise ArgumentError(f"--q0 must be the {model.nq} coordinates of {model.name!r}")
    q = np.array(q0)
    for joint, unit in _units(model).items():
        at = model.joint_q_slices[joint]
        q[at] = np.radians(q[at]) if degrees and unit == "rad" else q[at]
        beyond = (q[at] < model.lower[at]) | (q[at] > model.upper[at])
        if beyond.any():
            hint = "" if degrees or unit != "rad" else "; angles in degrees want --deg"
            raise ArgumentError(f"--q0: joint {joint!r} is outside its limits{hint}")
    return q


def _goal(given: argparse.Namespace) -> dict[str, Any]:
    """Turn the options into the goal of `Model.solve`."""
    turns = [name for name in ("orientation", "rpy", "pose") if getattr(given, name) is not None]
    if len(turns) > 1 or (given.pose is not None and given.position is not None):
        raise ArgumentError("give --pose alone, or --position with --orientation or --rpy")
    if given.position is None and not turns:
        raise ArgumentError("give --position, --orientation, --rpy or --pose")
    if given.tolerance is not None and given.position is None and given.pose is None:
        raise ArgumentError("--tolerance is of positions: give --position or --pose with it")
    if given.pose is not None:
        return {"pose": _matrix(given.pose)}
    goal: dict[str, Any] = {}
    if given.position is not None:
        goal["position"] = given.position
    if given.orientation is not None:
        goal["orientation"] = _turn(given.orientation)
    if given.rpy is not None:
        from handik import transforms

        goal["orientation"] = transforms.from_rpy(np.radians(given.rpy))[:3, :3]
    return goal


def _matrix(numbers: list[float]) -> Any:
    if len(numbers) == 16:
        return np.reshape(numbers, (4, 4))
    pose = np.eye(4)
    pose[:3, :3] = _turn(numbers[3:])
    pose[:3, 3] = numbers[:3]
    return pose


def _turn(quaternion: list[float]) -> Any:
    """Return the rotation; refuses a quaternion of length zero."""
    from handik import transforms

    return transforms.from_quaternion(quaternion)[:3, :3]


def _units(model: Model) -> dict[str, str]:
    """Return the unit of each joint's coordinates, where all of them have one."""
    kinds = dict(zip(model.joint_names, model.joint_kinds, strict=True))
    units = {"prismatic": "m", "revolute": "rad", "universal": "rad", "ball": "quaternion"}
    return {joint: units.get(kinds[joint], "") for joint in model.joint_q_slices}


def _print(model: Model, result: Result, degrees: bool) -> None:
    place = np.asarray(model.fk(result.q))[:3, 3]
    print(f"{result.outcome} after {result.iterations} iterations of {result.solver}")
    print(
        f"error {result.position_error:.3g} m, {np.degrees(result.orientation_error):.3g} deg; "
        f"{model.tip} at " + " ".join(f"{x:.6f}" for x in place) + " m"
    )
    for joint, unit in _units(model).items():
        values, unit = result.q[model.joint_q_slices[joint]], unit
        if degrees and unit == "rad":
            values, unit = np.degrees(values), "deg"
        print(f"  {joint}: " + " ".join(f"{x:.6f}" for x in values) + (f" {unit}" if unit else ""))


def _data(model: Model, result: Result) -> dict[str, Any]:
    return {
        "model": model.name,
        "frame": model.tip,
        "solver": result.solver,
        "outcome": str(result.outcome),
        "success": bool(result.converged),
        "message": result.message,
        "iterations": result.iterations,
        "n_restarts": result.n_restarts,
        "position_error": result.position_error,
        "orientation_error": result.orientation_error,
        "q": result.q,
        "joints": {joint: result.q[at] for joint, at in model.joint_q_slices.items()},
        "units": _units(model),
        "pose": np.asarray(model.fk(result.q)),
    }


def _draw(model: Model, result: Result, goal: dict[str, Any], path: Path) -> None:
    from matplotlib.figure import Figure

    from handik import plot
    from handik.plot._axes import View

    view = View.of(model, model.tip)
    figure = Figure(figsize=(6.4, 5.2), layout="constrained")
    ax = figure.add_subplot(projection=view.projection)
    plot.chain(model, np.vstack([model.rest, result.q]), ax=ax, label=str(result.outcome))
    wanted = goal["pose"][:3, 3] if "pose" in goal else goal.get("position")
    if wanted is not None:
        ax.plot(*view(np.atleast_2d(np.asarray(wanted, float))), "*", color="#c1121f",
                markersize=12, label="target")  # fmt: skip
    ax.set_title(f"{model.name}: {result.outcome} by {result.solver}; pale: the rest")
    ax.legend()
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ArgumentError(f"{path}: a picture is one of " + ", ".join(sorted(known)))
    figure.savefig(path, dpi=130)
    tell(f"written: {path}")
