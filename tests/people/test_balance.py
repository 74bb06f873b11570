"""Balance as a score and a term: over the seat, over the soles."""

from math import pi

import numpy as np
import pytest
from small_person import person

import handik as hk
from handik.people.balance import Balance
from handik.spec import InertialSpec

HINGED = hk.Model(person("hinges"))
SQUARE = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]]


def lever(mass=2.0, far=0.15):
    spec = hk.chain([0.3], axis=(0.0, -1.0, 0.0), lower=-3.0, upper=3.0).spec
    spec.links[1].inertial = InertialSpec(mass, np.array([far, 0.0, 0.0]))
    return hk.Model(spec)


def test_it_prints_what_it_is_of():
    stand = Balance(lever(), SQUARE)
    assert repr(stand) == "Balance(chain over 4 corners, margin at most 0.200 m)"


def test_balance_of_a_lever_over_a_square():
    stand = Balance(lever(far=0.3), SQUARE)
    for angle, margin in ((pi / 2, 0.2), (np.arccos(0.5), 0.05), (0.0, -0.1), (pi, -0.1)):
        assert stand.margin([angle]) == pytest.approx(margin)
        assert stand.score([angle]) == pytest.approx(1 - margin / 0.2)
    wide = Balance(lever(far=0.3), [[-1, -0.1], [1, -0.1], [1, 0.1], [-1, 0.1]])
    assert wide.score([0.0]) == pytest.approx(
        0.0, abs=1e-12
    )  # a long seat: its middle line is best


@pytest.mark.parametrize("n", [3, 4, 7, 60, 500])
def test_the_largest_circle_of_many_corners(n):
    """Of all threes of sides it took seconds for 120 corners, and for 1,000 a day."""
    turn = 2 * pi * np.arange(n) / n
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for size, at in (
        (1.0, (0.0, 0.0)),
        (1e-6, (0.0, 0.0)),
        (1e100, (0.0, 0.0)),
        (1.0, (9.0, -5.0)),
    ):
        stand = Balance(lever(), size * ring + at)
        assert stand._most == pytest.approx(size * np.cos(pi / n), rel=1e-12)


def test_the_largest_circle_is_that_of_a_linear_program():
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(6)
    for _ in range(60):
        points = rng.normal(0, 0.4, (rng.integers(3, 15), 2)) * [1.0, rng.choice([1.0, 0.01])]
        stand = Balance(lever(), points)
        along = np.roll(stand.corners, -1, axis=0) - stand.corners
        out = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
        sides = np.column_stack([out, np.ones(len(out))])
        most = np.sum(out * stand.corners, axis=1)
        found = optimize.linprog([0, 0, -1], sides, most, bounds=[(None, None)] * 2 + [(0, None)])
        assert stand._most == pytest.approx(found.x[2], rel=1e-9)


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ([[0, 0], [1, 0], [0.5, 1e-13]], "must not lie on a line"),  # its score was 0 / 0
        (np.linspace([0, 0.1], [1, 0.4], 50), "must not lie on a line"),  # by rounding they do not
        ([[-1e160, -1], [1e160, -1], [0, 1]], r"within 1e\+140 m, got 1e\+160"),
    ],
)
def test_a_support_without_room_or_beyond_all_numbers_is_refused(over, says):
    with pytest.raises(hk.ArgumentError, match=says):
        Balance(lever(), over)
    assert Balance(lever(), [[0, 0], [1, 0], [0.5, 1e-9]])._most == pytest.approx(5e-10, rel=1e-3)


def test_outside_a_corner_the_way_to_the_corner_counts():
    spec = hk.chain([1.0], axis=(0, 0, 1)).spec
    spec.links[1].inertial = InertialSpec(1.0, np.array([0.5, 0.0, 0.0]))
    stand = Balance(hk.Model(spec), SQUARE)
    assert stand.margin([pi / 4]) == pytest.approx(-(0.5 - 0.2 * np.sqrt(2)))


