"""``pymc-games bingo search`` and ``tournament``: the long work about Dice Bingo."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.table import Table

from pymc_games import files
from pymc_games.cli import jobs
from pymc_games.cli.output import answer_console, json_option, plot_option, progress_bar, write_json
from pymc_games.errors import UsageError
from pymc_games.games.bingo import search as searches
from pymc_games.games.bingo import tournament as tournaments
from pymc_games.games.bingo.board import CELLS, Board, parse_board, show_board
from pymc_games.jobs import Keeping
from pymc_games.report import bingo as pictures
from pymc_games.result import exact_json


@click.command()
@click.option("--top", default=10, show_default=True, help="How many classes of boards to list.")
@jobs.job_options
@json_option
def search(
    top: int, executor: str, scheduler: str | None, keep: Path | None, resume: Path | None, json_path: str | None
) -> None:
    """Find the best of all 11^9 boards, with proof: every class evaluated, the leaders in fractions.

    Example: pymc-games bingo search --top 5
    """
    place, keeping = jobs.place(executor, scheduler), jobs.keeping(keep, resume)
    with progress_bar() as progress:
        task = progress.add_task("shards")
        found = searches.search(top, place, keeping, lambda k, n: progress.update(task, completed=k, total=n))
    if json_path is not None:
        write_json(
            {
                "boards": found.boards, "classes": found.classes, "gap": exact_json(found.gap),
                "best": [
                    {"board": show_board(x.board), "boards": x.boards, "exact": exact_json(x.expected)}
                    for x in found.leaders
                ],
                "seconds": found.seconds,
            },
            json_path,
        )  # fmt: skip
        return
    table = Table("", "board", "equal boards", "expected rolls", "exactly")
    for number, leader in enumerate(found.leaders, 1):
        table.add_row(
            str(number), show_board(leader.board), str(leader.boards), f"{float(leader.expected):.12f}",
            str(leader.expected),
        )  # fmt: skip
    table.caption = (
        f"{found.boards:,} boards in {found.classes:,} classes; the best leads by {float(found.gap):.6g}; "
        f"{found.seconds:.1f} s"
    )
    answer_console().print(table)


@click.command()
@click.argument("boards", nargs=-1)
@click.option("--boards", "source", type=click.Path(path_type=Path), metavar="FILE", help="A file with a board a line.")
@click.option("--top", type=int, help="The best so many classes of boards instead of given ones.")
@click.option("--triples", default=10, show_default=True, help="How many nontransitive triples to list.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Also write all pairs as CSV.")
@jobs.job_options
@plot_option
@json_option
def tournament(
    boards: tuple[str, ...], source: Path | None, top: int | None, triples: int, output: Path | None, executor: str,
    scheduler: str | None, keep: Path | None, resume: Path | None, picture: str | None, json_path: str | None,
) -> None:  # fmt: skip
    """Play all pairs of BOARDS, and list the triples in which each board beats the next and the last the first.

    Example: pymc-games bingo tournament 8,8,9/7,6,10/7,4,5 7,7,7/7,7,7/7,7,7
    """
    given = sum((bool(boards), source is not None, top is not None))
    if given != 1 or len(boards) == 1 or (top is not None and top < 2) or triples < 1:
        raise UsageError(
            "give at least two boards, or --boards FILE, or --top N with N at least 2; --triples must be at least 1"
        )
    place, keeping = jobs.place(executor, scheduler), jobs.keeping(keep, resume)
    started = time.perf_counter()
    chosen = [parse_board(board) for board in boards] if source is None else _read(source)
    with progress_bar() as progress:
        if top is not None:
            task = progress.add_task("searching")
            # Kept beside the tournament, so that going on does not search anew.
            beside = Keeping(keeping.folder and keeping.folder / "search", keeping.resume)
            found = searches.search(top, place, beside, lambda k, n: progress.update(task, completed=k, total=n))
            chosen = [leader.board for leader in found.leaders]
        task = progress.add_task("playing")
        played = tournaments.tournament(
            chosen, "smallest", place, keeping, lambda k, n: progress.update(task, completed=k, total=n)
        )
    if output is not None:
        files.write_csv(output, played.table())
    if picture is not None:
        pictures.draw_tournament(picture, played)
    _report(played, triples, json_path, time.perf_counter() - started)


def _read(path: Path) -> list[Board]:
    """Read a board from each line that is not empty and does not begin with ``#``."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the boards in {path}: {getattr(error, 'strerror', 'it is not text')}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            try:
                found.append(parse_board(line.strip()))
            except UsageError as error:
                raise UsageError(f"{path}, line {number}: {error}") from error
    if len(found) < 2:
        raise UsageError(f"{path} has {len(found)} boards; a tournament takes at least two")
    return found


def _report(played: tournaments.Tournament, triples: int, json_path: str | None, seconds: float) -> None:
    count, best = tournaments.nontransitive(played.wins, triples)
    names = [show_board(board) for board in played.boards]
    if json_path is not None:
        write_json(
            {
                "boards": names, "wins": played.wins.tolist(), "error": tournaments.ERROR, "nontransitive": count,
                "triples": [
                    {"boards": [names[k] for k in triple.boards], "margins": list(triple.margins)} for triple in best
                ],
                "seconds": seconds,
            },
            json_path,
        )  # fmt: skip
        return
    console = answer_console()
    if len(names) <= CELLS:
        table = Table("wins against", *names)
        for name, row in zip(names, played.wins.tolist(), strict=True):
            table.add_row(name, *(f"{x:.6f}" for x in row))
        console.print(table)
    table = Table("A", "B", "C", "A over B", "B over C", "C over A", title=f"{count:,} nontransitive triples")
    for triple in best:
        table.add_row(*(names[k] for k in triple.boards), *(f"{margin:.6f}" for margin in triple.margins))
    console.print(table)
