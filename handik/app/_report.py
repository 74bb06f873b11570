"""The report on access: one page of HTML, the same as CSV and JSON."""

from __future__ import annotations

import base64
import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handik.app._report_pictures import plan, posture
from handik.app._report_words import Words
from handik.scene.access._said import reason
from handik.scene.access._use import toes_of

if TYPE_CHECKING:
    from handik.people import Human
    from handik.scene import Scene
    from handik.scene.access import AtDoor, Finding, Share, Use, Uses

__all__ = ["Report", "write"]

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
PLAN = (
    "Plan: what stands between 0 and 1.5 m is filled, what hangs above up to 2.03 m is dashed. "
    "Numbers are those of the table: a dot is reached, a cross is not, a diamond is undecided. "
    "Blue: where the person is."
)
LIMITS = (
    "The verdicts speak of reach, clearance and measured sizes, not of persons: of strength, pain, "
    "balance, sight and habit they say nothing. A no is one from the places looked at. The rules "
    "are an extract of the codes; this is no certificate and nobody’s legal advice."
)
DOORS = "Whether the person in a manual wheelchair of median size opens each door and gets through"
AT_DOORS = (
    "A yes has a drive with a hand on the leaf, a no is proved for all motions. The chair stands "
    "before the door at first; a hand takes the handle or the free edge, or pushes the leaf, all "
    "at the handle’s height; neither body nor chair stand in the arm’s way; forces are not asked."
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
    doors: tuple[AtDoor, ...] = ()


def _value(value: float | None, unit: str, say: Words) -> str:
    if value is None:
        return ""
    if value == float("inf"):
        return say("no limit")
    if unit == "m":
        return (
            say.number(1000 * value, 1 if abs(1000 * value - round(1000 * value)) > 0.05 else 0)
            + " mm"
        )
    if unit == "ratio":
        return say.number(100 * value, 2) + " %"
    if unit == "bool":
        return say("yes") if value else say("no")
    return f"{say.number(value, 1)} {say(unit)}"


def _asked(found: Finding, say: Words) -> str:
    sign = {">=": "≥", "<=": "≤", "=": "="}[found.rule.op]
    return f"{sign} {_value(found.rule.value, found.rule.unit, say)}"


def _table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], right: tuple[int, ...] = ()
) -> str:
    """Return a table; cells that begin with < are HTML, the first column heads its row."""

    def cell(text: str) -> str:
        return text if text.startswith("<") else escape(text)

    kind = ['class="n"' if k in right else "" for k in range(len(head))]
    lines = [f"<table><caption>{escape(caption)}</caption><thead><tr>"]
    lines += [f'<th scope="col" {kind[k]}>{escape(name)}</th>' for k, name in enumerate(head)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        lines.append(f'<tr><th scope="row">{cell(row[0])}</th>')
        lines += [
            f'<td {kind[k]} data-label="{escape(head[k])}">{cell(text)}</td>'
            for k, text in enumerate(row)
            if k
        ]
        lines.append("</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _word(word: str, say: Words) -> str:
    kind = {"pass": "pass", "fail": "fail", "yes": "yes", "no": "no", "undecided": "undecided"}
    name = kind.get(word, "doubt" if "not" in word or word == "neither" else "quiet")
    return f'<span class="{name}">{escape(say(word))}</span>'


def _percent(share: Share, say: Words) -> str:
    low, high = share.interval
    return (
        f"{say.number(100 * share.share, 0)} % "
        f"({say.number(100 * low, 0)}–{say.number(100 * high, 0)} %)"
    )


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
    said = _word(use.legal, say)
    return f"{said} {escape(', '.join(told))}" if told else said


def _why(use: Use, say: Words) -> str:
    """Return why a target is out of reach, and what would change it."""
    if use.witness is None:
        return say("no free floor from which to reach it")
    found = use.witness.reach
    if found.verdict == "yes":
        return say(_FROM[use.witness.approach])
    parts = []
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
    return "; ".join(parts)


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
                _percent(report.crowd.share, say),
            )
        )
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
            _word(use.usable, say),
            say(use.kind),
            _why(use, say),
        ]
        if report.crowd is not None:
            row.insert(3, _percent(report.crowd.uses[k - 1].share, say))
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
            _value(f.found, f.rule.unit, say),
            _asked(f, say),
            _word(f.verdict, say),
            say(f.rule.trust),
            say.note(f.why),
        ]
        for f in found
    ]


def _pictures(report: Report, say: Words) -> list[str]:
    out, seen = [], 0
    for k, use in enumerate(report.uses.uses, 1):
        if use.witness is None or seen >= 6:
            continue
        seen += 1
        q = use.witness.reach.q
        data = posture(report.scene, report.person, use.witness.pose, q, use.place)
        yes = use.witness.reach.verdict == "yes"
        told = say(
            "{}: a posture that reaches it" if yes else "{}: the posture found that comes nearest",
            f"{k}. {use.place}",
        )
        coded = base64.b64encode(data).decode()
        out.append(
            f'<figure><img alt="{escape(told)}" src="data:image/png;base64,{coded}">'
            f"<figcaption>{escape(told)}</figcaption></figure>"
        )
    return out


