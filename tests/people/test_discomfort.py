"""Joint displacement, its least, which hand; LUBA; gaze and effort as scores and terms."""

import csv
import pickle
from importlib.resources import files
from math import degrees, inf, pi, radians
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_person import person

import handik as hk
from handik.people import luba
from handik.people.discomfort import G, JointDisplacement, least, published_weights
from handik.people.effort import Effort
from handik.people.gaze import FIELD, Gaze, InView
from handik.people.impairments import apply
from handik.people.posture_scores import sheet
from handik.spec import InertialSpec

ARM = hk.chain([0.3, 0.25, 0.2], lower=[-1.0, 0.0, -0.5], upper=[2.0, 2.5, 0.5])
BODY = hk.Model(person())
HINGED = hk.Model(person("hinges"))


# -- joint displacement -----------------------------------------------------------------------------


def printed(q, neutral, low, high, weights):
    """The formula as it stands in docs/discomfort.md, joint by joint."""
    total = 0.0
    for x, n, a, b, w in zip(q, neutral, low, high, weights, strict=True):
        up = (0.5 * np.sin(5 * (b - x) / (b - a) + 1.571) + 0.5) ** 100
        down = (0.5 * np.sin(5 * (x - a) / (b - a) + 1.571) + 0.5) ** 100
        total += w * ((x - n) / (b - a)) ** 2 + G * up + G * down
    return total / G


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_the_formula(shares):
    q = ARM.lower + np.array(shares) * (ARM.upper - ARM.lower)
    what = JointDisplacement(ARM, [0.2, 0.3, 0.1], {"joint_1": 1e4, "joint_2": 5.0})
    wanted = printed(q, [0.2, 0.3, 0.1], ARM.lower, ARM.upper, [1e4, 5.0, 1.0])
    assert float(what.score(q)) == pytest.approx(wanted, rel=1e-9, abs=1e-15)
    assert sum(what.parts(q).values()) == pytest.approx(wanted, rel=1e-9, abs=1e-15)


def test_the_penalty_is_one_at_a_limit_and_nothing_a_tenth_from_it():
    what = JointDisplacement(ARM, weights=dict.fromkeys(ARM.joint_names, 0.0))
    assert float(what.score([2.0, 1.0, 0.0])) == pytest.approx(1.0, abs=1e-4)
    assert float(what.score([-1.0, 1.0, 0.0])) == pytest.approx(1.0, abs=1e-4)
    assert 1e-3 < float(what.score([1.7, 1.0, 0.0])) < 3e-3
    assert float(what.score([0.5, 1.0, 0.0])) < 1e-10


def test_the_gradient_is_the_derivative_for_hinges_and_balls():
    rng = np.random.default_rng(3)
    for model in (ARM, BODY):
        what = JointDisplacement(model)
        for q in model.sample(4, seed=5):
            v = rng.normal(size=model.nv)
            sides = [float(what.score(model.integrate(q, s * 1e-6 * v))) for s in (1, -1)]
            slope = float(what.gradient(q) @ v)
            assert slope == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_a_ball_counts_its_swing_over_twice_the_widest_and_its_twist_over_that_range():
    arm = hk.chain([1.0], "ball").spec
    for twist in ((-0.5, 1.1), hk.TwistTable((-0.5, 1.1), [(-1.5, -0.2, 0.2), (1.5, -0.1, 0.1)])):
        arm.joints[0].cone = hk.Cone((1.0, 0.5, 0.8, 0.4), twist)
        model = hk.Model(arm)
        what = JointDisplacement(model)
        q = model.integrate(model.rest, [0.3, 0.0, 0.4])  # the bone is z
        assert float(what.score(q)) * G == pytest.approx((0.3 / 2.0) ** 2 + (0.4 / 1.6) ** 2)
    arm.joints[0].axis = (1.0, 0.0, 1.0)  # along no coordinate of its own
    model = hk.Model(arm)
    q = model.integrate(model.rest, [0.3, 0.0, 0.4])
    assert float(JointDisplacement(model).score(q)) * G == pytest.approx((0.5 / 2.0) ** 2)


