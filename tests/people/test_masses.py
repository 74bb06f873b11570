"""What segments weigh: de Leva's and Dumas' shares, whole or cut into vertebrae."""

import csv
from importlib.resources import files

import numpy as np
import pytest

import handik as hk
from handik.people.skeleton._masses import Segment, slabs, together

DUMAS = {
    (row["segment"], row["sex"]): row
    for row in csv.DictReader(
        (files("handik.data") / "people" / "segments_dumas.csv").read_text("utf-8").splitlines()
    )
}


def bodies(person):
    """Every link that weighs something, as a segment in the person's axes."""
    found = {}
    for link in person.model.spec.links:
        if link.inertial is not None:
            pose = person.model.fk(person.rest, frame=link.name)
            turn, one = pose[:3, :3], link.inertial
            inertia = turn @ np.array(one.inertia) @ turn.T
            found[link.name] = Segment(one.mass, turn @ one.center + pose[:3, 3], inertia)
    return found


@pytest.mark.parametrize("inertia", ["de_leva", "dumas"])
@pytest.mark.parametrize("sex", ["female", "male"])
def test_vertebrae_weigh_balance_and_turn_as_one_trunk(inertia, sex):
    how = {"position": "standing", "inertia": inertia}
    plain = hk.human(sex, **how)
    whole = together(list(bodies(plain).values()))
    assert whole.mass == pytest.approx(plain.dimensions["weight"], rel=1e-12)
    for detail in ("spine", "full", "spine+hand"):
        parts = bodies(hk.human(sex, detail=detail, **how))
        cut = together(list(parts.values()))
        assert cut.mass == pytest.approx(whole.mass, rel=1e-12)
        np.testing.assert_allclose(cut.center, whole.center, atol=1e-9)
        np.testing.assert_allclose(cut.inertia, whole.inertia, atol=1e-8)
        if "spine" in detail:
            assert {"L5", "T12", "T1"} < set(parts)


def is_possible(segment):
    """No moment is beyond the sum of the other two, and none is negative."""
    moments = np.linalg.eigvalsh(segment.inertia)
    return 0 < moments[0] and moments[2] <= moments[0] + moments[1] + 1e-12


@pytest.mark.parametrize("inertia", ["de_leva", "dumas"])
def test_every_segment_of_a_population_can_be(inertia):
    for sex in ("female", "male"):
        people = hk.population(15, sex=sex, seed=3)
        for one in people.dimensions[:15]:
            known = {name: float(one[name]) for name in ("stature", "weight", "sitting_height")}
            stature, weight = known.pop("stature"), known.pop("weight")
            person = hk.human(
                sex, stature=stature, weight=weight, dimensions=known, detail="spine",
                inertia=inertia,
            )  # fmt: skip
            assert all(is_possible(part) for part in bodies(person).values())


@pytest.mark.parametrize("sex", ["female", "male"])
def test_dumas_numbers_stand_in_the_figure(sex):
    """The table's center and radii, turned back by hand: x ahead, y up, z to the right."""
    person = hk.human(sex, position="standing", inertia="dumas")
    at = {
        name: person.model.fk(person.rest, frame=name)[:3, 3] for name in person.model.frame_names
    }
    found = bodies(person)
    total = sum(float(r["mass_share"]) * (1 if k in ("head", "trunk", "pelvis") else 2)
                for (k, s), r in DUMAS.items() if s == sex)  # fmt: skip
    for segment, start, end in (("thigh", "hip", "knee"), ("shank", "knee", "ankle")):
        row, part = DUMAS[segment, sex], found[f"{segment}_right"]
        line = at[f"{start}_right"] - at[f"{end}_right"]
        long = np.linalg.norm(line)
        up = line / long
        ahead = np.cross(up, [0.0, -1.0, 0.0])
        ahead /= np.linalg.norm(ahead)
        axes = np.stack([ahead, up, np.cross(ahead, up)], axis=1)
        share = part.mass / person.dimensions["weight"]
        assert share == pytest.approx(float(row["mass_share"]) / total, rel=1e-9)
        center = axes.T @ (part.center - at[f"{start}_right"]) / long
        np.testing.assert_allclose(center, [float(row[f"center_{k}"]) for k in "xyz"], atol=1e-9)
        tensor = axes.T @ part.inertia @ axes / (part.mass * long**2)
        for i, a in enumerate("xyz"):
            for j, b in enumerate("xyz"[i:], i):
                r = float(row[f"r_{a}{b}"])
                assert tensor[i, j] == pytest.approx(np.sign(r) * r * r, abs=1e-9)


