"""Mechanisms with loops: 3-RRS by elimination, any loops by Newton, a hybrid arm, workspace maps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import pi

import handik as hk
from handik.closed.mechanism import Cut, Mechanism
from handik.closed.parallel import StewartPlatform
from handik.closed.parallel.circles import ThreeRRS, circle_postures
from handik.closed.parallel.maps import workspace_slice
from handik.spec import FrameSpec, JointSpec, LinkSpec, ModelSpec

UP = (0.0, 0.0, 1.0)


def at(*point: float) -> np.ndarray:
    place = np.eye(4)
    place[:3, 3] = point
    return place


def joint(spec: hk.ModelSpec, name: str, parent: str, place: np.ndarray, axis=UP, kind="revolute"):
    spec.links.append(LinkSpec(name))
    spec.joints.append(
        JointSpec(f"{name}_joint", kind, parent, name, place, axis=tuple(axis), lower=-9, upper=9)
    )


# ---- 3-RRS ----


def random_rrs(rng: np.random.Generator) -> ThreeRRS:
    base, platform = rng.uniform(-1, 1, (3, 3)), rng.uniform(-0.7, 0.7, (3, 3))
    lengths = rng.uniform(0.5, 1.2, (2, 3))
    return ThreeRRS(base, rng.normal(size=(3, 3)), *lengths, platform)


def test_every_posture_has_its_drives(rng: np.random.Generator) -> None:
    counts = []
    for _ in range(25):
        arm, angle = random_rrs(rng), rng.uniform(-3, 3, 3)
        found = arm.postures(angle)
        counts.append(len(found))
        assert (
            np.abs(found[:, :3, :3] @ np.swapaxes(found[:, :3, :3], 1, 2) - np.eye(3)).max(
                initial=0
            )
            < 1e-9
        )
        for pose in found:
            gap = np.exp(1j * arm.ik(pose, 1e-7)) - np.exp(1j * angle)[:, None]
            assert np.nanmin(np.abs(gap), axis=1).max() < 1e-6
    assert max(counts) >= 4
    assert all(n % 2 == 0 for n in counts)


def test_regular_platform_comes_back(rng: np.random.Generator) -> None:
    arm = ThreeRRS.regular(1.0, 0.6, 0.7, 0.9)
    for _ in range(15):
        both = arm.poses(rng.uniform(0.7, 1.1), rng.uniform(-0.25, 0.25, 2))
        pose = both[0]
        drives = arm.ik(pose)
        assert drives.shape == (3, 2)
        assert not np.isnan(drives).any()
        found = arm.postures(drives[:, 0])
        assert np.abs(found - pose).max(axis=(1, 2)).min() < 1e-8
        assert np.abs(arm.fk(drives[:, 0], pose) - pose).max() < 1e-8
    level = arm.poses(0.9, [0, 0])[0]
    assert np.abs(level - at(0, 0, 0.9)).max() < 1e-12


def test_parasitic_motion_keeps_the_planes(rng: np.random.Generator) -> None:
    arm = ThreeRRS.regular(1.0, 0.6, 0.7, 0.9)
    poses = arm.poses(rng.uniform(0.7, 1.1, 20), rng.uniform(-0.3, 0.3, (20, 2)))
    tips = np.einsum("...ij,kj->...ki", poses[..., :3, :3], arm.platform)
    gap = tips + poses[..., None, :3, 3] - arm.base
    assert np.abs(np.sum(gap * arm.axes, axis=-1)).max() < 1e-12
    assert np.abs(poses[..., 0, :2, 3]).max() > 1e-4  # it does move aside


def test_sixteen_is_the_degree(rng: np.random.Generator) -> None:
    """Beyond the eighth the harmonics of the eliminated equation are rounding."""
    from handik.closed.parallel.circles import _eliminated

    angle = 2 * pi * np.arange(64) / 64
    u, w = np.zeros((2, 3, 3))
    for k in range(3):
        u[k], _, w[k] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    args = rng.uniform(-1, 1, (3, 3)), rng.uniform(0.5, 1, 3), u, w, rng.uniform(0.5, 2, 3)
    harmonic = np.abs(np.fft.fft([_eliminated(a, *args) for a in angle]))
    assert harmonic[9:56].max() < 1e-9 * harmonic.max()
    assert harmonic[8] > 1e-9 * harmonic.max()


def test_out_of_reach_has_none() -> None:
    far = [[0, 0, 0], [9, 0, 0], [0, 9, 0]]
    u, w = np.tile([1.0, 0, 0], (3, 1)), np.tile([0, 0, 1.0], (3, 1))
    assert circle_postures(far, [1, 1, 1], u, w, [1, 1, 1]).shape == (0, 3)
    arm = ThreeRRS.regular(9, 0.5, 0.5, 0.5)
    assert arm.postures([0, 0, 0]).shape == (0, 4, 4)
    assert np.isnan(arm.fk([0, 0, 0], np.eye(4))).all()
    assert np.isnan(arm.ik(at(0, 0, 1))).all()


def test_singularity_of_the_regular_platform() -> None:
    """Lower links in the platform's plane: locked drives do not hold its height."""
    arm = ThreeRRS.regular(1.0, 0.6, 0.5, 0.4)
    regular = arm.singularity(arm.poses(0.6, [0.05, 0.02])[0])
    flat = arm.singularity(arm.poses(0.5, [0, 0])[0])  # lower links lie in the platform's plane
    assert regular > 0.05
    assert flat < 1e-6


