"""The report on access: one page of HTML, the same as CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from importlib.metadata import version
from typing import TYPE_CHECKING

from handik.app._report_doors import doors_of, through
from handik.app._report_pictures import framed, plan, posture, stood
from handik.app._report_profile import profiles_of
from handik.app._report_tables import Html, asked, measured, percent, table, word
from handik.app._report_words import Words
from handik.scene.access._at_parts import in_the_way
from handik.scene.access._room import Room
from handik.scene.access._said import reason
from handik.scene.access._seat import in_chair, toes_of
from handik.scene.access._storeys import left_out, levels_of, lowered

if TYPE_CHECKING:
    from pathlib import Path

    from handik.app._crowd import Crowd
    from handik.people import Human
    from handik.scene import Scene
    from handik.scene.access import AtDoor, Chair, Finding, Use, Uses
    from handik.scene.access._storeys import Level

__all__ = ["Report", "html"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --paper: #fff; --line: #d5dae0; --quiet: #55606c;
  --box: #eef5fa; --edge: #0072b2; --good: #14683c; --bad: #a3211a; --doubt: #7a5600; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaee; --paper: #14181d; --line: #39424c;
  --quiet: #a9b4bf; --box: #1d2731; --edge: #58b0e3; --good: #6fd39c; --bad: #ff9c94;
  --doubt: #e9bd62; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.4rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; } p { margin: .4rem 0; max-width: 46rem; }
.quiet { color: var(--quiet); font-size: .9rem; }
.summary { border-left: 4px solid var(--edge); padding: .5rem .9rem; background: var(--box);
  margin: 1rem 0; }
table { border-collapse: collapse; margin: .6rem 0; width: 100%; font-size: .93rem; }
caption { text-align: left; color: var(--quiet); font-size: .9rem; padding: 0 0 .3rem; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; }
tbody th { overflow-wrap: anywhere; min-width: 8rem; }
td.n, th.n { text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--ink); }
tbody td, tbody th { border-bottom: 1px solid var(--line); font-weight: 400; }
.pass, .yes { color: var(--good); font-weight: 600; }
.fail, .no { color: var(--bad); font-weight: 600; }
.undecided, .doubt { color: var(--doubt); font-weight: 600; }
figure { margin: 1rem 0; } figure.plan { background: #fff; border-radius: 6px; padding: .3rem; }
figcaption { color: var(--quiet); font-size: .9rem; max-width: 46rem; }
figure.plan figcaption { color: #55606c; padding: 0 .5rem .4rem; }
svg, img { max-width: 100%; height: auto; display: block; }
img { background: #fff; border-radius: 6px; }
.people { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
details { margin: .6rem 0; } summary { cursor: pointer; padding: .3rem 0; }
@media (max-width: 46rem) {
  body { margin: 1rem auto; padding: 0 .8rem; } h1 { font-size: 1.35rem; }
  table, caption, tbody, tr, td, tbody th { display: block; } thead { display: none; }
  tr { border-bottom: 2px solid var(--line); padding: .5rem 0; }
  td, tbody th { display: flex; gap: 1rem; justify-content: space-between; border: 0;
    padding: .1rem 0; text-align: right; }
  td.n { white-space: normal; text-align: right; }
  tbody th { font-weight: 600; } td:empty { display: none; }
  td::before { content: attr(data-label); color: var(--quiet); text-align: left;
    font-weight: 400; flex: 0 0 40%; } }
"""
_FROM = {
    "forward": "approach from the front",
    "side": "approach from the side",
    "given": "from a place that was given",
}
_TRUST = {
    "read": "read in its source",
    "secondary": "read in a copy of its source",
    "memory": "general knowledge, not read: check it before any claim rests on it",
}
PLAN = "Plan: what stands between 0 and 1.5 m is filled, what hangs above up to 2.03 m is dashed."
MARKS = " Numbers are those of the table: a dot is reached, a cross is not, a diamond is undecided."
BLUE = " Blue: where the person is."
CIRCLE = " Dotted: the largest circle for turning."
MORE = "{} more postures are in access.json and not drawn."
#: Postures that are drawn at most.
DRAWN = 12
#: Names of what no floor has that are written out.
NAMED = 12
NOWHERE = "On none of the floors asked, and so not looked at: {} ({} in all)."
FLOORS = "Heights are counted from the floor of each storey."
LIMITS = (
    "The verdicts speak of reach, clearance and measured sizes, not of persons: of strength, pain, "
    "balance, sight and habit they say nothing. A no is one from the places looked at. The rules "
    "are an extract of the codes; this is no certificate and nobody’s legal advice."
)
ASSUMED = (
    "The floor is at z = 0: all heights are counted from there.",
    "Who sits does so on a seat as high as the fold of the knee, without a chair about the body: "
    "arm rests, cushion and footrests are not asked.",
    "Handles of doors and rails are measured, and nobody is asked to reach them.",
    "What stands out by less than 25 mm does not obstruct.",
    "Free floor is centered before what is reached: 760 by 1220 mm for the approach.",
    "From the side a person's middle is 0.38 m from the edge of what is in front.",
    "What the hand is to hold does not stand in its way.",
    "The orientation of the hand, strength and balance are not asked.",
    "Round things are polygons wider by 0.1 mm at most.",
    "The bodies are those of a survey of soldiers (ANSUR II, 2012), fitted to the sizes asked for; "
    "joint ranges are those of published norms.",
)

