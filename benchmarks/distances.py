"""Distances of figures among 200 primitives and to themselves, on one core, beside coal and MuJoCo.

Figures: a plain person (21 hinges, 20 capsules), a whole person (`hk.human`, balls and joints that
follow, 80 capsules), a UR5 with a capsule a link. Postures are free ones, which are the dearest: all
pairs have to be told apart. Microseconds of the processor a posture, least of several rounds: placing alone (the frames of
the capsules), free or not at random and along edges (16 a short edge), the least distance (cutoff 0.1 m
and none); then edges: proved, and sampled at steps in which nothing moves more than 1 cm by the same
bound. coal: its tree manager in C++, called once a posture
from Python, without the pairs of the figure; with ``--loop PROGRAM`` (see coal_pairs.cpp) its signed
distance of a pair in a loop in C++, beside ours of many obstacles in one place (a pair that a bound leaves
out counts; then the same obstacle over and over, of which none can be left out). Grids of meshes. MuJoCo: mj_collision of the same primitives. ``--figures`` names some.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import handik as hk
from handik import _core
from handik.scene.check import as_figure, compiled
from handik.spec import JointSpec, LinkSpec, ModelSpec

Array = np.ndarray
PRIMITIVES = 200


def least(work: Callable[[], object], rounds: int = 7) -> float:
    """Return the least seconds of a call."""
    best = np.inf
    for _ in range(rounds):
        begin = time.thread_time()
        work()
        best = min(best, time.thread_time() - begin)
    return best


# ---- what is measured ----


def plain_person() -> hk.Figure:
    """Return 21 hinges and 20 capsules."""
    axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    links, joints = [LinkSpec("pelvis")], []

    def hinges(names: str, above: str, below: str, at: tuple[float, float, float]) -> None:
        for k, axis in enumerate(names):
            child = below if k == len(names) - 1 else f"{below}_{axis}"
            place = np.eye(4)
            place[:3, 3] = at if k == 0 else (0.0, 0.0, 0.0)
            links.append(LinkSpec(child))
            joints.append(
                JointSpec(
                    f"{child}_{axis}",
                    "revolute",
                    above,
                    child,
                    place,
                    axes[axis],
                    lower=-1.2,
                    upper=1.2,
                )
            )
            above = child

    hinges("xyz", "pelvis", "waist", (0, 0, 0.1))
    hinges("y", "waist", "chest", (0, 0, 0.2))
    hinges("xyz", "chest", "head", (0, 0, 0.3))
    for side, y in (("left", 1), ("right", -1)):
        hinges("xyz", "chest", f"upper_{side}", (0, 0.2 * y, 0.22))
        hinges("y", f"upper_{side}", f"fore_{side}", (0, 0, -0.28))
        hinges("z", f"fore_{side}", f"wrist_{side}", (0, 0, -0.12))
        hinges("xy", f"wrist_{side}", f"hand_{side}", (0, 0, -0.13))
    model = hk.Model(ModelSpec("plain person", links, joints))

    def bone(link: str, start: Any, end: Any, radius: float) -> hk.Capsule:
        return hk.Capsule(link, start, end, radius)

    parts = [
        bone("pelvis", (0, -0.08, 0), (0, 0.08, 0), 0.12),
        bone("waist", (0, -0.05, 0.08), (0, 0.05, 0.08), 0.12),
        bone("chest", (0, -0.06, 0.1), (0, 0.06, 0.1), 0.13),
        bone("chest", (0, -0.12, 0.22), (0, 0.12, 0.22), 0.06),
        bone("head", (0, 0, -0.05), (0, 0, 0.02), 0.055),
        bone("head", (0.02, 0, 0.12), (0.02, 0, 0.16), 0.1),
    ]
    for side, y in (("left", 1), ("right", -1)):
        parts += [
            bone(f"upper_{side}", (0, 0, -0.03), (0, 0, -0.25), 0.045),
            bone(f"fore_{side}", (0, 0, 0), (0, 0, -0.12), 0.04),
            bone(f"wrist_{side}", (0, 0, 0), (0, 0, -0.11), 0.035),
            bone(f"hand_{side}", (0, 0, -0.04), (0, 0, -0.15), 0.035),
            bone("pelvis", (0, 0.1 * y, -0.05), (0, 0.1 * y, -0.45), 0.075),
            bone("pelvis", (0, 0.1 * y, -0.5), (0, 0.1 * y, -0.85), 0.05),
            bone("pelvis", (-0.03, 0.1 * y, -0.9), (0.15, 0.1 * y, -0.9), 0.04),
        ]
    return hk.Figure(model, parts)


def whole_person() -> hk.Figure:
    """Return a woman of 1.62 m as she is made."""
    return as_figure(hk.human(sex="female", stature=1.62))


def arm() -> hk.Figure:
    """Return a UR5 with a capsule from joint to joint."""
    model = hk.data("ur5")
    frames, out = model.frames(model.rest), []
    for k in range(1, 6):
        a, b = (model.frame_names.index(f"link_{j}") for j in (k, k + 1))
        end = np.linalg.solve(frames[a], frames[b][:, 3])[:3]
        out.append(hk.Capsule(f"link_{k}", (0, 0, 0), tuple(map(float, end)), 0.045))
    return hk.Figure(model, out)


FIGURES = {"plain": plain_person, "whole": whole_person, "arm": arm}


def clutter(figure: hk.Figure, seed: int) -> hk.Scene:
    """Return 200 balls, capsules and boxes about a figure, none in contact with it at rest."""
    rng = np.random.default_rng(seed)
    rest, scene = figure.model.rest, hk.Scene()
    alone = hk.Figure(figure.model, figure.capsules, [])
    frames = figure.model.frames(rest)
    ends = np.array(
        [
            frames[figure.model.frame_names.index(c.frame)][:3] @ [*end, 1.0]
            for c in figure.capsules
            for end in (c.start, c.end)
        ]
    )
    low, high = ends.min(0) - 0.8, ends.max(0) + 0.8
    count = 0
    while count < PRIMITIVES:
        a, b, c = (float(x) for x in rng.uniform(0.02, 0.15, 3))
        pose = np.eye(4)
        if count % 2:
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            pose[:3, :3] = turn * np.linalg.det(turn)
        pose[:3, 3] = rng.uniform(low, high)
        shapes = (
            hk.scene.Box([2 * a, 2 * b, 2 * c]),
            hk.scene.Sphere(a),
            hk.scene.Capsule(2 * b, c / 2),
        )
        more = hk.Scene().add("one", shapes[count % 3], pose)
        if more.distance(alone, rest) > 0.05:
            scene, count = scene.add(f"thing {count}", shapes[count % 3], pose), count + 1
    return scene


def free_postures(scene: hk.Scene, figure: hk.Figure, n: int) -> Array:
    """Return n free postures drawn at random, about rest if the limits give too few."""
    model, out, seed = figure.model, [], 0
    while sum(map(len, out)) < n:
        q = model.sample(100_000, seed=seed)
        if seed >= 2:  # too few: nearer to rest
            q = model.integrate(model.rest, 0.35 * model.difference(model.rest, q))
        out.append(q[scene.free(figure, q)])
        seed += 1
    return np.concatenate(out)[:n]


def edges_of(scene: hk.Scene, figure: hk.Figure, q: Array, share: float) -> tuple[Array, Array]:
    """Return the ends of free edges, each coordinate moved by up to a share of its range."""
    model, rng = figure.model, np.random.default_rng(1)
    span = np.abs(model.difference(model.sample(400, seed=3), model.sample(400, seed=4))).max(0)
    end = model.integrate(q, rng.uniform(-share, share, (len(q), model.nv)) * span)
    free = scene.proves(figure, q, end).outcome == "free"
    return q[free], end[free]


def along(model: hk.Model, a: Array, b: Array) -> Array:
    """Return 16 postures of each edge, in order."""
    t = ((np.arange(16) + 0.5) / 16)[None, :, None]
    way = model.difference(a, b)[:, None]
    start = np.broadcast_to(a[:, None], (len(a), 16, model.nq))
    return np.ascontiguousarray(model.integrate(start, t * way).reshape(-1, model.nq))


# ---- others ----


def of_coal(coal: Any, shape: Any) -> Any:
    """Return coal's shape."""
    if isinstance(shape, hk.scene.Box):
        return coal.Box(*shape.size)
    if isinstance(shape, hk.scene.Sphere):
        return coal.Sphere(shape.radius)
    return coal.Capsule(shape.radius, shape.length)


