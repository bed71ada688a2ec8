"""What was measured, and the tables of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Whatever else is measured for a task is compared with this.
OURS = "ours"


@dataclass(frozen=True)
class Record:
    """A task done once by somebody.

    Attributes
    ----------
    task, by : str
    seconds : float or None
        Least of several runs; None where ``by`` is not installed.
    memory : float or None
        Peak while solving, in units of the bytes of the model's arrays.
    states, sweeps : int or None
        What was evaluated, and how often each, where there are no peers and the rate matters.
    """

    task: str
    by: str
    seconds: float | None
    memory: float | None = None
    states: int | None = None
    sweeps: int | None = None


def records(document: Mapping[str, Any]) -> list[Record]:
    """Return the records in a document of pytest-benchmark's, in the order of their tasks."""
    found = []
    for entry in document["benchmarks"]:
        information = entry["extra_info"]
        seconds = entry["stats"]["min"] * information["scale"]
        more = {name: information.get(name) for name in ("memory", "states", "sweeps")}
        found.append(Record(entry["group"], information["by"], seconds, **more))
    return found + [Record(entry["task"], entry["by"], None) for entry in document["absent"]]


def table(found: Sequence[Record]) -> str:
    """Return a Markdown table with a line for each record, a task's own first, without those of `rates`.

    The last column is a peer's time divided by ours: how many times faster we are.

    Raises
    ------
    ValueError
        If a task was not measured for us.
    """
    lines = ["| task | by | seconds | memory / model | ratio |", "|---|---|---:|---:|---:|"]
    for task in dict.fromkeys(record.task for record in found if record.states is None):
        group = sorted((record for record in found if record.task == task), key=lambda record: record.by != OURS)
        ours = group[0].seconds
        if group[0].by != OURS or ours is None:
            raise ValueError(f"{task}: ours is not among the times")
        lines += [_line(record, record.task if record is group[0] else "", ours) for record in group]
    return "\n".join(lines)


def rates(found: Sequence[Record]) -> str:
    """Return a Markdown table of states evaluated a second: states times sweeps, divided by the time."""
    lines = ["| task | states | sweeps | seconds | million states a second |", "|---|---:|---:|---:|---:|"]
    for record in found:
        if record.states is not None and record.sweeps is not None and record.seconds is not None:
            rate = digits(record.states * record.sweeps / record.seconds / 1e6)
            lines.append(f"| {record.task} | {record.states:,} | {record.sweeps} | {digits(record.seconds)} | {rate} |")
    return "\n".join(lines)


def _line(record: Record, task: str, ours: float) -> str:
    if record.seconds is None:
        seconds, ratio = "absent", ""
    else:
        seconds, ratio = digits(record.seconds), "" if record.by == OURS else digits(record.seconds / ours)
    memory = "" if record.memory is None else f"{record.memory:.1f}"
    task = task.replace("|", "\\|")
    return f"| {task} | {record.by} | {seconds} | {memory} | {ratio} |"


def digits(number: float) -> str:
    """Return a positive number with three significant digits, large ones with separators: 0.00123, 1.23, 12,300."""
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:#.3g}" if rounded >= 1e-3 else f"{rounded:.2e}"


def absent(found: Sequence[Record]) -> Iterator[str]:
    """Yield the names of the peers that were not there, each once."""
    yield from dict.fromkeys(record.by for record in found if record.seconds is None)
