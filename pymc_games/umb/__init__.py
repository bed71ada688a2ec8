"""UMB archives: models in the unified Markov binary format, read and written as the arrays they are.

The format is that of https://github.com/pmc-tools/umb, version 1. Probabilities stored as doubles are read as rationals
(see `pymc_games.rationals`) and must then sum to exactly 1; probabilities stored as rationals are what they are.
"""

from __future__ import annotations

import os

from pymc_games import archive
from pymc_games.explicit import ExplicitModel
from pymc_games.umb.reader import Reader
from pymc_games.umb.writer import Writer

__all__ = ["read", "write"]


def read(path: str | os.PathLike[str], *, validate: bool = True) -> ExplicitModel:
    """Read the model in a UMB archive.

    Parameters
    ----------
    validate : bool
        Whether to check the arrays; leave it out only where better probabilities will replace those of the archive.

    Raises
    ------
    FileFormatError
        If the archive is damaged, or its arrays do not have the sizes that its index gives.
    UnsupportedError
        If the model is outside the scope: continuous time, observations, intervals, several initial states.
    ModelError
        If the arrays make no model: see `ExplicitModel.validate`.
    """
    model = Reader(str(path), archive.read(path)).model()
    if validate:
        model.validate()
    return model


def write(model: ExplicitModel, path: str | os.PathLike[str]) -> None:
    """Write a model as an uncompressed UMB archive, with rational probabilities and rewards; whole or not at all.

    Raises
    ------
    UsageError
        If the file cannot be written.
    """
    archive.write(path, Writer(model).members())
