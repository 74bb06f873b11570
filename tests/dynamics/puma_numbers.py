"""Write puma560_rne.csv: torques of the Puma 560 by the Robotics Toolbox for Python.

Run where it is installed (``pip install roboticstoolbox-python "numpy<2"``; version 1.4.4 was used):

    python tests/dynamics/puma_numbers.py

Its Coulomb friction is not the same both ways (a property handik does not have), so that the value
for positive speed is taken for both.
"""

from pathlib import Path

import numpy as np
import roboticstoolbox

robot = roboticstoolbox.models.DH.Puma560()
for link in robot.links:
    link.Tc = [link.Tc[0], -link.Tc[0]]
rng = np.random.default_rng(560)
q, v, a = rng.uniform(-2, 2, (3, 20, 6))
tau = np.array([robot.rne(*row) for row in zip(q, v, a, strict=True)])
np.savetxt(
    Path(__file__).with_name("puma560_rne.csv"),
    np.hstack([q, v, a, tau]),
    fmt="%.17g",
    delimiter=",",
    header="q1..q6, v1..v6, a1..a6, tau1..tau6; written by puma_numbers.py",
)