def test_neutral_is_the_rest_away_from_the_limits():
    found = JointDisplacement(ARM).neutral
    assert np.allclose(found, [0.0, 0.5, 0.0])
    given_ = JointDisplacement(ARM, [0.0, 0.0, 0.0])
    assert float(given_.score(given_.neutral)) == pytest.approx(1.0, abs=1e-4)
    assert float(JointDisplacement(ARM).score(found)) < 1e-11


def easy_people():
    """People of all kinds whose neutral posture is looked at."""
    return [
        hk.human("female"),
        hk.human("male", position="standing", detail="full+hand"),
        hk.human("female", limits="box", detail="spine"),
        hk.human("male", profile="sci_c6", percentile=20),
    ]


@pytest.mark.parametrize("k", range(4))
def test_a_persons_neutral_posture_has_the_least_score(k):
    """Of 0.15 of the range from a limit, as was, the penalty is that of 0.74 of a range."""
    who = easy_people()[k]
    what = JointDisplacement(who.model)
    least_of_all = float(what.score(what.neutral))
    assert max(what.parts(what.neutral).values()) < 5e-12  # fingers have many joints
    rng = np.random.default_rng(1)
    for size in (0.003, 0.01, 0.05):
        moves = size * rng.normal(size=(40, who.model.nv))
        near = who.model.clip(who.model.integrate(what.neutral, moves))
        assert (what.score(near) >= least_of_all * (1 - 1e-9) - 2e-11).all()


@pytest.mark.parametrize("k", range(2))
def test_a_persons_neutral_posture_is_rated_least_by_rula_and_reba(k):
    """It was that of the model's rest: arms raised by 67 degrees ahead and 48 aside."""
    who = easy_people()[k]
    q = JointDisplacement(who.model).neutral
    for side in ("right", "left"):
        assert hk.people.rula_of(who, q, side).score == 1
        assert hk.people.reba_of(who, q, side).score == 1
    for name in ("rula", "reba"):  # the elbow: the middle of what they rate least
        bands, _ = sheet(name)
        low, high, _ = min(bands["lower_arm"], key=lambda row: row[2])
        at = who.model.joint_q_slices["elbow_flexion_right"]
        assert degrees(float(q[at][0])) == pytest.approx((low + high) / 2)


def test_a_persons_neutral_posture_goes_with_her_model():
    who = hk.human("female")
    wanted = JointDisplacement(who.model).neutral
    for model in (
        who.with_base(([1, 2, 0], [0, 0, 0, 1])).model,
        pickle.loads(pickle.dumps(who.model)),
        hk.Model(hk.read.read_toml(who.model.spec.to_toml())),
        who.model.with_limits(trunk_turn=(-0.4, 0.4)),
        who.model.locked({"trunk_turn": 0.0}),
    ):
        np.testing.assert_allclose(JointDisplacement(model).neutral, wanted, atol=1e-12)


def test_a_joint_without_limits_has_a_full_turn():
    free = hk.chain([1.0])
    assert float(JointDisplacement(free).score([0.5])) * G == pytest.approx((0.5 / (2 * pi)) ** 2)


def test_published_weights_by_name():
    found = published_weights(BODY)
    assert found["trunk_bend"] == found["pelvis_tilt"] == 1e4
    assert found["elbow_flexion_left"] == found["shoulder_right"] == 1.0
    links = [hk.LinkSpec(x) for x in "abcd"]
    joints = [
        hk.JointSpec(n, "revolute", a, b)
        for n, a, b in (("clavicle_x", "a", "b"), ("L5_S1_bend", "b", "c"), ("Lever", "c", "d"))
    ]
    named = published_weights(hk.Model(hk.ModelSpec("x", links, joints)))
    assert named == {"clavicle_x": 1e8, "L5_S1_bend": 1e4, "Lever": 1.0}


