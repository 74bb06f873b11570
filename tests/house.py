"""The rules of the house that can be checked by reading the sources; standard library only.

Run as a script it prints what it finds and exits with 1. tests/test_house.py runs each rule as a
test, and a breach against each, so that a rule that finds nothing is known to be able to.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

LONGEST = 600  # lines of a file
MOST_PATHS = 20  # cyclomatic complexity of a function
#: What is over all the same, and why. A new name here needs a reason as good.
TOO_LONG: dict[str, str] = {}
TOO_MANY_PATHS: dict[str, str] = {}
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
NOT_IN_CORE = re.compile(
    r"\b(printf|fprintf|puts|putchar|perror|exit|_exit|abort|assert|longjmp|signal|alloca)\s*\("
)
LIBM = re.compile(
    r"\b(sin|cos|tan|sincos|asin|acos|atan|atan2|exp|exp2|log|log2|log10|log1p|expm1|pow|hypot|cbrt|sinh|cosh|tanh)"
    r"[fl]?\s*\("
)
BAD_FLAG = re.compile(r"-ffast-math|-Ofast|-funsafe-math-optimizations|-march=native|-mtune=native")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
C_DECISION = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
#: what stands before the body of a function: its name, which a macro may make, and its parameters;
#: behind them, where it gives back a pointer to an array, the rest of that type
C_HEAD = re.compile(
    r"\b(\w+)\s*(?:\(\s*(\w+)\s*\)\s*)?\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:\)\s*\[\w+\]\s*)?\Z"
)
PY_DECISION = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler)
PY_DECISION_TOO = (ast.comprehension, ast.match_case)
FOLDER = re.compile(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|$", re.M)
PUBLIC_FUNCTION = re.compile(r"^HIK_API\b[^;]*?\b(hik_\w+)\s*\(", re.M)


def bare(text: str) -> str:
    """Blank out comments and string literals, keeping line numbers."""
    return COMMENT_OR_TEXT.sub(lambda m: '""' + "\n" * m[0].count("\n"), text)


def files(root: Path, *patterns: str) -> Iterator[tuple[Path, str]]:
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            yield path.relative_to(root), path.read_text("utf-8")


def core(root: Path) -> Iterator[tuple[Path, str]]:
    """All C but the binding, the tests and the fuzzers."""
    for path, text in files(root, "csrc/**/*.[ch]"):
        if not {"python", "tests", "fuzz"} & set(path.parts):
            yield path, text


def hits(path: Path, text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := pattern.search(line):
            yield f"{path}:{number}: {found[0].strip()}"


def only_the_binding_knows_python(root: Path) -> Iterator[str]:
    pattern = re.compile(r'#\s*include\s*["<](Python\.h|numpy/[^">]*)[">]')
    for path, text in files(root, "csrc/**/*.[ch]", "csrc/**/*.def"):
        if "python" not in path.parts:
            yield from hits(path, text, pattern)


def the_core_never_prints_or_exits(root: Path) -> Iterator[str]:
    for path, text in core(root):
        yield from hits(path, bare(text), NOT_IN_CORE)


def the_core_calls_no_transcendental_of_libm(root: Path) -> Iterator[str]:
    for path, text in core(root):
        yield from hits(path, bare(text), LIBM)


def every_source_has_its_test(root: Path) -> Iterator[str]:
    for path, _ in core(root):
        if path.suffix != ".c" or path.name.endswith(".inc.c") or "simd" in path.parts:
            continue
        if not (root / "csrc/tests" / f"test_{path.name}").is_file():
            yield f"{path}: csrc/tests/test_{path.name} is missing"


def every_test_runs_all_its_functions(root: Path) -> Iterator[str]:
    """A test function that RUN does not name is never run, and the compiler need not say so."""
    for path, text in files(root, "csrc/tests/test_*.c"):
        written = set(re.findall(r"^static void (test_\w+)\(void\)", text, re.M))
        for name in sorted(written - set(re.findall(r"\bRUN\((\w+)\)", text))):
            yield f"{path}: {name} is not run"


def no_flag_that_changes_results(root: Path) -> Iterator[str]:
    for path, text in files(root, "setup.py", "pyproject.toml", "Makefile", "csrc/**/*.[ch]"):
        yield from hits(path, bare(text) if path.suffix in (".c", ".h") else text, BAD_FLAG)


def every_public_function_has_a_comment(root: Path) -> Iterator[str]:
    for path, text in files(root, "csrc/include/handik/handik.h"):
        if not PUBLIC_FUNCTION.search(text):
            yield f"{path}: no public function found; is the rule's pattern still right?"
        for found in PUBLIC_FUNCTION.finditer(text):
            # A run of declarations with nothing between them may share the comment above the first.
            above = re.sub(r"(HIK_API\b[^;]*;\s*)*\Z", "", text[: found.start()]).rstrip()
            if not above.endswith("*/") or above.splitlines()[-1].rstrip().endswith("- */"):
                yield f"{path}: {found[1]} has no comment above it"


def no_file_is_too_long(root: Path) -> Iterator[str]:
    sources = "csrc/**/*.[ch]", "handik/**/*.py", "handik/**/*.pyi", "tests/**/*.py"
    for path, text in files(root, *sources):
        count = text.count("\n")
        if count > LONGEST and path.as_posix() not in TOO_LONG:
            yield f"{path}: {count} lines, more than {LONGEST}"


def c_functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions of a C file and their cyclomatic complexity: decisions and one; macros are left out."""
    text = DIRECTIVE.sub(lambda m: "\n" * m[0].count("\n"), bare(text))
    depth = begin = after = 0
    name = ""
    for found in re.finditer(r"[{}]", text):
        depth += 1 if found[0] == "{" else -1
        if found[0] == "{" and depth == 1:
            head = C_HEAD.search(text[after : found.start()])
            name, begin = (head[2] or head[1] if head else ""), found.end()
        elif found[0] == "}" and depth == 0:
            if name:
                yield name, 1 + len(C_DECISION.findall(text[begin : found.start()]))
            after = found.end()


