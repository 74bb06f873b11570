"""Motions: files there and back, moments between frames, smoothing, mixing, mirroring."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk

CROSS = """HIERARCHY
ROOT Hips
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 0.3 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftArm
    {
      OFFSET 0.2 0.2 0
      CHANNELS 3 Yrotation Zrotation Xrotation
      End Site
      {
        OFFSET 0.5 0 0
      }
    }
    JOINT RightArm
    {
      OFFSET -0.2 0.2 0
      CHANNELS 1 Zrotation
      End Site
      {
        OFFSET -0.5 0 0
      }
    }
  }
}
"""
FIGURE = hk.Model(
    hk.read.read_bvh(
        CROSS.replace("CHANNELS 1 Zrotation", "CHANNELS 3 Zrotation Xrotation Yrotation")
        + "MOTION\nFrames: 0\nFrame Time: 0.1\n"
    )
)


def moving(n: int = 30, seed: int = 1, model: hk.Model = FIGURE, size: float = 0.6) -> hk.Motion:
    """A smooth motion."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / 30
    a = rng.normal(size=(2, model.nv)) * size
    v = a[0] * np.sin(2 * t[:, None]) + a[1] * np.cos(3 * t[:, None])
    return hk.Motion(model.integrate(np.tile(model.rest, (n, 1)), v), t, model, name="made")


def gap(one: hk.Motion, other: hk.Motion) -> float:
    """Largest distance of a joint, frame by frame, of motions of models with the same names."""
    return max(
        float(np.abs(one.path(name) - other.path(name)).max()) for name in one.model.joint_names
    )


# -- files ------------------------------------------------------------------------------------


def rows(text: str, *lines: str, frames: int | None = None, time: str = "0.05") -> str:
    count = len(lines) if frames is None else frames
    return (
        text + f"MOTION\nFrames: {count}\nFrame Time: {time}\n" + "".join(x + "\n" for x in lines)
    )


TWO = (
    CROSS.replace("HIERARCHY\n", "")
    .replace("Hips", "Hips2")
    .replace("Chest", "Chest2")
    .replace("LeftArm", "LeftArm2")
    .replace("RightArm", "RightArm2")
)
EDGES = {
    "orders by joint, one channel": rows(CROSS, "0 0 0 10 20 30 5 6 7 1 2 3 40", "1 2 3 0 0 0 0 0 0 0 0 0 -40"),
    "exponents": rows(CROSS, "1e-1 -2E+0 3.5e0 1e1 2E1 3e+1 5 6 7 1 2 3 4e1", "0 0 0 0 0 0 0 0 0 0 0 0 1e-7"),
    "carriage returns and tabs": rows(CROSS, "0 0 0 10 20 30 5 6 7 1 2 3 40", "0 0 0 0 0 0 0 0 0 0 0 0 0").replace("\n", "\r\n").replace("  ", "\t"),
    "several roots": rows(CROSS + TWO, " ".join(map(str, range(26))), " ".join(["0.5"] * 26)),
    "turns before places": rows(CROSS.replace("Xposition Yposition Zposition Zrotation Xrotation Yrotation", "Zrotation Xrotation Yrotation Xposition Yposition Zposition"), "10 20 30 1 2 3 5 6 7 1 2 3 40", "0 0 0 0 0 0 0 0 0 0 0 0 0"),
    "one frame": rows(CROSS, "0 0 0 10 20 30 5 6 7 1 2 3 40"),
}  # fmt: skip


