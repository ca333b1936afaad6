import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.measures.leakage import leakage
from core.release.confusability import component_graph, most_likely, release_graph


@given(seed=st.integers(0, 10_000), n_s=st.integers(1, 5), n_y=st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_edges_and_parts_against_networkx(seed, n_s, n_y):
    rng = np.random.default_rng(seed)
    p = rng.random((n_s, n_y)) * (rng.random((n_s, n_y)) < 0.4)
    p[rng.integers(n_s)] += 1e-3 * (p.sum(axis=0) == 0)
    result = release_graph(leakage(p / p.sum(), tuple(map(str, range(n_y)))))
    graph = nx.Graph()
    graph.add_nodes_from(range(n_y))
    graph.add_edges_from(
        (a, b) for a in range(n_y) for b in range(a) if ((p[:, a] > 0) & (p[:, b] > 0)).any()
    )
    assert {frozenset(edge) for edge in result.edges} == {frozenset(edge) for edge in graph.edges}
    assert result.components == nx.number_connected_components(graph)
    assert result.possible.tolist() == (p > 0).sum(axis=0).tolist()
    assert result.fewest == (p > 0).sum(axis=0).min()
    assert result.positions.shape == (n_y, 2)
    assert result.left_out == 0


def test_of_a_large_graph_the_most_likely_outputs_are_kept():
    p = np.arange(1, 101)[None, :] * np.ones((2, 1))
    p[0, 0] = 0
    result = release_graph(leakage(p / p.sum(), tuple(map(str, range(100)))), most=10)
    assert result.names == tuple(map(str, range(90, 100)))
    assert result.left_out == 90
    assert result.fewest == 1
    assert result.components == 1
    assert len(result.edges) == 45


def test_a_layout_is_shared_and_cannot_be_changed():
    item = release_graph(leakage([[0.3, 0.2], [0.3, 0.2]], ("a", "b")))
    two = release_graph(leakage([[0.2, 0.3], [0.2, 0.3]], ("a", "b")))
    assert item.positions is two.positions
    with pytest.raises(ValueError, match="read-only"):
        item.positions[0] = 0


def test_most_likely_keeps_the_order_and_takes_the_first_of_equals():
    assert most_likely([0.2, 0.2, 0.2, 0.4], 2).tolist() == [0, 3]
    assert most_likely([0.5, 0.5], 9).tolist() == [0, 1]


BLOCKS = np.kron(np.eye(3), np.ones((2, 2))) / 12


def test_the_dual_view_has_the_same_parts_in_the_same_order():
    mixed = np.random.default_rng(3).permutation(6)
    leak = leakage(BLOCKS[mixed], tuple("abcdef"))
    dual = release_graph(leak, tuple("uvwxyz"), nodes="secret")
    plain = release_graph(leak, tuple("uvwxyz"))
    assert dual.names == tuple("uvwxyz")
    assert dual.others == plain.names
    for part in range(3):
        of_s = [dual.names[i] for i in np.flatnonzero(dual.parts == part)]
        of_y = [plain.names[i] for i in np.flatnonzero(plain.parts == part)]
        for s in of_s:
            for y in of_y:
                assert leak.occurs["uvwxyz".index(s), "abcdef".index(y)]
    for (a, b), shared in zip(dual.edges, dual.shared, strict=True):
        both = leak.occurs[a] & leak.occurs[b]
        assert shared == tuple(np.flatnonzero(both).tolist())


def test_a_part_is_opened_and_parts_stand_alone():
    leak = leakage(BLOCKS, tuple("abcdef"))
    opened = release_graph(leak, tuple("uvwxyz"), part=1)
    assert opened.names == ("c", "d")
    assert opened.shared == ((2, 3),)
    assert opened.components == 3
    alone = component_graph(leak, tuple("uvwxyz"), nodes="secret")
    assert alone.names == ("u + v", "w + x", "y + z")
    assert alone.members.tolist() == [2, 2, 2]
    assert alone.possible.tolist() == [2, 2, 2]
    assert component_graph(leak, most=1).left_out == 2
    with pytest.raises(InvalidInputError, match="part"):
        release_graph(leak, part=3)
    with pytest.raises(InvalidInputError, match='nodes must be "released" or "secret"'):
        release_graph(leak, nodes="both")


def test_a_secret_that_never_occurs_is_no_node():
    leak = leakage([[0.5, 0.0], [0.0, 0.0], [0.0, 0.5]], ("a", "b"))
    assert release_graph(leak, ("u", "v", "w"), nodes="secret").names == ("u", "w")


def test_a_graph_that_tells_nothing_apart_is_a_circle():
    result = release_graph(leakage(np.full((2, 5), 0.1), tuple("abcde")))
    np.testing.assert_allclose(np.linalg.norm(result.positions, axis=1), 1)
    assert len({tuple(place) for place in result.positions.round(6)}) == 5