def capsule_poses(figure: hk.Figure, q: Array) -> tuple[Array, Array]:
    """Return the poses (n, capsules, 4, 4) with z along the axes, and their lengths."""
    frames, model = figure.model.frames(q), figure.model
    poses, lengths = [], []
    for c in figure.capsules:
        way = np.array(c.end) - np.array(c.start)
        length = float(np.linalg.norm(way))
        z = way / length if length else np.array([0.0, 0.0, 1.0])
        x = np.cross(z, np.eye(3)[np.argmin(abs(z))])
        x /= np.linalg.norm(x)
        own = np.eye(4)
        own[:3, :3] = np.stack([x, np.cross(z, x), z], 1)
        own[:3, 3] = (np.array(c.start) + np.array(c.end)) / 2
        poses.append(frames[:, model.frame_names.index(c.frame)] @ own)
        lengths.append(length)
    return np.stack(poses, 1), np.array(lengths)


def manager_times(scene: hk.Scene, figure: hk.Figure, q: Array) -> str:
    """Return coal's times with its tree managers, microseconds a posture."""
    try:
        import coal
    except ImportError:
        return "coal: not installed"
    poses, lengths = capsule_poses(figure, q)
    own = [
        coal.CollisionObject(coal.Capsule(c.radius, n) if n else coal.Sphere(c.radius))
        for c, n in zip(figure.capsules, lengths, strict=True)
    ]
    others = [
        coal.CollisionObject(
            of_coal(coal, o.shape), coal.Transform3s(o.pose[:3, :3], o.pose[:3, 3])
        )
        for o in scene.obstacles()
    ]
    mine, theirs = coal.DynamicAABBTreeCollisionManager(), coal.DynamicAABBTreeCollisionManager()
    for manager, things in ((mine, own), (theirs, others)):
        for thing in things:
            manager.registerObject(thing)
    mine.setup(), theirs.setup()
    total = {"update": 0.0, "free": 0.0, "distance": 0.0}
    for row in poses:
        for thing, T in zip(own, row, strict=True):
            thing.setTransform(coal.Transform3s(T[:3, :3], T[:3, 3]))
            thing.computeAABB()
        for name, work in (
            ("update", lambda: mine.update()),
            ("free", lambda: mine.collide(theirs, coal.CollisionCallBackDefault())),
            ("distance", lambda: mine.distance(theirs, coal.DistanceCallBackDefault())),
        ):
            begin = time.thread_time()
            work()
            total[name] += time.thread_time() - begin
    each = {name: 1e6 * value / len(q) for name, value in total.items()}
    return "coal's manager, no pairs of its own: " + ", ".join(
        f"{name} {value:.2f}" for name, value in each.items()
    )