@pytest.mark.parametrize("case", EDGES)
@pytest.mark.parametrize("up", ["y", "z"])
def test_bvh_there_and_back(case: str, up: str, tmp_path) -> None:
    first = hk.Motion.read(EDGES[case], up=up)
    for order in ("ZXY", "XYZ"):
        first.save(tmp_path / "again.bvh", up=up, order=order)
        again = hk.Motion.read(tmp_path / "again.bvh", up=up)
        assert len(again) == len(first)
        np.testing.assert_allclose(again.times, first.times, atol=1e-9)
        assert gap(first, again) < 1e-6
        for name in first.model.joint_names:
            a, b = (m.model.fk(m.q, frame=name)[:, :3, :3] for m in (first, again))
            # The file's joints stand along its axes at rest, so turns since rest are compared.
            a0, b0 = (m.model.fk(m.model.rest, frame=name)[:3, :3] for m in (first, again))
            np.testing.assert_allclose(a @ a0.T, b @ b0.T, atol=1e-6)


def test_bvh_without_frames(tmp_path) -> None:
    none = hk.Motion.read(rows(CROSS, frames=0))
    assert len(none) == 0
    assert none.duration == 0
    assert none.rate == 0
    none.save(tmp_path / "none.bvh")
    assert len(hk.Motion.read(tmp_path / "none.bvh")) == 0
    with pytest.raises(hk.ArgumentError, match="without frames"):
        none.at(0.0)


@pytest.mark.parametrize("frames", [0, 1])
def test_bvh_of_less_than_two_frames_keeps_its_frame_time(frames: int, tmp_path) -> None:
    line = "0 0 0 10 20 30 5 6 7 1 2 3 40"
    few = hk.Motion.read(rows(CROSS, *[line] * frames, time="0.0083333"))
    for motion in (few, few[:], pickle.loads(pickle.dumps(few))):
        motion.save(tmp_path / "few.bvh")
        written = (tmp_path / "few.bvh").read_text()
        assert hk.read.read_bvh_motion(written).frame_time == 0.0083333


def test_a_frame_of_a_motion_lasts_as_long_as_it_did(tmp_path) -> None:
    many = hk.Motion.read(rows(CROSS, *["0 0 0 10 20 30 5 6 7 1 2 3 40"] * 4, time="0.02"))
    for part, lasts in ((many[2:3], 0.02), (many[1:1], 0.02), (many[::2][:1], 0.04)):
        part.save(tmp_path / "part.bvh")
        written = (tmp_path / "part.bvh").read_text()
        assert hk.read.read_bvh_motion(written).frame_time == pytest.approx(lasts, rel=1e-12)


def test_bvh_without_a_frame_time_is_30_a_second() -> None:
    text = rows(CROSS, "0 0 0 10 20 30 5 6 7 1 2 3 40", "0 0 0 0 0 0 0 0 0 0 0 0 0")
    motion = hk.Motion.read(text.replace("Frame Time: 0.05\n", ""))
    assert motion.rate == pytest.approx(30)


def test_mot_there_and_back(tmp_path) -> None:
    motion = moving()
    motion.save(tmp_path / "m.mot")
    again = hk.Motion.read(tmp_path / "m.mot", model=FIGURE)
    np.testing.assert_allclose(again.q, motion.q, atol=1e-12)
    np.testing.assert_array_equal(again.times, motion.times)
    assert again.name == "made"
    hinge = hk.Motion([[0.1, 0.2], [0.3, -0.4]], [0.0, 0.1], hk.chain([0.3, 0.2]))
    hinge.save(tmp_path / "h.mot")
    table = hk.read.read_mot(tmp_path / "h.mot")
    np.testing.assert_allclose(table.values, np.degrees(hinge.q))
    with pytest.raises(hk.ArgumentError, match="give model="):
        hk.Motion.read(tmp_path / "h.mot")
    with pytest.raises(hk.ModelError, match="no column names a joint"):
        hk.Motion.read(tmp_path / "h.mot", model=FIGURE)


