"""Graph analysis against scipy's components and against definitions tried on every subset."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pymc_games.engine.graph import Graph
from tests.engine.oracle import brute_force, model_of, small_models


def graph_of(states):
    return Graph.of(model_of(states)[0])


def edges(states):
    return [(s, t) for s, choices in enumerate(states) for _, branches in choices for _, t in branches]


@settings(max_examples=100, deadline=None)
@given(small_models(players=False))
def test_components_are_scipys_and_come_successors_first(drawn):
    states, _ = drawn
    graph = graph_of(states)
    order, starts = graph.components(np.ones(len(states), dtype=bool))
    mine = np.empty(len(states), dtype=int)
    mine[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    sources, targets = np.array(edges(states)).T
    adjacency = coo_array((np.ones(len(sources)), (sources, targets)), shape=(len(states),) * 2)
    count, theirs = connected_components(adjacency, connection="strong")
    assert count == len(starts) - 1
    assert len({*zip(mine, theirs, strict=True)}) == count
    assert all(mine[t] <= mine[s] for s, t in edges(states))


@settings(max_examples=100, deadline=None)
@given(small_models(players=True))
def test_attractor_and_almost_sure_agree_with_values(drawn):
    states, reacher = drawn
    graph = graph_of(states)
    target = np.arange(len(states)) == 0
    truth = brute_force(states, reacher, {0}, reward=False)
    rank = graph.attractor(target, reacher)
    assert [r >= 0 for r in rank] == [v > 0 for v in truth]
    assert graph.almost_sure(target, reacher).tolist() == [v == 1 for v in truth]
    for state, choices in enumerate(states):
        if rank[state] > 0:
            closer = [any(0 <= rank[t] < rank[state] for _, t in branches) for _, branches in choices]
            assert any(closer) if reacher[state] else all(closer)


def is_end_component(states, members, chosen):
    """Whether every member keeps a chosen choice that stays, and all members reach each other by chosen choices."""
    for state in members:
        if not chosen[state] or any(t not in members for c in chosen[state] for _, t in states[state][c][1]):
            return False
    for start in members:
        reached, frontier = {start}, [start]
        while frontier:
            state = frontier.pop()
            for c in chosen[state]:
                for _, t in states[state][c][1]:
                    if t not in reached:
                        reached.add(t)
                        frontier.append(t)
        if reached != set(members):
            return False
    return True


@settings(max_examples=100, deadline=None)
@given(small_models(players=False))
def test_end_components_are_the_maximal_ones(drawn):
    states, _ = drawn
    member, internal = graph_of(states).end_components(np.ones(len(states), dtype=bool))
    found = [frozenset(np.flatnonzero(member == k).tolist()) for k in set(member.tolist()) - {-1}]
    everything = []
    for size in range(1, len(states) + 1):
        for subset in itertools.combinations(range(len(states)), size):
            staying = {s: [c for c, (_, b) in enumerate(states[s]) if all(t in subset for _, t in b)] for s in subset}
            if is_end_component(states, subset, staying):
                everything.append(frozenset(subset))
    maximal = {e for e in everything if not any(e < other for other in everything)}
    assert set(found) == maximal
    flat = [(s, branches) for s, choices in enumerate(states) for _, branches in choices]
    for choice, (state, branches) in enumerate(flat):
        stays = member[state] >= 0 and all(member[t] == member[state] for _, t in branches)
        assert internal[choice] == stays
