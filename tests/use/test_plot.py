"""Pictures: what is drawn is what was measured, and every axis says what it shows."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest

import handik as hk
from handik.study import Study, compare, figure_of_eight, paper_experiment

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from handik import plot  # noqa: E402

JOINTS = {
    "revolute": {"lower": 0.0, "upper": 2.5},
    "universal": {
        "axis": (1, 0, 0),
        "axis2": (0, 1, 0),
        "lower": (-1.2, -0.4),
        "upper": (1.2, 0.6),
    },
    "ball": {"cone": hk.Cone((1.9, 1.7, 0.7, 1.0))},
    "ball 2": {"cone": hk.ReachCone([(0, 1), (2, 1), (4, 0.5)], (-1, 1))},
    "ball 3": {"cone": hk.Cone(1.0, hk.TwistTable((-1, 1), [(0, -0.5, 0.2), (2, -1, 1)]))},
    "ball 4": {},
    "ball 5": {"hold": (1.0, 0.0, 0.0, 0.0)},
}

OF_A_STUDY = (
    "trace",
    "iterations",
    "convergence",
    "iterations_by_distance",
    "errors",
    "stop_rules",
    "largest_moves",
    "travel",
)


@pytest.fixture(scope="module")
def study() -> Study:
    return compare(hk.data("planar9"), figure_of_eight(24), runs=4)


@pytest.fixture(scope="module")
def robot() -> Study:
    return compare(hk.data("ur5"), figure_of_eight(12), runs=2)


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def labelled(ax: Axes) -> bool:
    words = [ax.get_xlabel(), ax.get_ylabel()]
    words += [ax.get_zlabel()] if hasattr(ax, "get_zlabel") else []
    return all(words) and ax.get_legend() is not None and bool(ax.get_title())


@pytest.mark.parametrize("name", OF_A_STUDY)
@pytest.mark.parametrize("which", ["study", "robot"])
def test_every_picture_has_titles_labels_and_legend(
    name: str, which: str, request: pytest.FixtureRequest
) -> None:
    ax = getattr(plot, name)(request.getfixturevalue(which))
    assert labelled(ax)
    ax.figure.savefig(BytesIO(), format="png")


def test_pictures_are_drawn_where_they_are_told(study: Study) -> None:
    figure = Figure()
    ax = figure.add_subplot()
    assert plot.convergence(study, ax=ax) is ax
    assert plt.get_fignums() == []


def test_chain_is_drawn_through_its_joints() -> None:
    arm = hk.chain([1.0, 2.0])
    ax = plot.chain(arm, [np.pi / 2, -np.pi / 2])
    assert np.allclose(ax.lines[0].get_xydata(), [[0, 0], [0, 1], [2, 1]], atol=1e-12)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x, m", "y, m")


def test_a_figure_of_the_xz_plane_is_drawn_in_it() -> None:
    arm = hk.chain([1.0, 2.0], axis=(0.0, 1.0, 0.0))
    ax = plot.chain(arm, [[0.0, 0.0], [-np.pi / 2, 0.0]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x, m", "z, m")
    assert np.allclose(ax.lines[2].get_xydata(), [[0, 0], [0, 1], [0, 3]], atol=1e-12)


def test_a_robot_is_drawn_in_space() -> None:
    arm = hk.data("ur5")
    ax = plot.chain(arm, arm.rest)
    assert ax.name == "3d"
    x, y, z = ax.lines[0].get_data_3d()
    assert np.allclose([x[-1], y[-1], z[-1]], arm.fk(arm.rest)[:3, 3])
    # a cube with all of it inside, and not much wider than it
    limits = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    low, high = limits.T
    points = np.array([x, y, z])
    assert np.allclose(high - low, high[0] - low[0])
    assert np.all(low <= points.min(axis=1))
    assert np.all(high >= points.max(axis=1))
    assert high[0] - low[0] < 1.3 * np.ptp(points, axis=1).max()


def test_iterations_are_sorted_by_the_point_they_went_to(study: Study) -> None:
    ax = plot.iterations(study)
    drawn = np.asarray(ax.lines[0].get_ydata())
    n, runs = len(study.curve), study.runs
    want = np.zeros(n)
    for run in range(runs):
        for frame in range(n):
            want[(run * n // runs + frame) % n] += study["fabrik"].iterations[run, frame] / runs
    assert np.allclose(drawn, want)


def test_points_that_were_missed_are_marked() -> None:
    points = figure_of_eight(12, centre=[0.6, 0.0, 0.0], size=0.1).points.copy()
    points[5] = [3.0, 0.0, 0.0]
    missed = compare(hk.data("planar9"), hk.study.Curve("far", points), runs=2, stops=[])
    ax = plot.trace(missed)
    line = next(line for line in ax.lines if line.get_label() == "not reached")
    assert np.array_equal(line.get_xydata(), [[3.0, 0.0]])


def test_overview_has_a_panel_for_each_solver_and_two_more(study: Study, robot: Study) -> None:
    for found in (study, robot):
        figure = found.plot(Figure())
        assert len(figure.axes) == 4
        assert all(labelled(ax) for ax in figure.axes)
    assert len(study.plot().axes) == 4
    assert len(plt.get_fignums()) == 1


def test_paper_bars_are_the_means() -> None:
    paper = paper_experiment(20)
    ax = plot.paper(paper)
    assert labelled(ax)
    heights = [
        bar.get_height() for group in ax.containers[:2] for bar in getattr(group, "patches", [])
    ]
    means = [row.iterations.mean for row in paper.rows if row.reachable]
    assert sorted(heights) == sorted(means[: len(heights)])


def test_fabrik_is_drawn_pass_by_pass() -> None:
    arm = hk.chain([0.3] * 5)
    figure = plot.fabrik_steps(arm, [0.6, 0.7, 0.0], iterations=2)
    assert [ax.get_title().split("\n")[0] for ax in figure.axes] == [
        "start", "1. from the target to the base", "1. and back",
        "2. from the target to the base", "2. and back",
    ]  # fmt: skip
    made = hk.study.fabrik_passes(arm, [0.6, 0.7, 0.0], iterations=2)
    for ax, points in zip(figure.axes, made, strict=True):
        shown = [line for line in ax.lines if len(line.get_xdata()) == 6]
        assert np.allclose(shown[-1].get_xydata(), points[:, :2])
        assert ax.get_xlim() == figure.axes[0].get_xlim()
        assert ax.get_aspect() == 1  # a square stays one
    assert plot.fabrik_steps(hk.data("ball10"), [0.3, 0.2, 0.1]).axes[0].name == "3d"


def test_convergence_of_one_solve() -> None:
    arm = hk.chain([0.1] * 10, "ball")
    found = arm.solve(position=[0.3, 0.4, 0.2], solver="ccd", trace=True)
    ax = plot.convergence(found)
    assert labelled(ax)
    assert np.array_equal(np.asarray(ax.lines[0].get_ydata()), found.trace.error)
    assert ax.lines[1].get_xydata().tolist() == [[found.iterations, found.error]]
    assert ax.lines[0].get_xdata()[-1] == found.iterations
    with pytest.raises(hk.ArgumentError, match="trace=True"):
        plot.convergence(arm.solve(position=[0.3, 0.4, 0.2]))


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import handik as hk\n"
        "try: hk.plot\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == "handik.plot draws with matplotlib: pip install 'handik[plot]'\n"


def joint_of(kind: str) -> hk.Model:
    from handik.files.read import JointSpec, LinkSpec, ModelSpec

    joint = JointSpec("j", kind.split()[0], "a", "b", **JOINTS.get(kind, {}))
    return hk.Model(ModelSpec("one", [LinkSpec("a"), LinkSpec("b")], [joint]))


@pytest.mark.parametrize("kind", JOINTS)
def test_rooms_hold_their_samples(kind: str) -> None:
    """Every sampled bone is drawn on the sphere, and beside a patch of the region that is filled."""
    model = joint_of(kind)
    ax = plot.joint_limits(model, "j", q=model.sample(40, seed=1), count=40)
    assert "limits of j" in ax.get_title()
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] == ["x", "y", "z"]
    dots = np.array(ax.collections[-1]._offsets3d).T
    np.testing.assert_allclose(np.linalg.norm(dots, axis=1), 1.01, atol=1e-9)
    patches = [c for c in ax.collections if type(c).__name__ == "Poly3DCollection"]
    if kind == "ball 5":
        assert not patches
        return
    corners = np.concatenate([np.reshape(p, (-1, 3)) for p in _faces(patches[0])])
    gaps = np.linalg.norm(dots[:, None] / 1.01 - corners[None], axis=2).min(axis=1)
    assert gaps.max() < 0.15
    assert len(ax.figure.axes) == (2 if kind == "ball 3" else 1)  # the width of the twist has a bar


@pytest.mark.parametrize("axis", [(0, 0, 1), (-1, 0, 0), (0, -1, -0.5)])
def test_the_filled_region_is_seen_from_outside(axis: tuple[float, float, float]) -> None:
    """The camera stands on the side of the patches, not behind the sphere."""
    from handik.files.read import JointSpec, LinkSpec, ModelSpec

    joint = JointSpec("j", "ball", "a", "b", axis=axis, cone=hk.Cone((0.9, 0.7, 0.7, 0.8)))
    model = hk.Model(ModelSpec("one", [LinkSpec("a"), LinkSpec("b")], [joint]))
    ax = plot.joint_limits(model, "j", count=40)
    up, round_ = np.radians([ax.elev, ax.azim])
    eye = np.array([np.cos(up) * np.cos(round_), np.cos(up) * np.sin(round_), np.sin(up)])
    patches = next(c for c in ax.collections if type(c).__name__ == "Poly3DCollection")
    corners = np.concatenate([np.reshape(p, (-1, 3)) for p in _faces(patches)])
    middle = corners.mean(axis=0)
    assert eye @ middle > 0.7 * np.linalg.norm(middle)


def test_the_edge_of_a_polygon_runs_from_corner_to_corner() -> None:
    model = joint_of("ball 2")
    ax = plot.joint_limits(model, "j", count=40)
    edge = JOINTS["ball 2"]["cone"]
    lines = [np.array(line.get_data_3d()).T for line in ax.lines]
    arcs = [line for line in lines if len(line) == 40]
    assert len(arcs) == len(edge.directions())
    axes = model.swing[0, :9].reshape(3, 3)
    for arc, after in zip(arcs, [*arcs[1:], arcs[0]], strict=True):
        np.testing.assert_allclose(edge.distance(arc @ axes), 0, atol=1e-12)
        np.testing.assert_allclose(arc[-1], after[0], atol=1e-12)
        assert np.linalg.norm(np.diff(arc, axis=0), axis=1).max() < 0.2


def _faces(collection: object) -> list[np.ndarray]:
    found = getattr(collection, "_faces", None)
    return list(found) if found is not None else [collection._vec[:3].T]  # type: ignore[attr-defined]


def test_what_has_no_room() -> None:
    with pytest.raises(hk.UnsupportedError, match="no limits on the sphere"):
        plot.joint_limits(joint_of("prismatic"), "j")
    with pytest.raises(hk.NotFoundError):
        plot.joint_limits(joint_of("ball"), "k")
    with pytest.raises(hk.ArgumentError):
        plot.joint_limits(joint_of("ball"), "j", count=2)


# -- what terms allow ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "direction", "angle"),
    [
        (hk.Level("b", direction=(0.2, 0, 1), angle=1.1, orientation_tolerance=0.1), None, 1.1),
        (hk.Axis(frame="b", orientation_tolerance=0.2), (1.0, 2.0, 0.5), 0.0),
        (hk.LookAt("b", orientation_tolerance=0.15), (0.0, -3.0, 0.0), 0.0),
    ],
    ids=["Level", "Axis", "LookAt"],
)
def test_what_is_filled_is_what_the_judge_accepts(term, direction, angle) -> None:
    """Directions of the picture's edge, a hair to either side, are met or not by the judge."""
    ax = plot.allowed(term, direction=direction, directions=[[1, 0, 0], [0, 2, 0]])
    patches = [c for c in ax.collections if type(c).__name__ == "Poly3DCollection"]
    corners = np.concatenate([np.reshape(p, (-1, 3)) for p in _faces(patches[0])])
    about = np.array(term.direction if direction is None else direction, float)
    about /= np.linalg.norm(about)
    off = np.arccos(np.clip(corners @ about, -1, 1))
    np.testing.assert_allclose(
        [off.min(), off.max()],
        [max(angle - term.orientation_tolerance, 0), angle + term.orientation_tolerance],
        atol=1e-6,
    )
    model = joint_of("ball 4")
    problem = hk.Problem(model, [term])
    target = () if direction is None else 5 * np.array(direction)
    across = np.cross(about, [0.3, 0.4, 0.5])
    across /= np.linalg.norm(across)
    for change, met in ((-1e-3, True), (1e-3, False)):
        turned = off.max() + change
        bone = np.cos(turned) * about + np.sin(turned) * across
        turn = np.array([1 + bone[2], -bone[1], bone[0], 0.0])  # takes z onto the bone
        assert problem.evaluate(target, turn / np.linalg.norm(turn))[0] == met
    assert type(term).__name__ in ax.get_title()


