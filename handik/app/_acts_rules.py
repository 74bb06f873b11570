"""Actions on building codes and on shares of people: measured, shown, and as a report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app import _report
from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import has_both
from handik.app._acts_person import is_person
from handik.app._bodies import body_of
from handik.app._document import Document, Judged, Sharing
from handik.app._report_tables import asked, measured
from handik.app._report_words import Words as Say
from handik.app._words import Words
from handik.errors import ArgumentError
from handik.people.population import population
from handik.scene.access import Share, Shares, check, code_against_use, rules, share
from handik.scene.access._seat import in_chair

if TYPE_CHECKING:
    from handik.app._session import App
    from handik.scene.access import Finding


def codes() -> list[str]:
    """Return the codes there are rules of."""
    return list(dict.fromkeys(rule.code for rule in rules()))


_CODE = Arg("code", "choice", Words("Building code", "Règlement"), "ADA2010", codes)


def judged(found: Finding) -> Judged:
    """Return a finding in both languages."""
    told = []
    for language in ("en", "fr"):
        say, rule = Say(language), found.rule
        what = filter(None, (say(rule.subject), say(rule.condition), say(rule.quantity)))
        told.append(
            (
                language,
                ", ".join(what),
                measured(found, say),
                asked(found, say),
                say.note(found.why),
            )
        )
    return Judged(
        found.place, f"{found.rule.code} {found.rule.section}".strip(), found.verdict, tuple(told)
    )


@action(
    *("access.rules", "Check a building code", "Vérifier un règlement"),
    _CODE,
    menu="target",
    no_key=VALUE,
    job=True,
    kept=False,
)
def rules_of(app: App, code: str) -> Document:
    """Measure the scene against the rules of a building code; those that fail come first."""
    found = check(app.document.scene, code)
    order = {"fail": 0, "recommended, not met": 1, "pass": 2, "not measured": 3}
    rows = sorted(found.findings, key=lambda one: order[one.verdict])
    app.share(1, 1)
    counts = found.counts
    app.tell("checked", code=code, failed=counts["fail"], passed=counts["pass"])
    return replace(app.document, findings=tuple(judged(one) for one in rows))


@action(
    *("access.rules_off", "Hide the rules", "Cacher les règles"),
    menu="target",
    no_key=RARE,
    when=lambda app: bool(app.document.findings),
    kept=False,
)
def rules_off(app: App) -> Document:
    """Show the findings no more."""
    return replace(app.document, findings=())


@action(
    *("access.share", "Which share reaches it?", "Quelle part l'atteint ?"),
    Arg("count", "integer", Words("How many people", "Combien de personnes"), 20),
    Arg("sex", "choice", Words("Sex", "Sexe"), None, ("female", "male")),
    Arg("obstacles", "flag", Words("Among obstacles", "Parmi les obstacles"), False),
    Arg("seed", "integer", Words("Draw", "Tirage"), 0),
    menu="target",
    no_key=VALUE,
    when=lambda app: has_both(app) and is_person(app),
    job=True,
    kept=False,
)
def share_of(app: App, count: int, sex: str | None, obstacles: bool, seed: int) -> Document:
    """Say which share of people reaches the target from the active person's place, proved.

    They have her profile and sit or stand as she does, in a chair of the kind and size of hers.
    """
    if not 1 <= count <= 1000 or seed < 0:
        raise ArgumentError(f"count must be 1 to 1000 and seed 0 or more, got {count} and {seed}")
    document = app.document
    at, actor = document.actor()
    person = body_of(actor).person
    assert person is not None
    people = population(count, sex=sex, seed=seed, profile=dict(actor.human).get("profile"))
    found = share(
        people,
        document.scene if obstacles else None,
        np.asarray(document.scene.world(str(document.target)))[None, :3, 3],
        places=[document.scene.world(at)],
        position=person.position,
        hand=document.settings.hand,
        progress=app.share,
        chairs=[actor.chair] if in_chair(person) else None,
    )
    if isinstance(found, Shares):
        found = next(iter(found.values()))
    assert isinstance(found, Share)
    low, high = found.interval
    said = Sharing(count, float(found.share), float(low), float(high), float(found.undecided))
    app.tell("share", share=100 * said.share, low=100 * low, high=100 * high, count=count)
    return replace(document, sharing=said)


@action(
    *("access.report", "Report on access", "Rapport d'accessibilité"),
    _CODE,
    menu="file",
    no_key=VALUE,
    when=is_person,
    job=True,
    kept=False,
)
def report(app: App, code: str) -> Document | None:
    """Give a page on the scene: the code, and whether the active person uses each target."""
    document = app.document
    person = body_of(document.actor()[1]).person
    assert person is not None
    if person.position != "seated":
        raise ArgumentError("the report asks a seated person: let the active one sit")
    uses = code_against_use(document.scene, person, code, progress=app.share)
    said: Any = ", ".join(f"{key}={value}" for key, value in document.actor()[1].human)
    made = _report.Report(document.scene, uses, person, said, None, (code,), app.view.language)
    app.give("access.html", _report.html(made).encode("utf-8"), "text/html")
    return None
