"""Direct manipulation: a point of a body is dragged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk

FLAT = hk.chain([0.4, 0.3, 0.2])
PERSON = hk.human(sex="female")


@given(
    st.integers(0, 10_000),
    st.sampled_from(["least change", "ccd", "fabrik", "lm"]),
    st.floats(-0.01, 0.01),
    st.floats(-0.01, 0.01),
)
def test_any_point_of_any_body_follows(seed: int, mode: str, dx: float, dy: float) -> None:
    rng = np.random.default_rng(seed)
    q0 = rng.uniform(0.7, 1.4, 3)
    drag = hk.plan.Drag(
        FLAT,
        f"link_{rng.integers(2, 4)}",
        [rng.uniform(0.1, 0.2), 0, 0],
        q0=q0,
        mode=mode,
        plane="xy",
    )
    before = drag.point
    step = drag.to(before + [dx, dy])
    assert step.converged
    assert step.error < 2e-4
    assert np.array_equal(step.q, drag.q)
    assert np.linalg.norm(drag.point - before - [dx, dy]) == pytest.approx(step.error)


def test_the_point_is_that_of_the_link() -> None:
    drag = hk.plan.Drag(FLAT, "link_1", [0.1, 0.0, 0.0], q0=[0.5, 0.2, 0.1], plane="xy")
    assert np.allclose(drag.point, [0.1 * np.cos(0.5), 0.1 * np.sin(0.5)])
    drag.to([0.1 * np.cos(0.9), 0.1 * np.sin(0.9)])
    assert drag.q[0] == pytest.approx(0.9, abs=1e-3)
    assert np.allclose(drag.q[1:], [0.2, 0.1])  # what is beyond the point is not moved
    space = hk.plan.Drag(hk.data("ur5"), hk.data("ur5").frame_names[-1])
    assert space.point.shape == (3,)


def test_pins_stay_and_come_first() -> None:
    model = PERSON.model
    left = model.fk(PERSON.rest, frame="hand_left")
    for pin in ("hand_left", "hand_left!"):
        drag = hk.plan.Drag(model, "hand_right", [0, 0, 0.05], q0=PERSON.rest, pins=[pin])
        start = drag.point
        for k in range(20):
            step = drag.to(start + [0.01 * k, 0.0, 0.012 * k])
            assert step.converged
        far = drag.to([3.0, 0.0, 3.0])
        assert not far.converged
        held = model.fk(far.q, frame="hand_left")
        assert np.linalg.norm(held[:3, 3] - left[:3, 3]) < 2e-4
        if pin.endswith("!"):
            assert np.abs(held - left).max() < 5e-4


@pytest.mark.parametrize("mode", ["least change", "fabrik", "ccd"])
def test_joints_that_are_held_stay_and_the_others_reach(mode: str) -> None:
    model = PERSON.model
    slices = model.joint_q_slices
    held = {
        name: PERSON.rest[slices[name]].squeeze() for name in ("trunk_flexion", "shoulder_left")
    }
    drag = hk.plan.Drag(model, "hand_right", q0=PERSON.rest, mode=mode, lock=held)
    step = drag.to(drag.point + [0.05, 0.05, 0.1])
    assert step.converged
    for name, value in held.items():
        np.testing.assert_array_equal(step.q[slices[name]].squeeze(), value)
    with pytest.raises(hk.ArgumentError, match="where they are in q0"):
        hk.plan.Drag(model, "hand_right", q0=PERSON.rest, lock={"trunk_flexion": 0.3})
    with pytest.raises(hk.NotFoundError, match="joint"):
        hk.plan.Drag(model, "hand_right", lock={"nothing": 0.0})


@pytest.mark.parametrize("mode", ["least change", "fabrik", "ccd"])
def test_a_steady_hand_moves_the_figure_steadily(mode: str) -> None:
    drag = hk.plan.Drag(PERSON.model, "hand_right", q0=PERSON.rest, mode=mode)
    start, q = drag.point, drag.q
    for k in range(300):
        turn = k / 50
        where = start + 0.12 * np.array([np.sin(turn), 0.5 - 0.5 * np.cos(turn), 1 - np.cos(turn)])
        step = drag.to(where)
        assert step.converged
        # a hand's step of 2.4 mm turns no joint by more than 0.1 rad: no jumps to other postures
        assert np.abs(PERSON.model.difference(q, step.q)).max() < 0.1
        q = step.q


def test_out_of_reach_is_followed_as_near_as_it_goes() -> None:
    drag = hk.plan.Drag(FLAT, "link_3", [0.2, 0, 0], q0=[0.3, 0.5, 0.5], plane="xy", max_iter=200)
    for _ in range(5):
        step = drag.to([2.0, 0.0])
    assert not step.converged
    assert step.error == pytest.approx(2.0 - 0.9, abs=1e-3)


def test_what_blocks_keeps_the_figure_out() -> None:
    arm = hk.data("poppy_arm")
    free = hk.plan.Drag(arm, "r_hand", q0=arm.rest)
    held = hk.plan.Drag(arm, "r_hand", q0=arm.rest, figure=arm)
    assert held.point == pytest.approx(free.point)
    chest = arm.fk(arm.rest, frame="chest")[:3, 3] + [0.0, 0.0, 0.05]
    blocked = []
    for share in np.linspace(0, 1, 40):
        step = held.to((1 - share) * free.point + share * chest)
        assert hk.Scene().free(arm, step.q)
        blocked.append(step.blocked)
    assert blocked[-1]
    assert not blocked[0]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(hk.NotFoundError, match="no link or frame is called 'elbow'"):
        hk.plan.Drag(FLAT, "elbow")
    with pytest.raises(hk.NotFoundError, match="frame of pins"):
        hk.plan.Drag(FLAT, "link_2", pins=["foot!"])
    with pytest.raises(hk.NotFoundError):
        hk.plan.Drag(FLAT, "link_2", mode="magic")
    with pytest.raises(hk.ArgumentError, match="q0 is outside the limits"):
        hk.plan.Drag(hk.data("ur5"), hk.data("ur5").frame_names[-1], q0=np.full(6, 50.0))
    drag = hk.plan.Drag(FLAT, "link_2", plane="xy")
    with pytest.raises(hk.ArgumentError, match=r"target must have shape .*2\)"):
        drag.to([0.0, 0.0, 0.0])


@pytest.mark.parametrize("far", [3.0, 100.0, 1e6, 1e300])
def test_a_far_target_stretches_the_figure_towards_it(far: float) -> None:
    drag = hk.plan.Drag(FLAT, "link_3", [0.2, 0, 0], q0=[0.3, 0.5, 0.4], plane="xy")
    for _ in range(8):
        step = drag.to([0.0, far])
    assert not step.converged
    np.testing.assert_allclose(drag.point, [0, 0.9], atol=0.05)
    assert drag.to([0.3, 0.5]).converged


def test_a_figure_is_dragged_as_drag_does_it() -> None:
    parts = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.2, 0, 0), 0.02) for k in (1, 2, 3)]
    figure = hk.Figure(FLAT, parts, pairs=[(0, 2)])
    q0, aim = [0.3, 0.5, 0.5], [0.45, 0.35]
    for mode in ("least change", "fabrik", "ccd"):
        hold = hk.plan.Drag(FLAT, "link_3", [0.1, 0, 0], q0=q0, plane="xy", mode=mode)
        step = figure.drag(("link_3", [0.1, 0, 0]), aim, q0=q0, plane="xy", mode=mode)
        np.testing.assert_array_equal(step.q, hold.to(aim).q)
        assert step.converged
    elbow = FLAT.fk(q0, frame="link_2")[:3, 3]
    pinned = figure.drag("link_3", [0.5, 0.4], q0=q0, plane="xy", pins=["link_2"])
    np.testing.assert_allclose(FLAT.fk(pinned.q, frame="link_2")[:3, 3], elbow, atol=1e-3)
    post = hk.Scene().add("post", hk.scene.Sphere(0.03), pose=([0.112, 0.1, 0.0], [1, 0, 0, 0]))
    free = figure.drag("link_3", [0.2, 0.55], q0=q0, plane="xy")
    kept = figure.drag("link_3", [0.2, 0.55], q0=q0, plane="xy", scene=post)
    assert not post.free(figure, free.q)
    assert kept.blocked
    assert post.free(figure, kept.q)
    assert np.array_equal(figure.drag("link_3", [0.1, 0.4], plane="xy").q.shape, (3,))


def test_a_drag_that_begins_in_contact_keeps_out_once_it_is_free() -> None:
    figure = hk.Figure(FLAT, [hk.Capsule("link_3", (0, 0, 0), (0.2, 0, 0), 0.02)], pairs=[])
    q0 = np.array([0.3, 0.5, 0.5])
    tip = FLAT.fk(q0, frame="link_3")[:3, 3]
    post = hk.Scene().add("post", hk.scene.Sphere(0.05), pose=(tip, [1, 0, 0, 0]))
    hold = hk.plan.Drag(FLAT, "link_3", q0=q0, plane="xy", scene=post, figure=figure)
    out = hold.to(tip[:2] + [0.0, -0.3])
    assert post.free(figure, out.q)
    assert not out.blocked
    back = hold.to(tip[:2])
    assert back.blocked
    assert post.free(figure, back.q)


def test_a_wrong_drag_of_a_figure_gets_a_sentence() -> None:
    figure = hk.Figure(FLAT, [hk.Capsule("link_1", (0, 0, 0), (0.4, 0, 0), 0.02)])
    with pytest.raises(hk.ArgumentError, match="a name or a pair"):
        figure.drag(3, [0.1, 0.1])  # type: ignore[arg-type]
    with pytest.raises(hk.NotFoundError, match="link or frame"):
        figure.drag("hand", [0.1, 0.1, 0.0])
