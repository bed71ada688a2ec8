"""Storm, through stormpy 2.0: parsing, building, checking, exporting. The one module that imports stormpy.

Storm's own bounds are computed in floats that are rounded to nearest, and its float models hold rounded probabilities.
So the bounds of a float answer are widened by `ROUNDING`, relative; exact answers are not touched.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import stormpy

from pymc_games.errors import GamesError, ModelError, PropertyError, StormError, UnsupportedError, UsageError
from pymc_games.explicit import Floats, Ints
from pymc_games.expressions import Constant, constant_value
from pymc_games.properties import Property, choose_reward, parse_property
from pymc_games.result import Result, enclose

Returned = TypeVar("Returned")

#: Relative widening of Storm's float bounds, for the roundings that they do not account for.
ROUNDING = 2.0**-40
#: Precision asked of Storm's sound methods, relative, unless another is given.
PRECISION = 1e-6
#: Model types in scope, by Storm's names.
TYPES = ("dtmc", "mdp", "smg")

_OUTSIDE = {
    "ctmc": "a continuous-time Markov chain (ctmc)", "ma": "a Markov automaton (ma)", "pomdp": "a partially observable model (pomdp)",
    "popta": "a partially observable timed automaton (popta)", "pta": "a probabilistic timed automaton (pta)",
    "csg": "a concurrent game (csg)", "tsg": "a timed game (tsg)", "ctmdp": "a continuous-time decision process (ctmdp)",
    "idtmc": "an interval model", "imdp": "an interval model", "ltpsg": "a timed game",
}  # fmt: skip

# Storm writes its errors to standard error too; the exception carries the same words.
stormpy.developer.set_log_level(stormpy.developer.LogLevel.OFF)


@dataclass(frozen=True)
class Program:
    """A parsed PRISM program whose constants all have values."""

    handle: Any
    source: str
    type: str
    constants: Mapping[str, Constant]


@dataclass(frozen=True)
class StormModel:
    """A sparse model in Storm's memory; ``program`` is ``None`` where it comes from an explicit file."""

    handle: Any
    source: str
    exact: bool
    program: Program | None = None

    @property
    def type(self) -> str:
        """The model type, ``dtmc``, ``mdp`` or ``smg``."""
        return str(self.handle.model_type.name).lower()

    @property
    def initial_state(self) -> int:
        """The one initial state.

        Raises
        ------
        UnsupportedError
            If there are several, or none.
        """
        states = list(self.handle.initial_states)
        if len(states) != 1:
            raise UnsupportedError(f"{self.source} has {len(states)} initial states; exactly one is supported")
        return int(states[0])


@dataclass(frozen=True)
class Answer:
    """Storm's answer to one property in all states; arrays of shape (states,).

    ``exact`` holds a Fraction, or an infinite float, for each state of an exact model. ``choice`` is the scheduler: the
    index of the choice within its state, -1 where none is defined.
    """

    value: Floats
    lower: Floats
    upper: Floats
    method: str
    seconds: float
    exact: Sequence[Fraction | float] | None = None
    choice: Ints | None = None

    def at(self, state: int) -> Result:
        """Return the result for one state."""
        number = None if self.exact is None else self.exact[state]
        return Result(
            float(self.value[state]), float(self.lower[state]), float(self.upper[state]),
            exact=number if isinstance(number, Fraction) else None, method=self.method, seconds=self.seconds,
        )  # fmt: skip


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
    return _parse(Path(path), text, str(path), constants or {})


