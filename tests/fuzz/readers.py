"""Fuzzing of the readers: ``python tests/fuzz/readers.py urdf tests/read/corpus/urdf -max_total_time=600``.

Whatever the bytes, a reader returns a spec that its own check accepts, or raises a `ReadError`; a
network may also be one of another model. Needs atheris. What breaks a reader goes into its folder
of tests/read/corpus, which tests/read/test_corpus.py replays. The words of the sound files there
are libFuzzer's dictionary, so that it finds its way past the first angle bracket.

Xacro is not among them: such a file is a program, and may well run for ever.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handik.model import Model

NAMES = ("urdf", "sdf", "mjcf", "roboop", "bvh", "toml", "dh", "network")
CORPUS = Path(__file__).parents[1] / "read" / "corpus"
#: Between the members of a network's file written loosely, which `packed` puts into an archive.
LOOSE, NEXT = b"loose\n", b"\n==\n"


def target(name: str) -> Callable[[bytes], object]:
    """Return the reader of a format, as a function of a document."""
    from handik.errors import ReadError
    from handik.files.read.bvh import read_bvh
    from handik.files.read.dh_csv import read_dh
    from handik.files.read.mjcf import read_mjcf
    from handik.files.read.roboop import read_roboop
    from handik.files.read.sdf import read_sdf
    from handik.files.read.toml import read_toml
    from handik.files.read.urdf import read_urdf

    if name == "network":
        return network()
    reader = {
        "urdf": read_urdf,
        "sdf": read_sdf,
        "mjcf": read_mjcf,
        "roboop": read_roboop,
        "bvh": read_bvh,
        "toml": read_toml,
        "dh": read_dh,
    }[name]

    def one(data: bytes) -> object:
        try:
            spec = reader(data)
        except ReadError as error:
            str(error)
            return error
        spec.check()
        return spec

    return one


def network() -> Callable[[bytes], object]:
    """Return the reader of trained networks, for the model that those of the corpus know."""
    import handik as hk

    arm = hk.chain([0.4, 0.3], lower=-2.0, upper=2.5)
    return partial(load_network, arm)


def load_network(model: Model, data: bytes) -> object:
    """Read a network for a model, by way of a file."""
    from handik.errors import ArgumentError, ReadError
    from handik.solve.network import Network

    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(packed(data))
        file.flush()
        try:
            return Network.load(file.name, model)
        except (ArgumentError, ReadError) as error:
            str(error)
            return error


def packed(data: bytes) -> bytes:
    """Return a loosely written network as the archive it means: else its checksums keep all out."""
    if not data.startswith(LOOSE):
        return data
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part in data[len(LOOSE) :].split(NEXT):
            name, _, content = part.partition(b"\n")
            info = zipfile.ZipInfo(name.decode("latin-1").replace("\0", "") or "x")
            archive.writestr(info, content)
    return out.getvalue()


def watched(run: Callable[[bytes], object], data: bytes) -> None:
    """Run a reader; raise when it takes more than a second of processor time."""
    start = time.process_time()
    run(data)
    spent = time.process_time() - start
    if spent > 1:
        raise TimeoutError(f"{spent:.1f} s for {len(data)} bytes")


def words(name: str) -> set[bytes]:
    """Return tags, attributes and words of the sound files of a corpus."""
    pattern = rb'</?[A-Za-z_:]+>?|[A-Za-z_:]+="[^"\n]{0,40}"|[A-Za-z_][\w.:-]*|-?[\d.]+'
    found = {
        word
        for path in CORPUS.glob(f"{name}/good*")
        for word in re.findall(pattern, path.read_bytes())
    }
    return {word for word in found if len(word) <= 60}


def dictionary(name: str, path: str) -> str:
    """Write `words` as libFuzzer reads them; return the path."""
    with open(path, "w") as file:
        for word in sorted(words(name)):
            file.write('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n')
    return path


if __name__ == "__main__":
    import atheris

    with atheris.instrument_imports(include=["handik.files.read", "handik.solve.network._file"]):
        run = target(sys.argv[1])
    with tempfile.TemporaryDirectory() as room:
        known = dictionary(sys.argv[1], os.path.join(room, "words"))
        options = [sys.argv[0], f"-dict={known}", *sys.argv[2:]]
        atheris.Setup(options, lambda data: watched(run, bytes(data)))
        atheris.Fuzz()
