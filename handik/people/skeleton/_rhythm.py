"""The shoulder rhythm: how clavicle, shoulder blade and the arm's center follow the arm.

J. H. de Groot, R. Brand, A three-dimensional regression model of the shoulder rhythm, Clin Biomech
16 (2001): the angles of clavicle and shoulder blade on the thorax are linear in plane and elevation
of the arm. Here each is a polynomial of the third degree in the arm's direction, fitted to them
where the room is, because the plane has no meaning where the arm hangs. Two lengths, of the
clavicle and from its outer end to the ball, make of them the way of the ball's center.

Three more terms, one for the arm overhead, one forward and one sideways, are solved per person so
that the reaches of the tape come out: how far shoulders give way differs between people by some 40
mm, and a straight elbow with its carrying angle makes the span of links longer than the tape's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

from handik.people.dimensions import Dimensions
from handik.people.skeleton._constants import constants
from handik.people.skeleton._own_rhythm import ANGLES, ShoulderRhythm, regression_of
from handik.people.skeleton._shoulder import BONE, arm_direction, raised, turn_about

__all__ = ["REACHES", "Rhythm", "monomials", "rhythm"]

Array = NDArray[np.float64]

#: Reach of the tape -> plane and elevation of the arm, degrees. Overhead is assumed.
REACHES = {
    "overhead_fingertip_reach_sitting": (45.0, 175.0),
    "thumbtip_reach": (90.0, 90.0),
    "span": (0.0, 90.0),
}
#: How far a shoulder gives way at most beyond the regression, meters. [A]
_MOST = 0.1
#: Person's axes (forward, left, up) from those of the regression (right, up, backward).
_TO_PERSON = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_POWERS = [p for k in range(4) for p in combinations_with_replacement(range(3), k)]
#: The same by rows of x, y, z and 1.
_FACTORS = np.array([(*p, 3, 3, 3)[:3] for p in _POWERS])


def monomials(directions: Array) -> Array:
    """Return 1, x, y, z, xx, xy ... zzz of directions, shape (..., 20)."""
    d = np.asarray(directions, float)
    d = np.concatenate([d, np.ones((*d.shape[:-1], 1))], axis=-1)
    return np.asarray(np.prod(d[..., _FACTORS], axis=-1))


class Rhythm:
    """Followers of one person's shoulder ball, as coefficients of `monomials`.

    Attributes
    ----------
    slides : ndarray (3, 20)
        Of the ball's center from where it is with hanging arms: forward, left, up, meters.
    angles : dict of str to ndarray (20,)
        Turn of each hinge of clavicle (Cy, Cz) and shoulder blade (Sy, Sz, Sx), radians.
    axes : dict of str to ndarray (3,)
        Of those hinges.
    clavicle, blade : ndarray (3,)
        Inner to outer end of the clavicle, and from there to the ball's center, arms hanging.
    """

    def __init__(
        self,
        side: float,
        table: Array,
        axes: Mapping[str, Array],
        clavicle: Array,
        blade: Array,
        more: Array,
    ) -> None:
        mirror = np.array([1.0, -side, 1.0])
        length = float(np.linalg.norm(clavicle))
        ways = length * table[:, 0:3] + table[:, 3:6] + table[:, 11:14] * more
        self.slides = ways.T * mirror[:, None]
        self.angles = dict(zip(ANGLES, table[:, 6:11].T, strict=True))
        flip = np.array([1.0, 1.0, 1.0]) if side < 0 else np.array([-1.0, 1.0, -1.0])
        self.axes = {name: axis * flip for name, axis in axes.items()}
        self.clavicle, self.blade = clavicle * mirror, blade * mirror


@lru_cache(maxsize=8)
def _axes(own: ShoulderRhythm | None) -> dict[str, Array]:
    """Return the hinges' axes on the right side, arm hanging."""
    rest = {name: radians(row[0]) for name, row in regression_of(own).items()}
    x, y, z = _TO_PERSON.T
    clavicle, blade = turn_about(y, rest["Cy"]), turn_about(y, rest["Sy"])
    tilted = blade @ turn_about(z, rest["Sz"])
    return {"Cy": y, "Cz": clavicle @ z, "Sy": y, "Sz": blade @ z, "Sx": tilted @ x}


def _clavicle_direction(own: ShoulderRhythm | None) -> Array:
    rest = {name: radians(row[0]) for name, row in regression_of(own).items()}
    x, y, z = _TO_PERSON.T
    direction: Array = turn_about(y, rest["Cy"]) @ turn_about(z, rest["Cz"]) @ x
    return direction


