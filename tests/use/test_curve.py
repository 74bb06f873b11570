"""Curves: shapes, files, and their place within reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.study import circle, figure_of_eight, read_path
from handik.study.curve import Curve, joint_origins


def test_figure_of_eight_crosses_itself_at_its_centre() -> None:
    curve = figure_of_eight(100, centre=[1.0, 2.0, 3.0], size=0.5, axes=[[0, 0, 2], [0, 3, 0]])
    assert np.allclose(curve.points[[0, 50]], [1, 2, 3], atol=1e-15)
    assert np.allclose(np.ptp(curve.points, axis=0), [0, 0.5, 1.0], atol=2e-3)
    assert curve.closed
    assert curve.placed


def test_circle_keeps_its_distance() -> None:
    curve = circle(7, centre=[1.0, 0.0, 0.0], size=0.25)
    assert np.allclose(np.linalg.norm(curve.points - [1, 0, 0], axis=1), 0.25)


@pytest.mark.parametrize("make", [figure_of_eight, circle])
def test_wrong_shapes_are_refused(make: type[Curve]) -> None:
    with pytest.raises(hk.ArgumentError, match="at least 3 points"):
        make(2)
    with pytest.raises(hk.ArgumentError, match="both centre and size"):
        make(10, centre=[0, 0, 0])
    with pytest.raises(hk.ArgumentError, match="size must be positive"):
        make(10, centre=[0, 0, 0], size=0.0)
    with pytest.raises(hk.ArgumentError, match="centre must have shape"):
        make(10, centre=[0, 0], size=1.0)


@pytest.mark.parametrize("name", ["planar9", "ball10", "ur5", "puma560"])
@pytest.mark.parametrize("make", [figure_of_eight, circle])
def test_a_placed_shape_is_within_reach(name: str, make: type[Curve]) -> None:
    model = hk.data(name)
    curve = make(40).place(model)
    assert curve.placed
    found = model.solve(position=curve.points, retries=20, seed=9)
    tips = model.fk(found.q)[:, :3, 3]
    assert np.linalg.norm(tips - curve.points, axis=1).max() <= 1e-4 * model.max_reach
    assert np.ptp(curve.points, axis=0).max() >= 0.1 * model.max_reach


def test_a_flat_figure_gets_a_flat_shape() -> None:
    spec = hk.chain(np.ones(4), axis=(0.0, 1.0, 0.0)).spec  # moves in the xz plane
    curve = figure_of_eight(40).place(hk.Model(spec))
    assert np.abs(curve.points[:, 1]).max() < 1e-12


def test_a_figure_that_cannot_follow_is_refused() -> None:
    with pytest.raises(hk.ArgumentError, match="found no place for the circle"):
        circle(20).place(hk.chain([1.0], lower=0.0, upper=0.1))
    table = [[0.0, 0.0, 0.5, 0.0]]
    slide = hk.Model.from_dh(table, kinds="P", lower=[0.0], upper=[1.0])
    with pytest.raises(hk.ArgumentError, match="found no place"):
        circle(20).place(slide)


def test_points_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        circle(5).points[0] = 0.0


def test_joint_origins_are_those_of_the_chain() -> None:
    arm = hk.chain([1.0, 2.0, 3.0])
    q = np.array([[0.0, 0.0, 0.0], [np.pi / 2, 0.0, -np.pi / 2]])
    want = [
        [[0, 0, 0], [1, 0, 0], [3, 0, 0], [6, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 3, 0], [3, 3, 0]],
    ]
    assert np.allclose(joint_origins(arm, q), want)
    assert np.allclose(joint_origins(arm, q[1]), want[1])
    assert np.allclose(joint_origins(arm, q, "link_2"), np.array(want)[:, [0, 1, 1]])
    with pytest.raises(hk.NotFoundError, match="no frame is called 'tpi'"):
        joint_origins(arm, q, "tpi")


# -- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x,y,z\n1,2,3\n4,5,6\n",
        "1;2;3\r\n4;5;6",
        "# made by hand\n1 2 3\n\n4\t5 6 # end\n",
        "\ufeffx, y, z\n1.0, 2.0, 3.0\n4e0, 5, 6\n",
    ],
)
def test_forms_of_a_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text, "utf-8")
    curve = read_path(tmp_path / "a.csv")
    assert curve.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (curve.name, curve.closed, curve.placed) == ("a.csv", False, True)


def test_a_round_trip_is_closed_and_flat_points_lie_at_zero(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,0\n1,0\n1,1\n0,0\n", "utf-8")
    curve = read_path(tmp_path / "a.csv")
    assert curve.closed
    assert curve.points.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,z\n1,2,3\n1,two,3\n", r"a\.csv:3: expected 2 or 3 finite numbers, got '1, two, 3'"),
        ("1,2,3\nnan,2,3\n", r"a\.csv:2: expected"),
        ("1,2,3,4\n1,2,3,4\n", r"a\.csv:2: expected"),
        ("x,y,z\n", "no points"),
        ("", "no points"),
    ],
)
def test_what_is_no_path_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text, "utf-8")
    with pytest.raises(hk.ReadError, match=message):
        read_path(tmp_path / "a.csv")


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_path(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(hk.ReadError, match="not a text file"):
        read_path(tmp_path / "b.csv")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"axes": [[0, 0, 0], [0, 1, 0]]}, "an axis has no length"),
        ({"centre": ["a", "b", "c"]}, "centre must be a regular array of real numbers"),
        ({"centre": [0.0, np.nan, 0.0]}, "centre must be finite"),
        ({"size": float("inf")}, "size must be positive"),
    ],
)
@pytest.mark.parametrize("make", [figure_of_eight, circle])
def test_a_curve_of_no_place_is_refused(make: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(hk.ArgumentError, match=message):
        make(5, **{"centre": [0.0, 0.0, 0.0], "size": 0.5, **wrong})
