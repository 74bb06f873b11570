"""Notebooks as pages: ``notebooks/*.ipynb`` become ``docs/notebooks/*.md``, which git ignores.

They are run first, and shown with what they print and draw; with the tag ``quick`` as they are.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx


def executed(path: Path) -> dict[str, Any]:
    """Run a notebook in an empty folder and return it with its outputs."""
    import tempfile

    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as empty:
        where = {"metadata": {"path": empty}}
        nbclient.NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources=where
        ).execute()
    return dict(notebook)


def joined(text: str | list[str]) -> str:
    """Return text that a notebook may hold as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def output(out: dict[str, Any], stem: str, number: int, folder: Path) -> list[str]:
    """Return the lines that show one output; pictures are written beside the page."""
    data = out.get("data", {})
    if "image/png" in data:
        name = f"{stem}_{number}.png"
        (folder / name).write_bytes(base64.b64decode(joined(data["image/png"])))
        return ["", f"![output of the cell above]({name})", ""]
    if joined(data.get("text/html", "")).startswith("<iframe"):
        return ["", "```{raw} html", joined(data["text/html"]), "```", ""]
    text = joined(out.get("text") or data.get("text/plain", ""))
    return ["", "```text", text.rstrip(), "```", ""] if text.strip() else []


def page(notebook: dict[str, Any], stem: str, folder: Path) -> str:
    """Return the page of a notebook."""
    lines: list[str] = []
    number = 0
    for cell in notebook["cells"]:
        source = joined(cell["source"]).rstrip()
        if cell["cell_type"] == "markdown":
            lines += ["", source, ""]
        elif source:
            lines += ["", "```{code-block} ipython3", source, "```", ""]
            for out in cell.get("outputs", ()):
                number += 1
                lines += output(out, stem, number, folder)
    return "\n".join(lines) + "\n"


def write(app: Sphinx) -> None:
    """Write the pages that are not there or older than their notebook."""
    run = not app.tags.has("quick")
    source = Path(app.srcdir)
    folder = source / "notebooks"
    folder.mkdir(exist_ok=True)
    found = sorted((source.parent / "notebooks").glob("*.ipynb"))
    for old in folder.glob("*.md"):
        if old.stem not in {path.stem for path in found}:
            old.unlink()
    for path in found:
        notebook = executed(path) if run else json.loads(path.read_text("utf-8"))
        text = page(notebook, path.stem, folder)
        target = folder / f"{path.stem}.md"
        if not target.is_file() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before sources are looked for."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
