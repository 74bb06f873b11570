"""Proved edges: sampled at half a millimeter nothing is hit; witnesses are in contact."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk


def cluttered(seed: int, count: int = 12) -> hk.Scene:
    rng = np.random.default_rng(seed)
    scene = hk.Scene().add("floor", hk.scene.Plane(), [0, 0, -0.4])
    for k in range(count):
        size, place = rng.uniform(0.05, 0.4, 3), rng.uniform(-0.9, 0.9, 3)
        place[:2] += 0.3 * np.sign(place[:2])
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn[:, 0] *= np.linalg.det(turn)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn, place
        thing = (hk.scene.Box(size), hk.scene.Sphere(size[0] / 2), hk.scene.Capsule(size[1], 0.05))
        scene = scene.add(f"thing {k}", thing[k % 3], pose)
    return scene


def arm() -> hk.Figure:
    model = hk.data("ur5")
    frames = model.frames(model.rest)
    ends = []
    for k in range(1, 6):
        a, b = (model.frame_names.index(f"link_{j}") for j in (k, k + 1))
        end = np.linalg.solve(frames[a], frames[b][:, 3])[:3]
        ends.append(hk.Capsule(f"link_{k}", (0, 0, 0), tuple(map(float, end)), 0.045))
    return hk.Figure(model, ends, draws=50_000)


def balls() -> hk.Figure:
    """A chain of balls: edges turn them steadily."""
    model = hk.chain([0.3, 0.3, 0.2], "ball")
    links = [n for n in model.frame_names if n.startswith("link")][-3:]
    return hk.Figure(
        model, [hk.Capsule(n, (0, 0, 0), (0.2, 0, 0), 0.03) for n in links], draws=50_000
    )


def person() -> hk.Figure:
    """Shoulder blades that follow the arms are among what moves."""
    anna = hk.human(sex="female", stature=1.62)
    names = anna.model.frame_names
    parts = [c for c in anna.capsules if "hand" in c.name or "arm" in c.name or "shin" in c.name]
    return hk.Figure(
        anna.model,
        [
            hk.Capsule(c.link, tuple(c.start), tuple(c.end), max(c.radii))
            for c in parts
            if c.link in names
        ],
        [],
    )


FIGURES = {"arm": arm, "balls": balls, "person": person}


def farthest(figure: hk.Figure, a: np.ndarray, b: np.ndarray) -> float:
    """Return a bound of the way of any point, from many small pieces."""
    model = figure.model
    t = np.linspace(0, 1, 50)[:, None]
    q = model.integrate(np.broadcast_to(a, (50, model.nq)), t * model.difference(a, b))
    poses = model.frames(q)[..., :3, :]
    ends = [
        poses[:, model.frame_names.index(c.frame)] @ np.array([*end, 1.0])
        for c in figure.capsules
        for end in (c.start, c.end)
    ]
    return float(max(np.linalg.norm(np.diff(x, axis=0), axis=1).sum() for x in ends)) * 1.1


def run(name: str, seed: int, edges: int, step: float) -> tuple[int, int, int]:
    """Prove edges, and sample the free ones at `step` meters; return how many of each kind."""
    figure, scene = FIGURES[name](), cluttered(seed)
    model = figure.model
    rng = np.random.default_rng(seed)
    start = model.sample(40 * edges, seed=seed)
    start = start[scene.free(figure, start)][:edges]
    way = rng.normal(size=(len(start), model.nv)) * rng.choice([0.03, 0.1, 0.3], (len(start), 1))
    end = model.clip(model.integrate(start, way))
    proof = scene.proves(figure, start, end)
    free = proof.outcome == "free"
    for a, b in zip(start[free], end[free], strict=True):
        n = int(farthest(figure, a, b) / step) + 2
        t = np.linspace(0, 1, n)[:, None]
        q = model.integrate(np.broadcast_to(a, (n, model.nq)), t * model.difference(a, b))
        assert scene.free(figure, q).all()
    hit = proof.outcome == "collides"
    assert not scene.free(figure, proof.witness[hit]).any()
    assert np.isnan(proof.witness[~hit]).all()
    return int(free.sum()), int(hit.sum()), int((~free & ~hit).sum())


@pytest.mark.parametrize("name", FIGURES)
def test_proved_edges_hit_nothing(name: str) -> None:
    free, hit, stuck = run(name, 1, 60, 5e-4)
    assert free >= 5
    assert hit >= (name != "person")
    assert stuck <= 0.3 * (free + hit)


def test_a_proof_is_true_or_false_as_a_whole() -> None:
    figure, scene = balls(), hk.Scene().add("wall", hk.scene.Box([0.1, 3, 3]), [0.6, 0, 0])
    rest = figure.model.rest
    assert bool(scene.proves(figure, rest, rest)) is bool(scene.free(figure, rest))
    far = hk.Scene().add("wall", hk.scene.Box([0.1, 3, 3]), [2, 0, 0])
    q = figure.model.sample(5, seed=1)
    figure = hk.Figure(figure.model, figure.capsules, [])
    proof = far.proves(figure, rest, q)
    assert proof
    assert np.isnan(proof.at).all()
    assert proof.groups.min() >= 1


def test_a_finer_tolerance_decides_more() -> None:
    """A gap of 1 mm beside the way is seen by the finer proof."""
    model = hk.chain([0.5])
    figure = hk.Figure(model, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.05)], [])
    scene = hk.Scene().add("wall", hk.scene.Box([2, 2, 0.1]), [0, 0, 0.1 + 5e-4])
    a, b = model.rest - 0.5, model.rest + 0.5
    assert scene.proves(figure, a, b, tolerance=1e-2).outcome == "undecided"
    assert scene.proves(figure, a, b, tolerance=1e-5).outcome == "free"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(2, 5))
def test_many_proved_edges_hit_nothing(seed: int) -> None:
    for name in ("arm", "balls"):
        free, _, _ = run(name, seed, 300, 5e-4)
        assert free > 30
