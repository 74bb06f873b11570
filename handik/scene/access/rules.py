"""Rules of building codes as data, and what a scene measures against them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.scene.access import _at_doors, _at_floors, _at_parts, _at_tables
from handik.scene.access._room import Found, Room
from handik.scene.access._storeys import levels_of, lowered
from handik.scene.access._width import TooMuch
from handik.scene.document import Scene
from handik.spec._given import known_name, list_of, number, of_class, reals, text

__all__ = ["Checked", "Finding", "Rule", "check", "rules"]

Array = NDArray[np.float64]
_MEASURES: dict[str, Callable[[Room, str], list[Found] | str]] = {
    **_at_parts.MEASURES,
    **_at_tables.MEASURES,
    **_at_doors.MEASURES,
    **_at_floors.MEASURES,
}
#: Meters (or a share): a value off a limit by rounding alone meets it.
ROUNDING = 1e-6
INCH = 0.0254
#: The words for what a code advises and does not ask for, and for what a rule finds.
_ADVICE = ("recommended", "preferred")
WORDS = ("pass", "fail", "recommended, not met", "not measured")


@dataclass(frozen=True)
class Rule:
    """One number that a building code asks for. `rules` gives those there are.

    Attributes
    ----------
    id : str
    code : str
        Of which it is, such as ``"ADA2010"``.
    section, subject, condition, quantity : str
        Where in the code, of what, when, and which quantity; empty where there is none.
    op : {">=", "<=", "="}
    value : float
        Meters, a ratio, newtons, seconds, kilograms, or a count.
    inches : float or None
        The same in inches, of a code that asks in both: ADA asks for 32 inches (815 mm).
    unit : str
        ``"m"`` or the other words for these.
    measure : str
        What `check` measures for it; empty: it measures nothing.
    why : str
        Why it measures nothing.
    unless : str
        The `id` of the rule that takes its place where an exception holds; empty: there is none.
    trust : {"read", "secondary", "memory"}
        Read in its source; in a copy; or general knowledge, to be checked before any claim rests
        on it.
    source : str

    Examples
    --------
    >>> import handik as hk
    >>> rule = next(r for r in hk.access.rules("ADA2010") if r.section == "403.5.1")
    >>> rule.subject, rule.op, rule.value, rule.trust
    ('route', '>=', 0.915, 'read')
    """

    id: str
    code: str
    section: str
    subject: str
    condition: str
    quantity: str
    op: str
    value: float
    unit: str
    measure: str
    why: str
    trust: str
    source: str
    unless: str = ""
    inches: float | None = None

    @property
    def limit(self) -> float:
        """What has to be met, in the unit of the rule: of millimeters and inches the milder."""
        if self.inches is None:
            return self.value
        both = self.value, self.inches * INCH
        return min(both) if self.op == ">=" else max(both)

    @property
    def advised(self) -> bool:
        """Whether the code recommends it only: who misses it does not fail."""
        return self.condition in _ADVICE

    def met(self, value: float) -> bool:
        """Whether a value meets it, in millimeters or in inches.

        Parameters
        ----------
        value : float
            In its unit.

        Returns
        -------
        bool

        Raises
        ------
        ArgumentError
            When it is no number.
        """
        found = number("value", value)
        if self.op == ">=":
            return found >= self.limit - ROUNDING
        if self.op == "<=":
            return found <= self.limit + ROUNDING
        return abs(found - self.limit) <= ROUNDING


@dataclass(frozen=True)
class Finding:
    """What one rule found at one place of a scene. `check` makes it.

    Attributes
    ----------
    rule : Rule
    place : str
        The path of the node, the name of a route, or ``"room"``; empty where there is none.
    found : float or None
        In the unit of the rule; None: not measured.
    verdict : {"pass", "fail", "recommended, not met", "not measured"}
    why : str
        Why nothing was measured; else how it was.
    at : (float, float) or None
        Where, x and y.

    Examples
    --------
    >>> import handik as hk
    >>> hk.access.check(hk.scene.gallery("kitchen"), "ADA2010").findings[0].verdict
    'not measured'
    """

    rule: Rule
    place: str
    found: float | None
    verdict: str
    why: str
    at: tuple[float, float] | None

    @property
    def lacking(self) -> float:
        """By how much the value misses what is asked, in the unit of the rule; 0: it does not."""
        if self.found is None or self.verdict not in ("fail", "recommended, not met"):
            return 0.0
        return abs(self.found - self.rule.limit)


@dataclass(frozen=True)
class Checked(Sequence[Finding]):
    """All that was found for some rules in a scene. `check` makes it.

    Attributes
    ----------
    findings : tuple of Finding
        In the order of the rules; one rule has one for each place it concerns.

    Examples
    --------
    >>> import handik as hk
    >>> found = hk.access.check(hk.scene.gallery("bathroom"), "ADA2010")
    >>> [f.found for f in found.of("turning space") if f.found][0] > 1.5
    True
    """

    findings: tuple[Finding, ...]

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: Any) -> Any:
        """Return one finding, or some."""
        return self.findings[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """Those that fail."""
        return tuple(f for f in self.findings if f.verdict == "fail")

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each verdict."""
        counted = Counter(f.verdict for f in self.findings)
        return {word: counted[word] for word in WORDS}

    def of(self, subject: str) -> tuple[Finding, ...]:
        """Return the findings on one subject.

        Parameters
        ----------
        subject : str
            As of `Rule`.

        Returns
        -------
        tuple of Finding

        Raises
        ------
        NotFoundError
            When no rule is on it.
        """
        known_name("subject", subject, {f.rule.subject for f in self.findings})
        return tuple(f for f in self.findings if f.rule.subject == subject)

    def __repr__(self) -> str:
        counts = self.counts
        words = [word for word in WORDS if counts[word] or word != "recommended, not met"]
        return "Checked(" + ", ".join(f"{counts[word]} {word}" for word in words) + ")"


