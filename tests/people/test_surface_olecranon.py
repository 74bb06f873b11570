"""The point of a bent elbow is as low, on the skin, as the tape of elbow rest height has it."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.skeleton._landmarks import olecranon_below
from handik.people.surface import _olecranon
from handik.people.surface._data import BODY_SEXES, mesh
from handik.people.surface._fit import fit


def bent(d: Dimensions) -> tuple[float, float]:
    """Return how far the skin of a bent elbow is below its axis, and by how much too little."""
    sits = hk.human(dimensions=d)
    q = sits._hanging.copy()
    q[sits.model.joint_q_slices["elbow_flexion_right"]] = np.pi / 2
    axis = sits.model.fk(q, frame="elbow_right")[:3, 3]
    off = sits.surface(q).vertices - axis
    own = mesh().on_side("right", "upperarm", "lowerarm") > 0.5
    low = -off[own & (np.abs(off[:, 0]) < 0.025) & (np.linalg.norm(off, axis=1) < 0.09), 2].min()
    asked = axis[2] - sits._tape.points("seated", "elbow bent")["olecranon_right"][2]
    return float(low), float(asked - low)


@pytest.mark.parametrize("sex", BODY_SEXES)
def test_the_skin_of_a_bent_elbow_is_as_low_as_the_tape(sex: str) -> None:
    for percentile in (5, 50, 95):
        assert abs(bent(hk.people.dimensions(sex, percentile=percentile))[1]) < 2.5e-3
    off = np.array([bent(d)[1] for d in hk.population(12, sex=sex, seed=5)])
    assert np.median(abs(off)) < 1.5e-3  # 5 to 6 mm, were nothing moved
    assert abs(off).max() < 0.019


@pytest.mark.parametrize(("most", "name"), [(0.05, "MOST"), (-0.05, "LEAST")])
def test_flesh_is_moved_no_further_than_looks_well(
    most: float, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = hk.people.dimensions("male", percentile=50)
    by = {"MOST": 0.02, "LEAST": -0.02}[name]
    odd = Dimensions(
        {**d, "shoulder_elbow_length": d["shoulder_elbow_length"] + by}, d._conditional, drawn=True
    )
    kept, bound = fit(odd).vertices, getattr(_olecranon, name)
    monkeypatch.setattr(_olecranon, "MOST", 0.0)
    monkeypatch.setattr(_olecranon, "LEAST", 0.0)
    plain = fit(odd).vertices
    moved = np.linalg.norm(kept - plain, axis=1)
    assert moved.max() == pytest.approx(abs(bound), abs=1e-6)
    assert abs(bound) < 0.01  # beyond it a straight arm has a dent
    assert (mesh().weight("upperarm", "lowerarm")[moved > 0] > 0.5).all()
    monkeypatch.setattr(_olecranon, name, most)
    further = np.linalg.norm(fit(odd).vertices - plain, axis=1)
    assert further.max() > abs(bound) + 2e-3
    at = joint_centers(odd, "standing")
    low = olecranon_below(odd, odd["acromial_height"] - at["elbow_left"][2])
    assert low == pytest.approx(
        olecranon_below(d, d["acromial_height"] - at["elbow_left"][2]) + by, abs=1e-9
    )
