# Everything is set up by the first target that needs it: Python 3.11 or newer and make are enough.
#   make verify       the pipeline on Pig, and the campaign of published figures (minutes)
#   make test         the tests, without those marked `full`
#   make verify-full  the long tests and the whole campaign
#   make lint         formatting, style and types
#   make models       render models/ anew
#   make docs         the documents as a site: site/index.html
#   make notebooks    run docs/notebooks/ anew and store what they show
#   make bench        the benchmarks: writes docs/benchmarks.md
#   make lock         choose new versions and write requirements.lock
#   make clean        remove the environment and what the tools leave behind

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
READY := $(VENV)/ready
# Two workers, each with its own numba cache (tests/conftest.py); a file's tests stay in one worker.
PYTEST := $(RUN) pytest -n 2 --dist loadfile

.PHONY: verify test verify-full lint format models docs notebooks bench lock clean setup

verify: $(READY)
	$(RUN) verify --quick

test: $(READY)
	$(PYTEST) -m "not full"

verify-full: $(READY)
	$(PYTEST)
	$(RUN) verify

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

models: $(READY)
	$(RUN) pymc_games.models

docs: $(READY)
	$(RUN) sphinx -q -W --keep-going -E -d build/docs -c docs . site

notebooks: $(READY)
	$(BIN)/python docs/_extensions/notebooks.py

bench: $(READY)
	$(RUN) benchmarks

setup: $(READY)

# Done again only when the locked versions or the project's description change.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -r requirements.lock
	$(RUN) pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# The newest versions that pyproject.toml allows, as resolved in an empty environment: names and versions only.
lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check hatchling
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[dask,dev,docs,plot,serve]'
	printf '# Written by `make lock`: the versions that everything is run with.\n' > requirements.lock
	.venv-lock/bin/python -m pip freeze --exclude-editable >> requirements.lock
	rm -rf .venv-lock

clean:
	rm -rf $(VENV) .venv-lock .pytest_cache .ruff_cache .mypy_cache .hypothesis dist build site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
