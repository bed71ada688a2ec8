"""From a property to what the engine is asked, and back: labels to masks, rewards to numbers, G to its complement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from pymc_games.engine import Query, Solution
from pymc_games.errors import PropertyError, UnsupportedError, hint
from pymc_games.explicit import Bools, ExactNumbers, ExplicitModel, Floats, Ints
from pymc_games.expressions import TRUE, Expression, Meaning, constant_value, states_where
from pymc_games.properties import Globally, Property, choose_reward


@dataclass(frozen=True)
class Question:
    """A query, and whether its answer is the complement of what the property asks for: P(G a) = 1 - P(F !a)."""

    query: Query
    complement: bool = False

    def answer(self, solution: Solution) -> Solution:
        """Return the solution of the query as the answer to the property."""
        if not self.complement:
            return solution
        exact = None if solution.exact is None else [None if x is None else 1 - x for x in solution.exact]
        return replace(
            solution, lower=_complement(solution.upper, 0.0), upper=_complement(solution.lower, 2.0), exact=exact,
            lower_pair=None, upper_pair=None,
        )  # fmt: skip


def choose_property(name: str, known: Sequence[Property]) -> Property:
    """Return the property of that name.

    Raises
    ------
    PropertyError
        If there is none; the nearest name is suggested.
    """
    names = {prop.name: prop for prop in known if prop.name}
    if name not in names:
        advice = hint(name, names, "there are:") if names else "there are none; give a file with --props"
        raise PropertyError(f"there is no property named '{name}'; {advice}")
    return names[name]


def question(prop: Property, model: ExplicitModel, constants: Mapping[str, Meaning] | None = None) -> Question:
    """Translate a property about ``model``; ``constants`` are those of the model's text.

    Raises
    ------
    PropertyError
        If the property names a label, variable, reward model or player that the model does not have, says neither min
        nor max where somebody chooses, or has a coalition where there are no players.
    UnsupportedError
        If the rewards are negative.
    """
    if clash := sorted(set(prop.constants) & (set(model.variables) | set(constants or {}))):
        raise PropertyError(
            f"'{prop.text}': the property file defines {clash[0]}, which {_title(model)} has already; rename one"
        )
    known = {**(constants or {}), **prop.constants}
    maximise = _maximise(prop, model)
    if isinstance(prop.path, Globally):
        target = ~states_where(prop.path.operand, model, known)
        return Question(Query("probability", target, ~maximise, None, _steps(prop.path.steps, known)), complement=True)
    target = states_where(prop.path.right, model, known)
    if prop.operator == "R":
        return Question(
            Query("reward", target, maximise, reward=choice_rewards(model, choose_reward(prop, tuple(model.rewards))))
        )
    through = None if prop.path.left == TRUE else states_where(prop.path.left, model, known)
    return Question(Query("probability", target, maximise, through, _steps(prop.path.steps, known)))


def choice_rewards(model: ExplicitModel, name: str) -> ExactNumbers:
    """Return the expected reward of each choice: that of its state, its own, and its branches' weighted by probability.

    Raises
    ------
    UnsupportedError
        If a reward is negative.
    """
    rewards = model.rewards[name]
    total = ExactNumbers((Fraction(0),), np.zeros(model.choices, dtype=np.int32))
    if rewards.state is not None:
        owner = np.repeat(np.arange(model.states), np.diff(model.state_to_choices))
        total = ExactNumbers(rewards.state.table, rewards.state.index[owner])
    if rewards.choice is not None:
        total = _sum(total, rewards.choice)
    if rewards.branch is not None:
        total = _sum(total, _expected(model, rewards.branch))
    if min(total.table, default=Fraction(0)) < 0:
        raise UnsupportedError(
            f'the reward model "{name}" of {model.name or "the model"} has negative rewards, which are not supported'
        )
    return total


def _maximise(prop: Property, model: ExplicitModel) -> Bools:
    """Return where the owner of a state wants the value large."""
    if model.type != "smg" and prop.coalition is not None:
        raise PropertyError(
            f"'{prop.text}': a coalition needs a game (smg); {model.name or 'the model'} is a {model.type}"
        )
    if model.type == "dtmc":
        return np.zeros(model.states, dtype=bool)
    if prop.direction is None:
        raise PropertyError(
            f"'{prop.text}': write {prop.operator}min or {prop.operator}max, because the model has choices"
        )
    large = prop.direction == "max"
    if model.type == "mdp":
        return np.full(model.states, large)
    if prop.coalition is None or model.state_to_player is None:
        raise PropertyError(f"'{prop.text}': in a game the property needs a coalition, such as <<{model.players[0]}>>")
    members = [_player(name, model, prop) for name in prop.coalition]
    return np.isin(model.state_to_player, members) == large


def _title(model: ExplicitModel) -> str:
    return model.name or "the model"


def _player(name: str, model: ExplicitModel, prop: Property) -> int:
    """Return a player's number from its name, or from its place counted from 1 as PRISM-games allows."""
    if name in model.players:
        return model.players.index(name)
    if name.isdigit() and 1 <= int(name) <= len(model.players):
        return int(name) - 1
    raise PropertyError(f"'{prop.text}': there is no player '{name}'; there are {', '.join(model.players)}")


def _steps(steps: Expression | None, constants: Mapping[str, Meaning]) -> int | None:
    if steps is None:
        return None
    number = constant_value(steps, constants)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise PropertyError(f"a step bound is {number}; it must be a whole number, at least 0")
    return number


def _sum(left: ExactNumbers, right: ExactNumbers) -> ExactNumbers:
    """Return the sums of two vectors, computed once for each pair of distinct values that occurs."""
    pairs, index = np.unique(left.index.astype(np.int64) * len(right.table) + right.index, return_inverse=True)
    table = [left.table[pair // len(right.table)] + right.table[pair % len(right.table)] for pair in pairs.tolist()]
    return ExactNumbers(tuple(table), index.astype(np.int32))


def _expected(model: ExplicitModel, branch: ExactNumbers) -> ExactNumbers:
    """Return, for each choice, the sum of its branches' rewards weighted by their probabilities."""
    sums = [Fraction(0)] * model.choices
    nonzero = np.array([value != 0 for value in branch.table])[branch.index]
    owner: Ints = np.repeat(np.arange(model.choices), np.diff(model.choice_to_branches))
    for place in np.flatnonzero(nonzero).tolist():
        sums[owner[place]] += model.probabilities[place] * branch[place]
    return ExactNumbers.of(sums)


def _complement(bound: Floats, toward: float) -> Floats:
    """Return 1 minus a bound, rounded ``toward`` where the difference may not be exact."""
    result = 1.0 - bound
    rounded = np.clip(np.nextafter(result, toward), 0.0, 1.0)
    return np.where((bound == 0.0) | (bound == 1.0), result, rounded)
