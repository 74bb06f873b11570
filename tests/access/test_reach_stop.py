"""A chair that may stop anywhere: stops that are free, and places that no free stop reaches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.scene.access._stop import _from, _ground, _meet, _seen

ANNA = hk.human(sex="female", stature=1.62)
CHAIR = hk.access.chair()
SITS = hk.access.seat(ANNA, CHAIR)
HOME, LIFT = SITS._at_origin, SITS._at_origin._lift


def filled(outline: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Points all over an outline in a pose."""
    low, high = outline.min(0), outline.max(0)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 40) for a, b in zip(low, high, strict=True))))
    at = grid.reshape(2, -1).T
    edge, n = np.roll(outline, -1, 0) - outline, len(outline)
    off = at[:, None] - outline
    inside = (edge[:, 0] * off[..., 1] - edge[:, 1] * off[..., 0] >= -1e-12).all(1)
    assert n >= 4
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(at[inside] @ np.array([[c, s], [-s, c]]) + pose[:2])


def in_block(points: np.ndarray, half: float) -> bool:
    return bool((np.abs(points) < half - 1e-9).all(1).any())


def block(half: float) -> hk.Scene:
    return hk.Scene().add("block", hk.scene.Box([2 * half, 2 * half, 0.6]), [0, 0, 0.3])


def test_the_chair_stops_where_it_is_free_and_the_hand_is_there() -> None:
    scene, target = block(0.5), np.array([-0.4, 0.1, 0.9])
    found = hk.access.reach(ANNA, scene, target, approach=CHAIR)
    assert found.verdict == "yes"
    assert not in_block(filled(CHAIR.outline, found.stop.pose), 0.5)
    there = SITS.with_base(found.stop.base)
    assert np.linalg.norm(there.model.fk(found.q, frame=found.frame)[:3, 3] - target) <= 1e-3
    assert scene.free(found.figure, found.q)
    front = CHAIR.length - CHAIR.axle
    ahead = np.linalg.inv(found.stop.base) @ [
        *(found.stop.pose[:2] + front * np.array(
            [np.cos(found.stop.pose[2]), np.sin(found.stop.pose[2])])), 0, 1]  # fmt: skip
    assert ahead[:2] == pytest.approx([_toes(), 0], abs=1e-9)
    seen = np.linalg.inv(found.stop.base) @ [*target, 1]
    angle = np.degrees(np.arctan2(seen[1], seen[0]))
    words = {"front": abs(angle) <= 45, "left": 45 <= angle <= 135, "right": -135 <= angle <= -45}
    assert words.get(found.stop.side, abs(angle) >= 135)
    assert f"the chair stops at {found.stop.pose[0]:.2f}" in found.why
    assert "le fauteuil s'arrête" in found.tell("fr")


def _toes() -> float:
    from handik.scene.access._seat import toes_of

    return toes_of(ANNA)


def test_no_free_stop_contradicts_a_no() -> None:
    """Poses drawn about the block, free by points all over the chair: none reaches."""
    scene, rng = block(1.4), np.random.default_rng(3)
    target = np.array([0.0, 0.1, 0.9])
    found = hk.access.reach(ANNA, scene, target, approach=CHAIR, within=np.inf)
    assert found.verdict == "no"
    assert found.cells > 1000
    assert "wherever the chair stops" in found.why
    assert found.changes == ()
    ground = _ground(ANNA, CHAIR, scene)
    poses = np.column_stack([rng.uniform(-2.6, 2.6, (3000, 2)), rng.uniform(-4, 4, 3000)])
    free = np.array([not in_block(filled(ground.outline, pose), 1.4) for pose in poses])
    assert free.sum() > 500
    seen = _seen(poses[free], target - [0, 0, LIFT])
    tried = HOME.model.solve(position=seen, frame="grip_right", max_iter=60)
    assert not tried.converged.any()
    with pytest.raises(hk.UnsupportedError, match="wherever"):
        _ = found.certificate


