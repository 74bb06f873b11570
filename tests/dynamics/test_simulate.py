"""Simulated motion: energy, order of the method, known motions, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from dynamics_figures import TEXTBOOK, chain, random_motion, random_tree, rod

from handik import ArgumentError, Model, ModelError, UnsupportedError
from handik import chain as bare_chain
from handik.files.read import InertialSpec


def arm(name: str = "3R") -> Model:
    return chain(TEXTBOOK[name])


def test_a_rod_swings_with_the_known_period() -> None:
    """Small swings: T = 2 pi sqrt(I / (m g l)), to the second order in the amplitude."""
    model = chain([("revolute", (0, 1, 0), (0, 0, 0), rod(2.0, (0.0, 0.0, -0.5)))])
    inertia, amplitude = 0.02 + 2 * 0.25, 0.05
    period = 2 * np.pi * np.sqrt(inertia / (2 * 9.81 * 0.5)) * (1 + amplitude**2 / 16)
    run = model.simulate([amplitude], [0.0], [0.0, period / 4, period / 2, period], step=1e-3)
    np.testing.assert_allclose(run.q[:, 0], amplitude * np.array([1, 0, -1, 1]), atol=1e-6)


@pytest.mark.parametrize("name", TEXTBOOK)
def test_energy_is_kept_to_the_fourth_order(name: str) -> None:
    model = arm(name)
    q, v = np.linspace(0.3, 0.5, model.nv), np.linspace(1.0, 0.5, model.nv)
    coarse = model.simulate(q, v, 0.5, step=4e-3)
    fine = model.simulate(q, v, 0.5, step=2e-3)
    assert fine.energy_drift < 1e-6
    assert coarse.energy_drift > 10 * fine.energy_drift
    np.testing.assert_allclose(fine.work, 0, atol=1e-15)


def test_a_flying_tree_keeps_energy_and_momentum() -> None:
    """Balls and a free joint: quaternions stay of unit length, the centre of mass falls freely."""
    rng = np.random.default_rng(4)
    model = random_tree(rng, ["free", "ball", "revolute", "prismatic", "universal"])
    q, v, _ = random_motion(model, rng, 1)
    run = model.simulate(q[0], v[0], 0.3, step=1e-3)
    assert run.energy_drift < 1e-6 * np.abs(run.energy).max()
    for at in np.unique(model.step_q[model.step_kind == 2]):
        np.testing.assert_allclose(np.linalg.norm(run.q[:, at : at + 4], axis=1), 1, atol=1e-14)
    angular = model.momentum(run.q, run.v)[:, 3:]
    np.testing.assert_allclose(angular, angular[:1].repeat(len(angular), 0), atol=1e-7)
    center = model.center_of_mass(run.q)
    speed = model.momentum(q[0], v[0])[:3] / model.mass
    t = run.t[:, None]
    want = center[0] + t * speed + t**2 / 2 * np.array([0, 0, -9.81])
    np.testing.assert_allclose(center, want, atol=1e-8)


def test_work_of_torques_pushes_and_friction() -> None:
    """What is put in or taken out is accounted for."""
    rng = np.random.default_rng(5)
    model = random_tree(rng, ["revolute", "revolute", "ball", "prismatic"], motors=True, mimic=True)
    q, v, _ = random_motion(model, rng, 1)
    run = model.simulate(
        q[0],
        v[0],
        0.3,
        tau=lambda t, q, v: 2.0 * np.cos(t) - 0.1 * v,
        wrenches={"l1": [3, 1, 2, 0.1, 0.2, 0.3]},
        payload={"l2": 0.5},
        coulomb_width=0.1,
    )
    assert abs(run.work[-1]) > 1e-3
    assert run.energy_drift < 1e-6 * (np.abs(run.work).max() + np.abs(run.energy).max())


def test_figures_side_by_side() -> None:
    model = arm()
    rng = np.random.default_rng(1)
    q, v, _ = random_motion(model, rng, 6)
    together = model.simulate(q.reshape(2, 3, 3), v.reshape(2, 3, 3), 0.05, tau=[1.0, 0.0, 0.0])
    assert together.q.shape == (2, 3, 51, 3)
    assert together.energy.shape == (2, 3, 51)
    alone = model.simulate(q[4], v[4], 0.05, tau=[1.0, 0.0, 0.0])
    np.testing.assert_array_equal(together.q[1, 1], alone.q)
    np.testing.assert_array_equal(together.work[1, 1], alone.work)


def test_scipy_agrees_with_the_fixed_step() -> None:
    pytest.importorskip("scipy")
    model = arm()
    q, v = [0.3, 0.2, 0.1], [0.0, 1.0, 2.0]
    fixed = model.simulate(q, v, np.linspace(0, 0.5, 11), step=5e-4)
    other = model.simulate(
        q, v, np.linspace(0, 0.5, 11), method="solve_ivp", rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(other.q, fixed.q, atol=1e-8)
    assert other.energy_drift < 1e-7
    assert model.simulate(q, v, [0.0], method="solve_ivp").q.shape == (1, 3)
    with pytest.raises(UnsupportedError, match="one model"):
        model.simulate([q, q], v, 1.0, method="solve_ivp")


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    with pytest.raises(ImportError, match=r"handik\[simulate\]"):
        arm().simulate([0.0] * 3, [0.0] * 3, 0.1, method="solve_ivp")


def test_a_run_says_its_drift() -> None:
    run = arm("2R").simulate([0.3, 0.2], [0.0, 0.0], 0.1, step=0.01)
    assert repr(run) == (
        f"Simulation: 11 times from 0 to 0.1 s, energy drift {run.energy_drift:.2g} J"
    )
    assert 0 < run.energy_drift < 1e-5


def test_times() -> None:
    model = arm("2R")
    zero = [0.0, 0.0]
    run = model.simulate(zero, zero, 0.0105, step=1e-3)
    assert len(run.t) == 12
    assert run.t[-1] == 0.0105
    assert len(model.simulate(zero, zero, 0.0).t) == 2
    uneven = model.simulate(zero, zero, [0.0, 0.0031, 0.01], step=1e-3)
    np.testing.assert_allclose(uneven.q[-1], model.simulate(zero, zero, 0.01).q[-1], atol=1e-9)
    cases = [
        ({"t": 1.0, "step": 0.0}, "step must be positive"),
        ({"t": -1.0}, "t must be 0 s or more"),
        ({"t": np.nan}, "t must be 0 s or more"),
        ({"t": 1e9}, "more than 10000000 steps"),
        ({"t": [0.0, 1e9]}, "more than 10000000 steps"),
        ({"t": [0.0, 0.0]}, "must rise"),
        ({"t": "long"}, "regular array|a number or a list"),
        ({"t": [[0.0]]}, "regular array|a number or a list"),
        (
            {"t": 0.1, "tau": lambda t, q, v: [1.0, 2.0, 3.0]},
            r"must return shape \(2,\), got \(3,\)",
        ),
    ]
    for options, text in cases:
        with pytest.raises(ArgumentError, match=text):
            model.simulate(zero, zero, **options)
    with pytest.raises(ArgumentError, match="finite"):
        model.simulate([np.nan, 0.0], zero, 0.1)
    with pytest.raises(UnsupportedError, match="solver must be one of RK23"):
        model.simulate(zero, zero, 0.1, method="solve_ivp", solver="euler")
    with pytest.raises(UnsupportedError, match="'euler'"):
        model.simulate(zero, zero, 0.1, method="euler")
    with pytest.raises(ModelError, match="moves nothing"):
        bare_chain([1.0]).simulate([0.0], [0.0], 0.1)


def test_coulomb_friction_brings_to_rest() -> None:
    rng = np.random.default_rng(2)
    model = random_tree(rng, ["revolute"], motors=True)
    run = model.simulate([0.2], [1.0], 1.0, gravity=(0, 0, 0))
    assert abs(run.v[-1, 0]) < 1e-3
    assert run.work[-1] < 0
    assert isinstance(model.spec.links[1].inertial, InertialSpec)


def test_no_figures_at_all_are_simulated_too() -> None:
    model = bare_chain([0.3, 0.3])
    found = model.simulate(
        np.zeros((0, model.nq)), np.zeros((0, model.nv)), 0.01, payload={model.tip: 1.0}
    )
    assert found.q.shape == (0, 11, model.nq)
    assert found.energy.shape == (0, 11)


def test_what_overflows_has_the_same_bytes_alone() -> None:
    """NumPy gave NaN either sign, by the length of its rows."""
    rng = np.random.default_rng(4)
    model = random_tree(rng, ["free", "ball", "revolute", "prismatic", "universal"])
    q, v, _ = random_motion(model, rng, 9)
    v[3] = 1e300
    v[5, ::2] = -1e200
    runs = [model.simulate(q[k], v[k], 4e-3, step=2e-3) for k in range(9)]
    whole = model.simulate(q, v, 4e-3, step=2e-3)
    assert np.isnan(whole.v[3]).any()
    for name in ("q", "v", "energy", "work"):
        assert getattr(whole, name).tobytes() == b"".join(getattr(r, name).tobytes() for r in runs)
        x = getattr(whole, name)
        assert not np.signbit(x[np.isnan(x)]).any()
