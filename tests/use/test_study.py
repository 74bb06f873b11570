"""The study: its protocol, its figures, and its reports."""

from __future__ import annotations

import csv
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.study import (
    PAPER,
    PAPER_AWAY,
    THESIS,
    Curve,
    PaperStudy,
    StopRow,
    Study,
    compare,
    figure_of_eight,
    paper_experiment,
)
from handik.study._layout import html_table, percent, text_table
from handik.study._report import html
from handik.study._tables import verdict
from handik.study.curve import joint_origins
from handik.study.estimate import Estimate, Median

RUNS, FRAMES = 6, 30


@pytest.fixture(scope="module")
def study() -> Study:
    return compare(hk.data("planar9"), figure_of_eight(FRAMES), runs=RUNS, seed=3)


@pytest.fixture(scope="module")
def paper() -> PaperStudy:
    return paper_experiment(60, 1)


# -- the protocol -------------------------------------------------------------------------------


def test_both_solve_every_frame_and_fabrik_needs_fewer_iterations() -> None:
    found = compare(hk.data("planar9"), runs=20)
    assert found.tolerance == 1e-3 * found.model.max_reach
    for part in found.solvers:
        assert part.solved == 1.0
        assert part.worst_error <= found.tolerance
        assert part.same
    fabrik, ccd = (found[name].iterations_per_frame for name in ("fabrik", "ccd"))
    assert fabrik.high < ccd.low


def test_shapes_and_kept_poses(study: Study) -> None:
    for part in study.solvers:
        assert part.iterations.shape == part.errors.shape == part.outcomes.shape == (RUNS, FRAMES)
        assert part.loop_seconds.shape == (RUNS,)
        assert (part.loop_seconds > 0).all()
        assert (part.batch_seconds > 0).all()
        assert np.allclose(study.model.fk(part.q)[:, :3, 3], part.tip, atol=0)
        away = np.linalg.norm(part.tip - study.curve.points, axis=1)
        assert np.allclose(away, part.errors[0], atol=1e-12)


def test_one_run_is_what_a_reader_would_write(study: Study) -> None:
    """The protocol, written again: random pose, first point, then once around, warm."""
    starts = study.model.sample(RUNS, seed=3)
    for label in ("fabrik", "ccd"):
        for run in (0, 4):
            shift = run * FRAMES // RUNS
            points = np.roll(study.curve.points, -shift, axis=0)
            wish = {"solver": label, "position_tolerance": study.tolerance}
            wish |= hk.solvers()[label].plain  # the published method
            first = study.model.solve(position=points[0], q0=starts[run], **wish)
            assert first.iterations == study[label].first[run]
            q, iterations = first.q, []
            for point in points:
                result = study.model.solve(position=point, q0=q, **wish)
                q = result.q
                iterations.append(result.iterations)
            assert iterations == study[label].iterations[run].tolist()


def test_figures_follow_from_the_arrays(study: Study) -> None:
    part = study["fabrik"]
    assert part.iterations_per_frame.mean == pytest.approx(part.iterations.mean())
    assert part.median_iterations == np.median(part.iterations)
    # one estimator: seconds and frames a second are two readings of the same median run
    assert part.seconds.value == pytest.approx(100 * np.median(part.loop_seconds))
    assert part.seconds_batched.value == pytest.approx(100 / RUNS * np.median(part.batch_seconds))
    assert part.frames_per_second.value * part.seconds.value == pytest.approx(100 * FRAMES)
    both = part.frames_per_second_batched.value * part.seconds_batched.value
    assert both == pytest.approx(100 * FRAMES)
    assert part.frames_per_second.low * part.seconds.high == pytest.approx(100 * FRAMES)
    assert sum(part.counts.values()) == RUNS * FRAMES


def test_the_same_seed_gives_the_same_answers(study: Study) -> None:
    again = compare(hk.data("planar9"), figure_of_eight(FRAMES), runs=RUNS, seed=3)
    other = compare(hk.data("planar9"), figure_of_eight(FRAMES), runs=RUNS, seed=4)
    assert np.array_equal(again["ccd"].errors, study["ccd"].errors)
    assert np.array_equal(again["ccd"].cold.curves, study["ccd"].cold.curves)
    assert not np.array_equal(other["ccd"].errors, study["ccd"].errors)


