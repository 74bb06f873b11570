"""Full-pose inverse kinematics of arms: handik against the peers that are installed, in one run.

Targets are drawn by forward kinematics from uniform joint vectors inside the limits; every solver
gets the same ones. A target counts as solved when Pinocchio's forward kinematics of the answer are
within 1e-5 m and 1e-5 rad of it and every joint is inside its limits, whatever the solver says.
Times are of the processor (all threads of this process), one call from Python, conversion and result
included; every round asks every solver in turn, a target's time is its median over the rounds.
"handik batch" is one call for all targets on one thread, the mean of calls for 20 ms; where `auto` takes a closed form, "lm_batch"
and "lm_batch batch" are handik's numeric lanes alone, beside it. Shares have Wilson's 95 % interval, means
and medians over the targets the 95 % interval of 1000 bootstrap draws (fewer of more than 10,000). Peers start from a random joint
vector; handik is given none, or the same with --starts. What is not installed is named and left out:
example-robot-data (robots), pin (needed to verify), and the packages of benchmarks/_peers.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, save
from benchmarks._peers import PEERS, Chain, Solve
from benchmarks.figures import Figure, X, Y, Z

Array = NDArray[np.float64]
TOLERANCE = 1e-5
DRAWS = 1000  # of the bootstrap
LEAST = 0.02  # seconds that batches of one round take together

#: name: (file below example-robot-data's robots, base link or None, tip link)
FILES = {
    "panda": ("panda_description/urdf/panda.urdf", None, "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", None, "tool0"),
    "icub_arm": ("icub_description/robots/icub.urdf", "chest", "r_hand"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "base_link", "gripper_left_base_link"),
    "human": ("human_description/robots/human.urdf", "middle_pelvis", "right_hand"),
}


#: A person's upper body of 21 hinges, of which 11 move the left palm.
BODY = "upper_body"


@dataclass
class Arm:
    """A robot: its file, and its chain alone as a file of its own for the peers."""

    name: str
    model: hk.Model
    path: str
    base: str
    tip: str
    chain: Chain
    whole: hk.Model | None = None  # what handik solves on, where the robot is more than the chain


def upper_body() -> hk.Model:
    """Build a person's upper body of 21 hinges, with lengths and limits of an adult.

    Trunk 3, neck 2, and in each arm collar bone 1, shoulder 3, elbow 2, wrist 2.
    """
    f = Figure("upper_body_21")
    trunk = f.hinge("bend", "base", (0, 0, 0.1), Y, -25, 60)
    trunk = f.hinge("lean", trunk, (0, 0, 0), X, -30, 30)
    trunk = f.hinge("turn", trunk, (0, 0, 0.2), Z, -35, 35)
    for side, y in (("left", 1.0), ("right", -1.0)):
        ends = sorted((-10 * y, 30 * y))
        link = f.hinge(f"{side}_collar", trunk, (0, 0.02 * y, 0.25), X, *ends)
        link = f.hinge(f"{side}_swing", link, (0, 0.16 * y, 0), Y, -170, 50)
        link = f.hinge(f"{side}_lift", link, (0, 0, 0), X, *sorted((-20 * y, 150 * y)))
        link = f.hinge(f"{side}_twist", link, (0, 0, 0), Z, -80, 80)
        link = f.hinge(f"{side}_elbow", link, (0, 0, -0.3), Y, -145, 0)
        link = f.hinge(f"{side}_forearm", link, (0, 0, 0), Z, -85, 85)
        link = f.hinge(f"{side}_wrist", link, (0, 0, -0.27), X, -30, 30)
        link = f.hinge(f"{side}_hand", link, (0, 0, 0), Y, -70, 70)
        f.mark(f"{side}_palm", link, (0, 0, -0.09))
    neck = f.hinge("nod", trunk, (0, 0, 0.3), Y, -50, 50)
    neck = f.hinge("shake", neck, (0, 0, 0), Z, -75, 75)
    f.mark("crown", neck, (0, 0, 0.2))
    for joint in f.joints:  # some readers of URDF take no limit without
        joint.effort = joint.velocity = 1.0
    return f.model()


def table_arms() -> dict[str, hk.Model]:
    """Return the arms that come as a table: standard Denavit-Hartenberg, limits in degrees."""
    turn = np.pi / 2
    puma = [[0, 0, 0, turn], [0, 0, 0.4318, 0], [0, 0.15005, 0.0203, -turn]]
    puma += [[0, 0.4318, 0, turn], [0, 0, 0, -turn], [0, 0, 0, 0]]
    iiwa = [[0, 0.36, 0, -turn], [0, 0, 0, turn], [0, 0.42, 0, turn], [0, 0, 0, -turn]]
    iiwa += [[0, 0.4, 0, -turn], [0, 0, 0, turn], [0, 0.126, 0, 0]]
    limits = {
        "puma560": (puma, [160, 110, 135, 266, 100, 266]),
        "iiwa": (iiwa, [170, 120, 170, 120, 170, 120, 175]),
    }
    return {
        name: hk.Model.from_dh(table, lower=-np.deg2rad(ends), upper=np.deg2rad(ends))
        for name, (table, ends) in limits.items()
    }


#: Some peers take no link without.
MASS = (
    '<inertial><origin xyz="0 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def urdf_text(model: hk.Model) -> str:
    """Write a chain of hinges as URDF, so that peers can read it."""
    lines = ['<robot name="arm"><link name="link_0"/>']
    tip = model.frame_names.index(str(model.tip))
    steps = [*model.step_placement, model.frame_placement[tip]]
    for k, row in enumerate(steps):
        r = row[:9].reshape(3, 3)
        yaw, pitch = np.arctan2(r[1, 0], r[0, 0]), np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0]))
        roll = np.arctan2(r[2, 1], r[2, 2])
        if np.hypot(r[0, 0], r[1, 0]) < 1e-7:  # pointing up or down: yaw and roll are one
            yaw, roll = 0.0, np.arctan2(-r[1, 2], r[1, 1])
        if k < model.nq and model.step_line[k, 1] != 0:
            raise ValueError("a hinge with an offset")
        kind = "revolute" if k < model.nq else "fixed"
        xyz, rpy = (" ".join(f"{x:.17g}" for x in v) for v in (row[9:], (roll, pitch, yaw)))
        lines.append(f'<link name="link_{k + 1}">{MASS}</link>')
        lines.append(f'<joint name="joint_{k}" type="{kind}">')
        lines.append(f'<parent link="link_{k}"/><child link="link_{k + 1}"/>')
        lines.append(f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/>')
        if k < model.nq:
            low, high = model.lower[k], model.upper[k]
            lines.append(f'<limit lower="{low:.17g}" upper="{high:.17g}" effort="1" velocity="1"/>')
        lines.append("</joint>")
    return "\n".join([*lines, "</robot>"])


def chain_of(model: hk.Model, path: Path) -> Chain:
    """Write a chain of hinges to a file for the peers."""
    path.write_text(urdf_text(model), "utf-8")
    placement = model.frame_placement[model.frame_names.index(str(model.tip))]
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = placement[:9].reshape(3, 3), placement[9:]
    return Chain(str(path), model.nq, model.lower, model.upper, tool)


def arms(names: list[str], folder: str) -> list[Arm]:
    """Return the robots asked for that are here."""
    shares = [Path(p, "cmeel.prefix/share/example-robot-data/robots") for p in sys.path]
    root = next((p for p in shares if p.is_dir()), None)
    tables, found = table_arms(), []
    for name in names:
        path = Path(folder, f"{name}.urdf")
        if name in tables:
            path.write_text(urdf_text(tables[name]), "utf-8")
            tip = f"link_{tables[name].nq + 1}"
            model = hk.load(path, tip=tip)
            found.append(Arm(name, model, str(path), "link_0", tip, chain_of(model, path)))
        elif name == BODY:
            whole, robot = upper_body(), Path(folder, "body.urdf")
            robot.write_text(whole.spec.to_urdf([]), "utf-8")
            model = hk.load(robot, base="base", tip="left_palm")
            chain = chain_of(model, path)
            found.append(Arm(name, model, str(robot), "base", "left_palm", chain, whole))
        elif root is None:
            print(f"{name}: left out, example-robot-data is not installed")
        else:
            file, base, tip = FILES[name]
            model = hk.load(root / file, base=base, tip=tip)
            base = model.frame_names[0]
            found.append(Arm(name, model, str(root / file), base, tip, chain_of(model, path)))
    return found


# -- verification ---------------------------------------------------------------------------------


def verifier(arm: Arm) -> Callable[[Array], Array]:
    """Return Pinocchio's forward kinematics of the arm, from its own reading of the file."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(arm.path)
    data = model.createData()
    joints = [model.joints[model.getJointId(name)] for name in arm.model.joint_q_slices]
    base, tip = model.getFrameId(arm.base), model.getFrameId(arm.tip)

    def pose(q: Array) -> Array:
        whole = pin.neutral(model)
        for joint, x in zip(joints, q, strict=True):
            whole[joint.idx_q : joint.idx_q + joint.nq] = (
                x if joint.nq == 1 else (np.cos(x), np.sin(x))
            )
        pin.framesForwardKinematics(model, data, whole)
        return np.asarray((data.oMf[base].inverse() * data.oMf[tip]).homogeneous)

    return pose


