"""Solution files: the bounds of all turn starts, with the rules they are for.

A solution is a file of arrays as ``arrayfile`` describes, of the kind ``farkle solution``: ``lower`` and ``upper``, as
``values.Values`` has them. Its header adds

``rules``
    The rules, as in a rules file.
``sweeps``, ``changed``
    How many sweeps led to the bounds, and how many bounds the last one changed (0 at the fixpoints).

A solve that is not over keeps its bounds, which are proven at any time, in ``FILE.part``, another solution. Nothing in
a file depends on when it was made, so that a solve that was killed and went on gives the same file bit for bit.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from pymc_games import arrayfile, files
from pymc_games.errors import FileFormatError, UsageError
from pymc_games.games.farkle.rules import Rules, parse
from pymc_games.games.farkle.values import Progress, Values, solve

KIND = arrayfile.Kind("farkle solution", 1, "pymc-games farkle solve")


def save(values: Values, path: Path) -> None:
    """Write a solution, whole or not at all."""
    arrays = _arrays(values.rules)
    header: dict[str, Any] = {
        "rules": dataclasses.asdict(values.rules), "sweeps": values.sweeps, "changed": values.changed,
        "arrays": arrays,
    }  # fmt: skip
    size = arrayfile.file_size(arrays)
    arrayfile.refuse_if_too_large(path, size)
    with files.replacing(path) as beside, arrayfile.mapped(beside, size, KIND) as data:
        for entry, array in zip(arrays, (values.lower, values.upper), strict=True):
            arrayfile.view(data, entry)[...] = array
        arrayfile.write_header(data, KIND, header | arrayfile.checksums(data))


def load(path: Path, rules: Rules | None = None) -> Values:
    """Return the bounds of a solution file, mapped read-only, after comparing its checksums.

    Parameters
    ----------
    path : Path
    rules : Rules, optional
        What the solution must be for.

    Raises
    ------
    FileFormatError
        If the file is missing, no solution, damaged, or for other rules.
    """
    header = arrayfile.read_header(path, KIND)
    try:
        found = parse(header["rules"])
        sweeps, changed = int(header["sweeps"]), int(header["changed"])
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
        raise FileFormatError(f"{path}: the header says nothing that makes sense ({error}); solve anew") from error
    if header.get("arrays") != _arrays(found):
        raise FileFormatError(f"{path}: the arrays are not those of its rules; solve anew")
    if rules is not None and found != rules:
        raise FileFormatError(f"{path} is for other rules: {_differences(found, rules)}")
    data = arrayfile.map_finished(path, header)
    arrayfile.check_blocks(path, header, data)
    lower, upper = (arrayfile.view(data, entry) for entry in header["arrays"])
    return Values(found, lower, upper, sweeps, changed)


def solve_to_file(
    rules: Rules, path: Path, gap: float = 0.0, *, resume: bool = False, progress: Progress | None = None
) -> Values:
    """Solve and write the solution; the bounds are kept after each sweep, and ``resume`` goes on from them.

    Raises
    ------
    UsageError
        If there is an unfinished solve and ``resume`` is not given, or nothing to resume.
    FileFormatError
        If what is to be resumed is damaged or for other rules.
    """
    part = path.with_name(path.name + ".part")
    if part.exists() and not resume:
        raise UsageError(f"{part} is an unfinished solve; go on with --resume, or delete it")
    begun = None
    if resume:
        source = part if part.exists() else path
        if not source.exists():
            raise UsageError(f"there is no unfinished solve {part}; start one without --resume")
        begun = load(source, rules)
        begun = dataclasses.replace(begun, lower=np.array(begun.lower), upper=np.array(begun.upper))
    arrayfile.refuse_if_too_large(path, arrayfile.file_size(_arrays(rules)))
    values = solve(rules, gap, resume=begun, progress=progress, keep=lambda values: save(values, part))
    save(values, path)
    part.unlink(missing_ok=True)
    return values


def _arrays(rules: Rules) -> list[dict[str, Any]]:
    shape = (rules.farkles, rules.farkles, rules.scores, rules.scores)
    return arrayfile.layout({"lower": ("<f8", shape), "upper": ("<f8", shape)})


def _differences(found: Rules, wanted: Rules) -> str:
    """Name the rules that differ, with both values."""
    pairs = [
        (field.name, getattr(found, field.name), getattr(wanted, field.name)) for field in dataclasses.fields(Rules)
    ]
    return ", ".join(f"{name} is {theirs}, not {ours}" for name, theirs, ours in pairs if theirs != ours)
