"""Envelopes: against closed answers, cut, rated, written and drawn."""

import csv
from dataclasses import replace
from math import pi, radians
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from small_person import person

import handik as hk
from handik.people import _farthest, envelopes
from handik.people._envelope import envelope
from handik.people._rays import sphere
from handik.people.discomfort import JointDisplacement

BALLS = hk.chain([0.3, 0.2], "ball")
AROUND = envelope(BALLS, center=[0.0, 0.0, 0.0], level=1, resolution=0.001)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_sphere_of_rays_is_closed_and_faces_outwards(level):
    points, faces = sphere(level)
    assert len(points) == 10 * 4**level + 2
    assert len(faces) == 20 * 4**level
    assert np.allclose(np.linalg.norm(points, axis=1), 1)
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert (counts == 2).all()
    a, b, c = (points[k] for k in faces.T)
    assert (np.sum(a * np.cross(b, c), axis=1) > 0).all()


def test_balls_reach_a_sphere():
    assert (AROUND.reach <= 0.5 + 1e-4).all()
    assert (AROUND.reach > 0.5 - 0.0011).all()
    for q, point in zip(AROUND.q, AROUND.points, strict=True):
        assert np.allclose(BALLS.fk(q)[:3, 3], point, atol=1e-4)
    full = 4 / 3 * pi * 0.5**3
    assert 0.985 * full < AROUND.volume < full  # flat triangles would have 0.85 of it
    fine = envelope(BALLS, center=[0.0, 0.0, 0.0], level=2, resolution=0.001)
    assert AROUND.volume < fine.volume < full


def test_from_a_point_beside_the_middle():
    moved = envelope(BALLS, center=[0.1, 0.0, 0.0], level=0, resolution=0.002)
    far = np.linalg.norm(moved.points, axis=1)
    assert np.allclose(far, 0.5, atol=0.0025)


def test_a_half_plane_of_reach():
    arm = hk.chain([0.4], lower=-0.01, upper=0.01)
    one = envelope(arm, center=[0.0, 0.0, 0.0], level=0)
    assert (one.reach < 0.41).all()
    assert (one.reach[one.directions[:, 0] < 0] == 0).all()


def test_a_margin_is_taken_off_and_never_below_nothing():
    less = envelope(BALLS, center=[0.0, 0.0, 0.0], level=1, resolution=0.001, margin=0.02)
    assert np.allclose(less.reach, AROUND.reach - 0.02)
    none = envelope(BALLS, center=[0.0, 0.0, 0.0], level=0, margin=3.0)
    assert (none.reach == 0).all()


def test_a_section_lies_on_its_plane_and_is_closed():
    pieces = AROUND.section([0, 0, 2.0], 0.2)
    ends = np.array(pieces).reshape(-1, 3)
    assert np.allclose(ends[:, 2], 0.2)
    radius = np.linalg.norm(ends[:, :2], axis=1)
    assert (radius < np.sqrt(0.5**2 - 0.2**2) + 1e-3).all()
    assert (radius > np.sqrt(0.49**2 - 0.2**2)).all()
    _, counts = np.unique(ends.round(9), axis=0, return_counts=True)
    assert (counts == 2).all()
    assert AROUND.section([0, 0, 1], 0.6) == []
    with pytest.raises(hk.ArgumentError, match="normal must not be zero"):
        AROUND.section([0, 0, 0], 0.2)