@cache
def _table() -> tuple[Rule, ...]:
    lines = (files("handik.data") / "scenes" / "rules.csv").read_text("utf-8").splitlines()
    out = []
    for row in csv.DictReader(lines):
        value, inches = float(row.pop("value")), row.pop("inches")
        if row["unit"] == "mm":
            row["unit"], value = "m", round(value / 1000, 7)
        out.append(Rule(value=value, inches=float(inches) if inches else None, **row))
    return tuple(out)


def rules(*codes: str) -> tuple[Rule, ...]:
    """Return the rules of some building codes, or all that handik knows.

    Parameters
    ----------
    *codes : str
        Such as ``"ADA2010"``, ``"FR-ERP-NEW"``, ``"ISO21542:2021"``; by default all.

    Returns
    -------
    tuple of Rule

    Raises
    ------
    NotFoundError
        When there is no such code.

    Notes
    -----
    The numbers, how each is known and its source are in ``handik/data/scenes/rules.csv``. It is an
    extract, no whole code, and nobody's legal advice.

    Examples
    --------
    >>> import handik as hk
    >>> len(hk.access.rules("ADA2010"))
    103
    """
    known = dict.fromkeys(rule.code for rule in _table())
    wanted = {known_name("code", text("code", code), known) for code in codes}
    return tuple(rule for rule in _table() if not codes or rule.code in wanted)


def _asked(given: Any) -> tuple[Rule, ...]:
    if isinstance(given, str):
        return rules(given)
    out: list[Rule] = []
    for one in list_of("rules", given):
        if not isinstance(one, (str, Rule)):
            raise TypeError(f"rules must be codes or Rule, got {type(one).__name__}")
        out += rules(one) if isinstance(one, str) else [one]
    return tuple(out)


def _ways(routes: Mapping[str, ArrayLike] | None) -> dict[str, tuple[Array, Array]]:
    if routes is None:
        return {}
    if not isinstance(routes, Mapping):
        raise TypeError("routes must be a mapping of names to two places")
    out = {}
    for name, value in routes.items():
        ends = reals(value, f"route {text('a route', name)!r}", (2,))
        if ends.shape != (2, 2):
            raise ArgumentError(f"route {name!r} must be two places (2, 2), got {ends.shape}")
        out[name] = (ends[0], ends[1])
    return out


def _spared(rule: Rule, found: Found) -> str:
    """Return why a value that misses a rule is no fail: an exception may hold; empty: it is one."""
    other = next((r for r in _table() if r.id == rule.unless), None)
    if other is None or not found.spared or rule.met(found.value) or not other.met(found.value):
        return ""
    return f"{1e3 * found.value:.0f} mm; {other.why}"


