"""What newcomers stumbled over in their first hour: each is answered, or refused in a clear sentence."""

from __future__ import annotations

import io
import pickle
import re
import sys
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.spec import transforms

UR5 = hk.data("ur5")
T = UR5.fk(UR5.sample(seed=1))
STILL = [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("pose", [transforms.from_rpy([0, 0, 1.5]), T, np.stack([T, T])])
def test_a_pose_is_no_four_quaternions(pose: Any) -> None:
    for goal in ({"orientation": pose}, {"position": [0.4, 0.2, 0.3], "orientation": pose}):
        with pytest.raises(hk.ArgumentError, match=r"shape .*4, 4\) of poses: give pose=, or"):
            UR5.solve(**goal)


def test_four_quaternions_are_four() -> None:
    four = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 0, 1.0]])
    assert UR5.solve(orientation=four).q.shape == (4, 6)
    nearly = np.eye(4)
    nearly[0] = 0.5, 0.5, 0.5, 0.5
    assert UR5.solve(orientation=nearly).q.shape == (4, 6)


def test_scipy_rotations_and_transforms_are_taken() -> None:
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    turn = rotation.from_matrix(T[:3, :3])
    want = UR5.solve(position=T[:3, 3], orientation=T[:3, :3])
    for goal in (
        {"position": T[:3, 3], "orientation": turn},
        {"pose": (T[:3, 3], turn)},
        {"pose": (T[:3, 3], T[:3, :3])},
    ):
        found = UR5.solve(**goal)
        assert found.converged
        np.testing.assert_allclose(found.q, want.q, atol=1e-6)
    many = rotation.from_matrix(np.stack([T[:3, :3]] * 3))
    assert UR5.solve(position=T[:3, 3], orientation=many).q.shape == (3, 6)

    class Transform:  # SciPy's RigidTransform, which older ones lack
        def as_matrix(self) -> Any:
            return T

    assert UR5.solve(pose=Transform()).q.tobytes() == UR5.solve(pose=T).q.tobytes()
    np.testing.assert_allclose(
        UR5.with_tool(Transform()).fk(UR5.rest), UR5.fk(UR5.rest) @ T, atol=1e-15
    )


def test_a_pair_may_be_a_list_and_a_list_of_poses_a_batch() -> None:
    pair = UR5.solve(pose=[T[:3, 3], STILL])
    assert pair.q.tobytes() == UR5.solve(pose=(T[:3, 3], STILL)).q.tobytes()
    assert UR5.solve(pose=[T, T]).q.shape == (2, 6)
    assert UR5.solve(pose=(T, T)).q.shape == (2, 6)
    assert UR5.solve(pose=T.tolist()).q.shape == (6,)
    for wrong in ((T[:3, 3], [1, 0, 0]), [T[:2, 3], STILL]):
        with pytest.raises(hk.ArgumentError, match="pose as a pair must be a position"):
            UR5.solve(pose=wrong)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("postion", "position="),
        ("orientaton", "orientation="),
        ("tol", "position_tolerance="),
        ("tolerance", "position_tolerance="),
        ("iter", "max_iter="),
        ("max_iters", "max_iter="),
        ("qqqq", None),
    ],
)
def test_a_misspelt_keyword_is_named(wrong: str, meant: str | None) -> None:
    for other in ({}, {"pose": T}):
        with pytest.raises(hk.ArgumentError, match=f"there is no option '{wrong}'") as caught:
            UR5.solve(**other, **{wrong: 1})
        assert ("did you mean" in str(caught.value)) == (meant is not None)
        assert meant is None or meant in str(caught.value)


def test_a_track_names_a_misspelt_keyword() -> None:
    arm = hk.chain([1.0, 1.0])
    for wrong, meant in (
        ("positon", "position="),
        ("maxspeed", "max_speed="),
        ("max_itre", "max_iter="),
    ):
        with pytest.raises(hk.ArgumentError, match=meant):
            arm.track(**{wrong: 1.0})


def test_a_solver_names_a_misspelt_option_at_once() -> None:
    with pytest.raises(hk.ArgumentError, match=r"no option 'dampin'; did you mean damping="):
        hk.Solver("dls", dampin=1)
    with pytest.raises(hk.ArgumentError, match="solver 'ccd' has no option 'damping'"):
        UR5.solve(position=[0.4, 0.2, 0.3], solver="ccd", damping=1)


def test_the_truth_of_a_result() -> None:
    assert UR5.solve(pose=T)
    assert not UR5.solve(position=[9, 9, 9])
    batch = UR5.solve(pose=np.stack([T, T]))
    with pytest.raises(hk.ArgumentError, match=r"2 problems have no one truth: use .converged"):
        bool(batch)
    assert batch[0]


