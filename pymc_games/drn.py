"""DRN, Storm's explicit text format, which carries rationals: reading it.

State valuations stand in comments, as Storm writes them: ``//[!t & x=3]``. Where they do not read as names and values
in the same order everywhere, the model has none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pymc_games.errors import FileFormatError, UnsupportedError
from pymc_games.explicit import ExactNumbers, ExplicitModel, ModelType, RewardModel
from pymc_games.rationals import read_float, read_fraction

_TYPES: dict[str, ModelType] = {"DTMC": "dtmc", "MDP": "mdp", "SMG": "smg"}
_STATE = re.compile(r"state (\d+)(?: (!\S+))?(?: \[([^\]]*)\])?((?: .*)?)")
_ACTION = re.compile(r'action ("[^"]*"|\S+)(?: \[([^\]]*)\])?')
_BRANCH = re.compile(r"(\d+) : (\S+)")
_LABEL = re.compile(r'"([^"]*)"|(\S+)')


def read(path: str | os.PathLike[str], *, validate: bool = True) -> ExplicitModel:
    """Read the model in a DRN file.

    Parameters
    ----------
    validate : bool
        Whether to check the arrays, and to refuse a game, because the format does not say who owns a state.

    Raises
    ------
    FileFormatError
        If the file cannot be read or is malformed; the line is named.
    UnsupportedError
        If the model is of a type outside the scope, or has placeholders or parameters.
    ModelError
        If the arrays make no model: see `ExplicitModel.validate`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise FileFormatError(f"cannot read {path}: {reason}") from error
    model = _Reader(str(path)).model(enumerate(text.splitlines(), 1))
    if validate:
        if model.type == "smg":
            raise UnsupportedError(f"{path}: DRN does not say who owns a state of a game; use .umb or .prism")
        model.validate()
    return model


