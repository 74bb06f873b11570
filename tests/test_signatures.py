"""The calls that everybody makes show every keyword: in help(), in the core and in the stub.

`Model.solve` and `Model.solutions` are methods of the core, which takes a call that it knows without
Python. Their signatures and docstrings are those of the Python functions that do the rest:

    python tests/test_signatures.py --write

writes them to ``csrc/python/core_docs.h`` after a change of the functions.
"""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import pydoc
import re
import sys
import textwrap
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
    return f"($self, {inside})"


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
        "#pragma once",
        "",
        "// clang-format off",
    ]
    for name in SAME:
        shown = textwrap.wrap(name + text_signature(name), 95, break_on_hyphens=False)
        marked = docstring(name).replace("\\", "\\\\").replace('"', '\\"')
        rows += [f"static const char core_{name}_doc[] ="]
        rows += [f'    "{line} "' for line in shown[:-1]] + [f'    "{shown[-1]}\\n--\\n\\n"']
        rows += [f'    "{line}\\n"' for line in marked.split("\n")]
        rows[-1] = rows[-1][:-3] + '";'
        rows.append("")
    return "\n".join([*rows, "// clang-format on", ""])


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
    assert (args.kwarg is not None) == any(p.kind is p.VAR_KEYWORD for p in arguments(SAME[name]))


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


def test_the_class_tells_how_a_solver_is_called() -> None:
    """Its `__call__` is a slot of the core, of which `help` can say nothing."""
    told = inspect.getdoc(hk.Solver) or ""
    call = inspect.signature(hk.Solver._call)
    plain = [p.replace(annotation=p.empty) for p in list(call.parameters.values())[1:]]
    assert f"``solver{inspect.Signature(plain)}``" in told
    assert [p.name for p in plain] == re.findall(r"^- ``(\w+)``: ", told, re.MULTILINE)
    assert "``solver(problem, targets," in pydoc.render_doc(hk.Solver, renderer=pydoc.plaintext)
    assert "__call__" not in vars(hk.Solver)  # no layer of Python on the fast way


def test_the_core_has_them_itself() -> None:
    assert vars(_core.Model)["solve"] is hk.Model.solve  # no layer of Python on the fast way


SCRIPT = """
import numpy as np
import handik as hk

arm = hk.Model.from_dh([[0.0, 0.3, 0.0, 1.57], [0.0, 0.0, 0.4, 0.0]], lower=-2.5, upper=2.5)
leg = hk.chain([0.4, 0.4, 0.1], "ball")
result = leg.solve(position=[0.3, 0.2, 0.4], solver="fabrik", max_iter=200, max_restarts=0)
reveal_type(result.q)
reveal_type(result)
reveal_type(hk.Solver("ccd")(hk.Problem(leg, hk.Position()), np.zeros(3)))
reveal_type(arm.solutions(np.eye(4), closest=True))
reveal_type(arm.track(position=np.zeros((5, 3)), dt=0.1))
reveal_type(hk.load("arm.urdf", tip="hand"))
def reach(pose: hk.PoseLike) -> int:
    arm.with_tool(pose).with_base(pose)
    return len(arm.solutions(pose)) + len(arm.solve(pose=pose))
reach(([0.3, 0.2, 0.4], [1.0, 0.0, 0.0, 0.0])), reach([(np.zeros(3), np.eye(3))]), reach(np.eye(4))
result.convergd
leg.solve(positon=[0.3, 0.2, 0.4])
leg.solve(position=[0.3, 0.2, 0.4], max_iter="many")
arm.solutions(np.eye(4), close=True)
arm.track(position=np.zeros((5, 3)), dt="slow")
hk.chain([1.0], low=-1.0)
hk.Model.from_dh([[0.0, 0.3, 0.0, 1.57]], convension="modified")
arm.simulate([0.0, 0.0], [0.0, 0.0], 1.0, stepp=0.1)
reach(object())

def one(r: hk.Result) -> bool:
    error: float = r.error
    count: int = r.iterations
    how: hk.Outcome = r.outcome
    total = 0.0
    total += r.position_error
    millimetres: float = 1000 * r.position_error - 1
    near: bool = r.error < 1e-3
    solved: bool = r.outcome == "converged"
    print(f"{r.error:.3g} {r.n_restarts:4d} {r.status:d}", round(r.orientation_error, 3), how.name)
    print(max(error, r.error, millimetres), list(range(r.nit)), r.outcome_names.upper())
    return r.converged and near and solved and not -r.error > count

def many(r: hk.Result) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    print(r.error.max(), np.median(r.error), r.iterations.sum(), r.iterations.mean(), r.converged)
    print(r.converged.all(), (~r.converged).sum(), r.error[r.converged & (r.error < 1e-3)].size)
    print((r.outcome == "stalled").sum(), (r.outcome != 1).any(), r.outcome[0], r.status.dtype)
    print((r.iterations > 3).mean(), (r.iterations / 2).max(), (r.outcome_names == "stalled").any())
    track = arm.track(position=np.zeros((5, 3)))
    print(track.moves.max(), track.jumps.any(), float(track[0].moves))
    return 1000 * r.error

result.error.maxx()
result.outcome.nam
result.iterations + result.convergd
text: str = result.error
arm.solve(orientation=object())
hk.Model.from_dh([[0.0, 0.3, 0.0, 1.57]], base=([0.0, 0.0, 1.0], np.eye(3)), tool=object())
"""
REVEALED = {
    8: "ndarray",
    9: "handik.result.result.Result",
    10: "handik.result.result.Result",
    11: "handik.closed.analytic.Solutions",
    12: "handik.solve.track.Track",
    13: "handik._model.Model",
}


