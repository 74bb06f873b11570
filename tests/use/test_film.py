"""Films of a solve, and the table of solvers by figures."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import handik as hk
from handik.app.cli import main
from handik.errors import ArgumentError, NotFoundError
from handik.study import FIGURES, survey

plot = pytest.importorskip("handik.plot")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def solve():
    arm = hk.data("puma560")
    return arm.solve(position=[0.3, -0.6, -0.2], solver="ccd", trace=True)


@pytest.mark.slow
def test_a_film_moves_and_ends_at_the_answer(solve, tmp_path):
    path = tmp_path / "film.gif"
    film = plot.animate(solve, path, most=5, dpi=40)
    with Image.open(path) as made:
        assert made.n_frames >= 5
        shown = []
        for k in (0, made.n_frames - 1):
            made.seek(k)
            shown.append(np.asarray(made.convert("RGB"), float))
    assert np.abs(shown[0] - shown[1]).max() > 100  # they differ
    figure = film._fig
    assert f"answer: {solve.outcome.name.lower()}" in figure._suptitle.get_text()
    page = tmp_path / "film.html"
    plot.animate(solve, page, most=2, dpi=30)
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "data:image/png;base64," in text


def test_a_track_and_a_flat_figure(tmp_path):
    arm = hk.chain([0.4, 0.3, 0.2], lower=-1.0, upper=1.0)
    track = arm.track(position=[[0.8, 0.1, 0.0], [0.7, 0.2, 0.0], [np.nan, 0, 0], [0.0, 0.2, 0.0]])
    film = plot.animate(track, tmp_path / "track.gif", dpi=30)
    assert "step 3" in film._fig._suptitle.get_text()
    assert film._fig.axes[0].name != "3d"


def test_what_cannot_be_shown_says_why(solve, tmp_path):
    arm = solve.problem.model
    with pytest.raises(ArgumentError, match="trace=True"):
        plot.animate(arm.solve(position=[0.3, -0.6, -0.2]))
    with pytest.raises(ArgumentError, match="usable"):
        plot.animate(arm.solve(position=[np.nan, 0, 0], solver="ccd", trace=True))
    with pytest.raises(ArgumentError, match=r"\.gif or \.html"):
        plot.animate(solve, tmp_path / "film.avi")
    with pytest.raises(ArgumentError, match="positive"):
        plot.animate(solve, fps=0)


# -- the table ----------------------------------------------------------------------------------


def test_every_solver_is_in_the_table_or_says_why(tmp_path):
    # One figure with all solvers; the full table is `handik compare --figure all --solvers all`.
    found = survey(["puma560"], problems=5, max_iter=60)
    assert [row.solver for row in found.rows] == [row.name for row in hk.solvers()]
    for row in found.rows:
        assert (row.solved is None) == bool(row.refused)
    assert found.row("puma560", "auto").solved == 1.0
    flat = survey(["ball10"], solvers=["fabrik", "lm_batch"], problems=10)
    assert flat.row("ball10", "fabrik").solved == 1.0
    assert "lm_batch takes" in flat.row("ball10", "lm_batch").refused
    assert "lm_batch does not apply" in str(flat)
    again = survey(["ball10"], solvers=["fabrik"], problems=10)
    assert again.rows[0].iterations == flat.rows[0].iterations
    flat.to_csv(tmp_path / "s.csv")
    with open(tmp_path / "s.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["solver"] for row in rows] == ["fabrik", "lm_batch"]
    assert float(rows[0]["solved_share"]) == 1.0
    assert rows[1]["refused"]
    flat.to_html(tmp_path / "s.html")
    page = (tmp_path / "s.html").read_text("utf-8")
    assert "lm_batch does not apply" in page
    assert page.count("<table") == 1
    assert page.count(">fabrik</td>") == 1
    assert "<td>lm_batch</td>" not in page
    assert found.plot().axes
    for wrong, error in ((["no"], NotFoundError), (None, ArgumentError)):
        with pytest.raises(error):
            survey(wrong, problems=0 if wrong is None else 1)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_the_table(name):
    found = survey([name], solvers=["auto"], problems=5)
    assert found.rows[0].solved == 1.0


def test_on_the_command_line(tmp_path, capsys):
    done = main(
        ["compare", "--figure", "ball10", "--solvers", "fabrik,ccd", "--runs", "5", "--out", str(tmp_path)]
    )  # fmt: skip
    assert done == 0
    assert "ball10: ten free balls" in capsys.readouterr().out
    assert {p.name for p in tmp_path.iterdir()} == {"survey.csv", "survey.html", "survey.png"}
    assert main(["compare", "--figure", "ball10", "--frames", "9", "--out", str(tmp_path)]) == 2
    assert "--frames does not go with --figure" in capsys.readouterr().err


@pytest.mark.slow
def test_all_solvers_on_a_path():
    study = hk.study.compare(
        hk.data("ball10"), hk.study.figure_of_eight(3), solvers="all", runs=1, stops=()
    )
    assert set(study.labels) | set(study.refused) == {row.name for row in hk.solvers()}
    assert "lm_batch" in study.refused
    assert "lm_batch does not apply" in str(study)