def spherical(spec: hk.ModelSpec, word: str, parent: str, place: np.ndarray) -> str:
    for k, axis in enumerate(np.eye(3)):
        joint(spec, f"{word}{k}", parent, place if k == 0 else np.eye(4), axis)
        parent = f"{word}{k}"
    return parent


def rrs_tree(arm: ThreeRRS) -> Mechanism:
    """The same platform as a tree: it hangs on the first leg, and two balls are cut."""
    spec = hk.ModelSpec("rrs", links=[LinkSpec("ground")])
    for i in range(3):
        frame = np.eye(4)
        frame[:3, :3] = np.stack([arm._out[i], arm._up[i], np.cross(arm._out[i], arm._up[i])]).T
        frame[:3, 3] = arm.base[i]
        joint(spec, f"upper{i}", "ground", frame)
        joint(spec, f"lower{i}", f"upper{i}", at(arm.upper[i], 0, 0))
        spec.frames.append(FrameSpec(f"end{i}", f"lower{i}", placement=at(arm.lower[i], 0, 0)))
    last = spherical(spec, "ball", "lower0", at(arm.lower[0], 0, 0))
    for i in range(3):
        gap = arm.platform[i] - arm.platform[0]
        spec.frames.append(FrameSpec(f"corner{i}", last, placement=at(*gap)))
    model = hk.Model(spec)
    cuts = [Cut(f"corner{i}", f"end{i}") for i in (1, 2)]
    return Mechanism(model, cuts, [f"upper{i}_joint" for i in range(3)])


def test_newton_on_loops_finds_the_same_platforms() -> None:
    """Two formulations that share nothing: elimination, and Newton on the cut tree."""
    rng = np.random.default_rng(4)
    arm = random_rrs(rng)
    while len(arm.postures(angle := rng.uniform(-3, 3, 3))) < 4:
        arm = random_rrs(rng)
    tree = rrs_tree(arm)
    assert tree.model.nq == 9
    found = arm.postures(angle)
    rows = tree.assemblies(angle, n_starts=60).q
    assert len(rows) >= 2
    corners = np.stack([tree.model.fk(rows, frame=f"corner{i}")[:, :3, 3] for i in range(3)], 1)
    theirs = np.einsum("nij,kj->nki", found[:, :3, :3], arm.platform) + found[:, None, :3, 3]
    gap = np.abs(corners[:, None] - theirs[None]).max(axis=(2, 3))
    assert gap.min(axis=1).max() < 1e-7  # Newton's are all among the eliminated ones
    assert tree.mobility(rows[0]) == 3
    passive, drives = tree.singularity(rows[0])
    assert passive > 1e-6
    assert drives > 1e-6


