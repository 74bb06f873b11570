"""What is public is said: docstrings with their sections, signatures, examples, tables."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik import _core

#: A type alias has no docstring: what it is stands beside it in `handik`, for Sphinx.
FREE = {"__version__", "PoseLike"}
#: Classes that hold data or are raised: they have no call of their own to describe.
PLAIN = (Exception,)


def modules() -> list[ModuleType]:
    found = pkgutil.walk_packages(hk.__path__, "handik.")
    return [
        hk,
        *(
            importlib.import_module(item.name)
            for item in found
            if not item.name.endswith("__main__")
        ),
    ]


def public() -> list[tuple[str, Any]]:
    return [(name, getattr(hk, name)) for name in hk.__all__ if name not in FREE]


def methods(cls: type) -> list[tuple[str, Any]]:
    return [
        (f"{cls.__name__}.{name}", inspect.getattr_static(cls, name))
        for name in dir(cls)
        if not name.startswith("_") and callable(getattr(cls, name, None))
    ]


def documented() -> list[tuple[str, Any]]:
    found = []
    for name, value in public():
        if inspect.ismodule(value):
            continue
        found.append((name, value))
        if inspect.isclass(value) and not issubclass(value, (*PLAIN, int)):
            found += [(n, getattr(value, n.split(".")[1])) for n, _ in methods(value)]
    return found


def test_all_is_sorted_and_true() -> None:
    assert sorted(hk.__all__) == hk.__all__
    assert len(set(hk.__all__)) == len(hk.__all__)
    for name in hk.__all__:
        assert hasattr(hk, name), name
    outside = {
        name
        for name, value in vars(hk).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and getattr(value, "__module__", "").startswith("handik")
    }
    assert outside <= set(hk.__all__)


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import PackageNotFoundError, version

    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", hk.__version__)
    assert hk.__version__ == _core.__version__
    try:
        assert version("handik") == hk.__version__
    except PackageNotFoundError:
        text = (Path(hk.__file__).parents[1] / "pyproject.toml").read_text("utf-8")
        assert f'version = "{hk.__version__}"' in text


@pytest.mark.parametrize(("name", "value"), documented(), ids=lambda v: v if type(v) is str else "")
def test_docstrings(name: str, value: Any) -> None:
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    first = doc.splitlines()[0]
    assert first.endswith((".", ":")), f"{name}: {first!r} is no sentence"
    if inspect.isclass(value) and issubclass(value, (*PLAIN, int)):
        return
    signature = inspect.signature(value)
    given = [
        p
        for p in signature.parameters.values()
        if p.name not in ("self", "cls") and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    # "see X" hands the reader on to where it is all said.
    if re.search(r"; see `[\w.]+`\.$", first):
        return
    if inspect.isclass(value):
        # A class may leave the fields it has from its base to the base's docstring.
        docs = "\n".join(inspect.getdoc(base) or "" for base in value.__mro__[:-1])
        assert not given or re.search(r"^(Parameters|Attributes)\n---", docs, re.M), name
        return
    for section, needed in (
        ("Parameters", not all(f"`{p.name}`" in first for p in given)),
        (
            "Returns",
            signature.return_annotation not in ("None", None, signature.empty)
            and not first.startswith("Return "),
        ),
    ):
        one_line = "\n" not in doc
        assert not needed or one_line or re.search(rf"^{section}\n-+$", doc, re.M), (
            f"{name} has no section {section}"
        )
    if "\n" not in doc:
        return
    for parameter in given:
        assert re.search(rf"(?<!\w){re.escape(parameter.name)}(?!\w)", doc), (
            f"{name}: {parameter.name} is not said"
        )


def test_core_has_docstrings_and_signatures() -> None:
    for name in dir(_core):
        value = getattr(_core, name)
        if name.startswith("__") or not callable(value):
            continue
        assert value.__doc__, name
        if not inspect.isclass(value):
            inspect.signature(value)
    for cls in (_core.Model, _core.Problem):
        for name, value in vars(cls).items():
            if not name.startswith("_"):
                assert value.__doc__, f"{cls.__name__}.{name}"


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.__name__)
def test_examples_are_true(module: ModuleType) -> None:
    assert module.__doc__ or module.__name__.endswith("_core"), module.__name__
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    assert result.failed == 0


def test_the_main_names_have_examples() -> None:
    finder = doctest.DocTestFinder()
    with_examples = {
        test.name.rpartition(".")[2]
        for module in modules()
        for test in finder.find(module, module=module)
        if test.examples
    }
    assert {"chain", "Problem", "Solver", "solve_goal", "solvers", "deg"} <= with_examples


# -- tables ---------------------------------------------------------------------------------------


def test_outcomes_are_those_of_the_core() -> None:
    rows = _core.table("outcomes")
    assert [row[0].upper() for row in rows] == [outcome.name for outcome in hk.Outcome]
    assert [int(outcome) for outcome in hk.Outcome] == list(range(len(rows)))
    from handik.result import SENTENCES, WORDS

    assert set(WORDS) == set(SENTENCES) == set(hk.Outcome)


def test_methods_are_those_of_the_core() -> None:
    rows = _core.table("methods")
    assert [row[0].upper() for row in rows] == [method.name for method in hk.Method]
    assert [int(method) for method in hk.Method] == list(range(len(rows)))


def test_joint_kinds_are_those_of_the_specs() -> None:
    from handik.model import KINDS
    from handik.spec.parts import JOINT_LIMITED, JOINT_NQ

    assert {row[0]: row[3] for row in _core.table("joints")} == JOINT_NQ
    assert tuple(JOINT_NQ) == KINDS
    assert set(JOINT_LIMITED) == set(JOINT_NQ)


def test_every_term_of_the_core_has_its_class() -> None:
    """Each public term makes rows that the core knows, and no row is without a term."""
    model, made = hk.chain([1.0, 1.0], "ball"), set()
    rows = {row[0]: row for row in _core.table("terms")}
    loops = [hk.Loop("tip", joint=joint) for joint in ("ball", "revolute", "weld")]
    frames = [hk.Position(), hk.Orientation(), hk.Pose(), hk.Axis(), hk.Level(), hk.LookAt()]
    frames += [hk.Position(axes="zx"), hk.Orientation(axes="zx"), hk.Orientation(axes="z")]
    ends = [hk.Capsule(frame, (0, 0, 0), (1, 0, 0), 0.1) for frame in ("link_0", "tip")]
    wholes = [hk.CenterOfMass(), hk.CenterOfMass(over=[[0, 0]]), hk.Posture(), hk.Damping()]
    wholes.append(hk.SelfCollision(capsules=ends, pairs=[(0, 1)]))
    wholes.append(hk.Clearance(None, hk.Figure(model, ends, pairs=[(0, 1)])))
    for term in [*frames, *wholes, hk.Distance("tip", distance=1.0), *loops]:
        assert type(term).__name__ in hk.__all__
        parts = term._parts(model, "tip")
        for part in parts:
            made.add(part.kind)
            assert len(part.params) <= len(rows[part.kind][4])
        widths = [rows[part.kind][3] for part in parts]
        want = model.nq if widths == [-1] else sum(widths)  # -1: as many as q
        want = 2 if widths == [-4] else want  # as many as axes
        assert len(term._column_names(model, "tip")) == want
    assert made | {"own"} == set(rows)  # the row of terms that are the user's: test_own_term.py


def test_solvers_say_what_they_are() -> None:
    infos = hk.solvers()
    assert infos[0].name == "auto"  # what a user gets without thinking
    assert {"fabrik", "ccd"} <= {info.name for info in infos}
    balls, arm = hk.chain([1.0, 1.0], "ball"), hk.data("ur5")
    for info in infos:
        assert len(info.summary) > 10
        assert re.search(r"(19|20)\d\d", info.reference), f"{info.name} names no source"
        assert info.max_iter > 0
        # Every option a solver names can be given, at its default.
        figure, goal = balls, {"position": [1, 1, 0]}
        try:
            plain = figure.solve(**goal, solver=info.name)
        except hk.UnsupportedError:  # it takes the pose of a serial arm
            figure, goal = arm, {"pose": arm.fk(arm.sample(seed=1))}
            plain = figure.solve(**goal, solver=info.name)
        given = figure.solve(**goal, solver=info.name, **info.options)
        assert given.q.tobytes() == plain.q.tobytes()


def test_solvers_show_as_lines_and_as_a_table() -> None:
    infos = hk.solvers()
    lines = repr(infos).splitlines()
    assert [line.split()[0] for line in lines] == [info.name for info in infos]
    page = infos._repr_html_()
    assert page.count("<tr>") == len(infos) + 1
    for info in infos:
        for name, value in info.options.items():
            least, most, whole = info.ranges[name]
            range_ = f"{'whole, ' if whole else ''}{least:.6g} to {most:.6g}"
            assert f"{name}={value:.6g} ({range_})" in page


def test_tables_have_summaries_and_no_strays() -> None:
    for table in ("joints", "terms", "solvers", "outcomes", "methods"):
        rows = _core.table(table)  # type: ignore[arg-type]
        names = [row[0] for row in rows]
        assert len(set(names)) == len(names) > 0
        assert all(row[1] for row in rows)
    for bad in ("", "joint", "joints\0", 3, None):
        with pytest.raises(ValueError, match="table must be"):
            _core.table(bad)  # type: ignore[arg-type]


# -- a model does not change ----------------------------------------------------------------------


def test_models_do_not_change() -> None:
    arm = hk.chain([1.0, 1.0])
    for name in ("name", "tip", "joint_names", "frame_names", "nq", "lower", "other"):
        with pytest.raises(AttributeError):
            setattr(arm, name, "x")
    with pytest.raises(AttributeError):
        del arm.name
    with pytest.raises(TypeError):
        arm.joint_q_slices["joint_1"] = slice(0, 2)  # type: ignore[index]


# -- what is shown --------------------------------------------------------------------------------

#: The rooms and the modules that a user comes to by ``hk.<TAB>``.
SHOWN = sorted(
    {f"handik.{path}" for path in hk._LAZY.values()}
    | {
        f"handik.{name}"
        for name in ("data", "errors", "model", "problem", "result", "solve", "spec")
    }
)


@pytest.mark.parametrize("name", SHOWN)
def test_a_room_shows_what_is_public_and_no_imports(name: str) -> None:
    room = importlib.import_module(name)
    assert dir(room) == sorted(room.__all__)
    assert not [shown for shown in dir(room) if shown.startswith("_")]
    for shown in dir(room):
        value = getattr(room, shown)
        home = getattr(value, "__module__", None) or getattr(value, "__name__", name)
        assert str(home).split(".")[0] in ("handik", "builtins"), f"{name}.{shown} is of {home}"


def test_the_package_of_solvers_says_what_to_call() -> None:
    with pytest.raises(TypeError, match=r"package of solvers.*model\.solve\(position="):
        hk.solve(hk.data("ur5"), position=[0.4, 0.2, 0.5])  # type: ignore[operator]
    assert hk.solve.solvers is hk.solvers


def test_the_names_that_others_rely_on_stay(tmp_path: Path) -> None:
    """Measurements from outside use them: the list of issue 13, called as it is written there."""
    arm = hk.data("ur5")
    arm.save(tmp_path / "arm.urdf", [])
    loaded = hk.load(tmp_path / "arm.urdf", base="link_0", tip="link_6")
    assert (loaded.nq, loaded.nv, len(loaded.lower), len(loaded.upper)) == (6, 6, 6, 6)
    assert hk.chain([0.3, 0.2], "ball").nv == 6
    table = [[0, 0.3, 0, np.pi / 2], [0, 0, 0.4, 0]]
    two = hk.Model.from_dh(table, convention="modified", lower=-2.0, upper=2.0)
    assert (two.lower == -2.0).all()
    q = arm.sample(4, seed=3)
    T = arm.fk(q, frame="link_6")
    assert arm.frames(q).shape == (4, len(arm.frame_names), 4, 4)
    assert arm.jacobian(q).shape == (4, 6, 6)
    found = arm.solve(
        position=T[:, :3, 3],
        orientation=T[:, :3, :3],
        frame="link_6",
        q0=arm.rest,
        solver="auto",
        position_tolerance=1e-5,
        orientation_tolerance=1e-5,
        max_iter=3000,
        threads=2,
    )
    assert found.q.shape == (4, 6)
    assert found.converged.all()
    assert (found.position_error <= 1e-5).all()
    assert (found.outcome == "converged").all()
    assert found.iterations.shape == (4,)
    assert arm.solve(pose=T[0]).converged
    every = arm.solutions(T)
    assert every.q.shape[0] == len(every.count) == 4
    assert arm.locked({"elbow": 0.3}).joint_q_slices["elbow"] == slice(2, 3)
    assert "elbow" in arm.joint_names
    poppy = hk.data("poppy_arm")
    still = np.zeros(poppy.nv)
    assert np.isfinite(poppy.inverse_dynamics(poppy.rest, still, still)).all()
    problem = hk.Problem(arm, [hk.Position(), hk.Orientation()])
    assert hk.Solver("dls")(problem, problem.targets(T[:, :3, 3], T[:, :3, :3])).q.shape == (4, 6)
    assert hk.Problem(arm, [hk.Pose()]).width == 7


def test_checkers_of_types_see_what_is_loaded_late() -> None:
    """Else ``hk.access.reach`` is of any type to mypy, and an editor completes nothing of it."""
    tree = ast.parse(Path(hk.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    shown = {alias.asname or alias.name for node in block.body for alias in node.names}
    late = {*hk._LAZY, *(name for name in hk.__all__ if name not in vars(hk))}
    assert late - shown == set()
