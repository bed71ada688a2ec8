"""``python -m verify``: the models, Pig in every state, and the figures; the same as ``pymc-games verify --models``."""

import sys

from pymc_games.cli.main import main

sys.argv[1:1] = ["verify", "--models"]
main()
