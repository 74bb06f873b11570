"""Triangulation: the law of cosines joint by joint from the base of a free chain.

Mueller-Cajar, Mukundan: Triangulation: a new algorithm for inverse kinematics. Proc. Image and
Vision Computing New Zealand (2007) 181-186.
"""

from __future__ import annotations

import numpy as np

from .fabrik import inner_tolerance, nearest_line, pose_balls
from .tree import Answer, Array, Goal, Tree, judge, minimal_rotation, perpendicular, quat_from_mat

ON_LINE = 1e-9
"""Sine of the angle between bone and target below which any plane is as good."""


def aim_bone(a: float, b: float, c: float, bone: Array, to: Array) -> tuple[Array, bool]:
    """Where a bone of length ``a`` points, and whether it closes the triangle.

    ``b`` is the length of all bones after it, the target lies ``c`` along ``to`` and the bone now
    points along ``bone``.

    - c < a + b, a < b + c, b < a + c: the angle of the law of cosines off ``to``, in the plane and
      on the side of ``bone``.
    - b >= a + c: away from the target.
    - otherwise: at the target.
    """
    if b >= a + c:
        return -to, False
    if c >= a + b or a >= b + c:
        return to, False
    cosine = np.clip(0.5 * (a / c + (c - b) / a * ((c + b) / c)), -1.0, 1.0)
    axis = np.cross(to, bone)
    sine = float(np.linalg.norm(axis))
    axis = axis / sine if sine > ON_LINE else perpendicular(to)
    side = np.cross(axis, to)
    return cosine * to + np.sqrt((1 - cosine) * (1 + cosine)) * side, True


def triangulation(tree: Tree, goal: Goal, q0: Array) -> Answer:
    """Solve for a position on a chain of balls: one sweep from the base, which is all it takes.

    The joints after one that turns are carried with it; behind the triangle every bone points at
    the target. Out of reach, and within the tolerance of the edge, the chain is straight.
    """
    assert goal.position is not None
    steps = tree.chain(goal.frame)
    start = tree.world(q0)
    error, met = judge(tree, [goal], start)
    if met:
        return Answer(q0, "converged", 0, 0, error, [error])
    tip = tree.frame_pose(goal.frame, start)[1]
    bones = np.diff([*(start[s][1] for s in steps), tip], axis=0)
    lengths = np.linalg.norm(bones, axis=1)
    gap = goal.position - start[steps[0]][1]
    far = float(np.linalg.norm(gap))
    line = nearest_line(
        start[steps[0]][1],
        lengths,
        gap / far if far > 0 else np.array([1.0, 0.0, 0.0]),
        far,
        inner_tolerance(goal, np.array([*(start[s][1] for s in steps), tip])),
    )
    if line is not None:
        q = pose_balls(tree, steps, goal.frame, q0, line)
        last, met = judge(tree, [goal], tree.world(q))
        return Answer(q, "converged" if met else "unreachable", 1, 0, last, [error, last])
    q, world = np.array(q0, float), list(start)
    carried, at, closed = np.eye(3), start[steps[0]][1].copy(), False
    for k, s in enumerate(steps):
        if not lengths[k] > 0:  # the frame is at the last joint, which has no bone
            break
        bone = carried @ bones[k] / lengths[k]
        gap = goal.position - at
        c = float(np.linalg.norm(gap))
        to = gap / c if c > 0 else bone
        wanted = to
        if not closed:
            wanted, closed = aim_bone(float(lengths[k]), float(lengths[k + 1 :].sum()), c, bone, to)
        carried = minimal_rotation(bone, wanted) @ carried
        base = tree.place(s)[0] if k == 0 else world[steps[k - 1]][0] @ tree.place(s)[0]
        i = tree.step_q[s]
        turned = quat_from_mat(base.T @ carried @ start[s][0])
        q[i : i + 4] = turned if turned @ q0[i : i + 4] >= 0 else -turned
        world[s] = tree.move(s, q, world)
        at = at + lengths[k] * wanted
    last, _ = judge(tree, [goal], tree.world(q))
    return Answer(q, "converged", 1, 0, last, [error, last])


__all__ = ["aim_bone", "triangulation"]