def _sources(report: Report, say: Words) -> list[str]:
    rules = {f.rule.id: f.rule for f in report.uses.checked}
    counted = Counter((r.source, r.trust) for r in rules.values())
    rows = [
        [say(source), say(_TRUST[trust]), str(count)]
        for (source, trust), count in counted.most_common()
    ]
    return [
        _table(
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
    return _table(
        say("Rules that were not measured, and why"),
        [say("subject"), say("why"), say("rules")],
        rows,
        (2,),
    )


def _doors(report: Report, say: Words) -> list[str]:
    """Return who gets through which door, and what was taken for granted."""
    if not report.doors:
        return []
    rows = [
        [one.door, say(f"{one.side} side"), _word(one.verdict, say), say.note(one.why)]
        for one in report.doors
    ]
    head = [say("door"), say("one comes from the"), say("gets through"), say("why")]
    return [
        f"<h2>{escape(say('Doors'))}</h2>",
        _table(say(DOORS), head, rows),
        f'<p class="quiet">{escape(say(AT_DOORS))}</p>',
    ]


def told(report: Report, say: Words) -> str:
    """Return who is asked, in words."""
    size = report.person.dimensions
    parts = [
        say("woman" if size.sex == "female" else "man"),
        say.number(size["stature"], 2),
        say.number(size["weight"], 0),
        say(report.person.position),
    ]
    return say("{}, {} m tall, {} kg, {}", *parts) + f" ({report.said})"


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

    drawn = plan(report.scene, report.uses, toes_of(report.person), say)
    what = "What the rules say of each thing that hands come to, and whether it is reached"
    fails = _table(say("Rules that fail, and where"), head, _finding_rows(failed, say), (3, 4))
    everything = _table(say("All findings"), head, _finding_rows(measured, say), (3, 4))
    shown = "\n".join(_pictures(report, say))
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(say("Person: {}.", told(report, say)))}</p>',
        _summary(report, say),
        heading("Code against use"),
        _table(say(what), use_head, _use_rows(report, say)) if report.uses.uses else "",
        f'<figure class="plan">{drawn}<figcaption>{escape(say(PLAN))}</figcaption></figure>',
        heading("What fails"),
        fails if failed else f"<p>{escape(say('No measured rule fails.'))}</p>",
        *_doors(report, say),
        *([heading("Postures"), f'<div class="people">{shown}</div>'] if shown else []),
        heading("All that was measured"),
        folded("{} findings", len(measured), everything),
        heading("What was not checked"),
        folded("{} rules", len(report.uses.checked) - len(measured), _unmeasured(report, say)),
        heading("Sources and assumptions"),
        *_sources(report, say),
        "<ul>" + "".join(f"<li>{escape(say(line))}</li>" for line in ASSUMED) + "</ul>",
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


def data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, in SI units."""
    crowd = report.crowd
    return {
        "scene": report.scene.name,
        "person": report.said,
        "codes": list(report.codes),
        "counts": report.uses.checked.counts,
        "uses": [
            {
                "place": use.place,
                "legal": use.legal,
                "usable": use.usable,
                "kind": use.kind,
                "approach": None if use.witness is None else use.witness.approach,
                "pose": None if use.witness is None else use.witness.pose.tolist(),
                "q": None if use.witness is None else use.witness.reach.q.tolist(),
                "short": None if use.witness is None else list(use.witness.reach.short),
                "share": None if crowd is None else crowd.uses[k].share.share,
                "interval": None if crowd is None else list(crowd.uses[k].share.interval),
            }
            for k, use in enumerate(report.uses.uses)
        ],
        "findings": [
            {
                "rule": f.rule.id,
                "place": f.place,
                "found": f.found,
                "op": f.rule.op,
                "asked": f.rule.value,
                "unit": f.rule.unit,
                "verdict": f.verdict,
                "why": f.why,
                "trust": f.rule.trust,
                "source": f.rule.source,
            }
            for f in report.uses.checked
        ],
        "doors": [
            {
                "door": one.door,
                "side": one.side,
                "verdict": one.verdict,
                "why": one.why,
                "facts": {} if one.found is None else dict(one.found.facts),
                "assumed": {} if one.found is None else dict(one.found.assumed),
            }
            for one in report.doors
        ],
        "assumed": list(ASSUMED),
    }


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    out = StringIO()
    if rows:
        writer = csv.DictWriter(out, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def write(report: Report, folder: Path) -> list[Path]:
    """Write the report and its data into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = data(report)
    flat = [
        {key: use[key] for key in ("place", "legal", "usable", "kind", "approach", "share")}
        for use in kept["uses"]
    ]
    texts = {
        "access.html": html(report),
        "access.json": json.dumps(_finite(kept), indent=1, allow_nan=False) + "\n",
        "findings.csv": _csv(kept["findings"]),
        "uses.csv": _csv(flat),
    }
    paths = []
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, "utf-8")
        paths.append(path)
    return paths


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
