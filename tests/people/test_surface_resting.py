"""Chest and wrist are read where the survey reads them: on the skin of who stands, arms at rest."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.skeleton._build import resting_arm
from handik.people.surface import _cuts, _limb, _regions, _resting
from handik.people.surface._data import BODY_SEXES, mesh
from handik.people.surface._fit import Fit, _begin, fit
from handik.people.surface._resting import Resting
from handik.people.surface._tape import cut, girth

UP = np.array([0.0, 0.0, 1.0])


def some() -> list[hk.people.Human]:
    drawn = [d for sex in BODY_SEXES for d in hk.population(2, sex=sex, seed=3)]
    return [hk.human(dimensions=d, position="standing") for d in drawn]


def arms() -> np.ndarray:
    return mesh().weight("upperarm", "lowerarm", "wrist", "metacarpal", "finger")


def test_the_posed_skin_has_the_girths_of_chest_and_wrist() -> None:
    """By planes through the skin of who stands: round the trunk alone, and across each forearm."""
    spatial = pytest.importorskip("scipy.spatial")
    m = mesh()
    trunk = m.edges[(arms() < 0.5)[m.edges].all(1)]
    for person in some():
        d, skin = person.dimensions, person.surface(person.rest).vertices
        around = cut(skin, trunk, np.array([0.0, 0.0, d["chest_height"]]), UP)
        assert spatial.ConvexHull(around[:, :2]).area == pytest.approx(
            d["chest_circumference"], abs=1e-3
        )
        assert np.ptp(around[:, 0]) == pytest.approx(d["chest_depth"], abs=2e-3)
        assert person.measure("chest_circumference") == pytest.approx(
            spatial.ConvexHull(around[:, :2]).area, abs=5e-4
        )
        for side in ("left", "right"):
            own = m.on_side(side, "lowerarm", "wrist", "metacarpal", "finger") > 0.5
            at = [
                person.model.fk(person.rest, frame=f"{k}_{side}")[:3, 3] for k in ("elbow", "wrist")
            ]
            axis = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
            ring = cut(skin, m.edges[own[m.edges].all(1)], at[1], axis)
            assert girth(ring, axis) == pytest.approx(d["wrist_circumference"], abs=1e-3)


def test_the_resting_arm_is_the_figures() -> None:
    for person in some()[::3]:
        poses = resting_arm(person.dimensions, joint_centers(person.dimensions, "standing"))
        for link, pose in poses.items():
            of_figure = person.model.fk(person.rest, frame=f"{link}_left")
            np.testing.assert_allclose(pose, of_figure, atol=1e-12, err_msg=link)


def test_what_is_moved_is_as_it_is_posed() -> None:
    for person in some():
        of, rest = person.surface._fit, person.surface.rest
        made = Resting(person.dimensions, of.at, of.arms["left"], rest[:, 2])(rest)
        rows = np.flatnonzero((made != rest).any(1))
        # digits are bent as they rest, beyond the tape
        rows = rows[mesh().on_side("left", "finger")[rows] == 0]
        assert len(rows) > 300
        skin = person.surface(person.rest).vertices
        np.testing.assert_allclose(made[rows], skin[rows], atol=1e-12)


def girth_of(found: Fit, d: Dimensions, tape: str) -> float:
    w = _begin(d, found.at, found.shape)
    return w.cuts.read(found.vertices, (tape,))[tape].girth


@pytest.mark.parametrize(
    ("home", "name", "enough", "little"),
    [(_resting, "_CHEST", 0.4, 0.01), (_regions, "_WRIST", 0.3, 0.02)],
)
def test_all_skin_is_moved_that_the_tape_may_touch(
    home, name, enough, little, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tape reads does not change with more of it, and would with much less."""
    kept = (_regions.wrist, _regions.edges_of, _regions.lifted, _cuts._every)
    tape = {"_CHEST": "chest", "_WRIST": "wrist"}[name]
    for d in (p.dimensions for p in some()):
        found = fit(d)

        usual = girth_of(found, d, tape)
        assert usual == pytest.approx(d[f"{tape}_circumference"], abs=1e-3)
        for value in (enough, little):
            monkeypatch.setattr(home, name, value)
            for cached in kept:
                cached.cache_clear()
            assert (abs(girth_of(found, d, tape) - usual) < 1e-12) == (value == enough)
        monkeypatch.undo()
        for cached in kept:
            cached.cache_clear()


def test_the_palm_is_as_thick_as_the_wrist_only_beside_it() -> None:
    d = hk.people.dimensions("female", percentile=50)
    slim, thick = (
        fit(Dimensions({**d, "wrist_circumference": girth}, d._conditional, drawn=True))
        for girth in (0.150, 0.165)
    )
    arm = slim.arms["left"]
    hand = mesh().on_side("left", "wrist", "metacarpal", "finger") > 0.999
    moved = np.linalg.norm(thick.vertices - slim.vertices, axis=1)
    long = np.linalg.norm(arm.digits[2, 3] - arm.wrist[1])
    beyond = (slim.vertices - arm.wrist[1]) @ arm.hand / long
    assert moved[hand & (beyond > _limb._PALM)].max() < 1e-4  # the shape is another, a little
    assert moved[hand & (beyond < 0.6 * _limb._PALM)].max() > 3e-4
    assert moved[hand & (beyond > 0.85 * _limb._PALM)].max() < 5e-4  # it fades
