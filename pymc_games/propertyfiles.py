"""Property files: properties with the constants and labels that they define, ``.props`` and ``.pctl``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pymc_games.errors import PropertyError, UnsupportedError
from pymc_games.expressions import Constant, constant_value
from pymc_games.properties import Property, parse_property


def parse_properties(text: str, definitions: Mapping[str, str] | None = None) -> list[Property]:
    """Read all properties of a property file, with its constants.

    Comments start at ``//``. Properties end at a semicolon or at the end of a line that completes one. ``const`` lines
    define constants; one without a value takes it from ``definitions``. ``label "name" = ...`` lines define labels for
    the properties after them.

    Raises
    ------
    PropertyError
        Where a property is malformed, a constant has no value, or a name is given twice.
    UnsupportedError
        For a property outside the scope.
    """
    found: list[Property] = []
    constants: dict[str, Constant] = {}
    labels: dict[str, str] = {}
    for statement, expected in _statements(text.removeprefix("\ufeff")):
        if re.match(r"const\b", statement):
            name, value = _constant(statement, definitions or {}, constants)
            constants[name] = value
        elif label := re.fullmatch(r'label\s+"(\w+)"\s*=\s*(.+)', statement, re.DOTALL):
            labels[label[1]] = _with_labels(label[2], labels)
        else:
            prop = parse_property(_with_labels(statement, labels), constants)
            if prop.name and prop.name in (earlier.name for earlier in found):
                raise PropertyError(f'two properties have the name "{prop.name}"; rename one')
            found.append(replace(prop, text=statement, expected=expected))
    return [replace(prop, constants=constants) for prop in found]


def read_properties(path: str | os.PathLike[str], definitions: Mapping[str, str] | None = None) -> list[Property]:
    """Read the properties of a file (``.props``, ``.pctl``); see `parse_properties`.

    Raises
    ------
    PropertyError
        Also where the file cannot be read or has no property.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise PropertyError(f"cannot read the property file {path}: {reason}") from error
    try:
        found = parse_properties(text, definitions)
    except (PropertyError, UnsupportedError) as error:
        raise type(error)(f"{path}: {error}") from error
    if not found:
        raise PropertyError(f"{path} has no property")
    return found


def _statements(text: str) -> list[tuple[str, str | None]]:
    """Split a property file: at semicolons, and at line ends where brackets are closed.

    Each statement comes with what the ``// RESULT:`` line before it says.
    """
    found: list[tuple[str, str | None]] = []
    current, expected = "", None
    for line in text.splitlines():
        if result := re.match(r"\s*//\s*RESULT:\s*(.*?)\s*$", line):
            expected = result[1]
        for piece in re.split(r"(;)", re.sub(r"//.*", "", line)):
            current = current + piece if piece != ";" else current
            complete = current.count("[") == current.count("]") and not current.rstrip().endswith(":")
            if piece == ";" or (complete and "[" in current):
                found.append((current.strip(), expected))
                # A line may end a property that a semicolon ends once more.
                expected = expected if not current.strip() else None
                current = ""
        current += " "
    found.append((current.strip(), expected))
    return [(statement, result) for statement, result in found if statement]


def _with_labels(text: str, labels: Mapping[str, str]) -> str:
    """Return a path or formula with the formulas of labels in their places."""
    head, bracket, rest = text.rpartition("[")

    def formula(name: re.Match[str]) -> str:
        return f"({labels[name[1]]})" if name[1] in labels else name[0]

    return head + bracket + re.sub(r'"(\w+)"', formula, rest)


def _constant(statement: str, definitions: Mapping[str, str], earlier: Mapping[str, Constant]) -> tuple[str, Constant]:
    match = re.fullmatch(r"const\s+(?:(int|double|rate|bool)\s+)?(\w+)\s*(?:=\s*(.+))?", statement)
    if match is None:
        raise PropertyError(f"'{statement}' is not a constant; write const int N = 5;")
    kind, name, text = match[1] or "int", match[2], match[3] or definitions.get(match[2])
    if text is None:
        raise PropertyError(f"the constant {name} has no value; give it with -c {name}=VALUE")
    value = constant_value(text, earlier)
    if isinstance(value, bool) != (kind == "bool") or (kind == "int" and not isinstance(value, int)):
        wanted = {"bool": "true or false", "int": "a whole number"}.get(kind, "a number")
        raise PropertyError(f"the constant {name} = {text} must be {wanted}")
    return name, value