def test_the_ground_is_the_support_less_its_margin() -> None:
    square = [[0, 0], [2, 0], [2, 1], [0, 1]]
    ax = plot.allowed(hk.CenterOfMass(over=square, margin=0.25), directions=[[1.0, 0.5]])
    corners = ax.patches[0].get_xy()
    np.testing.assert_allclose([corners.min(0), corners.max(0)], [[0.25, 0.25], [1.75, 0.75]])
    assert ax.get_xlabel() == "x [m]"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["support", "allowed"]


def test_what_terms_have_no_picture() -> None:
    for term in (hk.Posture(), hk.Distance("b", distance=1.0), hk.CenterOfMass(), hk.Position("b")):
        with pytest.raises(hk.UnsupportedError, match="no region on the sphere"):
            plot.allowed(term)
    with pytest.raises(hk.ArgumentError, match="direction="):
        plot.allowed(hk.LookAt("b"))
    with pytest.raises(hk.ArgumentError, match="zero"):
        plot.allowed(hk.LookAt("b"), direction=(0, 0, 0))
    with pytest.raises(hk.ArgumentError, match="directions must not be zero"):
        plot.allowed(hk.Axis(), direction=(0, 0, 1), directions=[[1, 0, 0], [0, 0, 0]])


def test_a_study_is_known_by_its_class() -> None:
    """The class itself has the names of all the parts, and other studies have some."""
    for draw in (plot.errors, plot.travel, plot.paper, plot.wrist, plot.survey, plot.convergence):
        for wrong in (hk.study.Study, hk.study.PaperStudy, hk.study.AvatarStudy, object()):
            with pytest.raises(TypeError, match="must be a handik"):
                draw(wrong)


