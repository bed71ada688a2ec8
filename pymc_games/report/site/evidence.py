"""What stands behind a game's page: its models, both solvers' answers, certificates, and published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymc_games import campaign, certificate, files
from pymc_games.campaign import Outcome
from pymc_games.compare import Checked, Options, Session
from pymc_games.engine import solve
from pymc_games.errors import CertificateError, UnsupportedError
from pymc_games.games.base import Game, Variant, as_text
from pymc_games.loading import load_target
from pymc_games.properties import Property
from pymc_games.queries import question

#: Constants of models that are compared in a report, where those of ``models/`` would take too long.
SMALLER = {"pig": {"goal": 20}}

#: The largest certificate that is laid beside the pages, in bytes.
LARGEST_CERTIFICATE = 1_000_000

Started = Callable[[str], None]


@dataclass(frozen=True)
class Proof:
    """What became of a certificate: the checker's interval, or why there is none.

    Attributes
    ----------
    file : str or None
        Path below the report's folder; ``None`` where it was checked but is too large to be laid there.
    lower, upper : float
    reason : str
        Why there is no certificate; empty where there is one, accepted by ``verify/checker.py``.
    """

    file: str | None = None
    lower: float = 0.0
    upper: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Model:
    """One model of a game: its PRISM text, and what was found out about it."""

    variant: Variant
    constants: str
    text: str
    sizes: dict[str, Any]
    answers: Sequence[tuple[Checked, Proof]]
    reason: str = ""

    @property
    def sound(self) -> bool:
        """Whether Storm and the engine agree in every state compared."""
        return all(checked.agree for checked, _ in self.answers)


def models(game: Game, folder: Path, started: Started) -> Iterator[Model]:
    """Check every model of a game by Storm and the engine, and certify what can be.

    Parameters
    ----------
    folder : Path
        The report's folder; certificates go to ``certificates/`` below it.
    started : callable
        Told what is done next.
    """
    for variant in game.variants:
        started(f"{game.name}: the model {variant.name}")
        yield _model(game, variant, folder)


def figures(game: Game, *, quick: bool, started: Started) -> list[Outcome]:
    """Recompute the published figures of a game; none where it has none."""
    if not campaign.figures_file(game.name).is_file():
        return []
    return list(
        campaign.run(campaign.load(game=game.name), quick=quick, started=lambda one: started(f"the figure {one.id}"))
    )


def _model(game: Game, variant: Variant, folder: Path) -> Model:
    chosen = {**variant.rendered_with, **SMALLER.get(game.name, {})}
    definitions = [f"{name}={as_text(value)}" for name, value in chosen.items()]
    constants = game.bind(definitions)
    text, _ = variant.render(constants)
    shown = ", ".join(f"{name} = {as_text(value)}" for name, value in constants.items())
    try:
        target = load_target(game.name, definitions, variant.name)
    except UnsupportedError as error:
        return Model(variant, shown, text, {}, [], str(error))
    session = Session(target, target.properties, Options())
    answers = [
        (session.compare(prop), _certify(session, prop, folder, f"{game.name}-{variant.name}-{place}"))
        for place, prop in enumerate(session.properties, start=1)
    ]
    return Model(variant, shown, text, session.describe(), answers)


def _certify(session: Session, prop: Property, folder: Path, name: str) -> Proof:
    """Write the certificate of a property, which its independent checker has accepted."""
    model = session.native_model or session.model
    path = folder / "certificates" / f"{name}.cert"
    try:
        asked = question(prop, model, session.target.values)
        solution = solve(model, asked.query)
        files.make_folder(path.parent)
        proven = certificate.write(
            path, model, asked.query, solution, property_text=prop.text, complement=asked.complement
        )
    except (UnsupportedError, CertificateError) as error:
        return Proof(reason=str(error))
    small = path.stat().st_size <= LARGEST_CERTIFICATE
    if not small:
        path.unlink()
    file = path.relative_to(folder).as_posix() if small else None
    return Proof(file, float(proven.lower), float(proven.upper))
