"""The page's files, read as text: both languages everywhere, nothing inline, nothing from outside, imports that resolve."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import tomllib
from pathlib import Path

import pytest
from _native import SOURCE

import handik

PAGE = Path(handik.__file__).parent / "app" / "page"
TEXTS = {path.name: path.read_text("utf-8") for path in sorted(PAGE.iterdir())}
MODULES = {name: text for name, text in TEXTS.items() if name.endswith(".js")}
HTML = TEXTS["index.html"]
#: What the two languages write alike.
ALIKE = {
    "region_object", "region_posture", "region_verdict", "menu_pose", "show_capsules", "pause", "ok",
    "position", "rotation", "target_position", "stature", "percentile", "millimeters", "keys_action", "kind_capsule", "kind_figure", "poses", "time_us", "jog_frame", "draw_points", "chair_scooter", "active",
}  # fmt: skip
KEY = re.compile(r"^  (\w+): \[", re.M)
ENTRY = re.compile(r"""^  (\w+): \[(['"])(.+?)\2, (['"])(.+?)\4\],$""", re.M)


def words() -> dict[str, tuple[str, str]]:
    return {found[0]: (found[2], found[4]) for found in ENTRY.findall(MODULES["words.js"])}


def asked() -> tuple[set[str], set[str]]:
    """Keys of words that the page names, and beginnings of those it puts together."""
    keys: set[str] = set()
    starts: set[str] = set()
    for attribute in ("data-word", "data-label", "data-place"):
        keys.update(re.findall(rf'{attribute}="(\w+)"', HTML))
    for name, text in MODULES.items():
        if name == "words.js":
            continue
        keys.update(re.findall(r"word(?:\(|: )'(\w+)'", text))
        starts.update(re.findall(r"word(?:\(|: )`(\w+_)\$\{", text))
    return keys, starts


def test_every_word_has_both_languages() -> None:
    found = words()
    assert list(found) == KEY.findall(MODULES["words.js"])
    same = {key for key, (english, french) in found.items() if english == french}
    assert same <= ALIKE, same - ALIKE


def test_every_word_asked_for_is_there() -> None:
    keys, starts = asked()
    assert len(keys) > 60
    assert keys <= set(words()), keys - set(words())
    for start in starts:
        assert any(key.startswith(start) for key in words()), start


def test_every_verdict_of_a_rule_has_its_word() -> None:
    assert r"word(`rule_${verdict.replace(/\W+/g, '_')}`)" in MODULES["verdict.js"]
    counts = handik.access.check(handik.Scene(), "ISO21542:2021").counts
    assert {"rule_" + re.sub(r"\W+", "_", verdict) for verdict in counts} <= set(words())


def test_no_word_is_left_over() -> None:
    _, starts = asked()
    text = HTML + "".join(text for name, text in MODULES.items() if name != "words.js")
    for key in words():
        named = re.search(rf"['\"]{key}['\"]", text)
        assert (
            named
            or key.startswith(tuple(starts))
            or key.startswith(("sex_", "position_", "chair_"))
        ), key


def test_nothing_is_inline() -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)", HTML)
    assert not re.search(r"<style|\sstyle=|\son\w+=", HTML)
    for name, text in MODULES.items():
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function", text
        ), name


def test_nothing_comes_from_outside() -> None:
    for name, text in TEXTS.items():
        assert not re.search(r"https?://|@import|url\(|\bfetch\(|importScripts", text), name


def test_imports_resolve() -> None:
    for name, text in MODULES.items():
        for names, where in re.findall(r"^import ([^;]+?) from '([^']+)';", text, re.M):
            if where == "./three/three.module.js":
                assert names == "* as THREE", name
                continue
            other = where.removeprefix("./")
            assert other in MODULES, f"{name}: {where}"
            for one in re.findall(r"\w+", re.sub(r" as \w+", "", names)):
                exported = rf"^export (?:const|class|function|async function) {one}\b"
                assert re.search(exported, MODULES[other], re.M), f"{name}: {one} of {where}"


def test_ids_stand_once_and_labels_find_theirs() -> None:
    ids = re.findall(r'\sid="([^"]+)"', HTML)
    assert len(ids) == len(set(ids))
    for name, text in MODULES.items():
        for one in re.findall(r"\$\('([\w-]+)'\)", text):
            assert one in ids or one == "snap", f"{name}: #{one}"


def test_sizes() -> None:
    for name, text in TEXTS.items():
        assert text.count("\n") < 600, name


@pytest.mark.build
def test_the_wheel_holds_the_page() -> None:
    setup = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    patterns = setup["package-data"]["handik.app"]
    held = {path.name for one in patterns for path in (SOURCE / "handik" / "app").glob(one)}
    assert set(TEXTS) <= held


@pytest.mark.skipif(
    shutil.which("node") is None, reason="not on this machine: node, which reads the modules"
)
def test_wire_frames_go_round() -> None:
    """Bytes packed by the page are those of the table, and frames that come down are read by it."""
    script = f"""
    import {{ pack, packChunk, unpack }} from '{(PAGE / "wire.js").as_uri()}';
    const hex = (buffer) => Buffer.from(buffer).toString('hex');
    const given = Buffer.from(process.argv[1], 'hex');
    const mesh = unpack(given.buffer.slice(given.byteOffset, given.byteOffset + given.length));
    console.log(hex(pack('joint', 258, 7, 1.5, [0.25])));
    console.log(hex(packChunk(9, new Uint8Array([1, 2, 3]))));
    console.log(JSON.stringify([mesh.kind, mesh.mesh.key, [...mesh.mesh.index], mesh.mesh.skin.joints.length,
      [...mesh.mesh.skin.bind].at(-1), unpack(new ArrayBuffer(15)), unpack(new ArrayBuffer(16))]));
    """
    mesh = struct.pack("<BBHId", 17, 0, 0, 0, 0.0) + struct.pack("<4I", 3, 1, 2, 5) + b"abcde\0\0\0"
    mesh += (
        struct.pack("<9f", *range(9)) + struct.pack("<9f", *range(9)) + struct.pack("<3I", 0, 2, 1)
    )
    mesh += struct.pack("<9f", *[0.5] * 9) + struct.pack("<12H", *[1] * 12)
    mesh += struct.pack("<12f", *[0.25] * 12) + struct.pack("<14f", *range(14))
    node = shutil.which("node")
    assert node is not None
    command = [node, "--input-type=module", "-e", script, mesh.hex()]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == struct.pack("<BBHId", 1, 0, 258, 7, 1.5).hex() + struct.pack("<d", 0.25).hex()
    assert said[1] == struct.pack("<BBHId", 32, 0, 0, 9, 0.0).hex() + "010203"
    assert said[2] == '["mesh","abcde",[0,2,1],12,13,null,null]'
