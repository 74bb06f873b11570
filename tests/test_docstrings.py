"""Every public name tells what it takes, gives and refuses, in numpydoc's sections, by count.

Run as a program it lists what is missing, a line each.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType, MethodDescriptorType, ModuleType
from typing import Any

import handik as hk
from handik import _core

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.M)
NOT_PUBLIC = ("handik.study.twins", "handik.app.cli", "handik._core")
#: Words for "an array" in an annotation.
ARRAYS = re.compile(r"ArrayLike|NDArray|\bArray\b|ndarray")


def modules() -> list[ModuleType]:
    """The modules that a user may import."""
    names = [item.name for item in pkgutil.walk_packages(hk.__path__, "handik.")]
    public = [
        name
        for name in names
        if not name.startswith(NOT_PUBLIC) and not any(x.startswith("_") for x in name.split("."))
    ]
    return [hk, *map(importlib.import_module, sorted(public))]


def own(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions and classes that a module defines."""
    shown = getattr(module, "__all__", ())
    for name in shown or [n for n in vars(module) if not n.startswith("_")]:
        value = vars(module).get(name)
        home = getattr(value, "__module__", None) or ""
        # One of a private module is that of the public module that shows it.
        lent = name in shown and home.startswith("handik.") and "._" in home
        if home != module.__name__ and not lent:
            continue
        if inspect.isclass(value) or inspect.isroutine(value):
            yield f"{home}.{name}", value


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods and properties that a class defines itself."""
    for name, value in vars(cls).items():
        if not name.startswith("_") and isinstance(
            value,
            FunctionType | MethodDescriptorType | classmethod | staticmethod | property,
        ):
            yield name, value


def objects() -> dict[str, Any]:
    """Every public function, class, method and property, by its full name."""
    found: dict[str, Any] = {}
    for module in modules():
        for name, value in own(module):
            found[name] = value
            if inspect.isclass(value):
                found |= {f"{name}.{part}": member for part, member in members(value)}
    for cls in (_core.Model, _core.Problem):  # the base of those of Python
        found |= {f"handik._core.{cls.__name__}.{part}": m for part, m in members(cls)}
    return found


def sections(doc: str) -> dict[str, str]:
    """A docstring's sections by heading; the summary stands under ''."""
    parts = HEADING.split(inspect.cleandoc(doc))
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(section: str) -> dict[str, str]:
    """What a section lists: name -> its type and description ('a, b : float' are two)."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            left, _, right = line.partition(" :")
            names = [name.strip().lstrip("*") for name in left.split(",")]
            found |= dict.fromkeys(names, right)
        else:
            for name in names:
                found[name] += "\n" + line
    return found


def raised(value: Any) -> set[str]:
    """The exceptions that a function's own body raises by name; '?' for one made elsewhere."""
    if isinstance(value, MethodDescriptorType):
        return set()  # in C
    tree = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    found: set[str] = set()
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = getattr(node.exc.func, "id", "?")
            found.add(name if name[:1].isupper() else "?")
        todo += ast.iter_child_nodes(node)
    return found


def arguments(value: Any) -> dict[str, inspect.Parameter]:
    try:
        signature = inspect.signature(value)
    except ValueError:
        return {}
    return {n: p for n, p in signature.parameters.items() if n not in ("self", "cls")}


def lacks_of_a_class(cls: type) -> set[str]:
    """What is missing in the docstring of a class.

    A class's parameters may stand under Attributes, and in the docstring of the base that has them.
    """
    doc = cls.__doc__
    if not doc or (cls.__name__ + "(" in doc and "\n" not in doc):
        return {"docstring"}
    if issubclass(cls, Exception | int):
        return set()
    said: set[str] = set()
    for base in cls.__mro__[:-1]:
        parts = sections(base.__doc__ or "")
        for heading in ("Parameters", "Attributes", "Other Parameters"):
            said |= set(entries(parts.get(heading, "")))
    takes = {n for n, p in arguments(cls).items() if n[0] != "_"}
    missing = {f"Parameters: {name}" for name in takes - said}
    parts = sections(doc)
    if "Parameters" in parts:
        missing |= {
            f"Parameters: no {name}"
            for name in set(entries(parts["Parameters"])) - takes - {"args"}
        }
    return missing


