"""Models on which other tools are quietly wrong, through the whole path: PRISM text, Storm, UMB, the engine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import stormpy.examples.files

from pymc_games import storm
from pymc_games.compare import Options, Session
from pymc_games.engine import solve
from pymc_games.errors import StormError, UnsupportedError
from pymc_games.explicit import ExplicitModel
from pymc_games.loading import load_target
from pymc_games.properties import parse_property
from pymc_games.queries import question

COIN = Path(stormpy.examples.files.testfile_dir) / "mdp" / "coin2-2.nm"


def haddad_monmege(kind: str, n: int) -> str:
    """Return the chain in which half of each step goes back to the middle; as an mdp every state may also wait."""
    wait = "  [wait] abs(x) < n -> true;\n" if kind == "mdp" else ""
    # Storm's dialect has no abs: the range is split by sign.
    wait = wait.replace("abs(x) < n", "x < n & x > -n")
    return f"""{kind}
const int n = {n};
module walk
  x : [-n..n] init 0;
  [step] x = 0 -> 1/2 : (x' = 1) + 1/2 : (x' = -1);
  [step] x > 0 & x < n -> 1/2 : (x' = x + 1) + 1/2 : (x' = 0);
  [step] x < 0 & x > -n -> 1/2 : (x' = x - 1) + 1/2 : (x' = 0);
{wait}  [done] x = n | x = -n -> true;
endmodule
label "goal" = x = n;
label "end" = x = n | x = -n;
rewards "steps"
  [step] true : 1;
endrewards
"""


def session(tmp_path: Path, text: str, properties: list[str], **options: object) -> Session:
    """Return a comparison over a model in a file."""
    path = tmp_path / "model.prism"
    path.write_text(text)
    return Session(load_target(str(path)), [parse_property(p) for p in properties], Options(**options))


def native(tmp_path: Path, text: str, prop: str) -> tuple[ExplicitModel, object]:
    """Return the engine's solution on Storm's matrix, and that matrix."""
    path = tmp_path / "model.prism"
    path.write_text(text)
    model = storm.to_explicit(storm.build(storm.parse(path)))
    return model, solve(model, question(parse_property(prop), model).query)


@pytest.mark.parametrize("n", [10, 15, 20, 25])
def test_haddad_monmege(tmp_path: Path, n: int) -> None:
    properties = ['P=? [ F "goal" ]', 'R{"steps"}=? [ F "end" ]']
    exact = session(tmp_path, haddad_monmege("dtmc", n), properties, exact=True)
    for prop, value in zip(exact.properties, (Fraction(1, 2), Fraction(3 * 2 ** (n - 1) - 2)), strict=True):
        checked = exact.compare(prop)
        assert checked.agree
        assert checked.native is not None
        assert checked.storm is not None
        assert checked.native.exact == checked.storm.exact == value
    model, solution = native(tmp_path, haddad_monmege("mdp", n), 'Pmax=? [ F "goal" ]')
    result = solution.at(model.initial_state)
    assert result.lower <= 0.5 <= result.upper
    assert result.width <= 1e-9


def test_negative_rewards_are_refused_by_both(tmp_path: Path) -> None:
    """The exact answer is -100; Storm claims a lower bound of -59.5."""
    text = """dtmc
