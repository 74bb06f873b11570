"""Forward kinematics and Jacobians in batches: handik against Pinocchio's calls from Python.

For each arm, on one core: microseconds of processor time per posture for the pose of the tip, for
the poses of all frames (with the bytes written a second) and for the tip's Jacobian; Pinocchio
does one posture a call, as from Python it must; with ``--loop PROGRAM`` (see pinocchio_loop.cpp)
also in a loop in C++, in the same run. A copy of the same bytes by NumPy says what memory allows.
The outputs are written again and again into the same arrays ("fresh": into new ones, whose pages
the system clears first). "At best" is the time of the multiplications and additions alone, on paper:
a turn 40 for its angle, sine and cosine, 18 to turn and 63 for a placement (18 where it is a shift
alone), a frame 63, a turn's column of the Jacobian 24, two registers a cycle, no fused operations, at
the clock that a chain of additions shows. Medians of rounds in turn; answers are compared before
anything is timed. Peers that are not installed are left out by name.

The last line of an arm is a step of damped least squares in a batch: the time between a coarse tolerance and a fine one over
the steps between them, so that what a target costs once drops out; at best the operations of docs/performance.md.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import handik as hk
from handik import _core

from ._out import Row, add_out, bars, save
from .arms import FILES, Arm, Array, arms, table_arms
from .chains import compile_plain
from .dynamics import inner_loop

KINDS = ("pose", "frames", "jacobian")
STEP = "LM step"
COARSE, FINE = 1e-3, 1e-9  # metres and radians
#: doubles of a register
LANES = {"base": 2, "avx2": 4, "avx512": 8}


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


def operations(model: hk.Model) -> dict[str, int]:
    """Count multiplications and additions of a posture of a serial arm of hinges, by kind."""
    n = len(model.step_plain)
    frames = int(np.count_nonzero(np.asarray(model.frame_step) >= 0))
    places = sum(18 if plain else 63 for plain in model.step_plain[1:])  # the first is a constant
    chain = n * (40 + 18) + places
    step = (36 + 36 + 20 + 42 + 15) * n + 200  # docs/performance.md, "One goal on a serial chain"
    return {
        "pose": chain + 63,
        "frames": chain + 63 * frames,
        "jacobian": chain + 63 + 24 * n,
        STEP: step,
    }


def clock(folder: str) -> float:
    """Return the processor's hertz, NaN where there is no gcc to ask with."""
    if shutil.which("gcc") is None:
        return float("nan")
    ask = compile_plain(folder, "plain_clock.c").plain_clock
    ask.restype = ctypes.c_double
    return float(ask())


def measure(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median processor time of each call, all in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):  # the first touches the memory
        for name, call in calls.items():
            begin = time.process_time()
            call()
            times[name].append(time.process_time() - begin)
    return {name: float(np.median(t[1:])) for name, t in times.items()}


def peer_calls(arm: Arm, q: Array, outs: dict[str, Array]) -> dict[str, Callable[[], Any]]:
    """Return Pinocchio's loops in Python over some postures, answers compared; none without it."""
    few, calls = q[:1000], {}
    try:
        for name, call in pinocchio_calls(arm).items():
            if name != "frames":
                assert np.allclose(call(few[0]), outs[name][0], atol=1e-9)
            calls[f"pin {name}"] = lambda call=call: [call(x) for x in few]  # type: ignore[misc]
    except ImportError:
        print(f"{arm.name}: Pinocchio left out, pin is not installed")
    return calls


def in_loop(arm: Arm, program: str, n: int, rounds: int) -> dict[str, float]:
    """Return Pinocchio's microseconds a posture in C++, by kind: medians of rounds."""
    import pinocchio as pin

    chain = pin.buildModelFromUrdf(arm.chain.file)
    took = np.median([inner_loop(program, chain, n)[3:] for _ in range(rounds)], axis=0)
    return dict(zip(KINDS, map(float, took), strict=True))


def step_seconds(model: hk.Model, n: int, rounds: int) -> float:
    """Return the seconds of a step of lm_batch in a batch: median of rounds."""
    targets = model.fk(model.sample(n, seed=2))
    times = []
    for _ in range(rounds + 1):
        ends = []
        for near in (COARSE, FINE):
            begin = time.process_time()
            found = model.solve(
                pose=targets,
                solver="lm_batch",
                position_tolerance=near,
                orientation_tolerance=near,
            )
            ends.append((time.process_time() - begin, int(found.iterations.sum())))
        times.append((ends[1][0] - ends[0][0]) / (ends[1][1] - ends[0][1]))
    return float(np.median(times[1:]))


