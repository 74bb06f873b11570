"""What the four sources ask for, one test a row of docs/inventory.md, S1 to S31.

A row that is there is done here by the public interface, as a user would. A row that is not says
"not built yet" on the page; its test knows the names under which it would be found, so that the
page cannot go on denying it.
"""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import handik as hk

PAGE = Path(__file__).parents[1] / "docs" / "inventory.md"
ROWS = {
    row: said
    for row, said in re.findall(r"^\| (S\d+) \|.*\| ([^|]*) \|$", PAGE.read_text("utf-8"), re.M)
}
MISSING = "not built yet"
HALF = np.pi / 2

#: Words, one of which a public name would have if the row, or the part that is missing, were there.
WORDS = {
    "S30": ("route", r"osm(?![a-z])", "geojson"),
    "S31": ("vehicle", "ingress"),
}


def public_names():
    """Return the public names of the package, its modules, a model, and its models' files."""
    names = {n for _, n, _ in pkgutil.walk_packages(hk.__path__, "handik.") if "._" not in n}
    names = {name.split(".", 1)[1].rsplit(".", 1)[-1] for name in names}
    places = (hk, hk.Model, hk.Solver, hk.plot, hk.read, hk.closed)
    return names | {n for place in places for n in dir(place) if n[0] != "_"} | set(hk.data.names())


def found(words):
    """Names of which one of the words is a part: letters only, or between underscores."""
    pattern = re.compile(r"(?<![a-z])(?:" + "|".join(words) + r")", re.I)
    return sorted(n for n in public_names() if pattern.search(n))


def built(row):
    assert MISSING not in ROWS[row], f"{row} is there: say so on the page"


def missing(row):
    assert MISSING in ROWS[row]
    assert not found(WORDS[row]), f"{row} is there ({found(WORDS[row])}): say so on the page"


def test_every_number_names_what_shows_it():
    """The 21 numbers: tests that are there, commands that run; what does not come out says why."""
    root = PAGE.parents[1]
    rows = re.findall(r"^\| (N\d+) \|(.*)\|([^|]*)\|([^|]*)\|$", PAGE.read_text("utf-8"), re.M)
    assert [row[0] for row in rows] == [f"N{k}" for k in range(1, 22)]
    for name, _, out, shown in rows:
        tests = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", shown)
        commands = re.findall(r"`python -m benchmarks works (\w+)`", shown)
        assert tests, name
        assert shown.count("`") == 2 * (len(tests) + len(commands)), name
        for path, test in tests:
            assert f"def {test}(" in (root / path).read_text("utf-8"), (name, test)
        works = (root / "benchmarks" / "works.py").read_text("utf-8")
        assert all(f'"{command}": (' in works for command in commands), name
        assert out.strip().startswith(("yes", "no: ", "the ends yes")), name


def test_the_page_has_every_row_once():
    assert list(ROWS) == [f"S{k}" for k in range(1, 32)]
    tests = {name for name in globals() if re.match(r"test_s\d+_", name)}
    assert {re.match(r"test_(s\d+)_", name)[1].upper() for name in tests} == set(ROWS)
    assert len(tests) == 31
    assert set(WORDS) == {row for row, said in ROWS.items() if MISSING in said}


def test_a_name_is_found_by_its_word():
    assert found(("transforms",)) == ["transforms"]
    assert "with_base" in found(("base",))
    assert not found(("nosuchword",))


def test_s1_articulated_figure():
    kinds = ["revolute", "prismatic", "cylindrical", "planar", "universal", "ball", "free", "fixed"]
    spec = hk.ModelSpec(
        "figure",
        [hk.LinkSpec(f"l{k}") for k in range(9)],
        [
            hk.JointSpec(f"j{k}", kind, f"l{k // 2}", f"l{k + 1}", axis2=(1.0, 0.0, 0.0))
            if kind in ("planar", "universal")
            else hk.JointSpec(f"j{k}", kind, f"l{k // 2}", f"l{k + 1}")
            for k, kind in enumerate(kinds)
        ],
    )
    model = hk.Model(spec)
    assert model.nv == 1 + 1 + 2 + 3 + 2 + 3 + 6 + 0
    assert model.fk(model.rest, frame="l8").shape == (4, 4)
    built("S1")
    bob = hk.human(sex="male")
    bent = bob.surface(bob.posture(elbow_flexion_left=1.0)).vertices
    assert 0.1 < np.linalg.norm(bent - bob.surface(bob.rest).vertices, axis=1).max() < 0.6


