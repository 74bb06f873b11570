"""MJCF without MuJoCo: what is refused, includes, notes, couplings."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.errors import ReadError
from handik.files.read import load_spec
from handik.files.read.mjcf import read_mjcf


def model(body, head=""):
    return f"<mujoco>{head}<worldbody>\n{body}\n</worldbody></mujoco>"


BALL = '<geom size="0.1"/>'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<robot/>", 1, "root element"),
        ("<mujoco/>", 1, "no <worldbody>"),
        (model("<body><replicate/></body>"), 2, "cannot be read"),
        (model('<body><joint type="screw"/></body>'), 2, "'screw' is none of"),
        (model('<body><joint axis="0 0 0"/></body>'), 2, "is zero"),
        (model('<body><joint range="2 1" limited="true"/></body>'), 2, "reversed"),
        (model("<body>\n<body><freejoint/></body></body>"), 3, "in the world"),
        (model('<body name="a"/>\n<body name="a"/>'), 3, "name of the body is taken"),
        (model('<body><joint name="a"/><joint name="a"/></body>'), 2, "taken"),
        (model('<body pos="0 0"/>'), 2, "3 numbers expected"),
        (model('<body quat="0 0 0 0"/>'), 2, "length zero"),
        (model('<body><geom type="box" size="1"/></body>'), 2, "needs 3 sizes"),
        (model('<body><geom type="mesh" mesh="m"/></body>'), 2, "no mesh asset"),
        (model('<body><inertial mass="-1" pos="0 0 0"/></body>'), 2, "negative"),
        (model('<body childclass="x"><joint/></body>'), 2, "no default class 'x'"),
        (model("", '<compiler coordinate="global"/>'), 1, "global"),
        (model("", '<compiler eulerseq="xyq"/>'), 1, "eulerseq"),
        (model("<joint/>"), 2, "the world has no joint"),
        (model("", '<include file="a.xml"/>'), 1, "no include_roots"),
        (model("", '<equality><joint joint1="a"/></equality>'), 1, "no joint 'a'"),
    ],
)
def test_refusals_name_line_and_reason(text, line, words):
    with pytest.raises(ReadError, match=words) as caught:
        read_mjcf(text)
    assert caught.value.line == line


def test_includes_stay_inside_their_roots(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "arm.xml").write_text(
        '<mujocoinclude><body name="arm" pos="0 0 1"><joint name="j"/></body></mujocoinclude>'
    )
    (outside / "arm.xml").write_text("<mujocoinclude/>")
    (inside / "link.xml").symlink_to(outside / "arm.xml")
    main = inside / "main.xml"
    main.write_text(model('<include file="arm.xml"/>'))
    assert [link.name for link in load_spec(main, include_roots=[inside]).links] == ["world", "arm"]
    for name, words in (
        ("../out/arm.xml", "in none of"),
        ("link.xml", "in none of"),
        (str(outside / "arm.xml"), "in none of"),
        ("none.xml", "in none of"),
    ):
        main.write_text(model(f'<include file="{name}"/>'))
        with pytest.raises(ReadError, match=words):
            load_spec(main, include_roots=[inside])
    main.write_text(model('<include file="arm.xml"/><include file="arm.xml"/>'))
    with pytest.raises(ReadError, match="a second time"):
        load_spec(main, include_roots=[inside])
    (inside / "loop.xml").write_text('<mujocoinclude><include file="loop.xml"/></mujocoinclude>')
    main.write_text(model('<include file="loop.xml"/>'))
    with pytest.raises(ReadError, match="a second time"):
        load_spec(main, include_roots=[inside])


def test_a_straight_coupling_is_a_mimic_and_others_are_noted():
    inner = f'<body><joint name="b" ref="45"/>{BALL}</body>'
    body = f'<body><joint name="a" ref="90"/>{BALL}{inner}</body>'
    line = '<equality><joint joint1="b" joint2="a" polycoef="0.5 2 0 0 0"/></equality>'
    spec = read_mjcf(model(body, line))
    mimic = next(joint for joint in spec.joints if joint.name == "b").mimic
    assert (mimic.joint, mimic.scale) == ("a", 2.0)
    assert mimic.offset == pytest.approx(0.5 + np.pi / 4 - 2 * np.pi / 2)
    for bent in ('joint2="a" polycoef="0 1 1 0 0"', 'polycoef="1 0 0 0 0"'):
        spec = read_mjcf(model(body, f'<equality><joint joint1="b" {bent}/></equality>'))
        assert all(joint.mimic is None for joint in spec.joints)
        assert any("not a straight line" in note for note in spec.notes)


def test_what_is_no_part_of_a_figure_is_passed_over_in_a_body():
    seen = f'<body><joint name="a"/>{BALL}<camera name="eye"/><light pos="0 0 1"/></body>'
    assert [joint.name for joint in read_mjcf(model(seen)).joints] == ["a"]


def test_limits_in_degrees_and_sections_passed_over():
    text = model(f'<body><joint name="a" range="-90 45"/>{BALL}</body>', "<option/><sensor/>")
    spec = read_mjcf(text)
    assert (spec.joints[0].lower, spec.joints[0].upper) == (-np.pi / 2, np.pi / 4)
    assert "passed over: option, sensor" in spec.notes
    free = read_mjcf(text.replace("range", 'limited="false" range'))
    assert free.joints[0].lower is None


def test_loaded_by_suffix_and_root(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(model(f'<body name="b"><joint/>{BALL}</body>'))
    assert hk.load(path).nq == 1
    path.write_text("<other/>")
    with pytest.raises(ReadError, match="<other>, none of"):
        hk.load(path)


@pytest.mark.parametrize(
    ("kind", "size", "within"),
    [
        ("sphere", "0.1", 1e-12),
        ("box", "0.1 0.2 0.3", 1e-12),
        ("cylinder", "0.1 0.3", 1e-12),
        ("capsule", "0.1 0.3", 1e-12),
        ("ellipsoid", "0.1 0.1 0.1", 1e-4),
        ("ellipsoid", "0.1 0.2 0.3", 0.02),  # theirs is an estimate
    ],
)
@pytest.mark.parametrize("mass", ["", 'mass="3"'])
def test_shells_weigh_what_mujoco_says(kind: str, size: str, within: float, mass: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = (
        '<mujoco><worldbody><body name="b"><joint/><geom type="{}" size="{}" density="7" {} '
        'pos="0.1 0 0.2" euler="10 20 30" shellinertia="{}"/></body></worldbody></mujoco>'
    )
    shells = []
    for shell in ("true", "false"):
        said = text.format(kind, size, mass, shell)
        theirs, spec = mujoco.MjModel.from_xml_string(said), read_mjcf(said)
        ours = next(link.inertial for link in spec.links if link.name == "b")
        assert ours is not None
        assert ours.mass == pytest.approx(theirs.body_mass[1], rel=within)
        moments = sorted(np.linalg.eigvalsh(ours.inertia))
        assert moments == pytest.approx(sorted(theirs.body_inertia[1]), rel=within)
        shells.append(moments)
    assert shells[0][0] > 1.05 * shells[1][0]


def test_the_shell_of_an_ellipsoid_is_integrated() -> None:
    """A prolate one has a closed form of its surface; a sphere has all of them."""
    from handik.files.read._mjcf_body import _ellipsoid_shell

    area, squares = _ellipsoid_shell(0.2, 0.2, 0.2)
    assert area == pytest.approx(4 * np.pi * 0.04, rel=1e-13)
    assert squares == pytest.approx([area * 0.04 / 3] * 3, rel=1e-13)
    a, c = 0.1, 0.3
    e = np.sqrt(1 - a * a / c / c)
    surface = 2 * np.pi * a * a * (1 + c / a / e * np.arcsin(e))
    assert _ellipsoid_shell(a, a, c)[0] == pytest.approx(surface, rel=1e-12)


def test_limits_of_a_ball_are_passed_over_and_said_so():
    text = """<mujoco><worldbody><body name="a"><joint name="b" type="ball" range="0 1" limited="true"/>
    <geom size="0.1"/></body></worldbody></mujoco>"""
    assert "joint 'b': the limit of a ball is passed over" in read_mjcf(text).notes