class _Reader:
    """Collects the rows of a model, line by line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.header: dict[str, str] = {}
        self.reward_names = ""
        self.state_starts: list[int] = []
        self.choice_starts: list[int] = []
        self.targets: list[int] = []
        self.numbers: dict[str, int] = {}
        self.probabilities: list[int] = []
        self.state_rewards: list[str] = []
        self.choice_rewards: list[str] = []
        self.actions: list[str] = []
        self.labels: dict[str, list[int]] = {}
        self.valuations: list[str] = []
        self.line = 0

    def error(self, complaint: str) -> FileFormatError:
        """Return the error about the current line."""
        return FileFormatError(f"{self.path}, line {self.line}: {complaint}")

    def model(self, lines: Iterator[tuple[int, str]]) -> ExplicitModel:
        """Read all lines and return the model, still to be validated."""
        self._read_header(lines)
        for self.line, raw in lines:
            line = raw.strip()
            if branch := _BRANCH.fullmatch(line):
                self._branch(branch)
            elif action := _ACTION.fullmatch(line):
                self._action(action)
            elif state := _STATE.fullmatch(line):
                self._state(state)
            elif line.startswith("//["):
                self.valuations.append(line[3:].rstrip("]"))
            elif line and not line.startswith("//"):
                raise self.error(f"'{line[:40]}' is no state, action or branch")
        return self._model()

    def _read_header(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read up to ``@model``; a value stands after the key's colon or on the next line."""
        key = ""
        for self.line, raw in lines:
            line = raw.strip()
            if line == "@model":
                break
            if line.startswith("@"):
                key, _, value = line[1:].partition(":")
                self.header[key] = value.strip()
            elif key == "reward_models" and not self.reward_names:
                self.reward_names = raw
            elif key and line and not line.startswith("//"):
                self.header[key] = f"{self.header[key]} {line}".strip()
        else:
            raise FileFormatError(f"{self.path} is not a DRN file: it has no line @model")
        if self.header.get("type") not in _TYPES:
            raise UnsupportedError(
                f"{self.path}: a model of type {self.header.get('type')} is not supported; use dtmc, mdp or smg"
            )
        if self.header.get("parameters") or self.header.get("placeholders"):
            raise UnsupportedError(f"{self.path}: parameters and placeholders are not supported")

    def _state(self, match: re.Match[str]) -> None:
        state = len(self.state_starts)
        if int(match[1]) != state:
            raise self.error(f"state {match[1]} stands where state {state} should")
        if match[2]:
            raise UnsupportedError(f"{self.path}: exit rates are not supported; use dtmc, mdp or smg")
        self.state_starts.append(len(self.choice_starts))
        self.state_rewards.append(match[3] or "")
        for quoted, plain in _LABEL.findall(match[4]):
            self.labels.setdefault(quoted or plain, []).append(state)

    def _action(self, match: re.Match[str]) -> None:
        if not self.state_starts:
            raise self.error("an action before the first state")
        self.choice_starts.append(len(self.targets))
        self.actions.append(match[1].strip('"'))
        self.choice_rewards.append(match[2] or "")

    def _branch(self, match: re.Match[str]) -> None:
        if not self.choice_starts:
            raise self.error("a branch before the first action")
        self.targets.append(int(match[1]))
        self.probabilities.append(self.numbers.setdefault(match[2], len(self.numbers)))

    def _number(self, text: str) -> Fraction:
        try:
            if "/" in text or self.header.get("value_type") == "rational":
                return read_fraction(text)
            return read_float(float(text))
        except (ValueError, ZeroDivisionError, OverflowError):
            raise FileFormatError(f"{self.path}: '{text}' is not a number") from None

    def _model(self) -> ExplicitModel:
        states = len(self.state_starts)
        if self.header.get("nr_states", str(states)) != str(states):
            raise FileFormatError(f"{self.path} is truncated: {states} states of {self.header['nr_states']}")
        labels = {name: _mask(marked, states) for name, marked in self.labels.items()}
        initial = np.flatnonzero(labels.get("init", np.zeros(states, dtype=bool)))
        if len(initial) != 1:
            raise UnsupportedError(f"{self.path} has {len(initial)} initial states; exactly one is supported")
        return ExplicitModel(
            type=_TYPES[self.header["type"]],
            state_to_choices=np.array([*self.state_starts, len(self.choice_starts)], dtype=np.int64),
            choice_to_branches=np.array([*self.choice_starts, len(self.targets)], dtype=np.int64),
            branch_to_target=np.array(self.targets, dtype=np.int64),
            probabilities=ExactNumbers(
                tuple(self._number(text) for text in self.numbers), np.array(self.probabilities, dtype=np.int32)
            ),
            initial_state=int(initial[0]),
            labels=labels,
            rewards=self._rewards(),
            variables=_variables(self.valuations, states),
            choice_to_action=self.actions,
            name=Path(self.path).stem,
        )

    def _rewards(self) -> dict[str, RewardModel]:
        widths = {len(text.split(",")) for text in (*self.state_rewards, *self.choice_rewards) if text}
        names = self._names_of_rewards(max(widths, default=0))
        if widths - {len(names)}:
            raise FileFormatError(f"{self.path}: a row does not have the {len(names)} rewards of @reward_models")
        return {
            name: RewardModel(self._column(self.state_rewards, place), self._column(self.choice_rewards, place))
            for place, name in enumerate(names)
        }

    def _names_of_rewards(self, count: int) -> list[str]:
        """Return the names of the reward models, of which rows have ``count``; the unnamed one is ``''``.

        Storm ends each name with a space, so that the place of the unnamed one shows.
        """
        line = self.header.get("reward_models", "") or self.reward_names
        plain = line.split()
        for names in (line.removesuffix(" ").split(" "), line.split(" ")):
            if count == len(names) == len(plain) + 1:
                return names
        return plain

    def _column(self, rows: Iterable[str], place: int) -> ExactNumbers | None:
        """Return the rewards at one place of each row; ``None`` where all are 0."""
        texts = [row.split(",")[place].strip() if row else "0" for row in rows]
        values = {text: self._number(text) for text in set(texts)}
        return ExactNumbers.of([values[text] for text in texts]) if any(values.values()) else None


def _mask(marked: list[int], states: int) -> NDArray[np.bool_]:
    mask = np.zeros(states, dtype=bool)
    mask[marked] = True
    return mask


def _variables(valuations: list[str], states: int) -> dict[str, NDArray]:
    """Return the variables that the comments give; Storm leaves a boolean that is true empty."""
    rows = [[part.strip() for part in text.split("&")] for text in valuations]
    if len(rows) != states or len({len(row) for row in rows}) != 1:
        return {}
    variables: dict[str, NDArray] = {}
    for column in zip(*rows, strict=True):
        integers = [re.fullmatch(r"(\w+)=(-?\d+)", part) for part in column]
        if all(integers):
            found = {match[1]: True for match in integers if match}
            values: NDArray = np.array([int(match[2]) for match in integers if match])
        else:
            found = {part.lstrip("!"): True for part in column if part}
            values = np.array([not part.startswith("!") for part in column])
        if len(found) != 1 or not next(iter(found)).isidentifier():
            return {}
        variables[next(iter(found))] = values
    return variables
