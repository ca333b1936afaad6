"""Polytopes of outputs: standard form, tableaux, bases, and the ways to enumerate vertices."""
