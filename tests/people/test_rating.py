"""RULA, REBA and LUBA lowered: the exact scores, over postures that hold the hand on its place."""

import numpy as np
import pytest

import handik as hk
from handik.people import Rating, predict, reba_of, rula_of
from handik.people._rating import _Search
from handik.people.discomfort import JointDisplacement

ANNA = hk.human("female")
PAUL = hk.human("male", position="standing", detail="full")
OF = {"rula": rula_of, "reba": reba_of}


def goal_of(who, side="right"):
    return hk.Problem(who.model, hk.Position(f"index_tip_{side}"))


def known(who, seed, n, side="right"):
    """Places of the hand in drawn postures of an upright trunk, every other with a straight wrist."""
    what, model = JointDisplacement(who.model), who.model
    rng = np.random.default_rng(seed)
    for k in range(n):
        v = 0.4 * rng.normal(size=model.nv)
        still = ("trunk", "pelvis", "neck", "root", "wrist") if k % 2 else ("root",)
        v[[name.startswith(still) for name in what._of]] = 0.0
        q = model.clip(model.integrate(what.neutral, v))
        yield q, model.fk(q, frame=f"index_tip_{side}")[:3, 3]


@pytest.mark.parametrize("method", ["rula", "reba"])
@pytest.mark.parametrize("who", [ANNA, PAUL], ids=["seated", "standing"])
def test_scores_as_good_as_known_ones_are_found_and_are_exact(who, method):
    by, side = Rating(who, method), "left" if who is PAUL else "right"
    goal, lowered = goal_of(who, side), 0
    for q, target in known(who, 3, 4, side):
        start = hk.Solver(retries=2)(goal, target, JointDisplacement(who.model).neutral)
        assert start.converged
        found = by.lower(goal, target, start.q, side=side)
        assert goal.evaluate(target, found).met.all()
        assert by.score(found, side) == OF[method](who, found, side).score
        assert by.rate(found, side).parts == OF[method](who, found, side).parts
        assert by.score(found, side) <= min(by.score(q, side), by.score(start.q, side))
        lowered += by.score(found, side) < by.score(start.q, side)
    assert lowered or who is PAUL


@pytest.mark.parametrize("method", ["rula", "reba"])
def test_the_least_score_is_found_where_it_can_be_had(method):
    """Of a hand before the elbow: arm hanging, elbow bent, trunk and wrist at 0 degrees to the last digit."""
    target = ANNA.model.fk(ANNA.posture(elbow_flexion_right=1.4), frame="index_tip_right")[:3, 3]
    by = Rating(ANNA, method)
    way = predict(ANNA.model, target, frames="index_tip_right", by=by)[0]
    assert way.rating.score == by.score(way.q) == 1
    assert way.rating.level == (1 if method == "rula" else 0)
    assert f"{method.upper()} 1, discomfort" in str(way)
    loaded = Rating(ANNA, method, load=12)
    assert predict(ANNA.model, target, frames="index_tip_right", by=loaded)[0].rating.score == (
        3 if method == "rula" else 2
    )


@pytest.mark.parametrize("method", ["rula", "reba", "luba"])
def test_predict_by_a_rating_is_never_rated_worse_than_by_displacement(method):
    strategies, target = {"free": {}, "upright": {"trunk_bend": 0.0}}, [0.3, -0.4, 0.8]
    by, better = Rating(ANNA, method), 0
    plain = predict(ANNA.model, target, strategies=strategies)
    rated = predict(ANNA.model, target, strategies=strategies, by=by)
    assert [way.rating.score for way in rated] == sorted(way.rating.score for way in rated)
    of = {(way.frame, way.strategy): way for way in rated}
    for way in plain:
        assert way.rating is None
        side, other = way.frame.rpartition("_")[2], of[way.frame, way.strategy]
        assert other.reached == way.reached
        assert other.rating.score == by.score(other.q, side) <= by.score(way.q, side)
        better += other.rating.score < by.score(way.q, side)
    for hand in ("index_tip_right", "index_tip_left"):
        assert of[hand, "free"].rating.score <= of[hand, "upright"].rating.score
        assert of[hand, "upright"].q[ANNA.model.joint_q_slices["trunk_bend"]] == 0
    assert better or method == "luba"


