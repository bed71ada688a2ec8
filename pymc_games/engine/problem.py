"""From a model and a query to the part that needs numbers: graph precomputation and the order of solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pymc_games.engine.graph import Graph
from pymc_games.engine.query import Query
from pymc_games.engine.quotient import collapse
from pymc_games.engine.sweeps import Rows
from pymc_games.explicit import Bools, ExactNumbers, ExplicitModel, Floats, Ints


@dataclass(frozen=True)
class Problem:
    """A query after graph analysis.

    Attributes
    ----------
    kind : {'probability', 'reward'}
    probabilities : ExactNumbers, length branches
    reward : ExactNumbers or None, length choices
    rows : Rows
        The same as floats, with all that backups read.
    target : bool array, shape (states,)
    maybe : bool array, shape (states,)
        States whose value the graph does not decide.
    lower, upper : float64 arrays, shape (states,)
        Bounds to start from: equal where the graph decides; 0 and ``cap`` elsewhere.
    """

    kind: Literal["probability", "reward"]
    graph: Graph
    probabilities: ExactNumbers
    reward: ExactNumbers | None
    rows: Rows
    target: Bools
    maybe: Bools
    lower: Floats
    upper: Floats

    @property
    def cap(self) -> float:
        """What no value exceeds: 1 for probabilities, infinity for rewards."""
        return 1.0 if self.kind == "probability" else np.inf

    @property
    def deciding(self) -> Bools:
        """The undecided states in which their owner has a real choice."""
        return self.maybe & (np.diff(self.graph.state_to_choices) > 1)

    @property
    def is_game(self) -> bool:
        """Whether both kinds of player have a real choice among the undecided states."""
        sides = self.rows.maximise[self.deciding]
        return bool(sides.any() and not sides.all())

    def lingering(self) -> tuple[Ints, Bools]:
        """Return the end components in which iteration alone would not find the value, as ``Graph.end_components``.

        For probabilities: all, if a maximiser moves. For rewards, if a minimiser moves: those without reward, and in
        games all.
        """
        linger = self.rows.maximise == (self.kind == "probability")
        if not (self.deciding & linger).any():
            return np.full(self.graph.states, -1, dtype=np.int64), np.zeros(self.graph.choices, dtype=np.bool_)
        free = self.rows.reward_upper == 0.0 if self.kind == "reward" and not self.is_game else None
        return self.graph.end_components(self.maybe, free)

    def collapsed(self, member: Ints, internal: Bools) -> tuple[Problem, Ints]:
        """Return the problem with end components collapsed, and the new number of each state."""
        rows = self.rows
        quotient = collapse(
            member, internal, self.graph.choice_to_state, rows.choice_to_branches, rows.branch_to_target
        )
        first = np.full(quotient.blocks, -1, dtype=np.int64)
        first[quotient.state_to_block[::-1]] = np.arange(len(member))[::-1]
        maximise = np.where(member[first] >= 0, self.kind == "probability", rows.maximise[first])
        probabilities = ExactNumbers(self.probabilities.table, self.probabilities.index[quotient.branch_origin])
        reward = None
        if self.reward is not None:
            reward = ExactNumbers(self.reward.table, self.reward.index[quotient.choice_origin])
        graph = Graph.from_rows(quotient.state_to_choices, quotient.choice_to_branches, quotient.branch_to_target)
        problem = Problem(
            self.kind, graph, probabilities, reward, backup_rows(graph, probabilities, reward, maximise),
            self.target[first], self.maybe[first], self.lower[first].copy(), self.upper[first].copy(),
        )  # fmt: skip
        return problem, quotient.state_to_block


def prepare(model: ExplicitModel, query: Query) -> Problem:
    r"""Decide by graph search all that can be, and return what is left.

    Probabilities: 0 where maximisers cannot force a positive probability, 1 where they can force the target almost
    surely. Rewards: 0 at the target, infinite where minimisers cannot force the target almost surely.
    """
    graph = Graph.of(model)
    target, maximise = (np.require(mask, np.bool_, ["C", "W"]) for mask in (query.target, query.maximise))
    lower = np.zeros(model.states)
    if query.kind == "probability":
        through = None if query.through is None else np.require(query.through, np.bool_, ["C", "W"])
        positive = graph.attractor(target, maximise, through) >= 0
        sure = graph.almost_sure(target, maximise, positive)
        maybe = positive & ~sure
        lower[sure] = 1.0
    else:
        finite = graph.almost_sure(target, ~maximise)
        maybe = finite & ~target
        lower[~finite] = np.inf
    upper = np.where(maybe, 1.0 if query.kind == "probability" else np.inf, lower)
    rows = backup_rows(graph, model.probabilities, query.reward, maximise)
    return Problem(query.kind, graph, model.probabilities, query.reward, rows, target, maybe, lower, upper)


def backup_rows(graph: Graph, probabilities: ExactNumbers, reward: ExactNumbers | None, maximise: Bools) -> Rows:
    """Return the float arrays that backups read, with rewards rounded to both sides."""
    if reward is None:
        reward_lower = reward_upper = np.zeros(graph.choices)
    else:
        reward_lower, reward_upper = enclose_all(reward)
    return Rows(
        graph.state_to_choices, graph.choice_to_branches, graph.branch_to_target,
        probabilities.floats(), reward_lower, reward_upper, maximise,
    )  # fmt: skip


def enclose_all(numbers: ExactNumbers) -> tuple[Floats, Floats]:
    """Return the floats just below and above each number; the number itself where it is a float."""
    table = np.array([float(x) for x in numbers.table])
    exact = np.array([x == y for x, y in zip(numbers.table, table.tolist(), strict=True)], dtype=np.bool_)
    lower = np.where(exact, table, np.nextafter(table, 0.0))
    upper = np.where(exact, table, np.nextafter(table, np.inf))
    return lower[numbers.index], upper[numbers.index]
