"""Questions about positions, answered in a browser on this machine: what ``pymc-games serve`` runs."""
