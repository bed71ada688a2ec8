"""``python -m verify``: the same as ``pymc-games verify``."""

import sys

from pymc_games.cli.main import main

sys.argv[1:1] = ["verify"]
main()
