"""Model checking for games: rules in; PRISM models, two answers and a proof out."""

__version__ = "0.1.0"
