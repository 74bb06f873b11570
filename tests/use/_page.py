"""Runs the Python of one page, block by block in one namespace: ``python _page.py PAGE``.

A block fenced as ``python`` is run. A block fenced as ``text`` right after it holds what it prints,
``...`` standing for anything. What is only shown is fenced otherwise. A block that needs a package that
is not installed is passed over, and the rest is run; the exit status is then 77.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FENCE = re.compile(r"^(`{3,}|:{3,})\s*(\S*).*$")
EXTRAS = {"scipy", "sympy", "pinocchio", "mujoco", "mink", "ikpy", "matplotlib", "xacrodoc", "tqdm"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield language, number of the line before, and text of every fenced block."""
    fence, language, first, inside = "", "", 0, []
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if not fence and found:
            fence, language, first, inside = found[1], found[2], number, []
        elif fence and line.strip() == fence:
            yield language, first, "\n".join(inside) + "\n"
            fence = ""
        elif fence:
            inside.append(line)
    if fence:
        raise SystemExit(f"line {first}: this block has no end")


def run(page: Path) -> None:
    """Run a page, and compare what it prints with what it says that it prints."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed, missing = None, set()
    for language, line, text in blocks(page.read_text("utf-8")):
        if language == "python":
            out = io.StringIO()
            printed = None
            try:
                with contextlib.redirect_stdout(out):
                    exec(compile("\n" * line + text, str(page), "exec"), namespace)
                printed = out.getvalue()
            except ModuleNotFoundError as error:
                package = str(error.name).split(".")[0]
                if package not in EXTRAS:
                    raise
                missing.add(package)
            except NameError:  # of what a block that was passed over would have made
                if not missing:
                    raise
        elif language == "text" and printed is not None:
            if not doctest.OutputChecker().check_output(text, printed, FLAGS):
                raise SystemExit(f"{page}:{line}: printed\n{printed}\nbut the page says\n{text}")
            printed = None
        else:
            printed = None
    if missing:
        print("needs " + ", ".join(sorted(missing)))
        raise SystemExit(77)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
