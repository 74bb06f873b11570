"""What drawn wheelchairs need, beside what was measured of people in theirs.

Corridors about a corner by the closed formula for convex outlines; squares for a half turn by the
diagonal (any motion) and about the axle (one turn). Nothing here is fitted to what was measured.
"""

from __future__ import annotations

import argparse
import csv
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

import handik as hk

Array = NDArray[np.float64]
#: Manual and powered chairs in the study of wheeled mobility.
MANUAL, POWERED = 277, 189
#: Meters: the shorter side of the transfer study's clear space; the height of the US knee clearance.
SHORT, KNEES = 1.410, 0.685
TURN = np.linspace(0, np.pi / 2, 181)


def turned(outline: Array, angle: Array) -> Array:
    """Return an outline at angles (n,): (n, corners, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    turns = np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
    found: Array = np.einsum("nij,kj->nki", turns, outline)
    return found


def corner_need(outline: Array) -> float:
    """Return the width of two equal corridors at a right angle that an outline gets round.

    At each heading the outline is moved to touch both outer walls; the inner corner then lies on a
    diagonal from the corner of its bounding box and must be beyond where that leaves the outline.
    """
    need = 0.0
    for at in turned(outline, TURN):
        start = np.array([at[:, 0].max(), at[:, 1].min()])
        need = max(need, _leaves(at, start, np.array([-1.0, 1.0])))
    return need


def _leaves(corners: Array, start: Array, way: Array) -> float:
    """Return how far along a ray a convex outline is left for good; 0: it is not met."""
    side = np.roll(corners, -1, 0) - corners
    down = way[0] * side[:, 1] - way[1] * side[:, 0]
    off = corners - start
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (off[:, 0] * side[:, 1] - off[:, 1] * side[:, 0]) / down
        u = (off[:, 0] * way[1] - off[:, 1] * way[0]) / down
    hit = (np.abs(down) > 1e-12) & (u >= -1e-12) & (u <= 1 + 1e-12)
    return float(t[hit].max(initial=0.0))


def square_any(outline: Array) -> float:
    """Return the square for a half turn by any motion: the widest outline across any heading."""
    at = turned(outline, np.linspace(0, np.pi, 181))
    return float(np.maximum(np.ptp(at[..., 0], axis=1), np.ptp(at[..., 1], axis=1)).max())


def square_axle(outline: Array) -> float:
    """Return the square for one half turn about the axle."""
    at = turned(outline, np.linspace(0, np.pi, 181)).reshape(-1, 2)
    return float(np.ptp(at, axis=0).max())


def facts() -> dict[str, float]:
    """Return what was measured, by id."""
    text = (files("handik.data") / "scenes" / "wheelchair_facts.csv").read_text("utf-8")
    return {row["id"]: float(row["value"]) for row in csv.DictReader(text.splitlines())}


def computed(count: int) -> dict[str, float]:
    """Return the same of drawn chairs and seats, by id."""
    share = MANUAL / (MANUAL + POWERED)
    kinds = ["manual" if k < share * count else "mid" for k in range(count)]
    fleet = [hk.access.chair(kind, seed=k).outline for k, kind in enumerate(kinds)]
    scooters = [hk.access.chair("scooter", seed=k).outline for k in range(count)]
    corner = np.array([corner_need(one) for one in fleet])
    scooter = np.array([corner_need(one) for one in scooters])
    manual = facts()["fleet_manual"]
    people = {kind: hk.population(count, chair=kind, seed=1) for kind in ("manual", "power")}
    seats = {kind: np.asarray(crowd.seat_height) for kind, crowd in people.items()}
    thighs = {
        kind: seats[kind] + np.asarray(crowd.dimensions["thigh_clearance"])
        for kind, crowd in people.items()
    }
    over = {kind: float((rows > KNEES).mean()) for kind, rows in thighs.items()}

    def seated(height: float) -> float:
        low = {kind: float((rows <= height).mean()) for kind, rows in seats.items()}
        return manual * low["manual"] + (1 - manual) * low["power"]

    return {
        "corner_half": float(np.quantile(corner, 0.5)),
        "corner_most": float(np.quantile(corner, 0.95)),
        "corner_scooter": float(np.quantile(scooter, 0.95)),
        "corner_915": float((np.concatenate([corner, scooter[: count // 4]]) <= 0.915).mean()),
        "square_low": float(np.mean([square_axle(one) <= 1.525 for one in fleet])),
        "square_high": float(np.mean([square_any(one) <= 1.525 for one in fleet])),
        "clear_space": float(np.mean([square_any(one) <= SHORT for one in fleet])),
        "seat_17": seated(0.4318),
        "seat_18": seated(0.4572),
        "seat_19": seated(0.4826),
        "seat_manual": float(seats["manual"].mean()),
        "seat_power": float(seats["power"].mean()),
        "seat_study": share * float(seats["manual"].mean())
        + (1 - share) * float(seats["power"].mean()),
        "knees": manual * over["manual"] + (1 - manual) * over["power"],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks wheelchairs")
    parser.add_argument("--count", type=int, default=2000, help="chairs drawn")
    given = parser.parse_args()
    measured, found = facts(), computed(given.count)
    print(f"{'fact':16} measured  computed  difference")
    for name, value in found.items():
        print(f"{name:16} {measured[name]:8.3f}  {value:8.3f}  {value - measured[name]:+.3f}")


if __name__ == "__main__":
    main()
