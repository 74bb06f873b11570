"""What an impairment is, and a figure while and after it is applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees, radians
from typing import TYPE_CHECKING

import numpy as np

from handik.errors import ArgumentError
from handik.model import Model
from handik.people._narrow import Change, Direction, cut_off, hold, narrow
from handik.people._profile_file import Fact, Row
from handik.spec import ModelSpec
from handik.spec._given import choice

if TYPE_CHECKING:
    from handik.spec import JointSpec

__all__ = ["SIDES", "Impaired", "Motions", "Profile", "Work"]

SIDES = ("right", "left")
Motions = Mapping[str, Sequence[Direction]]


@dataclass(frozen=True)
class Profile:
    """An impairment: facts, and what it does to a model.

    Attributes
    ----------
    name, title : str
    rows : tuple of Row
        What it does, each with trust and source; `dataclasses.replace` gives other ones.
    facts : tuple of Fact
        What was read.
    sides : tuple of str
        ``("right",)``, ``("left",)`` or both.
    grasp : {"full", "weak", "tenodesis", "none"}
        What the hands of these sides can still do.
    severity : float
        0 healthy to 1, as the rows say.

    Examples
    --------
    >>> from handik.people.impairments import profile
    >>> c6 = profile("sci_c6")
    >>> c6.grasp, len(c6.assumptions)
    ('tenodesis', 5)
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    facts: tuple[Fact, ...] = ()
    sides: tuple[str, ...] = SIDES
    grasp: str = "full"
    severity: float = 1.0

    @property
    def assumptions(self) -> tuple[Row, ...]:
        """The rows whose numbers are assumptions."""
        return tuple(row for row in self.rows if row.assumed)

    @property
    def margin(self) -> float:
        """How far a hand may be from where it is meant to be, meters."""
        found = [row.value for row in self.rows if row.kind == "margin"]
        return self.severity * max(found, default=0.0)

    def report(self) -> str:
        """Say what is known and what is assumed, in lines.

        Returns
        -------
        str
        """
        lines = [f"{self.title} (severity {self.severity:g}; {' and '.join(self.sides)})"]
        lines += [f"  fact ({fact.trust}): {fact.text} [{fact.source}]" for fact in self.facts]
        for row in self.rows:
            word = "assumption" if row.assumed else f"fact ({row.trust})"
            lines.append(f"  {word}: {row} [{row.source}]")
        lines.append(f"  grasp: {self.grasp}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Impaired:
    """A figure with the limits that profiles leave.

    Attributes
    ----------
    spec : ModelSpec
        The changed tree.
    profiles : tuple of Profile
    changes : tuple of Change
        Every limit that became narrower.
    gone : tuple of str
        Links and frames that are missing.
    lacking : tuple of str
        What the profiles say of motions and joints that this figure does not have.
    healthy : ModelSpec
        The tree as it was.
    motions : mapping
        What each clinical motion is in this figure.
    strength : dict of str to float
        Share of the healthy strength by motion with its side; 0: gravity alone.
    """

    spec: ModelSpec
    profiles: tuple[Profile, ...]
    changes: tuple[Change, ...]
    gone: tuple[str, ...]
    lacking: tuple[str, ...]
    healthy: ModelSpec
    motions: Motions
    strength: dict[str, float]

    @property
    def model(self) -> Model:
        """The figure as a model that knows its profiles, for `sensitivity`."""
        made = Model(self.spec)
        setattr(made, "_impaired", self)  # noqa: B010 - a model takes private marks
        return made

    @property
    def margin(self) -> float:
        """How far a hand may be from where it is meant to be, meters."""
        return max((one.margin for one in self.profiles), default=0.0)

    def grasp(self, side: str) -> str:
        """Tell what a hand can still do.

        Parameters
        ----------
        side : {"right", "left"}

        Returns
        -------
        str
            ``"full"``, ``"weak"``, ``"tenodesis"`` (the fingers close as the wrist is extended) or
            ``"none"``: the least that one of the profiles leaves.

        Raises
        ------
        ArgumentError
            When `side` is another word.
        """
        choice("side", side, SIDES)
        order = ("none", "tenodesis", "weak", "full")
        held = [one.grasp for one in self.profiles if side in one.sides]
        return min(held, key=order.index, default="full")

    def report(self) -> str:
        """Say what is known, what is assumed and what was changed, in lines.

        Returns
        -------
        str
        """
        lines = [one.report() for one in self.profiles]
        for one in self.changes:
            width = f"{degrees(one.before):.0f} to {degrees(one.after):.0f} deg"
            word = "assumption" if one.trust == "assumption" else "fact"
            lines.append(f"  {one.motion} ({one.joint}): {width} ({word})")
        lines += [f"  not in this figure: {what}" for what in self.lacking]
        if self.gone:
            lines.append("  missing: " + ", ".join(self.gone))
        return "\n".join(lines)


#: Least extension of the wrist that closes the fingers of a tenodesis grasp, degrees. Assumption.
TENODESIS = 30.0


class Work:
    """A tree while profiles are applied to it."""

    def __init__(self, spec: ModelSpec, motions: Motions) -> None:
        self.spec, self.motions = spec, motions
        self.joints: dict[str, JointSpec] = {joint.name: joint for joint in spec.joints}
        self.changes: list[Change] = []
        self.gone: list[str] = []
        self.lacking: list[str] = []
        self.strength: dict[str, float] = {}
        self.hits = 0

    def groups(self, what: str, sides: Sequence[str]) -> list[tuple[str, Sequence[Direction]]]:
        """Directions of a motion on each side, or of one without sides."""
        found = []
        for name in (what, *(f"{what} {side}" for side in sides)):
            group = self.motions.get(name)
            if group is not None and all(one.joint in self.joints for one in group):
                found.append((name, group))
        if not found:
            self.lacking.append(what)
        self.hits += len(found)
        return found

    def take(self, one: Profile) -> None:
        if not one.severity:
            return
        for row in one.rows:
            if row.kind == "limit":
                self.limit(row, one)
            elif row.kind == "strength":
                for name, _ in self.groups(row.what, one.sides):
                    left = 1 + one.severity * (row.value - 1)
                    self.strength[name] = min(left, self.strength.get(name, 1.0))
            elif row.kind == "fixed":
                for motion, angle in row.value.items():
                    self.fix(row, motion, angle, one)
            elif row.kind == "missing":
                self.cut(row, one)

    def limit(self, row: Row, one: Profile) -> None:
        for name, group in self.groups(row.what, one.sides):
            copies = {way.joint: self.joints[way.joint].copy() for way in group}
            most = None if row.share else radians(row.value)
            full = narrow(copies, group, most, row.value if row.share else 1.0)
            wanted = sum(after for _, _, after in full)
            healthy = sum(before for _, before, _ in full)
            if wanted >= healthy:
                continue
            if one.severity < 1 and np.isfinite(healthy):
                wanted = healthy + one.severity * (wanted - healthy)
            for joint, before, after in narrow(self.joints, group, wanted, 1.0):
                self.changes.append(Change(name, joint, before, after, row.trust, row.source))

    def fix(self, row: Row, motion: str, angle: float, one: Profile) -> None:
        for name, group in self.groups(motion, one.sides):
            if len(group) != 1 or self.joints[group[0].joint].kind == "ball":
                raise ArgumentError(f"{motion} is not the motion of one hinge: it cannot be fixed")
            joint = self.joints[group[0].joint]
            low, high, least, most = hold(joint, group[0], radians(angle), one.severity)
            for before, after in ((low, least), (high, most)):
                if after != before:
                    self.changes.append(
                        Change(name, joint.name, before, after, row.trust, row.source)
                    )

    def cut(self, row: Row, one: Profile) -> None:
        for _, group in self.groups(row.what, one.sides):
            self.gone += cut_off(self.spec, self.joints[group[0].joint])
            self.joints = {joint.name: joint for joint in self.spec.joints}

    def grasp(self, one: Profile) -> None:
        if one.grasp == "none":
            raise ArgumentError(f"{one.title}: these hands cannot grasp")
        if one.grasp != "tenodesis":
            return
        for name, group in self.groups("wrist extension", one.sides):
            if len(group) != 1 or self.joints[group[0].joint].kind == "ball":
                raise ArgumentError("wrist extension is not the motion of one hinge")
            joint, sense = self.joints[group[0].joint], group[0].sense
            (lower,), (upper,) = joint.limits()
            before, least = (lower, upper)[sense < 0], sense * radians(TENODESIS)
            if not lower <= least <= upper:
                raise ArgumentError(f"{one.title}: the wrist cannot be extended enough to grasp")
            if sense > 0:
                joint.lower = max(lower, least)
            else:
                joint.upper = min(upper, least)
            self.changes.append(
                Change(name, joint.name, before, least, "assumption", "tenodesis grasp")
            )
