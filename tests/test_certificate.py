"""Certificates: accepted where they hold, and never where they claim something false."""

from __future__ import annotations

import ast
import json
import math
import random
import subprocess
import sys
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import certificate
from pymc_games.engine import Query, solve
from pymc_games.errors import CertificateError, UnsupportedError
from tests.engine.oracle import brute_force, haddad_monmege, model_of, query_of, small_models

checker = certificate.load_checker()
HALF = Fraction(1, 2)
CHECKER = Path(checker.__file__)

#: Two players, two ways out, an end component, and a state that loses for certain.
GAME = [
    [(0, [(1, 0)])],
    [(0, [(1, 1)])],
    [(1, [(HALF, 0), (Fraction(1, 3), 3), (Fraction(1, 6), 2)]), (Fraction(1, 3), [(1, 3)])],
    [(2, [(1, 2)]), (0, [(HALF, 4), (HALF, 0)])],
    [(0, [(Fraction(1, 5), 1), (Fraction(4, 5), 2)]), (1, [(1, 3)])],
]
MAXIMISE = np.array([True, True, True, False, True])


def written(path, states, maximise, reward, initial=2, target=frozenset({0})):
    model, rewards = model_of(states)
    model = replace(model, initial_state=initial, name="test")
    query = query_of(model, rewards, maximise, reward, set(target))
    return certificate.write(path, model, query, solve(model, query))


@settings(max_examples=120, deadline=None)
@given(small_models(players=True), st.booleans())
def test_certificates_enclose_the_exact_value(tmp_path_factory, drawn, reward):
    states, maximise = drawn
    truth = brute_force(states, maximise, {0}, reward)[2]
    path = tmp_path_factory.mktemp("certificate") / "c"
    proven = written(path, states, maximise, reward)
    if truth is None:
        assert proven.lower == proven.upper == math.inf
    else:
        assert proven.lower <= truth <= proven.upper
        assert proven.upper - proven.lower < Fraction(1, 10**9)
    assert checker.main([str(path)]) == 0


def test_a_slow_chain_is_certified_beyond_double_precision(tmp_path):
    model, rewards, centre = haddad_monmege(25)
    model = replace(model, initial_state=centre)
    query = query_of(model, rewards, np.ones(model.states, dtype=bool), True, {0, 50})
    proven = certificate.write(tmp_path / "c", model, query, solve(model, query))
    assert proven.lower <= 3 * 2**24 - 2 <= proven.upper
    assert proven.upper - proven.lower < Fraction(1, 10**12)


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(path, contents):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def corrupted(contents, random_):
    """Change one number of a certificate."""
    contents = dict(contents)
    name = random_.choice([n for n in contents if not n.startswith("variable")])
    if name == "header.json":
        header = json.loads(contents[name])
        field = random_.choice(["states", "choices", "branches", "initial_state", "probabilities", "rewards",
                                "denominator", "bytes", "kind", "type", "complement", "model_digest"])  # fmt: skip
        old = header[field]
        if isinstance(old, list):
            old[random_.randrange(len(old))] = str(Fraction(random_.randrange(0, 9), random_.randrange(1, 9)))
        elif isinstance(old, bool):
            header[field] = not old
        elif isinstance(old, int):
            header[field] = old + random_.choice([-1, 1, 5])
        elif field == "denominator":
            header[field] = str(int(old) + random_.choice([-1, 1, int(old)]))
        elif field == "kind":
            header[field] = "reward" if old == "probability" else "probability"
        elif field == "type":
            header[field] = random_.choice(["dtmc", "mdp", "smg"])
        else:
            header[field] = old[:-1] + random_.choice("0123456789abcdef")
        contents[name] = json.dumps(header).encode()
        return name, contents
    data = bytearray(contents[name])
    place = random_.randrange(len(data))
    data[place] = (data[place] + random_.choice([1, 2, 16, 64, 128, 255])) % 256
    contents[name] = bytes(data)
    return name, contents


@pytest.mark.parametrize("reward", [False, True])
def test_no_corruption_that_claims_something_false_is_accepted(tmp_path, reward):
    """A thousand changes of one number: what is still accepted still claims only the truth about the same question."""
    path = tmp_path / "c"
    target = {0, 1} if reward else {0}
    proven = written(path, GAME, MAXIMISE, reward, target=target)
    original = members(path)
    header = json.loads(original["header.json"])
    truth = brute_force(GAME, MAXIMISE, target, reward)
    assert proven.lower <= truth[2] <= proven.upper
    random_ = random.Random(20261201)
    accepted = 0
    for _ in range(1_000):
        name, contents = corrupted(original, random_)
        if contents == original:
            continue
        try:
            claimed, lower, upper = checker.check(rewritten(tmp_path / "bad", contents))
        except (checker.ViolatedError, checker.UnusableError):
            continue
        accepted += 1
        assert name in ("lower", "upper", "rank", "infinite", "header.json"), f"a change of {name} went unnoticed"
        assert claimed["model_digest"] == header["model_digest"]
        assert claimed["question_digest"] == header["question_digest"]
        assert lower <= truth[claimed["initial_state"]] <= upper
    assert accepted < 700