def pair_times(loop: str, n: int = 4096) -> list[str]:
    """Return nanoseconds a pair, ours and coal's, of a capsule and each kind of primitive."""
    from handik.scene.check import Figure

    body = hk.Model(
        ModelSpec(
            "body", [LinkSpec("world"), LinkSpec("body")], [JointSpec("f", "free", "world", "body")]
        )
    )
    part = Figure(body, [hk.Capsule("body", (0, 0, -0.2), (0, 0, 0.2), 0.05)])
    rng = np.random.default_rng(0)
    q = np.concatenate([rng.uniform(-0.6, 0.6, (n, 3)), rng.normal(size=(n, 4))], 1)
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    shapes = {
        "ball": hk.scene.Sphere(0.1),
        "capsule": hk.scene.Capsule(0.4, 0.05),
        "box": hk.scene.Box([0.2, 0.3, 0.4]),
    }
    lines, many = [], 64
    theirs = {}
    if loop:
        said = subprocess.run([loop], capture_output=True, text=True, check=True).stdout.split()
        theirs = dict(zip(said[::2], map(float, said[1::2]), strict=True))
    for name, shape in shapes.items():
        poses = []
        for _ in range(many):
            pose = np.eye(4)
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            pose[:3, :3], pose[:3, 3] = turn * np.linalg.det(turn), rng.uniform(-0.05, 0.05, 3)
            poses.append(pose)
        rows = [hk.Scene(), hk.Scene(), hk.Scene()]
        for k, pose in enumerate(poses):
            rows[0] = rows[0].add(f"o{k}", shape, pose)
            rows[1] = rows[1].add(f"o{k}", shape, poses[0])
        times = [least(lambda s=s: s.distance(part, q, 10.0), 15) for s in rows]  # type: ignore[misc]
        each, same = (1e9 * (t - times[2]) / n / many for t in times[:2])
        coal = theirs.get(name, 0.0)
        lines.append(
            f"{name}: {each:.2f} ns, the same over and over {same:.2f}"
            + (
                f"; coal {coal:.0f} ns: {coal / each:.0f} and {coal / same:.0f} times"
                if coal
                else ""
            )
        )
    return lines