def solved(arm: Arm, pose: Callable[[Array], Array], wanted: Array, q: Any) -> bool:
    """Judge one answer."""
    if q is None:
        return False
    q = np.asarray(q, float)
    if q.shape != (arm.model.nq,) or not np.all(np.isfinite(q)):
        return False
    if np.any(q < arm.model.lower - 1e-9) or np.any(q > arm.model.upper + 1e-9):
        return False
    got = pose(q)
    turn = got[:3, :3].T @ wanted[:3, :3]
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    angle = np.arctan2(np.linalg.norm(skew) / 2, (np.trace(turn) - 1) / 2)
    return bool(np.linalg.norm(got[:3, 3] - wanted[:3, 3]) <= TOLERANCE and angle <= TOLERANCE)


# -- handik ---------------------------------------------------------------------------------------

CLOSE = {"position_tolerance": TOLERANCE, "orientation_tolerance": TOLERANCE}


def has_closed_form(arm: Arm) -> bool:
    """Tell whether `auto` answers by a closed form, which takes one iteration."""
    if arm.whole:
        return False
    found = arm.model.solve(pose=arm.model.fk(arm.model.sample(20, seed=1)), **CLOSE)
    return bool(np.median(found.iterations) == 1)


def with_handik(arm: Arm, starts: bool, solver: str = "auto") -> Solve:
    """Call model.solve, as a user would."""
    model = arm.whole or arm.model
    frame = arm.tip
    pick = [model.joint_q_slices[name].start for name in arm.model.joint_q_slices]
    if arm.whole:
        rest = np.array(model.rest)

        def solve(pose: Array, start: Array) -> Any:
            if not starts:
                return model.solve(pose=pose, frame=frame, **CLOSE).q[..., pick]
            q0 = np.tile(rest, (*start.shape[:-1], 1))
            q0[..., pick] = start
            return model.solve(pose=pose, frame=frame, q0=q0, **CLOSE).q[..., pick]

        return solve
    how: dict[str, Any] = CLOSE if solver == "auto" else {"solver": solver, **CLOSE}
    if starts:
        return lambda pose, start: model.solve(pose=pose, q0=start, **how).q
    return lambda pose, start: model.solve(pose=pose, **how).q


