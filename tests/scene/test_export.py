"""Scenes and figures as binary glTF, read back by a reader of its own and by trimesh."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import handik as hk
from handik.spec import GeometrySpec, MimicSpec
from handik.spec.transforms import from_rpy

KIND = {5126: "<f4", 5123: "<u2", 5125: "<u4"}
WIDE = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
#: z up in y up.
UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


class Glb:
    """What a file says, and where its nodes are at a time."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", raw)
        assert (magic, version, length) == (b"glTF", 2, len(raw))
        size, kind = struct.unpack_from("<I4s", raw, 12)
        assert (kind, size % 4) == (b"JSON", 0)
        self.json = json.loads(raw[20 : 20 + size])
        self.data = raw[28 + size :]
        names = [node["name"] for node in self.json["nodes"]]
        assert len(names) == len(set(names))
        self.number = {name: k for k, name in enumerate(names)}

    def array(self, accessor: int) -> np.ndarray:
        row = self.json["accessors"][accessor]
        view = self.json["bufferViews"][row["bufferView"]]
        count = row["count"] * WIDE[row["type"]]
        found = np.frombuffer(self.data, KIND[row["componentType"]], count, view["byteOffset"])
        found = found.reshape(row["count"], -1)
        if "min" in row:
            np.testing.assert_array_equal(found.min(0), np.float32(row["min"]))
            np.testing.assert_array_equal(found.max(0), np.float32(row["max"]))
        return found

    def local(self, t: float | None) -> list[np.ndarray]:
        """The matrix of each node in its parent, moved on to a time."""
        parts = [
            {
                "translation": np.array(node.get("translation", [0, 0, 0]), float),
                "rotation": Rotation.from_quat(node.get("rotation", [0, 0, 0, 1])),
                "scale": np.array(node.get("scale", [1, 1, 1]), float),
            }
            for node in self.json["nodes"]
        ]
        if t is not None:
            (movement,) = self.json["animations"]
            for channel in movement["channels"]:
                sampler = movement["samplers"][channel["sampler"]]
                assert sampler["interpolation"] == "LINEAR"
                times = self.array(sampler["input"])[:, 0].astype(float)
                rows = self.array(sampler["output"]).astype(float)
                at, word = float(np.clip(t, times[0], times[-1])), channel["target"]["path"]
                part = parts[channel["target"]["node"]]
                if word == "rotation":
                    assert ((rows[1:] * rows[:-1]).sum(axis=1) >= 0).all()
                    part[word] = Slerp(times, Rotation.from_quat(rows))(at)
                else:
                    part[word] = np.array([np.interp(at, times, rows[:, k]) for k in range(3)])
        found = []
        for part in parts:
            pose = np.eye(4)
            pose[:3, :3] = part["rotation"].as_matrix() * part["scale"]
            pose[:3, 3] = part["translation"]
            found.append(pose)
        return found

    def worlds(self, t: float | None = None) -> dict[str, np.ndarray]:
        """Matrices of all nodes by name, z up again."""
        local, out = self.local(t), {}
        waiting = [(k, np.eye(4)) for k in self.json["scenes"][0]["nodes"]]
        while waiting:
            k, above = waiting.pop()
            node = self.json["nodes"][k]
            out[node["name"]] = UP.T @ above @ local[k]
            waiting += [(child, above @ local[k]) for child in node.get("children", ())]
        assert len(out) == len(self.json["nodes"])
        return out

    def points(self, name: str) -> np.ndarray:
        """Corners (n, 3, 3) of the triangles of a node's mesh, in its frame."""
        mesh = self.json["meshes"][self.json["nodes"][self.number[name]]["mesh"]]
        return np.concatenate(
            [
                self.array(p["attributes"]["POSITION"])[self.array(p["indices"]).reshape(-1, 3)]
                for p in mesh["primitives"]
            ]
        ).astype(float)


def volume(corners: np.ndarray) -> float:
    """What triangles enclose: negative if they face inwards."""
    return float(
        np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    )


