"""The `plot` directive of Matplotlib for Markdown pages, where it would name all pictures alike.

It counts the pictures of a page by the document that it is parsed in, and each block of
reStructuredText in a Markdown page is a document of its own. Here the page itself counts.
"""

from __future__ import annotations

from typing import Any

from matplotlib.sphinxext.plot_directive import PlotDirective
from sphinx.application import Sphinx


class CountedPlot(PlotDirective):
    """A plot whose number is that in its page."""

    def run(self) -> list[Any]:
        """Make the picture."""
        env = self.state.document.settings.env
        attributes = self.state.document.attributes
        attributes["_plot_counter"] = env.temp_data.get("plots", 0)
        result = super().run()
        env.temp_data["plots"] = attributes["_plot_counter"]
        return list(result)


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of Matplotlib's directive."""
    app.setup_extension("matplotlib.sphinxext.plot_directive")
    app.add_directive("plot", CountedPlot, override=True)
    return {"parallel_read_safe": True}
