"""UMB archives: what Storm writes is read, what we write Storm reads, and damaged archives are refused."""

import gzip
import io
import json
import lzma
import tarfile
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymc_games import archive, storm, umb
from pymc_games.errors import FileFormatError, GamesError, ModelError, UnsupportedError
from pymc_games.explicit import ExactNumbers, ExplicitModel, RewardModel
from pymc_games.rationals import distinct_values, is_doubtful, read_float, read_floats, read_fraction
from pymc_games.result import exact_json

GAME = """
smg
player one [a], [b] endplayer
player two [c], [end] endplayer
global low : [-300..2] init -3;
global done : bool init false;
module m
  x : [0..3] init 0;
  [a] x=0 -> 1/3:(x'=1)&(low'=-300) + 2/3:(x'=1);
  [b] x=0 -> 1/7:(x'=2) + 6/7:(x'=3);
  [c] x=1 -> 0.1:(x'=2) + 0.9:(x'=3)&(done'=true);
  [end] x>1 -> true;
endmodule
label "good" = x=3;
rewards true : 1/7; endrewards
rewards "cost" [a] true : 3; x=1 : 0.5; endrewards
"""


@pytest.fixture(scope="module")
def model():
    return storm.to_explicit(storm.build(storm.parse_text(GAME)))


@pytest.fixture
def members(model, tmp_path):
    umb.write(model, tmp_path / "game.umb")
    return {name: bytes(content) for name, content in archive.read(tmp_path / "game.umb").items()}


def test_reads_what_storm_writes(model):
    assert (model.type, model.players) == ("smg", ("one", "two"))
    places = {
        (int(x), int(low), bool(done))
        for x, low, done in zip(*(model.variables[n] for n in ("x", "low", "done")), strict=True)
    }
    assert places == {
        (0, -3, False), (1, -300, False), (1, -3, False), (2, -3, False),
        (3, -3, False), (2, -300, False), (3, -300, True), (3, -3, True),
    }  # fmt: skip
    assert (model.label("good") == (model.variables["x"] == 3)).all()
    assert model.label("init").sum() == 1
    assert set(model.probabilities.table) == {
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1, 7),
        Fraction(6, 7),
        Fraction(1, 10),
        Fraction(9, 10),
        1,
    }
    assert list(np.unique(model.state_to_player[model.variables["x"] == 0])) == [0]
    assert list(np.unique(model.state_to_player[model.variables["x"] == 1])) == [1]
    assert model.rewards[""].state.table == (Fraction(1, 7),)
    assert set(model.rewards["cost"].choice.table) == {0, 3}
    assert sorted(set(model.choice_to_action)) == ["a", "b", "c", "end"]


def test_written_and_read_again_it_is_the_same_model(model, tmp_path):
    umb.write(model, tmp_path / "game.umb")
    again = umb.read(tmp_path / "game.umb")
    assert again.digest() == model.digest()
    assert list(again.variables) == list(model.variables)
    assert all((again.variables[name] == model.variables[name]).all() for name in model.variables)
    assert all((again.labels[name] == model.labels[name]).all() for name in model.labels)
    assert again.choice_to_action == model.choice_to_action
    assert again.rewards["cost"].choice.floats().tolist() == model.rewards["cost"].choice.floats().tolist()


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed_archives_are_read(model, tmp_path, pack):
    umb.write(model, tmp_path / "plain.umb")
    (tmp_path / "packed.umb").write_bytes(pack((tmp_path / "plain.umb").read_bytes()))
    assert umb.read(tmp_path / "packed.umb").digest() == model.digest()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**30), st.integers(1, 10**30)), min_size=1, max_size=5), st.data())
