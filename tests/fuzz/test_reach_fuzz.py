"""The fuzzer of reach: a short slice of it, a fault planted in the verdicts, and 10,000 proofs of more than the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reach as fuzz
import reach_samples as samples
import reach_yes as known

import handik as hk


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.some_figures(7000, 12)
    assert not found.failures
    assert found.count["no"] >= 20
    assert found.count["yes"] >= 8
    assert found.count["asked for more"] >= 100


def test_it_tells_a_false_no(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = hk.access.reach, fuzz.Found()

    def says_no(*args: object, **named: object) -> list[hk.access.Reach]:
        return [
            replace(one, verdict="no", short=(0.4, one.short[1])) for one in own(*args, **named)
        ]

    monkeypatch.setattr(hk.access, "reach", says_no)
    for seed in range(7000, 7006):
        fuzz.check_figure(seed, found)
    assert any("no, and a posture" in failure for failure in found.failures)
    assert any("short 0.4" in failure for failure in found.failures)


def test_postures_that_climb_towards_a_target_contradict_no_verdict() -> None:
    found = samples.Found()
    samples.some_postures(60_000, 2, 8, found)
    assert not found.failures
    assert found.verdicts["no"] >= 4


def test_they_tell_a_bound_that_is_a_little_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = hk.access.reach, samples.Found()

    def says_more(*args: object, **named: object) -> list[hk.access.Reach]:
        return [
            replace(one, short=(one.short[0] + 0.006, one.short[1])) for one in own(*args, **named)
        ]

    monkeypatch.setattr(hk.access, "reach", says_more)
    samples.some_postures(60_000, 2, 8, found)
    assert found.failures


def test_its_kinematics_are_the_model_s() -> None:
    """The limits and places that it draws are those of the model: its hull holds the model's own draws, and the other way."""
    rng = np.random.default_rng(3)
    for seed in range(7000, 7008):
        model, frame = fuzz.figure(np.random.default_rng(seed))
        mine = fuzz.tips(rng, model, 4000)
        theirs = model.fk(model.sample(4000, seed=seed), frame=frame)[:, :3, 3]
        way = rng.normal(size=(3, 20))
        wide = np.ptp(mine @ way, axis=0)
        assert ((theirs @ way).max(0) < (mine @ way).max(0) + 0.15 * wide).all()
        assert ((mine @ way).max(0) < (theirs @ way).max(0) + 0.6 * wide).all()


@pytest.mark.slow
def test_ten_thousand_times_more_than_the_truth_is_asked() -> None:
    found = fuzz.Found()
    for make, frame in (
        (hk.human(sex="male", stature=1.75).model, "grip_right"),
        (fuzz.figure(np.random.default_rng(7003))[0], "tip"),
    ):
        reached = make.fk(make.sample(20000, seed=2), frame=frame)[:, :3, 3]
        for k in range(50):
            fuzz.more_than_the_truth(k, found, make, frame, reached, 100)
    assert found.count["asked for more"] >= 10_000
    assert not found.failures


def test_places_that_a_posture_reaches_are_no_no(monkeypatch: pytest.MonkeyPatch) -> None:
    found = known.run(40, 2)
    assert not found.failures
    assert sum(found.count[f"{kind} yes"] for kind in ("obstacles", "stop", "turn")) >= 3
    own = hk.access.reach
    monkeypatch.setattr(
        hk.access, "reach", lambda *args, **named: replace(own(*args, **named), verdict="no")
    )
    assert known.run(40, 1).failures