def test_s2_denavit_hartenberg():
    built("S2")
    table = [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]]
    standard, modified = hk.Model.from_dh(table), hk.Model.from_dh(table, "modified")
    assert np.abs(standard.fk([0, 0]) - modified.fk([0, 0])).max() > 0.1


def test_s3_roboop():
    built("S3")
    rows = [[0, 0, 0.3, 0.4, HALF, -3, 3, 0, *[0] * 11], [0, 0, 0, 0.5, 0, -3, 3, 0.2, *[0] * 11]]
    robot = hk.roboop.Robot(np.array(rows, float))
    robot.set_q([0.4, -0.3])
    place, turn = robot.kine(2, rotation=True)
    assert place.shape == (3,)
    assert turn.shape == (3, 3)
    q = robot.inv_kin(robot.kine())
    assert robot.converged
    np.testing.assert_allclose(robot.model.fk(q), robot.model.fk([0.4, -0.3]), atol=1e-3)


def test_s4_lagrange_dynamics():
    built("S4")
    rows = [[0, 0, 0, 0.5, 0, -3, 3, 0, 2, 0.1, 0, 0, 0, 0, 0, 0, 0, 0.05, 0]]
    arm = hk.roboop.Robot(np.array(rows, float), motor=[[1e-4, 60, 2e-3, 0.1]]).model
    tau = arm.inverse_dynamics([0.3], [1.0], [0.5], gravity=[0, 0, 0])
    inertia = 0.05 + 2 * 0.6**2 + 1e-4 * 3600
    np.testing.assert_allclose(tau, inertia * 0.5 + 60 * (60 * 2e-3 + 0.1))
    np.testing.assert_allclose(
        arm.forward_dynamics([0.3], [1.0], tau, gravity=[0, 0, 0]), [0.5], rtol=1e-12
    )


def test_s5_fabrik():
    built("S5")
    arm = hk.data("ball10")
    assert arm.solve(position=[0.3, 0.4, 0.2], solver="fabrik").converged
    away = arm.solve(position=[3.0, 4.0, 0.0], solver="fabrik")
    assert away.outcome == hk.Outcome.UNREACHABLE
    np.testing.assert_allclose(arm.fk(away.q)[:3, 3], [0.6, 0.8, 0.0], atol=1e-9)


def test_s6_fabrik_several_ends():
    built("S6")
    links = [hk.LinkSpec(name) for name in ("base", "trunk", "a", "b")]
    joints = [
        hk.JointSpec("j0", "ball", "base", "trunk"),
        hk.JointSpec("j1", "ball", "trunk", "a", hk.transforms.from_rotation(np.eye(3), [1, 0, 0])),
        hk.JointSpec("j2", "ball", "trunk", "b", hk.transforms.from_rotation(np.eye(3), [1, 0, 0])),
    ]
    tip = hk.transforms.from_rotation(np.eye(3), [0.8, 0, 0])
    frames = [hk.FrameSpec("left", "a", tip), hk.FrameSpec("right", "b", tip)]
    model = hk.Model(hk.ModelSpec("fork", links, joints, frames))
    q = model.sample(50, seed=4)
    goals = np.concatenate([model.fk(q, frame=f)[..., :3, 3] for f in ("left", "right")], axis=-1)
    problem = hk.Problem(model, [hk.Position(frame="left"), hk.Position(frame="right")])
    for solver, least in (("fabrik", 0.6), ("fabrik_fast", 0.9)):
        assert hk.Solver(solver)(problem, goals).converged.mean() > least


@pytest.mark.parametrize("solver", ["fabrik", "fabrik_fast"])
def test_s7_twist_limits(solver):
    built("S7")
    spec = hk.data("ball10").spec.copy()
    for joint in spec.joints:
        if joint.kind == "ball":
            joint.cone = hk.Cone(np.radians([60, 50, 60, 50]), (-0.3, 0.2))
    arm = hk.Model(spec)
    goals = arm.fk(arm.sample(20, seed=2))
    found = arm.solve(pose=goals, solver=solver, retries=5)
    assert found.converged.mean() > 0.5
    np.testing.assert_allclose(arm.clip(found.q), found.q, atol=1e-9)


