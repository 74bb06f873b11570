"""What a link is of a body, by the names that files and figures commonly use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from handik.errors import ArgumentError, shortened
from handik.spec._given import known_name

__all__ = ["LIMBS", "ROLES", "roles_of"]

#: Names as they are commonly written, in lower case without signs, "@" standing for the side.
_NAMES = {
    "pelvis": ("hips", "pelvis", "hip", "root", "lowertorso"),
    "chest": (
        *("spine3", "spine2", "chest4", "chest3", "chest2", "upperchest", "thorax", "trunk"),
        *("chest", "spine1", "uppertorso", "t1", "torso", "spine"),
    ),
    "head": ("head",),
}
_SIDED = {
    "upper_arm": ("@arm", "@uparm", "@upperarm", "upperarm@", "@shoulder", "@humerus", "@shldr"),
    "forearm": ("@forearm", "forearm@", "@elbow", "@lowarm", "@lowerarm", "@radius"),
    "hand": ("@hand", "hand@", "@wrist"),
    "thigh": ("@upleg", "@upperleg", "@thigh", "thigh@", "@hip", "@femur"),
    "shank": ("@leg", "@lowleg", "@lowerleg", "@shin", "shank@", "@knee", "@tibia"),
    "foot": ("@foot", "foot@", "@ankle"),
}
_SIDES = {"left": ("left", "l"), "right": ("right", "r")}
ROLES = (*_NAMES, *(f"{part}_{side}" for part in _SIDED for side in _SIDES))
#: Limbs: what carries them, and their parts; each bone ends where the next begins.
LIMBS = tuple(
    tuple(f"{part}_{side}" for part in parts)
    for parts in (("upper_arm", "forearm", "hand"), ("thigh", "shank", "foot"))
    for side in _SIDES
)


def _plain(name: str) -> str:
    """Return a name without prefix and signs, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(":")[2].lower())


def roles_of(names: Iterable[str], given: Mapping[str, str] | None, what: str) -> dict[str, str]:
    """Return the frame of each role that is there.

    Raises
    ------
    ArgumentError
        When what is given is no mapping, or fits no role.
    """
    known = list(names)
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(f"{what} must be a mapping of roles to frames, got {shortened(given)}")
    plain: dict[str, str] = {}
    for name in known:
        plain.setdefault(_plain(name), name)
    found = {}
    for role in ROLES:
        part, _, side = role.rpartition("_")
        words: Iterable[str] = _NAMES.get(role, ())
        if part in _SIDED:
            words = [w.replace("@", s) for w in _SIDED[part] for s in _SIDES[side]]
        there = [plain[w] for w in words if w in plain]
        if there:
            found[role] = there[0]
    for role, name in (given or {}).items():
        known_name("role", role, ROLES)
        found[role] = known_name("frame", name, known)
    return found