def test_too_high_is_a_no_from_everywhere() -> None:
    wall = hk.Scene().add("wall", hk.scene.Box([0.1, 2, 2.4]), [1, 0, 1.2])
    high = hk.access.reach(ANNA, wall, [0.9, 0, 2.1], approach=CHAIR, hand="either")
    assert high.verdict == "no"
    tips = SITS.model.fk(SITS.model.sample(5000, seed=1), frame="grip_right")
    assert tips[:, 2, 3].max() < 2.1
    least, most = high.short
    assert 0.01 < least < most < 1.0  # the tolerance of 0.001 and infinite before
    assert f"by {1000 * least:.0f} to {1000 * most:.0f} mm wherever" in high.why
    assert f"{1000 * least:.0f} à {1000 * most:.0f} mm" in high.tell("fr")
    # No posture at any free stop comes nearer than what is proved, and one is as near as was found.
    ground, rng, at = _ground(ANNA, CHAIR, wall), np.random.default_rng(4), [0.9, 0, 2.1]
    poses = np.column_stack([rng.uniform(-1, 1, (2000, 2)) + [0.4, 0], rng.uniform(-4, 4, 2000)])
    poses = poses[ground.free(poses)]
    seen = _seen(poses, np.array(at) - [0, 0, LIFT])
    gaps = []
    for side in ("right", "left"):
        q = HOME.model.solve(position=seen, frame=f"grip_{side}", max_iter=60).q
        gaps.append(np.linalg.norm(HOME.model.fk(q, frame=f"grip_{side}")[:, :3, 3] - seen, axis=1))
    assert least <= np.min(gaps) <= most + 0.15
    quick = hk.access.reach(ANNA, wall, at, approach=CHAIR, hand="either", within=np.inf)
    assert quick.verdict == "no"
    assert quick.short == (1e-3, np.inf)


def test_the_way_to_the_stop_counts() -> None:
    room = [[[-3, -2], [3, -2]], [[3, -2], [3, 2]], [[3, 2], [-3, 2]], [[-3, 2], [-3, -2]]]
    scene = hk.Scene()
    for k, (a, b) in enumerate(room):
        low, high = np.minimum(a, b) - 0.05, np.maximum(a, b) + 0.05
        size = [*(high - low), 2.4]
        scene = scene.add(f"wall {k}", hk.scene.Box(size), [*(0.5 * (low + high)), 1.2])
    here = hk.access.reach(ANNA, scene, [2.8, 0, 0.9], approach=CHAIR, start=(0, 0, 0))
    assert here.verdict == "yes"
    assert here.stop.passing.verdict == "yes"
    assert here.stop.passing.path[-1] == pytest.approx(here.stop.pose, abs=1e-6)
    out = hk.access.reach(
        ANNA, scene, [2.8, 0, 0.9], approach=CHAIR, start=(-6, 0, 0), tries=2, within=np.inf
    )
    assert out.verdict == "undecided"


def test_deep_in_a_thing_is_a_no_from_everywhere() -> None:
    scene = hk.Scene().add("cube", hk.scene.Box([0.2, 0.2, 0.2]), [0, 0, 1.0])
    found = hk.access.reach(ANNA, scene, [0, 0, 1.0], approach=CHAIR, within=np.inf)
    assert (found.verdict, found.stop) == ("no", None)
    assert "100 mm deep in cube" in found.why


BOX = st.tuples(*[st.floats(-1, 1)] * 2, *[st.floats(0.05, 0.8)] * 2, st.floats(-3, 3))


@given(BOX, BOX)
@settings(max_examples=150, deadline=None)
def test_outlines_meet_as_their_points_do(a: tuple, b: tuple) -> None:
    """Corners of the one in the other, or edges that cross: the long way round."""
    one, two = rectangle(a), rectangle(b)
    size = np.array([_from(two, p[None])[0] for p in one] + [_from(one, p[None])[0] for p in two])
    crossed = any(
        _cross(p, q, r, s)
        for p, q in zip(one, np.roll(one, -1, 0), strict=True)
        for r, s in zip(two, np.roll(two, -1, 0), strict=True)
    )
    if size.min() > 1e-6 or crossed or size.min() == 0:
        assert _meet(one, two) == (crossed or bool((size == 0).any()))


def rectangle(given: tuple) -> np.ndarray:
    x, y, w, h, turn = given
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + [x, y])


def _cross(p: np.ndarray, q: np.ndarray, r: np.ndarray, s: np.ndarray) -> bool:
    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def test_what_is_no_approach() -> None:
    scene = block(0.3)
    for who, where, options, words in (
        (ANNA, None, {}, "scene"),
        (hk.human(position="standing"), scene, {}, "seated"),
        (ANNA, scene, {"hand": "both"}, "one hand"),
        (ANNA, scene, {"start": (0, 0, 0, 0)}, "start"),
        (ANNA, scene, {"start": (0, float("nan"))}, "finite"),
    ):
        with pytest.raises(hk.ArgumentError, match=words):
            hk.access.reach(who, where, [0.3, 0, 1], approach=CHAIR, **options)
    with pytest.raises(hk.ArgumentError, match="start="):
        hk.access.reach(ANNA, scene, [0.3, 0, 1], start=(0, 0, 0))
    with pytest.raises(TypeError):
        hk.access.reach(ANNA, scene, [0.3, 0, 1], approach="chair")
