"""docs/glossary.md has a row for each outcome and term, and for what calls take."""

from __future__ import annotations

from pathlib import Path

import pytest

import handik as hk

PAGE = Path(__file__).parents[1] / "docs" / "glossary.md"
TERMS = (
    *("Position", "Orientation", "Pose", "Axis", "LookAt", "Level", "Distance", "Loop"),
    *("CenterOfMass", "SelfCollision", "Capsule", "Posture", "Damping"),
)
OPTIONS = (
    *("q0", "position_tolerance", "orientation_tolerance", "max_iter", "ftol", "max_restarts"),
    *("retries", "perturbations", "max_step", "step_fraction", "limit_avoidance", "posture"),
    *("manipulability", "damping", "n_candidates", "lock"),
)


@pytest.mark.build
def test_every_outcome_term_and_common_option_has_a_row() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line[:1] == "|"]
    words = {word.strip("` ") for row in rows for word in row.split(",")}
    outcomes = {outcome.name.lower() for outcome in hk.Outcome}
    assert not {*outcomes, *TERMS, *OPTIONS} - words
    terms = {
        n
        for n in hk.__all__
        if isinstance(v := getattr(hk, n), type)
        and v.__mro__[1:2]
        and v.__module__ == hk.Position.__module__
    }
    assert terms - {"Term"} == set(TERMS)
