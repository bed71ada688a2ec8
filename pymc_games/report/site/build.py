"""The site as a whole: its pages in one folder, which appears at once or not at all."""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymc_games import files, games
from pymc_games.campaign import Outcome
from pymc_games.errors import UsageError
from pymc_games.games.base import Game
from pymc_games.report import pages
from pymc_games.report.campaign import answer, closing_line
from pymc_games.report.pages import Page
from pymc_games.report.site import evidence, highlight, svg
from pymc_games.report.site.evidence import Model, Started
from pymc_games.result import Result

#: Games with pictures: the module whose ``context`` says what the template of the game's name shows.
PICTURES = {name: f"pymc_games.report.site.{name}" for name in ("bearoff", "bingo", "farkle", "pig")}

#: Names all files of a report; a folder with other files in it is never replaced.
MANIFEST = "report.json"
SCRIPTS = ("ask.js", "ask-bearoff.js", "ask-pig.js", "bingo.js", "stepper.js")


@dataclass(frozen=True)
class Findings:
    """What a game's page shows."""

    game: Game
    models: Sequence[Model]
    outcomes: Sequence[Outcome]
    pictures: Mapping[str, Any]

    @property
    def href(self) -> str:
        """The page's file name."""
        return f"{self.game.name}.html"

    @property
    def compared(self) -> int:
        """How many answers were compared."""
        return sum(checked.states_compared for model in self.models for checked, _ in model.answers)

    @property
    def sound(self) -> bool:
        """Whether all answers agree, those behind the pictures too, and every figure came out as expected."""
        agree = all(model.sound for model in self.models) and self.pictures.get("sound", True)
        return agree and all(one.as_expected for one in self.outcomes)

    def summary(self) -> dict[str, Any]:
        """Return what the first page says of the game."""
        verdicts = [outcome.verdict for outcome in self.outcomes]
        return {
            "game": self.game, "href": self.href, "models": len(self.models), "compared": self.compared,
            "sound": self.sound, "reproduced": verdicts.count("reproduced"), "differ": verdicts.count("differs"),
        }  # fmt: skip


def build(
    folder: str | os.PathLike[str],
    names: Sequence[str],
    *,
    quick: bool,
    started: Started,
    arguments: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Findings]:
    """Write the report on some games to ``folder`` and return what was found.

    Parameters
    ----------
    folder : path
        Created, or replaced if it holds a report and nothing else.
    names : sequence of str
        The games, in the order of the navigation.
    quick : bool
        Whether to leave out the figures that take long.
    started : callable
        Told what is done next.
    arguments : mapping, optional
        What the pictures of a game are given, by game.

    Raises
    ------
    UsageError
        If a game does not exist, or the folder is not to be replaced or cannot be written.
    """
    chosen = [games.get(name) for name in names]
    with files.replacing_folder(folder, _refuse_foreign) as beside:
        found = []
        for game in chosen:
            models = list(evidence.models(game, beside, started))
            outcomes = evidence.figures(game, quick=quick, started=started)
            started(f"{game.name}: the pictures")
            pictures = _pictures(game, beside, (arguments or {}).get(game.name, {}))
            found.append(Findings(game, models, outcomes, pictures))
        _write_pages(beside, found)
    return found


def _pictures(game: Game, folder: Path, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the template of a game shows beside the evidence, and write the data behind it as CSV."""
    if game.name not in PICTURES:
        return {}
    pictures = importlib.import_module(PICTURES[game.name]).context(**arguments)
    data = files.make_folder(folder / "data")
    for name, rows in pictures["tables"].items():
        files.write_csv(data / f"{game.name}-{name}.csv", rows)
    return dict(pictures)


def _write_pages(folder: Path, found: Sequence[Findings]) -> None:
    """Write the pages, their style and scripts, and the list of all files."""
    environment = pages.environment()
    environment.filters |= {"prism": highlight.prism, "answer": _interval, "figure_answer": _figure_answer}
    listed = [Page("index.html", "Games"), *(Page(one.href, one.game.title) for one in found)]
    for name in (*pages.ASSETS, *SCRIPTS):
        shutil.copyfile(pages.FOLDER / name, folder / name)
    entries = [one.summary() for one in found]
    (folder / "index.html").write_text(pages.render("index.html", listed, "index.html", entries=entries), "utf-8")
    for one in found:
        template = one.href if one.game.name in PICTURES else "game.html"
        closing = closing_line(one.outcomes).plain
        page = pages.render(
            template, listed, one.href, game=one.game, models=one.models, outcomes=one.outcomes, closing=closing,
            **one.pictures,
        )  # fmt: skip
        (folder / one.href).write_text(page, "utf-8")
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    (folder / MANIFEST).write_text(json.dumps({"files": written}, indent=2) + "\n", "utf-8")


def _refuse_foreign(target: Path) -> None:
    """Refuse a target that holds anything but a report."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"{target} is a file; give a folder for the report")
    present = {path.relative_to(target).as_posix() for path in target.rglob("*") if not path.is_dir()}
    foreign = sorted(present - _manifest(target))
    if foreign:
        raise UsageError(
            f"{target} is not a report alone: {foreign[0]} was not written by one; "
            "choose another folder or an empty one"
        )


def _manifest(folder: Path) -> set[str]:
    """Return the files of a report, its list included; none where there is no list."""
    try:
        listed = json.loads((folder / MANIFEST).read_text("utf-8"))["files"]
        return {MANIFEST, *(str(name) for name in listed)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _interval(result: Result) -> str:
    """Return an answer with its error: digits, and half the width of the interval."""
    if result.exact is not None or not result.width > 0:
        return answer(result)
    return f"{answer(result)} ± {svg.power(result.width / 2)}"


def _figure_answer(outcome: Outcome, side: str) -> str:
    """Return one side's answer to a published figure."""
    result: Result | None = outcome.native if side == "native" else outcome.storm
    return answer(result, claim=outcome.figure.published.text in ("true", "false"))
