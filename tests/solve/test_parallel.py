"""Parallel mechanisms: published platforms, special ones, and inverse and direct models as one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk
from handik.closed.parallel import Delta, FiveBar, Hexaglide, PlanarRPR, StewartPlatform
from handik.closed.parallel.circles import ThreeRRS
from handik.closed.parallel.maps import Slice, workspace_slice
from handik.errors import ArgumentError
from handik.study.twins.parallel import (
    leg_planes,
    rotation,
    stewart_jacobian,
    stewart_lengths,
    stewart_newton,
    study_point,
    study_quadrics,
)

# Dietmaier (1998), as published to six decimals: all 40 postures are real.
DIETMAIER = StewartPlatform(
    [
        [0, 0, 0],
        [1.107915, 0, 0],
        [0.549094, 0.756063, 0],
        [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418],
        [0.590473, 0.094733, -0.205018],
    ],
    [
        [0, 0, 0],
        [0.542805, 0, 0],
        [0.956919, -0.528915, 0],
        [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672],
        [-0.137087, -0.235121, 0.353913],
    ],
)
DIETMAIER_LENGTHS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])
HEXAPOD = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
small = st.floats(-0.25, 0.25)
seeds = st.integers(0, 2**32 - 1)


def pose(rng: np.random.Generator, turn: float = 2.0, height: float = 1.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = rotation(turn * rng.uniform(-1, 1, 3))
    T[:3, 3] = rng.uniform(-1, 1, 3) + np.array([0, 0, height])
    return T


def gap(T: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(T - truth).max(axis=(-2, -1)).min())


def test_dietmaier_has_forty_real_postures() -> None:
    found = DIETMAIER.postures(DIETMAIER_LENGTHS)
    assert (found.count, found.finite, found.infinite, found.failed) == (40, 40, 0, 0)
    assert found.complete
    assert found.paired
    assert found.trace < 1e-8
    assert found.residual < 1e-14
    np.testing.assert_allclose(
        DIETMAIER.ik(found.T), np.tile(DIETMAIER_LENGTHS, (40, 1)), atol=1e-13
    )
    apart = np.abs(found.T[:, None] - found.T[None]).max(axis=(-2, -1)) + np.eye(40)
    assert apart.min() > 1e-3


def test_each_dietmaier_posture_is_a_root_of_the_twin_and_of_the_planes() -> None:
    found = DIETMAIER.postures(DIETMAIER_LENGTHS)
    planes = leg_planes(DIETMAIER.base, DIETMAIER.platform, DIETMAIER_LENGTHS)
    for T in found.T:
        again, good = stewart_newton(DIETMAIER.base, DIETMAIER.platform, DIETMAIER_LENGTHS, T)
        assert good
        assert np.abs(again - T).max() < 1e-11
        z = study_point(T)
        assert abs(z[:4] @ z[4:]) < 1e-12
        assert np.abs(planes @ study_quadrics(z)).max() < 1e-12


def test_multi_start_newton_finds_nothing_else(rng: np.random.Generator) -> None:
    """An independent search: every root Newton's method falls into is among the postures."""
    known = DIETMAIER.postures(DIETMAIER_LENGTHS).T
    starts = np.array([pose(rng, np.pi, 0) for _ in range(3000)])
    direct = DIETMAIER.fk(DIETMAIER_LENGTHS, starts, iterations=60)
    hit = direct.T[direct.converged]
    assert len(hit) > 500
    far = np.abs(hit[:, None] - known[None]).max(axis=(-2, -1))
    assert far.min(axis=1).max() < 1e-8
    assert len(set(far.argmin(axis=1))) > 20


