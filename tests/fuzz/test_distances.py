"""The fuzzer of distances: a short slice of it, and faults planted in answers, which it must find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene.check import measure

pytest.importorskip("coal")
pytest.importorskip("scipy")

from distances import FAMILIES, Found, check_edges, check_figure, check_pairs, draw, truth


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = Found()
    for seed in range(len(FAMILIES)):
        check_pairs(seed, found, 60)
    assert not found.failures
    assert found.count["pairs"] == 60 * len(FAMILIES)
    assert len(found.worst) == len(FAMILIES)
    assert not found.count["untold"]


def test_figures_and_edges() -> None:
    found = Found()
    for seed in range(30):
        check_figure(seed, found, 3)
        check_edges(seed, found, 12)
    assert not found.failures
    assert min(found.count[word] for word in ("free", "collides", "undecided")) > 20
    assert found.count["free postures"] > 200


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_the_judges_agree(seed: int) -> None:
    """The search and the hull say what coal says, where coal is not near right angles."""
    from distances import judged

    _, case = draw(seed, 40, 1.0)
    if case.length == 0 or case.radius == 0:
        case.length, case.radius = 0.5, 0.1
    off = np.abs(judged(case) - truth(case, np.arange(40)))
    assert np.median(off) < 1e-10


def test_it_tells_a_distance_that_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    own = measure.distance

    def longer(*args: Any, **options: Any) -> Any:
        near = own(*args, **options)
        if isinstance(near, measure.Nearest):
            near.distance[0] += 1e-9
        return near

    monkeypatch.setattr(measure, "distance", longer)
    found = Found()
    check_pairs(2, found, 20, 1.0)
    assert any("coal" in failure for failure in found.failures)


def test_it_tells_a_proof_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    own = measure.proves

    def bold(*args: Any, **options: Any) -> Any:
        proof = own(*args, **options)
        proof.outcome[:] = "free"
        return proof

    monkeypatch.setattr(measure, "proves", bold)
    found = Found()
    for seed in range(6):
        check_edges(seed, found, 12)
    assert any("proved, but" in failure for failure in found.failures)


def test_a_wire_in_a_box_is_in_contact() -> None:
    """The place on the axis may be off the box by rounding: the depth tells."""
    rng = np.random.default_rng(0)
    body = hk.Figure(
        hk.chain([0.5], "ball"), [hk.Capsule("link_1", (-0.4, 0, 0), (0.4, 0, 0), 0.0)]
    )
    q = rng.normal(size=(400, 4))
    box = hk.Scene().add("box", hk.scene.Box([0.1, 0.2, 0.3]), [0.03, 0.02, 0.01])
    assert not box.free(body, q).any()
