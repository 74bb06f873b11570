"""Full-pose inverse kinematics of arms: handik against the peers that are installed, in one run.

Targets are drawn by forward kinematics from uniform joint vectors inside the limits; every solver
gets the same ones. A target counts as solved when Pinocchio's forward kinematics of the answer are
within 1e-5 m and 1e-5 rad of it and every joint is inside its limits, whatever the solver says.
Times are wall clock of one call from Python, conversion and result included; "us/solve" of a batch
is one call for all targets on one thread. Peers start from a random joint vector; handik is given
none, or the same with --starts. What is not installed is named and left out: example-robot-data
(robots), pin (needed to verify), optik-py, pytracik, placo, roboticstoolbox-python.
"""

from __future__ import annotations

import argparse
import csv
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

Array = NDArray[np.float64]
Solve = Callable[[Array, Array], Any]
TOLERANCE = 1e-5

#: name: (file below example-robot-data's robots, base link or None, tip link)
FILES = {
    "panda": ("panda_description/urdf/panda.urdf", None, "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", None, "tool0"),
    "icub_arm": ("icub_description/robots/icub.urdf", "chest", "r_hand"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "base_link", "gripper_left_base_link"),
}


@dataclass
class Arm:
    """A robot: its file, and its chain alone as a file of its own for the peers."""

    name: str
    model: hk.Model
    path: str
    base: str
    tip: str
    chain: str

    @property
    def chain_tip(self) -> str:
        """Last link of the chain's file; the first is link_0."""
        return f"link_{self.model.nq + 1}"


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
        lines.append(f'<link name="link_{k + 1}"/><joint name="joint_{k}" type="{kind}">')
        lines.append(f'<parent link="link_{k}"/><child link="link_{k + 1}"/>')
        lines.append(f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/>')
        if k < model.nq:
            low, high = model.lower[k], model.upper[k]
            lines.append(f'<limit lower="{low:.17g}" upper="{high:.17g}" effort="1" velocity="1"/>')
        lines.append("</joint>")
    return "\n".join([*lines, "</robot>"])


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
            found.append(Arm(name, model, str(path), "link_0", tip, str(path)))
        elif root is None:
            print(f"{name}: left out, example-robot-data is not installed")
        else:
            file, base, tip = FILES[name]
            model = hk.load(root / file, base=base, tip=tip)
            path.write_text(urdf_text(model), "utf-8")
            base = model.frame_names[0]
            found.append(Arm(name, model, str(root / file), base, tip, str(path)))
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


# -- solvers: each takes (pose, start) and returns joints or None ---------------------------------


def with_handik(arm: Arm, starts: bool) -> Solve:
    """Call model.solve, as a user would."""
    model = arm.model
    if starts:
        return lambda pose, start: (
            model.solve(
                pose=pose,
                q0=start,
                position_tolerance=TOLERANCE,
                orientation_tolerance=TOLERANCE,
            ).q
        )
    return lambda pose, start: (
        model.solve(pose=pose, position_tolerance=TOLERANCE, orientation_tolerance=TOLERANCE).q
    )


def with_optik(arm: Arm) -> Solve:
    """OptIK (Rust), one thread."""
    import optik

    robot = optik.Robot.from_urdf_file(arm.chain, "link_0", arm.chain_tip)
    robot.set_parallelism(1)
    config = optik.SolverConfig(solution_mode="speed", max_time=0.1, tol_f=1e-12)

    def solve(pose: Array, start: Array) -> Any:
        found = robot.ik(config, pose, start)
        return None if found is None else found[0]

    return solve


def with_tracik(arm: Arm) -> Solve:
    """TRAC-IK, 5 ms a target."""
    import trac_ik

    solver = trac_ik.TracIK("link_0", arm.chain_tip, arm.chain, timeout=0.005, epsilon=5e-6)
    return lambda pose, start: solver.ik(pose[:3, 3], pose[:3, :3], seed_jnt_values=start)


def with_toolbox(arm: Arm) -> Solve:
    """Robotics Toolbox, ik_LM (C++)."""
    import roboticstoolbox as rtb

    robot = rtb.Robot.URDF(arm.chain)
    chain = robot.ets("link_0", arm.chain_tip)

    def solve(pose: Array, start: Array) -> Any:
        found = chain.ik_LM(pose, q0=start, tol=1e-12, ilimit=30, slimit=100)
        return found[0] if found[1] else None

    return solve


def with_placo(arm: Arm) -> Solve:
    """PlaCo: its step, up to 100 times."""
    import placo

    robot = placo.RobotWrapper(arm.chain)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    task = solver.add_frame_task(arm.chain_tip, np.eye(4))
    task.configure(arm.chain_tip, "soft", 1.0, 1.0)
    names = [f"joint_{k}" for k in range(arm.model.nq)]

    def solve(pose: Array, start: Array) -> Any:
        for name, x in zip(names, start, strict=True):
            robot.set_joint(name, x)
        robot.update_kinematics()
        task.T_world_frame = robot.get_T_world_frame("link_0") @ pose
        for _ in range(100):
            step = solver.solve(True)
            robot.update_kinematics()
            if np.linalg.norm(step) < 1e-9:
                break
        return [robot.get_joint(name) for name in names]

    return solve


PEERS: dict[str, tuple[str, Callable[[Arm], Solve]]] = {
    "optik": ("optik-py", with_optik),
    "tracik": ("pytracik", with_tracik),
    "toolbox": ("roboticstoolbox-python", with_toolbox),
    "placo": ("placo", with_placo),
}


def interval(good: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, p = 1.96, good / n
    middle, wide = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return float((middle - wide) / (1 + z * z / n)), float((middle + wide) / (1 + z * z / n))


def run(arm: Arm, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Time and judge every solver on one robot."""
    model, rng = arm.model, np.random.default_rng(args.seed)
    span = np.where(np.isfinite(model.upper - model.lower), model.upper - model.lower, 2 * np.pi)
    low = np.where(np.isfinite(model.lower), model.lower, -np.pi)
    start = low + rng.uniform(size=(args.targets, model.nq)) * span
    target = np.ascontiguousarray(model.fk(model.sample(args.targets, seed=args.seed)))
    check = verifier(arm)
    solvers: dict[str, Solve] = {"handik": with_handik(arm, args.starts)}
    for name in args.peers:
        package, make = PEERS[name]
        try:
            solvers[name] = make(arm)
        except ImportError:
            print(f"{arm.name}: {name} left out, {package} is not installed")
        except Exception as error:  # a peer that cannot read the robot is named, too
            print(f"{arm.name}: {name} left out, {type(error).__name__}: {error}")
    rows = []
    for name, solve in solvers.items():
        n = args.targets if name == "handik" else min(args.targets, args.peer_targets)
        times, answers = np.empty((args.rounds if name == "handik" else 1, n)), [None] * n
        solve(target[0], start[0])
        for k in range(len(times)):
            for i in range(n):
                begin = time.perf_counter()
                answers[i] = solve(target[i], start[i])
                times[k, i] = time.perf_counter() - begin
        each = 1e6 * np.median(times, axis=0)
        good = sum(solved(arm, check, target[i], answers[i]) for i in range(n))
        rows.append(row(arm, name, n, good, each))
        if name == "handik":
            rows.append(batch_row(arm, args, target, start, check))
    return rows


def row(arm: Arm, name: str, n: int, good: int, each: Array) -> dict[str, Any]:
    """Return one line of the table."""
    bottom, top = interval(good, n)
    return {
        "robot": arm.name,
        "joints": arm.model.nq,
        "solver": name,
        "targets": n,
        "unsolved": n - good,
        "solved_low": round(bottom, 6),
        "solved_high": round(top, 6),
        "mean_us": round(float(each.mean()), 3),
        "p50_us": round(float(np.median(each)), 3),
        "p99_us": round(float(np.quantile(each, 0.99)), 3),
    }


def batch_row(
    arm: Arm, args: argparse.Namespace, target: Array, start: Array, check: Callable[[Array], Array]
) -> dict[str, Any]:
    """Time one call for all targets."""
    share: dict[str, Any] = {"q0": start} if args.starts else {}
    times = []
    for _ in range(args.rounds):
        begin = time.perf_counter()
        found = arm.model.solve(
            pose=target, position_tolerance=TOLERANCE, orientation_tolerance=TOLERANCE, **share
        )
        times.append(time.perf_counter() - begin)
    n = len(target)
    good = sum(solved(arm, check, target[i], found.q[i]) for i in range(n))
    return row(arm, "handik batch", n, good, np.full(n, 1e6 * np.median(times) / n))


def main() -> None:
    """Print the table and write it as CSV if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks arms", description=__doc__)
    known = [*FILES, *table_arms()]
    parser.add_argument("--robots", nargs="*", default=known, choices=known)
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--peer-targets", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", action="store_true", help="give handik the peers' starts")
    parser.add_argument("--csv", type=Path)
    args = parser.parse_args()
    print(f"handik {hk.__version__} ({hk.simd()}), {args.targets} targets, seed {args.seed}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for arm in arms(args.robots, folder):
            made = run(arm, args)
            rows += made
            for r in made:
                print(
                    f"{r['robot']:10} {r['joints']:2}  {r['solver']:13} {r['unsolved']:5} of "
                    f"{r['targets']} unsolved  mean {r['mean_us']:9.2f}  p50 {r['p50_us']:9.2f}  "
                    f"p99 {r['p99_us']:9.2f} us",
                    flush=True,
                )
    if args.csv and rows:
        with args.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
