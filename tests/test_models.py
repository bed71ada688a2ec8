"""The models in ``models/`` are what the templates render, and a difference is noticed."""

from pathlib import Path

import pytest

from pymc_games import games, models, prism
from pymc_games.games.base import Game, Variant, integer

TOY = Game(
    "toy", "Toy", "", (integer("goal", 100, "", 1, 100),),
    (Variant("race", "dtmc", "", "race.prism.j2", "race.props.j2", dict, rendered_with={"goal": 3}),),
)  # fmt: skip


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "get", {"toy": TOY}.get)
    monkeypatch.setattr(prism, "render", lambda template, context, folder: f"{template} with goal {context['goal']}\n")


@pytest.mark.usefixtures("toy")
def test_missing_changed_and_superfluous_files_are_found(tmp_path: Path) -> None:
    model, properties, other = (Path("toy", name) for name in ("race.prism", "race.props", "old.prism"))
    assert models.differences(["toy"], tmp_path) == [model, properties]
    models.write(["toy"], tmp_path)
    assert models.differences(["toy"], tmp_path) == []
    assert (tmp_path / model).read_text() == "race.prism.j2 with goal 3\n"
    (tmp_path / properties).write_text("by hand\n")
    (tmp_path / other).write_text("")
    assert models.differences(["toy"], tmp_path) == [properties, other]


@pytest.mark.parametrize("name", games.names())
def test_models_are_as_rendered(name: str) -> None:
    assert models.differences([name]) == [], "run make models"
