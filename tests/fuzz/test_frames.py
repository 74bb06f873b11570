"""The fuzzer of frames at the application's server: a short slice of it."""

from __future__ import annotations

import pytest

pytest.importorskip("websockets", reason="websockets is not installed: pip install 'handik[app]'")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")

import frames


@pytest.mark.parametrize("seed", [1, 2])
def test_random_frames_neither_end_nor_hold_up_the_server(seed: int) -> None:
    assert not frames.run(seed, 700)
