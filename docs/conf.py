"""Sphinx configuration: pydata theme, numpydoc, every public function by autosummary, a gallery."""

import inspect
import os
import pkgutil
import sys
import warnings
from importlib import import_module
from importlib.metadata import metadata
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS

import trueval
from trueval import __version__

project = "trueval"
author = "The trueval developers"
copyright = "2026, the trueval developers"
release = version = __version__

#: Guide of each package; API pages link to it.
GUIDES = {
    "audit": "audit",
    "stratify": "split",
    "pairs": "pairs",
    "rank": "rank",
    "report": "report",
    "charts": "report",
    "displays": "report",
    "data": "data",
    "cli": "cli",
}


def repository():
    """Address of the repository, from TRUEVAL_REPOSITORY or the package's metadata."""
    urls = dict(entry.split(", ", 1) for entry in metadata("trueval").get_all("Project-URL") or ())
    return os.environ.get("TRUEVAL_REPOSITORY") or urls.get("Repository") or ""


def documented_classes():
    """Public classes by name, so that types in docstrings become links."""
    packages = [m.name for m in pkgutil.iter_modules(trueval.__path__) if m.ispkg]
    names = {}
    for package in packages:
        if package.startswith("_") or package in ("cli", "core"):
            continue
        module = import_module(f"trueval.{package}")
        for name in getattr(module, "__all__", ()):
            if inspect.isclass(getattr(module, name)):
                names[name] = f"trueval.{package}.{name}"
    return names


extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
]
autosummary_generate = True
autosummary_context = {"guides": GUIDES}
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_aliases = documented_classes()
numpydoc_xref_ignore = "all"
# numpydoc's own links lead to the inventories of Python and NumPy, which a build offline lacks.
DEFAULT_LINKS.clear()
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
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("trueval",),
    "reference_url": {"trueval": None},
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
    "show_prev_next": True,
    "navigation_with_keys": False,
    "navbar_end": ["version", "theme-switcher", "navbar-icon-links"],
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": ["source"],
}
if repository():
    html_theme_options["icon_links"] = [
        {"name": "Repository", "url": repository(), "icon": "fa-solid fa-code-branch"}
    ]
html_context = {"repository": repository()}
html_show_sourcelink = False
# Pages without a section have no section navigation.
html_sidebars = {"index": [], "start": [], "benchmarks": []}
# The report that the pages embed; make_report writes it when a build begins.
html_extra_path = ["live"]
Path(__file__).with_name("live").mkdir(exist_ok=True)  # Sphinx looks for it before


def setup(app):
    """Show the help of commands; first make the pages of studies and benchmarks, and the report."""
    sys.path.insert(0, str(Path(__file__).parent))
    import cli_help
    import make_benchmarks
    import make_registries
    import make_reliability
    import make_report
    import make_studies
    import source_links

    cli_help.setup(app)
    source_links.setup(app)
    make_registries.make(Path(app.srcdir))  # before autosummary looks for entries
    app.connect("builder-inited", lambda app: make_studies.make(Path(app.srcdir) / "studies"))
    app.connect("builder-inited", make_benchmarks.write)
    app.connect("builder-inited", make_reliability.write)
    app.connect("builder-inited", make_report.write)
