"""The dynamics against the twin, Lagrange by differences, and their own identities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dynamics_figures import KINDS, body, random_motion, random_tree, rod
from dynamics_figures import chain as heavy_chain

import handik as hk
from handik import ArgumentError, Model, ModelError, NotFoundError
from handik.files.read import JointSpec, LinkSpec, ModelSpec
from handik.study.twins import dynamics as twin

SEEDS = range(4)
Array = np.ndarray


def tree(seed: int, **options) -> tuple[Model, np.random.Generator]:
    rng = np.random.default_rng(seed)
    kinds = ["free", *rng.choice(KINDS, 7), "revolute", "ball", "prismatic"]
    return random_tree(rng, [str(kind) for kind in kinds], **options), rng


@pytest.mark.parametrize("mimic", [False, True], ids=["", "mimic"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_twin_agrees(seed: int, mimic: bool) -> None:
    model, rng = tree(seed, mimic=mimic)
    for q, v, a in zip(*random_motion(model, rng, 3), strict=True):
        gravity = rng.normal(size=3)
        tau = model.inverse_dynamics(q, v, a, gravity=gravity)
        np.testing.assert_allclose(tau, twin.inverse_dynamics(model, q, v, a, gravity), atol=1e-11)
        M = model.mass_matrix(q)
        np.testing.assert_allclose(M, twin.mass_matrix(model, q, model.nv), atol=1e-12)
        assert model.kinetic_energy(q, v) == pytest.approx(
            twin.kinetic_energy(model, q, v), rel=1e-12
        )
        assert model.kinetic_energy(q, v) == pytest.approx(v @ M @ v / 2, rel=1e-12)
        potential = twin.potential_energy(model, q, gravity)
        assert model.potential_energy(q, gravity=gravity) == pytest.approx(potential, rel=1e-11)


def lagrange_by_differences(model: Model, q: Array, v: Array, a: Array) -> Array:
    """d/dt dL/dv - dL/dq with L from the twin's energies; p = M v is taken along the motion."""
    h = 1e-5

    def momentum(t: float) -> np.ndarray:
        at, speed = q + t * v + t * t / 2 * a, v + t * a
        steps = np.eye(model.nv)  # T is quadratic in v, so central differences are exact
        up = [twin.kinetic_energy(model, at, speed + e) for e in steps]
        down = [twin.kinetic_energy(model, at, speed - e) for e in steps]
        return (np.array(up) - np.array(down)) / 2

    def lagrangian(at: np.ndarray) -> float:
        return twin.kinetic_energy(model, at, v) - twin.potential_energy(model, at)

    rate = (momentum(h) - momentum(-h)) / (2 * h)
    slope = [(lagrangian(q + h * e) - lagrangian(q - h * e)) / (2 * h) for e in np.eye(model.nv)]
    return rate - np.array(slope)


@pytest.mark.parametrize("seed", SEEDS)
def test_torques_are_those_of_lagrange(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(["revolute", "prismatic"], 6)]
    model = random_tree(rng, kinds)
    for q, v, a in zip(*random_motion(model, rng, 2), strict=True):
        want = lagrange_by_differences(model, q, v, a)
        scale = np.abs(want).max()
        np.testing.assert_allclose(model.inverse_dynamics(q, v, a), want, atol=1e-7 * scale)


