"""How answers and verdicts read."""

import io
import math
from fractions import Fraction

import pytest
from rich.console import Console

from pymc_games.campaign import Figure, Outcome, Verdict
from pymc_games.published import Published
from pymc_games.report.campaign import answer, closing_line, figures_table
from pymc_games.result import Result


def exactly(number: Fraction | int) -> Result:
    return Result.from_exact(Fraction(number), method="exact")


@pytest.mark.parametrize(
    ("result", "claim", "text"),
    [
        (None, False, "-"),
        (exactly(Fraction(4, 7)), False, "4/7"),
        (exactly(Fraction(1, 3**60)), False, "2.35898248759e-29"),
        (Result(0.5305927252737, 0.5305927252736, 0.5305927252738), False, "0.530592725274"),
        (Result(math.inf, math.inf, math.inf), False, "inf"),
        (exactly(1), True, "true"),
        (exactly(0), True, "false"),
    ],
)
def test_answers(result: Result | None, claim: bool, text: str) -> None:
    assert answer(result, claim=claim) == text


def outcome(name: str, verdict: Verdict, *, expected: bool, reason: str = "") -> Outcome:
    figure = Figure("pig", name, "A [book]", Published.parse("0.5"), note="of old")
    return Outcome(figure, exactly(Fraction(1, 2)), None, verdict, expected, reason)


def test_a_table_shows_source_note_and_reason_as_they_are_written() -> None:
    console = Console(file=io.StringIO(), width=140)
    console.print(figures_table("pig", [outcome("pig.half", "not run", expected=False, reason="no time")]))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for word in ("half", "0.5", "1/2", "not run", "A [book]. of old. no time"):
        assert word in text


def test_the_closing_line_counts_and_names_surprises() -> None:
    good = [outcome("a", "reproduced", expected=True), outcome("b", "differs", expected=True)]
    assert (
        closing_line(good).plain == "1 reproduced, 1 differ (1 of them known not to hold), 0 not run; all as expected"
    )
    bad = [*good, outcome("c", "differs", expected=False)]
    assert closing_line(bad).plain.endswith("not as expected: c")
