"""How much memory there is, how much a model will take, and how much this process has used."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pymc_games import notebook, plotting
from pymc_games.errors import MemoryEstimateError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bytes that checking a model takes at its peak, measured on models of every kind: compiled kernels, each state, each
#: branch; how many times as much in rational numbers; and each state once more that Python rules explore one by one.
_PROGRAMS, _STATE, _BRANCH, _EXACT, _BY_RULES = 60_000_000, 200, 100, 6, 700
#: A model that has filled so much of the memory when there are still states to explore is not explored further.
_FULL = 0.9

_unlimited: ContextVar[bool] = ContextVar("unlimited", default=False)


def peak_memory_bytes() -> int:
    """Return the largest resident memory so far of this process, or of one that it started and that has ended."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def unlimited() -> Iterator[None]:
    """Build whatever is asked for within this block, even what by its estimate does not fit."""
    token = _unlimited.set(True)
    try:
        yield
    finally:
        _unlimited.reset(token)


def room() -> int | None:
    """Return how many bytes may be taken: those available; ``None`` within `unlimited`, or if nobody knows."""
    return None if _unlimited.get() else available_bytes()


def available_bytes() -> int | None:
    """Return how much memory can be used without swapping; ``None`` where the system does not say.

    The smaller one of what the machine has left and what a Linux control group leaves of its limit.
    """
    found = [_machine(), *map(_group, _groups())]
    return min((number for number in found if number is not None), default=None)


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _groups() -> list[Path]:
    """Return the folders of this process's control group and of those around it."""
    root = Path("/sys/fs/cgroup")
    try:
        own = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        return [root]
    folder = root / own.removeprefix("0::").strip("/")
    return [folder, *(outer for outer in folder.parents if outer.is_relative_to(root))]


def _group(folder: Path) -> int | None:
    try:
        limit, used = ((folder / name).read_text("ascii").strip() for name in ("memory.max", "memory.current"))
        cache = dict(line.split() for line in (folder / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):
        return None
    # Files in the cache count as used, and are dropped when memory is short.
    return None if limit == "max" else max(int(limit) - int(used) + int(cache.get("inactive_file", 0)), 0)


@dataclass(frozen=True)
class Estimate:
    """How large a model is, before it is built.

    Attributes
    ----------
    states, choices, branches : int
        Their numbers, or bounds on them.
    one_by_one : bool
        Whether Python rules explore the states one by one, which takes more than arrays do.
    """

    states: int
    choices: int
    branches: int
    one_by_one: bool = False

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """The counts by name."""
        return [("states", self.states), ("choices", self.choices), ("branches", self.branches)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the counts."""
        ax = plotting.bars(self.sizes, ax, meaning="at most", logarithmic=True)
        ax.set_title(f"about {gigabytes(self.bytes())}")
        return ax

    def _repr_html_(self) -> str:
        rows = [(name, f"{size:,}") for name, size in self.sizes]
        return notebook.facts("Estimate of a model", [*rows, ("memory", gigabytes(self.bytes()))])

    def bytes(self, *, exact: bool = False) -> int:
        """Return about how much memory checking it takes, all copies of it at their peak; ``exact`` ones take more."""
        by_rules = _BY_RULES * self.states if self.one_by_one else 0
        return _PROGRAMS + by_rules + (_EXACT if exact else 1) * (_STATE * self.states + _BRANCH * self.branches)

    def refuse_if_too_large(self, what: str, *, exact: bool = False) -> None:
        """Refuse a model that does not fit in the memory that is left.

        Raises
        ------
        MemoryEstimateError
            With the estimate.
        """
        sizes = f"about {self.states:,} states, {self.choices:,} choices and {self.branches:,} branches"
        refuse_if_too_large(what, self.bytes(exact=exact), sizes)


def refuse_if_too_large(what: str, needed: int, sizes: str) -> None:
    """Refuse what does not fit in the memory that is left.

    Parameters
    ----------
    what : str
        What is about to be built or solved.
    needed : int
        Bytes it takes by the estimate.
    sizes : str
        The counts that the estimate is from.

    Raises
    ------
    MemoryEstimateError
        With the estimate.
    """
    left = room()
    if left is not None and needed > left:
        raise MemoryEstimateError(
            f"{what} has {sizes} and would take about {gigabytes(needed)} of memory, and {gigabytes(left)} are left; "
            "choose smaller constants, or go ahead with --force"
        )


class Growth:
    """What a model that is being explored may grow to.

    Parameters
    ----------
    what : str
        The model.
    exact, one_by_one : bool
        Whether it is in rational numbers, and explored by Python rules; see `Estimate`.
    """

    def __init__(self, what: str, *, exact: bool = False, one_by_one: bool = False) -> None:
        self._what, self._exact, self._one_by_one = what, exact, one_by_one
        self._room = room()

    @property
    def bounded(self) -> bool:
        """Whether there is a bound at all."""
        return self._room is not None

    def refuse_if_too_large(self, states: int, explored: int, choices: int, branches: int) -> int:
        """Return how many states would fit if all were like those so far; refuse if hardly more than there are.

        Parameters
        ----------
        states, explored, choices, branches : int
            States met so far, and how many of them are explored, with their choices and branches.

        Raises
        ------
        MemoryEstimateError
            With the numbers so far.
        """
        if self._room is None:
            return sys.maxsize
        choices, branches = (number * states // explored for number in (choices, branches))
        needed = Estimate(states, choices, branches, self._one_by_one).bytes(exact=self._exact)
        fit = int(states * (self._room - _PROGRAMS) / (needed - _PROGRAMS))
        if states < _FULL * fit:
            return fit
        raise MemoryEstimateError(
            f"{self._what} has more than {states:,} states; so many, with {choices:,} choices and {branches:,} "
            f"branches, would take about {gigabytes(needed)} of memory, and {gigabytes(self._room)} were left; "
            "choose smaller constants, or go ahead with --force"
        )


def gigabytes(number: int) -> str:
    """Return a number of bytes in words."""
    return f"{number / 1e9:,.2f} GB" if number >= 1e7 else f"{number / 1e6:,.2f} MB"
