"""A hand's way edited frame by frame; a library of motions found and adapted."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.motion import Library, lead

EVA = hk.human("female", percentile=50, detail="full", position="standing")
FEET = ("foot_left", "foot_right", "hand_left")


def wave(size: float = 1.0, n: int = 31, name: str = "wave", who=EVA) -> hk.Motion:
    """The right forearm goes up and down."""
    t = np.arange(n) / 30
    q = np.tile(who.rest, (n, 1))
    at = who.model.joint_q_slices["elbow_flexion_right"]
    q[:, at] += size * (1 + np.sin(3 * t))[:, None] / 2
    return hk.Motion(q, t, who.model, name=name)


def test_a_hand_is_led_and_the_rest_kept() -> None:
    motion = wave()
    way = motion.path("hand_right")
    points = {8: way[8] + [0.1, 0.0, 0.1], 15: way[15] + [0.0, 0.05, 0.1]}
    found = lead(motion, "hand_right", points, fade=0.2, keep=FEET)
    for k, point in points.items():
        assert np.linalg.norm(found.motion.path("hand_right")[k] - point) < 2e-3
    assert found.misses.max() < 2e-3
    assert max(off.max() for off in found.kept.values()) < 2e-3
    np.testing.assert_array_equal(found.motion.q[22:], motion.q[22:])
    np.testing.assert_array_equal(found.motion.q[:2], motion.q[:2])
    # No jump that was not asked for, and limits.
    model = EVA.model
    speed = np.abs(model.difference(found.motion.q[:-1], found.motion.q[1:])).max()
    assert speed < 0.25
    assert np.abs(model.difference(found.motion.q, model.clip(found.motion.q))).max() < 1e-9
    # The other arm and the head do hardly anything.
    assert np.linalg.norm(found.motion.path("head") - motion.path("head"), axis=1).max() < 0.05
    assert "worst miss" in repr(found)


def test_the_move_comes_and_goes_as_said() -> None:
    arm = hk.chain([0.3, 0.3, 0.2])
    q = np.linspace([0.2, 0.5, 0.4], [0.5, 0.8, 0.4], 31)
    motion = hk.Motion(q, np.arange(31) / 30, arm)
    way = motion.path("tip")
    off = np.array([0.0, 0.03, 0.0])
    found = lead(motion, "tip", {15: way[15] + off}, fade=0.3)
    move = found.motion.path("tip") - way
    assert np.abs(move[[6, 24]]).max() < 1e-4
    assert np.all(np.diff(move[6:16, 1]) > 0)
    assert move[15, 1] == pytest.approx(0.03, abs=2e-4)
    sharp = lead(motion, "tip", {15: way[15] + off}, fade=0.0).motion.path("tip") - way
    assert np.abs(np.delete(sharp, 15, axis=0)).max() == 0.0
    same = lead(motion, "tip", {15: way[15]})
    np.testing.assert_array_equal(same.motion.q, motion.q)


def test_wrong_edits_say_what() -> None:
    motion = wave(n=4)
    for points, said in (
        ({}, "have one"),
        ({9: [0, 0, 0]}, "0 to 3"),
        ({0.5: [0, 0, 0]}, "whole frame numbers"),
        ({1: [0, 0]}, r"points\[1\]"),
    ):
        with pytest.raises((hk.ArgumentError, hk.NotFoundError), match=said):
            lead(motion, "hand_right", points)
    with pytest.raises(hk.ArgumentError, match="below zero"):
        lead(motion, "hand_right", {1: [0, 0, 1]}, fade=-0.1)


def library() -> Library:
    return Library([wave(0.3, name="small"), wave(1.5, name="large"), wave(1.0, name="middle")])


def test_found_by_a_hand_and_by_a_posture() -> None:
    lib = library()
    point = lib["large"].path("hand_right")[20]
    found = lib.reaching("hand_right", point)
    assert (found[0].name, found[0].frame, found[0].distance) == ("large", 20, 0.0)
    assert [one.distance for one in found] == sorted(one.distance for one in found)
    assert len(lib.reaching("hand_right", point, most=2)) == 2
    q = lib["middle"].q[7].copy()
    q[:3] += 1.0  # where it stands is not what it looks like
    best = lib.like(q, EVA.model)[0]
    assert (best.name, best.frame) == ("middle", 7)
    assert best.distance < 1e-9
    legs = lib.like(q, EVA.model, joints=["knee_flexion_left"])
    assert all(one.distance < 1e-9 for one in legs)
    alone = lib.like(q, EVA.model, joints=["root"])
    assert alone[0].distance == pytest.approx(np.sqrt(3 / 6))
    with pytest.raises(hk.NotFoundError):
        lib.reaching("tail", point)


def test_adapted_to_another_body_and_goal() -> None:
    paul = hk.human("male", percentile=95, detail="full", position="standing")
    lib = library()
    goal = np.array([0.45, -0.25, 1.2])
    found = lib.adapted(
        "large", paul, frame="hand_right", point=goal, keep=FEET[:2], source_rest=EVA.rest
    )
    assert np.linalg.norm(found.motion.path("hand_right") - goal, axis=1).min() < 5e-3
    assert max(off.max() for off in found.kept.values()) < 3e-3
    assert found.motion.model is paul.model
    # Its style: the elbow goes up and down when it did.
    at = paul.model.joint_q_slices["elbow_flexion_right"]
    mine, theirs = found.motion.q[:, at][:, 0], lib["large"].q[:, at][:, 0]
    assert np.corrcoef(mine, theirs)[0, 1] > 0.8
    plain = lib.adapted("large", EVA)
    np.testing.assert_array_equal(plain.motion.q, lib["large"].q)
    with pytest.raises(hk.ArgumentError, match="together"):
        lib.adapted("large", EVA, frame="hand_right")


def test_saved_and_read_again(tmp_path) -> None:
    lib = library()
    lib.save(tmp_path / "motions")
    again = Library.read(tmp_path / "motions")
    assert sorted(m.name for m in again) == ["large", "middle", "small"]
    for motion in again:
        for frame in ("hand_right", "head", "foot_left"):
            np.testing.assert_allclose(motion.path(frame), lib[motion.name].path(frame), atol=1e-9)
    assert again["large"].model is again["small"].model
    (tmp_path / "motions" / "large.toml").unlink()
    with pytest.raises(hk.ReadError, match="no figure large"):
        Library.read(tmp_path / "motions")
    with pytest.raises(hk.ReadError, match="no such folder"):
        Library.read(tmp_path / "none")


def test_names_are_their_own() -> None:
    lib = library()
    for motion in (wave(name="large"), wave(name=""), wave(name="x")[:0]):
        with pytest.raises(hk.ArgumentError, match="name of its own"):
            lib.add(motion)
    odd = Library([wave(name="../up")])
    with pytest.raises(hk.ArgumentError, match="cannot be a file"):
        odd.save("nowhere")
    assert repr(lib) == "Library of 3: small, large, middle"


def test_a_point_as_far_as_numbers_go() -> None:
    arm = hk.chain([0.3, 0.2])
    still = hk.Motion(np.zeros((3, 2)), np.arange(3.0), arm, name="still")
    (found,) = Library([still]).reaching("tip", [1e300, 0.0, 0.0])
    assert found.distance == 1e300
    assert lead(still, "tip", {1: [1e300, 0.0, 0.0]}).misses[1] == 1e300
    with pytest.raises(hk.NotFoundError, match="the motion has none"):
        lead(still[:0], "tip", {0: [0.0, 0.0, 0.0]})
