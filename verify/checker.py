"""Check a certificate: ``python verify/checker.py FILE``. Standard library only; read it before you trust it.

A certificate carries a model (a Markov chain, a decision process or a turn-based game), a question (a reachability
probability, or an expected reward until a target) and, for every state, bounds on the answer. This program checks in
integer arithmetic that the bounds are inductive, and by ranks that they bound the right fixpoint; docs/certificates.md
has the format and the proofs. It prints ``valid`` with the interval for the initial state and exits with 0, or prints
the first condition that fails, with its state, and exits with 1. A file that is no certificate: one sentence, exit 2.
"""

# ruff: noqa: C419 - in the innermost loops a list is faster than a generator

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import struct
import sys
import zipfile
import zlib
from array import array
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

FORMAT = "pymc-games certificate 1"
# Name, bytes an entry, and the count that gives the length, of each array in the file.
ARRAYS = {
    "state_to_choices": (8, "states + 1"),
    "choice_to_branches": (8, "choices + 1"),
    "branch_to_target": (8, "branches"),
    "branch_to_probability": (4, "branches"),
    "choice_to_reward": (4, "choices"),
    "state_to_player": (8, "states"),
    "target": (1, "states"),
    "through": (1, "states"),
    "maximise": (1, "states"),
    "infinite": (1, "states"),
    "rank": (8, "states"),
}
# Bits of `infinite`: the lower bound, or the upper bound, of the state is infinity.
LOWER_INFINITE, UPPER_INFINITE = 1, 2
LARGEST, WIDEST = 2**32, 1024

Header = dict[str, Any]
Arrays = dict[str, Any]


class UnusableError(Exception):
    """The file is not a certificate that this program can read."""


class ViolatedError(Exception):
    """A condition fails: the certificate proves nothing."""


def read(path: Any) -> tuple[Header, Arrays]:
    """Return the header and the arrays of a certificate; nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(path) as file:
            sizes = {info.filename: info.file_size for info in file.infolist()}
            plain = all(info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in file.infolist())
            if not plain or len(sizes) != len(file.infolist()) or sum(sizes.values()) > LARGEST:
                raise UnusableError("the archive has a member twice, is too large, or is not compressed by deflate")
            if sizes.get("header.json", LARGEST) > 2**28:
                raise UnusableError("header.json is missing or too large")
            header = json.loads(member(file, "header.json", sizes["header.json"]))
            counts = check_header(header)
            arrays = {}
            for name, (width, length) in ARRAYS.items():
                if name == "state_to_player" and header["type"] != "smg":
                    continue
                entries = counts[length.removesuffix(" + 1")] + length.endswith(" + 1")
                arrays[name] = numbers(member(file, name, entries * width), width)
            for name in ("lower", "upper"):
                arrays[name] = wide_numbers(member(file, name, counts["states"] * header["bytes"]), header["bytes"])
            for k in range(len(header["variables"])):
                arrays[f"variable {k}"] = numbers(member(file, f"variable {k}", counts["states"] * 8), 8)
            return header, arrays
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise UnusableError(f"{path} is not a certificate of the format '{FORMAT}': {error!r}") from None
    except (OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, MemoryError) as error:
        raise UnusableError(f"{path} cannot be read: {error or 'out of memory'}") from None


def member(file: zipfile.ZipFile, name: str, size: int) -> bytes:
    """Return a member of exactly ``size`` bytes."""
    if file.getinfo(name).file_size != size:
        raise UnusableError(f"'{name}' has {file.getinfo(name).file_size} bytes; {size} are needed")
    with file.open(name) as stream:
        data = stream.read(size + 1)
    if len(data) != size:
        raise UnusableError(f"'{name}' has not the {size} bytes that it claims")
    return data


def numbers(data: bytes, width: int) -> Sequence[int]:
    """Return little-endian integers of 1, 4 or 8 bytes; those of 8 bytes have a sign."""
    if width == 1:
        return data
    result = array({4: "I", 8: "q"}[width])
    if result.itemsize != width:
        result = array({4: "L", 8: "l"}[width])
    result.frombytes(data)
    if sys.byteorder == "big":
        result.byteswap()
    return result


def wide_numbers(data: bytes, width: int) -> list[int]:
    """Return little-endian integers without sign, of any width."""
    from_bytes = int.from_bytes
    return [from_bytes(data[k : k + width], "little") for k in range(0, len(data), width)]


def check_header(header: Header) -> dict[str, int]:
    """Check the header's fields and return the counts of states, choices and branches."""
    if header["format"] != FORMAT:
        raise UnusableError(f"the format is '{header['format']}'; this program reads '{FORMAT}'")
    counts = {name: header[name] for name in ("states", "choices", "branches")}
    for name, value in (*counts.items(), ("bytes", header["bytes"]), ("denominator", int(header["denominator"]))):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UnusableError(f"'{name}' must be a positive integer")
    if header["kind"] not in ("probability", "reward") or header["type"] not in ("dtmc", "mdp", "smg"):
        raise UnusableError("unknown kind of question or type of model")
    if type(header["initial_state"]) is not int or not 0 <= header["initial_state"] < header["states"]:
        raise UnusableError("the initial state is not one of the states")
    if header["bytes"] > WIDEST or len(str(header["denominator"])) > WIDEST:
        raise UnusableError("the bounds have more digits than this program prints")
    if type(header["complement"]) is not bool or (header["complement"] and header["kind"] == "reward"):
        raise UnusableError("'complement' must be true or false, and false for a reward")
    # What is printed must not look like a verdict of this program.
    if not all(text.isprintable() for text in (header["name"], header["property"], *header["variables"])):
        raise UnusableError("a name is not printable")
    # Plain fractions only: an exponent could ask for a number that fills the memory.
    for text in (*header["probabilities"], *header["rewards"]):
        if not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text):
            raise UnusableError(f"{text[:40]!r} is not a fraction")
    return counts