def test_tighter_rules_need_more_iterations(study: Study) -> None:
    for label in ("fabrik", "ccd"):
        for start in ("warm", "cold"):
            rows = [r for r in study.stops if (r.label, r.start) == (label, start)]
            means = [row.iterations.mean for row in rows]
            assert [row.tolerance for row in rows] == [1e-2, 1e-3, 1e-4]
            assert means == sorted(means)
            assert means[0] < means[-1]


def test_one_experiment_from_random_poses(study: Study) -> None:
    """The table's random targets are the figures': reachable points, drawn once."""
    for part in study.solvers:
        (row,) = [
            r for r in study.stops if (r.label, r.start, r.tolerance) == (part.label, "cold", 1e-3)
        ]
        assert row.iterations.mean == part.cold.iterations.mean()
        assert row.median == np.median(part.cold.iterations)
        assert row.solved == part.cold.converged.mean()


def test_a_lap_within_a_link_comes_near_the_thesis() -> None:
    found = compare(hk.data("planar9"), runs=20, stops=[])
    laps = {row.label: row for row in found.laps}
    assert laps["fabrik"].tolerance == pytest.approx(1 / 9)
    assert 11 < laps["fabrik"].iterations.mean < 13.2
    assert 15 < laps["ccd"].iterations.mean < 23
    # the same laps, side by side
    problem = hk.Problem(found.model, [hk.Position(position_tolerance=1 / 9)])
    order = (np.arange(20)[:, None] * 100 // 20 + np.arange(100)) % 100
    for label, row in laps.items():
        solver, q = hk.Solver(label, max_restarts=0), found.model.sample(20, seed=0)
        counted = np.zeros(20)
        q = solver(problem, found.curve.points[order[:, 0]], q0=q).q
        for at in order.T:
            result = solver(problem, found.curve.points[at], q0=q)
            q, counted = result.q, counted + result.iterations
        assert row.iterations.mean == counted.mean()
        assert row.frames_per_second.value * row.seconds.value == pytest.approx(100 * 100)
    assert "delta = 1" in " ".join(str(found).split())
    robot = compare(hk.data("ur5"), figure_of_eight(10), solvers=["ccd"], runs=1, stops=[])
    assert robot.laps == ()
    assert "delta" not in str(robot)


def test_the_robot_turns_the_verdict_round() -> None:
    found = compare(hk.data("ur5"), figure_of_eight(40), runs=4, stops=[1e-3])
    said = verdict(found)
    assert found["fabrik"].solved < 0.8 < found["ccd"].solved
    assert said.startswith("On ur5: FABRIK solves")
    assert "not those of the same work" in said


def test_cold_solves_are_what_they_say(study: Study) -> None:
    for part in study.solvers:
        cold = part.cold
        assert (cold.error[cold.converged] <= study.tolerance).all()
        assert (cold.error[~cold.converged] > study.tolerance).all()
        assert np.allclose(cold.curves[:, 0], cold.distance[: len(cold.curves)])
        assert np.isfinite(cold.curves).all()


def test_points_out_of_reach_and_no_points_are_outcomes() -> None:
    points = figure_of_eight(12, centre=[0.6, 0.0, 0.0], size=0.1).points.copy()
    points[3], points[7] = [2.0, 0.0, 0.0], [np.nan, 0.0, 0.0]
    found = compare(hk.data("planar9"), Curve("mine", points), runs=2, stops=[1e-2])
    for part in found.solvers:
        assert part.counts == {"converged": 20, "invalid": 2, "unreachable": 2}
        assert part.solved == 20 / 24
        assert part.worst_error == pytest.approx(1.0, abs=0.02)
        assert part.same
    text = str(found)
    assert "fabrik: of 24 frames 20 converged, 2 invalid, 2 unreachable." in text
    assert "83.33" in text
    assert "thesis" not in text


def test_an_open_curve_is_run_from_its_first_point() -> None:
    points = np.linspace([0.5, -0.2, 0.0], [0.5, 0.2, 0.0], 11)
    found = compare(hk.data("planar9"), Curve("line", points, closed=False), runs=3, stops=[])
    assert found.stops == ()
    assert np.linalg.norm(found["ccd"].tip - points, axis=1).max() <= found.tolerance
    assert "Iterations by stop rule" not in str(found)


def test_a_real_robot() -> None:
    both = ("fabrik_fast", "ccd")  # the published form leaves most of this arm's path
    found = compare(hk.data("ur5"), figure_of_eight(20), solvers=both, runs=3, stops=[1e-3])
    assert [part.solved for part in found.solvers] == [1.0, 1.0]
    assert all(part.published is None for part in found.solvers)


def test_solvers_with_options_of_their_own() -> None:
    mine = {
        "as published": hk.Solver("fabrik"),
        "aimed": hk.Solver("fabrik", extrapolate=1, chain_aim=10, feasible_turn=1),
    }
    found = compare(hk.data("planar9"), figure_of_eight(20), solvers=mine, runs=2, stops=[1e-4])
    assert [(p.label, p.solver) for p in found.solvers] == [(k, "fabrik") for k in mine]
    published, ours = found.solvers
    assert not np.array_equal(published.errors, ours.errors)
    assert verdict(found) == ""


def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    compare(
        hk.data("planar9"),
        figure_of_eight(10),
        runs=2,
        progress=lambda what, done, total: seen.append((what, done, total)),
    )
    assert [done for _, done, _ in seen] == list(range(1, len(seen) + 1))
    assert {total for _, _, total in seen} == {len(seen)}
    assert "ccd, frame by frame" in {what for what, _, _ in seen}


def test_ctrl_c_in_the_middle_goes_through() -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(hk.data("planar9"), figure_of_eight(10), runs=2, progress=stop)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 0}, "runs must be 1 or more"),
        ({"tolerance": 0.0}, "must be positive"),
        ({"tolerance": float("nan")}, "must be positive"),
        ({"stops": [-1.0]}, "must be positive"),
        ({"solvers": ()}, "at least one solver"),
        ({"solvers": ["fabrk"]}, "no solver.*'fabrk'"),
        ({"frame": "tpi"}, "no frame is called 'tpi'"),
    ],
)
def test_wrong_calls_are_errors(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hk.HandikError, match=message):
        compare(hk.data("planar9"), figure_of_eight(10), **options)


