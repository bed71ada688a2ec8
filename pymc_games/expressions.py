"""Expressions over state variables, as PRISM writes them: reading, and evaluating in all states at once.

The grammar, loosest first: ``c ? a : b``, ``=>``, ``<=>``, ``|``, ``&``, ``!``, ``= !=``, ``< <= > >=``, ``+ -``,
``* /``, unary minus, and then numbers, ``true``, ``false``, names, ``"label"``, ``min max mod floor ceil`` and
parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import PropertyError, UnsupportedError
from pymc_games.explicit import Bools, ExplicitModel

Constant = bool | int | Fraction


@dataclass(frozen=True)
class Token:
    """A piece of text: its kind (``number``, ``name``, ``label``, ``symbol``, ``end``), itself, and where it starts."""

    kind: str
    text: str
    position: int


@dataclass(frozen=True)
class Literal:
    """A number or truth value."""

    value: Constant


@dataclass(frozen=True)
class Name:
    """A state variable or a constant."""

    name: str


@dataclass(frozen=True)
class Label:
    """A label of the model, ``"win"``."""

    name: str


@dataclass(frozen=True)
class Operation:
    """An operator or function with its operands."""

    operator: str
    operands: tuple[Expression, ...]


Expression = Literal | Name | Label | Operation

TRUE = Literal(True)

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |"(?P<label>[^"\n]*)"
    |(?P<symbol><=>|=>|<<|>>|<=|>=|!=|\|\||[-+*/()\[\]{}<>=!&|?:,;]))""",
    re.VERBOSE,
)

# Loosest first; each level is left associative.
_LOGICAL = (("=>",), ("<=>",), ("|",), ("&",))
_ARITHMETIC = (("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/"))
_FUNCTIONS = {"min": (2, 99), "max": (2, 99), "mod": (2, 2), "floor": (1, 1), "ceil": (1, 1)}


def tokens(text: str) -> list[Token]:
    """Split ``text`` into tokens; the last is of kind ``end``.

    Raises
    ------
    PropertyError
        At the first character that starts no token.
    """
    found: list[Token] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            place = position + len(text[position:]) - len(text[position:].lstrip())
            raise PropertyError(f"'{text}': unexpected '{text[place]}' at position {place + 1}")
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], match.start(kind)))
        position = match.end()
    found.append(Token("end", "", len(text)))
    return found


