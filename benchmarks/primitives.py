"""Forward kinematics and Jacobians in batches: handik against Pinocchio's calls from Python.

For each arm, on one core: microseconds of processor time per posture for the pose of the tip, for
the poses of all frames (with the bytes written a second) and for the tip's Jacobian; Pinocchio
does one posture a call, as from Python it must. A copy of the same bytes by NumPy says what memory
allows. The outputs are written again and again into the same arrays. Medians of rounds in turn;
answers are compared before anything is timed. Peers that are not installed are left out by name.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import handik as hk

from .arms import FILES, Arm, Array, arms, table_arms


def pinocchio_calls(arm: Arm) -> dict[str, Callable[[Array], Any]]:
    """Return Pinocchio's calls for one posture, reading the chain alone."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(arm.chain.file)
    data, tip = model.createData(), model.getFrameId(arm.chain.tip)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def pose(q: Array) -> Any:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, tip).homogeneous

    def frames(q: Array) -> Any:
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[tip]

    def jacobian(q: Array) -> Any:
        return pin.computeFrameJacobian(model, data, q, tip, axes)

    return {"pose": pose, "frames": frames, "jacobian": jacobian}


def measure(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median processor time of each call, all in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):  # the first touches the memory
        for name, call in calls.items():
            begin = time.process_time()
            call()
            times[name].append(time.process_time() - begin)
    return {name: float(np.median(t[1:])) for name, t in times.items()}


def run(arm: Arm, n: int, rounds: int) -> None:
    """Print one arm's lines."""
    model = hk.load(arm.chain.file, tip=arm.chain.tip)
    q = model.sample(n, seed=1)
    outs = {"pose": model.fk(q), "frames": model.frames(q), "jacobian": model.jacobian(q)}
    calls: dict[str, Callable[[], Any]] = {
        "pose": lambda: model.fk(q, out=outs["pose"]),
        "frames": lambda: model.frames(q, out=outs["frames"]),
        "jacobian": lambda: model.jacobian(q, out=outs["jacobian"]),
    }
    for name, out in outs.items():
        spare = np.empty_like(out)
        calls[f"copy {name}"] = lambda a=out, b=spare: np.copyto(b, a)  # type: ignore[misc]
    few = q[:1000]
    try:
        for name, call in pinocchio_calls(arm).items():
            if name != "frames":
                assert np.allclose(call(few[0]), outs[name][0], atol=1e-9)
            calls[f"pin {name}"] = lambda call=call: [call(x) for x in few]  # type: ignore[misc]
    except ImportError:
        print(f"{arm.name}: Pinocchio left out, pin is not installed")
    took = measure(calls, rounds)
    for name, out in outs.items():
        each, copy = 1e6 * took[name] / n, 1e6 * took[f"copy {name}"] / n
        text = f"{arm.name:9} {model.nq:2}  {name:8} {each:7.4f} us  {each / copy:5.2f} x a copy"
        text += f"  {out.nbytes / took[name] / 1e9:6.2f} GB/s"
        if f"pin {name}" in took:
            text += f"  Pinocchio {1e6 * took[f'pin {name}'] / len(few):6.3f} us"
        print(text, flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks primitives", description=__doc__)
    known = [*FILES, *table_arms()]
    parser.add_argument("--robots", nargs="*", default=known, choices=known)
    parser.add_argument("--postures", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=11)
    args = parser.parse_args()
    print(f"handik {hk.__version__} ({hk.simd()}), {args.postures} postures")
    with tempfile.TemporaryDirectory() as folder:
        for arm in arms(args.robots, folder):
            run(arm, args.postures, args.rounds)


if __name__ == "__main__":
    main()