@pytest.mark.parametrize("kind", ["ball", "ball 3"])
def test_the_range_of_twist_is_that_of_the_clamp(kind: str) -> None:
    from handik.study.twins.swing import join, split

    model = joint_of(kind)
    ax = plot.twist(model, "j")
    room = model.ball_limits["j"]
    low, high = ax.lines[2:4] if kind == "ball 3" else ax.lines
    swing = 0.25 * room.twist.full if kind == "ball 3" else 0.4  # inside the cone
    for at in (30, 200, 300):
        azimuth = np.radians(low.get_xdata()[at])
        x = np.array([swing * np.cos(azimuth), swing * np.sin(azimuth), 0.0])
        for line, twist in ((low, -3.0), (high, 3.0)):
            q = join(model.swing[0], x + [0, 0, twist])
            held = np.degrees(split(model.swing[0], model.clip(q))[2])
            ends = low.get_ydata()[at], high.get_ydata()[at]
            assert abs(held - np.clip(np.degrees(twist), *ends)) < 1e-6
            assert ends[0] <= line.get_ydata()[at] <= ends[1]
    assert "twist" in ax.get_ylabel()
    assert labelled(ax)
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(said) == len(ax.lines) / 2
    assert said[0] == ("swing 0 deg" if kind == "ball 3" else "any swing")
    with pytest.raises(hk.UnsupportedError, match="no ball with limits"):
        plot.twist(joint_of("revolute"), "j")
    with pytest.raises(hk.NotFoundError):
        plot.twist(model, "k")


