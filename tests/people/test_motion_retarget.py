"""A recorded figure's motion given to people: turns, hands, feet, limits."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.motion import retarget
from handik.people.motion._roles import ROLES, roles_of

#: A figure in a T, as BVH files have it: left along x, facing -y once it stands.
T_POSE = {
    "Hips": ("", (0, 0, 0.95)), "Chest": ("Hips", (0, 0, 0.15)), "Neck": ("Chest", (0, 0, 0.35)),
    "Head": ("Neck", (0, 0, 0.1)),
    **{
        f"{side}{part}": (above if above == "Hips" or above == "Chest" else side + above, place)
        for side, s in (("Left", 1), ("Right", -1))
        for part, above, place in (
            ("Collar", "Chest", (0.03 * s, 0, 0.3)), ("Shoulder", "Collar", (0.15 * s, 0, 0)),
            ("Elbow", "Shoulder", (0.3 * s, 0, 0)), ("Wrist", "Elbow", (0.22 * s, 0, 0)),
            ("Hip", "Hips", (0.09 * s, 0, -0.05)), ("Knee", "Hip", (0, 0, -0.43)),
            ("Ankle", "Knee", (0, 0, -0.4)),
        )
    },
}  # fmt: skip


def figure() -> hk.Model:
    spec = hk.ModelSpec("recorded", [hk.LinkSpec("world")])
    for name, (above, place) in T_POSE.items():
        at = np.eye(4)
        at[:3, 3] = place
        spec.links.append(hk.LinkSpec(name))
        kind = "ball" if above else "free"
        spec.joints.append(hk.JointSpec(name, kind, above or "world", name, at))
    return hk.Model(spec)


SOURCE = figure()
EVA = hk.human("female", percentile=50, detail="full", position="standing")


def recorded(n: int = 40) -> hk.Motion:
    """Arms down from the T, a reach to the front, a step to the left in the second half."""
    t = np.arange(n) / 30
    v = np.zeros((n, SOURCE.nv))
    at = {}
    k = 0
    for joint, kind in zip(SOURCE.joint_names, SOURCE.joint_kinds, strict=True):
        at[joint] = k + (3 if kind == "free" else 0)
        k += 6 if kind == "free" else 3
    s = np.clip(t / t[-1], 0, 1)
    v[:, at["LeftShoulder"] + 1] = 1.0  # about y, down
    v[:, at["RightShoulder"] + 1] = -1.0 + 0.6 * s
    v[:, at["RightShoulder"] + 2] = 0.8 * s
    v[:, at["RightElbow"] + 2] = 0.5 + 0.3 * np.sin(2 * t)
    v[:, at["LeftElbow"] + 2] = -0.4
    v[:, at["Chest"]] = 0.25 * s
    late = np.clip((s - 0.5) * 2, 0, 1) ** 2
    v[:, 0] = 0.3 * late
    v[:, at["LeftHip"]] = -0.5 * late
    v[:, at["LeftKnee"]] = 0.7 * late
    return hk.Motion(SOURCE.integrate(np.tile(SOURCE.rest, (n, 1)), v), t, SOURCE)


def arm(motion: hk.Motion, top: str, mid: str, end: str) -> tuple[np.ndarray, float]:
    """Return the way from shoulder to wrist, and the length of the arm."""
    a, b, c = (motion.path(name) for name in (top, mid, end))
    return c - a, float(np.linalg.norm(b[0] - a[0]) + np.linalg.norm(c[0] - b[0]))


#: The source faces -y, people face x.
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def test_wrists_are_where_the_source_has_them() -> None:
    source = recorded()
    found = retarget(source, EVA)
    for side in ("Left", "Right"):
        way, long = arm(source, f"{side}Shoulder", f"{side}Elbow", f"{side}Wrist")
        low = side.lower()
        mine, own = arm(found.motion, f"upper_arm_{low}", f"forearm_{low}", f"hand_{low}")
        off = np.linalg.norm(mine - own / long * way @ TURN.T, axis=1)
        assert off.max() < 0.01
        np.testing.assert_allclose(found.misses[f"hand_{low}"], off, atol=2e-4)
    # Feet and head too: heights are those of the body.
    ankle = EVA.model.fk(EVA.rest, frame="foot_left")[2, 3]
    assert found.motion.path("foot_left")[0, 2] == pytest.approx(ankle, abs=2e-3)
    assert found.motion.path("head")[0, 2] > 1.2
    assert "scale" in repr(found)


def test_limits_are_kept() -> None:
    found = retarget(recorded(), EVA)
    model, q = EVA.model, found.motion.q
    assert np.abs(model.difference(q, model.clip(q))).max() < 1e-9


def test_feet_that_stand_stay() -> None:
    source = recorded()
    found = retarget(source, EVA)
    held = found.contacts["foot_left"]
    assert 5 < held.sum() < len(source)
    assert np.ptp(found.motion.path("foot_left")[held], axis=0).max() < 1e-3
    loose = retarget(source, EVA, pinned=())
    assert not loose.contacts
    slower = retarget(source, EVA, still=0.001)
    assert slower.contacts["foot_left"].sum() < held.sum()


def test_a_seated_person_does_it_on_the_seat() -> None:
    paul = hk.human("male", percentile=95)
    source = recorded()
    found = retarget(source, paul)
    assert set(found.misses) == {"hand_left", "hand_right"}
    # The way of the hand on the pelvis, which moves in the source and not here.
    way, long = arm(source, "RightShoulder", "RightElbow", "RightWrist")
    mine, own = arm(found.motion, "upper_arm_right", "forearm_right", "hand_right")
    assert np.linalg.norm(mine - own / long * way @ TURN.T, axis=1).max() < 0.01
    assert np.ptp(found.motion.path("pelvis"), axis=0).max() < 1e-12


def test_from_one_person_to_themselves_nothing_changes() -> None:
    once = retarget(recorded(12), EVA).motion
    again = retarget(once, EVA, source_rest=EVA.rest).motion
    for frame in ("head", "hand_left", "hand_right", "foot_left", "forearm_right", "pelvis"):
        assert np.linalg.norm(once.path(frame) - again.path(frame), axis=1).max() < 0.01


def test_it_does_not_matter_which_way_the_recorded_figure_faces() -> None:
    place = hk.transforms.from_rotation(TURN)
    turned_model = SOURCE.with_base(place)
    source = recorded(10)
    turned = hk.Motion(source.q, source.times, turned_model)
    one, other = retarget(source, EVA), retarget(turned, EVA)
    for frame in ("hand_left", "foot_right", "head"):
        np.testing.assert_allclose(one.motion.path(frame), other.motion.path(frame), atol=1e-6)


@pytest.mark.parametrize(
    "names",
    [
        {"pelvis": "mixamorig:Hips", "chest": "mixamorig:Spine2", "upper_arm_left": "mixamorig:LeftArm",
         "forearm_left": "mixamorig:LeftForeArm", "thigh_right": "mixamorig:RightUpLeg", "shank_right": "mixamorig:RightLeg"},
        {"pelvis": "Hips", "chest": "Chest", "upper_arm_left": "LeftShoulder", "hand_left": "LeftWrist", "foot_right": "RightAnkle"},
        {"pelvis": "root", "upper_arm_right": "rhumerus", "forearm_right": "rradius", "thigh_left": "lfemur", "shank_left": "ltibia"},
        {"pelvis": "hip", "chest": "chest", "upper_arm_left": "lShldr", "forearm_left": "lForeArm", "thigh_left": "lThigh", "shank_left": "lShin"},
    ],
    ids=["mixamo", "motion builder", "cmu", "poser"],
)  # fmt: skip
def test_parts_are_known_by_their_names(names: dict[str, str]) -> None:
    others = ["mixamorig:LeftShoulder"] if "mixamorig:LeftArm" in names.values() else ["lCollar"]
    assert roles_of([*names.values(), *others], None, "source") == names


def test_parts_are_named_where_names_do_not_tell() -> None:
    spec = SOURCE.spec
    for part in spec.links:
        part.name = part.name.replace("LeftWrist", "thing")
    for joint in spec.joints:
        joint.child = joint.child.replace("LeftWrist", "thing")
    strange = hk.Model(spec)
    source = recorded(8)
    motion = hk.Motion(source.q, source.times, strange)
    assert "hand_left" not in retarget(motion, EVA).misses
    found = retarget(motion, EVA, source={"hand_left": "thing"})
    assert found.misses["hand_left"].max() < 0.01
    assert found.source["hand_left"] == "thing"
    assert set(found.source) == set(ROLES)


def test_wrong_calls_say_what() -> None:
    with pytest.raises(hk.ArgumentError, match="name their parts"):
        retarget(hk.Motion([[0.0]], [0.0], hk.chain([0.3])), EVA)
    with pytest.raises(hk.ArgumentError, match="hands and feet"):
        retarget(recorded(3), EVA, pinned=("head",))
    with pytest.raises(hk.NotFoundError, match="role"):
        retarget(recorded(3), EVA, source={"nose": "Head"})
    with pytest.raises(hk.ArgumentError, match="no bone"):
        retarget(recorded(3), EVA, source={"forearm_left": "LeftShoulder"})
    with pytest.raises(hk.ArgumentError, match="still"):
        retarget(recorded(3), EVA, still=0.0)


def test_a_persons_motion_that_was_written_is_given_to_another(tmp_path):
    """Its bones have the names of bodies, by which they are found again."""
    one, other = (
        hk.human(sex, percentile=p, detail="full", position="standing")
        for sex, p in (("male", 95), ("female", 5))
    )
    q = np.tile(one.rest, (5, 1))
    q[:, one.model.joint_q_slices["elbow_flexion_right"]] = np.linspace(0, 1.5, 5)[:, None]
    wave = hk.Motion(q, np.arange(5) / 10, one.model)
    wave.save(tmp_path / "wave.bvh", scale=0.01)
    read = hk.Motion.read(tmp_path / "wave.bvh", scale=0.01)
    hands = [
        retarget(motion, other, source_rest=rest).motion.path("hand_right")
        for motion, rest in ((wave, one.rest), (read, None))
    ]
    np.testing.assert_allclose(*hands, atol=1e-3)