# ---- any loops ----


def four_bar(lengths=(0.4, 1.0, 0.8, 0.9)) -> Mechanism:
    crank, coupler, rocker, ground = lengths
    spec = hk.ModelSpec("four bar", links=[LinkSpec("ground")])
    joint(spec, "crank", "ground", np.eye(4))
    joint(spec, "coupler", "crank", at(crank, 0, 0))
    joint(spec, "rocker", "ground", at(ground, 0, 0))
    spec.frames.append(FrameSpec("pin", "coupler", placement=at(coupler, 0, 0)))
    spec.frames.append(FrameSpec("top", "rocker", placement=at(rocker, 0, 0)))
    return Mechanism(hk.Model(spec), [Cut("pin", "top")], ["crank_joint"])


@pytest.mark.parametrize("crank", [0.3, 1.7, -2.2])
def test_four_bar_by_freudenstein(crank: float) -> None:
    a, b, c, d = 0.4, 1.0, 0.8, 0.9
    arm = four_bar((a, b, c, d))
    rows = arm.assemblies([crank], n_starts=30).q
    assert len(rows) == 2
    k1, k2, k3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    for q in rows:
        rocker = q[2]
        left = k1 * np.cos(rocker) - k2 * np.cos(crank) + k3
        assert left == pytest.approx(np.cos(crank - rocker), abs=1e-10)
        assert arm.mobility(q) == 1
        assert np.abs(arm.closure(q)).max() < 1e-12


def test_newton_goes_on_until_the_judge_agrees() -> None:
    """It stopped by the largest entry, which the judge, who takes the norm, called not met."""
    arm, rng = four_bar(), np.random.default_rng(0)
    guesses = rng.uniform(-3, 3, (500, 3))
    ends = [arm.fk([q[0]], q) for q in guesses]
    assert sum(end.converged for end in ends) > 400
    assert [end.residual for end in ends if not end.converged and end.residual < 1e-10] == []


def limited_four_bar(lower: float, upper: float, side: str = "rocker") -> Mechanism:
    spec = four_bar().model.spec
    for one in spec.joints:
        if one.name == f"{side}_joint":
            one.lower, one.upper = lower, upper
    return Mechanism(hk.Model(spec), [Cut("pin", "top")], ["crank_joint"])


def test_limits_choose_among_the_ways_to_close() -> None:
    crank = 0.3
    up, down = sorted(four_bar().assemblies([crank], n_starts=30).q, key=lambda q: -q[2])
    assert up[2] > 0.1 > -0.1 > down[2]
    arm = limited_four_bar(0.0, 3.0)
    found = arm.assemblies([crank], n_starts=30)
    assert len(found) == 1
    assert np.abs(found.q[0] - up).max() < 1e-9
    free = arm.assemblies([crank], n_starts=30, limits=False)
    assert len(free) == 2
    # from the forbidden side too, or not at all: never outside
    for guess in (up, down, [0.0, 2.0, -2.0], [0.0, -2.0, 5.0]):
        ended = arm.fk([crank], guess)
        assert 0.0 <= ended.q[2] <= 3.0
        assert not ended.converged or np.abs(ended.q - up).max() < 1e-9
        assert ended.outside == ()
    assert arm.fk([crank], up).converged
    assert arm.fk([crank], down, limits=False).q[2] < 0
    # limits that neither way keeps to
    assert len(limited_four_bar(0.0, 0.1).assemblies([crank], n_starts=30)) == 0


def test_a_whole_turn_is_no_other_posture() -> None:
    found = limited_four_bar(2 * pi, 2 * pi + 3).assemblies([0.3], n_starts=30)
    up = four_bar().assemblies([0.3], n_starts=30).q
    assert len(found) == 1
    assert found.q[0, 2] == pytest.approx(up[:, 2].max() + 2 * pi, abs=1e-9)
    assert found.hits.sum() <= found.n_starts == 30


