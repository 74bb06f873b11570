"""Models that come with handik."""

from __future__ import annotations

import numpy as np
import pytest
from _robots import ROBOTS

import handik as hk
from handik.data import names, source


def test_every_model_loads_and_has_a_source() -> None:
    assert names() == ("ball10", "planar9", "puma560", "ur5", "vp5243")
    for name in names():
        model = hk.data(name)
        assert model.name == name
        assert model.tip is not None
        assert len(source(name)) > 20


def test_chains_are_a_metre_long() -> None:
    assert hk.data("planar9").max_reach == pytest.approx(1.0, abs=1e-15)
    assert hk.data("planar9").joint_kinds == ("revolute",) * 9
    assert hk.data("ball10").joint_kinds == ("ball",) * 10


def test_the_function_stays_when_its_module_is_imported() -> None:
    import handik.data

    assert callable(handik.data)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(hk.NotFoundError, match="'ur6'; near names: ur5"):
        hk.data("ur6")
    with pytest.raises(hk.NotFoundError):
        source("../data/ur5")


@pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs the package example-robot-data")
def test_ur5_is_that_of_its_urdf() -> None:
    arm = hk.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf", tip="tool0")
    q = arm.sample(200, seed=0)
    # The URDF's base is turned by half a turn, and writes pi with eight digits.
    ours = hk.data("ur5").fk(q)[:, :3, 3] * [-1, -1, 1]
    assert np.abs(ours - arm.fk(q)[:, :3, 3]).max() < 1e-10


def test_puma_stands_where_its_table_says() -> None:
    puma = hk.data("puma560")
    # arm straight out along x: both links in line, the elbow offset above, the shoulder aside
    assert np.allclose(puma.fk(np.zeros(6))[:3, 3], [0.4318 + 0.0203, -0.15005, 0.4318])


def test_the_five_axis_arm_has_four_postures_and_says_what_is_assumed() -> None:
    assert "assumed" in source("vp5243")
    arm = hk.data("vp5243")
    pose = arm.fk(np.radians([30, 50, -60, 30, 40]))
    found = arm.solutions(pose)
    assert found.count == 4
    assert np.abs(arm.fk(found.q) - pose).max() < 1e-12
