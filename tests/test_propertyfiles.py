"""Property files: what they define, and what is refused."""

from fractions import Fraction

import pytest

from pymc_games.errors import PropertyError
from pymc_games.properties import parse_property
from pymc_games.propertyfiles import parse_properties, read_properties


def test_reads_a_property_file(tmp_path):
    path = tmp_path / "a.props"
    path.write_text(
        "// two properties\nconst int N = 5;\nconst double q;\n"
        '// RESULT: 1/2\n"a": P=? [ F x=N ];\nP=? [\n  F x=2 ] // the second\nR=? [ F x=1 ]; P=? [ G x=1 ]\n'
    )
    props = read_properties(path, {"q": "1/3"})
    assert [prop.text for prop in props] == ['"a": P=? [ F x=N ]', "P=? [   F x=2 ]", "R=? [ F x=1 ]", "P=? [ G x=1 ]"]
    assert [prop.expected for prop in props] == ["1/2", None, None, None]
    assert props[0].constants == {"N": 5, "q": Fraction(1, 3)}


def test_a_property_file_without_a_value_or_a_property_is_refused(tmp_path):
    with pytest.raises(PropertyError, match="the constant N has no value"):
        parse_properties("const int N; P=? [ F x=N ]")
    path = tmp_path / "empty.props"
    path.write_text("// nothing\n")
    with pytest.raises(PropertyError, match="has no property"):
        read_properties(path)
    with pytest.raises(PropertyError, match="cannot read"):
        read_properties(tmp_path / "missing.props")


def test_a_bound_may_name_constants_of_the_file():
    (prop,) = parse_properties("const int k = 3; const double q = k/10;\nP>=q+1/2 [ F x=1 ];")
    assert prop.bound == (">=", Fraction(4, 5))


def test_labels_of_the_file_stand_for_their_formulas():
    one, two = parse_properties(
        'label "far" = x>2;\nlabel "there" = "far" & y=1;\n"far": P=? [ F "there" ]; P=? [ G !"far" ];'
    )
    assert one.path == parse_property("P=? [ F (x>2) & y=1 ]").path
    assert two.path == parse_property("P=? [ G !(x>2) ]").path
    assert one.text == '"far": P=? [ F "there" ]'


def test_a_file_from_windows_is_read(tmp_path):
    (tmp_path / "a.props").write_bytes(b"\xef\xbb\xbfP=? [ F x=1 ];\r\nP=? [ F x=2 ];\r\n")
    assert len(read_properties(tmp_path / "a.props")) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('"a": P=? [ F x=1 ]; "a": P=? [ F x=2 ];', 'two properties have the name "a"'),
        ("const int k = 5/2; P=? [ F x=k ];", "k = 5/2 must be a whole number"),
        ("const bool k = 1; P=? [ F x=k ];", "must be true or false"),
        ("const double k = true; P=? [ F x=k ];", "must be a number"),
    ],
)
def test_what_contradicts_itself_is_refused(text, complaint):
    with pytest.raises(PropertyError, match=complaint):
        parse_properties(text)
