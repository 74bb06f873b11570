"""Static effort: what holding a posture takes of each joint's strength; a term and a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.model.dynamics._kinds import GRAVITY
from handik.model.dynamics.loads import by_frame
from handik.model.dynamics.statics import strength_share, torque_limits
from handik.problem.terms import Term
from handik.spec import MimicSpec, ModelSpec
from handik.spec._given import finite_number, is_model, known_name, of_class, reals

if TYPE_CHECKING:
    from handik.people.impairments import Impaired

__all__ = ["Effort", "WithinStrength"]

Array = NDArray[np.float64]
Strength = Mapping[str, float | Sequence[float]]

#: What a kilogram weighs, newtons: as the models' gravity.
_WEIGHT = -GRAVITY[2]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


@dataclass(frozen=True)
class _Torque:
    """Row of the term: a hinge, what hangs below it, and its limits."""

    joint: str
    frame: int
    axis: tuple[float, float, float]
    masses: tuple[tuple[int, float, tuple[float, float, float]], ...]
    low: float
    high: float
    scale: float


@dataclass(frozen=True, eq=False, kw_only=True)
class WithinStrength(Term):
    """Hinges are strong enough to hold what hangs below them: no columns.

    The residual of each is its excess torque over the weight below it, meters of lever, zero where
    the strength suffices. `Effort.term` makes it.

    Attributes
    ----------
    torques : tuple
        The hinges, as `Effort.term` finds them.
    of : tuple of str
        Links whose poses it needs.
    """

    torques: tuple[Any, ...] = field(default=())
    of: tuple[str, ...] = ()

    rows = 1

    def __post_init__(self) -> None:
        """Tell the library how many rows and which frames there are."""
        object.__setattr__(self, "rows", len(self.torques))
        object.__setattr__(self, "frames", self.of)

    def residual(self, poses: Array, target: Array) -> list[float]:
        """Return the excess of each hinge.

        Parameters
        ----------
        poses : ndarray, shape (n, 4, 4)
            Of the links.
        target : ndarray, shape (0,)
            Nothing.

        Returns
        -------
        list of float
            Meters: torque beyond the strength over the weight that hangs there.
        """
        found = []
        for one in self.torques:
            torque = self._torque(one, poses)[0]
            found.append((max(0.0, torque - one.high) + min(0.0, torque - one.low)) / one.scale)
        return found

    def jacobian(self, poses: Array, target: Array) -> Array:
        """Return its derivative by the motion of the links.

        Parameters
        ----------
        poses : ndarray, shape (n, 4, 4)
            Of the links.
        target : ndarray, shape (0,)
            Nothing.

        Returns
        -------
        ndarray, shape (rows, n, 6)
        """
        out = np.zeros((len(self.torques), len(poses), 6))
        for row, one in enumerate(self.torques):
            torque, axis, moment = self._torque(one, poses)
            if one.low <= torque <= one.high:
                continue
            for at, mass, center in one.masses:
                pull = np.cross([0.0, 0.0, mass * _WEIGHT], axis) / one.scale
                out[row, at, :3] += pull
                out[row, at, 3:] += np.cross(poses[at, :3, :3] @ center, pull)
                out[row, one.frame, :3] -= pull
            out[row, one.frame, 3:] += np.cross(axis, moment) / one.scale
        return out

    def _torque(self, one: _Torque, poses: Array) -> tuple[float, Array, Array]:
        """Torque that holds, the axis, and the moment of the weights about the hinge."""
        axis = poses[one.frame, :3, :3] @ np.asarray(one.axis)
        moment = np.zeros(3)
        for at, mass, center in one.masses:
            lever = poses[at, :3, :3] @ center + poses[at, :3, 3] - poses[one.frame, :3, 3]
            moment += np.cross(lever, [0.0, 0.0, mass * _WEIGHT])
        return float(axis @ moment), axis, moment


class Effort:
    """Static effort of postures: torques that hold the body and loads, over strengths.

    Parameters
    ----------
    model : Model
        With masses.
    strength : mapping of joint name to float or (float, float), optional
        Newton meters either way, or against and along the joint's positive sense. By default the
        efforts of the model's joints. A joint that is not named has no limit, and no share.
    loads : mapping of frame to float, optional
        Kilograms held at frames.
    impaired : Impaired, optional
        What is left of the strength of its motions: with 0 left of "elbow extension" the elbow is
        held out by gravity alone. It acts on hinges; see `not_applied`.

    Attributes
    ----------
    limits : ndarray, shape (2, nv)
        Lowest and highest torque of each coordinate, newton meters.
    not_applied : tuple of str
        Motions of the profile that are of balls, or of no joint of this model: their strength is
        not looked at.

    Raises
    ------
    NotFoundError
        When there is no such joint or frame.
    ArgumentError
        When a strength or load is negative or no number, or the model has no mass.
    TypeError
        When it is no model, or `strength` no mapping.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.effort import Effort
    >>> spec = hk.chain([0.3], axis=(0.0, -1.0, 0.0)).spec
    >>> spec.links[1].inertial = hk.spec.InertialSpec(2.0, center=[0.15, 0.0, 0.0])
    >>> arm = Effort(hk.Model(spec), {"joint_1": 30.0}, loads={"tip": 1.0})
    >>> round(arm.shares([0.0])["joint_1"], 3), arm.holds([0.0])
    (0.196, True)
    """

    def __init__(
        self,
        model: Model,
        strength: Strength | None = None,
        *,
        loads: Mapping[str, float] | None = None,
        impaired: Impaired | None = None,
    ) -> None:
        is_model(model)
        self.model = model
        self.loads = dict(by_frame("loads", {} if loads is None else loads))
        for name, mass in self.loads.items():
            known_name("frame", name, model.frame_names)
            if finite_number(f"the load at {name!r}", mass) < 0:
                raise ArgumentError(f"the load at {name!r} must be 0 kg or more, got {mass!r}")
        self.limits = _limits(model, strength)
        self.not_applied: tuple[str, ...] = ()
        if impaired is not None:
            self._weaken(impaired)
        self._joint_of = _joints_of(model)
        self.shares(model.rest)  # a model without mass is told now

    def __repr__(self) -> str:
        known = np.isfinite(self.limits[0]) | np.isfinite(self.limits[1])
        strong = len({name for name, one in zip(self._joint_of, known, strict=True) if one})
        loads = "".join(f", {mass:g} kg at {name}" for name, mass in self.loads.items())
        joints = len(set(self._joint_of) - {""})
        return f"Effort({self.model.name}, strength of {strong} of {joints} joints{loads})"

    def _weaken(self, impaired: Impaired) -> None:
        from handik.people.impairments import Impaired

        of_class("impaired", impaired, Impaired)
        starts = _starts(self.model)
        left_out = []
        for name, share in impaired.strength.items():
            group = impaired.motions.get(name, ())
            hinges = [one for one in group if one.toward is None]
            ways = [one for one in hinges if starts.get(one.joint, (0, 0))[1] == 1]
            if not ways or len(ways) < len(group):
                left_out.append(name)
            for one in ways:
                at = (int(one.sense > 0), starts[one.joint][0])
                # none of a strength without limit is none, and not 0 * infinity
                self.limits[at] = self.limits[at] * share if share else 0.0
        self.not_applied = tuple(left_out)

    def _all_shares(self, q: ArrayLike) -> Array:
        return strength_share(self.model, reals(q, "q", (self.model.nq,)), self.loads, self.limits)

    def shares(self, q: ArrayLike) -> dict[str, Any]:
        """Return what each joint with a limit gives of its strength.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        dict of str to float or ndarray, shape (...)
            1 is all of it; infinite where there is none and some is needed. Of joints with several
            coordinates the largest.

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        all_ = self._all_shares(q)
        bound = [bool(np.isfinite(pair).any()) for pair in self.limits.T]
        found = {}
        for name in dict.fromkeys(n for n, b in zip(self._joint_of, bound, strict=True) if b):
            own = all_[..., np.array(self._joint_of) == name].max(axis=-1)
            found[name] = float(own) if own.ndim == 0 else own
        return found

    def score(self, q: ArrayLike) -> Any:
        """Return the sum of the squared shares: the static effort.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        float or ndarray, shape (...)

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        found = np.sum(self._all_shares(q) ** 2, axis=-1)
        return float(found) if found.ndim == 0 else found

    def holds(self, q: ArrayLike) -> Any:
        """Tell whether every joint is strong enough to hold the posture.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        bool or ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        found = (self._all_shares(q) <= 1.0 + 1e-9).all(axis=-1)
        return bool(found) if found.ndim == 0 else found

    def term(self, **named: Any) -> WithinStrength:
        """Return the limits of the hinges as a term: a solver then keeps to postures they hold.

        Parameters
        ----------
        **named
            Of every term: ``weight``, ``priority``, ``position_tolerance``.

        Returns
        -------
        WithinStrength

        Raises
        ------
        ArgumentError
            When no hinge that carries something has a limit, or the figure has too many links for
            a term: 16 that carry mass.

        Notes
        -----
        Balls, and hinges that others follow, as a spine's, are left out: see `shares` for them.
        A solver keeps to it within the term's tolerance, meters of lever: by about a thousandth of
        a newton meter a posture may need more than a hinge has, of which `holds` says no.
        """
        rows, links = _torque_rows(self)
        if not rows:
            raise ArgumentError("no hinge that carries something has a limit of strength")
        if len(links) > 16 or len(rows) > 32:
            raise ArgumentError(
                f"a term takes 16 links and 32 hinges, got {len(links)} and {len(rows)}: "
                "name fewer joints in strength"
            )
        return WithinStrength(torques=tuple(rows), of=tuple(links), **named)


