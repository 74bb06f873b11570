"""Motions and their files at the edges: cut off, counted wrongly, empty, without a length."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import handik as hk
from handik.people.motion import Library, fit_markers, lead, retarget, scale_to_markers

ARM = hk.chain([0.3, 0.2])
MOT = "a\nnRows=2\nnColumns=3\ninDegrees=no\nendheader\ntime\tx\ty\n0\t1\t2\n0.5\t3\t4\n"


@pytest.fixture
def trc(tmp_path) -> str:
    points = np.random.default_rng(0).normal(size=(4, 2, 3))
    hk.write.save_trc(tmp_path / "w.trc", hk.read.Markers(("a", "b"), np.arange(4) / 50, points))
    return (tmp_path / "w.trc").read_text()


def test_a_trc_file_that_is_cut_off_is_refused(trc: str) -> None:
    whole = hk.read.read_trc(trc).positions
    last = trc.index("\n4\t") + 4  # in its last row empty cells may be left out
    for end in range(trc.index("\n") + 1, last):
        with pytest.raises(hk.ReadError):
            hk.read.read_trc(trc[:end])
    with pytest.raises(hk.ReadError, match="within a marker"):
        hk.read.read_trc(trc.rstrip("\n").rpartition("\t")[0])
    np.testing.assert_array_equal(hk.read.read_trc(trc.replace("\n", "\r\n")).positions, whole)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\t4\t2\tmm", "\t1000000000\t2\tmm", "NumFrames says 1000000000, but the file has 4 rows"),
        ("\t4\t2\tmm", "\t3\t2\tmm", "NumFrames says 3"),
        ("\t4\t2\tmm", "\tmany\t2\tmm", "NumFrames is no number"),
        ("\t0.02\t", "\t0.0_2\t", "no number"),
    ],
    ids=["huge", "fewer", "word", "underscore"],
)
def test_a_trc_file_that_counts_wrongly_is_refused(trc: str, old: str, new: str, said: str) -> None:
    assert old in trc
    with pytest.raises(hk.ReadError, match=said):
        hk.read.read_trc(trc.replace(old, new, 1))


def test_an_empty_cell_in_the_head_of_a_trc_file(trc: str) -> None:
    assert "50\t50\t4" in trc
    found = hk.read.read_trc(trc.replace("50\t50\t4", "50\t\t4", 1))
    np.testing.assert_array_equal(found.positions, hk.read.read_trc(trc).positions)


def test_short_rows_of_many_markers_take_no_memory() -> None:
    count = 6000
    head = ["PathFileType\t4", "NumMarkers\tUnits", f"{count}\tmm"]
    names = "Frame#\tTime\t" + "\t".join(f"m{k}" for k in range(count))
    rows = [f"{k}\t{k}" for k in range(count)]
    with pytest.raises(hk.ReadError, match="more than can be kept"):
        hk.read.read_trc("\n".join([*head, names, "", "", *rows]))


def test_a_mot_file_that_is_cut_off_or_counts_wrongly_is_refused() -> None:
    assert hk.read.read_mot(MOT).values.shape == (2, 2)
    for end in range(MOT.index("\n") + 1, len(MOT) - 2):
        with pytest.raises(hk.ReadError):
            hk.read.read_mot(MOT[:end])
    for old, new, said in (
        ("nRows=2", "nRows=1000000000", "nRows says 1000000000, but the file has 2 rows"),
        ("nColumns=3", "nColumns=2", "nColumns says 2, but the file has 3 columns"),
        ("\t3\t", "\t3_0\t", "no number"),
    ):
        with pytest.raises(hk.ReadError, match=said):
            hk.read.read_mot(MOT.replace(old, new))


def joined(*joints: tuple[str, str]) -> hk.Model:
    spec = hk.ModelSpec("m", [hk.LinkSpec("w")])
    for k, (name, kind) in enumerate(joints):
        spec.links.append(hk.LinkSpec(f"l{k}"))
        axis = {} if kind == "ball" else {"axis": (0.0, 0.0, 1.0)}
        spec.joints.append(hk.JointSpec(name, kind, "w", f"l{k}", np.eye(4), **axis))
    return hk.Model(spec)


def test_a_mot_file_that_could_not_be_read_is_not_written(tmp_path) -> None:
    for model in (joined(("time", "revolute")), joined(("a", "ball"), ("a.qw", "revolute"))):
        with pytest.raises(hk.UnsupportedError, match="two columns of one name"):
            hk.Motion([model.rest], [0.0], model).save(tmp_path / "x.mot")
    hk.Motion([[0.1, 0.2]], [0.0], ARM, name="EndHeader").save(tmp_path / "x.mot")
    again = hk.Motion.read(tmp_path / "x.mot", model=ARM)
    assert again.name == "motion EndHeader"
    np.testing.assert_allclose(again.q, [[0.1, 0.2]])


def c3d(path, labels: list[str], frames: int = 4) -> bytes:
    ezc3d = pytest.importorskip("ezc3d")
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [50.0]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    made["parameters"]["POINT"]["LABELS"]["value"] = labels
    made["data"]["points"] = np.ones((4, len(labels), frames)) + np.arange(frames)
    made.write(str(path))
    return bytes(path.read_bytes())


def test_a_c3d_file_that_is_cut_off_is_refused(tmp_path) -> None:
    data = c3d(tmp_path / "w.c3d", ["a", "b", "c"])
    start = 512 * (struct.unpack("<H", data[16:18])[0] - 1)
    size = 4 * 3 * 16  # frames, points, bytes of each
    for end in (start, start + 1, start + size // 2, start + size - 1):
        (tmp_path / "cut.c3d").write_bytes(data[:end])
        with pytest.raises(hk.ReadError, match="cannot read it"):
            hk.read.read_c3d(tmp_path / "cut.c3d")
    (tmp_path / "cut.c3d").write_bytes(data[: start + size])
    assert len(hk.read.read_c3d(tmp_path / "cut.c3d")) == 4
    (tmp_path / "more.c3d").write_bytes(data[:8] + struct.pack("<H", 60000) + data[10:])
    with pytest.raises(hk.ReadError, match="ends after 4 of 60000 frames"):
        hk.read.read_c3d(tmp_path / "more.c3d")


def test_a_c3d_file_of_many_points_and_of_bad_labels(tmp_path) -> None:
    names = [f"m{k}" for k in range(300)]
    c3d(tmp_path / "many.c3d", names)
    assert hk.read.read_c3d(tmp_path / "many.c3d").names == tuple(names)
    c3d(tmp_path / "two.c3d", ["a", "a"])
    with pytest.raises(hk.ReadError, match="two points have one label"):
        hk.read.read_c3d(tmp_path / "two.c3d")


def test_a_cutoff_far_too_slow_says_so() -> None:
    motion = hk.Motion(np.zeros((2000, 2)), np.arange(2000) / 1000, ARM)
    for cutoff in (1e-300, 1e-9, 0.49, 0.51):
        with pytest.raises(hk.ArgumentError, match="frames or more, there are 2000"):
            motion.lowpass(cutoff)


def test_a_slow_filter_of_high_order_is_exact() -> None:
    signal = pytest.importorskip("scipy.signal")
    n = 9000
    q = np.random.default_rng(0).normal(size=(n, 1))
    motion = hk.Motion(q, np.arange(n) / 1000, hk.chain([0.3]))
    parts = signal.butter(8, 2 * 3.0 / 1000, output="sos")
    wanted = signal.sosfiltfilt(parts, q[:, 0])
    middle = slice(4000, 5000)
    np.testing.assert_allclose(motion.lowpass(3.0, 8).q[middle, 0], wanted[middle], atol=1e-6)


def test_a_joint_has_one_partner() -> None:
    still = hk.Motion(np.zeros((1, 3)), [0.0], hk.chain([0.1, 0.1, 0.1]))
    for pairs in (
        {"joint_1": "joint_2", "joint_3": "joint_2"},
        {"joint_1": "joint_2", "joint_2": "joint_3"},
    ):
        with pytest.raises(hk.ArgumentError, match="name a joint twice"):
            still.mirror(pairs)
    both = {"joint_1": "joint_2", "joint_2": "joint_1"}
    assert still.mirror(both).q.tolist() == [[0.0, 0.0, 0.0]]


def test_turns_are_not_mixed_with_slides() -> None:
    turn, slide = (
        hk.Motion([[0.0]], [0.0], joined(("a", kind))) for kind in ("revolute", "prismatic")
    )
    with pytest.raises(hk.ArgumentError, match="retarget it first"):
        turn.blend(slide)


def test_no_frames_and_no_fade() -> None:
    anna = hk.human("female", detail="full", position="standing")
    none = hk.Motion(np.zeros((0, anna.model.nq)), [], anna.model)
    assert len(retarget(none, anna).motion) == 0
    wave = hk.Motion(np.linspace([0.1, 0.2], [0.3, 0.4], 5), np.arange(5) / 10, ARM)
    found = lead(wave, "tip", {2: wave.path("tip")[2] + [0.0, 0.01, 0.0]}, fade=1e-320)
    np.testing.assert_array_equal(found.motion.q[[0, 1, 3, 4]], wave.q[[0, 1, 3, 4]])
    assert found.misses[2] < 1e-3


def test_a_marker_at_infinity_was_not_seen() -> None:
    seen = hk.read.Markers(("a", "b"), [0.0], [[[np.inf, 0.0, 0.0], [0.5, 0.0, 0.0]]])
    fit = fit_markers(ARM, seen, {"a": ("link_1", [0.3, 0, 0]), "b": ("tip", [0, 0, 0])})
    assert np.isnan(fit.residuals).tolist() == [[True, False]]


def test_the_least_spread() -> None:
    seen = hk.read.Markers(("b",), [0.0], [[[0.4, 0.1, 0.0]]])
    places = {"b": ("tip", [0.0, 0.0, 0.0])}
    tight = scale_to_markers(ARM, seen, places, spread=1e-9).scales
    assert tight["link_1"] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(hk.ArgumentError, match="spread 1e-09 or more"):
        scale_to_markers(ARM, seen, places, spread=0.99e-9)


def test_a_figure_that_is_no_text(tmp_path) -> None:
    Library([hk.Motion([[0.0, 0.0]], [0.0], ARM, name="a")]).save(tmp_path)
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(hk.ReadError):
        Library.read(tmp_path)


@pytest.mark.parametrize("length", [1e-200, 3.0, 1e200])
def test_directions_have_any_length(length):
    anna = hk.human("female")
    way = np.array([0.0, 0.6, 0.8])
    still = hk.Motion([anna.rest], [0.0], anna.model)
    with np.errstate(all="raise"):
        seen = still.mirror(normal=[0.0, length, 0.0])
        look = hk.people.gaze.Gaze(anna.model, [1.0, 1.0, 1.0], axis=length * way)
    np.testing.assert_array_equal(seen.q, still.mirror(normal=[0.0, 1.0, 0.0]).q)
    np.testing.assert_allclose(look.axis, way, rtol=1e-15)


def parameters(data: bytes) -> dict[str, tuple[int, int]]:
    """First byte of each parameter of a file, and that of how far the next is; of names the first."""
    found: dict[str, tuple[int, int]] = {}
    at = 512 * (data[0] - 1) + 4
    while data[at]:
        place = at + 2 + abs(struct.unpack("b", data[at : at + 1])[0])
        found.setdefault(data[at + 2 : place].decode(), (at, place))
        to_next = struct.unpack("<h", data[place : place + 2])[0]
        at = place + to_next if to_next else len(data) - 1
    return found


def test_c3d_parameters_that_do_not_end_are_refused(tmp_path) -> None:
    """Its own library did not come back, or read beyond its memory."""
    data = c3d(tmp_path / "w.c3d", ["a", "b", "c"])
    where = parameters(data)
    at, units = where["UNITS"]
    letters = data[:units] + struct.pack("<hbB", 27, -1, 0) + data[units + 4 :]
    backwards = data[:units] + struct.pack("<h", -40) + data[units + 2 :]
    long = data[: units + 4] + b"\xff" + data[units + 5 :]
    end = units + struct.unpack("<h", data[units : units + 2])[0]
    described = data[: end - 1] + b"\x81" + data[end:]
    for changed, why in (
        (data[:at], "ends within its parameters"),
        (data[: units + 1], "ends within its parameters"),
        (data[:500], "has no head"),
        (data[:514], "ends before its parameters"),
        (b"\x00" + data[1:], "ends before its parameters"),
        (backwards, "go backwards"),
        (long, "longer than its place"),
        (described, "longer than its place"),
        (letters, "a letter alone"),
    ):
        (tmp_path / "bad.c3d").write_bytes(changed)
        with pytest.raises(hk.ReadError, match=f"cannot read it: .*{why}"):
            hk.read.read_c3d(tmp_path / "bad.c3d")
