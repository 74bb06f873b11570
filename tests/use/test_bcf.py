"""Issues as BCF: a topic a failing finding, with the component's number of IFC and a viewpoint."""

from __future__ import annotations

import itertools
import json
import sys
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import handik as hk
from handik.app import _bcf
from handik.app._bcf_picture import Solids, snapshot
from handik.app.cli.main import main
from handik.scene import Box, Target

WALL, SHELF = "2O2Fr$t4X7Zf8NOew3FLOH", "1O2Fr$t4X7Zf8NOew3FLOH"
STOREY = "0O2Fr$t4X7Zf8NOew3FLOH"
#: A shelf of 1 x 0.6 x 0.05 m at 1 m on the wall of tests/scene/import_files.py.
_SHELF = f"""#20=IFCCARTESIANPOINT((1000.,300.,1000.));
#21=IFCAXIS2PLACEMENT3D(#20,$,$);
#22=IFCLOCALPLACEMENT($,#21);
#23=IFCRECTANGLEPROFILEDEF(.AREA.,$,#11,1000.,600.);
#24=IFCEXTRUDEDAREASOLID(#23,#4,#13,50.);
#25=IFCSHAPEREPRESENTATION(#5,'Body','SweptSolid',(#24));
#26=IFCPRODUCTDEFINITIONSHAPE($,$,(#25));
#27=IFCFURNISHINGELEMENT('{SHELF}',$,'Shelf <"1"> & more',$,$,#22,#26,$);
ENDSEC;
END-ISO"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ifcopenshell")
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(Path(__file__).parents[1] / "scene"))
    try:
        from import_files import ifc_text
    finally:
        del sys.path[0]
    folder = tmp_path_factory.mktemp("bcf")
    text = ifc_text().replace("ENDSEC;\nEND-ISO", _SHELF)
    (folder / "house.ifc").write_text(text, "utf-8")
    assert main(["access", str(folder / "house.ifc"), "--tries", "1", "--out", str(folder)]) == 0
    return folder


def test_storeys_of_ifc_are_floors(written: Path) -> None:
    """The shelf at 1.0 m is 0.4 m above a storey at 0.6 m: a cane finds it, and it passes."""
    text = (written / "house.ifc").read_text("utf-8")
    for number, placed, height in (("#31", "$", "600."), ("#31", "#32", "$")):
        storey = f"""{number}=IFCBUILDINGSTOREY('{STOREY}',$,'Ground',$,$,{placed},$,$,$,{height});
