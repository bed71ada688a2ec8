"""``pymc-games bearoff``: one side, races, the cube, and tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from pymc_games.cli.output import json_option, progress_console, write_json
from pymc_games.games.bearoff import positions

if TYPE_CHECKING:
    from pymc_games.games.bearoff.advice import Advice

# A position with a negative count starts with '-': let it reach the check that says what is wrong with it.
COUNTS_MAY_BE_NEGATIVE = {"ignore_unknown_options": True}


@click.group()
def bearoff() -> None:
    """Backgammon bearoff. A position is six counts, the ace point first: 0,0,0,0,2,3."""


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.option("--exact", is_flag=True, help="JSON: give the distribution as exact counts of dice sequences, too.")
@click.option("--within", type=click.IntRange(1, 46), metavar="K", help="Also play for being off within K rolls.")
@json_option
def solo(position: str, exact: bool, within: int | None, json_path: str | None) -> None:
    """Solve POSITION for the fewest expected rolls.

    Example: pymc-games bearoff solo 0,0,0,0,0,2
    """
    from pymc_games.games.bearoff import summary

    counts = positions.parse(position)
    found = summary.solo(counts)
    document = found.to_json(exact=exact)
    if within is not None:
        document["most_likely_off"] = summary.most_likely_off(counts, within)
    if json_path is not None:
        write_json(document, json_path)
        return
    console = Console()
    console.print(f"{position}: {found.pips} pips, {found.effective_pips:.4f} effective pips")
    console.print(f"expected rolls {found.expected_rolls.value:.9f} = {found.expected_rolls.exact}")
    console.print(f"variance {float(found.variance):.9f}")
    table = Table("rolls", "probability", "off by then")
    so_far = 0.0
    for rolls, probability in enumerate(found.pmf):
        so_far += float(probability)
        if probability:
            table.add_row(str(rolls), f"{float(probability):.9f}", f"{so_far:.9f}")
    console.print(table)
    console.print(_plays_table("best play", found.best_moves))
    if within is not None:
        likely = document["most_likely_off"]
        console.print(
            f"off within {within} rolls with probability {likely['probability']['value']:.9f} when playing for that"
        )
        console.print(_plays_table("play", likely["best_moves"]))


def _plays_table(title: str, best_moves: dict[str, dict[str, str]]) -> Table:
    table = Table("roll", title, "leaves")
    for roll, move in best_moves.items():
        table.add_row(roll, move["play"], move["after"])
    return table


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.argument("opponent")
@click.option("--table", type=click.Path(path_type=Path), help="A two-sided table to take the optimum from.")
@json_option
def race(position: str, opponent: str, table: Path | None, json_path: str | None) -> None:
    """Win probability of POSITION, on roll, against OPPONENT.

    Pairs too many to solve on demand get proven bounds on the optimum, unless a table is given.

    Example: pymc-games bearoff race 0,0,0,0,0,2 0,0,0,0,1,1
    """
    from pymc_games.games.bearoff import summary, tables

    solved = None if table is None else tables.open_table(table)
    document = summary.race(positions.parse(position), positions.parse(opponent), solved).to_json()
    if json_path is not None:
        write_json(document, json_path)
        return
    console = Console()
    rows = Table("", "win probability", "between", "and")
    for name in ("independent", "optimal", "independent_off_roll"):
        result = document[name]
        rows.add_row(
            name.replace("_", " "), f"{result['value']:.9f}", f"{result['lower']:.12f}", f"{result['upper']:.12f}"
        )
    console.print(rows)
    rules = document["heuristics"]
    effective = " against ".join(f"{pips:.4f}" for pips in rules["effective_pips"])
    console.print(f"pips {document['pips'][0]} against {document['pips'][1]}, effective pips {effective}")
    console.print(f"Kleinman: {rules['kleinman']['win_probability']:.6f}")
    advice = Table("rule", "count", "other", "double", "redouble", "take")
    for name in ("keith", "ward", "thorp", "8-9-12"):
        answers = ("yes" if rules[name][key] else "no" for key in ("double", "redouble", "take"))
        advice.add_row(name, f"{rules[name]['own']:.1f}", f"{rules[name]['other']:.1f}", *answers)
    console.print(advice)


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.argument("opponent")
@click.option("--roll", required=True, help="The two dice: 5-2.")
@json_option
def advise(position: str, opponent: str, roll: str, json_path: str | None) -> None:
    """Say which play of a roll wins most often against OPPONENT, and what each play is worth.

    Pairs too many to solve on demand get proven bounds on each play.

    Example: pymc-games bearoff advise 0,0,0,0,1,2 0,0,0,1,1,1 --roll 5-2
    """
    from pymc_games.games.bearoff import advice, moves

    dice = moves.parse_roll(roll)
    found = advice.advise(positions.parse(position), positions.parse(opponent), dice)
    if json_path is not None:
        write_json(found.to_json(), json_path)
        return
    console = Console()
    console.print(f"{position} against {opponent}, roll {dice[0]}-{dice[1]}: [bold]{found.action}[/bold]")
    table = Table("play", "leaves", "wins")
    for option in found.options:
        error = f"{option.win.width / 2:.1e}"
        table.add_row(option.text, positions.show(option.after), f"{option.win.value:.9f} (± {error})")
    console.print(table)
    console.print(_lead(found))


def _lead(found: Advice) -> str:
    """Say by how much the best play is ahead of the next, or that the bounds do not tell."""
    if found.margin is None:
        return "the only play"
    if found.margin.lower <= 0:
        return f"the bounds cannot tell it from {found.options[1].text}"
    return f"ahead of {found.options[1].text} by {found.margin.value:.9f}"


@bearoff.command(context_settings=COUNTS_MAY_BE_NEGATIVE)
@click.argument("position")
@click.argument("opponent")
@json_option
def cube(position: str, opponent: str, json_path: str | None) -> None:
    """Money equities and cube action of POSITION, on roll, against OPPONENT.

    Example: pymc-games bearoff cube 0,0,0,0,0,2 0,0,0,0,1,1
    """
    from pymc_games.games.bearoff import cube as cubes

    found = cubes.solve(positions.parse(position), positions.parse(opponent))
    if json_path is not None:
        write_json(found.to_json(), json_path)
        return
    table = Table("cube", "equity", "between", "and")
    for name, result in found.equities.items():
        table.add_row(name.replace(", ", "_"), f"{result.value:.9f}", f"{result.lower:.15f}", f"{result.upper:.15f}")
    console = Console()
    console.print(table)
    console.print(f"centred: {found.action}; owned: {found.redouble_action}")


@bearoff.command()
@click.option(
    "--checkers", type=click.IntRange(1, positions.MAX_CHECKERS), default=positions.MAX_CHECKERS, show_default=True
)
@click.option("--two-sided", is_flag=True, help="Win probabilities of all pairs, not one side.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where to write the table.")
@click.option("--resume", is_flag=True, help="Go on with an unfinished two-sided build.")
@json_option
def build(checkers: int, two_sided: bool, output: Path | None, resume: bool, json_path: str | None) -> None:
    """Build a table of all positions: one side, or with --two-sided all pairs.

    Example: pymc-games bearoff build --checkers 6 -o six.table
    """
    from rich.progress import Progress

    from pymc_games.games.bearoff import tables

    if resume and not two_sided:
        raise click.UsageError("--resume goes on with a two-sided build; give --two-sided as well")
    path = output or Path(f"bearoff-{'two' if two_sided else 'one'}-sided-{checkers}.table")
    with Progress(console=progress_console, transient=True, disable=not two_sided) as bar:
        task = bar.add_task("levels of pips", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        report = tables.build(checkers, path, two_sided=two_sided, resume=resume, progress=advance)
    if json_path is not None:
        write_json(report, json_path)
        return
    Console().print(
        f"{path}: {report['positions']:,} positions, {report['pairs']:,} pairs, {report['seconds']:.1f} s, "
        f"{report['peak_memory_bytes'] / 1e9:.2f} GB of memory"
    )


@bearoff.command()
@click.option("--checkers", type=click.IntRange(1, 8), default=4, show_default=True, help="At most so many a side.")
@click.option(
    "--least-pips", type=click.IntRange(1), default=1, show_default=True, help="Rules: at least so many a side."
)
@json_option
def analyse(checkers: int, least_pips: int, json_path: str | None) -> None:
    """Where solo play, the closed form and rules of thumb are worst against the truth.

    Example: pymc-games bearoff analyse --checkers 4
    """
    from pymc_games.games.bearoff import analysis

    own, other, gap = analysis.worst_closed_form(checkers)
    play, rules = analysis.worst_play(checkers), analysis.worst_of_rules(checkers, least_pips)
    if json_path is not None:
        closed_form = {"own": own, "other": other, "gap": gap}
        cases = [asdict(case) for case in rules]
        write_json({"closed_form": closed_form, "play": asdict(play), "rules": cases}, json_path)
        return
    show = positions.show
    console = Console()
    console.print(f"closed form: {gap:+.6f} to the optimum at {show(own)} against {show(other)}")
    console.print(
        f"solo play: {play.cost:.6f} lost at {show(play.own)} against {show(play.other)}, "
        f"roll {play.roll[0]}-{play.roll[1]}: {show(play.best_play)} and not {show(play.solo_play)}"
    )
    table = Table("rule", "own", "other", "error", "says", "truth")
    for case in rules:
        table.add_row(case.rule, show(case.own), show(case.other), f"{case.error:.6f}", case.says, case.truth)
    console.print(table)


@bearoff.command("last-roll")
@json_option
def last_roll(json_path: str | None) -> None:
    """Cube actions with one or two checkers left when the opponent is off at the next roll.

    Example: pymc-games bearoff last-roll
    """
    from pymc_games.games.bearoff import cube as cubes

    found = cubes.last_rolls()
    if json_path is not None:
        rows = [
            {"position": positions.show(p), "win": (1 + d.cubeless.value) / 2, "action": d.action}
            for p, d in found.items()
        ]
        write_json({"positions": rows}, json_path)
        return
    table = Table("position", "wins in 36", "cube")
    for position, decision in found.items():
        table.add_row(positions.show(position), f"{18 * (1 + decision.cubeless.value):.0f}", decision.action)
    Console().print(table)
