"""Pictures of scenes: the faces that are drawn are those of the shapes."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik import scene as sc

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
_scene = pytest.importorskip("handik.plot._scene")
CORNERS = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(scene):
    """Every corner of a face that is handed to matplotlib."""
    found = []

    class Seen(_scene.Poly3DCollection):
        def __init__(self, polygons, **look):
            found.extend(polygons)
            super().__init__(polygons, **look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_scene, "Poly3DCollection", Seen)
        hk.plot.scene(scene)
    return np.concatenate(found)


def box_of(scene):
    points = drawn(scene)
    return points.min(axis=0), points.max(axis=0)


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        (sc.Box([1, 2, 3]), (-0.5, -1, -1.5), (0.5, 1, 1.5)),
        (sc.Sphere(0.5), (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)),
        (sc.Capsule(1, 0.5), (-0.5, -0.5, -1), (0.5, 0.5, 1)),
        (sc.Cylinder(1, 0.5), (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)),
        (sc.Prism(CORNERS, 3), (0, 0, 0), (2, 2, 3)),
        (
            sc.Mesh(
                vertices=[[0, 0, 0], [1, 0, 0], [0, 2, 3]], faces=[[0, 1, 2]], scale=[1, 1, -1]
            ),
            (0, 0, -3),
            (1, 2, 0),
        ),
    ],
)
def test_shapes_are_drawn_as_large_as_they_are(shape, low, high) -> None:
    found = box_of(hk.Scene().add("a", shape, [1, 0, 0], scale=2))
    np.testing.assert_allclose(found[0], 2 * np.array(low) + [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(found[1], 2 * np.array(high) + [1, 0, 0], atol=1e-9)


def test_a_floor_is_drawn_where_it_is() -> None:
    scene = hk.Scene().add("floor", sc.Plane()).add("lamp", sc.Sphere(0.1), [0, 0, 2])
    points = drawn(scene)
    assert points[:, 2].min() == 0.0
    assert np.ptp(points[points[:, 2] == 0], axis=0)[:2].min() > 0.2


def test_figures_are_lines_between_their_joints() -> None:
    arm = hk.data("ur5")
    q = np.full(6, 0.3)
    alone = hk.plot.scene(hk.Scene(), arm, q)
    placed = hk.plot.scene(hk.Scene().add("arm", sc.Actor("data:ur5", q=q), [5, 0, 0], scale=2))
    one = np.array([line.get_data_3d() for line in alone.lines])
    two = np.array([line.get_data_3d() for line in placed.lines])
    np.testing.assert_allclose(two, 2 * one + np.array([5, 0, 0])[:, None], atol=1e-12)
    tip = arm.fk(q, frame=arm.spec.joints[-1].child)[:3, 3]
    assert np.abs(one[:, :, 1] - tip).sum(axis=1).min() < 1e-12
    anna = hk.human(sex="female")
    assert len(hk.plot.scene(hk.Scene(), anna).lines) > 10


def test_colors_and_opacity_are_handed_down() -> None:
    scene = hk.Scene().add("a", color="#ff0000", opacity=0.5).add("a/b", sc.Box([1, 1, 1]))
    ax = hk.plot.scene(scene)
    colors = ax.collections[0].get_facecolor()
    assert (colors[:, 1:3] == 0).all()
    assert (colors[:, 3] == 0.5).all()
    assert not hk.plot.scene(scene.with_look("a", opacity=0.0)).collections


def test_targets_are_named_where_asked() -> None:
    scene = hk.Scene().add("door").add("door/grip", sc.Target("axis", [1, 0, 0]), [0, 0, 1])
    assert [text.get_text().strip() for text in hk.plot.scene(scene, labels=True).texts] == ["grip"]
    ax = hk.plot.scene(scene)
    assert not ax.texts
    assert len(ax.lines) == 2


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(hk.ArgumentError, match="not given"):
        hk.plot.scene(hk.Scene(), None, [0.0])
    with pytest.raises(hk.ArgumentError, match=r"q must have shape \(\.\.\., 6\)"):
        hk.plot.scene(hk.Scene(), hk.data("ur5"), [0.0])
    with pytest.raises(TypeError, match="scene must be a handik Scene"):
        hk.plot.scene("kitchen")


@pytest.mark.parametrize("name", hk.scene.gallery())
def test_every_scene_of_the_gallery_is_drawn(name: str) -> None:
    scene = hk.scene.gallery(name)
    ax = hk.plot.scene(scene)
    low = np.array([o.pose[:3, 3] for o in scene.obstacles()]).min(axis=0)
    assert (np.array([ax.get_xlim()[0], ax.get_ylim()[0], ax.get_zlim()[0]]) <= low).all()


def test_bodies_stand_in_the_place_of_lines() -> None:
    arm = hk.scene.Actor("data:ur5")
    anna = hk.scene.Actor(human={"sex": "female", "stature": 1.62})
    room = hk.Scene().add("box", hk.scene.Box([0.2, 0.2, 0.2])).add("arm", arm, [2.0, 0, 0])
    lines = hk.plot.scene(room)
    assert lines.lines
    assert sum(len(one.get_facecolor()) for one in lines.collections) == 6
    ax = hk.plot.scene(room, hk.human(stature=1.62, sex="female"), bodies=True)
    assert not ax.lines
    assert sum(len(one.get_facecolor()) for one in ax.collections) > 500
    assert ax.get_xlim()[1] > 1.9  # what is drawn is inside
    tall = room.add("anna", anna, [0.0, 3.0, 0.5])
    both = hk.plot.scene(tall, bodies=True)
    assert both.get_ylim()[1] > 3.1
    assert len(hk.plot.scene(tall).lines) > len(lines.lines)


@pytest.mark.parametrize("bodies", [False, True])
def test_who_sits_in_a_chair_is_drawn_in_it(bodies: bool) -> None:
    anna = hk.human(sex="female", stature=1.62, body="plain")
    inside = hk.access.seat(anna, hk.access.chair("rear"))
    place = hk.transforms.from_rpy([0, 0, np.pi / 2], [3, 1, 0.2])
    without, there = (
        hk.plot.scene(hk.Scene(), one.with_base(place), bodies=bodies) for one in (anna, inside)
    )
    colors = np.concatenate([one.get_facecolor()[:, :3] for one in there.collections])
    dark = colors.max(axis=1) < 0.4
    assert dark.sum() > 500
    assert bool((~dark).sum() > 500) == bodies
    if not bodies:
        assert not without.collections
        assert len(there.lines) == len(without.lines)  # the bones, none from the origin
        points = np.concatenate([line.get_data_3d() for line in there.lines], axis=1)
        assert points[0].min() > 2.5
    low = [ax.get_zlim()[0] for ax in (without, there)]
    assert low[1] <= 0.2  # wheels and casters stand on the floor
    back = [ax.get_ylim()[0] for ax in (without, there)]
    assert back[1] < back[0] - 0.1  # wheels behind her
    assert there.get_zlim()[1] - without.get_zlim()[1] == pytest.approx(
        inside._at_origin._lift, abs=0.03
    )


def test_the_chair_of_a_person_of_a_scene_is_drawn_where_she_is() -> None:
    said = {"sex": "female", "stature": 1.62, "body": "plain", "chair": "manual"}
    room = hk.Scene().add("anna", hk.scene.Actor(human=said), [3.0, 1.0, 0.2])
    inside = hk.access.seat(
        hk.human(sex="female", stature=1.62, body="plain"), hk.access.chair("manual")
    )
    place = hk.transforms.from_rpy([0, 0, 0], [3.0, 1.0, 0.2])
    for bodies in (False, True):
        one = hk.plot.scene(room, bodies=bodies)
        two = hk.plot.scene(hk.Scene(), inside.with_base(place), bodies=bodies)
        for name in ("get_xlim", "get_ylim", "get_zlim"):
            assert getattr(one, name)() == pytest.approx(getattr(two, name)())


def test_a_way_of_who_sits_in_a_chair_has_it() -> None:
    inside = hk.access.seat(
        hk.human(sex="female", stature=1.62, body="plain"), hk.access.chair("manual")
    )
    q = np.stack([inside.rest, inside.posture(elbow_flexion_right=0.5)])
    ax = hk.plot.swept(hk.Scene(), inside, q, count=2)
    assert ax.get_zlim()[0] <= 0.0