def interval(good: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, p = 1.96, good / n
    middle, wide = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return float((middle - wide) / (1 + z * z / n)), float((middle + wide) / (1 + z * z / n))


def spread(values: Array, of: Callable[..., Any]) -> tuple[float, float]:
    """Return the 95 % interval of a mean or median by the bootstrap."""
    rng, n = np.random.default_rng(1), len(values)
    if n == 1:
        return float(values[0]), float(values[0])
    count = min(DRAWS, max(100, 10**7 // n))
    draws = [float(of(values[rng.integers(n, size=n)])) for _ in range(count)]
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def solvers_of(arm: Arm, args: argparse.Namespace) -> dict[str, Solve]:
    """Return handik and the peers that are here and read the robot."""
    solvers: dict[str, Solve] = {"handik": with_handik(arm, args.starts)}
    if has_closed_form(arm):
        solvers["lm_batch"] = with_handik(arm, args.starts, "lm_batch")
    for name in args.peers:
        package, make = PEERS[name]
        try:
            solvers[name] = make(arm.chain)
        except ImportError:
            print(f"{arm.name}: {name} left out, {package} is not installed")
        except Exception as error:  # a peer that cannot read the robot is named, too
            print(f"{arm.name}: {name} left out, {type(error).__name__}: {error}")
    return solvers


def batches(solve: Solve, target: Array, start: Array) -> tuple[float, Any]:
    """Return the mean seconds of a call for all targets, and its answer: calls until 20 ms are over.

    A thousand poses take less than one millisecond, in which the caches are still those of the peer
    that was timed before; its thousand calls take a hundred.
    """
    calls, begin = 0, time.process_time()
    while True:
        found = solve(target, start)
        calls, spent = calls + 1, time.process_time() - begin
        if spent >= LEAST:
            return spent / calls, found


def run(arm: Arm, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Time and judge every solver on one robot, all of them in each round."""
    # numbers of their own: those of the seed alone are the postures that the targets come from
    model, rng = arm.model, np.random.default_rng([args.seed, 1])
    span = np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 2 * np.pi)
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    start = low + rng.uniform(size=(args.targets, model.nq)) * span
    target = np.ascontiguousarray(model.fk(model.sample(args.targets, seed=args.seed)))
    check, solvers = verifier(arm), solvers_of(arm, args)
    count = {name: len(target) for name in solvers}
    for name in args.peers:
        count[name] = min(len(target), args.peer_targets)
    times = {name: np.empty((args.rounds, count[name])) for name in solvers}
    answers: dict[str, list[Any]] = {name: [None] * count[name] for name in solvers}
    own = [name for name in solvers if name not in args.peers]
    together = {name: np.empty(args.rounds) for name in own}
    for solve in solvers.values():
        solve(target[0], start[0])
    for k in range(args.rounds):
        for name, solve in solvers.items():
            for i in range(count[name]):
                begin = time.process_time()
                answers[name][i] = solve(target[i], start[i])
                times[name][k, i] = time.process_time() - begin
        for name in own:
            together[name][k], found = batches(solvers[name], target, start)
            answers[f"{name} batch"] = list(found)
    each = {name: 1e6 * np.median(taken, axis=0) for name, taken in times.items()}
    each |= {f"{name} batch": 1e6 * taken / len(target) for name, taken in together.items()}
    rows = []
    order = [n for name in own for n in (name, f"{name} batch")]
    for name in [*order, *(name for name in solvers if name not in own)]:
        good = [solved(arm, check, t, q) for t, q in zip(target, answers[name], strict=False)]
        rows.append(row(arm, name, np.array(good), each[name]))
    return rows


def row(arm: Arm, name: str, good: NDArray[np.bool_], each: Array) -> dict[str, Any]:
    """Return one line of the table."""
    n = len(good)
    bottom, top = interval(int(good.sum()), n)
    mean, half = spread(each, np.mean), spread(each, np.median)
    return {
        "robot": arm.name,
        "joints": arm.model.nq,
        "solver": name,
        "targets": n,
        "unsolved": int(n - good.sum()),
        "solved_low": round(bottom, 6),
        "solved_high": round(top, 6),
        "mean_us": round(float(each.mean()), 3),
        "mean_low": round(mean[0], 3),
        "mean_high": round(mean[1], 3),
        "p50_us": round(float(np.median(each)), 3),
        "p50_low": round(half[0], 3),
        "p50_high": round(half[1], 3),
        "p99_us": round(float(np.quantile(each, 0.99)), 3),
        "first_unsolved": " ".join(str(i) for i in np.flatnonzero(~good)[:5]),
    }


def ratios(rows: list[dict[str, Any]]) -> str:
    """Compare handik's mean with that of the fastest peer that solves 99 % of a robot's targets."""
    lines, single, batch = [], [], []
    for robot in dict.fromkeys(r["robot"] for r in rows):
        own = {r["solver"]: r for r in rows if r["robot"] == robot}
        sure = [r for s, r in own.items() if s in PEERS and r["unsolved"] <= 0.01 * r["targets"]]
        if not sure:
            continue
        best = min(sure, key=lambda r: r["mean_us"])
        single.append(best["mean_us"] / own["handik"]["mean_us"])
        batch.append(best["mean_us"] / own["handik batch"]["mean_us"])
        lines.append(
            f"{robot:10} {best['solver']:9} takes {single[-1]:6.1f} times handik's time "
            f"a call, {batch[-1]:6.1f} times in a batch"
        )
        if "lm_batch" in own:
            part = [best["mean_us"] / own[s]["mean_us"] for s in ("lm_batch", "lm_batch batch")]
            lines[-1] += f"; of lm_batch {part[0]:.1f} and {part[1]:.1f}"
    if lines:
        whole, part = (float(np.exp(np.mean(np.log(x)))) for x in (single, batch))
        lines.append(f"geometric mean {whole:.1f} times a call, {part:.1f} times in a batch")
    return "\n".join(lines)


def draw(rows: list[Row], figure: Any) -> None:
    """Draw mean times with their intervals, a robot beside the other, and the share solved above."""
    robots = list(dict.fromkeys(r["robot"] for r in rows))
    names = list(dict.fromkeys(r["solver"] for r in rows))
    share, ax = figure.subplots(2, 1, sharex=True, height_ratios=[1, 3])
    for k, name in enumerate(names):
        own = {r["robot"]: r for r in rows if r["solver"] == name}
        at = [i + 0.8 * (k / len(names) - 0.45) for i, r in enumerate(robots) if r in own]
        mine = [own[r] for r in robots if r in own]
        mean = np.array([r["mean_us"] for r in mine])
        ends = np.array(
            [[r["mean_us"] - r["mean_low"], r["mean_high"] - r["mean_us"]] for r in mine]
        )
        ax.errorbar(at, mean, ends.T.clip(0), fmt="o", label=name)
        solved_share = [1 - r["unsolved"] / r["targets"] for r in mine]
        share.plot(at, solved_share, "o")
    ax.set(yscale="log", ylabel="mean processor time of a call, us", xticks=range(len(robots)))
    ax.set_xticklabels(robots)
    share.set(ylabel="share solved", ylim=(0, 1.05))
    for a in (ax, share):
        a.grid(alpha=0.3)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5)


def main() -> None:
    """Print the table and write it as CSV if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks arms", description=__doc__)
    known = [*FILES, *table_arms(), BODY]
    parser.add_argument("--robots", nargs="*", default=known, choices=known)
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--peer-targets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", action="store_true", help="give handik the peers' starts")
    add_out(parser)
    args = parser.parse_args()
    print(
        f"handik {hk.__version__} ({hk.show_config()['simd']}), {args.targets} targets, seed {args.seed}"
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for arm in arms(args.robots, folder):
            made = run(arm, args)
            rows += made
            for r in made:
                print(
                    f"{r['robot']:10} {r['joints']:2}  {r['solver']:13} {r['unsolved']:5} of "
                    f"{r['targets']} unsolved  mean {r['mean_us']:9.2f} "
                    f"[{r['mean_low']:.2f}, {r['mean_high']:.2f}]  p50 {r['p50_us']:9.2f} "
                    f"[{r['p50_low']:.2f}, {r['p50_high']:.2f}]  p99 {r['p99_us']:9.2f} us",
                    flush=True,
                )
    print(ratios(rows))
    save(args.out, "arms", rows, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
