"""Algorithms 1, 2 and (10) of [NonStoch] written plainly, everything recomputed from scratch.

Secrets are Python sets, components come from a search over the graph, and nothing is kept from
one merge to the next: what the tests compare with and the benchmark is faster than.
"""

import math
from itertools import combinations


def secrets_of(occurs, cluster):
    return {s for s, row in enumerate(occurs) for x in cluster if row[x]}


def component_labels(ranges):
    """Number the components of clusters given by their sets of secrets, by flooding."""
    labels = [None] * len(ranges)
    for start in range(len(ranges)):
        if labels[start] is not None:
            continue
        queue, labels[start] = [start], start
        while queue:
            i = queue.pop()
            for j, other in enumerate(ranges):
                if labels[j] is None and ranges[i] & other:
                    labels[j] = start
                    queue.append(j)
    return labels


def resolution_loss(cluster, n_x, _):
    return -math.log2(n_x / len(cluster))


def centroid_loss(cluster, _, values):
    numbers = [values[x] for x in cluster]
    middle = sum(numbers) / len(numbers)
    return max(abs(v - middle) for v in numbers)


def l0(occurs, clusters):
    possible = len(secrets_of(occurs, range(len(occurs[0]))))
    return math.log2(possible / min(len(secrets_of(occurs, c)) for c in clusters))


def maximin(occurs, clusters):
    return math.log2(len(set(component_labels([secrets_of(occurs, c) for c in clusters]))))


def joined(clusters, a, b):
    rest = [c for c in clusters if c not in (a, b)]
    return sorted([*rest, tuple(sorted(a + b))])


def algorithm_1(occurs, loss_of, values):
    """Return every partition of Algorithm 1's path."""
    n_x = len(occurs[0])
    clusters = [(x,) for x in range(n_x)]
    path = [tuple(clusters)]
    while l0(occurs, clusters) > 0:
        fewest = min(len(secrets_of(occurs, c)) for c in clusters)
        for cluster in [c for c in clusters if len(secrets_of(occurs, c)) == fewest]:
            if cluster not in clusters:
                continue  # absorbed by an earlier merge of the step
            mine = secrets_of(occurs, cluster)
            others = [c for c in clusters if secrets_of(occurs, c) - mine]
            best = min(others, key=lambda c: loss_of(tuple(sorted(cluster + c)), n_x, values))
            clusters = joined(clusters, cluster, best)
        path.append(tuple(clusters))
    return path


def algorithm_2(occurs, loss_of, values, weight=None):
    """Return every partition of Algorithm 2's path, or with a weight of the variant for (10)."""
    n_x = len(occurs[0])
    clusters = [(x,) for x in range(n_x)]
    path = [tuple(clusters)]
    while True:
        ranges = [secrets_of(occurs, c) for c in clusters]
        labels = component_labels(ranges)
        if len(set(labels)) == 1:
            return path
        costs = []
        for i, j in combinations(range(len(clusters)), 2):
            if labels[i] == labels[j]:
                continue
            if weight is None:
                union = tuple(sorted(clusters[i] + clusters[j]))
                size = labels.count(labels[i]) + labels.count(labels[j])
                costs.append((loss_of(union, n_x, values), -size, i, j))
            else:
                after = joined(clusters, clusters[i], clusters[j])
                loss = max(loss_of(c, n_x, values) for c in after)
                secrets = len(ranges[i] | ranges[j])
                costs.append((l0(occurs, after) + weight * loss, secrets, i, j))
        *_, i, j = min(costs)
        clusters = joined(clusters, clusters[i], clusters[j])
        path.append(tuple(clusters))
