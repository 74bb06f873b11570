"""Markers and recorded motions: errors, and time a frame.

Without files: a person of whose segments each carries three markers, 4 cm off the bone and seen
with 2 mm of noise an axis; the joints of the fit against those that made the markers, and the
lengths of segments that are 10 % off at most, by variable projection. With BVH files: their way
out and back, and their motion on a person - how far the wrist, seen from its shoulder and scaled by
the arm's length, is from the source's, and how far limits are broken.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import handik as hk
from handik.people.motion import fit_markers, retarget, scale_to_markers

#: Segment -> the one that carries it, and where, meters.
BODY = {
    "pelvis": ("", (0, 0, 1)), "spine": ("pelvis", (0, 0, 0.1)), "chest": ("spine", (0, 0, 0.2)),
    "neck": ("chest", (0, 0, 0.2)), "head": ("neck", (0, 0, 0.1)),
    **{
        f"{name}_{side}": (above if above in ("chest", "pelvis") else f"{above}_{side}", place)
        for side, s in (("left", 1), ("right", -1))
        for name, above, place in (
            ("collar", "chest", (0, 0.05 * s, 0.15)), ("arm", "collar", (0, 0.15 * s, 0)),
            ("forearm", "arm", (0, 0.28 * s, 0)), ("hand", "forearm", (0, 0.25 * s, 0)),
            ("thigh", "pelvis", (0, 0.09 * s, 0)), ("shank", "thigh", (0, 0, -0.4)),
            ("foot", "shank", (0, 0, -0.42)),
        )
    },
}  # fmt: skip
PLACES = {
    f"{name} {k}": (name, 0.04 * np.array([np.cos(a), np.sin(a), z]))
    for name in BODY
    for k, (a, z) in enumerate([(0.3, 0.8), (2.4, -0.8), (4.5, 1.5)])
}


def body(factor: dict[str, float]) -> hk.Model:
    """Return nineteen balls, the lowest free."""
    spec = hk.ModelSpec("body", [hk.LinkSpec("world")])
    for name, (above, place) in BODY.items():
        at = np.eye(4)
        at[:3, 3] = np.array(place) * (factor.get(above, 1.0) if above else 1.0)
        spec.links.append(hk.LinkSpec(name))
        kind = "ball" if above else "free"
        spec.joints.append(hk.JointSpec(name, kind, above or "world", name, at))
    return hk.Model(spec)


def seen(model: hk.Model, places: dict, frames: int) -> tuple[hk.Motion, hk.read.Markers]:
    """Return a motion and its markers with noise."""
    rng = np.random.default_rng(1)
    t = np.arange(frames) / 100
    a = 0.25 * rng.normal(size=(3, model.nv))
    v = sum(a[k] * np.sin((k + 1) * 1.5 * t[:, None] + 9 * a[k]) for k in range(3))
    motion = hk.Motion(model.integrate(np.tile(model.rest, (frames, 1)), v), t, model)
    rows = []
    for frame, point in places.values():
        poses = model.fk(motion.q, frame=frame)
        rows.append(poses[:, :3, :3] @ point + poses[:, :3, 3])
    points = np.stack(rows, axis=1)
    points += 0.002 * rng.normal(size=points.shape)
    return motion, hk.read.Markers(tuple(places), t, points)


def markers(frames: int) -> None:
    """Print the fit, and the scales."""
    man = body({})
    true, points = seen(man, PLACES, frames)
    begun = time.process_time()
    fit = fit_markers(man, points, PLACES)
    spent = time.process_time() - begun
    turns = man.difference(true.q, fit.motion.q)[:, 3:].reshape(frames, -1, 3)
    off = np.degrees(np.linalg.norm(turns, axis=2))
    words, counts = np.unique(fit.outcomes, return_counts=True)
    print(f"{len(PLACES)} markers, {man.nq} coordinates, {frames} frames, 2 mm of noise an axis")
    print(
        f"joints off: median {np.median(off):.2f}, p95 {np.percentile(off, 95):.2f} degrees; "
        f"markers {1e3 * fit.rms:.2f} mm rms; {fit.iterations.mean():.1f} iterations, "
        f"{1e3 * spent / frames:.2f} ms a frame; {dict(zip(words.tolist(), counts.tolist(), strict=True))}"
    )
    rng = np.random.default_rng(7)
    factor = {name: float(rng.uniform(0.9, 1.1)) for name in BODY}
    places = {k: (link, point / factor[link]) for k, (link, point) in PLACES.items()}
    _, points = seen(body(factor), PLACES, frames)
    begun = time.process_time()
    found = scale_to_markers(man, points, places, frames=frames)
    spent = time.process_time() - begun
    carrying = {above for above, _ in BODY.values() if above}
    wrong = np.array([found.scales[link] - factor[link] for link in carrying])
    print(
        f"scales off: {100 * np.sqrt(np.mean(wrong**2)):.2f} % rms, {100 * np.abs(wrong).max():.2f} "
        f"% at most, {spent:.1f} s"
    )


def recorded(path: Path) -> None:
    """Print how a file comes back, and how a person does its motion."""
    source = hk.Motion.read(path)
    with tempfile.TemporaryDirectory() as folder:
        source.save(Path(folder) / "again.bvh")
        again = hk.Motion.read(Path(folder) / "again.bvh")
    back = max(np.abs(source.path(n) - again.path(n)).max() for n in source.model.joint_names)
    eva = hk.human("female", detail="full", position="standing")
    begun = time.process_time()
    found = retarget(source, eva)
    spent = time.process_time() - begun
    q = found.motion.q
    outside = np.abs(eva.model.difference(q, eva.model.clip(q))).max()
    wrists = np.concatenate([found.misses[f"hand_{side}"] for side in ("left", "right")])
    print(
        f"{path.name}: {len(source)} frames, {len(source.model.joint_names)} joints; out and back "
        f"{back:.0e} m; on a person wrists {1e3 * np.percentile(wrists, 95):.1f} mm at the 95th "
        f"percentile, {1e3 * wrists.max():.1f} at most, limits broken by {outside:.0e}, "
        f"{1e3 * spent / len(source):.1f} ms a frame"
    )


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks motion", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="BVH files")
    parser.add_argument("--frames", type=int, default=100)
    args = parser.parse_args()
    markers(args.frames)
    for path in args.files:
        recorded(path)


if __name__ == "__main__":
    main()
