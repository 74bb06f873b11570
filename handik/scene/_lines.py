"""On which line of a TOML document each key stands: tomllib does not say."""

from __future__ import annotations

import re

__all__ = ["key_lines"]

_HEADING = re.compile(r"\[(\[)?[ \t]*([^\[\]\n]*?)[ \t]*\]\]?")
_KEY = re.compile(r"[^=\n#]*")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'
    r'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\n\[\]{}]',
    re.S,
)


def key_lines(text: str, table: str) -> tuple[dict[str, int], list[dict[str, int]]]:
    """Return the lines of the keys before all tables, and of those of each table of an array.

    Parameters
    ----------
    text : str
        A document that tomllib has read.
    table : str
        The name of the array of tables, ``[[table]]``. The line of a heading stands under ``""``;
        keys of a table below it under their names with dots.
    """
    head: dict[str, int] = {}
    found: list[dict[str, int]] = []
    where, prefix = head, ""
    at = line = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        start = text[at:end].lstrip(" \t\r")
        if not start or start[0] == "#":
            at, line = end + 1, line + 1
            continue
        at += len(text[at:end]) - len(start)
        if start[0] == "[":
            heading = _HEADING.match(start)
            name = _plain("" if heading is None else heading[2])
            if name == table:
                found.append({"": line + 1})
                where, prefix = found[-1], ""
            elif name.startswith(table + ".") and found:
                where, prefix = found[-1], name[len(table) + 1 :] + "."
                where.setdefault(prefix[:-1], line + 1)
            else:
                where, prefix = {}, ""
            at, line = end + 1, line + 1
            continue
        key = _KEY.match(text, at)
        assert key is not None
        words = (prefix + _plain(key[0])).split(".")
        for k in range(len(words)):
            where.setdefault(".".join(words[: k + 1]), line + 1)
        at, line = _after(text, key.end(), line)
    return head, found


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def _after(text: str, at: int, line: int) -> tuple[int, int]:
    """Return where a value ends, and its line: at the end of a line with no bracket open."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        sign = token[0]
        line += sign.count("\n")
        if sign in ("[", "{"):
            depth += 1
        elif sign in ("]", "}"):
            depth -= 1
        elif sign == "\n" and depth <= 0:
            return token.end(), line
    return len(text), line
