"""How long it takes, beside every peer on the machine: ``python -m benchmarks``."""