def test_mot_in_radians_and_other_columns() -> None:
    text = "t\ninDegrees=no\nendheader\ntime\tpelvis_tilt\tjoint_2\n0.0\t9\t0.5\n\n"
    found = hk.read.read_mot(text)
    np.testing.assert_allclose(found.coordinates(hk.chain([0.3, 0.2])), [[0.0, 0.5]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time a\n0 1\n", "endheader"),
        ("endheader\n\n", "names the columns"),
        ("endheader\na b\n0 1\n", "not time"),
        ("endheader\ntime a a\n0 1 1\n", "named twice"),
        ("endheader\ntime a\n0 x\n", "no number"),
        ("endheader\ntime a\n0\n", "2 finite"),
        ("endheader\ntime a\n0 nan\n", "2 finite"),
    ],
    ids=["head", "columns", "time", "twice", "word", "short", "nan"],
)
def test_mot_that_is_wrong(text: str, said: str) -> None:
    with pytest.raises(hk.ReadError, match=said):
        hk.read.read_mot(text)


def seen(n: int = 4) -> hk.read.Markers:
    points = np.random.default_rng(3).normal(size=(n, 3, 3))
    points[1, 2] = np.nan
    return hk.read.Markers(("heel", "toe", "knee 1"), np.arange(n) / 50, points)


@pytest.mark.parametrize("up", ["y", "z"])
def test_trc_there_and_back(up: str, tmp_path) -> None:
    hk.write.save_trc(tmp_path / "w.trc", seen(), up=up)
    again = hk.read.read_trc(tmp_path / "w.trc", up=up)
    assert again.names == seen().names
    np.testing.assert_allclose(again.positions, seen().positions, atol=1e-12)
    np.testing.assert_allclose(again.times, seen().times)
    assert repr(again) == "Markers: 4 frames of 3, 8.33 % not seen"


def test_trc_that_is_wrong(tmp_path) -> None:
    hk.write.save_trc(tmp_path / "w.trc", seen())
    text = (tmp_path / "w.trc").read_text()
    for old, new, said in (
        ("PathFileType", "Path", "begins with"),
        ("\tmm\t", "\tinch\t", "unit of length"),
        ("heel", "toe", "named twice"),
        ("\theel\t\t\t", "\t", "NumMarkers"),
        ("\t0.02\t", "\tx\t", "no number"),
        ("\t0.02\t", "\t\t", "no time"),
        ("Units", "Unit", "no Units"),
    ):
        assert old in text
        with pytest.raises(hk.ReadError, match=said):
            hk.read.read_trc(text.replace(old, new, 1))
    with pytest.raises(hk.ReadError, match="more than 9"):
        hk.read.read_trc(text.rstrip("\n") + "\t1\n")


@pytest.mark.parametrize("unit", ["mm", "m"])
def test_c3d_by_its_own_library(unit: str, tmp_path) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [50.0]
    made["parameters"]["POINT"]["UNITS"]["value"] = [unit]
    made["parameters"]["POINT"]["LABELS"]["value"] = list(seen().names)
    points = np.ones((4, 3, 4))
    points[:3] = seen().positions.transpose(2, 1, 0) * (1000.0 if unit == "mm" else 1.0)
    made["data"]["points"] = points
    made.write(str(tmp_path / "walk.c3d"))
    again = hk.read.read_c3d(tmp_path / "walk.c3d")
    assert again.names == seen().names
    np.testing.assert_allclose(again.positions, seen().positions, atol=1e-6)
    np.testing.assert_allclose(again.times, seen().times)
    turned = hk.read.read_c3d(tmp_path / "walk.c3d", up="y").positions
    np.testing.assert_allclose(
        turned[0, 0], seen().positions[0, 0, [0, 2, 1]] * [1, -1, 1], atol=1e-6
    )
    (tmp_path / "bad.c3d").write_bytes(b"no c3d")
    with pytest.raises(hk.ReadError, match="cannot read it"):
        hk.read.read_c3d(tmp_path / "bad.c3d")


def test_other_suffixes_are_refused(tmp_path) -> None:
    with pytest.raises(hk.UnsupportedError, match=r"\.bvh"):
        hk.Motion.read(tmp_path / "a.fbx")
    with pytest.raises(hk.UnsupportedError, match=r"\.mot"):
        moving().save(tmp_path / "a.fbx")
    with pytest.raises(hk.ArgumentError, match="its own skeleton"):
        hk.Motion.read(EDGES["one frame"], model=FIGURE)


