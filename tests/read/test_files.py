"""A path that is no file is refused with a sentence, at once, by all that read files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import handik as hk
from handik.errors import MissingFileError, ReadError
from handik.files.read import READERS
from handik.files.read._file import SIZE_CAP, open_file, read_bytes
from handik.solve.network._file import read_arrays
from handik.study.curve import read_path

SUFFIXES = sorted(READERS)


@pytest.fixture(autouse=True)
def no_waiting():
    """A reader that waits for a pipe's writer ends here, and not with the whole run."""

    def late(*_):
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=["pipe", "folder", "device"])
def odd(request, tmp_path):
    """Make a thing that is no file, of any name, and the word for it."""

    def make(name):
        path = tmp_path / name
        if request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "folder":
            path.mkdir()
        else:
            path.symlink_to("/dev/zero")
        return path, {"pipe": "a named pipe", "folder": "a folder", "device": "a device"}[
            request.param
        ]

    return make


def test_a_terminal_does_not_become_that_of_the_process():
    """A process that leads its session gets the first terminal it opens, if it does not say no."""
    code = """
import os
from handik.errors import ReadError
from handik.files.read._file import open_file
ours, theirs = os.openpty()
try:
    open_file(os.ttyname(theirs))
except ReadError as error:
    assert "a device" in str(error), error
else:
    raise SystemExit("it was opened")
try:
    os.open("/dev/tty", os.O_RDONLY)
except OSError:
    raise SystemExit(0)
raise SystemExit("the process has a terminal now")
"""
    got = subprocess.run(
        [sys.executable, "-c", code], start_new_session=True, capture_output=True, text=True
    )
    assert got.returncode == 0, got.stderr


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_readers_refuse_what_is_no_file(odd, suffix):
    path, word = odd("x" + suffix)
    with pytest.raises(ReadError, match=f"it is {word}, not a file") as caught:
        hk.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("read", [read_arrays, read_path])
def test_other_files_refuse_it_too(odd, read):
    path, word = odd("x.npz")
    with pytest.raises(ReadError, match=word):
        read(path)


def test_the_limit_of_a_file_is_its_last_byte(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(ReadError, match="longer than the limit of 4 bytes"):
        read_bytes(path, 4)
    with path.open("wb") as file:
        file.truncate(SIZE_CAP + 1)
    with pytest.raises(ReadError, match=f"limit of {SIZE_CAP} bytes"):
        read_bytes(path)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(MissingFileError, match="no such file"):
        open_file(tmp_path / "none")


def test_keywords_of_load_are_those_of_the_format(tmp_path: Path) -> None:
    import inspect

    from handik.files import read

    hk.data("ur5").save(tmp_path / "arm.urdf", [])
    assert hk.load(tmp_path / "arm.urdf", mesh_roots=[tmp_path], check_meshes=True).nq == 6
    for suffix in ("urdf", "sdf", "mjcf", "csv", "toml"):
        hk.data("ur5").save(tmp_path / f"arm.{suffix}", [])
    for suffix, wrong in (
        *(("urdf", "scale"), ("sdf", "up"), ("csv", "mesh_roots"), ("toml", "convention")),
        ("urdf", "meshroots"),
    ):
        with pytest.raises(hk.ArgumentError, match=rf"files of \.{suffix} take no {wrong}=; they"):
            hk.load(tmp_path / f"arm.{suffix}", **{wrong: 1})
    words = set(inspect.signature(hk.load).parameters) - {"path", "base", "tip", "options"}
    readers = [getattr(read, name) for name in read._LATE]
    taken = {word for reader in readers for word in inspect.signature(reader).parameters}
    assert words <= taken
