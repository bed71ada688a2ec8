"""Storm, through stormpy 2.0: parsing, building, checking, exporting. The one package that imports stormpy."""

from pymc_games.storm.checking import PRECISION, ROUNDING, Answer, check, check_text
from pymc_games.storm.models import (
    StormModel,
    build,
    export_drn,
    export_umb,
    from_explicit,
    load,
    to_exact,
    to_explicit,
)
from pymc_games.storm.outline import Outline, faulty, outline
from pymc_games.storm.programs import Program, parse, parse_text

__all__ = [
    "PRECISION",
    "ROUNDING",
    "Answer",
    "Outline",
    "Program",
    "StormModel",
    "build",
    "check",
    "check_text",
    "export_drn",
    "export_umb",
    "faulty",
    "from_explicit",
    "load",
    "outline",
    "parse",
    "parse_text",
    "to_exact",
    "to_explicit",
]