_PARTS = (
    "arm rests, side guards, back rest, foot rest, driven wheels and "
    "joystick are of assumed sizes, and an arm that does not reach is off the arm rest."
)
IN_CHAIR = (
    "Who sits does so in the wheelchair: the seat is as high as those measured (D'Souza et al. "
    f"2022); {_PARTS}"
)
HIGH_AS_GIVEN = (
    "Who sits does so in the wheelchair: the seat is as high as was given, or as the fold of the "
    f"knee where that is higher; {_PARTS}"
)
STANDS = "Doors are asked of who sits in a wheelchair alone."


@dataclass(frozen=True, eq=False)
class Report:
    """What a report is made of."""

    scene: Scene
    uses: Uses
    person: Human
    said: str
    crowd: Uses | None
    codes: tuple[str, ...]
    language: str
    doors: tuple[AtDoor, ...] | None = ()
    chair: Chair | None = None
    floor: float | str | None = None
    file: Path | None = None
    people: Crowd | None = None
    seat_height: float | None = None

    @cached_property
    def levels(self) -> list[tuple[Level, Scene]]:
        """The floors that were asked, each with the scene as who stands there has it."""
        return [(one, lowered(self.scene, one)) for one in levels_of(self.scene, self.floor)]

    def at(self, place: str) -> tuple[Level, Scene]:
        """Return the floor on which a target is asked."""
        return next(one for one in self.levels if place in one[1])

    @property
    def assumed(self) -> tuple[str, ...]:
        """What was taken for granted; first, from where heights are counted, and what is sat on."""
        plain = all(level.plain for level, _ in self.levels)
        sits = ASSUMED[1]
        if in_chair(self.person):
            sits = IN_CHAIR if self.seat_height is None else HIGH_AS_GIVEN
        on = (STANDS,) if self.person.position == "standing" else (sits,)
        return (ASSUMED[0] if plain else FLOORS, *on, *ASSUMED[2:])


def _touched(name: str, say: Words) -> str:
    """Return what a posture touched in a language."""
    node, joined, part = name.removeprefix("room/").partition(" with ")
    if joined:
        return say("{} with {}", say.part(node), say.part(part))
    return reason(name, say.language)


def _law(use: Use, say: Words) -> str:
    """Return what the rules say of a thing, of which codes, and how these numbers are known."""
    mine: dict[str, list[str]] = {}
    for found in use.findings:
        if found.verdict == use.legal:
            mine.setdefault(found.rule.code, []).append(found.rule.trust)
    told = []
    for code, trusts in mine.items():
        best = min(trusts, key=list(_TRUST).index)  # one number that was read is enough to fail
        worst = max(trusts, key=list(_TRUST).index)
        trust = best if use.legal == "fail" else worst
        told.append(code if trust == "read" else f"{code} ({say(trust)})")
    said = word(use.legal, say)
    return Html(f"{said} {escape(', '.join(told))}") if told else said


def _why(report: Report, use: Use, say: Words) -> str:
    """Return why a target is out of reach, and what would change it."""
    if use.witness is None:
        there = ", ".join(in_the_way(Room(report.at(use.place)[1], (), {}), use.place)[:3])
        said = say("no free floor from which to reach it")
        return say("{}; what stands there: {}", said, there) if there else said
    found = use.witness.reach
    if found.verdict == "yes":
        return say(_FROM[use.witness.approach])
    parts = [say(_FROM[use.witness.approach])]
    if found.verdict == "no" and found._by_obstacles:
        names = ", ".join(name.removeprefix("room/") for name in list(found.blocked)[:2])
        parts.append(say("no room for the hand, proved: it touches {}", names))
    elif found.verdict == "no":
        low, high = (say.number(1000 * x, 0) for x in found.short)
        parts.append(say("too far by {} to {} mm, proved from these places", low, high))
        for change in found.changes[:2]:
            amount = say.number(1000 * change.amount, 0)
            if change.kind in ("lower", "higher", "nearer"):
                parts.append(say(f"{{}} mm {change.kind} would do", amount))
    elif found.blocked:
        names = ", ".join(_touched(name, say) for name in list(found.blocked)[:2])
        parts.append(say("no free posture was found; those tried touch: {}", names))
    else:
        parts.append(say("neither a posture nor a proof was found"))
    return (" ; " if say.language == "fr" else "; ").join(parts)