def test_followers_are_drawn_where_they_go() -> None:
    from handik.files.read import JointSpec, LinkSpec, ModelSpec

    names = ["a", "b", "c"]
    joints = [
        JointSpec(f"j{k}", "revolute", names[k], names[k + 1], lower=-1.0, upper=1.5)
        for k in range(2)
    ]
    spec = ModelSpec("two", [LinkSpec(n) for n in names], joints)
    spec.couple("j1", {"j0": 0.5}, offset=0.1)
    model = hk.Model(spec)
    ax = plot.coupling(model, "j0")
    (line,) = ax.lines
    assert labelled(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["j1: 0.5 q +0.1"]
    for q, follows in zip(*line.get_data(), strict=True):
        turned = np.arctan2(*model.fk([q], frame="c")[[1, 0], [0, 0]])
        axis = model.fk([q], frame="c")[2, 2]
        assert abs(turned - (q + follows)) < 1e-12 or axis < 0.99
        assert abs(follows - (0.5 * q + 0.1)) < 1e-12
    with pytest.raises(hk.UnsupportedError, match="no joint follows"):
        plot.coupling(joint_of("revolute"), "j")


def test_a_result_is_drawn_as_its_answers() -> None:
    arm = hk.chain([0.3, 0.3, 0.2])
    found = arm.solve(position=[[0.4, 0.3, 0.0], [0.3, 0.2, 0.0]])
    shown = [
        line.get_xydata() for line in plot.chain(arm, found).lines if len(line.get_xdata()) > 1
    ]
    wanted = [
        line.get_xydata() for line in plot.chain(arm, found.q).lines if len(line.get_xdata()) > 1
    ]
    assert len(shown) == 2
    assert np.array_equal(shown, wanted)
    assert len(plot.chain(arm, found[0]).lines) == 2


def test_a_chain_with_its_target_and_every_solution() -> None:
    arm = hk.chain([0.3, 0.3, 0.2])
    found = arm.solutions(arm.fk([0.3, 0.4, 0.5]))
    ax = plot.chain(arm, found, target=[0.5, 0.3, 0.0], label="solutions")
    assert len([line for line in ax.lines if len(line.get_xdata()) == 4]) == found.count
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["solutions", "target"]


#: Public functions of `handik.plot` that take a model, a study, an answer or moves first.
FIRST = sorted(name for name in hk.plot.__all__ if name not in ("allowed", "Window"))


WRONG = {
    "nothing": None,
    "number": 3,
    "text": "text",
    "list": [1, 2],
    "object": object(),
    "table": {},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("name", FIRST)
def test_a_wrong_first_argument_gets_a_sentence(name, wrong) -> None:
    """Not an AttributeError from inside; the sentence names the argument."""
    draw = getattr(hk.plot, name)
    asked = [
        p
        for p in inspect.signature(draw).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    with pytest.raises((hk.HandikError, TypeError), match=asked[0].name):
        draw(wrong, *(["joint_1"] * (len(asked) - 1)))


def test_a_twist_as_wide_everywhere_has_no_colors():
    """Its widths differ by rounding alone: a bar of 145 to 175 degrees for 160 showed noise."""
    same = hk.plot.joint_limits(hk.human().model, "shoulder_right")
    assert len(same.figure.axes) == 1
    rest, rows = (-1.0, 1.0), [(-1.0, -0.5, 0.5), (1.0, -1.0, 1.5), (2.5, -0.2, 0.2)]
    table = hk.TwistTable(rest, rows, 1.0)
    other = hk.chain([0.3], "ball").with_limits(joint_1=hk.Cone(1.0, twist=table))
    assert len(hk.plot.joint_limits(other, "joint_1").figure.axes) == 2
