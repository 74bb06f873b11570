"""The robots of rtb-data load; those made of macros after xacrodoc has expanded them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik.errors import MissingFileError, ReadError
from handik.files.read import load_spec

FOUND = importlib.util.find_spec("rtbdata")
ROOT = Path(FOUND.origin).parent if FOUND is not None and FOUND.origin is not None else None
#: The file says "hello" and no more.
NO_URDF = {"data/test.urdf"}
FILES = [] if ROOT is None else sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("**/*.urdf"))
#: (wx250s: six joints, the gripper and a finger, which the other finger follows.)
#: rtb-data has the folders of its packages, but no package.xml that names them.
PACKAGES = {
    **{f"kuka_{name}_support": f"kuka_description/kuka_{name}" for name in
       ("kr3", "kr5", "kr6", "kr10", "kr16", "kr120", "kr150", "kr210", "lbr_iiwa")},
    "kuka_resources": "kuka_description/kuka_resources",
    "qut_frankie_description": "qut_frankie_description",
    "interbotix_descriptions": "trossen_descriptions",
}  # fmt: skip
XACRO = [
    ("kuka_description/kuka_kr3/urdf/kr3r540.xacro", 6),
    ("kuka_description/kuka_kr10/urdf/kr10r1100sixx.xacro", 6),
    ("kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.xacro", 7),
    ("qut_frankie_description/robots/panda_arm.urdf.xacro", 7),
    ("unimation_puma560_description/urdf/puma560_robot.urdf.xacro", 6),
    ("trossen_descriptions/urdf/wx250s.urdf.xacro", 8),
]


@pytest.mark.skipif(not FILES, reason="needs the package rtb-data")
@pytest.mark.parametrize("name", FILES)
def test_urdf(name):
    if name in NO_URDF:
        with pytest.raises(ReadError, match="not well-formed"):
            load_spec(ROOT / name)
        return
    model = hk.load(ROOT / name)
    assert np.isfinite(model.fk(model.rest, frame=model.frame_names[-1])).all()


@pytest.mark.skipif(not FILES, reason="needs the package rtb-data")
@pytest.mark.parametrize(("name", "nq"), XACRO)
def test_xacro(name, nq):
    pytest.importorskip("xacrodoc", reason="needs the package xacrodoc")
    root = ROOT / "xacro"
    model = hk.load(root / name, packages={key: root / folder for key, folder in PACKAGES.items()})
    assert model.nq == nq


def test_macros_that_do_not_expand(tmp_path):
    pytest.importorskip("xacrodoc", reason="needs the package xacrodoc")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    path = tmp_path / "a.xacro"
    path.write_text(head + '<link name="${1 + unknown}"/></robot>', "utf-8")
    with pytest.raises(ReadError, match="unknown"):
        load_spec(path)
    path.write_text(
        head + '<xacro:arg name="n" default="1"/><link name="l$(arg n)"/></robot>', "utf-8"
    )
    assert load_spec(path, arguments={"n": "7"}).root == "l7"
    with pytest.raises(MissingFileError):
        load_spec(tmp_path / "b.xacro")
    # An include of a neighbour, whatever the working folder.
    (tmp_path / "parts").mkdir()
    inner = tmp_path / "parts" / "inner.xacro"
    inner.write_text(head + '<link name="neighbour"/></robot>', "utf-8")
    path.write_text(head + '<xacro:include filename="parts/inner.xacro"/></robot>', "utf-8")
    for _ in range(2):
        assert load_spec(path).root == "neighbour"
