"""Tolerances that several folders of the solver share."""

PRICE = 1e-10
"""Least gain, minus the reduced cost, in nats, of a new column: duals of HiGHS are as accurate."""

EXACT_PRICE = 1e-11
"""The same where all vertices are priced directly, which is more accurate."""

NEAR = 0.02
"""Vertices with a reduced cost below this, in nats, count as nearly in use: the duals may move."""
