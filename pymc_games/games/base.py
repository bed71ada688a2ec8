"""What a game is to the rest of the package: constants, and variants that exist as template and as Python rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pymc_games.errors import UsageError, hint
from pymc_games.explicit import ExplicitModel
from pymc_games.memory import Estimate

Constants = Mapping[str, Any]
GameType = Literal["dtmc", "mdp", "smg", "csg"]


@dataclass(frozen=True)
class Constant:
    """A parameter of a game. ``parse`` turns text into its value and raises UsageError with the reason."""

    name: str
    default: Any
    description: str
    parse: Callable[[str], Any]


def integer(name: str, default: int, description: str, minimum: int, maximum: int) -> Constant:
    """Return an integer constant with its bounds."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise UsageError(f"{name}={text}: a whole number is needed") from None
        if not minimum <= value <= maximum:
            raise UsageError(f"{name}={value}: must lie between {minimum} and {maximum}")
        return value

    return Constant(name, default, description, parse)


@dataclass(frozen=True)
class Variant:
    """One model of a game, described twice: as a PRISM template and as Python rules.

    Attributes
    ----------
    name : str
        Also the name of the rendered files, ``models/<game>/<name>.prism`` and ``.props``.
    type : {'dtmc', 'mdp', 'smg', 'csg'}
    template, properties : str
        Paths of the two templates below ``folder``.
    context : callable
        From the constants to what the templates see. Property templates find the values for their
        ``// RESULT:`` lines there too.
    explicit : callable or None
        From the constants to the same model by the Python rules, with the template's variable names as valuations.
    estimate : callable or None
        From the constants to how large the model will be, without building it.
    rendered_with : mapping
        Constants of the model in ``models/``, where they are not the defaults: smaller ones for models too large to
        read.
    folder : Path or None
        Where the templates lie; the package's own for ``None``. Set by the loader for games from outside the package.
    """

    name: str
    type: GameType
    description: str
    template: str
    properties: str
    context: Callable[[Constants], dict[str, Any]]
    explicit: Callable[[Constants], ExplicitModel] | None = None
    rendered_with: Constants = field(default_factory=dict)
    folder: Path | None = None
    estimate: Callable[[Constants], Estimate] | None = None

    def render(self, constants: Constants) -> tuple[str, str]:
        """Return the model as PRISM text, and the text of its property file.

        Raises
        ------
        TemplateError
            If a template is of no use; see `prism.render`.
        """
        from pymc_games import prism  # loads jinja2, which solving does without

        context = self.context(constants)
        model, properties = (
            prism.render(template, context, self.folder) for template in (self.template, self.properties)
        )
        return model, properties


@dataclass(frozen=True)
class Game:
    """A game: its constants, and its variants, the default one first.

    ``check`` (optional) refuses constants that do not go together. ``simulate`` (optional) plays games by the
    Python rules: it takes the constants, the number of games and a seed and returns the outcome of each, a float.
    """

    name: str
    title: str
    description: str
    constants: Sequence[Constant]
    variants: Sequence[Variant]
    check: Callable[[Constants], None] | None = None
    simulate: Callable[[Constants, int, int], Any] | None = None

    def variant(self, name: str | None) -> Variant:
        """Return the variant of that name, or else the first of that type; the default one for ``None``."""
        if name is None:
            return self.variants[0]
        for variant in (*(v for v in self.variants if v.name == name), *(v for v in self.variants if v.type == name)):
            return variant
        advice = hint(name, (v.name for v in self.variants), "it has")
        raise UsageError(f"{self.name} has no model '{name}'; {advice}")

    def bind(self, definitions: Sequence[str]) -> dict[str, Any]:
        """Return all constants, from ``K=V`` texts (several may be joined by commas) over the defaults.

        Raises
        ------
        UsageError
            For a text without ``=``, an unknown constant, one given twice, or a value out of range.
        """
        known = {constant.name: constant for constant in self.constants}
        given: dict[str, Any] = {}
        for name, value in split_definitions(definitions):
            if name not in known:
                raise UsageError(f"{self.name} has no constant '{name}'; {hint(name, known, 'it has')}")
            given[name] = known[name].parse(value)
        constants = {name: given.get(name, constant.default) for name, constant in known.items()}
        if self.check is not None:
            self.check(constants)
        return constants


def as_text(value: Any) -> str:
    """Return a constant's value as it is typed on the command line: a tuple as numbers joined by commas."""
    if isinstance(value, tuple | list):
        return ",".join(as_text(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_definitions(definitions: Sequence[str]) -> list[tuple[str, str]]:
    """Split ``K=V`` texts into pairs; ``N=3,p=1/2`` is two. A comma not followed by ``name=`` stays in the value.

    Raises
    ------
    UsageError
        For a text without ``=`` or a name given twice.
    """
    pairs: list[tuple[str, str]] = []
    for definition in definitions:
        pieces: list[str] = []
        for piece in definition.split(","):
            if "=" in piece or not pieces:
                pieces.append(piece)
            else:
                pieces[-1] += "," + piece
        for piece in pieces:
            name, equals, value = piece.partition("=")
            if not equals or not name.strip() or not value.strip():
                raise UsageError(f"'{piece}' does not define a constant; write NAME=VALUE")
            if name.strip() in (earlier for earlier, _ in pairs):
                raise UsageError(f"the constant '{name.strip()}' is given twice")
            pairs.append((name.strip(), value.strip()))
    return pairs
