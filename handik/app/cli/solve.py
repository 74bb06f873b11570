"""``handik solve``: bring a frame to a place, an orientation or a pose."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app.cli.common import (
    DONE,
    FILE,
    NOT_REACHED,
    Numbers,
    add_chain,
    add_import,
    add_json,
    command,
    import_modules,
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
    from handik.problem import Problem
    from handik.problem.term import Term
    from handik.result import Result
    from handik.spec._check import Array


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = command(
        commands,
        "solve",
        "bring one frame of a model to a place, an orientation or a pose",
        "Prints coordinates that bring a frame where it is wanted; status 1 if it was "
        "not reached. Numbers stand between blanks or commas.",
        "solve ur5 --position 0.4 0.2 0.5",
        "solve ur5 --position 0.4,0.2,0.5 --rpy 180,0,90 --deg --plot ur5.png",
        "solve robot.urdf --tip tool0 --pose 0.4 0.2 0.5 0 1 0 0 --json",
        "solve ur5 --import mine.py --solver mine --position 0.4 0.2 0.5",
        "solve ur5 --position 0.3,0.2,0.5 --term Level",
    )
    parser.add_argument("file", metavar="FILE", help=FILE)
    parser.add_argument("--position", action=Numbers, count=3, metavar="X Y Z", help="meters")
    parser.add_argument(
        "--orientation", action=Numbers, count=4, metavar="W X Y Z", help="a quaternion"
    )
    parser.add_argument(
        "--rpy",
        action=Numbers,
        count=3,
        metavar="R P Y",
        help="roll, pitch, yaw: degrees, fixed axes",
    )
    parser.add_argument(
        "--pose",
        action=Numbers,
        count=(6, 7, 16),
        metavar="X Y Z W X Y Z",
        help="a place and a quaternion w x y z; a place and three angles, with --euler; or the 16 "
        "numbers of a 4x4 matrix, row by row",
    )
    parser.add_argument(
        "--euler",
        metavar="AXES",
        help="axes of the three angles of --pose, degrees, in the order the turns are made: small "
        "letters for fixed axes (xyz), capitals for axes that move along (ZYX)",
    )
    add_chain(parser)
    parser.add_argument(
        "--q0",
        action=Numbers,
        count=tuple(range(1, 1000)),
        metavar="Q1 Q2 ...",
        help="where to start: angles in radians, with --deg in degrees",
    )
    parser.add_argument(
        "--term",
        dest="terms",
        action="append",
        default=[],
        metavar="NAME",
        help="a further term, by the name of its class, made without arguments: of an imported "
        "file, or of handik (Level); may be given several times",
    )
    parser.add_argument(
        "--target",
        action=Numbers,
        count=tuple(range(1, 1000)),
        metavar="X1 X2 ...",
        help="the target numbers of the terms, in their order",
    )
    add_import(parser, "solvers (handik.solver) or terms (handik.Term)")
    parser.add_argument("--solver", metavar="NAME", help="default auto; see 'handik info'")
    parser.add_argument("--tolerance", type=positive, metavar="M", help="of positions, meters")
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
    from handik.problem import Problem
    from handik.problem.goals import goal_problem
    from handik.solve import Solver

    terms = _terms(given.terms, import_modules(given.modules))
    model = one_tip(load(given.file, given.base, given.tip, given.scale))
    goal = _goal(given)
    q0 = _start(model, given.q0, given.deg)
    solver = Solver(given.solver, retries=given.retries, seed=given.seed)
    of_goal: tuple[Term, ...] = ()
    target = np.empty(0)
    if goal:
        problem, target = goal_problem(model, **goal, position_tolerance=given.tolerance)
        of_goal = problem.terms
    problem = Problem(model, [*of_goal, *terms])
    result = solver(problem, _target(problem, target, given.target or []), q0=q0)
    if given.plot is not None:
        _draw(model, result, goal, Path(given.plot))
    if given.json:
        print_json(_data(model, result))
    else:
        _print(model, result, given.deg)
    return DONE if result.converged else NOT_REACHED


def _terms(wanted: list[str], modules: list[ModuleType]) -> list[Term]:
    """Make the terms of these names: classes of the imported modules, or of the library."""
    from handik.problem import terms
    from handik.problem.term import Term

    known = dict(vars(terms))
    for module in modules:
        known |= vars(module)
    known = {
        name: made
        for name, made in known.items()
        if isinstance(made, type) and issubclass(made, Term) and made not in (Term, terms.Pair)
    }
    found = []
    for name in wanted:
        if name not in known:
            raise ArgumentError(f"--term: there is no term {name!r}; there are {', '.join(known)}")
        try:
            found.append(known[name]())
        except TypeError as error:
            raise ArgumentError(
                f"--term {name} cannot be made without arguments: {error}"
            ) from None
    return found


def _target(problem: Problem, goal: Array, given: list[float]) -> Array:
    """Put the numbers of the terms behind those of the goal."""
    if goal.size + len(given) != problem.width:
        wanted = problem.columns[goal.size :]
        raise ArgumentError(
            f"--target must be {len(wanted)} numbers ({', '.join(wanted)}), got {len(given)}"
            if wanted
            else "--target is for --term, and the terms here take none"
        )
    return np.concatenate([goal, given])


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
    if (given.euler is not None) != (given.pose is not None and len(given.pose) == 6):
        raise ArgumentError("give --pose x y z and three angles with --euler, and only with it")
    if given.position is None and not turns:
        if given.terms and given.tolerance is None:
            return {}
        raise ArgumentError("give --position, --orientation, --rpy, --pose or --term")
    if given.tolerance is not None and given.position is None and given.pose is None:
        raise ArgumentError("--tolerance is of positions: give --position or --pose with it")
    if given.pose is not None:
        return {"pose": _matrix(given.pose, given.euler)}
    goal: dict[str, Any] = {}
    if given.position is not None:
        goal["position"] = given.position
    if given.orientation is not None:
        goal["orientation"] = _turn(given.orientation)
    if given.rpy is not None:
        from handik import transforms

        goal["orientation"] = transforms.from_rpy(np.radians(given.rpy))[:3, :3]
    return goal


def _matrix(numbers: list[float], euler: str | None) -> Any:
    if len(numbers) == 16:
        return np.reshape(numbers, (4, 4))
    if euler is not None:
        from handik import transforms

        return transforms.from_pose_vector([*numbers[:3], *np.radians(numbers[3:])], euler)
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
    units["free"] = "m, then quaternion"
    return {joint: units.get(kinds[joint], "") for joint in model.joint_q_slices}


def _print(model: Model, result: Result, degrees: bool) -> None:
    place = np.asarray(model.fk(result.q))[:3, 3]
    print(f"{result.outcome} after {result.iterations} iterations of {result.solver}")
    print(
        f"error {result.position_error:.3g} m, {np.degrees(result.orientation_error):.3g} deg; "
        f"{model.tip} at " + " ".join(f"{x:.6f}" for x in place) + " m"
    )
    if not result.converged:
        print(result.explain())
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
