"""Scene files: what is written is read back, whole or not at all; units, axes, hands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import scene as sc
from handik.scene import _files as files
from handik.scene._lines import key_lines
from handik.scene._schema import schema
from handik.spec.transforms import from_rpy

HEAD = 'format = "handik scene 1"\n'
CORNERS = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]
POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0.1]]
EVERYTHING = (
    hk.Scene(name="every thing")
    .add("box", sc.Box([0.1, 0.2, 1 / 3]), from_rpy([0.1, 0.2, 0.3], [1, 2, 3]), scale=1.5)
    .add("box/ball", sc.Sphere(0.1), color="#102030", opacity=0.25, tags=["a", "b.c"])
    .add("box/ball/rod", sc.Capsule(0.3, 0.02), solid=False)
    .add("box/can", sc.Cylinder(0.1, 0.04))
    .add("floor", sc.Plane(), tags="floor")
    .add("wall é <&\"'>", sc.Prism(CORNERS, 2.5))
    .add("mesh", sc.Mesh(vertices=POINTS, faces=[[0, 2, 1], [0, 1, 3]], scale=[1, -1, 2]))
    .add("plan", sc.FloorPlan([CORNERS, CORNERS], 2.5))
    .add("arm", sc.Actor("data:ur5", q=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    .add("anna", sc.Actor(human={"sex": "female", "stature": 1.62, "detail": ("hand", "spine")}))
    .add("lamp", sc.Light("spot", "#ff8000", 2.0))
    .add("eye", sc.Camera(0.7))
    .add("goal", sc.Target("axis", [1, 2, 2]))
    .add("by", sc.Via(0.05))
    .add("group")
    .attach("by", "arm", "link_6")
    .attach("group", "box/ball")
)


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_every_thing_is_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"all{suffix}"
    EVERYTHING.save(path)
    again = hk.load_scene(path)
    assert again == EVERYTHING
    assert hash(again) == hash(EVERYTHING)
    text = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == text
    kinds = {EVERYTHING[p].kind for p in EVERYTHING}
    assert kinds == {
        *sc.shapes.KINDS,
        "floorplan",
        "figure",
        "light",
        "camera",
        "target",
        "via",
        "group",
    }


floats = st.floats(-100, 100, allow_subnormal=False)
lengths = st.floats(0, 100)
shapes = st.one_of(
    st.builds(sc.Box, st.tuples(lengths, lengths, lengths)),
    st.builds(sc.Sphere, lengths),
    st.builds(sc.Capsule, lengths, lengths),
    st.just(sc.Prism(CORNERS, 0.1)),
    st.none(),
)
names = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cn"], exclude_characters="/*?[]"
    ),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", "..") and name == name.strip())
drawn = st.builds(
    lambda name, shape, angles, place, scale: sc.Node(name, shape, from_rpy(angles, place), scale),
    names,
    shapes,
    st.tuples(floats, floats, floats),
    st.tuples(floats, floats, floats),
    st.floats(0.01, 100),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(drawn, max_size=4, unique_by=lambda node: node.name), names)
def test_any_scene_is_read_back_bit_for_bit(tmp_path_factory, nodes, name) -> None:
    scene = hk.Scene([sc.Node("top", children=nodes)], name)
    folder = tmp_path_factory.mktemp("drawn")
    for suffix in (".toml", ".xml"):
        scene.save(folder / f"a{suffix}")
        assert hk.load_scene(folder / f"a{suffix}") == scene


def test_a_save_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    EVERYTHING.save(path)
    old = path.read_bytes()
    os.chmod(path, 0o640)

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            hk.Scene().save(path)
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["a.toml"]
    hk.Scene().save(path)
    assert path.read_bytes() != old
    assert os.stat(path).st_mode & 0o777 == 0o640
    with pytest.raises(FileNotFoundError):
        hk.Scene().save(tmp_path / "no folder" / "a.toml")
    with pytest.raises(hk.UnsupportedError, match=r"\.toml or \.xml"):
        hk.Scene().save(tmp_path / "a.json")


def test_what_xml_cannot_hold_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("old", "utf-8")
    inner = tmp_path / "b.toml"
    hk.Scene().add("cup", sc.Sphere(0.1)).save(inner)
    edited = hk.Scene().include("b", inner).tag("b/cup", "full")
    with pytest.raises(hk.UnsupportedError, match=r"'b' was edited.*with_shape"):
        edited.save(path)
    assert path.read_text("utf-8") == "old"
    for value in ("12", "true", ("low", "back")):
        someone = hk.Scene().add("a", sc.Actor(human={"profile": value}))
        with pytest.raises(hk.UnsupportedError, match="XML cannot hold profile="):
            someone.save(tmp_path / "a.xml")
        someone.save(tmp_path / "c.toml")
        assert hk.load_scene(tmp_path / "c.toml") == someone
    own = edited.with_shape("b", None)
    own.save(path)
    assert hk.load_scene(path) == own


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_a_scene_by_reference(suffix: str, tmp_path: Path) -> None:
    low = tmp_path / "low"
    low.mkdir()
    inner = (
        hk.Scene().add("table", sc.Box([1, 1, 1])).add("cup", sc.Sphere(0.1)).attach("cup", "table")
    )
    inner.save(low / "inner.toml")
    scene = hk.Scene().include("room", low / "inner.toml", [1, 0, 0]).add("lamp", sc.Light())
    assert scene.find() == ("room", "room/table", "room/cup", "lamp")
    path = tmp_path / f"a{suffix}"
    scene.save(path)
    assert "cup" not in path.read_text("utf-8")
    assert "low/inner.toml" in path.read_text("utf-8")
    assert hk.load_scene(path) == scene
    assert [o.name for o in scene.obstacles()] == ["room/table", "room/cup"]
    inner.with_pose("table", [0, 0, 3]).save(low / "inner.toml")  # and follows its file
    assert hk.load_scene(path).world("room/cup")[2, 3] == 3.0
    outer = hk.Scene().add("house", scene)  # what it includes is still the file's
    outer.rename("house", "home").save(path)
    assert hk.load_scene(path).find("*/cup") == ("home/room/cup",)


def load(text: str, folder: Path, suffix: str = ".toml") -> sc.Scene:
    path = folder / f"a{suffix}"
    path.write_text(text, "utf-8")
    return hk.load_scene(path)


THINGS = """
[[object]]
name = "a"
position = [10, 20, 35]
rpy = [0, 90, 0]
box = { size = [10, 20, 35] }
[[object]]
name = "b"
prism = { polygon = [[0, 0], [100, 0], [0, 50]], height = 35 }
[[object]]
name = "c"
camera = { view = 60 }
[[object]]
name = "d"
floorplan = { walls = [[[0, 0], [100, 0], [0, 50]]], height = 35 }
[[object]]
name = "e"
mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces = [[0, 1, 2]] }
"""


@pytest.mark.parametrize(("unit", "by"), [("m", 1), ("cm", 100), ("mm", 1000)])
def test_units_are_those_declared(unit: str, by: float, tmp_path: Path) -> None:
    scene = load(f'{HEAD}length = "{unit}"\nangle = "deg"\n{THINGS}', tmp_path)
    assert scene["a"].content == sc.Box([10 / by, 20 / by, 35 / by])
    assert scene["a"].place[:3, 3].tolist() == [10 / by, 20 / by, 35 / by]
    np.testing.assert_allclose(scene["a"].place[:3, 0], [0, 0, -1], atol=1e-15)
    corners = [[0, 0], [100 / by, 0], [0, 50 / by]]
    assert scene["b"].content == sc.Prism(corners, 35 / by)
    assert scene["d"].content == sc.FloorPlan([corners], 35 / by)
    assert scene["c"].content == sc.Camera(np.radians(60))
    assert scene["e"].content.vertices[1, 0] == 1 / by


def test_radians_and_meters_are_meant_where_nothing_is_said(tmp_path: Path) -> None:
    scene = load(
        HEAD + '[[object]]\nname = "a"\nrpy = [0, 0, 1.5]\nbox = { size = [1, 2, 3] }\n', tmp_path
    )
    assert scene["a"].content == sc.Box([1, 2, 3])
    np.testing.assert_array_equal(scene["a"].place, from_rpy([0, 0, 1.5]))


def test_y_up_is_turned_upright(tmp_path: Path) -> None:
    scene = load(
        HEAD + 'up = "y"\n[[object]]\nname = "a"\nposition = [1, 2, 3]\n'
        '[[object]]\nname = "a/b"\nposition = [0, 1, 0]\n',
        tmp_path,
    )
    np.testing.assert_allclose(scene.world("a")[:3, 3], [1, -3, 2])
    np.testing.assert_allclose(scene.world("a/b")[:3, 3], [1, -3, 3])
    assert np.linalg.det(scene.world("a")[:3, :3]) == pytest.approx(1)


def test_a_left_handed_scene_is_mirrored_in_x(tmp_path: Path) -> None:
    text = (
        '[[object]]\nname = "a"\nposition = [1, 2, 3]\nrpy = [0.3, -0.4, 0.5]\n'
        "prism = { polygon = [[0, 0], [2, 0], [0, 1]], height = 1 }\n"
        '[[object]]\nname = "a/b"\nposition = [1, 0, 0]\nrpy = [0.1, 0.2, 0.3]\n'
        'target = { want = "axis", axis = [1, 0, 0] }\n'
        '[[object]]\nname = "m"\nmesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], faces = [[0,1,2]] }\n'
        '[[object]]\nname = "d"\nfloorplan = { walls = [[[0, 0], [2, 0], [0, 1]]], height = 1 }\n'
    )
    right = load(HEAD + text, tmp_path)
    left = load(HEAD + 'handedness = "left"\n' + text, tmp_path)
    mirror = np.diag([-1.0, 1, 1, 1])
    for path in ("a", "a/b"):
        np.testing.assert_allclose(
            left.world(path), mirror @ right.world(path) @ mirror, atol=1e-15
        )
        assert np.linalg.det(left.world(path)[:3, :3]) == pytest.approx(1)
    corners = {(-x, y) for x, y in right["a"].content.polygon}
    assert set(left["a"].content.polygon) == corners == set(left["d"].content.walls[0])
    assert left["a/b"].content.axis == (-1.0, 0.0, 0.0)
    assert left["m"].content.scale == (-1.0, 1.0, 1.0)


def test_one_document_in_both_forms(tmp_path: Path) -> None:
    xml = load(
        '<scene format="handik scene 1" length="cm" angle="deg">\n'
        '<object name="table" position="100 0 73" rpy="0 0 90" tags="table flat">\n'
        '<box size="120 80 4"/>\n'
        '<object name="cup" position="20 0 7" color="#ff0000" solid="false">'
        '<cylinder length="10" radius="4"/></object>'
        '<object name="plan"><floorplan walls="0 0; 1 0; 0 1 | 0 0; 1 0; 1 1" height="1"/></object>'
        '<object name="who"><human sex="male" stature="1.8" seed="3"/></object>'
        "</object></scene>",
        tmp_path,
        ".xml",
    )
    toml = load(
        HEAD + 'length = "cm"\nangle = "deg"\n'
        '[[object]]\nname = "table"\nposition = [100, 0, 73]\nrpy = [0, 0, 90]\n'
        'tags = ["flat", "table"]\n[object.box]\nsize = [120, 80, 4]\n'
        '[[object]]\nname = "table/cup"\nposition = [20, 0, 7]\ncolor = [1, 0, 0]\nsolid = false\n'
        "cylinder = { length = 10, radius = 4 }\n"
        '[[object]]\nname = "table/plan"\n'
        "floorplan = { walls = [[[0,0],[1,0],[0,1]], [[0,0],[1,0],[1,1]]], height = 1 }\n"
        '[[object]]\nname = "table/who"\nhuman = { sex = "male", stature = 1.8, seed = 3 }\n',
        tmp_path,
    )
    assert xml == toml


def test_the_lines_of_keys() -> None:
    text = (
        'format = "a"  # [[object]]\nnote = """\n[[object]]\nkey = 1\n"""\n\n[[object]]\n'
        "name = 'x'\nlist = [1,\n 2, # ]\n 3]\nafter = 1\n[object.box]\nsize = {\"]\" = 1}\n"
        "deep.er = 1\n[other]\nname = 1\n[[ object ]]\nname = 2"
    )
    head, found = key_lines(text, "object")
    assert head == {"format": 1, "note": 2}
    box = {"box": 13, "box.size": 14, "box.deep": 15, "box.deep.er": 15}
    assert found == [{"": 7, "name": 8, "list": 9, "after": 12} | box, {"": 18, "name": 19}]


def test_the_schema_is_that_of_the_words_and_takes_what_is_written(tmp_path: Path) -> None:
    from importlib.resources import files as data

    shipped = (data("handik.data") / "scenes" / "scene.xsd").read_text("utf-8")
    assert shipped == schema()
    etree = pytest.importorskip("lxml.etree")
    known = etree.XMLSchema(etree.fromstring(shipped.encode()))
    EVERYTHING.save(tmp_path / "a.xml")
    known.assertValid(etree.parse(str(tmp_path / "a.xml")))
    text = (tmp_path / "a.xml").read_text("utf-8")
    for one, other in (
        ('length="m"', 'length="inch"'),
        ("<sphere ", "<ball "),
        ("radius", "radios"),
    ):
        assert not known.validate(etree.fromstring(text.replace(one, other).encode()))


def test_a_large_scene_can_be_saved_and_loaded(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mesh = sc.Mesh(vertices=rng.random((2000, 3)).round(1), faces=rng.integers(0, 2000, (4000, 3)))
    nodes = [sc.Node(f"n{k}", sc.Sphere(k / 10)) for k in range(3000)]
    scene = hk.Scene([*nodes, sc.Node("mesh", mesh)])
    for suffix in (".toml", ".xml"):
        path = tmp_path / f"a{suffix}"
        scene.save(path)
        assert hk.load_scene(path) == scene
    assert files.DENSEST["="][1] < 3000 * 3 * 8


def test_sentences_name_the_file_and_what_is_read(tmp_path: Path) -> None:
    scene = hk.Scene()
    with pytest.raises(hk.UnsupportedError, match=r"\.fbx'; imported are \.glb .*\.urdf"):
        hk.load_scene(tmp_path / "room.fbx")
    with pytest.raises(
        hk.UnsupportedError, match=r"written to a file that ends in \.toml or \.xml"
    ):
        scene.save(tmp_path / "room.glb")
    with pytest.raises(FileNotFoundError, match=r"nowhere/room\.toml'$"):
        scene.save(tmp_path / "nowhere" / "room.toml")


def test_a_link_to_a_file_on_another_disk_is_saved_through(tmp_path: Path) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is one disk alone")
    real = other / f"handik-{os.getpid()}.toml"
    try:
        real.write_text("old")
        (tmp_path / "room.toml").symlink_to(real)
        scene = hk.Scene().add("floor", sc.Plane())
        scene.save(tmp_path / "room.toml")
        assert (tmp_path / "room.toml").is_symlink()
        assert hk.load_scene(real) == scene
    finally:
        real.unlink()


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_many_neighbors_are_written_without_a_search_for_each(tmp_path: Path, suffix: str) -> None:
    nodes = [sc.Node(f"n{k}") for k in range(3000)]
    scene = hk.Scene(nodes)
    assert scene["n2999"] is nodes[2999]
    compared = 0

    class Counted(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    for node in nodes:
        object.__setattr__(node, "name", Counted(node.name))
    scene.save(tmp_path / f"many{suffix}")
    assert compared < 10 * len(nodes)


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_a_save_that_fails_in_the_middle_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    """The system takes 4 KiB and no more, as a full disk does."""
    import resource
    import signal

    path = tmp_path / f"room{suffix}"
    hk.Scene().add("ball", sc.Sphere(1)).save(path)
    old, most = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    large = hk.Scene([sc.Node(f"n{k}") for k in range(1000)])
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, most[1]))
        with pytest.raises(OSError, match="File too large"):
            large.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == [path.name]
