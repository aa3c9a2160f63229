"""Sphinx: `make docs` builds docs/_build/html."""

import os
import sys
from pathlib import Path

import losaw

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402

generate.write_pages(HERE)

project = "losaw"
author = "the losaw developers"
copyright = "2026, the losaw developers"
version = release = losaw.__version__

extensions = [
    "formulas",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "study/*",
    "gallery_examples/*",
    "**/GALLERY_HEADER.rst",
]
# Inherited docstrings of scikit-learn refer to its own pages.
suppress_warnings = ["ref.ref"]

# Links to other projects need a network: a build without one would end with a warning for each.
intersphinx_mapping = (
    {}
    if "READTHEDOCS" not in os.environ
    else {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
)

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
templates_path = ["_templates"]  # short names as titles
# Where small and capital letters are one, the two would be one page.
autosummary_filename_map = {"losaw.audit": "losaw.audit_function"}
autodoc_typehints = "none"  # numpydoc's sections say it
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery_examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,  # its page asks the network for scripts
    "abort_on_example_error": True,
    "copyfile_regex": r"GALLERY_HEADER\.rst",
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "losaw"
html_static_path = ["_static"]
html_css_files = ["losaw.css"]
html_extra_path = ["_build/live"]
html_sidebars = {"index": [], "which_method": []}
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}


def show_formulas_as_written(app, what, name, thing, options, lines):
    """Make the indented formulas above a docstring's first section literal blocks."""
    end = next((i for i, line in enumerate(lines) if set(line) == {"-"}), len(lines) + 1) - 1
    shown = []
    for number, line in enumerate(lines):
        starts = number and line.startswith("    ") and not lines[number - 1].strip()
        if starts and number < end and not any(one.startswith("::") for one in shown[-2:]):
            shown += ["::", ""]
        shown.append(line)
    lines[:] = shown


def setup(app):
    """Before numpydoc, which reads the sections."""
    app.connect("autodoc-process-docstring", show_formulas_as_written, priority=400)
