"""Backgammon bearoff."""
