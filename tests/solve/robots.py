"""Arms of the package example-robot-data, for the solver tests and benchmarks."""

from __future__ import annotations

from _robots import ROBOTS

import handik as hk

#: File, base link and tip link.
ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link0", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "base_link", "ee_link"),
    "icub arm": ("icub_description/robots/icub.urdf", "chest", "l_hand"),
    "talos torso and arm": (
        "talos_data/robots/talos_full_v2.urdf",
        "base_link",
        "gripper_left_base_link",
    ),
}


def installed() -> bool:
    """Tell whether the package is there."""
    return all((ROBOTS / file).is_file() for file, _, _ in ARMS.values())


def arm(name: str) -> hk.Model:
    """Load one of `ARMS`."""
    file, base, tip = ARMS[name]
    return hk.load(ROBOTS / file, base=base, tip=tip)
