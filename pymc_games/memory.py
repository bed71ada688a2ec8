"""How much memory there is, how much a model will take, and how much this process has used."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pymc_games import notebook, plotting
from pymc_games.errors import MemoryEstimateError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Bytes that checking a model took at its peak, measured on the games' models: libraries and compiled kernels, each
#: state, each branch; and how many times as much in rational numbers.
_PROGRAMS, _STATE, _BRANCH, _EXACT = 60_000_000, 500, 90, 3


def peak_memory_bytes() -> int:
    """Return the largest resident memory so far of this process, or of one that it started and that has ended."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak if sys.platform == "darwin" else peak * 1024


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
    """What a model takes before it is built: at most so many states, choices and branches, and about so many bytes."""

    states: int
    choices: int
    branches: int
    bytes: int

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """The counts by name."""
        return [("states", self.states), ("choices", self.choices), ("branches", self.branches)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the counts."""
        ax = plotting.bars(self.sizes, ax, meaning="at most", logarithmic=True)
        ax.set_title(f"about {gigabytes(self.bytes)}")
        return ax

    def _repr_html_(self) -> str:
        rows = [(name, f"{size:,}") for name, size in self.sizes]
        return notebook.facts("Estimate of a model", [*rows, ("memory", gigabytes(self.bytes))])

    @classmethod
    def of(cls, states: int, choices: int, branches: int) -> Estimate:
        """Return the estimate of a model that Storm builds and the engine solves, all copies of it at their peak."""
        return cls(states, choices, branches, _PROGRAMS + _STATE * states + _BRANCH * branches)

    def refuse_if_too_large(self, what: str, *, exact: bool = False, force: bool = False) -> None:
        """Refuse a model that does not fit in the memory that is left, unless forced; ``exact`` ones take more.

        Raises
        ------
        MemoryEstimateError
            With the estimate.
        """
        sizes = f"about {self.states:,} states, {self.choices:,} choices and {self.branches:,} branches"
        refuse_if_too_large(what, self.bytes * (_EXACT if exact else 1), sizes, force)


def refuse_if_too_large(what: str, needed: int, sizes: str, force: bool = False) -> None:
    """Refuse what does not fit in the memory that is left, unless forced.

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
    available = available_bytes()
    if force or available is None or needed <= available:
        return
    raise MemoryEstimateError(
        f"{what} has {sizes} and would take about {gigabytes(needed)} of memory, and {gigabytes(available)} are left; "
        "choose smaller constants, or go ahead with --force"
    )


def gigabytes(number: int) -> str:
    """Return a number of bytes in words."""
    return f"{number / 1e9:,.2f} GB" if number >= 1e7 else f"{number / 1e6:,.2f} MB"
