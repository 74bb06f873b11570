"""Cones by tangents, q_j = S tan(theta_j): on the thesis's ellipse, inside it, and kept by all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.errors import ArgumentError, ModelError
from handik.result.margins import limits, margins
from handik.solve.network._outputs import Outputs
from handik.spec.limits import swing_direction

FOUR = np.radians([70, 40, 25, 60])
halves = st.lists(st.floats(0.05, 1.5), min_size=4, max_size=4)


def excess(d, half):
    """The thesis's ellipse at the distance 1: above 1 is outside; infinite behind the plane."""
    d = np.asarray(d)
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = d[..., 0] / d[..., 2], d[..., 1] / d[..., 2]
    q = np.tan(np.broadcast_to(half, 4))
    a, b = np.where(x >= 0, q[0], q[2]), np.where(y >= 0, q[1], q[3])
    return np.where(d[..., 2] > 0, (x / a) ** 2 + (y / b) ** 2, np.inf)


def arm(room, joints=4):
    spec = hk.chain(np.full(joints, 1 / joints), "ball").spec.copy()
    for joint in spec.joints:
        if joint.kind == "ball":
            joint.cone, joint.axis2 = room, (0.0, 1.0, 0.0)
    return hk.Model(spec)


def bones(model, q):
    """Directions of the bones in the axes of their joints: x is axis2, z the bone at rest."""
    out = []
    for joint in model.spec.joints:
        if joint.kind == "ball":
            w = np.atleast_2d(q)[:, model.joint_q_slices[joint.name]]
            turn = hk.transforms.from_quaternion(w)[:, :3, :3]
            z, x = np.asarray(joint.axis, float), np.asarray(joint.axis2, float)
            z = z / np.linalg.norm(z)
            x = x - (x @ z) * z
            x /= np.linalg.norm(x)
            frame = np.stack([x, np.cross(z, x), z])
            out.append((turn @ z) @ frame.T)
    return np.array(out)


@settings(max_examples=60, deadline=None)
@given(halves, st.sampled_from([8, 64, 128, 2048]))
def test_corners_stand_on_the_ellipse(half, corners):
    room = hk.ReachCone.from_tangents(half, corners=corners)
    np.testing.assert_allclose(excess(room.directions(), half), 1, rtol=1e-9)
    assert len(room.corners) == corners
    quarter = room.directions()[:: corners // 4]  # the four axes themselves
    np.testing.assert_allclose(np.arccos(quarter[:, 2]), half, atol=1e-9)


def gaps(half, corners, count=3001):
    """How far points of the cone's edge are outside the polygon, radians."""
    phi = np.linspace(0, 2 * np.pi, count)
    q = np.tan(half)
    a, b = np.where(np.cos(phi) >= 0, q[0], q[2]), np.where(np.sin(phi) >= 0, q[1], q[3])
    edge = np.stack([a * np.cos(phi), b * np.sin(phi), np.ones_like(phi)], axis=1)
    edge /= np.linalg.norm(edge, axis=1, keepdims=True)
    return hk.ReachCone.from_tangents(half, corners=corners).distance(edge)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(1e-3, 1.5707), min_size=4, max_size=4), st.sampled_from([8, 64, 128]))
def test_the_polygon_is_inside_by_little(half, corners):
    """Never outside, and inside by no more than the circle of 45 degrees, whatever the angles.

    The chords of an ellipse hold it shrunk by c = cos(pi / n): the tangent r of a swing becomes no
    less than c r, which turns it by atan((1 - c) r / (1 + c r^2)) at most.
    """
    c = np.cos(np.pi / corners)
    gap = gaps(half, corners, 401)
    assert gap.min() > -1e-11
    assert gap.max() <= np.arctan((1 - c) / (2 * np.sqrt(c))) + 1e-11


@pytest.mark.parametrize(("corners", "degrees"), [(128, 0.0087), (64, 0.035)])
def test_how_much_the_polygon_lacks(corners, degrees):
    """The numbers of docs/limits.md, which the circle of 45 degrees comes to."""
    assert 0.98 * degrees < np.degrees(gaps([np.pi / 4] * 4, corners).max()) < degrees


