"""The page that the site opens on: FABRIK beside CCD under the reader's hand, by `hk.view`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import handik as hk


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page beside the site's own files."""
    if error is not None or app.builder.format != "html":
        return
    figures = {
        "chain of ten balls": hk.chain([0.1] * 10, "ball"),
        "UR5": hk.data("ur5"),
        "person": hk.human(sex="female", stature=1.62),
    }
    balls = {"chain of ten balls": [0.45, 0.25, 0.3], "UR5": [0.4, 0.3, 0.4]}
    page = hk.view(figures, target=balls, solver="fabrik", beside="ccd")
    page.save(Path(app.outdir, "_static", "reach.html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the page."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
