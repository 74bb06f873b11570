"""Balance: the center of mass over the feet or the seat, as a term and as a score."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError
from handik.model import Model
from handik.people.human import Human
from handik.people.skeleton._centers import SIDES
from handik.people.skeleton._constants import constants
from handik.problem._support import hull
from handik.problem.terms import CenterOfMass
from handik.spec._given import finite_number, is_model, of_class, reals

__all__ = ["Balance", "base_of_support"]

Array = NDArray[np.float64]
#: The largest circle inside a support is larger than so many times what is farthest of it.
_THIN = 1e-12
#: Meters: farther points have squares that overflow.
_FAR = 1e140
#: The sides of a box: where they look, inward. What rounding leaves of numbers about 1.
_BOX, _ROUNDED = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), 1e-13


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


def base_of_support(person: Human, q: ArrayLike | None = None) -> Array:
    """Return the corners of both soles, seen from above: what `Balance` is over for who stands.

    Parameters
    ----------
    person : Human
    q : array_like, shape (nq,), optional
        The posture, with ``detail="full"`` of the feet too; by default the person's rest.

    Returns
    -------
    ndarray, shape (8, 2)
        Meters. Each sole is taken as a rectangle, as long as the foot and as broad as its ball, the
        heel as far behind the ankle as the skeleton has it; whether it is on the floor is not
        looked at.

    Raises
    ------
    ArgumentError
        When the shape is wrong or a number not finite.
    TypeError
        When it is no Human.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.balance import Balance, base_of_support
    >>> eva = hk.human("female", detail="full", position="standing")
    >>> stands = Balance(eva.model, base_of_support(eva))
    >>> round(stands.margin(eva.rest), 2), stands.margin(eva.posture(trunk_flexion=1.2)) < 0
    (0.05, False)
    """
    of_class("person", person, Human)
    posture = reals(person.rest if q is None else q, "q", (person.model.nq,))
    if posture.ndim != 1:
        raise ArgumentError(f"q must have shape ({person.model.nq},), got {posture.shape}")
    long, wide = (person.dimensions[n] for n in ("foot_length", "foot_breadth_horizontal"))
    rear = -constants(person.dimensions.sex)["heel_behind_ankle"] * long
    corners = [(x, y, 0.0, 1.0) for x in (rear, rear + long) for y in (-0.5 * wide, 0.5 * wide)]
    poses = [person.model.fk(posture, frame=f"foot_{side}") for side in SIDES]
    return np.concatenate([(np.array(corners) @ pose.T)[:, :2] for pose in poses])


class Balance:
    """How far the center of mass is inside its support.

    Parameters
    ----------
    model : Model
        With masses.
    over : array_like, shape (k, 2)
        Points x y of the ground or the seat, three or more not on a line; the support is their
        convex hull. Those of who stands are `base_of_support`.

    Attributes
    ----------
    corners : ndarray, shape (n, 2)
        Of the support, against the clock.

    Raises
    ------
    ArgumentError
        When the points are on a line, or not finite.
    ModelError
        When only links fixed to the world have mass.
    TypeError
        When it is no model.

    Notes
    -----
    The center of mass is that of all links with mass, those fixed to the world among them, such as
    the legs of a `handik.people.human` without ``detail="full"``; `Model.center_of_mass` is that of
    what moves. The term, which is about what moves too, has the support scaled and shifted by what
    does not, so that both say the same.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.balance import Balance
    >>> spec = hk.chain([1.0]).spec
    >>> spec.links[1].inertial = hk.spec.InertialSpec(1.0, center=[0.3, 0.0, 0.0])
    >>> stand = Balance(hk.Model(spec), [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    >>> round(float(stand.margin([0.0])), 3)
    0.2
    """

    def __init__(self, model: Model, over: ArrayLike) -> None:
        is_model(model)
        self.model = model
        points = reals(over, "over", (2,))
        if points.ndim != 2 or len(points) < 3:
            raise ArgumentError(f"over must have shape (3 or more, 2), got {points.shape}")
        self.corners = np.array(hull(points), float)
        far = np.abs(self.corners).max()
        if far > _FAR:
            raise ArgumentError(f"over must be within {_FAR:g} m, got {far:g}")
        self._most = 0.0 if len(self.corners) < 3 else self._largest()
        if self._most <= _THIN * far:
            raise ArgumentError("the points of a support must not lie on a line")
        self._share, self._still = _fixed(model)

    def __repr__(self) -> str:
        n, most = len(self.corners), self._most
        return f"Balance({self.model.name} over {n} corners, margin at most {most:.3f} m)"

    def margin(self, q: ArrayLike) -> Any:
        """Return how far the center of mass is inside the support.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        float or ndarray, shape (...)
            Meters to the nearest edge; negative outside, where the posture tips.

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        ModelError
            When nothing that moves has mass.
        """
        moving = self.model.center_of_mass(reals(q, "q", (self.model.nq,)))[..., :2]
        center = self._share * moving + self._still
        start, end = self.corners, np.roll(self.corners, -1, axis=0)
        along = end - start
        long = np.linalg.norm(along, axis=1)
        from_start = center[..., None, :] - start
        side = (along[:, 0] * from_start[..., 1] - along[:, 1] * from_start[..., 0]) / long
        inside = side.min(axis=-1)
        t = np.clip(np.sum(from_start * along, axis=-1) / long**2, 0.0, 1.0)
        away = np.linalg.norm(from_start - t[..., None] * along, axis=-1).min(axis=-1)
        found = np.where(inside >= 0, inside, -away)
        return float(found) if found.ndim == 0 else found

    def score(self, q: ArrayLike) -> Any:
        """Return how far the center of mass is from the support's safest place, 0 to 1 inside.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        float or ndarray, shape (...)
            1 minus the margin over the largest margin there is; above 1 the posture tips.

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        ModelError
            When nothing that moves has mass.
        """
        return 1.0 - self.margin(q) / self._most

    def _largest(self) -> float:
        """Return the radius of the largest circle inside the support.

        Between a few sides first, those of a box about it; then with the side besides that this
        circle is farthest over, until it is over none.
        """
        along = np.roll(self.corners, -1, axis=0) - self.corners
        normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
        normal = np.concatenate([_BOX, normal / np.linalg.norm(normal, axis=1)[:, None]])
        start = self.corners - self.corners.mean(axis=0)
        size = float(np.abs(start).max())
        start /= size
        box = np.concatenate([start.min(axis=0), -start.max(axis=0)])
        offset = np.concatenate([box, np.sum(normal[len(_BOX) :] * start, axis=1)])
        some = list(range(len(_BOX)))
        while True:
            center, r = _between(normal[some], offset[some])
            over = normal @ center - offset - r
            farthest = int(np.argmin(over))
            if over[farthest] >= -_ROUNDED or farthest in some:
                return size * r
            some.append(farthest)

    def term(self, margin: float = 0.0, **named: Any) -> CenterOfMass:
        """Return the support as a term for a solver.

        Parameters
        ----------
        margin : float
            How far inside the center of mass must stay, meters.
        **named
            Of every term: ``weight``, ``priority``, ``position_tolerance``.

        Returns
        -------
        CenterOfMass

        Raises
        ------
        ArgumentError, TypeError
            When the margin is no number, or negative.
        """
        wide = finite_number("margin", margin)
        if wide < 0:
            raise ArgumentError(f"margin must be 0 or more, got {margin!r}")
        corners = (self.corners - self._still) / self._share
        return CenterOfMass(over=corners, margin=wide / self._share, **named)


def _between(normal: Array, offset: Array) -> tuple[Array, float]:
    """Return center and radius of the largest circle between some sides; three of them hold it."""
    three = np.array(list(combinations(range(len(normal)), 3)))
    A = np.concatenate([normal[three], np.full((len(three), 3, 1), -1.0)], axis=-1)
    three, A = (one[np.abs(np.linalg.det(A)) > _ROUNDED] for one in (three, A))
    circles = np.linalg.solve(A, offset[three][..., None])[..., 0]
    inside = (circles[:, :2] @ normal.T - offset - circles[:, 2:] >= -_ROUNDED).all(axis=1)
    x, y, r = max(circles[inside].tolist(), key=lambda one: one[2], default=(0.0, 0.0, 0.0))
    return np.array([x, y]), r


def _fixed(model: Model) -> tuple[float, Array]:
    """Return the share of the mass that moves, and what the rest adds to the center of mass."""
    spec, at = model.spec, {name: k for k, name in enumerate(model.frame_names)}
    fixed, poses = {spec.root}, np.asarray(model.frames(model.rest))
    for joint in spec.ordered_joints():
        if joint.kind == "fixed" and joint.parent in fixed:
            fixed.add(joint.child)
    total, still, first = 0.0, 0.0, np.zeros(2)
    for link in spec.links:
        if link.inertial is None or link.name not in at:
            continue
        mass = link.inertial.mass
        total += mass
        if link.name in fixed:
            pose = poses[at[link.name]]
            first += mass * (pose[:3, :3] @ link.inertial.center + pose[:3, 3])[:2]
            still += mass
    if still == 0:
        return 1.0, np.zeros(2)
    if still == total:
        raise ModelError("nothing that moves has mass: there is no balance to keep")
    return 1 - still / total, first / total
