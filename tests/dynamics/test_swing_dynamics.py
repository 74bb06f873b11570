"""Dynamics of joints that follow the swing of a ball, against virtual work by differences."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.spec import InertialSpec, MimicSpec, MotorSpec

GRAVITY = np.array([0.0, 0.0, -9.81])
H = 1e-4


def shifted(*place: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = place
    return out


def arm(motor: bool = False) -> hk.Model:
    rng = np.random.default_rng(3)
    rows = [
        ("spine", "revolute", (0, 0, 0.3), (0, 1, 0), False),
        ("clavicle", "revolute", (0, 0.05, 0.2), (0, 0, 1), True),
        ("rise", "prismatic", (0, 0.1, 0), (0, 0.6, 0.8), True),
        ("shoulder", "ball", (0, 0.03, 0), (0.1, 0, -1), False),
        ("carry", "revolute", (0, 0, -0.3), (1, 0.3, 0), True),
    ]
    joints, links = [], [hk.LinkSpec("base")]
    for name, kind, at, axis, follows in rows:
        mimic = hk.SwingMimicSpec("shoulder", 0.3 * rng.normal(size=20)) if follows else None
        joints.append(
            hk.JointSpec(
                name, kind, links[-1].name, f"{name}_link", shifted(*at), axis, mimic=mimic
            )
        )
        spread = rng.normal(size=(3, 3))
        body = InertialSpec(1.0 + rng.random(), 0.1 * rng.normal(size=3), spread @ spread.T)
        links.append(hk.LinkSpec(f"{name}_link", body))
    if motor:
        joints[2].motor = MotorSpec(inertia=0.7, gear=2.0, viscous=0.4)
    return hk.Model(hk.ModelSpec("arm", links, joints))


def spin(before: np.ndarray, after: np.ndarray, seconds: float) -> np.ndarray:
    r = after[:3, :3] @ before[:3, :3].T
    out: np.ndarray = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return out / (2 * seconds)


def by_virtual_work(model: hk.Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Torques from accelerations of the bodies, which are second differences of poses."""
    tau = np.zeros(model.nv)
    for link in model.spec.links[1:]:
        body = link.inertial
        assert body is not None
        times = (-H, 0.0, H)
        poses = [
            model.fk(model.integrate(q, v * t + a * t * t / 2), frame=link.name) for t in times
        ]
        at = [(pose @ np.r_[body.center, 1])[:3] for pose in poses]
        force = body.mass * ((at[2] - 2 * at[1] + at[0]) / H**2 - GRAVITY)
        turn = poses[1][:3, :3]
        inertia, w = turn @ body.inertia @ turn.T, spin(poses[0], poses[2], 2 * H)
        gain = (spin(poses[1], poses[2], H) - spin(poses[0], poses[1], H)) / H
        moment = inertia @ gain + np.cross(w, inertia @ w)
        jac = model.jacobian(q, frame=link.name)
        move = jac[:3] + np.cross(jac[3:].T, turn @ body.center).T
        tau += move.T @ force + jac[3:].T @ moment
    return tau


def test_inverse_dynamics_by_virtual_work() -> None:
    model, rng = arm(), np.random.default_rng(1)
    q = model.sample(12, seed=1)
    v, a = rng.normal(size=(2, 12, model.nv))
    tau = model.inverse_dynamics(q, v, a)
    wanted = np.stack([by_virtual_work(model, *row) for row in zip(q, v, a, strict=True)])
    assert np.abs(tau - wanted).max() < 1e-6 * np.abs(tau).max() + 1e-4
    assert np.abs(model.forward_dynamics(q, v, tau) - a).max() < 1e-9
    mass, still = model.mass_matrix(q), model.inverse_dynamics(q, v)
    assert np.abs(np.einsum("nij,nj->ni", mass, a) + still - tau).max() < 1e-11
    assert (model.inverse_dynamics(q, v, a, threads=3) == tau).all()


