"""Robots by name, out of the packages that are installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

import handik as hk
from handik.data import robots


def test_robots_that_are_installed_load() -> None:
    if not hk.robot.names():
        pytest.skip("needs the package example-robot-data")
    assert {"panda", "ur5", "talos_left_arm"} <= set(hk.robot.names())
    panda = hk.robot("panda", tip="panda_hand")
    assert panda.nq == 7
    q = panda.sample(seed=0)
    assert np.allclose(panda.fk(panda.solve(pose=panda.fk(q)).q), panda.fk(q), atol=1e-3)
    with pytest.raises(hk.NotFoundError, match="panda"):
        hk.robot("pnda")
    assert "panda" in repr(hk.robot)


def test_without_a_package_the_sentence_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise PackageNotFoundError(name)

    robots._files.cache_clear()
    monkeypatch.setattr(robots, "distribution", none)
    monkeypatch.setattr(robots, "find_spec", lambda name: None)
    try:
        assert hk.robot.names() == ()
        with pytest.raises(hk.UnsupportedError, match=r"pip install 'handik\[robots\]'"):
            hk.robot("panda")
    finally:
        robots._files.cache_clear()


def test_descriptions_are_listed_without_importing_them(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """robot_descriptions fetches a robot when its module is imported: a list must not do that."""
    from importlib.machinery import ModuleSpec
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "arm_description.py").write_text("raise SystemExit\nURDF_PATH = 1\n", "utf-8")
    (folder / "mjcf_description.py").write_text("MJCF_PATH = 1\n", "utf-8")
    spec = ModuleSpec("robot_descriptions", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(robots, "find_spec", lambda name: spec)
    assert "arm_description" in hk.robot.names()
    assert "mjcf_description" not in hk.robot.names()