def volume_of(shape: hk.scene.Shape) -> float:
    made = shape.kind
    if made == "box":
        return float(np.prod(shape.size))
    if made == "prism":
        return shape.area * shape.height
    ball = 4 / 3 * np.pi * shape.radius**3
    if made == "sphere":
        return ball
    drum = np.pi * shape.radius**2 * shape.length
    return drum if made == "cylinder" else drum + ball


L_FORM = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]


@pytest.mark.parametrize(
    "shape",
    [
        hk.scene.Box([1, 2, 3]),
        hk.scene.Sphere(0.5),
        hk.scene.Capsule(1, 0.5),
        hk.scene.Cylinder(1, 0.5),
        hk.scene.Prism(L_FORM, 3),
        hk.scene.Prism(np.array(L_FORM)[::-1] * [-1, 1], 2),
    ],
    ids=lambda shape: shape.kind,
)
def test_shapes_have_their_size_and_face_outwards(shape, tmp_path) -> None:
    scene = hk.Scene().add("a", color="#ff8000", opacity=0.5, scale=2, pose=[0, 0, 1])
    pose = ([1, 2, 3], [0.5, 0.5, 0.5, 0.5])
    scene.add("a/b", shape, pose, scale=1.5).export(tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    corners = glb.points("a/b")
    assert 0.9 * volume_of(shape) < volume(corners) <= volume_of(shape) * (1 + 1e-6)
    if shape.kind in ("box", "prism"):
        assert volume(corners) == pytest.approx(volume_of(shape), rel=1e-6)
    edges = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2, 3).round(6)
    along = {(tuple(a), tuple(b)) for a, b in edges.tolist()}
    if shape.kind != "prism":  # pieces of a prism may meet in the middle of an edge
        assert all((b, a) in along for a, b in along)
    own = glb.worlds()["a/b"]
    node = hk.Scene([*scene.nodes]).add("a/b", shape, pose, scale=1.5)
    want = node.world("a/b") * [3, 3, 3, 1]
    np.testing.assert_allclose(own, want, atol=1e-12)
    for primitive in glb.json["meshes"][0]["primitives"]:
        round_ = shape.kind in ("sphere", "capsule")
        assert ("NORMAL" in primitive["attributes"]) == round_
        if round_:
            normals = glb.array(primitive["attributes"]["NORMAL"])
            points = glb.array(primitive["attributes"]["POSITION"])
            np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
            assert (np.einsum("ni,ni->n", normals, points) > 0).all()
        look = glb.json["materials"][primitive["material"]]
        assert look["alphaMode"] == "BLEND"
        linear = ((128 / 255 + 0.055) / 1.055) ** 2.4
        color = look["pbrMetallicRoughness"]["baseColorFactor"]
        np.testing.assert_allclose(color, [1, linear, 0, 0.5], atol=1e-6)


