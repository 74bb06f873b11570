"""A slice of the fuzzer of held joints."""

from __future__ import annotations

from collections import Counter

import held


def test_no_posture_contradicts_a_verdict_on_a_model_with_held_joints() -> None:
    count: Counter[str] = Counter()
    assert {seed: fault for seed in range(16) if (fault := held.wrong(seed, count, False))} == {}
    assert min(count["yes"], count["no"]) > 1
