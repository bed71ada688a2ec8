"""Every chain, decision process and game that ships with stormpy, with every property it has: Storm and the engine.

``python benchmarks/examples.py`` writes ``docs/examples.md``. The models bring labels and reward models but no property
files, so the properties are: reaching each label, least and most likely, and each reward until each label, least and
most. Both sides answer exactly and are compared in every state.
"""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import stormpy.examples.files

from pymc_games.compare import Checked, Options, Session
from pymc_games.errors import GamesError
from pymc_games.loading import load_target
from pymc_games.properties import Property, parse_property

EXAMPLES = Path(stormpy.examples.files.testfile_dir)
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "examples.md"
HEAD = """# The models that ship with stormpy

Written by `python benchmarks/examples.py`: {files} files, {asked} properties. The files bring labels and reward models,
and no properties; so asked is to reach each label, least and most likely, and each reward until each label, least and
most.

Storm can answer {answered} of the properties. In {equal} of them its fractions and the engine's are equal in every
state; in {enclosed} the engine's exact method would take too long, and its bounds contain Storm's fraction in every
state. Values are those of the initial state, long fractions as decimals.

| file | type | states | property | value | states that agree |
|---|---|---|---|---|---|
"""
DIFFERS, NO_ANSWER, BOUNDS = "**differs**", "no answer by Storm", ", by bounds"
CONSTANTS = {
    "brp.pm": ["N=16,MAX=2"],
    "coin2.nm": ["K=2"],
    "firewire.nm": ["delay=3,fast=0.5"],
    "slipgrid_sketch.nm": ["V=1"],
    "wlan0_collide.nm": ["COL=2,TRANS_TIME_MAX=10"],
}


def files() -> list[Path]:
    """Return the PRISM files of the types in scope."""
    return sorted(path for folder in ("dtmc", "mdp", "smg") for path in (EXAMPLES / folder).glob("*.[pn]m"))


def properties(text: str, kind: str, players: Sequence[str]) -> list[Property]:
    """Return what can be asked about a model's labels and reward models."""
    labels = re.findall(r'^label "(\w+)"', text, re.MULTILINE)
    rewards = re.findall(r'^rewards *(?:"(\w+)")?', text, re.MULTILINE)
    optima = [""] if kind == "dtmc" else ["min", "max"]
    coalitions = [f"<<{player}>> " for player in players] if kind == "smg" else [""]
    operators = ["P", *(f'R{{"{name}"}}' if name else "R" for name in rewards)]
    return [
        parse_property(f'{coalition}{operator}{optimum}=? [ F "{label}" ]')
        for operator in operators for label in labels for optimum in optima for coalition in coalitions
    ]  # fmt: skip


def check(path: Path) -> tuple[str, int, list[Checked]]:
    """Return type and number of states of a file's model, and its properties compared.

    Raises
    ------
    GamesError
        If the model is refused.
    """
    target = load_target(str(path), CONSTANTS.get(path.name, ()))
    if target.program is None:
        return "", 0, []
    players = re.findall(r"^player +(\w+)", target.program.text, re.MULTILINE)
    asked = properties(target.program.text, target.program.type, players)
    if not asked:
        return target.program.type, 0, []
    session = Session(target, asked, Options(exact=True, fix_deadlocks=True))
    return target.program.type, session.model.states, [session.compare(prop) for prop in asked]


def rows(path: Path) -> Iterator[str]:
    """Yield the lines of the table for one file."""
    name = f"{path.name} {' '.join(CONSTANTS.get(path.name, ()))}".strip()
    try:
        kind, states, checked = check(path)
    except GamesError as error:
        yield f"| {name} | | | | refused: {str(error).partition(': ')[2]} | |"
        return
    if not checked:
        yield f"| {name} | {kind} | | none | | |"
    for one in checked:
        agreement = f"{one.states_compared:,} of {states:,}" if one.agree else DIFFERS
        if one.storm is None:
            agreement = NO_ANSWER
        elif not _is_exact(one):
            agreement += BOUNDS
        yield f"| {name} | {kind} | {states:,} | `{one.property.text}` | {_value(one)} | {agreement} |"


def _is_exact(one: Checked) -> bool:
    return one.native is not None and (one.native.exact is not None or math.isinf(one.native.value))


def _value(one: Checked) -> str:
    result = one.native
    if result is None or math.isinf(result.value):
        return "infinite"
    short = result.exact is not None and result.exact.denominator < 10**9
    return str(result.exact) if short else f"{result.value:.10g}"


def main() -> int:
    """Write the document; exit status 1 if anything differs."""
    started = time.perf_counter()
    lines: list[str] = []
    for path in files():
        lines += rows(path)
        print(f"{time.perf_counter() - started:7.1f} s  {path.name}", file=sys.stderr)
    asked = [line for line in lines if "| `" in line]
    answered = [line for line in asked if NO_ANSWER not in line]
    agreeing = [line for line in answered if DIFFERS not in line]
    enclosed = sum(BOUNDS in line for line in agreeing)
    head = HEAD.format(
        files=len(files()), asked=len(asked), answered=len(answered), equal=len(agreeing) - enclosed, enclosed=enclosed
    )  # fmt: skip
    DOCUMENT.write_text(head + "\n".join(lines) + "\n")
    return 0 if agreeing == answered else 1


if __name__ == "__main__":
    sys.exit(main())
