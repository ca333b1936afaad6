"""Optima: one search for every notion, its starting mechanisms, frontiers, robust designs."""
