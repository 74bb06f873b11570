"""Doors of IFC, made by another library: doorways, leaves, what hangs on them, what stays whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import handik as hk

pytest.importorskip("ifcopenshell")

PLACE, TURN = np.array([1.0, 2.0, 0.0]), 0.4


def house(path: Path, operation: str, *, width: float = 1.0, of_type: bool = False) -> hk.Scene:
    """A door in a wall that is thicker than its frame, at a place and turned; millimeters."""
    from ifcopenshell.api import aggregate, context, feature, geometry, project, root, type, unit

    file = project.create_file(version="IFC4")
    top = root.create_entity(file, ifc_class="IfcProject", name="p")
    unit.assign_unit(file)
    whole = context.add_context(file, context_type="Model")
    body = context.add_context(
        file,
        context_type="Model",
        context_identifier="Body",
        target_view="MODEL_VIEW",
        parent=whole,
    )
    floor = root.create_entity(file, ifc_class="IfcBuildingStorey", name="Ground")
    aggregate.assign_object(file, products=[floor], relating_object=top)
    pose = hk.transforms.from_rpy([0, 0, TURN], PLACE)

    def put(product, shape, at) -> None:
        geometry.assign_representation(file, product=product, representation=shape)
        matrix = pose @ hk.transforms.from_rpy([0, 0, 0], at)
        geometry.edit_object_placement(file, product=product, matrix=matrix)

    def wall(length, height, thickness):
        return geometry.add_wall_representation(
            file, context=body, length=length, height=height, thickness=thickness
        )

    door = root.create_entity(file, ifc_class="IfcDoor", name="Door")
    if of_type:
        kind = root.create_entity(file, ifc_class="IfcDoorType", name="kind")
        kind.OperationType = operation
        type.assign_type(file, related_objects=[door], relating_type=kind)
    else:
        door.OperationType = operation
    drawn = operation if operation != "NOTDEFINED" else "SINGLE_SWING_LEFT"
    shape = geometry.add_door_representation(
        file, context=body, overall_height=2100, overall_width=1000 * width, operation_type=drawn
    )
    put(door, shape, [0, 0, 0])
    made = root.create_entity(file, ifc_class="IfcWall", name="Wall")
    put(made, wall(5.0, 2.6, 0.2), [-2.0, -0.05, 0])
    hole = root.create_entity(file, ifc_class="IfcOpeningElement")
    put(hole, wall(width, 2.1, 0.6), [0, -0.2, 0])
    feature.add_feature(file, feature=hole, element=made)
    file.write(str(path))
    return hk.load_scene(path)


@pytest.mark.parametrize(
    ("operation", "kind", "hinge"),
    [
        ("SINGLE_SWING_LEFT", "hinged", 0.025),
        ("SINGLE_SWING_RIGHT", "hinged", 0.975),
        ("DOUBLE_DOOR_SINGLE_SWING", "double", 0.025),
        ("SLIDING_TO_LEFT", "sliding", 0.05),
        ("SLIDING_TO_RIGHT", "sliding", 0.95),
    ],
)
def test_a_door_is_hung_as_its_operation_says(tmp_path, operation, kind, hinge) -> None:
    """Leaves open to the positive y of the door's placement; left is as seen along it."""
    width = 1.6 if kind == "double" else 1.0
    scene = house(tmp_path / "house.ifc", operation, width=width, of_type=kind == "sliding")
    back = np.linalg.inv(hk.transforms.from_rpy([0, 0, TURN], PLACE))
    ((path, door),) = hk.access.doors(scene).items()
    assert door.kind == kind
    ends = (back @ np.array([[*end, 0, 1] for end in door.ends]).T)[:2].T
    assert ends[0, 0] == pytest.approx(hinge, abs=1e-6)
    assert ends.sum(axis=0)[0] == pytest.approx(width, abs=1e-6)
    if kind != "sliding":
        assert back[:2, :2] @ door.pull == pytest.approx([0, 1], abs=1e-9)
    assert (door.thickness, door.threshold) == (pytest.approx(0.035), pytest.approx(0.025))
    name = path.split("/")[0]
    (frame,) = [p for p in scene.find() if p == f"{name}/frame"]
    own = np.asarray(scene[frame].content.vertices)
    assert (own.min(0)[0], own.max(0)[0]) == pytest.approx((-0.025, width + 0.025))
    fitting = f"{path}/fitting"
    hung = (back @ scene.world(fitting)) @ np.c_[
        np.asarray(scene[fitting].content.vertices), np.ones(len(scene[fitting].content.vertices))
    ].T
    assert 1.0 < hung[2].min() < hung[2].max() < 1.05  # its handle, on the latch's side
    latch = width / 2 if kind == "double" else ends[1, 0]
    assert np.abs(hung[0] - latch).max() < 0.25
    clear = [
        f.found
        for f in hk.access.check(scene)
        if f.rule.measure == "door.width" and f.found is not None
    ]
    if kind != "double":
        assert clear[0] == pytest.approx(0.9, abs=1e-6)  # between the linings
    if operation != "SINGLE_SWING_RIGHT":
        return
    chair = hk.access.chair("manual", width=0.65, length=1.2)
    assert {one.verdict for one in hk.access.open_doors(chair, scene)} == {"yes"}


@pytest.mark.parametrize("operation", ["NOTDEFINED", "DOUBLE_SWING_LEFT"])
def test_what_is_not_told_stays_one_thing(tmp_path, operation) -> None:
    scene = house(tmp_path / "house.ifc", operation)
    (door,) = scene.find(tag="door")
    assert scene[door].tags == {"ifcdoor", "door"}
    assert scene[door].children == ()
    assert hk.access.doors(scene) == {}
    assert scene.find(tag="doorway") == ()


def test_a_leaf_that_is_not_whole_is_none(tmp_path) -> None:
    """Of a leaf in two slabs neither is the leaf: a pane would be taken for a narrow one."""
    from handik.scene.read._ifc_doors import _leaves, _Piece

    faces = np.zeros((1, 3), np.int64)

    def piece(low, high, solid=1.0):
        return _Piece(faces, np.array(low, float), np.array(high, float), solid)

    frame = piece([0, 0, 0], [1, 0.1, 2.1], 0.1)
    leaf = piece([0.05, 0.02, 0], [0.95, 0.06, 2.05])
    assert _leaves([frame, leaf], 1) == [leaf]
    half = [piece([0.05, 0.02, 0], [0.5, 0.06, 2.05]), piece([0.5, 0.02, 0], [0.95, 0.06, 2.05])]
    assert _leaves([frame, *half], 1) == []
    assert _leaves([frame, *half], 2) == half
    for wrong in (
        piece([0.2, 0.02, 0.2], [0.8, 0.03, 1.9]),  # a pane
        piece([0.05, 0.02, 0], [0.95, 0.06, 2.05], 0.4),  # a frame about a pane
        piece([0.05, 0.02, 0], [0.09, 0.9, 2.05]),  # it stands open
        piece([0.05, 0.02, 0], [0.95, 0.06, 1.0]),
        piece([0.05, 0.02, 0], [0.95, 0.022, 2.05]),  # a sheet
    ):
        assert _leaves([frame, wrong], 1) == []
    assert _leaves([frame, leaf, leaf], 1) == []
    for wide, tall in ((0.5, 2.0), (0.9, 1.2)):  # hatches
        assert _leaves([piece([0, 0, 0], [wide, 0.04, tall])], 1) == []
