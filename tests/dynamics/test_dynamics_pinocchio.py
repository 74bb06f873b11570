"""The dynamics of every example robot agree with Pinocchio's, on the ground and flying."""

from __future__ import annotations

import numpy as np
import pytest
from _robots import ROBOTS, urdf_files

from handik import Model, ModelError
from handik.files.read import JointSpec, LinkSpec
from handik.files.read.urdf import read_urdf

pin = pytest.importorskip("pinocchio", reason="needs the package pin")

FILES = urdf_files()
N = 5  # postures a robot

pytestmark = pytest.mark.skipif(not FILES, reason="needs the package example-robot-data")


def build(name: str, free: bool) -> tuple[Model, pin.Model]:
    root = (pin.JointModelFreeFlyer(),) if free else ()
    theirs = pin.buildModelFromUrdf(str(ROBOTS / name), *root)
    spec = read_urdf(ROBOTS / name)
    for joint in spec.joints:
        joint.mimic = None  # as Pinocchio reads them
    if free:
        spec.joints.append(JointSpec("root_joint", "free", "the world", spec.root))
        spec.links.insert(0, LinkSpec("the world"))
        spec.base = None
    ours = Model(spec)
    assert ours.nv == theirs.nv
    return ours, theirs


def random_q(
    model: Model, theirs: pin.Model, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One posture in both libraries.

    Pinocchio sorts branches by name, gives continuous joints a cosine and a sine, writes
    quaternions x y z w, and tells a free joint's velocity in its moved frame.
    """
    q, other = np.array(model.rest), pin.neutral(theirs)
    for name, at in model.joint_q_slices.items():
        joint = theirs.getJointId(name)
        to = theirs.idx_qs[joint]
        if at.stop - at.start == 7:
            turn = rng.normal(size=4)
            q[at] = *rng.uniform(-1, 1, 3), *(turn / np.linalg.norm(turn))
            other[to : to + 7] = *q[at][:3], *q[at][4:], q[at][3]
        elif theirs.nqs[joint] == 2:
            q[at] = rng.uniform(-3, 3)
            other[to : to + 2] = np.cos(q[at.start]), np.sin(q[at.start])
        else:
            other[to] = q[at.start] = rng.uniform(-1.5, 1.5)
    return q, other


def columns(model: Model, theirs: pin.Model) -> np.ndarray:
    """For each of our velocities, the place of Pinocchio's."""
    out = np.empty(model.nv, int)
    for name, kind, v in zip(model.joint_names, model.joint_kinds, model.joint_v, strict=True):
        if kind != "fixed":
            width = 6 if kind == "free" else 1
            out[v : v + width] = theirs.idx_vs[theirs.getJointId(name)] + np.arange(width)
    return out


def frame_change(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """S and s with ``v = S w`` and ``a = S w' + s`` for Pinocchio's velocity w, in our order."""
    S, s = np.eye(model.nv), np.zeros(model.nv)
    if "free" in model.joint_kinds:
        r = model.fk(q, frame=model.spec.joints[-1].child)[:3, :3]
        at = int(model.joint_v[model.joint_kinds.index("free")])
        S[at : at + 3, at : at + 3] = r
        s[at : at + 3] = r @ np.cross(v[at + 3 : at + 6], r.T @ v[at : at + 3])
    return S, s


def close(ours, theirs, tolerance: float = 1e-9) -> None:
    scale = max(np.abs(theirs).max(initial=0.0), 1e-12)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("free", [False, True], ids=["ground", "free"])
@pytest.mark.parametrize("name", FILES)
def test_agrees(name: str, free: bool) -> None:
    model, theirs = build(name, free)
    data, order = theirs.createData(), columns(model, theirs)
    rng = np.random.default_rng(5)
    rows = [random_q(model, theirs, rng) for _ in range(N)]
    q = np.array([ours for ours, _ in rows])
    v, a = rng.normal(size=(2, N, model.nv))
    names = ("tau", "M", "center", "jacobian", "momentum", "kinetic", "potential")
    want = {key: [] for key in names}
    solvable = True
    for i, (_, other) in enumerate(rows):
        S, s = frame_change(model, q[i], v[i])
        w, gain = np.empty(model.nv), np.empty(model.nv)
        w[order], gain[order] = S.T @ v[i], S.T @ (a[i] - s)
        tau = pin.rnea(theirs, data, other, w, gain)[order]
        M = pin.crba(theirs, data, other)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        want["tau"].append(S @ tau)
        want["M"].append(S @ M @ S.T)
        want["center"].append(pin.centerOfMass(theirs, data, other).copy())
        want["jacobian"].append(pin.jacobianCenterOfMass(theirs, data, other)[:, order] @ S.T)
        want["momentum"].append(pin.computeCentroidalMomentum(theirs, data, other, w).np.copy())
        want["kinetic"].append(pin.computeKineticEnergy(theirs, data, other, w))
        want["potential"].append(pin.computePotentialEnergy(theirs, data, other))
        eigen = np.linalg.eigvalsh(M)
        solvable &= bool(eigen[0] > 1e-13 * eigen[-1]) if len(eigen) else True
    close(model.inverse_dynamics(q, v, a, actuators=False), np.array(want["tau"]))
    close(model.mass_matrix(q, actuators=False), np.array(want["M"]))
    if model.mass:
        close(model.center_of_mass(q), np.array(want["center"]))
        close(model.center_of_mass_jacobian(q), np.array(want["jacobian"]))
        close(model.momentum(q, v), np.array(want["momentum"]))
    close(model.kinetic_energy(q, v, actuators=False), np.array(want["kinetic"]))
    close(model.potential_energy(q), np.array(want["potential"]))
    if not solvable or not model.nv:  # a joint that moves nothing, or next to nothing
        return
    tau = np.array(want["tau"])
    found = model.forward_dynamics(q, v, tau, actuators=False)
    for i, (_, other) in enumerate(rows):
        S, s = frame_change(model, q[i], v[i])
        w, push = np.empty(model.nv), np.empty(model.nv)
        w[order], push[order] = S.T @ v[i], S.T @ tau[i]
        their_a = S @ pin.aba(theirs, data, other, w, push)[order] + s
        # The mass matrix of iCub has condition 1e8: even solved exactly in 50 digits, matrix and
        # torques in doubles leave 3e-9 of the greatest acceleration open. What is well posed is
        # the error that Gauss's principle measures, in the norm of the kinetic energy.
        off = energy_norm(np.array(want["M"][i]), found[i] - their_a)
        assert off <= 1e-9 * energy_norm(np.array(want["M"][i]), their_a)
        again = model.inverse_dynamics(q[i], v[i], found[i], actuators=False)
        assert np.abs(again - tau[i]).max() <= 1e-12 * terms(model, q[i], v[i], tau[i])


def energy_norm(M: np.ndarray, a: np.ndarray) -> float:
    return float(np.sqrt(max(a @ M @ a, 0.0)))


def terms(model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> float:
    """Size of what inverse dynamics adds up, of which it can keep no more digits than doubles."""
    bias = model.inverse_dynamics(q, v, actuators=False)
    return float(np.abs(tau).max() + np.abs(bias).max())


def test_a_joint_that_moves_nothing_is_named() -> None:
    spec = read_urdf(ROBOTS / next(name for name in FILES if name.endswith("/romeo.urdf")))
    model = Model(spec)
    with pytest.raises(ModelError, match=r"joint '\w+' moves nothing that has mass"):
        model.forward_dynamics(model.rest)


def test_mimic_joints_agree() -> None:
    """Fingers that follow each other: Pinocchio reads them as such when asked."""
    name = next(name for name in FILES if name.endswith("/panda.urdf"))
    theirs = pin.buildModelFromUrdf(str(ROBOTS / name), mimic=True)
    model, data = Model(read_urdf(ROBOTS / name)), theirs.createData()
    assert model.nv == theirs.nv == 8
    rng = np.random.default_rng(2)
    for q in model.sample(N, seed=3):
        v, a = rng.normal(size=(2, 8))
        close(model.inverse_dynamics(q, v, a, actuators=False), pin.rnea(theirs, data, q, v, a))
        M = pin.crba(theirs, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        close(model.mass_matrix(q, actuators=False), M)
        tau = model.inverse_dynamics(q, v, a, actuators=False)
        close(model.forward_dynamics(q, v, tau, actuators=False), a)
