"""Distances of capsules to shapes: against coal, in families where nearest points are not one pair."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
import pytest
from _solids import outside

import handik as hk
from handik import _core
from handik.scene.check import as_figure
from handik.scene.check._world import convex_pieces

BODY = hk.Model(
    hk.ModelSpec(
        "body",
        [hk.LinkSpec("world"), hk.LinkSpec("body")],
        [hk.JointSpec("free", "free", "world", "body")],
    )
)
SIX = [(np.cos(a), 0.5 * np.sin(a)) for a in np.arange(6) * np.pi / 3]
THREE = [(0.0, 0.0), (1.0, 0.1), (0.2, 0.7)]
SHAPES: dict[str, Any] = {
    "sphere": hk.scene.Sphere(0.3),
    "capsule": hk.scene.Capsule(0.8, 0.1),
    "box": hk.scene.Box([0.4, 0.6, 0.8]),
    "flat box": hk.scene.Box([0.8, 0.8, 1e-3]),
    "bar": hk.scene.Box([0.02, 0.02, 1.5]),
    "plane": hk.scene.Plane(),
    "prism of six": hk.scene.Prism(SIX, 0.5),
    "prism of three": hk.scene.Prism(THREE, 0.02),
}
LENGTHS = {"ball": (0.0, 0.1), "part": (0.5, 0.07), "wire": (1.5, 1e-3)}
POSES = ("anyhow", "square", "deep", "nearly square")
FAMILIES = [(s, c, p) for p in POSES for s in SHAPES for c in LENGTHS]  # 96
JUDGED = [f for f in FAMILIES if f[2] != "nearly square"]
#: Within 1e-4 rad of square coal is off by 1e-7 (and finds no way out of a flat box), so a search
#: in longer floats judges there.
SEARCHED = [f for f in FAMILIES if f[2] == "nearly square"]


def turns(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """Return quaternions: any, by right angles, or by right angles and a little."""
    any_way = rng.normal(size=(n, 4))
    if kind in ("anyhow", "deep"):
        return any_way / np.linalg.norm(any_way, axis=1)[:, None]
    half = np.sqrt(0.5)
    right = np.array(
        [[1, 0, 0, 0], [half, half, 0, 0], [half, 0, half, 0], [half, 0, 0, -half], [0, 1, 0, 0]]
    )
    q = right[rng.integers(len(right), size=n)]
    if kind == "nearly square":
        q = q + any_way * 10.0 ** rng.uniform(-10, -4, (n, 1))
    return q / np.linalg.norm(q, axis=1)[:, None]


def postures(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """Return postures of the free body; square ones stand on a lattice that faces and edges are on."""
    if kind == "anyhow":
        place = rng.uniform(-1, 1, (n, 3))
    elif kind == "deep":
        place = rng.uniform(-0.1, 0.1, (n, 3))
    else:
        place = rng.choice([-0.8, -0.4, -0.3, -0.2, 0.0, 0.2, 0.3, 0.4, 0.5, 0.75], (n, 3))
    return np.concatenate([place, turns(rng, n, kind)], axis=1)


def part(length: float, radius: float) -> hk.Figure:
    ends = (0.0, 0.0, -length / 2), (0.0, 0.0, length / 2)
    return hk.Figure(BODY, [hk.Capsule("body", *ends, radius)])


def theirs(coal: Any, shape: Any) -> tuple[Any, np.ndarray]:
    """Return coal's shape, and where it stands in the frame of ours."""
    still = np.zeros(3)
    if isinstance(shape, hk.scene.Sphere):
        return coal.Sphere(shape.radius), still
    if isinstance(shape, hk.scene.Capsule):
        return coal.Capsule(shape.radius, shape.length), still
    if isinstance(shape, hk.scene.Box):
        return coal.Box(*shape.size), still
    if isinstance(shape, hk.scene.Plane):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), still
    points = coal.StdVec_Vec3s()
    for z in (0.0, shape.height):
        for x, y in shape.polygon:
            points.append(np.array([x, y, z]))
    return coal.Convex.convexHull(points, True, "Qt"), still


