"""The end-to-end comparison of a game as one table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from pymc_games.pipeline import Comparison, settled
from pymc_games.report.campaign import answer


def comparison_table(title: str, comparisons: Sequence[Comparison]) -> Table:
    """Return the table: a row for each property of each model."""
    table = Table(title=title, title_justify="left")
    for heading in ("model", "property"):
        table.add_column(heading, overflow="fold")
    for heading in ("Storm", "engine", "states compared", "largest difference", "residual"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("agree")
    for comparison in comparisons:
        model = comparison.model
        sizes = f"{model['name']}: {model['type']}, {model['states']:,} states, {model['branches']:,} branches"
        for place, one in enumerate(comparison.checked):
            residual = None if one.native is None else one.native.residual
            good = one.agree and settled(one.native)
            table.add_row(
                sizes if place == 0 else "",
                Text(one.property.text),
                answer(one.storm),
                answer(one.native),
                f"{one.states_compared:,}",
                f"{one.max_difference:.1e}" if one.max_difference else "0",
                "-" if residual is None else f"{residual:g}",
                Text("yes", style="green") if good else Text("NO", style="bold red"),
            )
    return table


def closing_line(comparisons: Sequence[Comparison]) -> Text:
    """Return what the comparison shows, in a sentence."""
    states = sum(one.states_compared for comparison in comparisons for one in comparison.checked)
    wrong = [str(comparison.model["name"]) for comparison in comparisons if not comparison.sound]
    if wrong:
        return Text(f"not all agrees or is settled: {', '.join(wrong)}", style="bold red")
    return Text(f"{states:,} answers compared: all agree, and one more backup changes none (residual 0)", style="green")
