"""The draw of mutants: each is one change where it says, the seed decides, and our own list is in order."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _native import SOURCE
from mutants import chosen, interval, known_equivalent

from mutation.draw import Mutant, bare, c_mutants, drawn, py_mutants
from mutation.note import Found, Lines, enclosing
from mutation.own import ROWS, own

pytestmark = pytest.mark.build

C = """/* a < b */
static int twice(int a, double x) {
  const char *s = "a + b";
  int b = a < 0 ? 1 : a + 2;
  if (b > 3 && !(x <= 1e-9)) return 0;
  count(b);
  x -= 0.5;
  return b;
}
"""
PY = '''"""Less than 3."""
LIMIT = 0.5


def f(a, b=1):
    """Say a + b."""
    if not a or b > LIMIT:
        raise ValueError("a - b")
    a += 1
    g(a)
    return a + b
'''


def test_c_is_changed_in_bodies_alone() -> None:
    found = list(c_mutants("x.c", C))
    kinds = Counter(one.what for one in found)
    assert kinds["comparison"] == 3
    assert kinds["comparison turned"] == 2
    assert kinds["and, or"] == kinds["negation"] == 1
    assert kinds["sign"] == 1
    assert kinds["statement removed"] == 3
    changed = [one.apply(C) for one in found]
    assert len(set(changed)) == len(changed)
    assert all(text.startswith("/* a < b */") and '"a + b"' in text for text in changed)
    assert "1e-08" in "".join(changed)
    assert "x -= 5.0;" in "".join(changed)


def test_comments_and_strings_are_blanked_in_place() -> None:
    assert len(bare(C)) == len(C)
    assert "a < b" not in bare(C)
    assert "a + b" not in bare(C)


def test_python_is_changed_by_its_tree() -> None:
    found = list(py_mutants("x.py", PY))
    assert Counter(one.what for one in found) == {
        "constant": 2,
        "comparison": 1,
        "and, or": 1,
        "negation": 1,
        "statement removed": 3,
        "sign": 1,
    }
    plain = ast.dump(ast.parse(PY))
    for one in found:
        assert ast.dump(ast.parse(one.apply(PY))) != plain
    assert {one.function for one in found} == {"", "f.<locals>"}


def test_a_key_stays_when_lines_move() -> None:
    moved = "/* more */\n\n" + C
    keys = {one.key(C) for one in c_mutants("x.c", C)}
    assert keys == {one.key(moved) for one in c_mutants("x.c", moved)}
    assert len(keys) == len(list(c_mutants("x.c", C)))


def test_the_seed_decides() -> None:
    first, again, other = drawn(SOURCE, 1)[:60], drawn(SOURCE, 1)[:60], drawn(SOURCE, 2)[:60]
    assert first == again != other
    assert sum(one.file.endswith(".py") for one in first) == 30
    for one in first:
        text = (SOURCE / one.file).read_text("utf-8")
        assert one.apply(text) != text


def test_our_own_list_finds_its_places() -> None:
    found = {one.name for one in own(SOURCE)}
    assert [row[:2] for row in ROWS if row[0] not in found] == []
    assert len(found) == len(ROWS)
    assert all(old != new for _, _, old, new in ROWS)


def test_the_draw_stays_when_a_source_changes(tmp_path: Path) -> None:
    at = tmp_path / "csrc" / "solve"
    at.mkdir(parents=True)
    (tmp_path / "handik").mkdir()
    (tmp_path / "handik" / "x.py").write_text(PY)
    (at / "x.c").write_text(C)
    before = [one.new for one in drawn(tmp_path, 1)]
    (at / "x.c").write_text("/* moved */\n" + C)
    assert [one.new for one in drawn(tmp_path, 1)] == before


def test_lines_are_found_in_an_older_text() -> None:
    then, now = "a\nb\nc\nd", "a\nnew\nb\nc\nother\nd"
    place = Lines(now, then)
    assert [place(line) for line in (1, 3, 4, 6)] == [1, 2, 3, 4]
    assert [Lines(then, then)(line) for line in (1, 4)] == [1, 4]


def test_a_mutant_stands_in_its_function() -> None:
    for text, file, lines in ((C, "x.c", (2, 8)), (PY, "x.py", (6, 11))):
        make = c_mutants if file == "x.c" else py_mutants
        inside = [one for one in make(file, text) if one.line(text) > 3]
        assert inside
        assert {enclosing(one, text) for one in inside} == {lines}
    assert enclosing(py_mutants("x.py", PY).__next__(), PY) is None


def test_tests_of_the_very_line_come_first_and_the_sum_is_kept() -> None:
    near = {"tests/a.py::f[1]": 0.5, "tests/a.py::f[2]": 0.6, "tests/b.py::g": 2.0, "c.c": 90.0}
    found = Found(near, near | {"tests/test_x.py::h": 0.1})
    mutant = Mutant("handik/x.py", 0, "1", "2", "constant")
    assert list(chosen(found, mutant, 15)) == [
        "tests/a.py::f[1]",
        "tests/b.py::g",
        "tests/a.py::f[2]",
        "tests/test_x.py::h",
    ]
    assert sum(chosen(found, mutant, 1).values()) <= 1


def test_every_equivalent_has_its_reason() -> None:
    text = (SOURCE / "tests" / "mutation" / "equivalent.txt").read_text("utf-8")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    assert len(rows) == len(known_equivalent())
    assert all(len(reason) > 20 for reason in known_equivalent().values())


def test_interval_is_wilsons() -> None:
    low, high = interval(180, 200)
    assert (round(low, 3), round(high, 3)) == (0.851, 0.934)
    assert interval(0, 0) == (0.0, 1.0)
