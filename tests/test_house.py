"""Each rule of tests/house.py: the sources keep it, and a planted breach of it is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import house
import pytest
from _native import SOURCE

pytestmark = pytest.mark.build  # reads the source tree

BREACH = {
    "only_the_binding_knows_python": {"csrc/base/x.c": "#include <Python.h>\n"},
    "the_core_never_prints_or_exits": {"csrc/base/x.c": 'void f(void) {\n  printf("x");\n}\n'},
    "the_core_calls_no_transcendental_of_libm": {
        "csrc/base/x.c": "double f(double x) { return sin(x); }\n"
    },
    "every_source_has_its_test": {"csrc/base/x.c": "int x;\n"},
    "every_test_runs_all_its_functions": {
        "csrc/tests/test_x.c": "static void test_a(void) {\n}\nint main(void) {\n}\n"
    },
    "no_flag_that_changes_results": {"setup.py": "flags = ['-ffast-math']\n"},
    "every_public_function_has_a_comment": {
        "csrc/include/handik/handik.h": (
            "/* Said. */\nHIK_API int hik_a(void);\nint x;\nHIK_API int hik_b(void);\n"
        )
    },
    "no_file_is_too_long": {"handik/x.py": "x = 1\n" * 601, "handik/y.py": "x = 1\n" * 600},
    "no_function_has_too_many_paths": {
        "handik/x.py": "def f(x):\n" + "    if x:\n        pass\n" * 20
    },
    "folders_include_what_their_page_says": {
        "csrc/README.md": "| `base/` | numbers | nothing |\n| `model/` | joints | `base/` |\n",
        "csrc/base/x.h": '#include "model/model.h"\n#include "base/y.h"\n',
        "csrc/model/x.h": '#include "base/x.h"\n#include "handik/handik.h"\n',
    },
    "no_variable_arrays": {"csrc/base/x.c": "void f(int n) {\n  double x[n];\n}\n"},
}
ids = [rule.__name__ for rule in house.RULES]


@pytest.mark.parametrize("rule", house.RULES, ids=ids)
def test_rule_is_kept(rule: Callable[[Path], Iterator[str]]) -> None:
    assert (SOURCE / "csrc").is_dir(), f"no source tree at {SOURCE}: set HANDIK_SOURCE"
    found = list(rule(SOURCE))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rule", house.RULES, ids=ids)
def test_rule_finds_a_breach(rule: Callable[[Path], Iterator[str]], tmp_path: Path) -> None:
    for name, text in BREACH[rule.__name__].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert len(list(rule(tmp_path))) == 1


C_BODIES = {
    "": 1,
    "if (x) y();": 2,
    "if (x && y || z) {} else if (w) {}": 5,
    "for (;;) while (x) y = x ? 1 : 2;": 4,
    "switch (x) { case 1: case 2: break; default: break; }": 3,
    'say("if (x) &&"); /* for, while */ // case 1:\n': 1,
    "struct s t = {{0}, {1}}; { { if (x) {} } }": 2,
}
PYTHON_BODIES = {
    "pass": 1,
    "if x:\n  pass\n elif y and z or w:\n  pass\n else:\n  pass": 5,
    "for k in x:\n  while k:\n   pass": 3,
    "return [a for a in x if a if not a] if x else None": 5,
    "try:\n  pass\n except ValueError:\n  pass\n except TypeError:\n  pass\n finally:\n  pass": 3,
    "match x:\n  case 1:\n   pass\n  case _:\n   pass": 3,
    "return lambda a: a or x": 2,
}


@pytest.mark.parametrize("body", C_BODIES)
def test_paths_of_a_c_function(body: str) -> None:
    for head in (
        "static int f(int x, int (*g)(int))",
        "KERNEL(f)(int x)",
        "static int (*f(const s *x))[6]",
    ):
        text = f"#define IF(x) if (x) {{\nstatic int a[] = {{1, 2}};\n{head} {{ {body} }}\nint g(void) {{}}\n"
        assert list(house.c_functions(text)) == [("f", C_BODIES[body]), ("g", 1)]


@pytest.mark.parametrize("body", PYTHON_BODIES)
def test_paths_of_a_python_function(body: str) -> None:
    text = f"class C:\n def f(self, x):\n  {body.replace(chr(10), chr(10) + ' ')}\n"
    assert list(house.python_functions(text)) == [("f", PYTHON_BODIES[body])]


def test_a_function_inside_another_counts_for_itself() -> None:
    text = "def f(x):\n  if x:\n    def g(y):\n      return y or x or 1\n    return g\n"
    assert dict(house.python_functions(text)) == {"f": 2, "g": 3}


def test_every_function_of_c_is_seen() -> None:
    """As many bodies as there are closing braces at the margin, but those of types and tables."""
    for path, text in house.files(SOURCE, "csrc/**/*.c"):
        plain = house.DIRECTIVE.sub("", house.bare(text))
        ends = len([line for line in plain.splitlines() if line == "}"])
        one_line = len([1 for x in plain.splitlines() if x[:1].isalpha() and x.endswith(" }")])
        assert ends <= len(list(house.c_functions(text))) <= ends + one_line, path


def test_words_in_comments_and_texts_are_no_breach(tmp_path: Path) -> None:
    (tmp_path / "csrc/base").mkdir(parents=True)
    (tmp_path / "csrc/base/x.h").write_text(
        '/* never printf(x) nor\n   sin(x) */\nstatic const char *a = "exit(1)"; // abort()\n',
        "utf-8",
    )
    assert not list(house.the_core_never_prints_or_exits(tmp_path))
    assert not list(house.the_core_calls_no_transcendental_of_libm(tmp_path))


def test_a_skip_for_want_of_a_package_is_seen_by_the_guard() -> None:
    """HANDIK_COMPLETE=1 makes such a skip a failure, whatever words its reason has."""
    from conftest import MISSING

    reasons = re.compile(r'(?:reason=|skip\()f?"([^"]*(?:needs|install)[^"]*)"')
    told = 0
    for path in sorted((SOURCE / "tests").rglob("test_*.py")):
        if path.name in ("test_house.py", "test_machines.py"):  # machines may be wanting anywhere
            continue
        for reason in reasons.findall(path.read_text("utf-8")):
            told += 1
            assert MISSING.search(reason), f"{path.name}: {reason}"
    assert told > 15


def test_no_two_files_of_tests_share_a_name() -> None:
    """The folders are no packages: of two files with one name pytest collects the first alone."""
    names = [path.name for path in (SOURCE / "tests").rglob("test_*.py")]
    assert not {name for name in names if names.count(name) > 1}