# -- time -------------------------------------------------------------------------------------


def test_a_motion_does_not_change() -> None:
    motion = moving()
    with pytest.raises(AttributeError, match="make another"):
        motion.q = 0
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0] = 0
    again = pickle.loads(pickle.dumps(motion))
    np.testing.assert_allclose(again.q, motion.q, atol=1e-15)
    assert (again.name, len(again[3:9:2])) == ("made", 3)


def test_quaternions_are_brought_to_length_one() -> None:
    q = np.array([FIGURE.rest] * 2)
    q[:, 3:7] *= 3
    np.testing.assert_allclose(
        hk.Motion(q, [0, 1], FIGURE).q[:, 3:7], FIGURE.rest[None, 3:7].repeat(2, 0)
    )


def test_between_frames_a_ball_turns_at_one_speed() -> None:
    Slerp = pytest.importorskip("scipy.spatial.transform").Slerp
    Rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    motion = moving(size=1.0)
    t = np.linspace(0, motion.duration, 200)
    at = FIGURE.joint_q_slices["Chest"]
    turns = Rotation.from_quat(motion.q[:, at][:, [1, 2, 3, 0]])
    wanted = Slerp(motion.times, turns)(t).as_matrix()
    got = motion.at(t)[:, at]
    np.testing.assert_allclose(hk.transforms.from_quaternion(got)[:, :3, :3], wanted, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.floats(1.0, 300.0))
def test_resampled_times_are_even_and_inside(n: int, rate: float) -> None:
    motion = moving(n)
    again = motion.resample(rate)
    np.testing.assert_allclose(np.diff(again.times), 1 / rate, rtol=1e-6)
    assert again.times[0] == motion.times[0]
    assert motion.times[-1] - 1 / rate < again.times[-1] <= motion.times[-1]
    last = motion.at(again.times[-1])
    assert np.abs(FIGURE.difference(last, again.q[-1])).max() < 1e-9


def test_resample_at_its_own_rate_is_the_same() -> None:
    motion = moving(31)
    again = motion.resample(30.0)
    assert len(again) == 31
    assert np.abs(FIGURE.difference(motion.q, again.q)).max() < 1e-9


def test_bad_times() -> None:
    arm = hk.chain([0.3])
    with pytest.raises(hk.ArgumentError, match=r"times\[2\] is not after"):
        hk.Motion([[0], [0], [0]], [0, 1, 1], arm)
    with pytest.raises(hk.ArgumentError, match="where the motion begins"):
        moving().at(-0.01)
    with pytest.raises(hk.ArgumentError, match="10 million"):
        moving().resample(1e9)
    uneven = hk.Motion([[0], [0], [0]], [0, 1, 2.1], arm)
    with pytest.raises(hk.ArgumentError, match="evenly"):
        uneven.lowpass(0.1)
    hk.Motion([[0], [0], [0]], [0, 1, 2.001], arm)._step()
    with pytest.raises(hk.ArgumentError, match="evenly"):
        hk.Motion([[0], [0], [0]], [0, 1, 2.01], arm)._step()


# -- smoothing --------------------------------------------------------------------------------


def test_smooth_is_savitzky_golay_for_hinges() -> None:
    savgol = pytest.importorskip("scipy.signal").savgol_filter
    arm = hk.chain([0.3, 0.2])
    q = np.random.default_rng(2).normal(size=(60, 2))
    motion = hk.Motion(q, np.arange(60) / 30, arm)
    for window, degree in ((5, 2), (11, 3), (1, 0)):
        np.testing.assert_allclose(
            motion.smooth(window, degree).q, savgol(q, window, degree, axis=0), atol=1e-9
        )
    slope = savgol(q, 3, 2, deriv=1, delta=1 / 30, axis=0)
    np.testing.assert_allclose(motion.velocities(), slope, atol=1e-8)


