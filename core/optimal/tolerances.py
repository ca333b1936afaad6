"""Tolerances that several folders of the solver share."""

PRICE = 1e-10
"""Least gain, minus the reduced cost, in nats, of a new column: duals of HiGHS are as accurate."""

EXACT_PRICE = 1e-11
"""The same where all vertices are priced directly, which is more accurate."""

NEAR = 0.02
"""Vertices with a reduced cost below this, in nats, count as nearly in use: the duals may move."""

MARGIN = 1e-12
"""Added to every bound, in nats, for the rounding of its last sums."""

SMALL = 1e-9
"""Entries of a posterior are raised to this where the slope of H is taken, as it is steep at 0."""

FEASIBILITY = 1e-9
"""Tolerance of HiGHS for rows, bounds and reduced costs; with its default 1e-7 audits fail."""

THIN = 1e-9
"""Least side of a box, within that tolerance: shorter ones get a constant in place of a secant."""

PARALLEL = 1e-13
"""Slope of a row along an edge, or sum of two unit rows, that is the rounding of parallel ones."""
