"""What ``check`` does with ranges of constants: one check a point, and the answers as a table, CSV or picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.table import Table
from rich.text import Text

from pymc_games import files, plotting
from pymc_games.cli.output import answer_console, progress_bar, write_json
from pymc_games.compare import Checked, Session
from pymc_games.result import Result, digits

Point = Mapping[str, str]


def run_experiment(
    points: Sequence[Point], session_at: Callable[[Point], Session], csv_path: str | None, picture: str | None,
    json_path: str | None,
) -> int:  # fmt: skip
    """Check at every point and report; return the exit status, 1 if the engines differ anywhere."""
    if picture is not None:
        plotting.check_path(picture)
    answers: list[tuple[Point, dict[str, Any], list[Checked]]] = []
    with progress_bar() as bar:
        for point in bar.track(points, description="points"):
            session = session_at(point)
            answers.append((point, session.describe(), [session.check(prop) for prop in session.properties]))
    rows = [(point, one) for point, _, checked in answers for one in checked]
    if csv_path is not None:
        files.write_csv(csv_path, (_csv_row(point, one) for point, one in rows))
    if picture is not None:
        _draw(rows, picture)
    if json_path is not None:
        listed = [
            {"constants": dict(point), "model": model, "results": [one.to_json() for one in checked]}
            for point, model, checked in answers
        ]
        write_json({"points": listed}, json_path)
    else:
        _print(rows)
    return 0 if all(one.agree for _, one in rows) else 1


def _answer(checked: Checked) -> Result:
    """Return the engine's answer, or else Storm's; one of them was asked."""
    answer = checked.native or checked.storm
    if answer is None:
        raise LookupError(f"neither engine answered {checked.property.text}")
    return answer


def _csv_row(point: Point, checked: Checked) -> dict[str, object]:
    answer = _answer(checked)
    exact = "" if answer.exact is None else answer.exact
    return {**point, "property": checked.property.name or checked.property.text, "value": answer.value,
            "lower": answer.lower, "upper": answer.upper, "exact": exact, "agree": checked.agree}  # fmt: skip


def _print(rows: Sequence[tuple[Point, Checked]]) -> None:
    table = Table()
    for heading in (*rows[0][0], "property", "value", "agree"):
        table.add_column(heading, overflow="fold")
    for point, checked in rows:
        answer = _answer(checked)
        value = str(answer.exact) if answer.exact is not None else digits(answer)
        agree = ("yes" if checked.agree else "NO") if checked.states_compared else "-"
        table.add_row(*point.values(), Text(checked.property.text), value, agree)
    answer_console().print(table)


def _draw(rows: Sequence[tuple[Point, Checked]], picture: str) -> None:
    """Draw the values against the first constant, one line for each property and each value of the other constants."""
    first = next(iter(rows[0][0]))
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for point, checked in rows:
        others = ", ".join(f"{name}={value}" for name, value in point.items() if name != first)
        name = checked.property.name or checked.property.text
        places, values = lines.setdefault(f"{name}, {others}" if others else name, ([], []))
        places.append(float(Fraction(point[first])))
        values.append(_answer(checked).value)
    figure = plotting.figure(7, 4.5)
    plotting.series(lines, figure.subplots(), horizontal=first, vertical="value")
    plotting.save(figure, picture)
