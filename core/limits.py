"""Tolerances and size caps, each with its reason."""

SUM_TOL = 1e-9
"""How far a probability vector handed in may sum from 1: decimal input is rarely exact."""

ROUNDING = 1e-12
"""Slack of the audit, in nats: the rounding of its own sums of non-negative doubles, no more."""

MAX_LEVELS = 2_000
"""Most symbols of S or of X that are loaded: beyond it nothing is readable and nothing solves."""

MAX_CELLS = 250_000
"""Most cells of a joint: 2 MB of doubles; a heat map of it is already a grey square."""
