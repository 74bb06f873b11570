"""The rooms of handik stand in an order, and nothing imports from a room above its own.

Read off the sources: imports inside functions count, and those that the C core makes; what is
under ``if TYPE_CHECKING`` is for readers and never runs. No module is part of a circle either.
"""

import ast
import importlib
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from _native import SOURCE

import handik
from handik import _core

#: Each may import what stands before it; `handik` is what users see, made of all but what
#: people run, which is a user too. Rooms still to come go between `closed` and `plot`.
ORDER = (
    *("errors", "_core", "spec", "files", "model", "problem", "result", "solve", "closed"),
    *("_model", "data", "people", "scene", "plot", "study", "handik", "app", "__main__"),
)
#: Those that a newcomer sees.
ROOMS = [name for name in ORDER if not name.startswith("_") and name != "handik"]
#: What a newcomer sees in the folder is no more than this.
MOST = 14
#: The oracles of the tests: nothing that users run imports them.
TWINS = "study.twins"
PACKAGE = Path(handik.__file__).parent

Edges = dict[str, set[str]]


class _Imports(ast.NodeVisitor):
    """All that a module imports, wherever in it, but for type checkers."""

    def __init__(self, module: str, package: str) -> None:
        self.package, self.found = package, set[str]()
        self.visit(ast.parse(module))

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in node.orelse:
                self.visit(other)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.found |= {alias.name for alias in node.names}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        above = self.package.split(".")
        start = ".".join(above[: len(above) - node.level + 1]) if node.level else ""
        base = ".".join(filter(None, (start, node.module)))
        self.found |= {f"{base}.{alias.name}" for alias in node.names}


@cache
def imports(text: str, package: str) -> frozenset[str]:
    return frozenset(_Imports(text, package).found)


def sources() -> dict[str, str]:
    """The text of each file of the package, by its path below it."""
    found = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in found}


def graph(texts: dict[str, str]) -> Edges:
    """Which module imports which, by names without ``handik.``; the root itself is ``handik``."""
    names = {path: _name(path) for path in texts}
    known = {*names.values(), "handik._core"}
    edges: Edges = {}
    for path, name in names.items():
        package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
        found = (x for x in imports(texts[path], package) if x.split(".")[0] == "handik")
        edges[_short(name)] = {_short(_module(x, known)) for x in found} - {_short(name)}
    return edges


def _name(path: str) -> str:
    """Dotted name of a module by its path."""
    return ".".join(("handik", *Path(path).with_suffix("").parts)).removesuffix(".__init__")


def _module(name: str, known: set[str]) -> str:
    """The module that a dotted name is, or is of."""
    while name not in known:
        name = name.rpartition(".")[0]
    return name


def _short(name: str) -> str:
    return name.removeprefix("handik.")


def room(module: str) -> str:
    return module.split(".")[0]


def upward(edges: Edges) -> list[str]:
    """Edges to a room that does not stand before, or from anything else to the twins."""
    place = {name: k for k, name in enumerate(ORDER)}
    return [
        f"{module} imports {target}"
        for module, targets in sorted(edges.items())
        for target in sorted(targets)
        if (_twin(target) and not _twin(module))
        or place.get(room(target), len(ORDER)) > place.get(room(module), -1)
    ]


def _twin(module: str) -> bool:
    return module == TWINS or module.startswith(f"{TWINS}.")


def circle(edges: Edges) -> list[str]:
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_nothing_imports_upwards() -> None:
    edges = graph(sources())
    print("\n".join(f"{k + 1:2} {name}" for k, name in enumerate(ORDER)))
    seen = {room(module) for module in edges} | {"_core"}
    assert seen == set(ORDER)
    assert upward(edges) == []
    # what is not looked at cannot be wrong: the graph has its edges, late ones among them
    assert "result.explain" in edges["result.result"]
    assert {"model", "solve.track", "files.write"} <= edges["_model"]
    assert "study" in edges["app.cli.compare"]


def test_no_module_is_part_of_a_circle() -> None:
    assert circle(graph(sources())) == []


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("model/core.py", "from handik.solve import Solver", "model.core imports solve"),
        (
            "spec/model.py",
            "def f():\n    from handik.files import write",
            "spec.model imports files.write",
        ),
        ("read/urdf.py", "def f():\n    import handik.model.core", "read.urdf imports model.core"),
        ("problem/terms.py", "from .. import result", "problem.terms imports result"),
        ("closed/analytic.py", "from handik import Model", "closed.analytic imports handik"),
        (
            "study/curve.py",
            "from handik.study.twins import ccd",
            "study.curve imports study.twins.ccd",
        ),
        ("extra.py", "import handik.errors", "extra imports errors"),
    ],
)
def test_an_edge_upwards_is_seen(path: str, line: str, said: str) -> None:
    texts = sources()
    texts[path] = f"{texts.get(path, '')}\n{line}\n"
    assert said in upward(graph(texts))


def test_a_circle_is_seen_and_types_are_none() -> None:
    texts, path = sources(), "spec/parts.py"
    text = texts[path]
    texts[path] = f"{text}\nif TYPE_CHECKING:\n    from handik.spec.model import ModelSpec\n"
    assert circle(graph(texts)) == [] == upward(graph(texts))
    texts[path] = f"{text}\ndef f():\n    from handik.spec.model import ModelSpec\n"
    assert {"spec.parts", "spec.model"} <= set(circle(graph(texts)))


@pytest.mark.build
def test_the_core_imports_nothing_that_stands_above_it() -> None:
    """What it calls it is handed, by `_core._bind`; of handik it imports `errors` alone."""
    found = []
    for path in sorted((SOURCE / "csrc" / "python").glob("*.[ch]")):
        text = path.read_text("utf-8")
        assert "PyImport_Import(" not in text
        assert "PyImport_ImportModuleLevel" not in text
        found += re.findall(r'PyImport_ImportModule\(("?[^)]*"?)\)', text)
    assert sorted(set(found)) == ['"handik.errors"', '"numpy"']


def test_the_folder_shows_few_entries() -> None:
    seen = [
        path.stem
        for path in PACKAGE.iterdir()
        if not path.name.startswith((".", "_")) and path.name != "py.typed"
    ]
    print(sorted(seen))
    assert len(seen) <= MOST
    assert set(seen) == set(ROOMS)


@pytest.mark.build
def test_contributing_has_a_line_for_each_entry() -> None:
    page = (SOURCE / "CONTRIBUTING.md").read_text("utf-8")
    table = page[page.index("| `handik/` |") + 1 :]
    shown = re.findall(r"^\| `(\w+)(?:/|\.py)` \| \S[^|]+ \|", table, re.M)
    assert shown == ROOMS  # in the order of the data


@pytest.mark.parametrize("name", ROOMS)
def test_each_room_says_what_lives_there(name: str) -> None:
    said = importlib.import_module(f"handik.{name}").__doc__ or ""
    assert said.split("\n")[0].endswith(".")
    assert name == "errors" or "It may import" in said


def test_the_core_refuses_what_it_cannot_use_and_keeps_what_it_has() -> None:
    words = {"Outcome": handik.Outcome, "Method": handik.Method}
    for wrong in ({"Result": 1, **words}, {"Solutions": dict}, {"solve_gaol": print}):
        with pytest.raises(TypeError):
            _core._bind(**wrong)
    with pytest.raises(AttributeError):
        _core._bind(Result=int, **words)
    arm = handik.chain([1.0, 1.0])
    assert type(arm.solve(position=[1.0, 1.0, 0.0])) is handik.Result
    assert type(arm.solutions(arm.fk([0.1, 0.2]), task="position")) is handik.Solutions