def test_s8_cones_by_quadrant():
    built("S8")
    in_angles = hk.Cone(np.radians([110, 40, 20, 60]))
    in_tangents = hk.Cone(np.radians([80, 40, 20, 60]), shape="tangent")
    for room in (in_angles, in_tangents):
        spec = hk.data("ball10").spec.copy()
        for joint in spec.joints:
            if joint.kind == "ball":
                joint.cone = room
        arm = hk.Model(spec)
        goals = arm.fk(arm.sample(20, seed=3))[:, :3, 3]
        found = arm.solve(position=goals, solver="fabrik")
        assert found.converged.mean() > 0.9
        np.testing.assert_allclose(arm.clip(found.q), found.q, atol=1e-9)


def test_s9_ccd():
    built("S9")
    arm = hk.Model.from_dh([[0, 0.3, 0, HALF], [0, 0, 0.4, 0], [0, 0.2, 0, 0]], kinds="RRP",
                           lower=[-3, -3, 0], upper=[3, 3, 0.5])  # fmt: skip
    goals = arm.fk(arm.sample(20, seed=1))[:, :3, 3]
    found = arm.solve(position=goals, solver="ccd", retries=10)
    assert found.converged.all()


@pytest.mark.parametrize("solver", ["jacobian_transpose", "pinv", "dls"])
def test_s10_jacobian_family(solver):
    built("S10")
    arm = hk.data("planar9")
    assert arm.solve(position=[0.4, 0.3, 0.0], solver=solver).converged
    if solver == "pinv":  # the course's step
        steps = arm.solve(position=[0.4, 0.3, 0], solver=solver, max_step=hk.deg(2), trace=True)
        assert np.abs(np.diff(steps.trace.q, axis=0)).max() <= hk.deg(2) * (1 + 1e-9)


@pytest.mark.parametrize("solver", ["gradient_descent", "particle_filter", "genetic"])
def test_s11_iterative_and_adaptive(solver):
    built("S11")
    arm = hk.chain([0.4, 0.3, 0.2], lower=-2.0, upper=2.0)
    path = np.linspace([0.5, 0.3, 0.0], [0.2, 0.5, 0.0], 10)
    assert arm.track(position=path, solver=solver).converged.all()
    if solver == "genetic":
        net = hk.network.Network.train(arm, goal="position", samples=300, hidden=(8,), epochs=2)
        assert net.predict(path[0]).shape == (3,)


def test_s12_two_and_three_links():
    built("S12")
    two = hk.chain([0.5, 0.4])
    postures = two.solutions(two.fk([0.3, 0.9]), task="position")
    assert postures.count == 2
    three = hk.chain([0.5, 0.4, 0.2])  # the third by the end's orientation
    assert three.solutions(three.fk([0.3, 0.9, -0.4])).count == 2


def test_s13_direct_manipulation():
    built("S13")
    arm = hk.chain([0.4, 0.3, 0.2])
    drag = hk.plan.Drag(arm, "link_2", [0.15, 0, 0], q0=[0.3, 0.9, 0.5], plane="xy")
    to = drag.point + [-0.05, 0.02]
    assert drag.to(to).converged
    assert np.linalg.norm(arm.fk(drag.q, frame="link_2")[:2] @ [0.15, 0, 0, 1] - to) < 1e-3


def test_s14_least_change():
    built("S14")
    arm = hk.data("planar9")
    q0 = np.full(9, 0.2)
    goal = arm.fk(q0 + 0.05)[:3, 3]
    found = arm.solve(position=goal, q0=q0, solver="pinv")
    assert found.converged
    assert found.iterations < 10
    level = hk.Problem(hk.data("ur5"), [hk.Position(), hk.Axis()])  # part of an orientation
    arm = hk.data("ur5")
    pose = arm.fk(arm.sample(seed=1))
    assert hk.Solver("pinv", retries=20)(
        level, np.concatenate([pose[:3, 3], pose[:3, 2]])
    ).converged


def test_s15_mapping():
    built("S15")
    arm = hk.data("poppy_arm")
    table = hk.plan.PoseTable.covering(arm, 10)
    assert len(table) == 10
    target = arm.fk(arm.sample(1, seed=2)[0])[:3, 3]
    assert table.reach(target, step=0.02).iterations.max() < 10


def test_s16_driving():
    built("S16")
    arm, motors = hk.data("poppy_arm"), hk.data.motors("poppy_arm")
    table = hk.plan.PoseTable.covering(arm, 10, figure=arm)
    start = table.q[0]
    route = table.route(start, arm.fk(table.q[5])[:3, 3] + 0.01)
    assert route.converged
    steps = route.steps(40)
    assert hk.Scene().free(arm, steps).all()
    told = hk.plan.motor_commands(arm, steps, motors)
    assert set(told) == {"r_shoulder_y", "r_shoulder_x", "r_arm_z", "r_elbow_y"}


