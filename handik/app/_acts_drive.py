"""Actions of Handisim: a drive through the scene, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_person import is_person
from handik.app._acts_scene import unlocked
from handik.app._document import Document
from handik.app._drive import LONGEST, Ride
from handik.app._ground import outlines_of
from handik.app._words import Words
from handik.errors import ArgumentError
from handik.scene.access import passes

if TYPE_CHECKING:
    from handik.app._session import App


def seated(app: App) -> bool:
    """Tell whether the active person has a wheelchair."""
    return is_person(app) and bool(app.document.chair_given["chair"])


def legs_of(text: str) -> list[tuple[float, float, float]]:
    """Return forward, turn and seconds of each leg of a text such as ``"1 0 2; 0 0.5 1"``.

    Raises
    ------
    ArgumentError
        When it is none.
    """
    legs = []
    for part in text.split(";"):
        try:
            forward, turn, seconds = (float(word) for word in part.split())
        except ValueError:
            raise ArgumentError(
                f"a leg of a drive is forward, turn and seconds, got {part.strip()[:40]!r}"
            ) from None
        if not (abs(forward) <= 1 and abs(turn) <= 1 and 0 < seconds <= 600):
            raise ArgumentError(f"forward and turn are -1 to 1, seconds up to 600, got {part!r}")
        legs.append((forward, turn, seconds))
    return legs


@action(
    *("chair.drive", "Drive the wheelchair by a list", "Conduire le fauteuil par une liste"),
    Arg("legs", "text", Words("Forward turn seconds; …", "Avance rotation secondes ; …"), "1 0 1"),
    menu="person",
    no_key=VALUE,
    when=seated,
)
def drive(app: App, legs: str) -> Document:
    """Steer the active person's chair: forward and turn from -1 to 1, for some seconds each."""
    document = app.document
    ride = Ride(document).set_out()
    unlocked(document, [ride.at])
    for forward, turn, seconds in legs_of(legs):
        count = int(np.ceil(seconds / LONGEST - 1e-9))
        for _ in range(count):
            ride.drive(forward, turn, seconds / count)
    return driven(app, document, ride)


def driven(app: App, document: Document, ride: Ride) -> Document:
    """Return the document after a drive, and say what became of it."""
    record = ride.record()
    went = {"length": record.length, "seconds": float(record.times[-1])}
    if np.isfinite(record.clearance):
        near = {"bumps": len(record.bumps), "clearance": 1000 * record.clearance}
        app.tell("driven", **went, **near)
    else:
        app.tell("driven_alone", **went)
    return replace(ride.document(document), drive=record)


@action(
    *("chair.judge", "Can it be driven at all?", "Peut-on y aller du tout ?"),
    Arg("to", "point", Words("To, the floor", "Vers, au sol"), None, unit="m"),
    menu="person",
    no_key=VALUE,
    when=seated,
    job=True,
    kept=False,
)
def judge(app: App, to: list[float] | None) -> Document:
    """Say whether any motion of the chair leads from where the drive began to where it ended.

    Or from here to a place of the floor. A "no" is about the chair alone: what stands in the scene
    below the armrests, seen from above. On the way of a "yes" the user was looked at too.
    """
    document = app.document
    ride, record = Ride(document), document.drive
    start: Any
    if to is not None:
        start, end = ride.pose, (to[0], to[1], None)
    elif record is None or record.figure != ride.at:
        raise ArgumentError("there is no drive of the active person: say where to")
    else:
        start, end = record.poses[0], (*record.poses[-1, :2].tolist(), None)
    found = whether(ride, start, end)
    app.share(1, 1)
    app.tell(f"passing_{found}")
    return replace(document, passing=found)


def whether(ride: Ride, start: Any, end: Any) -> str:
    """Return yes, no or undecided of a chair; or user, where it is hers who is in the way.

    Parameters
    ----------
    ride : Ride
    start, end : (x, y, heading)
        Of the axle; None for a heading is any.
    """
    walls, inner = (
        [one for _, one in outlines_of(ride.scene, ride.at, inner=inner)] for inner in (False, True)
    )
    far = np.array([start[:2], end[:2], *(w for o in walls for w in o)], float)
    low, high = far.min(axis=0) - 3.0, far.max(axis=0) + 3.0
    corners = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]]
    around = [np.array([corners[k - 1], corners[k]]) for k in range(4)]
    found = passes(ride.chair, [*walls, *around], tuple(start), tuple(end))
    if found.verdict == "no":  # of round things a no asks for polygons inside them
        same = len(walls) == len(inner) and all(map(np.array_equal, walls, inner))
        sure = same or passes(ride.chair, [*inner, *around], tuple(start), tuple(end))
        return "no" if sure is True or sure.verdict == "no" else "undecided"
    if found.verdict == "yes" and not ride.user_is_free(found.path):
        return "user"
    return str(found.verdict)


@action(
    *("chair.forget", "Forget the drive", "Oublier le trajet en fauteuil"),
    menu="person",
    no_key=RARE,
    when=lambda app: app.document.drive is not None,
)
def forget(app: App) -> Document:
    """Show the drive no more."""
    return replace(app.document, drive=None, passing=None)
