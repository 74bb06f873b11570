"""The digits of the surface: those of a figure that has them, and a resting hand."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.surface._data import mesh
from handik.people.surface._digits import BONES, link_of

JOINTS = {"mcp": 1.2, "pip": 1.6, "dip": 1.0}


@pytest.fixture(scope="module")
def eve() -> hk.people.Human:
    return hk.human(sex="female", detail="hand")


def bent(person: hk.people.Human, rng: np.random.Generator) -> np.ndarray:
    angles = {"elbow_flexion_left": 1.0}
    for side in ("left", "right"):
        for digit in ("index", "middle", "ring", "little"):
            for joint, most in JOINTS.items():
                angles[f"{digit}_{joint}_flexion_{side}"] = rng.uniform(0, most)
        for joint in ("cmc", "mcp", "ip"):
            angles[f"thumb_{joint}_flexion_{side}"] = rng.uniform(0, 0.6)
    return person.posture(**angles)


def test_the_tips_are_where_the_figure_has_them(eve) -> None:
    """The figure's tip of each digit lies within 6 mm of the skin, straight and bent."""
    rng = np.random.default_rng(0)
    m = mesh()
    for q in (eve.rest, bent(eve, rng), bent(eve, rng)):
        at = eve.surface(q).vertices
        for side in ("left", "right"):
            for k, digit in enumerate(BONES, start=1):
                own = at[m.on_side(side, f"finger{k}_3") > 0.5]
                tip = eve.model.fk(q, frame=f"{digit}_tip_{side}")[:3, 3]
                assert np.linalg.norm(own - tip, axis=1).min() < 0.006, digit


def test_each_phalanx_goes_with_its_link(eve) -> None:
    m = mesh()
    q = bent(eve, np.random.default_rng(1))
    before, after = (eve.surface(k).vertices for k in (eve.rest, q))
    seen = 0
    for bone in m.bones:
        name = link_of(bone)
        if name is None:
            continue
        rows = ((m.bone == m.bones.index(bone)) * m.share).sum(1) > 0.999
        move = eve.model.fk(q, frame=name) @ np.linalg.inv(eve.model.fk(eve.rest, frame=name))
        seen += rows.any()
        np.testing.assert_allclose(
            after[rows], before[rows] @ move[:3, :3].T + move[:3, 3], atol=1e-9
        )
    assert seen >= 20


def test_the_fingers_bend_to_the_palm(eve) -> None:
    m = mesh()
    flat, fist = (
        eve.surface(
            eve.posture(**{f"{d}_{j}_flexion_right": a * share for d in ("index", "little")
                           for j, a in JOINTS.items()})
        ).vertices
        for share in (0, 1)
    )  # fmt: skip
    hand = eve.model.fk(eve.rest, frame="hand_right")
    for k in (2, 5):
        rows = m.on_side("right", f"finger{k}_3") > 0.9
        moved = (fist - flat)[rows].mean(0) @ hand[:3, :3]
        assert moved[1] > 0.015  # the palm of a right hand looks to the left
        assert moved[2] > 0.03  # and back up to the wrist


def test_a_resting_hand_is_curled() -> None:
    """Without finger joints the fingers rest bent, the more to the little one, and close up."""
    m = mesh()
    bob = hk.human(sex="male")
    at, straight = bob.surface(bob.rest).vertices, bob.surface.rest
    hand = np.linalg.inv(bob.model.fk(bob.rest, frame="hand_left"))
    bound = np.linalg.inv(bob.surface._bound["hand_left"])
    bend = {}
    for k in range(1, 6):
        first, last = (
            ((m.bone == m.bones.index(f"finger{k}_{i}_left")) * m.share).sum(1) > 0.5
            for i in (1, 3)
        )
        ways = []
        for v, back in ((straight, bound), (at, hand)):
            way = (v[last].mean(0) - v[first].mean(0)) @ back[:3, :3].T
            ways.append(way / np.linalg.norm(way))
        bend[k] = ways
    drop = {k: old[1] - new[1] for k, (old, new) in bend.items()}  # to the palm, inward of a left
    assert 0.15 < drop[2] < drop[3] < drop[4] < drop[5] < 0.6
    spread = [abs(bend[2][i][0] - bend[5][i][0]) for i in (0, 1)]
    assert spread[1] < 0.6 * spread[0]
    # It goes with the hand as one.
    q = bob.posture(elbow_flexion_left=1.0, wrist_flexion_left=0.4)
    rows = m.on_side("left", "finger") > 0.999
    move = bob.model.fk(q, frame="hand_left") @ hand
    moved = at[rows] @ move[:3, :3].T + move[:3, 3]
    np.testing.assert_allclose(bob.surface(q).vertices[rows], moved, atol=1e-9)


def test_one_hand_with_joints_and_one_without() -> None:
    eve = hk.human(sex="female", detail="hand_right")
    m = mesh()
    bound = set(eve.surface._bound)
    assert "index_middle_right" in bound
    assert "index_middle_left" not in bound
    share = eve.surface._tree[2]
    links = eve.surface._tree[0]
    rows = m.on_side("right", "finger2_2") > 0.99
    assert (share[rows, links.index("index_middle_right")] > 0.98).all()
    rows = m.on_side("left", "finger2_2") > 0.99
    assert (share[rows, links.index("hand_left")] > 0.98).all()