def _nowhere(report: Report, say: Words) -> list[str]:
    """Return a paragraph on what stands on none of the floors asked, where something does."""
    names = left_out(report.scene, report.levels)
    if not names:
        return []
    some = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    return [f"<p>{escape(say(NOWHERE, some, len(names)))}</p>"]


def _summary(report: Report, say: Words) -> str:
    counts, uses = report.uses.checked.counts, report.uses.uses
    lines = [
        say(
            "Findings on {}: pass {}, fail {}, not measured {}.",
            ", ".join(report.codes),
            counts["pass"],
            counts["fail"],
            counts["not measured"],
        )
    ]
    if counts["recommended, not met"]:
        lines.append(say("Recommended, not met: {}.", counts["recommended, not met"]))
    if uses:
        of = Counter(use.usable for use in uses)
        lines.append(
            say(
                "Things that the person asked reaches: {} of {}; out of reach: {}; undecided: {}.",
                of["yes"],
                len(uses),
                of["no"],
                of["undecided"],
            )
        )
    else:
        lines.append(say("No target is one for a hand, so nobody is asked to reach anything."))
    if report.crowd is not None and report.crowd.share is not None:
        lines.append(
            say(
                "Share of {} people who reach all of them: {}.",
                len(report.crowd.share.verdict),
                percent(report.crowd.share, say),
            )
        )
    lines += through(report.doors or (), say)
    legal = report.uses.of("legal, not usable")
    if legal:
        lines.append(say("Legal and yet out of this person's reach: {}.", ", ".join(legal)))
    usable = report.uses.of("usable, not legal")
    if usable:
        lines.append(say("Within this person's reach and yet not legal: {}.", ", ".join(usable)))
    return '<div class="summary">' + "".join(f"<p>{escape(line)}</p>" for line in lines) + "</div>"


def _use_rows(report: Report, say: Words) -> list[list[str]]:
    rows = []
    for k, use in enumerate(report.uses.uses, 1):
        row = [
            f"{k}. {use.place}",
            _law(use, say),
            word(use.usable, say),
            say(use.kind),
            _why(report, use, say),
        ]
        if report.crowd is not None:
            row.insert(3, percent(report.crowd.uses[k - 1].share, say))
        rows.append(row)
    return rows


def _finding_rows(found: Sequence[Finding], say: Words) -> list[list[str]]:
    return [
        [
            f.place,
            f"{f.rule.code} {f.rule.section}".strip(),
            ", ".join(
                filter(None, (say(f.rule.subject), say(f.rule.condition), say(f.rule.quantity)))
            ),
            measured(f, say),
            asked(f, say),
            word(f.verdict, say),
            say(f.rule.trust),
            say.note(f.why),
        ]
        for f in found
    ]


def _plans(report: Report, say: Words) -> list[str]:
    """Return a plan of each floor."""
    out = []
    for level, scene in report.levels:
        mine = [(k, use) for k, use in enumerate(report.uses.uses, 1) if use.place in scene]
        rooms = ("room", level.path)
        circles = [
            f
            for f in report.uses.checked
            if f.rule.measure == "turning.circle" and f.at and f.place in rooms
        ]
        drawn = plan(scene, mine, circles[:1], toes_of(report.person), say)
        seen = {MARKS: bool(mine), BLUE: any(map(stood, mine)), CIRCLE: bool(circles)}
        caption = say(PLAN) + "".join(say(text) for text, there in seen.items() if there)
        if not level.plain:
            height = say.number(level.floor, 2)
            name = say("{}, floor at z = {} m", level.path or say("the floor"), height)
            out.append(f"<h3>{escape(name)}</h3>")
        out.append(
            f'<figure class="plan">{drawn}<figcaption>{escape(caption)}</figcaption></figure>'
        )
    return out


