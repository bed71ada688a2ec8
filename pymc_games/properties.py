"""The property language: PRISM's operators P and R over reachability, read into plain data.

``Pmax=? [ F "win" ]``, ``P>=1/2 [ a U<=5 b ]``, ``R{"steps"}min=? [ F x=3 ]``, ``<<p1>> Pmax=? [ G !"lost" ]``; before
any of them a name, ``"first_player":``. What PRISM has beyond that is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal as OneOf

from pymc_games.errors import PropertyError, UnsupportedError
from pymc_games.expressions import (
    TRUE,
    Constant,
    Expression,
    Literal,
    Operation,
    Reader,
    constant_value,
    shallow,
    tokens,
)


@dataclass(frozen=True)
class Until:
    """``left U<=steps right``; ``F right`` is ``true U right``. ``steps`` is ``None`` where there is no bound."""

    left: Expression
    right: Expression
    steps: Expression | None = None


@dataclass(frozen=True)
class Globally:
    """``G<=steps operand``."""

    operand: Expression
    steps: Expression | None = None


@dataclass(frozen=True)
class Property:
    """One property.

    Attributes
    ----------
    operator : {'P', 'R'}
    optimise : {'min', 'max'} or None
        As written; ``None`` in ``P=?``, and in bounds such as ``P>=0.5``.
    bound : pair of comparison and Fraction, or None for ``=?``
    path : Until or Globally
    path_text : str
        The text between the brackets, as written.
    reward : str or None
        Name of the reward model; ``None`` where none is named.
    coalition : tuple of str or None
        The players before the operator, ``<<p1,p2>>``.
    name : str
        The name before the colon, or ``''``.
    constants : mapping
        Constants that the property file defines.
    expected : str or None
        What the file's ``// RESULT:`` line before the property says.
    """

    operator: OneOf["P", "R"]
    optimise: OneOf["min", "max"] | None
    bound: tuple[str, Fraction] | None
    path: Until | Globally
    path_text: str
    reward: str | None = None
    coalition: tuple[str, ...] | None = None
    name: str = ""
    text: str = ""
    constants: Mapping[str, Constant] = field(default_factory=dict)
    expected: str | None = None

    @property
    def direction(self) -> OneOf["min", "max"] | None:
        """What is optimised: as written, or as a bound means it.

        ``P>=p`` of a decision process speaks about *all* schedulers, so it is about the least probability; with a
        coalition in front it asks whether the coalition *can*, so it is about the greatest.
        """
        if self.optimise or self.bound is None:
            return self.optimise
        least = self.bound[0] in (">=", ">")
        return "min" if least == (self.coalition is None) else "max"

    def quantitative(self, *, deterministic: bool = False) -> str:
        """Return the text that asks for the number behind the property: a bound is replaced by ``=?``.

        In a ``deterministic`` model there is nothing to optimise, and no ``min`` or ``max``.
        """
        coalition = f"<<{','.join(self.coalition)}>> " if self.coalition is not None else ""
        reward = f'{{"{self.reward}"}}' if self.reward is not None else ""
        direction = "" if deterministic else self.direction or ""
        return f"{coalition}{self.operator}{reward}{direction}=? [ {self._path_with_values()} ]"

    def complement(self) -> Property:
        """Return the property whose probability is 1 minus this one's: ``G a`` becomes ``F !a``, and min max.

        Raises
        ------
        UnsupportedError
            If the path is not ``G``.
        """
        if not isinstance(self.path, Globally):
            raise UnsupportedError(f"'{self.text}' has no complement in the language")
        path = Until(TRUE, Operation("!", (self.path.operand,)), self.path.steps)
        flipped: dict[str | None, OneOf["min", "max"] | None] = {"min": "max", "max": "min", None: None}
        end = _end_of_bound(self.path_text)
        path_text = f"F{self.path_text[1:end]} !({self.path_text[end:].strip()})"
        return replace(self, optimise=flipped[self.direction], bound=None, path=path, path_text=path_text)

    def _path_with_values(self) -> str:
        """Return the text of the path with the values of the property file's constants in their places."""
        text = self.path_text
        for token in reversed(tokens(text)):
            if token.kind == "name" and token.text in self.constants:
                value = str(self.constants[token.text]).lower()
                plain = value if value.isalnum() else f"({value})"
                text = text[: token.position] + plain + text[token.position + len(token.text) :]
        return text

    def satisfied(self, lower: float | Fraction, upper: float | Fraction) -> bool | None:
        """Return whether a number between ``lower`` and ``upper`` meets the bound; ``None`` where they do not tell."""
        if self.bound is None:
            return None
        sign, bound = self.bound
        holds = {">=": bound.__le__, ">": bound.__lt__, "<=": bound.__ge__, "<": bound.__gt__}[sign]
        at_lower, at_upper = holds(lower), holds(upper)
        return at_lower if at_lower == at_upper else None

    def __str__(self) -> str:
        return self.text


