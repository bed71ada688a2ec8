"""The end-to-end comparison: sound on a small game, and not so when anything is off."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from pymc_games import pipeline
from pymc_games.report.pipeline import closing_line, comparison_table


@pytest.fixture(scope="module")
def comparisons() -> list[pipeline.Comparison]:
    return list(pipeline.compare_models("pig", ["goal=6"]))


def test_both_solvers_agree_in_every_state_with_residual_zero(comparisons: list[pipeline.Comparison]) -> None:
    assert comparisons
    for comparison in comparisons:
        assert comparison.sound
        assert all(one.states_compared == comparison.model["states"] > 1 for one in comparison.checked)


def test_a_disagreement_or_a_residual_is_not_sound(comparisons: list[pipeline.Comparison]) -> None:
    comparison = comparisons[0]
    (one, *_) = comparison.checked
    assert one.native is not None
    assert not replace(comparison, checked=[replace(one, agree=False)]).sound
    assert not replace(comparison, checked=[replace(one, native=replace(one.native, residual=1e-300))]).sound


def test_the_table_says_where_the_trouble_is(comparisons: list[pipeline.Comparison]) -> None:
    wrong = replace(comparisons[0], checked=[replace(comparisons[0].checked[0], agree=False)])
    console = Console(file=io.StringIO(), width=200)
    console.print(comparison_table("Pig", [wrong]))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "NO" in text
    assert wrong.model["name"] in closing_line([wrong]).plain
    assert "all agree" in closing_line(comparisons).plain
    assert f"{wrong.model['states']:,} states" in text
