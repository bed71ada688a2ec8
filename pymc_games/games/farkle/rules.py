"""The rules of Farkle and its relatives, read from TOML and validated."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pymc_games.errors import UsageError, hint

#: Rules that ship with the package, by name.
SHIPPED = Path(__file__).with_name("rules")
DEFAULT = "facebook"
_FACES = 6


@dataclass(frozen=True)
class Rules:
    """One set of rules; all scores are in points.

    Attributes
    ----------
    goal, minimum : int
        Score that wins as soon as it is banked, and the least turn total that may be banked.
    bound : int
        Scores never fall below it: the penalty stops there.
    step : int
        Every score is a multiple of it.
    dice : int
        Dice rolled at the start of a turn and after hot dice, 1 to 6.
    farkles, penalty : int
        Farkles in a row that cost the penalty, and its points.
    singles, triples : tuple of int
        Value of one die, and of three of a kind, by face (six numbers each; 0 scores nothing).
    growth : {'linear', 'double'}
        What each further die of a set does: adds the value of three again, or doubles the value so far.
    straight, three_pairs, nothing : int
        One die of each face; three different pairs; six dice none of which scores. 0: no score.
    four_and_two : bool
        Whether four of a kind with a pair counts as three pairs.
    """

    goal: int = 10_000
    minimum: int = 300
    bound: int = -2_500
    step: int = 50
    dice: int = 6
    farkles: int = 3
    penalty: int = 500
    singles: tuple[int, ...] = (100, 0, 0, 0, 50, 0)
    triples: tuple[int, ...] = (1000, 200, 300, 400, 500, 600)
    growth: str = "linear"
    straight: int = 1500
    three_pairs: int = 750
    nothing: int = 0
    four_and_two: bool = False

    def __post_init__(self) -> None:
        """Refuse rules that contradict themselves."""
        if not 1 <= self.dice <= _FACES:
            raise UsageError(f"dice = {self.dice}: one to six dice are rolled")
        if self.step < 1:
            raise UsageError(f"step = {self.step}: the step of scores must be at least 1")
        if not 1 <= self.farkles <= _FACES:
            raise UsageError(f"farkles = {self.farkles}: one to six farkles in a row bring the penalty")
        if self.growth not in ("linear", "double"):
            raise UsageError(f"growth = '{self.growth}': a set grows 'linear' or 'double'")
        for name in ("singles", "triples"):
            if len(getattr(self, name)) != _FACES:
                raise UsageError(f"{name}: six values are needed, one for each face")
        self._check_scores()

    def _check_scores(self) -> None:
        if self.bound > 0:
            raise UsageError(f"bound = {self.bound}: players start at 0, so the lower bound must not lie above it")
        if self.goal < max(self.minimum, self.step):
            raise UsageError(f"goal = {self.goal}: must be at least the minimum bank of {self.minimum}")
        singly = ("goal", "minimum", "penalty", "straight", "three_pairs", "nothing")
        scores = [(name, getattr(self, name)) for name in singly]
        scores += [(name, value) for name in ("singles", "triples") for value in getattr(self, name)]
        for name, value in scores:
            if value < 0:
                raise UsageError(f"{name} = {value}: must not be negative")
        for name, value in [*scores, ("bound", self.bound)]:
            if value % self.step:
                raise UsageError(f"{name} = {value}: not a multiple of the step of {self.step}")
        if not any(self.singles):
            raise UsageError("singles: at least one face must score, or a single die could never be rolled")
        if self.dice < _FACES and (self.straight or self.three_pairs or self.nothing):
            raise UsageError(
                f"straight, three_pairs and nothing need six dice, and {self.dice} are rolled; set them to 0"
            )
        if self.dice < 3 and any(self.triples):
            raise UsageError(f"triples: {self.dice} dice cannot form three of a kind; set them to 0")

    @property
    def scores(self) -> int:
        """Number of scores from the bound to below the goal."""
        return (self.goal - self.bound) // self.step

    def states(self) -> int:
        """Count (own, other, own farkles, other's farkles, turn points, dice); turn points stop where a bank wins."""
        own = range(self.bound, self.goal, self.step)
        totals = sum(max(self.goal - score, self.minimum) // self.step for score in own)
        return self.scores * self.farkles**2 * self.dice * totals


def shipped() -> tuple[str, ...]:
    """Return the names of the rules that ship with the package."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load(source: str | Path = DEFAULT, **changes: int | None) -> Rules:
    """Read rules from a file, or by the name of shipped ones; ``changes`` that are not None replace values.

    Raises
    ------
    UsageError
        If the file is missing, is not TOML, has an unknown key, or its rules contradict themselves.
    """
    path = SHIPPED / f"{source}.toml" if str(source) in shipped() else Path(source)
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(
            f"cannot read the rules {source}: {reason}; give a file or one of {', '.join(shipped())}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML ({error})") from error
    try:
        return replace(parse(given), **{key: value for key, value in changes.items() if value is not None})  # type: ignore[arg-type]
    except UsageError as error:
        raise UsageError(f"{path.name}: {error}") from error


def parse(given: dict[str, Any]) -> Rules:
    """Return the rules of a TOML document; what it leaves out is as in Facebook Farkle.

    Raises
    ------
    UsageError
        For an unknown key, a value of the wrong type, or rules that contradict themselves.
    """
    kinds = {field.name: type(field.default) for field in fields(Rules)}
    values: dict[str, Any] = {}
    for key, found in given.items():
        value = tuple(found) if isinstance(found, list) else found
        if key not in kinds:
            raise UsageError(f"unknown key '{key}'; {hint(key, kinds, 'the keys are')}")
        if kinds[key] is tuple:
            if not isinstance(value, tuple) or any(type(part) is not int for part in value):
                raise UsageError(f"{key}: a list of six whole numbers is needed")
        elif type(value) is not kinds[key]:
            raise UsageError(f"{key} = {value!r}: must be of type {kinds[key].__name__}")
        values[key] = value
    return Rules(**values)
