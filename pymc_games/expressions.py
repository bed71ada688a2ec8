"""Expressions over state variables, as PRISM writes them: reading, and evaluating in all states at once.

The grammar, loosest first: ``c ? a : b``, ``=>``, ``<=>``, ``|``, ``&``, ``!``, ``= !=``, ``< <= > >=``, ``+ -``,
``* /``, unary minus, and then numbers, ``true``, ``false``, names, ``"label"``, ``min max mod floor ceil`` and
parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pymc_games import operations
from pymc_games.errors import PropertyError, UnsupportedError, hint
from pymc_games.explicit import Bools, ExplicitModel

Constant = operations.Constant


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

#: What a name can stand for beside a variable: a constant, or a formula of the model.
Meaning = Constant | Expression

TRUE = Literal(True)

_MOST_DIGITS = 4000
_SHOWN = 60

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
            right = self._binary(levels[1:], tightest)
            # Long chains stay flat, so that a thousand cases are no thousand levels.
            if operator in ("&", "|") and isinstance(left, Operation) and left.operator == operator:
                left = Operation(operator, (*left.operands, right))
            else:
                left = Operation(operator, (left, right))
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
        if self.at("F", "G", "X") and self.tokens[self.next + 1].kind in ("label", "name"):
            raise UnsupportedError(f"'{self.text}': a path operator inside a path operator (LTL) is not supported")
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


def parse(text: str) -> Expression:
    """Read a text that is one expression.

    Raises
    ------
    PropertyError
        If it is malformed, or too deeply nested.
    UnsupportedError
        If it uses what lies outside the scope.
    """
    reader = Reader(text)
    with shallow(f"'{text[:_SHOWN]}'"):
        expression = reader.expression()
    if reader.token.kind != "end":
        raise reader.error("the end of the value")
    return expression


@contextmanager
def shallow(what: str) -> Iterator[None]:
    """Turn Python's complaint about deep recursion into one about what is read or evaluated."""
    try:
        yield
    except RecursionError:
        raise PropertyError(f"{what} is nested too deeply; write it with fewer parentheses") from None


def number(text: str) -> int | Fraction:
    """Return a decimal as the rational it writes, ``0.1`` as 1/10.

    Raises
    ------
    PropertyError
        If it has too many digits.
    """
    exponent = text.lower().partition("e")[2] or "0"
    if len(text) > _MOST_DIGITS or abs(int(exponent)) > _MOST_DIGITS:
        raise PropertyError(f"the number {text[:20]}... has too many digits; at most {_MOST_DIGITS:,} are read")
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def evaluate(
    expression: Expression, constants: Mapping[str, Meaning], model: ExplicitModel | None = None
) -> NDArray | Constant:
    """Return an expression's value in all states of ``model``: an array of shape (states,), or one value.

    Integers stay integers; where a fraction appears, arithmetic is in Python fractions, so comparisons are exact.
    Without a model only constants can be named. Among ``constants`` may be formulas over variables.

    Raises
    ------
    PropertyError
        For a label or name that the model does not have, or operands of the wrong kind.
    """
    match expression:
        case Literal(value):
            return operations.unbounded(value)
        case Label(name):
            if model is None:
                raise PropertyError(f'the label "{name}" stands where only constants can')
            return model.label(name)
        case Name(name):
            return _value_of(name, constants, model)
        case Operation(operator, operands):
            values = [evaluate(operand, constants, model) for operand in operands]
            return operations.apply(operator, values)


def states_where(expression: Expression, model: ExplicitModel, constants: Mapping[str, Meaning] | None = None) -> Bools:
    """Return the states of ``model`` in which a state formula holds; shape (states,).

    Raises
    ------
    PropertyError
        If the formula is not of truth value, or names something that the model does not have.
    """
    with shallow("a state formula"):
        value = evaluate(expression, constants or {}, model)
    if not operations.is_truth(value):
        raise PropertyError("a state formula must be true or false in each state; this one is a number")
    return np.broadcast_to(np.asarray(value, dtype=bool), (model.states,)).copy()


def constant_value(expression: Expression | str, constants: Mapping[str, Meaning] | None = None) -> Constant:
    """Return the value of an expression over constants: ``3``, ``1/2``, ``0.1`` (which is 1/10), ``true``, ``N+1``.

    Raises
    ------
    PropertyError
        If it names anything else, or the text is malformed.
    """
    value = evaluate(parse(expression) if isinstance(expression, str) else expression, constants or {})
    plain: Constant = value.item() if isinstance(value, np.generic | np.ndarray) else value
    return plain.numerator if isinstance(plain, Fraction) and plain.denominator == 1 else plain


def _value_of(name: str, constants: Mapping[str, Meaning], model: ExplicitModel | None) -> NDArray | Constant:
    variables = {} if model is None else model.variables
    if name in variables:
        values = variables[name]
        return values if values.dtype == bool else values.astype(np.int64)
    if name in constants:
        meaning = constants[name]
        if isinstance(meaning, Constant):
            return operations.unbounded(meaning)
        return evaluate(meaning, constants, model)
    raise PropertyError(
        f"there is no variable or constant '{name}'; {hint(name, (*variables, *constants), 'there are:')}"
    )