#33=IFCCARTESIANPOINT((0.,0.,600.));
#34=IFCAXIS2PLACEMENT3D(#33,$,$);
#32=IFCLOCALPLACEMENT($,#34);
ENDSEC;
END-ISO"""
        (written / "storey.ifc").write_text(text.replace("ENDSEC;\nEND-ISO", storey), "utf-8")
        scene = hk.load_scene(written / "storey.ifc")
        assert hk.access.storeys(scene) == {f"Ground {STOREY}": 0.6}
        found = hk.access.check(scene)
        assert [f.verdict for f in found if f.rule.section == "307.2" and f.found is not None] == [
            "pass"
        ]


def _vector(above: ElementTree.Element | None) -> np.ndarray:
    assert above is not None
    return np.array([float(above.findtext(axis) or "nan") for axis in "XYZ"])


def test_a_topic_a_failing_finding_with_its_component(written: Path) -> None:
    kept = json.loads((written / "access.json").read_text("utf-8"))
    failed = [one for one in kept["findings"] if one["verdict"] == "fail"]
    assert [one["rule"] for one in failed] == ["ADA2010-307.2-027", "ADA2010-307.4-030"]
    with zipfile.ZipFile(written / "issues.bcf") as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert names[0] == "bcf.version"
        assert ElementTree.fromstring(packed.read(names[0])).get("VersionId") == "2.1"
        markups = [name for name in names if name.endswith("/markup.bcf")]
        assert len(markups) == len(failed)
        for name, one in zip(markups, failed, strict=True):
            topic = ElementTree.fromstring(packed.read(name)).find("Topic")
            assert topic is not None
            assert topic.get("Guid") == name.partition("/")[0]
            order = [part.tag for part in topic]  # the schema is a sequence
            assert order == ["Title", "Index", "CreationDate", "CreationAuthor", "Description"]
            assert one["rule"].split("-")[1] in (topic.findtext("Title") or "")
            assert one["place"] in (topic.findtext("Description") or "")
            view = ElementTree.fromstring(packed.read(name.replace("markup.bcf", "viewpoint.bcfv")))
            component = view.find("Components/Selection/Component")
            assert component is not None
            assert component.get("IfcGuid") == SHELF
            camera = view.find("PerspectiveCamera")
            assert camera is not None
            at, along, up = (
                _vector(camera.find(f"Camera{part}"))
                for part in ("ViewPoint", "Direction", "UpVector")
            )
            assert np.allclose([along @ along, up @ up, along @ up], [1, 1, 0], atol=1e-5)
            assert up[2] > 0
            off = np.array([1.0, 0.3, 1.025]) - at  # the middle of the shelf
            assert np.allclose(off - (off @ along) * along, 0, atol=1e-5)
            half = 0.5 * np.linalg.norm([1.0, 0.6, 0.05]) / (off @ along)
            assert np.degrees(2 * np.arctan(half)) < float(camera.findtext("FieldOfView") or 0)


def test_a_topic_names_its_file_and_shows_what_its_viewpoint_sees(written: Path) -> None:
    """What is red of the picture is the shelf, as the camera of the viewpoint projects it."""
    image = pytest.importorskip("matplotlib.image")
    with zipfile.ZipFile(written / "issues.bcf") as packed:
        for name in (one for one in packed.namelist() if one.endswith("/markup.bcf")):
            top = ElementTree.fromstring(packed.read(name))
            assert [part.tag for part in top] == ["Header", "Topic", "Viewpoints"]
            file = top.find("Header/File")
            assert file is not None
            assert file.get("IfcProject") == "0YvctVUKr0kugbFTf53O9L"
            assert file.findtext("Filename") == "house.ifc"
            shown = top.findtext("Viewpoints/Snapshot") or ""
            view = top.findtext("Viewpoints/Viewpoint") or ""
            folder = name.partition("/")[0]
            camera = ElementTree.fromstring(packed.read(f"{folder}/{view}"))
            at, along, up = (
                _vector(camera.find(f"PerspectiveCamera/Camera{part}"))
                for part in ("ViewPoint", "Direction", "UpVector")
            )
            angle = float(camera.findtext("PerspectiveCamera/FieldOfView") or 0)
            pixels = image.imread(BytesIO(packed.read(f"{folder}/{shown}")), format="png")
            high, wide, _ = pixels.shape
            red = np.argwhere((pixels[..., 0] > 0.2) & (pixels[..., 1] < 0.6 * pixels[..., 0]))
            ends = itertools.product((0.5, 1.5), (0.0, 0.6), (1.0, 1.05))
            off = np.array(list(ends)) - at
            flat = np.stack([off @ np.cross(along, up), off @ up]) / (off @ along)
            flat = flat / np.tan(np.radians(angle) / 2) * high / 2  # of the height
            columns, rows = wide / 2 + flat[0], high / 2 - flat[1]
            for found, wanted in ((red[:, 1], columns), (red[:, 0], rows)):
                assert abs(found.min() - wanted.min()) < 3
                assert abs(found.max() - wanted.max()) < 3
            assert len(red) > 0.5 * np.ptp(columns) * np.ptp(rows) * 0.5


def test_walls_behind_the_camera_and_far_away_are_cut() -> None:
    """A floor that goes on behind the camera, and a wall that ends far off, are drawn; no end."""
    image = pytest.importorskip("matplotlib.image")
    scene = hk.Scene().add("floor", Box([60, 60, 0.1]), [0, 0, -0.05])
    scene = scene.add("far", Box([1, 1, 1]), [30, 0, 0.5]).add("ground", hk.scene.Plane())
    solids = Solids.made(scene)
    camera = _bcf._camera(np.zeros(3), 0.5)
    seen = image.imread(BytesIO(snapshot(solids, camera, np.zeros(3), "none")), format="png")
    assert (np.abs(seen[200:, :, :3] - seen[359, 0, :3]) < 0.02).all()  # below the horizon
    assert np.isin(solids.of, range(2)).all()
    empty = Solids.made(hk.Scene())
    assert snapshot(empty, camera, np.zeros(3), "none")[:4] == b"\x89PNG"


def test_a_project_is_found_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.ifc"
    for text, project in ((f"#1 = IFCPROJECT ( '{WALL}',$", WALL), ("#1=IFCWALL('x'", None)):
        path.write_text(text, "utf-8")
        assert _bcf.file_of(path) == ("a.ifc", project)


def test_the_same_finding_has_the_same_number_again(written: Path) -> None:
    scene = hk.load_scene(written / "house.ifc")
    failed = hk.access.check(scene).failed
    first, second = (
        _bcf.issues(
            scene, failed, lambda f: (f.rule.id, f.place), datetime(2026, 1, 1, k, tzinfo=UTC)
        )
        for k in range(2)
    )
    assert first != second
    (written / "again.bcf").write_bytes(first)
    with (
        zipfile.ZipFile(written / "again.bcf") as one,
        zipfile.ZipFile(written / "issues.bcf") as other,
    ):
        assert one.namelist() == other.namelist()


def test_a_number_is_found_where_a_name_ends_with_one() -> None:
    assert _bcf.guid_of(f"North wall {WALL}") == WALL
    assert _bcf.guid_of(f"North wall {WALL} 2") == WALL
    assert _bcf.guid_of(WALL) == WALL
    assert _bcf.guid_of(f"house {SHELF}/door {WALL}/leaf/grip") == WALL
    for name in ("North wall", f"North {WALL} wall", f"x{WALL}", WALL[:-1], f"9{WALL[1:]}"):
        assert _bcf.guid_of(name) is None


def test_what_has_no_number_is_looked_at_all_the_same() -> None:
    """A target at 2 m on a wall of a scene that is no IFC; a room that has none at all."""
    scene = hk.Scene(name="a & b").add("wall", Box([0.1, 6, 2.5]), [0.55, 0, 1.25], tags="wall")
    scene = scene.add("knob", pose=[0.5, 1, 2.0]).add("knob/pull", Target("axis", [1, 0, 0]))
    assert not _bcf.has_guids(scene)
    failed = hk.access.check(scene).failed
    assert {one.place for one in failed} == {"knob/pull"}
    data = _bcf.issues(scene, failed, lambda f: (f.rule.id, f.place))
    assert data[:2] == b"PK"
    for one in failed:
        middle, _ = _bcf._looked_at(_bcf.Room(scene, (), {}), one)
        assert np.allclose(middle, [0.5, 1, 2.0])


def test_no_issues_are_written_of_what_is_no_ifc(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ["access", "bathroom", "--tries", "1", "--out", str(tmp_path)]
    assert main([*words, "--person", "sex=female,body=plain"]) == 0
    assert not (tmp_path / "issues.bcf").exists()


def test_a_reader_of_others_takes_it(written: Path) -> None:
    reader = pytest.importorskip("bcf.v2.bcfxml")
    with reader.BcfXml(written / "issues.bcf") as found:
        assert found.version.version_id == "2.1"
        assert len(found.topics) == 2
        for topic in found.topics.values():
            (view,) = topic.viewpoints.values()
            assert (view.snapshot or b"")[:4] == b"\x89PNG"
            assert topic.header.file[0].filename == "house.ifc"
            (component,) = view.visualization_info.components.selection.component
            assert component.ifc_guid == SHELF
            assert topic.topic.topic_status == "Open"
            assert topic.topic.creation_date is not None
