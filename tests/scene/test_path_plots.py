"""Pictures of paths: what is drawn is what is measured, where the figure is."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
Image = pytest.importorskip("PIL.Image")

ARM = hk.chain([0.5, 0.4, 0.3])
BONES = [
    hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
    for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
]
FIGURE = hk.Figure(ARM, BONES, pairs=[(0, 2)])
ROOM = (
    hk.Scene()
    .add("chest", hk.scene.Box([0.3, 0.2, 0.5]), [0.8, 0, 0])
    .add("post", hk.scene.Sphere(0.1), [-0.2, -0.7, 0])
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    return hk.plan.path(ROOM, FIGURE, [0.9, 0.1, 0.0], [-0.9, -0.1, 0.0], trees=True)


@pytest.fixture(scope="module")
def moved(found):
    return found.trajectory(max_speed=2.0, max_acceleration=10.0)


def named(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


# -- clearance ----------------------------------------------------------------------------------


def test_the_curve_of_clearance_is_the_distance_over_time(moved) -> None:
    ax = hk.plot.clearance(ROOM, FIGURE, moved, count=101)
    times = np.linspace(0, moved.duration, 101)
    near = ROOM.distance(FIGURE, moved.sample(times)[0], details=True)
    lines = named(ax)
    assert set(lines) == {"chest", "post", "itself: link_1 and link_3"}
    seen = np.zeros(101)
    for name, line in lines.items():
        x, y = line.get_data()
        np.testing.assert_allclose(x, times)
        here = np.isfinite(y)
        np.testing.assert_allclose(y[here], near.distance[here])
        mine = near.itself if name.startswith("itself") else near.other == name
        assert here[mine].all()
        # beyond its own places a line goes on to the next one alone, so that there is no gap
        assert (~mine[here]).sum() <= np.count_nonzero(np.diff(mine.astype(int)) == -1)
        seen += here
    assert (seen > 0).all()
    assert ax.get_xlabel() == "time, s"
    mark = ax.texts[0]
    assert mark.get_text() == f"{1e3 * near.distance.min():.3g} mm"
    assert mark.xy[1] == near.distance.min()


def test_a_path_without_times_is_shown_by_its_share(found) -> None:
    ax = hk.plot.clearance(ROOM, FIGURE, found, count=51)
    x, y = next(iter(named(ax).values())).get_data()
    np.testing.assert_allclose(x, np.linspace(0, 1, 51))
    assert ax.get_xlabel() == "share of the way"
    half = hk.plot.clearance(ROOM, FIGURE, [[0, 0, 0], [1, 0, 0], [1, 0, 2]], count=4)
    x, _ = half.lines[0].get_data()
    measured = np.nanmax([line.get_data()[1] for line in named(half).values()], axis=0)
    # a third of the way is the corner: evenly in the norm of motions, not by rows
    rows = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 0, 2]]
    np.testing.assert_allclose(measured, ROOM.distance(FIGURE, rows))
    still = hk.plot.clearance(ROOM, FIGURE, [[0.9, 0.1, 0]], count=2)
    assert ROOM.distance(FIGURE, [0.9, 0.1, 0]) == still.lines[0].get_data()[1][0]


def test_contact_lies_in_the_red_and_rest_is_grey() -> None:
    beads = hk.Scene()
    turns = np.linspace(0.1, 2.0, 9)
    for k, turn in enumerate(turns):
        at = (0.2 + 0.06 * k) * np.array([np.cos(turn), np.sin(turn), 0])
        beads = beads.add(f"bead {k}", hk.scene.Sphere(0.02 + 0.001 * k), at)
    ax = hk.plot.clearance(beads, hk.Figure(ARM, BONES[:1]), [[0, 0, 0], [2.2, 0, 0]], count=300)
    lines = named(ax)
    assert len([name for name in lines if name.startswith("bead")]) == 6
    assert lines["others"].get_color() == hk.plot._axes.GREY
    assert len({line.get_color() for line in lines.values()}) == 7
    low, high = ax.get_ylim()
    assert low < 0 < high
    box = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert box.y0 == pytest.approx(low)
    assert box.y1 == pytest.approx(0)
    deep = hk.plot.clearance(ROOM, FIGURE, [[0, 0, 0], [0.01, 0, 0]], count=2)
    assert deep.get_ylim()[1] > 0 > np.nanmax(deep.lines[0].get_data()[1])


def test_wrong_ways_are_said(moved) -> None:
    with pytest.raises(hk.ArgumentError, match="nothing in the scene"):
        hk.plot.clearance(hk.Scene(), hk.Figure(ARM, BONES[:1]), moved)
    with pytest.raises(hk.ArgumentError, match="count must be 2 or more"):
        hk.plot.clearance(ROOM, FIGURE, moved, count=1)
    short = hk.Motion([[0, 0]], [0.0], hk.chain([1.0, 1.0]))
    with pytest.raises(hk.ArgumentError, match="not of 'chain'"):
        hk.plot.clearance(ROOM, FIGURE, short)
    with pytest.raises(hk.ArgumentError, match=r"path must have shape \(n, 3\)"):
        hk.plot.swept(ROOM, FIGURE, [0, 0, 0])
    with pytest.raises(hk.ArgumentError, match="no postures"):
        hk.plot.swept(ROOM, FIGURE, hk.Motion(np.zeros((0, 3)), [], ARM))


# -- swept volume -------------------------------------------------------------------------------


def corners(collection):
    """What matplotlib was handed, before it looks at it from the eye."""
    return np.asarray(collection._faces)


def test_the_swept_bodies_are_where_the_figure_is(moved) -> None:
    ax = hk.plot.swept(ROOM, FIGURE, moved, count=5, opacity=0.2)
    bodies = ax.collections[-5:]
    for t, body in zip(np.linspace(0, moved.duration, 5), bodies, strict=True):
        q = moved.sample(t)[0]
        points = corners(body).reshape(-1, 3)
        away = np.full(len(points), np.inf)
        for bone in BONES:  # every corner lies on a capsule or in another
            pose = ARM.fk(q, frame=bone.frame)
            a, b = (pose[:3, :3] @ np.array(p) + pose[:3, 3] for p in (bone.start, bone.end))
            part = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            off = np.linalg.norm(points - a - part[:, None] * (b - a), axis=1) - bone.radius
            away = np.minimum(away, np.abs(off))
        assert away.max() < 1e-12
        ends = [ARM.fk(q, frame=bone.frame)[:3, 3] for bone in BONES]
        spread = np.linalg.norm(points[:, None] - np.array(ends), axis=2).min(axis=0)
        assert spread.max() < 0.03 + 1e-12  # every bone is drawn
    shares = [body.get_facecolor()[0, 3] for body in bodies]
    np.testing.assert_allclose(shares, [0.4, 0.2, 0.2, 0.2, 0.4])
    low, high = ax.get_xlim()
    every = np.concatenate([corners(body).reshape(-1, 3) for body in bodies])
    assert low <= every[:, 0].min() < every[:, 0].max() <= high


def test_whose_body_is_drawn() -> None:
    bones = hk.plot.swept(hk.Scene(), ARM, [[0, 0, 0], [1, 0, 0]], count=2).collections[0]
    assert np.abs(corners(bones)[..., 2]).max() < 0.03  # thin: it has no shapes
    anna = hk.human(sex="female", position="standing")
    body = hk.plot.swept(hk.Scene(), anna, [anna.rest, anna.rest], count=2).collections[-1]
    points = corners(body).reshape(-1, 3)
    assert np.ptp(points[:, 2]) == pytest.approx(anna.dimensions["stature"], abs=0.05)
    with pytest.raises(hk.ArgumentError, match="too much to draw"):
        hk.plot.swept(hk.Scene(), anna, [anna.rest, anna.rest], count=5000)
    with pytest.raises(hk.ArgumentError, match="opacity must be above 0"):
        hk.plot.swept(ROOM, FIGURE, [[0, 0, 0]], opacity=0)
    assert len(hk.plot.swept(hk.Scene(), ARM, [[0, 0, 0]], opacity=1.0).collections) == 12


# -- trees --------------------------------------------------------------------------------------


def test_trees_are_ways_of_the_hand(found) -> None:
    ax = hk.plot.tree(found, ROOM)
    grown = [c for c in ax.collections if str(c.get_label()).startswith("tree of")]
    assert [c.get_label() for c in grown] == ["tree of the start", "tree of the goal"]
    for drawn, tree in zip(grown, found.trees, strict=True):
        ways = np.asarray(drawn._segments3d)
        hangs = tree.parent >= 0
        assert len(ways) == hangs.sum()
        above, below = tree.q[tree.parent[hangs]], tree.q[hangs]
        np.testing.assert_allclose(ways[:, 0], ARM.fk(above)[:, :3, 3], atol=1e-12)
        np.testing.assert_allclose(ways[:, -1], ARM.fk(below)[:, :3, 3], atol=1e-12)
        middle = ARM.integrate(above, 0.5 * ARM.difference(above, below))
        half = ways.shape[1] // 2
        np.testing.assert_allclose(ways[:, half], ARM.fk(middle)[:, :3, 3], atol=1e-12)
    line = np.array(named(ax)["path"].get_data_3d()).T
    np.testing.assert_allclose(line[[0, -1]], ARM.fk(found.q[[0, -1]])[:, :3, 3], atol=1e-12)
    assert named(ax)["start"].get_data_3d()[0][0] == pytest.approx(line[0, 0])


def test_another_frame_and_no_trees(found) -> None:
    ax = hk.plot.tree(found, frame="link_2")
    line = np.array(named(ax)["path"].get_data_3d()).T
    place = ARM.fk(found.q[0], frame="link_2")[:3, 3]
    np.testing.assert_allclose(line[0], place, atol=1e-12)
    with pytest.raises(hk.ArgumentError, match="trees=True"):
        hk.plot.tree(hk.plan.path(None, FIGURE, [0, 0, 0], [1, 0, 0]))
    split = hk.Scene().add("right", hk.scene.Box([2, 0.02, 2]), [1.2, 0, 0])
    split = split.add("left", hk.scene.Box([2, 0.02, 2]), [-1.2, 0, 0])
    down = np.array([-1.5, 0.0, 0.0])
    failed = hk.plan.path(split, FIGURE, -down, down, trees=True, paths=1)
    assert "as far as it came" in named(hk.plot.tree(failed))


# -- films --------------------------------------------------------------------------------------


def test_a_motion_is_played_in_its_own_time(tmp_path) -> None:
    wave = hk.Motion([[0, 0, 0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]], [2.0, 2.5, 3.05], ARM)
    film = hk.plot.animate(wave, tmp_path / "wave.gif", fps=10, dpi=30)
    with Image.open(tmp_path / "wave.gif") as made:
        assert made.n_frames == 12  # 0, 0.1 .. 1.0, 1.05 s
        assert made.info["duration"] == 100
    ax = film._fig.axes[0]
    assert ax.name != "3d"  # a flat arm
    for k, t in ((0, 2.0), (5, 2.5), (11, 3.05)):
        film._func(k)
        assert film._fig._suptitle.get_text() == f"{t - 2:.2f} s of 1.05 s"
        tips = [np.array(line.get_data())[:, -1] for line in ax.lines[1:]]
        tip = ARM.fk(wave.at(t))[:2, 3]
        assert np.abs(np.array(tips) - tip).sum(axis=1).min() < 1e-9


def test_a_long_motion_has_fewer_pictures_a_second(tmp_path) -> None:
    slow = hk.Motion([[0, 0, 0], [1.0, 0.5, 0.0]], [0.0, 60.0], ARM)
    film = hk.plot.animate(slow, tmp_path / "slow.gif", most=4, dpi=30)
    assert film.event_source.interval == pytest.approx(20_000)
    film._func(1)
    assert film._fig._suptitle.get_text() == "20.00 s of 60.00 s"
    still = hk.plot.animate(hk.Motion([[0, 0, 0]], [5.0], ARM), tmp_path / "still.gif", dpi=30)
    assert still._fig._suptitle.get_text() == "0.00 s of 0.00 s"


def test_a_trajectory_in_a_scene_shows_body_and_clearance(moved, tmp_path) -> None:
    film = hk.plot.animate(
        moved, tmp_path / "m.gif", fps=2, dpi=30, scene=ROOM, figure=FIGURE, view=(60, -60)
    )
    space, panel = film._fig.axes
    assert space.name == "3d"
    assert (space.elev, space.azim) == (60, -60)
    body = next(c for c in space.collections if c.get_label() == "body")
    k = 2
    film._func(k)
    assert panel.lines[-1].get_xdata()[0] == pytest.approx(k / 2)
    q = moved.sample(k / 2)[0]
    points = corners(body).reshape(-1, 3)
    one = hk.plot.swept(hk.Scene(), FIGURE, [q, q], count=2).collections[0]
    np.testing.assert_allclose(points, corners(one).reshape(-1, 3), atol=1e-12)
    plain = hk.plot.animate(moved, tmp_path / "p.gif", fps=1, most=2, dpi=30, scene=ROOM)
    assert len(plain._fig.axes) == 1


def test_what_is_no_film_is_said(found) -> None:
    with pytest.raises(TypeError, match="without times"):
        hk.plot.animate(found)
    solve = ARM.solve(position=[0.5, 0.3, 0], solver="ccd", trace=True)
    with pytest.raises(hk.ArgumentError, match="go with a Motion"):
        hk.plot.animate(solve, scene=ROOM)
    with pytest.raises(hk.ArgumentError, match="no frames"):
        hk.plot.animate(hk.Motion(np.zeros((0, 3)), [], ARM))
