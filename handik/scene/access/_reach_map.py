"""Where at one height a person's hands get to: what is proved out of reach, and what is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people import Human
from handik.scene.access._by_place import quickly
from handik.scene.access._verdict import Asked
from handik.spec._given import finite_number, of_class

__all__ = ["HANDS", "ReachMap", "reach_map", "said"]

Array = NDArray[np.float64]
HANDS = ("right", "left")
#: Meters: how far from the middle of the hips is looked.
FAR = 1.6
#: Meters: what is as near counts as reached.
NEAR = 1e-3
_BUDGET = 3000


@dataclass(frozen=True, eq=False)
class ReachMap:
    """Where at one height a person's hands get to. `reach_map` makes it.

    Attributes
    ----------
    height : float
        Meters over the floor.
    step : float
        Side of a square, meters.
    corner : ndarray (2,)
        x, y of the middle of the first square, in the person's axes.
    reached : ndarray of bool (2, rows, columns)
        Of the right and the left hand: the middle of the square is reached, with a posture.
        Rows go along y, columns along x.
    beyond : ndarray of bool (2, rows, columns)
        No place of the square is, proved.
    shoulder : ndarray (2, 2)
        x, y of the shoulders at rest.
    toes : float
        How far the feet stand before the middle of the hips, meters.
    person : Human

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62, position="seated")
    >>> found = hk.access.reach_map(anna, 1.0, step=0.2)
    >>> bool((found.reached & found.beyond).any())
    False
    """

    height: float
    step: float
    corner: Array
    reached: NDArray[np.bool_]
    beyond: NDArray[np.bool_]
    shoulder: Array
    toes: float
    person: Human = field(repr=False)

    @cached_property
    def fields(self) -> NDArray[np.float64]:
        """How far each middle is from what may be reached, and from what is not surely.

        (2, 2, rows, columns), meters, by hand; 0 in it.
        """
        pairs = zip(self.reached, self.beyond, strict=True)
        return np.array([[_away(~b, self.step), _away(~r, self.step)] for r, b in pairs])


def _away(there: NDArray[np.bool_], step: float) -> Array:
    """Return the distance of each square's middle from the nearest square of a set."""
    rows, columns = there.shape
    best = np.full(there.shape, inf)
    where = np.argwhere(there)
    y, x = np.mgrid[0:rows, 0:columns]
    for r, c in where:
        dy = np.maximum(np.abs(y - r) - 0.5, 0.0)
        dx = np.maximum(np.abs(x - c) - 0.5, 0.0)
        np.minimum(best, np.hypot(dx, dy), out=best)
    best[there] = 0.0
    return np.asarray(np.minimum(best, 2.0 * (rows + columns)) * step, float)


def _sides(person: Human) -> tuple[str, ...]:
    """Return the hands to be asked: of a person alike on both sides the right one alone."""
    return HANDS if person.impaired is not None else HANDS[:1]


def said(
    person: Human, hand: str, at: Array, near: float = NEAR
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which places are reached to `near` meters, and which are proved not to be."""
    asked = Asked(person.model, None, person, person.rest, near, 1, _BUDGET, 0)
    if not len(at):
        return np.zeros(0, bool), np.zeros(0, bool)
    _, _, good, no, _ = quickly(asked, f"grip_{hand}", at, 1)
    return good, no


def _mapped(
    person: Human, hand: str, height: float, step: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which squares are reached in their middles, and which are proved out of reach."""
    count = ceil(2 * FAR / (4 * step))
    beyond = np.zeros((count, count), bool)
    for size in (4 * step, 2 * step, step):
        axis = (np.arange(len(beyond)) - (len(beyond) - 1) / 2) * size
        left = np.argwhere(~beyond)
        at = np.column_stack([axis[left[:, 1]], axis[left[:, 0]], np.full(len(left), height)])
        # a "no" at this tolerance is one for the whole square
        beyond[tuple(left[said(person, hand, at, size / sqrt(2))[1]].T)] = True
        if size > step:
            beyond = beyond.repeat(2, axis=0).repeat(2, axis=1)
    left = np.argwhere(~beyond)
    at = np.column_stack([axis[left[:, 1]], axis[left[:, 0]], np.full(len(left), height)])
    reached = np.zeros(beyond.shape, bool)
    reached[tuple(left[said(person, hand, at, NEAR)[0]].T)] = True
    rim = np.ones(beyond.shape, bool)
    rim[1:-1, 1:-1] = False
    if (rim & ~beyond).any():
        raise ArgumentError(f"the hands may get farther than {FAR:g} m from the hips")
    return reached, beyond


def reach_map(person: Human, height: float, *, step: float = 0.05) -> ReachMap:
    """Map where at one height a person's hands get to, without what stands in the way.

    Parameters
    ----------
    person : Human
        As the person sits or stands; where the person has been moved to does not count.
    height : float
        Over the floor, meters.
    step : float
        Side of the last squares, meters: 0.02 to 0.2. Half as fine is four times as fast.

    Returns
    -------
    ReachMap

    Raises
    ------
    TypeError
        When `person` is none.
    ArgumentError
        When the height is no number from 0 to 3 m, or `step` is out of its range.

    Notes
    -----
    Squares four times as wide are asked first, those not proved out of reach in quarters, and
    again. A square is out of reach when its middle is proved to be by more than half its diagonal
    (`reach` with that tolerance). Of a person without impairment the left hand is the right one's
    mirror image. Neither body nor chair stand in the arm's way.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62, position="seated")
    >>> hk.access.reach_map(anna, 1.0, step=0.2).reached.shape
    (2, 16, 16)
    """
    of_class("person", person, Human)
    high = finite_number("height", height)
    if not 0 <= high <= 3:
        raise ArgumentError(f"height must be 0 to 3 m, got {high:g}")
    fine = finite_number("step", step)
    if not 0.02 <= fine <= 0.2:
        raise ArgumentError(f"step must be 0.02 to 0.2 m, got {fine:g}")
    home = person._at_origin or person
    reached, beyond = [], []
    for hand in _sides(home):
        good, out = _mapped(home, hand, high - home._lift, fine)  # over the person's own floor
        reached.append(good)
        beyond.append(out)
    if len(reached) == 1:  # y runs over rows
        reached.append(reached[0][::-1])
        beyond.append(beyond[0][::-1])
    shoulder = [home.model.fk(home.rest, frame=f"shoulder_{hand}")[:2, 3] for hand in HANDS]
    from handik.scene.access._use import toes_of

    return ReachMap(
        high,
        fine,
        np.full(2, -(reached[0].shape[0] - 1) / 2 * fine),
        np.array(reached),
        np.array(beyond),
        np.array(shoulder),
        toes_of(home),
        home,
    )
