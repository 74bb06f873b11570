"""Grids of meshes: against their twin, exact distances of trimesh, and shapes known in closed form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.check._grid import mesh_grid, mesh_triangles
from handik.study.twins import grid as twin

sys.path.insert(0, str(Path(__file__).parent))
import import_files as files
from import_files import written


def torus(major: float = 0.3, minor: float = 0.1, n: int = 24, m: int = 12) -> tuple[Any, Any]:
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = major + minor * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), minor * np.sin(v)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = i * m + j, (i + 1) % n * m + j
    c, d = (i + 1) % n * m + (j + 1) % m, i * m + (j + 1) % m
    faces = np.concatenate(
        [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    )
    return points, faces


def grid_of(points: Any, faces: Any, cell: float, **more: Any) -> _core.Grid:
    return _core.Grid(points, np.asarray(faces, dtype=np.int32), cell, **more)


def lattice(about: dict[str, Any]) -> tuple[Any, tuple[int, int, int]]:
    """All fine nodes of a grid, z slowest."""
    count = [4 * n + 1 for n in about["count"]]
    axes = [about["low"][j] + about["cell"] * np.arange(count[j]) for j in range(3)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    return np.stack([x, y, z], -1).reshape(-1, 3), (count[2], count[1], count[0])


@pytest.mark.parametrize("case", ["torus", "open torus", "soup"])
def test_every_node_is_as_its_twin_says(case: str) -> None:
    points, faces = torus(n=10, m=6)
    if case == "open torus":
        faces = faces[:-50]
    elif case == "soup":
        rng = np.random.default_rng(5)
        points = (rng.uniform(-0.3, 0.3, (15, 1, 3)) + rng.uniform(-0.2, 0.2, (15, 3, 3))).reshape(
            -1, 3
        )
        faces = np.arange(45).reshape(-1, 3)
    grid = grid_of(points, faces, 0.047)
    about = grid.about
    nodes, shape = lattice(about)
    d = twin.distances(nodes, points, faces).reshape(shape)
    reach = twin.reached(d, about["cell"])
    coarse, brick, fine = grid.arrays()
    assert np.allclose(
        np.abs(coarse[coarse > 0]), d[::4, ::4, ::4][coarse > 0], rtol=1e-6, atol=1e-9
    )
    assert ((coarse > 0) == reach[::4, ::4, ::4]).all()
    assert (brick >= 0).sum() == about["bricks"] == len(fine) > 50
    for z, y, x in np.argwhere(brick >= 0):
        at = tuple(slice(4 * k, 4 * k + 5) for k in (z, y, x))
        values = fine[brick[z, y, x]]
        assert ((values > 0) == reach[at]).all()
        if not about["hidden"]:
            assert np.allclose(np.abs(values), d[at], rtol=1e-6, atol=1e-9)
    assert (reach.all() and case == "open torus") or not reach.all()


def test_values_and_bounds_are_those_of_the_twin() -> None:
    points, faces = torus()
    grid = grid_of(points, faces, 0.02)
    about = grid.about
    coarse, brick, fine = grid.arrays()
    rng = np.random.default_rng(1)
    x = rng.uniform(-0.45, 0.45, (400, 3)) * [1, 1, 0.4]
    value, lower, _ = grid.points(x)
    kinds = set()
    for k, p in enumerate(x):
        u = (p - about["low"]) / (4 * about["cell"])
        i, t, side = np.floor(u).astype(int), u - np.floor(u), 4 * about["cell"]
        number = brick[i[2], i[1], i[0]]
        if number >= 0:
            i, t, side = np.floor(4 * t).astype(int), 4 * t - np.floor(4 * t), about["cell"]
        nodes = coarse if number < 0 else fine[number]
        corners = nodes[i[2] : i[2] + 2, i[1] : i[1] + 2, i[0] : i[0] + 2].astype(float)
        assert value[k] == pytest.approx(twin.trilinear(corners, t), abs=1e-9)
        assert lower[k] == pytest.approx(twin.lower_bound(corners, t, side), abs=1e-9)
        kinds.add((number < 0, corners.min() > 0))
    assert len(kinds) >= 3


@pytest.mark.parametrize("cell", [0.01, 0.03])
def test_against_trimesh(cell: float) -> None:
    trimesh = pytest.importorskip("trimesh")
    points, faces = torus()
    grid = grid_of(points, faces, cell, margin=0.2)
    x = np.random.default_rng(2).uniform(-0.5, 0.5, (300, 3))
    corners = points[faces]
    true = np.empty(len(x))
    for k, p in enumerate(x):
        near = trimesh.triangles.closest_point(corners, np.broadcast_to(p, (len(faces), 3)))
        true[k] = np.linalg.norm(near - p, axis=1).min()
    ring = np.hypot(np.hypot(x[:, 0], x[:, 1]) - 0.3, x[:, 2])
    sure = (ring < 0.09) | (ring > 0.1)  # between the two the facets decide
    true, x = np.where(ring < 0.095, -true, true)[sure], x[sure]
    value, lower, slope = grid.points(x)
    assert (lower <= true + 1e-9).all()
    near = np.abs(true) < 3 * cell
    assert np.abs(value - true)[near].max() < 0.6 * cell
    far = (true > 5 * cell) & (np.abs(x) < 0.4).all(axis=1)
    assert np.percentile((true - lower)[far], 75) < 0.5 * cell  # where all look at one place
    lengths = np.linalg.norm(slope, axis=1)
    assert 0.8 < np.median(lengths) < 1.05


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.02, 0.06))
def test_a_bound_is_never_above_the_distance(seed: int, cell: float) -> None:
    """Of any triangles: closed, open, crossing or flat; also along segments."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    points = rng.uniform(-0.3, 0.3, (3 * n, 3))
    points[rng.random(3 * n) < 0.2, 2] = 0.0
    faces = np.arange(3 * n).reshape(-1, 3)
    grid = grid_of(points, faces, cell)
    x = rng.uniform(-0.7, 0.7, (60, 3))
    true = twin.distances(x, points, faces)
    assert (grid.points(x)[1] <= true + 1e-9).all()
    u = rng.normal(size=(20, 3)) * 0.2
    least, at = grid.capsules(x[:20], u, eps=0.01)
    steps = x[:20, None] + np.linspace(0, 1, 60)[:, None] * u[:, None]
    along = twin.distances(steps.reshape(-1, 3), points, faces).reshape(20, 60).min(axis=1)
    assert (least - 0.01 <= along + 1e-9).all()
    assert ((at >= 0) & (at <= 1)).all()


