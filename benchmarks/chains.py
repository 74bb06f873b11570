"""FABRIK on ten free links: handik's batch against plain loops in C, in one run.

On one core; bent rest pose, targets uniform in the ball of 0.9 of the reach. All are timed in turn, several rounds.

The first table has whole solves against the plain scalar loop (plain_fabrik.c). handik's time includes everything:
Python, loading and refilling of lanes, the way from points to joint coordinates, and the judge's own forward kinematics
of every answer.

The second table has one iteration of one chain, for each instruction set and precision, against plain loops in
intrinsics (plain_lanes.c: two registers side by side, nothing but iterations, all chains the same number of them).
handik's figure is the slope between a coarse and a fine tolerance over the iterations between them, so that it includes
the stop rule, the refilling of lanes and the lanes left idle at the end, and not what a target costs once; that is the
column "a target". For this table targets stand on the sphere of 0.95 of the reach, where a solve takes 10 iterations to
1e-2, 68 to 1e-5 (floats) and 86 to 1e-6: with few iterations the slope would be the noise of the rest.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, bars, save
from handik import _core

Array = NDArray[np.float64]
FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC"
WIDE = "-mavx512f -mavx512dq -mavx512vl"
#: instruction set, single precision: what plain_lanes.c is compiled with
LANES = {
    ("avx2", False): "-DLANES_D4 -mavx2",
    ("avx512", False): f"-DLANES_D8 {WIDE}",
    ("avx2", True): "-DLANES_F8 -mavx2",
    ("avx512", True): f"-DLANES_F16 {WIDE}",
}
COARSE, FINE, FINE_SINGLE = 1e-2, 1e-6, 1e-5


def compile_plain(folder: str, source: str, more: str = "") -> ctypes.CDLL:
    """Compile a plain loop with the flags of the extension, and more."""
    library = Path(folder) / f"plain{abs(hash((source, more)))}.so"
    path = Path(__file__).with_name(source)
    command = ["gcc", *FLAGS.split(), *more.split(), str(path), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def plain_loop(folder: str) -> ctypes.CDLL:
    """Return the plain scalar loop."""
    loop = compile_plain(folder, "plain_fabrik.c")
    pointer = np.ctypeslib.ndpointer(float, flags="C")
    loop.plain_fabrik.restype = ctypes.c_long
    loop.plain_fabrik.argtypes = [
        ctypes.c_int,
        pointer,
        pointer,
        ctypes.c_long,
        ctypes.c_double,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    return loop


def bent_rest(links: int, angle: float = 0.2) -> Array:
    """Each ball after the first turned by `angle` about z."""
    q = np.tile([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)], (links, 1))
    q[0] = [1.0, 0.0, 0.0, 0.0]
    return q.ravel()


def ball_targets(count: int, radius: float, seed: int) -> Array:
    """Points uniform in a ball."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * radius * rng.uniform(size=(count, 1)) ** (1 / 3)


