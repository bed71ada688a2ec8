"""PRISM text with its syntax marked up for the style sheet."""

from __future__ import annotations

from typing import ClassVar

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

_KEYWORDS = (
    "bool", "clock", "const", "csg", "ctmc", "double", "dtmc", "endinit", "endinvariant", "endmodule", "endobservables",
    "endplayer", "endrewards", "endsystem", "filter", "formula", "func", "global", "init", "int", "invariant", "label",
    "mdp", "module", "nondeterministic", "observable", "observables", "of", "player", "pomdp", "probabilistic", "pta",
    "rewards", "smg", "stochastic", "system", "true", "false",
)  # fmt: skip
_OPERATORS = ("Pmax", "Pmin", "P", "Rmax", "Rmin", "R", "S", "F", "G", "U", "W", "X", "C", "I")


class PrismLexer(RegexLexer):  # type: ignore[misc]  # pygments ships no types
    """The PRISM language, models and properties: https://www.prismmodelchecker.org/manual."""

    name = "PRISM"
    tokens: ClassVar = {
        "root": [
            (r"//[^\n]*", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"\d+\.\d*([eE][-+]?\d+)?|\d+", Number),
            (words(_KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(_OPERATORS, prefix=r"\b", suffix=r"\b"), Keyword.Type),
            (r"\[[A-Za-z_]\w*\]", Name.Label),
            (r"[A-Za-z_]\w*'?", Name),
            (r"->|<=|>=|!=|=>|<=>|[-+*/=<>&|!?]", Operator),
            (r"[()\[\]{};:,.]", Punctuation),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


def prism(text: str) -> Markup:
    """Return PRISM text as HTML that marks comments, keywords, numbers, names of actions and strings."""
    return Markup(highlight(text, PrismLexer(), HtmlFormatter(nowrap=True)))  # noqa: S704 - pygments escapes it