def test_smoothing_takes_noise_from_balls() -> None:
    motion = moving(120)
    rng = np.random.default_rng(5)
    shaky = FIGURE.integrate(motion.q, 0.02 * rng.normal(size=(120, FIGURE.nv)))
    noisy = hk.Motion(shaky, motion.times, FIGURE)

    def off(one: hk.Motion) -> float:
        return float(np.sqrt((FIGURE.difference(motion.q, one.q)[20:-20] ** 2).mean()))

    assert off(noisy) > 0.018
    assert off(noisy.smooth(11, 2)) < 0.009
    pytest.importorskip("scipy")
    assert off(noisy.lowpass(4.0)) < 0.011


def test_lowpass_is_the_filter_forwards_and_backwards() -> None:
    signal = pytest.importorskip("scipy.signal")
    arm = hk.chain([0.3, 0.2])
    q = np.random.default_rng(2).normal(size=(300, 2))
    motion = hk.Motion(q, np.arange(300) / 100, arm)
    for cutoff, order in ((6.0, 2), (20.0, 4)):
        b, a = signal.butter(order, cutoff, fs=100)
        wanted = signal.filtfilt(b, a, q, axis=0, padlen=250)
        np.testing.assert_allclose(motion.lowpass(cutoff, order).q, wanted, atol=2e-5)
    with pytest.raises(hk.ArgumentError, match="needs"):
        motion.lowpass(0.1)
    with pytest.raises(hk.ArgumentError, match="below 50"):
        motion.lowpass(50.0)


def test_smoothing_stays_inside_the_limits() -> None:
    arm = hk.chain([0.3], lower=-0.1, upper=0.5)
    q = np.clip(np.arange(20) / 10, 0, 0.5)[:, None]
    motion = hk.Motion(q, np.arange(20) / 10, arm)
    free = hk.Motion(q, np.arange(20) / 10, hk.chain([0.3])).smooth(7, 3)
    assert free.q.max() > 0.505
    assert motion.smooth(7, 3).q.max() <= 0.5


# -- mixing -----------------------------------------------------------------------------------


def test_blend_of_all_and_nothing() -> None:
    one, other = moving(seed=1), moving(seed=2)
    assert np.abs(FIGURE.difference(one.q, one.blend(other, 0.0).q)).max() < 1e-12
    assert np.abs(FIGURE.difference(other.q, one.blend(other, 1.0).q)).max() < 1e-12
    share = np.linspace(0, 1, len(one))
    half = one.blend(other, share)
    v = FIGURE.difference(one.q, other.q)
    np.testing.assert_allclose(FIGURE.difference(one.q, half.q), share[:, None] * v, atol=1e-9)
    with pytest.raises(hk.ArgumentError, match="this one longer"):
        one.blend(other[:20])
    with pytest.raises(hk.ArgumentError, match="retarget it first"):
        one.blend(hk.Motion([[0.0]], [0.0], hk.chain([0.3])))


def test_then_keeps_both_ends_and_is_smooth() -> None:
    one, other = moving(40, seed=1), moving(40, seed=2)
    both = one.then(other, 0.5)
    assert both.duration == pytest.approx(one.duration + other.duration - 0.5)
    assert np.abs(FIGURE.difference(one.q[0], both.q[0])).max() < 1e-12
    assert np.abs(FIGURE.difference(other.q[-1], both.q[-1])).max() < 1e-9
    jumps = np.abs(FIGURE.difference(both.q[:-1], both.q[1:])).max()
    apart = np.abs(FIGURE.difference(one.q[-1], other.q[0])).max()
    assert jumps < apart / 4
    with pytest.raises(hk.ArgumentError, match="overlap"):
        one.then(other, 2.0)