def test_the_term_keeps_the_weights_ratios():
    what = JointDisplacement(ARM, np.zeros(3), weights={"joint_1": 4.0})
    problem = hk.Problem(ARM, [what.term()])
    e = problem.residual([], [0.3, 0.5, 0.1])
    wanted = np.array([2 * 0.3 / 3.0, 0.5 / 2.5, 0.1 / 1.0]) / 2.0
    assert np.allclose(e, wanted)


def test_many_postures_are_each_alone():
    what = JointDisplacement(BODY)
    rows = BODY.sample(5, seed=1)
    assert np.allclose(what.score(rows), [float(what.score(q)) for q in rows])
    assert what.gradient(rows).shape == (5, BODY.nv)


# -- the least ------------------------------------------------------------------------------------------


def test_the_least_is_that_of_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    arm = hk.chain([0.3, 0.25, 0.2, 0.2], lower=-2.0, upper=2.4)
    what = JointDisplacement(arm, [0.2, 0.1, 0.0, 0.3])
    problem = hk.Problem(arm, hk.Position())
    rng = np.random.default_rng(1)
    for _ in range(6):
        target = arm.fk(rng.uniform(-1.2, 1.5, 4))[:3, 3]
        start = hk.Solver()(problem, target)
        found = least(problem, target, what, start.q, max_iter=200, ftol=1e-9)
        assert problem.evaluate(target, found).met.all()
        oracle = optimize.minimize(
            lambda q: 1e6 * float(what.score(q)),
            found,
            jac=lambda q: 1e6 * what.gradient(q),
            method="SLSQP",
            bounds=[(-2.0, 2.4)] * 4,
            constraints={"type": "eq", "fun": lambda q, t=target: arm.fk(q)[:2, 3] - t[:2]},
            options={"ftol": 1e-13, "maxiter": 500},
        )
        assert float(what.score(found)) <= 1e-6 * oracle.fun * (1 + 5e-3) + 1e-12


def test_the_least_takes_a_plain_function_and_holds_what_is_locked():
    locked = ARM.locked({"joint_1": 0.3})
    target = ARM.fk([0.3, 0.7, 0.2])[:2, 3]
    problem = hk.Problem(locked, hk.Position(axes="x"))
    start = hk.Solver()(problem, target[:1])
    found = least(problem, target[:1], lambda q: (q[..., 1] - 1.0) ** 2, start.q)
    assert found[0] == 0.3
    assert abs(found[1] - 1.0) <= abs(start.q[1] - 1.0)
    with pytest.raises(hk.ArgumentError, match="does not meet the goal"):
        least(problem, target[:1] + 0.1, lambda q: q[..., 0], start.q)
    with pytest.raises(TypeError, match="score"):
        least(problem, target[:1], 3, start.q)


def test_no_step_is_no_change():
    problem = hk.Problem(ARM, hk.Position())
    target = ARM.fk([0.3, 0.7, 0.2])[:3, 3]
    q = hk.Solver()(problem, target).q
    assert (least(problem, target, JointDisplacement(ARM), q, max_iter=0) == q).all()


# -- LUBA ------------------------------------------------------------------------------------------------

#: Table 43.2 as it is printed: degrees up to which, and the score.
WRIST = {
    "wrist flexion": [(20, 1), (60, 2), (inf, 5)],
    "wrist extension": [(20, 1), (45, 2), (inf, 7)],
    "wrist radial deviation": [(10, 1), (30, 3), (inf, 7)],
    "wrist ulnar deviation": [(10, 1), (20, 3), (inf, 6)],
}


@pytest.mark.parametrize("motion", WRIST)
def test_luba_cell_by_cell(motion):
    low = 0.0
    for high, score in WRIST[motion]:
        for deg in (low + 1e-6, min(high, low + 5), min(high, 90.0)):
            assert luba({motion: radians(deg)}).score == score
        low = high
    assert luba({motion: 0.0}).score == 1


@given(st.sampled_from(list(WRIST)), st.floats(0, 3), st.floats(0, 3))
def test_luba_never_falls_with_the_angle(motion, a, b):
    low, high = sorted((a, b))
    assert luba({motion: low}).score <= luba({motion: high}).score


