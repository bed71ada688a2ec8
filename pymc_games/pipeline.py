"""A game from end to end: rendered models as checked in, and both solvers' answers compared in every state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pymc_games import games, notebook, plotting
from pymc_games.compare import Checked, Options, Session
from pymc_games.loading import load_target
from pymc_games.result import Result, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Comparison:
    """One model of a game with its properties, checked by both solvers and compared.

    Attributes
    ----------
    model : mapping
        Name, type, constants and sizes, as in the JSON interface.
    checked : sequence of Checked
        One for each property of the model.
    """

    model: Mapping[str, Any]
    checked: Sequence[Checked]

    @property
    def sound(self) -> bool:
        """Whether the answers agree in every state and one more backup changes none of the engine's values."""
        return all(one.agree and settled(one.native) for one in self.checked)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bounds of both answers to every property, in the initial state."""
        return plotting.interval_groups([(one.property.text, one.sides()) for one in self.checked], ax)

    def _repr_html_(self) -> str:
        model = self.model
        rows = [
            (
                one.property.text, "-" if one.storm is None else digits(one.storm),
                "-" if one.native is None else digits(one.native), f"{one.states_compared:,}",
                "yes" if one.agree else "NO",
            )
            for one in self.checked
        ]  # fmt: skip
        title = f"{model['name']}: {model['type']}, {model['states']:,} states"
        return notebook.table(title, ("property", "Storm", "engine", "states compared", "agree"), rows)


def settled(result: Result | None) -> bool:
    """Return whether a result has residual exactly 0, or none to speak of."""
    return result is None or result.residual is None or result.residual == 0


def compare_models(
    name: str,
    definitions: Sequence[str] = (),
    variants: Sequence[str] | None = None,
    started: Callable[[str], None] | None = None,
) -> Iterator[Comparison]:
    """Compare Storm and the engine on the named models of a game, or on all that both descriptions cover.

    ``started`` is told the name of each model before its turn.

    Raises
    ------
    GamesError
        If a model cannot be loaded or built.
    """
    for variant in games.get(name).variants:
        if variant.explicit is None or variant.type == "csg" or (variants is not None and variant.name not in variants):
            continue
        if started is not None:
            started(variant.name)
        target = load_target(name, definitions, variant.name)
        session = Session(target, target.properties, Options())
        yield Comparison(session.describe(), [session.compare(prop) for prop in session.properties])
