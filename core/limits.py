"""Tolerances and size caps, each with its reason."""

SUM_TOL = 1e-9
"""How far a probability vector handed in may sum from 1: decimal input is rarely exact."""

ROUNDING = 1e-12
"""Slack of the audit, in nats: the rounding of its own sums of non-negative doubles, no more."""

MAX_LEVELS = 2_000
"""Most symbols of S or of X that are loaded: beyond it nothing is readable and nothing solves."""

MAX_CELLS = 250_000
"""Most cells of a joint: 2 MB of doubles; a heat map of it is already a grey square."""

CUT_TOL = 1e-10
"""Excess over a budget, in nats, below which an oracle is silent: a hundred times the audit's
slack, and small enough that moving a posterior a hair towards P_X repairs it."""

LIFT_NOISE = 1e-13
"""Difference of two lifts, relative to them, that is their rounding: a row of a linear program
is scaled to 1, so noise left in it would become a condition. A tenth of the audit's slack."""

MAX_BINS = 200
"""Most bins of a numeric column: beyond it bins are no summary."""

MAX_UPLOAD_MB = 200
"""Largest upload: it is held in memory once while it is read."""

MAX_UNPACKED_MB = 1_000
"""Largest content of an Excel upload once unpacked: a small zip can hold terabytes."""

MAX_COLUMNS = 2_000
"""Most columns of a table: one query looks at all of them."""

DUCKDB_MEMORY = "2GB"
"""Memory that one count may take before it spills to disk."""

MAX_ENUMERATED = 10
"""Most symbols whose partitions are all looked at: 115,975 of 10, six times as many of 11."""

MAX_ATTRIBUTES = 10
"""Most attributes of X: a side channel may know any of 2^10 − 1 sets of them."""

MAX_GRID = 20_000
"""Most combinations of the levels of joined columns that X is said to be a product of: the names of
those that never occur are kept too."""
