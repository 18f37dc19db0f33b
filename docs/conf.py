"""Sphinx configuration: pydata theme, numpydoc, every public function by autosummary, a gallery."""

import sys
import warnings
from pathlib import Path

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
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
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
exclude_patterns = [
    "_build",
    "api/generated/*.txt",
    "generated/*.inc",
    "studies/results/*",
    "gallery/*.ipynb",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
]
nitpicky = False

# Every script is run; a warning in one of them fails the build like any other.
for kind in (UserWarning, RuntimeWarning, FutureWarning):
    warnings.simplefilter("error", kind)
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"first_split\.py",
    "abort_on_example_error": True,
    "within_subsection_order": "ExampleTitleSortKey",
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "plot_gallery": True,
    "min_reported_time": 0,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib|trueval\.displays",
    "remove_config_comments": True,
    "default_thumb_file": None,
}

html_theme = "pydata_sphinx_theme"
html_title = "trueval"
html_static_path = ["_static"]
html_css_files = ["trueval.css"]
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False
html_sidebars = {"**": []}


def setup(app):
    """Show the help of commands; first make the pages of studies and benchmarks."""
    sys.path.insert(0, str(Path(__file__).parent))
    import cli_help
    import make_benchmarks
    import make_registries
    import make_studies

    cli_help.setup(app)
    make_registries.make(Path(app.srcdir))  # before autosummary looks for entries
    app.connect("builder-inited", lambda app: make_studies.make(Path(app.srcdir) / "studies"))
    app.connect("builder-inited", make_benchmarks.write)
