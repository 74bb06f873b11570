"""Sensitivity to the start, and conditioning: against Newton by hand and closed forms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import handik as hk
from handik.study import basins, conditioning, start_grid, workspace_section

Array = NDArray[np.float64]

LENGTHS = (1.0, 0.7)
TARGET = np.array([0.9, 0.6, 0.0])
UR5_POSE = [0.4, -1.2, 1.0, -0.6, 1.5, 0.2]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")


@pytest.fixture
def axes() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")


def newton_by_hand(q: Array, most: int) -> Array | None:
    """Undamped Newton on two links, its two equations written out."""
    a, b = LENGTHS
    for _ in range(most):
        s1, c1, s12, c12 = np.sin(q[0]), np.cos(q[0]), np.sin(q.sum()), np.cos(q.sum())
        miss = TARGET[:2] - [a * c1 + b * c12, a * s1 + b * s12]
        if np.linalg.norm(miss) < 1e-7:
            return q
        j = np.array([[-a * s1 - b * s12, -b * s12], [a * c1 + b * c12, b * c12]])
        q = q + np.linalg.solve(j, miss)
    return None


def test_basins_of_two_links_are_those_of_newton_by_hand() -> None:
    arm = hk.chain(LENGTHS)
    starts = start_grid(arm, count=30)
    found = basins(arm, starts, position=TARGET, max_iter=100)
    assert len(found.solutions) == 2
    elbows = np.sign(np.sin(found.solutions[:, 1]))
    assert sorted(elbows) == [-1.0, 1.0]
    compared = 0
    for where in np.ndindex(30, 30):
        mine = newton_by_hand(starts[where], 8)  # before rounding has a say in a chaotic path
        if mine is not None:
            assert elbows[found.reached[where]] == np.sign(np.sin(mine[1])), starts[where]
            compared += 1
    assert compared > 400
    assert found.converged == pytest.approx(np.mean(found.reached >= 0))
    assert found.shares.sum() == pytest.approx(found.converged)
    assert found.shares[0] >= found.shares[1]
    assert np.array_equal(found.shares, [np.mean(found.reached == k) for k in range(2)])


def test_newton_on_an_arm_reaches_all_eight_solutions_from_a_fifth_of_the_starts() -> None:
    arm = hk.data("ur5")
    pose = arm.fk(UR5_POSE)
    found = basins(arm, arm.sample(400, seed=0), pose=pose)
    closed = arm.solutions(pose)
    assert found.solutions.shape == (8, 6)
    mine, theirs = (np.asarray(arm.frames(q))[:, :, :3] for q in (found.solutions, closed.q))
    gaps = np.abs(mine[:, None] - theirs).max(axis=(2, 3, 4))
    assert sorted(np.argmin(gaps, axis=1)) == list(range(8))
    assert gaps.min(axis=1).max() < 1e-3
    assert 0.1 < found.converged < 0.4
    assert "of 400 starts converge, to 8 solutions" in repr(found)


def test_whole_turns_make_no_other_solution() -> None:
    arm = hk.chain(LENGTHS)
    start = np.array([0.3, 0.8])
    starts = start + 2 * np.pi * np.array([[0, 0], [1, 0], [-1, 2]])
    found = basins(arm, starts, position=TARGET)
    assert found.reached.tolist() == [0, 0, 0]
    assert found.solutions.shape == (1, 2)


def test_the_cap_is_kept_and_one_attempt_is_one_attempt() -> None:
    arm = hk.data("ur5")
    starts = arm.sample(100, seed=1)
    pose = arm.fk(UR5_POSE)
    few, many = (basins(arm, starts, pose=pose, max_iter=n) for n in (5, 200))
    assert few.iterations.max() <= 5
    assert few.converged < many.converged < 1.0  # with new starts all would converge
    none = basins(arm, starts, pose=pose, max_iter=0)
    assert none.converged == 0
    assert none.solutions.shape == (0, 6)
    assert none.shares.shape == (0,)


def test_solutions_that_are_no_points_are_refused() -> None:
    arm = hk.chain([0.3, 0.3, 0.3])
    with pytest.raises(hk.UnsupportedError, match="no separate points"):
        basins(arm, arm.sample(500, seed=0), position=[0.4, 0.2, 0.0])


def test_a_grid_covers_the_limits_and_holds_the_rest() -> None:
    arm = hk.chain([1.0, 1.0, 1.0], lower=[-1.0, -9.0, -1.0], upper=[2.0, 9.0, 1.0])
    grid = start_grid(arm, (0, 1), q=[0.0, 0.0, 0.4], count=4)
    assert grid.shape == (4, 4, 3)
    assert np.all(grid[..., 2] == 0.4)
    assert np.allclose(grid[0, :, 0], [-0.625, 0.125, 0.875, 1.625])
    assert np.allclose(grid[:, 0, 1], np.pi * np.array([-0.75, -0.25, 0.25, 0.75]))
    assert np.all(grid[1, :, 1] == grid[1, 0, 1])


def test_wrong_calls_say_what_is_wrong() -> None:
    arm = hk.chain(LENGTHS)
    for coordinates in ((0, 0), (0, 2), (0,)):
        with pytest.raises(hk.ArgumentError, match="coordinates must be two of 0 to 1"):
            start_grid(arm, coordinates)
    with pytest.raises(hk.ArgumentError, match="joint_1' is ball"):
        start_grid(hk.chain([1.0], "ball"))
    with pytest.raises(hk.ArgumentError, match="count must be 1"):
        start_grid(arm, count=0)
    with pytest.raises(hk.ArgumentError, match="one pose"):
        start_grid(arm, q=[0.0])
    with pytest.raises(hk.ArgumentError, match=r"starts must be \(\.\.\., 2\)"):
        basins(arm, [0.0, 0.0, 0.0], position=TARGET)
    with pytest.raises(hk.ArgumentError, match="starts must be"):
        basins(arm, np.zeros((0, 2)), position=TARGET)
    with pytest.raises(hk.NotFoundError):
        basins(arm, [[0.0, 0.0]], position=TARGET, solver="newtom")
    for axes in ("", "xx", "xw"):
        with pytest.raises(hk.ArgumentError, match="axes must be letters"):
            conditioning(arm, [0.0, 0.0], axes=axes)
    with pytest.raises(hk.ArgumentError, match="too few for axes='xyz'"):
        conditioning(arm, [0.0, 0.0])
    for plane in ("x", "zx", "xyz"):
        with pytest.raises(hk.ArgumentError, match="plane must be"):
            workspace_section(arm, plane, axes="xy")
    for count, starts in ((1, 1), (5, 0)):
        with pytest.raises(hk.ArgumentError, match="count must be 2 and starts 1"):
            workspace_section(arm, "xy", axes="xy", count=count, starts=starts)
    with pytest.raises(hk.ArgumentError, match="coordinates must be"):
        start_grid(arm, (-1, 0))


def test_conditioning_of_two_links_is_that_of_the_books() -> None:
    arm = hk.chain(LENGTHS)
    q = arm.sample(50, seed=4)
    found = conditioning(arm, q, axes="xy")
    a, b = LENGTHS
    assert np.allclose(found.manipulability, a * b * np.abs(np.sin(q[:, 1])))
    # the two squares' sum is the trace of J J^T
    trace = a * a + 2 * b * b + 2 * a * b * np.cos(q[:, 1])
    assert np.allclose((found.singular_values**2).sum(axis=1), trace)
    small, large = found.singular_values[:, 1], found.singular_values[:, 0]
    assert np.allclose(found.condition, large / small)
    straight = conditioning(arm, [0.3, 0.0], axes="xy")
    assert straight.manipulability == pytest.approx(0.0, abs=1e-15)
    assert straight.condition > 1e14
    assert conditioning(arm, [0.1, 0.2], axes="y").condition == 1.0
    assert conditioning(arm, q, axes="x", frame="link_1").singular_values.shape == (50, 1)


def test_a_section_is_a_ring_with_the_condition_of_the_law_of_cosines() -> None:
    arm = hk.chain(LENGTHS)
    found = workspace_section(arm, "xy", axes="xy", count=21, starts=6)
    a, b = LENGTHS
    far = np.linalg.norm(found.points[..., :2], axis=-1)
    inside = (far > a - b + 1e-2) & (far < a + b - 1e-2)
    outside = (far < a - b - 1e-2) | (far > a + b + 1e-2)
    assert found.reached[inside].all()
    assert not found.reached[outside].any()
    cosine = (far[inside] ** 2 - a * a - b * b) / (2 * a * b)
    want = a * b * np.sqrt(1 - cosine**2)
    assert np.allclose(found.manipulability[inside], want, atol=2e-3)
    tips = arm.fk(found.q[inside])[:, :3, 3]
    assert np.allclose(tips, found.points[inside], atol=1e-3)
    assert np.isnan(found.q[outside]).all()


def test_the_best_conditioned_posture_is_kept() -> None:
    arm = hk.data("ur5")
    one, many = (workspace_section(arm, count=9, starts=n, at=0.1) for n in (1, 8))
    both = one.reached & many.reached
    assert np.median(many.condition[both]) < np.median(one.condition[both])
    assert np.all(many.points[..., 1] == 0.1)
    again = conditioning(arm, many.q[both])
    assert np.allclose(again.condition, many.condition[both])
    assert np.allclose(again.manipulability, many.manipulability[both])


@pytest.mark.usefixtures("axes")
def test_the_picture_of_basins_paints_what_was_reached() -> None:
    from matplotlib.colors import to_rgb

    from handik import plot
    from handik.plot.basins import DARK

    arm = hk.data("ur5")
    pose = arm.fk(UR5_POSE)
    ax = plot.basins(arm, pose=pose, q=UR5_POSE, coordinates=(1, 2), count=20)
    found = basins(arm, start_grid(arm, (1, 2), q=UR5_POSE, count=20), pose=pose)
    painted = np.asarray(ax.images[0].get_array())
    dark = np.abs(painted - to_rgb(DARK)).max(axis=2) < 1e-12
    assert np.array_equal(dark, found.reached < 0)
    for k in range(len(found.solutions)):  # a solution's pixels have one hue: a mix with white
        pixels = 1 - painted[found.reached == k]
        assert np.linalg.matrix_rank(pixels, tol=1e-9) == 1
    assert ax.get_title() == f"newton: {found.converged:.1%} of 400 starts converge"
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[0] == f"solution 1: {found.shares[0]:.1%}"
    assert words[-1] == f"none: {1 - found.converged:.1%}"
    (star,) = [line for line in ax.lines if str(line.get_gid()).startswith("solution")]
    at = [star.get_xdata()[0], star.get_ydata()[0]]
    assert np.allclose(at, np.degrees(UR5_POSE[1:3]), atol=0.1)
    assert ax.get_xlabel() == "$q_{2}$ of the start, degrees"
    assert ax.images[0].get_extent() == [-180.0, 180.0, -180.0, 180.0]


@pytest.mark.usefixtures("axes")
def test_slides_are_drawn_in_metres() -> None:
    from handik import plot

    arm = hk.Model.from_dh(
        [[0, 0, 0, 0.3], [0, 0, 0.4, 0]], kinds="PR", lower=[0.0, -3.0], upper=[0.5, 3.0]
    )
    ax = plot.basins(arm, position=arm.fk([0.2, 0.5])[:3, 3], count=8)
    assert ax.get_xlabel() == "$q_{1}$ of the start, m"
    assert ax.get_ylabel() == "$q_{2}$ of the start, degrees"
    assert ax.images[0].get_extent()[:2] == pytest.approx([0.0, 0.5])


@pytest.mark.usefixtures("axes")
def test_the_picture_of_conditioning_shows_the_section() -> None:
    from handik import plot

    arm = hk.chain(LENGTHS)
    section = workspace_section(arm, "xy", axes="xy", count=15, starts=3)
    ax = plot.conditioning(arm, count=15, starts=3)
    shown = ax.collections[0].get_array().reshape(15, 15)
    assert np.array_equal(np.ma.getmaskarray(shown), ~section.reached)
    assert np.allclose(shown.compressed(), np.log10(section.condition[section.reached]))
    other = plot.conditioning(arm, count=15, starts=3, what="manipulability")
    shown = other.collections[0].get_array().reshape(15, 15)
    assert np.allclose(shown.compressed(), section.manipulability[section.reached])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x, m", "y, m")
    assert plot.conditioning(hk.data("ur5"), count=5, starts=1).get_ylabel() == "z, m"
    with pytest.raises(hk.ArgumentError, match="'condition' or 'manipulability'"):
        plot.conditioning(arm, what="dexterity")
