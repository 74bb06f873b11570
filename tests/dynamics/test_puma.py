"""The Puma 560 with its motors agrees with the Robotics Toolbox for Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handik import Model
from handik.files.read import InertialSpec
from handik.files.read.dh import from_dh
from handik.spec import MotorSpec

HALF = np.pi / 2
# Corke and Armstrong-Helouvry 1994. Rows of the standard table: theta, d, a, alpha.
TABLE = [
    [0, 0.67183, 0, HALF], [0, 0, 0.4318, 0], [0, 0.15005, 0.0203, -HALF],
    [0, 0.4318, 0, HALF], [0, 0, 0, -HALF], [0, 0, 0, 0],
]  # fmt: skip
MASS = [0, 17.4, 4.8, 0.82, 0.34, 0.09]
CENTER = [
    [0, 0, 0], [-0.3638, 0.006, 0.2275], [-0.0203, -0.0141, 0.07],
    [0, 0.019, 0], [0, 0, 0], [0, 0, 0.032],
]  # fmt: skip
INERTIA = [
    [0, 0.35, 0], [0.13, 0.524, 0.539], [0.066, 0.086, 0.0125],
    [1.8e-3, 1.3e-3, 1.8e-3], [0.3e-3, 0.4e-3, 0.3e-3], [0.15e-3, 0.15e-3, 0.04e-3],
]  # fmt: skip
ROTOR = [200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6]
GEAR = [-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686]
VISCOUS = [1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6]
COULOMB = [0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3]


def puma() -> Model:
    spec = from_dh(TABLE, name="puma560")
    links = {link.name: link for link in spec.links}
    joints = {joint.name: joint for joint in spec.joints}
    for i in range(6):
        body = InertialSpec(MASS[i], np.array(CENTER[i], float), np.diag(INERTIA[i]))
        links[f"link_{i + 1}"].inertial = body
        joints[f"joint_{i + 1}"].motor = MotorSpec(ROTOR[i], GEAR[i], VISCOUS[i], COULOMB[i])
    return Model(spec)


def test_agrees_with_the_robotics_toolbox() -> None:
    rows = np.loadtxt(Path(__file__).with_name("puma560_rne.csv"), delimiter=",")
    assert rows.shape == (20, 24)
    q, v, a, want = np.split(rows, 4, axis=1)
    model = puma()
    tau = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau, want, rtol=0, atol=1e-9 * np.abs(want).max())
    # the motors are a large part of it, so that this would not pass without them
    bare = model.inverse_dynamics(q, v, a, actuators=False)
    assert np.abs(tau - bare).max() > 0.3 * np.abs(tau).max()


@pytest.mark.parametrize("actuators", [False, True])
def test_forward_undoes_inverse(actuators: bool) -> None:
    model = puma()
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 10, 6))
    tau = model.inverse_dynamics(q, v, a, actuators=actuators)
    back = model.forward_dynamics(q, v, tau, actuators=actuators)
    np.testing.assert_allclose(back, a, atol=1e-9)
