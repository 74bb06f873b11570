"""Arms of seven joints over values of the locked one: narrow intervals are found by halving.

Poses are made of postures inside the limits by forward kinematics, so that each has one.
"""

from __future__ import annotations

import numpy as np
import pytest
from dh_tables import HALF, IIWA
from robots import arm, installed

import handik as hk
from handik.closed import _samples, analytic

IIWA_LIMITS = np.deg2rad([170, 120, 170, 120, 170, 120, 175])


def narrow(seed: int) -> hk.Model:
    """Draw an arm with a spherical shoulder and wrist and narrow limits."""
    rng = np.random.default_rng(seed)
    table = np.zeros((7, 4))
    table[:, 3] = [-HALF, HALF, HALF, -HALF, -HALF, HALF, 0]
    table[[0, 2, 4, 6], 1] = 0.3, rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.5), 0.1
    low, high = -rng.uniform(0.3, 2, 7), rng.uniform(0.3, 2, 7)
    return hk.Model.from_dh(table, lower=low, upper=high)


def iiwa() -> hk.Model:
    return hk.Model.from_dh(IIWA, lower=-IIWA_LIMITS, upper=IIWA_LIMITS)


def check(model: hk.Model, poses: np.ndarray, found: hk.Solutions) -> None:
    """Every posture reaches its pose inside the limits, and its locked value is its own."""
    for k, pose in enumerate(poses):
        rows = found.q[k, : found.count[k]]
        assert np.abs(model.fk(rows) - pose).max(initial=0) < 1e-8
        assert ((rows >= model.lower) & (rows <= model.upper)).all()
        assert np.isnan(found.q[k, found.count[k] :]).all()


@pytest.mark.parametrize("make", [iiwa, *(lambda s=s: narrow(s) for s in range(4))])
def test_every_pose_that_has_a_posture_has_one_found(make, monkeypatch) -> None:
    model = make()
    poses = model.fk(model.sample(1000, seed=1))
    found = model.solutions(poses)
    assert (found.count > 0).mean() >= 0.999
    assert not found.complete.any()
    check(model, poses, found)
    monkeypatch.setattr(analytic, "HALVINGS", 0)
    fixed = model.solutions(poses)
    assert (fixed.count > 0).mean() < 0.999
    at = fixed.count > 0  # where a sample has one nothing is added
    most = fixed.q.shape[1]
    np.testing.assert_array_equal(found.q[at][:, :most], fixed.q[at])
    assert np.isnan(found.q[at][:, most:]).all()


@pytest.mark.skipif(not installed(), reason="example-robot-data is not installed")
def test_a_panda_with_its_own_limits() -> None:
    model = arm("panda")
    poses = model.fk(model.sample(1000, seed=2))
    found = model.solutions(poses)
    assert (found.count > 0).all()
    check(model, poses, found)


def test_it_says_how_many_values_it_took() -> None:
    model = narrow(0)
    poses = model.fk(model.sample(60, seed=1))
    fixed = model.solutions(poses[:1], samples=64)
    assert fixed.count[0] > 0
    assert "; 64 values of it" in fixed.description
    assert "up to" not in fixed.description
    said = model.solutions(poses, samples=2).description
    assert any(f"2 values of it, up to {2 * 2**k} where" in said for k in range(1, 7)), said


def test_the_cap_of_the_halvings_and_poses_that_need_none(monkeypatch) -> None:
    model, asked = narrow(1), []
    union = analytic.union
    monkeypatch.setattr(
        analytic,
        "union",
        lambda core, poses, values, threads: (
            asked.append((len(poses), len(values))) or union(core, poses, values, threads)
        ),
    )
    near = np.eye(4)  # inside the reach, but inside the first joint
    far = np.eye(4)
    far[0, 3] = 9.0
    none = np.full((4, 4), np.nan)
    found = model.solutions(np.array([far, none]), samples=3)
    assert asked == [(2, 3)]
    assert found.count.tolist() == [0, 0]
    asked.clear()
    found = model.solutions(np.array([near, far]), samples=3)
    assert asked == [(2, 3), *((1, 2**k) for k in range(1, 7))]
    assert found.count.tolist() == [0, 0]
    assert not found.complete.any()


@pytest.mark.parametrize("whole", [True, False])
def test_values_are_even_and_halvings_come_between_them(whole: bool) -> None:
    span = _samples.Span(-1.0, 3.0, whole)
    for samples in (1, 2, 5):
        every = np.concatenate([span.values(samples, k) for k in range(4)])
        assert len(np.unique(every)) == len(every)
        assert every.min() == -1
        assert every.max() <= 2
        parts = samples if whole else max(samples - 1, 1)
        gaps = np.diff(np.sort(every))
        np.testing.assert_allclose(gaps, 3 / (8 * parts), atol=1e-12)


def test_bytes_alone_and_in_parts(monkeypatch) -> None:
    model = narrow(2)
    poses = model.fk(model.sample(12, seed=3)).reshape(3, 4, 4, 4)
    whole = model.solutions(poses, samples=3)
    monkeypatch.setattr(_samples, "AT_ONCE", 7)
    parts = model.solutions(poses, samples=3, threads=2)
    assert parts.q.tobytes() == whole.q.tobytes()
    assert (parts.count == whole.count).all()
    for k in np.ndindex(3, 4):
        alone = model.solutions(poses[k], samples=3)
        assert alone.count == whole.count[k]
        assert alone.q.tobytes() == whole.q[k][: alone.count].tobytes()
        np.testing.assert_array_equal(alone.locked, whole.locked[k][: alone.count])


def test_no_poses_at_all() -> None:
    found = iiwa().solutions(np.zeros((0, 4, 4)))
    assert found.q.shape == (0, 0, 7)
    assert len(found.count) == 0