@pytest.mark.parametrize(
    ("part", "less", "places"),
    [
        ("held", lambda self: iter([self.problem.model]), (1, 5, 8)),
        ("next_band", lambda self, q, score: None, (7,)),
        ("starts", lambda self, q0: (q0,), (0,)),
    ],
)
def test_each_part_of_the_search_finds_what_others_do_not(part, less, places, monkeypatch):
    goal, by = goal_of(ANNA), Rating(ANNA, "rula")
    targets = [target for _, target in known(ANNA, 21, 1 + max(places))]
    cases = [(targets[k], hk.Solver(retries=2)(goal, targets[k], ANNA.rest).q) for k in places]
    whole = [by.score(by.lower(goal, *case)) for case in cases]
    monkeypatch.setattr(_Search, part, less)
    assert sum(by.score(by.lower(goal, *case)) for case in cases) > sum(whole)


def test_excess_is_nothing_where_every_sub_score_is_least_and_smooth_elsewhere():
    rng = np.random.default_rng(2)
    for method in ("rula", "reba", "luba"):
        by = Rating(ANNA, method)
        easy = JointDisplacement(ANNA.model).neutral
        assert by.excess(easy) < 1e-30  # rounding
        assert by.score(easy) == by._best
        rows = ANNA.model.clip(
            ANNA.model.integrate(easy, 0.5 * rng.normal(size=(40, ANNA.model.nv)))
        )
        excess, score = by.excess(rows), by.score(rows)
        assert (excess[score > by._best] > 0).all()
        assert np.allclose(excess, [by.excess(q) for q in rows])
        assert np.allclose(score, [by.score(q) for q in rows])
        moved = ANNA.model.integrate(rows, np.full((40, ANNA.model.nv), 1e-7))
        assert np.abs(by.excess(moved) - excess).max() < 1e-5


def test_a_rating_is_told_what_is_wrong():
    with pytest.raises(hk.ArgumentError, match="method must be 'rula' or 'reba'"):
        Rating(ANNA, "owas")
    with pytest.raises(TypeError, match="person must be a handik Human"):
        Rating(ANNA.model, "rula")
    with pytest.raises(TypeError, match="LUBA has no keyword 'load'"):
        Rating(ANNA, "luba", load=2)
    with pytest.raises(TypeError, match="coupling"):
        Rating(ANNA, "rula", coupling="good")
    with pytest.raises(hk.ArgumentError, match="of one posture, not of many"):
        Rating(ANNA, "rula", load=[1.0, 12.0])
    by = Rating(ANNA, "rula")
    with pytest.raises(hk.ArgumentError, match="does not meet the goal"):
        by.lower(goal_of(ANNA), [0.4, 0.0, 1.0], ANNA.rest)
    with pytest.raises(hk.ArgumentError, match="must be of the person's model"):
        by.lower(goal_of(PAUL), [0.4, 0.0, 1.0], PAUL.rest)
    with pytest.raises(hk.ArgumentError, match="one posture"):
        Rating(ANNA, "luba").rate([ANNA.rest, ANNA.rest])
    with pytest.raises(TypeError, match="by must be a Rating of the person"):
        predict(PAUL.model, [0.4, 0.0, 1.0], by=by)
    with pytest.raises(hk.ArgumentError, match="'head' ends in neither _right nor _left"):
        predict(ANNA.model, [0.4, 0.0, 1.0], frames="head", by=by)


def test_a_freer_strategy_begins_from_the_rating_of_the_narrower_one():
    """Its discomfort was lowered first, which loses the rating: 2 free, and 1 with the trunk held."""
    who = hk.human("female", position="standing", profile="fixed_elbow")
    model, at = who.model, who.model.joint_q_slices["trunk_flexion"].start
    middle = 0.5 * float(model.lower[at] + model.upper[at])
    target = [0.27252516, -0.38025387, 1.66241562]
    held = {"trunk_flexion": middle}
    plans = {"held": held, "more": {**held, "trunk_bend": 0.0}, "free": {}}
    by = Rating(who, "reba", load=3.0, noticed=0.17)
    ways = hk.people.predict(model, target, frames="index_tip_right", strategies=plans, by=by)
    score = {way.strategy: way.rating.score for way in ways}
    assert score["free"] <= score["held"]
