"""How the site is built: ``python -m sphinx -W -b html docs build/site``.

Needs ``pip install '.[docs]'`` and no network; takes about a minute, half of it for the notebooks,
which are run and shown with what they print and draw. ``-t quick`` shows words and code alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

import handik  # noqa: E402

project = "handik"
author = "the handik authors"
copyright = "the handik authors"
release = version = handik.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "counted_plots",
    "public",
    "pages_of_notebooks",
    "live_page",
    "unbroken",
]
exclude_patterns = ["_ext"]
default_role = "py:obj"
# A name such as nq belongs to several classes: where a text means no one of them it is no link.
suppress_warnings = ["ref.python"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # the docstrings say them in words
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes in the class's own text, not a second time below it

plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"figure.figsize": (6.4, 4.2), "savefig.bbox": "tight"}
plot_apply_rcparams = True
plot_pre_code = "import numpy as np\nimport handik as hk\nimport matplotlib.pyplot as plt"

html_theme = "furo"
html_title = f"handik {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
