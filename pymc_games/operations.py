"""The operators of state formulas, over all states at once, and exact: no integer wraps, no fraction is rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import PropertyError

Constant = bool | int | Fraction

# Beyond this 64-bit integers wrap around.
_LIMIT = 2**63


def apply(operator: str, values: Sequence[Any]) -> Any:
    """Return an operator's or function's value; each operand is one value or an array over states.

    Raises
    ------
    PropertyError
        If an operand is of the wrong kind, or for a division by zero.
    """
    _check_kinds(operator, values)
    return _OPERATIONS[operator](*values)


def is_truth(value: Any) -> bool:
    """Return whether a value, or each of an array, is true or false."""
    return np.asarray(value).dtype == bool


def _check_kinds(operator: str, values: Sequence[Any]) -> None:
    logical = [is_truth(value) for value in values]
    if operator in ("!", "&", "|", "=>", "<=>"):
        wrong = not all(logical)
    elif operator == "?":
        wrong = not logical[0] or logical[1] != logical[2]
    elif operator in ("=", "!="):
        wrong = logical[0] != logical[1]
    else:
        wrong = any(logical)
    if wrong:
        raise PropertyError(f"'{operator}' is applied to operands of the wrong kind (a number and a truth value)")


def unbounded(value: Constant) -> NDArray | Constant:
    """Return a value in a form that NumPy takes: an integer beyond 64 bits as an object."""
    return value if _size(value) < _LIMIT else np.asarray(value, dtype=object)


def _size(value: Any) -> int:
    """Return the largest absolute value of integers; 0 for what NumPy computes in Python's own numbers."""
    if isinstance(value, int):
        return abs(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype == object or not value.size:
        return 0
    return max(abs(int(value.min())), abs(int(value.max())))


def _exactly(function: np.ufunc, largest: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    """Return a function that leaves 64-bit integers for Python's where its result could outgrow them."""

    def applied(left: Any, right: Any) -> Any:
        if largest(_size(left), _size(right)) >= _LIMIT:
            left = np.asarray(left, dtype=object)
        return function(left, right)

    return applied


def _divide(left: Any, right: Any) -> Any:
    _refuse_zeros(right)
    return np.frompyfunc(Fraction, 2, 1)(*(np.asarray(x, dtype=object) for x in (left, right)))


def _mod(left: Any, right: Any) -> Any:
    _refuse_zeros(right)
    return np.mod(left, right)


def _refuse_zeros(divisor: Any) -> None:
    if not np.all(divisor):
        raise PropertyError("a division by zero in a state formula")


_add = _exactly(np.add, int.__add__)
_subtract = _exactly(np.subtract, int.__add__)


def _minus(left: Any, right: Any | None = None) -> Any:
    return _subtract(0, left) if right is None else _subtract(left, right)


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def folded(first: Any, *others: Any) -> Any:
        for other in others:
            first = function(first, other)
        return first

    return folded


def _truth(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    # Comparisons of Python fractions come back as objects.
    return lambda left, right: np.asarray(function(left, right), dtype=bool)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "?": np.where,
    "<=>": np.equal,
    "=>": lambda left, right: np.logical_or(np.logical_not(left), right),
    "|": _fold(np.logical_or),
    "&": _fold(np.logical_and),
    "!": np.logical_not,
    "=": _truth(np.equal),
    "!=": _truth(np.not_equal),
    "<": _truth(np.less),
    "<=": _truth(np.less_equal),
    ">": _truth(np.greater),
    ">=": _truth(np.greater_equal),
    "+": _add,
    "-": _minus,
    "*": _exactly(np.multiply, int.__mul__),
    "/": _divide,
    "min": _fold(np.minimum),
    "max": _fold(np.maximum),
    "mod": _mod,
    "floor": np.frompyfunc(lambda value: int(value // 1), 1, 1),
    "ceil": np.frompyfunc(lambda value: int(-(-value // 1)), 1, 1),
}