def _row(plane: float, elevation: float, blade: Array, own: ShoulderRhythm | None) -> list[float]:
    """Return clavicle's end for length 1, the ball's center from it, the angles and the terms."""
    moved = {
        name: radians(by_plane * plane + by_elevation * elevation)
        for name, (_, by_plane, by_elevation) in regression_of(own).items()
    }
    turns = {name: turn_about(axis, moved[name]) for name, axis in _axes(own).items()}
    clavicle = _clavicle_direction(own)
    end = turns["Cy"] @ turns["Cz"] @ clavicle - clavicle
    centre = turns["Sy"] @ turns["Sz"] @ turns["Sx"] @ blade - blade
    ahead, left, up = arm_direction(plane, elevation, -1.0)
    terms = [0.5 * ahead**2 * (1 + ahead), 0.5 * left**2 * (1 - left), 0.5 * up**2 * (1 + up)]
    return [*end, *centre, *(moved[name] for name in ANGLES), *terms]


@lru_cache(maxsize=32)
def _table(side: float, sex: str, own: ShoulderRhythm | None) -> Array:
    """Return the coefficients (20, 14) of the right side's quantities for the ball of a side."""
    if side > 0:  # its ball's frame is the mirror image: y the other way round
        odd = np.array([p.count(1) % 2 for p in _POWERS])
        mirrored: Array = np.where(odd, -1.0, 1.0)[:, None] * _table(-1.0, sex, own)
        return mirrored
    blade = _blade(sex)
    places = [(p, e) for p in range(-90, 136, 15) for e in range(15, 176, 10)]
    values = np.array([_row(p, e, blade, own) for p, e in places])
    directions = np.array([arm_direction(p, e, -1.0) for p, e in places])
    weights = np.array([np.sin(radians(e)) for _, e in places])[:, None]
    hanging = monomials(BONE @ raised(-1.0))
    # nothing moves while the arm hangs: fit what vanishes there
    design = monomials(directions @ raised(-1.0)) - hanging  # in the ball's own frame
    found: Array = np.linalg.lstsq(weights * design, weights * values, rcond=1e-9)[0]
    found[0] -= hanging @ found
    return found


@cache
def _blade(sex: str) -> Array:
    k = constants(sex)
    forward, out, down = (k[f"ac_to_shoulder_{x}"] for x in ("forward", "lateral", "down"))
    return np.array([forward, -out, -down])


def rhythm(
    d: Dimensions, at: Mapping[str, Array], side: float, own: ShoulderRhythm | None = None
) -> Rhythm:
    """Return the rhythm of a person's shoulder; `at` are the standing joint centers."""
    k = constants(d.sex)
    length = k["clavicle_length"] * d["biacromial_breadth"] / k["biacromial_mean"]
    axes, clavicle, blade = _axes(own), length * _clavicle_direction(own), _blade(d.sex)
    plain = Rhythm(-1.0, _table(-1.0, d.sex, own), axes, clavicle, blade, np.zeros(3))
    more = _give(d, at, plain)
    return Rhythm(side, _table(side, d.sex, own), axes, clavicle, blade, more)


def _give(d: Dimensions, at: Mapping[str, Array], plain: Rhythm) -> Array:
    """Return how far the right shoulder gives way forward, leftward and upward, meters."""
    shoulder = at["shoulder_right"]
    thumb, tip = (shoulder[2] - at[f"{digit}_tip_right"][2] for digit in ("thumb", "middle"))
    seat = d["stature"] - d["sitting_height"]
    way = {
        name: plain.slides @ monomials(arm_direction(*place, -1.0) @ raised(-1.0))
        for name, place in REACHES.items()
    }
    wall = constants(d.sex)["wall_behind_shoulder"]
    ahead = d["thumbtip_reach"] - (wall + way["thumbtip_reach"][0] + thumb)
    left = -(0.5 * d["span"] + shoulder[1] + way["span"][1] - tip)
    name = "overhead_fingertip_reach_sitting"
    high = -cos(radians(REACHES[name][1]))
    above = d[name] - (shoulder[2] + way[name][2] + tip * high - seat)
    up = above / (0.5 * high**2 * (1 + high))  # the arm is not quite upright
    give: Array = np.clip(np.array([ahead, left, up]), -_MOST, _MOST)
    return give
