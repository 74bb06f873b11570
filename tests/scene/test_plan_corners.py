"""How corners are rounded: of the forms of a corner the first that is free, looked for in Python beside the core."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.check import compiled
from handik.scene.plan._curve import Curve

Array = np.ndarray
SHRINK, SHIFTS, FORMS, SLACK = 0.75, 4, 44, 1e-3
BALL = 0.05  # meters, of what moves


def cart() -> hk.Model:
    """Return a point that slides along x and y."""
    x = hk.JointSpec("x", "prismatic", "base", "along", axis=(1, 0, 0), lower=-9, upper=9)
    y = hk.JointSpec("y", "prismatic", "along", "cart", axis=(0, 1, 0), lower=-9, upper=9)
    return hk.Model(
        hk.ModelSpec("cart", [hk.LinkSpec(k) for k in ("base", "along", "cart")], [x, y])
    )


MODEL = cart()
BODY = hk.Figure(MODEL, [hk.Capsule("cart", (0, 0, 0), (0, 0, 1e-3), BALL)], pairs=[])


def form(q: Array, at: Array, wish: float, k: int) -> tuple[Array, Array]:
    """Return half widths and vertices of form k of the corner between two edges."""
    wide = wish * SHRINK ** min(k // SHIFTS, 4) * 0.5 ** max(k // SHIFTS - 4, 0)
    before, after = (q[1] - q[0]) / (at[1] - at[0]), (q[2] - q[1]) / (at[2] - at[1])
    leads = Curve.of(MODEL, q, at, np.array([0, wide, 0])).at(at[1:2])[0][0] - q[1]
    moved = q.copy()
    moved[1] -= 0.5 * (k % SHIFTS) * leads
    assert np.dot(leads, after - before) > 0  # inward
    return np.array([0, wide, 0]), moved


def room(q: Array, at: Array, half: Array, spheres: list[tuple[Array, float]]) -> float:
    """Return the least distance along the curve, from places."""
    s = np.linspace(at[0], at[-1], 2001)
    place = Curve.of(MODEL, q, at, half).at(s)[0]
    return min(float(np.linalg.norm(place - c, axis=1).min()) - r for c, r in spheres) - BALL


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_first_form_that_is_free_is_taken(seed: int) -> None:
    """One sphere inside the corner and one beyond it, which the polygon passes."""
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0.5, 2.5)
    ways = np.array([[1.0, 0.0], [np.cos(turn), np.sin(turn)]]) * rng.uniform(0.8, 2, (2, 1))
    q = np.array([-ways[0], [0, 0], ways[1]])
    at = np.append(0.0, np.cumsum(rng.uniform(0.5, 2, 2)))
    wish = rng.uniform(0.2, 0.95) * np.diff(at).min()
    inward = ways[1] / (at[2] - at[1]) - ways[0] / (at[1] - at[0])
    inward /= np.linalg.norm(inward)
    spheres = []
    for side in (1, -1):
        center = side * rng.uniform(0.1, 0.5) * inward
        s = np.linspace(0, 1, 400)[:, None]
        line = np.concatenate([q[0] + s * (q[1] - q[0]), s * q[2]])
        off = np.linalg.norm(line - center, axis=1).min() - BALL
        spheres.append((center, off - 10 ** rng.uniform(-2.2, -1.2)))
    spheres = [one for one in spheres if one[1] > 0]
    scene = hk.Scene()
    for k, (center, radius) in enumerate(spheres):
        scene = scene.add(f"ball_{k}", hk.scene.Sphere(radius), pose=([*center, 0], [1, 0, 0, 0]))
    world = compiled(scene, BODY)
    half, vertices = _core._path_blends(
        world.world, world.figure, q, at, np.array([0, wish, 0]), True, 2e-3
    )
    for k in range(FORMS):
        wide, moved = form(q, at, wish, k)
        free = room(moved, at, wide, spheres) if spheres else 1.0
        same = np.allclose(wide, half, rtol=1e-9) and np.allclose(moved, vertices, atol=1e-9)
        if same:
            assert free > -1e-6
            return
        assert free < SLACK, (k, free)  # one that is free by more is not passed over
    assert half[1] == 0


def rounded(
    q: list[list[float]], wish: list[float], balls: list[tuple[float, float, float]]
) -> Array:
    """Return half widths of corners, a second apart, none of whose vertices may be moved; balls are (x, y, radius)."""
    scene = hk.Scene()
    for k, (x, y, radius) in enumerate(balls):
        scene = scene.add(f"ball_{k}", hk.scene.Sphere(radius), pose=([x, y, 0], [1, 0, 0, 0]))
    world = compiled(scene, BODY)
    found, _ = _core._path_blends(
        world.world,
        world.figure,
        np.array(q),
        np.arange(float(len(q))),
        np.array(wish),
        False,
        2e-3,
    )
    return np.asarray(found)


def test_a_corner_beside_the_one_in_contact_stays_as_it_is() -> None:
    """Corner 1 is to be narrow; where it no longer leads away most, corner 2 touches nothing."""
    half = rounded(
        [[0, 0], [1, 0], [1, 1], [2, 1.0]],
        [0, 0.9, 0.9, 0],
        [(0.8, 0.36, 0.149), (0.8, 0.2, 0.149)],
    )
    np.testing.assert_allclose(half, [0, 0.9 * 0.75**4 * 0.5, 0.9, 0])


def test_widths_fall_from_what_there_is_room_for() -> None:
    """A wish beyond all room used up the forms before any was narrower: the corner stayed one."""
    q, ball = [[-1, 0], [0, 0], [0, 1.0]], (-0.3, 0.3, 0.2)
    half = [rounded(q, [0, wish, 0], [ball])[1] for wish in (1.0, 10.0, 1000.0)]
    assert 0 < half[0] < 1
    assert half == [half[0]] * 3