@pytest.mark.parametrize("flat", ["none", "base", "both"])
def test_random_platforms_have_forty(flat: str, rng: np.random.Generator) -> None:
    for _ in range(4):
        base, platform = rng.uniform(-1, 1, (2, 6, 3))
        if flat != "none":
            base[:, 2] = 0
        if flat == "both":
            platform[:, 2] = 0
        arm, T = StewartPlatform(base, platform), pose(rng)
        found = arm.postures(arm.ik(T))
        assert found.finite == 40
        assert found.complete
        assert found.trace < 1e-6
        assert found.count % 2 == 0
        assert gap(found.T, T) < 1e-9


def special(kind: str, rng: np.random.Generator) -> StewartPlatform:
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    if kind == "hexagon":
        return StewartPlatform.hexagon(1, *rng.uniform([0.5, 0.1, 0.1], [0.8, 0.4, 0.4]))
    platform[1::2] = platform[::2]
    if kind == "6-3 flat":
        base[:, 2] = platform[:, 2] = 0
    if kind == "3-3":
        base[[1, 3, 5]] = base[[2, 4, 0]]
    return StewartPlatform(base, platform)


@pytest.mark.parametrize(
    ("kind", "finite"), [("6-3", 16), ("6-3 flat", 16), ("3-3", 16), ("hexagon", 28)]
)
def test_special_platforms_have_fewer(kind: str, finite: int, rng: np.random.Generator) -> None:
    for _ in range(6):
        arm = special(kind, rng)
        T = pose(rng, 0.3)
        found = arm.postures(arm.ik(T))
        assert (found.finite, found.infinite, found.failed) == (finite, 40 - finite, 0)
        assert found.complete
        assert np.isnan(found.trace)
        assert gap(found.T, T) < 1e-9


def test_out_of_reach_is_an_answer() -> None:
    found = DIETMAIER.postures([0.01, 5, 0.01, 5, 0.01, 5])
    assert found.count == 0
    assert found.complete
    assert found.T.shape == (0, 4, 4)


def test_dependent_legs_are_said() -> None:
    base, platform = np.array(DIETMAIER.base), np.array(DIETMAIER.platform)
    base[1], platform[1] = base[0], platform[0]
    found = StewartPlatform(base, platform).postures(np.ones(6))
    assert found.dependent
    assert not found.complete
    assert found.count == 0


def test_batch_equals_its_parts(rng: np.random.Generator) -> None:
    T = np.array([pose(rng, 0.3) for _ in range(6)]).reshape(2, 3, 4, 4)
    lengths = HEXAPOD.ik(T)
    whole = HEXAPOD.postures(lengths)
    assert whole.count.shape == (2, 3)
    for at in np.ndindex(2, 3):
        one = HEXAPOD.postures(lengths[at])
        assert one.count == whole.count[at]
        assert one.T.tobytes() == whole.T[at][: one.count].tobytes()
        np.testing.assert_array_equal(HEXAPOD.ik(T[at]), lengths[at])


@given(seeds)
def test_inverse_and_jacobian_equal_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    arm, T = StewartPlatform(base, platform), pose(rng)
    np.testing.assert_allclose(arm.ik(T), stewart_lengths(base, platform, T), rtol=1e-13)
    j = stewart_jacobian(base, platform, T)
    np.testing.assert_allclose(arm.jacobian(T), j, atol=1e-13)
    centre = platform.mean(axis=0)
    size = np.sqrt(np.sum((platform - centre) ** 2) / 6)
    j[:, 3:] -= np.cross(T[:3, :3] @ centre, j[:, :3])
    j[:, 3:] /= size
    least = np.linalg.svd(j, compute_uv=False)[-1]
    assert least * 0.999 <= arm.singularity(T) <= 1.1 * least


@given(st.lists(small, min_size=6, max_size=6))
def test_direct_undoes_inverse(x: list[float]) -> None:
    T, guess = np.eye(4), np.eye(4)
    T[:3, :3] = rotation(np.array(x[:3]))
    T[:3, 3] = np.array(x[3:]) + np.array([0, 0, 1])
    guess[2, 3] = 1
    lengths = HEXAPOD.ik(T)
    found = HEXAPOD.fk(lengths, guess)
    assert found.converged
    assert found.residual < 1e-12
    assert found.singularity > 0.1
    assert np.abs(found.T - T).max() < 1e-10
    twin, good = stewart_newton(HEXAPOD.base, HEXAPOD.platform, lengths, guess)
    assert good
    assert np.abs(found.T - twin).max() < 1e-10