def test_meshes_and_planes(tmp_path) -> None:
    corner = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    mesh = hk.scene.Mesh(vertices=corner, faces=faces, scale=[1, 2, -1])
    scene = hk.Scene().add("tetra", mesh).add("hidden", hk.scene.Sphere(1), opacity=0.0)
    tilted = ([0, 0, -1], [np.cos(0.2), np.sin(0.2), 0, 0])
    scene = scene.add("far", hk.scene.Sphere(0.1), [6, 0, 0]).add("floor", hk.scene.Plane(), tilted)
    scene.export(tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    assert volume(glb.points("tetra")) == pytest.approx(2 / 6)  # mirrored, and still outwards
    assert "mesh" not in glb.json["nodes"][glb.number["hidden"]]
    floor = glb.points("floor").reshape(-1, 3)
    assert np.abs(floor[:, 2]).max() == 0
    for place in ([0, 0, 0], [6, 0, 0]):  # all that there is stands above it
        foot = np.linalg.inv(scene.world("floor")) @ [*place, 1]
        assert (floor[:, :2].min(0) < foot[:2]).all()
        assert (floor[:, :2].max(0) > foot[:2]).all()
    (up,) = {tuple(np.cross(c[1] - c[0], c[2] - c[0]) > 0) for c in glb.points("floor")}
    assert up == (False, False, True)


def test_what_follows_another_stays_in_its_place(tmp_path) -> None:
    scene = hk.Scene().add("room", pose=[1, 0, 0], scale=2.0).add("room/cup", hk.scene.Sphere(0.1))
    scene = scene.add("hand", pose=([0, 0, 1], [0, 0, 0, 1])).attach("room/cup", "hand")
    scene = scene.with_pose("hand", ([3, 2, 1], [0.5, 0.5, 0.5, 0.5]))
    scene.export(tmp_path / "a.glb")
    found = Glb(tmp_path / "a.glb").worlds()
    for path in scene:
        size = scene.world_scale(path)
        np.testing.assert_allclose(
            found[path], scene.world(path) * [size, size, size, 1], atol=1e-12
        )


# -- figures ------------------------------------------------------------------------------------


def assert_poses(glb: Glb, model: hk.Model, q: np.ndarray, t: float | None) -> None:
    worlds = glb.worlds(t)
    for name, pose in zip(model.frame_names, model.frames(q), strict=True):
        if name in {link.name for link in model.spec.links}:
            np.testing.assert_allclose(worlds[name], pose, atol=3e-6)


FIGURES = ["ur5", "puma560", "ball10", "poppy_arm"]


@pytest.mark.parametrize("name", FIGURES)
def test_links_are_where_the_model_has_them_at_any_time(name, tmp_path) -> None:
    model = hk.data(name)
    way = model.sample(4, seed=2)
    moved = hk.plan.trajectory(model, way, max_speed=2.0, max_acceleration=8.0).resampled(0.05)
    hk.Scene().export(tmp_path / "a.glb", model, trajectory=moved)
    glb = Glb(tmp_path / "a.glb")
    for k in range(0, len(moved.times), 7):
        assert_poses(glb, model, moved.q[k], float(moved.times[k]))
    assert_poses(glb, model, moved.q[0], None)  # where it stands before it is played
    still = {node["name"] for node in glb.json["nodes"]} - {
        glb.json["nodes"][c["target"]["node"]]["name"]
        for c in glb.json["animations"][0]["channels"]
    }
    assert model.spec.links[0].name in still  # what does not move has no keys


def test_between_keys_joints_turn_evenly_and_time_begins_at_zero(tmp_path) -> None:
    model = hk.chain([0.4, 0.3], "ball")
    rng = np.random.default_rng(3)
    ends = model.integrate(np.tile(model.rest, (2, 1)), rng.normal(size=(2, 6)))
    motion = hk.Motion(ends, [5.0, 7.0], model)
    hk.Scene().export(tmp_path / "a.glb", model, trajectory=motion)
    glb = Glb(tmp_path / "a.glb")
    for t in (0.0, 0.3, 1.0, 1.9, 2.0):
        assert_poses(glb, model, motion.at(5.0 + t), t)


def test_a_slide_and_a_follower(tmp_path) -> None:
    links = [hk.LinkSpec(name) for name in ("base", "car", "arm", "twin")]
    joints = [
        hk.JointSpec("slide", "prismatic", "base", "car", axis=(1, 0, 0)),
        hk.JointSpec("turn", "revolute", "car", "arm", ([0, 0, 0.3], [1, 0, 0, 0])),
        hk.JointSpec("twin", "revolute", "arm", "twin", ([0.2, 0, 0], [1, 0, 0, 0]),
                     mimic=MimicSpec("turn", 2.0)),
    ]  # fmt: skip
    model = hk.Model(hk.ModelSpec("crane", links, joints))
    motion = hk.Motion([[0, 0], [1, 1.2], [0.5, -0.4]], [0, 1, 2], model)
    hk.Scene().export(tmp_path / "a.glb", model, trajectory=motion)
    glb = Glb(tmp_path / "a.glb")
    for t in (0.0, 0.5, 1.0, 1.7, 2.0):
        assert_poses(glb, model, motion.at(t), t)


def test_trimesh_reads_the_same(tmp_path) -> None:
    trimesh = pytest.importorskip("trimesh")
    model, q = hk.data("ur5"), np.full(6, 0.4)
    room = hk.scene.gallery("robot_cell")
    room.export(tmp_path / "a.glb", model, q)
    read = trimesh.load(tmp_path / "a.glb")
    own = Glb(tmp_path / "a.glb").worlds()
    for name in own:
        pose, _ = read.graph.get(name)
        np.testing.assert_allclose(UP.T @ pose, own[name], atol=1e-6)
    for name, pose in zip(model.frame_names, model.frames(q), strict=True):
        if name in own:
            np.testing.assert_allclose(own[name], pose, atol=1e-9)
    again = hk.load_scene(tmp_path / "a.glb")  # z up again
    for path in room.find(kind="box"):
        (found,) = again.find(path.replace("/", "_"))
        mesh = again[found].content
        points = mesh.vertices @ again.world(found)[:3, :3].T + again.world(found)[:3, 3]
        half = np.abs(room.world(path)[:3, :3]) @ np.array(room[path].content.size) / 2
        np.testing.assert_allclose(points.min(0), room.world(path)[:3, 3] - half, atol=1e-5)
        np.testing.assert_allclose(points.max(0), room.world(path)[:3, 3] + half, atol=1e-5)


def test_a_person_has_a_skin_that_goes_with_the_links(tmp_path) -> None:
    anna = hk.human(sex="female", position="standing")
    bent = anna.posture(elbow_flexion_right=1.0)
    motion = hk.Motion([anna.rest, bent], [0.0, 1.0], anna.model)
    hk.Scene().export(tmp_path / "a.glb", anna, trajectory=motion)
    glb = Glb(tmp_path / "a.glb")
    for t in (0.0, 0.5, 1.0):
        assert_poses(glb, anna.model, motion.at(t), t)
    (skin,) = glb.json["skins"]
    bind = glb.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    primitive = glb.json["meshes"][0]["primitives"][0]["attributes"]
    rows, share = glb.array(primitive["JOINTS_0"]), glb.array(primitive["WEIGHTS_0"])
    points = np.c_[glb.array(primitive["POSITION"]), np.ones(len(rows))]
    names = [glb.json["nodes"][k]["name"] for k in skin["joints"]]
    for t, q, near in ((0.0, anna.rest, 1e-5), (1.0, bent, 0.02)):
        worlds = glb.worlds(t)
        moved = np.stack([worlds[name] for name in names]) @ bind
        blend = np.einsum("nk,nkij,nj->ni", share, moved[rows], points)[:, :3]
        away = np.linalg.norm(blend - anna.surface(q).clothed.vertices, axis=1)
        assert np.percentile(away, 99) < near
    plain = hk.human(sex="female", body="plain")
    hk.Scene().export(tmp_path / "b.glb", plain)
    assert "skins" not in Glb(tmp_path / "b.glb").json


def test_capsules_frames_and_figures_of_the_scene(tmp_path) -> None:
    arm = hk.chain([0.5, 0.4])
    spec = arm.spec
    spec.frames.append(hk.FrameSpec("tool", "link_2", ([0.4, 0, 0], [0.5, 0.5, 0.5, 0.5])))
    tooled = hk.Model(spec)
    figure = hk.Figure(tooled, [hk.Capsule("tool", (0, 0, 0), (0, 0, 0.3), 0.05)], pairs=[])
    room = hk.Scene(name="link_2").add("robot", hk.scene.Actor("data:ur5", q=np.ones(6)), [2, 0, 0])
    room.export(tmp_path / "a.glb", figure, [0.3, 0.4])
    glb = Glb(tmp_path / "a.glb")
    worlds, ur5 = glb.worlds(), hk.data("ur5")
    for name, pose in zip(ur5.frame_names, ur5.frames(np.ones(6)), strict=True):
        if f"robot/{name}" in worlds:
            pose = pose.copy()
            pose[0, 3] += 2
            np.testing.assert_allclose(worlds[f"robot/{name}"], pose, atol=1e-9)
    points = glb.points("link_2").reshape(-1, 3)
    tool = np.linalg.inv(spec.frames[-1].placement)
    local = points @ tool[:3, :3].T + tool[:3, 3]
    np.testing.assert_allclose(local.min(0), [-0.05, -0.05, -0.05], atol=1e-3)
    np.testing.assert_allclose(local.max(0), [0.05, 0.05, 0.35], atol=1e-3)
    person = hk.Scene().add("anna", hk.scene.Actor(human={"sex": "female"}))
    person.export(tmp_path / "b.glb")
    assert "anna/pelvis" in Glb(tmp_path / "b.glb").number
    assert len(Glb(tmp_path / "b.glb").json["skins"]) == 1


def test_shapes_of_a_model_are_seen_and_their_colors(tmp_path) -> None:
    box = GeometrySpec("box", np.eye(4), size=(0.1, 0.2, 0.3), color=(1.0, 0.0, 0.0, 1.0))
    ball = GeometrySpec("sphere", np.eye(4), radius=0.4)
    spec = hk.chain([1.0]).spec
    spec.links[1].visuals.append(box)
    spec.links[1].collisions.append(ball)
    hk.Scene().export(tmp_path / "a.glb", hk.Model(spec))
    glb = Glb(tmp_path / "a.glb")
    points = glb.points(spec.links[1].name).reshape(-1, 3)
    np.testing.assert_allclose(np.ptp(points, axis=0), [0.1, 0.2, 0.3], atol=1e-6)
    color = glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"]
    assert color == [1, 0, 0, 1]
    spec.links[1].visuals.clear()
    hk.Scene().export(tmp_path / "b.glb", hk.Model(spec))
    touched = Glb(tmp_path / "b.glb").points(spec.links[1].name).reshape(-1, 3)
    assert np.ptp(touched, axis=0).max() == pytest.approx(0.8, abs=0.02)
    lost = GeometrySpec("mesh", np.eye(4), uri="nowhere.stl")
    spec.links[1].collisions.append(lost)
    hk.Scene().export(tmp_path / "c.glb", hk.Model(spec))  # then its bones
    bone = Glb(tmp_path / "c.glb").points(spec.links[0].name)
    assert len(bone)


def test_what_cannot_be_exported_is_said(tmp_path) -> None:
    arm, path = hk.chain([0.5, 0.4]), tmp_path / "a.glb"
    path.write_bytes(b"old")
    room, motion = hk.Scene(), hk.Motion([[0, 0], [1, 1]], [0, 1], arm)
    with pytest.raises(hk.UnsupportedError, match=r"\.glb, not to 'a.obj'"):
        room.export(tmp_path / "a.obj")
    with pytest.raises(hk.ArgumentError, match="not given"):
        room.export(path, trajectory=motion)
    with pytest.raises(hk.ArgumentError, match="its own postures"):
        room.export(path, arm, [0, 0], trajectory=motion)
    with pytest.raises(hk.ArgumentError, match="not of 'ur5'"):
        room.export(path, hk.data("ur5"), trajectory=motion)
    with pytest.raises(hk.ArgumentError, match="no postures"):
        room.export(path, arm, trajectory=motion[:0])
    with pytest.raises(TypeError, match="Trajectory or Motion"):
        room.export(path, arm, trajectory=[[0, 0]])
    far = hk.Motion(np.arange(180.0)[:, None] * [0, 1e5], np.arange(180), arm)
    with pytest.raises(hk.ArgumentError, match="too many for one file"):
        room.export(path, arm, trajectory=far)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.glb"]


def _lit() -> hk.Scene:
    turned = from_rpy([0.3, 0.4, 0.5])
    turned[:3, 3] = [1.0, 2.0, 3.0]
    scene = hk.Scene().add("box", hk.scene.Box([1, 1, 1]), [0, 0, 2], color=(0.5, 0.2, 0.1))
    scene = scene.add("box/eye", hk.scene.Camera(0.9), turned)
    scene = scene.add("spot", hk.scene.Light("spot", (0.8, 0.5, 0.25), 2.5, 0.6), turned)
    scene = scene.add("sun", hk.scene.Light("sun", power=3.0), turned)
    return scene.add("bulb", hk.scene.Light("point", "#ff8800"), [0, 0, 2.5])


def test_lights_and_cameras_go_through_every_file(tmp_path: Path) -> None:
    scene = _lit()
    for suffix in (".toml", ".xml"):
        scene.save(tmp_path / f"lit{suffix}")
        assert hk.load_scene(tmp_path / f"lit{suffix}") == scene
    pytest.importorskip("trimesh")
    scene.export(tmp_path / "lit.glb")
    glb = Glb(tmp_path / "lit.glb").json
    lamps = glb["extensions"]["KHR_lights_punctual"]["lights"]
    assert glb["extensionsUsed"] == ["KHR_lights_punctual"]
    assert [row["type"] for row in lamps] == ["spot", "directional", "point"]
    assert [row["intensity"] for row in lamps] == [250.0, 300.0, 100.0]
    assert lamps[0]["spot"]["outerConeAngle"] == 0.3
    assert glb["cameras"][0]["perspective"]["yfov"] == 0.9
    back = hk.load_scene(tmp_path / "lit.glb")
    for name, here in {"spot": "spot", "sun": "sun", "bulb": "bulb", "box_eye": "box/eye"}.items():
        found, content = back[name].content, scene[here].content
        assert type(found) is type(content)
        if isinstance(content, hk.scene.Light):
            assert isinstance(found, hk.scene.Light)
            assert (found.shine, found.power) == (content.shine, pytest.approx(content.power))
            np.testing.assert_allclose(found.color, content.color, rtol=0, atol=2e-6)
            assert found.spread == pytest.approx(content.spread)
        else:
            assert found == content
        np.testing.assert_allclose(back.world(name), scene.world(here), rtol=0, atol=1e-12)
    # of meshes a color goes through eight bits of light
    np.testing.assert_allclose(back["box"].color, (0.5, 0.2, 0.1), rtol=0, atol=0.03)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["cameras"][0]["perspective"].update(yfov=4.0), "view must be between"),
        (lambda d: d["nodes"][0].update(camera=7), "names camera 7 of 1"),
        (lambda d: d["extensions"]["KHR_lights_punctual"].update(lights=3), "list of tables"),
        (lambda d: d["extensions"]["KHR_lights_punctual"]["lights"].pop(), "names light 2 of 2"),
        (lambda d: _lamp(d).update(type="moon"), "shine must be"),
        (lambda d: _lamp(d).update(color=[1, 2]), "color"),
        (lambda d: _lamp(d).update(intensity="much"), "a light"),
        (lambda d: _lamp(d).update(spot={"outerConeAngle": -1}), "spread must be"),
    ],
)
def test_bad_lights_and_cameras_of_a_file_are_named(tmp_path: Path, change: Any, said: str) -> None:
    pytest.importorskip("trimesh")
    _lit().export(tmp_path / "lit.glb")
    glb = Glb(tmp_path / "lit.glb")
    change(glb.json)
    text = json.dumps(glb.json).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(glb.data), b"BIN\0") + glb.data
    bad = tmp_path / "bad.glb"
    bad.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    with pytest.raises(hk.ReadError, match=said) as caught:
        hk.load_scene(bad)
    assert "bad.glb" in str(caught.value)