def test_a_study_does_not_change(study: Study) -> None:
    with pytest.raises(FrozenInstanceError):
        study.runs = 1  # type: ignore[misc]
    with pytest.raises(KeyError):
        study["newton"]


# -- the paper ----------------------------------------------------------------------------------


def test_paper_experiment(paper: PaperStudy) -> None:
    assert len(paper.rows) == 16
    for row in paper.rows:
        if not row.reachable:
            assert row.counts == {"unreachable": 60}
            assert row.published == PAPER_AWAY[row.label]
        elif row.label == "fabrik":
            assert row.solved == 1.0
    mean = {(r.label, r.tolerance): r.iterations.mean for r in paper.rows if r.reachable}
    for rule in (1e-2, 1e-3, 1e-4):
        assert mean["fabrik", rule] < mean["ccd", rule]
    again = paper_experiment(60, 1)
    assert [r.iterations for r in again.rows] == [r.iterations for r in paper.rows]
    with pytest.raises(hk.ArgumentError, match="runs must be"):
        paper_experiment(0)
    with pytest.raises(hk.ArgumentError, match="'random' or 'straight', got 'bent'"):
        paper_experiment(1, start="bent")


def test_straight_starts_take_fabrik_longer(paper: PaperStudy) -> None:
    """Why the paper's counts and ours differ is in part where they start."""
    straight = paper_experiment(60, 1, solvers=["fabrik"], start="straight")
    assert "from the straight chain" in str(straight)
    random = [row for row in paper.rows if row.label == "fabrik"]
    for now, then in zip(straight.rows, random, strict=True):
        assert now.solved == then.solved
        if now.reachable:
            assert now.iterations.mean > 2 * then.iterations.mean


def test_triangulation_takes_one_iteration_as_published() -> None:
    paper = paper_experiment(40, solvers=["triangulation"])
    for row in paper.rows:
        assert row.iterations.mean == 1
        if row.reachable:
            assert row.published == PAPER["triangulation"]
            assert row.solved == 1.0