# What PRISM has and the package does not, by the token that gives it away.
_UNSUPPORTED_OPERATORS = {
    "S": "long-run average", "LRA": "long-run average", "multi": "multi-objective", "E": "the path quantifier E",
    "A": "the path quantifier A", "filter": "filter(...)", "T": "expected time", "Tmin": "expected time",
    "Tmax": "expected time", "quantile": "quantile", "LRAmin": "long-run average", "LRAmax": "long-run average",
    "Smin": "long-run average", "Smax": "long-run average",
}  # fmt: skip
_UNSUPPORTED_PATHS = {"X": "next (X)", "W": "weak until (W)", "R": "release (R)"}
_UNSUPPORTED_REWARDS = {
    "C": "cumulative reward (C)", "I": "instantaneous reward (I)", "S": "long-run average", "LRA": "long-run average",
    "G": "G in a reward property", "X": "next (X)", "Fc": "Fc", "F0": "F0",
}  # fmt: skip
_OPERATOR = re.compile(r"([PR])(min|max)?$")


def parse_property(text: str, constants: Mapping[str, Constant] | None = None) -> Property:
    """Read one property.

    Parameters
    ----------
    text : str
        For example ``'"first_player": Pmax=? [ F "win1" ];'``; name and semicolon are optional, and
        comments are left out.
    constants : mapping, optional
        What a bound may name: the constants of a property file.

    Raises
    ------
    PropertyError
        Where the text is malformed: what was expected, and at which position.
    UnsupportedError
        For what lies outside the scope, by its name.
    """
    text = without_comments(text).strip().rstrip(";").rstrip()
    if not text:
        raise PropertyError('the property is empty; write for example Pmax=? [ F "win" ]')
    with shallow(f"'{text[:60]}'"):
        return _PropertyReader(text, constants or {}).property()


def without_comments(text: str) -> str:
    """Return the text without what stands behind ``//``."""
    return re.sub(r"//.*", "", text)


def choose_reward(prop: Property, names: Sequence[str]) -> str:
    """Return the name of the reward model that a property is about, among a model's; the unnamed one is ``''``.

    A property that names none is about the unnamed one, or else about the only one.

    Raises
    ------
    PropertyError
        If there is no such reward model, or none is named and there are several.
    """
    known = ", ".join(f'"{name}"' if name else "an unnamed one" for name in names) or "none"
    if prop.reward is not None and prop.reward not in names:
        raise PropertyError(f"'{prop.text}': the model has no reward model \"{prop.reward}\"; there are: {known}")
    if prop.reward is None and "" in names:
        return ""
    if prop.reward is None and len(names) != 1:
        raise PropertyError(f"'{prop.text}' names no reward model, and there are: {known}; write R{{\"name\"}}")
    return names[0] if prop.reward is None else prop.reward


def _end_of_bound(path_text: str) -> int:
    """Return where the step bound of a path such as ``G<=(k+1) x=0`` ends; after the operator where there is none."""
    reader = Reader(path_text)
    reader.advance()
    if reader.take("<=", "<"):
        depth = int(reader.advance().text == "(")
        while depth:
            depth += {"(": 1, ")": -1}.get(reader.advance().text, 0)
    return reader.token.position - (reader.token.kind == "label")


