"""Privacy without probabilities: ranges, confusability graphs and clustering."""

from core.nonstochastic.baselines.exact import AllPartitions, all_partitions
from core.nonstochastic.baselines.rivals import EXACT, rivals
from core.nonstochastic.baselines.submodular import submodular_path
from core.nonstochastic.baselines.suppression import (
    generalise_and_suppress,
    submodular_frontier,
    suppression_frontier,
)
from core.nonstochastic.clustering.algorithm_1 import merge_for_anonymity
from core.nonstochastic.clustering.algorithm_2 import merge_for_indistinguishability
from core.nonstochastic.clustering.distortion import DistortionMeasure, max_distortion
from core.nonstochastic.clustering.frontier import FrontierPoint, non_dominated, pareto_frontier
from core.nonstochastic.clustering.path import Clustering, Step, stopped
from core.nonstochastic.clustering.problems import PROBLEMS, solve, weight_within
from core.nonstochastic.clustering.utility import UTILITIES
from core.nonstochastic.ranges.extensions import with_secret
from core.nonstochastic.ranges.graph import (
    confusability_graph,
    connected_components,
    overlap_partition,
    shared_by_edge,
)
from core.nonstochastic.ranges.layout import positions
from core.nonstochastic.ranges.measures import (
    anonymity,
    hartley,
    max_uncertainty_reduction,
    maximin_information,
    min_uncertainty_reduction,
    worst_case_resolution,
)
from core.nonstochastic.ranges.partition import Partition, joint_range, quantised, singletons

__all__ = [
    "EXACT",
    "PROBLEMS",
    "UTILITIES",
    "AllPartitions",
    "Clustering",
    "DistortionMeasure",
    "FrontierPoint",
    "Partition",
    "Step",
    "all_partitions",
    "anonymity",
    "confusability_graph",
    "connected_components",
    "generalise_and_suppress",
    "hartley",
    "joint_range",
    "max_distortion",
    "max_uncertainty_reduction",
    "maximin_information",
    "merge_for_anonymity",
    "merge_for_indistinguishability",
    "min_uncertainty_reduction",
    "non_dominated",
    "overlap_partition",
    "pareto_frontier",
    "positions",
    "quantised",
    "rivals",
    "shared_by_edge",
    "singletons",
    "solve",
    "stopped",
    "submodular_frontier",
    "submodular_path",
    "suppression_frontier",
    "weight_within",
    "with_secret",
    "worst_case_resolution",
]
