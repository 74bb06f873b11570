"""Room to maneuver at doors: what ADA 2010, 404.2.4.1, asks for, and what handik finds for chairs.

A door of 0.815 m clear width. The asked side is a corridor as deep as the rule says. Who comes from the hinge or the
latch starts 2 m along it, and it ends beyond the door as far as the rule asks; where the rule asks for that on the side
from which one comes, it ends with the door. Who comes from the front comes along a corridor as wide as door and space,
3 m long: the depth that the rule asks is free floor then and does not bind. Beyond the door is room. Asked are the legal
space, and by halving, in steps of 50 mm, the least that is a yes with the most that is a proved no: of the space beside
the door at the legal depth, or of the depth where what is beside does not bind. Hands are those of one seated man of
median stature.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import handik as hk
from benchmarks._out import Row, add_out, bars, save

CLEAR, HALF_LEAF = 0.815, 0.02
FAR = 2.0
STEP = 0.05


class Case(NamedTuple):
    """A row of the table: meters deep, meters beside the door on the side that the rule names."""

    approach: str
    pull: bool
    deep: float
    beside: float
    side: str = "latch"
    closer: bool = False


CASES = (
    Case("front", True, 1.525, 0.455),
    Case("front", False, 1.22, 0.0),
    Case("front", False, 1.22, 0.305, closer=True),
    Case("hinge", True, 1.525, 0.915),
    Case("hinge", True, 1.37, 1.065),
    Case("hinge", False, 1.065, 0.56, "hinge"),
    Case("hinge", False, 1.22, 0.56, "hinge", True),
    Case("latch", True, 1.22, 0.61),
    Case("latch", True, 1.37, 0.61, closer=True),
    Case("latch", False, 1.065, 0.61),
    Case("latch", False, 1.22, 0.61, closer=True),
)


def chairs() -> dict[str, hk.access.Chair]:
    """Return the chairs: the clear floor space of ADA 305.3 as one, and measured ones."""
    return {
        "ADA 0.76 x 1.22": hk.access.Chair("manual", 0.76, 1.22, 0.37, 0.76, 1.22),
        "manual p50": hk.access.chair("manual"),
        "manual p95": hk.access.chair("manual", percentile=95),
        "powered p50": hk.access.chair("rear"),
        "powered p95": hk.access.chair("rear", percentile=95),
    }


def asked(
    chair: hk.access.Chair, case: Case, beside: float, person: Any
) -> tuple[hk.access.Opening, float]:
    """Ask one door, with milliseconds of processor time."""
    width = CLEAR + HALF_LEAF
    # x runs from the hinge to the latch; the asked side lies above, y > 0
    door = hk.access.Door(
        [[0, 0], [width, 0]], swing="left" if case.pull else "right", closer=case.closer
    )
    low, high = 0.0, width
    if case.side == "latch":
        high += beside
    else:
        low -= beside
    if case.approach == "hinge":
        low = -FAR  # the corridor comes from there
    elif case.approach == "latch":
        high = width + FAR
        low = 0.0
    walls: list[Any] = [[[low, 0], [0, 0]], [[width, 0], [high, 0]]]
    deep = 3.0 if case.approach == "front" else case.deep
    rim = [(low, 0), (low, deep), (high, deep), (high, 0)]
    walls += [[a, b] for a, b in itertools.pairwise(rim)]
    other = [(-1.5, 0), (-1.5, -3), (width + 1.5, -3), (width + 1.5, 0)]
    walls += [[a, b] for a, b in itertools.pairwise(other)]
    walls += [[[-1.5, 0], [low, 0]], [[high, 0], [width + 1.5, 0]]]
    back = chair.length / 2 - chair.axle
    if case.approach == "front":
        start: Any = (width / 2, deep - chair.axle - 0.02, -np.pi / 2)
    elif case.approach == "hinge":
        start = (low + chair.axle + 0.02, case.deep / 2, 0.0)
    else:
        start = (high - chair.axle - 0.02, case.deep / 2, np.pi)
    begin = time.process_time()
    found = hk.access.opens(
        chair, walls, door, start, (width / 2, -1.8 + back, None), person=person
    )
    return found, 1e3 * (time.process_time() - begin)


def binds(case: Case) -> str:
    """Return which size of a case is halved: what is on the side one comes from is free anyway."""
    return "deep" if case.approach == case.side else "beside"


def least(chair: hk.access.Chair, case: Case, person: Any, ms: list[float]) -> tuple[float, float]:
    """Return the least space that is a yes, and the most that is a no."""
    word, yes, no = binds(case), np.inf, -np.inf
    low, high = (16, 36) if word == "deep" else (0, 24)  # steps
    while low <= high:
        middle = high if yes == np.inf else (low + high) // 2
        size = middle * STEP
        now = case._replace(deep=size) if word == "deep" else case._replace(beside=size)
        found, took = asked(chair, now, now.beside, person)
        ms.append(took)
        if found.verdict == "no":
            no = max(no, size)
        if found:
            high, yes = middle - 1, size
        elif yes == np.inf:
            break  # not even with the most
        else:
            low = middle + 1
    return yes, no


def rows_of(given: Any, person: Any) -> list[Row]:
    """Ask all cases of all chairs."""
    rows = []
    for case in CASES[: given.cases]:
        for name, chair in list(chairs().items())[: given.chairs]:
            ms: list[float] = []
            legal, took = asked(chair, case, case.beside, person)
            ms.append(took)
            yes, no = (np.nan, np.nan) if given.legal else least(chair, case, person, ms)
            rows.append(
                {
                    "approach": f"{case.approach}, {'pull' if case.pull else 'push'}"
                    + (", closer" if case.closer else ""),
                    "deep_mm": 1e3 * case.deep,
                    "beside_mm": 1e3 * case.beside,
                    "halved": binds(case),
                    "chair": name,
                    "legal": legal.verdict,
                    "least_yes_mm": 1e3 * yes,
                    "most_no_mm": 1e3 * no,
                    "worst_ms": max(ms),
                }
            )
    return rows


def drawn(count: int, person: Any) -> list[Row]:
    """Ask the legal spaces of chairs drawn from the measured sizes: six manual for four powered."""
    kinds = ["manual" if 10 * k % 50 < 30 else "rear" for k in range(count)]
    crowd = [hk.access.chair(kind, seed=seed) for seed, kind in enumerate(kinds)]
    rows = []
    for case in CASES:
        said, ms = [], []
        for chair in crowd:
            found, took = asked(chair, case, case.beside, person)
            said.append(found.verdict)
            ms.append(took)
        rows.append(
            {
                "approach": f"{case.approach}, {'pull' if case.pull else 'push'}"
                + (", closer" if case.closer else ""),
                "deep_mm": 1e3 * case.deep,
                "beside_mm": 1e3 * case.beside,
                **{word: said.count(word) for word in ("yes", "no", "undecided")},
                "median_ms": float(np.median(ms)),
                "worst_ms": max(ms),
            }
        )
    return rows


def _print(rows: list[Row]) -> None:
    print(" | ".join(rows[0]))
    for row in rows:
        print(" | ".join(x if isinstance(x, str) else f"{x:.0f}" for x in row.values()), flush=True)


def _draw(rows: list[Row], figure: Any) -> None:
    names = [f"{row['approach']}, {row.get('chair', '')}" for row in rows]
    axes = figure.subplots()
    bars(axes, names, {"ms": [row["worst_ms"] for row in rows]})
    axes.tick_params("x", rotation=90)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks doors", description=__doc__)
    parser.add_argument("--cases", type=int, default=len(CASES), help="how many rows of the rule")
    parser.add_argument("--chairs", type=int, default=len(chairs()))
    parser.add_argument("--legal", action="store_true", help="ask for the legal space alone")
    parser.add_argument("--no-person", action="store_true", help="do not ask for the hand")
    parser.add_argument("--drawn", type=int, default=0, help="ask so many drawn chairs instead")
    add_out(parser)
    given = parser.parse_args()
    person = None
    if not given.no_person:
        man = hk.human(sex="male", position="seated")
        person = hk.access.reach_map(man, 1.0)
    rows = drawn(given.drawn, person) if given.drawn else rows_of(given, person)
    _print(rows)
    save(Path(given.out) if given.out else None, "doors", rows, lambda figure: _draw(rows, figure))


if __name__ == "__main__":
    main()
