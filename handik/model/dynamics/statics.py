"""Questions about a model that stands still: what a load costs, and how hard it can push."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, name_not_found
from handik.model.dynamics._kinds import GRAVITY
from handik.model.dynamics.loads import by_frame
from handik.spec._given import is_model, number, points_of, reals

if TYPE_CHECKING:
    from handik.model.core import Model

__all__ = ["ReachableForce", "reachable_force", "static_torques", "strength_share", "torque_limits"]

Array = NDArray[np.float64]
Limits = ArrayLike | Mapping[str, float] | None


@dataclass(frozen=True)
class ReachableForce:
    """How hard a frame can push.

    Attributes
    ----------
    force : float or ndarray, shape (...)
        Largest force along the direction, newtons; infinite when no limit stops it, 0 when the
        model cannot hold this configuration with any push at all.
    joint : str, None, or list of these
        The joint whose limit stops it; None when no limit does.
    tau : ndarray, shape (..., nv)
        Torques at this force; NaN where the force is infinite.
    holds : bool or ndarray, shape (...)
        Whether the model can hold the configuration without pushing.
    """

    force: Any
    joint: Any
    tau: Array
    holds: Any


def static_torques(
    model: Model,
    q: ArrayLike,
    loads: Mapping[Any, ArrayLike],
    *,
    gravity: Sequence[float] = GRAVITY,
    payload: Mapping[Any, Any] | None = None,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Torques that hold loads at rest, with the model's own weight.

    Parameters
    ----------
    model : Model
        The robot or person.
    q : array_like, shape (..., nq)
        Posture.
    loads : dict of frame to float or array_like (..., 6)
        A number is a mass (kg) held at the frame's origin; six numbers are the force (N) and
        moment (N m) that act on the model there, in world axes.
    gravity, payload, out, threads
        See `handik.model.dynamics.Dynamics`.

    Returns
    -------
    ndarray, shape (..., nv)
        Newtons for slides, newton meters for turns.

    Raises
    ------
    ArgumentError, NotFoundError, ModelError
        As for `Model.inverse_dynamics`; a negative mass.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.model.dynamics.statics import static_torques
    >>> static_torques(hk.chain([1.0]), [0.0], {"tip": [0.0, -10.0, 0.0, 0.0, 0.0, 0.0]})
    array([10.])
    """
    is_model(model)
    wrenches = {}
    down = np.zeros(6)
    down[:3] = points_of(gravity, "gravity", (3,))
    for name, load in by_frame("loads", loads).items():
        wrenches[name] = load
        if np.ndim(load) == 0:
            mass = number(f"the load at {name!r}", load)
            if not 0 <= mass < np.inf:
                raise ArgumentError(f"the load at {name!r} must be a mass >= 0 kg, got {mass}")
            wrenches[name] = mass * down
    return model.inverse_dynamics(
        q,
        gravity=gravity,
        wrenches=wrenches,
        payload=payload,
        actuators=False,
        out=out,
        threads=threads,
    )


def torque_limits(model: Model, limits: Limits = None) -> Array:
    """Lowest and highest torque of each coordinate, shape (2, nv).

    Parameters
    ----------
    model : Model
        The robot or person.
    limits : array_like (nv,) or (2, nv), dict of joint to float, or None
        Largest torque either way, or lowest and highest. A dict leaves other joints without limit.
        None takes the efforts that the model's file gives; one of 0 counts as not given.

    Returns
    -------
    ndarray, shape (2, nv)
        Newton meters, or newtons for slides; infinite where nothing limits.

    Raises
    ------
    ArgumentError
        Wrong shape, NaN, a lowest torque above the highest.
    NotFoundError
        A joint that is not there or has no coordinate of its own.

    Examples
    --------
    >>> import handik as hk
    >>> torque_limits(hk.chain([1.0, 1.0]), {"joint_1": 5.0})
    array([[ -5., -inf],
           [  5.,  inf]])
    """
    is_model(model)
    if limits is None or isinstance(limits, Mapping):
        spec = {joint.name: joint.effort for joint in model.spec.joints}
        efforts = {name: abs(effort) for name, effort in spec.items() if effort}
        given = efforts if limits is None else limits
        out = np.full((2, model.nv), [[-np.inf], [np.inf]])
        own = {
            name: slice(v, v + _width(kind))
            for name, kind, v, mimic in zip(
                model.joint_names, model.joint_kinds, model.joint_v, model.joint_mimic, strict=True
            )
            if mimic < 0 and _width(kind)
        }
        for name, limit in given.items():
            if name in own:
                most = number(f"the torque limit of {name!r}", limit)
                out[:, own[name]] = [[-most], [most]]
            elif limits is not None:
                raise name_not_found("joint with a coordinate", name, own)
    else:
        both = reals(limits, "torque limits", (model.nv,), finite=False)
        if both.shape not in ((model.nv,), (2, model.nv)):
            raise ArgumentError(
                f"torque limits must have shape ({model.nv},) or (2, {model.nv}), got {both.shape}"
            )
        out = np.stack([-both, both]) if both.ndim == 1 else both
    if not np.all(out[0] <= out[1]):
        raise ArgumentError("a torque limit is NaN, negative, or the lowest is above the highest")
    return out


#: Torque that is none, N m, against a strength of 0: a limb that hangs needs the rounding of its
#: weights' levers, some 1e-17, and not strength.
_ROUNDING = 1e-12


def _width(kind: str) -> int:
    widths = {"fixed": 0, "cylindrical": 2, "universal": 2, "planar": 3, "ball": 3, "free": 6}
    return widths.get(kind, 1)


