"""RULA and REBA of a person's posture: the angles an observer would read, from the figure."""

from __future__ import annotations

from math import radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.people.human import Human
from handik.people.posture_scores import PostureScore, reba, rula
from handik.spec._given import choice, finite_number, of_class, reals

__all__ = ["clinical_angles", "reba_of", "rula_of"]

Array = NDArray[np.float64]

#: Assumptions of what an observer ticks: bent, twisted or abducted from here (an arm from
#: where it rests); a forearm near the end of its twist from this share of the range; a hand so far
#: outside the shoulder.
NOTICED, END_OF_TWIST, OUT = radians(10), 0.8, 0.1


def _between(a: Array, b: Array) -> Array:
    """Return the angles between unit vectors; a straight joint is at 0 to rounding."""
    apart, sum_ = (np.linalg.norm(x, axis=-1) for x in (a - b, a + b))
    return np.asarray(2 * np.arctan2(apart, sum_))


def clinical_angles(person: Human, q: ArrayLike, side: str = "right") -> dict[str, Any]:
    """Read the angles of a posture as a clinician would, from how the segments are turned.

    Parameters
    ----------
    person : Human
    q : array_like, shape (..., nq)
        Postures of `person.model`.
    side : {"right", "left"}
        Of the arm and leg.

    Returns
    -------
    dict of str to float or ndarray, shape (...)
        Radians: ``trunk``, ``trunk_bend``, ``trunk_twist`` (against the vertical, of the twist
        against the pelvis), ``neck``, ``neck_bend``, ``neck_twist`` (head against thorax),
        ``upper_arm``, ``abduction`` (against the thorax), ``elbow``, ``wrist``,
        ``wrist_deviation``, ``forearm_twist``, ``knee``; flexion, a bend to the right, a twist to
        the left, ulnar deviation and pronation are positive. Meters: ``across``, how far the wrist
        is beyond the midline, ``out``, how far outside the shoulder.

    Raises
    ------
    ArgumentError
        When `side` is another word, or a number not finite.
    NotFoundError
        When the person has no arm on that side.
    TypeError
        When `person` is no Human.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female")
    >>> q = anna.posture(elbow_flexion_right=1.0, trunk_flexion=0.2)
    >>> found = hk.people.clinical_angles(anna, q)
    >>> round(found["elbow"], 3), round(found["trunk"], 3)
    (1.0, 0.2)
    """
    of_class("person", person, Human)
    choice("side", side, ("right", "left"))
    model = person.model
    rows = reals(q, "q", (model.nq,))
    sign = 1.0 if side == "right" else -1.0

    def turn(frame: str) -> Array:
        return np.asarray(model.fk(rows, frame=frame)[..., :3, :3])

    def place(frame: str) -> Array:
        return np.asarray(model.fk(rows, frame=frame)[..., :3, 3])

    def seen(base: Array, other: Array) -> Array:
        return np.asarray(np.swapaxes(base, -1, -2) @ other)

    pelvis, thorax = turn("pelvis"), turn("thorax")
    ahead = pelvis[..., :, 0] * [1, 1, 0]
    ahead = ahead / np.linalg.norm(ahead, axis=-1)[..., None]
    left = np.stack([-ahead[..., 1], ahead[..., 0], np.zeros(ahead.shape[:-1])], axis=-1)
    up = thorax[..., :, 2]
    neck, arm = seen(thorax, turn("head")), seen(thorax, turn(f"upper_arm_{side}"))
    chest = seen(pelvis, thorax)
    upper, lower = turn(f"upper_arm_{side}"), turn(f"forearm_{side}")
    hand, twist = seen(lower, turn(f"hand_{side}")), seen(turn(f"ulna_{side}"), lower)
    wrist = np.einsum("...ji,...j->...i", thorax, place(f"wrist_{side}") - place("neck"))
    shoulder = np.einsum("...ji,...j->...i", thorax, place(f"shoulder_{side}") - place("neck"))
    found = {
        "trunk": np.arctan2(np.sum(up * ahead, axis=-1), up[..., 2]),
        "trunk_bend": -np.arcsin(np.clip(np.sum(up * left, axis=-1), -1, 1)),
        "trunk_twist": np.arctan2(chest[..., 1, 0], chest[..., 0, 0]),
        "neck": np.arctan2(neck[..., 0, 2], neck[..., 2, 2]),
        "neck_bend": -np.arcsin(np.clip(neck[..., 1, 2], -1, 1)),
        "neck_twist": np.arctan2(neck[..., 1, 0], neck[..., 0, 0]),
        "upper_arm": np.arctan2(-arm[..., 0, 2], arm[..., 2, 2]),
        "abduction": np.arcsin(np.clip(sign * arm[..., 1, 2], -1, 1)),
        "elbow": _between(upper[..., 2], lower[..., 2]),
        "wrist": np.arctan2(-sign * hand[..., 1, 2], hand[..., 2, 2]),
        "wrist_deviation": np.arcsin(np.clip(hand[..., 0, 2], -1, 1)),
        "forearm_twist": sign * np.arctan2(twist[..., 1, 0], twist[..., 0, 0]),
        "knee": _between(turn(f"thigh_{side}")[..., 2], turn(f"shank_{side}")[..., 2]),
        "across": sign * wrist[..., 1],
        "out": -sign * (wrist[..., 1] - shoulder[..., 1]),
    }
    return {name: float(x) if x.ndim == 0 else x for name, x in found.items()}


