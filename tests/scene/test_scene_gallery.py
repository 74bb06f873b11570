"""The gallery: its sizes and their sources, tags, targets, and nothing that floats in another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik import scene as sc

NAMES = hk.scene.gallery()


def top_of(scene: sc.Scene, path: str) -> float:
    """The height of a box's upper face."""
    shape = scene[path].content
    assert isinstance(shape, sc.Box)
    return float(scene.world(path)[2, 3] + shape.size[2] / 2)


def test_the_names_are_those_asked_for() -> None:
    assert NAMES == (
        *("bathroom", "bus_stop", "car", "cash_machine", "counter", "flat"),
        *("kitchen", "lift", "office", "robot_cell", "shop"),
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_has_tags_targets_and_sources(name: str, tmp_path: Path) -> None:
    scene = hk.scene.gallery(name)
    assert scene.find(kind="target")
    assert scene.find(tag="floor")
    assert len(scene.obstacles()) >= 5
    assert all(o.pose[2, 3] >= -1e-9 for o in scene.obstacles())
    for size in sc.sizes(name).values():
        assert size.trust in ("read", "secondary", "memory", "assumed")
        assert size.source
        assert 0 < size.value < 50
    scene.save(tmp_path / "a.toml")
    assert hk.load_scene(tmp_path / "a.toml") == scene


@pytest.mark.parametrize("name", NAMES)
def test_every_size_changes_the_scene(name: str) -> None:
    known, scene = sc.sizes(name), hk.scene.gallery(name)
    for key, size in known.items():
        other = size.value + 1 if size.unit == "count" else size.value * 0.97
        same = size.value
        if size.unit == "count":
            other, same = int(other), int(same)
        assert hk.scene.gallery(name, **{key: other}) != scene, key
        assert hk.scene.gallery(name, **{key: same}) == scene


def test_things_are_where_the_sizes_say() -> None:
    kitchen = hk.scene.gallery("kitchen", counter_height=0.8, switch_height=1.0)
    assert top_of(kitchen, "counter/top") == pytest.approx(0.8)
    assert kitchen.world("switch/press")[2, 3] == pytest.approx(1.0)
    assert top_of(hk.scene.gallery("office", desk_height=0.7), "desk") == pytest.approx(0.7)
    assert top_of(hk.scene.gallery("counter", height=0.78), "top") == pytest.approx(0.78)
    seat = hk.scene.gallery("bathroom", seat_height=0.5).world("toilet/seat/place")
    assert seat[2, 3] == pytest.approx(0.5)
    lift = hk.scene.gallery("lift", lowest_button=0.8, highest_button=1.1)
    heights = [lift.world(path)[2, 3] for path in lift.find("press")]
    np.testing.assert_allclose(heights, [0.805 - 0.005, 0.875, 0.95, 1.025, 1.1], atol=1e-9)
    inward = lift.world("panel/button 0/press")[:3, :3] @ lift["panel/button 0/press"].content.axis
    np.testing.assert_allclose(inward, [0, -1, 0], atol=1e-12)  # into the wall on the right
    for path in hk.scene.gallery("flat", handle_height=1.05).find("grip"):
        assert hk.scene.gallery("flat", handle_height=1.05).world(path)[2, 3] == pytest.approx(1.05)


def test_cages_have_as_many_bars_as_asked() -> None:
    for count in (0, 1, 12):
        cell = hk.scene.gallery("robot_cell", bars=count, bar_radius=0.02)
        bars = cell.find(tag="cage")
        assert len(bars) == count
        for path in bars:
            assert cell[path].content == sc.Capsule(1.2, 0.02)
            assert np.hypot(*cell.world(path)[:2, 3]) == pytest.approx(0.55)


def test_wrong_names_and_sizes_are_said() -> None:
    with pytest.raises(hk.NotFoundError, match="near names: kitchen"):
        hk.scene.gallery("kitchin")
    with pytest.raises(hk.NotFoundError, match="size of 'car'"):
        hk.scene.gallery("car", counter_height=1.0)
    with pytest.raises(hk.ArgumentError, match="give its name"):
        hk.scene.gallery(counter_height=1.0)
    for wrong in (0.0009, 50.1):
        with pytest.raises(hk.ArgumentError, match=r"0\.001 to 50 m"):
            hk.scene.gallery("car", seat_height=wrong)
    with pytest.raises(hk.ArgumentError, match="0 to 64"):
        hk.scene.gallery("shop", shelves=65)
    with pytest.raises(hk.ArgumentError, match="1 or more"):
        hk.scene.gallery("shop", shelves=0)


def held(scene: hk.Scene, name: str) -> bool:
    """Whether a thing touches another, or stands on the floor: 2 mm off counts as touching."""
    known = {o.name: o for o in scene.obstacles()}
    one = known[name]
    low = one.pose[2, 3] - np.abs(one.pose[2, :3]) @ half_of(one.shape)
    if low < 2e-3:
        return True
    probe = scene.obstacles()
    boxes = [(o.name, o.pose, half_of(o.shape)) for o in probe if o.name not in (name, "floor")]
    a = one.pose[:3, 3], np.abs(one.pose[:3, :3]) @ half_of(one.shape)
    for _, pose, half in boxes:
        b = pose[:3, 3], np.abs(pose[:3, :3]) @ half
        if np.all(np.abs(a[0] - b[0]) <= a[1] + b[1] + 2e-3):
            return True
    return False


def half_of(shape: object) -> np.ndarray:
    if isinstance(shape, hk.scene.Box):
        return np.asarray(shape.size) / 2
    assert isinstance(shape, (hk.scene.Cylinder, hk.scene.Capsule))
    cap = shape.radius if isinstance(shape, hk.scene.Capsule) else 0.0
    return np.array([shape.radius, shape.radius, shape.length / 2 + cap])


@pytest.mark.parametrize(
    ("scene", "names"),
    [
        ("office", ["desk", "desk/screen", "chair/seat", "chair/back", "desk/lamp"]),
        ("robot_cell", ["table", "table/leg 1", "table/leg 4", "shelf/back"]),
    ],
)
def test_nothing_floats(scene: str, names: list[str]) -> None:
    made = hk.scene.gallery(scene)
    assert [name for name in names if not held(made, name)] == []
    if scene == "robot_cell":
        tops = [o for o in made.obstacles() if o.name.startswith("table/leg")]
        low = [o.pose[2, 3] - o.shape.length / 2 for o in tops]
        assert np.allclose(low, 0.0, atol=1e-9)
        assert len(tops) == 4
