"""A table of Farkle's value over rules and bounds on the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from pymc_games import executors, jobs
from pymc_games.games.farkle import values
from pymc_games.games.farkle.rules import Rules
from pymc_games.study import Study

Shard = tuple[str, Rules, float]


def study(
    cases: Iterable[tuple[str, Rules]],
    gap: float = 0.0,
    place: executors.Place | str = "local",
    keeping: jobs.Keeping | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Solve the game for two under every set of rules, given with its name; a row each, in their order.

    Returns
    -------
    Study
        A list of dict:
        ``rules``, ``goal``, ``bound``, ``states``, the first player's chance as ``value``, ``lower`` and ``upper``,
        ``sweeps``, and ``gap``, the widest at any turn's start.

    Raises
    ------
    UsageError
        If the folder cannot be used, see `jobs.run`.
    WorkError
        If a process, a worker or the scheduler died.
    """
    shards: list[Shard] = [(name, rules, gap) for name, rules in cases]
    inputs = {"gap": gap, "rules": [{"name": name, **asdict(rules)} for name, rules, _ in shards]}
    rows = jobs.run(jobs.Job("a study of Farkle", inputs, row, shards), place, keeping, progress)
    return Study(rows, title="The first player's chance in Farkle", across="bound", by=("rules", "goal"))


def row(shard: Shard) -> dict[str, Any]:
    """Return the row of one set of rules."""
    name, rules, gap = shard
    solved = values.solve(rules, gap)
    start = solved.at(0, 0)
    return {
        "rules": name, "goal": rules.goal, "bound": rules.bound, "states": rules.states(), "value": start.value,
        "lower": start.lower, "upper": start.upper, "sweeps": solved.sweeps, "gap": solved.gap,
    }  # fmt: skip
