"""Joints that follow a sum of others: the motion, the solvers, the files, the refusals."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.files.read import JointSpec, LinkSpec, ModelSpec
from handik.files.read.toml import read_toml
from handik.files.read.urdf import read_urdf
from handik.files.write.toml import to_toml
from handik.files.write.urdf import to_urdf

AXES = {
    "sternum": (0, -1, 0), "blade": (0.6, -0.8, 0), "plane": (0, 0, 1), "elevation": (0, -1, 0),
    "axial": (0, 0, 1),
}  # fmt: skip
RATIOS = {"sternum": {"elevation": 0.15}, "blade": {"elevation": 0.35, "plane": -0.1, "axial": 0.2}}
OFFSETS = {"sternum": 0.02, "blade": -0.03}


def free_shoulder() -> ModelSpec:
    joints, above = [], "thorax"
    for k, (name, axis) in enumerate(AXES.items()):
        place = np.eye(4)
        place[:3, 3] = (0.1, 0.02 * k, 0.03)
        limits = (-0.5, 2.0) if name == "elevation" else (-1.5, 1.5)
        joints.append(
            JointSpec(name, "revolute", above, f"{name}_link", place, axis, None, *limits)
        )
        above = f"{name}_link"
    spec = ModelSpec("shoulder", [LinkSpec("thorax"), *(LinkSpec(j.child) for j in joints)], joints)
    hand = np.eye(4)
    hand[2, 3] = -0.6
    spec.links.append(LinkSpec("hand"))
    spec.joints.append(JointSpec("end", "fixed", above, "hand", hand))
    return spec


def shoulder() -> ModelSpec:
    spec = free_shoulder()
    for name, ratios in RATIOS.items():
        spec.couple(name, ratios, OFFSETS[name])
    return spec


def test_motion_is_that_of_the_sum() -> None:
    coupled, free = hk.Model(shoulder()), hk.Model(free_shoulder())
    assert coupled.nq == 3
    for q in coupled.sample(20, seed=1):
        values = {
            n: float(q[coupled.joint_q_slices[n]][0]) for n in ("plane", "elevation", "axial")
        }
        whole = np.zeros(5)
        for name, part in free.joint_q_slices.items():
            ratios = RATIOS.get(name, {name: 1.0})
            whole[part] = OFFSETS.get(name, 0.0) + sum(r * values[n] for n, r in ratios.items())
        np.testing.assert_allclose(
            coupled.fk(q, frame="hand"), free.fk(whole, frame="hand"), atol=1e-14
        )


def test_jacobian_by_differences() -> None:
    model = hk.Model(shoulder())
    for q in model.sample(5, seed=2):
        for k in range(3):
            step = np.zeros(3)
            step[k] = 1e-6
            far, near = (model.fk(q + s * step, frame="hand")[:3, 3] for s in (1, -1))
            column = model.jacobian(q, frame="hand")[:3, k]
            np.testing.assert_allclose(column, (far - near) / 2e-6, atol=1e-8)


REACHED = {"auto": 1.0, "hybrid": 1.0, "fabrik_fast": 0.98, "ccd_fast": 0.95}
REACHED |= dict.fromkeys(("lm", "dls", "fabrik", "ccd"), 0.6)


@pytest.mark.parametrize("solver", REACHED)
def test_solvers_reach_with_it(solver: str) -> None:
    model = hk.Model(shoulder())
    targets = model.fk(model.sample(60, seed=3), frame="hand")[:, :3, 3]
    result = model.solve(position=targets, frame="hand", solver=solver, position_tolerance=1e-3)
    assert result.converged.mean() >= REACHED[solver]
    assert np.all((result.q >= model.lower - 1e-12) & (result.q <= model.upper + 1e-12))


def test_files_keep_it() -> None:
    spec = shoulder()
    q = hk.Model(spec).sample(5, seed=4)
    want = hk.Model(spec).fk(q, frame="hand")
    for back in (read_toml(to_toml(spec).encode()), read_urdf(to_urdf(spec, []).encode())):
        np.testing.assert_allclose(hk.Model(back).fk(q, frame="hand"), want, atol=1e-12)


def test_slides_add_up() -> None:
    links = [LinkSpec(name) for name in "abcd"]
    joints = [
        JointSpec("one", "prismatic", "a", "b", axis=(1, 0, 0), lower=-1, upper=1),
        JointSpec("two", "prismatic", "b", "c", axis=(0, 1, 0), lower=-1, upper=1),
        JointSpec("sum", "prismatic", "c", "d", axis=(0, 0, 1)),
    ]
    spec = ModelSpec("slides", links, joints)
    spec.couple("sum", {"one": 2.0, "two": -3.0}, 0.5)
    place = hk.Model(spec).fk([0.3, 0.2], frame="d")[:3, 3]
    np.testing.assert_allclose(place, [0.3, 0.2, 0.5 + 0.6 - 0.6], atol=1e-15)


@pytest.mark.parametrize(
    ("name", "ratios", "word"),
    [
        ("blade", {}, "needs ratios"),
        ("blade", {"plane": 0.0}, "not zero"),
        ("blade", {"plane": np.inf}, "finite"),
        ("blade", {"blade": 1.0}, "one coordinate"),
        ("end", {"plane": 1.0}, "one coordinate"),
        ("sternum", {"plane": 0.1}, "already"),
        ("plane", {"elevation": 2.0}, "beyond its limits"),
    ],
)
def test_wrong_couplings_are_named(name: str, ratios: dict[str, float], word: str) -> None:
    spec = free_shoulder()
    spec.couple("sternum", {"elevation": 0.15})
    before = to_toml(spec)
    with pytest.raises(hk.ModelError, match=word):
        spec.couple(name, ratios)
    with pytest.raises(hk.NotFoundError):
        spec.couple(name, {"nobody": 1.0})
    assert to_toml(spec) == before
