"""PRISM programs: parsed by Storm, with a value for every constant."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import stormpy

from pymc_games.errors import ModelError, PropertyError, UnsupportedError, UsageError, hint
from pymc_games.expressions import Constant, constant_value
from pymc_games.storm.calls import translating

_OUTSIDE = {
    "ctmc": "a continuous-time Markov chain (ctmc)",
    "ctmdp": "a continuous-time decision process (ctmdp)",
    "ma": "a Markov automaton (ma)",
    "pomdp": "a partially observable model (pomdp)",
    "popta": "a partially observable timed automaton (popta)",
    "pta": "a probabilistic timed automaton (pta)",
    "csg": "a concurrent game (csg)",
    "tsg": "a timed game (tsg)",
    "idtmc": "an interval model (idtmc)",
    "imdp": "an interval model (imdp)",
}

BYTE_ORDER_MARK = "\ufeff"
#: Storm's whole numbers have 64 bits.
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Program:
    """A parsed PRISM program whose constants all have values.

    ``constants`` has all of them, ``given`` those that the text leaves open; ``source`` is its name in messages.
    """

    handle: Any
    source: str
    type: str
    constants: Mapping[str, Constant]
    text: str
    given: Mapping[str, Any]

    def again(self) -> Program:
        """Parse the same text once more: Storm changes a program while it builds."""
        return parse_text(self.text, self.given, self.source)

    def as_written(self) -> Program:
        """Parse the same text without simplifying it: variables that nothing writes stay variables."""
        return parse_text(self.text, self.given, self.source, simplify=False)


def parse(path: str | os.PathLike[str], constants: Mapping[str, Any] | None = None) -> Program:
    """Parse a PRISM file and give its constants their values.

    Parameters
    ----------
    path : path of a ``.prism``, ``.nm``, ``.pm`` or ``.sm`` file
    constants : mapping from name to bool, int, Fraction or text such as ``1/3``

    Raises
    ------
    ModelError
        If the file cannot be read, is no model, or a constant is undefined.
    UsageError
        If a constant is given that the model does not have or that is defined already.
    UnsupportedError
        If the model is of a type outside the scope.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"{path} is not a PRISM file: it is not text") from None
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    if text.startswith(BYTE_ORDER_MARK):
        # Storm does not read it; some editors begin a file with it.
        return parse_text(text.removeprefix(BYTE_ORDER_MARK), constants, str(path))
    return _parse(Path(path), text, str(path), constants or {})


def parse_text(
    text: str, constants: Mapping[str, Any] | None = None, source: str = "the model", *, simplify: bool = True
) -> Program:
    """Parse PRISM text; like `parse`. ``source`` names it in messages."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder, "model.prism")
        path.write_text(text, encoding="utf-8")
        return _parse(path, text, source, constants or {}, simplify)


def _parse(path: Path, text: str, source: str, constants: Mapping[str, Any], simplify: bool = True) -> Program:
    kind = _model_type(text)
    if kind in _OUTSIDE:
        raise UnsupportedError(f"{source} is {_OUTSIDE[kind]}, which is not supported; use dtmc, mdp or smg")
    if re.search(r":\s*clock\b", re.sub(r"//.*", "", text)):
        raise UnsupportedError(f"{source} has clocks, which are not supported; use dtmc, mdp or smg")
    with translating(source, ModelError):
        handle = stormpy.parse_prism_program(path, simplify=simplify)
    declared = {constant.name: constant for constant in handle.constants}
    definitions = {name: _stormy(_constant(name, value, declared, source)) for name, value in constants.items()}
    missing = [name for name, constant in declared.items() if not constant.defined and name not in definitions]
    if missing:
        names = ", ".join(missing)
        raise ModelError(
            f"{source}: no value for the constant{'s' * (len(missing) > 1)} {names}; give -c {missing[0]}=VALUE"
        )
    with translating(source, ModelError):
        handle, _ = stormpy.instantiate_constants(handle, definitions)
        values = {constant.name: _plain(constant) for constant in handle.constants}
    return Program(handle, source, kind, values, text, constants)


def _model_type(text: str) -> str:
    """Return the model type that a PRISM text begins with; stormpy 2.0 has no number for ``smg`` programs."""
    code = re.sub(r"//.*", "", text)
    word = re.match(r"\s*([A-Za-z_]\w*)", code)
    name = word[1] if word else ""
    return {"probabilistic": "dtmc", "nondeterministic": "mdp", "stochastic": "ctmc"}.get(name, name)


def _constant(name: str, value: Any, declared: Mapping[str, Any], source: str) -> Constant:
    if name not in declared:
        raise UsageError(f"{source} has no constant '{name}'; {hint(name, declared, 'it has')}")
    if declared[name].defined:
        raise UsageError(f"{source} defines the constant '{name}' itself; leave it out")
    try:
        plain = constant_value(value) if isinstance(value, str) else value
    except PropertyError as error:
        raise UsageError(f"the constant {name}={value} has no readable value: {error}") from error
    wanted = declared[name].type
    fits = (
        isinstance(plain, bool) if wanted.is_boolean
        else isinstance(plain, int) and not isinstance(plain, bool) if wanted.is_integer
        else isinstance(plain, int | float | Fraction) and not isinstance(plain, bool)
    )  # fmt: skip
    if not fits:
        kind = "true or false" if wanted.is_boolean else "a whole number" if wanted.is_integer else "a number"
        raise UsageError(f"the constant {name}={value} must be {kind}")
    if not wanted.is_rational and isinstance(plain, int) and abs(plain) > _LARGEST:
        raise UsageError(f"the constant {name}={value} is too large; whole numbers go up to {_LARGEST}")
    # Storm wants a number with a denominator for a double, even where it is whole.
    return Fraction(plain) if wanted.is_rational else plain


def _stormy(value: Constant) -> Any:
    return stormpy.Rational(str(value)) if isinstance(value, Fraction) else value


def _plain(constant: Any) -> Constant:
    if constant.type.is_boolean:
        return bool(constant.definition.evaluate_as_bool())
    if constant.type.is_integer:
        return int(constant.definition.evaluate_as_int())
    return Fraction(str(constant.definition.evaluate_as_rational()))
