"""Certificates: bounds and ranks that a stranger can check with ``verify/checker.py``, without trusting the engine.

The conditions are those of *Fixed Point Certificates for Reachability and Expected Rewards in MDPs* (TACAS 2025, arXiv
2501.11467), here for two players; ``docs/certificates.md`` states and proves them. The file is a zip archive:
``header.json`` and little-endian arrays.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import zipfile
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pymc_games import files, notebook, plotting
from pymc_games.engine import Query, Solution
from pymc_games.engine.bounds import Bounds
from pymc_games.engine.policy import attaining_choices
from pymc_games.engine.problem import Problem, prepare
from pymc_games.errors import CertificateError, UnsupportedError
from pymc_games.explicit import Bools, ExplicitModel, Floats, Ints
from pymc_games.paths import data_folder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "pymc-games certificate 1"
_LOWER_INFINITE, _UPPER_INFINITE = 1, 2


@dataclass(frozen=True)
class Certificate:
    """What a written certificate proves.

    Attributes
    ----------
    lower, upper : Fraction or float
        The proven interval for the initial state; ``math.inf`` where the bound is infinite.
    model_digest : str
    statement : str
        The property, and the model of which it is claimed.
    gaps : float64 array, shape (states,)
        How far apart the bounds of each state are; 0 where both are infinite.
    """

    lower: Fraction | float
    upper: Fraction | float
    model_digest: str
    statement: str
    gaps: Floats = field(compare=False, repr=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw in how many states the bounds are how far apart."""
        ax = plotting.decades(self.gaps, ax, unit="states", meaning="upper less lower bound")
        ax.set_title(self.statement)
        return ax

    def _repr_html_(self) -> str:
        rows = [
            ("proven", self.statement), ("at least", _decimal(self.lower)), ("at most", _decimal(self.upper)),
            ("states", f"{len(self.gaps):,}"), ("widest bounds", float(self.gaps.max())),
            ("digest of the model", self.model_digest),
        ]  # fmt: skip
        return notebook.facts("Certificate", rows)


def write(
    path: str | os.PathLike[str],
    model: ExplicitModel,
    query: Query,
    solution: Solution,
    *,
    property_text: str = "",
    complement: bool = False,
) -> Certificate:
    """Write a certificate for a solution, after the independent checker has accepted it.

    Parameters
    ----------
    model, query, solution
        As given to and returned by `engine.solve`, without exact values: floats are what the bounds are made of.
    property_text : str
        What the question was called; carried along.
    complement : bool
        Whether the property asks for 1 minus the query's answer.

    Raises
    ------
    UnsupportedError
        For a step-bounded query, or a solution in fractions.
    CertificateError
        If the checker objects; nothing is written then.
    """
    if query.steps is not None:
        raise UnsupportedError("certificates for step-bounded properties are not supported; a fixed number of sums")
    if solution.exact is not None:
        raise UnsupportedError("certificates are written from bounds; solve without --exact")
    problem = prepare(model, query)
    bounds = _bounds(problem, solution)
    header, arrays = _contents(model, query, problem, bounds)
    # One line: the checker refuses names that could pass for its own output.
    text = " ".join(property_text.split()) or f"the {query.kind} of the target"
    header |= {"property": text, "complement": complement}
    header["question_digest"] = _question_digest(header, arrays)
    checker = load_checker()
    with files.replacing(path) as beside:
        with zipfile.ZipFile(beside, "w") as archive:
            for name, data in {"header.json": json.dumps(header, indent=1).encode(), **arrays}.items():
                # A ZipInfo of its own carries no time of writing: the same claim gives the same bytes.
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=4)
        try:
            _, lower, upper = checker.check(beside)
        except (checker.ViolatedError, checker.UnusableError) as error:
            raise CertificateError(f"no certificate was written: {error}") from error
    statement = f"{text} of {model.name or 'a model'}, {model.states:,} states"
    return Certificate(lower, upper, header["model_digest"], statement, _gaps(bounds))