def strength_share(
    model: Model,
    q: ArrayLike,
    loads: Mapping[Any, ArrayLike],
    limits: Limits = None,
    *,
    gravity: Sequence[float] = GRAVITY,
    payload: Mapping[Any, Any] | None = None,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Share of each coordinate's strength that holding the loads takes: 1 is all of it.

    Parameters
    ----------
    model : Model
        The robot.
    q : array_like, shape (..., nq)
        Configurations, radians and meters.
    loads : dict of frame to float or array_like (..., 6)
        As for `static_torques`.
    limits : array_like (nv,) or (2, nv), dict of joint to float, optional
        As for `torque_limits`.
    gravity, payload, out, threads
        See `handik.model.dynamics.Dynamics`.

    Returns
    -------
    ndarray, shape (..., nv)
        0 where there is no limit; infinite where the limit is 0 and more than 1e-12 N m is needed.

    Raises
    ------
    ArgumentError, NotFoundError
        As for `static_torques` and `torque_limits`.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.model.dynamics.statics import strength_share
    >>> push = {"tip": [0.0, -10.0, 0.0, 0.0, 0.0, 0.0]}
    >>> strength_share(hk.chain([1.0]), [0.0], push, limits=[40.0])
    array([0.25])
    """
    is_model(model)
    low, high = torque_limits(model, limits)
    tau = static_torques(
        model, q, loads, gravity=gravity, payload=payload, out=out, threads=threads
    )
    limit = np.where(tau < 0, -low, high) + 0.0  # no strength is 0.0, never -0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(np.abs(tau) <= np.where(limit == 0, _ROUNDING, 0.0), 0.0, abs(tau) / limit)
    tau[...] = np.where(limit < 0, np.inf, share)  # `out`, where it was given
    return tau


def reachable_force(
    model: Model,
    q: ArrayLike,
    frame: str | int | None = None,
    direction: ArrayLike = (0.0, 0.0, 1.0),
    limits: Limits = None,
    *,
    gravity: Sequence[float] = GRAVITY,
    payload: Mapping[Any, Any] | None = None,
    threads: int = 1,
) -> ReachableForce:
    """Largest force that a frame can exert along a direction, at rest, within torque limits.

    Parameters
    ----------
    model : Model
        The robot or person.
    q : array_like, shape (..., nq)
        Posture.
    frame : str or int, optional
        The frame that pushes, such as a hand on a handle; the tip if not given.
    direction : array_like, shape (3,)
        Where it pushes, world axes, any length but zero.
    limits
        As for `torque_limits`.
    gravity, payload, threads
        See `handik.model.dynamics.Dynamics`; a model without mass has no weight to hold.

    Returns
    -------
    ReachableForce

    Raises
    ------
    ArgumentError
        A direction that is zero or not finite, wrong limits, no frame where there are several tips.
    NotFoundError
        No such frame.

    Notes
    -----
    Torques are linear in the push F, ``tau = g(q) + F J^T d``, so each limit gives an interval of F
    and the answer is the end of their common part. Joints that no limit binds are taken as strong
    enough, and the model as fixed where it stands on the world.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.model.dynamics.statics import reachable_force
    >>> found = reachable_force(hk.chain([2.0]), [0.0], direction=(0.0, 1.0, 0.0), limits=[10.0])
    >>> float(found.force)
    5.0
    """
    is_model(model)
    d = points_of(direction, "direction", (3,))
    if not np.any(d):
        raise ArgumentError("direction must not be all zero")
    d = d / np.abs(d).max()
    d = d / np.linalg.norm(d)
    low, high = torque_limits(model, limits)
    jacobian = model.jacobian(q, frame=frame, threads=threads)
    # a push of nothing: a model without mass holds no weight, and may push all the same
    push = {model.tip if frame is None else frame: np.zeros(6)}
    weight = model.inverse_dynamics(
        q, gravity=gravity, wrenches=push, payload=payload, actuators=False, threads=threads
    )
    pull = np.einsum("...ij,i->...j", jacobian[..., :3, :], d)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(low - weight) / pull, (high - weight) / pull])
    bound = np.abs(pull) > 1e-14 * max(model.max_reach, 1e-300)
    inside = (low <= weight) & (weight <= high)
    most = np.where(bound, ends.max(axis=0), np.where(inside, np.inf, -np.inf))
    least = np.where(bound, ends.min(axis=0), -np.inf)
    top = most.min(axis=-1, initial=np.inf)
    possible = (least.max(axis=-1, initial=-np.inf) <= top) & (top >= 0)
    force = np.where(possible, top, 0.0)
    with np.errstate(invalid="ignore"):
        tau = weight + np.where(np.isfinite(force), force, np.nan)[..., None] * pull
    names = [
        None if not np.isfinite(f) and f > 0 else _joint_of(model, int(i))
        for f, i in zip(np.ravel(top), np.ravel(most.argmin(axis=-1)), strict=True)
    ]
    holds = np.all(inside, axis=-1)
    if np.ndim(force) == 0:
        return ReachableForce(float(force), names[0], tau, bool(holds))
    return ReachableForce(force, names, tau, holds)


def _joint_of(model: Model, column: int) -> str:
    """Name of the joint that owns a coordinate of v."""
    starts = np.where(model.joint_mimic < 0, model.joint_v, -1)
    widths = np.array([_width(kind) for kind in model.joint_kinds])
    owner = np.flatnonzero((starts >= 0) & (starts <= column) & (column < starts + widths))[0]
    return str(model.joint_names[owner])
