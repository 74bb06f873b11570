"""The breadth across the shoulders, on the skin: met, by flesh that no girth notices."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.people.surface import _surface
from handik.people.surface._data import mesh
from handik.people.surface._deltoid import LEAST, MOST, bideltoid, outward


def test_breadth_across_the_shoulders_is_within_five_millimeters() -> None:
    people = [hk.human(dimensions=d) for sex in ("female", "male")
              for d in hk.population(5, sex=sex, seed=3)]  # fmt: skip
    off = np.array([p.measure("bideltoid_breadth") - p.dimensions["bideltoid_breadth"]
                    for p in people])  # fmt: skip
    assert np.mean(abs(off) <= 0.005) >= 0.9
    assert abs(off).max() < 0.025
    assert people[0].measure("hip_breadth_sitting") == pytest.approx(
        people[0].dimensions["hip_breadth_sitting"], abs=0.005
    )


def test_no_girth_is_changed_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer flesh of the shoulder goes aside, lower down the arm as it is."""
    bob = hk.human(sex="male", weight=105.0, position="standing")
    with_it = bob.surface
    monkeypatch.setattr(_surface, "MOST", 0.0)
    monkeypatch.setattr(_surface, "LEAST", 0.0)
    without = hk.human(sex="male", weight=105.0, position="standing").surface
    wider = bideltoid(with_it(bob._hanging).vertices) - bideltoid(without(bob._hanging).vertices)
    assert 0.02 < wider < 2 * MOST
    for name, value in without.measured.items():
        if name == "volume":
            assert 1.0 < with_it.measured[name] / value < 1.02
        else:
            assert with_it.measured[name] == pytest.approx(value, abs=0.003), name
    moved = np.linalg.norm(with_it.rest - without.rest, axis=1)
    assert 0.5 * wider - 1e-3 < moved.max() <= 0.5 * wider + 1.5e-3
    heights = with_it.rest[moved > 1e-4, 2]
    assert heights.min() > 0.5 * bob.dimensions["stature"]  # arms alone
    assert (np.abs(with_it.rest[moved > 1e-4, 1]) > 0.08).all()


def test_the_calliper_lies_on_the_deltoids_and_not_on_the_elbows() -> None:
    """Slim arms under broad joints: by a ruler of its own, the elbow's bones are further out."""
    eve = hk.human(sex="female", dimensions={
        "stature": 1.6, "weight": 55.0, "biacromial_breadth": 0.390, "bideltoid_breadth": 0.425,
        "biceps_circumference_flexed": 0.265,
    })  # fmt: skip
    assert eve.measure("bideltoid_breadth") == pytest.approx(0.425, abs=1e-3)
    v = eve.surface(eve._hanging).vertices
    own = mesh().on_side("left", "shoulder01", "upperarm", "lowerarm") > 0.5
    frames = dict(zip(eve.model.frame_names, eve.model.frames(eve._hanging), strict=True))
    high, low = (frames[f"{k}_left"][2, 3] for k in ("upper_arm", "forearm"))
    middle = low + 0.55 * (high - low)
    out = {True: 0.0, False: 0.0}
    for above in out:
        out[above] = 2 * v[own & ((v[:, 2] > middle) == above) & (v[:, 2] > low - 0.03), 1].max()
    assert out[True] == pytest.approx(0.425, abs=2e-3)
    assert out[False] > out[True] + 5e-3


def test_flesh_is_moved_square_to_the_arm_and_both_sides_alike() -> None:
    made = hk.human(sex="female", position="standing").surface
    out = made.rest + 0.01 * outward(made.rest, made._fit.arms) - made.rest
    arm = made._fit.arms["left"]
    bone = arm.elbow[1] - arm.link
    left = out[(np.abs(out).max(1) > 1e-6) & (made.rest[:, 1] > 0)]
    assert abs(left @ bone).max() < 1e-12
    right = out[(np.abs(out).max(1) > 1e-6) & (made.rest[:, 1] < 0)]
    assert np.linalg.norm(right, axis=1).max() == pytest.approx(
        np.linalg.norm(left, axis=1).max(), rel=1e-3
    )
    assert LEAST < 0 < MOST
