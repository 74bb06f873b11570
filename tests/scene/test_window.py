"""What is shown in the browser, asked of the server, without one."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import handik as hk

pytest.importorskip("viser")
plot = pytest.importorskip("handik.plot")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own servers


def named(window):
    return {handle.label: handle for handle, _, _ in window._sliders}


def nodes(window):
    return dict(window.server.scene._handle_from_node_name)


def assert_shown(window, model, q) -> None:
    found = nodes(window)
    names = [name for name in model.frame_names if f"/figure/{name}" in found]
    assert names
    for name in names:
        pose, frame = model.fk(q, frame=name), found[f"/figure/{name}"]
        np.testing.assert_allclose(frame.position, pose[:3, 3], atol=1e-9)
        turn = Rotation.from_quat(np.roll(frame.wxyz, -1)).as_matrix()
        np.testing.assert_allclose(turn, pose[:3, :3], atol=1e-9)


def test_sliders_move_the_figure_and_show_moves_the_sliders() -> None:
    arm = hk.data("ur5")
    room = hk.Scene().add("box", hk.scene.Box([1, 2, 3]), [1, 0, 0], scale=2.0)
    with plot.view(room, arm, np.full(6, 0.2), port=0) as window:
        assert window.url.startswith("http://localhost:")
        assert window.model is arm
        assert list(named(window)) == list(arm.joint_q_slices)
        np.testing.assert_array_equal(window.q, np.full(6, 0.2))
        assert_shown(window, arm, window.q)
        named(window)["elbow"].value = -1.0
        np.testing.assert_allclose(window.q, [0.2, 0.2, -1.0, 0.2, 0.2, 0.2])
        assert_shown(window, arm, window.q)
        window.show(np.full(6, -0.3))
        assert {handle.value for handle in named(window).values()} == {-0.3}
        np.testing.assert_array_equal(window.q, np.full(6, -0.3))
        with pytest.raises(hk.ArgumentError, match="q must have shape"):
            window.show([0.0])
        box = nodes(window)["/scene/box/0"]
        np.testing.assert_allclose(box.vertices.min(0), [-1 + 1, -2, -3])
        np.testing.assert_allclose(box.vertices.max(0), [1 + 1, 2, 3])
        assert "closed" not in repr(window)
    assert "closed" in repr(window)
    window.close()


def test_a_ball_has_three_sliders_from_where_it_was() -> None:
    arm = hk.chain([0.4, 0.3], "ball")
    q = arm.integrate(arm.rest, [0.3, 0, 0, 0, 0.2, 0])
    with plot.view(hk.Scene(), arm, q, port=0) as window:
        sliders = named(window)
        assert list(sliders) == [f"joint_{k} {axis}" for k in (1, 2) for axis in "xyz"]
        sliders["joint_1 y"].value = 0.5
        np.testing.assert_allclose(window.q, arm.integrate(q, [0, 0.5, 0, 0, 0, 0]), atol=1e-9)
        assert_shown(window, arm, window.q)


def test_a_trajectory_is_played() -> None:
    arm = hk.chain([0.4, 0.3])
    moved = hk.Motion([[0, 0], [1.0, 0.5]], [2.0, 3.0], arm)
    with plot.view(hk.Scene(), arm, trajectory=moved, port=0) as window:
        window.clock.value = 0.25
        np.testing.assert_allclose(window.q, moved.at(2.25), atol=1e-9)
        assert named(window)["joint_1"].value == pytest.approx(0.25)
        window.playing.value = True
        end = time.monotonic() + 60
        while window.clock.value in (0.0, 0.25) and time.monotonic() < end:
            time.sleep(0.02)
        window.playing.value = False
        for thread in threading.enumerate():
            if thread.name == "play":  # it may stand between two frames of a posture
                thread.join(60)
        assert window.clock.value != 0.25
        assert_shown(window, arm, window.q)


def test_a_person_has_a_skin_and_figures_of_the_scene_stand_there() -> None:
    anna = hk.human(sex="female")
    room = hk.Scene().add("arm", hk.scene.Actor("data:ur5"), [3, 0, 0], scale=2.0)
    room = room.add("floor", hk.scene.Plane()).add("aim", hk.scene.Target(), [0, 0, 1])
    with plot.view(room, anna, port=0) as window:
        before = nodes(window)["/figure/skin"].vertices.copy()
        bent = anna.posture(elbow_flexion_right=1.2)
        window.show(bent)
        skin = anna.surface(bent).clothed
        rows = np.unique(skin.faces[skin.part == 0])
        after = nodes(window)["/figure/skin"].vertices
        np.testing.assert_allclose(after, skin.vertices[rows], atol=1e-6)
        assert np.abs(after - before).max() > 0.05
        ur5 = hk.data("ur5")
        link = nodes(window)["/scene/arm/figure/link_3"]
        place = 2 * ur5.fk(ur5.rest, frame="link_3")[:3, 3] + [3, 0, 0]
        np.testing.assert_allclose(link.position, place, atol=1e-9)
        assert "/scene/aim/target" in nodes(window)


def test_without_a_figure_there_is_nothing_to_move() -> None:
    with plot.view(hk.Scene(), port=0) as window:
        assert window.q is None
        with pytest.raises(hk.ArgumentError, match="no figure"):
            window.show([0.0])


def test_wrong_calls_start_no_server() -> None:
    arm = hk.chain([0.4, 0.3])
    motion = hk.Motion([[0, 0]], [0.0], arm)
    with pytest.raises(hk.ArgumentError, match="not given"):
        plot.view(hk.Scene(), q=[0, 0])
    with pytest.raises(hk.ArgumentError, match="not of 'ur5'"):
        plot.view(hk.Scene(), hk.data("ur5"), trajectory=motion)
    with pytest.raises(hk.ArgumentError, match="no postures"):
        plot.view(hk.Scene(), arm, trajectory=motion[:0])
    with pytest.raises(TypeError, match="Trajectory or Motion"):
        plot.view(hk.Scene(), arm, trajectory=[[0, 0]])
