"""Dynamics of robots in a batch: handik against Pinocchio, in one run, on one core.

The same robot for both, in turn, several rounds; medians of the time of one posture and their ratios are printed, and
the largest difference of the torques. handik's time includes all of its Python; with ``--threads 0`` it uses all cores. Pinocchio is called in a Python loop,
one posture a call, as its users do; with ``--loop PROGRAM`` (see pinocchio_loop.cpp) also in a loop in C++.
"""

from __future__ import annotations

import argparse
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik.files.read import JointSpec, LinkSpec
from handik.files.read.urdf import read_urdf

Array = NDArray[np.float64]
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
ARM = "panda_description/urdf/panda.urdf"
HUMANOID = "talos_data/robots/talos_reduced.urdf"


def models(name: str, free: bool) -> tuple[hk.Model, Any]:
    """Return a robot in both libraries; the fingers of the arm are locked."""
    import pinocchio as pin

    spec = read_urdf(ROBOTS / name)
    for joint in spec.joints:
        if "finger" in joint.name:
            joint.kind, joint.mimic = "fixed", None
    root = (pin.JointModelFreeFlyer(),) if free else ()
    if free:
        spec.joints.append(JointSpec("root_joint", "free", "the world", spec.root))
        spec.links.insert(0, LinkSpec("the world"))
    theirs = pin.buildModelFromUrdf(str(ROBOTS / name), *root)
    locked = [i for i, joint in enumerate(theirs.names) if "finger" in joint]
    if locked:
        theirs = pin.buildReducedModel(theirs, locked, pin.neutral(theirs))
    return hk.Model(spec), theirs


def postures(model: hk.Model, theirs: Any, n: int) -> tuple[Array, Array]:
    """Return random turns of all joints, the root upright, for both libraries."""
    rng = np.random.default_rng(0)
    q, other = np.tile(np.array(model.rest), (n, 1)), np.zeros((n, theirs.nq))
    for name, at in model.joint_q_slices.items():
        to = theirs.idx_qs[theirs.getJointId(name)]
        if at.stop - at.start == 7:
            other[:, to + 6] = 1.0
        else:
            q[:, at] = rng.uniform(-1, 1, (n, 1))
            other[:, to] = q[:, at.start]
    return q, other


def seconds(call: Callable[[], Any]) -> float:
    """Time one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def loop(function: Callable[..., Any], *columns: Array) -> None:
    """Call a function with each row of the columns."""
    for row in zip(*columns, strict=True):
        function(*row)


def compare(
    title: str, name: str, free: bool, n: int, rounds: int, program: str, threads: int
) -> None:
    """Print the table of one robot."""
    import pinocchio as pin

    model, theirs = models(name, free)
    data = theirs.createData()
    q, other = postures(model, theirs, n)
    v, a = np.random.default_rng(1).normal(size=(2, n, model.nv))
    order = np.concatenate(
        [
            theirs.idx_vs[theirs.getJointId(joint)] + np.arange(6 if kind == "free" else 1)
            for joint, kind in zip(model.joint_names, model.joint_kinds, strict=True)
            if kind != "fixed"
        ]
    )
    w, gain = np.empty_like(v), np.empty_like(a)
    w[:, order], gain[:, order] = v, a
    if free:  # Pinocchio tells a free joint's acceleration in its moved frame; the root is upright
        gain[:, :3] -= np.cross(w[:, 3:6], w[:, :3])
    tau = model.inverse_dynamics(q[:50], v[:50], a[:50], actuators=False)
    want = np.array(
        [pin.rnea(theirs, data, *row) for row in zip(other[:50], w[:50], gain[:50], strict=True)]
    )
    gap = np.abs(tau - want[:, order]).max() / np.abs(want).max()
    print(
        f"{title}: {model.nv} coordinates, {n} postures, simd {hk.show_config()['simd']}, differ by {gap:.1e}"
    )
    # Pinocchio writes into the same memory again and again; so does handik with out=.
    torques, matrices = np.empty_like(v), np.empty((n, model.nv, model.nv))
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "inverse dynamics": (
            lambda: model.inverse_dynamics(q, v, a, actuators=False, out=torques, threads=threads),
            lambda: loop(lambda *x: pin.rnea(theirs, data, *x), other, w, gain),
        ),
        "mass matrix": (
            lambda: model.mass_matrix(q, actuators=False, out=matrices, threads=threads),
            lambda: loop(lambda x: pin.crba(theirs, data, x), other),
        ),
        "forward dynamics": (
            lambda: model.forward_dynamics(q, v, a, actuators=False, out=torques, threads=threads),
            lambda: loop(lambda *x: pin.aba(theirs, data, *x), other, w, gain),
        ),
    }
    rows: dict[str, list[tuple[float, float]]] = {label: [] for label in pairs}
    inner: list[list[float]] = []
    for _ in range(rounds):
        for label, (ours, other_call) in pairs.items():
            rows[label].append((seconds(ours) / n * 1e6, seconds(other_call) / n * 1e6))
        if program:
            inner.append(inner_loop(program, theirs, n))
    print(
        f"  {'microseconds a posture':24}{'handik':>8}{'Pinocchio':>12}{'ratio':>8}{'its C++':>10}{'ratio':>8}"
    )
    for i, (label, times) in enumerate(rows.items()):
        mine, python = (median(x) for x in zip(*times, strict=True))
        line = f"  {label:24}{mine:8.3f}{python:12.3f}{python / mine:8.1f}"
        if inner:
            inside = median(row[i] for row in inner)
            line += f"{inside:10.3f}{inside / mine:8.1f}"
        print(line)


def inner_loop(program: str, theirs: Any, n: int) -> list[float]:
    """Microseconds of rnea, crba, aba, pose, frames and Jacobian in C++."""
    with tempfile.TemporaryDirectory() as folder:
        saved = str(Path(folder) / "model.txt")
        theirs.saveToText(saved)
        run = subprocess.run(
            [program, saved, str(n), "1"], check=True, capture_output=True, text=True
        )
    return [float(x) for x in run.stdout.split()[:6]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks dynamics", description=__doc__)
    parser.add_argument("--postures", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="of handik; 0: all cores")
    parser.add_argument("--loop", default="", help="the program built from pinocchio_loop.cpp")
    options = parser.parse_args()
    rest = options.postures, options.rounds, options.loop, options.threads
    compare("arm", ARM, False, *rest)
    compare("humanoid", HUMANOID, True, *rest)


if __name__ == "__main__":
    main()