def test_what_is_inside():
    rng = np.random.default_rng(1)
    way = rng.normal(size=(200, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    assert AROUND.contains(0.4985 * way).all()
    assert not AROUND.contains(0.501 * way).any()
    assert AROUND.contains([0.0, 0.0, 0.0])
    assert AROUND.contains(AROUND.points * 0.9999).all()
    assert not AROUND.contains(AROUND.points * 1.0001).any()


def test_a_thin_shell_is_inside_as_far_as_it_was_searched():
    """Flat triangles left 13 % of the hands of an arm with a held trunk outside at level 2."""
    weak = hk.human(sex="female", stature=1.62, profile="sci_c5").model
    held = envelope(weak, "index_tip_right")
    hands = weak.fk(weak.sample(2000, seed=9), frame="index_tip_right")[:, :3, 3]
    assert held.contains(hands).mean() > 0.94
    nearer = hands - 0.005 * (hands - held.center) / np.linalg.norm(hands - held.center, axis=1)[:, None]  # fmt: skip
    assert held.contains(nearer).mean() > 0.99


def test_beside_a_ray_without_reach_nothing_is_inside():
    part = replace(AROUND, reach=np.where(np.arange(len(AROUND.reach)) == 0, 0.0, AROUND.reach))
    beside = part.faces[(part.faces == 0).any(axis=1)]
    middles = part.directions[beside].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1)[:, None]
    assert not part.contains(0.1 * middles).any()
    assert AROUND.contains(0.1 * middles).all()
    assert part.volume < AROUND.volume


def test_a_map_of_discomfort():
    what = JointDisplacement(BALLS)
    rated = AROUND.rate(what)
    assert np.allclose(rated, [float(what.score(q)) for q in AROUND.q])
    with pytest.raises(hk.ArgumentError, match="must give"):
        AROUND.rate(lambda q: q)
    with pytest.raises(TypeError, match="score must"):
        AROUND.rate(3)


def test_a_zone_is_where_the_score_is_met():
    def far(q):
        return np.linalg.norm(BALLS.fk(q)[..., :3, 3], axis=-1)

    found = AROUND.zone(far, 0.3)
    assert np.allclose(found.reach, 0.3, atol=0.5 / 8 / 2**5)
    assert (found.reach <= 0.3 + 1e-4).all()
    assert found.volume < AROUND.volume
    for q, point in zip(found.q, found.points, strict=True):
        assert np.allclose(BALLS.fk(q)[:3, 3], point, atol=1e-4)
    assert (
        AROUND.zone(far, 0.12).reach == 0
    ).all()  # an eighth of 0.5 m is out of reach, two are beyond
    assert (AROUND.zone(far, 0.12, steps=40).reach > 0.11).all()
    assert np.array_equal(AROUND.zone(far, 9.0).reach, AROUND.reach)
    again = AROUND.zone(far, 0.3, threads=1)
    assert again.reach.tobytes() == found.reach.tobytes()


def test_a_zone_that_is_nowhere_contains_nothing():
    none = AROUND.zone(lambda q: np.ones(len(q)), 0.0)
    assert none.volume == 0
    assert not none.contains(none.center)
    assert AROUND.contains(AROUND.center)


def test_zones_of_comfort_lie_in_each_other():
    anna = hk.human(sex="female")
    around = envelope(anna.model, "index_tip_right", level=0, resolution=0.05)
    what = JointDisplacement(anna.model)
    rated = around.rate(what)
    mild, more = (
        around.zone(what, share * rated.min(), terms=[what.term()], steps=4) for share in (0.3, 0.9)
    )
    assert 0 < mild.volume < more.volume < around.volume
    assert (what.score(mild.q[mild.reach > 0]) <= 0.3 * rated.min()).all()


def test_wrong_zones_are_told():
    with pytest.raises(hk.ArgumentError, match="steps must be 1"):
        AROUND.zone(JointDisplacement(BALLS), 1.0, steps=0)
    with pytest.raises(hk.ArgumentError, match="must give"):
        AROUND.zone(lambda q: q, 1.0)
    with pytest.raises(TypeError, match="score must"):
        AROUND.zone(3, 1.0)
    with pytest.raises(hk.HandikError, match="most"):
        AROUND.zone(JointDisplacement(BALLS), np.nan)


def test_what_a_stiff_arm_reaches_is_found_on_every_ray():
    """A shell 4 mm thick: steps along a ray go past it, postures of its neighbors do not."""
    spec = hk.chain([0.3, 0.3], "ball").spec
    spec.joints[1].kind, spec.joints[1].lower, spec.joints[1].upper = "revolute", 1.0, 1.01
    arm = hk.Model(spec)
    found = envelope(arm, center=[0.0, 0.0, 0.0], level=2, resolution=0.0005)
    assert (found.reach > 0.5).all()
    assert _farthest._SHARES[0] == 1.0


def test_the_rays_beside_each():
    for level in (0, 1, 2):
        _, faces = sphere(level)
        near = _farthest._neighbors(faces)
        for ray, others in enumerate(near):
            with_it = faces[(faces == ray).any(axis=1)]
            assert set(others.tolist()) == set(with_it.ravel().tolist()) - {ray}


def test_hardly_anything_is_in_reach_beyond():
    """Another solver from many postures, a step of 5 mm and more farther out: the arm of one whose
    joints are narrow reaches much in one of several ways, which a ray's own start does not find."""
    model = hk.human("female", profile="rheumatoid_arthritis").model
    around = envelope(model, "index_tip_right")
    problem, found = hk.Problem(model, hk.Position(frame=around.frame)), 0
    solver = hk.Solver("auto", max_restarts=4)
    for farther in (0.01, 0.02, 0.045):
        places = around.center + (around.reach + farther)[:, None] * around.directions
        starts = model.sample(len(places), seed=1)
        found += int(solver(problem, places, q0=starts).converged.sum())
    assert found <= 3  # of 486; 14 when the rays beside are not asked, 10 when no more than once


def test_files(tmp_path: Path):
    rated = AROUND.rate(JointDisplacement(BALLS))
    AROUND.save(tmp_path / "a.csv", rated)
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert len(rows) == len(AROUND.reach)
    assert np.allclose([[float(r[k]) for k in "xyz"] for r in rows], AROUND.points, atol=1e-6)
    assert np.allclose([float(r["value"]) for r in rows], rated)
    AROUND.save(tmp_path / "a.obj")
    lines = (tmp_path / "a.obj").read_text().splitlines()
    vertices = np.array([line.split()[1:] for line in lines if line[0] == "v"], float)
    faces = np.array([line.split()[1:] for line in lines if line[0] == "f"], int)
    assert np.allclose(vertices, AROUND.points, atol=1e-6)
    assert (faces == AROUND.faces + 1).all()
    with pytest.raises(hk.UnsupportedError, match=r"not 'a\.stl'"):
        AROUND.save(tmp_path / "a.stl")
    with pytest.raises(hk.UnsupportedError, match="no values"):
        AROUND.save(tmp_path / "b.obj", rated)


def test_a_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = AROUND.plot()
    assert len(ax.collections) == 1
    assert np.allclose(ax.collections[0].get_array(), AROUND.reach[AROUND.faces].mean(axis=1))
    assert ax.figure.colorbar(ax.collections[0], ax=ax).vmax < 0.51
    assert AROUND.plot(AROUND.reach, ax) is ax
    pyplot.close(ax.figure)


def test_progress_is_told_and_the_bar_is_closed(capsys):
    seen = []
    envelope(BALLS, center=[0, 0, 0], level=0, progress=lambda *x: seen.append(x))
    done = [k for _, k, _ in seen]
    assert done == sorted(done)
    assert seen[-1][1] == seen[-1][2]
    envelope(BALLS, center=[0, 0, 0], level=0, progress=True)
    assert "rays" in capsys.readouterr().err


def test_of_a_person_and_of_one_who_is_held():
    model = hk.Model(person("hinges"))
    free = envelope(model, "index_tip_right", center=[0, -0.18, 0.55], level=0, resolution=0.01)
    held = envelope(
        model,
        "index_tip_right",
        center=[0, -0.18, 0.55],
        level=0,
        resolution=0.01,
        lock={"trunk_flexion": 0.0, "pelvis_tilt": 0.0, "trunk_bend": 0.0, "trunk_turn": 0.0},
    )
    assert held.volume < free.volume
    assert (held.reach <= free.reach + 0.011).all()
    assert held.reach.max() <= 0.3 + 0.26 + 0.18 + 0.001
    again = envelope(
        model, "index_tip_right", center=[0, -0.18, 0.55], level=0, resolution=0.01, threads=1
    )
    assert (again.reach == free.reach).all()


def test_the_centre_is_the_shoulder_of_the_side():
    anna = hk.human(sex="female")
    near = envelope(anna.model, "index_tip_left", level=0, resolution=0.05)
    assert np.allclose(near.center, anna.model.fk(anna.model.rest, frame="shoulder_left")[:3, 3])
    assert 4.0 < near.volume < 4.7  # 4.67 at level 3


def test_a_figure_that_floats_has_no_envelope_until_it_is_held():
    eva = hk.human(sex="female", detail="full")
    with pytest.raises(hk.ArgumentError, match="root slides without limits"):
        envelope(eva.model, "index_tip_left", level=0)
    root = eva.rest[eva.model.joint_q_slices["root"]]
    held = envelope(eva.model, "index_tip_left", level=0, resolution=0.05, lock={"root": root})
    assert held.reach.max() < 1.5
    rails = hk.ModelSpec("rails", [hk.LinkSpec(name) for name in ("floor", "car", "hook")])
    ways = (("along", "floor", "car", -np.inf), ("across", "car", "hook", -1.0))
    for k, (name, parent, child, low) in enumerate(ways):
        slide = {"axis": np.eye(3)[k].tolist(), "lower": low, "upper": 1.0}
        rails.joints.append(hk.JointSpec(name, "prismatic", parent, child, np.eye(4), **slide))
    with pytest.raises(hk.ArgumentError, match="along slides without limits"):
        envelope(hk.Model(rails), "hook", center=[0, 0, 0], level=0)
    envelope(
        hk.Model(rails), "floor", center=[0, 0, 0], level=0
    )  # what stands still is not carried


def test_percentiles_in_one_call():
    around = envelopes((95, 5), "grip_right", sex="male", level=0, resolution=0.02)
    assert list(around) == [95.0, 5.0]
    assert around[5].volume < 0.9 * around[95].volume
    alone = envelope(
        hk.human(sex="male", percentile=5).model, "grip_right", level=0, resolution=0.02
    )
    assert around[5].reach.tobytes() == alone.reach.tobytes()
    held = envelopes([50], "grip_right", sex="male", profile="tremor", level=0, resolution=0.02)[50]
    assert held.margin == hk.human(profile="tremor").impaired.margin > 0
    for bad in ((), (5, 5), (0,), ("p5",)):
        with pytest.raises((hk.ArgumentError, TypeError)):
            envelopes(bad, sex="male", level=0)


def test_wrong_numbers_are_told():
    for more, says in (
        ({"resolution": 0.0}, "resolution must be above 0"),
        ({"margin": -0.1}, "margin 0 or more"),
        ({"level": 6}, "level must be 0 to 5"),
        ({"frame": "nose"}, "nose"),
    ):
        with pytest.raises(hk.HandikError, match=says):
            envelope(BALLS, **more)
    with pytest.raises(TypeError, match="progress must be"):
        envelope(BALLS, progress=3)
    assert radians(180) == pi


def test_a_person_takes_less_than_five_seconds():
    anna = hk.human(sex="female")
    start = process_time()
    found = envelope(anna.model, "index_tip_right")
    assert process_time() - start < 5.0  # of all cores together
    assert len(found.reach) == 162


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 0, 0), (1, 2, 3)])
def test_outlines_are_the_section_in_a_row(normal):
    """Closed lines of the same pieces, none twice, the longest first."""
    around = hk.people.envelope(hk.human().model, "grip_right", level=1)
    lengths = []
    for at in (-0.4, 0.1, 0.5, 1.2, 1.7):
        lines, pieces = around.outlines(normal, at), around.section(normal, at)
        assert sum(len(line) - 1 for line in lines) == len(pieces)
        long = [float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in lines]
        assert sum(long) == pytest.approx(sum(np.linalg.norm(b - a) for a, b in pieces))
        assert long == sorted(long, reverse=True)
        up = np.asarray(normal) / np.linalg.norm(normal)
        for line in lines:
            assert (line[0] == line[-1]).all()
            assert np.abs(line @ up - at).max() < 1e-9
        lengths += long
    assert len(lengths) > 2
    assert around.outlines(normal, 9.0) == []


def test_a_surface_in_two_pieces_has_two_outlines():
    """Where nothing is reached all round, what is left on both sides is cut by itself."""
    around = hk.people.envelope(hk.chain([0.3, 0.3], "ball"), center=[0.0, 0.0, 0.0], level=2)
    x = around.directions[:, 0]
    parted = replace(around, reach=np.where(abs(x) < 0.4, 0.0, around.reach))
    lines = parted.outlines((0, 0, 1), 0.02)
    assert len(lines) >= 2
    sides = {float(np.sign(line[:, 0].mean())) for line in lines if np.ptp(line[:, 0]) > 0.1}
    assert sides == {-1.0, 1.0}