def test_the_left_is_the_mirror_of_the_right():
    found = bodies(hk.human("male", detail="full", position="standing", inertia="dumas"))
    mirror = np.diag([1.0, -1.0, 1.0])
    for name in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand"):
        right, left = found[f"{name}_right"], found[f"{name}_left"]
        assert left.mass == right.mass
        np.testing.assert_allclose(left.center, mirror @ right.center, atol=1e-12)
        np.testing.assert_allclose(left.inertia, mirror @ right.inertia @ mirror, atol=1e-12)


def test_the_palm_hangs_inward():
    """Tabled with the palm ahead: what lies ahead of the wrist there lies towards the thigh here."""
    person = hk.human("male", detail="hand", position="standing", inertia="dumas")
    frames = ("wrist_right", "index_knuckle_right", "little_knuckle_right")
    wrist, index, little = (person.model.fk(person.rest, frame=name)[:3, 3] for name in frames)
    line = 0.5 * (index + little) - wrist
    off = bodies(person)["hand_right"].center - wrist
    beside = off - line * (off @ line) / (line @ line)
    assert beside[1] > 0.005  # the right hand: inward is to the left
    assert beside[0] > 0.005  # and its thumb's side ahead
    assert off @ line > 0


def test_products_of_inertia_are_there_and_de_leva_has_none():
    for inertia, some in (("de_leva", False), ("dumas", True)):
        thigh = bodies(hk.human("male", position="standing", inertia=inertia))["thigh_right"]
        off = thigh.inertia - np.diag(np.diag(thigh.inertia))
        assert (np.abs(off).max() > 1e-3) == some


def test_slabs_of_a_leaning_column():
    """A thin rod that leans: its slabs lean with it."""
    way = np.array([0.3, -0.1, 0.9])
    way /= np.linalg.norm(way)
    rod = Segment(2.0, np.array([0.1, 0.2, 1.0]), 2.0 * 0.04 * (np.eye(3) - np.outer(way, way)))
    cut = slabs(rod, np.linspace(0.6, 1.4, 9))
    again = together(cut)
    np.testing.assert_allclose(again.center, rod.center, atol=1e-12)
    np.testing.assert_allclose(again.inertia, rod.inertia, atol=1e-9)
    beside = np.diff([part.center for part in cut], axis=0)
    np.testing.assert_allclose(beside[:, 0] / beside[:, 2], way[0] / way[2], rtol=1e-9)
    assert all(part.mass > 0 for part in cut)


def test_another_name_is_refused():
    with pytest.raises(hk.ArgumentError, match="inertia must be 'de_leva' or 'dumas'"):
        hk.human(inertia="winter")


def winding(vertices, faces, point):
    """How often closed triangles go round a point: 1 inside."""
    a, b, c = (vertices[faces[:, k]] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    low = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return 2 * np.arctan2((a * np.cross(b, c)).sum(1), low).sum() / (4 * np.pi)


@pytest.mark.parametrize("inertia", ["de_leva", "dumas"])
@pytest.mark.parametrize("sex", ["female", "male"])
def test_every_segment_balances_inside_the_skin(inertia, sex):
    for percentile, position in ((5, "standing"), (95, "seated")):
        how = {"percentile": percentile, "position": position, "inertia": inertia}
        person = hk.human(sex, detail="full", **how)
        skin = person.surface(person.rest)
        for name, part in bodies(person).items():
            assert winding(skin.vertices, skin.faces, part.center) > 0.5, name