def test_every_solver_that_can_takes_the_papers_chain() -> None:
    paper = paper_experiment(2, solvers="all", stops=[1e-2])
    names = {info.name for info in hk.solvers()}
    assert {row.label for row in paper.rows} | set(paper.refused) == names
    assert not {row.label for row in paper.rows} & set(paper.refused)
    assert all(f"{name} does not apply" in str(paper) for name in paper.refused)
    with pytest.raises(hk.UnsupportedError):
        paper_experiment(2, solvers=list(paper.refused)[:1])


def test_published_figures_are_shown(study: Study, paper: PaperStudy) -> None:
    assert (THESIS["ccd"].iterations, THESIS["fabrik"].iterations) == (17.6, 13.2)
    assert (PAPER["ccd"].iterations, PAPER["fabrik"].iterations) == (26.308, 15.461)
    lines = str(study).splitlines()
    assert [line.split() for line in lines if line.startswith("  thesis")] == [
        ["thesis", "13.2", "0.3", "55"],
        ["thesis", "17.6", "1.2", "16"],
    ]
    # under its own rule before ours
    text = str(study)
    assert text.index("As the thesis may have counted") < text.index("stopped within 0.001 m")
    tables = str(paper).split("targets out of reach")
    assert [(text.count("15.461"), text.count("67.6")) for text in tables] == [(1, 0), (0, 2)]


# -- reports ------------------------------------------------------------------------------------


def test_columns_of_a_table_stand_under_each_other() -> None:
    text = text_table([("name", "n")], [("a", "1"), ("long", "1,000")])
    assert text.splitlines() == ["name      n", "-----------", "a         1", "long  1,000"]


def test_percent_never_rounds_to_all_or_none() -> None:
    assert [percent(x) for x in (1.0, 0.999999, 0.5, 1e-9, 0.0)] == [
        "100", "99.99", "50.00", "0.01", "0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fabrik", "ccd", "said"),
    [
        (1.0, 9.0, "FABRIK needs fewer iterations than CCD under every stop rule tried."),
        (9.0, 1.0, "CCD needs fewer iterations than FABRIK under every stop rule tried."),
        (5.0, 5.1, "Points of the path, from the frame before: no clear difference at 0.01."),
    ],
)
def test_verdict_on_iterations(study: Study, fabrik: float, ccd: float, said: str) -> None:
    rows = tuple(
        StopRow(label, 0.01, "warm", Estimate(mean, 0.1, 9), mean, 1.0)
        for label, mean in (("fabrik", fabrik), ("ccd", ccd))
    )
    text = verdict(replace(study, stops=rows))
    assert said in text
    assert text.startswith("On planar9: FABRIK and CCD solve every frame.")
    assert re.search(r"takes FABRIK [\d.]+ times as long as CCD one by one", text)


def test_verdict_that_depends(study: Study) -> None:
    means = {("warm", "fabrik"): 5.0, ("warm", "ccd"): 5.1, ("cold", "fabrik"): 3.0}
    rows = tuple(
        StopRow(label, rule, start, Estimate(means.get((start, label), 9.0), 0.1, 9), 1.0, 1.0)
        for label in ("fabrik", "ccd")
        for rule in (0.01, 0.001)
        for start in ("warm", "cold")
    )
    assert (
        "Points of the path, from the frame before: no clear difference at 0.01, 0.001; random "
        "targets, from random poses: FABRIK needs fewer iterations at 0.01, 0.001."
    ) in verdict(replace(study, stops=rows))


