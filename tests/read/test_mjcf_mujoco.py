"""Bodies and sites read from MJCF stand where MuJoCo puts them, and weigh what it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from handik import Model
from handik.errors import ReadError
from handik.files.read.mjcf import read_mjcf

mujoco = pytest.importorskip("mujoco", reason="needs the package mujoco")

#: What the reader refuses by name, and why; nothing else may fail.
REFUSED = ("cannot be read: write out the bodies", "there is no <worldbody>")


def models():
    found = []
    for package in ("gymnasium", "dm_control"):
        where = importlib.util.find_spec(package)
        if where is not None and where.origin is not None:
            found += sorted(Path(where.origin).parent.glob("**/*.xml"))
    return [path for path in found if b"<mujoco" in path.read_bytes()[:4096]]


FILES = models()


def coordinates(model, native, seed):
    """Return random coordinates of ours, and the qpos of MuJoCo that has the same by name."""
    random = np.random.default_rng(seed)
    q = random.uniform(-1.2, 1.2, model.nq)
    joints = {joint.name: joint for joint in model.spec.joints}
    moving = [joint for joint in model.spec.ordered_joints() if joint.nq]
    assert len(moving) == native.njnt
    values = {}
    for joint in moving:
        if joint.name in model.joint_q_slices:
            part = q[model.joint_q_slices[joint.name]]
            if joint.kind in ("ball", "free"):
                part[-4:] /= np.linalg.norm(part[-4:])
            values[joint.name] = part
    qpos = np.zeros(native.nq)
    for i, joint in enumerate(moving):
        scale, offset, master = 1.0, 0.0, joint
        while master.mimic is not None:
            offset += scale * master.mimic.offset
            scale *= master.mimic.scale
            master = joints[master.mimic.joint]
        at = native.jnt_qposadr[i]
        qpos[at : at + joint.nq] = scale * values[master.name] + offset
    return q, qpos


def compare(spec, native, seed=1, masses=True):
    """Check every body and every named site; `masses` where no mesh has to be opened."""
    model = Model(spec)
    data = mujoco.MjData(native)
    q, data.qpos[:] = coordinates(model, native, seed)
    mujoco.mj_kinematics(native, data)
    mujoco.mj_comPos(native, data)
    bodies = [link for link in spec.links if "__" not in link.name]
    named = {link.name: link for link in bodies}
    assert len(bodies) == native.nbody
    scale = 1 + np.abs(data.xpos).max()
    for i in range(native.nbody):
        name = native.body(i).name or bodies[i].name
        placed = model.fk(q, frame=name)
        np.testing.assert_allclose(placed[:3, 3], data.xpos[i], rtol=0, atol=1e-9 * scale)
        np.testing.assert_allclose(placed[:3, :3], data.xmat[i].reshape(3, 3), rtol=0, atol=1e-9)
        if masses and i:
            inertial = named[name].inertial
            mass = 0.0 if inertial is None else inertial.mass
            assert mass == pytest.approx(native.body_mass[i], rel=1e-9, abs=1e-12)
            if inertial is not None and mass > 0:
                np.testing.assert_allclose(inertial.center, native.body_ipos[i], rtol=0, atol=1e-9)
                moments = np.linalg.eigvalsh(inertial.inertia)
                np.testing.assert_allclose(
                    moments, np.sort(native.body_inertia[i]), rtol=1e-7, atol=1e-12
                )
    for i in range(native.nsite):
        if native.site(i).name:
            name = native.site(i).name
            placed = model.fk(q, frame=f"{name}_site" if name in named else name)
            np.testing.assert_allclose(placed[:3, 3], data.site_xpos[i], rtol=0, atol=1e-9 * scale)
            np.testing.assert_allclose(
                placed[:3, :3], data.site_xmat[i].reshape(3, 3), rtol=0, atol=1e-9
            )


@pytest.mark.skipif(not FILES, reason="needs gymnasium or dm_control")
@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_models_of_packages(path):
    try:
        native = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("MuJoCo does not read it")
    try:
        spec = read_mjcf(path, include_roots=[path.parent, path.parent.parent])
    except ReadError as error:
        assert any(words in str(error) for words in REFUSED), error
        pytest.skip(f"refused: {error.reason}")
    unknown = any("is not known" in note or "boundmass" in note for note in spec.notes)
    compare(spec, native, masses=not unknown)


EVERYTHING = """
<mujoco model="all">
  <compiler angle="{angle}" eulerseq="{sequence}" autolimits="true"/>
  <default>
    <joint damping="0.5" armature="0.01"/>
    <geom density="700" size="0.05 0.1 0.07"/>
    <default class="small"><geom size="0.02"/><joint axis="0 1 0"/>
      <default class="slides"><joint type="slide" axis="1 1 0"/></default></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <site name="mark" pos="1 2 3" euler="{e}"/>
    <body name="float" pos="1 0 2" euler="{e}"><freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.2 0.3"/><geom type="ellipsoid" pos="0.1 0 0"/>
      <body name="arm" pos="0.1 0.2 0.3" axisangle="1 2 3 0.7" childclass="small">
        <joint name="a" pos="0.1 0 0.05" ref="0.3" range="-1 1"/>
        <joint name="b" class="slides" ref="0.1"/>
        <joint name="c" type="hinge" axis="0 0 1" pos="0 0.2 0"/>
        <geom type="box" size="0.1 0.2 0.3" euler="{e}"/>
        <geom type="cylinder" size="0.1 0.2" pos="0.3 0 0" mass="0.4" zaxis="1 1 1"/>
        <frame pos="0 0 0.5" euler="{e}">
          <site name="tool" fromto="0 0 0 0.1 0.2 0.3" size="0.01" type="capsule"/>
          <body name="wrist" xyaxes="0 1 0 -1 0.2 0"><joint name="d" type="ball" pos="0.1 0 0"/>
            <inertial pos="0.1 0 0" mass="2" quat="1 0.2 0.3 0.4" diaginertia="1 2 2.5"/>
            <body name="tip" zaxis="0 0 -1" pos="0 0 0.1"><geom type="sphere"/>
              <joint name="e"/><body><inertial mass="1" pos="0 0 0"
                fullinertia="1 2 2.5 0.1 0.2 0.3"/></body></body>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="e" joint2="a" polycoef="0.2 -0.5 0 0 0"/></equality>
</mujoco>
"""


@pytest.mark.parametrize("sequence", ["xyz", "ZYX", "zXy", "XYX"])
@pytest.mark.parametrize("angle", ["radian", "degree"])
def test_every_element(angle, sequence):
    text = EVERYTHING.format(
        angle=angle, sequence=sequence, e="0.3 0.5 -0.7" if angle == "radian" else "20 -35 80"
    )
    compare(read_mjcf(text), mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 2.3e-8, 1e-6, 1e-3, 0.1])
def test_an_axis_almost_opposite_z_keeps_its_digits(tilt):
    text = (
        f'<mujoco><compiler angle="radian"/><worldbody><body name="b"><joint axis="{tilt} 0 -1"/>'
        '<geom size="1"/></body></worldbody></mujoco>'
    )
    compare(read_mjcf(text), mujoco.MjModel.from_xml_string(text))