def test_any_rationals_survive(tmp_path_factory, weights, data):
    """A chain whose rows are arbitrary rationals comes back exactly, wide numerators and all."""
    states = len(weights)
    rows = [Fraction(a, a + b) for a, b in weights]
    targets = data.draw(st.lists(st.integers(0, states - 1), min_size=2 * states, max_size=2 * states))
    values = np.array(data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=states, max_size=states)))
    chain = ExplicitModel(
        "dtmc", np.arange(states + 1), 2 * np.arange(states + 1), np.array(targets),
        ExactNumbers.of([p for row in rows for p in (row, 1 - row)]), variables={"v": values, "b": values > 0},
        rewards={"r": RewardModel(ExactNumbers.of(rows), None, ExactNumbers.of([2 * p for p in rows for _ in "ab"]))},
    )  # fmt: skip
    path = tmp_path_factory.mktemp("umb") / "chain.umb"
    umb.write(chain, path)
    again = umb.read(path)
    assert again.digest() == chain.digest()
    assert (again.variables["v"] == values).all()
    assert (again.variables["b"] == (values > 0)).all()
    assert [again.rewards["r"].branch[i] for i in range(2 * states)] == [
        chain.rewards["r"].branch[i] for i in range(2 * states)
    ]


def test_storm_reads_what_we_write_with_its_rationals(model):
    mdp = replace(model, type="mdp", state_to_player=None, players=())
    built = storm.from_explicit(mdp, exact=True)
    assert storm.check(built, 'Pmax=? [ F "good" ]').at(built.initial_state).exact == Fraction(9, 10)


@pytest.mark.parametrize(
    ("number", "reading"),
    [
        (0.1, Fraction(1, 10)),
        (1 / 3, Fraction(1, 3)),
        (1 / 6 + 1 / 6 + 1 / 6, Fraction(1, 2)),
        (5 / 36 * (1 / 7), Fraction(5, 252)),
        (0.123456789012, Fraction(123456789012, 10**12)),
        (0.898712013, Fraction(898712013, 10**9)),
        (4.73143515, Fraction(473143515, 10**8)),
        (5880.22582523, Fraction(588022582523, 10**8)),
        (1e22, 10**22),
        (5e-324, Fraction(5, 10**324)),
        (1.0, 1),
        (0.0, 0),
        (-0.25, Fraction(-1, 4)),
        (1e-300, Fraction(1, 10**300)),
        (0.1234567890123456789, Fraction(0.1234567890123456789)),
    ],
)
def test_readings_of_floats(number, reading):
    assert read_float(number) == reading


def test_fractions_of_any_length_are_read_and_written():
    long = Fraction(10**6000 + 1, 3 * 10**5999)
    text = exact_json(long)
    assert read_fraction(f"{text['num']}/{text['den']}") == long
    assert read_fraction("-2/7") == Fraction(-2, 7)
    with pytest.raises(ValueError, match=r".*"):
        read_fraction("seven")


@given(st.integers(1, 2**20), st.integers(1, 2**20))
def test_small_fractions_are_recovered_even_after_a_rounding(a, b):
    p = Fraction(min(a, b), max(a, b))
    for shaken in (float(p), np.nextafter(float(p), 2), np.nextafter(float(p), 0)):
        assert read_float(float(shaken)) == p


@given(st.integers(0, 10**10), st.integers(0, 10))
def test_decimals_of_ten_digits_are_never_taken_for_another_fraction(number, places):
    # A fraction that is preferred has at most 5 digits below: it is then at least 1e-15 away.
    decimal = Fraction(number % 10**places, 10**places)
    assert read_float(float(decimal)) == decimal


def test_readings_that_may_be_wrong_are_known_as_such():
    squares = [read_float(float(Fraction(f"0.{number}") ** 2)) for number in range(7123456001, 7123456201)]
    assert all(map(is_doubtful, squares))
    assert not any(map(is_doubtful, (Fraction(1, 2**20), Fraction(6**7 - 1, 6**7), Fraction(123456789, 10**9))))


@given(st.lists(st.floats(-1e9, 1e9), max_size=200))
def test_distinct_values_are_those_of_numpy(numbers):
    array = np.array(numbers, dtype=np.float64)
    distinct, index = distinct_values(array)
    assert (distinct[index] == array).all()
    assert sorted(set(distinct.tolist())) == sorted(set(numbers))
    assert len(read_floats(array)) == len(numbers)


# --- archives that somebody has tampered with -----------------------------------------------------------------------


def put(path, members, edit=lambda header: header):
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            tar.addfile(edit(header), io.BytesIO(content))
    return path


