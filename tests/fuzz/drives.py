"""Random drives with a wheelchair against Coal, shapely and arcs in closed form.

`python tests/fuzz/drives.py [--seed 0] [--cases 100]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
from typing import Any

import coal
import numpy as np
import shapely

import handik as hk
from handik.app import App
from handik.app._bodies import body_of
from handik.app._drive import FAST, ROUND, STEER, WHEELBASE, Ride
from handik.scene import Box, Cylinder, Plane
from handik.scene.check._enclose import capsules_of_human

LOW, HIGH = 0.02, 0.6  # what docs/how-to/application.md says of the chair
KINDS = ("manual", "rear", "mid", "front", "scooter")
STEP = 0.002  # meters between sampled instants
ALLOWED = 0.0006  # meters that a contact may be missed by
ASKED = coal.DistanceRequest(True)


def pose(place: Any, yaw: float, tilt: float = 0.0) -> Any:
    """Return a pose (4, 4): turned about z, then about its own y."""
    c, s, u, v = np.cos(yaw), np.sin(yaw), np.cos(tilt), np.sin(tilt)
    out = np.eye(4)
    out[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ [[u, 0, v], [0, 1, 0], [-v, 0, u]]
    out[:3, 3] = place
    return out


def drawn(seed: int) -> tuple[App, list[tuple[Any, Any, float]], list[tuple[float, float, float]]]:
    """Return an application with a driver, its things with pose and tilt, and the legs."""
    rng = np.random.default_rng(seed)
    floor = float(rng.choice([0.0, 0.0, 3.2]))
    scene, things = hk.Scene().add("floor", Plane(), pose([0, 0, floor], 0)), []
    for k in range(int(rng.integers(2, 8))):
        way, off = rng.uniform(0, 2 * np.pi), rng.uniform(0.9, 2.2)
        deep = rng.choice([0.3, 0.72, 1.9]) + rng.uniform(-0.2, 0.2)  # low, a table's top, overhead
        at = [off * np.cos(way), off * np.sin(way), floor + deep]
        tilt = float(rng.uniform(-1, 1)) if rng.random() < 0.3 else 0.0
        if rng.random() < 0.3:
            shape: Any = Cylinder(rng.uniform(0.05, 0.8), rng.uniform(0.02, 0.5))
        else:
            shape = Box(rng.uniform(0.02, 0.9, 3).tolist())
        things.append((shape, pose(at, rng.uniform(0, 6), tilt), tilt))
        scene = scene.add(f"thing {k}", shape, things[-1][1])
    app = App(scene)
    app.do("person.add", sex=str(rng.choice(["female", "male"])))
    turn = rng.uniform(0, 2 * np.pi)
    q = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
    app.do("node.transform", node="person", pose=[0, 0, floor, *q])
    percentile = float(rng.uniform(5, 95))
    app.do("person.chair", kind=str(rng.choice(KINDS)), percentile=percentile)
    legs = [tuple(rng.uniform([-1, -1, 0.02], [1, 1, 0.1])) for _ in range(4)]
    every = [leg for leg in legs for _ in range(int(rng.integers(5, 25)))]
    return app, things, [*every, (0.0, 0.0, 0.05)]  # at last she stands still


def arc(ride: Ride, at: Any, forward: float, turn: float, time: float, step: float = STEP) -> Any:
    """Return poses all along an arc about the point where the axle's line stands still."""
    v, w = FAST * forward, ROUND * turn
    if ride.chair.kind == "scooter":
        w = v * np.tan(STEER * turn) / (WHEELBASE * ride.chair.length)
    count = 2 + int((abs(v) + 1.5 * abs(w)) * time / step)
    angles = at[2] + w * np.linspace(0, time, count)
    if abs(w) * time < 1e-9:
        ahead = v * np.linspace(0, time, count)
        return np.stack([at[0] + ahead * np.cos(at[2]), at[1] + ahead * np.sin(at[2]), angles], -1)
    middle = at[:2] + v / w * np.array([-np.sin(at[2]), np.cos(at[2])])
    round_ = middle + v / w * np.stack([np.sin(angles), -np.cos(angles)], -1)
    return np.column_stack([round_, angles])


