import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from core.errors import InvalidInputError


def random_edges(count, seed, density):
    rng = np.random.default_rng(seed)
    first, second = np.nonzero(np.triu(rng.random((count, count)) < density, 1))
    return list(zip(first.tolist(), second.tolist(), strict=True))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 25), st.integers(0, 99), st.sampled_from([0.0, 0.05, 0.2, 0.6]))
def test_nodes_are_apart_and_the_layout_is_reproducible(count, seed, density):
    edges = random_edges(count, seed, density)
    points = ns.positions(count, edges)
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()
    assert np.array_equal(points, ns.positions(count, reversed(edges)))
    apart = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(count, 1)]
    assert (apart > 0.02).all()


def test_components_do_not_overlap():
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (6, 7)]
    points = ns.positions(9, edges)
    boxes = [points[list(part)] for part in ((0, 1, 2), (3, 4, 5), (6, 7), (8,))]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            gaps = np.maximum(a.min(axis=0) - b.max(axis=0), b.min(axis=0) - a.max(axis=0))
            assert gaps.max() >= 1 - 1e-9


def test_neighbours_are_about_one_apart():
    points = ns.positions(12, [(i, i + 1) for i in range(11)])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert np.median(steps) == pytest.approx(1)


@pytest.mark.parametrize("density", [0.0, 0.03, 0.5])
def test_sixty_nodes_are_quick(density):
    edges = random_edges(60, 1, density)
    started = time.process_time()
    ns.positions(60, edges)
    assert time.process_time() - started < 2.0


def test_wrong_arguments():
    with pytest.raises(InvalidInputError, match="count must be at least 1"):
        ns.positions(0, [])
    with pytest.raises(InvalidInputError, match="names node 3, but there are 2 nodes"):
        ns.positions(2, [(0, 3)])
