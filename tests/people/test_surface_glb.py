"""The binary glTF of a surface, read again by a reader of its own and by others."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import handik as hk
from handik.people.surface import Surface
from handik.people.surface._data import mesh

KIND = {5126: np.dtype("<f4"), 5123: np.dtype("<u2"), 5125: np.dtype("<u4")}
WIDE = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
#: Left, up, forward of the file, in forward, left, up.
TURN = np.array([[0.0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]])


class Glb:
    """What a file says."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", raw)
        assert (magic, version, length) == (b"glTF", 2, len(raw))
        size, kind = struct.unpack_from("<I4s", raw, 12)
        assert kind == b"JSON"
        assert size % 4 == 0
        self.json = json.loads(raw[20 : 20 + size])
        rest, kind = struct.unpack_from("<I4s", raw, 20 + size)
        assert kind == b"BIN\0"
        self.data = raw[28 + size :]
        assert rest == len(self.data) == self.json["buffers"][0]["byteLength"]

    def array(self, accessor: int) -> np.ndarray:
        row = self.json["accessors"][accessor]
        view = self.json["bufferViews"][row["bufferView"]]
        kind, wide = KIND[row["componentType"]], WIDE[row["type"]]
        assert view["byteLength"] == row["count"] * wide * kind.itemsize
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= len(self.data)
        flat = np.frombuffer(self.data, kind, row["count"] * wide, view["byteOffset"])
        return flat.reshape(-1, wide)

    def attribute(self, name: str) -> np.ndarray:
        first, second = self.json["meshes"][0]["primitives"]
        assert first["attributes"] == second["attributes"]
        return self.array(first["attributes"][name])

    def worlds(self) -> dict[str, np.ndarray]:
        """The pose of each node, down from the scene's roots."""
        out, nodes = {}, self.json["nodes"]
        waiting = [(k, np.eye(4)) for k in self.json["scenes"][0]["nodes"]]
        while waiting:
            k, above = waiting.pop()
            own = np.eye(4)
            own[:3, 3] = nodes[k].get("translation", [0, 0, 0])
            own[:3, :3] = Rotation.from_quat(nodes[k].get("rotation", [0, 0, 0, 1])).as_matrix()
            assert nodes[k]["name"] not in out
            out[nodes[k]["name"]] = above @ own
            waiting += [(child, above @ own) for child in nodes[k].get("children", ())]
        assert len(out) == len(nodes)
        return out

    def blend(self, worlds: dict[str, np.ndarray]) -> np.ndarray:
        """The vertices by linear blend, in the person's axes."""
        skin = self.json["skins"][0]
        bind = self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        names = [self.json["nodes"][k]["name"] for k in skin["joints"]]
        moved = np.stack([worlds[name] for name in names]) @ bind
        rows = moved[self.attribute("JOINTS_0")]
        at = np.c_[self.attribute("POSITION"), np.ones(len(rows))]
        out = np.einsum("nk,nkij,nj->ni", self.attribute("WEIGHTS_0"), rows, at)
        return (out @ TURN)[:, :3]


@pytest.fixture(scope="module")
def bob() -> hk.people.Human:
    return hk.human(sex="male", detail="spine")


@pytest.fixture(scope="module")
def written(bob, tmp_path_factory) -> tuple[Glb, Surface]:
    surface = bob.surface(bob.posture(elbow_flexion_left=1.2, forearm_pronation_left=0.8))
    path = tmp_path_factory.mktemp("glb") / "bob.glb"
    surface.save(path)
    return Glb(path), surface