class Judge:
    """What touches what, by Coal: the chair as an upright prism, the user's capsules."""

    def __init__(self, app: App, ride: Ride, things: list[tuple[Any, Any, float]]) -> None:
        self.ride, self.floor = ride, float(app.document.scene.world("person")[2, 3])
        corners = coal.StdVec_Vec3s()
        for x, y in ride.chair.outline:
            for z in (LOW, HIGH):
                corners.append(np.array([x, y, self.floor + z]))
        self.chair = coal.Convex.convexHull(corners, True, "Qt")
        self.things = [
            (
                coal.Cylinder(s.radius, s.length) if isinstance(s, Cylinder) else coal.Box(*s.size),
                coal.Transform3s(T[:3, :3], T[:3, 3]),
            )
            for s, T, _ in things
        ]
        self.flat = None
        if not any(tilt for *_, tilt in things):
            self.flat = shapely.union_all([self.seen(s, T) for s, T, _ in things])
        actor = app.document.actor()[1]
        body = body_of(actor)
        self.user = []
        for one in capsules_of_human(body.person)[0]:
            link = np.asarray(body.model.fk(actor.posture, frame=one.frame))
            a, b = np.array([one.start, one.end]) @ link[:3, :3].T + link[:3, 3]
            long = float(np.linalg.norm(b - a))
            z = (b - a) / long if long > 1e-9 else np.eye(3)[2]
            x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
            x /= np.linalg.norm(x)
            own = np.eye(4)
            own[:3] = np.column_stack([x, np.cross(z, x), z, (a + b) / 2])
            self.user.append((coal.Capsule(one.radius, long), own))

    def seen(self, shape: Any, at: Any) -> Any:
        """Return an upright thing from above, if it reaches into the chair's heights."""
        tall = shape.length if isinstance(shape, Cylinder) else shape.size[2]
        middle = at[2, 3] - self.floor
        if middle + tall / 2 <= LOW or middle - tall / 2 >= HIGH:
            return shapely.Polygon()
        if isinstance(shape, Cylinder):
            return shapely.Point(*at[:2, 3]).buffer(shape.radius, quad_segs=256)
        x, y = shape.size[0] / 2, shape.size[1] / 2
        corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) @ at[:2, :2].T + at[:2, 3]
        return shapely.Polygon(corners)

    def chair_apart(self, row: Any) -> float:
        T = pose([row[0], row[1], 0], row[2])
        here = coal.Transform3s(T[:3, :3], T[:3, 3])
        result = [
            coal.distance(self.chair, here, body, there, ASKED, coal.DistanceResult())
            for body, there in self.things
        ]
        return min(result)

    def user_apart(self, row: Any) -> float:
        c, s = np.cos(row[2]), np.sin(row[2])
        ahead = self.ride.ahead
        T = pose([row[0] - ahead * c, row[1] - ahead * s, self.floor], row[2])
        least = np.inf
        for body, own in self.user:
            at = T @ own
            here = coal.Transform3s(at[:3, :3], at[:3, 3])
            for other, there in self.things:
                far = coal.distance(body, here, other, there, ASKED, coal.DistanceResult())
                least = min(least, far)
        return float(least)

    def clearance(self, rows: Any) -> float:
        """Return the least distance seen from above."""
        assert self.flat is not None
        if self.flat.is_empty:
            return float("inf")
        outlines = []
        for x, y, heading in rows:
            c, s = np.cos(heading), np.sin(heading)
            corners = self.ride.chair.outline @ np.array([[c, s], [-s, c]]) + [x, y]
            outlines.append(shapely.Polygon(corners))
        return float(shapely.distance(np.array(outlines), self.flat).min())


def case(seed: int) -> tuple[str, str]:
    """Return what became of a drive, and a fault or nothing."""
    app, things, legs = drawn(seed)
    ride = Ride(app.document)
    judge = Judge(app, ride, things)
    first = ride.contact(ride.pose)
    apart = min(judge.chair_apart(ride.pose), judge.user_apart(ride.pose))
    if first is not None:
        return "touching", "" if apart < 2e-4 else f"no contact where it begins: {apart}"
    if apart < -1e-6:
        return "touching", f"begins in contact {apart}"
    rows, bumps = [ride.pose[None]], 0
    for forward, turn, time in legs:
        before, asked = ride.pose.copy(), arc(ride, ride.pose, forward, turn, time)
        met = ride.drive(forward, turn, time)
        if met is None:
            if np.abs(asked[-1] - ride.pose).max() > 1e-9:
                return "", f"off its arc by {np.abs(asked[-1] - ride.pose).max()}"
            rows.append(asked)
            continue
        if len(ride.bumps) == bumps:
            continue  # still held: it stands where it stood
        bumps = len(ride.bumps)
        share = np.linspace(0, time, 101)
        on = np.array([arc(ride, before, forward, turn, float(t))[-1] for t in share])
        k = int(np.argmin(np.abs(on - ride.pose).max(axis=1)))
        rows.append(on[: max(k, 1)])
        # within a step of where it stands something is met, or nearly
        left = arc(ride, ride.pose, forward, turn, time, STEP / 10)
        far = np.cumsum([0.0, *np.hypot(*np.diff(left[:, :2], axis=0).T)])
        far = far + np.abs(left[:, 2] - left[0, 2]) * 1.6
        soon = left[far < 0.016]
        apart_at = judge.chair_apart if met.part is None else judge.user_apart
        nearest = min(map(apart_at, soon))
        if nearest > 3e-4:
            return "", f"held up by nothing: {nearest} from {met.said()}"
    every = np.vstack(rows)
    some = every[:: max(1, len(every) // 100)]
    chair = min(judge.chair_apart(row) for row in some)
    user = min(judge.user_apart(row) for row in some)
    if min(chair, user) < -ALLOWED:
        return "", f"drove through something: chair {chair}, user {user}"
    if judge.flat is not None:
        true = judge.clearance(every)
        if ride.least > true + 1e-6:
            return "", f"{ride.least} said to be clear, {true} is"
        if not ride.bumps and ride.least < true - 0.0031:
            return "", f"{true} is clear, {ride.least} said"
    return "held up" if ride.bumps else "free", ""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--cases", type=int, default=100)
    given = asked.parse_args()
    for seed in range(given.seed, given.seed + given.cases):
        said, fault = case(seed)
        print(seed, said, fault, flush=True)


if __name__ == "__main__":
    main()