def check(
    scene: Scene,
    rules: str | Sequence[str | Rule] = "ADA2010",
    *,
    routes: Mapping[str, ArrayLike] | None = None,
    floor: float | str | None = None,
) -> Checked:
    """Measure a scene against the rules of building codes.

    Parameters
    ----------
    scene : Scene
        Its tags say what is what: ``table``, ``basin``, ``doorway`` (its origin in the middle of
        the opening, its x through it), ``door`` (its origin at the hinge, its x along the leaf;
        one tagged ``sliding``, too: as of `doors`), ``ramp``, ``path`` and ``landing`` (a box, its
        x along the way), ``threshold``, ``toilet``, ``seat``, ``rail``, ``wall``, ``closer``,
        ``post`` (what stands by itself on a post, and the post);
        targets are what hands come to.
    rules : str or sequence of str or Rule
        Codes, as of `rules`, or rules.
    routes : mapping of str to array_like (2, 2)
        Two places each, x and y, between which the clear width is asked for.
    floor : float or str, optional
        The floor from which heights are counted: meters in the world, or one of `storeys`. By
        default each storey of the scene, by itself; z = 0 where it has none.

    Returns
    -------
    Checked
        For each rule and each place it concerns: the value found, whether it passes or fails, or
        why it was not measured. What a code recommends only (`Rule.advised`) is no fail.

    Raises
    ------
    TypeError
        When `scene` is none.
    ArgumentError
        When a route is none or is asked on several storeys, or a plane of the scene is no floor.
    NotFoundError
        When there is no such code or storey.

    Notes
    -----
    What is measured how is on the page on rules (docs/rules.md). A storey reaches up to the floor
    of the next; what stands in both is of both. Of several storeys a finding on the room itself has
    the path of the storey as its place.
    ADA asks in inches and, rounded, in millimeters (32 inches, 815 mm): what meets either passes.
    Where a value misses a rule and an exception that a scene does not tell may hold, such as that
    of a short narrow stretch, it is "not measured" too, and the reason names the value. A target
    is judged by the approach, from the front or the side, that breaks the fewest rules. What the
    scene does not contain passes nothing: it is "not measured".

    Examples
    --------
    >>> import handik as hk
    >>> found = hk.access.check(hk.scene.gallery("kitchen"), ["FR-ERP-NEW"])
    >>> [(f.place, f.found, f.verdict) for f in found.of("counter")][0]
    ('counter/top', 0.9, 'fail')
    """
    of_class("scene", scene, Scene)
    asked, ways = _asked(rules), _ways(routes)
    levels = levels_of(scene, floor)
    if len(levels) == 1:
        return Checked(tuple(_checked(lowered(scene, levels[0]), asked, ways)))
    if ways:
        raise ArgumentError("routes are of one storey, and the scene has several: give floor=")
    out: list[Finding] = []
    for level in levels:
        for one in _checked(lowered(scene, level), asked, ways):
            if not one.rule.measure and level is not levels[0]:
                continue  # said once: no storey is measured
            mine = one.rule.measure and one.place in ("", "room")
            out.append(replace(one, place=level.path) if mine else one)
    return Checked(tuple(out))


def _checked(
    scene: Scene, asked: tuple[Rule, ...], ways: dict[str, tuple[Array, Array]]
) -> Iterator[Finding]:
    """Give what the rules find in a scene whose floor is at z = 0."""
    shared: dict[Any, Any] = {}
    rooms = {
        code: Room(scene, tuple(r for r in asked if r.code == code), ways, shared)
        for code in dict.fromkeys(rule.code for rule in asked)
    }
    kept: dict[tuple[str, str], list[Found] | str] = {}
    for rule in asked:
        if not rule.measure:
            yield Finding(rule, "", None, "not measured", rule.why, None)
            continue
        room = rooms[rule.code]
        key = rule.code, rule.measure
        if key not in kept:
            try:
                kept[key] = _MEASURES[rule.measure](room, rule.measure)
            except TooMuch as error:
                kept[key] = str(error)
        found = kept[key]
        if isinstance(found, str):
            yield Finding(rule, "", None, "not measured", found, None)
            continue
        mine = [one for one in found if _at_floors.chosen(room.rules, rule, one)]
        if not mine:
            why = "another rule holds for slopes of this length"
            yield Finding(rule, "", None, "not measured", why, None)
        for one in mine:
            spared = _spared(rule, one)
            if spared:
                yield Finding(rule, one.place, None, "not measured", spared, one.at)
                continue
            missed = "recommended, not met" if rule.advised else "fail"
            word = "pass" if rule.met(one.value) else missed
            value = round(one.value, 6) if np.isfinite(one.value) else one.value
            yield Finding(rule, one.place, value, word, one.note, one.at)
