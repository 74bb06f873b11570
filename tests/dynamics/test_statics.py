"""Held loads and reachable forces."""

from __future__ import annotations

import numpy as np
import pytest
from dynamics_figures import TEXTBOOK, UP, chain, random_tree, rod

from handik import ArgumentError, Model, NotFoundError
from handik.model.dynamics.statics import static_torques, strength_share, torque_limits


def level_arm() -> Model:
    """Two links of 0.4 m lying along x, weights in their middles, hand at 0.8 m."""
    rows = [(UP, (0, 0, 0)), (UP, (0.4, 0, 0))]
    model = chain([("revolute", axis, at, rod(1.5)) for axis, at in rows])
    spec = model.spec
    from handik.files.read import FrameSpec

    grip = np.eye(4)
    grip[0, 3] = 0.4
    spec.frames.append(FrameSpec("hand", "l1", grip))
    spec.tip = "hand"
    return Model(spec)


def test_a_load_held_level() -> None:
    model, g = level_arm(), 9.81
    want = g * np.array([1.5 * 0.2 + 1.5 * 0.6 + 2 * 0.8, 1.5 * 0.2 + 2 * 0.4])
    np.testing.assert_allclose(model.static_torques([0, 0], {"hand": 2.0}), want, rtol=1e-14)
    as_wrench = model.static_torques([0, 0], {"hand": [0, 0, -2 * g, 0, 0, 0]})
    np.testing.assert_allclose(as_wrench, want, rtol=1e-14)
    rows = np.zeros((3, 2))
    assert static_torques(model, rows, {"hand": 2.0}, payload={"l0": 1.0}).shape == (3, 2)
    share = strength_share(model, [0, 0], {"hand": 2.0}, {"j0": 2 * want[0]})
    np.testing.assert_allclose(share, [0.5, 0.0])
    np.testing.assert_array_equal(
        strength_share(model, [np.pi / 2, 0], {}, [[-1, -1], [0, 0]], gravity=(-1, 0, 0)) > 0, True
    )


@pytest.mark.parametrize("none", [0.0, -0.0])
def test_no_strength_is_exceeded_whatever_the_sign_of_its_zero(none: float) -> None:
    model = level_arm()
    flat = strength_share(model, [0, 0], {}, [[-99, -99], [none, none]])
    turned = strength_share(model, [np.pi, 0], {}, [[none, none], [99, 99]])
    assert np.isposinf(flat).all()
    assert np.isposinf(turned).all()


def test_reachable_force_level() -> None:
    model, g = level_arm(), 9.81
    weight = g * np.array([1.5 * 0.8, 1.5 * 0.2])
    up = model.reachable_force([0, 0], "hand", (0, 0, 2), [40.0, 10.0])
    assert up.force == pytest.approx((10 - weight[1]) / 0.4)
    assert up.joint == "j1"
    assert up.holds is True
    down = model.reachable_force([0, 0], None, (0, 0, -1), [40.0, 10.0])
    assert down.force == pytest.approx((10 + weight[1]) / 0.4)
    assert down.joint == "j1"
    # straight out: no torque bears it
    out = model.reachable_force([0, 0], "hand", (1, 0, 0), [40.0, 10.0])
    assert out.force == np.inf
    assert out.joint is None
    assert np.isnan(out.tau).all()


def test_a_figure_too_weak() -> None:
    model = level_arm()
    weak = model.reachable_force([0, 0], "hand", (0, 0, 1), [1.0, 1.0])
    assert weak.force == 0
    assert weak.holds is False
    # pressing down on a table carries part of its own weight
    lean = model.reachable_force([0, 0], "hand", (0, 0, -1), [5.0, 3.0])
    assert lean.holds is False
    assert 0 < lean.force < np.inf
    assert np.all(np.abs(lean.tau) <= np.array([5.0, 3.0]) * (1 + 1e-12))


@pytest.mark.parametrize("seed", range(3))
def test_the_limit_is_tight(seed: int) -> None:
    """At the force some torque is at its limit and none beyond; a little more breaks one."""
    rng = np.random.default_rng(seed)
    model = random_tree(rng, ["revolute", "prismatic", "ball", "revolute", "revolute"], mimic=True)
    limits = np.full(model.nv, 200.0)
    q, d = model.sample(4, seed=seed), rng.normal(size=3)
    frame = model.frame_names[-1]
    found = model.reachable_force(q, frame, d, limits)
    assert found.force.shape == (4,)
    assert found.holds.all()
    for i in range(4):
        push = np.concatenate([-found.force[i] * d / np.linalg.norm(d), np.zeros(3)])
        tau = model.static_torques(q[i], {frame: push})
        np.testing.assert_allclose(tau, found.tau[i], atol=1e-8)
        assert np.abs(tau).max() == pytest.approx(200, rel=1e-9)
        at = int(np.abs(tau).argmax())
        owner = [
            name
            for name, v, mimic in zip(
                model.joint_names, model.joint_v, model.joint_mimic, strict=True
            )
            if mimic < 0 and v <= at
        ][-1]
        assert found.joint[i] == owner


def test_limits_from_the_file() -> None:
    model = level_arm()
    spec = model.spec
    spec.joints[0].effort = 30.0
    np.testing.assert_array_equal(torque_limits(Model(spec)), [[-30, -np.inf], [30, np.inf]])
    np.testing.assert_array_equal(torque_limits(model), [[-np.inf] * 2, [np.inf] * 2])


def test_refused() -> None:
    model = level_arm()
    cases = [
        (ArgumentError, "direction", lambda: model.reachable_force([0, 0], "hand", (0, 0, 0))),
        (ArgumentError, "direction", lambda: model.reachable_force([0, 0], "hand", (0, 1))),
        (ArgumentError, "torque limits must have shape", lambda: torque_limits(model, [1.0])),
        (ArgumentError, "torque limit is NaN", lambda: torque_limits(model, [1.0, np.nan])),
        (ArgumentError, "torque limit is NaN, negative", lambda: torque_limits(model, [1.0, -1])),
        (NotFoundError, "j9", lambda: torque_limits(model, {"j9": 1.0})),
        (NotFoundError, "foot", lambda: model.reachable_force([0, 0], "foot")),
        (ArgumentError, "mass >= 0", lambda: model.static_torques([0, 0], {"hand": -1.0})),
        (NotFoundError, "foot", lambda: model.static_torques([0, 0], {"foot": 1.0})),
        (ArgumentError, "mass >= 0", lambda: model.static_torques([0, 0], {"hand": np.inf})),
        (TypeError, "'hand' must be a number", lambda: model.static_torques([0, 0], {"hand": "a"})),
        (TypeError, "loads must be a dict", lambda: model.static_torques([0, 0], [2.0])),
        (
            ArgumentError,
            "gravity",
            lambda: model.static_torques([0, 0], {"hand": 1.0}, gravity=(0, 1)),
        ),
        (ArgumentError, "direction", lambda: model.reachable_force([0, 0], "hand", "up")),
        (ArgumentError, "regular array of real numbers", lambda: torque_limits(model, "strong")),
        (ArgumentError, "negative", lambda: torque_limits(model, {"j0": -1.0})),
        (TypeError, "'j0' must be a number", lambda: torque_limits(model, {"j0": "strong"})),
    ]
    for error, text, call in cases:
        with pytest.raises(error, match=text):
            call()
    assert chain(TEXTBOOK["2R"]).nv == 2
