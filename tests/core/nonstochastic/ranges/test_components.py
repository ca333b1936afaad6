import networkx as nx
import numpy as np
from hypothesis import given, settings

from core.nonstochastic.ranges.partition import DisjointSets, components
from tests.strategies import joint_ranges


def bipartite(occurs):
    graph = nx.Graph()
    graph.add_nodes_from(("s", s) for s in range(occurs.shape[0]) if occurs[s].any())
    graph.add_nodes_from(("x", x) for x in range(occurs.shape[1]) if occurs[:, x].any())
    graph.add_edges_from((("s", s), ("x", x)) for s, x in np.argwhere(occurs))
    return graph


@settings(max_examples=50, deadline=None)
@given(joint_ranges(max_s=8, max_x=8))
def test_components_are_those_of_networkx(occurs):
    rows, columns = components(occurs)
    result = {
        frozenset(
            [("s", s) for s in np.flatnonzero(rows == c)]
            + [("x", x) for x in np.flatnonzero(columns == c)]
        )
        for c in range(columns.max() + 1)
    }
    assert result == {frozenset(part) for part in nx.connected_components(bipartite(occurs))}


def test_rows_and_columns_without_any_pair_are_in_no_component():
    occurs = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)
    rows, columns = components(occurs)
    assert rows.tolist() == [-1, 0, 1]
    assert columns.tolist() == [-1, 0, 1]


def test_uniting_many_sets_counts_each_once():
    sets = DisjointSets(6)
    assert sets.unite(np.array([4, 5])) == 1
    assert sets.unite(np.array([1, 2, 4, 5, 5])) == 2
    assert sets.unite(np.array([5, 1])) == 0
    assert sets.unite(np.array([], dtype=int)) == 0
    assert sets.count == 3
    assert sets.labels.tolist() == [0, 1, 1, 3, 1, 1]
