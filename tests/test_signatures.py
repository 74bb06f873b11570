"""The calls that everybody makes show every keyword: in help(), in the core and in the stub.

`Model.solve` and `Model.solutions` are methods of the core, which takes a call that it knows without
Python. Their signatures and docstrings are those of the Python functions that do the rest:

    python tests/test_signatures.py --write

writes them to ``csrc/python/core_docs.h`` after a change of the functions.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import handik as hk
from handik import _core
from handik.closed.analytic import solutions
from handik.solve import solve_goal

#: Methods of `Model`, the functions that they are, and what of these is not the user's.
SAME: dict[str, Callable[..., Any]] = {"solve": solve_goal, "solutions": solutions}
HERE = Path(hk.__file__).parent


def arguments(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Arguments of the method: without the model, without what the core alone gives."""
    found = list(inspect.signature(function).parameters.values())[1:]
    return [p.replace(annotation=p.empty) for p in found if not p.name.startswith("_")]


def text_signature(name: str) -> str:
    shown = inspect.Signature([*arguments(SAME[name])])
    inside = str(shown)[1:-1]
    return f"($self, {inside})" if inside.startswith("*") else f"($self, {inside})"


def docstring(name: str) -> str:
    """The function's docstring without the entry of its first argument."""
    doc = inspect.cleandoc(SAME[name].__doc__ or "")
    before, after = doc.split("model : Model\n", 1)
    return before + after.split("\n", 1)[1]


def header() -> str:
    """The C header."""
    rows = [
        "/* core_docs.h: signatures and docstrings of the functions of Python that finish Model.solve and",
        "   Model.solutions. Written by tests/test_signatures.py --write. */",
        "",
        "#ifndef HIK_PYTHON_CORE_DOCS_H",
        "#define HIK_PYTHON_CORE_DOCS_H",
        "",
        "// clang-format off",
    ]
    for name in SAME:
        text = f"{name}{text_signature(name)}\n--\n\n{docstring(name)}"
        marked = text.replace("\\", "\\\\").replace('"', '\\"')
        lines = [f'    "{line}\\n"' for line in marked.split("\n")]
        rows += [f"static const char core_{name}_doc[] =", *lines[:-1], lines[-1][:-3] + '";', ""]
    return "\n".join([*rows, "// clang-format on", "", "#endif", ""])


@pytest.mark.parametrize("name", SAME)
def test_methods_of_the_core_show_what_their_functions_take(name: str) -> None:
    method = getattr(hk.Model, name)
    again = "python tests/test_signatures.py --write, and build"
    assert method.__text_signature__ == text_signature(name), again
    assert method.__doc__ == docstring(name), again
    shown = list(inspect.signature(method).parameters.values())
    assert shown[1:] == arguments(SAME[name])


def stubbed(path: Path, name: str) -> ast.arguments:
    """The arguments of `Model.name` in a file."""
    tree = ast.parse(path.read_text("utf-8"))
    (model,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model")
    return next(
        n.args for n in ast.walk(model) if isinstance(n, ast.FunctionDef) and n.name == name
    )


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("file", ["_core.pyi", "_model.py"])
def test_stubs_name_every_keyword(name: str, file: str) -> None:
    args = stubbed(HERE / file, name)
    named = {
        arg.arg: (None if default is None else ast.literal_eval(default))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    }
    wanted = {p.name: p.default for p in arguments(SAME[name]) if p.kind is p.KEYWORD_ONLY}
    assert named == wanted
    assert (args.kwarg is not None) == any(
        p.kind is p.VAR_KEYWORD for p in arguments(SAME[name])
    )


@pytest.mark.parametrize(
    "call",
    [hk.Model.from_dh, hk.chain, hk.load, hk.Model.track, hk.Model.simulate, hk.Solver],
    ids=lambda call: call.__qualname__,
)
def test_no_call_hides_its_keywords(call: Callable[..., Any]) -> None:
    """`**options` is left where readers and solvers of the user's own have names of their own."""
    parameters = inspect.signature(call).parameters.values()
    loose = [p.name for p in parameters if p.kind is p.VAR_KEYWORD]
    assert loose == (["options"] if call in (hk.load, hk.Model.track, hk.Solver) else [])
    assert sum(p.kind is p.KEYWORD_ONLY for p in parameters) >= 2


def test_a_solver_shows_how_it_is_called() -> None:
    shown = inspect.signature(hk.Solver("fabrik"))
    assert list(shown.parameters) == ["problem", "targets", "q0", "out", "trace", "progress"]
    assert list(inspect.signature(hk.Solver).parameters)[:3] == ["name", "max_iter", "retries"]


def test_the_core_has_them_itself() -> None:
    assert vars(_core.Model)["solve"] is hk.Model.solve  # no layer of Python on the fast way


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    target = Path(__file__).parents[1] / "csrc" / "python" / "core_docs.h"
    target.write_text(header(), "utf-8")