@pytest.mark.parametrize("motors", [False, True], ids=["", "motors"])
@pytest.mark.parametrize("mimic", [False, True], ids=["", "mimic"])
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_undoes_inverse(seed: int, mimic: bool, motors: bool) -> None:
    model, rng = tree(seed, mimic=mimic, motors=motors)
    q, v, a = random_motion(model, rng, 5)
    loads = {
        "wrenches": {"l3": rng.normal(size=6), "l7": rng.normal(size=(5, 6)), "world": np.ones(6)},
        "payload": {"l2": 1.5, "l5": (0.7, [0.1, 0, 0.2]), "l1": body(rng)},
        "gravity": (1.0, -2.0, 3.0),
        "coulomb_width": 0.01,
    }
    tau = model.inverse_dynamics(q, v, a, **loads)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau, **loads), a, atol=1e-8)
    bias = model.inverse_dynamics(q, v, **loads)
    M = model.mass_matrix(q, payload=loads["payload"])
    np.testing.assert_allclose(np.einsum("nij,nj->ni", M, a) + bias, tau, atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_torque_is_bias_plus_gravity_plus_inertia(seed: int) -> None:
    model, rng = tree(seed)
    for q, v, a in zip(*random_motion(model, rng, 2), strict=True):
        parts = model.mass_matrix(q) @ a + model.coriolis_torque(q, v) + model.gravity_torque(q)
        np.testing.assert_allclose(model.inverse_dynamics(q, v, a), parts, atol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_wrenches_act_through_the_jacobian(seed: int) -> None:
    model, rng = tree(seed, mimic=True)
    q, v, a = random_motion(model, rng, 1)
    wrench = rng.normal(size=6)
    got = model.inverse_dynamics(q[0], v[0], a[0], wrenches={"l6": wrench})
    want = model.inverse_dynamics(q[0], v[0], a[0]) - model.jacobian(q[0], frame="l6").T @ wrench
    np.testing.assert_allclose(got, want, atol=1e-11)
    np.testing.assert_array_equal(
        got,
        model.inverse_dynamics(q[0], v[0], a[0], wrenches={model.frame_names.index("l6"): wrench}),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_payload_is_a_body_of_the_link(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_tree(rng, ["free", "revolute", "ball", "prismatic"])
    spec, load = model.spec, body(rng)
    placement = np.eye(4)
    placement[:3, 3] = 0.1, 0.2, 0.3
    spec.links.append(LinkSpec("load", inertial=load))
    spec.joints.append(JointSpec("grip", "fixed", "l2", "load", placement))
    carrying = Model(spec)
    q, v, a = random_motion(model, rng, 3)
    moved = (load.mass, load.center + placement[:3, 3], load.inertia)
    for call in (
        lambda m, **k: m.inverse_dynamics(q, v, a, **k),
        lambda m, **k: m.mass_matrix(q, **k),
        lambda m, **k: m.center_of_mass(q, **k),
        lambda m, **k: m.momentum(q, v, **k),
        lambda m, **k: m.kinetic_energy(q, v, **k),
        lambda m, **k: m.potential_energy(q, **k),
    ):
        np.testing.assert_allclose(call(carrying), call(model, payload={"l2": moved}), atol=1e-10)
    assert carrying.mass == pytest.approx(model.mass + load.mass)


@pytest.mark.parametrize("seed", SEEDS)
def test_center_and_momentum(seed: int) -> None:
    """Differences along the motion: dc/dt = J v = p / m; in free fall dp/dt = m g."""
    model, rng = tree(seed, mimic=True)
    q, v, a = (x[0] for x in random_motion(model, rng, 1))
    h = 1e-6
    ahead, behind = (model.integrate(q, s * h * v) for s in (1, -1))
    rate = (model.center_of_mass(ahead) - model.center_of_mass(behind)) / (2 * h)
    jacobian = model.center_of_mass_jacobian(q)
    np.testing.assert_allclose(jacobian @ v, rate, atol=1e-8)
    np.testing.assert_allclose(model.momentum(q, v)[:3], model.mass * jacobian @ v, atol=1e-10)
    # no torque on the free joint: the angular momentum stays
    fall = model.forward_dynamics(q, v)
    later = model.momentum(model.integrate(q, h * (v + h / 2 * fall)), v + h * fall)
    before = model.momentum(model.integrate(q, -h * (v - h / 2 * fall)), v - h * fall)
    change = (later - before) / (2 * h)
    np.testing.assert_allclose(change[:3], model.mass * np.array([0, 0, -9.81]), atol=1e-5)
    np.testing.assert_allclose(change[3:], 0, atol=1e-5)
    assert a.shape == v.shape


def test_free_fall() -> None:
    """A tree in the air falls as a whole."""
    model, rng = tree(1)
    q, _, _ = random_motion(model, rng, 1)
    a = model.forward_dynamics(q[0])
    want = np.zeros(model.nv)
    want[:3] = model.spec.joints[0].placement[:3, :3].T @ [0, 0, -9.81]
    np.testing.assert_allclose(a, want, atol=1e-9)


def test_drives_by_hand() -> None:
    """Im Gr^2 a + Gr^2 B v + |Gr| Cf sign v, and friction at the joint's side."""
    rng = np.random.default_rng(0)
    model = random_tree(rng, ["revolute", "prismatic"], motors=True)
    q, v, a = (x[0] for x in random_motion(model, rng, 1))
    extra = model.inverse_dynamics(q, v, a) - model.inverse_dynamics(q, v, a, actuators=False)
    want = 1e-4 * 1600 * a + (1600 * 3e-4 + 0.1) * v + (40 * 2e-3 + 0.05) * np.sign(v)
    np.testing.assert_allclose(extra, want, atol=1e-12)
    smooth = model.inverse_dynamics(q, v, coulomb_width=0.3) - model.inverse_dynamics(
        q, v, actuators=False
    )
    want = (1600 * 3e-4 + 0.1) * v + (40 * 2e-3 + 0.05) * v / np.sqrt(v**2 + 0.09)
    np.testing.assert_allclose(smooth, want, atol=1e-12)
    rotor = model.mass_matrix(q) - model.mass_matrix(q, actuators=False)
    np.testing.assert_allclose(rotor, 0.16 * np.eye(2), atol=1e-14)


def test_shapes_broadcast() -> None:
    model, rng = tree(2)
    q, v, a = random_motion(model, rng, 4)
    want = model.inverse_dynamics(q, v, a)
    for i in range(4):
        np.testing.assert_array_equal(model.inverse_dynamics(q[i], v[i], a[i]), want[i])
    got = model.inverse_dynamics(q[:, None], v[0], a)
    assert got.shape == (4, 4, model.nv)
    np.testing.assert_array_equal(got[0, 0], want[0])
    np.testing.assert_array_equal(
        model.inverse_dynamics(np.asfortranarray(q), v, a[:, ::-1][:, ::-1]), want
    )
    empty = np.zeros((0, model.nq))
    assert model.inverse_dynamics(empty).shape == (0, model.nv)
    assert model.mass_matrix(empty).shape == (0, model.nv, model.nv)
    assert model.kinetic_energy(np.zeros((2, 0, model.nq)), np.zeros(model.nv)).shape == (2, 0)
    assert isinstance(model.kinetic_energy(q[0], v[0]), float)
    assert model.center_of_mass_jacobian(q).shape == (4, 3, model.nv)
    assert model.momentum(q, v).shape == (4, 6)


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_answers_go_where_they_are_wanted(threads: int, tmp_path: Path) -> None:
    """Threads and the caller's array change no byte; a file mapped into memory will do."""
    model, rng = tree(3)
    q, v, x = random_motion(model, rng, 700)
    push = {model.frame_names[-1]: rng.normal(size=(700, 6))}
    calls = {
        "torques": (lambda **more: model.inverse_dynamics(q, v, x, wrenches=push, **more), 1),
        "gains": (lambda **more: model.forward_dynamics(q, v, x, wrenches=push, **more), 1),
        "masses": (lambda **more: model.mass_matrix(q, **more), 2),
    }
    for name, (call, axes) in calls.items():
        shape = (700, *[model.nv] * axes)
        out = np.memmap(tmp_path / name, float, "w+", shape=shape)
        assert call(out=out, threads=threads) is out
        assert out.tobytes() == call().tobytes()
    # The answer may take the place of an argument.
    want = model.inverse_dynamics(q, v, x)
    assert model.inverse_dynamics(q, v, x, out=x, threads=threads) is x
    assert x.tobytes() == want.tobytes()


@pytest.mark.parametrize(
    ("out", "error", "words"),
    [
        ([0.0], TypeError, "out must be an ndarray"),
        (np.zeros((3, 1)), ArgumentError, "out must have shape"),
        (np.zeros((2, 2), np.float32), ArgumentError, "C-contiguous float64"),
        (np.zeros((2, 2)).T[::1], ArgumentError, "C-contiguous float64"),
    ],
)
def test_an_array_that_cannot_take_the_answer(out: Any, error: type, words: str) -> None:
    model = heavy_chain([("revolute", (0, 1, 0), (0, 0, 0), rod())] * 2)
    with pytest.raises(error, match=words):
        model.inverse_dynamics(np.zeros((2, 2)), out=out)
    with pytest.raises((ArgumentError, TypeError), match="threads"):
        model.inverse_dynamics(np.zeros((2, 2)), threads=-1)


def test_large_mass_matrix() -> None:
    """More coordinates than are summed in lanes."""
    rng = np.random.default_rng(3)
    model = random_tree(rng, ["revolute"] * 70)
    q = model.sample(3, seed=1)
    M = model.mass_matrix(q)
    np.testing.assert_allclose(M[1], twin.mass_matrix(model, q[1], 70), atol=1e-11)
    np.testing.assert_array_equal(M[2], model.mass_matrix(q[2]))


def test_every_instruction_set_gives_the_same_bytes() -> None:
    from handik import _core

    model, rng = tree(0, motors=True)
    q, v, a = random_motion(model, rng, 13)
    tau = model.inverse_dynamics(q, v, a)
    want = [tau, model.mass_matrix(q), model.forward_dynamics(q, v, tau), model.momentum(q, v)]
    tried = 0
    try:
        for name in ("base", "avx2", "avx512"):
            if not _core.simd_select(name):
                continue
            tried += 1
            got = [
                model.inverse_dynamics(q, v, a),
                model.mass_matrix(q),
                model.forward_dynamics(q, v, tau),
                model.momentum(q, v),
            ]
            for x, y in zip(got, want, strict=True):
                assert x.tobytes() == y.tobytes(), name
    finally:
        _core.simd_select("auto")
    assert tried


def test_what_is_not_finite_stays_in_its_row() -> None:
    model, rng = tree(1)
    q, v, a = random_motion(model, rng, 9)
    want = model.inverse_dynamics(q, v, a)
    v[4, 2] = np.nan
    got = model.inverse_dynamics(q, v, a)
    assert np.isnan(got[4]).any()
    np.testing.assert_array_equal(np.delete(got, 4, 0), np.delete(want, 4, 0))


def test_no_mass() -> None:
    bare = hk.chain([0.3, 0.2])
    assert bare.mass == 0
    asked = [
        lambda **more: bare.inverse_dynamics([0.1, 0.2], [1, 1], [1, 1], **more),
        lambda **more: bare.coriolis_torque([0.1, 0.2], [1, 1], **more),
        lambda **more: bare.gravity_torque([0.1, 0.2], **more),
        lambda **more: bare.mass_matrix([0.1, 0.2], **more),
        lambda **more: bare.kinetic_energy([0.1, 0.2], [1, 1], **more),
        lambda **more: bare.potential_energy([0.1, 0.2], **more),
        lambda **more: bare.static_torques([0.1, 0.2], {}, **more),
    ]
    for call in asked:
        for payload in ({}, {"tip": 0.0}, {"link_0": 1.0}):
            with pytest.raises(ModelError, match="no link that moves has mass, so its weight"):
                call(payload=payload)
        assert np.isfinite(call(payload={"tip": 1.0})).all()
    # loads act on a figure without mass too
    push = {"tip": (0, 1.0, 0, 0, 0, 0)}
    assert np.abs(bare.inverse_dynamics([0.1, 0.2], wrenches=push)).min() > 0.1
    assert np.abs(bare.static_torques([0.1, 0.2], {"tip": 2.0}, gravity=(0, -9.81, 0))).min() > 1
    assert bare.reachable_force([0.1, 0.2], direction=(0, 1, 0), limits=[1.0, 1.0]).force > 0
    with pytest.raises(ModelError, match="joint 'joint_1' moves nothing"):
        bare.forward_dynamics([0.1, 0.2])
    with pytest.raises(ModelError, match="no center of mass"):
        bare.center_of_mass([0.1, 0.2])
    held = bare.forward_dynamics(
        [0.0, 0.0], payload={"tip": (1.0, (0, 0, 0), np.eye(3))}, gravity=(0, -1, 0)
    )
    assert np.all(np.isfinite(held))
    spec = ModelSpec(
        "wheel", [LinkSpec("base"), LinkSpec("l")], [JointSpec("turn", "revolute", "base", "l")]
    )
    spec.links[1].inertial = rod(2.0, (0.0, 0.0, 0.1))
    spec.links[1].inertial.inertia[:] = 0  # a point on the axis of its turn
    assert not np.isfinite(Model(spec).forward_dynamics([0.3], [0.0], [1.0])).any()


def test_wrong_calls_are_named() -> None:
    model = heavy_chain([("revolute", (0, 1, 0), (0, 0, 0), rod())])
    inverse, matrix = model.inverse_dynamics, model.mass_matrix
    cases = [
        (ArgumentError, r"q must have shape \(..., 1\), got \(2,\)", lambda: inverse([1, 2])),
        (ArgumentError, r"v must have shape", lambda: inverse([0.0], [1, 2])),
        (ArgumentError, "q must be a regular array of real numbers", lambda: inverse(["a"])),
        (
            ArgumentError,
            r"of q and \(3,\) of v cannot be broadcast",
            lambda: inverse(np.zeros((2, 1)), np.zeros((3, 1))),
        ),
        (ArgumentError, "gravity", lambda: inverse([0.0], gravity=(0, 1))),
        (ArgumentError, "gravity must be", lambda: inverse([0.0], gravity="down")),
        (ArgumentError, "gravity must have", lambda: inverse([0.0], gravity=(0, -9.81))),
        (TypeError, "coulomb_width must be", lambda: inverse([0.0], coulomb_width="slow")),
        (TypeError, "wrenches must be a dict", lambda: inverse([0.0], wrenches=[1.0])),
        (TypeError, "payload must be a dict", lambda: inverse([0.0], payload=2.0)),
        (ArgumentError, "gravity is not finite", lambda: inverse([0.0], gravity=(0, 0, np.nan))),
        (ArgumentError, "Coulomb width", lambda: inverse([0.0], coulomb_width=-1)),
        (NotFoundError, "l9", lambda: inverse([0.0], wrenches={"l9": np.zeros(6)})),
        (
            ArgumentError,
            "wrench at 'l0' must have shape",
            lambda: inverse([0.0], wrenches={"l0": np.zeros(3)}),
        ),
        (
            ArgumentError,
            "wrench of problem 0 is not finite",
            lambda: inverse([0.0], wrenches={"l0": np.full(6, np.inf)}),
        ),
        (
            ArgumentError,
            "do not broadcast to the leading axes",
            lambda: inverse(np.zeros((2, 1)), wrenches={"l0": np.zeros((3, 6))}),
        ),
        (
            ArgumentError,
            "neither the name nor the index",
            lambda: inverse([0.0], wrenches={9: [0] * 6}),
        ),
        (
            ArgumentError,
            "payload at 'l0' has a negative mass",
            lambda: matrix([0.0], payload={"l0": -1}),
        ),
        (
            ArgumentError,
            "payload at 'l0' must be a mass",
            lambda: matrix([0.0], payload={"l0": "heavy"}),
        ),
        (
            ArgumentError,
            "payload at 'l0' must be a mass",
            lambda: matrix([0.0], payload={"l0": (1, [0, 0])}),
        ),
        (NotFoundError, "l7", lambda: matrix([0.0], payload={"l7": 1.0})),
    ]
    for error, text, call in cases:
        with pytest.raises(error, match=text):
            call()


def test_a_body_that_cannot_be_is_refused() -> None:
    from handik import _core

    one = {
        "parent": [-1],
        "kind": [1],
        "axis": [0, 0, 1],
        "axis2": None,
        "placement": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
        "lower": [-1],
        "upper": [1],
        "rest": None,
        "mimic": None,
        "mimic_line": None,
        "frame_joint": [0],
        "frame_placement": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
        "joint_names": ("elbow",),
        "frame_index": {"l": 0},
        "tip": 0,
    }
    with pytest.raises(ModelError, match="'elbow': its mass is negative"):
        _core.Model(**one, inertial=[-1.0] + [0.0] * 9)
    with pytest.raises(ModelError, match="'elbow': its rotor inertia or friction is negative"):
        _core.Model(**one, motor=[1.0, 1.0, -1.0, 0.0])
    with pytest.raises(ArgumentError, match="inertial must hold 10 numbers"):
        _core.Model(**one, inertial=[1.0])


def test_loads_without_mass_leave_no_centre() -> None:
    """Of a payload of nothing, or one on the world, the centre was 0 / 0."""
    arm = hk.chain([0.3, 0.3])
    for payload in ({"tip": 0.0}, {"link_0": 2.0}, {}):
        for call in (arm.center_of_mass, arm.center_of_mass_jacobian):
            with pytest.raises(ModelError, match="no link that moves has mass"):
                call([0.1, 0.2], payload=payload)
    assert np.isfinite(arm.center_of_mass([0.1, 0.2], payload={"tip": 1.0})).all()


def test_a_figure_that_cannot_move_has_no_accelerations() -> None:
    still = hk.Model(
        ModelSpec("post", [LinkSpec("a"), LinkSpec("b")], [JointSpec("j", "fixed", "a", "b")])
    )
    assert still.forward_dynamics([], payload={"b": 1.0}).shape == (0,)


def test_only_the_second_payload_gives_a_massless_arm_something_to_weigh() -> None:
    arm = hk.chain([0.3, 0.3])
    loads = {"link_1": 0.0, "link_2": (2.0, [0.1, 0.0, 0.0])}
    with pytest.raises(hk.ModelError):
        arm.inverse_dynamics(arm.rest, payload={"link_1": 0.0, "link_2": 0.0})
    assert np.isfinite(arm.inverse_dynamics(arm.rest, payload=loads)).all()
