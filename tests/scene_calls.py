"""What is public in `handik.scene`, called: as `public_calls`."""

from __future__ import annotations

import numpy as np
from public_calls import FOLDER, Given, call_of

import handik as hk
from handik import scene
from handik.scene.check import as_figure, compiled

SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
CORNERS = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
BALL = scene.Sphere(0.1)
SOME = hk.Scene().add("table", scene.Box([1, 1, 1])).add("table/cup", BALL).add("lamp")
POSE = np.eye(4)
LOOK = {"color": "#102030", "opacity": 0.5, "solid": True}

ROOM = str(FOLDER / "room.toml")
SOME.save(ROOM)

ARM = hk.data("ur5")
PART = hk.Capsule("link_3", (0, 0, 0), (0, 0, 0.4), 0.05)
FIGURE = hk.Figure(ARM, [PART, hk.Capsule("link_1", (0, 0, 0), (0, 0, 0.1), 0.05)])
REST = ARM.rest

SWING = hk.Motion([REST, REST + 0.3], [0.0, 1.0], ARM)
SCENES: dict[str, Given] = {
    "scene.Scene.export": call_of(
        SOME.export, str(FOLDER / "room.glb"), figure=FIGURE, trajectory=SWING, dear=True
    ),
    "scene.Box": call_of(scene.Box, size=[1.0, 1.0, 1.0]),
    "scene.Sphere": call_of(scene.Sphere, radius=1.0),
    "scene.Capsule": call_of(scene.Capsule, length=1.0, radius=1.0),
    "scene.Cylinder": call_of(scene.Cylinder, length=1.0, radius=1.0),
    "scene.Prism": call_of(scene.Prism, polygon=SQUARE, height=1.0),
    "scene.Mesh": call_of(scene.Mesh, vertices=CORNERS, faces=FACES, scale=1.0),
    "scene.Mesh, a file": call_of(scene.Mesh, path="chair.obj"),
    **{
        f"scene.{type(one).__name__}.scaled": call_of(one.scaled, scale=2.0)
        for one in (
            scene.Box([1, 1, 1]),
            BALL,
            scene.Capsule(1, 1),
            scene.Cylinder(1, 1),
            scene.Plane(),
            scene.Prism(SQUARE, 1),
            scene.Mesh("chair.obj"),
        )
    },
    "scene.Node": call_of(
        scene.Node, name="cup", content=BALL, pose=POSE, scale=2.0, tags="handle", **LOOK
    ),
    "scene.gallery": call_of(scene.gallery, name="car", seat_height=0.5),
    "scene.sizes": call_of(scene.sizes, name="car"),
    "Scene": call_of(hk.Scene, nodes=[scene.Node("cup")], name="room"),
    "Scene.find": call_of(SOME.find, pattern="table/*", tag="handle", kind="box"),
    "Scene.world": call_of(SOME.world, path="table"),
    "Scene.world_scale": call_of(SOME.world_scale, path="table"),
    "Figure": call_of(
        hk.Figure,
        model=ARM,
        capsules=[PART, PART],
        pairs=[(0, 1)],
        names=["a", "b"],
        draws=10,
        allowance={(0, 1): 0.01},
    ),
    "Clearance": call_of(
        lambda **x: hk.Problem(ARM, hk.Clearance(**x)),
        scene=SOME,
        figure=FIGURE,
        distance=0.01,
        self_distance=0.01,
    ),
    "scene.check.as_figure": call_of(as_figure, FIGURE),
    "scene.check.compiled": call_of(compiled, SOME, FIGURE),
    "Scene.free": call_of(SOME.free, FIGURE, q=REST, threads=1, out=None),
    "Model.solve, among obstacles": call_of(
        ARM.solve, position=[0.2, 0.1, 0.3], scene=hk.Clearance(SOME, FIGURE)
    ),
    "Scene.distance": call_of(
        SOME.distance, FIGURE, q=REST, cutoff=0.1, details=True, threads=1, out=None
    ),
    "Scene.proves": call_of(SOME.proves, FIGURE, q0=REST, q1=REST, tolerance=1e-3, threads=1),
    "Scene.obstacles": call_of(SOME.obstacles),
    "Scene.figure": call_of(SOME.add("arm", scene.Actor("data:ur5")).figure, path="arm"),
    "Scene[]": call_of(SOME.__getitem__, "table"),
    "Scene.add": call_of(
        SOME.add, name="chair", shape=BALL, pose=POSE, scale=1.0, tags="seat", **LOOK
    ),
    "Scene.remove": call_of(SOME.remove, path="table"),
    "Scene.rename": call_of(SOME.rename, path="table", name="desk"),
    "Scene.move": call_of(SOME.move, path="table/cup", parent="lamp", keep="world"),
    "Scene.with_pose": call_of(SOME.with_pose, path="table", pose=POSE, world=True),
    "Scene.with_shape": call_of(SOME.with_shape, path="table", shape=BALL),
    "Scene.with_look": call_of(SOME.with_look, path="table", **LOOK),
    "Scene.with_scale": call_of(SOME.with_scale, path="table", scale=2.0),
    "Scene.tag": call_of(SOME.tag, "table", "handle"),
    "Scene.untag": call_of(SOME.untag, "table", "handle"),
    "Scene.attach": call_of(SOME.attach, path="lamp", to="table/cup", pose=POSE),
    "scene.FloorPlan": call_of(scene.FloorPlan, walls=[SQUARE], height=1.0),
    "scene.Light": call_of(scene.Light, shine="sun", color="#102030", power=1.0, spread=1.0),
    "scene.Camera": call_of(scene.Camera, view=1.0),
    "scene.Target": call_of(scene.Target, want="axis", axis=[0, 0, 1.0]),
    "scene.Via": call_of(scene.Via, radius=0.1),
    "scene.Include": call_of(scene.Include, path="a.toml", nodes=[]),
    "scene.Actor": call_of(scene.Actor, model="data:ur5", q=[0.0] * 6),
    "scene.Actor, human": call_of(scene.Actor, human={"sex": "male"}),
    "scene.save_scene": call_of(scene.save_scene, scene=SOME, path="a.toml"),
    "Scene.save": call_of(SOME.save, path="a.xml"),
    "load_scene": call_of(hk.load_scene, path=ROOM, roots=[]),
    "Scene.include": call_of(SOME.include, name="room", path=ROOM, pose=POSE, roots=[]),
    "Scene.detach": call_of(SOME.detach, path="lamp"),
}
