"""Sphinx: `scripts/docs` builds the site into build/docs."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the pages' problems are small
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import ardvark  # noqa: E402
from sphinx_gallery.sorting import ExplicitOrder, FileNameSortKey  # noqa: E402

project = "ardvark"
author = "the authors of ardvark"
project_copyright = "the authors of ardvark"
version = release = ardvark.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "formulas",
    "plain_docstrings",
    "tutorials",
]
exclude_patterns = ["gallery/**", "_*/**"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]
default_role = "literal"

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_context = {  # scikit-learn documents what it gives to every estimator
    "skipped_methods": {
        "get_params",
        "set_params",
        "get_metadata_routing",
        "set_output",
        "fit_transform",
        "inverse_transform",
        "count",
        "index",
        "score",
    }
}
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["generated/gallery"],
    "subsection_order": ExplicitOrder(
        ["gallery/guide", "gallery/vblinlogit", "gallery/relevance_vectors"]
    ),
    "within_subsection_order": FileNameSortKey,
    "filename_pattern": r"/plot_",
    "doc_module": ("ardvark",),
    "reference_url": {"ardvark": None},
    "backreferences_dir": "generated/backreferences",
    "capture_repr": ("_repr_html_",),
    "image_srcset": ["2x"],
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"ardvark {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
