"""The models of a bearoff alone, by the Python rules: the decision process, and the chain under optimal play.

In the decision process a turn is a roll and then one die at a time, so that the player decides with the rules' own
steps. Its states are the six counts and what is left to play:

``die``, ``moves``
    The next die and how often it may be played: 4 times after doubles, once otherwise; 0 before the roll.
``other``
    The smaller die of two different ones, which may be played first; 0 if there is none.

The two duties bind for the last checker only (see ``moves``). If the larger die bears it off and the smaller one could
be played before, the smaller one goes first; if either bears it off, the larger one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel
from pymc_games.games.base import Constants
from pymc_games.games.bearoff import exact, one_sided
from pymc_games.games.bearoff.moves import ROLLS, play_die, probability
from pymc_games.games.bearoff.positions import POINTS, Position, index, position, show

State = tuple[int, ...]

VARIABLES = tuple(f"c{point}" for point in range(1, POINTS + 1))
TURN_VARIABLES = (*VARIABLES, "die", "moves", "other")

# A choice: its action and its branches.
_Choice = tuple[str, list[tuple[Fraction, State]]]


def choices(state: State) -> Iterator[_Choice]:
    """Yield the choices of the decision process in a state (six counts, die, moves, other)."""
    counts, (die, moves, other) = state[:POINTS], state[POINTS:]
    if not any(counts):
        yield "done", [(Fraction(1), state)]
    elif die == 0:
        yield (
            "roll",
            [
                (probability(roll), (*counts, high, 4, 0) if high == low else (*counts, high, 1, low))
                for roll, (high, low) in enumerate(ROLLS)
            ],
        )
    else:
        left = (die, moves - 1, 0) if moves > 1 else (other, 1 if other else 0, 0)
        for point, after in play_die(counts, die):
            smaller_goes_first = not any(after) and 0 < other < point
            if not smaller_goes_first:
                yield "move", [(Fraction(1), _then(after, left))]
        for _, after in play_die(counts, other) if other else ():
            # Bearing off the last checker with the smaller die is never legal: the larger one does it too.
            if any(after):
                yield "move", [(Fraction(1), _then(after, (die, 1, 0)))]


def chain_choices(state: State) -> Iterator[_Choice]:
    """Yield the one choice of the chain under the policy of fewest expected rolls in a position."""
    if not any(state):
        yield "done", [(Fraction(1), state)]
        return
    best = one_sided.solve(sum(state)).best[index(state)]
    after: Counter[State] = Counter()
    for roll, number in enumerate(best):
        after[position(int(number))] += probability(roll)  # type: ignore[assignment]  # a Counter of fractions
    yield "roll", [(Fraction(p), s) for s, p in after.items()]


def solo(constants: Constants) -> ExplicitModel:
    """Return the decision process from a position."""
    return _explore("mdp", (*constants["position"], 0, 0, 0), TURN_VARIABLES, choices)


def chain(constants: Constants) -> ExplicitModel:
    """Return the chain under optimal play from a position."""
    return _explore("dtmc", constants["position"], VARIABLES, chain_choices)


def solo_context(constants: Constants) -> dict[str, Any]:
    """Return what the templates of the decision process see."""
    start: Position = constants["position"]
    rolls = [(probability(r), high, low) for r, (high, low) in enumerate(ROLLS)]
    return {
        "start": start, "text": show(start), "checkers": sum(start), "rolls": rolls,
        "expected_rolls": exact.expected_rolls(start),
    }  # fmt: skip


def chain_context(constants: Constants) -> dict[str, Any]:
    """Return what the templates of the chain see: the positions met, each with its branches."""
    start: Position = constants["position"]
    model = chain(constants)
    counts = np.column_stack([model.variables[name] for name in VARIABLES])
    rows = []
    for state in range(model.states):
        if counts[state].any():
            begin, end = model.choice_to_branches[state : state + 2]
            branches = [(model.probabilities[b], counts[model.branch_to_target[b]]) for b in range(begin, end)]
            rows.append((counts[state], branches))
    within = np.cumsum([Fraction(count, 36**k) for k, count in enumerate(exact.distribution(start))])
    return {
        "start": start, "text": show(start), "checkers": sum(start), "rows": rows, "within": list(within),
        "expected_rolls": exact.expected_rolls(start),
    }  # fmt: skip


def _then(counts: Position, left: tuple[int, int, int]) -> State:
    """Return the state with dice left to play, none of them once all checkers are off."""
    return (*counts, *(left if any(counts) else (0, 0, 0)))


def _explore(
    kind: Any, start: State, variables: tuple[str, ...], rules: Callable[[State], Iterator[_Choice]]
) -> ExplicitModel:
    """Build the model of all states that can be met from ``start``."""
    number = {start: 0}
    states = [start]
    state_to_choices, choice_to_branches = [0], [0]
    targets: list[int] = []
    probabilities: list[Fraction] = []
    actions: list[str] = []
    for state in states:  # grows as new states are met
        for action, branches in rules(state):
            actions.append(action)
            for weight, target in branches:
                if target not in number:
                    number[target] = len(states)
                    states.append(target)
                targets.append(number[target])
                probabilities.append(weight)
            choice_to_branches.append(len(targets))
        state_to_choices.append(len(actions))
    values = np.array(states, dtype=np.int64)
    rolled = ExactNumbers.of([Fraction(action == "roll") for action in actions])
    return ExplicitModel(
        type=kind,
        state_to_choices=np.array(state_to_choices, dtype=np.int64),
        choice_to_branches=np.array(choice_to_branches, dtype=np.int64),
        branch_to_target=np.array(targets, dtype=np.int64),
        probabilities=ExactNumbers.of(probabilities),
        labels={"off": (values[:, :POINTS] == 0).all(axis=1)},
        rewards={"rolls": RewardModel(choice=rolled)},
        variables={name: values[:, column] for column, name in enumerate(variables)},
        choice_to_action=tuple(actions),
        name="bearoff",
    )
