"""The capsules of a person: their distance, and how far the skin stands out of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.people.surface import capsule_ends
from handik.people.surface._capsules import outside
from handik.people.surface._data import mesh

number = st.floats(-1, 1)
point = st.tuples(number, number, number)
DIGITS = ("thumb", "index", "middle", "ring", "little")


@given(point, point, point, st.floats(0.01, 1), st.floats(0.01, 1))
@settings(max_examples=80, deadline=None)
def test_distance_is_that_to_the_nearest_of_many_balls(p, a, b, r, s) -> None:
    p, a, b = (np.array(k) for k in (p, a, b))
    t = np.linspace(0, 1, 20001)
    balls = np.linalg.norm(p - a - t[:, None] * (b - a), axis=1) - (r + t * (s - r))
    found = outside(p, a[None], b[None], np.array([[r, s]]))
    assert found.shape == (1,)
    assert found[0] == pytest.approx(balls.min(), abs=2e-4)
    assert found[0] <= balls.min() + 1e-7


@pytest.mark.parametrize("radii", [(0.5, 0.1), (0.1, 0.5)])
def test_a_ball_may_hold_the_other(radii) -> None:
    a, b = np.zeros((1, 3)), np.array([[0.1, 0.0, 0.0]])
    points = np.array([[0.05, 0.0, 0.0], [0.0, 2.0, 0.0]])
    center = a if radii[0] > radii[1] else b
    wanted = np.linalg.norm(points - center, axis=1) - 0.5
    np.testing.assert_allclose(outside(points, a, b, np.array([radii]))[:, 0], wanted, atol=1e-12)


def skin(person: hk.people.Human, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middles of every fifth triangle of the skin, and their areas."""
    v = person.surface(q).vertices
    a, b, c = (v[mesh().skin_faces[::5, k]] for k in range(3))
    return (a + b + c) / 3, np.linalg.norm(np.cross(b - a, c - a), axis=1)


def share_within(most: float, far: np.ndarray, area: np.ndarray) -> float:
    return float(area[far < most].sum() / area.sum())


@pytest.mark.parametrize("position", ["standing", "seated"])
@pytest.mark.parametrize("sex", ["female", "male"])
@pytest.mark.parametrize("seed", [0, 1])
def test_skin_stands_out_less_than_10_mm_at_95_percent(sex, position, seed) -> None:
    person = hk.human(dimensions=hk.people.dimensions(sex, seed=seed), position=position)
    bent = {"elbow_flexion_left": 1.5, "elbow_flexion_right": 1.5, "trunk_flexion": 0.4}
    bent |= {"neck_flexion": 0.3, "neck_turn": 0.5, "trunk_turn": 0.3}
    radii = np.array([c.radii for c in person.capsules])
    for q in (person.rest, person.posture(**bent)):
        ends = capsule_ends(person, q)
        points, area = skin(person, q)
        far = outside(points, ends[:, 0], ends[:, 1], radii).min(1)
        assert share_within(0.010, far, area) > 0.95
        assert far.max() < 0.045
        assert -0.012 < np.median(far) < 0.0  # nor are they much too large
        # Seated, the flesh is flat on the seat; that of the cones is not.
        assert share_within(-0.05, far, area) < {"standing": 0.05, "seated": 0.075}[position]


def test_as_fitted_each_part_stands_out_little() -> None:
    """Of every third vertex 95 % by 5 mm at most, and no capsule is larger than that asks for."""
    person = hk.human(sex="male")
    poses = person.surface._bound
    ends = np.array(
        [
            [poses[c.link][:3, :3] @ k + poses[c.link][:3, 3] for k in (c.start, c.end)]
            for c in person.capsules
        ]
    )
    radii = np.array([c.radii for c in person.capsules])
    still = mesh().weight("finger")[: mesh().skin] == 0  # those are curled at rest
    far = outside(person.surface.rest[: mesh().skin][still], ends[:, 0], ends[:, 1], radii)
    own, least = far.argmin(1), far.min(1)
    at_most = [np.quantile(least[own == k], 0.95) for k in np.unique(own)]
    assert np.median(at_most) == pytest.approx(0.005, abs=0.0015)
    assert max(at_most) < 0.009
    assert np.quantile(least, 0.95) < 0.0055


def test_capsules_are_named_and_go_with_their_links() -> None:
    bob = hk.human(sex="male")
    names = [c.name for c in bob.capsules]
    assert len(set(names)) == len(names) == 54
    assert sum(not n.startswith(tuple(f"{d}_" for d in DIGITS)) for n in names) == 44
    assert {n.replace("left", "right") for n in names if n.endswith("left")} == {
        n for n in names if n.endswith("right")
    }
    rng = np.random.default_rng(0)
    q = bob.rest + np.zeros((2, 3, 1))
    hinge = bob.model.joint_q_slices["elbow_flexion_left"]
    q[..., hinge] = rng.uniform(0, 2, (2, 3, 1))
    ends = capsule_ends(bob, q)
    assert ends.shape == (2, 3, 54, 2, 3)
    for k, c in enumerate(bob.capsules):
        pose = bob.model.fk(q[1, 2], frame=c.link)
        for at, end in zip(ends[1, 2, k], (c.start, c.end), strict=True):
            np.testing.assert_allclose(at, pose[:3, :3] @ end + pose[:3, 3], atol=1e-12)
    again = hk.human(dimensions=bob.dimensions).capsules
    for c, same in zip(bob.capsules, again, strict=True):
        assert (c.start.tobytes(), c.radii) == (same.start.tobytes(), same.radii)
    with pytest.raises(ValueError, match="read-only"):
        bob.capsules[0].start[0] = 1.0


def test_both_sides_are_alike() -> None:
    parts = {c.name: c for c in hk.human(sex="female").capsules}
    for name, left in parts.items():
        if name.endswith("_left"):
            right = parts[name.replace("left", "right")]
            np.testing.assert_allclose(left.start, right.start * [1, -1, 1], atol=2e-3)
            np.testing.assert_allclose(left.radii, right.radii, atol=3e-3)


def test_a_phalanx_has_its_own() -> None:
    eve = hk.human(sex="female", detail="hand_right")
    parts = {c.name: c for c in eve.capsules}
    assert len(parts) == 54 - 5 + 15
    assert "index_left" in parts
    assert "index_right" not in parts
    ends = dict(zip(parts, capsule_ends(eve, eve.rest), strict=True))
    for digit in DIGITS:
        bones = ["metacarpal" if digit == "thumb" else "proximal"]
        bones += ["proximal" if digit == "thumb" else "middle", "distal"]
        rows = [f"{digit}_{bone}_right" for bone in bones]
        for one, other in pairwise(rows):
            np.testing.assert_allclose(ends[one][1], ends[other][0], atol=1e-9)
        for name in rows:
            assert parts[name].link == name
            assert 0.004 <= min(parts[name].radii) <= max(parts[name].radii) < 0.025
    for digit in ("thumb", "index", "middle"):
        tip = eve.model.fk(eve.rest, frame=f"{digit}_tip_right")[:3, 3]
        last = parts[f"{digit}_distal_right"]
        off = outside(tip, *(k[None] for k in ends[last.name]), np.array([last.radii]))
        assert abs(off[0]) < 1e-3


def test_a_profile_has_capsules_on_its_own_links() -> None:
    for name in hk.people.impairments.profiles()[::5]:
        person = hk.human(sex="male", profile=name)
        assert {c.link for c in person.capsules} <= set(person.model.frame_names)
        assert len(capsule_ends(person, person.rest)) == len(person.capsules)
