"""Rendering: the sandbox, fractions, and decision trees evaluated by an interpreter of their own."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pymc_games import prism
from pymc_games.errors import TemplateError

VARIABLES = ("x", "y", "z")


def evaluate(expression: str, valuation: dict[str, int]) -> str:
    """Evaluate nested ``(v<=n ? a : b)`` by reading the text; return the leaf."""
    if not expression.startswith("("):
        return expression
    test, rest = expression[1:-1].split(" ? ", 1)
    depth, cut = 0, 0
    while depth or not rest.startswith(" : ", cut):
        depth += {"(": 1, ")": -1}.get(rest[cut], 0)
        cut += 1
    variable, bound = test.split("<=")
    return evaluate(rest[:cut] if valuation[variable] <= int(bound) else rest[cut + 3 :], valuation)


def depth_of(expression: str) -> int:
    depths = np.cumsum([{"(": 1, ")": -1}.get(sign, 0) for sign in expression])
    return int(depths.max(initial=0))


tables = array_shapes(min_dims=1, max_dims=3, max_side=9).flatmap(
    lambda shape: st.one_of(arrays(np.bool_, shape), arrays(np.int64, shape, elements=st.integers(-3, 3)))
)


@given(tables, st.tuples(*[st.integers(-20, 20)] * 3))
def test_a_decision_tree_equals_its_table_everywhere(table: np.ndarray, origin: tuple[int, int, int]) -> None:
    names, first = VARIABLES[: table.ndim], origin[: table.ndim]
    expression = prism.decision_tree(table, names, first)
    for place, value in np.ndenumerate(table):
        valuation = {name: low + i for name, low, i in zip(names, first, place, strict=True)}
        expected = str(bool(value)).lower() if table.dtype == bool else str(int(value))
        assert evaluate(expression, valuation) == expected


@given(tables)
def test_a_decision_tree_is_no_deeper_than_halving_every_axis(table: np.ndarray) -> None:
    expression = prism.decision_tree(table, VARIABLES[: table.ndim])
    assert depth_of(expression) <= sum((side - 1).bit_length() for side in table.shape)
    assert expression.count("?") <= table.size - 1


def test_a_threshold_takes_one_path_and_a_constant_none() -> None:
    assert prism.decision_tree(np.arange(8) < 4, ["turn"]) == "(turn<=3 ? true : false)"
    assert prism.decision_tree(np.full((9, 9), 7), ["x", "y"]) == "7"
    assert prism.decision_tree(np.arange(1024) < 321, ["turn"]).count("?") <= 10


def test_the_evaluator_would_notice_a_wrong_tree() -> None:
    right = prism.decision_tree(np.arange(8) < 4, ["x"])
    wrong = right.replace("<=3", "<=4")
    assert [evaluate(right, {"x": i}) for i in range(8)] != [evaluate(wrong, {"x": i}) for i in range(8)]


@pytest.mark.parametrize(
    ("table", "names", "origin"),
    [(np.zeros((2, 2)), ["x"], None), (np.zeros(0), ["x"], None), (np.zeros(2), ["x"], (0, 0))],
)
def test_a_table_that_does_not_fit_its_variables_is_refused(
    table: np.ndarray, names: list[str], origin: tuple[int, ...] | None
) -> None:
    with pytest.raises(TemplateError, match="is no function of x"):
        prism.decision_tree(table, names, origin)


@pytest.mark.parametrize(
    ("value", "text"), [(Fraction(5, 36), "5/36"), (Fraction(4, 2), "2"), (1, "1"), (Fraction(-1, 3), "-1/3")]
)
def test_numbers_are_written_as_fractions(value: Fraction | int, text: str) -> None:
    assert prism.fraction(value) == text


def write(folder: Path, text: str) -> Path:
    (folder / "model.prism.j2").write_text(text)
    return folder


def test_a_template_is_rendered_as_it_stands(tmp_path: Path) -> None:
    text = "dtmc\n{% for p in faces %}\n  {{ p | fraction }} & a < b\n{% endfor %}\n"
    rendered = prism.render("model.prism.j2", {"faces": [Fraction(1, 6), 1]}, write(tmp_path, text))
    assert rendered == "dtmc\n  1/6 & a < b\n  1 & a < b\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{{ p | fraction }}", "template model.prism.j2, line 1: 0.5 is a float; templates take fractions"),
        ("{{ q }}", "template model.prism.j2, line 1: 'q' is undefined"),
        ("a\n{% if %}", "template model.prism.j2, line 2: "),
        ("{% include 'other.j2' %}", "template model.prism.j2, line 1: there is no template 'other.j2'"),
        ("{% include '../secret.j2' %}", "template model.prism.j2, line 1: '../secret.j2' lies outside"),
        ("a\n{% include '/etc/passwd' %}", "template model.prism.j2, line 2: '/etc/passwd' lies outside"),
        ("{% include 'link.j2' %}", "template model.prism.j2, line 1: 'link.j2' lies outside"),
        ("{% import 'linked/secret.j2' as x %}", "template model.prism.j2, line 1: 'linked/secret.j2' lies outside"),
        ("{% for i in range(10**9) %}{% endfor %}", "line 1: OverflowError: Range too big"),
        ("{{ 1 / 0 }}", "template model.prism.j2, line 1: ZeroDivisionError"),
        ("{{ 'a' + 1 }}", "template model.prism.j2, line 1: TypeError"),
        ("{% include 'model.prism.j2' %}", "RecursionError: maximum recursion depth exceeded"),
        ("{{ p.__class__.__mro__ }}", "template model.prism.j2, line 1: access to attribute '__class__'"),
        ("{{ ''.__class__.__mro__ }}", "template model.prism.j2, line 1: access to attribute '__class__'"),
        ("{{ names.append(1) }}", "template model.prism.j2, line 1: "),
    ],
)
def test_what_a_template_may_not_do_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path.parent / "secret.j2").write_text("secret")
    (tmp_path / "link.j2").symlink_to(tmp_path.parent / "secret.j2")
    (tmp_path / "linked").symlink_to(tmp_path.parent)
    with pytest.raises(TemplateError, match=re.escape(complaint)):
        prism.render("model.prism.j2", {"p": 0.5, "names": []}, write(tmp_path, text))


def test_a_missing_template_is_named() -> None:
    with pytest.raises(TemplateError, match=r"there is no template 'chess/mate\.prism\.j2'"):
        prism.render("chess/mate.prism.j2", {})
