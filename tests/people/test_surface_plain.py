"""The plain body: closed lofts round the figure's bones, as thick as the tape says."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.surface import _data, capsule_ends
from handik.people.surface._capsules import outside


def plain(sex: str = "female", **more: object) -> hk.people.Human:
    return hk.human(sex=sex, percentile=50, body="plain", **more)


def test_it_reads_no_mesh(monkeypatch, tmp_path) -> None:
    def refuse() -> None:
        raise AssertionError("the base mesh was read")

    for module in ("_surface", "_capsules", "_seat", "_wear", "_garments", "_fit"):
        monkeypatch.setattr(f"handik.people.surface.{module}.mesh", refuse)
    monkeypatch.setattr(_data, "mesh", refuse)
    anna = plain()
    found = anna.surface(anna.rest)
    assert len(anna.capsules) == 24
    assert 0.02 < found.volume < 0.12
    found.save(tmp_path / "anna.stl")
    found.save(tmp_path / "anna.obj")
    with pytest.raises(AssertionError, match="was read"):
        _ = hk.human(sex="female").surface


@pytest.mark.parametrize("position", ["standing", "seated"])
@pytest.mark.parametrize("sex", ["female", "male"])
def test_each_part_is_a_closed_loft_on_its_capsule(sex, position) -> None:
    person = plain(sex, position=position)
    q = person.posture(elbow_flexion_left=1.2, trunk_flexion=0.3)
    found, ends = person.surface(q), capsule_ends(person, q)
    n = len(found.vertices) // len(person.capsules)
    for k, c in enumerate(person.capsules):
        own = found.vertices[k * n : (k + 1) * n]
        faces = found.faces[(found.faces // n == k).all(1)] - k * n
        edges = {(a, b) for f in faces.tolist() for a, b in zip(f, f[1:] + f[:1], strict=True)}
        assert len(edges) == 3 * len(faces)
        assert edges == {(b, a) for a, b in edges}
        far = outside(own, *(ends[None, k, i] for i in (0, 1)), np.array([c.radii]))
        assert np.abs(far).max() < 1e-9, c.name
        a, b, d = (own[faces[:, i]] for i in range(3))
        inside = np.einsum("ij,ij->", a, np.cross(b, d)) / 6
        length = np.linalg.norm(ends[k, 1] - ends[k, 0])
        r, s = c.radii
        least = np.pi * length * (r * r + r * s + s * s) / 3
        assert inside > 0.85 * least, c.name  # outward, and as large as the cone


def test_it_is_as_large_as_the_tape_says() -> None:
    for sex in ("female", "male"):
        person = plain(sex, position="standing")
        d, v = person.dimensions, person.surface(person.rest).vertices
        assert v[:, 2].max() == pytest.approx(d["stature"], abs=0.003)
        assert v[:, 2].min() == pytest.approx(0, abs=0.003)
        parts = {c.name: c for c in person.capsules}
        assert 2 * np.pi * parts["calf_left"].radii[0] == pytest.approx(d["calf_circumference"])
        pelvis = parts["pelvis"]
        wide = np.linalg.norm(pelvis.end - pelvis.start) + 2 * pelvis.radii[0]
        assert wide == pytest.approx(d["hip_breadth"], abs=1e-9)
        foot = parts["foot_right"]
        long = np.linalg.norm(foot.end - foot.start) + 2 * foot.radii[0]
        assert long == pytest.approx(d["foot_length"], abs=1e-9)
        for side in ("left", "right"):
            knee = person.model.fk(person.rest, frame=f"knee_{side}")[:3, 3]
            assert outside(knee, *shank(person, side)) < 0
    assert len(person.capsules) == 24


def shank(person: hk.people.Human, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = next(i for i, c in enumerate(person.capsules) if c.name == f"calf_{side}")
    ends = capsule_ends(person, person.rest)[k]
    return ends[:1], ends[1:], np.array([person.capsules[k].radii])


def test_an_impaired_person_and_every_figure() -> None:
    healthy = plain()
    for more in (
        {"detail": "spine+hand+full"},
        {"detail": "full", "position": "standing"},
        {"profile": hk.people.impairments.profiles()[0]},
    ):
        person = plain(**more)
        assert set(c.link for c in person.capsules) <= set(person.model.frame_names)
        for one, other in zip(person.capsules, healthy.capsules, strict=True):
            assert one.name == other.name
            np.testing.assert_allclose(one.radii, other.radii, atol=1e-12)


def test_what_it_does_not_have() -> None:
    anna = plain()
    with pytest.raises(hk.UnsupportedError, match="plain"):
        anna.measure("waist_circumference")
    assert anna.measure("stature") == pytest.approx(anna.dimensions["stature"], abs=1e-3)
    with pytest.raises(hk.UnsupportedError, match="clothed"):
        _ = anna.surface(anna.rest).clothed
    with pytest.raises(hk.ArgumentError, match="body"):
        hk.human(body="nice")
    with pytest.raises(hk.ArgumentError, match="one posture"):
        anna.surface([anna.rest, anna.rest])
