from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from core.errors import InvalidInputError
from tests.nonstochastic_reference import secrets_of
from tests.strategies import joint_ranges, partitions


def graph_by_definition(occurs, partition):
    ranges = [secrets_of(occurs, cluster) for cluster in partition]
    return {(i, j) for i, j in combinations(range(len(ranges)), 2) if ranges[i] & ranges[j]}


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_edges_by_definition(data, occurs):
    partition = data.draw(partitions(occurs.shape[1]))
    assert ns.confusability_graph(occurs, partition) == graph_by_definition(occurs, partition)
    assert ns.confusability_graph(occurs) == graph_by_definition(
        occurs, ns.singletons(occurs.shape[1])
    )
    dual = {
        (s, t)
        for s, t in combinations(range(occurs.shape[0]), 2)
        if any(occurs[s, list(c)].any() and occurs[t, list(c)].any() for c in partition)
    }
    assert ns.confusability_graph(occurs, partition, nodes="secret") == dual


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_components_are_those_of_networkx_in_both_views(data, occurs):
    partition = data.draw(partitions(occurs.shape[1]))
    for nodes, count in (("released", len(partition)), ("secret", occurs.shape[0])):
        graph = nx.Graph(list(ns.confusability_graph(occurs, partition, nodes)))
        if nodes == "released":
            graph.add_nodes_from(range(count))
        else:
            graph.add_nodes_from(s for s in range(count) if occurs[s].any())
        result = ns.connected_components(occurs, partition, nodes)
        assert {frozenset(c) for c in result} == {
            frozenset(c) for c in nx.connected_components(graph)
        }


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_components_give_the_overlap_partition(data, occurs):
    """[NonStoch] Lemma 2: the secrets of the k-th component are the k-th overlap class."""
    partition = data.draw(partitions(occurs.shape[1]))
    parts = ns.connected_components(occurs, partition)
    classes = ns.overlap_partition(occurs, partition)
    assert len(parts) == len(classes)
    for nodes, secrets in zip(parts, classes, strict=True):
        members = [x for node in nodes for x in partition[node]]
        assert secrets_of(occurs, members) == set(secrets)


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_edges_are_labelled_by_what_they_share(data, occurs):
    partition = data.draw(partitions(occurs.shape[1]))
    labels = ns.shared_by_edge(occurs, partition)
    assert set(labels) == ns.confusability_graph(occurs, partition)
    for (i, j), shared in labels.items():
        both = secrets_of(occurs, partition[i]) & secrets_of(occurs, partition[j])
        assert set(shared) == both
    dual = ns.shared_by_edge(occurs, partition, nodes="secret")
    for (s, t), shared in dual.items():
        assert set(shared) == {
            y for y, cluster in enumerate(partition) if {s, t} <= secrets_of(occurs, cluster)
        }


def test_unknown_nodes():
    for function in (ns.confusability_graph, ns.connected_components, ns.shared_by_edge):
        with pytest.raises(InvalidInputError, match='"released" or "secret", got \'x\''):
            function([[1]], nodes="x")