def _lamp(document: Any) -> Any:
    return document["extensions"]["KHR_lights_punctual"]["lights"][0]


@pytest.mark.parametrize("body", ["fitted", "plain"])
def test_the_chair_of_who_sits_in_one_is_there(tmp_path, body) -> None:
    anna = hk.human(sex="female", stature=1.62, body=body)
    inside = hk.access.seat(anna, hk.access.chair("manual")).with_base(
        from_rpy([0, 0, 0.5], [1, 2, 0])
    )
    hk.Scene().export(tmp_path / "a.glb", inside)
    glb = Glb(tmp_path / "a.glb")
    root = anna.model.spec.root
    corners = glb.points(root).reshape(-1, 3)
    pose = glb.worlds()[root]
    corners = corners @ pose[:3, :3].T + pose[:3, 3]
    assert corners[:, 2].min() == pytest.approx(0.0, abs=1e-6)  # wheels on the floor
    back = np.linalg.inv(from_rpy([0, 0, 0.5], [1, 2, 0]))
    own = corners @ back[:3, :3].T + back[:3, 3]
    assert np.ptp(own[:, 1]) > 0.6
    assert own[:, 0].min() < -0.4  # behind her, wheels
    hk.Scene().export(tmp_path / "b.glb", anna)
    bare = Glb(tmp_path / "b.glb")
    assert "mesh" not in bare.json["nodes"][bare.number[root]]