def judged(coal: Any, shape: Any, length: float, radius: float, q: np.ndarray) -> np.ndarray:
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-15
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    other, place = theirs(coal, shape)
    own = coal.Capsule(radius, length) if length else coal.Sphere(radius)
    poses = BODY.frames(q)[:, BODY.frame_names.index("body")]
    stand = coal.Transform3s(np.eye(3), place)
    return np.array(
        [
            coal.distance(
                own,
                coal.Transform3s(T[:3, :3], T[:3, 3]),
                other,
                stand,
                request,
                coal.DistanceResult(),
            )
            for T in poses
        ]
    )


def worst(shape: str, length: str, kind: str, n: int) -> float:
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng([FAMILIES.index((shape, length, kind)), n])
    q = postures(rng, n, kind)
    scene = hk.Scene().add("it", SHAPES[shape])
    figure = part(*LENGTHS[length])
    ours = scene.distance(figure, q)
    assert ((ours > 0) == scene.free(figure, q)).all()
    found = judged(coal, SHAPES[shape], *LENGTHS[length], q)
    given_up = (found == 0.0) & (
        abs(ours) > 1e-11
    )  # 3 of 36,000 of the prism: there the search judges
    truth = searched(SHAPES[shape], *LENGTHS[length], q[given_up])
    found[given_up] = truth
    assert given_up.sum() <= 2
    return float(np.abs(ours - found).max())


@pytest.mark.parametrize(("shape", "length", "kind"), JUDGED)
def test_as_coal_says(shape: str, length: str, kind: str) -> None:
    """20,000 pairs in 72 families, depth included."""
    assert worst(shape, length, kind, 280) < 1e-11