def test_a_drive_outside_its_limits_is_said() -> None:
    arm = limited_four_bar(-0.2, 0.2, "crank")
    ended = arm.fk([0.3], four_bar().assemblies([0.3], n_starts=30).q[0])
    assert ended.residual < 1e-12
    assert not ended.converged
    assert ended.outside == ("crank_joint",)
    assert len(arm.assemblies([0.3])) == 0
    assert arm.fk([0.3], ended.q, limits=False).converged


def test_what_is_found_is_not_called_all() -> None:
    found = four_bar().assemblies([0.3], n_starts=40)
    assert found.hits.sum() <= 40
    assert found.missing_mass == 0.0
    assert "found" in repr(found)
    assert "more" in repr(found)
    one = four_bar().assemblies([0.3], n_starts=1)
    assert one.missing_mass == 1.0  # a single start tells nothing of the others
    none = four_bar((0.1, 0.1, 0.1, 2.0)).assemblies([0.3], n_starts=5)
    assert none.q.shape == (0, 3)
    assert np.isnan(none.missing_mass)
    again = four_bar().assemblies([0.3], n_starts=40)
    assert (again.q == found.q).all()
    with pytest.raises(hk.ArgumentError, match="n_starts must be 1 or more, got 0"):
        four_bar().assemblies([0.3], n_starts=0)


def test_single_postures_are_the_rows_of_many(rng: np.random.Generator) -> None:
    """Newton's method in a batch does what it does one by one."""
    arm = rrs_tree(ThreeRRS.regular(1.0, 0.6, 0.7, 0.9))
    q = rng.uniform(-1, 1, (5, 9))
    miss, slope = arm.closure(q), arm.jacobian(q)
    assert miss.shape == (5, 6)
    assert slope.shape == (5, 6, 9)
    for k in range(5):
        assert (arm.closure(q[k]) == miss[k]).all()
        assert (arm.jacobian(q[k]) == slope[k]).all()


def test_four_bar_dead_point() -> None:
    """Coupler and rocker in line: locked crank, yet the rest moves."""
    a, b, c, d = 0.5, 0.6, 0.5, 0.9
    crank = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    arm = four_bar((a, b, c, d))
    near = arm.fk([crank - 0.3], [crank - 0.3, -1.0, 2.0])
    edge = near
    for step in np.linspace(0.29, 1e-7, 40):
        edge = arm.fk([crank - step], edge.q)
    assert near.converged
    assert edge.converged
    assert arm.singularity(edge.q)[0] < 1e-3 * arm.singularity(near.q)[0] + 1e-3
    assert not arm.fk([crank + 0.2], near.q).converged  # it cannot be assembled there


def test_jacobian_is_the_derivative(rng: np.random.Generator) -> None:
    spec = hk.ModelSpec("loops", links=[LinkSpec("ground")])
    parent = "ground"
    for k in range(4):
        axis = rng.normal(size=3)
        kind = "prismatic" if k == 2 else "revolute"
        joint(spec, f"l{k}", parent, at(*rng.uniform(-1, 1, 3)), axis / np.linalg.norm(axis), kind)
        parent = f"l{k}" if k != 1 else "ground"
    spec.frames += [FrameSpec("a", "l1"), FrameSpec("b", "l3")]
    model = hk.Model(spec)
    for word, rows in (("ball", 3), ("revolute", 6)):
        arm = Mechanism(model, [Cut("a", "b", word)], ["l0_joint"])
        q, h = rng.uniform(-1, 1, 4), 1e-6
        slope = arm.jacobian(q)
        assert slope.shape == (rows, 4)
        for k in range(4):
            e = h * np.eye(4)[k] * arm._unit
            rate = (arm.closure(q + e) - arm.closure(q - e)) / (2 * h)
            assert np.abs(rate - slope[:, k]).max() < 1e-8


