"""Verdicts of passing against closed formulas, and a room with a partition that grows.

Chairs are drawn: rectangles and outlines that narrow towards the feet, the axle anywhere. What each needs is known:
a corridor its width, a half turn its diameter (in a corridor and in a square alike), a corner between two corridors of
one width the farthest that a ray across the corner leaves the outline, over all headings. Asked are BY more and BY
less than that: "yes" where it is too narrow and "no" where it is not are on the wrong side. The room is 5 x 5 m with
eight pieces of furniture; its partition is lengthened in steps until the chair does not pass. The band of each kind of
place lies between the last "yes" and the first "no", each found by halving to FINE. Times are of one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, bars, save

Array = NDArray[np.float64]
#: Meters more than what is needed, and less.
BY = 0.01
#: Meters to which the ends of a band are found.
FINE = 2e-4
Walls = list[Any]


def ring(points: Any) -> Walls:
    """Return the walls around a polygon."""
    return [[points[k - 1], points[k]] for k in range(len(points))]


def drawn(rng: np.random.Generator) -> hk.access.Chair:
    """Draw a chair: every other one narrows towards the feet."""
    width, length = rng.uniform(0.5, 0.85), rng.uniform(0.95, 1.45)
    axle = float(rng.uniform(0.2, 0.8) * length)
    if rng.random() < 0.5:
        return hk.access.Chair("manual", width, length, axle, width, length)
    feet, taper = rng.uniform(0.3, 1.0) * width, rng.uniform(0.4, 0.9) * length
    return hk.access.Chair("manual", width, length, axle, float(feet), float(taper))


def diameter(chair: hk.access.Chair) -> float:
    """Return the greatest distance of two corners."""
    points = chair.outline
    return float(np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)).max())


def corner_needed(chair: hk.access.Chair) -> float:
    """Return the width of two corridors that meet at a right angle.

    The chair is pushed into the outer corner at each heading; the ray from there across the corner
    must leave it before the inner one.
    """
    heading = np.linspace(0, np.pi / 2, 9001)
    s, c = np.sin(heading), np.cos(heading)
    x, y = chair.outline.T
    at = np.stack([np.outer(c, x) - np.outer(s, y), np.outer(s, x) + np.outer(c, y)], -1)
    base = np.stack([at[..., 0].max(1), at[..., 1].min(1)], -1)
    edge = np.roll(at, -1, 1) - at
    normal = np.stack([edge[..., 1], -edge[..., 0]], -1)
    rise = normal @ np.array([-1.0, 1.0])
    left = ((at - base[:, None]) * normal).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        leaves = np.where(rise > 1e-12, left / rise, np.inf).min(1)
    return float(leaves.max())


def _back(chair: hk.access.Chair) -> float:
    return chair.length / 2 - chair.axle  # the axle before the middle


def corridor(chair: hk.access.Chair, width: float) -> hk.access.Passing:
    """Ask whether a chair gets along a corridor."""
    half, sides = width / 2, []
    for side in (-1, 1):
        sides += [[(-3, 2 * side), (0, 2 * side)], [(0, 2 * side), (0, side * half)]]
        sides += [[(0, side * half), (2, side * half)], [(2, side * half), (2, 2 * side)]]
        sides += [[(2, 2 * side), (5, 2 * side)]]
    walls = [*sides, [(-3, -2), (-3, 2)], [(5, -2), (5, 2)]]
    return hk.access.passes(chair, walls, (-1.5, 0, 0), (3.5, 0, None))


def corner(chair: hk.access.Chair, width: float) -> hk.access.Passing:
    """Ask whether a chair gets round a corner."""
    far, arm = 3.0 + width, 3.0
    walls = ring([(0, 0), (far, 0), (far, far), (arm, far), (arm, width), (0, width)])
    end = (3 + width / 2, width + 2 - _back(chair), np.pi / 2)
    return hk.access.passes(chair, walls, (1.2 - _back(chair), width / 2, 0), end)


def u_turn(chair: hk.access.Chair, width: float) -> hk.access.Passing:
    """Ask whether a chair turns half round in a corridor."""
    walls = ring([(0, 0), (5, 0), (5, width), (0, width)])
    return hk.access.turns(chair, walls, (2.5 - _back(chair), width / 2, 0))


def square(chair: hk.access.Chair, side: float) -> hk.access.Passing:
    """Ask whether a chair turns half round in a square."""
    walls = ring([(0, 0), (side, 0), (side, side), (0, side)])
    begin, end = (side / 2 - sign * _back(chair) for sign in (1, -1))
    return hk.access.passes(chair, walls, (begin, side / 2, 0), (end, side / 2, np.pi))


CASES: dict[
    str,
    tuple[
        Callable[[hk.access.Chair, float], hk.access.Passing], Callable[[hk.access.Chair], float]
    ],
] = {
    "corridor": (corridor, lambda chair: chair.width),
    "L corner": (corner, corner_needed),
    "U turn": (u_turn, diameter),
    "square": (square, diameter),
}


def timed(ask: Callable[..., hk.access.Passing], ms: list[float], *given: Any) -> str:
    """Return a verdict, and note the milliseconds it took."""
    start = time.process_time()
    said = ask(*given).verdict
    ms.append(1e3 * (time.process_time() - start))
    return said


def against(name: str, chairs: list[hk.access.Chair], by: float) -> Row:
    """Ask one case of all chairs, and count."""
    asked, needed = CASES[name]
    ms = list[float]()
    said = [timed(asked, ms, chair, needed(chair) + by) for chair in chairs]
    right, wrong = ("yes", "no") if by > 0 else ("no", "yes")
    return {
        "case": name,
        "by_mm": 1e3 * by,
        "chairs": len(chairs),
        "decided": said.count(right) / len(said),
        "wrong": said.count(wrong),
        "median_ms": float(np.median(ms)),
        "p90_ms": float(np.percentile(ms, 90)),
        "worst_ms": max(ms),
    }


def band(ask: Callable[[float], str], far: float, near: float) -> tuple[float, float]:
    """Return the last place with a yes and the first with a no; at `far` it is a yes, at `near` a no."""
    ends = []
    for said in ("yes", "no"):
        one, other = (far, near) if said == "yes" else (near, far)
        while abs(one - other) > FINE:
            middle = (one + other) / 2
            if ask(middle) == said:
                one = middle
            else:
                other = middle
        ends.append(one)
    return ends[0], ends[1]


def _by(asked: Any, chair: hk.access.Chair, space: float, by: float) -> hk.access.Passing:
    found: hk.access.Passing = asked(chair, space + by)
    return found


def bands(chairs: list[hk.access.Chair]) -> list[Row]:
    """Find the band of each kind of place: millimeters beside what the formula says."""
    rows: list[Row] = []
    for name, (asked, needed) in CASES.items():
        ends, ms = [], list[float]()
        for chair in chairs:
            ask = partial(timed, _by, ms, asked, chair, needed(chair))
            ends.append(band(ask, BY, -1.1 * BY))  # whose halves do not meet what is needed exactly
        yes, no = 1e3 * np.array(ends).T
        rows.append(
            {
                "case": name,
                "chairs": len(chairs),
                "yes_from_mm": float(yes.max()),
                "no_from_mm": float(no.min()),
                "band_mm": float((yes - no).max()),
                "median_ms": float(np.median(ms)),
                "worst_ms": max(ms),
            }
        )
    return rows


def room(long: float) -> Walls:
    """Return a room of 5 x 5 m with furniture and a partition of some length."""
    boxes = [
        (0, 4.3, 1.2, 5),
        (1.6, 4.4, 2.6, 5),
        (3.8, 3.6, 5, 5),
        (0, 2.9, 0.5, 3.9),
        (1.5, 2.9, 2.3, 3.5),
        (0, 0, 0.6, 1.6),
        (4.4, 0.0, 5, 0.8),
        (3.3, 0, 3.9, 0.5),
    ]
    walls = ring([(0, 0), (5, 0), (5, 5), (0, 5)])
    for x, y, u, v in boxes:
        walls.append([[x, y], [u, y], [u, v], [x, v]])
    return [*walls, [[0, 2.2], [long, 2.2]], [[4.9, 2.2], [5, 2.2]]]


def _in_room(chair: hk.access.Chair, long: float) -> hk.access.Passing:
    return hk.access.passes(chair, room(long), (1.5, 1.0, 0.0), (3.0, 4.0, None))


def rooms(step: float) -> Row:
    """Lengthen the partition of the room for three chairs, and time each verdict."""
    ms, near, wide, order = list[float](), list[float](), [], True
    for width, length, axle in ((0.65, 1.2, 0.36), (0.75, 1.3, 0.4), (0.6, 1.05, 0.6)):
        chair = hk.access.Chair("manual", width, length, axle, width, length)
        ask = partial(timed, _in_room, ms, chair)
        said = [ask(long) for long in np.arange(3.9, 4.4, step).tolist()]
        order &= said == sorted(said, key=["yes", "undecided", "no"].index)
        last, first = band(partial(timed, _in_room, near, chair), 3.9, 4.39)
        wide.append(first - last)
    return {
        "verdicts": len(ms),
        "band_mm": 1e3 * max(wide),
        "in_order": "yes" if order else "NO",
        "median_ms": float(np.median(ms)),
        "p90_ms": float(np.percentile(ms, 90)),
        "worst_ms": max(ms),
        "at_band_ms": max(near),
    }


def _print(rows: list[Row]) -> None:
    print(" ".join(f"{name:>10}" for name in rows[0]))
    for row in rows:
        print(" ".join(f"{x if isinstance(x, str) else f'{x:.4g}':>10}" for x in row.values()))


def _draw(rows: list[Row], figure: Any) -> None:
    names = [f"{row['case']}, {row['by_mm']:+g} mm" for row in rows]
    axes = figure.subplots()
    bars(axes, names, {key: [row[key] for row in rows] for key in ("median_ms", "p90_ms")})
    axes.set_yscale("log")
    axes.tick_params("x", rotation=90)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks passing", description=__doc__)
    parser.add_argument("--chairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bands", type=int, default=10, help="chairs whose bands are found")
    parser.add_argument("--step", type=float, default=0.01, help="of the partition, meters")
    add_out(parser)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    chairs = [drawn(rng) for _ in range(given.chairs)]
    rows = [against(name, chairs, by) for name in CASES for by in (-BY, BY)]
    _print(rows)
    if given.bands:
        _print(bands(chairs[: given.bands]))
    _print([rooms(given.step)])
    save(Path(given.out) if given.out else None, "passing", rows, lambda fig: _draw(rows, fig))


if __name__ == "__main__":
    main()