def lacks_of_a_function(value: Any) -> set[str]:
    """What is missing in the docstring of a function or method."""
    doc = value.__doc__
    if not doc:
        return {"docstring"}
    parts, missing = sections(doc), set()
    said = entries(parts.get("Parameters", "")) | entries(parts.get("Other Parameters", ""))
    takes = {name: p for name, p in arguments(value).items() if name[0] != "_"}
    missing |= {f"Parameters: {name}" for name in takes if name not in said}
    missing |= {f"Parameters: no {name}" for name in said if name not in takes}
    for name, parameter in takes.items():
        array = ARRAYS.search(str(parameter.annotation))
        if array and name in said and not re.search(r"\(|shape|scalar|[Ss]ee `", said[name]):
            missing.add(f"shape: {name}")
    result = getattr(value, "__annotations__", {}).get("return", "None")
    if result not in ("None", None, "NoReturn") and not {"Returns", "Yields"} & set(parts):
        missing.add("Returns")
    for name in raised(value):
        if "Raises" not in parts:
            missing.add("Raises")
        elif name != "?" and name not in parts["Raises"]:
            missing.add(f"Raises: {name}")
    return missing


def lacks(value: Any) -> set[str]:
    if isinstance(value, property):
        missing = set() if value.__doc__ else {"docstring"}
        if value.fget and raised(value.fget) and "Raises" not in sections(value.__doc__ or ""):
            missing.add("Raises")
        return missing
    if inspect.isclass(value):
        return lacks_of_a_class(value)
    return lacks_of_a_function(getattr(value, "__func__", value))


def without_examples() -> set[str]:
    """The functions of the public packages, and the names of `handik`, that show no example."""
    wanted = {name: value for name, value in objects().items() if inspect.isroutine(value)}
    wanted = {name: value for name, value in wanted.items() if name.count(".") < 8}
    wanted = {n: v for n, v in wanted.items() if not inspect.isclass(_parent(n))}
    for name in hk.__all__:
        value = getattr(hk, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            wanted[f"{value.__module__}.{value.__qualname__}"] = value
    parser = doctest.DocTestParser()
    return {n for n, v in wanted.items() if not parser.get_examples(v.__doc__ or "")}


def _parent(name: str) -> Any:
    module, _, owner = name.rpartition(".")[0].rpartition(".")
    try:
        return getattr(importlib.import_module(module), owner, None)
    except ModuleNotFoundError:
        return None


def missing() -> set[str]:
    """Every line that is still open."""
    found = {f"{name}: {what}" for name, value in objects().items() for what in lacks(value)}
    return found | {f"{name}: Examples" for name in without_examples()}


def test_docstrings_lack_nothing() -> None:
    found = missing()
    assert not found, "to be written:\n" + "\n".join(sorted(found))


def test_the_count_sees_what_is_there() -> None:
    """The public names are met at all, and the reading of sections is not blind."""
    names = objects()
    assert len(names) > 350
    assert {"handik.spec.units.deg", "handik.model.core.Model.with_limits"} <= set(names)
    assert not any("twins" in name for name in names)


def plain(a, b=1, *more):  # type: ignore[no-untyped-def]
    """Add.

    Parameters
    ----------
    a, c : float
        One.
    """
    if a:
        raise ValueError(f"{a}")


plain.__annotations__["return"] = "float"


def test_what_is_missing_is_found() -> None:
    assert lacks(plain) == {
        "Parameters: b",
        "Parameters: more",
        "Parameters: no c",
        "Returns",
        "Raises",
    }
    assert lacks(lambda: 0) == {"docstring"}


if __name__ == "__main__":
    print(*sorted(missing()), sep="\n")
