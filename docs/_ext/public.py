"""Directives of the reference: what is public is read from the package, not listed twice.

``.. public:: terms`` documents the names of ``handik.__all__`` that belong to a group, and
``.. packages:: frames margins`` the packages that ``handik`` loads when they are touched. A new
public name thus appears by itself, and one that fits no group in the group ``other``.
"""

from __future__ import annotations

import enum
import inspect
import re
import types
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import handik

#: Groups whose members no rule can tell.
GROUPS = {
    "model": ("Model", "chain", "load", "data", "robot"),
    "spec": (
        *("ModelSpec", "JointSpec", "LinkSpec", "FrameSpec", "Cone", "ReachCone", "TwistTable"),
        "SwingMimicSpec",
    ),
    "solve": ("Problem", "Solver", "solver", "solvers"),
    "result": ("Result", "Outcome", "Method", "Solutions", "Track", "Trace"),
}
#: Classes whose methods stand in the core, in C, or in classes that nobody names.
INHERIT = ("Model", "Problem", "Solver")
#: The core's own tables of a model, which nobody needs who uses it.
TABLES = re.compile(
    r"step_|frame_(placement|step)$|joint_(kind|mimic|parent|q|step|v)$|swing$|follow$"
)


def group_of(name: str) -> str:
    """Return the page of the reference on which a public name stands."""
    thing = getattr(handik, name)
    for group, members in GROUPS.items():
        if name in members:
            return group
    if isinstance(thing, types.ModuleType):
        return "packages"
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return "errors"
    if inspect.isclass(thing) and (issubclass(thing, handik.terms.Term) or name == "Capsule"):
        return "terms"
    return "other"


def lines_of(name: str) -> list[str]:
    """Return the autodoc directive of a public name."""
    thing: Any = getattr(handik, name)
    if inspect.isclass(thing):
        lines = [f".. autoclass:: handik.{name}"]
        if name in INHERIT:
            tables = (n for n in dir(thing) if TABLES.match(n))
            lines += ["   :inherited-members:", f"   :exclude-members: {', '.join(tables)}"]
        if issubclass(thing, Exception):
            lines.append("   :show-inheritance:")
        if issubclass(thing, enum.Enum):
            lines.append("   :undoc-members:")
        return [*lines, ""]
    if callable(thing) and not inspect.isroutine(thing):  # an object that is called
        return [f".. autodata:: handik.{name}", "   :no-value:", ""]
    if callable(thing):
        return [f".. autofunction:: handik.{name}", ""]
    return [f".. autodata:: handik.{name}", "   :no-value:", ""]


class Public(SphinxDirective):
    """The public names of one group."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write one autodoc directive a name."""
        names = [n for n in handik.__all__ if group_of(n) == self.arguments[0]]
        order = GROUPS.get(self.arguments[0], ())
        names.sort(key=lambda n: (order.index(n) if n in order else len(order), n.lower()))
        lines = [line for name in names for line in lines_of(name)]
        return parsed(self, lines)


class Packages(SphinxDirective):
    """What lies in some of the packages that are loaded when they are touched."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write one autodoc directive a package."""
        lines: list[str] = []
        for name in self.arguments[0].split():
            module = getattr(handik, name)
            title = f"handik.{name}"
            lines += [title, "-" * len(title), "", f".. automodule:: {module.__name__}"]
            if hasattr(module, "__all__"):
                elsewhere = ", ".join(n for n in handik.__all__ if n in module.__all__)
                lines += ["   :imported-members:"]
                lines += [f"   :exclude-members: {elsewhere}"] if elsewhere else []
            lines += [""]
        return parsed(self, lines)


def parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """Parse reStructuredText as if it stood in the page."""
    return directive.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def keep_lists_of_names(app: Sphinx, what: str, name: str, *rest: Any) -> None:
    """Let one entry of "Attributes" name several: Sphinx would read the first as a type."""
    lines: list[str] = rest[-1]
    inside = False
    for k, line in enumerate(lines):
        if set(line.strip()) == {"-"} and k:
            inside = lines[k - 1].strip() == "Attributes"
        elif inside and line and not line.startswith(" "):
            names, colon, kind = line.partition(" : ")
            lines[k] = names.replace(", ", ",\u200b") + colon + kind


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives."""
    app.connect("autodoc-process-docstring", keep_lists_of_names, priority=100)
    app.add_directive("public", Public)
    app.add_directive("packages", Packages)
    return {"parallel_read_safe": True}