def parse_text(text: str, constants: Mapping[str, Any] | None = None, source: str = "the model") -> Program:
    """Parse PRISM text; like `parse`. ``source`` names it in messages."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.prism")
        path.write_text(text, encoding="utf-8")
        return _parse(path, text, source, constants or {})


def build(program: Program, properties: Sequence[Property] = (), *, exact: bool = False) -> StormModel:
    """Build the sparse model of a program, with all labels, reward models, valuations and the properties' formulas.

    Raises
    ------
    ModelError
        If Storm's exploration finds a fault: a sum that is not 1, an update out of range, a state of two players.
    PropertyError
        If a property names what the model does not have.
    """
    formulas = [_formula(program, prop) for prop in properties if program.type != "smg"]
    # Storm stops exploring at the target when it is given exactly one formula; every state is wanted.
    options = stormpy.BuilderOptions([*formulas, *formulas]) if formulas else stormpy.BuilderOptions()
    options.set_exploration_checks(True)
    options.set_build_all_labels()
    options.set_build_all_reward_models()
    options.set_build_state_valuations()
    options.set_build_choice_labels()
    value_type = stormpy.Rational if exact else float
    with _translating(program.source, ModelError):
        handle = _interruptible(lambda: stormpy.build_model[value_type](program.handle, options=options))
    return StormModel(handle, program.source, exact, program)


def load(path: str | os.PathLike[str], *, exact: bool = False) -> StormModel:
    """Let Storm read an explicit model, ``.umb`` or ``.drn``; ``exact`` only for ``.drn``.

    Raises
    ------
    ModelError
        If Storm cannot read it.
    """
    with _translating(str(path), ModelError):
        if str(path).endswith(".umb"):
            handle = _interruptible(lambda: stormpy.build_model_from_umb(path))
            exact = False
        else:
            value_type = stormpy.Rational if exact else float
            handle = _interruptible(lambda: stormpy.build_model_from_drn[value_type](path))
    return StormModel(handle, str(path), exact)


def check(
    model: StormModel, prop: Property | str, *, precision: float = PRECISION, scheduler: bool = False
) -> Answer:
    """Check one property in all states; a bound such as ``P>=1/2`` is answered by the number behind it.

    Parameters
    ----------
    precision : float
        Relative width asked of the sound method; an exact model is solved exactly.
    scheduler : bool
        Whether to extract an optimal scheduler.

    Raises
    ------
    StormError
        If Storm fails or gives no answer, as it does for coalitions in games.
    UnsupportedError
        For negative rewards, whose bounds in Storm can be false.
    """
    if isinstance(prop, str):
        prop = parse_property(prop)
    formula = _formula(model.program, prop, deterministic=model.type == "dtmc")
    if prop.operator == "R":
        _refuse_negative_rewards(model, choose_reward(prop, tuple(model.handle.reward_models)))
    environment = _environment(model.exact, precision)
    started = time.perf_counter()
    with _translating(f"{model.source}: {prop.text}", StormError):
        result = _interruptible(
            lambda: stormpy.model_checking(model.handle, formula, extract_scheduler=scheduler, environment=environment)
        )
    seconds = time.perf_counter() - started
    if result is None:
        raise StormError(f"Storm gives no answer to {prop.text} on {model.source} ({model.type}); use --engine native")
    answer = _answer(model, result, seconds, scheduler)
    return replace(answer, upper=np.minimum(answer.upper, 1.0)) if prop.operator == "P" else answer


def check_text(
    text: str,
    properties: Sequence[str],
    *,
    constants: Mapping[str, Any] | None = None,
    exact: bool = False,
    precision: float = PRECISION,
) -> list[Result]:
    """Check properties on PRISM text and return their results in the initial state.

    Raises
    ------
    GamesError
        As `parse_text`, `build` and `check` do.
    """
    asked = [parse_property(prop) for prop in properties]
    model = build(parse_text(text, constants), asked, exact=exact)
    return [check(model, prop, precision=precision).at(model.initial_state) for prop in asked]


def export_umb(model: StormModel, path: str | os.PathLike[str]) -> None:
    """Write a float model as an uncompressed UMB archive.

    Raises
    ------
    StormError
        If Storm cannot; an exact model is one that it cannot write.
    """
    options = stormpy.io.UmbExportOptions()
    options.compression = stormpy.io.CompressionMode.NO_COMPRESSION
    with _translating(model.source, StormError):
        _interruptible(lambda: stormpy.io.export_to_umb(model.handle, path, options=options))


def export_drn(model: StormModel, path: str | os.PathLike[str]) -> None:
    """Write a model as DRN text, which carries the rationals of an exact one.

    Raises
    ------
    StormError
        If Storm cannot.
    """
    options = stormpy.io.DirectEncodingExporterOptions()
    options.allow_placeholders = False
    with _translating(model.source, StormError):
        _interruptible(lambda: stormpy.io.export_to_drn(model.handle, path, options=options))


def _parse(path: Path, text: str, source: str, constants: Mapping[str, Any]) -> Program:
    kind = _model_type(text)
    if kind in _OUTSIDE:
        raise UnsupportedError(f"{source} is {_OUTSIDE[kind]}, which is not supported; use dtmc, mdp or smg")
    with _translating(source, ModelError):
        handle = stormpy.parse_prism_program(path)
    declared = {constant.name: constant for constant in handle.constants}
    definitions = {name: _stormy(_constant(name, value, declared, source)) for name, value in constants.items()}
    missing = [name for name, constant in declared.items() if not constant.defined and name not in definitions]
    if missing:
        names = ", ".join(missing)
        raise ModelError(f"{source}: no value for the constant{'s' * (len(missing) > 1)} {names}; give -c {missing[0]}=VALUE")
    with _translating(source, ModelError):
        handle, _ = stormpy.instantiate_constants(handle, definitions)
        values = {constant.name: _plain(constant) for constant in handle.constants}
    return Program(handle, source, kind, values)


def _model_type(text: str) -> str:
    """Return the model type that a PRISM text begins with; stormpy 2.0 has no number for ``smg`` programs."""
    code = re.sub(r"//.*", "", text)
    word = re.match(r"\s*([A-Za-z_]\w*)", code)
    name = word[1] if word else ""
    return {"probabilistic": "dtmc", "nondeterministic": "mdp", "stochastic": "ctmc"}.get(name, name)


def _constant(name: str, value: Any, declared: Mapping[str, Any], source: str) -> Constant:
    if name not in declared:
        near = difflib.get_close_matches(name, declared, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(declared) or 'none'}"
        raise UsageError(f"{source} has no constant '{name}'; {hint}")
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
    return plain


def _stormy(value: Constant) -> Any:
    return stormpy.Rational(str(value)) if isinstance(value, Fraction) else value


def _plain(constant: Any) -> Constant:
    if constant.type.is_boolean:
        return bool(constant.definition.evaluate_as_bool())
    if constant.type.is_integer:
        return int(constant.definition.evaluate_as_int())
    return Fraction(str(constant.definition.evaluate_as_rational()))


def _formula(program: Program | None, prop: Property, *, deterministic: bool | None = None) -> Any:
    if deterministic is None:
        deterministic = program is not None and program.type == "dtmc"
    kinds = {bool: "bool", int: "int", Fraction: "double"}
    constants = "".join(
        f"const {kinds[type(value)]} {name} = {str(value).lower()}; " for name, value in prop.constants.items()
        if program is None or name not in program.constants
    )  # fmt: skip
    text = constants + prop.quantitative(deterministic=deterministic)
    with _translating(prop.text, PropertyError):
        return stormpy.parse_property(text, None if program is None else program.handle)


def _environment(exact: bool, precision: float) -> Any:
    if exact:
        return stormpy.environments.exact()
    environment = stormpy.environments.sound()
    for solver in (environment.solver().native(), environment.solver().min_max()):
        solver.precision = stormpy.Rational(str(Fraction(precision)))
    return environment


def _refuse_negative_rewards(model: StormModel, name: str) -> None:
    """Refuse negative rewards: Storm's sound methods then report bounds that do not hold."""
    rewards = model.handle.reward_models[name]
    vectors = (
        rewards.state_rewards if rewards.has_state_rewards else (),
        rewards.state_action_rewards if rewards.has_state_action_rewards else (),
    )
    if any(len(vector) and min(vector) < 0 for vector in vectors):
        raise UnsupportedError(
            f"{model.source}: the reward model \"{name}\" has negative rewards, for which Storm's bounds can be false; "
            "shift the rewards so that none is negative"
        )


