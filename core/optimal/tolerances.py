"""What rooms of the solver have in common: what counts as rounding, and what as near."""

PRICE = 1e-10
"""Gain in nats up to which an output is not worth a column: duals of HiGHS are no closer."""

EXACT_PRICE = 1e-11
"""The same where all outputs are priced at once, by sums that are closer than duals are."""

NEAR = 0.02
"""Reduced cost in nats up to which a vertex is kept for later: the duals may yet move to it."""
