"""Arms at rest: beside the body by its own girths, so that nothing there is allowed to overlap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

import handik as hk
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.skeleton._aside import arms_aside
from handik.people.surface._data import mesh
from handik.scene.check import as_figure
from handik.scene.check._flesh import FLESH

ARM = ("forearm", "hand", "palm", "thumb", "index", "middle", "ring", "little")
BODY = (
    *("seat", "pelvis", "belly", "waist", "ribs", "chest", "armpits", "shoulders"),
    *("hip", "thigh", "knee", "shank"),
)
KINDS = [
    {"sex": "female", "percentile": (25, 10)},
    {"sex": "female", "percentile": 50},
    {"sex": "female", "stature": 1.6, "weight": 95},
    {"sex": "male", "percentile": (75, 3)},
    {"sex": "male", "percentile": 50},
    {"sex": "male", "stature": 1.775, "weight": 115},
]
#: Meters by which the round capsule at the waist of a heavy man who sits is broader than his skin:
#: his belly lies on the thighs, and the capsule is as round as that is deep.
ROUNDER = 0.01


def angle(person: hk.Human) -> float:
    """How far aside the right upper arm points at rest, radians."""
    ends = (person.model.fk(person.rest, frame=f"{k}_right")[:3, 3] for k in ("shoulder", "elbow"))
    shoulder, elbow = ends
    way = (elbow - shoulder) / np.linalg.norm(elbow - shoulder)
    assert abs(way[0]) < 1e-9  # neither forward nor backward
    return float(np.arctan2(-way[1], -way[2]))


def worst(person: hk.Human) -> tuple[float, str]:
    """The most that forearm or hand may overlap trunk or thigh, and which pair."""
    figure = as_figure(person)
    out = (0.0, "")
    for (a, b), gives in figure.allowance.items():
        one, other = sorted((figure.names[a], figure.names[b]), key=lambda k: not k.startswith(ARM))
        if one.startswith(ARM) and other.startswith(BODY):
            out = max(out, (gives, f"{one} {other}"))
    return out


@pytest.mark.parametrize("body", ["fitted", "plain"])
@pytest.mark.parametrize("position", ["standing", "seated"])
def test_forearms_and_hands_may_press_into_flesh_and_no_more(position: str, body: str) -> None:
    people = [hk.human(**who, position=position, body=body) for who in KINDS]
    people += [
        hk.human(dimensions=d, position=position, body=body)
        for sex in ("female", "male")
        for d in hk.population(2, sex=sex, seed=12)
    ]
    rounder = ROUNDER if (position, body) == ("seated", "fitted") else 0.0
    for person in people:
        gives, pair = worst(person)
        assert gives <= FLESH + rounder + 1e-9, (person, pair)


def test_the_skin_of_a_resting_arm_is_off_the_body() -> None:
    """Where a belly over the lap makes the waist's capsule rounder than it is broad, arms overlap that alone."""
    m = mesh()
    bone = np.array(m.bones)[m.bone[np.arange(m.skin), m.share[: m.skin].argmax(1)]]
    arm = [name.startswith(("lowerarm", "wrist", "finger")) and "right" in name for name in bone]
    body = [name.startswith(("spine", "root", "upperleg")) for name in bone]
    for who in KINDS:
        person = hk.human(**who, position="seated")
        skin = person.surface(person.rest).vertices[: m.skin]
        assert cKDTree(skin[body]).query(skin[arm])[0].min() > 0.015, who


def test_the_angle_follows_from_girths() -> None:
    """Broader hips, thicker forearms, a lower elbow: further aside, each by itself."""
    for position in ("standing", "seated"):
        found = [np.degrees(angle(hk.human(**who, position=position))) for who in KINDS]
        assert found[0] < found[1] < found[2]
        assert found[3] < found[4] < found[5]
        assert 2 < min(found) < 8 < max(found) < 20
    anna = hk.human(sex="female").dimensions
    at = joint_centers(anna, "standing")
    for seated, names in (
        (True, ("hip_breadth_sitting", "forearm_circumference_flexed")),
        (False, ("hip_breadth", "forearm_circumference_flexed")),
    ):
        base = arms_aside(anna, at, seated)
        for name in names:
            values = dict(anna) | {name: 1.2 * anna[name]}
            assert arms_aside(_With(anna, values), at, seated) > base + 0.005, name


def test_nine_people_in_ten_hold_them_5_to_19_degrees_aside() -> None:
    """As the docs say: the 5th percentile of who holds them nearest, the 95th of who farthest."""
    of = {
        (sex, seated): np.degrees(
            [arms_aside(d, joint_centers(d, "standing"), seated) for d in people]
        )
        for sex in ("female", "male")
        for people in [hk.population(120, sex=sex, seed=7, whiten=True)]
        for seated in (False, True)
    }
    low, high = np.array([np.percentile(a, [5, 95]) for a in of.values()]).T
    assert round(low.min()) == 5
    assert round(high.max()) == 19


class _With(dict):
    """Dimensions of a person, some others."""

    def __init__(self, d: Dimensions, values: dict[str, float]) -> None:
        super().__init__(values)
        self.sex = d.sex


def test_the_tape_is_laid_on_hanging_arms() -> None:
    """The breadth across the shoulders is that of the protocol, not of the posture at rest."""
    bob = hk.human(sex="male")
    q = bob._hanging
    elbow = {k: bob.model.fk(k_q, frame="elbow_right")[:3, 3] for k, k_q in
             (("rest", bob.rest), ("hanging", q))}  # fmt: skip
    shoulder = bob.model.fk(q, frame="shoulder_right")[:3, 3]
    np.testing.assert_allclose((elbow["hanging"] - shoulder)[:2], 0, atol=1e-9)
    aside = (bob.model.fk(bob.rest, frame="shoulder_right")[:3, 3] - elbow["rest"])[1]
    upper = np.linalg.norm(elbow["hanging"] - shoulder)
    assert aside == pytest.approx(upper * np.sin(angle(bob)), rel=1e-6)
    breadth = bob.dimensions["bideltoid_breadth"]
    assert bob.measure("bideltoid_breadth") == pytest.approx(breadth, abs=2e-3)


@pytest.mark.parametrize("limits", ["cone", "box"])
def test_the_posture_at_rest_is_inside_the_limits(limits: str) -> None:
    for who in KINDS:
        person = hk.human(**who, limits=limits)
        np.testing.assert_allclose(person.model.clip(person.rest), person.rest, atol=1e-12)
        np.testing.assert_allclose(person.model.clip(person._hanging), person._hanging, atol=1e-12)


@pytest.mark.parametrize("who", KINDS)
def test_a_hand_is_dragged_from_rest_beside_seat_and_body(who: dict[str, object]) -> None:
    """No step is blocked that goes away from what is there, and the hand gets there."""
    person = hk.human(**who)
    d = person.dimensions
    height = d["popliteal_height"]
    scene = (
        hk.Scene()
        .add("seat", hk.scene.Box((0.45, 0.9 * d["hip_breadth_sitting"], 0.06)), [0, 0, height - 0.03])
        .add("floor", hk.scene.Plane())
    )  # fmt: skip
    assert scene.free(person, person.rest)
    drag = hk.plan.Drag(
        person.model, "hand_right", q0=person.rest, scene=scene, figure=as_figure(person)
    )
    start = drag.point
    for share in np.linspace(0.1, 1, 10):
        step = drag.to(start + share * np.array([0.25, -0.15, 0.1]))
        assert step.converged, share
        assert not step.blocked
        assert scene.free(person, step.q)