def digests(header: Header, arrays: Arrays) -> tuple[str, str]:
    """Return the digests of the model and of the question, computed from what the file carries."""
    table = [Fraction(text) for text in header["probabilities"]]
    sha = hashlib.sha256(f"{header['type']} {header['initial_state']} {','.join(header['players'])}".encode())
    for name in ("state_to_choices", "choice_to_branches", "branch_to_target", "state_to_player"):
        sha.update(little(arrays[name]) if name in arrays else b"-")
    order = sorted(range(len(table)), key=table.__getitem__)
    place = {index: rank for rank, index in enumerate(order)}
    sha.update(" ".join(str(table[index]) for index in order).encode())
    sha.update(little(array("i", map(place.__getitem__, arrays["branch_to_probability"]))))
    model = sha.hexdigest()
    sha = hashlib.sha256(f"{header['kind']} {header['property']} {header['complement']}".encode())
    for name in ("target", "through", "maximise", "choice_to_reward"):
        sha.update(little(arrays[name]))
    sha.update(" ".join(header["rewards"]).encode())
    return model, sha.hexdigest()


def little(values: Any) -> bytes:
    """Return the little-endian bytes of an array."""
    if isinstance(values, bytes) or sys.byteorder == "little":
        return bytes(values) if isinstance(values, bytes) else values.tobytes()
    values = array(values.typecode, values)
    values.byteswap()
    return values.tobytes()


def check_model(header: Header, arrays: Arrays, probability: list[int], one: int) -> None:
    """Check that rows are in order, targets are states, and every choice's probabilities sum to exactly 1."""
    states, choices, branches = header["states"], header["choices"], header["branches"]
    for name, end in (("state_to_choices", choices), ("choice_to_branches", branches)):
        starts = arrays[name]
        if starts[0] != 0 or starts[-1] != end or any(a >= b for a, b in itertools.pairwise(starts)):
            raise ViolatedError(f"{name} does not rise from 0 to {end}: a state has no choice, or a choice no branch")
    if min(arrays["branch_to_target"]) < 0 or max(arrays["branch_to_target"]) >= states:
        raise ViolatedError("a branch leads to no state")
    if max(arrays["branch_to_probability"]) >= len(probability):
        raise ViolatedError("a branch has no probability")
    if max(arrays["choice_to_reward"]) >= len(header["rewards"]):
        raise ViolatedError("a choice has no reward")
    if header["type"] == "dtmc" and choices != states:
        raise ViolatedError("a chain has exactly one choice in each state")
    rows, index = arrays["choice_to_branches"], arrays["branch_to_probability"]
    for choice in range(choices):
        total = sum([probability[k] for k in index[rows[choice] : rows[choice + 1]]])
        if total != one:
            raise ViolatedError(f"the probabilities of choice {choice} sum to {Fraction(total, one)}, not 1")


