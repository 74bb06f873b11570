"""A person put elsewhere: the same body, the same answers, in another place."""

import numpy as np
import pytest

import handik as hk

T = hk.transforms.from_rpy([0, 0, 2.1], [-0.7, 0.4, 0.15])
PEOPLE = {
    "seated": hk.human("female", stature=1.62),
    "standing": hk.human("male", position="standing", detail="full"),
    "plain": hk.human("female", body="plain"),
}


def moved(points: np.ndarray) -> np.ndarray:
    return points @ T[:3, :3].T + T[:3, 3]


@pytest.mark.parametrize("name", PEOPLE)
def test_the_same_body_elsewhere(name):
    person = PEOPLE[name]
    placed = person.with_base(T)
    assert placed.model.nq == person.model.nq
    np.testing.assert_array_equal(placed.rest, person.rest)
    for q in (person.rest, person.model.sample(1, seed=3)[0]):
        for frame in person.model.frame_names[1:]:
            there = T @ person.model.fk(q, frame=frame)
            np.testing.assert_allclose(placed.model.fk(q, frame=frame), there, atol=1e-12)
        skin, other = person.surface(q), placed.surface(q)
        np.testing.assert_allclose(other.vertices, moved(skin.vertices), atol=1e-9)
        ends = hk.people.surface.capsule_ends
        np.testing.assert_allclose(ends(placed, q), moved(ends(person, q)), atol=1e-9)
    assert placed.measure("stature") == person.measure("stature")


def test_a_place_alone_does_not_turn():
    at = [-0.7, 0.4, 0.15]
    person, turned = PEOPLE["plain"], hk.transforms.from_rpy([0, 0, 0], at)
    seated = hk.access.seat(person, hk.access.chair("rear"))
    for one in (person, seated):
        frames = [one.with_base(place).model.frames(one.rest) for place in (at, turned)]
        np.testing.assert_array_equal(*frames)
    with pytest.raises(hk.ArgumentError, match="shape"):
        person.with_base([0.1, 0.2, 0.3, 0.4])


def test_places_count_from_the_origin():
    person = PEOPLE["plain"]
    twice = person.with_base(hk.transforms.from_rpy([0, 0, 1], [3, 3, 0])).with_base(T)
    once = person.with_base(T)
    np.testing.assert_array_equal(twice.model.frames(once.rest), once.model.frames(once.rest))
    with pytest.raises(hk.ModelError, match="rigid"):
        person.with_base(2 * np.eye(4))


def test_verdicts_go_with_the_person():
    person = PEOPLE["seated"]
    placed = person.with_base(T)
    shoulder = person.model.fk(person.rest, frame="upper_arm_right")[:3, 3]
    targets = shoulder + np.array([[0.4, -0.05, -0.1], [1.4, 0, 0], [0, 0, -2.0]])
    here = hk.access.reach(person, None, targets)
    there = hk.access.reach(placed, None, moved(targets))
    assert here.verdict.tolist() == there.verdict.tolist()
    assert here.verdict.tolist() == ["yes", "no", "no"]
    np.testing.assert_allclose(there.short, here.short, atol=2e-3)


def test_a_scene_is_touched_where_the_person_is():
    """A box in the trunk of a person at the origin is far from one who sits beside it."""
    person = PEOPLE["seated"]
    trunk = person.model.fk(person.rest, frame="trunk")
    scene = hk.Scene().add("box", hk.scene.Box([0.1, 0.1, 0.1]), pose=trunk)
    away = person.with_base(hk.transforms.from_rpy([0, 0, 0], [0, 1.5, 0]))
    alone = hk.Scene().distance(person, person.rest)
    assert scene.distance(person, person.rest) < 0 < alone
    assert scene.distance(away, away.rest) == pytest.approx(alone, abs=1e-12)
