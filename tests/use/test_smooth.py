"""Smoothness: largest moves, flips, who does the turning, second differences."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik.spec.parts import MimicSpec
from handik.study import Study, compare, smoothness
from handik.study.smooth import FLIP, LAST
from handik.study.twins.tree import quat_exp, quat_mul


def test_hinges_are_counted_as_numpy_counts_them() -> None:
    model = hk.chain(np.full(5, 0.2))
    q = np.cumsum(np.random.default_rng(0).normal(scale=0.1, size=(3, 8, 5)), axis=1)
    found = smoothness(model, q)
    turns = np.abs(q[:, 1:] - q[:, :-1])
    assert found.moves == pytest.approx(turns.max(axis=2))
    assert found.largest == pytest.approx(turns.max(axis=(1, 2)))
    assert (found.median, found.worst) == (np.median(found.largest), turns.max())
    assert found.travel == pytest.approx(turns.sum(axis=(0, 1)))
    assert LAST == found.last == 2
    assert found.last_share == pytest.approx(turns[..., 3:].sum() / turns.sum())
    second = q[:, 2:] - 2 * q[:, 1:-1] + q[:, :-2]
    assert found.second == pytest.approx(np.sqrt(np.mean(second**2)))
    assert found.flips == 0
    assert smoothness(model, q, last=4).last_share == pytest.approx(
        turns[..., 1:].sum() / turns.sum()
    )
    assert smoothness(model, q, last=9).last_share == 1.0
    assert smoothness(model, q, last=9).last == 5


@given(st.floats(0.0, 3.1), st.integers(0, 2), st.floats(-1.0, 1.0))
def test_a_ball_turns_by_the_angle_of_its_turn(angle: float, which: int, before: float) -> None:
    """Whatever it was turned by before, and about which axis."""
    model = hk.chain([0.3, 0.3], "ball")
    start = quat_exp(np.array([before, 0.3, -0.2]))
    turn = quat_exp(angle * np.eye(3)[which])
    q = np.stack([model.rest, model.rest])
    q[0, 4:], q[1, 4:] = start, quat_mul(start, turn)
    found = smoothness(model, q)
    assert found.worst == pytest.approx(angle, abs=1e-7)
    assert found.travel == pytest.approx([0, angle], abs=1e-7)
    assert found.flips == int(angle > FLIP)


def test_a_flip_is_more_than_a_right_angle() -> None:
    model = hk.chain([1.0, 1.0])
    for angle, flips in ((np.pi / 2, 0), (np.pi / 2 + 1e-9, 1), (-2.0, 1), (1.5, 0)):
        assert smoothness(model, [[0.0, 0.0], [0.0, angle]]).flips == flips


def crane() -> hk.Model:
    """A hinge, a slide, a hinge, one that mimics it, and a branch that does not carry the tip."""
    spec = hk.ModelSpec(
        "crane",
        [hk.LinkSpec(name) for name in ("base", "mast", "boom", "arm", "hand", "lamp")],
        [
            hk.JointSpec("turn", "revolute", "base", "mast", axis=(0, 0, 1)),
            hk.JointSpec("slide", "prismatic", "mast", "boom", axis=(1, 0, 0), lower=0, upper=9),
            hk.JointSpec("lamp", "revolute", "mast", "lamp", axis=(0, 1, 0)),
            hk.JointSpec("elbow", "revolute", "boom", "arm", axis=(0, 1, 0)),
            hk.JointSpec(
                "level", "revolute", "arm", "hand", axis=(0, 1, 0), mimic=MimicSpec("elbow", -1)
            ),
        ],
    )
    return hk.Model(spec)


def test_what_slides_or_carries_another_frame_does_not_count() -> None:
    model = crane()
    q = np.zeros((3, model.nq))
    columns = {name: at.start for name, at in model.joint_q_slices.items()}
    q[:, columns["turn"]] = [0.0, 0.1, 0.2]
    q[:, columns["slide"]] = [0.0, 5.0, 0.0]
    q[:, columns["lamp"]] = [0.0, 3.0, 0.0]
    q[:, columns["elbow"]] = [0.0, 0.3, 0.3]
    found = smoothness(model, q, frame="hand")
    assert found.travel == pytest.approx([0.2, 0.3, 0.3])  # one that follows turns too
    assert found.worst == pytest.approx(0.3)
    assert found.second == pytest.approx(np.sqrt(2 * 0.3**2 / 3))  # 0.1, 0.1 and twice 0.3, 0
    still = smoothness(model, q, frame="base")
    assert still.travel.size == still.flips == still.last == 0
    assert np.isnan([still.worst, still.median, still.last_share, still.second]).all()


def test_poses_that_are_no_numbers_stand_still() -> None:
    model = hk.chain([1.0, 1.0])
    nan = np.nan
    runs = [
        [[nan, 0.0], [0.2, 0.0], [nan, nan], [0.3, 0.0]],
        [[nan, nan]] * 4,
        [[0.0, 0.0], [0.0, 0.5], [0.0, np.inf], [0.0, nan]],
    ]
    found = smoothness(model, runs)
    assert found.moves == pytest.approx(np.array([[0, 0, 0.1], [0.5, 0, 0]]))
    assert np.isnan(smoothness(model, runs[1]).worst)
    one = smoothness(model, [[0.1, 0.2]])
    assert one.moves.shape == (1, 0)
    assert np.isnan([one.worst, one.median, one.second, *one.largest]).all()
    two = smoothness(model, [[0.0, 0.0], [0.1, 0.2]])
    assert two.worst == pytest.approx(0.2)
    assert np.isnan(two.second)


def test_wrong_calls_are_sentences() -> None:
    model = hk.chain([1.0, 1.0])
    with pytest.raises(hk.ArgumentError, match=r"a path needs q \(..., T, 2\), got \(2,\)"):
        smoothness(model, [0.0, 0.0])
    with pytest.raises(hk.ArgumentError, match="shape"):
        smoothness(model, np.zeros((4, 3)))
    with pytest.raises(hk.ArgumentError, match="last must be 1 or more, got 0"):
        smoothness(model, np.zeros((4, 2)), last=0)
    with pytest.raises(hk.NotFoundError, match="hnd"):
        smoothness(crane(), np.zeros((4, 4)), frame="hnd")
    with pytest.raises(hk.ArgumentError, match="several tips"):
        smoothness(crane(), np.zeros((4, 4)))


@pytest.fixture(scope="module")
def study() -> Study:
    names = ["fabrik", "ccd", "dls"]
    return compare(hk.data("planar9"), solvers=names, runs=25, stops=[])


def test_the_thesiss_claims_of_smoothness_come_out(study: Study) -> None:
    """FABRIK is smooth, CCD flips and favours the last joints; least squares beats both."""
    fabrik, ccd, dls = (study[name].smoothness for name in ("fabrik", "ccd", "dls"))
    assert fabrik.flips == dls.flips == study.track.flips == 0
    assert ccd.flips > 0
    assert 2.0 < ccd.worst <= np.pi
    assert 0.2 < fabrik.median < 0.26
    assert 0.5 < ccd.median < 0.8
    assert fabrik.worst < 0.4
    assert 0.5 < fabrik.last_share < 0.53
    assert 0.7 < ccd.last_share < 0.8
    assert 0.2 < dls.last_share < 0.25  # all alike: 2 of 9
    assert 4 * fabrik.second < ccd.second
    assert 2 * dls.second < fabrik.second
    assert study.track.worst < fabrik.median
    assert len(study.track.moves) == 20
    assert len(fabrik.moves) == 25


def test_track_of_the_study_is_models_track(study: Study) -> None:
    model, order = study.model, (np.arange(25) * 100 // 25)[:20, None] + np.arange(100)
    path = model.track(
        position=study.curve.points[order % 100],
        q0=model.sample(25, seed=0)[:20],
        position_tolerance=study.tolerance,
    )
    assert np.array_equal(study.track.moves, smoothness(model, path.q).moves)


def test_the_table_and_the_file_say_what_was_measured(study: Study, tmp_path: Path) -> None:
    study.to_csv(tmp_path / "s.csv", what="smoothness")
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    parts = [*(part.smoothness for part in study.solvers), study.track]
    assert [row["solver"] for row in rows] == ["fabrik", "ccd", "dls", "track"]
    assert [row["runs"] for row in rows] == ["25", "25", "25", "20"]
    for row, part in zip(rows, parts, strict=True):
        assert float(row["largest_move_rad_median"]) == pytest.approx(part.median, rel=1e-14)
        assert float(row["second_difference_rad_rms"]) == pytest.approx(part.second, rel=1e-14)
        assert int(row["flips"]) == part.flips
    lines = str(study).splitlines()
    at = next(i for i, line in enumerate(lines) if "travel in last 2 of 9" in line)
    ccd = study["ccd"].smoothness
    assert lines[at + 4].split() == [
        "ccd", f"{ccd.median:.2f}", f"{ccd.worst:.2f}", str(ccd.flips),
        f"{100 * ccd.last_share:.0f}", f"{ccd.second:.2g}",
    ]  # fmt: skip
    assert lines[at + 6].startswith("track (20 runs)")


def test_a_figure_that_only_slides_has_dashes() -> None:
    joint = hk.JointSpec("x", "prismatic", "base", "cart", axis=(1, 0, 0), lower=0, upper=2)
    cart = hk.Model(hk.ModelSpec("cart", [hk.LinkSpec("base"), hk.LinkSpec("cart")], [joint]))
    line = hk.study.Curve("line", [[0.5, 0, 0], [1, 0, 0], [1.5, 0, 0]], closed=False)
    found = compare(cart, line, solvers=["dls"], runs=2, stops=[])
    lines = [line.split() for line in str(found).splitlines()]
    assert ["dls", "-", "-", "0", "-", "-"] in lines
    pytest.importorskip("matplotlib").use("Agg")
    hk.plot.largest_moves(found)
    assert not hk.plot.travel(found).patches


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_hinge_that_follows_turns_by_its_factor(kind: str) -> None:
    """The frames say how far each link turned against the one before it."""
    slides = kind == "prismatic"
    spec = hk.ModelSpec(
        "m",
        [hk.LinkSpec(name) for name in "abc"],
        [
            hk.JointSpec("drive", kind, "a", "b", axis=(1, 0, 0)),
            hk.JointSpec("hinge", "revolute", "b", "c", mimic=MimicSpec("drive", scale=-5.0)),
        ],
    )
    model = hk.Model(spec)
    q = np.array([[0.0], [0.1], [0.25]])
    at = {name: model.fk(q, frame=name)[:, :3, :3] for name in "abc"}
    turns = []
    for above, below in (("a", "b"), ("b", "c")):
        way = np.swapaxes(at[above], 1, 2) @ at[below]  # the turn of each joint, frame by frame
        step = np.swapaxes(way[:-1], 1, 2) @ way[1:]
        turns.append(np.arccos(np.clip((np.trace(step, axis1=1, axis2=2) - 1) / 2, -1, 1)))
    found = smoothness(model, q)
    np.testing.assert_allclose(found.moves[0], np.max(turns, axis=0), atol=1e-9)
    np.testing.assert_allclose(found.travel, np.sum(turns, axis=1)[int(slides) :], atol=1e-9)
    seconds = np.array([0.25] if slides else [0.05, 0.25])
    assert found.second == pytest.approx(np.sqrt(np.mean(seconds**2)))


@pytest.mark.parametrize("shape", [(2, 0, 3), (0, 3), (0, 4, 3)])
def test_paths_without_frames_or_runs_have_no_moves(shape: tuple[int, ...]) -> None:
    found = smoothness(hk.chain([0.3, 0.3, 0.2]), np.zeros(shape))
    assert (found.moves.size, found.flips) == (0, 0)
    assert np.isnan([found.worst, found.median, found.last_share, found.second]).all()
