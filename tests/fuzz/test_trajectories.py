"""A slice of the fuzzer of trajectories, and what it found."""

from __future__ import annotations

import numpy as np
import trajectories as fuzz

import handik as hk


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.some(7, 40)
    assert not found.failures
    assert found.made == 40
    assert found.most > 0.999


def test_a_gentle_law_is_looked_at_in_each_corner_that_one_of_its_pieces_passes() -> None:
    """At an even speed over four corners, one of which turns back: 3.5 % over, once."""
    q = np.zeros((6, 2))
    q[:, 0] = np.array([-215.9, -86.0, -215.9, 4.2, -178.5, -249.9]) * 1e-5
    given = {"max_speed": [0.069, 0.08], "max_acceleration": [5.24e-3, 84], "max_jerk": 3.84}
    made = hk.plan.trajectory(hk.chain([0.3] * 2), q, blend=0.3, **given)
    _, v, a = made.sample(np.linspace(0, made.duration, 20000))
    assert 0.9 < (np.abs(a) / given["max_acceleration"]).max() <= 1
    assert (np.abs(v) / given["max_speed"]).max() <= 1
