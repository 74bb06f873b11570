"""Errors of the sources (docs/errata.md): each printed formula fails, its correction holds.

The formulas are written out here as printed and as they must be, and held against numbers that
are neither: rotations, differences, distances.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import handik as hk

PAGE = Path(__file__).parents[1] / "docs" / "errata.md"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(41)


def about(axis, angle, v):
    """Rodrigues: v turned about a unit axis, by one angle or many."""
    c, s = (np.asarray(f(angle))[..., None] for f in (np.cos, np.sin))
    return v * c + np.cross(axis, v) * s + axis * (axis @ v) * (1 - c)


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def rx(a):
    c, s = np.cos(a), np.sin(a)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rz(a):
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_every_erratum_names_a_test_that_is_here():
    named = re.findall(r"`(test_\w+)`", PAGE.read_text("utf-8"))
    here = {name for name in globals() if name.startswith("test_")}
    assert here - set(named) == {"test_every_erratum_names_a_test_that_is_here"}
    assert set(named) <= here
    assert len(named) == len(set(named))


# -- T: the thesis on HandiAccess and FABRIK -------------------------------------------------------


def denavit_hartenberg(theta, d, a, alpha, *, printed=False):
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    middle = ca * st if printed else ca * ct
    return np.array(
        [
            [ct, -ca * st, sa * st, a * ct],
            [st, middle, -sa * ct, a * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    )


def test_denavit_hartenberg_entry(rng):
    for _ in range(20):
        theta, d, a, alpha = rng.uniform(-1.5, 1.5, 4)
        right = denavit_hartenberg(theta, d, a, alpha)
        np.testing.assert_allclose(right[:3, :3], rz(theta) @ rx(alpha), atol=1e-15)
        wrong = denavit_hartenberg(theta, d, a, alpha, printed=True)[:3, :3]
        assert np.abs(wrong @ wrong.T - np.eye(3)).max() > 1e-3
    wrong = denavit_hartenberg(0.5, 0, 0, 0.4, printed=True)
    assert np.linalg.det(wrong) == pytest.approx(0.70, abs=0.005)  # the figure of the page


def test_denavit_hartenberg_convention(rng):
    """The definitions are those of the modified convention, the matrix that of the standard one."""
    table, q = rng.uniform(0.2, 1.2, (3, 4)), rng.uniform(-1, 1, 3)
    by_matrix = np.eye(4)
    for (theta, d, a, alpha), angle in zip(table, q, strict=True):
        by_matrix = by_matrix @ denavit_hartenberg(angle + theta, d, a, alpha)
    standard = hk.Model.from_dh(table)
    modified = hk.Model.from_dh(table, "modified")
    np.testing.assert_allclose(standard.fk(q), by_matrix, atol=1e-12)
    assert np.abs(modified.fk(q) - by_matrix).max() > 0.1


def draw_ccd(rng, axes=2):
    """What a CCD step knows: axis, effector and target from the joint, directions and weights."""
    z, e, d = unit(rng), rng.normal(size=3), rng.normal(size=3)
    ends = np.array([unit(rng) for _ in range(axes)])
    wants = np.array([unit(rng) for _ in range(axes)])
    return z, e, d, ends, wants, 1.3, 0.7, rng.uniform(0.2, 2, axes)


def gain(phi, z, e, d, ends, wants, wp, wo, sigma):
    """G(phi) by turning, (2.13) before it is taken apart."""
    turned = sum(s * w @ about(z, phi, end) for s, w, end in zip(sigma, wants, ends, strict=True))
    return wp * (d @ about(z, phi, e)) + wo * turned


def constants(z, e, d, ends, wants, wp, wo, sigma):
    k1 = wp * (d @ z) * (e @ z) + wo * np.sum(sigma * (wants @ z) * (ends @ z))
    k2 = wp * (d @ e) + wo * np.sum(sigma * np.sum(wants * ends, axis=1))
    k3 = z @ (wp * np.cross(e, d) + wo * (sigma @ np.cross(ends, wants)))
    return k1, k2, k3


def by_constants(phi, k1, k2, k3):
    return k1 * (1 - np.cos(phi)) + k2 * np.cos(phi) + k3 * np.sin(phi)


def test_ccd_minimise_is_maximise(rng):
    """(2.7): the angle that makes G1 least takes the effector farthest from the target."""
    phi = np.linspace(-np.pi, np.pi, 2001)
    for _ in range(20):
        z, e, d, *_ = draw_ccd(rng)
        ends = about(z, phi, e)
        g, far = ends @ d, np.linalg.norm(d - ends, axis=1)
        assert g.argmax() == far.argmin()
        assert g.argmin() == far.argmax()


def test_ccd_orientation_is_another_measure(rng):
    """(2.12): the sum of cosines and that of (cos - 1)^2 agree where all can be 1, not elsewhere."""
    phi = np.linspace(-np.pi, np.pi, 3601)

    def optima(z, ends, wants):
        cosines = np.array([about(z, phi, e) @ w for e, w in zip(ends, wants, strict=True)])
        most, least = cosines.sum(axis=0).argmax(), ((cosines - 1) ** 2).sum(axis=0).argmin()
        return phi[most], phi[least]

    apart = []
    for _ in range(20):
        z, _, _, ends, wants, *_ = draw_ccd(rng)
        apart.append(abs(np.subtract(*optima(z, ends, wants))))
        met = np.array([about(z, 0.7, e) for e in ends])  # one turn meets both
        np.testing.assert_allclose(optima(z, ends, met), 0.7, atol=2e-3)
    assert np.median(apart) > np.radians(1)


def test_ccd_third_constant(rng):
    """(2.21): W_O (E_j . d_j) must be W_O times the sum of sigma_j E_j x d_j."""
    for _ in range(20):
        drawn = draw_ccd(rng)
        z, e, d, ends, wants, wp, wo, sigma = drawn
        k1, k2, k3 = constants(*drawn)
        printed = z @ (wp * np.cross(e, d)) + wo * np.sum(sigma * np.sum(ends * wants, axis=1))
        for phi in (-2.0, 0.3, 1.4):
            assert by_constants(phi, k1, k2, k3) == pytest.approx(gain(phi, *drawn), abs=1e-13)
            assert abs(by_constants(phi, k1, k2, printed) - gain(phi, *drawn)) > 1e-6


def test_ccd_axis_of_the_joint(rng):
    """(2.17), (2.19): the axis is Z_i of the joint that turns, not Z_j of the axis compared."""
    for _ in range(20):
        drawn = draw_ccd(rng)
        z, e, d, ends, wants, wp, wo, sigma = drawn
        _, k2, k3 = constants(*drawn)
        own = np.sum(sigma * np.sum(wants * ends, axis=1))  # Z_j is E_j: (d_j . Z_j)(E_j . Z_j)
        printed = wp * (d @ z) * (e @ z) + wo * own
        assert abs(by_constants(1.0, printed, k2, k3) - gain(1.0, *drawn)) > 1e-4


def test_ccd_tangent_of_the_best_angle(rng):
    """(2.24): tan^-1(K3 / (K2 - K1)) is the worst angle in half of all draws; atan2 never is."""
    worst, n = 0, 2000
    for _ in range(n):
        k1, k2, k3 = constants(*draw_ccd(rng))
        best, printed = np.arctan2(k3, k2 - k1), np.arctan(k3 / (k2 - k1))
        top = by_constants(best, k1, k2, k3)
        assert top == pytest.approx(k1 + np.hypot(k2 - k1, k3), abs=1e-12)
        second = (k1 - k2) * np.cos(printed) - k3 * np.sin(printed)  # (2.23), the thesis's own test
        low = by_constants(printed, k1, k2, k3) < top - 1e-9
        assert low == (second > 0)
        worst += low
    assert 0.45 < worst / n < 0.55


def test_ccd_slide(rng):
    """(2.26): the square of the error begins with s . s, and its slope is 2 lambda - 2 s . Z."""
    for _ in range(20):
        z, e, d, *_ = draw_ccd(rng)
        way, x, h = d - e, rng.normal(), 1e-6

        def cost(x, z=z, way=way):
            return np.sum((way - x * z) ** 2)

        assert cost(x) == pytest.approx(way @ way - 2 * (way @ z) * x + x**2)
        printed = np.sum(way - way) - 2 * (way @ z) * x + x**2
        assert abs(printed - cost(x)) == pytest.approx(way @ way)
        slope = (cost(x + h) - cost(x - h)) / (2 * h)
        assert 2 * x - 2 * (way @ z) == pytest.approx(slope, abs=1e-6)
        assert abs(2 * x - way @ z - slope) == pytest.approx(abs(way @ z), abs=1e-6)


def test_ccd_slide_at_its_ends(rng):
    """Of two ends that are both out of the way the nearer is taken; tests that are alike take one."""
    kept = 0
    for _ in range(40):
        z, e, d, *_ = draw_ccd(rng)
        way = (d - e) @ z
        low, high = sorted(way + np.sign(rng.normal()) * rng.uniform(0.1, 2, 2))  # both to one side
        cost = {x: np.sum((d - e - x * z) ** 2) for x in (low, high)}
        nearer = low if cost[high] > cost[low] else high
        assert nearer == np.clip(way, low, high)
        kept += nearer == low
    assert 5 < kept < 35  # either test alone would be wrong in the others


def one_line(count=4):
    return hk.chain(np.full(count, 1 / count), "ball")


def test_fabrik_does_not_always_converge():
    """A straight chain whose target lies on its line stays straight for ever."""
    points, target = np.linspace([0, 0, 0], [1, 0, 0], 5), np.array([0.73, 0.0, 0.0])
    errors = []
    for count in (500, 1000):
        there, _ = listing(points, target, 1e-6, count)
        errors.append(np.linalg.norm(there[-1] - target))
        np.testing.assert_array_equal(there[:, 1:], 0)
    assert errors[0] > 0.01
    assert errors[1] > 0.01
    found = one_line().solve(position=target, solver="fabrik")
    assert found.converged
    assert found.n_restarts == 1  # the push


def test_fabrik_out_of_reach_stretches():
    """2.3.1.2 says that it stops there; algorithm 2.1 points the whole chain at the target."""
    arm, target = one_line(), np.array([0.9, 1.2, 0.0])
    found = arm.solve(position=target, solver="fabrik")
    assert found.outcome == hk.Outcome.UNREACHABLE
    np.testing.assert_allclose(arm.fk(found.q)[:3, 3], target / 1.5, atol=1e-12)


def listing(points, target, delta, most, r_of=None):
    """The printed CChaine::ik; the branch out of reach has `ri` from `r_of`."""
    points = [np.array(p, float) for p in points]
    d = [np.linalg.norm(b - a) for a, b in pairwise(points)]
    if np.linalg.norm(target - points[0]) > sum(d):
        for i, length in enumerate(d):
            share = length / r_of(points[i])
            points[i + 1] = (1 - share) * points[i] + share * target
        return np.array(points), 0
    base, count = points[0].copy(), 0
    while np.linalg.norm(points[-1] - target) > delta and count < most:
        points[-1] = target
        for i in range(len(d) - 1, -1, -1):
            share = d[i] / np.linalg.norm(points[i + 1] - points[i])
            points[i] = (1 - share) * points[i + 1] + share * points[i]
        points[0] = base
        for i, length in enumerate(d):
            share = length / np.linalg.norm(points[i + 1] - points[i])
            points[i + 1] = (1 - share) * points[i] + share * points[i + 1]
        count += 1
    return np.array(points), count


def test_listing_lost_a_line():
    """`ri` is never set out of reach: with the distance to the target lengths hold, else not."""
    points = np.linspace([0, 0, 0], [1, 0, 0], 5)
    target = np.array([0.9, 1.2, 0.4])
    right, _ = listing(points, target, 1e-3, 100, lambda p: np.linalg.norm(target - p))
    np.testing.assert_allclose(np.linalg.norm(np.diff(right, axis=0), axis=1), 0.25)
    unset, _ = listing(points, target, 1e-3, 100, lambda _: 1.0)
    assert np.abs(np.linalg.norm(np.diff(unset, axis=0), axis=1) - 0.25).max() > 0.01


def test_listing_has_no_end():
    """On its own line it never comes nearer; elsewhere it is `fabrik`, iteration for iteration."""
    points, target = np.linspace([0, 0, 0], [1, 0, 0], 5), np.array([0.73, 0.0, 0.0])
    there, count = listing(points, target, 1e-3, 1000)
    assert count == 1000
    assert np.linalg.norm(there[-1] - target) > 0.01
    arm = hk.data("ball10")
    solver = hk.Solver("fabrik", perturbations=0, max_restarts=0)
    problem = hk.Problem(arm, [hk.Position(position_tolerance=1e-4)])
    bent = arm.sample(1, seed=3)[0]
    joints = [f"link_{k}" for k in range(1, 11)] + ["tip"]
    start = [arm.fk(bent, frame=name)[:3, 3] for name in joints]
    np.testing.assert_allclose(np.linalg.norm(np.diff(start, axis=0), axis=1), 0.1)
    for q in arm.sample(300, seed=8):
        goal = arm.fk(q)[:3, 3]
        there, count = listing(start, goal, 1e-4, 1000)
        found = solver(problem, goal, q0=bent)
        assert found.iterations == count
        np.testing.assert_allclose(arm.fk(found.q)[:3, 3], there[-1], atol=1e-12)


# -- C: the course on inverse kinematics -----------------------------------------------------------


def test_course_sign_of_the_error(rng):
    """f - M = E with J L = E goes away from M; target - f, as in its algorithm, goes there."""
    arm = hk.data("planar9")
    for q in rng.uniform(-1, 1, (20, 9)):
        f, j = arm.fk(q)[:2, 3], arm.jacobian(q)[:2]
        target = f + rng.normal(0, 0.01, 2)
        for error, nearer in ((f - target, False), (target - f, True)):
            moved = arm.fk(q + np.linalg.pinv(j) @ error)[:2, 3]
            assert (np.linalg.norm(moved - target) < np.linalg.norm(f - target)) == nearer


def test_course_pseudo_inverse(rng):
    """(J'J)^-1 J' does not exist where joints are more than equations; J'(JJ')^-1 does."""
    arm = hk.data("planar9")
    j = arm.jacobian(rng.uniform(-1, 1, 9))[:2]
    assert np.linalg.matrix_rank(j.T @ j) == 2 < 9
    np.testing.assert_allclose(j.T @ np.linalg.inv(j @ j.T), np.linalg.pinv(j), atol=1e-12)


def test_course_two_links(rng):
    """arctan for atan2 misses half of all targets."""
    l1, l2, missed, n = 0.6, 0.4, 0, 2000
    arm = hk.chain([l1, l2])
    for x, y in arm.fk(rng.uniform(-np.pi, np.pi, (n, 2)))[:, :2, 3]:
        second = np.arccos(np.clip((x * x + y * y - l1**2 - l2**2) / (2 * l1 * l2), -1, 1))
        s, c = l2 * np.sin(second), l1 + l2 * np.cos(second)
        right = arm.fk([np.arctan2(y, x) - np.arctan2(s, c), second])[:2, 3]
        np.testing.assert_allclose(right, [x, y], atol=1e-7)
        printed = arm.fk([np.arctan(y / x) - np.arctan(s / c), second])[:2, 3]
        missed += np.hypot(*(printed - [x, y])) > 1e-3
    assert 0.4 < missed / n < 0.6


def test_course_derivative_of_a_rotation():
    """dR/da = R(a + pi/2) holds in the plane; in space it leaves a 1 along the axis."""
    h, a = 1e-6, 0.7
    slope = (rz(a + h) - rz(a - h)) / (2 * h)
    np.testing.assert_allclose(rz(a + np.pi / 2)[:2, :2], slope[:2, :2], atol=1e-9)
    assert slope[2, 2] == 0
    assert rz(a + np.pi / 2)[2, 2] == 1
    cross = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(cross @ rz(a), slope, atol=1e-9)


def test_course_clamp():
    """max(L) without its sign taken off lets a large step backwards pass."""
    step = np.array([-30.0, 1.0])

    def clamped(size):
        return 2 * step / size if size > 2 else step

    assert np.abs(clamped(step.max())).max() == 30
    assert np.abs(clamped(np.abs(step).max())).max() == 2
    arm = hk.data("planar9")
    target = arm.fk(np.full(9, 0.4))[:3, 3]
    found = arm.solve(position=target, solver="pinv", max_step=hk.deg(2), trace=True)
    assert np.abs(np.diff(found.trace.q, axis=0)).max() <= hk.deg(2) * (1 + 1e-9)


def test_course_second_derivative():
    """The series stands once with a half before f'' and once without."""
    x, h = 0.8, 0.05
    with_half = np.sin(x) + h * np.cos(x) - 0.5 * h**2 * np.sin(x)
    without = np.sin(x) + h * np.cos(x) - h**2 * np.sin(x)
    assert abs(with_half - np.sin(x + h)) < h**3
    assert abs(without - np.sin(x + h)) > 5 * h**3


# -- P: the Poppy arm -------------------------------------------------------------------------------


def test_poppy_elementary_step(rng):
    """(#): q_k = k dq with dq = (q_init - q_final) / n ends at q_init - q_final."""
    first, last, n = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4), 10
    printed = [k * (first - last) / n for k in range(n + 1)]
    np.testing.assert_allclose(printed[-1], first - last)
    assert np.abs(printed[0] - first).max() > 0.1
    right = [first + k * (last - first) / n for k in range(n + 1)]
    np.testing.assert_allclose(right[0], first)
    np.testing.assert_allclose(right[-1], last)


