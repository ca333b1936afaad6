"""Privacy without probabilities: ranges, confusability graphs and clustering."""

from core.nonstochastic.graph import (
    confusability_graph,
    connected_components,
    overlap_partition,
    shared_by_edge,
)
from core.nonstochastic.layout import positions
from core.nonstochastic.measures import (
    anonymity,
    hartley,
    max_uncertainty_reduction,
    maximin_information,
    min_uncertainty_reduction,
    worst_case_resolution,
)
from core.nonstochastic.ranges import Partition, joint_range, quantised, singletons

__all__ = [
    "Partition",
    "anonymity",
    "confusability_graph",
    "connected_components",
    "hartley",
    "joint_range",
    "max_uncertainty_reduction",
    "maximin_information",
    "min_uncertainty_reduction",
    "overlap_partition",
    "positions",
    "quantised",
    "shared_by_edge",
    "singletons",
    "worst_case_resolution",
]
