"""The campaign: published figures, each against the game's own solver and, where a model is given, against Storm.

Every ``verify/figures/<game>.toml`` holds the figures of one game::

    game = "pig"

    [[figure]]
    id = "pig.first-player"
    source = "Neller & Presser, UMAP Journal 25(1), 2004"
    published = "0.530593"
    native = "first_player"
    arguments = { goal = 100 }
    storm = { model = "mdp", property = 'Pmax=? [ F "win1" ]' }

``native`` names a function of ``pymc_games.games.<game>.figures``. A figure that is known not to hold says so with
``holds = false`` and a ``note``; the campaign then expects it to differ.
"""

from __future__ import annotations

import inspect
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pymc_games import games, notebook, plotting
from pymc_games.errors import FileFormatError, GamesError, UsageError, hint
from pymc_games.games.base import as_text
from pymc_games.games.plugins import FIGURES
from pymc_games.paths import data_folder
from pymc_games.published import Published
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Verdict = Literal["reproduced", "differs", "not run"]

_FIGURE_KEYS: Mapping[str, type] = {
    "id": str, "source": str, "published": str, "native": str, "arguments": dict, "storm": dict, "long": bool,
    "holds": bool, "tolerance": str, "note": str,
}  # fmt: skip
_STORM_KEYS: Mapping[str, type] = {"model": str, "property": str, "constants": dict, "exact": bool}

# Storm may answer with bounds that say next to nothing; agreement with such bounds is worth nothing either.
_WIDEST = 1e-3


@dataclass(frozen=True)
class StormQuery:
    """A property of a rendered model, for Storm."""

    model: str
    property: str
    constants: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False


