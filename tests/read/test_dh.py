"""DH tables and chains against the textbook product of transforms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handik.errors import ArgumentError, ModelError
from handik.files.read.dh import chain_spec, from_dh


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    out = np.eye(4)
    i, j = {"x": (1, 2), "z": (0, 1)}[axis]
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def slide(axis, length):
    out = np.eye(4)
    out["xyz".index(axis), 3] = length
    return out


def textbook(table, q, kinds, convention):
    """Frames 0..n by the definition, one elementary motion at a time."""
    frames = [np.eye(4)]
    for (theta, d, a, alpha), value, kind in zip(table, q, kinds, strict=True):
        theta, d = (theta + value, d) if kind == "R" else (theta, d + value)
        if convention == "standard":
            step = turn("z", theta) @ slide("z", d) @ slide("x", a) @ turn("x", alpha)
        else:
            step = turn("x", alpha) @ slide("x", a) @ turn("z", theta) @ slide("z", d)
        frames.append(frames[-1] @ step)
    return frames


def pose_of_links(spec, q):
    """Frames of all links by walking the spec: joints about and along z only."""
    frames = {spec.root: np.eye(4)}
    values = iter(q)
    for joint in spec.ordered_joints():
        assert tuple(joint.axis) == (0, 0, 1)
        motion = np.eye(4)
        if joint.kind == "revolute":
            motion = turn("z", next(values))
        elif joint.kind == "prismatic":
            motion = slide("z", next(values))
        frames[joint.child] = frames[joint.parent] @ joint.placement @ motion
    return frames


numbers = st.floats(-3, 3)
rows = st.tuples(numbers, numbers, numbers, numbers, numbers, st.sampled_from("RP"))


@pytest.mark.parametrize("convention", ["standard", "modified"])
@given(st.lists(rows, min_size=1, max_size=8))
def test_links_are_the_frames_of_the_table(convention, rows):
    table = [row[:4] for row in rows]
    q = [row[4] for row in rows]
    kinds = "".join(row[5] for row in rows)
    spec = from_dh(table, convention, kinds=kinds)
    spec.check()
    frames = pose_of_links(spec, q)
    for i, frame in enumerate(textbook(table, q, kinds, convention)):
        np.testing.assert_allclose(frames[f"link_{i}"], frame, atol=1e-12)


def test_names_limits_base_and_tool():
    base, tool = slide("z", 0.5), slide("x", 0.1)
    spec = from_dh(
        [[0, 0, 1, 0], [0, 0, 0, 0]],
        kinds=["revolute", "prismatic"],
        lower=[-1, 0],
        upper=[1, math.inf],
        names=["shoulder", "ram"],
        base=base,
        tool=tool,
        name="arm",
    )
    moving = [joint for joint in spec.joints if joint.nq]
    assert [(j.name, j.kind, j.lower, j.upper) for j in moving] == [
        ("shoulder", "revolute", -1.0, 1.0),
        ("ram", "prismatic", 0.0, math.inf),
    ]
    assert spec.root == "base"
    frames = pose_of_links(spec, [math.pi / 2, 0.25])
    tip = frames["link_2"] @ spec.frames[0].placement
    assert spec.frames[0].name == "tool"
    np.testing.assert_allclose(tip[:3, 3], [0, 1.1, 0.75], atol=1e-15)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ([[0, 0, 0]], {}, "table must be .n, 4."),
        ([], {}, "table must be .n, 4."),
        (np.zeros((0, 4)), {}, "table must be .n, 4."),
        ([0, 0, 0, 0], {}, "table must be .n, 4."),
        ([[0, 0, math.nan, 0]], {}, "table must be finite"),
        ([[0, 0, 1j, 0]], {}, "regular array of real numbers"),
        ([["a", 0, 0, 0]], {}, "regular array of real numbers"),
        ([[0, 0, 0, 0], [0, 0]], {}, "regular array of real numbers"),
        ([[0, 0, 0, 0]], {"convention": "craig"}, "convention is 'craig'"),
        ([[0, 0, 0, 0]], {"kinds": "RR"}, "kinds has 2 entries for 1 rows"),
        ([[0, 0, 0, 0]], {"kinds": "X"}, "kinds.0. is 'X'"),
        ([[0, 0, 0, 0]], {"names": ["a", "b"]}, "names has 2 entries"),
        ([[0, 0, 0, 0]], {"lower": [1, 2]}, "lower must be one number or 1"),
        ([[0, 0, 0, 0]], {"upper": math.nan}, "upper holds NaN"),
    ],
)
def test_wrong_tables(table, options, words):
    with pytest.raises(ArgumentError, match=words):
        from_dh(table, **options)


def test_wrong_models():
    with pytest.raises(ModelError, match="'joint_1': its limits are reversed"):
        from_dh([[0, 0, 0, 0]], lower=1, upper=-1)
    with pytest.raises(ModelError, match="'a': another has the same name"):
        from_dh([[0, 0, 0, 0]] * 2, names=["a", "a"])
    with pytest.raises(ModelError, match="not a rigid motion"):
        from_dh([[0, 0, 0, 0]], tool=2 * np.eye(4))


@pytest.mark.parametrize("joint", ["revolute", "ball"])
def test_chain(joint):
    lengths = [1.0, 0.0, 2.5]
    spec = chain_spec(lengths, joint)
    spec.check()
    assert [link.name for link in spec.links] == ["link_0", "link_1", "link_2", "link_3"]
    assert {j.kind for j in spec.joints} == {joint}
    assert [j.placement[0, 3] for j in spec.joints] == [0, 1, 0]
    assert (spec.frames[-1].name, spec.frames[-1].link) == ("tip", "link_3")
    assert spec.frames[-1].placement[0, 3] == 2.5
    assert spec.joints[0].placement is not spec.joints[1].placement


def test_chain_limits_and_axis():
    spec = chain_spec([1, 1], lower=[-1, -2], upper=3, axis=(0, 2, 0))
    assert [(j.lower, j.upper, j.axis) for j in spec.joints] == [
        (-1.0, 3.0, (0.0, 1.0, 0.0)),
        (-2.0, 3.0, (0.0, 1.0, 0.0)),
    ]
    assert len(chain_spec(2.0).joints) == 1


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([],), {}, "at least one"),
        (([[1, 1]],), {}, "must be a list"),
        (([1, -1],), {}, r"lengths\[1\] is negative"),
        (([1, math.inf],), {}, "lengths must be finite"),
        (([1], "slider"), {}, "joint is 'slider'"),
        (([1], "ball"), {"lower": 0}, "are for revolute joints"),
        (([1],), {"axis": (0, 0, 0)}, "axis is zero"),
        (([1],), {"axis": (0, 1)}, "axis must have shape"),
        (([1],), {"lower": [0, 0]}, "lower must be one number or 1"),
    ],
)
def test_wrong_chains(arguments, options, words):
    with pytest.raises(ArgumentError, match=words):
        chain_spec(*arguments, **options)


def test_chain_with_reversed_limits():
    with pytest.raises(ModelError, match="'joint_2': its limits are reversed"):
        chain_spec([1, 1], lower=[0, 1], upper=[0, 0])
