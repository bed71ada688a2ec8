"""Comparing: agreement in every state, and proof that it can fail, saying which side and which state.

The game is Pig with a three-sided die and goal 6, once as PRISM text and once by rules in Python.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import storm
from pymc_games.compare import Options, Session
from pymc_games.errors import ModelError, UsageError
from pymc_games.explicit import ExactNumbers, ExplicitModel
from pymc_games.joining import differing_moves, join
from pymc_games.loading import Target, load_target
from pymc_games.properties import parse_property

GOAL = 6
FIRST = 'Pmax=? [ F "won" ]'


def template(kind, faces=(1, 2, 3)):
    """Return Pig as PRISM text; as an MDP both players want what the property asks for."""
    p = Fraction(1, len(faces))
    moves = "\n".join(
        f"  [roll{t}] turn={t} & own{t}+k<{GOAL} & own{3 - t}<{GOAL} -> {p}:(k'=0)&(turn'={3 - t})"
        + "".join(f" + {p}:(k'=k+{face})" for face in faces if face > 1) + ";\n"
        f"  [hold{t}] turn={t} & k>0 & own{3 - t}<{GOAL} & own{t}<{GOAL} -> "
        f"(own{t}'=min({GOAL},own{t}+k))&(k'=0)&(turn'={3 - t});"
        for t in (1, 2)
    )  # fmt: skip
    players = (
        "player one [roll1],[hold1] endplayer\nplayer two [roll2],[hold2],[over] endplayer\n" if kind == "smg" else ""
    )
    return (
        f"{kind}\n{players}module pig\n own1:[0..{GOAL}]; own2:[0..{GOAL}]; k:[0..{GOAL + 3}]; turn:[1..2];\n{moves}\n"
        f"  [over] own1={GOAL} & turn=2 -> true;\n  [roll1] own2={GOAL} & turn=1 -> true;\nendmodule\n"
        f'label "won" = own1={GOAL};\n'
    )


def rules(kind, faces=(1, 2, 3)):
    """Return the same game, explored in Python."""
    start = (0, 0, 0, 1)
    place, todo, rows = {start: 0}, [start], []
    for state in todo:
        own, k, turn = list(state[:2]), state[2], state[3]
        moves = []
        if max(own) == GOAL:
            moves.append([(Fraction(1), state)])
        else:
            if own[turn - 1] + k < GOAL:
                moves.append(
                    [
                        (Fraction(1, len(faces)), (*own, 0, 3 - turn) if face == 1 else (*own, k + face, turn))
                        for face in faces
                    ]
                )
            if k > 0:
                held = [min(GOAL, score + k) if player == turn - 1 else score for player, score in enumerate(own)]
                moves.append([(Fraction(1), (*held, 0, 3 - turn))])
        for move in moves:
            for _, after in move:
                if after not in place:
                    place[after] = len(place)
                    todo.append(after)
        rows.append(moves)
    states = np.array(todo)
    branches = [branch for moves in rows for move in moves for branch in move]
    return ExplicitModel(
        kind, np.cumsum([0, *map(len, rows)]), np.cumsum([0, *(len(move) for moves in rows for move in moves)]),
        np.array([place[after] for _, after in branches]), ExactNumbers.of([p for p, _ in branches]),
        labels={"won": states[:, 0] == GOAL}, name="rules", players=("one", "two") if kind == "smg" else (),
        state_to_player=states[:, 3] - 1 if kind == "smg" else None,
        variables=dict(zip(("own1", "own2", "k", "turn"), states.T, strict=True)),
    )  # fmt: skip


def session(kind="mdp", text=None, model=None, **options):
    prop = parse_property(FIRST if kind == "mdp" else f"<<one>> {FIRST}")
    program = storm.parse_text(text or template(kind), source="pig")
    return Session(Target("pig", {}, program, rules=model or rules(kind)), [prop], Options(**options)), prop


@pytest.mark.parametrize("exact", [False, True])
def test_template_and_rules_agree_in_every_state(exact):
    pig, prop = session(exact=exact)
    checked = pig.compare(prop)
    assert checked.agree
    assert not checked.remarks
    assert checked.states_compared == pig.model.states == pig.target.rules.states > 100
    assert checked.max_difference < (1e-15 if exact else 1e-5)
    assert checked.storm.overlaps(checked.native)


def test_a_game_is_compared_without_storm():
    pig, prop = session("smg")
    checked = pig.compare(prop)
    assert checked.storm is None
    assert checked.agree
    assert checked.states_compared == pig.model.states
    # the opponent now resists, so less than when both play for player 1
    assert 0.5 < checked.native.value < session()[0].compare(parse_property(FIRST)).native.value


def test_a_face_missing_from_the_template_is_found():
    pig, prop = session(text=template("mdp", faces=(1, 2)), model=rules("mdp"))
    checked = pig.compare(prop)
    assert not checked.agree
    text = " ".join(checked.remarks)
    assert "a solver is wrong" not in text
    assert "reached by the rules and not by the template" in text
    assert "the moves differ" in text
    assert "template 1/2: (own1=0, own2=0, k=0, turn=2) + 1/2: (own1=0, own2=0, k=2, turn=1)" in text
    assert "rules 1/3: (" in text


def test_a_face_counted_twice_by_the_rules_is_found_in_the_state_where_it_happens():
    broken = rules("mdp")
    # in the start state the 3 is rolled as often as the 3 and the 2 together
    index = broken.probabilities.index.copy()
    table = (*broken.probabilities.table, Fraction(2, 3), Fraction(0))
    start = slice(int(broken.choice_to_branches[0]), int(broken.choice_to_branches[1]))
    targets = broken.branch_to_target.copy()
    targets[start] = [targets[start][0], targets[start][2], targets[start][2]]
    broken = replace(broken, branch_to_target=targets, probabilities=ExactNumbers(table, index))
    pig, prop = session(model=broken)
    checked = pig.compare(prop)
    assert not checked.agree
    assert checked.max_difference > 1e-3
    text = " ".join(checked.remarks)
    assert "a solver is wrong" not in text
    assert "most in (own1=0, own2=0, k=0, turn=1)" in text
    assert "the moves differ in 1 states, such as (own1=0, own2=0, k=0, turn=1)" in text


def test_a_lying_solver_is_told_from_a_wrong_model(monkeypatch):
    honest = storm.check

    def lying(model, prop, **options):
        answer = honest(model, prop, **options)
        shift = np.zeros(len(answer.value))
        shift[7] = 0.01
        return replace(answer, value=answer.value + shift, lower=answer.lower + shift, upper=answer.upper + shift)

    monkeypatch.setattr(storm, "check", lying)
    pig, prop = session()
    checked = pig.compare(prop)
    assert not checked.agree
    (remark,) = checked.remarks
    assert remark.startswith("a solver is wrong: on Storm's own matrix")
    assert f"({pig.model.describe_state(7)})" in remark


def test_equal_exact_values_are_wanted_where_both_are_exact(monkeypatch):
    honest = storm.check

    def nearly(model, prop, **options):
        answer = honest(model, prop, **options)
        return replace(answer, exact=[x + Fraction(1, 10**40) for x in answer.exact])

    monkeypatch.setattr(storm, "check", nearly)
    pig, prop = session(exact=True)
    assert not pig.compare(prop).agree


@settings(max_examples=8)
@given(goal=st.integers(2, 9), die=st.integers(2, 6), data=st.data())
def test_storm_and_the_engine_agree_exactly_on_random_small_pigs(goal, die, data):
    bust = data.draw(st.integers(1, die))
    for variant in ("mdp", "mdp2", "dtmc", "solitaire", "smg"):
        target = load_target("pig", [f"goal={goal},die={die},bust={bust}"], variant)
        pig = Session(target, target.properties, Options(exact=True))
        for prop in target.properties:
            checked = pig.compare(prop)
            assert checked.agree, checked.remarks
            assert checked.native.exact is not None or checked.native.value == np.inf
            if variant != "smg":
                assert checked.storm.exact == checked.native.exact


def test_a_deadlock_is_named_unless_it_may_loop():
    text = template("mdp").replace(f"  [over] own1={GOAL} & turn=2 -> true;\n", "")
    with pytest.raises(ModelError, match=rf"deadlock in \(?own1={GOAL}.*--fix-deadlocks"):
        session(text=text)
    pig, prop = session(text=text, fix_deadlocks=True)
    assert pig.compare(prop).agree


def test_a_bound_is_answered():
    pig, _ = session()
    assert pig.check(parse_property('P<=1 [ F "won" ]')).satisfied is True
    assert pig.check(parse_property('P<0.5 [ F "won" ]')).satisfied is False


def test_a_target_without_properties_asks_for_one():
    program = storm.parse_text(template("mdp"), source="pig")
    with pytest.raises(UsageError, match="give --prop or --props"):
        Session(Target("pig", {}, program), [], Options())


def test_joining_is_by_valuation_whatever_the_order():
    left = rules("mdp")
    order = np.random.default_rng(1).permutation(left.states)
    right = replace(left, variables={name: left.variables[name][order] for name in reversed(left.variables)})
    joined = join(left, right)
    assert (order[joined.right] == joined.left).all()
    assert len(joined.left) == left.states
    with pytest.raises(ModelError, match="cannot be joined"):
        join(left, replace(right, variables={"x": order}))
    with pytest.raises(ModelError, match="two states with the valuation"):
        join(left, replace(right, variables={name: values // 2 for name, values in right.variables.items()}))


def test_joining_has_room_for_wide_variables():
    model = rules("mdp")
    wide = model.variables["k"] * 10**15 + np.arange(model.states)
    left = replace(model, variables={f"v{i}": wide for i in range(6)})
    joined = join(left, left)
    assert (joined.left == joined.right).all()
    assert not differing_moves(left, left, joined).size