def _ticked(person: Human, angle: dict[str, Any], side: str, noticed: float) -> dict[str, Any]:
    """Return what an observer would tick."""
    at = person.model.joint_q_slices[f"forearm_pronation_{side}"].start
    low, high = float(person.model.lower[at]), float(person.model.upper[at])
    twist = np.asarray(angle["forearm_twist"])
    near = np.where(twist > 0, twist >= END_OF_TWIST * high, twist <= END_OF_TWIST * low)
    beyond = {name: np.abs(np.asarray(x)) > noticed for name, x in angle.items()}
    beside = clinical_angles(person, person.rest, side)["abduction"]
    return {
        "abducted": np.asarray(angle["abduction"]) - max(beside, 0.0) > noticed,
        "across": (np.asarray(angle["across"]) > 0) | (np.asarray(angle["out"]) > OUT),
        "deviated": beyond["wrist_deviation"],
        "end_of_twist": near & (twist != 0),
        **{name: beyond[name] for name in ("neck_twist", "neck_bend", "trunk_twist", "trunk_bend")},
    }


def _whole(x: Any) -> Any:
    """Angles to 1e-9 degrees: a joint at rest is at 0, and not at rounding beside it."""
    return np.round(np.asarray(x), 11) + 0.0


def noticed_from(value: float) -> float:
    """Return the angle from which on something is noticed, radians."""
    found = finite_number("noticed", value)
    if not found >= 0:
        raise ArgumentError(f"noticed must be 0 or more, radians, got {value!r}")
    return found


def rula_of(
    person: Human, q: ArrayLike, side: str = "right", *, noticed: float = NOTICED, **observed: Any
) -> PostureScore:
    """Rate a person's posture by RULA.

    Parameters
    ----------
    person : Human
    q : array_like, shape (..., nq)
        Postures of `person.model`.
    side : {"right", "left"}
        Of the arm.
    noticed : float
        From which angle on something is bent, twisted or abducted, radians; the arm from where it
        rests beside the body. An assumption, as the sheet has no number.
    **observed
        What a figure does not show, or what you see otherwise: the keywords of `rula`, such as
        ``load``, ``shoulder_raised``, ``arm_supported``, ``trunk_supported``.

    Returns
    -------
    PostureScore

    Raises
    ------
    ArgumentError
        As `clinical_angles` and `rula`.
    NotFoundError
        When the person has no arm on that side.
    TypeError
        When `person` is no Human, or a keyword is none of `rula`.

    Notes
    -----
    A hand counts as out to the side 0.1 m outside the shoulder, a forearm as near the end of its
    twist from 0.8 of its range: assumptions. `clinical_angles` has the angles.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female")
    >>> hk.people.rula_of(anna, anna.posture(elbow_flexion_right=1.4)).score
    1
    """
    line = noticed_from(noticed)
    angle = clinical_angles(person, q, side)
    tick = _ticked(person, angle, side, line)
    given = {name: _whole(angle[name]) for name in ("upper_arm", "elbow", "wrist", "neck", "trunk")}
    given |= {
        "arm_abducted": tick["abducted"],
        "arm_across_or_out": tick["across"],
        "wrist_deviated": tick["deviated"],
        "wrist_twisted": tick["end_of_twist"],
        "neck_twisted": tick["neck_twist"],
        "neck_bent": tick["neck_bend"],
        "trunk_twisted": tick["trunk_twist"],
        "trunk_bent": tick["trunk_bend"],
    }
    return rula(**(given | observed))


def reba_of(
    person: Human, q: ArrayLike, side: str = "right", *, noticed: float = NOTICED, **observed: Any
) -> PostureScore:
    """Rate a person's posture by REBA.

    Parameters
    ----------
    person : Human
    q : array_like, shape (..., nq)
        Postures of `person.model`.
    side : {"right", "left"}
        Of the arm and the leg.
    noticed : float
        From which angle on something is bent, twisted or abducted, radians; the arm from where it
        rests beside the body. An assumption, as the sheet has no number.
    **observed
        What a figure does not show, or what you see otherwise: the keywords of `reba`, such as
        ``load``, ``coupling``, ``static``. `sitting` is that of the person's position.

    Returns
    -------
    PostureScore

    Raises
    ------
    ArgumentError
        As `clinical_angles` and `reba`.
    NotFoundError
        When the person has no arm on that side.
    TypeError
        When `person` is no Human, or a keyword is none of `reba`.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female")
    >>> bent = anna.posture(elbow_flexion_right=1.4, trunk_flexion=0.5)
    >>> hk.people.reba_of(anna, bent, load=12).score
    3
    """
    line = noticed_from(noticed)
    angle = clinical_angles(person, q, side)
    tick = _ticked(person, angle, side, line)
    names = ("upper_arm", "elbow", "wrist", "neck", "trunk", "knee")
    given = {name: _whole(angle[name]) for name in names}
    given |= {
        "neck_twisted_or_bent": tick["neck_twist"] | tick["neck_bend"],
        "trunk_twisted_or_bent": tick["trunk_twist"] | tick["trunk_bend"],
        "arm_abducted_or_rotated": tick["abducted"],
        "wrist_deviated_or_twisted": tick["deviated"] | tick["end_of_twist"],
        "sitting": person.position == "seated",
    }
    return reba(**(given | observed))
