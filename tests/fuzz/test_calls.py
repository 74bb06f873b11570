"""The fuzzer of batch calls: a short slice of it, with every kind of call in it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from calls import one_case


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    told: Counter[str] = Counter()
    with np.errstate(all="ignore"):
        failures = [one for seed in range(7000, 7020) for one in one_case(seed, told)]
    assert not failures
    kinds = ("momentum", "evaluate", "lower bound", "solutions", "stewart inverse")
    assert all(told[name] for name in kinds), told
    assert sum(count for name, count in told.items() if name.startswith("subproblem")), told


@pytest.mark.slow
def test_a_longer_slice_finds_nothing() -> None:
    with np.errstate(all="ignore"):
        failures = [one for seed in range(7020, 7040) for one in one_case(seed, Counter())]
    assert not failures
