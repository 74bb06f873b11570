"""Mutants: one small change each, drawn by a seed over C and Python, or named in a list of our own."""

from __future__ import annotations

import ast
import copy
import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

C_FOLDERS = ("solve", "term", "analytic", "simd", "model", "skin")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


@dataclass(frozen=True)
class Mutant:
    """A piece of one file, and what stands there instead."""

    file: str  # from the root of the tree
    start: int
    old: str
    new: str
    what: str
    name: str = ""  # of our own list
    function: str = ""  # Python: where it stands

    def apply(self, text: str) -> str:
        assert text[self.start : self.start + len(self.old)] == self.old
        return text[: self.start] + self.new + text[self.start + len(self.old) :]

    def line(self, text: str) -> int:
        return text.count("\n", 0, self.start) + 1

    def key(self, text: str) -> str:
        """The same for the same change, wherever in its file it has moved to."""
        if self.name:
            return self.name
        first = text.rfind("\n", 0, self.start) + 1
        last = text.find("\n", self.start + len(self.old))
        line = text[first : last if last >= 0 else len(text)].strip()
        column = self.start - first
        word = f"{self.file}|{line}|{column}|{self.new}"
        return hashlib.sha256(word.encode()).hexdigest()[:12]


# -- C ------------------------------------------------------------------------------------------

SWAPS = {"<": "<=", ">": ">=", "<=": "<", ">=": ">", "==": "!=", "!=": "=="}
COMPARISON = re.compile(r" (<=|>=|==|!=|<|>) ")
PLUS_MINUS = re.compile(r"(?<=[\w\])]) ([+-]) (?=[\w(\[*&-])")
AND_OR = re.compile(r" (&&|\|\|) ")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|\d+)(?![\w.])")
NEGATION = re.compile(r"(?<=[(&| ])!(?=[\w(])")
STATEMENT = re.compile(
    r"^[ \t]+((?:if \(|[\w>\[\].*+ -]+ [-+*/|&]?= |hik_\w+\(|\w+\()[^{}]*?;)[ \t]*$", re.M
)
DECLARED = re.compile(
    r"^(?:const |static |struct |enum |unsigned |double|int|bool|size_t|u?int\d+_t|hik_\w+ \w|char|lane |return|else)"
)


def bare(text: str) -> str:
    """The text with comments, strings and lines of the preprocessor blanked, each character in its place."""
    text = COMMENT_OR_TEXT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return re.sub(
        r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.M
    )


def bodies(text: str) -> Iterator[tuple[int, int]]:
    """From where to where each function goes: a brace at the end of a line that begins at its start."""
    for head in re.finditer(r"^\w[^;{}=]*\([^;{}]*\)\s*\{$", text, re.M):
        end = text.find("\n}", head.end())
        yield head.end(), end if end >= 0 else len(text)


def other_number(word: str) -> str:
    if "." in word or "e" in word:
        value = float(word)
        return repr(10 * value) if value else "1.0"
    return {"0": "1", "1": "2", "2": "1"}.get(word, str(int(word) + 1))


def c_mutants(file: str, text: str) -> Iterator[Mutant]:
    code = bare(text)

    def of(
        pattern: re.Pattern[str], what: str, start: int, end: int
    ) -> Iterator[tuple[re.Match[str], str]]:
        for found in pattern.finditer(code, start, end):
            yield found, what

    for start, end in bodies(code):
        for found, what in of(COMPARISON, "comparison", start, end):
            yield Mutant(file, found.start(1), found[1], SWAPS[found[1]], what)
            if found[1] in "<>":
                yield Mutant(
                    file, found.start(1), found[1], "<>"[found[1] == "<"], "comparison turned"
                )
        for found, what in of(PLUS_MINUS, "sign", start, end):
            yield Mutant(file, found.start(1), found[1], "-" if found[1] == "+" else "+", what)
        for found, what in of(AND_OR, "and, or", start, end):
            yield Mutant(file, found.start(1), found[1], "||" if found[1] == "&&" else "&&", what)
        for found, what in of(NUMBER, "constant", start, end):
            yield Mutant(file, found.start(1), found[1], other_number(found[1]), what)
        for found, what in of(NEGATION, "negation", start, end):
            yield Mutant(file, found.start(), "!", "", what)
        for found, what in of(STATEMENT, "statement removed", start, end):
            if not DECLARED.match(found[1]):
                yield Mutant(file, found.start(1), text[found.start(1) : found.end(1)], ";", what)