def _limits(model: Model, strength: Strength | None) -> Array:
    if strength is None:
        return torque_limits(model).copy()
    if not isinstance(strength, Mapping):
        raise TypeError(f"strength must be a mapping of joint names, got {strength!r}")
    starts = _starts(model)
    out = np.full((2, model.nv), [[-inf], [inf]])
    for name, value in strength.items():
        v, width = starts[known_name("joint", name, starts)]
        pair = reals(value, f"strength of {name!r}", (), finite=False)
        if pair.shape not in ((), (2,)) or not (pair >= 0).all():
            raise ArgumentError(
                f"strength of {name!r} is one or two numbers of 0 or more, got {value!r}"
            )
        back, along = np.broadcast_to(pair, 2)
        out[0, v : v + width], out[1, v : v + width] = -back, along
    return out


def _starts(model: Model) -> dict[str, tuple[int, int]]:
    """First coordinate of v and how many of each joint that has its own."""
    found, ends = {}, sorted({int(v) for v in model.joint_v if v >= 0} | {model.nv})
    for name, v in zip(model.joint_names, model.joint_v, strict=True):
        if name in model.joint_q_slices:
            found[name] = (int(v), ends[ends.index(int(v)) + 1] - int(v))
    return found


def _joints_of(model: Model) -> list[str]:
    names = [""] * model.nv
    for name, (v, width) in _starts(model).items():
        names[v : v + width] = [name] * width
    return names


