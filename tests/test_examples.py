"""The models that ship with stormpy: what the document says of them still holds, by both exact engines."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPEC = importlib.util.spec_from_file_location("examples", ROOT / "benchmarks" / "examples.py")
examples = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(examples)

SLOW = ("crowds", "coin2", "firewire", "leader4", "wlan0_collide", "nand", "csma", "brp.pm")
DOCUMENT = (ROOT / "docs" / "examples.md").read_text()


def cases():
    for path in examples.files():
        marks = [pytest.mark.full] if path.name.startswith(SLOW) else []
        yield pytest.param(path, id=path.name, marks=marks)


@pytest.mark.parametrize("path", list(cases()))
def test_a_file_is_as_the_document_says(path):
    documented = [line for line in DOCUMENT.splitlines() if line.startswith(f"| {path.name} ")]
    assert list(examples.rows(path)) == documented
    assert not any("differs" in line for line in documented)


def test_the_document_has_the_values_that_are_known_from_the_literature():
    # Knuth and Yao's die, two of them, and the shared coin with N = K = 2
    for line in (
        '| die.pm | dtmc | 13 | `R{"coin_flips"}=? [ F "done" ]` | 11/3 |',
        '| two_dice.nm | mdp | 169 | `Pmax=? [ F "seven" ]` | 1/6 |',
        '| coin2-2.nm | mdp | 272 | `R{"steps"}min=? [ F "finished" ]` | 48 |',
        '| coin2-2.nm | mdp | 272 | `R{"steps"}max=? [ F "finished" ]` | 75 |',
    ):
        assert line in DOCUMENT