def test_an_outcome_prints_its_name() -> None:
    outcome = UR5.solve(pose=T).outcome
    assert (str(outcome), f"{outcome}", f"{outcome:>10}") == (
        *("converged", "converged", " converged"),
    )
    assert (f"{outcome:d}", int(outcome), outcome == 1) == ("1", 1, True)


def test_models_that_come_along_are_listed() -> None:
    assert "ur5" in hk.data.names()
    assert "ur5" in repr(hk.data)
    assert hk.data.source("ur5")
    with pytest.raises(hk.NotFoundError, match="near names: ur5"):
        hk.data("ur6")


def test_what_is_public_is_shown_and_loads_when_touched() -> None:
    shown = dir(hk)
    assert {"plot", "study", "parallel", "paul", "read", "write", "solvers"} <= set(shown)
    assert not {"Any", "TYPE_CHECKING", "annotations", "given", "balls", "weights"} & set(shown)
    for name in shown:
        assert getattr(hk, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = hk.nothing


def test_degrees_of_an_array() -> None:
    assert hk.deg(180) == np.pi
    assert hk.deg(0, 90) == (0.0, np.pi / 2)
    for many in ([0, 90], (0, 90), np.array([0, 90])):
        np.testing.assert_array_equal(hk.deg(many), [0.0, np.pi / 2])
    np.testing.assert_array_equal(hk.deg([[0, 90], [180, 45]]), np.deg2rad([[0, 90], [180, 45]]))


def test_solvers_by_name_number_and_slice() -> None:
    table = hk.solvers()
    assert table["fabrik"].name == "fabrik"
    assert table[0].name == "auto"
    assert [row.name for row in table[:2]] == [table[0].name, table[1].name]
    with pytest.raises(hk.NotFoundError, match="near names: fabrik"):
        _ = table["fabrick"]


def test_a_start_may_be_the_third_argument() -> None:
    problem, solver = hk.Problem(UR5, [hk.Pose()]), hk.Solver("dls")
    start = UR5.sample(seed=5)
    target = [*T[:3, 3], *transforms.quaternion(T)]
    want = solver(problem, target, q0=start).q.tobytes()
    assert solver(problem, target, start).q.tobytes() == want
    assert solver(problem, np.array(target), start).q.tobytes() == want


def test_a_bar_for_those_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stderr", heard)
    many = UR5.fk(UR5.sample(20000, seed=3))
    want = UR5.solve(pose=many, solver="dls", max_iter=30)
    got = UR5.solve(pose=many, solver="dls", max_iter=30, progress=True)
    assert got.q.tobytes() == want.q.tobytes()
    assert re.fullmatch(r"\[\d+/20000\] dls", heard.getvalue().strip())
    assert UR5.solve(pose=T, progress=False).converged


def test_what_is_shown_is_short() -> None:
    from handik.study import paper_experiment, survey

    shown = [UR5.spec, UR5.track(position=np.linspace([0.5, 0.2, 0.3], [0.5, -0.2, 0.3], 50))]
    shown += [
        paper_experiment(1, solvers=["fabrik"]),
        survey(["planar9"], solvers=["fabrik"], problems=2),
    ]
    for thing in shown:
        assert len(repr(thing)) < 200, repr(thing)


def test_outcomes_are_their_words_too() -> None:
    arm = hk.data("ur5")
    found = arm.solve(position=[0.4, 0.2, 0.3])
    assert found.outcome == "converged"
    assert found.outcome == hk.Outcome.CONVERGED == 1
    assert found.outcome != "stalled"
    assert {found.outcome: 1}[hk.Outcome.CONVERGED] == 1
    assert found.outcome_names == "converged"
    both = arm.solve(position=[[0.4, 0.2, 0.3], [9.0, 0.0, 0.0]])
    assert both.outcome_names.tolist() == ["converged", "unreachable"]
    assert (both.outcome == hk.Outcome.CONVERGED).tolist() == [True, False]


def test_a_model_shows_its_joints_in_jupyter_and_hides_the_cores_tables() -> None:
    arm = hk.data("ur5")
    page = arm._repr_html_()
    assert page.count("<tr>") == 7
    assert "wrist_3" in page
    assert "<b>" not in hk.chain([1.0], name="<b>")._repr_html_()
    shown = dir(arm)
    assert {"solve", "fk", "joint_q_slices", "joint_names", "lower"} <= set(shown)
    assert not [name for name in shown if name.startswith("step_")]
    assert arm.step_q.shape == (6,)


def test_a_twist_in_degrees_is_refused() -> None:
    with pytest.raises(hk.ArgumentError, match=r"alpha of row 0 is 90 rad.*hk\.deg"):
        hk.Model.from_dh([[0, 0, 0.3, 90], [0, 0, 0.3, 0]])
    assert hk.Model.from_dh([[0, 0, 0.3, hk.deg(-360)]]).nq == 1


def test_readers_are_found_where_they_are_looked_for() -> None:
    for name in ("read_urdf", "read_bvh", "read_bvh_motion", "read_mjcf"):
        assert name in dir(hk.read)
        assert callable(getattr(hk.read, name))
    with pytest.raises(AttributeError, match="no attribute 'read_docx'"):
        getattr(hk.read, "read_docx")  # noqa: B009


def test_sentences_for_what_planar_users_write() -> None:
    arm = hk.chain([0.3, 0.3])
    assert arm.solve(position=[0.3, 0.2]).converged  # two coordinates are enough in a plane
    with pytest.raises(hk.ArgumentError, match="two coordinates are for what moves in one plane"):
        hk.data("ur5").solve(position=[0.3, 0.2])
    with pytest.raises(hk.ArgumentError, match=r"from_rpy\(\[0, 0, angle\]\)"):
        arm.solve(orientation=0.5)
    with pytest.raises(hk.ArgumentError, match=r"got \(5,\)$"):
        arm.solve(orientation=[1.0, 2.0, 3.0, 4.0, 5.0])


def test_solutions_without_a_pose_says_what_it_wants() -> None:
    with pytest.raises(hk.ArgumentError, match="wants the whole pose"):
        hk.data("ur5").solutions(position=[0.4, 0.2, 0.3])


def test_solutions_are_a_sequence() -> None:
    arm = hk.data("ur5")
    poses = arm.fk(arm.sample(5, seed=2))
    one = arm.solutions(poses[0])
    assert [row.tolist() for row in one] == one.q.tolist()
    assert np.array_equal(one[-1], one.q[-1])
    many = arm.solutions(poses)
    for pose, found in zip(poses, many, strict=True):
        alone = arm.solutions(pose)
        assert np.array_equal(found.q, alone.q)
        assert (found.count, found.complete) == (alone.count, alone.complete)
        assert np.array_equal(found.exact, alone.exact)
        assert np.array_equal(found.free, alone.free)
    assert many[1:3].q.shape == (2, *many.q.shape[1:])
    if hk.robot.names():
        panda = hk.robot("panda", tip="panda_hand")
        assert "there may be more" in repr(panda.solutions(panda.fk(panda.sample(seed=0))))
    assert "may be more" not in repr(one)


def test_answers_show_as_small_tables_in_jupyter() -> None:
    arm = hk.data("ur5")
    pose = arm.fk(arm.sample(seed=1))
    one, many = arm.solve(pose=pose), arm.solve(position=[[0.4, 0.2, 0.3 + k] for k in range(12)])
    assert one._repr_html_().count("<tr>") == 7
    assert f"{one.q[2]:.6g}" in one._repr_html_()
    page = many._repr_html_()
    assert page.count("<tr>") == 11
    assert "... and 2 more" in page
    assert "unreachable" in page
    assert "converged" in page
    found, batch = arm.solutions(pose), arm.solutions(np.stack([pose] * 20))
    assert found._repr_html_().count("<tr>") == found.count + 1
    assert batch._repr_html_().count("<tr>") == 17
    assert "... and 4 more" in batch._repr_html_()
    track = arm.track(position=np.linspace([0.5, 0.2, 0.3], [0.5, -0.2, 0.3], 4))
    assert track._repr_html_().count("<tr>") == 5
    spec = hk.chain([1.0, 1.0]).spec
    spec.joints[0].name = "<b>"
    odd = hk.Model(spec)
    assert "<b>" not in odd.solve(position=[1.0, 1.0, 0.0])._repr_html_()


def test_studies_show_as_tables_in_jupyter() -> None:
    arm = hk.chain([0.4, 0.3, 0.2])
    done = hk.study.compare(arm, hk.study.circle(4), runs=1)
    assert done._repr_html_().count("<tr>") >= 4
    paper = hk.study.paper_experiment(1, solvers=["fabrik"])
    assert paper._repr_html_().count("<table>") == 2
    counted = hk.study.survey(["planar9"], solvers=["fabrik", "ccd"], problems=2)
    assert counted._repr_html_().count("<tr>") == 3
    for shown in (done, paper, counted):
        assert "fabrik" in shown._repr_html_()


def test_outcomes_of_a_batch_are_compared_with_words() -> None:
    arm = hk.data("ur5")
    found = arm.solve(position=[[0.4, 0.2, 0.3], [9.0, 0.0, 0.0]])
    for batch in (found, found[::1], pickle.loads(pickle.dumps(found))):
        assert (batch.outcome == "converged").tolist() == [True, False]
        assert (batch.outcome != "converged").tolist() == [False, True]
        assert (batch.outcome == 2).tolist() == [False, True]
        assert type(batch.outcome == "converged") is np.ndarray
        assert batch.outcome.dtype == np.int8
    with pytest.raises(hk.ArgumentError, match="compared with must be 'invalid' or 'converged'"):
        _ = found.outcome == "convergd"
    assert found[0].outcome == "converged"


def test_a_joint_without_coordinates_says_so() -> None:
    arm = hk.data("ur5")
    fixed = next(n for n, k in zip(arm.joint_names, arm.joint_kinds, strict=True) if k == "fixed")
    with pytest.raises(hk.NotFoundError, match="is fixed or follows another: it has no place in q"):
        _ = arm.joint_q_slices[fixed]
    with pytest.raises(hk.NotFoundError, match="near names: elbow"):
        _ = arm.joint_q_slices["elbo"]
    assert fixed not in arm.joint_q_slices
    assert arm.joint_q_slices.get(fixed) is None


def test_outcomes_are_printed_as_words() -> None:
    found = UR5.solve(position=[[0.4, 0.2, 0.5], [9.0, 9.0, 9.0]]).outcome
    assert str(found) == "[converged unreachable]"
    assert repr(found) == "Outcomes([converged, unreachable])"
    assert str(found[:1] + 100) == "[101]"
    assert len(str(UR5.solve(position=np.tile([0.4, 0.2, 0.5], (2000, 1))).outcome)) < 200


def test_a_function_in_place_of_a_solver_or_a_term_hears_what_makes_one() -> None:
    with pytest.raises(TypeError, match=r"got function; @hk.solver"):
        UR5.solve(position=[0.4, 0.2, 0.5], solver=lambda: None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a class made from hk.Term"):
        hk.Problem(UR5, [lambda: None])  # type: ignore[list-item]


def test_millimeters_are_asked_about() -> None:
    assert "in millimeters?" in UR5.solve(position=[400.0, 200.0, 500.0]).explain()
    assert "millimeters" not in UR5.solve(position=[2.0, 0.0, 0.5]).explain()


def test_texts_are_no_position() -> None:
    with pytest.raises(hk.ArgumentError, match="position must be a regular array of real"):
        UR5.solve(position=["a", "b", "c"])


def test_fixed_joints_are_told_apart() -> None:
    assert repr(UR5).startswith("Model 'ur5': 12 joints (6 of them fixed), nq 6")


def test_a_film_is_not_drawn_for_a_window_that_is_not_there(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agg = pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg
    arm = hk.chain([0.4, 0.3])
    result = arm.solve(position=[0.3, 0.4, 0.0], solver="ccd", trace=True)
    drawn = []
    true = agg.draw
    monkeypatch.setattr(agg, "draw", lambda self: drawn.append(1) or true(self))
    film = hk.plot.animate(result, dpi=20)
    drawn.clear()
    film.save(tmp_path / "plain.gif", writer="pillow", dpi=20)
    plain = len(drawn)
    drawn.clear()
    hk.plot.animate(result, tmp_path / "ours.gif", dpi=20)
    pictures = len(result.trace.error) + 8  # of which 8 hold the last
    assert len(drawn) <= plain - pictures + 1


def test_what_a_reader_noted_is_seen_and_recordings_do_not_flood(tmp_path: Any) -> None:
    arm = hk.chain([30.0, 20.0], "ball")
    hk.write.save_bvh(tmp_path / "arm.bvh", arm, arm.sample(455, seed=1), frame_time=0.04)
    loaded = hk.load(tmp_path / "arm.bvh")  # no scale: taken as meters, which is noted
    assert repr(loaded).endswith("1 in .notes")
    assert ".notes" not in repr(hk.load(tmp_path / "arm.bvh", scale=0.01))
    motion = hk.read.read_bvh_motion(tmp_path / "arm.bvh")
    assert repr(motion).startswith("BvhMotion(455 frames of 0.04 s, ")
    assert len(repr(motion)) < 80


def test_one_lock_a_row_hears_what_to_take_instead() -> None:
    arm = hk.chain([0.3, 0.2], "ball")
    with pytest.raises(hk.ArgumentError, match=r"hk\.Damping or hk\.Posture") as failed:
        arm.solve(position=[0.3, 0.2, 0.1], lock={"joint_1": np.tile(STILL, (455, 1))})
    assert len(str(failed.value)) < 300
