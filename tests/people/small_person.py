"""A person of few joints, by the names of handik's person, for tests that need no more."""

from math import radians

import numpy as np

import handik as hk
from handik.spec import InertialSpec

#: How far the arm is raised forwards where its ball is not turned, radians.
RAISED = radians(60)


def rotation(axis, angle):
    k = np.cross(np.eye(3), np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def person(shoulder="ball"):
    """Trunk, shoulder, elbow, forearm, wrist of both sides, by the names of handik's person."""
    links, joints, frames = [hk.LinkSpec("pelvis")], [], []

    def add(name, kind, parent, at, turn=None, **more):
        place = np.eye(4)
        place[:3, 3] = at
        if turn is not None:
            place[:3, :3] = turn
        links.append(hk.LinkSpec("l_" + name, InertialSpec(2.0, np.array([0, 0, -0.1]))))
        joints.append(hk.JointSpec(name, kind, parent, "l_" + name, place, **more))
        return "l_" + name

    def hinge(name, parent, at, axis, low, high):
        return add(name, "revolute", parent, at, axis=axis, lower=radians(low), upper=radians(high))

    body = hinge("pelvis_tilt", "pelvis", (0, 0, 0), (0, 1, 0), -10, 20)
    body = hinge("trunk_flexion", body, (0, 0, 0.1), (0, 1, 0), -20, 60)
    body = hinge("trunk_bend", body, (0, 0, 0), (1, 0, 0), -25, 25)
    body = hinge("trunk_turn", body, (0, 0, 0), (0, 0, 1), -35, 35)
    for side, out in (("right", -1.0), ("left", 1.0)):
        at = (0, 0.18 * out, 0.45)
        if shoulder == "ball":
            turn = rotation((0, 1, 0), -RAISED)
            cone = hk.ReachCone.from_tangents(radians(85), (-1.5, 1.5))
            arm = add(
                f"shoulder_{side}",
                "ball",
                body,
                at,
                turn,
                axis=(0, 0, -1),
                axis2=(1, 0, 0),
                cone=cone,
            )
        else:
            arm = hinge(f"shoulder_plane_{side}", body, at, (0, 0, -out), -30, 120)
            arm = hinge(f"shoulder_elevation_{side}", arm, (0, 0, 0), (out, 0, 0), 0, 150)
            arm = hinge(f"shoulder_axial_{side}", arm, (0, 0, 0), (0, 0, -out), -80, 60)
        arm = hinge(f"elbow_flexion_{side}", arm, (0, 0, -0.3), (0, -1, 0), 0, 145)
        arm = hinge(f"forearm_pronation_{side}", arm, (0, 0, 0), (0, 0, -out), -80, 80)
        arm = hinge(f"wrist_flexion_{side}", arm, (0, 0, -0.26), (-out, 0, 0), -70, 75)
        arm = hinge(f"wrist_deviation_{side}", arm, (0, 0, 0), (0, 1, 0), -20, 30)
        tip = np.eye(4)
        tip[2, 3] = -0.18
        frames.append(hk.FrameSpec(f"index_tip_{side}", arm, tip))
    return hk.ModelSpec("person", links, joints, frames)


def rest(spec):
    """The hanging arms."""
    q = hk.Model(spec).rest.copy()
    for side in ("right", "left"):
        at = hk.Model(spec).joint_q_slices.get(f"shoulder_{side}")
        if at is not None:
            q[at] = [np.cos(RAISED / 2), 0, np.sin(RAISED / 2), 0]
    return q