@pytest.mark.slow
def test_a_script_is_checked_by_its_keywords(tmp_path: Path) -> None:
    """Mypy knows what the calls give, and finds each misspelt or mistaken keyword."""
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", str(HERE.parent))
        if "site-packages" in str(HERE):
            patch.delenv("MYPYPATH")
        shown, said, _ = api.run(["--strict", f"--cache-dir={tmp_path / 'cache'}", str(script)])
    lines: dict[int, str] = {}
    for line in shown.splitlines():
        if "script.py:" in line:
            place, _, sentence = line.partition("script.py:")[2].partition(": ")
            lines.setdefault(int(place), sentence)
    assert not said, said
    for place, name in REVEALED.items():
        assert name in lines[place], shown
    wrong = {place for place, sentence in lines.items() if sentence.startswith("error")}
    last = SCRIPT.count("\n")
    assert wrong == {*range(18, 27), *range(last - 5, last + 1)}, shown


def test_solvers_and_problems_stay_as_made() -> None:
    model, other = hk.chain([1.0, 1.0]), hk.chain([1.0, 1.0])
    made = [hk.Problem(model, [hk.Position()]) for _ in range(2)]
    assert made[0] == made[1] == copy.copy(made[0])
    assert len({*made, copy.copy(made[0])}) == 1
    assert made[0] != hk.Problem(model, [hk.Position(weight=2.0)])
    assert made[0] != hk.Problem(other, [hk.Position()])
    assert made[0] != "problem"
    again = pickle.loads(pickle.dumps(made[0]))
    assert again.terms == made[0].terms
    assert again.columns == made[0].columns
    assert copy.deepcopy(made[0]).terms == made[0].terms
    solver = hk.Solver("fabrik", max_iter=7)
    for twin in (copy.copy(solver), copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))):
        assert twin == solver
        assert hash(twin) == hash(solver)
    assert solver != hk.Solver("fabrik", max_iter=8)
    for thing, name in ((made[0], "terms"), (made[0], "model"), (solver, "name")):
        with pytest.raises(AttributeError):
            setattr(thing, name, None)
    with pytest.raises(TypeError):
        solver.settings["max_iter"] = 9  # type: ignore[index]


def test_what_dir_shows_is_what_there_is() -> None:
    """Public names and packages alone, each of which loads when it is touched."""
    shown = dir(hk)
    assert set(hk.__all__) <= set(shown)
    assert not [name for name in shown if name.startswith("_") and name != "__version__"]
    for name in shown:
        assert getattr(hk, name) is not None
    missing = {name for name in SPECS if name not in shown}
    assert not missing


#: What a user needs to build a tree by hand, or to name the type of an answer.
SPECS = ("JointSpec", "LinkSpec", "FrameSpec", "Term", "Track", "Trace", "MissingFileError")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    target = Path(__file__).parents[1] / "csrc" / "python" / "core_docs.h"
    target.write_text(header(), "utf-8")
