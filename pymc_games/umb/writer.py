"""From an explicit model to the members of a UMB archive."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pymc_games.explicit import Bools, ExactNumbers, ExplicitModel

#: Owner of a state that is nobody's.
NOBODY = 2**32 - 1


class Writer:
    """Turns a model into the members of an archive."""

    def __init__(self, model: ExplicitModel) -> None:
        self.model = model
        self.files: dict[str, bytes] = {}

    def members(self) -> dict[str, bytes]:
        """Return all members, the index first."""
        model = self.model
        self._add("state-to-choices.bin", model.state_to_choices, "<u8")
        if model.type == "smg" and model.state_to_player is not None:
            self._add("state-to-player.bin", np.where(model.state_to_player < 0, NOBODY, model.state_to_player), "<u4")
        self._add_bits("state-is-initial.bin", np.arange(model.states) == model.initial_state)
        self._add("choice-to-branches.bin", model.choice_to_branches, "<u8")
        self._add("branch-to-target.bin", model.branch_to_target, "<u8")
        probability = self._add_numbers("branch-to-probability.bin", model.probabilities)
        actions = self._add_actions()
        players = {"dtmc": 0, "mdp": 1, "smg": len(model.players)}[model.type]
        system: dict[str, Any] = {
            "time": "discrete", "#players": players, "#states": model.states, "#initial-states": 1,
            "#choices": model.choices, "#choice-actions": actions, "#branches": model.branches,
            "#branch-actions": 0, "#observations": 0, "branch-probability-type": probability,
        }  # fmt: skip
        if model.type == "smg":
            system["player-names"] = list(model.players)
        index: dict[str, Any] = {
            "format-version": 1, "format-revision": 0, "file-data": {"tool": "pymc-games"}, "transition-system": system,
            "annotations": {"aps": self._add_labels(), "rewards": self._add_rewards()},
        }  # fmt: skip
        if model.variables:
            index["valuations"] = {"states": self._add_variables()}
        return {"index.json": json.dumps(index, indent=1).encode(), **self.files}

    def _add(self, name: str, array: NDArray, kind: str) -> None:
        self.files[name] = np.ascontiguousarray(array, dtype=kind).tobytes()

    def _add_bits(self, name: str, array: Bools) -> None:
        packed = np.packbits(array, bitorder="little").tobytes()
        self.files[name] = packed.ljust(-(-len(array) // 64) * 8, b"\0")

    def _add_numbers(self, name: str, numbers: ExactNumbers) -> dict[str, Any]:
        longest = max((max(abs(x.numerator), x.denominator).bit_length() for x in numbers.table), default=1)
        half = 8 * (longest // 64 + 1)
        entries = [
            x.numerator.to_bytes(half, "little", signed=True) + x.denominator.to_bytes(half, "little")
            for x in numbers.table
        ]
        table = np.frombuffer(b"".join(entries), dtype=f"V{2 * half}")
        self.files[name] = table[numbers.index].tobytes()
        return {"type": "rational", "size": 16 * half}

    def _add_actions(self) -> int:
        actions = self.model.choice_to_action
        if actions is None:
            return 0
        place: dict[str, int] = {}
        values = np.fromiter((place.setdefault(action, len(place)) for action in actions), np.uint32, len(actions))
        texts = [name.encode() for name in place]
        self._add("actions/choices/values.bin", values, "<u4")
        self._add("actions/choices/string-mapping.bin", np.cumsum([0, *map(len, texts)]), "<u8")
        self.files["actions/choices/strings.bin"] = b"".join(texts)
        return len(place)

    def _add_labels(self) -> dict[str, Any]:
        described: dict[str, Any] = {}
        for number, (name, states) in enumerate(self.model.labels.items()):
            if name == "init":
                continue
            identifier = _identifier(name, f"ap-{number}")
            described[identifier] = {"alias": name, "applies-to": ["states"], "type": {"type": "bool", "size": 1}}
            self._add_bits(f"annotations/aps/{identifier}/states/values.bin", states)
        return described

    def _add_rewards(self) -> dict[str, Any]:
        described: dict[str, Any] = {}
        for number, (name, rewards) in enumerate(self.model.rewards.items()):
            identifier = _identifier(name, f"reward-{number}") if name else "default"
            parts = {"states": rewards.state, "choices": rewards.choice, "branches": rewards.branch}
            present = {entity: part for entity, part in parts.items() if part is not None}
            # One type serves all parts, so the widest numbers decide.
            table = tuple(x for part in present.values() for x in part.table)
            kinds = []
            for entity, part in present.items():
                start = sum(len(other.table) for other in list(present.values())[: list(present).index(entity)])
                shifted = ExactNumbers(table, (part.index + start).astype(np.int32))
                kinds.append(self._add_numbers(f"annotations/rewards/{identifier}/{entity}/values.bin", shifted))
            described[identifier] = {"applies-to": list(present), "type": kinds[0]} | ({"alias": name} if name else {})
        return described

    def _add_variables(self) -> dict[str, Any]:
        entries: list[dict[str, Any]] = []
        columns: list[tuple[str, str, NDArray]] = []
        for name, values in self.model.variables.items():
            if values.dtype == bool:
                entries += [{"name": name, "type": {"type": "bool", "size": 1}}, {"padding": 7}]
                columns.append((name, "u1", values))
                continue
            low, high = int(values.min()), int(values.max())
            size = next(bits for bits in (8, 16, 32, 64) if high - low < 2**bits)
            kind = {"type": "uint", "size": size}
            entries.append({"name": name, "type": kind, "offset": low, "lower": low, "upper": high})
            columns.append((name, f"<u{size // 8}", values - low))
        rows = np.empty(self.model.states, dtype=np.dtype([(name, kind) for name, kind, _ in columns]))
        for name, _, values in columns:
            rows[name] = values
        self.files["valuations/states/valuations.bin"] = rows.tobytes()
        return {"unique": False, "classes": [{"variables": entries}]}


def _identifier(name: str, otherwise: str) -> str:
    return name if re.fullmatch(r"[0-9a-z_-]+", name) and name != "default" else otherwise
