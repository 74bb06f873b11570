"""Files under a megabyte that are all parts: linear time, and limits that can be raised.

Each of these once took the square of its length.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest

from handik.errors import ArgumentError, ReadError
from handik.files.read._xml import Limits
from handik.files.read.bvh import read_bvh
from handik.files.read.dh import dh_row, dh_transform
from handik.files.read.dh_csv import read_dh
from handik.files.read.mjcf import read_mjcf
from handik.files.read.roboop import read_roboop
from handik.files.read.sdf import read_sdf
from handik.files.read.toml import read_toml

HEAD = "theta,d,a,alpha\n"
FEW = Limits(joints=3)


def mujoco(inside: str, after: str = "") -> str:
    return f"<mujoco><worldbody>{inside}</worldbody>{after}</mujoco>"


def hung(n: int) -> str:
    rows = "".join(f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(n))
    last = f'<frame name="f{n}" attached_to="l"/>'
    return f'<sdf version="1.7"><model name="m"><link name="l"/>{rows}{last}</model></sdf>'


def equalities(n: int) -> str:
    rows = '<joint joint1="a" joint2="b" polycoef="0 1 1"/>' * n
    two = '<body><joint name="a"/><joint name="b"/></body>'
    return mujoco(two, f"<equality>{rows}</equality>")


def conf(n: int) -> str:
    return f"[R]\ndof: {n}\n" + "".join(f"[R_LINK{i}]\na: 1\n" for i in range(1, n + 1))


DENSE = {
    "bodies without a name": lambda: read_mjcf(mujoco("<body/>" * 4999)),
    "joints without a name": lambda: read_mjcf(mujoco("<body>" + "<joint/>" * 4999 + "</body>")),
    "equalities passed over": lambda: read_mjcf(equalities(8000)),
    "frames on frames": lambda: read_sdf(hung(8000)),
    "commas behind a name": lambda: read_dh(f"# name: {',' * 300_000}x\n{HEAD}0,0,1,0\n"),
    "a label of one sign": lambda: read_dh(f"theta{'_' * 300_000}!,theta,d,a,alpha\n1,0,0,1,0\n"),
    "joints of one name": lambda: read_bvh(
        "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n"
        + "JOINT j\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n}\n" * 8000
        + "}"
    ),
    "roots before many empty lines": lambda: read_bvh(
        "HIERARCHY\n"
        + "".join(f"ROOT r{k} {{\nOFFSET 0 0 0\n}}\n" for k in range(8000))
        + "MOTION\nFrames: 0\n"
        + "\n" * 4_000_000
    ),
}


@pytest.mark.parametrize("name", DENSE)
def test_no_square_of_the_length(name: str) -> None:
    start = time.process_time()
    spec = DENSE[name]()
    assert time.process_time() - start < 20  # a hang, not a speed
    spec.check()


def test_a_key_of_many_parts_is_refused() -> None:
    for key in ("a." * 200_000 + "a = 1", "[" + "a . " * 40 + "a]", "a = {" + "b." * 40 + "b = 1}"):
        with pytest.raises(ReadError, match="dots alone") as caught:
            read_toml(f'format = "handik 1"\n{key}\n')
        assert caught.value.line == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [" + "1," * 490_000 + "]", "490000 commas"),
        ("\n".join(f"k{i} = 1" for i in range(90_000)), "90001 keys"),
        ("\n".join(f"a.b.k{i} = 1" for i in range(70_000)), "70001 keys"),
        ("\n".join(f"[t{i}]" for i in range(110_000)), "110000 tables"),
    ],
    ids=["commas", "keys", "dotted", "tables"],
)
def test_documents_of_little_but_one_sign_are_refused(text: str, said: str) -> None:
    with pytest.raises(ReadError, match=rf"{said} in .* so dense"):
        read_toml(f'format = "handik 1"\n{text}\n')


def test_frames_of_motion_ask_for_no_more_memory_than_the_file_has() -> None:
    """3,000 channels and 20,000 lines of one number were to be an array of half a gigabyte."""
    head = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n"
    node = "CHANNELS 3 Zrotation Xrotation Yrotation\n"
    body = "".join(f"JOINT j{i}\n{{\nOFFSET 0 0 0\n{node}}}\n" for i in range(1000))
    text = f"{head}{node}{body}}}\nMOTION\nFrames: 20000\nFrame Time: 0.01\n" + "1\n" * 20_000
    tracemalloc.start()
    try:
        with pytest.raises(ReadError, match="has 1 numbers where 3003 are expected"):
            read_bvh(text)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_another_convention_is_no_row_of_a_table() -> None:
    for call in (lambda: dh_transform(0, 0, 0, 1, "craig"), lambda: dh_row(np.eye(4), "craig")):
        with pytest.raises(ArgumentError, match="'craig', not 'standard' or 'modified'"):
            call()


@pytest.mark.parametrize(
    ("read", "text", "words", "line"),
    [
        (read_dh, HEAD + "0,0,1,0\n" * 4, "more than 3 rows", 5),
        (read_roboop, conf(4), "more than 3 links", 9),
        (read_mjcf, mujoco("\n<body/>" * 4), "more than 3 bodies", 5),
        (read_mjcf, mujoco("<body>" + "\n<joint/>" * 4 + "</body>"), "more than 3 joints", 5),
    ],
)
def test_joints_are_limited(read, text, words, line) -> None:
    with pytest.raises(ReadError, match=words) as caught:
        read(text, limits=FEW)
    assert caught.value.line == line
    assert len(read(text, limits=Limits(joints=4)).joints) >= 4


def test_the_limit_can_be_raised() -> None:
    text = HEAD + "0,0,1,0\n" * 5_001
    with pytest.raises(ReadError, match="more than 5000 rows"):
        read_dh(text)
