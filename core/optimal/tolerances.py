"""Tolerances that several folders of the solver share."""

PRICE = 1e-10
"""Least gain, minus the reduced cost, in nats, of a new column: duals of HiGHS are as accurate."""

NOUGHT = 1e-10
"""A coordinate, slack or sum of a row that a program's basis gives counts as 0 up to this."""

EXACT_PRICE = 1e-11
"""The same where all vertices are priced directly, which is more accurate."""

NEAR = 0.02
"""Vertices with a reduced cost below this, in nats, count as nearly in use: the duals may move."""

SMALL = 1e-9
"""Entries of a posterior are raised to this where the slope of H is taken, as it is steep at 0."""

FEASIBILITY = 1e-9
"""Tolerance of HiGHS for rows, bounds and reduced costs; with its default 1e-7 audits fail."""