def test_a_follower_s_drive_is_felt_at_the_ball() -> None:
    model, plain, rng = arm(motor=True), arm(), np.random.default_rng(2)
    q, v = model.sample(seed=2), rng.normal(size=model.nv)
    a = rng.normal(size=model.nv)
    step = int(np.flatnonzero(np.asarray(model.step_motor)[:, 0])[0])
    mimic = model.spec.joints[2].mimic
    assert isinstance(mimic, hk.SwingMimicSpec)
    bone = np.array([0.1, 0, -1]) / np.linalg.norm([0.1, 0, -1])

    def value(t: float) -> float:
        w, x, y, z = model.integrate(q, v * t + a * t * t / 2)[model.joint_q_slices["shoulder"]]
        u = np.array([x, y, z])
        return float(
            mimic.value(bone + 2 * w * np.cross(u, bone) + 2 * np.cross(u, np.cross(u, bone)))
        )

    rate, gain = (value(H) - value(-H)) / (2 * H), (value(H) - 2 * value(0) + value(-H)) / H**2
    inertia, viscous = model.step_motor[step, :2]
    extra = model.inverse_dynamics(q, v, a) - plain.inverse_dynamics(q, v, a)
    # its power is that of the drive
    assert extra @ v == pytest.approx((inertia * gain + viscous * rate) * rate, rel=1e-5)
    with pytest.raises(hk.UnsupportedError, match="friction of 'rise'"):
        model.simulate(q, v, 0.01)


def test_energy_is_kept() -> None:
    model, rng = arm(), np.random.default_rng(4)
    q, v = model.sample(seed=5), 0.5 * rng.normal(size=model.nv)
    run = model.simulate(q, v, 0.2)
    energy = model.kinetic_energy(run.q, run.v) + model.potential_energy(run.q)
    assert np.ptp(energy) < 1e-4 * np.abs(energy).max()


def test_a_follower_without_mass_is_no_unknown() -> None:
    """Clavicles and shoulder blades of people weigh nothing of their own."""
    person = hk.human("male", detail="full")
    model, rng = person.model, np.random.default_rng(6)
    q = model.sample(5, seed=6)
    v, a = rng.normal(size=(2, 5, model.nv))
    there = model.forward_dynamics(q, v, model.inverse_dynamics(q, v, a))
    assert np.abs(there - a).max() < 1e-8
    run = model.simulate(q[0], v[0], 0.002)
    assert np.isfinite(run.q).all()


def fingers(loads: tuple[bool, bool], ball: bool = False) -> hk.Model:
    """Two branches, the second of which follows the first, with and without mass."""
    kind, mimic = ("ball", hk.SwingMimicSpec("first", np.ones(20))) if ball else ("revolute", None)
    joints, links = [], [hk.LinkSpec("base")]
    for name, loaded in zip(("first", "second"), loads, strict=True):
        follows = None if name == "first" else mimic or MimicSpec("first", 0.5)
        joints.append(
            hk.JointSpec(
                name,
                kind if name == "first" else "revolute",
                "base",
                name + "_link",
                axis=(0, 1, 0),
                mimic=follows,
            )
        )
        body = InertialSpec(1.0, [0.1, 0.2, 0.3], np.eye(3)) if loaded else None
        links.append(hk.LinkSpec(name + "_link", body))
    return hk.Model(hk.ModelSpec("fingers", links, joints))


@pytest.mark.parametrize("ball", [False, True])
def test_what_follows_needs_no_mass_where_what_leads_has_some(ball: bool) -> None:
    model = fingers((True, False), ball)
    a = np.arange(1.0, model.nv + 1)
    q = model.sample(seed=1)
    tau = model.inverse_dynamics(q, None, a)
    np.testing.assert_allclose(model.forward_dynamics(q, None, tau), a, atol=1e-9)


def test_what_leads_needs_no_mass_where_a_hinge_that_follows_it_has_some() -> None:
    model = fingers((False, True))
    tau = model.inverse_dynamics([0.3], None, [2.0])
    np.testing.assert_allclose(model.forward_dynamics([0.3], None, tau), [2.0], atol=1e-9)


def test_a_ball_of_which_a_follower_alone_has_mass_turns_about_itself_freely() -> None:
    model = fingers((False, True), ball=True)
    with pytest.raises(hk.ModelError, match="joint 'first' moves nothing that has mass"):
        model.forward_dynamics(model.rest)
