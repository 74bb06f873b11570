"""BVH: the skeleton and the motion, with every oddity of real files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.errors import ArgumentError, ReadError
from handik.files.read import load_spec
from handik.files.read.bvh import read_bvh, read_bvh_motion

BODY = """HIERARCHY
ROOT hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 1.5e1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 20 0
    }
  }
  JOINT knee
  {
    OFFSET 10 -40 0
    CHANNELS 1 Xrotation
    JOINT ankle
    {
      OFFSET 0 -40 0
      CHANNELS 2 Xrotation Zrotation
      JOINT toe
      {
        OFFSET 0 0 15
        CHANNELS 0
        End Site foot tip
        {
          OFFSET 0 0 5
        }
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 0 0 0 0 1 2 3 4 5 6
0 91 0 1e1 0 0 1 2 3 4 5 -6.5
"""
THREE = "CHANNELS 3 Zrotation Xrotation Yrotation"


def test_the_skeleton(tmp_path):
    path = tmp_path / "body.bvh"
    path.write_text(BODY)
    spec = load_spec(path, scale=0.01)
    assert (spec.name, spec.source, spec.root) == ("body", str(path), "world")
    assert spec.notes == []
    assert [(j.name, j.kind, j.parent, j.child) for j in spec.joints] == [
        ("hips", "free", "world", "hips"),
        ("spine", "ball", "hips", "spine"),
        ("knee", "revolute", "hips", "knee"),
        ("ankle", "universal", "knee", "ankle"),
        ("toe", "fixed", "ankle", "toe"),
    ]
    assert (spec.joints[2].axis, spec.joints[3].axis2) == ((1, 0, 0), (0, 0, 1))
    assert [(f.name, f.link) for f in spec.frames] == [("spine_end", "spine"), ("foot_tip", "toe")]
    np.testing.assert_allclose(spec.joints[1].placement[:3, 3], [0, 0.15, 0])
    # y of the file stands along z of the world
    np.testing.assert_allclose(spec.joints[0].placement[:3, 3], [0, 0, 0.9], atol=1e-15)
    np.testing.assert_allclose(spec.joints[0].placement[:3, :3] @ [0, 1, 0], [0, 0, 1])


def test_up_and_scale():
    spec = read_bvh(BODY, up="z")
    assert list(spec.joints[0].placement[:3, 3]) == [0, 90, 0]
    assert "unit of length" in spec.notes[0]
    assert "scale=0.01 reads centimeters" in spec.notes[0]
    for options in ({"up": "x"}, {"scale": 0.0}, {"scale": -1.0}, {"scale": math.nan}):
        with pytest.raises(ArgumentError):
            read_bvh(BODY, **options)


def test_the_motion():
    motion = read_bvh_motion(BODY)
    assert motion.frame_time == 0.0333333
    assert motion.values.shape == (2, 12)
    assert motion.values[1].tolist() == [0, 91, 0, 10, 0, 0, 1, 2, 3, 4, 5, -6.5]
    assert motion.channels[5:8] == [
        ("hips", "Yrotation"),
        ("spine", "Zrotation"),
        ("spine", "Xrotation"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("  ", "\t"),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: t.replace("\n  {", " {").replace("hips\n{", "hips {"),
        lambda t: t.replace("ROOT", " ROOT"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("Frames: 2", "Frames:2"),
        lambda t: t.rstrip(),
    ],
)
def test_spacing_does_not_matter(change):
    spec, motion = read_bvh(change(BODY).encode()), read_bvh_motion(change(BODY).encode())
    assert [joint.name for joint in spec.joints] == ["hips", "spine", "knee", "ankle", "toe"]
    assert motion.values.shape == (2, 12)


def test_oddities():
    head = BODY[: BODY.index("MOTION")]
    spec = read_bvh(head)
    assert "the file has no MOTION" in spec.notes
    assert read_bvh_motion(head).values.shape == (0, 12)
    none = head + "MOTION\nFrames: 0\nFrame Time: 0.01\n"
    assert read_bvh_motion(none).values.shape == (0, 12)
    assert (
        "does not say its Frame Time"
        in read_bvh(BODY.replace("Frame Time: 0.0333333\n", "")).notes[0]
    )
    pair = head + head.replace("HIERARCHY\n", "") + "MOTION\nFrames: 0\n"
    spec = read_bvh(pair)
    assert [joint.parent for joint in spec.joints[::5]] == ["world", "world"]
    assert spec.joints[5].name == "hips_2"
    assert any("'hips' is taken: called 'hips_2'" in note for note in spec.notes)
    spec = read_bvh(BODY.replace("JOINT knee", "JOINT world"))
    assert spec.joints[2].name == "world_2"
    six = "CHANNELS 6 Zrotation Xrotation Yrotation Xposition Yposition Zposition"
    inner = BODY.replace("CHANNELS 1 Xrotation", six).replace("3 4 5", "3 4 0 0 0 0 0 5")
    assert read_bvh(inner).joints[2].kind == "free"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (b"", 1, "the file ends where HIERARCHY is expected"),
        ("HIERARCH\n", 1, "begins with HIERARCHY"),
        ("HIERARCHY\nMOTION\n", 2, "'MOTION' is not expected here"),
        (BODY.replace("ROOT hips", "JOINT hips"), 2, "'JOINT hips' is not expected here"),
        (BODY.replace("ROOT hips", "ROOT"), 2, "ROOT has no name"),
        (BODY.replace("OFFSET 0 90 0", ""), 2, "JOINT hips: OFFSET is missing"),
        (BODY.replace("OFFSET 0 90 0", "OFFSET 0 90"), 4, "OFFSET has 2 numbers where 3"),
        (BODY.replace("OFFSET 0 90 0", "OFFSET 0 nan 0"), 4, "OFFSET: 'nan'"),
        (BODY.replace("OFFSET 0 90 0", "OFFSET 0 9,5 0"), 4, "OFFSET: '9,5'"),
        (BODY.replace("0 90 0\n", "0 90 0\nOFFSET 0 90 0\n", 1), 2, "a second OFFSET"),
        (BODY.replace(THREE, THREE + "\nCHANNELS 1 Zrotation"), 6, "a second CHANNELS"),
        (
            BODY.replace(THREE, THREE.replace("3", "4") + " Zrotation"),
            6,
            "more than three rotations",
        ),
        (
            BODY.replace("0 20 0\n", "0 20 0\nCHANNELS 1 Xrotation\n"),
            10,
            "an End Site has no channels",
        ),
        (BODY.replace("CHANNELS 6", "CHANNELS 5"), 5, "CHANNELS says 5, but names 6"),
        (
            BODY.replace("CHANNELS 1 Xrotation", "CHANNELS 1 Wrotation"),
            18,
            "'Wrotation' is none of",
        ),
        (BODY.replace("CHANNELS 1 Xr", "CHANNELS 1 Xposition X", 1), 18, "says 1, but names 2"),
        (BODY.replace("CHANNELS 1 Xrotation", "CHANNELS 1 Xposition"), 15, "need all three"),
        (BODY.replace("2 Xrotation Z", "2 Zrotation Z"), 19, "about the same axis"),
        (BODY.replace("End Site\n", "End\n"), 10, "followed by 'Site'"),
        (BODY.replace("Frames: 2", "Frames: 3"), 36, "Frames says 3, but 2 lines"),
        (BODY.replace("Frames: 2", "Frames: 1"), 36, "Frames says 1, but 2 lines"),
        (BODY.replace("Frames: 2", "Frames: 3\nFrames: 2"), 37, "a second Frames:"),
        (BODY.replace("Frame Time", "Frame Time: 1\nFrame Time"), 38, "a second Frame Time:"),
        (
            BODY.replace("6 Xposition Y", "7 Yposition Xposition Y").replace("\n0 9", "\n0 0 9"),
            2,
            "need all three",
        ),
        (BODY.replace("Frames: 2\n", ""), 37, "'Frames:' with a count is expected"),
        (BODY.replace("5 6\n", "5\n"), 38, "the frame has 11 numbers where 12"),
        (BODY.replace("-6.5", "inf"), 39, "the frame: 'inf'"),
        (BODY.replace("}\nMOTION", "MOTION"), 34, "'MOTION' is not expected here"),
        (
            "HIERARCHY\n" + "ROOT a\n{\nOFFSET 0 0 0\n" + "JOINT a\n{\nOFFSET 0 0 0\n" * 1100,
            3074,
            "nest deeper",
        ),
    ],
)
def test_faults_name_the_line(text, line, words):
    with pytest.raises(ReadError) as caught:
        read_bvh(text)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_what_is_too_far_away_in_meters_is_told():
    """Products that overflow; under warnings as errors they raised those."""
    far = BODY.replace("OFFSET 10 -40 0", "OFFSET 1e308 -40 0")
    with pytest.raises(ReadError, match=r"15: JOINT knee: OFFSET is too far away in units of 100"):
        read_bvh(far, scale=100.0)
    gone = BODY.replace("0 91 0", "0 1e308 0")
    model = hk.Model(read_bvh(gone, scale=100.0))
    with pytest.raises(ArgumentError, match=r"too far away in units of 100\.0 m"):
        read_bvh_motion(gone).coordinates(model, scale=100.0)


@pytest.mark.parametrize("cut", range(0, BODY.index("MOTION") - 2, 3))
def test_truncated_files_are_refused(cut):
    with pytest.raises(ReadError):
        read_bvh(BODY[:cut].encode())


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(BODY)), st.integers(0, 9), st.text(max_size=5)), max_size=4
    )
)
def test_mangled_files_give_a_sound_tree_or_the_named_error(edits):
    text = BODY
    for start, length, word in edits:
        text = text[:start] + word + text[start + length :]
    try:
        read_bvh(text.encode("utf-8", "replace")).check()
    except ReadError:
        pass


def test_motion_in_coordinates_of_the_model(rng):
    """Against the product of matrices that the format defines, frame by frame."""
    text = """HIERARCHY
ROOT hip
{
  OFFSET 1 90 2
  CHANNELS 6 Xposition Zposition Yposition Zrotation Xrotation Yrotation
  JOINT chest
  {
    OFFSET 0 20 3
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT arm
    {
      OFFSET 5 0 0
      CHANNELS 2 Xrotation Yrotation
      JOINT hand
      {
        OFFSET 30 0 0
        CHANNELS 1 Zrotation
        End Site
        {
          OFFSET 10 1 0
        }
      }
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.02
"""
    values = rng.uniform(-170, 170, (4, 12))
    text += "\n".join(" ".join(map(repr, row)) for row in values.tolist()) + "\n"
    model = hk.Model(read_bvh(text, scale=0.01))
    motion = read_bvh_motion(text)
    q = motion.coordinates(model, scale=0.01)
    assert q.shape == (4, model.nq)

    def turn(axis, degrees):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
        made = np.eye(4)
        made[i, i], made[i, j], made[j, i], made[j, j] = c, -s, s, c
        return made

    def shift(x, y, z):
        made = np.eye(4)
        made[:3, 3] = 0.01 * x, 0.01 * y, 0.01 * z
        return made

    for row, at in zip(values, q, strict=True):
        place = turn("X", 90) @ shift(1, 90, 2) @ shift(row[0], row[2], row[1])
        for word, value in zip("ZXY", row[3:6], strict=True):
            place = place @ turn(word, value)
        place = place @ shift(0, 20, 3)
        for word, value in zip("YZX", row[6:9], strict=True):
            place = place @ turn(word, value)
        place = place @ shift(5, 0, 0) @ turn("X", row[9]) @ turn("Y", row[10])
        place = place @ shift(30, 0, 0) @ turn("Z", row[11])
        np.testing.assert_allclose(model.fk(at, frame="hand"), place, atol=1e-12)
    with pytest.raises(hk.ModelError, match="no joint 'hip'"):
        motion.coordinates(hk.data("ur5"))