def _torque_rows(effort: Effort) -> tuple[list[_Torque], list[str]]:
    """Rows of the term, and the links they need."""
    spec = effort.model.spec
    carried = _carried(effort)
    followed = {j.mimic.joint for j in spec.joints if type(j.mimic) is MimicSpec}
    starts = _starts(effort.model)
    links: list[str] = []
    rows: list[_Torque] = []

    def index(link: str) -> int:
        if link not in links:
            links.append(link)
        return links.index(link)

    for joint in spec.joints:
        if joint.name not in starts or joint.kind not in ("revolute", "continuous"):
            continue
        low, high = effort.limits[:, starts[joint.name][0]]
        masses = [
            (link, *one) for link in _below(spec, joint.child) for one in carried.get(link, [])
        ]
        bound = np.isfinite(low) or np.isfinite(high)
        if not (bound and masses) or joint.name in followed:
            continue
        axis = np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
        x, y, z = (float(c) for c in axis)
        rows.append(
            _Torque(
                joint.name,
                index(joint.child),
                (x, y, z),
                tuple((index(link), mass, center) for link, mass, center in masses),
                float(low),
                float(high),
                sum(mass for _, mass, _ in masses) * _WEIGHT,
            )
        )
    return rows, links


def _carried(effort: Effort) -> dict[str, list[tuple[float, tuple[float, float, float]]]]:
    """Masses and their places on each link, loads among them."""
    spec = effort.model.spec
    found: dict[str, list[tuple[float, tuple[float, float, float]]]] = {}
    for link in spec.links:
        if link.inertial is not None and link.inertial.mass > 0:
            x, y, z = (float(c) for c in link.inertial.center)
            found.setdefault(link.name, []).append((link.inertial.mass, (x, y, z)))
    places = {frame.name: (frame.link, frame.placement[:3, 3]) for frame in spec.frames}
    for name, mass in effort.loads.items():
        on, at = places.get(name, (name, np.zeros(3)))
        x, y, z = (float(c) for c in at)
        found.setdefault(on, []).append((float(mass), (x, y, z)))
    return found


def _below(spec: ModelSpec, link: str) -> list[str]:
    """Return a link and all that hangs on it."""
    children: dict[str, list[str]] = {}
    for joint in spec.joints:
        children.setdefault(joint.parent, []).append(joint.child)
    found, todo = [], [link]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found