def test_threads_change_no_byte() -> None:
    points, faces = torus(n=60, m=30)
    one = grid_of(points, faces, 0.012, threads=1)
    many = grid_of(points, faces, 0.012, threads=4)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one.arrays(), many.arrays(), strict=True))
    x = np.random.default_rng(3).uniform(-1, 1, (5000, 3))
    for a, b in zip(one.points(x), many.points(x, threads=3), strict=True):
        assert a.tobytes() == b.tobytes()


def test_holes_and_open_meshes_are_said() -> None:
    box = hk.scene.Mesh(vertices=files.POINTS * 0.1, faces=files.FACES)
    whole = mesh_grid(box)
    assert whole.said == "the mesh is closed"
    assert whole.open_edges == 0
    assert whole.volume == pytest.approx(0.006, rel=0.35)
    assert whole.distance([0.05, 0.1, 0.15])[0] < -0.03
    assert mesh_grid(box) is whole  # kept
    lid = hk.scene.Mesh(vertices=files.POINTS * 0.1, faces=files.FACES[:-1])
    opened = mesh_grid(lid)
    assert opened.open_edges == 3
    assert "open at 3 edges and encloses nothing" in opened.said
    assert opened.distance([0.05, 0.1, 0.15])[0] > 0.03
    split = files.POINTS[files.FACES].reshape(-1, 3) * 0.1  # no two triangles share a point
    soup = hk.scene.Mesh(vertices=split, faces=np.arange(36).reshape(-1, 3))
    assert mesh_grid(soup).open_edges == 0
    crack = split.copy()
    crack[3:6] += 0.003
    cracked = mesh_grid(hk.scene.Mesh(vertices=crack, faces=np.arange(36).reshape(-1, 3)))
    assert cracked.open_edges > 0
    assert "narrower than a cell of 0.01 m were taken as closed" in cracked.said
    thin = hk.scene.Mesh(vertices=files.POINTS * [0.1, 0.1, 0.001], faces=files.FACES)
    assert mesh_grid(thin).said == "the mesh is closed, but thinner than two cells"


def test_triangles_of_a_file_and_of_a_mirrored_mesh(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    path = written(tmp_path, "a.stl", files.stl())
    points, faces = mesh_triangles(hk.scene.Mesh(path, scale=[-0.1, 0.1, 0.1]))
    assert points.min(0) == pytest.approx([-0.1, 0, 0])
    a, b, c = (points[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.006)
    assert mesh_grid(hk.scene.Mesh(path, scale=0.1)).open_edges == 0
    plan = written(tmp_path, "plan.svg", files.SVG)
    with pytest.raises(hk.ArgumentError, match="is no mesh of triangles"):
        mesh_triangles(hk.scene.Mesh(plan))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cell": 0.0}, "the cell of a grid"),
        ({"cell": 1e-5}, "cells of about"),
        ({"vertices": np.full((8, 3), np.nan)}, "not finite"),
        ({"triangles": [[0, 1, 8]]}, "there is no vertex 8, only 8"),
        ({"triangles": np.zeros((0, 3))}, "1 to 20000000 triangles"),
        ({"triangles": [[0, 1]]}, "triangles must have shape"),
        ({"vertices": [0.0, 1, 2]}, "vertices must have shape"),
        ({"margin": -1.0}, "the margin"),
        ({"most_bytes": 1000}, "MB allowed"),
    ],
)
def test_what_no_grid_can_be_made_of_is_refused(change: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {
        "vertices": files.POINTS,
        "triangles": files.FACES,
        "cell": 0.1,
        **change,
    }
    points, faces, cell = (given.pop(key) for key in ("vertices", "triangles", "cell"))
    with pytest.raises(hk.ArgumentError, match=said):
        _core.Grid(points, np.asarray(faces, dtype=np.int32), cell, **given)
    grid = grid_of(files.POINTS, files.FACES, 0.1)
    with pytest.raises(hk.ArgumentError, match="eps must be"):
        grid.capsules([0, 0, 0], [1, 0, 0], eps=1e-5)
    with pytest.raises(hk.ArgumentError, match="leading axes"):
        grid.capsules([[0, 0, 0]] * 2, [1, 0, 0])
    assert np.isnan(grid.points([np.nan, 0, 0])[0])


def test_no_memory_is_an_error_and_nothing_stays() -> None:
    grid_of(files.POINTS, files.FACES, 0.1)
    before = _core._live_blocks()
    failed = 0
    for k in range(12):
        _core._fail_allocation(k)
        try:
            grid_of(files.POINTS, files.FACES, 0.1)
        except MemoryError:
            failed += 1
        finally:
            _core._fail_allocation(-1)
        assert _core._live_blocks() == before
    assert failed >= 3
