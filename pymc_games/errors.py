"""The package's own exceptions: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GamesError(Exception):
    """Base of every error that the command line reports in one sentence, with exit status 2."""


class UsageError(GamesError):
    """A request that makes no sense: an unknown game, a bad constant, a position off the board."""


class ModelError(GamesError):
    """A model that cannot be used: a file that is not one, a row that does not sum to 1, a deadlock."""


class PropertyError(GamesError):
    """A property that is malformed, or that names something the model does not have."""


class UnsupportedError(GamesError):
    """A model or property outside the scope of the checker that was asked."""


class TemplateError(GamesError):
    """A template that is missing, malformed, or reaches for something it may not have."""


class StormError(GamesError):
    """Storm refused, failed, or gave no answer."""


class CertificateError(GamesError):
    """A certificate that cannot be written for, or does not belong to, a model."""


class FileFormatError(GamesError):
    """A table, solution or archive that is truncated, corrupt or of another version."""


class WorkError(GamesError):
    """Work that was lost: a process, a worker or a scheduler died."""


class MemoryEstimateError(GamesError):
    """A model or table that would not fit in memory."""


class PluginError(GamesError):
    """A game from outside the package that cannot be used: its module raises, has no game, or its name is taken."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    return next(iter(difflib.get_close_matches(name, list(known), 1)), None)


def hint(name: str, known: Iterable[str], otherwise: str = "there are") -> str:
    """Return what to say after an unknown name: 'did you mean pig?', or else all names that there are."""
    names = list(known)
    near = nearest(name, names)
    return f"did you mean {near}?" if near else f"{otherwise} {', '.join(names) or 'none'}"