@pytest.mark.parametrize("convention", hk.transforms.EULER_CONVENTIONS)
def test_s17_task_and_tool_frames(convention):
    built("S17")
    arm, q = hk.data("ur5"), [0.3, -1.0, 1.2, -0.4, 0.9, 0.1]
    task = hk.transforms.from_pose_vector([1.0, 2.0, 0.5, 0.1, 0.4, -0.2], convention)
    tool = hk.transforms.from_pose_vector([0.0, 0.0, 0.1, 0.0, 0.3, 0.0], convention)
    there = arm.with_base(task).with_tool(tool)
    x = hk.transforms.pose_vector(there.fk(q), convention)
    found = there.solve(pose=hk.transforms.from_pose_vector(x, convention), retries=20)
    assert found.converged
    np.testing.assert_allclose(task @ arm.fk(found.q) @ tool, there.fk(q), atol=1e-3)


def test_s18_every_posture_of_a_5r_arm():
    built("S18")
    arm = hk.data("vp5243")
    assert arm.solutions(arm.fk(np.radians([20, 40, -60, 30, 15]))).count == 4


def test_s19_paul_and_pieper():
    built("S19")
    pytest.importorskip("sympy")
    table = [[0, 0, 0, HALF], [0, 0, 0.43, 0], [0, 0.15, 0.02, -HALF]]
    table += [[0, 0.43, 0, HALF], [0, 0, 0, -HALF], [0, 0, 0, 0]]
    derived = hk.paul.derive(table)
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.9, 0.2])
    found = derived.solve(derived.model.fk(q))
    assert np.abs(found.q - q).max(axis=1).min() < 1e-9


def test_s20_raghavan_roth():
    built("S20")
    rng = np.random.default_rng(2)
    arm = hk.Model.from_dh(rng.uniform([-3, -1, -1, -3], [3, 1, 1, 3], (6, 4)))
    q = rng.uniform(-3, 3, 6)
    found = arm.solutions(arm.fk(q))
    assert found.method == "general"
    assert np.abs(found.q - q).max(axis=1).min() < 1e-7


def test_s21_newton_and_its_start():
    built("S21")
    arm = hk.data("ur5")
    q0 = arm.sample(200, seed=5)
    goal = np.broadcast_to(arm.fk([0.3, -1.0, 1.2, -0.4, 0.9, 0.1]), (200, 4, 4))
    once = arm.solve(pose=goal, q0=q0, solver="newton", perturbations=0, max_restarts=0)
    assert 0.05 < once.converged.mean() < 0.9  # it is the start that decides,
    ends = np.round(np.mod(once.q[once.converged], 2 * np.pi) / 1e-2)
    assert len(np.unique(ends, axis=0)) > 3  # and which posture it comes to
    assert len(hk.study.basins(arm, q0, pose=goal[0]).solutions) == 8  # made visible


def test_s22_parallel_and_hybrid():
    built("S22")
    platform = hk.parallel.StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.2)
    pose = hk.transforms.from_rpy([0.1, -0.05, 0.2], [0.05, 0.02, 0.9])
    near = hk.transforms.from_rpy([0, 0, 0], [0, 0, 1.0])
    found = platform.fk(platform.ik(pose), near)
    assert found.converged
    np.testing.assert_allclose(found.T, pose, atol=1e-10)


def test_s23_the_study():
    built("S23")
    found = hk.study.compare(hk.data("planar9"), runs=2, stops=[])
    assert {row.label for row in found.laps} == {"fabrik", "ccd"}
    assert hk.study.THESIS["ccd"].iterations == 17.6
    assert hk.study.THESIS["fabrik"].iterations == 13.2
    for body in (None, hk.human()):
        wrists = hk.study.avatar_experiment(
            20, model=body, solvers=["fabrik", "ccd"], postured=(), steps=0
        )
        fabrik, ccd = (np.median(wrists.row(name).wrist) for name in ("fabrik", "ccd"))
        assert fabrik < ccd


def test_s24_the_person():
    built("S24")
    assert hk.human().model.nv == 21
    person = hk.human(detail="spine+hand_right")
    assert person.model.nv == 21 - 6 + 12 + 26 - 3
    vertebrae = re.compile(r"([LTC])\d+\Z")
    assert sum(bool(vertebrae.match(name)) for name in person.model.frame_names) == 24


