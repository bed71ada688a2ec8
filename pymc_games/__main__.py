"""``python -m pymc_games``: the command line."""

from pymc_games.cli.main import main

if __name__ == "__main__":
    main()