def test_a_cone_says_its_shape(tmp_path):
    """`Cone(shape="tangent")` is that polygon for all that keeps limits, and stays a cone."""
    cone = hk.Cone(tuple(FOUR.tolist()), (-0.4, 0.7), shape="tangent")
    room = hk.ReachCone.from_tangents(FOUR, (-0.4, 0.7))
    model, other = arm(cone), arm(room)
    assert model.ball_limits["joint_1"] == cone
    q = hk.chain(np.full(4, 0.25), "ball").sample(20, seed=2)
    np.testing.assert_array_equal(model.clip(q), other.clip(q))
    np.testing.assert_array_equal(model.sample(20, seed=3), other.sample(20, seed=3))
    for solver in ("auto", "fabrik", "ccd"):
        goals = other.fk(other.sample(5, seed=6))[:, :3, 3]
        a, b = (m.solve(position=goals, solver=solver) for m in (model, other))
        np.testing.assert_array_equal(a.q, b.q)
    assert limits(model) == limits(other)
    np.testing.assert_array_equal(margins(model, q), margins(other, q))
    model.save(tmp_path / "arm.toml")
    again = hk.load(tmp_path / "arm.toml")
    assert again.ball_limits["joint_1"] == cone
    np.testing.assert_array_equal(again.clip(q), model.clip(q))
    assert hk.Cone(1.0) == hk.Cone(1.0, shape="angle")
    assert excess(bones(model, model.clip(q)), FOUR).max() <= 1 + 1e-9
    assert excess(bones(model, arm(hk.Cone(FOUR.tolist())).clip(q)), FOUR).max() > 1.01


def test_shapes_that_there_are_not():
    with pytest.raises(ModelError, match=r"joint_1.*one of \('angle', 'tangent'\), got 'round'"):
        arm(hk.Cone(1.0, shape="round"))
    with pytest.raises(ModelError, match=r"joint_1.*half angle 0 .* between 0 and 90 degrees"):
        arm(hk.Cone(2.0, shape="tangent"))


@pytest.mark.parametrize(
    "half",
    [3e-6, 1e-5, [1e-6, 1, 1e-6, 1], [1e-4, 1.57, 1.57, 1.57], [0.35, np.pi / 2 - 1e-9, 0.3, 1e-5]],
)
def test_narrow_and_wide_half_axes_make_a_model(half):
    """Corners that a model would take for one are left out; draws of a thin room end."""
    cone = hk.Cone(half, shape="tangent")
    model = arm(cone, 1)
    went = bones(model, model.clip(hk.chain([1.0], "ball").sample(100, seed=1)))[0]
    assert excess(went, half).max() <= 1 + 1e-6
    q = model.sample(3, seed=1)
    np.testing.assert_allclose(model.clip(q), q, atol=1e-12)
    assert hk.ReachCone.from_tangents(half).distance(bones(model, q)[0]).max() < 1e-12


@pytest.mark.parametrize("half", [1e-6, 1e-300])
def test_a_cone_without_width_is_refused_in_a_sentence(half):
    with pytest.raises(ModelError, match="too narrow for a cone by tangents"):
        hk.ReachCone.from_tangents(half)
    assert arm(hk.Cone(half)).nq  # as an ellipse in angles it is one


def test_a_tangent_cone_is_drawn_and_learned():
    model = arm(hk.Cone(FOUR.tolist(), (-0.4, 0.7), shape="tangent"))
    pytest.importorskip("matplotlib").use("Agg")
    assert hk.plot.joint_limits(model, "joint_1") is not None
    parts = Outputs(model, model.tip).parts
    assert {part.kind for part in parts} == {"quaternion"}  # as of a polygon


