"""``certify``: a file that proves an answer to somebody who does not trust this program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import click

from pymc_games import certificate, loading
from pymc_games.cli.output import force_option, json_option, progress_console, write_json
from pymc_games.engine import solve
from pymc_games.errors import CertificateError
from pymc_games.explicit import ExplicitModel
from pymc_games.properties import parse_property
from pymc_games.queries import question
from pymc_games.result import exact_json, json_number


@click.command(short_help="Write a certificate that proves the answer to a property.")
@click.argument("target")
@click.option("-c", "--const", "definitions", multiple=True, metavar="K=V,…", help="Values of constants.")
@click.option("--type", "--variant", "variant", metavar="NAME", help="Which model of a game.")
@click.option("--prop", "text", required=True, metavar="TEXT", help="The property.")
@click.option(
    "-o", "--output", required=True, type=click.Path(), metavar="FILE", help="Where to write the certificate."
)
@click.option("--fix-deadlocks", is_flag=True, help="Let states without a choice loop.")
@force_option
@json_option
def certify(
    target: str, definitions: Sequence[str], variant: str | None, text: str, output: str, fix_deadlocks: bool,
    json_path: str | None,
) -> int:  # fmt: skip
    """Solve a property of TARGET, a game or a model file, and write a certificate for every state.

    The certificate carries the model in exact rationals. Anybody can check it with verify/checker.py, which uses only
    Python's standard library and prints the interval that is proven.

    Example: pymc-games certify pig -c goal=20 --prop 'Pmax=? [ F "win1" ]' -o pig.cert
    """
    loaded = loading.load_target(target, definitions, variant, exact=True)
    with progress_console.status("building the model"):
        model = _exact_model(loaded)
    if not fix_deadlocks:
        loading.refuse_deadlocks(model)
    prop = parse_property(text)
    asked = question(prop, model, loaded.values)
    with progress_console.status("solving and certifying"):
        solution = solve(model, asked.query)
        proven = certificate.write(
            output, model, asked.query, solution, property_text=prop.text, complement=asked.complement
        )
    if json_path is not None:
        document = {"file": output, "property": prop.text, "model_digest": proven.model_digest,
                    "lower": _number(proven.lower), "upper": _number(proven.upper)}  # fmt: skip
        write_json(document, json_path)
        return 0
    click.echo(f"{output}: {prop.text} lies between {float(proven.lower):.17g} and {float(proven.upper):.17g}")
    click.echo(f"check it with: python verify/checker.py {output}")
    return 0


def _exact_model(loaded: loading.Target) -> ExplicitModel:
    """Return the target's model in exact numbers: the rules of a game, or what Storm builds in rationals."""
    for model in (loaded.rules, loaded.model):
        if model is not None:
            return model
    if loaded.program is None:
        raise CertificateError(f"{loaded.name} has no model to certify")
    return loading.explicit_model(loaded.program, exact=True)


def _number(value: Fraction | float) -> object:
    return exact_json(value) if isinstance(value, Fraction) else json_number(value)
