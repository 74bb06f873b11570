"""Random problems for the fuzzer of solves: terms, targets, starts, solvers and their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from figures import across, direction, some
from numpy.random import Generator
from oracle import Array, Figure, coordinates, of_quaternion, of_term, parts

import handik as hk

SOLVERS = {row.name: row for row in hk.solvers()}
#: Options that say how often a solver begins anew: what makes a target out of reach dear.
AGAIN = ("max_restarts", "reheats", "renewals", "wipeouts")
#: Options that size a solver's memory or work.
SIZES = {
    "population": 12,
    "particles": 8,
    "polish": 4,
    "elites": 2,
    "neighbors": 3,
    "n_candidates": 3,
}
FEW = ("perturbations", "patience", "tournament", "coarse")
WILD = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e155, 1e20, 0.0, -0.0, 1e-320)


@dataclass
class Case:
    """One problem with its targets, all drawn from one seed."""

    seed: int
    model: hk.Model
    figure: Figure  # of the problem's model, locks included
    terms: list[Any]
    lock: dict[str, Any]
    problem: hk.Problem
    targets: Array  # (N, width)
    reachable: Array  # (N,) a pose inside the limits is known that meets every term
    starts: Array | None
    solver: str | None
    options: dict[str, Any]

    def fresh(self) -> hk.Problem:
        """The same problem made anew, without what an earlier solve left in it."""
        return hk.Problem(self.model, self.terms, lock=self.lock or None)


# -- terms --------------------------------------------------------------------------------------


def shared(rng: Generator, reach: float) -> dict[str, Any]:
    """What all terms take: often nothing is said."""
    out: dict[str, Any] = {}
    if rng.random() < 0.3:
        out["weight"] = float(10 ** rng.uniform(-3, 3))
    if rng.random() < 0.3:
        out["position_tolerance"] = float(some(rng, 1e-2, 1e-6, 1e-9, 1e-13, 0.0, np.inf)) * max(
            reach, 1e-3
        )
        if not out["position_tolerance"] >= 0:
            out["position_tolerance"] = 0.0
    if rng.random() < 0.3:
        out["orientation_tolerance"] = float(some(rng, 1e-1, 1e-6, 1e-9, 1e-13, 0.0, 4.0))
    if rng.random() < 0.2:
        out["priority"] = int(rng.integers(3))
    return out


def point(rng: Generator, size: float) -> tuple[float, float, float]:
    x = rng.normal(size=3) * some(rng, 0.0, size, size)
    return (float(x[0]), float(x[1]), float(x[2]))


def pair_term(rng: Generator, figure: Figure, at: Any, names: list[str], size: float) -> Any:
    """A distance or a loop that the anchor pose meets, or another one."""
    one = str(some(rng, *names))
    other = None if rng.random() < 0.3 else str(some(rng, *names))
    common = {"frame": one, "other": other, "point": point(rng, size), **shared(rng, size)}
    if rng.random() < 0.6:
        other_point = point(rng, size)
        probe = hk.Distance(
            frame=one, other=other, point=common["point"], other_point=other_point, distance=0.0
        )
        far = float(of_term(figure, probe, np.zeros((1, 0)), at, np.zeros((1, 0)))[0][0])
        least, most = some(
            rng, (far, far), (0.5 * far, 1.5 * far), (far + size, np.inf), (0.0, 0.3 * size)
        )
        if not np.isfinite(least):
            least, most = 0.0, np.inf
        return hk.Distance(other_point=other_point, min=float(least), max=float(most), **common)
    word = str(some(rng, "ball", "revolute", "weld"))
    axes = {"axis": direction(rng), "other_axis": direction(rng)} if word == "revolute" else {}
    r, t = (x[0] for x in at[one])
    there, off = (x[0] for x in at[other]) if other else (np.eye(3), np.zeros(3))
    meets = there.T @ (t + r @ np.array(common["point"]) - off)
    if axes and rng.random() < 0.7:
        axes["other_axis"] = tuple(map(float, there.T @ r @ np.array(axes["axis"])))
    if not np.isfinite(meets).all():
        meets = np.zeros(3)
    return hk.Loop(joint=word, other_point=tuple(map(float, meets)), **axes, **common)


def whole_term(rng: Generator, figure: Figure, at: Any, names: list[str], size: float) -> Any:
    """A term about the whole figure; None where it has none."""
    model, kind = figure.model, rng.integers(4)
    common = shared(rng, size)
    if kind == 0:
        weights = (
            None
            if rng.random() < 0.5
            else rng.uniform(0, 2, model.nv) * rng.integers(0, 2, model.nv)
        )
        return hk.Posture(weights=weights, **common)
    if kind == 1:
        return hk.Damping(**common)
    if kind == 2:
        with np.errstate(all="ignore"):
            try:
                centre = figure.centre(at)[0]
            except ZeroDivisionError:
                return None
        if not np.isfinite(centre).all():
            return None
        if rng.random() < 0.4:
            return hk.CenterOfMass(**common)
        points = centre[:2] + rng.normal(size=(int(rng.integers(1, 6)), 2)) * size
        return hk.CenterOfMass(
            over=points, margin=float(some(rng, 0.0, 0.0, 0.01 * size)), **common
        )
    capsules = [
        hk.Capsule(
            str(some(rng, *names)),
            point(rng, size),
            point(rng, size),
            float(rng.uniform(0, 0.2) * size),
        )
        for _ in range(3)
    ]
    pairs = [(0, 1), (1, 2)] if rng.random() < 0.5 else [(0, 2)]
    return hk.SelfCollision(
        capsules=capsules, pairs=pairs, clearance=float(rng.uniform(0, 0.1) * size), **common
    )


def part_term(rng: Generator, figure: Figure) -> Any:
    """A part of a position, in the world or another frame, or of an orientation."""
    names, size = frame_names(figure), size_of(figure)
    frame = str(some(rng, *names))
    count = int(rng.integers(1, 4))
    weights = tuple(map(float, 10 ** rng.uniform(-2, 2, count))) if rng.random() < 0.5 else None
    letters = "".join(rng.permutation(list("xyz"))[:count])
    if rng.random() < 0.3:
        return hk.Orientation(frame=frame, axes=letters, weights=weights, **shared(rng, size))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] * 10 ** rng.uniform(-2, 2)
    axes = letters if rng.random() < 0.5 else [tuple(map(float, row)) for row in turn[:count]]
    others = [name for name in names if name != frame]
    other = str(some(rng, *others)) if others and rng.random() < 0.4 else None
    return hk.Position(
        frame=frame, axes=axes, weights=weights, relative_to=other, **shared(rng, size)
    )


def term(rng: Generator, figure: Figure, at: Any, names: list[str], size: float) -> Any:
    kind, frame = rng.integers(12), str(some(rng, *names))
    if kind < 4:
        return some(rng, hk.Position, hk.Position, hk.Pose, hk.Orientation)(
            frame=frame, **shared(rng, size)
        )
    if kind == 4:
        return some(rng, hk.Position, hk.Pose, hk.Orientation)(frame, **shared(rng, size))
    if kind == 5:
        return hk.Axis(frame=frame, axis=direction(rng), **shared(rng, size))
    if kind == 6:
        return hk.LookAt(
            frame=frame, axis=direction(rng), eye=point(rng, size), **shared(rng, size)
        )
    if kind == 7:
        axis, up = direction(rng), direction(rng)
        angle = float(rng.uniform(0, np.pi)) if rng.random() < 0.7 else float(some(rng, 0.0, np.pi))
        return hk.Level(frame=frame, axis=axis, direction=up, angle=angle, **shared(rng, size))
    if kind < 10:
        return pair_term(rng, figure, at, names, size)
    return whole_term(rng, figure, at, names, size)


def frame_names(figure: Figure) -> list[str]:
    return [frame.name for frame in figure.spec.frames] * 3 + [
        link.name for link in figure.spec.links
    ]


def size_of(figure: Figure) -> float:
    reach = float(figure.model.max_reach)
    return reach if np.isfinite(reach) and reach > 0 else 1.0


def terms(rng: Generator, figure: Figure, at: Any) -> list[Any]:
    """One to four terms, of which one is usually a goal of the tip."""
    names, size = frame_names(figure), size_of(figure)
    goal = some(rng, hk.Position, hk.Position, hk.Pose, hk.Orientation)
    out = [goal(frame="f0", **shared(rng, size))] if rng.random() < 0.8 else []
    while rng.random() < 0.4 or not out:
        one = term(rng, figure, at, names, size)
        out += [] if one is None else [one]
    return out[:4]


# -- targets and starts -------------------------------------------------------------------------


def quaternion_of(r: Array) -> Array:
    """(N, 4) of rotation matrices, by the eigenvector of the largest eigenvalue (Bar-Itzhack)."""
    k = np.zeros((len(r), 4, 4))
    k[:, 0, 0] = np.trace(r, axis1=1, axis2=2)
    k[:, 0, 1:] = k[:, 1:, 0] = np.stack(
        [r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], -1
    )
    k[:, 1:, 1:] = r + np.swapaxes(r, 1, 2) - k[:, 0, 0][:, None, None] * np.eye(3)
    return np.linalg.eigh(k)[1][:, :, -1]


def columns(figure: Figure, one: Any, poses: Any, q: Array, rng: Generator) -> Array | None:
    """The columns of a term that these poses meet; None for a term without any."""
    n = len(q)
    if isinstance(one, hk.Damping):
        return q.copy()
    if isinstance(one, hk.CenterOfMass):
        return figure.centre(poses) if one.over is None else None
    if isinstance(one, hk.Posture | hk.SelfCollision | hk.Distance | hk.Loop | hk.Level):
        return None
    r, t = poses[one.frame or figure.model.tip]
    if isinstance(one, hk.Axis | hk.LookAt):
        a = r @ (np.array(one.axis) / np.linalg.norm(one.axis))
        far = 10 ** rng.uniform(-2, 2, (n, 1))
        return a * far if isinstance(one, hk.Axis) else t + r @ np.array(one.eye) + a * far
    if isinstance(one, hk.Position) and parts(one):
        return coordinates(one, t, poses)
    if isinstance(one, hk.Orientation) and len(one.axes) == 1:
        return r[:, :, "xyz".index(one.axes)] * 10 ** rng.uniform(-2, 2, (n, 1))
    what = getattr(one, "what", type(one).__name__.lower())
    turn = quaternion_of(r) * 10 ** rng.uniform(-2, 2, (n, 1)) * rng.choice([-1, 1], (n, 1))
    return {"position": t, "orientation": turn, "pose": np.concatenate([t, turn], 1)}[what]


def targets(
    rng: Generator, figure: Figure, which: list[Any], width: int, n: int
) -> tuple[Array, Array]:
    """Rows of targets, and which of them a known pose meets."""
    q = figure.model.sample(n, seed=int(rng.integers(2**31)))
    poses = figure.frames(q)
    parts = [columns(figure, one, poses, q, rng) for one in which]
    rows = np.concatenate([np.zeros((n, 0)), *(part for part in parts if part is not None)], 1)
    reachable = np.isfinite(rows).all(1) & (figure.beyond(q) <= 1e-13)
    at = 0
    for one, part in zip(which, parts, strict=True):
        size = 0 if part is None else part.shape[1]
        distance, angle, _ = of_term(figure, one, rows[:, at : at + size], poses, q)
        slack = 1e-9 * (1 + float(np.nanmax(np.abs(rows), initial=0.0)))
        reachable &= (distance <= tolerance(figure.model, one)[0] - slack) | (distance == 0)
        reachable &= (angle <= one.orientation_tolerance - 1e-9) | (angle == 0)
        at += size
    kind = rng.random(n)
    for k in np.flatnonzero((kind > 0.55) & (width > 0)):
        reachable[k] = False
        if kind[k] > 0.93:  # numbers that are none, or far too large, or of no length
            places = rng.choice(width, int(rng.integers(1, width + 1)), replace=False)
            rows[k, places] = WILD[int(rng.integers(len(WILD)))]
        elif kind[k] > 0.85:  # anywhere: mostly out of reach
            rows[k] = rng.normal(size=width) * figure_size(figure) * 10 ** rng.uniform(-1, 1.5)
        elif kind[k] > 0.75:  # somewhat off, about the edge of the reach
            rows[k] *= rng.uniform(0.5, 1.6)
        elif kind[k] > 0.7:
            rows[k] = 0.0
        else:  # parts of two poses
            mixed = rng.random(width) < 0.5
            rows[k, mixed] = rows[int(rng.integers(n)), mixed]
    return rows, reachable


def figure_size(figure: Figure) -> float:
    return float(figure.model.max_reach) if np.isfinite(figure.model.max_reach) else 1.0


def tolerance(model: hk.Model, one: Any) -> tuple[float, float]:
    distance = one.position_tolerance
    return (1e-4 * model.max_reach if distance is None else distance), one.orientation_tolerance


def usable(case: Case, row: Array) -> bool | None:
    """Whether a target can be meant; None: at the edge of what has a length."""
    if not np.isfinite(row).all():
        return False
    at, doubt = 0, False
    for one, width in zip(case.terms, case.problem._widths, strict=True):
        x = row[at : at + width]
        at += width
        what = getattr(one, "what", type(one).__name__.lower())
        what = "axis" if what == "orientation" and len(one.axes) == 1 else what
        pieces = []
        if what in ("orientation", "pose"):
            pieces = [x[-4:]]
        elif what == "axis":
            pieces = [x]
        elif what == "damping":
            for joint in case.figure.joints:
                if joint.kind in ("ball", "free"):
                    pieces.append(x[case.figure.slices[joint.name]][-4:])
        for piece in pieces:
            size = np.abs(piece).max()
            if size == 0:
                return False
            doubt |= not 1e-90 < size < 1e90
    return None if doubt else True


def starts(rng: Generator, model: hk.Model, n: int) -> Array | None:
    kind = rng.integers(8)
    if kind < 3:
        return None
    q = np.array(model.sample(n, seed=int(rng.integers(2**31))))
    if kind == 4:
        q = q[0]
    elif kind == 5:  # outside the limits, quaternions of any length
        q = q + rng.normal(size=q.shape) * some(rng, 0.1, 3.0)
    elif kind == 6:  # whole turns away
        q = q + 2 * np.pi * rng.integers(-9, 10, q.shape) * turns(model)
    elif kind == 7 and rng.random() < 0.3:
        q = q * some(rng, 1e6, 1e17, 1e301, 0.0)
    return q


def turns(model: hk.Model) -> Array:
    """1 for coordinates of v that are angles of hinges, else 0."""
    out = np.zeros(model.nq)
    for joint in model.spec.joints:
        if joint.kind == "revolute" and joint.mimic is None:
            out[model.joint_q_slices[joint.name]] = 1
    return out


def lock_of(rng: Generator, model: hk.Model) -> dict[str, Any]:
    """A joint held where a sample has it; now and then all but one."""
    q = model.sample(seed=int(rng.integers(2**31)))
    names = [j.name for j in model.spec.joints if j.kind != "fixed" and j.mimic is None]
    rng.shuffle(names)
    held = names[: 1 if rng.random() < 0.7 else max(1, len(names) - 1)]
    out = {}
    for name in held:
        value = q[model.joint_q_slices[name]]
        out[name] = float(value[0]) if len(value) == 1 else [float(x) for x in value]
    return out


# -- solvers and options ------------------------------------------------------------------------


def option(rng: Generator, name: str, usual: float, room: Any) -> float:
    """A value of an option inside its range: its ends, near what is usual, few where it costs work."""
    if name in AGAIN:
        drawn = float(some(rng, 0, 1, 2, 5))
    elif name in SIZES:
        drawn = float(rng.integers(1, SIZES[name] + 1))
    elif name in FEW:
        drawn = float(rng.integers(0, 6))
    else:
        near = float(usual * 10 ** rng.uniform(-0.5, 0.5)) if usual else float(rng.random())
        drawn = float(
            some(rng, room.least, near, near, min(room.most, max(10 * usual, 1.0)), room.most)
        )
    drawn = float(round(drawn)) if room.whole else drawn
    return min(max(drawn, room.least), room.most)


def options(rng: Generator, name: str) -> dict[str, Any]:
    info = SOLVERS[name]
    out: dict[str, Any] = {
        "max_iter": int(some(rng, 0, 1, 2, 7, 30, 100, 200)),
        "seed": int(rng.integers(1 << 40)),
    }
    for key, usual in info.options.items():
        if key in AGAIN or key in SIZES or rng.random() < 0.25:
            out[key] = option(rng, key, usual, info.ranges[key])
    if rng.random() < 0.2:
        out["retries"] = int(rng.integers(1, 3))
    if rng.random() < 0.1:
        out["ftol"] = float(some(rng, 0.0, 1e-6, 0.3))
    return out


@np.errstate(all="ignore")
def draw(seed: int, figure_of: Any, rows: int) -> Case | None:
    """One case; None where the problem is refused by name (a term that this figure cannot have)."""
    rng = np.random.default_rng(seed)
    model = figure_of(rng)
    lock = lock_of(rng, model) if rng.random() < 0.15 else {}
    bare = Figure(model)
    at = bare.frames(np.asarray(model.sample(1, seed=int(rng.integers(2**31)))))
    which = terms(rng, bare, at)
    apart = np.random.default_rng([seed, 1])  # of its own: older seeds keep their cases
    if apart.random() < 0.3:
        which[int(apart.integers(len(which)))] = part_term(apart, bare)
    solver = None if rng.random() < 0.05 else str(some(rng, *SOLVERS, "auto", "auto", "lm_batch"))
    chosen = options(rng, solver or "auto") if solver else {"max_iter": 50}
    try:
        problem = hk.Problem(model, which, lock=lock or None)
    except (hk.ArgumentError, hk.ModelError):
        return None
    figure = Figure(problem.model)
    n = int(rng.integers(1, rows + 1))
    rows_of, reachable = targets(rng, figure, which, problem.width, n)
    q0 = starts(rng, problem.model, n)
    return Case(seed, model, figure, which, lock, problem, rows_of, reachable, q0, solver, chosen)


__all__ = ["SOLVERS", "Case", "across", "draw", "of_quaternion", "tolerance", "usable"]