def searched(shape: Any, length: float, radius: float, q: np.ndarray) -> Any:
    """Return the least distance along the axis: it is convex there, so thirds close in on it."""
    T = BODY.frames(q)[:, BODY.frame_names.index("body")].astype(np.longdouble)
    low, high = (
        -np.full(len(q), length, np.longdouble) / 2,
        np.full(len(q), length, np.longdouble) / 2,
    )

    def far(s: Any) -> Any:
        return outside(shape, T[:, :3, 3] + s[:, None] * T[:, :3, 2])

    for _ in range(160):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = far(a) <= far(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    ends = np.full(len(q), length, np.longdouble) / 2
    return np.minimum(np.minimum(far(low), far(high)), np.minimum(far(-ends), far(ends))) - radius


@pytest.mark.parametrize(("shape", "length", "kind"), SEARCHED)
def test_as_a_search_says(shape: str, length: str, kind: str) -> None:
    """Nearly parallel to faces, edges and axes, by 1e-10 to 1e-4 rad."""
    rng = np.random.default_rng(FAMILIES.index((shape, length, kind)))
    q = postures(rng, 200, kind)
    ours = hk.Scene().add("it", SHAPES[shape]).distance(part(*LENGTHS[length]), q)
    truth = searched(SHAPES[shape], *LENGTHS[length], q)
    solid = "box" in shape or "bar" in shape or "prism" in shape
    apart = truth > -LENGTHS[length][1] + 1e-9 if solid else np.ones(len(q), bool)
    assert apart.any()
    assert np.abs(ours - truth)[apart].max() < 1e-11
    assert (ours[~apart] < -LENGTHS[length][1] + 1e-8).all()


def checked(near: Any, q: np.ndarray, radius: float, length: float) -> None:
    """The points lie on the capsule and as far apart as said, along the normal."""
    T = BODY.frames(q)[:, BODY.frame_names.index("body")]
    off = near.points[:, 0] - near.points[:, 1]
    np.testing.assert_allclose((off * near.normal).sum(-1), near.distance, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(off, axis=-1), abs(near.distance), atol=1e-12)
    own = np.einsum("nji,nj->ni", T[:, :3, :3], near.points[:, 0] - T[:, :3, 3])
    own[:, 2] -= np.clip(own[:, 2], -length / 2, length / 2)
    assert (np.linalg.norm(own, axis=1) < radius + 1e-11).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_normal_is_the_derivative(shape: str) -> None:
    """Moved by a step along the normal, the distance grows by as much, in contact or not."""
    rng = np.random.default_rng(5)
    scene, figure = hk.Scene().add("it", SHAPES[shape]), part(0.5, 0.07)
    q = postures(rng, 300, "anyhow")
    near = scene.distance(figure, q, details=True)
    checked(near, q, 0.07, 0.5)
    assert (near.other == "it").all()
    assert not near.itself.any()
    moved = q.copy()
    moved[:, :3] += 1e-6 * near.normal
    grown = (scene.distance(figure, moved) - near.distance) / 1e-6
    assert np.median(abs(grown - 1)) < 1e-6
    assert (abs(grown - 1) < 1e-4).mean() > 0.98  # but where another face is the nearest next


@pytest.mark.parametrize("seed", range(4))
def test_pieces_of_a_polygon(seed: int) -> None:
    """They are convex, fill the polygon, and a point is in it if it is in one of them."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 12 + seed))
    away = rng.uniform(0.3, 1, len(angles))
    star = [(r * np.cos(a), r * np.sin(a)) for r, a in zip(away, angles, strict=True)]
    pieces = convex_pieces(star)

    def area(p: Any) -> float:
        x, y = np.array(p).T
        return float(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())

    assert len(pieces) > 1
    assert sum(area(p) for p in pieces) == pytest.approx(area(star), abs=1e-12)
    for piece in pieces:
        p = np.array(piece)
        u = np.roll(p, -1, 0) - p
        v = np.roll(u, -1, 0)
        assert (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] >= 0).all()


def test_a_concave_prism_is_hollow() -> None:
    """A ball in the corner of an L touches neither arm."""
    room = hk.Scene().add(
        "L", hk.scene.Prism([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], 1.0)
    )
    q = np.array(
        [[1.5, 1.5, 0.5, 1, 0, 0, 0], [0.5, 0.5, 0.5, 1, 0, 0, 0], [1.5, 1.5, 1.7, 1, 0, 0, 0]]
    )
    found = room.distance(part(0.0, 0.1), q)
    np.testing.assert_allclose(found[[0, 2]], [0.4, np.hypot(0.5, 0.7) - 0.1], atol=1e-12)
    assert found[1] <= -0.1  # it sits on the seam of two pieces, whose depth is 0 there


def test_a_cylinder_is_held_by_its_prism() -> None:
    scene = hk.Scene().add("can", hk.scene.Cylinder(0.5, 0.2))
    a = np.linspace(0, 2 * np.pi, 200)
    q = np.stack([np.cos(a), np.sin(a), 0 * a, 0 * a + 1, 0 * a, 0 * a, 0 * a], axis=1)
    found = scene.distance(part(0.0, 0.1), q)
    assert (found <= 0.7 + 1e-12).all()
    assert (found > 0.7 - 0.2 * 0.005).all()
    above = scene.distance(part(0.0, 0.1), [0.05, 0, 1, 1, 0, 0, 0])
    assert above == pytest.approx(0.65)


@pytest.fixture
def sets() -> Iterator[list[str]]:
    yield [name for name in ("base", "avx2", "avx512") if _core.simd_select(name)]
    _core.simd_select("auto")


def cluttered() -> tuple[hk.Scene, hk.Figure]:
    rng = np.random.default_rng(3)
    scene = hk.Scene().add("floor", hk.scene.Plane(), [0, 0, -0.3])
    for k, shape in enumerate(3 * list(SHAPES.values())):
        if not isinstance(shape, hk.scene.Plane):
            scene = scene.add(f"thing {k}", shape.scaled(0.3), [*rng.uniform(-1, 1, 3)])
    arm = hk.data("ur5")
    links = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.02, 0.01 * k, 0.1), 0.05) for k in range(1, 7)]
    return scene, hk.Figure(arm, links)


def test_widths_threads_and_batches_have_the_same_bytes(sets: list[str]) -> None:
    scene, figure = cluttered()
    q = figure.model.sample(500, seed=1)
    seen = set()
    for name in sets:
        _core.simd_select(name)
        for threads in (1, 3):
            near = scene.distance(figure, q, 0.2, details=True, threads=threads)
            edge = scene.proves(figure, q[:60], q[60:120], threads=threads)
            free = scene.free(figure, q, threads=threads)
            seen.add(
                near.distance.tobytes()
                + near.points.tobytes()
                + near.normal.tobytes()
                + free.tobytes()
                + edge.at.tobytes()
                + edge.groups.tobytes()
            )
            assert (free == (near.distance > 0)).all()
    assert len(seen) == 1
    alone = np.array([scene.distance(figure, row, 0.2) for row in q[:40]])
    assert alone.tobytes() == scene.distance(figure, q[:40], 0.2).tobytes()


def test_answers_of_free_go_where_they_are_wanted() -> None:
    scene, figure = hk.Scene().add("wall", hk.scene.Box([0.2, 2, 2]), [0.5, 0, 0.4]), cluttered()[1]
    q = figure.model.sample(40, seed=3).reshape(8, 5, -1)
    want = scene.free(figure, q)
    assert 0 < want.sum() < want.size
    out = ~want
    assert scene.free(figure, q, out=out, threads=2) is out
    assert out.tobytes() == want.tobytes()
    assert scene.free(figure, q, out=None).tobytes() == want.tobytes()
    alone = np.array(True)
    assert scene.free(figure, q[0, 0], out=alone) is alone
    for bad, error, said in (
        (np.zeros((8, 5)), hk.ArgumentError, "C-contiguous bool array"),
        (np.zeros((5, 8), bool), hk.ArgumentError, r"shape \(8, 5\), got \(5, 8\)"),
        (np.zeros((5, 8), bool).T, hk.ArgumentError, "C-contiguous"),
        ([[True] * 5] * 8, TypeError, "ndarray"),
    ):
        with pytest.raises(error, match=said):
            scene.free(figure, q, out=bad)  # type: ignore[arg-type]


def test_cutoff_out_and_names() -> None:
    scene, figure = cluttered()
    q = figure.model.sample(64, seed=2)
    whole = scene.distance(figure, q)
    np.testing.assert_array_equal(scene.distance(figure, q, 0.05), np.minimum(whole, 0.05))
    out = np.empty(64)
    assert scene.distance(figure, q, out=out) is out
    np.testing.assert_array_equal(out, whole)
    near = scene.distance(figure, q, 0.02, details=True)
    far = near.distance == 0.02
    assert far.any()
    assert all(name is None for name in near.part[far])
    assert np.isnan(near.points[far]).all()
    assert set(near.part[~far]) <= set(figure.names)
    mine = near.itself & ~far
    assert set(near.other[mine]) <= set(figure.names)
    assert set(near.other[~mine & ~far]) <= {o.name for o in scene.obstacles()}


def test_pairs_are_kept_left_out_and_edited() -> None:
    arm = hk.chain([0.4] * 4)
    names = arm.frame_names
    links = [n for n in names if n.startswith("link")][:4]
    bones = [hk.Capsule(n, (0.05, 0, 0), (0.35, 0, 0), 0.04) for n in links]
    figure = hk.Figure(arm, [*bones, hk.Capsule(links[1], (0, 0, 0), (0, 0, 0), 0.02)])
    reasons = {one.pair: one.reason for one in figure.left_out}
    assert reasons[(1, 4)] == "on one body"
    assert (0, 3) in figure.pairs
    assert (0, 2) in figure.pairs
    every = {(a, b) for b in range(5) for a in range(b)}
    assert set(figure.pairs) | set(reasons) == every
    assert not set(figure.pairs) & set(reasons)
    only = hk.Figure(arm, bones, [(3, 1)])
    assert only.pairs == ((1, 3),)
    assert len(only.left_out) == 5
    folded = [0.0, np.pi, 0.0, 0.0]
    assert not hk.Scene().free(figure, folded)
    assert not hk.Scene().free(hk.Figure(arm, bones, [(0, 1)]), folded)
    assert hk.Scene().free(hk.Figure(arm, bones, []), folded)


def test_reach_leaves_out_only_what_is_proved() -> None:
    """A long link between two short ones keeps them apart whatever the joints do."""
    arm = hk.chain([0.1, 1.0, 0.1])
    links = [n for n in arm.frame_names if n.startswith("link")]
    short = [hk.Capsule(n, (0, 0, 0), (0.1, 0, 0), 0.02) for n in (links[1], links[3])]
    (one,) = hk.Figure(arm, short).left_out
    assert one.reason.endswith("proved")
    thick = [hk.Capsule(c.frame, c.start, c.end, 0.41) for c in short]
    (one,) = hk.Figure(arm, thick, draws=20000).left_out or [None]
    assert one is None or not one.reason.endswith(": proved")


def test_a_person_is_held_by_its_capsules() -> None:
    anna = hk.human(sex="female", stature=1.62, position="standing")
    figure = as_figure(anna)
    assert as_figure(anna) is figure
    assert as_figure(figure) is figure
    rng = np.random.default_rng(1)
    for part_ in [one for one in anna.capsules if not one.link.startswith("foot")][::4]:
        own = [
            c for c, name in zip(figure.capsules, figure.names, strict=True) if name == part_.name
        ]
        for t in rng.uniform(0, 1, 20):
            way = rng.normal(size=3)
            r = part_.radii[0] + t * (part_.radii[1] - part_.radii[0])
            x = part_.start + t * (part_.end - part_.start) + r * way / np.linalg.norm(way)
            gaps = []
            for c in own:
                a, u = np.array(c.start), np.array(c.end) - np.array(c.start)
                s = np.clip((x - a) @ u / max(u @ u, 1e-30), 0, 1)
                gaps.append(np.linalg.norm(x - a - s * u) - c.radius)
            assert min(gaps) < 1e-9


@pytest.mark.parametrize(
    "who",
    [{"sex": "female", "stature": 1.62}, {"sex": "male", "weight": 105.0, "position": "standing"}],
    ids=["seated", "standing"],
)
def test_a_person_at_rest_touches_neither_floor_nor_themselves(who: dict[str, Any]) -> None:
    """Arms that lie against the trunk are no collision, nor are soles on the floor."""
    person = hk.human(**who)
    figure = as_figure(person)
    floor = hk.Scene().add("floor", hk.scene.Plane())
    assert floor.free(figure, person.rest)
    lowest = floor.distance(hk.Figure(person.model, figure.capsules, []), person.rest)
    assert lowest == pytest.approx(0.001, abs=1e-9)
    raised = floor.with_pose("floor", [0, 0, 0.0011])
    assert not raised.free(figure, person.rest)


def test_the_posture_at_rest_can_be_given() -> None:
    """Pairs in contact there are left out, and only there."""
    arm = hk.chain([0.3, 0.3, 0.3])
    bones = [hk.Capsule(f"link_{k}", (0.1, 0, 0), (0.3, 0, 0), 0.05) for k in (1, 3)]
    folded = [0.0, 3.0, 3.0]
    assert hk.Figure(arm, bones).pairs == ((0, 1),)
    assert hk.Figure(arm, bones, rest=folded).pairs == ()
    for bad, said in (([0.0, 1.0], "rest"), ([[0.0] * 3], "one posture"), ([0, np.nan, 0], "rest")):
        with pytest.raises(hk.ArgumentError, match=said):
            hk.Figure(arm, bones, rest=bad)


def test_what_cannot_be_measured_is_said() -> None:
    figure, rest = part(0.1, 0.1), BODY.rest
    with pytest.raises(hk.ArgumentError, match="no collision shapes"):
        hk.Scene().free(hk.data("ur5"), hk.data("ur5").rest)
    with pytest.raises(TypeError, match="Figure, Model or Human"):
        hk.Scene().free("arm", rest)  # type: ignore[arg-type]
    with pytest.raises(hk.ArgumentError, match="cutoff"):
        hk.Scene().distance(figure, rest, -1.0)
    with pytest.raises(hk.ArgumentError, match="tolerance"):
        hk.Scene().proves(figure, rest, rest, tolerance=2.0)
    with pytest.raises(hk.ArgumentError, match="two capsules"):
        hk.Figure(BODY, [hk.Capsule("body", (0, 0, 0), (0, 0, 1), 0.1)] * 2, [(1, 1)])


def test_a_mesh_is_measured_by_a_certain_bound() -> None:
    """A cube of triangles: never farther than it is, and at most by some cells nearer."""
    corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.2
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    mesh = hk.scene.Mesh(vertices=corner, faces=faces)
    q = postures(np.random.default_rng(1), 300, "anyhow")
    figure = part(0.3, 0.05)
    true = hk.Scene().add("cube", hk.scene.Box([0.4, 0.4, 0.4])).distance(figure, q)
    found = hk.Scene().add("cube", mesh).distance(figure, q)
    apart = true > 0.0
    assert apart.sum() > 50
    assert (found[apart] <= true[apart] + 1e-9).all()
    assert (found[apart] > true[apart] - 0.02).all()
    deep = true < -0.1
    assert not hk.Scene().add("cube", mesh).free(figure, q[deep]).any()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("shape", ["box", "capsule", "bar", "prism of six"])
def test_many_as_coal_says(shape: str) -> None:
    for length in LENGTHS:
        for kind in POSES[:3]:
            assert worst(shape, length, kind, 4000) < 1e-11


def test_a_straight_corner_does_not_cut_a_prism() -> None:
    """A corner that rounding puts a little inside its edge leaves the polygon convex: the depth is whole."""
    a, b = np.array([0.3, -1.1]), np.array([0.9, 0.7])
    share = np.linspace(0, 1, 8)[1:-1, None]
    points = [a, *(a + share * (b - a)), b, np.array([-1.0, 0.2])]
    assert len(convex_pieces([tuple(p) for p in points])) == 1
    three = hk.Scene().add("it", hk.scene.Prism([a, b, points[-1]], 0.8))
    many = hk.Scene().add("it", hk.scene.Prism(points, 0.8))
    q = postures(np.random.default_rng(2), 200, "anyhow")
    figure = part(0.5, 0.07)
    found = many.distance(figure, q)
    assert (found < -0.2).any()
    np.testing.assert_allclose(found, three.distance(figure, q), atol=1e-13)


def test_a_dent_is_no_straight_corner() -> None:
    assert len(convex_pieces([(0, 0), (1, 1e-6), (2, 0), (1, 1)])) == 2
    assert len(convex_pieces([(0, 0), (1, 1e-13), (2, 0), (1, 1)])) == 1


def test_a_comb_is_cut_in_time() -> None:
    """2,000 corners took 108 s when each ear was sought from the start."""
    comb = [(k + x, y) for k in range(500) for x, y in ((0, 0), (0.5, 0), (0.5, 1), (1, 1))]
    start = process_time()
    pieces = convex_pieces([*comb, (500, 2), (0, 2)])
    assert process_time() - start < 10
    assert 500 <= len(pieces) <= 510


def test_a_pose_off_by_rounding_is_a_rotation() -> None:
    """One off by 1e-6 is taken; what is far stays as far in the shape's frame as in the world."""
    pose = np.eye(4)
    pose[0, 1] = 9e-7
    scene = hk.Scene().add("it", hk.scene.Box([0, 0, 0]), pose)
    found = scene.distance(part(0.0, 0.1), [1000.0, 1000.0, 0, 1, 0, 0, 0])
    assert found == pytest.approx(np.hypot(1000.0, 1000.0) - 0.1, abs=1e-10)


def test_what_is_beyond_all_range_is_neither_free_nor_far() -> None:
    scene = hk.Scene().add("it", hk.scene.Sphere(0.3))
    q = np.tile([0.0, 0, 1, 1, 0, 0, 0], (4, 1))
    q[1, 0], q[2, 2] = 1e13, -1e300
    assert scene.free(part(0.0, 0.1), q).tolist() == [True, False, False, True]
    for cutoff in (None, 0.2):
        found = scene.distance(part(0.0, 0.1), q, cutoff)
        assert np.isnan(found).tolist() == [False, True, True, False]
    near = scene.distance(part(0.0, 0.1), q, details=True)
    assert [name for name in near.other] == ["it", None, None, "it"]
    assert np.isnan(near.points[1:3]).all()
    assert scene.proves(part(0.0, 0.1), q[0], q[1]).outcome == "undecided"


def test_a_small_mesh_has_small_cells() -> None:
    """A cube of 2 cm is not enlarged by centimeters."""
    corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.01
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    scene = hk.Scene().add("cube", hk.scene.Mesh(vertices=corner, faces=faces))
    found = scene.distance(part(0.0, 0.001), [0.02, 0, 0, 1, 0, 0, 0])
    assert 0.007 < found <= 0.009


@pytest.mark.parametrize("off", [0.0, 9e5])
def test_filters_leave_out_nothing_that_counts(off: float) -> None:
    """Against a scene an obstacle; near the limit of places, where a float tells 6 cm apart."""
    rng = np.random.default_rng(7)
    center = np.array([off, -off, 0.7 * off])
    names = [name for name in SHAPES if name != "plane"]
    things = []
    for k in range(150):
        pose = np.eye(4)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        pose[:3, :3] = turn * np.linalg.det(turn)
        pose[:3, 3] = 2 * rng.normal(size=3) + center
        things.append((hk.scene.Sphere(0.1) if off else SHAPES[names[k % 7]].scaled(0.4), pose))
    ends = rng.normal(size=(6, 2, 3))
    if off:
        ends[:, 1] = ends[:, 0]  # balls: their bound is their distance
    parts = [hk.Capsule("body", tuple(a), tuple(b), 0.02 * k) for k, (a, b) in enumerate(ends)]
    figure = hk.Figure(BODY, parts)
    q = np.concatenate([2 * rng.normal(size=(200, 3)) + center, turns(rng, 200, "anyhow")], axis=1)
    scene = hk.Scene()
    least, free = np.full(200, np.inf), np.ones(200, bool)
    for k, (shape, pose) in enumerate(things):
        scene = scene.add(f"thing {k}", shape, pose)
        alone = hk.Scene().add("it", shape, pose)
        least = np.minimum(least, alone.distance(figure, q))
        free &= alone.free(figure, q)
    assert 20 < free.sum() < 199
    assert scene.distance(figure, q).tobytes() == least.tobytes()
    assert (scene.free(figure, q) == free).all()
    one = np.array([scene.distance(figure, row) for row in q[:40]])
    assert one.tobytes() == least[:40].tobytes()


def test_pairs_that_never_touch_at_random_seldom_do() -> None:
    """The capsules of a person without what flesh gives: 3,160 pairs."""
    person = as_figure(hk.human(sex="male", stature=1.81))
    figure = hk.Figure(person.model, person.capsules, draws=200_000)
    assert len(figure.pairs) > 1400
    every = [one.pair for one in figure.left_out if one.reason.startswith("never")]
    assert len(every) > 300
    hit = ~hk.Scene().free(
        hk.Figure(figure.model, figure.capsules, every), figure.model.sample(2000)
    )
    assert hit.mean() < 0.01
