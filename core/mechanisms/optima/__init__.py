"""Optima: one search for every notion, what it starts from, frontiers, robust designs."""