# -- Python -------------------------------------------------------------------------------------

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.LtE: ast.Lt,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Changes(ast.NodeVisitor):
    """Every change of a module: the node and what stands in its place."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.AST, str, str, str]] = []
        self.where: list[str] = []

    def add(self, node: ast.AST, new: ast.AST | str, what: str) -> None:
        word = (
            new
            if isinstance(new, str)
            else f"({ast.unparse(new)})"
            if isinstance(new, ast.expr)
            else ast.unparse(new)
        )
        self.found.append((node, word, what, ".".join(self.where)))

    def named(self, node: ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) -> None:
        inner = [node.name] if isinstance(node, ast.ClassDef) else [node.name, "<locals>"]
        self.where += inner
        for part in node.body:
            self.visit(part)
        del self.where[-len(inner) :]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = named

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        return

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for k, op in enumerate(node.ops):
            new = copy.deepcopy(node)
            new.ops[k] = COMPARED[type(op)]()
            self.add(node, new, "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        new = copy.deepcopy(node)
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.add(node, new, "and, or")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Add | ast.Sub):
            new = copy.deepcopy(node)
            new.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            self.add(node, new, "sign")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add(node, node.operand, "negation")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add(node, ast.Constant(not value), "constant")
        elif isinstance(value, float):
            self.add(node, ast.Constant(10 * value if value else 1.0), "constant")
        elif isinstance(value, int):
            self.add(node, ast.Constant({0: 1, 1: 2, 2: 1}.get(value, value + 1)), "constant")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        self.add(node, "pass", "statement removed")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node, "pass", "statement removed")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.add(node, "pass", "statement removed")


def py_mutants(file: str, text: str) -> Iterator[Mutant]:
    visitor = Changes()
    visitor.visit(ast.parse(text))
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    for node, new, what, function in visitor.found:
        first, last = (
            place(node.lineno, node.col_offset),
            place(node.end_lineno, node.end_col_offset),
        )
        yield Mutant(file, first, text[first:last], new, what, function=function)


# -- the draw -----------------------------------------------------------------------------------


def sources(root: Path) -> list[Path]:
    """C that is drawn from, and Python: all of the package but its twins, which are the tests' own oracles."""
    found = [p for folder in C_FOLDERS for p in (root / "csrc" / folder).rglob("*.[ch]")]
    found += [p for p in (root / "handik").rglob("*.py") if "twins" not in p.parts]
    return sorted(found)


def every(root: Path) -> list[Mutant]:
    out: list[Mutant] = []
    for path in sources(root):
        file, text = str(path.relative_to(root)), path.read_text("utf-8")
        out += (py_mutants if path.suffix == ".py" else c_mutants)(file, text)
    return out


def drawn(root: Path, seed: int) -> list[Mutant]:
    """All mutants in an order drawn by the seed: C and Python in turn, every kind of change as likely.

    Uniform over all of them would be mostly the places of arrays, which any test tells. The order hangs on what
    each mutant is alone, so most of a draw stays when sources change; of those alike in a file one is kept.
    """
    texts: dict[str, str] = {}
    halves: list[dict[str, dict[str, Mutant]]] = [{}, {}]
    for one in every(root):
        if one.file not in texts:
            texts[one.file] = (root / one.file).read_text("utf-8")
        key = hashlib.sha256(f"{seed}|{one.key(texts[one.file])}".encode()).hexdigest()
        halves[one.file.endswith(".py")].setdefault(one.what, {}).setdefault(key, one)
    piles = [
        {what: [kind[key] for key in sorted(kind)] for what, kind in half.items()}
        for half in halves
    ]
    rng = random.Random(seed)
    out: list[Mutant] = []
    while all(piles):
        for pile in piles:
            what = rng.choice(sorted(pile))
            out.append(pile[what].pop())
            if not pile[what]:
                del pile[what]
    return out