@given(seeds)
def test_planar_rpr_holds_the_pose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = PlanarRPR(*rng.normal(size=(2, 3, 2)))
    truth = np.array([*rng.normal(size=2), rng.uniform(-3, 3)])
    lengths = arm.ik(truth)
    found = arm.postures(lengths)
    assert 1 <= len(found) <= 6
    assert np.abs(found - truth).max(axis=1).min() < 1e-5
    np.testing.assert_allclose(arm.ik(found), np.tile(lengths, (len(found), 1)), atol=1e-9)


def test_planar_rpr_reaches_six_and_none() -> None:
    rng = np.random.default_rng(5)
    most = 0
    for _ in range(300):
        arm = PlanarRPR(*rng.normal(size=(2, 3, 2)))
        most = max(most, len(arm.postures(arm.ik(rng.normal(size=3)))))
    assert most == 6
    far = PlanarRPR([[0, 0], [9, 0], [0, 9]], [[0, 0], [1, 0], [0, 1]])
    assert far.postures([1, 1, 1]).shape == (0, 3)
    assert np.isnan(far.fk([1, 1, 1], [0, 0, 0])).all()


def test_planar_rpr_with_similar_triangles_has_its_flat_postures() -> None:
    """The determinant vanishes at angle 0: t is on a line there, with two answers."""
    triangle = np.array([[0, 0], [1, 0], [0.3, 0.9]])
    arm = PlanarRPR(triangle, triangle / 2)
    truth = np.array([0.4, 0.3, 0.0])
    found = arm.postures(arm.ik(truth))
    assert np.abs(found - truth).max(axis=1).min() < 1e-5


@given(small, small, small)
def test_delta_both_ways(x: float, y: float, z: float) -> None:
    arm = Delta(0.2, 0.05, 0.3, 0.6)
    p = np.array([x / 2, y / 2, z / 2 - 0.6])
    angles = arm.ik(p)
    assert angles.shape == (8, 3)
    assert np.isfinite(angles).all()
    both = arm.fk(angles)
    assert (both[:, 0, 2] <= both[:, 1, 2]).all()
    assert np.abs(both - p).max(axis=-1).min(axis=-1).max() < 1e-9
    knee = 0.2 + 0.3 * np.cos(angles[0, 0])
    shank = p + np.array([0.05, 0, 0]) - np.array([knee, 0, -0.3 * np.sin(angles[0, 0])])
    assert abs(np.linalg.norm(shank) - 0.6) < 1e-12


@given(small, small)
def test_five_bar_both_ways(x: float, y: float) -> None:
    arm = FiveBar([[0, 0], [0.3, 0]], [0.3, 0.35], [0.4, 0.45])
    p = np.array([0.15 + x / 2, 0.4 + y / 2])
    angles = arm.ik(p)
    assert angles.shape == (4, 2)
    assert np.isfinite(angles).all()
    both = arm.fk(angles)
    assert np.abs(both - p).max(axis=-1).min(axis=-1).max() < 1e-7
    for side, foot in enumerate(arm.base):
        q = angles[:, side, None]
        knee = foot + arm.upper[side] * np.hstack([np.cos(q), np.sin(q)])
        np.testing.assert_allclose(np.linalg.norm(knee - p, axis=1), arm.lower[side])


def test_closed_forms_say_nan_out_of_reach() -> None:
    assert np.isnan(Delta(0.2, 0.05, 0.3, 0.6).ik([0, 0, -5])).all()
    assert np.isnan(FiveBar([[0, 0], [0.3, 0]], [0.1, 0.1], [0.1, 0.1]).ik([9, 9])).all()
    assert np.isnan(FiveBar([[0, 0], [9, 0]], [0.1, 0.1], [0.1, 0.1]).fk([0, 0])).all()


