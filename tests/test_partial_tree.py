"""Small trees for tables of which only a part matters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pymc_games.errors import TemplateError
from pymc_games.prism import partial_tree

NAMES = ("x", "y", "z")


def holds(expression: str, point: tuple[int, ...]) -> bool:
    """Evaluate an expression of nested conditionals by way of Python's own."""
    python = expression.replace("true", "True").replace("false", "False")
    while "?" in python:  # innermost conditionals first
        start = python.rindex("(")
        end = python.index(")", start)
        condition, branches = python[start + 1 : end].split(" ? ")
        name, bound = condition.split("<=")
        yes, no = branches.split(" : ")
        python = python[:start] + (yes if point[NAMES.index(name)] <= int(bound) else no) + python[end + 1 :]
    return python == "True"


@given(st.data(), array_shapes(min_dims=1, max_dims=3, max_side=5))
def test_it_equals_the_table_where_that_is_known(data: st.DataObject, shape: tuple[int, ...]) -> None:
    table, known = data.draw(arrays(bool, shape)), data.draw(arrays(bool, shape))
    expression = partial_tree(table, known, NAMES[: len(shape)])
    for point in map(tuple, np.argwhere(known).tolist()):
        assert holds(expression, point) == table[point]


def test_it_is_small() -> None:
    x, y = np.ogrid[:50, :50]
    assert partial_tree(np.broadcast_to(x >= 17, (50, 50)), np.ones((50, 50), bool), NAMES[:2]) == (
        "(x<=16 ? false : true)"
    )
    assert partial_tree(x + y > 40, np.zeros((50, 50), bool), NAMES[:2]) == "false"


def test_variables_may_start_anywhere_and_go_in_steps() -> None:
    x = np.arange(-100, 300, 50)
    table = np.broadcast_to((x < 50)[:, None], (8, 3))
    expression = partial_tree(table, np.ones((8, 3), bool), NAMES[:2], [x.tolist(), range(3)])
    assert expression == "(x<=0 ? true : false)"


def test_shapes_must_match() -> None:
    with pytest.raises(TemplateError, match="no function of"):
        partial_tree(np.ones((2, 2), bool), np.ones((2, 3), bool), NAMES[:2])