def spent(call: Callable[[], object]) -> float:
    """Return the seconds of this process in a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


class Chain:
    """The chain, its start and its targets."""

    def __init__(self, links: int, count: int, seed: int, shell: bool = False) -> None:
        self.links = links
        self.model = hk.chain([1.0] * links, "ball")
        self.q0 = bent_rest(links)
        self.targets = ball_targets(count, 0.9 * self.model.max_reach, seed)
        if shell:
            far = np.linalg.norm(self.targets, axis=1, keepdims=True)
            self.targets *= 0.95 * self.model.max_reach / far
        self.start = np.ascontiguousarray(self.model.frames(self.q0)[1:, :3, 3])

    def solve(self, tolerance: float, single: bool = False) -> hk.Results:
        """Solve all targets to a share of the reach."""
        return self.model.solve(
            position=self.targets,
            q0=self.q0,
            solver="fabrik",
            position_tolerance=tolerance * self.model.max_reach,
            max_iter=10_000,
            threads=1,
            single=float(single),
        )

    def plain(self, loop: ctypes.CDLL, tolerance: float) -> int:
        """Solve them by the plain scalar loop; return the iterations."""
        wanted = tolerance * self.model.max_reach
        made = loop.plain_fabrik(
            self.links, self.start, self.targets, len(self.targets), wanted, 10_000, None
        )
        return int(made)

    def lanes(self, loop: ctypes.CDLL, single: bool) -> Callable[[], float]:
        """Return a call that times an iteration of a chain by a plain loop in lanes, in seconds."""
        kind = np.float32 if single else np.float64
        width, iterations = loop.plain_width(), 40
        groups = max(1, min(64, len(self.targets) // width))
        targets = self.targets[: groups * width].reshape(groups, width, 3)
        goal = np.ascontiguousarray(targets.transpose(0, 2, 1), kind)
        length = np.ones(self.links)
        error = np.empty((groups, width), kind)

        def call() -> float:
            start = np.broadcast_to(self.start[..., None], (groups, *self.start.shape, width))
            points = np.ascontiguousarray(start, kind)
            arrays = [x.ctypes.data_as(ctypes.c_void_p) for x in (goal, points, error)]
            count = ctypes.c_long(groups)
            at = length.ctypes.data_as(ctypes.c_void_p)
            all_ = spent(lambda: loop.plain_lanes(self.links, at, count, *arrays, iterations))
            return all_ / (groups * width * iterations)

        return call


def show_solves(chain: Chain, loop: ctypes.CDLL, rounds: int) -> list[Row]:
    """Print and return whole solves against the plain scalar loop."""
    rows = []
    print("tolerance  plain: iterations  us/solve   handik: iterations  us/solve  solved   ratio")
    for tolerance in (COARSE, FINE):
        plain, ours = [], []
        for _ in range(rounds):
            plain.append(spent(lambda t=tolerance: chain.plain(loop, t)))
            ours.append(spent(lambda t=tolerance: chain.solve(t)))
        made, result = chain.plain(loop, tolerance), chain.solve(tolerance)
        a, b = np.median(plain), np.median(ours)
        us = 1e6 / len(chain.targets)
        print(
            f"{tolerance:9.0e} {made / len(chain.targets):18.3f} {a * us:9.3f} "
            f"{result.iterations.mean():20.3f} {b * us:9.3f} "
            f"{result.converged.mean():7.2%} {b / a:7.2f}"
        )
        rows.append(
            {
                "what": f"a solve to {tolerance:.0e}",
                "simd": hk.show_config()["simd"],
                "numbers": "doubles",
                "plain_ns": round(a * us * 1e3, 2),
                "handik_ns": round(b * us * 1e3, 2),
                "ratio": round(b / a, 4),
                "solved": float(result.converged.mean()),
            }
        )
    return rows


def slope(coarse: list[float], fine: list[float], iterations: list[float]) -> tuple[float, float]:
    """Return seconds of an iteration, and of what a target costs once, from whole solves."""
    few, many = np.median(coarse), np.median(fine)
    each = (many - few) / (iterations[1] - iterations[0])
    return float(each), float(few - iterations[0] * each)


def show_iterations(chain: Chain, folder: str, rounds: int) -> list[Row]:
    """Print and return one iteration of one chain, by instruction set and precision, against the plain loops."""
    rows = []
    print("set     numbers  plain ns  handik ns   ratio   a target ns   solved")
    scalar, before = plain_loop(folder), hk.show_config()["simd"]
    for simd in ("base", "avx2", "avx512"):
        if not _core.simd_select(simd):
            continue
        for single in (False, True):
            fine = FINE_SINGLE if single else FINE
            flags = LANES.get((simd, single))
            call = None
            if flags:
                call = chain.lanes(compile_plain(folder, "plain_lanes.c", flags), single)
            plain, first, second = [], [], []
            for _ in range(rounds):
                if call:
                    plain.append(call())
                else:
                    all_ = spent(lambda: chain.plain(scalar, FINE))
                    plain.append(all_ / chain.plain(scalar, FINE))
                first.append(spent(lambda s=single: chain.solve(COARSE, s)))
                second.append(spent(lambda s=single, f=fine: chain.solve(f, s)))
            results = [chain.solve(COARSE, single), chain.solve(fine, single)]
            made = [float(r.iterations.sum()) for r in results]
            each, once = slope(first, second, made)
            reference = float(np.median(plain))
            print(
                f"{simd:7} {'floats' if single else 'doubles':8} {reference * 1e9:8.1f} {each * 1e9:10.1f} "
                f"{each / reference:7.2f} {once / len(chain.targets) * 1e9:13.0f} "
                f"{results[1].converged.mean():8.2%}{'' if call else '  (plain: scalar)'}"
            )
            rows.append(
                {
                    "what": "an iteration",
                    "simd": simd,
                    "numbers": "floats" if single else "doubles",
                    "plain_ns": round(reference * 1e9, 2),
                    "handik_ns": round(each * 1e9, 2),
                    "ratio": round(each / reference, 4),
                    "solved": float(results[1].converged.mean()),
                }
            )
    _core.simd_select(before)
    return rows


def draw(rows: list[Row], figure: Any) -> None:
    """Draw an iteration of a chain beside the plain loops."""
    own = [r for r in rows if r["what"] == "an iteration"]
    axes = figure.subplots()
    heights = {"plain loop in C": "plain_ns", "handik": "handik_ns"}
    names = [f"{r['simd']}\n{r['numbers']}" for r in own]
    bars(axes, names, {label: [r[key] for r in own] for label, key in heights.items()})
    axes.set(yscale="log", ylabel="ns an iteration of a chain")
    axes.set_title("SSE2 beside the scalar loop, the others beside intrinsics")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks chains", description=__doc__)
    parser.add_argument("--targets", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--links", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    add_out(parser)
    args = parser.parse_args()
    chain = Chain(args.links, args.targets, args.seed)
    print(
        f"{args.links} unit links, {args.targets} targets, handik {hk.__version__} ({hk.show_config()['simd']})"
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = show_solves(chain, plain_loop(folder), args.rounds)
        far = Chain(args.links, args.targets // 2, args.seed, True)
        rows += show_iterations(far, folder, args.rounds)
    save(args.out, "chains", rows, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
