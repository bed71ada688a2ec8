"""From the members of a UMB archive to an explicit model."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pymc_games.errors import FileFormatError, UnsupportedError
from pymc_games.explicit import Bools, ExactNumbers, ExplicitModel, Ints, ModelType, RewardModel
from pymc_games.rationals import read_floats
from pymc_games.umb.writer import NOBODY

Expected = TypeVar("Expected")

_MOST = 2**40
_ENTITIES = ("states", "choices", "branches")


class Reader:
    """Builds a model from the members of an archive; every size is checked against the index."""

    def __init__(self, path: str, members: Mapping[str, memoryview]) -> None:
        self.path = path
        self.members = members
        self.index = self._index()
        self.system: dict[str, Any] = self.get(self.index, "transition-system", dict)
        self.counts = {name: self._count(f"#{name}") for name in _ENTITIES}

    def _index(self) -> dict[str, Any]:
        if "index.json" not in self.members:
            raise FileFormatError(f"{self.path} is not a UMB archive: it has no index.json")
        try:
            index = json.loads(bytes(self.members["index.json"]).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"{self.path}: index.json is not readable: {error}") from error
        if not isinstance(index, dict) or index.get("format-version") != 1:
            raise FileFormatError(f"{self.path}: only version 1 of the UMB format is read")
        return index

    def get(
        self, section: Mapping[str, Any], key: str, kind: type[Expected], default: Expected | None = None
    ) -> Expected:
        """Return an entry of the index, which must be of the given type."""
        value = section.get(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise FileFormatError(f"{self.path}: '{key}' in index.json is missing or not of type {kind.__name__}")
        return value

    def _count(self, key: str) -> int:
        number = self.get(self.system, key, int)
        if not 0 <= number < _MOST:
            raise FileFormatError(f"{self.path}: {key} is {number}, which cannot be")
        return number

    def model(self) -> ExplicitModel:
        """Return the model, still to be validated."""
        if self.get(self.system, "time", str) != "discrete":
            raise UnsupportedError(f"{self.path}: continuous time is not supported; use dtmc, mdp or smg")
        if self.system.get("#observations", 0):
            raise UnsupportedError(f"{self.path}: a partially observable model (pomdp) is not supported")
        players = self._count("#players")
        kind: ModelType = "dtmc" if players == 0 else "mdp" if players == 1 else "smg"
        states, choices, branches = self.counts.values()
        initial = np.flatnonzero(self.bits("state-is-initial.bin", states))
        if len(initial) != 1:
            raise UnsupportedError(f"{self.path} has {len(initial)} initial states; exactly one is supported")
        names = self.get(self.system, "player-names", list, [str(player + 1) for player in range(players)])
        return ExplicitModel(
            type=kind,
            state_to_choices=self.rows("state-to-choices.bin", states, choices),
            choice_to_branches=self.rows("choice-to-branches.bin", choices, branches),
            branch_to_target=self.array("branch-to-target.bin", "<u8", branches).view("<i8"),
            probabilities=self.numbers(
                "branch-to-probability.bin", self.system.get("branch-probability-type"), branches
            ),
            initial_state=int(initial[0]),
            labels=self._labels(states) | {"init": np.arange(states) == initial[0]},
            rewards=self._rewards(),
            variables=self._variables(states),
            state_to_player=self._owners(states, players) if kind == "smg" else None,
            players=tuple(str(name) for name in names) if kind == "smg" else (),
            choice_to_action=self._actions(choices),
            name=os.path.splitext(os.path.basename(self.path))[0],
        )

    def array(self, name: str, kind: DTypeLike, count: int, default: int | None = None) -> NDArray:
        """Return one array; ``default`` fills it where it is absent."""
        if name not in self.members:
            if default is None:
                raise FileFormatError(f"{self.path}: {name} is missing")
            return np.full(count, default, dtype=kind)
        dtype = np.dtype(kind)
        size = len(self.members[name])
        if size != count * dtype.itemsize:
            raise FileFormatError(f"{self.path}: {name} has {size} bytes; the index asks for {count * dtype.itemsize}")
        return np.frombuffer(self.members[name], dtype)

    def bits(self, name: str, count: int) -> Bools:
        """Return one bitset as a bool array; all false where it is absent."""
        words = self.array(name, "<u8", -(-count // 64), default=0)
        return np.unpackbits(words.view(np.uint8), count=count, bitorder="little").astype(bool)

    def rows(self, name: str, count: int, end: int) -> Ints:
        """Return row starts; where they are absent each row has one entry. Their order is for the model to check."""
        if name in self.members:
            return self.array(name, "<u8", count + 1).view("<i8")
        if count != end:
            raise FileFormatError(
                f"{self.path}: {name} is missing, but {count} rows do not hold {end} entries one each"
            )
        return np.arange(count + 1)

    def numbers(self, name: str, kind: Any, count: int) -> ExactNumbers:
        """Return an array of doubles or rationals as exact numbers."""
        described = kind if isinstance(kind, dict) else {}
        if described.get("type") == "double":
            values = self.array(name, "<f8", count)
            wrong = np.flatnonzero(~np.isfinite(values))
            if wrong.size:
                raise FileFormatError(f"{self.path}: entry {wrong[0]} of {name} is {values[wrong[0]]}")
            return read_floats(values)
        size = described.get("size", 128)
        if described.get("type") == "rational" and isinstance(size, int) and size > 0 and size % 128 == 0:
            return self._rationals(name, size // 8, count)
        raise UnsupportedError(
            f"{self.path}: {name} of type {described.get('type', 'none')} is not supported; use double or rational"
        )

    def _rationals(self, name: str, size: int, count: int) -> ExactNumbers:
        distinct, index = np.unique(self.array(name, f"V{size}", count), return_inverse=True)
        table: list[Fraction] = []
        for entry in (item.tobytes() for item in distinct):
            numerator = int.from_bytes(entry[: size // 2], "little", signed=True)
            denominator = int.from_bytes(entry[size // 2 :], "little")
            if denominator == 0:
                raise FileFormatError(f"{self.path}: {name} has a denominator of 0")
            table.append(Fraction(numerator, denominator))
        return ExactNumbers(tuple(table), index.astype(np.int32))

    def _annotations(self, group: str) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return folder and description of each annotation of a group, by the name that properties use."""
        described = self.get(self.get(self.index, "annotations", dict, {}), group, dict, {})
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for identifier, annotation in described.items():
            if not isinstance(annotation, dict):
                raise FileFormatError(f"{self.path}: the annotation '{identifier}' has no description")
            # Storm writes the unnamed reward model as 'default', without an alias.
            unnamed = group == "rewards" and identifier == "default"
            name = self.get(annotation, "alias", str, "" if unnamed else identifier)
            found[name] = (f"annotations/{group}/{identifier}", annotation)
        return found

    def _labels(self, states: int) -> dict[str, Bools]:
        return {
            name: self.bits(f"{folder}/states/values.bin", states)
            for name, (folder, _) in self._annotations("aps").items()
        }

    def _rewards(self) -> dict[str, RewardModel]:
        found: dict[str, RewardModel] = {}
        for name, (folder, annotation) in self._annotations("rewards").items():
            parts = {
                entity: self.numbers(f"{folder}/{entity}/values.bin", annotation.get("type"), self.counts[entity])
                for entity in _ENTITIES
                if f"{folder}/{entity}/values.bin" in self.members
            }
            found[name] = RewardModel(parts.get("states"), parts.get("choices"), parts.get("branches"))
        return found

    def _owners(self, states: int, players: int) -> Ints:
        owners = self.array("state-to-player.bin", "<u4", states, default=0).astype(np.int64)
        owners[owners == NOBODY] = -1
        if len(owners) and owners.max() >= players:
            raise FileFormatError(f"{self.path}: state-to-player.bin names a player beyond the {players}")
        return owners

    def _actions(self, choices: int) -> list[str] | None:
        count = self._count("#choice-actions")
        if "actions/choices/string-mapping.bin" not in self.members:
            return None
        text = bytes(self.members.get("actions/choices/strings.bin", b""))
        starts = self.rows("actions/choices/string-mapping.bin", count, count)
        actions = self.array("actions/choices/values.bin", "<u4", choices, default=0)
        if (
            (np.diff(starts) < 0).any()
            or starts[0] != 0
            or starts[-1] > len(text)
            or (len(actions) and actions.max() >= count)
        ):
            raise FileFormatError(f"{self.path}: the action names are broken")
        names = [text[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(starts)]
        chosen: list[str] = np.array(names, dtype=object)[actions].tolist()
        return chosen

    def _variables(self, states: int) -> dict[str, NDArray]:
        described = self.get(self.get(self.index, "valuations", dict, {}), "states", dict, {})
        classes = self.get(described, "classes", list, [])
        if not classes:
            return {}
        if len(classes) > 1 or "valuations/states/valuation-to-class.bin" in self.members:
            raise UnsupportedError(f"{self.path}: several classes of state valuations are not supported")
        entries = self.get(classes[0] if isinstance(classes[0], dict) else {}, "variables", list)
        fields = [_Field.of(entry, self.path) for entry in entries]
        width = sum(field.size for field in fields)
        if width % 8 or width == 0:
            raise FileFormatError(f"{self.path}: a state valuation has {width} bits, which is no number of bytes")
        rows = self.array("valuations/states/valuations.bin", np.uint8, states * (width // 8)).reshape(
            states, width // 8
        )
        variables: dict[str, NDArray] = {}
        start = 0
        for field in fields:
            if field.name in variables:
                raise FileFormatError(f"{self.path}: the variable {field.name} occurs twice")
            if field.kind != "padding":
                variables[field.name] = field.values(rows, start)
            start += field.size
        return variables


class _Field:
    """One entry of a state valuation: a variable, or padding."""

    def __init__(self, kind: str, name: str, size: int, offset: int) -> None:
        self.kind, self.name, self.size, self.offset = kind, name, size, offset

    @classmethod
    def of(cls, entry: Any, path: str) -> _Field:
        """Read an entry of the index."""
        if not isinstance(entry, dict):
            raise FileFormatError(f"{path}: a variable of the state valuations has no description")
        if "padding" in entry:
            entry = {"name": "", "type": {"type": "padding", "size": entry["padding"]}}
        described = entry.get("type")
        if not isinstance(described, dict):
            raise FileFormatError(f"{path}: a variable of the state valuations has no type")
        kind, name, offset = str(described.get("type")), entry.get("name"), entry.get("offset", 0)
        if kind not in ("bool", "uint", "int", "padding") or entry.get("is-optional"):
            raise UnsupportedError(f"{path}: the variable {name} is of a type ({kind}) that is not supported")
        size = described.get("size", 1 if kind == "bool" else 64)
        most = 64 if kind != "padding" else 2**16
        numbers = all(isinstance(value, int) for value in (size, offset))
        if not numbers or not 0 < size <= most or abs(offset) >= 2**62 or not isinstance(name, str):
            raise FileFormatError(f"{path}: the variable {name} of the state valuations is described wrongly")
        return cls(kind, name, size, offset)

    def values(self, rows: NDArray[np.uint8], start: int) -> NDArray:
        """Return the variable in all states, from bit ``start`` of each row on."""
        first, shift = divmod(start, 8)
        raw = np.zeros(len(rows), dtype=np.uint64)
        for place in range(-(-(shift + self.size) // 8)):
            byte = rows[:, first + place].astype(np.uint64)
            bits = 8 * place - shift
            raw |= byte << np.uint64(bits) if bits >= 0 else byte >> np.uint64(-bits)
        if self.size < 64:
            raw &= np.uint64(2**self.size - 1)
        if self.kind == "bool":
            return raw != 0
        values = raw.view(np.int64)
        if self.kind == "int" and self.size < 64:
            values = np.where(values >= 2 ** (self.size - 1), values - 2**self.size, values)
        return values + self.offset
