"""URDF: the quick pass and the careful one read the same, and only the careful one speaks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handik.errors import ReadError
from handik.files.read._geometry import MeshFinder
from handik.files.read._xml import Limits, open_document
from handik.files.read.urdf import _Odd, _Reader, read_urdf

NUMBERS = ["1", " -2.5 ", "1e-3", "+.5", "1e308", "0", "-0.0", "1e-400", "\t3\n"]
WRONG = [
    "",
    " ",
    ";",
    "1 ;",
    "1 ; 1",
    "nan",
    "inf",
    "1e999",
    "1_0",
    "0x1",
    "1,5",
    "٣",
    "1 2",
    "x",
    "9" * 401,
]


def one_pass(text, quick):
    """Return all that a pass reads, as text; None where it asks for a closer look."""
    try:
        document = open_document(text, limits=Limits())
        spec = _Reader(document, MeshFinder(None, ()), False, quick=quick).read()
    except _Odd:
        return None
    except ReadError as error:
        return str(error)
    parts = [[(name, getattr(spec, name)) for name in ("name", "notes", "missing_meshes")]]
    for item in (*spec.links, *spec.joints):
        shapes = (*getattr(item, "visuals", ()), *getattr(item, "collisions", ()))
        body = getattr(item, "inertial", None)
        for part in (item, *shapes, *(() if body is None else (body,))):
            parts.append([(key, getattr(part, key)) for key in part.__slots__])
    return repr([[(k, v.tolist() if hasattr(v, "tolist") else v) for k, v in p] for p in parts])


def robot(n):
    """Return a robot that writes the given numbers."""
    return (
        '<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"/>'
        f'<link name="b"><inertial><origin xyz="{n[0]} 1 2" rpy="0 {n[1]} 0"/><mass value="{n[2]}"/>'
        f'<inertia ixx="{n[3]}" ixy="{n[4]}" izz="{n[5]}"/></inertial><visual name="v">'
        f'<origin rpy="{n[6]} 0 0"/><geometry><mesh filename="m.stl" scale="{n[7]} 1 1"/></geometry>'
        f'<material name="red"/></visual><visual><geometry><box size="1 {n[8]} 1"/></geometry>'
        f'<material name="x"><color rgba="{n[9]} 1 1 1"/></material></visual>'
        f'<collision><geometry><sphere radius="{n[10]}"/></geometry></collision>'
        f'<collision><geometry><capsule radius="{n[11]}" length="{n[12]}"/></geometry></collision>'
        '</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        f'<origin xyz="0 0 {n[13]}"/><axis xyz="{n[14]} 1 0"/><limit lower="-1" upper="{n[15]}" '
        f'effort="{n[16]}" velocity="{n[17]}"/><dynamics damping="{n[18]}"/></joint>'
        f'<link name="c"/><joint name="k" type="planar"><parent link="b"/><child link="c"/>'
        f'<axis xyz="0 1 {n[19]}"/><dynamics friction="{n[20]}"/>'
        f'<mimic joint="none" multiplier="{n[21]}" offset="1"/></joint></robot>'
    )


COUNT = 22


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.lists(st.sampled_from(NUMBERS), min_size=COUNT, max_size=COUNT))
def test_both_passes_read_the_same(numbers):
    text = robot(numbers)
    quick, careful = one_pass(text, True), one_pass(text, False)
    assert quick is None or quick == careful
    if quick is None:  # only where the careful pass has something to say
        with pytest.raises(ReadError):
            read_urdf(text)


@pytest.mark.parametrize("place", range(COUNT))
def test_what_is_wrong_goes_to_the_careful_pass(place):
    for word in WRONG:
        numbers = ["1"] * COUNT
        numbers[place] = word
        text = robot(numbers)
        assert one_pass(text, True) is None
        with pytest.raises(ReadError) as caught:
            read_urdf(text)
        assert caught.value.line == 1


def test_a_sound_file_needs_no_second_pass():
    text = robot(["1"] * COUNT)
    assert one_pass(text, True) == one_pass(text, False)
    assert "missing_meshes" in one_pass(text, True)


@pytest.mark.parametrize("head", ['<robot name="r">', '<robot name="r" xmlns:xacro="x">'])
def test_xacro_goes_to_the_careful_pass(head):
    text = head + '<link name="a"><xacro:if value="1"/></link></robot>'
    if "xmlns" in head:
        assert one_pass(text, True) is None
    else:  # unknown elements are passed over
        assert one_pass(text, True) == one_pass(text, False)