def test_a_tampered_archive_that_is_not_tampered_with_is_read(members, model, tmp_path):
    assert umb.read(put(tmp_path / "a.umb", members)).digest() == model.digest()


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "a//b", "./x", "a\\b", "C:evil", "a b"])
def test_names_that_lead_elsewhere_are_refused(members, tmp_path, name):
    with pytest.raises(FileFormatError, match="refused"):
        umb.read(put(tmp_path / "a.umb", {**members, name: b"x"}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.umb", "game.umb"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(members, tmp_path, kind):
    def link(header):
        if header.name == "branch-to-target.bin":
            header.type, header.linkname, header.size = kind, "/etc/passwd", 0
        return header

    with pytest.raises(FileFormatError, match="links and devices are refused"):
        umb.read(put(tmp_path / "a.umb", members, link))


def test_members_that_occur_twice_are_refused(members, tmp_path):
    path = put(tmp_path / "a.umb", members)
    with tarfile.open(path, "a") as tar:
        tar.addfile(tarfile.TarInfo("index.json"), io.BytesIO())
    with pytest.raises(FileFormatError, match="occurs twice"):
        umb.read(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_every_truncation_is_refused(members, tmp_path, pack):
    whole = pack(put(tmp_path / "a.umb", members).read_bytes())
    end = len(whole) if pack is not bytes else len(whole) - 10240  # a tar file ends in blocks of zeros
    for length in range(0, end, max(1, end // 40)):
        (tmp_path / "b.umb").write_bytes(whole[:length])
        with pytest.raises(GamesError):
            umb.read(tmp_path / "b.umb")


def test_a_member_that_claims_to_be_huge_is_refused_before_it_is_read(members, tmp_path):
    path = put(tmp_path / "a.umb", members)
    data = bytearray(path.read_bytes())
    header = tarfile.TarInfo("index.json")
    header.size = 2**39
    data[: tarfile.BLOCKSIZE] = header.tobuf(format=tarfile.GNU_FORMAT)[: tarfile.BLOCKSIZE]
    path.write_bytes(bytes(data))
    with pytest.raises(FileFormatError, match=r"truncated|not a readable archive"):
        umb.read(path)


def test_a_bomb_is_refused(tmp_path):
    (tmp_path / "bomb.umb").write_bytes(gzip.compress(bytes(2**22)))
    with pytest.raises(FileFormatError, match="larger than 1000000 bytes"):
        archive.read(tmp_path / "bomb.umb", limit=10**6)


def changed_index(members, change):
    index = json.loads(members["index.json"])
    change(index)
    return {**members, "index.json": json.dumps(index).encode()}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda index: index["transition-system"].update({"#states": 10**15}), "cannot be"),
        (lambda index: index["transition-system"].update({"#states": 2**39}), "bytes; the index asks for"),
        (lambda index: index["transition-system"].update({"#branches": -1}), "cannot be"),
        (lambda index: index["transition-system"].update({"#choices": "7"}), "not of type int"),
        (lambda index: index["transition-system"].pop("time"), "'time' in index.json is missing"),
        (lambda index: index.pop("transition-system"), "'transition-system' in index.json is missing"),
        (lambda index: index.update({"format-version": 7}), "only version 1"),
        (
            lambda index: index["valuations"]["states"]["classes"][0]["variables"].append({"padding": 3}),
            "no number of bytes",
        ),
        (lambda index: index["valuations"]["states"]["classes"][0].update({"variables": [{"name": 3}]}), "has no type"),
        (
            lambda index: index["transition-system"].update(
                {"branch-probability-type": {"type": "rational", "size": 256}}
            ),
            "asks for",
        ),
    ],
)
def test_an_index_that_does_not_fit_the_arrays_is_refused(members, tmp_path, change, complaint):
    with pytest.raises(FileFormatError, match=complaint):
        umb.read(put(tmp_path / "a.umb", changed_index(members, change)))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda index: index["transition-system"].update({"time": "stochastic"}), "continuous time"),
        (lambda index: index["transition-system"].update({"#observations": 2}), "pomdp"),
        (
            lambda index: index["transition-system"].update({"branch-probability-type": {"type": "double-interval"}}),
            "double-interval",
        ),
        (lambda index: index["valuations"]["states"]["classes"].append({}), "several classes"),
        (
            lambda index: index["valuations"]["states"]["classes"][0]["variables"][0]["type"].update(
                {"type": "string"}
            ),
            "string",
        ),
    ],
)
def test_what_is_outside_the_scope_is_refused_by_name(members, tmp_path, change, named):
    with pytest.raises(UnsupportedError, match=named):
        umb.read(put(tmp_path / "a.umb", changed_index(members, change)))