def decisions(node: ast.AST) -> int:
    """Decisions below a node, those of functions inside it left out: they have their own."""
    count = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        count += isinstance(child, (*PY_DECISION, *PY_DECISION_TOO)) + decisions(child)
        if isinstance(child, ast.BoolOp):
            count += len(child.values) - 1
        elif isinstance(child, ast.comprehension):
            count += len(child.ifs)
    return count


def python_functions(text: str) -> Iterator[tuple[str, int]]:
    """Functions of a Python file and their cyclomatic complexity."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, 1 + decisions(node)


def no_function_has_too_many_paths(root: Path) -> Iterator[str]:
    """A measure as good as any of how many cases a reader must keep in mind at once (McCabe)."""
    for path, text in files(root, "csrc/**/*.[ch]", "handik/**/*.py"):
        if "tests" in path.parts:
            continue
        for name, paths in (python_functions if path.suffix == ".py" else c_functions)(text):
            if paths > MOST_PATHS and f"{path.as_posix()}: {name}" not in TOO_MANY_PATHS:
                yield f"{path}: {name} has cyclomatic complexity {paths}, more than {MOST_PATHS}"


def no_variable_arrays(root: Path) -> Iterator[str]:
    """Find local arrays whose length is a lower-case name."""
    pattern = re.compile(
        r"^\s{2,}(?:double|float|int|int32_t|int64_t|size_t|char|hik_pose)\s+"
        r"\w+\[[a-z_]\w*(?:->\w+)?\]\s*[;=]"
    )
    for path, text in core(root):
        yield from hits(path, bare(text), pattern)


def folders_include_what_their_page_says(root: Path) -> Iterator[str]:
    """Compare each `#include` of the core with the table of folders in csrc/README.md."""
    page = root / "csrc/README.md"
    rows = FOLDER.findall(page.read_text("utf-8")) if page.is_file() else []
    allowed: dict[str, set[str]] = {}
    for name, cell in rows:
        above = set(allowed) if "all of the above" in cell else set()
        allowed[name] = above | set(re.findall(r"(\w+)/", cell)) | {name, "handik"}
    for path, text in core(root):
        folder = path.parts[1]
        if not rows or folder == "include":
            continue
        for other in re.findall(r'^#include "(\w+)/', text, re.M):
            if other not in allowed.get(folder, set()):
                yield f"{path} includes {other}/, which csrc/README.md does not allow"


RULES: tuple[Callable[[Path], Iterator[str]], ...] = (
    only_the_binding_knows_python,
    the_core_never_prints_or_exits,
    the_core_calls_no_transcendental_of_libm,
    every_source_has_its_test,
    every_test_runs_all_its_functions,
    no_flag_that_changes_results,
    every_public_function_has_a_comment,
    no_file_is_too_long,
    no_function_has_too_many_paths,
    no_variable_arrays,
    folders_include_what_their_page_says,
)


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    found = [f"{rule.__name__}: {line}" for rule in RULES for line in rule(root)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