@pytest.mark.parametrize(
    ("a", "b", "apart"), [(40, 20, 0.04), (60, 30, 0.40), (80, 40, 2.6), (85, 20, 5.1)]
)
def test_how_far_angles_and_tangents_are_apart(a, b, apart):
    """The table of docs/limits.md."""
    azimuth = np.linspace(0, np.pi / 2, 20001)
    a, b = np.radians([a, b])
    c, s = np.cos(azimuth), np.sin(azimuth)
    angles = 1 / np.hypot(c / a, s / b)
    tangents = np.arctan(1 / np.hypot(c / np.tan(a), s / np.tan(b)))
    assert (tangents <= angles + 1e-12).all()
    assert np.degrees((angles - tangents).max()) == pytest.approx(apart, rel=0.06)
    cone, room = (f([a, b, a, b]) for f in (hk.Cone, hk.ReachCone.from_tangents))
    at = (angles - tangents).argmax()
    middle = 0.5 * (angles[at] + tangents[at]) * np.array([c[at], s[at]])
    assert room.distance(swing_direction(middle)) > 0  # outside the one, inside the other
    assert np.hypot(middle[0] / cone.half[0], middle[1] / cone.half[1]) < 1


def test_sample_and_clip_keep_to_it():
    model = arm(hk.ReachCone.from_tangents(FOUR, (-0.4, 0.7)))
    free = hk.chain(np.full(4, 0.25), "ball")
    for q in (model.sample(300, seed=1), model.clip(free.sample(300, seed=2))):
        assert excess(bones(model, q), FOUR).max() <= 1 + 1e-9
    inside = model.sample(50, seed=3)
    np.testing.assert_allclose(model.clip(inside), inside, atol=1e-12)


def test_clip_goes_to_the_nearest_direction():
    model = arm(hk.ReachCone.from_tangents(FOUR, corners=2048), 1)
    q = hk.chain([1.0], "ball").sample(60, seed=4)
    went, came = bones(model, model.clip(q))[0], bones(model, q)[0]
    t = np.linspace(0, 2 * np.pi, 40001)
    tan = np.tan(FOUR)
    a, b = np.where(np.cos(t) >= 0, tan[0], tan[2]), np.where(np.sin(t) >= 0, tan[1], tan[3])
    edge = np.stack([a * np.cos(t), b * np.sin(t), np.ones_like(t)], axis=1)
    edge /= np.linalg.norm(edge, axis=1, keepdims=True)
    outside = excess(came, FOUR) > 1
    assert outside.sum() > 20
    best = np.arccos(np.clip((came[outside] @ edge.T).max(axis=1), -1, 1))
    mine = np.arccos(np.clip((came * went).sum(axis=1), -1, 1))[outside]
    np.testing.assert_allclose(mine, best, atol=2e-4)


@pytest.mark.parametrize(
    "solver", ["fabrik", "fabrik_fast", "ccd", "dls", "lm", "auto", "particle_filter", "memetic"]
)
def test_every_kind_of_solver_keeps_it(solver):
    model = arm(hk.ReachCone.from_tangents(FOUR, (-0.5, 0.5)))
    goals = model.fk(model.sample(15, seed=6))[:, :3, 3]
    found = model.solve(position=goals, solver=solver, retries=3)
    assert found.converged.mean() > 0.8
    assert excess(bones(model, found.q), FOUR).max() <= 1 + 1e-9


def test_a_file_keeps_it(tmp_path):
    model = arm(hk.ReachCone.from_tangents(FOUR, (-0.5, 0.5), corners=16))
    model.save(tmp_path / "arm.toml")
    again = hk.load(tmp_path / "arm.toml")
    q = hk.chain(np.full(4, 0.25), "ball").sample(20, seed=5)
    np.testing.assert_allclose(again.clip(q), model.clip(q), atol=1e-12)


@pytest.mark.parametrize("angle", [90, 91, 180, 0, -5, np.nan])
def test_half_angles_are_below_ninety_degrees(angle):
    with pytest.raises(ModelError, match=r"half angle 2 .* between 0 and 90 degrees, got .*Cone"):
        hk.ReachCone.from_tangents(np.radians([60, 30, angle, 20]))
    assert hk.ReachCone.from_tangents(np.radians(89.99)).corners


@pytest.mark.parametrize("half", [[0.1, 0.2], [], [[0.1] * 4], np.zeros((4, 1))])
def test_one_or_four_half_angles(half):
    with pytest.raises(ModelError, match="1 or 4 half angles"):
        hk.ReachCone.from_tangents(half)


@pytest.mark.parametrize("corners", [4, 7, 10, 2052, 0])
def test_how_many_corners(corners):
    with pytest.raises(ArgumentError, match="corners must be"):
        hk.ReachCone.from_tangents(0.5, corners=corners)
