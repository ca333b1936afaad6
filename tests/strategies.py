"""Hypothesis strategies that the tests share: random joints and notions."""

import numpy as np
from hypothesis import strategies as st

from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Chi2Privacy,
    Intersection,
    L1Privacy,
    PointwiseMaximalLeakage,
)

budgets = st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0, 1.6, 3.0, float("inf")])
"""Privacy budgets from 0 to ∞."""


@st.composite
def joints(draw, max_s=4, max_x=6, min_x=1):
    """Joints of small whole counts: zero cells, ties and deterministic ones are common."""
    n_s = draw(st.integers(1, max_s))
    n_x = draw(st.integers(min_x, max_x))
    row = st.lists(st.integers(0, 6), min_size=n_x, max_size=n_x)
    counts = draw(st.lists(row, min_size=n_s, max_size=n_s))
    counts[0] = [count + 1 for count in counts[0]]  # every symbol of X occurs
    return Joint.from_counts(counts)


@st.composite
def symbol_notions(draw):
    """Every notion that bounds single symbols, with any budgets."""
    eps, other = draw(budgets), draw(budgets)
    return draw(
        st.sampled_from(
            [
                LIP(eps),
                LDP(eps),
                ALIP(eps, other),
                L1Privacy(eps, other),
                Chi2Privacy(eps, other),
                AlphaLift(eps, other, 2.0),
                AlphaLift(eps, other, float("inf")),
            ]
        )
    )


weights = st.one_of(st.just(0.0), st.floats(1e-3, 1.0), st.sampled_from([1e-12, 1e-6, 1.0]))
"""Weights of cells: 0, ordinary and tiny ones."""

orders = st.one_of(st.floats(1.05, 12.0), st.sampled_from([1.0 + 1e-9, 100.0, float("inf")]))
"""Orders α > 1 of α-lift."""

finite_budgets = st.floats(0.02, 3.0)
"""Budgets that are neither 0 nor so large that they ask nothing."""


@st.composite
def matrices(draw, max_rows=5, max_columns=6):
    """P(s, y) with zero cells, zero rows and zero columns, and tiny cells; sums to 1."""
    shape = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    cells = draw(st.lists(weights, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    cells[draw(st.integers(0, len(cells) - 1))] += 1.0
    matrix = np.array(cells).reshape(shape)
    return matrix / matrix.sum()


@st.composite
def kernels(draw, n_rows, max_outputs=4):
    """P(y | x), shape (n_rows, n_y): every row has an output."""
    n_y = draw(st.integers(1, max_outputs))
    rows = []
    for _ in range(n_rows):
        row = draw(st.lists(weights, min_size=n_y, max_size=n_y))
        row[draw(st.integers(0, n_y - 1))] += 0.5
        rows.append(row)
    kernel = np.array(rows)
    return kernel / kernel.sum(axis=1, keepdims=True)


@st.composite
def convex_notions(draw):
    """Every notion here whose allowed set is convex, with finite budgets."""
    eps, other, alpha = draw(finite_budgets), draw(finite_budgets), draw(orders)
    none = float("inf")
    return draw(
        st.sampled_from(
            [
                LIP(eps),
                LDP(eps),
                ALIP(eps, other),
                ALIP(none, other),
                ALIP(eps, none),
                L1Privacy(none, other),
                Chi2Privacy(none, other),
                AlphaLift(eps, other, alpha),
                AlphaLift(none, other, alpha),
                AlphaLift(eps, none, alpha),
                PointwiseMaximalLeakage(eps),
                Intersection(LDP(eps), ALIP(none, other)),
                Intersection(L1Privacy(none, other), LDP(eps), AlphaLift(eps, other, 3.0)),
            ]
        )
    )


@st.composite
def joint_ranges(draw, max_s=6, max_x=7, min_x=1):
    """Joint ranges, shape (n_s, n_x), in which every x has a secret; sparse ones are common."""
    n_s = draw(st.integers(1, max_s))
    n_x = draw(st.integers(min_x, max_x))
    columns = [
        draw(st.sets(st.integers(0, n_s - 1), min_size=1, max_size=draw(st.integers(1, n_s))))
        for _ in range(n_x)
    ]
    return np.array([[s in column for column in columns] for s in range(n_s)])


@st.composite
def partitions(draw, n_x):
    """Partitions of 0 … n_x − 1 in any order of clusters."""
    block = draw(st.lists(st.integers(0, n_x - 1), min_size=n_x, max_size=n_x))
    used = draw(st.permutations(sorted(set(block))))
    return tuple(tuple(x for x in range(n_x) if block[x] == b) for b in used)