def run(arm: Arm, args: argparse.Namespace, hertz: float) -> list[Row]:
    """Measure one arm."""
    model, n = hk.load(arm.chain.file, tip=arm.chain.tip), args.postures
    q = model.sample(n, seed=1)
    asked: dict[str, Callable[..., Array]]
    asked = {"pose": model.fk, "frames": model.frames, "jacobian": model.jacobian}
    outs = {name: call(q) for name, call in asked.items()}
    calls: dict[str, Callable[[], Any]] = {}
    for name, call in asked.items():
        out, spare = outs[name], np.empty_like(outs[name])
        calls[name] = lambda call=call, out=out: call(q, out=out)  # type: ignore[misc]
        calls[f"fresh {name}"] = lambda call=call: call(q)  # type: ignore[misc]
        calls[f"copy {name}"] = lambda a=out, b=spare: np.copyto(b, a)  # type: ignore[misc]
    took = measure(calls | peer_calls(arm, q, outs), args.rounds)
    inner = in_loop(arm, args.loop, n, args.rounds) if args.loop else {}
    best = {
        name: x / (2 * LANES[hk.show_config()["simd"]] * hertz)
        for name, x in operations(model).items()
    }

    def times(name: str, of: int) -> float:
        return round(1e6 * took.get(name, float("nan")) / of, 4)

    rows: list[Row] = [
        {
            "robot": arm.name,
            "joints": model.nq,
            "what": name,
            "us": times(name, n),
            "fresh_us": times(f"fresh {name}", n),
            "copy_us": times(f"copy {name}", n),
            "at_best_us": round(1e6 * best[name], 4),
            "gigabytes_a_second": round(out.nbytes / took[name] / 1e9, 2),
            "pinocchio_python_us": times(f"pin {name}", min(n, 1000)),
            "pinocchio_loop_us": inner.get(name, float("nan")),
        }
        for name, out in outs.items()
    ]
    step = 1e6 * step_seconds(model, 5 * n, args.rounds)
    rows.append(dict.fromkeys(rows[0], float("nan")))
    rows[-1].update(robot=arm.name, joints=model.nq, what=STEP, us=round(step, 4))
    rows[-1]["at_best_us"] = round(1e6 * best[STEP], 4)
    return rows


def show(rows: list[Row]) -> None:
    """Print one arm's lines."""
    for r in rows:
        print(
            f"{r['robot']:9} {r['joints']:2}  {r['what']:8} {r['us']:7.4f} us, at best "
            f"{r['at_best_us']:.4f} ({r['at_best_us'] / r['us']:4.0%})",
            end="",
        )
        if r["what"] in KINDS:
            print(
                f"  fresh {r['fresh_us']:.4f}  {r['us'] / r['copy_us']:5.2f} x a copy  "
                f"{r['gigabytes_a_second']:6.2f} GB/s  Pinocchio {r['pinocchio_python_us']:6.3f} us, "
                f"in C++ {r['pinocchio_loop_us']:6.3f}",
                end="",
            )
        print(flush=True)


def draw(rows: list[Row], figure: Any) -> None:
    """Draw a panel for each kind."""
    robots = list(dict.fromkeys(r["robot"] for r in rows))
    labels = {
        "us": "handik",
        "at_best_us": "at best",
        "copy_us": "a copy",
        "pinocchio_loop_us": "Pinocchio, C++",
        "pinocchio_python_us": "Pinocchio, Python",
    }
    for axes, kind in zip(figure.subplots(3, 1, sharex=True), KINDS, strict=True):
        own = [r for r in rows if r["what"] == kind]
        shown = {k: v for k, v in labels.items() if any(r[k] == r[k] for r in own)}
        bars(axes, robots, {label: [r[key] for r in own] for key, label in shown.items()})
        axes.set(title=kind, ylabel="us a posture", yscale="log")
        axes.get_legend().remove()
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=5)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks primitives", description=__doc__)
    known = [*FILES, *table_arms()]
    parser.add_argument("--robots", nargs="*", default=known, choices=known)
    parser.add_argument("--postures", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--simd", default="auto", help="base, avx2 or avx512")
    parser.add_argument("--loop", default="", help="the program built from pinocchio_loop.cpp")
    add_out(parser)
    args = parser.parse_args()
    if not _core.simd_select(args.simd):
        sys.exit(f"this processor has no {args.simd}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        hertz = clock(folder)
        print(
            f"handik {hk.__version__} ({hk.show_config()['simd']}), {args.postures} postures, {hertz / 1e9:.2f} GHz"
        )
        for arm in arms(args.robots, folder):
            rows += run(arm, args, hertz)
            show(rows[-len(KINDS) - 1 :])
    _core.simd_select("auto")
    save(args.out, "primitives", rows, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
