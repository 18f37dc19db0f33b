"""Sphinx configuration: pydata theme, numpydoc, every public function by autosummary."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_benchmarks

from trueval import __version__

project = "trueval"
author = "The trueval developers"
copyright = "2026, the trueval developers"
release = version = __version__

extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "matplotlib.sphinxext.plot_directive",
]
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"
add_module_names = False
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("svg", 100)]
templates_path = ["_templates"]
exclude_patterns = ["_build", "api/generated/*.txt"]
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = "trueval"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_show_sourcelink = False
html_sidebars = {"**": []}


def setup(app):
    app.connect("builder-inited", make_benchmarks.write)
