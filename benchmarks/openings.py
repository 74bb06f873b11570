"""Verdicts of reach through openings in a wall: an arm of seven joints whose links are capsules.

The arm of ``python -m benchmarks access`` stands before a wall 50 mm thick with a square opening, off-center by 20 and 10 mm.
Targets lie 0.10 to 0.16 m behind it, up to 60 mm aside of the opening's middle (--aside), and would be in reach without it. ``no`` and ``yes`` are
`hk.access.reach`'s verdicts with ``within=inf``; ``graded`` counts also what is a no when everything gives way by 10 mm less, or
a yes when it does so by 10 mm more. Times are processor times of one verdict, and of the proof alone.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, save
from benchmarks.access import arm
from handik.scene.access._no_way import no_way

Array = NDArray[np.float64]
SHOULDER, OFF = np.array([0.0, -0.2, 0.45]), np.array([0.0, 0.02, 0.01])
HERE = [1.0, 0.0, 0.0, 0.0]
#: Length and radius of the capsules of upper arm, forearm and hand.
LINKS = {"upper": (0.32, 0.045), "fore": (0.27, 0.035), "hand": (0.1, 0.03)}
THICK, GIVE = 0.05, 0.01


def figure(model: hk.Model, thinner: float = 0.0) -> hk.Figure:
    """Return the arm with its capsules."""
    parts = [
        hk.Capsule(link, (0, 0, 0), (length, 0, 0), radius - thinner)
        for link, (length, radius) in LINKS.items()
    ]
    return hk.Figure(model, parts, pairs=[])


def wall(opening: float, away: float) -> hk.Scene:
    """Return a wall so far from the shoulder, with a square opening."""
    out, (x, y, z) = hk.Scene(), SHOULDER + OFF + [away + THICK / 2, 0, 0]
    for k, side in enumerate((-1, 1)):
        off = side * (1.5 + opening / 2)
        beside = hk.scene.Box([THICK, 3.0, 6.0]), [x, y + off, z]
        above = hk.scene.Box([THICK, opening, 3.0]), [x, y, z + off]
        for name, (shape, at) in (("beside", beside), ("above", above)):
            out = out.add(f"{name} {k}", shape, pose=(at, HERE))
    return out


def targets(model: hk.Model, away: float, n: int, wide: float, rng: np.random.Generator) -> Array:
    """Return places behind the wall that are in reach without it, so far aside at most."""
    out: list[Array] = []
    while len(out) < n:
        low, high = [away + THICK + 0.10, -wide, -wide], [away + THICK + 0.16, wide, wide]
        some = SHOULDER + OFF + rng.uniform(low, high, (4 * n, 3))
        found = hk.access.reach(model, None, some, frame="tip", within=np.inf)
        out += list(some[found.verdict == "yes"])
    return np.array(out[:n])


def through(opening: float, n: int, wide: float) -> Row:
    """Measure one opening, half of the targets behind a wall at 0.25 m and half at 0.35 m."""
    model, rng = arm(False), np.random.default_rng(7)
    whole, thin = figure(model), figure(model, GIVE)
    verdicts, graded, ms, alone = [], 0, [], []
    for away in (0.25, 0.35):
        scene = wall(opening, away)
        for target in targets(model, away, n // 2, wide, rng):
            start = time.process_time()
            found = hk.access.reach(whole, scene, target, frame="tip", within=np.inf)
            ms.append(1e3 * (time.process_time() - start))
            verdicts.append(found.verdict)
            assert isinstance(found, hk.access.Reach)
            asked = found._asked
            start = time.process_time()
            no_way(asked, "tip", target)
            alone.append(1e3 * (time.process_time() - start))
            if found.verdict == "undecided":
                again = hk.access.reach(thin, scene, target, frame="tip", within=np.inf)
                graded += again.verdict == "yes"
    said: Any = np.array(verdicts)
    return {
        "opening_mm": 1e3 * opening,
        "no": float((said == "no").mean()),
        "yes": float((said == "yes").mean()),
        "undecided": float((said == "undecided").mean()),
        "graded": float((said != "undecided").mean()) + graded / len(said),
        "median_ms": float(np.median(ms)),
        "p90_ms": float(np.percentile(ms, 90)),
        "proof_median_ms": float(np.median(alone)),
        "proof_p90_ms": float(np.percentile(alone, 90)),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks openings", description=__doc__)
    parser.add_argument("--targets", type=int, default=100)
    parser.add_argument("--aside", type=float, default=60, help="mm from the opening's middle")
    parser.add_argument("--openings", type=float, nargs="*", default=[40, 70, 100, 160, 220, 300])
    add_out(parser)
    given = parser.parse_args()
    rows = [through(1e-3 * x, given.targets, 1e-3 * given.aside) for x in given.openings]
    print(" ".join(f"{name:>15}" for name in rows[0]))
    for row in rows:
        print(" ".join(f"{x:>15.4g}" for x in row.values()))
    save(Path(given.out) if given.out else None, "openings", rows, lambda figure: None)


if __name__ == "__main__":
    main()
