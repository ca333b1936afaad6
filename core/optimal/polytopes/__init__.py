"""Polytopes of outputs: standard form, pivots, bases, and every way to list their vertices."""
