"""The documents: every Python block runs, every link leads somewhere, and the site builds without a warning."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from _native import SOURCE

import handik as hk

HERE = Path(__file__).resolve().parent
DOCS = SOURCE / "docs"
PAGES = [
    *(
        SOURCE / name
        for name in ("README.md", "CONTRIBUTING.md", "csrc/README.md", "tests/mutants.md")
    ),
    *sorted(path for path in DOCS.rglob("*.md") if path.parent != DOCS / "notebooks"),
]
WITH_PYTHON = [path for path in PAGES if re.search(r"^```python$", path.read_text("utf-8"), re.M)]
SLOW = ("docs/own-solvers.md", "docs/how-to/films-and-plots.md", "docs/network.md")
LINK = re.compile(r"(?<!`)\[[^\]\[]*\]\(([^()\s]+)\)")

pytestmark = pytest.mark.build  # reads the source tree


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def runs(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", str(HERE / "_page.py"), str(page)]
    environment = os.environ | {"MPLBACKEND": "Agg"}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def marked(path: Path) -> object:
    """Return the page as a parameter, marked slow where it is."""
    return pytest.param(path, marks=pytest.mark.slow if name_of(path) in SLOW else ())


@pytest.mark.parametrize("path", [marked(p) for p in WITH_PYTHON], ids=map(name_of, WITH_PYTHON))
def test_every_python_block_runs(path: Path, tmp_path: Path) -> None:
    """In an empty folder, page by page in one namespace; what it prints is what the page says."""
    done = runs(path, tmp_path)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_page_that_prints_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```text\n1\n```\n")
    assert runs(page, tmp_path).returncode == 0
    page.write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    assert "but the page says" in runs(page, tmp_path).stderr
    page.write_text("Words.\n\n```python\nx = 1\nx / 0\n```\n")
    assert "line 5" in runs(page, tmp_path).stderr
    gone = "```python\nraise ModuleNotFoundError(name='tqdm.auto')\n```\n"
    page.write_text(gone + "\n```text\nof what is gone\n```\n\n```python\nprint(1)\n```\n")
    done = runs(page, tmp_path)  # what is not installed is passed over, the rest is run
    assert (done.returncode, done.stdout) == (77, "needs tqdm\n")
    page.write_text(gone + "```python\n1 / 0\n```\n")
    assert "ZeroDivisionError" in runs(page, tmp_path).stderr
    page.write_text("```python\nunknown\n```\n")
    assert "NameError" in runs(page, tmp_path).stderr
    page.write_text("```python\nprint(1)\n")
    assert "has no end" in runs(page, tmp_path).stderr


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts and MyST make them."""
    text = re.sub(r"^(```+|:::+).*?^\1$", "", path.read_text("utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#{1,6} (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in LINK.findall(path.read_text("utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        where, _, anchor = link.partition("#")
        target = (path.parent / where).resolve() if where else path
        assert target.exists(), f"{name_of(path)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(path)}: {link}: no such heading"


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Links, anchors, pages in no table of contents and docstrings: Sphinx warns of all of them."""
    for needed in ("sphinx", "myst_parser", "furo", "matplotlib"):
        pytest.importorskip(needed)
    command = (sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-t", "quick")
    command = (*command, "-d", tmp_path / "read")
    done = subprocess.run(
        [*command, DOCS, tmp_path / "site"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    wanted = sum(page.read_text("utf-8").count(".. plot::") for page in PAGES)
    drawn = {picture.read_bytes() for picture in (tmp_path / "site" / "_images").glob("*.png")}
    assert wanted <= len(drawn), "two plots show the same picture"
    inventory = (tmp_path / "site" / "objects.inv").read_bytes().split(b"\n", 4)[4]
    listed = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    missing = [name for name in hk.__all__ if f"handik.{name}" not in listed]
    packages = set(dir(hk)) - set(hk.__all__) - {"app", "closed", "files", "terms"}
    missing += [name for name in packages if getattr(hk, name).__name__ not in listed]
    assert not missing, f"public, but not in the reference: {missing}"


def test_a_notebook_becomes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words, code, what is printed and what is drawn; `test_notebooks.py` runs those there are."""
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    pages = pytest.importorskip("pages_of_notebooks")
    pixel = base64.b64encode(b"a picture").decode()
    cells = [
        {"cell_type": "markdown", "source": ["# A title\n", "words"]},
        {
            "cell_type": "code",
            "source": "print(1)",
            "outputs": [{"text": "1\n"}, {"data": {"image/png": pixel, "text/plain": "<Figure>"}}],
        },
    ]
    text = pages.page({"cells": cells}, "demo", tmp_path)
    for wanted in ("# A title\nwords\n", "ipython3\nprint(1)\n", "```text\n1\n```", "(demo_2.png)"):
        assert wanted in text
    assert "<Figure>" not in text
    assert (tmp_path / "demo_2.png").read_bytes() == b"a picture"


def test_numbers_of_a_cell_stay_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, utils = pytest.importorskip("docutils.nodes"), pytest.importorskip("docutils.utils")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    unbroken = pytest.importorskip("unbroken")
    shown = {
        "99.4 / 7 / 33": "99.4\u00a0/\u00a07\u00a0/\u00a033",
        "0.08 [0.07, 0.09]": "0.08\u00a0[0.07,\u00a00.09]",
        "arm pose": "arm pose",
        "24 to 39": "24 to 39",
        "7": "7",
    }
    tree = utils.new_document("page")
    for text in shown:
        tree += nodes.entry("", nodes.paragraph("", text))
    tree += nodes.paragraph("", "1 / 2")  # in no table
    unbroken.unbreak(None, tree, "page")
    assert [part.astext() for part in tree.children] == [*shown.values(), "1 / 2"]