class Bellman:
    """The conditions on bounds, in integers: values over ``denominator``, probabilities over ``one``."""

    def __init__(self, header: Header, arrays: Arrays) -> None:
        table = [Fraction(text) for text in header["probabilities"]]
        rewards = [Fraction(text) for text in header["rewards"]]
        if any(not 0 < p <= 1 for p in table) or any(r < 0 for r in rewards):
            raise ViolatedError("a probability is not in (0, 1], or a reward is negative")
        # One common scale makes every product an integer.
        self.refine = math.lcm(*(r.denominator for r in rewards))
        self.denominator = int(header["denominator"]) * self.refine
        self.one = math.lcm(*(p.denominator for p in table))
        self.probability = [int(p * self.one) for p in table]
        self.reward = [int(r * self.one * self.denominator) for r in rewards]
        self.arrays = arrays
        self.header = header
        check_model(header, arrays, self.probability, self.one)

    def describe(self, state: int) -> str:
        """Return a state's number, and its valuation where the file carries one."""
        names = enumerate(self.header["variables"])
        values = [f"{name}={self.arrays[f'variable {k}'][state]}" for k, name in names]
        return f"state {state}" + (f" ({', '.join(values)})" if values else "")

    def scaled(self, name: str) -> Sequence[int]:
        """Return a vector of bounds over the common denominator."""
        return self.arrays[name] if self.refine == 1 else [value * self.refine for value in self.arrays[name]]

    def check_upper(self, upper: Sequence[int], decided: Sequence[Any], ranks: list[int] | None) -> None:
        """Check that a backup of ``upper`` is nowhere greater: all choices of maximisers, one of each minimiser.

        Where ``ranks`` are given, those choices must also have a branch to a smaller rank.
        """
        self._check(upper, decided, ranks, UPPER_INFINITE, 0, lambda backup, value: backup <= value, "upper")

    def check_lower(self, lower: Sequence[int], decided: Sequence[Any], ranks: list[int] | None) -> None:
        """Check that a backup of ``lower`` is nowhere smaller: one choice of each maximiser, all of minimisers."""
        self._check(lower, decided, ranks, LOWER_INFINITE, 1, lambda backup, value: backup >= value, "lower")

    def _check(
        self,
        bound: Sequence[int],
        decided: Sequence[Any],
        ranks: list[int] | None,
        infinite_bit: int,
        one_suffices_for: int,
        holds: Callable[[int, int], bool],
        name: str,
    ) -> None:
        first, rows = self.arrays["state_to_choices"], self.arrays["choice_to_branches"]
        targets, index = self.arrays["branch_to_target"], self.arrays["branch_to_probability"]
        rewards, maximise, infinite = (self.arrays[k] for k in ("choice_to_reward", "maximise", "infinite"))
        probability, one, reward = self.probability, self.one, self.reward
        for state in range(len(maximise)):
            if decided[state] or infinite[state] & infinite_bit:
                continue
            value, found = bound[state] * one, False
            one_suffices = maximise[state] == one_suffices_for
            for choice in range(first[state], first[state + 1]):
                begin, end = rows[choice], rows[choice + 1]
                to = targets[begin:end]
                if any([infinite[t] & infinite_bit for t in to]):
                    good = infinite_bit == LOWER_INFINITE
                else:
                    total = sum([probability[p] * bound[t] for p, t in zip(index[begin:end], to, strict=True)])
                    good = holds(total + reward[rewards[choice]], value)
                if good and ranks is not None:
                    good = any([ranks[t] < ranks[state] for t in to])
                if good and one_suffices:
                    found = True
                    break
                if not good and not one_suffices:
                    where = f"{self.describe(state)}, choice {choice - first[state]}"
                    raise ViolatedError(f"the {name} bound is not inductive, or not ranked, in {where}")
            if one_suffices and not found:
                raise ViolatedError(f"the {name} bound is not inductive, or not ranked, in {self.describe(state)}")


def check_probability(bellman: Bellman, arrays: Arrays) -> None:
    """Check bounds on the probability of reaching the target through allowed states."""
    one, states = bellman.denominator, len(arrays["target"])
    lower, upper = bellman.scaled("lower"), bellman.scaled("upper")
    target, through = arrays["target"], arrays["through"]
    for state in range(states):
        if arrays["infinite"][state]:
            raise ViolatedError(f"{bellman.describe(state)}: a probability is not infinite")
        if target[state] and not lower[state] <= one <= upper[state]:
            raise ViolatedError(f"{bellman.describe(state)} is a target, and its bounds exclude probability 1")
        if not target[state] and not through[state] and lower[state] > 0:
            raise ViolatedError(f"{bellman.describe(state)} may not be passed, and its lower bound is above 0")
    decided = [t or not may for t, may in zip(target, through, strict=True)]
    bellman.check_upper(upper, decided, None)
    # The play stops at the target and where nothing is claimed; elsewhere ranks must lead there.
    stops = [d or low == 0 for d, low in zip(decided, lower, strict=True)]
    bellman.check_lower(lower, stops, ranks_of(arrays, stops))