def load_checker() -> ModuleType:
    """Return ``verify/checker.py`` as a module; it is not part of the package on purpose."""
    spec = importlib.util.spec_from_file_location("pymc_games_checker", data_folder("verify") / "checker.py")
    if spec is None or spec.loader is None:
        raise CertificateError("verify/checker.py is missing from this installation")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _contents(
    model: ExplicitModel, query: Query, problem: Problem, bounds: Bounds
) -> tuple[dict[str, Any], dict[str, bytes]]:
    lower, upper = _pair(bounds, False), _pair(bounds, True)
    exponent, width = _scale(lower, upper)
    infinite = np.isinf(bounds.lower) * _LOWER_INFINITE + np.isinf(bounds.upper) * _UPPER_INFINITE
    variables = {name: values for name, values in model.variables.items() if values.dtype.kind in "iub"}
    header = {
        "format": FORMAT, "name": model.name, "type": model.type, "kind": query.kind,
        "states": model.states, "choices": model.choices, "branches": model.branches,
        "initial_state": model.initial_state, "players": list(model.players),
        "probabilities": [str(p) for p in model.probabilities.table],
        "rewards": ["0"] if query.reward is None else [str(r) for r in query.reward.table],
        "denominator": str(1 << exponent), "bytes": width, "variables": list(variables),
        "model_digest": model.digest(),
    }  # fmt: skip
    reward_index = np.zeros(model.choices, dtype=np.int32) if query.reward is None else query.reward.index
    through = np.ones(model.states, dtype=np.bool_) if query.through is None else query.through
    arrays = {
        "state_to_choices": _little(model.state_to_choices, "<i8"),
        "choice_to_branches": _little(model.choice_to_branches, "<i8"),
        "branch_to_target": _little(model.branch_to_target, "<i8"),
        "branch_to_probability": _little(model.probabilities.index, "<u4"),
        "choice_to_reward": _little(reward_index, "<u4"),
        "target": _little(query.target, "u1"),
        "through": _little(through, "u1"),
        "maximise": _little(query.maximise, "u1"),
        "infinite": _little(infinite, "u1"),
        "rank": _little(_ranks(problem, bounds), "<i8"),
        "lower": _wide(lower, exponent, width),
        "upper": _wide(upper, exponent, width),
    }
    if model.state_to_player is not None:
        arrays["state_to_player"] = _little(model.state_to_player, "<i8")
    for k, values in enumerate(variables.values()):
        arrays[f"variable {k}"] = _little(values, "<i8")
    return header, arrays


def _bounds(problem: Problem, solution: Solution) -> Bounds:
    """Return the solution's bounds in the form that the engine's analysis takes."""
    bounds = Bounds(problem)
    bounds.lower, bounds.upper = solution.lower.copy(), solution.upper.copy()
    if solution.lower_pair is not None and solution.upper_pair is not None:
        bounds.lower_pair, bounds.upper_pair = solution.lower_pair, solution.upper_pair
        bounds.refined[:] = problem.maybe
    return bounds


def _ranks(problem: Problem, bounds: Bounds) -> Ints:
    """Return the ranks: towards the target along attaining choices, and of the states whose reward is infinite."""
    graph = problem.graph
    everything = Problem(**{**problem.__dict__, "maybe": ~problem.target})
    below, above = attaining_choices(everything, bounds)
    if problem.kind == "probability":
        reacher = problem.rows.maximise
        stops = problem.target | (bounds.lower == 0.0)
        return np.maximum(graph.attractor(stops, reacher, None, below | ~reacher[graph.choice_to_state]), 0)
    reacher = ~problem.rows.maximise
    allowed = above | ~reacher[graph.choice_to_state]
    ranks = graph.attractor(problem.target, reacher, np.isfinite(bounds.upper), allowed)
    claimed = np.isinf(bounds.lower)
    return np.where(claimed, graph.losing_rounds(problem.target, reacher), np.maximum(ranks, 0))


def _gaps(bounds: Bounds) -> Floats:
    """Return how far apart the bounds of each state are, counting the second half of pairs."""
    (low, low_rest), (high, high_rest) = bounds.pair(False), bounds.pair(True)
    with np.errstate(invalid="ignore"):
        gaps = (high - low) + (high_rest - low_rest)
    return np.where(low == high, np.where(np.isinf(low), 0.0, high_rest - low_rest), gaps)


def _decimal(bound: Fraction | float) -> str:
    """Return a bound in seventeen digits, which tell floats apart."""
    return f"{float(bound):.17g}"


def _pair(bounds: Bounds, upper: bool) -> tuple[Floats, Floats]:
    high, low = bounds.pair(upper)
    finite = np.isfinite(high)
    return np.where(finite, high, 0.0), np.where(finite, low, 0.0)


def _scale(*pairs: tuple[Floats, Floats]) -> tuple[int, int]:
    """Return the power of two that makes every bound an integer, and the bytes that the largest one needs."""
    exponent, largest = 0, 1
    for high, low in pairs:
        for part in (high, low):
            values = part[part != 0.0]
            if values.size:
                exponent = max(exponent, 53 - int(np.frexp(values)[1].min()))
        largest = max(largest, math.ceil(float(high.max(initial=0.0))) + 1)
    return exponent, ((largest << exponent).bit_length() + 7) // 8


def _wide(pair: tuple[Floats, Floats], exponent: int, width: int) -> bytes:
    """Return ``(high + low) * 2^exponent`` as little-endian integers of ``width`` bytes."""
    scale = 1 << exponent
    pieces = []
    for high, low in zip(pair[0].tolist(), pair[1].tolist(), strict=True):
        numerator, denominator = high.as_integer_ratio()
        value = numerator * (scale // denominator)
        if low != 0.0:
            numerator, denominator = low.as_integer_ratio()
            value += numerator * (scale // denominator)
        pieces.append(value.to_bytes(width, "little"))
    return b"".join(pieces)


def _little(array: NDArray | Bools, kind: str) -> bytes:
    return np.ascontiguousarray(array).astype(kind).tobytes()


def _question_digest(header: dict[str, Any], arrays: dict[str, bytes]) -> str:
    sha = hashlib.sha256(f"{header['kind']} {header['property']} {header['complement']}".encode())
    for name in ("target", "through", "maximise", "choice_to_reward"):
        sha.update(arrays[name])
    sha.update(" ".join(header["rewards"]).encode())
    return sha.hexdigest()
