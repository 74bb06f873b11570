"""The benchmarks write their results as a table and a picture when asked to.

Run here with as little work as they take, so that the figures mean nothing: what is tested is what is written.
"""

from __future__ import annotations

import ast
import csv
import importlib
import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from _native import SOURCE

gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="not on this machine: gcc")
theirs = pytest.mark.filterwarnings("ignore:.*hppfcl.*:DeprecationWarning")  # Pinocchio's own
#: name: (arguments, rows of the table, the column by which they are told apart)
SMALL = {
    "scaling": ("--joints 100 --targets 10 --rounds 1", 14, "what"),
    "batch": ("--targets 2500 --chunk 1000", 3, "targets"),
    "primitives": ("--robots puma560 iiwa --postures 20 --rounds 1", 8, "what"),
}


@pytest.fixture
def benchmarks() -> Iterator[ModuleType]:
    """The package as it lies in the source tree, without the tree's handik beside it."""
    path = SOURCE / "benchmarks"
    spec = importlib.util.spec_from_file_location(
        "benchmarks", path / "__init__.py", submodule_search_locations=[str(path)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks"] = package
    spec.loader.exec_module(package)
    yield package
    for name in [n for n in sys.modules if n.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


def written(name: str, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Run a benchmark; its table, after a look at the picture."""
    monkeypatch.setattr(sys, "argv", [name, *words.split(), "--out", str(folder / "new")])
    importlib.import_module(f"benchmarks.{name}").main()
    picture = (folder / "new" / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000
    with (folder / "new" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@theirs
@pytest.mark.build
@pytest.mark.parametrize("name", SMALL)
def test_table_and_picture(name: str, benchmarks, tmp_path: Path, monkeypatch, capsys) -> None:
    words, count, column = SMALL[name]
    rows = written(name, words, tmp_path, monkeypatch)
    assert len(rows) == count
    assert len({row[column] for row in rows}) > 1
    assert all(None not in row and "" not in row.values() for row in rows)
    assert capsys.readouterr().out


@theirs
@pytest.mark.build
def test_passing(benchmarks, tmp_path: Path, monkeypatch) -> None:
    """No verdict on the wrong side of a formula: a slice of the 1,000 chairs of docs/passing.md."""
    rows = written("passing", "--chairs 4 --seed 7 --step 0.2", tmp_path, monkeypatch)
    assert {row["case"] for row in rows} == {"corridor", "L corner", "U turn", "square"}
    assert all(row["wrong"] == "0" for row in rows)
    assert sum(float(row["decided"]) for row in rows) > 0.9 * len(rows)


@pytest.mark.build
@gcc
def test_chains(benchmarks, tmp_path: Path, monkeypatch) -> None:
    rows = written("chains", "--targets 64 --rounds 1", tmp_path, monkeypatch)
    assert {row["what"] for row in rows} == {"a solve to 1e-02", "a solve to 1e-06", "an iteration"}
    assert {("base", "floats"), ("base", "doubles")} <= {(r["simd"], r["numbers"]) for r in rows}
    assert all(float(row["solved"]) == 1.0 for row in rows)


@theirs
@pytest.mark.build
def test_arms(benchmarks, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("pinocchio")
    words = "--robots puma560 --targets 5 --rounds 1 --peers"
    rows = written("arms", words, tmp_path, monkeypatch)
    closed, numeric = ["handik", "handik batch"], ["lm_batch", "lm_batch batch"]
    assert [row["solver"] for row in rows] == closed + numeric
    assert all(row["unsolved"] == "0" for row in rows)


@pytest.mark.build
@pytest.mark.slow
@gcc
def test_calls(benchmarks, tmp_path: Path, monkeypatch) -> None:
    """Without answers of the same bytes from Python and C there would be no table."""
    rows = written("calls", "--robots puma560 --targets 20 --rounds 3", tmp_path, monkeypatch)
    assert [(row["entry"], row["start"]) for row in rows] == [
        (entry, start) for start in ("rest", "answer") for entry in ("model.solve", "solver")
    ]
    assert all(float(row["call_us"]) > 0 and float(row["core_us"]) > 0 for row in rows)


def test_nothing_is_written_unasked(benchmarks, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["batch", "--targets", "50", "--chunk", "50"])
    importlib.import_module("benchmarks.batch").main()
    assert "solved" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.build
def test_figures_of_the_works(benchmarks, capsys, monkeypatch) -> None:
    """What the works handik follows say, and what comes out: these figures mean something."""
    works = importlib.import_module("benchmarks.works")
    listing = works.listing(40)
    assert listing["same iterations"] == listing["of"] == 40
    assert listing["farthest point"] < 3e-15
    assert max(works.closed_form(60).values()) < 1e-13
    far = works.out_of_reach(30)
    assert far["iterations"] == 1
    assert far["off the line"] < 1e-14
    ends = works.sub_bases(60)
    assert ends["fabrik solved"] == ends["ccd solved"] == 1.0  # CCD does not fail with several
    assert 12 < ends["fabrik iterations"] < 30
    assert 12 < ends["ccd iterations"] < 35
    speeds = works.speeds(100)
    for which in ("planar9", "ur5"):
        steps = [speeds[f"{which} {name} iterations"] for name in ("jacobian_transpose", "pinv")]
        assert steps[0] > 5 * steps[1]
        errors = [speeds[f"{which} {name} error"] for name in ("ccd", "pinv")]
        assert errors[0] > 5 * errors[1]
    moves = works.least_moves(100)
    assert moves["moves"] > 95
    assert 0 < moves["median"] < 0.02  # nearly the least move, and yet not it
    assert moves["worst"] > 0.1
    monkeypatch.setattr(sys, "argv", ["works", "times", "--share", "0.03"])
    works.main()
    assert [line[:21] for line in capsys.readouterr().out.splitlines()[1:]] == [
        "    1e-3 of the reach",
        "    one link         ",
    ]


def test_what_benchmarks_and_pictures_take_from_handik_is_there() -> None:
    """Their own libraries may be lacking here; one had asked for a name that had moved."""
    for file in (*SOURCE.glob("benchmarks/**/*.py"), *SOURCE.glob("docs/pictures/*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("handik"):
                module = importlib.import_module(str(node.module))
                for name in node.names:
                    there = hasattr(module, name.name) or importlib.util.find_spec(
                        f"{node.module}.{name.name}"
                    )
                    assert there, f"{file.name}: {node.module} has no {name.name}"
