"""The campaign as tables: one a game, and a closing line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from pymc_games.campaign import Outcome
from pymc_games.result import Result

_LONGEST_FRACTION = 24


def figures_table(game: str, outcomes: Sequence[Outcome]) -> Table:
    """Return the table of one game's figures."""
    table = Table(title=f"Published figures: {game}", title_justify="left", expand=True)
    table.add_column("figure", overflow="fold", ratio=4)
    for heading in ("published", "native", "Storm"):
        table.add_column(heading, justify="right", overflow="fold", min_width=14, ratio=2)
    table.add_column("verdict", no_wrap=True, min_width=12)
    table.add_column("source, note", ratio=6)
    for outcome in outcomes:
        figure = outcome.figure
        claim = figure.published.text in ("true", "false")
        remark = ". ".join(text for text in (figure.source, figure.note, outcome.reason) if text)
        table.add_row(
            figure.id.removeprefix(f"{game}."),
            figure.published.text,
            answer(outcome.native, claim=claim),
            answer(outcome.storm, claim=claim),
            _verdict(outcome),
            Text(remark),
        )
    return table


def answer(result: Result | None, *, claim: bool = False) -> str:
    """Return an answer as text: a short fraction or twelve digits, the truth of a claim, a dash for none."""
    if result is None:
        return "-"
    if claim:
        return "true" if result.value else "false"
    if result.exact is not None and len(str(result.exact)) <= _LONGEST_FRACTION:
        return str(result.exact)
    return f"{result.value:.12g}"


def closing_line(outcomes: Sequence[Outcome]) -> Text:
    """Return the counts of verdicts, and what came out otherwise than expected."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    expected = sum(outcome.verdict == "differs" and outcome.as_expected for outcome in outcomes)
    known = f" ({expected} of them known not to hold)" if expected else ""
    text = f"{counts['reproduced']} reproduced, {counts['differs']} differ{known}, {counts['not run']} not run"
    surprises = [outcome.figure.id for outcome in outcomes if not outcome.as_expected]
    if surprises:
        return Text(f"{text}; not as expected: {', '.join(surprises)}", style="bold red")
    return Text(f"{text}; all as expected", style="bold green")


def _verdict(outcome: Outcome) -> Text:
    if not outcome.as_expected:
        return Text(outcome.verdict, style="bold red")
    return Text(outcome.verdict, style="green" if outcome.verdict == "reproduced" else "yellow")