def check_reward(bellman: Bellman, arrays: Arrays) -> None:
    """Check bounds on the expected reward until the target, which is infinite where it may never be reached."""
    lower, upper = bellman.scaled("lower"), bellman.scaled("upper")
    target, infinite = arrays["target"], arrays["infinite"]
    for state in range(len(target)):
        if target[state] and (lower[state] > 0 or infinite[state] & LOWER_INFINITE):
            raise ViolatedError(f"{bellman.describe(state)} is a target, and its lower bound is above 0")
        if infinite[state] == LOWER_INFINITE:
            raise ViolatedError(f"{bellman.describe(state)}: the lower bound is infinite, the upper one is not")
    bellman.check_lower(lower, target, None)
    bellman.check_upper(upper, target, ranks_of(arrays, target))
    check_infinite(bellman, arrays)


def check_infinite(bellman: Bellman, arrays: Arrays) -> None:
    """Check that maximisers can keep the play from the target with positive probability where infinity is claimed.

    A good choice has a branch to a claimed state of smaller rank, or stays among claimed states of its own rank.
    """
    first, rows, targets = (arrays[k] for k in ("state_to_choices", "choice_to_branches", "branch_to_target"))
    claimed, rank, maximise = arrays["infinite"], arrays["rank"], arrays["maximise"]
    for state in range(len(claimed)):
        if not claimed[state] & LOWER_INFINITE:
            continue
        good = []
        for choice in range(first[state], first[state + 1]):
            to = targets[rows[choice] : rows[choice + 1]]
            ranks = [rank[t] if claimed[t] & LOWER_INFINITE else None for t in to]
            good.append(
                all([r == rank[state] for r in ranks]) or any([r is not None and r < rank[state] for r in ranks])
            )
        if not (any(good) if maximise[state] else all(good)):
            raise ViolatedError(f"the infinite lower bound is not ranked in {bellman.describe(state)}")


def ranks_of(arrays: Arrays, stops: Sequence[Any]) -> list[int]:
    """Return the ranks, with 0 where the play stops; negative ones are refused."""
    ranks = [0 if stop else rank for rank, stop in zip(arrays["rank"], stops, strict=True)]
    if min(ranks) < 0:
        raise ViolatedError(f"state {ranks.index(min(ranks))} has a negative rank")
    return ranks


def check(path: Any, model_digest: str | None = None) -> tuple[Header, Fraction | float, Fraction | float]:
    """Check a certificate file.

    Returns the header and the proven interval for the initial state, as fractions (``math.inf`` where nothing better
    is proven). Raises ViolatedError at the first condition that fails, UnusableError for a file that is no certificate.
    """
    header, arrays = read(path)
    try:
        bellman = Bellman(header, arrays)
        model, question = digests(header, arrays)
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise UnusableError(f"{path} is not a certificate of the format '{FORMAT}': {error!r}") from None
    if header["model_digest"] != model or header["question_digest"] != question:
        raise ViolatedError("the digest does not belong to the model and the question that the file carries")
    if model_digest is not None and model_digest != model:
        raise ViolatedError(f"the certificate is for another model, with the digest {model}")
    (check_probability if header["kind"] == "probability" else check_reward)(bellman, arrays)
    start = header["initial_state"]
    interval: list[Fraction | float] = []
    for name, bit in (("lower", LOWER_INFINITE), ("upper", UPPER_INFINITE)):
        finite = Fraction(arrays[name][start], int(header["denominator"]))
        interval.append(math.inf if arrays["infinite"][start] & bit else finite)
    lower, upper = interval
    if header["complement"]:
        lower, upper = 1 - upper, 1 - lower
    return header, lower, upper


def decimals(value: Fraction | float, up: bool) -> str:
    """Return a fraction as 17 decimals, rounded outwards."""
    if isinstance(value, float):
        return "infinity"
    scaled = value * 10**17
    number = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    sign, number = ("-", -number) if number < 0 else ("", number)
    return f"{sign}{number // 10**17}.{number % 10**17:017d}"


def main(arguments: list[str]) -> int:
    """Check the file named on the command line and print the verdict; return the exit status."""
    digest = None
    if "--model-digest" in arguments[:-1]:
        at = arguments.index("--model-digest")
        digest, arguments = arguments[at + 1], arguments[:at] + arguments[at + 2 :]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python checker.py FILE [--model-digest HEX]", file=sys.stderr)
        return 2
    try:
        header, lower, upper = check(arguments[0], digest)
    except UnusableError as error:
        print(f"checker: {error}", file=sys.stderr)
        return 2
    except ViolatedError as error:
        print(f"violated: {error}")
        return 1
    print("valid")
    print(
        f"{header['property']} on {header['name']}: {header['type']} with {header['states']} states, "
        f"model {header['model_digest'][:16]}"
    )
    print(f"in the initial state between {decimals(lower, False)} and {decimals(upper, True)}")
    print(f"exactly between {lower} and {upper}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
