"""A table of Pig's value over goals and dice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from pymc_games import executors, jobs
from pymc_games.games.pig import values
from pymc_games.games.pig.rules import Rules
from pymc_games.study import Study


def study(
    goals: Iterable[int],
    dice: Iterable[int],
    bust: int = 1,
    place: executors.Place | str = "local",
    keeping: jobs.Keeping | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Solve the game for every goal with every die; a row each, goal by goal.

    Returns
    -------
    Study
        A list of dict:
        ``goal``, ``die``, ``bust``, ``states``, the first player's chance as ``value``, ``lower`` and ``upper``,
        ``residual``, ``sweeps``, and ``hold_at_start``, the least turn total at which to hold at the start.

    Raises
    ------
    UsageError
        If there are no such rules, or the folder cannot be used, see `jobs.run`.
    WorkError
        If a process, a worker or the scheduler died.
    """
    shards = [(goal, die, bust) for goal, die in itertools.product(goals, dice)]
    for shard in shards:
        Rules(*shard)  # refused before anything is solved
    job = jobs.Job("a study of Pig", {"goal, die, bust": shards}, row, shards)
    rows = jobs.run(job, place, keeping, progress)
    return Study(rows, title="The first player's chance in Pig", across="goal", by=("die", "bust"))


def row(shard: tuple[int, int, int]) -> dict[str, Any]:
    """Return the row of one goal, die and bust face."""
    rules = Rules(*shard)
    duel = values.solve(rules)
    start = duel.start()
    return {
        "goal": rules.goal, "die": rules.die, "bust": rules.bust, "states": int(values.reachable(rules).sum()),
        "value": start.value, "lower": start.lower, "upper": start.upper, "residual": duel.residual,
        "sweeps": duel.value.sweeps, "hold_at_start": values.first_hold(values.best_policy(duel), 0, 0),
    }  # fmt: skip