class _PropertyReader(Reader):
    """Reads one property."""

    def __init__(self, text: str, constants: Mapping[str, Constant]) -> None:
        super().__init__(text)
        self.constants = constants

    def property(self) -> Property:
        name = ""
        if self.token.kind == "label":
            name = self.advance().text
            self.expect(":")
        coalition = self._coalition()
        operator, reward, optimise = self._operator()
        bound = self._bound()
        path, path_text = self._path(operator)
        if self.token.kind != "end":
            raise self.error("the end of the property")
        return Property(operator, optimise, bound, path, path_text, reward, coalition, name, self.text)

    def _coalition(self) -> tuple[str, ...] | None:
        if not self.take("<<"):
            return None
        players: list[str] = []
        while not self.take(">>"):
            if self.token.kind not in ("name", "number"):
                raise self.error("a player's name or '>>'")
            players.append(self.advance().text)
            if not self.at(">>"):
                self.expect(",")
        return tuple(players)

    def _operator(self) -> tuple[OneOf["P", "R"], str | None, OneOf["min", "max"] | None]:
        if self.at(*_UNSUPPORTED_OPERATORS):
            raise UnsupportedError(f"'{self.text}': {_UNSUPPORTED_OPERATORS[self.token.text]} is not supported")
        match = _OPERATOR.match(self.token.text) if self.token.kind == "name" else None
        if match is None:
            raise self.error("P or R, with min or max,")
        self.advance()
        operator: OneOf["P", "R"] = "P" if match[1] == "P" else "R"
        optimise, reward = match[2], None
        if operator == "R" and self.take("{"):
            if self.token.kind != "label":
                raise self.error('the name of a reward model, {"steps"},')
            reward = self.advance().text
            self.expect("}")
        optimise = optimise or self.take("min", "max")
        return operator, reward, ("min" if optimise == "min" else "max") if optimise else None

    def _bound(self) -> tuple[str, Fraction] | None:
        if self.take("="):
            self.expect("?")
            return None
        sign = self.take(">=", ">", "<=", "<")
        if sign is None:
            raise self.error("=? or a bound such as >=0.5")
        start = self.token.position
        try:
            value = constant_value(self.sum(), self.constants)
        except PropertyError as error:
            bound = self.text[start : self.token.position].strip()
            raise PropertyError(
                f"'{self.text}': the bound {bound} must be a number, or made of constants of the property file: {error}"
            ) from error
        if isinstance(value, bool):
            raise self.error("a number")
        return sign, Fraction(value)

    def _path(self, operator: str) -> tuple[Until | Globally, str]:
        self.expect("[")
        # A label's token starts after its quote.
        start = self.token.position - (self.token.kind == "label")
        path = self._reward_path() if operator == "R" else self._probability_path()
        if self.at("||"):
            raise UnsupportedError(f"'{self.text}': a conditional property is not supported")
        end = self.token.position
        self.expect("]")
        return path, self.text[start:end].strip()

    def _reward_path(self) -> Until:
        if self.at(*_UNSUPPORTED_REWARDS):
            raise UnsupportedError(f"'{self.text}': {_UNSUPPORTED_REWARDS[self.token.text]} is not supported")
        if not self.at("F"):
            raise self.error("F and a state formula")
        self.advance()
        if self.at("<", "<=", ">", ">=", "=", "["):
            raise UnsupportedError(f"'{self.text}': a step bound in a reward property is not supported")
        return Until(TRUE, self.expression())

    def _probability_path(self) -> Until | Globally:
        if self.take("F"):
            steps = self._steps()
            return Until(TRUE, self._state_formula(), steps)
        if self.take("G"):
            steps = self._steps()
            return Globally(self._state_formula(), steps)
        if self.at("X") and self.tokens[self.next + 1].text not in ("=", "!=", "<", ">", "<=", ">=", "U", "&", "|"):
            raise UnsupportedError(f"'{self.text}': next (X) is not supported")
        left = self.expression()
        if self.at("W", "R"):
            raise UnsupportedError(f"'{self.text}': {_UNSUPPORTED_PATHS[self.token.text]} is not supported")
        self.expect("U")
        steps = self._steps()
        return Until(left, self._state_formula(), steps)

    def _state_formula(self) -> Expression:
        if self.at("F", "G", "X") and self.tokens[self.next + 1].kind in ("label", "name"):
            raise UnsupportedError(f"'{self.text}': a path operator inside a path operator (LTL) is not supported")
        return self.expression()

    def _steps(self) -> Expression | None:
        if self.at("[", ">", ">=", "=", "{"):
            raise UnsupportedError(f"'{self.text}': only upper step bounds (<=k) are supported")
        strict = self.at("<")
        if not self.take("<=", "<"):
            return None
        steps = self._step_number()
        return Operation("-", (steps, Literal(1))) if strict else steps

    def _step_number(self) -> Expression:
        if self.take("("):
            steps = self.expression()
            self.expect(")")
            return steps
        if self.token.kind == "number" and not self.token.text.isdigit():
            raise UnsupportedError(f"'{self.text}': a time bound is not supported; steps are whole numbers")
        if self.token.kind not in ("number", "name"):
            raise self.error("a number of steps")
        return self.atom()