def test_a_weld_closes_a_six_joint_loop(rng: np.random.Generator) -> None:
    """Closing the loop of a 6R arm is its inverse model."""
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    arm = hk.Model.from_dh(table)
    q = rng.uniform(-2, 2, 6)
    spec = arm.spec
    spec.frames.append(FrameSpec("goal", spec.joints[0].parent, placement=arm.fk(q)))
    spec.frames.append(FrameSpec("hand", str(arm.tip)))
    loop = Mechanism(hk.Model(spec), [Cut("hand", "goal", "weld")], [])
    every = arm.solutions(arm.fk(q)).q
    for row in every:
        ended = loop.fk([], row + 0.02 * rng.uniform(-1, 1, 6))
        assert ended.converged
        assert np.abs(ended.q - row).max() < 1e-7


# ---- a hybrid arm: serial joints, one of them driven by a cylinder in a loop ----

HINGE, ROD = (0.2, 0.0, -0.3), (0.5, 0.0, 0.1)


def digger() -> Mechanism:
    """Waist, boom, stick; the boom's angle comes from a cylinder between waist and boom."""
    back = (0.0, -1.0, 0.0)
    spec = hk.ModelSpec("digger", links=[LinkSpec("ground")])
    joint(spec, "waist", "ground", np.eye(4))
    joint(spec, "boom", "waist", at(0, 0, 0.5), back)
    joint(spec, "stick", "boom", at(1.2, 0, 0), back)
    joint(spec, "barrel", "waist", at(HINGE[0], 0, 0.5 + HINGE[2]), back)
    joint(spec, "rod", "barrel", np.eye(4), (1.0, 0.0, 0.0), "prismatic")
    spec.frames.append(FrameSpec("tooth", "stick", placement=at(0.9, 0, 0)))
    spec.frames.append(FrameSpec("eye", "boom", placement=at(*ROD)))
    spec.frames.append(FrameSpec("end", "rod"))
    drives = ["waist_joint", "rod_joint", "stick_joint"]
    return Mechanism(hk.Model(spec), [Cut("end", "eye")], drives)


def rod_length(boom: float) -> float:
    """The parallel part alone, in closed form."""
    c, s = np.cos(boom), np.sin(boom)
    eye = np.array([c * ROD[0] - s * ROD[2], s * ROD[0] + c * ROD[2]])
    return float(np.hypot(*(eye - [HINGE[0], HINGE[2]])))


def test_hybrid_arm_three_ways() -> None:
    arm = digger()
    names = arm.model.joint_q_slices
    slot = {k: v.start for k, v in names.items()}
    assert arm.model.nq == 5
    guess = np.zeros(5)
    guess[[slot["boom_joint"], slot["rod_joint"], slot["barrel_joint"]]] = 0.6, 0.6, 0.8
    guess[slot["stick_joint"]] = -1.2
    target = at(1.1, 0.5, 0.6)
    together = arm.ik(target, guess, frame="tooth", task="position")
    assert together.converged
    assert together.q[slot["rod_joint"]] == pytest.approx(
        rod_length(together.q[slot["boom_joint"]])
    )
    # where the parts decouple: the serial part by its own closed form, then the loop
    serial = arm.model.solutions(target, frame="tooth", task="position")
    gap = serial.q[:, [slot[f"{k}_joint"] for k in ("waist", "boom", "stick")]]
    gap = gap - together.q[[slot[f"{k}_joint"] for k in ("waist", "boom", "stick")]]
    assert np.abs((gap + pi) % (2 * pi) - pi).max(axis=1).min() < 1e-9
    # from random starts, none by hand: the mechanism's postures are those of the serial part
    every = arm.postures(target, frame="tooth", task="position", n_starts=60)
    booms = serial.q[:, slot["boom_joint"]]
    assert len(every) == 2 * len(booms)  # the rod may also reach backwards
    rods = every.q[:, slot["rod_joint"]]
    lengths = [rod_length(boom) for boom in every.q[:, slot["boom_joint"]]]
    assert np.abs(np.abs(rods) - lengths).max() < 1e-9
    assert np.abs(np.sort(every.q[:, slot["boom_joint"]])[::2] - np.sort(booms)).max() < 1e-9
    # and by a solver, through the term Loop
    problem = hk.Problem(arm.model, [hk.Position("tooth"), hk.Loop("end", "eye")])
    solved = hk.Solver()(problem, target[:3, 3], q0=guess)
    assert solved.converged
    assert np.abs(arm.closure(solved.q)).max() < 1e-3


