"""What an impairment of the person takes, in the report: facts and assumptions apart."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from handik.app._report_tables import table

if TYPE_CHECKING:
    from handik.app._report_words import Words
    from handik.people import Human

__all__ = ["TRUST", "impairments", "profiles_of"]

#: How far a fact is to be trusted, by the word of the profile's file.
TRUST = {
    "fact": "measured in its source",
    "read": "read in its source",
    "secondary": "read in a copy of its source",
}


def impairments(person: Human) -> list[dict[str, Any]]:
    """Return the profiles of a person as plain data."""
    return [
        {
            "name": one.name,
            "title": one.title,
            "severity": one.severity,
            "sides": list(one.sides),
            "grasp": one.grasp,
            "facts": [
                *({"what": f.text, "trust": f.trust, "source": f.source} for f in one.facts),
                *(
                    {"what": str(row), "trust": row.trust, "source": row.source}
                    for row in one.rows
                    if not row.assumed
                ),
            ],
            "assumptions": [{"what": str(row), "source": row.source} for row in one.assumptions],
        }
        for one in (() if person.impaired is None else person.impaired.profiles)
    ]


def profiles_of(person: Human, say: Words) -> list[str]:
    """Return for each profile of a person what is known of it, and what is assumed, as HTML."""
    lines = []
    for one in impairments(person):
        side = say("both sides" if len(one["sides"]) > 1 else f"{one['sides'][0]} side")
        grasp = say(f"grasp: {one['grasp']}")
        named = say(one["title"]), say.number(one["severity"], 2), side, grasp
        lines.append(f"<h3>{escape(say('Impairment: {}, severity {}, {}, {}', *named))}</h3>")
        if one["facts"]:
            rows = [
                [say(f["what"]), say(TRUST[f["trust"]]), say(f["source"])] for f in one["facts"]
            ]
            head = [say("what"), say("trust"), say("source")]
            lines.append(table(say("Facts about it"), head, rows))
        if one["assumptions"]:
            rows = [[say(a["what"]), say(a["source"])] for a in one["assumptions"]]
            said = say("Assumptions made from them: nobody measured this person")
            lines.append(table(said, [say("what"), say("from")], rows))
    return lines