def test_poppy_rows_and_columns(rng):
    """f goes from R^n to R^m: J has m rows and n columns, and J J' is invertible where m <= n."""
    arm = hk.data("planar9")
    n, m = arm.nv, 2
    j = arm.jacobian(rng.uniform(-1, 1, n))[:m]
    assert j.shape == (m, n)  # m equations, n unknowns
    assert np.linalg.matrix_rank(j @ j.T) == m
    assert np.linalg.matrix_rank(j.T @ j) == m < n  # what "n equations, m unknowns" would invert


# -- G: the course on geometric models --------------------------------------------------------------


def test_pieper_slide_not_ball():
    """X of XXX(RRR) is a turn or a slide (its own list has PPPRRR): a ball makes too many."""
    half = np.pi / 2
    arm = hk.Model.from_dh(
        [[0, 0, 0, half], [half, 0, 0, half], [0, 0, 0, 0]]
        + [[0, 0, 0, half], [0, 0, 0, -half], [0, 0.1, 0, 0]],
        kinds="PPPRRR",
    )
    assert arm.nv == 6
    q = np.array([0.3, -0.2, 0.5, 0.4, 0.9, -0.7])
    found = arm.solutions(arm.fk(q))
    assert np.abs(np.asarray(found.q) - q).max(axis=1).min() < 1e-9
    balls = hk.chain([0.2, 0.2, 0.2], "ball")
    assert balls.nv + 3 == 12  # XXX(RRR) with balls for X: twice as many as a pose has equations
