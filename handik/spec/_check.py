"""What `ModelSpec.check` looks for: sound names, numbers, placements and mimics.

Trees are large and nearly always sound, so each check looks at all parts at once, and goes
through them one by one only to find the one at fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ModelError
from handik.spec._fault import fault, listed
from handik.spec._given import reals
from handik.spec.limits import ReachCone
from handik.spec.parts import Cone, FrameSpec, GeometrySpec, InertialSpec, JointSpec, LinkSpec
from handik.spec.swing import SwingMimicSpec

__all__ = ["check_mimics", "check_names", "check_numbers", "cycle_fault"]

Array = NDArray[np.float64]

GEOMETRY_KINDS = ("box", "sphere", "cylinder", "capsule", "mesh")
#: How far a placement may be from a rigid motion (as any pose: csrc/base/pose.h; the core
#: makes it orthonormal), and two axes from a right angle.
RIGID_SLACK, SQUARE_SLACK = 1e-6, 1e-9


def check_names(what: str, names: Iterable[str]) -> None:
    """Raise for the first name that is empty or taken."""
    names = list(names)
    if set(map(type, names)) <= {str} and len(seen := set(names)) == len(names) and "" not in seen:
        return
    seen = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {what} has no name (found {name!r})")
        if name in seen:
            raise fault(what, name, "another has the same name")
        seen.add(name)


def cycle_fault(above: dict[str, JointSpec], ordered: list[JointSpec]) -> ModelError:
    """Return the error for the cycle reached by walking up from a link that no root carries."""
    reached = {joint.child for joint in ordered}
    link = next(child for child in above if child not in reached)
    trail: dict[str, None] = {}
    while link not in trail:
        trail[link] = None
        link = above[link].parent
    names = list(trail)
    cycle = names[names.index(link) :][::-1]
    return fault("link", cycle[0], "the joints form a cycle through the links " + listed(cycle))


def check_numbers(
    joints: Sequence[JointSpec], frames: Sequence[FrameSpec], links: Sequence[LinkSpec]
) -> None:
    """Raise for the first number that makes no model, by the name of its part."""
    for joint in joints:
        if not _plain_joint(joint):
            _check_joint(joint)
    for what, items in (("joint", joints), ("frame", frames)):
        _check_rigid(what, [item.name for item in items], [item.placement for item in items])
    bodies = [(link.name, link.inertial) for link in links if link.inertial is not None]
    if not _plain_inertials([body for _, body in bodies]):
        for name, body in bodies:
            _check_inertial(name, body)
    names, places = [], []
    for link in links:
        for shapes in (link.visuals, link.collisions):
            for shape in shapes:
                if not _plain_shape(shape):
                    _check_shape(link.name, shape)
                names.append(link.name)
                places.append(shape.placement)
    _check_rigid("link", names, places)


def _plain_joint(joint: JointSpec) -> bool:
    """Tell a joint of the common kinds whose numbers are all sound."""
    lower, upper = joint.lower, joint.upper
    if joint.motor is not None or joint.kind not in ("revolute", "prismatic", "fixed"):
        return False
    if joint.cone is not None or joint.hold is not None or joint.neutral is not None:
        return False
    if isinstance(joint.axis, bytes):
        return False
    try:
        x, y, z = joint.axis
        total = x * x + y * y + z * z
        if not total > 1e-6:
            return False
        total += joint.damping + joint.friction
        total += 0.0 if joint.effort is None else joint.effort
        total += 0.0 if joint.velocity is None else joint.velocity
        if not -inf < total < inf:
            return False
    except (TypeError, ValueError, OverflowError):
        return False
    if lower is None and upper is None:
        return True
    return type(lower) is float and type(upper) is float and -inf < lower <= upper < inf


def _plain_inertials(bodies: list[InertialSpec]) -> bool:
    """Tell whether every body has a finite mass, center and symmetric inertia."""
    if not bodies:
        return True
    n = len(bodies)
    try:
        if any(isinstance(body.mass, np.ndarray) for body in bodies):
            return False
        masses = np.array([body.mass for body in bodies], dtype=float)
        if not all(
            type(body.center) is type(body.inertia) is np.ndarray
            and body.center.dtype.kind == body.inertia.dtype.kind == "f"
            and body.center.shape == (3,)
            and body.inertia.shape == (3, 3)
            for body in bodies
        ):
            return False
        centers = np.concatenate([body.center for body in bodies]).reshape(n, 3).astype(float)
        inertias = np.concatenate([body.inertia for body in bodies]).reshape(n, 3, 3).astype(float)
    except (TypeError, ValueError, OverflowError):
        return False
    if masses.shape != (n,) or centers.shape != (n, 3) or inertias.shape != (n, 3, 3):
        return False
    if not (masses.min() >= 0 and np.isfinite(masses).all() and np.isfinite(centers).all()):
        return False
    return bool((inertias == inertias.transpose(0, 2, 1)).all() and np.isfinite(inertias).all())


def _plain_shape(shape: GeometrySpec) -> bool:
    """Tell a shape of a known kind whose numbers are all sound."""
    if shape.kind not in GEOMETRY_KINDS:
        return False
    try:
        x, y, z = shape.scale
        total = x + y + z
        if shape.size is not None:
            x, y, z = shape.size
            if x < 0 or y < 0 or z < 0:
                return False
            total += x + y + z
        for value in (shape.radius, shape.length):
            if value is not None:
                if value < 0:
                    return False
                total += value
    except (TypeError, ValueError, OverflowError):
        return False
    return -inf < total < inf


def check_mimics(joints: Sequence[JointSpec]) -> None:
    """Raise for a mimic of a joint that is not there, of the wrong kind, or in a cycle."""
    followers = [joint for joint in joints if joint.mimic is not None]
    if not followers:
        return
    by_name = {joint.name: joint for joint in joints}
    for joint in followers:
        mimic = joint.mimic
        assert mimic is not None
        other = by_name.get(mimic.joint)
        if other is None:
            raise fault("joint", joint.name, f"it mimics {mimic.joint!r}, which does not exist")
        if other is joint:
            raise fault("joint", joint.name, "it mimics itself")
        if isinstance(mimic, SwingMimicSpec):
            _check_swing(joint, mimic, other)
            continue
        if isinstance(other.mimic, SwingMimicSpec):
            raise fault(
                "joint",
                joint.name,
                f"it mimics {other.name!r}, which follows the swing of {other.mimic.joint!r}: "
                "give it coefficients of its own",
            )
        for one in (joint, other):
            if one.nq != 1:
                raise fault(
                    "joint",
                    joint.name,
                    f"it mimics {other.name!r}, but {one.name!r} is {one.kind}: "
                    "only joints of one coordinate can be coupled",
                )
        if not (_finite(mimic.scale) and _finite(mimic.offset)):
            raise fault("joint", joint.name, "its mimic line is not finite")
    settled: set[str] = set()
    for joint in followers:
        trail: dict[str, None] = {}
        step: JointSpec | None = joint
        while step is not None and step.mimic is not None and step.name not in settled:
            if step.name in trail:
                names = list(trail)
                raise fault(
                    "joint",
                    step.name,
                    "the mimics form a cycle: " + listed(names[names.index(step.name) :]),
                )
            trail[step.name] = None
            step = by_name.get(step.mimic.joint)
        settled.update(trail)


def _check_swing(joint: JointSpec, mimic: SwingMimicSpec, ball: JointSpec) -> None:
    """Raise where a joint cannot follow the swing of another."""
    if joint.nq != 1:
        wrong = f"it follows the swing of {ball.name!r} but is {joint.kind}: revolute or prismatic"
        raise fault("joint", joint.name, f"{wrong} joints do")
    if ball.kind != "ball" or ball.mimic is not None:
        what = ball.kind if ball.mimic is None else "a mimic"
        wrong = f"it follows the swing of {ball.name!r}, which is {what}: only a ball has one"
        raise fault("joint", joint.name, wrong)
    if joint.lower is not None or joint.upper is not None:
        wrong = f"it follows the swing of {ball.name!r} and has limits: they belong to the ball"
        raise fault("joint", joint.name, wrong)
    _direction("joint", ball.name, ball.axis, f"axis, whose swing {joint.name!r} follows,")
    try:
        mimic.row()
    except ModelError as error:
        raise fault("joint", joint.name, str(error)) from None


def _finite(value: Any) -> bool:
    try:
        return isfinite(value)
    except (TypeError, OverflowError):
        return False


def _length(what: str, name: str, axis: Any, label: str) -> float:
    try:
        x, y, z = reals(axis, "axis", (3,), finite=False).tolist()
        length = sqrt(x * x + y * y + z * z)
    except (ArgumentError, TypeError, ValueError):
        raise fault(what, name, f"its {label} is not three numbers: {axis!r}") from None
    except OverflowError:
        length = inf
    if not isfinite(length):
        raise fault(what, name, f"its {label} is not finite")
    return length


def _direction(what: str, name: str, axis: Any, label: str) -> float:
    """Length of an axis that a joint moves along or about: more than nothing."""
    length = _length(what, name, axis, label)
    if length < 1e-9:
        raise fault(what, name, f"its {label} is zero")
    return length


def _check_joint(joint: JointSpec) -> None:
    _check_axes(joint)
    if joint.cone is not None:
        _check_cone(joint)
    if joint.hold is not None and joint.kind not in ("ball", "free"):
        raise fault(
            "joint",
            joint.name,
            f"it holds a rotation but is {joint.kind}: only ball and free joints do",
        )
    if joint.lower is not None or joint.upper is not None:
        joint.limits()
    if joint.neutral is not None:
        _check_neutral(joint, joint.neutral)
    values = (joint.effort, joint.velocity, joint.damping, joint.friction)
    for label, value in zip(("effort", "velocity", "damping", "friction"), values, strict=True):
        if value is not None and not _finite(value):
            raise fault("joint", joint.name, f"its {label} is not finite: {value!r}")
    if joint.motor is not None:
        for label in ("inertia", "gear", "viscous", "coulomb"):
            if not _finite(getattr(joint.motor, label)):
                raise fault("joint", joint.name, f"the {label} of its motor is not finite")


def _check_neutral(joint: JointSpec, neutral: Sequence[float]) -> None:
    try:
        q = reals(neutral, "neutral", (joint.nq,))
    except (ArgumentError, TypeError, ValueError):
        raise fault(
            "joint", joint.name, f"its neutral is not {joint.nq} finite numbers: {neutral!r}"
        ) from None
    if joint.kind in ("ball", "free") and not np.linalg.norm(q[-4:]) > 1e-9:
        raise fault("joint", joint.name, "the quaternion of its neutral is zero")


def _check_axes(joint: JointSpec) -> None:
    """Those that the kind does not read are numbers all the same."""
    name, kind = joint.name, joint.kind
    _length("joint", name, joint.axis, "axis")
    if joint.axis2 is not None:
        _length("joint", name, joint.axis2, "axis2")
    if not joint.nq or kind in ("ball", "free"):
        return
    length = _direction("joint", name, joint.axis, "axis")
    if kind in ("universal", "planar"):
        length2 = _direction("joint", name, joint.axis2, "axis2")
        assert joint.axis2 is not None
        dot = sum(a * b for a, b in zip(joint.axis, joint.axis2, strict=True))
        if abs(dot) > SQUARE_SLACK * length * length2:
            raise fault("joint", name, "its axis and axis2 are not at a right angle")


def _check_cone(joint: JointSpec) -> None:
    if joint.kind != "ball":
        raise fault("joint", joint.name, f"it has a cone but is {joint.kind}: only a ball has one")
    if not isinstance(joint.cone, (Cone, ReachCone)):
        raise fault(
            "joint", joint.name, f"its cone must be a Cone or a ReachCone, got {joint.cone!r}"
        )
    try:
        joint.cone.row()
    except ModelError as error:
        raise fault("joint", joint.name, str(error)) from None


def _check_rigid(what: str, names: list[str], placements: list[Array]) -> None:
    """All placements at once; the loop runs only to find the one at fault."""
    if not placements:
        return
    stack: Array
    if all(type(place) is np.ndarray and place.shape == (4, 4) for place in placements):
        stack = np.concatenate(placements).reshape(-1, 4, 4)  # a third of the time of np.array
        if stack.dtype.kind in "iu" or stack.dtype.itemsize < 8:
            stack = stack.astype(float)
    else:
        try:
            wrong = any(np.iscomplexobj(place) for place in placements)
            stack = np.empty(0) if wrong else np.array(placements, dtype=float)
        except (TypeError, ValueError, OverflowError):
            stack = np.empty(0)
    if stack.dtype != np.float64:
        stack = np.empty(0)
    if stack.shape != (len(placements), 4, 4):
        for name, placement in zip(names, placements, strict=True):
            try:
                fits = reals(placement, "placement", (4, 4), finite=False).ndim == 2
            except ArgumentError:
                fits = False
            if not fits:
                raise fault(what, name, "its placement is not a (4, 4) matrix of numbers")
    finite = np.isfinite(stack).all(axis=(1, 2))
    if not finite.all():
        raise fault(what, names[int(np.argmin(finite))], "its placement is not finite")
    turn = stack[:, :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(turn.transpose(0, 2, 1) @ turn - np.eye(3)).max(axis=(1, 2))
        off = np.maximum(off, np.abs(stack[:, 3] - (0, 0, 0, 1)).max(axis=1))
    # A reflection: the third row opposes the cross product of the first two.
    with np.errstate(over="ignore", invalid="ignore"):
        side = np.einsum("ni,ni->n", np.cross(turn[:, 0], turn[:, 1]), turn[:, 2])
    good = (off <= RIGID_SLACK) & (side > 0)
    if not good.all():
        worst = int(np.argmin(good))
        raise fault(
            what,
            names[worst],
            f"its placement is not a rigid motion (off by {off[worst]:.1e}"
            f"{', a reflection' if side[worst] < 0 else ''})",
        )


def _check_inertial(name: str, inertial: InertialSpec) -> None:
    try:
        center, inertia = np.asarray(inertial.center), np.asarray(inertial.inertia)
    except ValueError:
        center, inertia = np.empty(0), np.empty(0)
    if center.shape != (3,) or inertia.shape != (3, 3):
        raise fault("link", name, "its center of mass is not (3,) or its inertia not (3, 3)")
    numbers = [inertial.mass, *center.tolist(), *inertia.ravel().tolist()]
    if not all(map(_finite, numbers)):
        raise fault("link", name, "its mass, center of mass or inertia is not finite")
    if inertial.mass < 0:
        raise fault("link", name, f"its mass is negative: {inertial.mass}")
    a = numbers[4:]
    slack = 1e-9 * max(map(abs, a))
    if abs(a[1] - a[3]) > slack or abs(a[2] - a[6]) > slack or abs(a[5] - a[7]) > slack:
        raise fault("link", name, "its inertia is not symmetric")


def _check_shape(name: str, shape: GeometrySpec) -> None:
    if shape.kind not in GEOMETRY_KINDS:
        raise fault(
            "link", name, f"a shape is {shape.kind!r}, none of " + ", ".join(GEOMETRY_KINDS)
        )
    sizes = [*(shape.size or ())]
    sizes += [value for value in (shape.radius, shape.length) if value is not None]
    if not all(map(_finite, sizes)) or not all(map(_finite, shape.scale)):
        raise fault("link", name, f"the size of its {shape.kind} is not finite")
    if sizes and min(sizes) < 0:
        raise fault("link", name, f"the size of its {shape.kind} is negative")
