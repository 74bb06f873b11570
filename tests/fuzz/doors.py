"""Random doors against an oracle in NumPy that drives each witness, and drives that would contradict a no.

`python tests/fuzz/doors.py [--seed 0] [--cases 200] [--hand]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np

import handik as hk
from handik.scene.access._door_drive import GRIDS, searched
from handik.scene.access._door_witness import Asked
from handik.scene.access._opening import _lever, _map
from handik.scene.access._passing import pose_of
from handik.scene.access._rooms_of import segments

STEP = 0.01  # meters between sampled instants


def ring(low, high):
    (x, y), (u, v) = low, high
    at = [(x, y), (u, y), (u, v), (x, v)]
    return [[at[k - 1], at[k]] for k in range(4)]


def drawn(seed: int) -> tuple[Any, ...]:
    """Return chair, walls, door, start and goal: two closed rooms with little to spare."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["manual", "rear", "mid", "front"]))
    chair = hk.access.chair(kind, seed=int(rng.integers(10_000)))
    leaf = str(rng.choice(["hinged", "hinged", "hinged", "sliding", "double"]))
    width = chair.width + rng.uniform(-0.01, 0.4) + (0.3 if leaf == "double" else 0.0)
    deep = chair.length + rng.uniform(0.05, 1.2)
    latch, hinge = rng.uniform(0.02, 0.9, 2)
    back = chair.length + rng.uniform(0.3, 1.2)
    closer = bool(rng.random() < 0.3) and leaf == "hinged"
    more: dict[str, Any] = {} if leaf == "sliding" else {"opening": float(rng.uniform(1.3, 1.7))}
    door = hk.access.Door(
        [[0, 0], [width, 0]],
        leaf,
        swing=str(rng.choice(["left", "right"])),
        closer=closer,
        latch=bool(rng.random() < 0.5),
        **more,
    )
    walls: list[Any] = [[(-hinge, 0), (0, 0)], [(width, 0), (width + latch, 0)]]
    walls += ring((-hinge, -back), (width + latch, deep))
    up = (width / 2, deep - chair.length / 2 - 0.02, None)
    down = (width / 2, -back + chair.length / 2 + 0.02, None)
    ends = (up, down) if rng.random() < 0.5 else (down, up)
    turn = rng.uniform(0, 2 * np.pi)  # nothing is along the axes
    c, s = np.cos(turn), np.sin(turn)
    about = np.array([[c, s], [-s, c]])
    walls = [np.asarray(w, float) @ about for w in walls]
    door = hk.access.Door(
        door.ends @ about, leaf, swing=door.swing, closer=closer, latch=door.latch, **more
    )
    ends = tuple((*(np.array(e[:2]) @ about).tolist(), None) for e in ends)
    return chair, walls, door, *ends, bool(rng.random() < 0.2) and not closer


def outline_at(chair, pose):
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return chair.outline @ np.array([[c, s], [-s, c]]) + pose[:2]


def apart(one, other) -> bool:
    """Whether two convex polygons (or a segment) have an axis between them."""
    for shape in (one, other):
        for k in range(len(shape)):
            edge = shape[k] - shape[k - 1]
            normal = np.array([edge[1], -edge[0]])
            if not normal.any():
                continue
            a, b = one @ normal, other @ normal
            if a.max() < b.min() or b.max() < a.min():
                return True
    return False


def wrong_drive(found, walls) -> str:
    """Return what is wrong with a witness driven in small steps; nothing: an empty text."""
    lines = [np.asarray(w, float) for w in walls]
    reach = np.hypot(*found.chair.outline.T).max()
    for k, (a, b) in enumerate(itertools.pairwise(found.path)):
        way = b - a
        kinds = (np.hypot(*way[:2]) > 1e-9, abs(way[2]) > 1e-9, np.abs(way[3:]).max() > 1e-9)
        if sum(kinds) > 1:
            return f"row {k}: more than one thing moves"
        if kinds[0] and abs(np.cos(a[2]) * way[1] - np.sin(a[2]) * way[0]) > 1e-8:
            return f"row {k}: the chair goes sideways"
        far = np.hypot(*way[:2]) + reach * abs(way[2]) + np.abs(way[3:]).sum()
        for t in np.linspace(0, 1, int(far / STEP) + 2):
            now = a + t * way
            chair = outline_at(found.chair, now)
            leaves = found.door.corners(now[3:])
            if not all(apart(chair, line) for line in lines):
                return f"row {k} at {t:.2f}: a wall is touched"
            if not all(apart(chair, leaf) for leaf in leaves):
                return f"row {k} at {t:.2f}: the leaf is touched"
    return ""