@pytest.mark.parametrize(("share", "other"), [(0.98, False), (0.995, True)])
def test_verdict_says_when_the_work_is_not_the_same(
    study: Study, share: float, other: bool
) -> None:
    """More than one frame in a hundred between them, and their iterations are not compared."""
    few = replace(study["fabrik"], outcomes=np.where(np.arange(1000) < 1000 * share, 1, 3))
    text = verdict(replace(study, solvers=(few, study["ccd"])))
    assert f"FABRIK solves {percent(share)} %" in text
    assert ("not those of the same work" not in text) == other


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_gives_back_what_was_measured(study: Study, tmp_path: Path) -> None:
    study.to_csv(tmp_path / "a.csv")
    rows = read(tmp_path / "a.csv")
    assert [row["solver"] for row in rows] == ["fabrik", "ccd"]
    for row, part in zip(rows, study.solvers, strict=True):
        mean = part.iterations_per_frame
        assert float(row["iterations_mean"]) == pytest.approx(mean.mean, rel=1e-14)
        assert float(row["iterations_ci95"]) == pytest.approx(mean.half, rel=1e-14)
        assert float(row["iterations_median"]) == part.median_iterations
        rate = float(row["frames_per_second_loop_median"])
        assert rate == pytest.approx(part.frames_per_second.value, rel=1e-14)
        low = float(row["seconds_per_100_runs_batched_low95"])
        assert low == pytest.approx(part.seconds_batched.low, rel=1e-14)
        assert int(row["frames_converged"]) == part.counts.get("converged", 0)
        assert row["tolerance_m"] == "0.001"
        assert {name: row[name] for name in study.machine} == dict(study.machine)
        assert set(study.machine) >= {"command", "date", "processor", "load", "handik", "numpy"}
        assert float(row["worst_error_m"]) == pytest.approx(part.worst_error, rel=1e-14)
        assert float(row["thesis_iterations"]) == THESIS[part.label].iterations
        (lap,) = [lap for lap in study.laps if lap.label == part.label]
        link = float(row["one_link_iterations_a_lap_mean"])
        assert link == pytest.approx(lap.iterations.mean, rel=1e-14)
        link = float(row["one_link_seconds_per_100_runs_median"])
        assert link == pytest.approx(lap.seconds.value, rel=1e-14)
        smooth = part.smoothness
        assert float(row["largest_move_rad_worst"]) == pytest.approx(smooth.worst, rel=1e-14)
        assert float(row["last_joints_share"]) == pytest.approx(smooth.last_share, rel=1e-14)
        assert (row["runs"], row["frames"], row["dof"]) == (str(RUNS), str(FRAMES), "9")


def test_csv_of_stops_and_frames(study: Study, paper: PaperStudy, tmp_path: Path) -> None:
    study.to_csv(tmp_path / "s.csv", what="stops")
    stops = read(tmp_path / "s.csv")
    assert [float(r["iterations_median"]) for r in stops] == [r.median for r in study.stops]
    study.to_csv(tmp_path / "r.csv", what="runs")
    raw = [r for r in read(tmp_path / "r.csv") if r["way"] == "loop"]
    sums = [int(n) for part in study.solvers for n in part.iterations.sum(axis=1)]
    assert [int(r["iterations"]) for r in raw] == sums
    seconds = [float(n) for part in study.solvers for n in part.loop_seconds]
    assert [float(r["seconds"]) for r in raw] == pytest.approx(seconds, rel=1e-14)
    study.to_csv(tmp_path / "f.csv", what="frames")
    frames = read(tmp_path / "f.csv")
    assert len(frames) == 2 * RUNS * FRAMES
    errors = np.array([float(r["error_m"]) for r in frames]).reshape(2, RUNS, FRAMES)
    assert np.allclose(errors, [part.errors for part in study.solvers], rtol=1e-14, atol=0)
    paper.to_csv(tmp_path / "p.csv")
    assert [r["solver"] for r in read(tmp_path / "p.csv")] == ["fabrik"] * 8 + ["ccd"] * 8
    with pytest.raises(
        hk.ArgumentError, match="what must be 'table' or 'stops' or 'smoothness' or 'runs' or"
    ):
        study.to_csv(tmp_path / "x.csv", what="all")


