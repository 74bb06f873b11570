"""Numbers in French sentences have a comma, whoever makes the sentence; names keep their points."""

from __future__ import annotations

import re
from math import radians
from string import Formatter
from typing import Any

import pytest

import handik as hk
from handik.app._refusals import in_language
from handik.app._report_files import _issue
from handik.app._report_words import Words
from handik.app._verdict_words import change_words, verdict_words
from handik.app._words import SENTENCES, sentence
from handik.scene.access._said import CHANGES, SAY
from handik.spec._french import French, comma

POINT = re.compile(r"\d\.\d")


def _filled(form: str) -> dict[str, Any]:
    """Values for the gaps of a sentence: a number where its form asks for one."""
    return {
        name: 1.25 if "f" in (spec or "") or "g" in (spec or "") else "v.2"
        for _, name, spec, _ in Formatter().parse(form)
        if name
    }


def test_numbers_have_a_comma_and_names_their_points() -> None:
    form = French("{name} : {x:.2f} m, {n} fois, {}")
    assert form.format(0.5, name="a 1.5.toml", x=-1.25, n=3) == "a 1.5.toml : -1,25 m, 3 fois, 0,5"
    assert [comma(x) for x in ("0.5", "-1.25e-06", "2.5 mm", "3", "1.5.2", "v1.5", "a 0.5")] == [
        "0,5", "-1,25e-06", "2,5 mm", "3", "1.5.2", "v1.5", "a 0.5"]  # fmt: skip


@pytest.mark.parametrize("of", [SAY["fr"], CHANGES["fr"]])
def test_verdicts_have_commas(of: dict[str, str]) -> None:
    for form in of.values():
        assert not POINT.search(form.format(1.25, 2.5, **_filled(form))), form


def test_what_is_said_of_what_was_done_has_commas() -> None:
    for key, words in SENTENCES.items():
        assert not POINT.search(sentence(key, "fr", **_filled(words.fr))), key
    assert sentence("reached", "en", solver="lm", error=1.234, iterations=3).count("1.23 mm") == 1


def test_refusals_and_reports_have_commas() -> None:
    said = in_language("percentile must be 0.01 to 99.9, got 101.5", "fr")
    assert said == "Le percentile doit être de 0,01 à 99,9, pas 101,5"
    assert in_language("the straight line meets 'a 0.5' at 0.51 of the way", "fr").endswith(
        "'a 0.5' à 0,51 du chemin"
    )
    assert Words("fr")("{} à {}", 0.5, "a.b") == "0,5 à a.b"
    assert (Words("fr").number(0.5, 2), Words("en").number(0.5, 2)) == ("0,50", "0.50")


def test_a_topic_s_words_are_french_throughout() -> None:
    failed = hk.access.check(hk.scene.gallery("kitchen")).failed[0]
    title, more = _issue(failed, Words("fr"))
    assert "confiance : lu" in more
    assert not re.search(r"\w: ", title + more)
    assert not POINT.search(title.partition(" : ")[2])


def test_the_nearest_posture_and_its_changes_have_commas() -> None:
    anna = hk.human(sex="female", stature=1.62, body="plain")
    found = hk.access.reach(anna, None, [0.45, -0.2, 1.62], budget=1)
    assert isinstance(found, hk.access.Reach)
    assert found.verdict == "undecided"
    short = f"{1e3 * found.short[1]:.1f} mm"
    change = hk.access.Change("limit", "joint_1", radians(6.26), True)
    assert short in found.why
    for said in (found.tell("fr"), dict(verdict_words(found))["fr"]):
        assert short.replace(".", ",") in said
    assert dict(change_words(change))["fr"].startswith("6,3 degrés")
    assert dict(change_words(change))["en"].startswith("6.3 degrees")
    assert (change.tell("fr"), str(change)) == (
        "6,3 degrés de plus : joint_1", "6.3 degrees more of joint_1")  # fmt: skip
