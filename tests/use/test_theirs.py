"""The thesis and the paper under their own rules: what the tables show and the sentences say."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np
import pytest

import handik as hk
from handik.study import (
    PAPER,
    PAPER_STOP,
    THESIS,
    PaperStudy,
    Published,
    Study,
    compare,
    figure_of_eight,
    paper_experiment,
)
from handik.study._report import html, report_text
from handik.study._tables import GENERAL, PAPER_NOTE, SMOOTH_NOTE
from handik.study._theirs import NEAR, paper_verdict, takes_its_rule, thesis_verdict
from handik.study.estimate import Estimate, Median


@pytest.fixture(scope="module")
def study() -> Study:
    return compare(hk.data("planar9"), runs=20, stops=[])


@pytest.fixture(scope="module")
def paper() -> PaperStudy:
    return paper_experiment(60, 1, start="straight")


def with_laps(study: Study, counts: dict[str, float], seconds: dict[str, float]) -> Study:
    laps = tuple(
        replace(
            row,
            iterations=Estimate(counts[row.label], 0.1, 9),
            seconds=Median.of([seconds[row.label]]),
            frames_per_second=Median.of([1e4 / seconds[row.label]]),
        )
        for row in study.laps
    )
    return replace(study, laps=laps)


def test_the_iterations_of_the_thesis_come_out(study: Study) -> None:
    said = thesis_verdict(study)
    agree, _, differ = said.partition("Does not agree")
    assert agree.startswith("Agrees with the thesis: iterations (FABRIK 11.")
    assert "for its 13.2" in agree
    assert "for its 17.6" in agree
    assert "seconds (CCD takes 4 times as long as FABRIK there" in said
    text = str(study)
    assert "odd definition" in " ".join(text.split())
    rows = [line.split() for line in text.splitlines() if line.startswith(("fabrik ", "ccd "))]
    fabrik = study.laps[0]
    assert rows[0][:2] == ["fabrik", "13.2"]
    assert rows[0][2] == str(fabrik.iterations).split()[0]
    assert rows[0][-2:] == ["55", f"{fabrik.frames_per_second.value:,.0f}"]
    assert rows[1][:2] == ["ccd", "17.6"]


@pytest.mark.parametrize(
    ("fabrik", "ccd", "agree"),
    [
        (13.2, 17.6, True),
        (13.2 * (1 + 0.999 * NEAR), 17.6, True),
        (13.2 * (1 + 1.001 * NEAR), 17.6, False),
        (13.2, 17.6 * (1 - 1.001 * NEAR), False),
        (16.0, 15.0, False),  # both near, but the other way round
    ],
)
def test_iterations_agree_when_near_and_in_order(
    study: Study, fabrik: float, ccd: float, agree: bool
) -> None:
    fast = with_laps(study, {"fabrik": fabrik, "ccd": ccd}, {"fabrik": 0.3, "ccd": 1.2})
    said = thesis_verdict(fast)
    assert said.startswith("Agrees with the thesis: iterations") == agree
    # of equal seconds: 4 times there and here, and 3.4 times as many frames there
    assert "seconds (CCD takes 4 times as long as FABRIK there, 4 here)" in said
    assert ("Does not agree" in said) == (not agree)


def test_times_that_are_not_the_thesiss_are_said_to_differ(study: Study) -> None:
    alike = with_laps(study, {"fabrik": 13.2, "ccd": 17.6}, {"fabrik": 0.3, "ccd": 0.3})
    said = thesis_verdict(alike)
    assert said.endswith(
        "Does not agree with the thesis: seconds (CCD takes 4 times as long as FABRIK there, 1 "
        "here); frames a second (FABRIK 3.4 times as many as CCD there, 1 here)."
    )
    one = compare(hk.data("planar9"), figure_of_eight(10), solvers=["ccd"], runs=2, stops=[])
    assert thesis_verdict(one) == ""
    assert "17.6" in str(one)
    assert "Agrees" not in str(one)


def test_published_figures_without_times_are_compared_by_their_counts(study: Study) -> None:
    bare = tuple(replace(p, published=Published(THESIS[p.label].iterations)) for p in study.solvers)
    said = thesis_verdict(replace(study, solvers=bare))
    assert said.startswith("Agrees")
    assert "seconds" not in said
    assert "frames" not in said


def test_the_papers_fabrik_comes_out_and_its_ccd_does_not(paper: PaperStudy) -> None:
    assert takes_its_rule(paper)
    said = paper_verdict(paper)
    agree, _, differ = said.partition(" Does not agree with the paper: ")
    assert agree.startswith("Agrees with the paper: fabrik (1")
    assert "for its 15.461" in agree
    assert "fabrik out of reach (1 for its 67.6)" in differ
    assert "ccd (" in differ
    assert "ccd out of reach (1000 for its 390)" in differ
    rows = [line.split() for line in str(paper).splitlines() if line.startswith("ccd ")]
    assert rows[0][:2] == ["ccd", "26.308"]
    assert rows[0][-4:] == ["390", "1,000", "±", "0.0"]


def test_a_count_that_is_near_under_another_rule_says_which(paper: PaperStudy) -> None:
    rows = tuple(
        replace(row, iterations=Estimate(25.0 if row.tolerance == 1e-2 else 100.0, 1.0, 9))
        for row in paper.rows
        if row.label == "ccd"
    )
    said = paper_verdict(replace(paper, rows=rows))
    assert said.startswith("Does not agree with the paper: ccd (100 for its 26.308; 25 at 0.01 of")
    assert PAPER["ccd"].iterations == 26.308


def test_the_papers_rule_is_the_straight_chain_and_its_figure_11(paper: PaperStudy) -> None:
    assert not takes_its_rule(replace(paper, start="random"))
    other = tuple(row for row in paper.rows if row.tolerance != PAPER_STOP)
    assert not takes_its_rule(replace(paper, rows=other))
    assert "As the FABRIK paper" not in str(replace(paper, rows=other))


def test_a_solver_the_paper_has_no_figure_of_is_shown_without_one() -> None:
    paper = paper_experiment(3, solvers=["dls", "lm"], start="straight")
    assert "lm" not in paper_verdict(paper)
    rows = [line.split() for line in str(paper).splitlines() if line.startswith(("lm ", "dls "))]
    assert rows[0][:2] == ["dls", "999"]
    assert len(rows[1]) == 1 + 3 + 3  # no published figures


def test_theirs_come_first_in_text_and_page(study: Study, paper: PaperStudy) -> None:
    robot = compare(hk.data("ur5"), figure_of_eight(10), solvers=["ccd"], runs=1, stops=[])
    for text in (report_text([study, robot], [paper]), html([study, robot], [paper], [])):
        marks = [
            "As the thesis may have counted",
            "As the FABRIK paper may have counted",
            "planar9, 9 DoF, follows",
            "ur5, 6 DoF, follows",
            "FABRIK paper&#x27;s experiment" if "<html" in text else "FABRIK paper's experiment",
        ]
        assert np.all(np.diff([text.index(mark) for mark in marks]) > 0)
        assert text.count("As the thesis may") == text.count("As the FABRIK paper may") == 1
        for note in (*GENERAL[:2], SMOOTH_NOTE, PAPER_NOTE):  # once, however many tables
            assert " ".join(text.split()).count(escape(note) if "<html" in text else note) == 1
        assert text.count("Loop and batch gave the same answers") == 2  # of each study
        assert "Agrees with the thesis" in text
        assert "Agrees with the paper" in text


def test_their_figures_stand_beside_their_own_methods_alone() -> None:
    """A label is anyone's word: dls that is called fabrik is not what they measured."""
    mixed = {"fabrik": hk.Solver("dls"), "ccd": hk.Solver("ccd")}
    study = compare(hk.data("planar9"), figure_of_eight(6), solvers=mixed, runs=1, stops=[])
    assert [row.label for row in study.laps] == ["ccd"]
    assert study["fabrik"].published is None
    assert study["ccd"].published == THESIS["ccd"]
    paper = paper_experiment(2, solvers=mixed, start="straight", stops=[PAPER_STOP])
    assert {row.label for row in paper.rows if row.published is not None} == {"ccd"}