@dataclass(frozen=True)
class Figure:
    """One published figure: where it stands, what is printed there, and who can compute it."""

    game: str
    id: str
    source: str
    published: Published
    native: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    storm: StormQuery | None = None
    long: bool = False
    holds: bool = True
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a figure.

    Attributes
    ----------
    native, storm : Result or None
        The two answers; ``None`` where there is nothing to ask or the question failed.
    verdict : {'reproduced', 'differs', 'not run'}
    as_expected : bool
        Whether the verdict is what the figure says of itself, nothing failed and the two answers agree.
    reason : str
        Why a figure was not run, or in what the answers disagree; empty otherwise.
    """

    figure: Figure
    native: Result | None
    storm: Result | None
    verdict: Verdict
    as_expected: bool
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the figure's object in the JSON document of ``pymc-games verify``."""
        return {
            "id": self.figure.id,
            "source": self.figure.source,
            "published": self.figure.published.text,
            "storm": None if self.storm is None else self.storm.to_json(),
            "native": None if self.native is None else self.native.to_json(),
            "verdict": self.verdict,
            "as_expected": self.as_expected,
            "note": "; ".join(text for text in (self.figure.note, self.reason) if text),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the numbers that the printed one stands for, and both answers."""
        lowest, highest, _ = self.figure.published.interval()
        printed = Result(float(self.figure.published.value), float(lowest), float(highest))
        ax = plotting.intervals({"published": printed, "engine": self.native, "Storm": self.storm}, ax)
        ax.set_title(f"{self.figure.id}: {self.verdict}")
        return ax

    def _repr_html_(self) -> str:
        answers = {"engine": self.native, "Storm": self.storm}
        rows = [("source", self.figure.source), ("published", self.figure.published.text)]
        rows += [(name, digits(answer)) for name, answer in answers.items() if answer is not None]
        rows += [("note", note)] if (note := self.to_json()["note"]) else []
        return notebook.facts(f"{self.figure.id}: {self.verdict}", rows)


def load(folder: Path | None = None, game: str | None = None) -> list[Figure]:
    """Read the figures of all games, or of one, from ``folder`` (the project's own by default).

    Raises
    ------
    FileFormatError
        If a file is no TOML, or a figure has a wrong, missing or unknown key, or an id twice.
    UsageError
        If there are no figures for ``game``.
    """
    if game is not None:
        paths = [figures_file(game) if folder is None else folder / f"{game}.toml"]
    elif folder is None:
        shipped = sorted((data_folder("verify") / "figures").glob("*.toml"))
        paths = [*shipped, *(path for name in games.external() if (path := figures_file(name)).is_file())]
    else:
        paths = sorted(folder.glob("*.toml"))
    if game is not None and not paths[0].is_file():
        games.get(game)
        raise UsageError(f"there are no published figures for '{game}'; there should be a file {paths[0]}")
    figures: dict[str, Figure] = {}
    for path in paths:
        for figure in _read_file(path):
            if figure.id in figures:
                raise FileFormatError(f"{path}: the figure '{figure.id}' stands there twice")
            figures[figure.id] = figure
    return list(figures.values())


def figures_file(game: str) -> Path:
    """Return where the published figures of a game stand, if there are any."""
    plugin = games.external().get(game)
    return data_folder("verify") / "figures" / f"{game}.toml" if plugin is None else plugin.folder / FIGURES


def _read_file(path: Path) -> list[Figure]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileFormatError(f"{path} cannot be read as TOML: {error}") from error
    _check_keys(str(path), document, {"game": str, "figure": list}, ("game", "figure"))
    own = path.parent.name if path.name == FIGURES else path.stem
    if document["game"] != own:
        raise FileFormatError(f"{path}: the game is '{document['game']}', but the file is that of '{own}'")
    return [_read_figure(f"{path}, figure {place}", document["game"], entry) for place, entry in
            enumerate(document["figure"], start=1)]  # fmt: skip


def _read_figure(where: str, game: str, entry: Mapping[str, Any]) -> Figure:
    where = f"{where} ({entry.get('id', 'no id')})"
    _check_keys(where, entry, _FIGURE_KEYS, ("id", "source", "published"))
    if not entry["id"].startswith(f"{game}."):
        raise FileFormatError(f"{where}: the id must begin with '{game}.'")
    if "native" not in entry and "storm" not in entry:
        raise FileFormatError(f"{where}: nobody computes it; give 'native', 'storm' or both")
    if not entry.get("holds", True) and not entry.get("note"):
        raise FileFormatError(f"{where}: it does not hold, so a 'note' must say what does")
    try:
        published = Published.parse(entry["published"], entry.get("tolerance"))
    except FileFormatError as error:
        raise FileFormatError(f"{where}: {error}") from error
    storm = None
    if "storm" in entry:
        _check_keys(f"{where}, storm", entry["storm"], _STORM_KEYS, ("model", "property"))
        storm = StormQuery(**entry["storm"])
    plain = {
        key: entry[key] for key in ("id", "source", "native", "arguments", "long", "holds", "note") if key in entry
    }
    return Figure(game=game, published=published, storm=storm, **plain)


def _check_keys(where: str, table: Any, known: Mapping[str, type], needed: tuple[str, ...]) -> None:
    """Check that a TOML table has the needed keys, no unknown ones, and values of the right type."""
    if not isinstance(table, dict):
        raise FileFormatError(f"{where}: a table is needed, not {table!r}")
    for key, value in table.items():
        if key not in known:
            raise FileFormatError(f"{where}: unknown key '{key}'; {hint(key, known, 'the keys are')}")
        if not isinstance(value, known[key]):
            raise FileFormatError(f"{where}: '{key}' must be of type {known[key].__name__}, not {value!r}")
    for key in needed:
        if key not in table:
            raise FileFormatError(f"{where}: the key '{key}' is missing")


def run(
    figures: Iterable[Figure], *, quick: bool = False, started: Callable[[Figure], None] | None = None
) -> Iterator[Outcome]:
    """Compute the figures one by one; ``quick`` leaves long ones out, ``started`` is told of each before it runs."""
    for figure in figures:
        if started is not None:
            started(figure)
        yield (
            Outcome(figure, None, None, "not run", True, "left out, as it takes long")
            if quick and figure.long
            else _run_one(figure)
        )


def _run_one(figure: Figure) -> Outcome:
    failures = []
    answers: dict[str, Result | None] = {"native": None, "storm": None}
    for side, wanted, ask in (("native", figure.native, _ask_native), ("storm", figure.storm, _ask_storm)):
        if wanted is not None:
            try:
                answers[side] = ask(figure)
            except GamesError as error:
                failures.append(str(error))
    native, storm = answers["native"], answers["storm"]
    if failures:
        return Outcome(figure, native, storm, "not run", False, "; ".join(failures))
    deciding = native if native is not None else storm
    verdict: Verdict = "reproduced" if deciding and figure.published.reproduced_by(deciding) else "differs"
    reason = _disagreement(native, storm) if native is not None and storm is not None else ""
    expected = "reproduced" if figure.holds else "differs"
    return Outcome(figure, native, storm, verdict, verdict == expected and not reason, reason)


def _disagreement(native: Result, storm: Result) -> str:
    """Return in what two answers disagree; empty where they agree."""
    if not native.overlaps(storm):
        return (
            f"Storm's [{storm.lower!r}, {storm.upper!r}] and the native [{native.lower!r}, {native.upper!r}] are apart"
        )
    if not storm.width <= _WIDEST * max(1.0, abs(storm.value)):
        return f"Storm's bounds [{storm.lower!r}, {storm.upper!r}] are too wide to tell"
    return ""


def _ask_native(figure: Figure) -> Result:
    """Call the figure's function and return its answer as a result."""
    function = games.figure(figure.game, figure.native or "")
    name = f"{function.__module__}.{figure.native}"
    try:
        inspect.signature(function).bind(**figure.arguments)
    except TypeError as error:
        raise UsageError(f"{name}: {error}") from error
    start = time.perf_counter()
    answer = function(**figure.arguments)
    return _as_result(answer, name, time.perf_counter() - start)


def _as_result(answer: object, name: str, seconds: float) -> Result:
    """Return a number, or a claim's truth as 1 or 0, as a result; a lone float is taken for exactly what it is."""
    if isinstance(answer, Result):
        return answer
    if isinstance(answer, np.bool_):
        answer = bool(answer)
    if isinstance(answer, Rational):
        exact = Fraction(int(answer.numerator), int(answer.denominator))
        return Result.from_exact(exact, method="exact", seconds=seconds)
    if isinstance(answer, float | np.floating):
        return Result(float(answer), float(answer), float(answer), method="float", seconds=seconds)
    raise UsageError(f"{name} returned {answer!r}; a figure's function returns a Result, a number or a bool")


def _ask_storm(figure: Figure) -> Result:
    """Render the figure's model and return Storm's answer for its initial state."""
    from pymc_games import storm  # loading Storm takes half a second, so only where it is asked

    query = figure.storm
    if query is None:
        raise UsageError(f"{figure.id} has no question for Storm")
    game = games.get(figure.game)
    variant = game.variant(query.model)
    constants = game.bind([f"{name}={as_text(value)}" for name, value in query.constants.items()])
    text, _ = variant.render(constants)
    (result,) = storm.check_text(text, [query.property], exact=query.exact, precision=1e-9)
    return result