def mujoco_time(scene: hk.Scene, figure: hk.Figure, q: Array) -> str:
    """Return MuJoCo's time of a collision pass, capsules against primitives, microseconds."""
    try:
        import mujoco
    except ImportError:
        return "MuJoCo: not installed"
    from scipy.spatial.transform import Rotation

    def words(values: Any) -> str:
        return " ".join(f"{float(x):.17g}" for x in values)

    def quat(turn: Array) -> Array:
        x, y, z, w = Rotation.from_matrix(turn).as_quat()
        return np.array([w, x, y, z])

    poses, lengths = capsule_poses(figure, q)
    geoms = []
    for o in scene.obstacles():
        kind, size = {
            hk.scene.Box: lambda s: ("box", np.array(s.size) / 2),
            hk.scene.Sphere: lambda s: ("sphere", [s.radius]),
            hk.scene.Capsule: lambda s: ("capsule", [s.radius, s.length / 2]),
        }[type(o.shape)](o.shape)
        geoms.append(
            f'<geom type="{kind}" size="{words(size)}" pos="{words(o.pose[:3, 3])}" '
            f'quat="{words(quat(o.pose[:3, :3]))}" contype="2" conaffinity="1"/>'
        )
    for c, n in zip(figure.capsules, lengths, strict=True):
        kind = (
            f'type="capsule" size="{c.radius} {n / 2}"' if n else f'type="sphere" size="{c.radius}"'
        )
        geoms.append(f'<body><freejoint/><geom {kind} contype="1" conaffinity="2"/></body>')
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{''.join(geoms)}</worldbody></mujoco>"
    )
    data, total = mujoco.MjData(model), 0.0
    for row in poses:
        data.qpos[:] = np.concatenate([[*T[:3, 3], *quat(T[:3, :3])] for T in row])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        begin = time.thread_time()
        mujoco.mj_collision(model, data)
        total += time.thread_time() - begin
    return f"MuJoCo's collision pass, no pairs of its own: {1e6 * total / len(q):.2f}"


# ---- the tables ----


def run(name: str, seed: int, count: int) -> None:
    """Print a figure's lines."""
    figure = FIGURES[name]()
    begin = time.thread_time()
    pairs = len(figure.pairs)
    drawn = time.thread_time() - begin
    scene = clutter(figure, seed)
    q = free_postures(scene, figure, count)
    a, b = edges_of(scene, figure, q, 0.03)
    rows = along(figure.model, a[: count // 16], b[: count // 16])
    bare = hk.Figure(figure.model, figure.capsules, [])
    nothing = hk.Scene()
    placed = least(lambda: nothing.free(bare, q))
    print(
        f"{name}: {figure.model.nv} DoF, {len(figure.capsules)} capsules, {pairs} pairs "
        f"(found in {drawn:.2f} s), {PRIMITIVES} primitives"
    )
    each = {
        "placing": placed / len(q),
        "free, random": least(lambda: scene.free(figure, q)) / len(q),
        "free, edges": least(lambda: scene.free(figure, rows)) / len(rows),
        "free, itself alone": least(lambda: nothing.free(figure, q)) / len(q),
        "distance to 0.1 m": least(lambda: scene.distance(figure, q, 0.1)) / len(q),
        "least distance": least(lambda: scene.distance(figure, q)) / len(q),
    }
    print(
        f"  {100 * scene.free(figure, figure.model.sample(4000, seed=9)).mean():.0f} % free at random"
    )
    print("  " + ", ".join(f"{key} {1e6 * value:.3f}" for key, value in each.items()), "us")
    for share in (0.03, 0.1, 0.3):
        print("  " + edge_line(scene, figure, q[:2000], share))
    print("  " + manager_times(scene, figure, q[:300]))
    print("  " + mujoco_time(scene, figure, q[:300]), flush=True)


def edge_line(scene: hk.Scene, figure: hk.Figure, q: Array, share: float) -> str:
    """Return proof against samples of 1 cm for free edges."""
    a, b = edges_of(scene, figure, q, share)
    a, b = a[:300], b[:300]
    if not len(a):
        return f"edges of {share}: none free"
    model, way = figure.model, figure.model.difference(a, b)
    steps = np.ceil(motions(figure, a, b) / 0.01).astype(int) + 1
    samples = [
        model.integrate(np.broadcast_to(x, (n, model.nq)), np.linspace(0, 1, n)[:, None] * v)
        for x, v, n in zip(a, way, steps, strict=True)
    ]
    whole = np.concatenate(samples)
    proof, sampled = (
        least(lambda: scene.proves(figure, a, b)),
        least(lambda: scene.free(figure, whole)),
    )
    groups = scene.proves(figure, a, b).groups.mean()
    return (
        f"edges of {share}: proof {1e6 * proof / len(a):.1f} us ({groups:.1f} groups), sampled at "
        f"1 cm {1e6 * sampled / len(a):.1f} us ({steps.mean():.0f} postures): {proof / sampled:.2f}"
    )


def motions(figure: hk.Figure, a: Array, b: Array) -> Array:
    """Return how far a capsule moves at most along each edge, by the bound of the proof."""
    found: Array = _core._scene_motions(compiled(None, figure).figure, a, b)
    return found


def chair() -> tuple[Array, Array]:
    """Return the boxes of a chair of 0.45 x 0.45 x 0.9 m, each face cut in squares: 8,712 triangles."""
    boxes = [((0, 0, 0.42), (0.45, 0.45, 0.46)), ((0, 0, 0.46), (0.03, 0.45, 0.9))]
    boxes += [((x, y, 0), (x + 0.04, y + 0.04, 0.42)) for x in (0.0, 0.41) for y in (0.0, 0.41)]
    k, points, faces = 11, [], []
    at = np.arange(k * (k + 1)).reshape(k, k + 1)[:, :-1].ravel()[:, None]
    corners = np.array([[0, 1, k + 1], [1, k + 2, k + 1]])
    square = (at[:, None] + corners).reshape(-1, 3)
    grid = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, k + 1)], indexing="ij"), -1).reshape(-1, 2)
    for low, high in boxes:
        for axis in range(3):
            for side in (low, high):
                face = np.insert(grid, axis, 0.0, axis=1) * np.subtract(high, low) + low
                face[:, axis] = side[axis]
                faces.append(square + len(points) * len(grid))
                points.append(face)
    return np.concatenate(points), np.concatenate(faces).astype(np.int32)