def test_html_stands_alone(study: Study, paper: PaperStudy, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study.to_html(tmp_path / "a.html", paper=paper)
    text = (tmp_path / "a.html").read_text("utf-8")
    assert text.count("data:image/png;base64,") == 3
    bare = re.sub(r'"data:image/png;base64,[A-Za-z0-9+/=]+"', '""', text)
    assert not re.search(r"https?:|//|<script|<link|url\(|@import", bare)
    assert "26.308" in text
    assert "17.6" in text


def test_html_escapes_names(study: Study) -> None:
    evil = replace(study, curve=Curve("<script>alert(1)</script>&", study.curve.points))
    text = html([evil])
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in text


def test_a_narrow_screen_names_every_cell() -> None:
    text = html_table([("", "time", "", "n"), ("who", "low", "high", "")], [("a", "1", "2", "3")])
    assert re.findall(r'data-label="([^"]*)">(\d)', text) == [
        ("time low", "1"), ("time high", "2"), ("n", "3"),
    ]  # fmt: skip
    assert "@media (max-width" in html_page()


def html_page() -> str:
    from handik.study._layout import page

    return page("x", [])


def test_median_is_held_by_its_interval() -> None:
    """95 % of intervals hold the true median, of a skewed distribution as well."""
    rng = np.random.default_rng(5)
    for n in (6, 15, 40):
        drawn = [Median.of(rng.exponential(size=n)) for _ in range(2000)]
        share = np.mean([m.low <= np.log(2) <= m.high for m in drawn])
        assert 0.94 < share <= 1.0
        assert 0.93 < share < (0.985 if n > 6 else 1.0)
    assert Median.of([2.0, 1.0]) == Median(1.5, 1.0, 2.0, 2)
    assert str(Median.of([])) == "-"
    assert Median.of([0.5]).per(1.0).value == 2.0


def test_passes_of_fabrik_are_the_solvers_iterations() -> None:
    model = hk.data("ball10")
    rng = np.random.default_rng(0)
    for k in range(10):
        target = (
            0.09 * (k + 1) * model.max_reach * (aim := rng.normal(size=3)) / np.linalg.norm(aim)
        )
        q0 = model.sample(seed=k)
        found = model.solve(
            position=target, q0=q0, solver="fabrik", trace=True, position_tolerance=1e-9,
            **hk.solvers()["fabrik"].plain,
        )  # fmt: skip
        made = hk.study.fabrik_passes(model, target, q0, iterations=found.iterations)
        joints = joint_origins(model, found.trace.q)
        assert np.allclose(made[::2], joints[: found.iterations + 1], atol=1e-9)
        bones = np.linalg.norm(np.diff(made, axis=1), axis=2)
        assert np.allclose(bones, bones[0], atol=1e-12)
        assert np.allclose(made[1::2, -1], target)
    with pytest.raises(hk.ArgumentError, match="target must be finite"):
        hk.study.fabrik_passes(model, [np.nan, 0, 0])
    with pytest.raises(hk.ArgumentError, match="no chain of balls"):
        hk.study.fabrik_passes(hk.data("ur5"), [0.1, 0, 0])
    with pytest.raises(TypeError, match="whole number"):
        hk.study.fabrik_passes(model, [0.1, 0, 0], iterations=2.5)
    with pytest.raises(hk.ArgumentError, match="iterations must be 1"):
        hk.study.fabrik_passes(model, [0.1, 0, 0], iterations=0)


def test_a_label_may_stand_for_a_name() -> None:
    found = compare(
        hk.data("planar9"), figure_of_eight(8), solvers={"mine": "ccd"}, runs=1, stops=[]
    )
    (part,) = found.solvers
    assert (part.label, part.solver) == ("mine", "ccd")


def test_a_survey_of_one_figure_takes_its_name() -> None:
    found = hk.study.survey("planar9", solvers="lm", problems=2)
    assert [row["solver"] for row in found.lines()] == ["lm"]
    with pytest.raises(hk.NotFoundError, match="no figure is called 'nope'"):
        hk.study.survey("nope", solvers="lm", problems=2)


def test_what_is_no_path_and_no_target_of_a_survey_is_a_sentence() -> None:
    with pytest.raises(hk.ArgumentError, match="path must be a Curve"):
        compare(hk.data("planar9"), "circle", runs=1)  # type: ignore[arg-type]
    level = hk.Problem(hk.data("ur5"), [hk.Position(), hk.Level()])
    with pytest.raises(hk.UnsupportedError, match=r"Position\(\) and Pose\(\) alone"):
        hk.study.survey({"cup": level}, solvers=["auto"], problems=2)