def test_bounds_one_step_beyond_the_truth_are_rejected(tmp_path):
    """The greatest lower and least upper bound are tight: moving the initial state's across the value fails."""
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    contents = members(path)
    header = json.loads(contents["header.json"])
    width, denominator = header["bytes"], int(header["denominator"])
    value = brute_force(GAME, MAXIMISE, {0}, False)[2]
    for name, claim in (("lower", math.ceil(value * denominator) + 1), ("upper", math.floor(value * denominator) - 1)):
        data = bytearray(contents[name])
        data[2 * width : 3 * width] = claim.to_bytes(width, "little")
        with pytest.raises(checker.ViolatedError, match=f"{name} bound is not inductive"):
            checker.check(rewritten(tmp_path / "bad", contents | {name: bytes(data)}))


def claim(path, states, maximise, reward, lower, upper, rank):
    """Write a certificate with bounds of one's own choosing, over the denominator 2."""
    written(path, states, maximise, reward)
    contents = members(path)
    header = json.loads(contents["header.json"]) | {"denominator": "2", "bytes": 1}
    contents["header.json"] = json.dumps(header).encode()
    contents["lower"], contents["upper"] = bytes(int(2 * x) for x in lower), bytes(int(2 * x) for x in upper)
    contents["rank"] = b"".join(r.to_bytes(8, "little") for r in rank)
    return rewritten(path, contents)


def test_a_fixpoint_on_an_end_component_is_no_lower_bound(tmp_path):
    states = [[(0, [(1, 0)])], [(0, [(1, 1)])], [(0, [(1, 3)])], [(0, [(1, 2)]), (0, [(HALF, 0), (HALF, 1)])]]
    everyone = np.ones(4, dtype=bool)
    good = claim(tmp_path / "c", states, everyone, False, [1, 0, HALF, HALF], [1, 0, HALF, HALF], [0, 0, 2, 1])
    assert checker.check(good)[1:] == (HALF, HALF)
    for ranks in ([0, 0, 2, 1], [0, 0, 1, 2], [0, 0, 1, 1]):
        bad = claim(tmp_path / "c", states, everyone, False, [1, 0, 1, 1], [1, 0, 1, 1], ranks)
        with pytest.raises(checker.ViolatedError, match="lower bound"):
            checker.check(bad)


def test_a_costless_cycle_is_no_upper_bound(tmp_path):
    states = [[(0, [(1, 0)])], [(0, [(1, 1)])], [(0, [(1, 2)]), (1, [(1, 0)])]]
    nobody = np.zeros(3, dtype=bool)
    for ranks in ([0, 0, 1], [0, 0, 0], [0, 0, 5]):
        bad = claim(tmp_path / "c", states, nobody, True, [0, 0, 0], [0, 0, 0], ranks)
        with pytest.raises(checker.ViolatedError, match="upper bound"):
            checker.check(bad)


