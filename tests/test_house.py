"""Each rule of tests/house.py: the sources keep it, and a planted breach of it is found."""

from __future__ import annotations

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
    "no_file_is_too_long": {"handik/x.py": "x = 1\n" * 701},
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


def test_words_in_comments_and_texts_are_no_breach(tmp_path: Path) -> None:
    (tmp_path / "csrc/base").mkdir(parents=True)
    (tmp_path / "csrc/base/x.h").write_text(
        '/* never printf(x) nor\n   sin(x) */\nstatic const char *a = "exit(1)"; // abort()\n',
        "utf-8",
    )
    assert not list(house.the_core_never_prints_or_exits(tmp_path))
    assert not list(house.the_core_calls_no_transcendental_of_libm(tmp_path))
