"""Figures of the four works handik follows: which come out, and which do not.

The works are the HandiAccess/FABRIK thesis (T), a course on inverse kinematics (C), and a text on the
arm of the robot Poppy (P). A line for each figure: theirs, ours, and what is measured; the study's
own figures are in ``handik compare``.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row
from handik.model._places import joint_origins
from handik.spec.transforms import from_rotation_vector
from handik.study.twins import listing_points

Array = NDArray[np.float64]
PLAIN = {"max_restarts": 0}


def times(runs: int) -> Row:
    """T, table 3.2: seconds of CCD over those of FABRIK, 4; at 1e-3 of the reach and at one link."""
    study = hk.study.compare(hk.data("planar9"), runs=runs, stops=[])
    laps = {row.label: row.seconds.value for row in study.laps}
    return {
        "1e-3 of the reach": study["ccd"].seconds.value / study["fabrik"].seconds.value,
        "one link": laps["ccd"] / laps["fabrik"],
    }


def listing(count: int) -> Row:
    """T, annex: iterations and points of its listing against `fabrik` on ten free balls."""
    model, starts, targets = balls(count)
    found = model.solve(
        position=targets, q0=starts, solver="fabrik", position_tolerance=1e-6, **PLAIN
    )
    begun, ended = joint_origins(model, starts), joint_origins(model, found.q)
    walked = [listing_points(p, t, delta=1e-6) for p, t in zip(begun, targets, strict=True)]
    same = [n == m for (_, n), m in zip(walked, found.iterations, strict=True)]
    apart = [np.abs(points - q).max() for (points, _), q in zip(walked, ended, strict=True)]
    return {"same iterations": int(np.sum(same)), "of": count, "farthest point": float(max(apart))}


def closed_form(count: int) -> Row:
    """T, (2.14) to (2.24): G by rotating the effector against K1, K2, K3, and the turn of `ccd`."""
    rng = np.random.default_rng(0)
    apart, turned = 0.0, 0.0
    for _ in range(count):
        model = hinge(rng)
        options = hk.solvers()["ccd"].options
        wp, wo = options["position_weight"], 0.5 * options["orientation_weight"]
        want = from_rotation_vector(rng.normal(size=3), rng.normal(size=3))
        at, tip = model.frames(model.rest)[[1, -1]]
        z, about = at[:3, 2], at[:3, 3]
        e, d = tip[:3, :3].T, want[:3, :3].T
        pe, pd = tip[:3, 3] - about, want[:3, 3] - about
        wo *= pe @ pe  # a radian weighs as much as the length of the path from the first joint
        k1 = wp * (pd @ z) * (pe @ z) + wo * np.sum((d @ z) * (e @ z))
        k2 = wp * pd @ pe + wo * np.sum(d * e)
        k3 = z @ (wp * np.cross(pe, pd) + wo * np.cross(e, d).sum(axis=0))
        phi = rng.uniform(-np.pi, np.pi)
        turn = from_rotation_vector(phi * z)[:3, :3]
        g = wp * pd @ turn @ pe + wo * np.sum(d * (e @ turn.T))
        apart = max(apart, abs(g - (k1 * (1 - np.cos(phi)) + k2 * np.cos(phi) + k3 * np.sin(phi))))
        found = model.solve(pose=want, q0=[0.0], solver="ccd", max_iter=1, trace=True, **PLAIN)
        off = found.trace.q[1, 0] - np.arctan2(
            k3, k2 - k1
        )  # the sweep, even if G was not the error
        turned = max(turned, abs((off + np.pi) % (2 * np.pi) - np.pi))
    return {"G against K": apart, "turn of ccd against atan2(K3, K2 - K1)": turned}


def out_of_reach(count: int) -> Row:
    """T, algorithm 2.1: out of reach one pass lays the chain towards the target."""
    model, starts, targets = balls(count)
    targets *= 1.3 * model.max_reach / np.linalg.norm(targets, axis=1, keepdims=True)
    found = model.solve(position=targets, q0=starts, solver="fabrik", **PLAIN)
    points = joint_origins(model, found.q)
    far = np.linalg.norm(np.diff(points, axis=1), axis=2).cumsum(axis=1)
    line = far[..., None] * (targets / np.linalg.norm(targets, axis=1, keepdims=True))[:, None]
    return {
        "iterations": float(found.iterations.max()),
        "off the line": float(np.abs(points[:, 1:] - line).max()),
    }


def sub_bases(count: int) -> Row:
    """T, figure 2.3.2: nested sub-bases, four ends; FABRIK and CCD, share solved and iterations."""
    model = four_ends()
    ends = [name for name in model.frame_names if name.startswith("end")]
    poses = model.sample(count, seed=1)
    goals = np.concatenate([model.fk(poses, frame=end)[:, :3, 3] for end in ends], axis=1)
    near = 1e-3 * model.max_reach
    problem = hk.Problem(model, [hk.Position(end, position_tolerance=near) for end in ends])
    out: Row = {}
    for name in ("fabrik", "ccd"):
        found = hk.Solver(name, **PLAIN)(problem, goals, q0=model.sample(count, seed=2))
        out[f"{name} solved"] = float(found.converged.mean())
        out[f"{name} iterations"] = float(found.iterations.mean())
    return out


def speeds(count: int) -> Row:
    """C: the transpose converges more slowly than J+, CCD is faster and less exact than J+."""
    out: Row = {}
    for which in ("planar9", "ur5"):
        model = hk.data(which)
        targets = model.fk(model.sample(count, seed=1))[:, :3, 3]
        problem = hk.Problem(model, [hk.Position(position_tolerance=1e-4)])
        for name in ("jacobian_transpose", "pinv", "ccd"):
            solver, seconds = hk.Solver(name, **PLAIN), []
            for _ in range(3):
                began = process_time()
                found = solver(problem, targets, q0=model.sample(count, seed=2))
                seconds.append(process_time() - began)
            met = found.converged
            out[f"{which} {name} solved"] = float(met.mean())
            out[f"{which} {name} iterations"] = float(found.iterations[met].mean())
            out[f"{which} {name} us"] = 1e6 * min(seconds) / count
            out[f"{which} {name} error"] = float(np.median(found.position_error[met]))
    return out


def least_moves(count: int, size: float = 0.3) -> Row:
    """P: J+ gives the least |q_final - q_init|: steps of `pinv` over `pinv` with `Damping`."""
    model = hk.data("planar9")
    starts = model.sample(count, seed=2)
    moved = starts + np.random.default_rng(1).uniform(-size, size, starts.shape)
    targets = model.fk(moved)[:, :3, 3]
    steps = hk.Problem(model, [hk.Position(position_tolerance=1e-6)])
    least = hk.Problem(model, [hk.Position(position_tolerance=1e-6), hk.Damping()])
    solver = hk.Solver("pinv", **PLAIN)
    bare = solver(steps, targets, q0=starts)
    kept = solver(least, np.hstack([targets, starts]), q0=starts)
    both = bare.converged & kept.converged
    far = [np.linalg.norm(found.q - starts, axis=1)[both] for found in (bare, kept)]
    over = far[0] / far[1] - 1
    return {
        "moves": int(both.sum()),
        "median": float(np.median(over)),
        "95 % within": float(np.percentile(over, 95)),
        "worst": float(over.max()),
    }


# -- figures ------------------------------------------------------------------------------------


def balls(count: int) -> tuple[hk.Model, Array, Array]:
    """Ten free balls, random starts, targets within 0.9 of the reach."""
    model, rng = hk.data("ball10"), np.random.default_rng(0)
    aim = rng.normal(size=(count, 3))
    aim /= np.linalg.norm(aim, axis=1, keepdims=True)
    far = 0.9 * model.max_reach * rng.uniform(size=(count, 1)) ** (1 / 3)
    return model, model.sample(count, seed=0), far * aim


def hinge(rng: np.random.Generator) -> hk.Model:
    """One hinge, placed anyhow, that carries a frame placed anyhow."""
    place = from_rotation_vector(rng.normal(size=3), rng.normal(size=3))
    tip = from_rotation_vector(rng.normal(size=3), rng.normal(size=3))
    spec = hk.ModelSpec(
        "hinge",
        [hk.LinkSpec("base"), hk.LinkSpec("arm")],
        [hk.JointSpec("turn", "revolute", "base", "arm", place, axis=(0, 0, 1))],
        [hk.FrameSpec("tip", "arm", tip)],
        tip="tip",
    )
    return hk.Model(spec)


def four_ends() -> hk.Model:
    """Make a trunk of two free balls, two sub-bases, and on each two more: four ends."""
    links, joints, frames = [hk.LinkSpec("base")], [], []

    def grow(name: str, parent: str, at: tuple[float, float, float]) -> str:
        links.append(hk.LinkSpec(name))
        joints.append(hk.JointSpec(name, "ball", parent, name, (at, (1, 0, 0, 0))))
        return name

    def limb(name: str, parent: str, at: tuple[float, float, float], length: float) -> str:
        return grow(f"{name}_2", grow(f"{name}_1", parent, at), (length, 0, 0))

    trunk = limb("trunk", "base", (0, 0, 0), 0.2)
    for i, side in enumerate((0.1, -0.1)):
        arm = limb(f"arm{i}", trunk, (0.2, side, 0), 0.2)
        for j, split in enumerate((0.05, -0.05)):
            hand = limb(f"hand{i}{j}", arm, (0.2, split, 0), 0.15)
            frames.append(hk.FrameSpec(f"end{i}{j}", hand, ((0.15, 0, 0), (1, 0, 0, 0))))
    return hk.Model(hk.ModelSpec("four ends", links, joints, frames))


#: What each is called, and how many problems it takes.
FIGURES = {
    "times": (times, 100),
    "listing": (listing, 300),
    "closed_form": (closed_form, 300),
    "out_of_reach": (out_of_reach, 300),
    "sub_bases": (sub_bases, 500),
    "speeds": (speeds, 1000),
    "least_moves": (least_moves, 200),
}


def main() -> None:
    """Print a block for each figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks works", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FIGURES)}")
    parser.add_argument("--share", type=float, default=1.0, help="of the problems; default all")
    given = parser.parse_args()
    for name in given.names or FIGURES:
        measure, count = FIGURES[name]
        print(f"{name}: {measure.__doc__}")
        for what, value in measure(max(2, round(given.share * count))).items():
            print(f"    {what:45s} {value:.4g}")


if __name__ == "__main__":
    main()
