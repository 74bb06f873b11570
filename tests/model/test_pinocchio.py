"""Forward kinematics, Jacobians and motions against Pinocchio, on every robot it can read.

Pinocchio writes a continuous joint as a cosine and a sine, expands mimic joints into joints of
their own, and sorts joints by name; its free root moves in its own axes, ours in those of the
world. `Twin` translates.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _robots import ROBOTS

import handik as hk
from handik.files.read import load_spec
from handik.spec import JointSpec, LinkSpec

pin = pytest.importorskip("pinocchio")

# A file that holds <robot> and nothing else; Pinocchio refuses it too.
UNREADABLE = {"ur_description/urdf/ur3.urdf"}
#: Metres of position error allowed for each metre of reach, and radians.
TIGHT = 1e-12
DRAWS = 2
#: One file limits its propellers to 1e16 rad, where doubles are 2 rad apart.
WIDEST = 1e3


def urdf_files() -> list[str]:
    return sorted(str(path.relative_to(ROBOTS)) for path in ROBOTS.rglob("*.urdf"))


def free_spec(path: Path) -> hk.ModelSpec:
    """Put the tree of the file on a free joint."""
    spec = load_spec(path)
    root = spec.root
    spec.links.append(LinkSpec("free_base"))
    spec.joints.append(JointSpec("free_root", "free", "free_base", root))
    spec.base = None
    return spec


class Twin:
    """The same robot in handik and in Pinocchio, and the maps between their coordinates."""

    def __init__(self, path: Path, free: bool) -> None:
        self.free = free
        self.model = hk.Model(free_spec(path)) if free else hk.load(path)
        root = (pin.JointModelFreeFlyer(),) if free else ()
        self.other = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.other.createData()
        m = self.model
        # Each joint of one coordinate: (its joint in Pinocchio, coordinate, motion, scale, offset).
        self.joints = []
        for j, name in enumerate(m.joint_names):
            if m.joint_kinds[j] in ("fixed", "free"):
                continue
            step = int(m.joint_step[j])
            scale, offset = m.step_line[step]
            ours = self.other.joints[self.other.getJointId(name)]
            self.joints.append((ours, int(m.joint_q[j]), int(m.joint_v[j]), scale, offset))

    def q(self, q: np.ndarray) -> np.ndarray:
        out = pin.neutral(self.other)
        if self.free:
            out[:3] = q[:3]
            out[3:7] = q[[4, 5, 6, 3]]
        for joint, at, _, scale, offset in self.joints:
            x = scale * q[at] + offset
            out[joint.idx_q : joint.idx_q + joint.nq] = (
                [np.cos(x), np.sin(x)] if joint.nq == 2 else x
            )
        return out

    def expand(self, q: np.ndarray) -> np.ndarray:
        out = np.zeros((self.other.nv, self.model.nv))
        if self.free:
            w, x, y, z = q[3:7]
            turn = pin.Quaternion(w, x, y, z).toRotationMatrix()
            out[:3, :3] = turn.T
            out[3:6, 3:6] = np.eye(3)
        for joint, _, v, scale, _ in self.joints:
            out[joint.idx_v, v] = scale
        return out

    def samples(self) -> np.ndarray:
        q = self.model.sample(DRAWS, seed=3)
        q = np.concatenate([q, self.model.rest[None]])
        return np.clip(q, -WIDEST, WIDEST)

    def frame_ids(self) -> dict[int, int]:
        """Index of each of our frames -> Pinocchio's frame of that link."""
        kinds = pin.FrameType.BODY
        return {
            i: self.other.getFrameId(name, kinds)
            for i, name in enumerate(self.model.frame_names)
            if self.other.existFrame(name, kinds)
        }


@pytest.fixture(scope="module")
def files() -> list[str]:
    found = urdf_files()
    if not found:
        pytest.skip("example-robot-data is not installed")
    return found


def test_there_are_many_robots(files: list[str]) -> None:
    assert len(files) >= 50
    assert UNREADABLE <= set(files)


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_what_pinocchio_refuses_is_refused(name: str, files: list[str], capfd) -> None:
    with pytest.raises(hk.ReadError):
        hk.load(ROBOTS / name)
    with pytest.raises(ValueError, match="valid URDF"):
        pin.buildModelFromUrdf(str(ROBOTS / name))
    capfd.readouterr()


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])
@pytest.mark.parametrize("name", sorted(set(urdf_files()) - UNREADABLE))
def test_frames_and_jacobians(name: str, free: bool) -> None:
    twin = Twin(ROBOTS / name, free)
    model, ids = twin.model, twin.frame_ids()
    # Every link of the file, and no link is compared by accident of a missing name.
    assert len(ids) == len(model.frame_names) - free
    samples = twin.samples()
    poses = model.frames(samples)
    far = TIGHT * max(1.0, model.max_reach)
    if free:
        far = TIGHT * max(1.0, model.max_reach, np.abs(samples).max())
    for q, ours in zip(samples, poses, strict=True):
        theirs_q = twin.q(q)
        pin.forwardKinematics(twin.other, twin.data, theirs_q)
        pin.computeJointJacobians(twin.other, twin.data, theirs_q)
        pin.updateFramePlacements(twin.other, twin.data)
        expand = twin.expand(q)
        for frame, other in ids.items():
            want = twin.data.oMf[other].homogeneous
            np.testing.assert_allclose(ours[frame, :3, 3], want[:3, 3], rtol=0, atol=far)
            np.testing.assert_allclose(ours[frame, :3, :3], want[:3, :3], rtol=0, atol=TIGHT)
            if model.nv == 0:  # Pinocchio 4.1 crashes when it is asked for an empty Jacobian
                assert model.jacobian(q, frame=frame).shape == (6, 0)
                continue
            want = (
                pin.getFrameJacobian(
                    twin.other, twin.data, other, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
                )
                @ expand
            )
            # Pinocchio's Jacobian is made at the world's origin and moved from there: the sum
            # over mimic columns and the move cost it digits where many joints add up.
            got = model.jacobian(q, frame=frame)
            np.testing.assert_allclose(got[:3], want[:3], rtol=0, atol=far)
            np.testing.assert_allclose(got[3:], want[3:], rtol=0, atol=TIGHT)
    np.testing.assert_array_equal(model.fk(samples, frame=0), poses[:, 0])
    last = len(model.frame_names) - 1
    np.testing.assert_array_equal(model.fk(samples, frame=last), poses[:, last])


@pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])
@pytest.mark.parametrize(
    "name", ["pr2_description/urdf/pr2.urdf", "tiago_description/robots/tiago_dual.urdf"]
)
def test_motions(name: str, free: bool) -> None:
    """Integrate as Pinocchio does: poses after the motion agree, and difference undoes it."""
    twin = Twin(ROBOTS / name, free)
    model, rng = twin.model, np.random.default_rng(7)
    for q in twin.samples():
        v = rng.uniform(-1.5, 1.5, model.nv)
        moved = model.integrate(q, v)
        np.testing.assert_allclose(model.difference(q, moved), v, rtol=0, atol=1e-12)
        theirs = pin.integrate(twin.other, twin.q(q), twin.expand(q) @ v)
        if free:
            # Their base turns while it slides, ours slides and then turns: the turn agrees.
            theirs[:3] = moved[:3]
        pin.framesForwardKinematics(twin.other, twin.data, theirs)
        ours = model.frames(moved)
        for frame, other in twin.frame_ids().items():
            want = twin.data.oMf[other].homogeneous
            np.testing.assert_allclose(ours[frame], want, rtol=0, atol=TIGHT * 10)