def test_a_certificate_for_another_model_is_refused(tmp_path):
    path = tmp_path / "c"
    proven = written(path, GAME, MAXIMISE, False)
    assert checker.main([str(path), "--model-digest", proven.model_digest]) == 0
    assert checker.main([str(path), "--model-digest", "0" * 64]) == 1
    other = [GAME[0], GAME[1], [(0, [(HALF, 0), (HALF, 3)]), GAME[2][1]], *GAME[3:]]
    model, _ = model_of(other)
    contents = members(path)
    header = json.loads(contents["header.json"]) | {"model_digest": model.digest()}
    with pytest.raises(checker.ViolatedError, match="digest"):
        checker.check(rewritten(path, contents | {"header.json": json.dumps(header).encode()}))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda c: {k: v for k, v in c.items() if k != "rank"},
        lambda c: c | {"rank": c["rank"][:-1]},
        lambda c: c | {"rank": c["rank"] + b"\0"},
        lambda c: c | {"header.json": b"{"},
        lambda c: c | {"header.json": b"[]"},
        lambda c: c | {"header.json": b"[" * 100_000},
        lambda c: c | {"header.json": c["header.json"].replace(b'"1/6"', b'"NaN"')},
        lambda c: c | {"header.json": c["header.json"].replace(b'"1/6"', b'"1/0"')},
        lambda c: c | {"header.json": c["header.json"].replace(b'"states": 5', b'"states": 5000000000')},
        lambda c: c | {"header.json": c["header.json"].replace(b'"states": 5', b'"states": -5')},
    ],
)
def test_files_that_are_no_certificates_are_unusable(tmp_path, capsys, break_it):
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    rewritten(path, break_it(members(path)))
    assert checker.main([str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("checker: ")
    assert error.count("\n") == 1


def changed(**fields):
    """Return a function that changes fields of a certificate's header (those that are None are taken out)."""

    def change(contents):
        header = json.loads(contents["header.json"]) | fields
        header = {name: value for name, value in header.items() if value is not None}
        return contents | {"header.json": json.dumps(header).encode()}

    return change


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (changed(initial_state=1.0), "initial state"),
        (changed(initial_state=True), "initial state"),
        (changed(name=None), "name"),
        (changed(name=3), "not a certificate"),
        (changed(property="P\nexactly between 9/10 and 9/10"), "not printable"),
        (changed(probabilities=[math.inf]), "not a certificate"),
        (changed(probabilities=["1e-99999999"]), "not a fraction"),
        (changed(rewards=["1e99999999"]), "not a fraction"),
        (changed(complement="no"), "complement"),
        (changed(complement=True, kind="reward"), "complement"),
        (changed(denominator="1" + "0" * 4000), "digits"),
        (lambda c: changed(bytes=5000)(c) | {"lower": bytes(25_000), "upper": b"\xff" * 25_000}, "digits"),
    ],
)
def test_a_header_that_would_mislead_or_stall_is_unusable(tmp_path, capsys, break_it, reason):
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    rewritten(path, break_it(members(path)))
    assert checker.main([str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert reason in printed.err
    assert printed.err.count("\n") == 1


def test_no_changed_byte_of_the_file_crashes_the_checker(tmp_path, capsys):
    """Whatever byte of the archive is changed, compressed data included: a verdict or one sentence."""
    path = tmp_path / "c"
    proven = written(path, GAME, MAXIMISE, False)
    original = path.read_bytes()
    random_ = random.Random(5)
    seen = set()
    for _ in range(1_000):
        data = bytearray(original)
        data[random_.randrange(len(data))] = random_.randrange(256)
        path.write_bytes(data)
        status = checker.main([str(path)])
        seen.add(status)
        if status == 0:
            assert checker.check(path)[1:] == (proven.lower, proven.upper)
    assert seen >= {0, 2}
    capsys.readouterr()


def test_another_compression_is_refused(tmp_path, capsys):
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    contents = members(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    assert checker.main([str(path)]) == 2
    assert "deflate" in capsys.readouterr().err


def test_a_property_of_several_lines_is_carried_as_one(tmp_path):
    model, rewards = model_of(GAME)
    query = query_of(model, rewards, MAXIMISE, False, {0})
    certificate.write(tmp_path / "c", model, query, solve(model, query), property_text="P=?\n\t[ F x ]")
    assert checker.check(tmp_path / "c")[0]["property"] == "P=? [ F x ]"


def test_a_truncated_file_is_unusable(tmp_path, capsys):
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    path.write_bytes(path.read_bytes()[:-40])
    assert checker.main([str(path)]) == 2
    assert checker.main([str(tmp_path / "missing")]) == 2
    assert checker.main([]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_checker_stands_alone():
    tree = ast.parse(CHECKER.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names
    assert len(CHECKER.read_text(encoding="utf-8").splitlines()) < 400


def test_the_checker_runs_as_a_program(tmp_path):
    path = tmp_path / "c"
    written(path, GAME, MAXIMISE, False)
    done = subprocess.run([sys.executable, "-I", str(CHECKER), str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("valid\n")
    assert done.stderr == ""


def test_what_has_no_certificate_is_refused(tmp_path):
    model, rewards = model_of(GAME)
    everyone = np.ones(5, dtype=bool)
    target = np.arange(5) == 0
    bounded = Query("probability", target, everyone, steps=3)
    with pytest.raises(UnsupportedError, match="step-bounded"):
        certificate.write(tmp_path / "c", model, bounded, solve(model, bounded))
    query = query_of(model, rewards, everyone, False, {0})
    with pytest.raises(UnsupportedError, match="exact"):
        certificate.write(tmp_path / "c", model, query, solve(model, query, exact=True))
    wrong = replace(solve(model, query), lower=np.ones(5))
    with pytest.raises(CertificateError, match="lower bound"):
        certificate.write(tmp_path / "c", model, query, wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_refined_component_below_another_is_certified(tmp_path):
    """A slow component worth almost 1 is proven in double words; no bound may then exceed 1 and spoil those above."""
    n = 40
    slow = Fraction(1, 2)
    states = [[(0, [(1, 0)])], [(0, [(1, 1)])]]
    states += [[(0, [(slow, max(k - 1, 2)), (slow, k + 1 if k < n - 1 else 0)])] for k in range(2, n)]
    tiny = Fraction(1, 10**9)
    states[2] = [(0, [(1 - tiny, 3), (tiny, 1)])]
    states += [[(0, [(1 - tiny, 5), (tiny, 4)])], [(0, [(slow, n), (slow, 6)])]]
    proven = written(tmp_path / "c", states, np.ones(len(states), dtype=bool), False, initial=len(states) - 1)
    assert proven.lower < proven.upper <= 1
    assert proven.upper - proven.lower < Fraction(1, 10**12)
