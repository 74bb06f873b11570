"""The instruction counts on file are those of the code: callgrind counts them again, and growth is an error."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest
from _native import SOURCE, Builder, call, compiler

spec = importlib.util.spec_from_file_location("instructions", SOURCE / "benchmarks/instructions.py")
counts = importlib.util.module_from_spec(spec)
sys.modules["instructions"] = counts
spec.loader.exec_module(counts)


def native(test):
    """Mark a test that compiles and counts."""
    why = f"not on this machine: {counts.missing()}"
    for mark in (pytest.mark.build, pytest.mark.slow):
        test = mark(test)
    return pytest.mark.skipif(bool(counts.missing()), reason=why)(test)


def program(builder: Builder, *flags: str):
    """The entry points against the library that the C tests use, which has the product's flags."""
    source, target = counts.HERE / "entry_points.c", builder.folder / "_".join(("entry", *flags))
    with builder.lock():
        if not target.exists():
            rest = [*builder.flags, *flags, str(source), str(builder.library()), *builder.link]
            call([*compiler(), *rest, "-o", str(target)])
    return target


def counted(path, names):
    try:
        return {name: counts.count(path, name) for name in names}
    except counts.CannotCount as error:
        pytest.skip(str(error))


@native
def test_counts_are_those_on_file(builders):
    """On the compiler of the file; on another its counts are shown and nothing more."""
    path, kept = program(builders["plain"]), counts.kept()
    assert counts.entries(path) == list(kept)
    now = counted(path, kept)
    version = counts.compiler(path)
    if {row.compiler for row in kept.values()} != {version}:
        pytest.skip(f"on file is another compiler than {version}, which counts {now}")
    assert counts.faults(now, kept, version) == []


@pytest.mark.build
def test_the_page_shows_the_counts_on_file():
    page = (SOURCE / "docs/performance.md").read_text("utf-8")
    shown = {
        name: int(count) for name, count in re.findall(r"^\| `(\w+)` \| (\d+) \|$", page, re.M)
    }
    assert shown == {name: row.instructions for name, row in counts.kept().items()}


@native
def test_planted_growth_is_found(builders):
    """A program that does all twice takes twice the instructions."""
    name = "frame_batch"
    once = counted(program(builders["plain"]), [name])
    kept = {name: counts.Kept(once[name], "gcc 12")}
    twice = counted(program(builders["plain"], "-DHIK_TWICE"), [name])
    assert 1.9 < twice[name] / once[name] < 2.1
    assert counts.faults(once, kept, "gcc 12") == []
    (said,) = counts.faults(twice, kept, "gcc 12")
    assert said.startswith(f"{name} takes {twice[name]} instructions, +")


def test_three_percent_of_the_same_compiler():
    kept = {"a": counts.Kept(1000, "gcc 12"), "b": counts.Kept(50, "gcc 12")}
    assert counts.faults({"a": 1030, "b": 20}, kept, "gcc 12") == []
    assert counts.faults({"a": 1031, "b": 20}, kept, "gcc 12") == [
        "a takes 1031 instructions, +3.1% of 1000"
    ]
    assert counts.faults({"a": 9999, "b": 50}, kept, "gcc 13") == []
    assert counts.faults({"a": 1000}, kept, "gcc 12") == ["b is on file, but is no entry point"]
    assert counts.faults({"a": 1, "b": 1, "c": 1}, kept, "gcc 12") == ["c is not on file"]


def test_a_reason_stays_with_its_count(tmp_path):
    file = tmp_path / "counts.csv"
    counts.write({"a": 1000, "b": 20}, "gcc 12", "first", file)
    counts.write({"a": 1004, "b": 30}, "gcc 12", "b checks its target", file)
    assert file.read_text("utf-8").splitlines() == [
        "entry,instructions,compiler,reason",
        "a,1000,gcc 12,first",
        "b,30,gcc 12,b checks its target",
    ]
    assert counts.kept(file) == {"a": counts.Kept(1000, "gcc 12"), "b": counts.Kept(30, "gcc 12")}