def test_hybrid_direct_model_follows_the_rod() -> None:
    arm = digger()
    guess = np.zeros(5)
    guess[[1, 3, 4]] = 0.6, 0.8, 0.6
    for rod in (0.5, 0.6, 0.7):
        ended = arm.fk({"waist_joint": 0.2, "rod_joint": rod, "stick_joint": -1.0}, guess)
        assert ended.converged
        boom = ended.q[arm.model.joint_q_slices["boom_joint"].start]
        assert rod_length(boom) == pytest.approx(rod, abs=1e-11)


# ---- maps ----


def test_workspace_slice() -> None:
    arm = StewartPlatform.hexagon(1, 0.6, 0.2, 0.25)
    grid = np.linspace(-0.6, 0.6, 13)
    cut = workspace_slice(arm, at(0, 0, 1), ("x", "y"), grid, grid, stroke=(0.9, 1.3))
    assert cut.lengths.shape == (13, 13, 6)
    assert cut.reached[6, 6]
    assert not cut.reached[0, 0]
    assert 0 < cut.area < 1.44
    wider = workspace_slice(arm, at(0, 0, 1), ("x", "y"), grid, grid, stroke=(0.8, 1.4))
    assert wider.area > cut.area
    assert (wider.reached | ~cut.reached).all()
    k = arm.ik(at(grid[3], grid[7], 1))
    assert np.abs(cut.lengths[3, 7] - k).max() < 1e-12
    # turned by a quarter about z a flat similar platform is singular (Fichter): the locus is there
    turn = np.linspace(0.6, 2.4, 41)
    spun = workspace_slice(arm, at(0, 0, 1), ("rz", "z"), turn, [0.9, 1.0, 1.1])
    locus = spun.locus()
    assert len(locus) == 3
    assert np.abs(locus[:, 0] - pi / 2).max() < 0.02
    assert spun.singularity[np.argmin(np.abs(turn - pi / 2))].max() < 0.02
    pytest.importorskip("matplotlib")
    axes = spun.plot()
    assert axes.get_xlabel() == "rz (rad)"


