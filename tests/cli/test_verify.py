"""``verify --models``: what stands before the figures, and what it does to the exit status."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pymc_games import campaign, models, pipeline
from pymc_games.cli.verify import verify


@pytest.fixture(scope="module")
def comparison() -> pipeline.Comparison:
    (only,) = pipeline.compare_models("pig", ["goal=6"], ["mdp"])
    return only


class TestModels:
    @pytest.fixture(autouse=True)
    def small(self, comparison: pipeline.Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
        self.comparison, self.different = comparison, list[Path]()
        monkeypatch.setattr(models, "differences", lambda names: self.different)
        monkeypatch.setattr(pipeline, "compare_models", lambda name, variants, started: [self.comparison])
        monkeypatch.setattr(campaign, "load", lambda game: [])

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(verify, ["--models", *arguments])

    def test_all_is_well(self) -> None:
        run = self.run()
        assert run.exit_code == 0
        assert "models/ is as the templates say" in run.stdout
        assert "all agree" in run.stdout

    def test_a_model_that_is_not_as_rendered_is_status_1(self) -> None:
        self.different = [Path("pig/mdp.prism")]
        run = self.run()
        assert run.exit_code == 1
        assert "pig/mdp.prism; run make models" in run.stdout

    def test_a_disagreement_is_status_1_and_says_where(self) -> None:
        wrong = replace(self.comparison.checked[0], agree=False, remarks=("a solver is wrong",))
        self.comparison = replace(self.comparison, checked=[wrong])
        run = self.run()
        assert run.exit_code == 1
        assert "a solver is wrong" in run.stderr

    def test_the_document_stays_alone_on_standard_output(self) -> None:
        run = self.run("--json", "-")
        assert json.loads(run.stdout)["figures"] == []
        assert "models/ is as the templates say" in run.stderr
