"""The doors of the report on access: who gets through which and how, with drives drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.app._report_pictures import door, framed
from handik.app._report_tables import table, word

if TYPE_CHECKING:
    from handik.app._report_words import Words
    from handik.scene.access import AtDoor, Chair

__all__ = ["AT_DOORS", "DOORS", "NONE_ASKED", "chair_of", "doors_of", "driven", "through"]

Array = NDArray[np.float64]
DOORS = "Whether the person opens each door and gets through: {}"
AT_DOORS = (
    "A yes has a drive with a hand on the leaf, a no is proved for all motions. The chair stands "
    "before the door at first; a hand takes the handle or the free edge, or pushes the leaf, all "
    "at the handle’s height; neither body nor chair stand in the arm’s way; forces are not asked."
)
NONE_ASKED = "The doors were not asked: one of them has sizes that no door has."
DRIVE = (
    "{}, from the {}: the chair (blue), the leaf (orange) and the hand (green), from dark, where "
    "the drive begins, to light."
)
NO_HAND = (
    "{}, from the {}: the chair (blue) and the leaf (orange), from dark, where the drive begins, "
    "to light."
)
STILL = "{}, from the {}: the chair where it would begin, the shut door, and what stands about it."
KINDS = {
    "manual": "manual wheelchair",
    "rear": "powered wheelchair with rear-wheel drive",
    "mid": "powered wheelchair with mid-wheel drive",
    "front": "powered wheelchair with front-wheel drive",
    "scooter": "scooter",
}


def chair_of(chair: Chair, say: Words) -> str:
    """Return a chair in words, with its sizes and how they came."""
    sizes = []
    for name in ("width", "length"):
        value, how = chair.dimensions[name]
        millimeters = say.number(1000 * value, 0)
        sizes.append(say(f"{{}} mm {'wide' if name == 'width' else 'long'} ({how})", millimeters))
    return ", ".join([say(KINDS[chair.kind]), *sizes])


def through(doors: Sequence[AtDoor], say: Words) -> list[str]:
    """Return a line of the summary on doors: of each door the worse of its two sides."""
    worst: dict[str, str] = {}
    for one in doors:
        order = ("no", "undecided", "yes")
        worst[one.door] = min(worst.get(one.door, "yes"), one.verdict, key=order.index)
    if not worst:
        return []
    of = Counter(worst.values())
    said = "Doors that the person gets through from both sides: {} of {}; not: {}; undecided: {}."
    return [say(said, of["yes"], len(worst), of["no"], of["undecided"])]


def driven(one: AtDoor) -> tuple[float | None, float | None]:
    """Return meters that the chair rolls and radians that it turns in all; None without a drive."""
    if one.found is None or not len(one.found.path):
        return None, None
    steps = np.diff(one.found.path, axis=0)
    return float(np.hypot(*steps[:, :2].T).sum()), float(np.abs(steps[:, 2]).sum())


def _how(one: AtDoor, say: Words) -> str:
    """Return what decides, or how far the chair rolls and turns."""
    if one.found is None or not len(one.found.path):
        return say.note(one.why)
    steps = np.diff(one.found.path, axis=0)
    far, turned = (value or 0.0 for value in driven(one))
    back = int((np.einsum("ij,ij->i", steps[:, :2], _ahead(one.found.path)) < -1e-9).sum())
    said = say(
        "a drive of {} m that turns by {}° in all",
        say.number(far, 1),
        say.number(np.degrees(turned), 0),
    )
    said += say(", in part backwards") if back else ""
    if one.found.door.threshold > 0:  # nobody is asked what the chair climbs
        high = say.number(1000 * one.found.door.threshold, 0)
        said += say(", over a threshold of {} mm, which the chair is taken to get over", high)
    return said


def _ahead(path: Array) -> Array:
    return np.stack([np.cos(path[:-1, 2]), np.sin(path[:-1, 2])], axis=1)


def doors_of(doors: Sequence[AtDoor] | None, chair: Chair | None, say: Words) -> list[str]:
    """Return who gets through which door, and what was taken for granted; None: it was no door."""
    title = f"<h2>{escape(say('Doors'))}</h2>"
    if doors is None:
        return [title, f"<p>{escape(say(NONE_ASKED))}</p>"]
    if not doors or chair is None:
        return []
    rows = [
        [one.door, say(f"{one.side} side"), word(one.verdict, say), _how(one, say)] for one in doors
    ]
    head = [say("door"), say("one comes from the"), say("gets through"), say("how")]
    pictures = []
    for one in doors:
        if one.found is not None:
            held = any(grasp is not None for grasp in one.found.grasps)
            said = (DRIVE if held else NO_HAND) if len(one.found.path) else STILL
            told = say(said, one.door, say(f"{one.side} side"))
            pictures.append(framed(door(one, say), told))
    return [
        title,
        table(say(DOORS, chair_of(chair, say)), head, rows),
        f'<p class="quiet">{escape(say(AT_DOORS))}</p>',
        f'<div class="people">{"".join(pictures)}</div>',
    ]
