"""The fuzzer of paths: a short slice of it, and faults planted in paths, which it must find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import handik as hk

pytest.importorskip("coal")
pytest.importorskip("scipy")

import paths
from distances import Found


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = Found()
    for seed in (
        16,
        18,
        20,
        23,
        32,
        34,
        36,
        37,
        151,
        471,
    ):  # quick ones; 151 and 471: a curve left a ball's cone
        paths.check_path(seed, found)
    assert not found.failures
    assert found.count["found"] + found.count["kept, found"] >= 8
    assert found.count["places"] > 2000
    assert found.count["kept places"] > 10


def straight(way: Any) -> Any:
    return replace(way, q=way.q[[0, -1]])


def other_end(way: Any) -> Any:
    q = way.q.copy()
    q[-1, 0] += 1e-7
    return replace(way, q=q)


def mute(way: Any) -> Any:
    return replace(way, outcome="blocked", reason="")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (straight, "in contact"),
        (other_end, "other ends"),
        (mute, "without a reason"),
    ],
)
def test_planted_faults_are_found(monkeypatch: pytest.MonkeyPatch, fault: Any, said: str) -> None:
    real = hk.plan.path

    def faulty(*args: Any, **given: Any) -> Any:
        way = real(*args, **given)
        return fault(way) if way and len(way.q) > 2 else way

    monkeypatch.setattr(hk.plan, "path", faulty)
    failures: list[str] = []
    for seed in (36, 34, 23, 20):
        found = Found()
        paths.check_path(seed, found)
        failures += found.failures
        if any(said in failure for failure in failures):
            return
    pytest.fail(f"not found: {said}; {np.array(failures)}")