def test_luba_adds_up_and_says_what_is_not_scored():
    found = luba({"wrist extension": np.radians([10, 50]), "wrist ulnar deviation": radians(15)})
    assert found.score.tolist() == [4, 10]
    assert found.parts["wrist extension"].tolist() == [1, 7]
    assert found.not_scored == ("elbow", "shoulder", "neck", "back")
    assert "without elbow" in str(found)
    with pytest.raises(hk.NotFoundError, match="elbow flexion"):
        luba({"elbow flexion": 0.1})
    with pytest.raises(hk.ArgumentError, match="0 to a full turn"):
        luba({"wrist flexion": -0.1})
    with pytest.raises(hk.ArgumentError, match="0 to a full turn"):
        luba({"wrist flexion": 6.3})


HEAD = "joint,motion,over_deg,up_to_deg,relative_discomfort,trust,source\n"


def test_luba_of_what_no_one_read_is_asked_for_and_marked():
    """Every motion of the five joints, cell by cell as in the file, and never unasked."""
    with (files("handik.data") / "people" / "luba.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    unread = {f"{row['joint']} {row['motion']}" for row in rows if row["trust"] == "unread"}
    assert {name.split()[0] for name in unread} == {"elbow", "shoulder", "neck", "back"}
    for row in rows:
        name, deg = f"{row['joint']} {row['motion']}", float(row["over_deg"]) + 1
        if name in unread:
            with pytest.raises(hk.NotFoundError, match="read in no source"):
                luba({name: radians(deg)})
        found = luba({name: radians(deg)}, unread=True)
        assert found.score == float(row["relative_discomfort"])
        assert found.unread == ((name,) if name in unread else ())
    whole = {"wrist flexion": 0.1, "elbow flexion": 0.1, "shoulder flexion": 0.1}
    found = luba({**whole, "neck flexion": 0.1, "back flexion": 0.1}, unread=True)
    assert (found.score, found.not_scored, len(found.unread)) == (5.0, (), 4)
    assert "not read in a source: elbow flexion" in str(found)


def test_luba_by_a_table_of_your_own(tmp_path: Path):
    path = tmp_path / "mine.csv"
    path.write_text(HEAD + "elbow,flexion,0,45,1,read,me\nelbow,flexion,45,,3,read,me\n")
    assert luba({"elbow flexion": radians(46)}, path=path).score == 3
    for text, says in (
        ("joint,motion\n", "no column"),
        (HEAD, "no row"),
        (HEAD + "elbow,flexion,0,x,1,read,me\n", "not made of numbers"),
        (HEAD + "elbow,flexion,5,45,1,read,me\n", "do not follow"),
        (HEAD + "elbow,flexion,0,45,1,read,me\nelbow,flexion,40,,3,read,me\n", "do not follow"),
    ):
        path.write_text(text)
        with pytest.raises(hk.ArgumentError, match=says):
            luba({"elbow flexion": 0.1}, path=path)


# -- gaze ------------------------------------------------------------------------------------------------


def test_gaze_is_the_angle_to_the_point():
    look = Gaze(ARM, [0.75, 0.5, 0.0], frame="tip", half_angle=0.3)
    assert look.score([0.0, 0.0, 0.0]) == pytest.approx(pi / 2)
    assert not look.sees([0.0, 0.0, 0.0])
    there = Gaze(ARM, [1.75, 0.2, 0.0], frame="tip", half_angle=0.3)
    assert there.score([0.0, 0.0, 0.0]) == pytest.approx(np.arctan2(0.2, 1.0))
    assert there.sees([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]).tolist() == [True, False]
    assert degrees(FIELD) == pytest.approx(35)


def test_the_term_of_gaze_is_met_at_the_edge_of_the_cone():
    arm = hk.chain([0.3, 0.3, 0.3], "ball")
    point = [0.2, 1.0, 0.6]
    look = Gaze(arm, point, frame="tip", half_angle=0.25)
    problem = hk.Problem(arm, [look.term()])
    found = hk.Solver("lm")(problem, point)
    assert found.converged
    assert look.score(found.q) <= 0.25 + 2e-4
    assert look.sees(arm.rest) is False
    near = Gaze(arm, [2.0, 0.1, 0.0], frame="tip", half_angle=0.25)
    seen = hk.Problem(arm, [near.term()])
    assert float(seen.residual([2.0, 0.1, 0.0], arm.rest)[0]) == 0.0


@pytest.mark.parametrize("point", [[1.0, 0.05, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
def test_inside_the_cone_straight_behind_and_at_the_eye_nothing_is_gained(point):
    assert not InView(half_angle=0.1).jacobian(np.eye(4)[None], np.array(point)).any()


@settings(max_examples=40)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.integers(0, 50))
def test_the_jacobian_of_the_cone(point, seed):
    arm = hk.chain([0.3, 0.3], "ball")
    problem = hk.Problem(arm, [InView(half_angle=0.1)])
    q = arm.sample(seed=seed)
    where = arm.fk(q)
    ahead, way = where[:3, 0], np.array(point) - where[:3, 3]
    across = np.linalg.norm(np.cross(ahead, way))
    if (
        np.linalg.norm(way) < 0.1
        or across < 0.05
        or abs(np.arctan2(across, ahead @ way) - 0.1) < 1e-3
    ):
        return
    J = problem.jacobian(point, q)[0]
    for k in range(arm.nv):
        v = np.zeros(arm.nv)
        v[k] = 1e-6
        ends = [float(problem.residual(point, arm.integrate(q, s * v))[0]) for s in (1, -1)]
        assert J[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-6)


# -- effort ------------------------------------------------------------------------------------------------


def lever(mass=2.0, far=0.15):
    spec = hk.chain([0.3], axis=(0.0, -1.0, 0.0), lower=-3.0, upper=3.0).spec
    spec.links[1].inertial = InertialSpec(mass, np.array([far, 0.0, 0.0]))
    return hk.Model(spec)


def test_the_share_of_a_lever_is_that_of_paper():
    arm = Effort(lever(), {"joint_1": 30.0}, loads={"tip": 1.5})
    torque = 9.81 * (2.0 * 0.15 + 1.5 * 0.3)
    for angle in (0.0, 0.4, -1.2, 2.0):
        assert arm.shares([angle])["joint_1"] == pytest.approx(torque * abs(np.cos(angle)) / 30)
    assert arm.score([0.0]) == pytest.approx((torque / 30) ** 2)
    assert arm.holds([0.0])
    weak = Effort(lever(), {"joint_1": (30.0, 1.0)})
    assert weak.holds([[0.0], [2.5], [1.3]]).tolist() == [False, True, True]


def test_an_elbow_that_gravity_alone_straightens():
    spec = person("hinges")
    found = apply(spec, "sci_c6")
    able = Effort(found.model, {"elbow_flexion_right": 40.0}, impaired=found)
    model = found.model
    q = model.rest.copy()
    elbow, shoulder = (
        model.joint_q_slices[f"{n}_right"] for n in ("elbow_flexion", "shoulder_elevation")
    )
    plane = model.joint_q_slices["shoulder_plane_right"]
    q[plane] = radians(90)
    q[shoulder], q[elbow] = radians(60), radians(60)  # the forearm hangs up from the elbow: flexors
    assert able.shares(q)["elbow_flexion_right"] < 1
    assert able.holds(q)
    q[shoulder], q[elbow] = (
        radians(150),
        radians(60),
    )  # the forearm lies back: triceps would hold it
    assert able.shares(q)["elbow_flexion_right"] == inf
    assert not able.holds(q)
    assert set(able.not_applied) == set()


@pytest.mark.parametrize("position", ["seated", "standing"])
def test_hanging_arms_need_no_strength_that_is_lost(position):
    weak = hk.human(sex="female", position=position, profile="sci_c6")
    able = Effort(weak.model, impaired=weak.impaired)
    assert able.holds(weak.rest)
    assert able.score(weak.rest) == 0.0
    # gravity alone flexes: it brings an extended wrist back, and lets no flexed one stay
    assert able.holds(weak.posture(wrist_flexion_right=-0.3))
    assert not able.holds(weak.posture(wrist_flexion_right=0.3))


def test_strength_of_a_ball_is_told_as_not_applied():
    found = apply(person(), "rheumatoid_arthritis")
    able = Effort(found.model, {"elbow_flexion_left": 40.0}, impaired=found)
    assert "shoulder flexion right" in able.not_applied
    assert "elbow flexion right" not in able.not_applied
    at = int(found.model.joint_v[found.model.joint_names.index("elbow_flexion_left")])
    assert able.limits[:, at].tolist() == [-26.0, 26.0]


def test_the_term_keeps_to_postures_that_can_be_held():
    model = HINGED
    able = Effort(
        model,
        {"elbow_flexion_right": 3.0, "shoulder_elevation_right": 8.0},
        loads={"index_tip_right": 1.0},
    )
    target = [0.45, -0.2, 0.55]
    goal = hk.Position("index_tip_right")
    loose = model.solve(position=target, frame="index_tip_right")
    assert loose.converged
    assert not able.holds(loose.q)
    problem = hk.Problem(
        model, [hk.Position("index_tip_right", axes="z"), able.term(position_tolerance=1e-4)]
    )
    found = hk.Solver("lm", retries=2)(problem, [0.3])
    assert found.converged
    assert max(able.shares(found.q).values()) < 1.05
    assert goal.frame == "index_tip_right"


def test_the_jacobian_of_strength():
    able = Effort(
        HINGED,
        {"elbow_flexion_right": 0.1, "shoulder_elevation_right": 0.1, "wrist_flexion_right": 0.05},
        loads={"index_tip_right": 0.7},
    )
    problem = hk.Problem(HINGED, [able.term()])
    for q in HINGED.sample(4, seed=2):
        J = problem.jacobian([], q)
        e = problem.residual([], q)
        tau = HINGED.static_torques(q, {"index_tip_right": 0.7})
        names = [one.joint for one in problem.terms[0].torques]
        for name, own, row in zip(names, e, J, strict=True):
            at = int(HINGED.joint_v[HINGED.joint_names.index(name)])
            beyond = tau[at] - np.clip(tau[at], *able.limits[:, at])
            scale = next(one.scale for one in problem.terms[0].torques if one.joint == name)
            assert own * scale == pytest.approx(beyond, rel=1e-9, abs=1e-9)
            for k in range(HINGED.nv):
                v = np.zeros(HINGED.nv)
                v[k] = 1e-6
                a, b = (
                    problem.residual([], HINGED.integrate(q, s * v))[names.index(name)]
                    for s in (1, -1)
                )
                assert row[k] == pytest.approx((a - b) / 2e-6, rel=1e-4, abs=1e-6)


def test_scores_print_what_they_are_of():
    """They were `<...Effort object at 0x7f...>`."""
    able = Effort(HINGED, {"elbow_flexion_right": 40.0}, loads={"index_tip_right": 1.5})
    assert repr(able) == "Effort(person, strength of 1 of 18 joints, 1.5 kg at index_tip_right)"
    assert repr(Effort(lever(), {})) == "Effort(chain, strength of 0 of 1 joints)"
    look = Gaze(ARM, [0.75, 0.5, 0.0], frame="tip", half_angle=radians(30))
    assert repr(look) == "Gaze(tip of chain at (0.75, 0.5, 0) m, within 30 deg)"
    assert repr(JointDisplacement(ARM)) == "JointDisplacement(chain, 3 joints)"


def test_effort_is_told_what_is_wrong():
    with pytest.raises(hk.ArgumentError, match="one or two numbers of 0 or more"):
        Effort(lever(), {"joint_1": -1.0})
    with pytest.raises(hk.NotFoundError, match="joint_7"):
        Effort(lever(), {"joint_7": 1.0})
    with pytest.raises(hk.ArgumentError, match="0 kg or more"):
        Effort(lever(), {"joint_1": 1.0}, loads={"tip": -1})
    with pytest.raises(hk.ArgumentError, match="no hinge that carries"):
        Effort(lever(), {}).term()