def test_hexaglide_both_ways(rng: np.random.Generator) -> None:
    feet = HEXAPOD.base
    arm = Hexaglide(0 * feet, feet, HEXAPOD.platform, 1.3)  # rails meet in the middle
    T = np.array([pose(rng, 0.1, 0.0) for _ in range(20)])
    T[:, :3, 3] = rng.uniform(-0.1, 0.1, (20, 3)) + np.array([0, 0, 1])
    slides = arm.ik(T)
    assert slides.shape == (20, 2, 6)
    assert np.isfinite(slides).all()
    start = np.eye(4)
    start[2, 3] = 1
    direct = arm.fk(slides[:, 1], start)
    assert direct.converged.all()
    assert np.abs(direct.T - T).max() < 1e-9
    everything = arm.postures(slides[0, 0])
    assert everything.complete
    assert gap(everything.T, T[0]) < 1e-8
    with pytest.raises(ArgumentError, match="slide must have shape"):
        arm.postures(slides[:, 0])


def test_hexaglide_at_the_edge_of_its_rails() -> None:
    """A leg that stands square on its rail reaches one place of it, and beyond that none."""
    rails = np.zeros((6, 3))
    along = np.tile([1.0, 0.0, 0.0], (6, 1))
    arm = Hexaglide(rails, along, np.zeros((6, 3)), 0.5)
    T = np.eye(4)
    T[:3, 3] = 0.25, 0.0, 0.5
    np.testing.assert_array_equal(arm.ik(T), np.full((2, 6), 0.25))
    T[2, 3] = 0.5 + 1e-9
    assert np.isnan(arm.ik(T)).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: StewartPlatform(np.zeros((5, 3)), np.zeros((6, 3))), "base must have shape"),
        (lambda: StewartPlatform(np.full((6, 3), np.nan), np.zeros((6, 3))), "base must be finite"),
        (lambda: HEXAPOD.postures([1, 1, 1, 1, 1]), "lengths must have shape"),
        (lambda: HEXAPOD.postures([1, 1, 1, 1, 1, 0]), "lengths must be positive"),
        (lambda: HEXAPOD.postures([1, 1, 1, 1, 1, np.nan]), "lengths must be finite"),
        (lambda: HEXAPOD.ik(np.ones((4, 4))), "not"),
        (lambda: HEXAPOD.fk(np.ones((2, 6)), np.tile(np.eye(4), (3, 1, 1))), "broadcast"),
        (lambda: Delta(0.2, 0.05, -1, 0.6), "upper must be positive"),
        (lambda: FiveBar([[0, 0]], [1, 1], [1, 1]), "base must have shape"),
        (lambda: PlanarRPR(np.zeros((3, 2)), np.zeros((3, 2))).postures([-1, 1, 1]), "negative"),
    ],
)
def test_wrong_calls_are_named(call: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()  # type: ignore[operator]


def red_lines(cut: Slice) -> int:
    """How many contours of a picture are drawn in red, which says singular."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgba

    drawn = cut.plot()
    colours = [part.get_edgecolor() for part in drawn.collections]
    plt.close(drawn.figure)
    return sum(len(c) == 1 and np.allclose(c[0], to_rgba("tab:red")) for c in colours)


def test_slices_of_uneven_grids_and_loci_on_the_grid() -> None:
    platform = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
    T = np.eye(4)
    T[2, 3] = 1.0
    first, second = np.array([0.0, 0.1, 0.4]), np.array([-0.2, 0.0])
    cut = workspace_slice(platform, T, ("x", "y"), first, second, (0.0, 10.0))
    assert cut.area == pytest.approx(0.4 * 0.2, rel=1e-14)
    some = dataclasses.replace(cut, reached=np.array([[1, 1], [1, 1], [0, 0]], bool))
    assert some.area == pytest.approx(0.1 * 0.2, rel=1e-14)
    signs = dataclasses.replace(cut, determinant=np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]))
    np.testing.assert_allclose(signs.locus(), [[0.1, -0.2], [0.1, 0.0]])
    one_side = dataclasses.replace(cut, determinant=np.abs(signs.determinant))
    assert red_lines(signs) == 1
    assert red_lines(one_side) == 0  # touched, not crossed
    with pytest.raises(hk.ArgumentError, match="stroke must have shape"):
        workspace_slice(platform, T, ("x", "y"), first, second, 2.0)
    with pytest.raises(hk.ArgumentError, match="in a row"):
        workspace_slice(platform, T, ("x", "y"), np.ones((2, 2)), second)


def test_arguments_that_fit_nothing_are_named() -> None:
    rails = np.eye(6)[:, :3] + np.arange(6)[:, None]
    with pytest.raises(hk.ArgumentError, match=r"length must have shape \(\) or \(6,\)"):
        Hexaglide(rails, np.ones((6, 3)), rails, [1.0, 1.0, 1.0])
    five = FiveBar([[-0.1, 0.0], [0.1, 0.0]], [0.2, 0.2], [0.3, 0.3])
    assert np.isnan(five.ik([-0.1, 0.0])[..., 0]).all()
    with pytest.raises(TypeError, match="upper must be a number"):
        Delta(0.2, 0.1, [0.2, 0.3], 0.4)  # type: ignore[arg-type]
    with pytest.raises(hk.ArgumentError, match=r"\(5,\) of height and \(3,\) of tilt"):
        ThreeRRS.regular(0.5, 0.4, 0.3, 0.4).poses(np.ones(5), np.zeros((3, 2)))


#: 3-3 platforms with a complex pair far away, which was counted as infinite: base, platform, lengths
FAR_PAIR = [
    (
        [
            [0.6827522018180376, -0.3090580468772175, 0.9061230277381946],
            [-0.37946503807652054, 0.9497326314344765, -0.0248110202087215],
            [0.7975456991167098, 0.919654479765631, -0.8556122972571485],
        ],
        [
            [0.6483097089282432, -0.6557662146411636, 0.5263079116385931],
            [0.2979560725265784, -0.5973048703458703, 0.4887512328347914],
            [-0.37207679717333053, -0.6002620442788664, -0.05620230358553191],
        ],
        [
            1.4778679033994906,
            1.8040280319563002,
            1.4682628532275845,
            2.5462650532279407,
            1.6964951274436793,
            1.2844217452543953,
        ],
    ),
    (
        [
            [0.18343250832136593, 0.20223138823301756, 0.7169095173032232],
            [-0.5448799154611299, 0.6036090457301442, -0.8735538492522754],
            [0.8987763992694415, -0.39518574806795503, -0.8455219648747774],
        ],
        [
            [0.40097349794226766, -0.677928776747341, -0.4936023792676396],
            [0.8009809823685397, -0.3603035146807785, -0.3727182743953481],
            [-0.8918674647224278, -0.713735433745581, 0.17826127666716696],
        ],
        [
            1.4715982822568325,
            3.0503862599721603,
            3.0912624880596056,
            2.7660788318698315,
            3.023788270676157,
            1.2955143659920594,
        ],
    ),
    (
        [
            [0.023629268743161402, -0.27521482754117654, -0.12358552122607525],
            [-0.7173783406676413, 0.939696178942127, -0.571561464833656],
            [0.5074641057625564, -0.6324346605989395, 0.10443962222341674],
        ],
        [
            [0.9242434577079337, -0.5417941465021068, 0.1787250355595693],
            [0.18256832494194986, 0.7919501129742099, -0.8000115795807472],
            [-0.7319480799858431, 0.19397319401584245, 0.6524495969353683],
        ],
        [
            2.3849299403449025,
            2.8753786843837075,
            2.7144947492054676,
            1.2146458951719032,
            1.1741723455188977,
            0.9618840769555963,
        ],
    ),
]


@pytest.mark.parametrize(("base", "top", "lengths"), FAR_PAIR)
def test_a_complex_pair_far_away_is_no_infinity(
    base: list[list[float]], top: list[list[float]], lengths: list[float]
) -> None:
    arm = StewartPlatform(np.array(base)[[0, 1, 1, 2, 2, 0]], np.array(top)[[0, 0, 1, 1, 2, 2]])
    found = arm.postures(lengths)
    assert found.complete
    assert found.finite == 16
    assert found.infinite == 24


def test_the_edge_of_the_reach_is_reached(rng: np.random.Generator) -> None:
    """An arm stretched out straight: rounding alone put it out of reach, half of the time."""
    five, delta = FiveBar([[0, 0], [1, 0]], [0.5, 0.5], [0.7, 0.7]), Delta(0.2, 0.05, 0.3, 0.6)
    rail = Hexaglide(np.zeros((6, 3)), np.tile([1.0, 0, 0], (6, 1)), np.zeros((6, 3)), 0.7)
    for angle in rng.uniform(0.2, 1.2, 60):
        way = np.array([np.cos(angle), 0, -np.sin(angle)])
        for off, there in ((0, True), (1e-14, True), (1e-10, False)):
            assert np.isfinite(five.ik((1.2 + off) * way[[0, 2]])[0, 0]) == there
            assert np.isfinite(delta.ik([0.15, 0, 0] + (0.9 + off) * way)[0, 0]) == there
            T = np.eye(4)
            T[:3, 3] = 0.3, *((0.7 + off) * np.array([np.cos(angle), np.sin(angle)]))
            assert np.isfinite(rail.ik(T)).all() == there
    knees = np.array([[0.0, 0.0], [1.4, 0.0]])  # forearms in one line
    touching = FiveBar(knees - [[0.5, 0], [0.5, 0]], [0.5, 0.5], [0.7, 0.7])
    np.testing.assert_allclose(touching.fk([0.0, 0.0]), [[0.7, 0], [0.7, 0]], atol=1e-12)


@pytest.mark.parametrize("off", [1e5, 1e6, 1e8])
def test_planar_rpr_far_from_the_origin(off: float, rng: np.random.Generator) -> None:
    for _ in range(30):
        base, platform = rng.normal(size=(2, 3, 2))
        arm = PlanarRPR(base + off, platform)
        truth = np.array([*(off + rng.normal(size=2)), rng.uniform(-3, 3)])
        found = arm.postures(arm.ik(truth))
        assert np.abs(found - truth).max(axis=1).min(initial=9) < 1e-5 + 1e-8 * off


def test_what_overflows_is_not_converged() -> None:
    big = StewartPlatform(HEXAPOD.base * 1e160, HEXAPOD.platform * 1e160)
    T = np.eye(4)
    T[2, 3] = 1e160
    found = big.fk(np.full(6, 1e160), T)
    assert not found.converged
    assert not np.isfinite(found.residual)


def test_what_is_no_pose_is_refused_everywhere() -> None:
    arm = ThreeRRS.regular(1.0, 0.6, 0.5, 0.8)
    for T in (2 * np.eye(4), np.diag([1.0, 1, 1 + 1e-4, 1])):
        for call in (
            lambda T: arm.ik(T),
            lambda T: arm.singularity(T),
            lambda T: arm.fk([0.0, 0, 0], T),
            lambda T: workspace_slice(HEXAPOD, T, ("x", "y"), [0, 1], [0, 1]),
        ):
            with pytest.raises(ArgumentError):
                call(T)


def test_a_platform_of_one_point_is_singular() -> None:
    one = StewartPlatform(HEXAPOD.base, np.zeros((6, 3)))
    assert (workspace_slice(one, np.eye(4), ("x", "y"), [0, 1], [1, 2]).determinant == 0).all()