def floats(members, change):
    """Return the archive with probabilities as doubles, after ``change`` to them."""
    probabilities = np.frombuffer(members["branch-to-probability.bin"], "<i8").reshape(-1, 2)
    values = probabilities[:, 0] / probabilities[:, 1]
    change(values)
    double = changed_index(
        members,
        lambda index: index["transition-system"].update({"branch-probability-type": {"type": "double", "size": 64}}),
    )
    return {**double, "branch-to-probability.bin": values.astype("<f8").tobytes()}


def test_doubles_are_read_as_the_fractions_they_were(members, model, tmp_path):
    assert umb.read(put(tmp_path / "a.umb", floats(members, lambda values: None))).digest() == model.digest()


@pytest.mark.parametrize(
    ("value", "kind", "complaint"),
    [
        (float("nan"), FileFormatError, "entry 0 of branch-to-probability.bin is nan"),
        (float("inf"), FileFormatError, "is inf"),
        (-0.5, ModelError, "a probability is -1/2"),
        (1.5, ModelError, "a probability is 3/2"),
        (0.5, ModelError, r"x=0.* sum to 7/6 \(about 1.16666666667\), not 1"),
    ],
)
def test_bad_probabilities_are_refused(members, tmp_path, value, kind, complaint):
    def change(values):
        values[0] = value

    with pytest.raises(kind, match=complaint):
        umb.read(put(tmp_path / "a.umb", floats(members, change)))


@pytest.mark.parametrize("name", ["state-to-choices.bin", "choice-to-branches.bin"])
@pytest.mark.parametrize("position", [0, 1, 3, -1])
@pytest.mark.parametrize("value", [0, 2, 10**9, 2**63 + 1, 2**64 - 1])
def test_offsets_that_run_backwards_or_past_the_end_are_refused(members, tmp_path, name, position, value):
    array = np.frombuffer(members[name], "<u8").copy()
    if array[position] == value:
        return
    array[position] = value
    with pytest.raises(ModelError):
        umb.read(put(tmp_path / "a.umb", {**members, name: array.tobytes()}))


def test_targets_and_owners_that_do_not_exist_are_refused(members, tmp_path):
    for name, dtype in (("branch-to-target.bin", "<u8"), ("state-to-player.bin", "<u4")):
        array = np.frombuffer(members[name], dtype).copy()
        array[0] = 10**6
        with pytest.raises(GamesError):
            umb.read(put(tmp_path / "a.umb", {**members, name: array.tobytes()}))


@pytest.mark.parametrize(
    "name", ["branch-to-target.bin", "branch-to-probability.bin", "index.json", "valuations/states/valuations.bin"]
)
def test_missing_and_short_arrays_are_refused(members, tmp_path, name):
    without = {key: value for key, value in members.items() if key != name}
    with pytest.raises(FileFormatError):
        umb.read(put(tmp_path / "a.umb", without))
    with pytest.raises(FileFormatError):
        umb.read(put(tmp_path / "a.umb", {**members, name: members[name][:-1]}))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_flipped_bytes_never_do_more_than_be_refused(tmp_path_factory, data):
    """Whatever is in an archive, reading it gives a valid model or an error of ours."""
    folder = tmp_path_factory.mktemp("flip")
    umb.write(storm_free_model(), folder / "a.umb")
    content = bytearray((folder / "a.umb").read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    (folder / "a.umb").write_bytes(bytes(content))
    with suppress(GamesError):
        umb.read(folder / "a.umb").validate()


def storm_free_model():
    return ExplicitModel(
        "mdp", np.array([0, 2, 3]), np.array([0, 2, 3, 4]), np.array([0, 1, 1, 1]),
        ExactNumbers.of([Fraction(1, 2), Fraction(1, 2), Fraction(1), Fraction(1)]),
        labels={"goal": np.array([False, True])}, variables={"x": np.array([3, -9])},
        choice_to_action=["go", "jump", "stay"],
        rewards={"cost": RewardModel(choice=ExactNumbers.of([Fraction(1), Fraction(2, 3), Fraction(0)]))},
    )  # fmt: skip