def _pictures(report: Report, say: Words) -> list[str]:
    """Return pictures of postures, and how many more there are than are drawn."""
    shown = [(k, use) for k, use in enumerate(report.uses.uses, 1) if use.witness is not None]
    out = []
    for k, use in shown[:DRAWN]:
        assert use.witness is not None
        yes = use.witness.reach.verdict == "yes"
        level, scene = report.at(use.place)
        pose = use.witness.pose.copy()
        pose[2, 3] -= level.floor
        witness = replace(use.witness, pose=pose)
        data = posture(scene, report.person, witness, use.place, say)
        told = say(
            "{}: a posture that reaches it" if yes else "{}: the posture found that comes nearest",
            f"{k}. {use.place}",
        )
        out.append(framed(data, told))
    if not out:
        return []
    more = len(shown) - DRAWN
    note = f'<p class="quiet">{escape(say(MORE, more))}</p>' if more > 0 else ""
    return [
        f"<h2>{escape(say('Postures'))}</h2>",
        f'<div class="people">{"".join(out)}</div>',
        note,
    ]


def _sources(report: Report, say: Words) -> list[str]:
    rules = {f.rule.id: f.rule for f in report.uses.checked}
    counted = Counter((r.source, r.trust) for r in rules.values())
    rows = [
        [say(source), say(_TRUST[trust]), str(count)]
        for (source, trust), count in counted.most_common()
    ]
    return [
        table(
            say("Where the numbers of the rules come from"),
            [say("source"), say("trust"), say("rules")],
            rows,
            (2,),
        )
    ]


def _unmeasured(report: Report, say: Words) -> str:
    left = Counter(
        (say(f.rule.subject), say.note(f.why))
        for f in report.uses.checked
        if f.verdict == "not measured"
    )
    rows = [[subject, why, str(count)] for (subject, why), count in sorted(left.items())]
    return table(
        say("Rules that were not measured, and why"),
        [say("subject"), say("why"), say("rules")],
        rows,
        (2,),
    )


def told(report: Report, say: Words) -> str:
    """Return who is asked, in words."""
    size = report.person.dimensions
    parts = [
        say("woman" if size.sex == "female" else "man"),
        say.number(size["stature"], 2),
        say.number(size["weight"], 0),
        say("seated in the chair" if in_chair(report.person) else report.person.position),
    ]
    return say("{}, {} m tall, {} kg, {}", *parts) + f" ({report.said})"


def _besides(report: Report, say: Words) -> list[str]:
    """Return a paragraph on the people who are asked besides, where there are some."""
    if report.people is None:
        return []
    told = say("People asked besides: {}.", report.people.tell(say))
    return [f'<p class="quiet">{escape(told)}</p>']


def html(report: Report) -> str:
    """Return the report as one page without any outside resource."""
    say = Words(report.language)
    title = say("Access: {}", report.scene.name)
    head = [
        say("place"),
        say("rule"),
        say("what"),
        say("found"),
        say("asked"),
        say("verdict"),
        say("trust"),
        say("how"),
    ]
    use_head = [say("thing"), say("legal"), say("reached"), say("together"), say("why")]
    if report.crowd is not None:
        use_head.insert(3, say("people who reach it (95 % interval)"))
    failed = report.uses.checked.failed
    measured = [f for f in report.uses.checked if f.verdict != "not measured"]

    def heading(text: str) -> str:
        return f"<h2>{escape(say(text))}</h2>"

    def folded(text: str, count: int, table: str) -> str:
        return f"<details><summary>{escape(say(text, count))}</summary>{table}</details>"

    uses = _use_rows(report, say)
    what = "What the rules say of each thing that hands come to, and whether it is reached"
    fails = table(say("Rules that fail, and where"), head, _finding_rows(failed, say), (3, 4))
    everything = table(say("All findings"), head, _finding_rows(measured, say), (3, 4))
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(say("Person: {}.", told(report, say)))}</p>',
        *_besides(report, say),
        _summary(report, say),
        *([heading("Code against use"), table(say(what), use_head, uses)] if uses else []),
        heading("Plan"),
        *_plans(report, say),
        heading("What fails"),
        fails if failed else f"<p>{escape(say('No measured rule fails.'))}</p>",
        *doors_of(report.doors, report.chair, say),
        *_pictures(report, say),
        heading("All that was measured"),
        folded("{} findings", len(measured), everything),
        heading("What was not checked"),
        folded("{} rules", len(report.uses.checked) - len(measured), _unmeasured(report, say)),
        *_nowhere(report, say),
        heading("Sources and assumptions"),
        *_sources(report, say),
        *profiles_of(report.person, say),
        "<ul>" + "".join(f"<li>{escape(say(line))}</li>" for line in report.assumed) + "</ul>",
        heading("Limits of use"),
        f"<p>{escape(say(LIMITS))}</p>",
        f'<p class="quiet">{escape(say("Made by handik {}.", version("handik")))}</p>',
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="{report.language}"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