def test_legs_that_do_not_move_weigh_as_those_that_do():
    still, whole = hk.human(sex="male"), hk.human(sex="male", detail="full")
    on = [[-0.15, -1], [0.5, -1], [0.5, 1], [-0.15, 1]]
    for angle in (-0.3, 0.0, 0.6):
        q, all_q = still.posture(trunk_flexion=angle), whole.posture(trunk_flexion=angle)
        margin = Balance(still.model, on).margin(q)
        assert margin == pytest.approx(Balance(whole.model, on).margin(all_q), abs=1e-9)
        center = whole.model.center_of_mass(all_q)[0]
        assert margin == pytest.approx(min(center + 0.15, 0.5 - center), abs=1e-9)
    # the term says the same: met on one side of the edge, missed on the other
    edge = Balance(still.model, on).margin(still.rest)
    for more, met in ((-1e-3, True), (1e-3, False)):
        problem = hk.Problem(still.model, [Balance(still.model, on).term(margin=edge + more)])
        assert (problem.evaluate(np.empty(0), still.rest).error == 0) == met


def test_a_figure_of_which_only_the_base_weighs_has_no_balance():
    spec = hk.chain([1.0]).spec
    spec.links[0].inertial = InertialSpec(1.0)
    with pytest.raises(hk.ModelError, match="nothing that moves has mass"):
        Balance(hk.Model(spec), SQUARE)


def test_balance_as_a_term():
    model = HINGED
    seat = Balance(model, [[-0.1, -0.15], [0.05, -0.15], [0.05, 0.15], [-0.1, 0.15]])
    far = [0.62, -0.1, 0.45]
    free = model.solve(position=far, frame="index_tip_right")
    held = hk.Problem(model, [hk.Position("index_tip_right"), seat.term(margin=0.01)])
    found = hk.Solver("lm", retries=2)(held, far)
    assert free.converged
    assert found.converged
    assert seat.margin(found.q) >= 0.01 - 2e-4
    with pytest.raises(hk.ArgumentError, match="margin must be 0"):
        seat.term(margin=-0.1)
    with pytest.raises(hk.ArgumentError, match="lie on a line"):
        Balance(model, [[0, 0], [1, 1], [2, 2]])
    with pytest.raises(hk.ArgumentError, match="3 or more"):
        Balance(model, [[0, 0], [1, 1]])


@pytest.mark.parametrize("place", [(0, 0, 0), (1.0, 2.0, 0.5)])
@pytest.mark.parametrize("sex", ["female", "male"])
def test_the_base_of_support_is_the_soles_of_the_tape(sex, place):
    """Heel and toe tip of the survey's foot, as broad as its ball, where the person stands."""
    who = hk.human(sex, percentile=20, detail="full", position="standing")
    marks = who._tape.points("standing", "hanging")
    there = hk.people.balance.base_of_support(who.with_base((place, [1, 0, 0, 0]))) - place[:2]
    assert there.shape == (8, 2)
    for side, foot in (("right", there[:4]), ("left", there[4:])):
        heel, toes = marks[f"heel_{side}"], marks[f"toe_tip_{side}"]
        assert sorted(set(foot[:, 0].round(9))) == pytest.approx([heel[0], toes[0]], abs=1e-6)
        assert foot[:, 1].mean() == pytest.approx(heel[1], abs=1e-6)
        assert np.ptp(foot[:, 1]) == pytest.approx(who.dimensions["foot_breadth_horizontal"])
    stands = Balance(who.model, hk.people.balance.base_of_support(who))
    assert 0.02 < stands.margin(who.rest) < 0.12


def test_a_base_of_support_goes_with_the_feet():
    base = hk.people.balance.base_of_support
    who = hk.human(detail="full", position="standing")
    q = who.rest.copy()
    q[:2] += [0.3, -0.1]
    assert base(who, q) == pytest.approx(base(who) + [0.3, -0.1])
    step = base(who, who.posture(hip_flexion_right=0.5))
    assert step[:4, 0].min() > base(who)[:4, 0].min() + 0.1
    assert step[4:] == pytest.approx(base(who)[4:])
    with pytest.raises(TypeError, match="person must be a handik Human"):
        base(who.model)
    with pytest.raises(hk.ArgumentError, match="q must have shape"):
        base(who, np.tile(who.rest, (2, 1)))
