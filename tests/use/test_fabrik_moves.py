"""Constrained FABRIK move by move: the moves are those of the core, and the pictures show them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import handik as hk
from handik.study.twins import FabrikMove, fabrik_moves

Array = NDArray[np.float64]

TARGET = [0.1, 0.55, 0.35]
CONE = hk.Cone(tuple(np.radians([40.0, 25.0, 40.0, 25.0])), twist=(-0.35, 0.35))
POLYGON = hk.ReachCone([(0, 0.7), (2, 0.7), (4, 0.4)], (-0.3, 0.3))


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")


def balls(limits: Any = CONE) -> hk.Model:
    arm = hk.chain([0.3, 0.3, 0.25, 0.2], "ball")
    return arm.with_limits(joint_2=limits, joint_3=limits, joint_4=limits)


def hinges() -> hk.Model:
    spec = hk.chain([0.3, 0.3, 0.25], lower=-1.2, upper=1.2).spec
    spec.joints[1].axis = (0.0, 1.0, 0.0)
    return hk.Model(spec)


ARMS = {"cones": balls(), "polygons": balls(POLYGON), "hinges": hinges()}
GOALS = {"cones": TARGET, "polygons": TARGET, "hinges": [0.4, 0.3, 0.3]}


def places(model: hk.Model, q: Array) -> Array:
    links = [name for name in model.frame_names if name != "link_0"]
    return np.array([model.fk(q, frame=name)[:3, 3] for name in links])


@pytest.mark.parametrize("name", ARMS)
def test_postures_are_those_of_the_core_after_each_iteration(name: str) -> None:
    arm = ARMS[name]
    moves = fabrik_moves(arm, GOALS[name], iterations=3)
    core = arm.solve(position=GOALS[name], q0=arm.rest, solver="fabrik", max_iter=3, trace=True)
    postures = [move.q for move in moves if move.q is not None]
    assert len(postures) == 4
    assert core.trace is not None
    trace = [*core.trace.q]
    assert len(trace) >= 3
    for mine, theirs in zip(postures, trace, strict=False):
        assert np.abs(mine - theirs).max() < 1e-9
    assert np.allclose(moves[-1].points, places(arm, postures[-1]), atol=1e-12)
    assert np.allclose(moves[0].points, places(arm, arm.rest), atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_each_move_does_what_it_says(name: str) -> None:
    arm, goal = ARMS[name], np.array(GOALS[name])
    moves = fabrik_moves(arm, goal, iterations=2)
    bones = np.linalg.norm(np.diff(moves[0].points, axis=0), axis=1)
    seen = {move.kind for move in moves}
    assert seen == {
        *("start", "target", "line", "region", "nearest", "length", "orient", "base", "turn")
    }
    for last, move in pairwise(moves):
        k = move.at
        still = np.delete(np.arange(len(bones) + 1), k)
        if move.kind in ("target", "line", "region", "nearest", "length", "orient"):
            assert np.array_equal(move.points[still], last.points[still]), move.kind
        if move.kind == "target":
            assert np.array_equal(move.points[k], goal)
        if move.kind in ("line", "length", "orient"):
            assert np.linalg.norm(move.points[k + 1] - move.points[k]) == pytest.approx(bones[k])
        if move.kind == "length":  # along the same ray
            a, b = (x.points[k] - move.apex for x in (last, move))
            assert np.linalg.norm(np.cross(a, b)) < 1e-12
        if move.kind == "base":
            assert np.array_equal(move.points[0], moves[0].points[0])
        if move.kind == "turn":
            placed = np.diff(move.points[: k + 1], axis=0)
            assert np.allclose(np.linalg.norm(placed, axis=1), bones[:k])
    assert [m.kind for m in moves[1:3]] == ["target", "line"]


def test_a_free_place_is_on_the_line_to_where_the_joint_stood() -> None:
    moves = fabrik_moves(balls(), TARGET)
    for last, move in pairwise(moves):
        if move.kind == "line":
            k = move.at
            way, line = move.points[k] - move.points[k + 1], last.points[k] - move.points[k + 1]
            off = np.linalg.norm(np.cross(way, line)) / np.linalg.norm(way) / np.linalg.norm(line)
            assert way @ line > 0
            # the twin draws what is left open by a millionth to where it was
            assert off < 1e-5 or "inside its limits" in move.text


@pytest.mark.parametrize("name", ARMS)
def test_the_region_is_what_the_limits_allow(name: str) -> None:
    """The place inside the limits is the nearest of the region, the free one is outside it."""
    arm = ARMS[name]
    moves = fabrik_moves(arm, GOALS[name], iterations=3)
    regions = [k for k, move in enumerate(moves) if move.kind == "region"]
    assert regions
    for k in regions:
        free, placed = moves[k], moves[k + 2]
        assert placed.kind == "length"
        bone = np.linalg.norm(placed.points[placed.at] - placed.apex)
        assert np.allclose(np.linalg.norm(free.edge - free.apex, axis=1), bone)
        gap = np.linalg.norm(free.edge - placed.points[placed.at], axis=1).min()
        away = np.linalg.norm(free.edge - free.points[free.at], axis=1).min()
        assert away > 1e-3 * bone or name != "hinges"
        if name == "hinges":  # all that is allowed is the arc
            assert gap < 0.05 * bone


def test_limits_that_hold_need_no_region() -> None:
    arm = hk.chain([0.3, 0.3, 0.25], "ball").with_limits(joint_2=hk.Cone(3.0), joint_3=hk.Cone(3.0))
    moves = fabrik_moves(arm, [0.2, 0.5, 0.1])
    assert not [move for move in moves if move.kind in ("region", "nearest", "length", "orient")]
    assert sum("inside its limits" in move.text for move in moves) == 2


def test_frames_are_turned_inside_the_limits() -> None:
    turned = [m for m in fabrik_moves(balls(), TARGET, iterations=2) if m.kind == "orient"]
    assert turned
    for move in turned:
        assert np.allclose(move.frame.T @ move.frame, np.eye(3))
        assert np.allclose(move.before.T @ move.before, np.eye(3))
        assert np.abs(move.before - move.frame).max() > 1e-6


def test_other_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="no serial chain of balls and hinges"):
        fabrik_moves(hk.data("puma560"), [0.3, 0.2, 0.1])  # its wrist is three hinges at one place
    with pytest.raises(ValueError, match="one finite point"):
        fabrik_moves(balls(), [0.1, np.nan, 0.0])
    with pytest.raises(ValueError, match="iterations must be 1"):
        fabrik_moves(balls(), TARGET, iterations=0)


# -- pictures -----------------------------------------------------------------------------------


def plot() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from handik import plot

    return plot


def line(ax: Any, gid: str) -> list[Array]:
    return [np.array(x.get_data_3d()).T for x in ax.lines if x.get_gid() == gid]


def test_stills_show_the_moves() -> None:
    moves = fabrik_moves(balls(), TARGET)
    figure = plot().fabrik_moves(moves)
    assert len(figure.axes) == len(moves)
    for ax, move in zip(figure.axes, moves, strict=True):
        assert np.array_equal(line(ax, "chain")[0], move.points)
        assert np.array_equal(line(ax, "target")[0], [TARGET])
        assert len(line(ax, "edge")) == (move.edge is not None)
        if move.edge is not None:
            assert np.array_equal(line(ax, "edge")[0], move.edge)
        assert len(line(ax, "frame")) == (6 if move.kind == "orient" else 0)
        if move.kind != "start":
            assert np.array_equal(line(ax, "moved")[0], move.points[[move.at]])
        words = ax.get_title().replace("\n", " ")
        assert words.endswith(move.text)
    limits = {(ax.get_xlim(), ax.get_ylim(), ax.get_zlim()) for ax in figure.axes}
    assert len(limits) == 1  # one view for all
    assert figure.axes[0].get_title().startswith("(a)")


def test_a_flat_chain_is_drawn_flat() -> None:
    arm = hk.chain([0.3, 0.3, 0.25], lower=-0.5, upper=0.5)
    moves: list[FabrikMove] = fabrik_moves(arm, [0.3, 0.5, 0.0])
    figure = plot().fabrik_moves(moves)
    assert {ax.name for ax in figure.axes} == {"rectilinear"}
    assert {ax.get_aspect() for ax in figure.axes} == {1.0}  # a square stays one
    assert any(move.edge is not None for move in moves)


def test_a_film_has_a_picture_for_each_move(tmp_path: Path) -> None:
    from PIL import Image

    moves = fabrik_moves(balls(), TARGET)[:5]
    film = plot().animate(moves, tmp_path / "moves.gif", fps=1, dpi=30)
    assert len(list(film.new_frame_seq())) == 5
    with Image.open(tmp_path / "moves.gif") as picture:
        assert picture.n_frames == 5


def test_a_long_film_keeps_the_first_and_the_last_move(tmp_path: Path) -> None:
    moves = fabrik_moves(balls(), TARGET, iterations=2)
    film = plot().animate(moves, tmp_path / "moves.gif", most=3, dpi=20)
    assert len(list(film.new_frame_seq())) == 3
    ax = film._fig.axes[0]
    film._draw_frame(2)
    assert np.array_equal(line(ax, "chain")[0], moves[-1].points)
    film._draw_frame(0)
    assert np.array_equal(line(ax, "chain")[0], moves[0].points)


def test_nothing_to_show_is_said() -> None:
    for draw in (plot().fabrik_moves, plot().animate):
        with pytest.raises(hk.ArgumentError, match="no moves"):
            draw([])