module m
  s : [0..1] init 0;
  [step] s = 0 -> 9/10 : true + 1/10 : (s' = 1);
  [done] s = 1 -> true;
endmodule
rewards
  [step] true : -10;
endrewards
"""
    for engine in ("storm", "native"):
        asked = session(tmp_path, text, ["R=? [ F s=1 ]"], engine=engine)
        with pytest.raises(UnsupportedError, match="negative rewards"):
            asked.check(asked.properties[0])


END_COMPONENT = """mdp
module m
  s : [0..3] init 0;
  [there] s = 0 -> (s' = 1);
  [back] s = 1 -> (s' = 0);
  [out] s = 1 -> 1/2 : (s' = 2) + 1/2 : (s' = 3);
  [done] s > 1 -> true;
endmodule
label "win" = s = 2;
rewards "cost"
  [out] true : 1;
endrewards
"""


def test_an_end_component_and_a_costless_cycle(tmp_path: Path) -> None:
    exact = session(tmp_path, END_COMPONENT, ['Pmax=? [ F "win" ]', 'R{"cost"}min=? [ F s>1 ]'], exact=True)
    for prop, value in zip(exact.properties, (Fraction(1, 2), Fraction(1)), strict=True):
        checked = exact.compare(prop)
        assert checked.agree
        assert checked.native is not None
        assert checked.native.exact == value


def test_the_extracted_policy_achieves_the_value(tmp_path: Path) -> None:
    """Going back has the same backed-up value as going out; the chain under the policy must reach with 1/2."""
    model, solution = native(tmp_path, END_COMPONENT, 'Pmax=? [ F "win" ]')
    chosen = model.state_to_choices[:-1] + np.maximum(solution.choice, 0)
    lengths = np.diff(model.choice_to_branches)[chosen]
    branches = np.concatenate(
        [np.arange(b, b + k) for b, k in zip(model.choice_to_branches[chosen], lengths, strict=True)]
    )
    chain = replace(
        model, type="dtmc", state_to_choices=np.arange(model.states + 1),
        choice_to_branches=np.concatenate(([0], np.cumsum(lengths))), branch_to_target=model.branch_to_target[branches],
        probabilities=replace(model.probabilities, index=model.probabilities.index[branches]), rewards={},
        choice_to_action=None,
    )  # fmt: skip
    chain.validate()
    achieved = solve(chain, question(parse_property('P=? [ F "win" ]'), chain).query, exact=True)
    assert achieved.exact is not None
    assert achieved.exact[chain.initial_state] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("prop", "value"),
    [
        ('Pmin=? [ F "finished" & "all_coins_equal_1" ]', Fraction(49, 128)),
        ('Pmax=? [ F "finished" & !"agree" ]', Fraction(13, 120)),
        ('R{"steps"}max=? [ F "finished" ]', Fraction(75)),
        ('R{"steps"}min=? [ F "finished" ]', Fraction(48)),
    ],
)
def test_the_shared_coin(prop: str, value: Fraction) -> None:
    """Consensus with N = 2 and K = 2 (Aspnes and Herlihy), of 272 states."""
    coin = Session(load_target(str(COIN)), [parse_property(prop)], Options(exact=True))
    checked = coin.compare(coin.properties[0])
    assert checked.agree
    assert checked.states_compared == 272
    assert checked.native is not None
    assert checked.storm is not None
    assert checked.native.exact == checked.storm.exact == value


def test_no_answer_is_an_error_and_not_a_value(tmp_path: Path) -> None:
    """Storm 2.0 parses a coalition and then gives no answer at all."""
    text = """smg
player p1 [go] endplayer
player p2 [stop] endplayer
module m
  s : [0..2] init 0;
  [go] s = 0 -> 1/2 : (s' = 1) + 1/2 : (s' = 2);
  [stop] s > 0 -> true;
endmodule
label "win" = s = 2;
"""
    path = tmp_path / "game.prism"
    path.write_text(text)
    built = storm.build(storm.parse(path))
    with pytest.raises(StormError, match="no answer"):
        storm.check(built, '<<p1>> Pmax=? [ F "win" ]')
    model = storm.to_explicit(built)
    solution = solve(model, question(parse_property('<<p1>> Pmax=? [ F "win" ]'), model).query, exact=True)
    assert solution.exact is not None
    assert solution.exact[model.initial_state] == Fraction(1, 2)


def test_exact_values_beyond_the_limit_are_refused_at_once(tmp_path: Path) -> None:
    text = """dtmc
module m
  x : [0..5000] init 2500;
  [step] x > 0 & x < 5000 -> 1/2 : (x' = x + 1) + 1/2 : (x' = x - 1);
  [done] x = 0 | x = 5000 -> true;
endmodule
"""
    path = tmp_path / "model.prism"
    path.write_text(text)
    model = storm.to_explicit(storm.build(storm.parse(path)))
    solution = solve(model, question(parse_property("P=? [ F x=5000 ]"), model).query, exact=True)
    assert solution.exact is None
    assert "4,999 states" in solution.note
    assert solution.lower[model.initial_state] <= 0.5 <= solution.upper[model.initial_state]
    assert solution.upper[model.initial_state] - solution.lower[model.initial_state] < 1e-12
