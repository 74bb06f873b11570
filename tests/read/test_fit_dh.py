"""Tables fitted to chains pose the tip where the chain does, in both conventions."""

from __future__ import annotations

import numpy as np
import pytest
from _robots import ROBOTS
from hypothesis import given, settings
from hypothesis import strategies as st

from handik import Model, chain
from handik.errors import ArgumentError, UnsupportedError
from handik.files.read._geometry import pose, rpy_rotation
from handik.files.read.dh import from_dh
from handik.files.read.fit_dh import fit_dh
from handik.files.read.urdf import read_urdf
from handik.spec import JointSpec, LinkSpec, ModelSpec

BOTH = pytest.mark.parametrize("convention", ["standard", "modified"])
HALF = np.pi / 2


def check(spec, convention, tip=None, bound=1e-12):
    fit = fit_dh(spec, convention, tip)
    assert fit.residual < bound
    assert f"residual {fit.residual:.1e}" in str(fit)
    whole, table = Model(spec if tip is None else spec.chain(None, tip)), Model(fit.spec())
    q = np.random.default_rng(2).uniform(-2, 2, (20, table.nq))
    ours = whole.fk(q) if whole.tip else whole.fk(q, frame=tip)
    np.testing.assert_allclose(ours, table.fk(q, frame="tool"), rtol=0, atol=10 * bound)
    return fit


@BOTH
def test_a_planar_chain_has_parallel_axes(convention):
    fit = check(chain([0.3, 0.2, 0.1]).spec, convention)
    np.testing.assert_allclose(fit.table[:, 1], 0, atol=1e-15)
    np.testing.assert_allclose(fit.table[:, 3], 0, atol=1e-15)


def test_a_table_is_found_again():
    table = np.array(
        [
            [0.0, 0.67, 0.0, -HALF],
            [0.0, 0.2435, 0.4318, 0.0],
            [0.0, -0.0934, -0.0203, HALF],
            [0.0, 0.4331, 0.0, -HALF],
            [0.0, 0.0, 0.0, HALF],
            [0.0, 0.05, 0.0, 0.0],
        ]
    )
    for convention in ("standard", "modified"):
        again = check(from_dh(table), convention).table
        # Lengths of the common normals, and twists, are the arm's own.
        own = again[:, 2] if convention == "standard" else again[1:, 2]
        np.testing.assert_allclose(np.abs(own[:5]), np.abs(table[:5, 2]), atol=1e-13)
        twist = again[:, 3] if convention == "standard" else again[1:, 3]
        np.testing.assert_allclose(
            np.abs(np.sin(twist[:5])), np.abs(np.sin(table[:5, 3])), atol=1e-12
        )


@BOTH
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["R", "P"]),
            st.sampled_from([(0, 0, 0), (0.3, 0, 0), (0, 0, 0.2), (0.1, -0.2, 0.3)]),
            st.sampled_from(
                [(0, 0, 0), (HALF, 0, 0), (0, HALF, 0), (np.pi, 0, 0), (0.3, 0.5, 1.0)]
            ),
            st.sampled_from([(0, 0, 1), (1, 0, 0), (0, -1, 0), (1, 2, 3)]),
        ),
        min_size=1,
        max_size=7,
    )
)
@settings(max_examples=60, deadline=None)
def test_parallel_meeting_and_equal_axes(convention, rows):
    spec = ModelSpec("arm", [LinkSpec("l0")])
    for i, (kind, xyz, rpy, axis) in enumerate(rows, 1):
        spec.links.append(LinkSpec(f"l{i}"))
        spec.joints.append(
            JointSpec(
                f"j{i}",
                "revolute" if kind == "R" else "prismatic",
                f"l{i - 1}",
                f"l{i}",
                pose(xyz, rpy_rotation(*rpy)),
                tuple(map(float, axis)),
            )
        )
    check(spec, convention)


ARMS = [
    ("panda_description/urdf/panda.urdf", "panda_hand_tcp"),
    ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector"),
]


@BOTH
@pytest.mark.parametrize(("name", "tip"), ARMS)
@pytest.mark.skipif(not ROBOTS.exists(), reason="needs the package example-robot-data")
def test_real_arms(convention, name, tip):
    spec = read_urdf(ROBOTS / name)
    assert tip in {link.name for link in spec.links}
    # Files write their angles with few digits: nearly parallel axes meet metres away.
    check(spec, convention, tip, 1e-9)


def test_refusals():
    arm = chain([0.3, 0.2]).spec
    with pytest.raises(ArgumentError, match="convention"):
        fit_dh(arm, "craig")
    with pytest.raises(UnsupportedError, match="ball"):
        fit_dh(chain([0.3, 0.2], "ball").spec)
    with pytest.raises(ArgumentError, match="no moving joint"):
        fit_dh(ModelSpec("one", [LinkSpec("a")]))
