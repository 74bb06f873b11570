"""Sweeps: the verdicts are those of each case alone, what follows is followed from, what serves most."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError
from handik.people._interval import wilson
from handik.problem.terms import Capsule

LENGTHS = (0.2, 0.25, 0.3, 0.35)
ARMS = [hk.chain([0.3, length]) for length in LENGTHS]
HEIGHTS = np.round(np.arange(-0.9, 0.91, 0.05), 2).tolist()


def at(height: float) -> list[list[float]]:
    return [[0.3, height, 0.0]]


@pytest.mark.parametrize("within", [np.inf, 2e-3])
def test_verdicts_are_those_of_each_case_alone_and_shorts_hold_the_truth(within: float) -> None:
    found = hk.access.sweep(ARMS, {y: at(y) for y in HEIGHTS}, within=within)
    assert found.values.tolist() == HEIGHTS
    for y, share in zip(HEIGHTS, found.shares, strict=True):
        alone = hk.access.share(ARMS, None, at(y))
        assert share.verdict.tolist() == alone.verdict.tolist()
        assert share.interval == alone.interval
        assert sum(cause.people for cause in share.causes) == (share.people != "yes").sum()
        for length, (least, most) in zip(LENGTHS, share.short[:, 0], strict=True):
            true = max(np.hypot(0.3, y) - 0.3 - length, 0)
            assert least <= true + 1e-9
            assert true <= most + 1e-3
    assert 0 < found.reused < (np.array([s.people for s in found.shares]) == "no").sum()


def test_what_is_d_away_follows_only_while_short_by_more_than_d() -> None:
    """The arm reaches 0.5: at 0.9 and 1.0 it is short by 0.4 and 0.5; 0.55 is 0.45 from the end."""
    arm, places = ARMS[:1], (0.51, 0.55, 1.0)
    assert hk.access.sweep(arm, {x: [[x, 0, 0]] for x in (-0.4, 0.55, 1.0)}).reused == 1
    assert hk.access.sweep(arm, {x: [[x, 0, 0]] for x in (-0.4, 0.49, 1.0)}).reused == 0
    found = hk.access.sweep(arm, {x: [[x, 0, 0]] for x in places}, tolerance=0.02)
    assert [share.share for share in found.shares] == [1, 0, 0]


def scene(height: float, *, block: bool) -> hk.Scene:
    out = hk.Scene().add("grip", hk.scene.Target("point"), [0.3, height, 0.0])
    return out.add("block", hk.scene.Box([0.3, 0.3, 0.3]), [0.35, 0.1, 0]) if block else out


def test_obstacles_of_one_case_say_nothing_of_another() -> None:
    """A target deep in a block is a no there alone."""
    arms = [hk.Figure(arm, [Capsule(arm.tip, (-0.1, 0, 0), (0, 0, 0), 0.01)]) for arm in ARMS]
    cases = {0.1: scene(0.1, block=True), 0.101: scene(0.101, block=False)}
    found = hk.access.sweep(arms, cases, "grip")
    assert [share.share for share in found.shares] == [0, 1]
    assert found.shares[0].causes[0].what == "block"
    assert (found.best, found.reused) == ((0.101,), 0)
    for k, (value, case) in enumerate(cases.items()):
        alone = hk.access.share(arms, case, "grip")
        assert found.shares[k].verdict.tolist() == alone.verdict.tolist(), value


def test_what_the_joints_forbid_holds_in_every_scene() -> None:
    arms = [hk.Figure(arm, [Capsule(arm.tip, (-0.1, 0, 0), (0, 0, 0), 0.01)]) for arm in ARMS]
    cases = {0.9: scene(0.9, block=True), 0.95: scene(0.95, block=False)}
    found = hk.access.sweep(arms, cases, ["grip"])
    assert [share.no for share in found.shares] == [1, 1]
    assert found.reused == len(arms)


def test_places_threads_progress_and_what_serves_most() -> None:
    step = np.eye(4)
    step[0, 3] = 0.4
    told: list[tuple[int, int]] = []
    cases = {x: [[x, 0, 0]] for x in (0.55, 0.2, 0.9, 0.95)}
    options = {"places": [step, np.eye(4)]}
    found, again = (
        hk.access.sweep(ARMS, cases, threads=k, progress=lambda *at: told.append(at), **options)
        for k in (1, 3)
    )
    assert told == [(k, 4) for k in (1, 2, 3, 4)] * 2
    assert found.values.tolist() == [0.2, 0.55, 0.9, 0.95]
    assert found.best == (0.2, 0.55, 0.9)
    for one, other, value in zip(found.shares, again.shares, found.values, strict=True):
        assert one.verdict.tobytes() == other.verdict.tobytes()
        assert one.short.tobytes() == other.short.tobytes()
        alone = hk.access.share(ARMS, None, [[value, 0, 0]], **options)
        assert alone.verdict.tolist() == one.verdict.tolist()
    assert found.shares[3].interval == wilson(3, 4, 0.95)


def test_what_cannot_be_swept_is_said() -> None:
    here = scene(0.1, block=False)
    with pytest.raises(ArgumentError, match="need tasks"):
        hk.access.sweep(ARMS, {0.1: here})
    with pytest.raises(ArgumentError, match="give no tasks"):
        hk.access.sweep(ARMS, {0.1: at(0.1)}, "grip")
    with pytest.raises(ArgumentError, match="same names"):
        hk.access.sweep(ARMS, {0.1: {"a": [0.1, 0, 0]}, 0.2: {"b": [0.1, 0, 0]}})
    with pytest.raises(ArgumentError, match="must be a mapping"):
        hk.access.sweep(ARMS, [at(0.1)])
    with pytest.raises(TypeError, match="a value of cases"):
        hk.access.sweep(ARMS, {"high": at(0.1)})
    empty = hk.access.sweep(ARMS, {})
    assert (empty.shares, empty.best, empty.reused) == ((), (), 0)
    nobody = hk.access.sweep([], {0.1: at(0.1)})
    assert nobody.best == ()


def test_either_hand_is_asked_of_every_case() -> None:
    anna = hk.human(sex="female", stature=1.62)
    high = {z: [[0.3, -0.2, z]] for z in (2.6, 2.65)}
    assert hk.access.sweep([anna], high, hand="either").reused == 0
    assert hk.access.sweep([anna], high).reused == 1
