"""A verdict's reasons in both languages, from the same facts."""

from __future__ import annotations

from math import degrees, isfinite
from typing import Any

from handik.app._words import LANGUAGES, part_words
from handik.errors import HandikError
from handik.scene.access._said import SAY, reason
from handik.scene.access._why import limits_met, why_not
from handik.spec._french import French

__all__ = ["change_words", "verdict_words"]

Said = tuple[tuple[str, str], ...]

_WAYS = {"nearer": "plus près", "lower": "plus bas", "higher": "plus haut"}


def _both(en: str, fr: str) -> Said:
    return (("en", en), ("fr", fr))


_HANDS = {
    "grip_right": {"en": "the right hand", "fr": "la main droite"},
    "grip_left": {"en": "the left hand", "fr": "la main gauche"},
    "middle_tip_right": {"en": "the right hand", "fr": "la main droite"},
    "middle_tip_left": {"en": "the left hand", "fr": "la main gauche"},
}


def _joint(name: str) -> dict[str, str]:
    return _HANDS.get(name) or part_words(name)


def change_words(change: Any) -> Said:
    """Return what a change of `handik.access` is called."""
    if change.kind in _WAYS:
        amount = f"{1e3 * change.amount:.0f} mm"
        return _both(
            f"the target {amount} {change.kind}", f"la cible {amount} {_WAYS[change.kind]}"
        )
    joint = _joint(str(change.joint))
    if change.kind == "hand":
        return _both(f"{joint['en']} instead", f"{joint['fr']} à la place")
    if change.kind in ("angle", "force"):
        return _both(change.tell("en"), change.tell("fr"))
    if change.turns:
        angle = degrees(change.amount)
        return _both(
            f"{angle:.1f} degrees more of {joint['en']}",
            French("{:.1f} degrés de plus : {}").format(angle, joint["fr"]),
        )
    amount = f"{1e3 * change.amount:.0f} mm"
    return _both(f"{amount} more of {joint['en']}", f"{amount} de plus : {joint['fr']}")


def _limit(found: Any) -> Said | None:
    """Return the limit that holds the hand back most, if one does."""
    model = found._asked.model
    met = limits_met(model, found.q, found.frame, found.target)
    if not met:
        return None
    first, joint = met[0], _joint(met[0].joint)
    k = model.joint_q_slices[first.joint].start
    bound = float((model.upper if first.upper else model.lower)[k])
    if first.turns:
        size = f"{degrees(bound):.0f}"
        return _both(
            f"{joint['en']} is at its limit of {size} degrees",
            f"{joint['fr']} est à sa limite de {size} degrés",
        )
    size = f"{1e3 * bound:.0f} mm"
    return _both(
        f"{joint['en']} is at its limit of {size}", f"{joint['fr']} est à sa limite de {size}"
    )


def verdict_words(found: Any) -> Said:
    """Return the reasons of a verdict: what is short, and what holds it back or stands in the way.

    Parameters
    ----------
    found : Reach

    Returns
    -------
    tuple of (language, str)
    """
    hand = _joint(found.frame)
    low, high = (1e3 * x for x in found.short)
    if found.verdict == "yes":
        said = _both(f"{hand['en']} reaches the target", f"{hand['fr']} atteint la cible")
    elif found.verdict == "no" and found._by_obstacles:
        said = _both(why_not(found, SAY["en"]), why_not(found, SAY["fr"]))
    elif found.verdict == "no":
        more = f"{high:.0f} mm" if isfinite(high) else "?"
        said = _both(
            f"{hand['en']} stays short by {low:.0f} to {more}, whatever the posture",
            f"il manque {low:.0f} à {more} à {hand['fr']}, quelle que soit la posture",
        )
        try:
            limit = _limit(found)
        except HandikError:
            limit = None
        if limit is not None:
            said = tuple(
                (language, f"{words}: {why}" if language == "en" else f"{words} : {why}")
                for (language, words), (_, why) in zip(said, limit, strict=True)
            )
    elif found.tries:
        en, fr = (
            ", ".join(
                f"{reason(name, language)} ({count}/{found.tries})"
                for name, count in list(found.blocked.items())[:3]
            )
            for language in LANGUAGES
        )
        said = _both(
            f"no free posture was found; postures that reach touch {en}",
            f"aucune posture libre trouvée ; celles qui atteignent la cible touchent {fr}",
        )
    else:
        said = _both(
            "neither a posture nor a proof was found"
            + (f"; the nearest posture is {high:.1f} mm short" if isfinite(high) else ""),
            "ni posture ni preuve n'ont été trouvées"
            + (
                French(" ; il manque {:.1f} mm à la posture la plus proche").format(high)
                if isfinite(high)
                else ""
            ),
        )
    assert tuple(language for language, _ in said) == LANGUAGES
    return said