def test_triangles_and_bounds(written) -> None:
    file, surface = written
    at = file.attribute("POSITION")
    np.testing.assert_allclose(at, surface.vertices[:, [1, 2, 0]], atol=1e-6)
    first, second = file.json["meshes"][0]["primitives"]
    position = file.json["accessors"][first["attributes"]["POSITION"]]
    assert position["min"] == at.min(0).tolist()
    assert position["max"] == at.max(0).tolist()
    skin, eyes = (file.array(k["indices"]).reshape(-1, 3) for k in (first, second))
    assert (skin < mesh().skin).all()
    assert (eyes >= mesh().skin).all()
    assert {*map(tuple, skin.tolist()), *map(tuple, eyes.tolist())} == set(
        map(tuple, surface.faces.tolist())
    )
    normal = file.attribute("NORMAL")
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-6)
    corners = at[skin[::50]].astype(float)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((across * normal[skin[::50, 0]]).sum(1) > 0).mean() > 0.97  # outward


def test_nodes_are_the_links_where_they_are(bob, written) -> None:
    file, _ = written
    q = bob.posture(elbow_flexion_left=1.2, forearm_pronation_left=0.8)
    worlds = file.worlds()
    assert set(worlds) == {link.name for link in bob.model.spec.links} | {"surface"}
    for name in set(worlds) - {"surface"}:
        np.testing.assert_allclose(worlds[name], TURN @ bob.model.fk(q, frame=name), atol=1e-9)
    nodes = file.json["nodes"]
    above = {nodes[c]["name"]: k["name"] for k in nodes for c in k.get("children", ())}
    assert above == {joint.child: joint.parent for joint in bob.model.spec.joints}


def test_weights_and_the_blend_at_rest(written) -> None:
    file, surface = written
    weights, joints = file.attribute("WEIGHTS_0"), file.attribute("JOINTS_0")
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-6)
    assert weights.min() >= 0
    assert (joints[weights == 0] == 0).all()
    assert joints.max() < len(file.json["skins"][0]["joints"])
    np.testing.assert_allclose(file.blend(file.worlds()), surface.vertices, atol=1e-5)


def test_moved_the_skin_goes_with_its_links(bob, written) -> None:
    """In another posture what one link carries alone is where `human.surface` has it."""
    file, _ = written
    q = bob.posture(elbow_flexion_right=1.0, C6_C7_flexion=0.3, pelvis_tilt=0.02)
    links = [link.name for link in bob.model.spec.links]
    moved = file.blend({name: TURN @ bob.model.fk(q, frame=name) for name in links})
    want = bob.surface(q).vertices
    m, seat = mesh(), bob.surface._seat
    # What the seat does to the flesh fades as the pelvis tilts, which the file does not know.
    fades = 1 - seat.share({name: bob.model.fk(q, frame=name) for name in links})
    assert 0 < fades < 0.01
    gone = np.zeros(len(want))
    gone[seat.rows] = fades * np.linalg.norm(seat.off, axis=1)
    for rows in (
        m.weight("head") > 0.999,
        m.on_side("right", "wrist", "finger", "metacarpal") > 0.999,
        m.on_side("left", "lowerleg") > 0.999,
    ):
        assert rows.sum() > 30
        off = np.linalg.norm(moved - want, axis=1)
        assert (off - gone)[rows].max() < 2e-4
    # Elsewhere the blend is another than the figure's, but near.
    assert np.quantile(np.linalg.norm(moved - want, axis=1), 0.95) < 0.02


def test_other_programs_read_it(bob, tmp_path) -> None:
    trimesh = pytest.importorskip("trimesh")
    surface = bob.surface(bob.rest)
    surface.save(tmp_path / "bob.glb")
    scene = trimesh.load(tmp_path / "bob.glb")
    low, high = surface.vertices.min(0), surface.vertices.max(0)
    np.testing.assert_allclose(scene.bounds[:, [2, 0, 1]], [low, high], atol=1e-5)
    assert sum(len(k.faces) for k in scene.geometry.values()) == len(surface.faces)


def test_triangles_without_a_figure_are_refused(bob, tmp_path) -> None:
    surface = bob.surface(bob.rest)
    with pytest.raises(hk.UnsupportedError, match="a person gave"):
        Surface(surface.vertices, surface.faces).save(tmp_path / "bob.glb")
