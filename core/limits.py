"""Tolerances and size caps, each with its reason."""

import math

ROUNDING = 1e-12
"""Slack of the audit, relative to a lift: the rounding of its sums of non-negative doubles."""

FAR = 300.0
"""Budget in nats of which e^{2ε} is a double, with room for a product; and e^ε of twice it."""

MAX_LEVELS = 10_000
"""Most symbols of S or of X that are loaded: all cells of X itself as a mechanism are 800 MB then,
and a first optimum takes 5 s of a processor and up to 1.5 GB."""

MAX_CELLS = 250_000
"""Most cells of a joint, 25×10000: the rows of a set grow with them, and whole proofs."""

MAX_ENTRIES = 50_000_000
"""Most entries of the matrix of a mechanism that reads S, which has n_s rows for each x: 400 MB."""

MAX_WRITTEN = 10_000_000
"""Most numbers of a mechanism that a certificate writes out, as some 50 MB of text; of a matrix
with more entries it writes those that are not 0."""

AT_ONCE = 1 << 20
"""Numbers that a loop over blocks holds at once: 8 MB of doubles."""

CACHED = 1 << 15
"""The same where a processor's cache should hold them: 256 kB."""

MOST_KNOWN = 2_000
"""Most values of what others know besides: a promise holds given each, with rows of its own."""

MAX_KNOWN_CELLS = 5_000_000
"""Most cells of S, X and what is known: the rows of a promise given it are 80 MB of doubles."""

CUT_TOL = 1e-10
"""Excess over a budget, in nats, that needs no cut: a slight move towards P_X repairs it."""

CLOSE = 1e-9
"""Difference, relative to 1 or to themselves, up to which two computed figures count as equal, and
by which probabilities handed in may sum to more or less than 1: decimal input is rarely exact."""

DUST = 1e-13
"""Part of a quantity of size 1 that is the rounding of a sum of few terms: what is smaller is 0."""

LIFT_NOISE = ROUNDING
"""Relative difference of lifts that is rounding: in rows scaled to 1 it would be a condition."""

MAX_BINS = 200
"""Most bins of a numeric column: more do not summarize it."""

MEGABYTE = 1 << 20
"""Bytes of what limits call MB; and as many are read of a file at once."""

MAX_UPLOAD_MB = 200
"""Largest upload: one copy is held in memory while it is read."""

MAX_UNPACKED_MB = 1_000
"""Largest content of an Excel upload once unpacked: a small zip file can unpack to terabytes."""

MAX_UPLOAD_RECORDS = 100_000_000
"""Most records of a Parquet upload: where few values repeat, a small file has far more."""

MAX_UPLOAD_CELLS = 250_000_000
"""Most cells of a Parquet upload: 100 million took 43 s where each column holds one value."""

MAX_WORKBOOK_CELLS = 20_000_000
"""Most cells of a sheet, empty ones between included: one far out makes billions of them."""

MAX_WORKBOOK_PARTS = 10_000
"""Most parts of a workbook, which has some dozens: each takes time to find, though it is empty."""

MAX_CELL = 131_072
"""Most characters of a cell, as of Python's reader of text files: a longer one is a mistake."""

MAX_COLUMNS = 2_000
"""Most columns of a table, tables of a database and files of a folder: a list shows all of them."""

DUCKDB_MEMORY = "2GB"
"""Memory that one count may take before it spills to disk."""

MAX_ENUMERATED = 10
"""Most symbols whose partitions are all tried: 10 have 115,975 partitions, 11 six times as many."""

MAX_ATTRIBUTES = 10
"""Most attributes of X: a side channel may know any of 2^10 − 1 sets of them."""

MAX_GRID = 20_000
"""Most combinations of levels of joined columns for which X is kept as a product of attributes:
the names of combinations that never occur are kept too."""


def quadratic_slack(budget: float) -> float:
    """Return the audit's slack of a level b that grows as the square of a lift's distance to 1.

    `ROUNDING` moves lifts some √b from 1, and so b by about 2√b·ROUNDING; a slack of ROUNDING in b
    itself would let lifts of 1 ± 1e-6 pass for 1.
    """
    return ROUNDING * min(1.0, 2 * math.sqrt(budget) + ROUNDING)