def test_wrong_calls_say_what_is_wrong() -> None:
    arm = four_bar()
    with pytest.raises(hk.ArgumentError, match="needs a cut"):
        Mechanism(arm.model, [], [])
    with pytest.raises(hk.ArgumentError, match="'ball' or 'revolute' or 'weld'"):
        Mechanism(arm.model, [Cut("pin", "top", "glue")], [])
    with pytest.raises(hk.NotFoundError, match="frame"):
        Mechanism(arm.model, [Cut("pin", "nowhere")], [])
    with pytest.raises(hk.NotFoundError, match="joint"):
        Mechanism(arm.model, [Cut("pin", "top")], ["nose"])
    with pytest.raises(hk.ArgumentError, match="drive 'crank_joint' is given twice"):
        Mechanism(arm.model, [Cut("pin", "top")], ["crank_joint", "crank_joint"])
    with pytest.raises(hk.ArgumentError, match="must name the drives"):
        arm.fk({"rocker_joint": 1.0}, np.zeros(3))
    with pytest.raises(hk.ArgumentError, match="task"):
        arm.ik(np.eye(4), np.zeros(3), task="dance")
    with pytest.raises(hk.ArgumentError, match="vertical"):
        ThreeRRS(np.eye(3), [[0, 0, 1]] * 3, [1] * 3, [1] * 3, np.eye(3))
    with pytest.raises(hk.ArgumentError, match="one line"):
        ThreeRRS(
            np.eye(3), np.eye(3)[[0, 1, 0]], [1] * 3, [1] * 3, [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
        )
    with pytest.raises(hk.ArgumentError, match="along"):
        workspace_slice(
            StewartPlatform.hexagon(1, 0.6, 0.2, 0.25), np.eye(4), ("x", "u"), [0, 1], [0, 1]
        )


def test_drives_of_several_coordinates_and_batches_are_refused() -> None:
    links = [LinkSpec(name) for name in "abc"]
    joints = [
        JointSpec("u", "universal", "a", "b", axis2=(1.0, 0.0, 0.0)),
        JointSpec("r", "revolute", "b", "c"),
    ]
    tree = hk.Model(ModelSpec("loop", links, joints))
    with pytest.raises(hk.ArgumentError, match="drive 'u' has 2 coordinates"):
        Mechanism(tree, [Cut("c", "a")], ["u"])
    loop = Mechanism(tree, [Cut("c", "a")], ["r"])
    for call in (loop.mobility, loop.singularity):
        with pytest.raises(hk.ArgumentError, match=r"q must have shape \(3,\)"):
            call(np.zeros((2, 3)))


def two_hinges():
    spec = ModelSpec(
        "m",
        [LinkSpec(name) for name in "abc"],
        [
            JointSpec("x", "revolute", "a", "b", axis=(1.0, 0.0, 0.0)),
            JointSpec("y", "revolute", "b", "c", axis=(1.0, 0.0, 0.0)),
        ],
        [FrameSpec("anchor", "a"), FrameSpec("end", "c")],
        tip="end",
    )
    return hk.Model(spec)


@pytest.mark.parametrize(
    ("joint", "guess"), [("revolute", [0.0, 2.8]), ("weld", [0.0, np.pi]), ("weld", [0.0, 3.0])]
)
def test_a_loop_open_by_half_a_turn_is_not_closed(joint, guess):
    """Sines vanish there too: the judge of the term `Loop` is asked, which has the angle."""
    model = two_hinges()
    found = Mechanism(model, [Cut("end", "anchor", joint)], ["x"]).fk([0.0], guess)
    met = hk.Problem(model, [hk.Loop(frame="end", other="anchor", joint=joint)])._measure(
        [], found.q
    )
    assert bool(met[0].all()) == found.converged
    assert found.converged == (abs(np.sin(found.q[1] / 2)) < 1e-9)


def test_a_frame_turned_by_half_a_turn_is_not_at_its_pose():
    model = two_hinges()
    arm = Mechanism(model, [Cut("end", "anchor", "ball")], ["x"])
    found = arm.ik(np.eye(4), [0.0, np.pi])
    turned = np.abs(model.fk(found.q) - np.eye(4)).max()
    assert found.converged == (turned < 1e-9)
    assert len(arm.assemblies([0.3])) >= 1


def test_every_start_closes_a_weld_of_one_joint():
    """The slope is that of the rotation vector, right far from closed too."""
    model = two_hinges()
    weld = Mechanism(model, [Cut("end", "anchor", "weld")], ["x"])
    found = weld.assemblies([0.4], n_starts=50, limits=False)
    assert len(found) == 1
    assert found.hits[0] >= 49
    np.testing.assert_allclose(found.q, [[0.4, -0.4]], atol=1e-9)


@pytest.mark.parametrize("joint", ["ball", "revolute", "weld"])
def test_closure_and_judge_say_the_same(joint):
    model = two_hinges()
    arm = Mechanism(model, [Cut("end", "anchor", joint)], ["x"])
    problem = hk.Problem(model, [hk.Loop(frame="end", other="anchor", joint=joint)])
    q = np.random.default_rng(3).uniform(-4, 4, (40, 2))
    _, distance, angle = problem._measure(np.empty((40, 0)), q)
    if joint == "weld":
        size = np.linalg.norm(arm.closure(q)[:, 3:], axis=1)
        np.testing.assert_allclose(size, angle[:, 0], atol=1e-9)
    if joint == "revolute":  # the chord between the axes
        size = np.linalg.norm(arm.closure(q)[:, 3:], axis=1)
        np.testing.assert_allclose(size, 2 * np.sin(angle[:, 0] / 2), atol=1e-9)
    size = np.linalg.norm(arm.closure(q)[:, :3], axis=1) * model.max_reach
    np.testing.assert_allclose(size, distance[:, 0], atol=1e-12)