def test_s25_the_application():
    built("S25")
    from handik.app import App

    app = App()  # every menu of the thesis's: pose, target, solver, via point, drive
    app.do("person.add", sex="female")
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    app.do("pose.reset")
    app.do("solve.solver", solver="fabrik")
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.4, -0.3, 1.0])
    app.do("target.via", at=[0.3, -0.4, 1.1])
    app.do("solve.run")
    assert app.document.solve.outcome == "converged"
    app.do("pose.reset")
    app.do("solve.eight", solver="ccd", poses=20)
    assert app.document.laps[0].reached == 20
    app.do("plan.path", obstacles=False)
    assert app.document.path.outcome == "found"
    app.do("person.chair", kind="manual")
    app.do("chair.drive", legs="1 0 1; 0 1 0.5")
    assert app.document.drive.length > 0.9


def test_s26_path_planning():
    built("S26")
    arm = hk.chain([0.5, 0.4])
    bones = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.4, 0, 0), 0.03) for k in (1, 2)]
    figure = hk.Figure(arm, bones, pairs=[])
    room = hk.Scene().add("post", hk.scene.Sphere(0.1), pose=([0.7, 0.2, 0], [1, 0, 0, 0]))
    assert hk.plan.path(None, figure, [-0.5, 0], [1, 0], planner="line")
    assert hk.plan.path(room, figure, [-0.5, 0], [1, 0], planner="line").blocked_by == "post"
    found = hk.plan.path(room, figure, [-0.5, 0], [1, 0])
    assert found
    assert len(found.q) > 2


def test_s27_motion_capture(tmp_path):
    built("S27")
    path = tmp_path / "walk.bvh"
    path.write_text(
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n90 0 0\n",
        "utf-8",
    )
    model = hk.load(path)
    q = hk.read.read_bvh_motion(path).coordinates(model)
    tip = model.fk(q)[:, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(tip, axis=1), 1.0)
    np.testing.assert_allclose(tip[0] @ tip[1], 0.0, atol=1e-12)
    motion = hk.Motion.read(path)
    eve, adam = hk.human("female", percentile=50), hk.human("male", percentile=50)
    moves = hk.Motion([eve.rest, eve.rest], motion.times, eve.model)
    found = hk.people.motion.retarget(moves, adam, source_rest=eve.rest)
    assert found.misses["hand_left"].max() < 0.01
    np.testing.assert_array_equal(found.motion.times, [0.0, 0.1])


def test_s28_scenes():
    built("S28")
    scene = hk.Scene().add("table", hk.scene.Box([1.2, 0.8, 0.04]), [0, 0, 0.73], tags="table")
    moved = scene.add("table/cup", hk.scene.Cylinder(0.1, 0.04), [0.2, 0, 0.07]).with_pose(
        "table", [1, 0, 0.73]
    )
    np.testing.assert_allclose(moved.world("table/cup")[:3, 3], [1.2, 0.0, 0.8])
    assert scene.find() == ("table",)


def test_s29_wheelchair():
    """A chair passes an opening 50 mm wider than itself and none narrower; a far switch is out of reach."""
    from handik.app import App

    chair = hk.access.chair("manual", width=0.65, length=1.2)
    outside = [[-2, -3], [6, -3], [6, 3], [-2, 3]]
    walls = [[outside[k - 1], outside[k]] for k in range(4)]
    for gap, verdict in ((0.70, "yes"), (0.60, "no")):
        door = [[[2, -3], [2, -gap / 2]], [[2, gap / 2], [2, 3]]]
        assert hk.access.passes(chair, walls + door, (0, 0, 0), (4, 0, 0)).verdict == verdict
    for half, verdict in ((0.62, "no"), (0.9, "yes")):
        square = [[-half, -half], [half, -half], [half, half], [-half, half]]
        room = [[square[k - 1], square[k]] for k in range(4)]
        assert hk.access.turns(chair, room, (0, 0)).verdict == verdict
    anna = hk.human(sex="female", stature=1.62)
    assert hk.access.reach(anna, None, [0.0, -0.2, 3.0]).verdict == "no"
    hall = [*walls, [[2, -3], [2, -0.6]], [[2, 0.6], [2, 3]]]
    door = hk.access.Door([[2, -0.6], [2, 0.6]])
    assert hk.access.opens(chair, hall, door, (0, 0, 0), (4, 0))
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("person.chair", kind="manual")
    app.do("chair.drive", legs="1 0 1")  # ahead at 1 m/s for a second
    assert app.document.scene.world("person")[0, 3] == pytest.approx(1.0)


def test_s30_routes():
    missing("S30")


def test_s31_vehicles():
    missing("S31")