class Reader:
    """Reads expressions from the tokens of a text; the property parser builds on it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.next = 0

    @property
    def token(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.next]

    def advance(self) -> Token:
        """Take the next token."""
        token = self.token
        self.next = min(self.next + 1, len(self.tokens) - 1)
        return token

    def at(self, *symbols: str) -> bool:
        """Return whether the next token is one of these symbols or names."""
        return self.token.kind in ("symbol", "name") and self.token.text in symbols

    def take(self, *symbols: str) -> str | None:
        """Take the next token if it is one of these symbols or names."""
        return self.advance().text if self.at(*symbols) else None

    def expect(self, symbol: str) -> None:
        """Take ``symbol``, or refuse."""
        if not self.take(symbol):
            raise self.error(f"'{symbol}'")

    def error(self, expected: str) -> PropertyError:
        """Return the error that something else was expected here."""
        token = self.token
        found = "the end" if token.kind == "end" else f"'{token.text}'"
        return PropertyError(f"'{self.text}': expected {expected} at position {token.position + 1}, found {found}")

    def expression(self) -> Expression:
        """Read an expression."""
        condition = self._binary(_LOGICAL, self._negation)
        if not self.take("?"):
            return condition
        then = self.expression()
        self.expect(":")
        return Operation("?", (condition, then, self.expression()))

    def sum(self) -> Expression:
        """Read a sum: what stands on one side of a comparison."""
        return self._binary(_ARITHMETIC[2:], self.atom)

    def _binary(self, levels: tuple[tuple[str, ...], ...], tightest: Callable[[], Expression]) -> Expression:
        if not levels:
            return tightest()
        left = self._binary(levels[1:], tightest)
        while operator := self.take(*levels[0]):
            left = Operation(operator, (left, self._binary(levels[1:], tightest)))
        return left

    def _negation(self) -> Expression:
        if self.take("!"):
            return Operation("!", (self._negation(),))
        return self._binary(_ARITHMETIC, self.atom)

    def atom(self) -> Expression:
        """Read a number, a name, a label, a call, or what stands in parentheses."""
        if self.take("-"):
            return Operation("-", (self.atom(),))
        if self.take("("):
            inner = self.expression()
            self.expect(")")
            return inner
        token = self.token
        if token.kind == "number":
            return Literal(number(self.advance().text))
        if token.kind == "label":
            return Label(self.advance().text)
        if self.at("true", "false"):
            return Literal(self.advance().text == "true")
        if self.at("P", "R", "S", "E", "A", "Pmin", "Pmax", "Rmin", "Rmax") and self._operator_follows():
            raise UnsupportedError(f"'{self.text}': an operator {token.text} inside a formula is not supported")
        if token.kind != "name":
            raise self.error("a state formula")
        self.advance()
        return self._call(token.text) if self.at("(") else Name(token.text)

    def _operator_follows(self) -> bool:
        """Return whether the next name starts an operator, as in ``P>0.5 [``, and is no variable."""
        signs = [token.text for token in self.tokens[self.next + 1 : self.next + 6]]
        return (
            signs[0] in ("{", "[") or signs[:2] == ["=", "?"] or (signs[0] in ("<", "<=", ">", ">=") and "[" in signs)
        )

    def _call(self, name: str) -> Expression:
        if name not in _FUNCTIONS:
            raise UnsupportedError(
                f"'{self.text}': the function {name} is not supported; there are {', '.join(_FUNCTIONS)}"
            )
        self.expect("(")
        operands = [self.expression()]
        while self.take(","):
            operands.append(self.expression())
        self.expect(")")
        least, most = _FUNCTIONS[name]
        if not least <= len(operands) <= most:
            raise PropertyError(
                f"'{self.text}': {name} takes {least} operand{'s' if least > 1 else ''}, not {len(operands)}"
            )
        return Operation(name, tuple(operands))


def number(text: str) -> int | Fraction:
    """Return a decimal as the rational it writes, ``0.1`` as 1/10."""
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def evaluate(
    expression: Expression, constants: Mapping[str, Constant], model: ExplicitModel | None = None
) -> NDArray | Constant:
    """Return an expression's value in all states of ``model``: an array of shape (states,), or one value.

    Integers stay integers; where a fraction appears, arithmetic is in Python fractions, so comparisons are exact.
    Without a model only constants can be named.

    Raises
    ------
    PropertyError
        For a label or name that the model does not have, or operands of the wrong kind.
    """
    match expression:
        case Literal(value):
            return value
        case Label(name):
            if model is None:
                raise PropertyError(f'the label "{name}" stands where only constants can')
            return model.label(name)
        case Name(name):
            return _value_of(name, constants, model)
        case Operation(operator, operands):
            values = [evaluate(operand, constants, model) for operand in operands]
            _check_kinds(operator, values)
            return _OPERATIONS[operator](*values)


def states_where(
    expression: Expression, model: ExplicitModel, constants: Mapping[str, Constant] | None = None
) -> Bools:
    """Return the states of ``model`` in which a state formula holds; shape (states,).

    Raises
    ------
    PropertyError
        If the formula is not of truth value, or names something that the model does not have.
    """
    value = evaluate(expression, constants or {}, model)
    if not _is_bool(value):
        raise PropertyError("a state formula must be true or false in each state; this one is a number")
    return np.broadcast_to(np.asarray(value, dtype=bool), (model.states,)).copy()


def constant_value(expression: Expression | str, constants: Mapping[str, Constant] | None = None) -> Constant:
    """Return the value of an expression over constants: ``3``, ``1/2``, ``0.1`` (which is 1/10), ``true``, ``N+1``.

    Raises
    ------
    PropertyError
        If it names anything else, or the text is malformed.
    """
    if isinstance(expression, str):
        reader = Reader(expression)
        expression = reader.expression()
        if reader.token.kind != "end":
            raise reader.error("the end of the value")
    value = evaluate(expression, constants or {})
    plain: Constant = value.item() if isinstance(value, np.generic | np.ndarray) else value
    return plain.numerator if isinstance(plain, Fraction) and plain.denominator == 1 else plain


def _value_of(name: str, constants: Mapping[str, Constant], model: ExplicitModel | None) -> NDArray | Constant:
    variables = {} if model is None else model.variables
    if name in variables:
        values = variables[name]
        return values if values.dtype == bool else values.astype(np.int64)
    if name in constants:
        return constants[name]
    known = ", ".join((*variables, *constants)) or "none"
    raise PropertyError(f"there is no variable or constant '{name}'; there are: {known}")


def _is_bool(value: Any) -> bool:
    return np.asarray(value).dtype == bool


def _check_kinds(operator: str, values: list[Any]) -> None:
    logical = [_is_bool(value) for value in values]
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


def _divide(left: Any, right: Any) -> Any:
    if not np.all(right):
        raise PropertyError("a division by zero in a state formula")
    return np.frompyfunc(Fraction, 2, 1)(*(np.asarray(x, dtype=object) for x in (left, right)))


def _minus(left: Any, right: Any | None = None) -> Any:
    return np.negative(left) if right is None else np.subtract(left, right)


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
    "|": np.logical_or,
    "&": np.logical_and,
    "!": np.logical_not,
    "=": _truth(np.equal),
    "!=": _truth(np.not_equal),
    "<": _truth(np.less),
    "<=": _truth(np.less_equal),
    ">": _truth(np.greater),
    ">=": _truth(np.greater_equal),
    "+": np.add,
    "-": _minus,
    "*": np.multiply,
    "/": _divide,
    "min": _fold(np.minimum),
    "max": _fold(np.maximum),
    "mod": np.mod,
    "floor": np.frompyfunc(lambda value: int(value // 1), 1, 1),
    "ceil": np.frompyfunc(lambda value: int(-(-value // 1)), 1, 1),
}