def wrong_hand(found, person) -> str:
    """Return what is wrong with the hands: where they are on the leaf, how far from the shoulder."""
    arm = 1.5  # from the shoulder at rest: an arm of 0.9 m, and a trunk that leans
    for k, (a, b) in enumerate(itertools.pairwise(found.path)):
        moved = b[3:] - a[3:]
        if not moved.any():
            continue
        grasp = found.grasps[k]
        if grasp is None:
            if not (found.door.closer and moved.min() < 0):
                return f"row {k}: no hand moves the leaf"
            continue
        hips = found.chair.outline[:, 0].max() - person.toes
        c, s = np.cos(a[2]), np.sin(a[2])
        own = person.shoulder[("right", "left").index(grasp.hand)] + [hips, 0]
        shoulder = a[:2] + np.array([[c, -s], [s, c]]) @ own
        for at, opened in ((grasp.start, a[3:]), (grasp.end, b[3:])):
            if np.hypot(*(shoulder - at)) > arm:
                return f"row {k}: the hand is {np.hypot(*(shoulder - at)):.2f} m from the shoulder"
            near = min(
                np.hypot(*(leaf - at).T).min() - found.door.length
                for leaf in found.door.corners(opened)
            )
            if near > 0.1:
                return f"row {k}: the hand is not at the leaf"
    return ""


def wrong_no(chair, walls, door, start, goal, shut, person) -> str:
    """Return what contradicts a no: a drive of the same chair, found on a finer grid."""
    ends = []
    for name, value in (("start", start), ("goal", goal)):
        place, heading = pose_of(name, value)
        ends.append((place, heading or 0.0, 2 * np.pi if heading is None else 0.0))
    hand = _map(person, door, chair)
    lines = segments([np.asarray(w, float) for w in walls])
    asked = Asked(chair, door, lines, *ends, hand, _lever(door, None), shut, 0.005, 60_000)
    said = searched(asked, GRIDS[1])[0]
    return "a drive was found where none is" if said == "found" else ""


def case(seed: int, person=None) -> tuple[str, str]:
    """Return the verdict of one door, and what is wrong with it."""
    chair, walls, door, start, goal, shut = drawn(seed)
    found = hk.access.opens(chair, walls, door, start, goal, person=person, shut=shut)
    if found.verdict == "no":
        return "no", wrong_no(chair, walls, door, start, goal, shut, person)
    if found.verdict == "undecided":
        return "undecided", ""
    fault = wrong_drive(found, walls)
    if not fault and person is not None:
        fault = wrong_hand(found, person)
    if not fault and np.hypot(*(found.path[-1, :2] - goal[:2])) > 1e-9:
        fault = "it does not end at the goal"
    if not fault and (found.path[0, 3:].any() or (shut and found.path[-1, 3:].any())):
        fault = "the leaf does not begin or end shut"
    return "yes", fault


def main() -> None:
    """Try doors, print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--hand", action="store_true", help="ask for the hand of a man, too")
    given = parser.parse_args()
    person = None
    if given.hand:
        person = hk.access.reach_map(hk.human(sex="male", position="seated"), 1.0)
    count: dict[str, int] = {}
    faults = 0
    for seed in range(given.seed, given.seed + given.cases):
        said, fault = case(seed, person)
        count[said] = count.get(said, 0) + 1
        if fault:
            faults += 1
            print(f"seed {seed}: {said}: {fault}", flush=True)
    print(count, f"{faults} faults")


if __name__ == "__main__":
    main()