def bumpy(n: int = 71) -> tuple[Array, Array]:
    """Return a closed bumpy ball of 0.7 x 0.7 x 0.9 m: 9,940 triangles."""
    u, v = np.meshgrid(np.linspace(0, np.pi, n), np.arange(n) * 2 * np.pi / n, indexing="ij")
    r = 0.3 * (1 + 0.15 * np.sin(5 * u) * np.cos(4 * v))
    points = np.stack(
        [r * np.sin(u) * np.cos(v), r * np.sin(u) * np.sin(v), 0.45 * np.cos(u)], -1
    ).reshape(-1, 3)
    a = np.arange((n - 1) * n)
    b = a - a % n + (a + 1) % n
    faces = np.concatenate([np.stack([a, a + n, b], 1), np.stack([b, a + n, b + n], 1)])
    return points, faces.astype(np.int32)


def grid_times() -> list[str]:
    """Return seconds of the grids of two meshes at 1 cm, and of compiling 200 primitives."""
    from handik.scene.check._world import world_of

    lines = []
    for name, make in (("chair", chair), ("bumpy ball", bumpy)):
        points, faces = make()
        took = least(lambda p=points, f=faces: _core.Grid(p, f, 0.01), 5)  # type: ignore[misc]
        lines.append(f"{name}, {len(faces)} triangles: {took:.3f} s")
    obstacles = clutter(plain_person(), 0).obstacles()
    took = least(lambda: world_of(obstacles), 5)
    return [*lines, f"{PRIMITIVES} primitives made ready: {1e3 * took:.2f} ms"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks distances", description=__doc__)
    parser.add_argument("--figures", nargs="*", default=list(FIGURES), choices=list(FIGURES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loop", default="", help="the program built from coal_pairs.cpp")
    parser.add_argument("--simd", default="auto", choices=("auto", "base", "avx2", "avx512"))
    parser.add_argument("--postures", type=int, default=16_000)
    args = parser.parse_args()
    if not _core.simd_select(args.simd):
        parser.error(f"this processor has no {args.simd}")
    print(f"handik {hk.__version__} ({_core.simd()}), one core")
    for name in args.figures:
        run(name, args.seed, args.postures)
    print("grids at 1 cm, one thread")
    for line in grid_times():
        print("  " + line, flush=True)
    print("pairs, signed, capsule and")
    for line in pair_times(args.loop):
        print("  " + line, flush=True)


if __name__ == "__main__":
    main()
