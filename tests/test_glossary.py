"""docs/glossary.md has a row for each outcome, term, solver and option, and what calls take."""

from __future__ import annotations

from pathlib import Path

import pytest

import handik as hk
from handik.solve.own import KNOWN

PAGE = Path(__file__).parents[1] / "docs" / "glossary.md"
TERMS = (
    *("Position", "Orientation", "Pose", "Axis", "LookAt", "Level", "Distance", "Loop"),
    *("CenterOfMass", "SelfCollision", "Capsule", "Posture", "Damping"),
)
#: What a call takes whatever the solver is; the options of solvers are in their table.
KEYWORDS = (
    *("q0", "position_tolerance", "orientation_tolerance", "max_iter", "ftol", "retries", "lock"),
)


@pytest.mark.build
def test_every_outcome_term_solver_and_option_has_a_row() -> None:
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line[:1] == "|"]
    words = {word.strip("` ") for row in rows for word in row.split(",")}
    outcomes = {outcome.name.lower() for outcome in hk.Outcome}
    solvers = [solver for solver in hk.solvers() if solver.name not in KNOWN]  # not users' own
    options = {option for solver in solvers for option in solver.options}
    assert {"max_restarts", "use_svd", "phi"} < options
    names = {solver.name for solver in solvers}
    assert not {*outcomes, *TERMS, *KEYWORDS, *options, *names} - words
    terms = {
        n
        for n in hk.__all__
        if isinstance(v := getattr(hk, n), type)
        and v.__mro__[1:2]
        and v.__module__ in (hk.Position.__module__, hk.Level.__module__)
    }
    assert terms - {"Term"} == set(TERMS)
