"""The start of a tree from all pairs at once, against vertices found by brute force."""

import numpy as np
from scipy import sparse, special

from core.allowed.allowed_set import AllowedSet
from core.joint import Joint
from core.notions import ALIP
from core.optimal.bounds import branch_and_bound, forest
from core.optimal.bounds.branch_and_bound import HALF, none_large, one_large, pair_bounds
from core.optimal.bounds.pricing_bound import PricingBound
from core.optimal.bounds.relaxation import Multipliers, Relaxation
from core.optimal.plan import SIZES
from tests.vertices import allowed_vertices, entropies


def test_both_kinds_of_part_cover_a_box_and_a_large_symbol_leaves_no_other_half():
    rng = np.random.default_rng(0)
    lower, upper = np.array([0.4, 0, 0, 0, 0]), np.array([3.0, 1, 0.7, 1, 1])
    inner = none_large(upper, 0)
    np.testing.assert_array_equal(inner, [3, 0.5, 0.5, 0.5, 0.5])
    parts = [one_large(lower, upper, 0, x) for x in range(1, 5)]
    for _ in range(200):
        w = rng.dirichlet(np.full(4, 0.3))
        point = np.append(max(rng.uniform(0.4, 3.0), w.max()), w)  # d is the largest
        if point[2] <= 0.7 and point[0] <= 3:
            within = [bool((low <= point).all() and (point <= high).all()) for low, high in parts]
            assert sum(within) + bool((point <= inner).all()) >= 1
            assert all(within[x - 1] == (point[x] >= HALF) for x in range(1, 5))


def test_no_output_of_a_large_symbol_undercuts_its_bound():
    rng = np.random.default_rng(1)
    tight = 0
    for _ in range(150):
        n_x, d = int(rng.integers(3, 7)), 0
        rows = rng.standard_normal((3, n_x))
        relaxation = Relaxation(AllowedSet(sparse.csr_array(rows), n_x))
        relaxation.focus(d)
        prices = rng.uniform(-0.5, 1.5, n_x)
        lower, upper = np.zeros(n_x), np.ones(n_x)
        lower[d], upper[d] = 0.5, rng.uniform(0.6, 4.0)
        known = Multipliers(rng.exponential(size=3) * rng.integers(0, 2, 3), 0.0)
        values = pair_bounds(relaxation, prices, lower, upper, known)
        assert values[d] == np.inf
        for x in range(1, n_x):
            w = rng.dirichlet(np.full(n_x - 1, 0.2), size=60)
            w[:, x - 1] += rng.exponential(size=60) * 3
            w /= w.sum(axis=1, keepdims=True)
            odds = rng.choice([0.5, upper[d], rng.uniform(0.5, upper[d])], size=(60, 1))
            points = np.hstack([odds, w])
            points = points[(w[:, x - 1] >= HALF) & (points @ rows.T <= 0).all(axis=1)]
            if len(points):
                r = points / points.sum(axis=1, keepdims=True)
                costs = (special.entr(r).sum(axis=1) - r @ prices) / (1 - r[:, 0])
                assert costs.min() >= values[x]
                tight += costs.min() < values[x] + 0.3
    assert tight > 15


def test_proofs_that_start_from_pairs_hold_at_every_vertex(monkeypatch):
    """150 sets, prices of any sign: exact within the tolerance, never above."""
    monkeypatch.setitem(vars(SIZES), "paired_symbols", 2)
    closed = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n_s, n_x = int(rng.integers(2, 4)), int(rng.integers(2, 6))
        cells = rng.random((n_s, n_x)) if seed % 2 else rng.dirichlet(np.full(n_s * n_x, 0.3))
        joint = Joint.from_counts(cells.reshape(n_s, n_x))
        allowed = ALIP.from_lambda([0.1, 0.5, 1.5][seed % 3], 0.6).allowed_set(joint)
        points = allowed_vertices(allowed)
        prices = rng.uniform(-0.5, [0.4, 1.2, 3.0][seed % 3], joint.n_x)
        result = PricingBound(allowed).minimise(prices, tolerance=1e-7, time_limit=20.0)
        least = float((entropies(points) - points @ prices).min())
        assert (entropies(points) - points @ result.prices >= -1e-13).all()
        assert result.lower <= min(least, 0.0) + 1e-13
        assert result.best_value >= min(least, 0.0) - 1e-8
        if least > 0:
            assert result.finished
            assert result.lower >= -1e-7 - 1e-9
            closed += 1
    assert 30 < closed < 130


def test_either_start_proves_the_same(monkeypatch):
    for part in (branch_and_bound, forest):
        monkeypatch.setattr(part, "DISPROVEN_SHARE", 0.0)
    monkeypatch.setattr(forest, "LONGER", np.inf)
    joint = Joint.random_uniform(3, 14, np.random.default_rng(0))
    allowed = ALIP.from_lambda(1, 0.5).allowed_set(joint)
    prices = np.random.default_rng(1).uniform(0.3, 0.9, 14)
    result = []
    for many in (2, 1000):
        monkeypatch.setitem(vars(SIZES), "paired_symbols", many)
        result.append(PricingBound(allowed).minimise(prices, tolerance=1e-6, time_limit=60))
    assert all(item.finished for item in result)
    np.testing.assert_allclose(result[0].prices, result[1].prices, atol=1e-5)
    assert result[0].boxes != result[1].boxes
    assert (result[0].prices < prices - 1e-3).any()
    assert (result[0].prices > prices - 1e-5).any()
