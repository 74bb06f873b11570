"""Impairments: what a person with one keeps and loses, as limits of a model.

A profile is read from a TOML file (handik's own is ``handik/data/people/impairments.toml``); its
facts, which were read somewhere, and its assumptions, which make a model of them, stand apart and
stay apart in every report. `apply` narrows the limits of a figure by it, `sensitivity` says which
of them decided an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handik.errors import ArgumentError, name_not_found
from handik.people._decided import Sensitivity, Trial, sensitivity
from handik.people._impaired import SIDES, Impaired, Motions, Profile, Work
from handik.people._motions import motions_of
from handik.people._narrow import Change, Direction
from handik.people._profile_file import Fact, Row, profile_table, rows_of
from handik.spec import ModelSpec
from handik.spec._given import choice, finite_number, flag, of_class

__all__ = [
    "Change",
    "Direction",
    "Fact",
    "Impaired",
    "Profile",
    "Row",
    "Sensitivity",
    "Trial",
    "apply",
    "combine",
    "profile",
    "profiles",
    "sensitivity",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


def profiles(path: Any = None) -> tuple[str, ...]:
    """Return the names of the profiles of a file.

    Parameters
    ----------
    path : path, optional
        A TOML file; handik's own by default.

    Returns
    -------
    tuple of str

    Raises
    ------
    ArgumentError
        When the file is no TOML.

    Examples
    --------
    >>> from handik.people.impairments import profiles
    >>> profiles()[:3]
    ('sci_c5', 'sci_c6', 'sci_c7')
    """
    return tuple(profile_table(path))


def profile(
    name: str | Profile, *, severity: float = 1.0, side: str = "right", path: Any = None
) -> Profile:
    """Read a profile.

    Parameters
    ----------
    name : str or Profile
        One of `profiles`; a profile is returned as it is.
    severity : float
        0 healthy to 1, as the file says: limits and strengths go in proportion from one to the
        other. What is missing is missing at every severity above 0.
    side : {"right", "left"}
        Of a profile of one side.
    path : path, optional
        A TOML file of your own, in the form of handik's; see docs/impairments.md.

    Returns
    -------
    Profile

    Raises
    ------
    NotFoundError
        When the file has no such profile.
    ArgumentError
        When severity is not within 0 and 1, `side` another word, or an entry of the file wrong.

    Examples
    --------
    >>> from handik.people.impairments import profile
    >>> profile("hemiplegia", side="left", severity=0.5).sides
    ('left',)
    """
    if isinstance(name, Profile):
        return name
    share = finite_number("severity", severity)
    if not 0 <= share <= 1:
        raise ArgumentError(f"severity lies between 0 (healthy) and 1, got {severity!r}")
    choice("side", side, SIDES)
    read = rows_of(name, profile_table(path))
    return Profile(
        name,
        read["title"],
        read["rows"],
        read["facts"],
        SIDES if read["sides"] == "both" else (side,),
        read["grasp"] if share else "full",
        share,
    )


def combine(*parts: str | Profile) -> tuple[Profile, ...]:
    """Return profiles that hold together, as `apply` takes them: an older adult with one arm.

    Parameters
    ----------
    *parts : str or Profile
        One or more; a name is what `profile` reads. Where two limit the same motion, the narrower
        one holds.

    Returns
    -------
    tuple of Profile

    Raises
    ------
    ArgumentError
        When there is none.
    NotFoundError
        When there is no such profile.
    TypeError
        When one is no profile.

    Examples
    --------
    >>> from handik.people.impairments import combine, profile
    >>> len(combine(profile("older_adult"), profile("one_arm", side="left")))
    2
    """
    if not parts:
        raise ArgumentError("there is no profile to combine")
    read = [profile(one) if isinstance(one, str) else one for one in parts]
    return tuple(of_class("a profile", one, Profile) for one in read)


def apply(
    spec: ModelSpec,
    profile: str | Profile | Sequence[str | Profile],
    *,
    motions: Motions | None = None,
    grasping: bool = False,
) -> Impaired:
    """Narrow a figure's limits to those of an impairment.

    Parameters
    ----------
    spec : ModelSpec
        The healthy figure; it is left as it is.
    profile : str, Profile or sequence of these
        A name, what `profile` reads, or several that hold together, as of `combine`.
    motions : mapping of str to sequence of Direction, optional
        What each clinical motion, with its side where it has one, is in this figure:
        ``{"elbow flexion right": [Direction("joint_2")]}``; and each joint that can be fixed or
        missing by its name and side: ``{"elbow right": [...]}``. By default that of the person
        (`handik.people.human`), by the names of its joints.
    grasping : bool
        The hands hold something: a tenodesis grasp then keeps the wrist extended by 30 degrees or
        more, an assumption.

    Returns
    -------
    Impaired

    Raises
    ------
    ArgumentError
        When nothing is left of a range, a fixed joint cannot be where it is fixed, `grasping` a
        hand that cannot, or none of the profile's motions is one of this figure.
    NotFoundError
        When there is no such profile, or `motions` name a joint that is not there.
    TypeError
        When `spec` is no ModelSpec.

    Notes
    -----
    A motion made by several joints keeps their proportions. In the room of a ball a limit holds in
    the plane of its motion and opens as 1 over the cosine of the azimuth away from it, so that a
    limit of flexion leaves abduction alone.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.impairments import Direction, apply
    >>> arm = hk.chain([0.3, 0.3], lower=-2.0, upper=2.6).spec
    >>> stiff = apply(arm, "fixed_elbow", motions={"elbow flexion right": [Direction("joint_2")]})
    >>> f"{stiff.model.upper[1]:.3f}"
    '1.571'
    """
    of_class("spec", spec, ModelSpec)
    held, holds = _profiles_of(profile), flag("grasping", grasping)
    work = Work(spec.copy(), _checked_motions(spec, motions))
    for one in held:
        work.take(one)
        if holds:
            work.grasp(one)
    does = any(one.severity and row.kind != "margin" for one in held for row in one.rows)
    if does and not work.hits:
        raise ArgumentError(
            f"figure {spec.name!r} has none of the motions of {held[0].name!r}: give motions="
        )
    return Impaired(
        work.spec,
        held,
        tuple(work.changes),
        tuple(work.gone),
        tuple(dict.fromkeys(work.lacking)),
        spec.copy(),
        work.motions,
        work.strength,
    )


def _profiles_of(given: str | Profile | Sequence[str | Profile]) -> tuple[Profile, ...]:
    if isinstance(given, (str, Profile)):
        return (profile(given),)
    if isinstance(given, (tuple, list)):
        return combine(*given)
    raise TypeError(f"profile must be a name, a Profile or a tuple of them, got {given!r}")


def _checked_motions(spec: ModelSpec, motions: Motions | None) -> Motions:
    if motions is None:
        return motions_of(spec)
    if not isinstance(motions, Mapping):
        raise TypeError(f"motions must be a mapping of names to Directions, got {motions!r}")
    names = {joint.name for joint in spec.joints}
    for name, group in motions.items():
        if not isinstance(group, (list, tuple)) or not group:
            raise TypeError(f"motions[{name!r}] must be a list of Directions, got {group!r}")
        for one in group:
            if of_class(f"motions[{name!r}]", one, Direction).joint not in names:
                raise name_not_found("joint", one.joint, names)
    return motions
