"""A slice of the fuzzer of skins."""

from __future__ import annotations

import numpy as np
import skins as fuzz


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    assert fuzz.one(3, whole=False)[1] < fuzz.NEAR


def test_it_finds_a_jump() -> None:
    share, far = fuzz.jump(lambda k: np.full((2, 3), k + 0.02 * (k > 0.3)))
    assert abs(share - 0.3) < 1e-6
    assert abs(far - 0.02 * 3**0.5) < 1e-6
