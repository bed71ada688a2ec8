"""What solves an explicit model: graph analysis, certified bounds, exact values. No module here knows a game."""

from pymc_games.engine.query import Query, Solution
from pymc_games.engine.solve import solve

__all__ = ["Query", "Solution", "solve"]
