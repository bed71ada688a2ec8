"""How `make docs` builds the site: Sphinx, over the Markdown files and notebooks that also read well on a code host.

The checkout itself is the source folder, so that links such as ``../README.md`` lead to the same file in both places.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from pymc_games import __version__

project = "pymc-games"
author = project_copyright = "The pymc-games maintainers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "contents",
    "modules",
    "mathml",
    "notebooks",
]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
include_patterns = [
    "*.md",
    "docs/**.md",
    "docs/notebooks/*.ipynb",
    "examples/README.md",
    "models/README.md",
    "templates/README.md",
]
highlight_language = "text"
smartquotes = False  # or -- in front of an option becomes a dash

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_use_legacy_class_based = False
default_role = "py:obj"
napoleon_google_docstring = False
# Types stand in the signatures; those in docstrings are words.
napoleon_use_param = napoleon_use_rtype = napoleon_use_ivar = False

html_theme = "furo"
html_math_renderer = "mathml"
html_title = "pymc-games"
html_show_sphinx = False
html_show_sourcelink = html_copy_source = False
# The first page stands at docs/index.html, as in the checkout; the site's own address leads there.
html_additional_pages = {"index": "forward.html"}
html_static_path = ["_extensions/site.css"]
html_css_files = ["site.css"]
templates_path = ["_extensions"]