def _answer(model: StormModel, result: Any, seconds: float, scheduler: bool) -> Answer:
    values = result.get_value_vector()
    choice = _choices(result.get_scheduler(), len(values)) if scheduler and result.has_scheduler() else None
    if model.exact:
        exact = [x if isinstance(x, float) else Fraction(str(x)) for x in values]
        bounds = np.array([(x, x) if isinstance(x, float) else enclose(x) for x in exact]).reshape(-1, 2)
        floats = np.array([float(x) for x in exact])
        return Answer(floats, bounds[:, 0], bounds[:, 1], "storm, exact", seconds, exact, choice)
    value = np.array(values, dtype=np.float64)
    lower = np.array(result.get_lower_bound_vector(), dtype=np.float64) if result.has_lower_bounds() else np.zeros_like(value)
    upper = np.array(result.get_upper_bound_vector(), dtype=np.float64) if result.has_upper_bounds() else np.full_like(value, np.inf)
    lower = np.where(np.isnan(lower), 0.0, lower) * (1 - ROUNDING)
    upper = np.where(np.isnan(upper), np.inf, upper) * (1 + ROUNDING)
    return Answer(value, np.minimum(lower, value), np.maximum(upper, value), "storm, sound", seconds, None, choice)


def _choices(scheduler: Any, states: int) -> Ints:
    if not (scheduler.memoryless and scheduler.deterministic):
        raise StormError("Storm's scheduler is not memoryless and deterministic; such schedulers are not supported")
    chosen = (scheduler.get_choice(state) for state in range(states))
    numbers = (int(choice.get_deterministic_choice()) if choice.defined else -1 for choice in chosen)
    return np.fromiter(numbers, np.int64, states)


def _interruptible(call: Callable[[], Returned]) -> Returned:
    """Run ``call`` beside the main thread, which stays awake for Ctrl-C; Storm itself cannot be interrupted."""
    outcome: list[Returned] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:  # noqa: BLE001  (handed to the caller's thread)
            failure.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.1)
    if failure:
        raise failure[0]
    return outcome[0]


@contextmanager
def _translating(source: str, kind: type[GamesError]) -> Iterator[None]:
    """Turn Storm's exceptions into one sentence of ours, which begins with ``source``."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, IndexError, stormpy.exceptions.StormError) as error:
        raw = str(error) or str(getattr(error, "message", ""))
        message = raw.partition("Exception: ")[2] or raw
        if raw.startswith("InvalidPropertyException"):
            kind = PropertyError
        place = re.match(r"Parsing error at (\d+):(\d+):\s+expecting (.+?), here:\s*(.*)", message)
        if place:
            found = f", found '{place[4].strip()}'" if place[4].strip() else ", found the end"
            sentence = f"line {place[1]}, column {place[2]}: expected {place[3]}{found[:90]}"
        else:
            sentence = message.strip().partition("\n")[0].rstrip(".").replace("..", ".")
        raise kind(f"{source}: {sentence}") from error
