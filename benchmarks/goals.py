"""Two hands, head and pelvis at once, and what strict levels and soft terms cost.

An upper body on a pelvis that slides within 15 cm and tilts within a cone, four goals. Targets are made by forward kinematics from poses inside the limits, so that every one can
be reached. A solve counts when every goal is met to 1e-3 of the reach and 0.01 rad; the judge of
the core says so. ``positions`` asks for the four positions, ``poses`` for the poses of the hands,
the position of the pelvis and the line of sight of the head.

``--conflict`` asks for what no pose meets: each position is pushed outwards by 0.3 to 0.6 m. The
answer is then judged by its error over the least one known: the best of SciPy's ``least_squares``
from many starts (on coordinates in which every ball keeps to its cone) and of all solvers here.

``--why`` goes on from where one attempt of damped least squares has failed: Levenberg-Marquardt and
L-BFGS run to their ends, without new starts. What they meet, the attempt had given up too soon; the
rest stood in a local least of the error inside the limits, which no step size and no damping leaves.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.figures import Figure, X, Y, Z, add_arm
from handik.problem.terms import Term
from handik.spec import transforms
from handik.study.twins.swing import join

Array = NDArray[np.float64]
HANDS = ("palm_left", "palm_right")
TOLERANCE, ANGLE = 1e-3, 0.01


def body() -> hk.Model:
    """Pelvis on three slides and a ball, three spine balls, neck, head, two arms."""
    f = Figure("body")
    link = "base"
    for axis, name in ((X, "slide_x"), (Y, "slide_y"), (Z, "slide_z")):
        at = (0, 0, 0)
        link = f.add(name, "prismatic", link, at, axis=axis, lower=-0.15, upper=0.15)
    pelvis = f.ball("pelvis", link, (0, 0, 0), Z, X, (30, 20, 20, 20), 30)
    chest = pelvis
    for i in range(3):
        chest = f.ball(f"s{i}", chest, (0, 0, 0.12), Z, X, (25, 20, 15, 20), 15)
    for side, y in (("_left", 1.0), ("_right", -1.0)):
        collar = f.hinge(f"collar{side}", chest, (0, 0.02 * y, 0.15), X, -10, 30)
        collar = f.hinge(f"shrug{side}", collar, (0, 0, 0), Z, -20, 20)
        add_arm(f, collar, (0, 0.16 * y, 0), (0.0, y, 0.0), side)
    neck = f.ball("neck", chest, (0, 0, 0.2), Z, X, (30, 25, 30, 25), 40)
    head = f.ball("head", neck, (0, 0, 0.08), Z, X, (25, 20, 25, 20), 30)
    f.mark("crown", head, (0, 0, 0.18))
    f.mark("eyes", head, (0.08, 0, 0.1))
    f.mark("hip", pelvis, (0, 0, 0.05))
    return f.model()


def terms_of(model: hk.Model, task: str) -> list[Term]:
    """Return the four goals of a task."""
    loose: dict[str, Any] = {
        "position_tolerance": TOLERANCE * model.max_reach,
        "orientation_tolerance": ANGLE,
    }
    if task == "positions":
        return [hk.Position(f, **loose) for f in (*HANDS, "crown", "hip")]
    hands = [hk.Pose(f, **loose) for f in HANDS]
    return [*hands, hk.LookAt("eyes", axis=X, **loose), hk.Position("hip", **loose)]


def targets_of(model: hk.Model, problem: hk.Problem, count: int, seed: int) -> Array:
    """Return targets that random poses inside the limits meet."""
    q = model.sample(count, seed=seed)
    parts = []
    for term in problem.terms:
        if isinstance(term, hk.Posture):
            continue
        pose = model.fk(q, frame=term.frame)
        point = pose[..., :3, 3]
        if isinstance(term, hk.LookAt):
            point = point + (0.5 + np.arange(count) / count)[:, None] * pose[..., :3, 0]
        if isinstance(term, hk.Pose):
            point = np.concatenate([point, transforms.quaternion(pose)], -1)
        parts.append(point)
    return problem.targets(*parts)


SOLVERS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dls": {},
    "dls, one attempt": {"max_restarts": 0},
    "hybrid": {},
    "fabrik_fast": {"max_iter": 300},
    "fabrik_fast, 4 restarts": {"max_iter": 300, "retries": 4},
    "fabrik, one attempt": {"max_iter": 300, "max_restarts": 0},
}


# ---- conflicting targets -----------------------------------------------------------------------


def pushed(model: hk.Model, problem: hk.Problem, count: int, seed: int) -> Array:
    """Return targets that cannot be met together: those of poses, pushed away from the middle."""
    rng = np.random.default_rng(seed)
    goals = targets_of(model, problem, count, seed).reshape(count, -1, 3)
    away = goals - goals.mean(axis=1, keepdims=True)
    away /= np.linalg.norm(away, axis=-1, keepdims=True)
    goals += rng.uniform(0.3, 0.6, size=(count, 1, 1)) * away
    return goals.reshape(count, -1)


class Free:
    """The figure by numbers that SciPy may vary: every pose they make keeps its limits.

    Hinges and slides by their coordinates within bounds; a ball by two numbers that a smooth map
    takes from the plane into its cone, and by its twist within bounds.
    """

    def __init__(self, model: hk.Model) -> None:
        self.model = model
        self.balls = [(int(model.step_q[s]), model.swing[k]) for s, k in swings(model)]
        inside = {at + i for at, _ in self.balls for i in range(4)}
        self.single = [k for k in range(model.nq) if k not in inside]
        low = [*model.lower[self.single], *([-np.inf, -np.inf, 0.0] * len(self.balls))]
        high = [*model.upper[self.single], *([np.inf, np.inf, 0.0] * len(self.balls))]
        for k, (_, row) in enumerate(self.balls):
            low[len(self.single) + 3 * k + 2], high[len(self.single) + 3 * k + 2] = row[13:15]
        self.bounds = np.array(low), np.array(high)

    def pose(self, x: Array) -> Array:
        """Return the coordinates q."""
        q, count = np.array(self.model.rest), len(self.single)
        q[self.single] = x[:count]
        for k, (at, row) in enumerate(self.balls):
            u, v, twist = x[count + 3 * k : count + 3 * k + 3]
            swing = np.array([u, v]) / np.sqrt(1 + u * u + v * v)
            swing *= np.where(swing >= 0, row[9:11], row[11:13])
            q[at : at + 4] = join(row, np.append(swing, twist))
        return q

    def draw(self, rng: np.random.Generator) -> Array:
        """Return a start."""
        low, high = np.maximum(self.bounds[0], -1.0), np.minimum(self.bounds[1], 1.0)
        return np.asarray(rng.uniform(low, high))


def swings(model: hk.Model) -> list[tuple[int, int]]:
    """Return the steps that are balls with cones, and their rows of `Model.swing`."""
    return [(s, int(k)) for s, k in enumerate(model.step_swing) if k >= 0]


def scipy_best(free: Free, problem: hk.Problem, target: Array, starts: int, seed: int) -> float:
    """Return the least error that SciPy finds from several starts."""
    from scipy.optimize import least_squares

    rng = np.random.default_rng(seed)
    best = np.inf
    for _ in range(starts):
        found = least_squares(
            lambda x: problem.residual(target, free.pose(x)),
            free.draw(rng),
            bounds=free.bounds,
            max_nfev=100,
        )
        best = min(best, float(problem.evaluate(target, free.pose(found.x))[1]))
    return best


def conflict(model: hk.Model, count: int, starts: int) -> None:
    """Print the error of every solver over the least known."""
    problem = hk.Problem(model, terms_of(model, "positions"))
    targets = pushed(model, problem, count, 3)
    free = Free(model)
    peer = np.array([scipy_best(free, problem, x, starts, k) for k, x in enumerate(targets)])
    found = {}
    for name, options in SOLVERS.items():
        found[name] = hk.Solver(name.split(",")[0], **options)(problem, targets)
    least = np.minimum(peer, np.min([r.error for r in found.values()], axis=0))
    print(f"{count} conflicting targets: least error known {np.median(least):.3f} m in the median")
    print(f"{'solver':26} {'median':>8} {'p95':>8} {'worst':>8} {'met':>5} {'within 1 %':>10}")

    def line(name: str, error: Array, met: int) -> None:
        over = error / least
        shares = " ".join(f"{x:8.4f}" for x in (*np.percentile(over, [50, 95]), over.max()))
        print(f"{name:26} {shares} {met:5d} {np.mean(over < 1.01):10.0%}")

    line(f"SciPy, {starts} starts", peer, 0)
    for name, result in found.items():
        assert (np.abs(model.clip(result.q) - result.q) < 1e-9).all()
        line(name, np.asarray(result.error), int(result.converged.sum()))


# ---- why an attempt fails ----------------------------------------------------------------------


def why(model: hk.Model, count: int) -> None:
    """Print what becomes of the failed attempts of damped least squares."""
    print("| task | start | failed | then met by lm | by lbfgs | error left over the attempt's |")
    print("|---|---|---|---|---|---|")
    for task in ("positions", "poses"):
        problem = hk.Problem(model, terms_of(model, task))
        targets = targets_of(model, problem, count, 1)
        for start in ("rest", "random"):
            q0 = None if start == "rest" else model.sample(count, seed=2)
            once = hk.Solver("dls", max_restarts=0)(problem, targets, q0=q0)
            bad = np.flatnonzero(~once.converged)
            further = {
                name: hk.Solver(name, max_restarts=0, perturbations=0, ftol=0, max_iter=4000)(
                    problem, targets[bad], q0=once.q[bad]
                )
                for name in ("lm", "lbfgs")
            }
            left = np.min([r.error for r in further.values()], axis=0) / once.error[bad]
            print(
                f"| {task} | {start} | {len(bad)} of {count} | {further['lm'].converged.sum()} "
                f"| {further['lbfgs'].converged.sum()} | {np.median(left):.3f} |",
                flush=True,
            )


def main() -> None:
    """Print one line for each task, start and solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="targets a line")
    parser.add_argument("--soft", action="store_true", help="with hk.Posture() below the goals")
    parser.add_argument("--conflict", action="store_true", help="targets that no pose meets")
    parser.add_argument("--why", action="store_true", help="what failed attempts stand in")
    parser.add_argument("--starts", type=int, default=12, help="of SciPy, for --conflict")
    args = parser.parse_args()
    model = body()
    if args.conflict:
        conflict(model, args.count, args.starts)
        return
    if args.why:
        why(model, args.count)
        return
    print(
        f"body: {model.nv} coordinates of motion, {args.count} targets, reach {model.max_reach:.2f} m"
    )
    print(
        f"{'task':10} {'start':8} {'solver':24} {'reached':>8} {'median':>7} {'p99':>6} iterations"
    )
    for task in ("positions", "poses"):
        terms = terms_of(model, task)
        problem = hk.Problem(model, [*terms, hk.Posture()] if args.soft else terms)
        targets = targets_of(model, problem, args.count, 1)
        for start in ("rest", "random"):
            q0 = None if start == "rest" else model.sample(args.count, seed=2)
            for name, options in SOLVERS.items():
                try:
                    result = hk.Solver(name.split(",")[0], **options)(problem, targets, q0=q0)
                except hk.UnsupportedError:
                    print(f"{task:10} {start:8} {name:24} does not take it")
                    continue
                share, used = result.converged.mean(), result.iterations
                print(
                    f"{task:10} {start:8} {name:24} {share:8.2%} {np.median(used):7.0f} "
                    f"{np.percentile(used, 99):6.0f}"
                )


if __name__ == "__main__":
    main()
