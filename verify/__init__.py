"""The campaign's data: published figures with their sources, and the independent checker of certificates."""
