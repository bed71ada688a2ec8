"""Small models, and their values by enumerating every memoryless scheduler in fractions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pymc_games.engine import Query
from pymc_games.explicit import ExactNumbers, ExplicitModel

Choice = tuple[Fraction, list[tuple[Fraction, int]]]
INFINITY = None


def model_of(states: Sequence[Sequence[Choice]], kind: str = "mdp") -> tuple[ExplicitModel, ExactNumbers]:
    """Build a model from, for each state, its choices ``(reward, [(probability, target), ...])``; and its rewards."""
    state_to_choices, choice_to_branches = [0], [0]
    targets: list[int] = []
    probabilities: list[Fraction] = []
    rewards: list[Fraction] = []
    for choices in states:
        for reward, branches in choices:
            for probability, target in branches:
                probabilities.append(Fraction(probability))
                targets.append(target)
            choice_to_branches.append(len(targets))
            rewards.append(Fraction(reward))
        state_to_choices.append(len(choice_to_branches) - 1)
    model = ExplicitModel(
        kind, np.array(state_to_choices), np.array(choice_to_branches), np.array(targets),
        ExactNumbers.of(probabilities),
    )  # fmt: skip
    model.validate()
    return model, ExactNumbers.of(rewards)


def haddad_monmege(n: int) -> tuple[ExplicitModel, ExactNumbers, int]:
    """Return the chain that plain iteration needs 2^n sweeps for: states 0 (fail) to 2n (goal), and its centre n."""
    half = Fraction(1, 2)
    states: list[list[Choice]] = []
    for i in range(2 * n + 1):
        if i in (0, 2 * n):
            states.append([(Fraction(0), [(Fraction(1), i)])])
        else:
            outward = i + 1 if i >= n else i - 1
            inward = n if i != n else n - 1
            states.append([(Fraction(1), [(half, outward), (half, inward)])])
    model, rewards = model_of(states, "dtmc")
    return model, rewards, n


@st.composite
def small_models(draw: st.DrawFn, players: bool) -> tuple[list[list[Choice]], np.ndarray]:
    """Draw up to 6 states with up to 3 choices, and who maximises; state 0 is the target, state 1 a sink."""
    size = draw(st.integers(3, 6))
    states: list[list[Choice]] = [[(Fraction(0), [(Fraction(1), 0)])], [(Fraction(0), [(Fraction(1), 1)])]]
    for _ in range(2, size):
        choices = []
        for _ in range(draw(st.integers(1, 3))):
            weights = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
            targets = draw(
                st.lists(st.integers(0, size - 1), min_size=len(weights), max_size=len(weights), unique=True)
            )
            total = sum(weights)
            reward = Fraction(draw(st.sampled_from([0, 0, 1, 2])), draw(st.sampled_from([1, 3])))
            choices.append((reward, [(Fraction(w, total), t) for w, t in zip(weights, targets, strict=True)]))
        states.append(choices)
    if players:
        maximise = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    else:
        maximise = np.full(size, draw(st.booleans()))
    return states, maximise


def chain_values(states: Sequence[Choice], target: set[int], reward: bool) -> list[Fraction | None]:
    """Return reachability probabilities, or expected rewards (None: infinite), of a chain, by Gaussian elimination."""
    size = len(states)
    reach = set(target)
    while True:
        more = {s for s in range(size) if s not in reach and any(t in reach for _, t in states[s][1])}
        if not more:
            break
        reach |= more
    lost = set(range(size)) - reach
    unsure = set(lost)
    while True:
        more = {s for s in range(size) if s not in unsure | target and any(t in unsure for _, t in states[s][1])}
        if not more:
            break
        unsure |= more
    if reward:
        unknown = [s for s in range(size) if s not in target and s not in unsure]
    else:
        unknown = [s for s in range(size) if s not in target and s not in lost]
    place = {s: k for k, s in enumerate(unknown)}
    rows = []
    for s in unknown:
        row = [Fraction(0)] * (len(unknown) + 1)
        row[place[s]] += 1
        if reward:
            row[-1] += states[s][0]
        for p, t in states[s][1]:
            if t in place:
                row[place[t]] -= p
            elif not reward and t in target:
                row[-1] += p
        rows.append(row)
    solution = _eliminate(rows)
    values: list[Fraction | None] = []
    for s in range(size):
        if s in place:
            values.append(solution[place[s]])
        elif s in target:
            values.append(Fraction(0) if reward else Fraction(1))
        else:
            values.append(INFINITY if reward else Fraction(0))
    return values


def _eliminate(rows: list[list[Fraction]]) -> list[Fraction]:
    size = len(rows)
    for k in range(size):
        pivot = next(r for r in range(k, size) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(size):
            if r != k and rows[r][k] != 0:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


def brute_force(states: Sequence[Sequence[Choice]], maximise: np.ndarray, target: set[int], reward: bool):
    """Return the value of every state: the best over maximisers of the worst over minimisers, state by state."""
    size = len(states)
    order = (lambda x: (x is INFINITY, x or Fraction(0))) if reward else (lambda x: (False, x))
    maximisers = [s for s in range(size) if maximise[s]]
    minimisers = [s for s in range(size) if not maximise[s]]
    best: list = [None] * size
    seen = [False] * size
    for ours in itertools.product(*(range(len(states[s])) for s in maximisers)):
        worst: list = [None] * size
        first = True
        for theirs in itertools.product(*(range(len(states[s])) for s in minimisers)):
            pick = dict(zip(maximisers, ours, strict=True)) | dict(zip(minimisers, theirs, strict=True))
            values = chain_values([states[s][pick[s]] for s in range(size)], target, reward)
            worst = values if first else [min(a, b, key=order) for a, b in zip(worst, values, strict=True)]
            first = False
        for s in range(size):
            if not seen[s] or order(worst[s]) > order(best[s]):
                best[s], seen[s] = worst[s], True
    return best


def query_of(
    model: ExplicitModel, rewards: ExactNumbers, maximise: np.ndarray, reward: bool, target: set[int]
) -> Query:
    """Return the query for a set of target states."""
    mask = np.zeros(model.states, dtype=np.bool_)
    mask[list(target)] = True
    return Query("reward" if reward else "probability", mask, maximise, reward=rewards if reward else None)