def test_mirror_is_the_image_in_the_sagittal_plane() -> None:
    motion = moving(size=1.0)
    image = motion.mirror()
    for name, other in (
        ("Hips", "Hips"),
        ("Chest", "Chest"),
        ("LeftArm", "RightArm"),
        ("LeftArm_end", "RightArm_end"),
        ("RightArm_end", "LeftArm_end"),
    ):
        # The file's x is to the left, and stays x.
        np.testing.assert_allclose(image.path(other), motion.path(name) * [-1, 1, 1], atol=1e-12)
    assert np.abs(FIGURE.difference(motion.q, image.mirror().q)).max() < 1e-12


def test_mirror_in_a_plane_that_is_given() -> None:
    motion = moving()
    n = np.array([0.6, 0.8, 0.0])
    image = motion.mirror({"LeftArm": "LeftArm", "RightArm": "RightArm"}, normal=5 * n)
    at = motion.path("Hips")
    np.testing.assert_allclose(image.path("Hips"), at - 2 * (at @ n)[:, None] * n, atol=1e-12)


def test_mirror_of_hinges_and_slides() -> None:
    kinds = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "planar": 3}
    spec = hk.ModelSpec("figure", [hk.LinkSpec("trunk")])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        above, offset = "trunk", np.array([0.1, 0.3 * sign, 0.2])
        for kind in kinds:
            place = np.eye(4)
            place[:3, 3] = offset
            axis, axis2 = (0.6, 0.8 * sign, 0.0), (0.0, 0.0, 1.0)
            spec.links.append(hk.LinkSpec(f"{kind}_{side}"))
            spec.joints.append(
                hk.JointSpec(
                    f"{kind}_{side}", kind, above, f"{kind}_{side}", place, axis=axis, axis2=axis2
                )
            )
            above, offset = f"{kind}_{side}", np.array([0.0, 0.2 * sign, 0.1])
    model = hk.Model(spec)
    q = model.sample(20, seed=3) * 0.3
    motion = hk.Motion(q, np.arange(20), model)
    image = motion.mirror()
    for kind in kinds:
        np.testing.assert_allclose(
            image.path(f"{kind}_right"), motion.path(f"{kind}_left") * [1, -1, 1], atol=1e-9
        )
    with pytest.raises(hk.ModelError, match="no mirror images"):
        motion.mirror({"revolute_left": "prismatic_left"})
    with pytest.raises(hk.ModelError, match="axes of"):
        motion.mirror(normal=[1.0, 0.1, 0.0])


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("LeftArm", "RightArm"), ("arm_left", "arm_right"), ("lArm", "rArm"), ("L_Arm", "R_Arm"),
        ("arm.l", "arm.r"), ("ARMLEFT", "ARMRIGHT"), ("LThumb", "RThumb"), ("mixamorig:LeftEye", "mixamorig:RightEye"),
    ],
)  # fmt: skip
def test_partners_by_name(name: str, other: str) -> None:
    from handik.people.motion._mirror import partner, side_of

    names = [name, other, "spine", "Lumbar"]
    assert (partner(name, names), partner(other, names)) == (other, name)
    assert (side_of(name, names), side_of(other, names)) == ("left", "right")
    assert partner("spine", names) == "spine"
    assert side_of("Lumbar", names) == ""


def test_markers_where_a_motion_is_asked_for_are_told():
    with pytest.raises(hk.UnsupportedError, match=r"not '.trc': hk.read.read_trc and read_c3d"):
        hk.Motion.read("walk.trc")
    with pytest.raises(hk.UnsupportedError, match=r"not '.fbx'$"):
        hk.Motion.read("walk.fbx")


def test_a_motion_where_configurations_are_asked_for_is_told():
    eva = hk.human()
    motion = hk.Motion(np.tile(eva.rest, (2, 1)), [0.0, 1.0], eva.model)
    with pytest.raises(hk.ArgumentError, match=r"real numbers, got Motion .*: its \.q are some"):
        hk.people.rula_of(eva, motion)
    with pytest.raises(hk.ArgumentError, match=r"real numbers$"):
        hk.people.rula_of(eva, "rest")
