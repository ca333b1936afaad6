import math

import dit
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycanon.anonymity import k_anonymity

from core import measures
from core import nonstochastic as ns
from tests.strategies import joint_ranges, joints, partitions

CHAIN = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]


def test_values_by_hand():
    assert ns.hartley(CHAIN) == 2.0
    assert ns.hartley(5, base=5) == 1.0
    assert ns.hartley([True, False, True]) == 1.0
    assert ns.hartley(CHAIN, partition=[(0, 1), (2, 3)]) == 1.0
    assert ns.max_uncertainty_reduction(CHAIN) == 2.0
    assert ns.min_uncertainty_reduction(CHAIN) == 1.0
    assert ns.anonymity(CHAIN) == 1
    assert ns.maximin_information(CHAIN) == 1.0
    split = ((0, 1), (2, 3))
    assert ns.max_uncertainty_reduction(CHAIN, split) == 1.0
    assert ns.min_uncertainty_reduction(CHAIN, split) == pytest.approx(math.log2(4 / 3))
    assert ns.anonymity(CHAIN, split) == 2
    assert ns.maximin_information(CHAIN, split) == 0.0
    assert ns.maximin_information(CHAIN, base=math.e) == pytest.approx(math.log(2))
    assert ns.worst_case_resolution([(0, 1, 2), (3, 4, 5)], 6) == 1.0
    assert ns.worst_case_resolution([(0, 1, 2), (3, 4, 5)], 6, base=10) == pytest.approx(0.30103)


def test_secrets_that_never_occur_do_not_count():
    assert ns.max_uncertainty_reduction([[1, 0], [0, 1], [0, 0]]) == 1.0


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_k_anonymity_and_uncertainty_reduction_are_one(data, occurs):
    """[NonStoch] Lemma 1."""
    partition = data.draw(partitions(occurs.shape[1]))
    secrets = occurs.any(axis=1).sum()
    k = ns.anonymity(occurs, partition)
    reduction = ns.max_uncertainty_reduction(occurs, partition)
    assert reduction == pytest.approx(math.log2(secrets / k))
    for level in range(1, secrets + 1):
        assert (k >= level) == (reduction <= math.log2(secrets / level) + 1e-12)


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_maximin_information_is_below_the_reductions(data, occurs):
    """[NonStoch] Prop. 1: I* ≤ L0; and I0 ≤ L0 by definition."""
    partition = data.draw(partitions(occurs.shape[1]))
    most = ns.max_uncertainty_reduction(occurs, partition)
    assert ns.maximin_information(occurs, partition) <= most + 1e-12
    assert ns.min_uncertainty_reduction(occurs, partition) <= most


@settings(max_examples=50, deadline=None)
@given(joint_ranges())
def test_maximin_information_is_symmetric(occurs):
    used = occurs[occurs.any(axis=1)]
    assert ns.maximin_information(used) == ns.maximin_information(used.T)


@settings(max_examples=50, deadline=None)
@given(st.data(), joint_ranges())
def test_merging_more_never_tells_more(data, occurs):
    """A release of a release tells no more: data processing for both leakages and I0(X;X̂)."""
    fine = data.draw(partitions(occurs.shape[1]))
    groups = data.draw(partitions(len(fine)))
    coarse = tuple(tuple(x for c in group for x in fine[c]) for group in groups)
    for measure in (ns.max_uncertainty_reduction, ns.maximin_information, ns.hartley):
        assert measure(occurs, coarse) <= measure(occurs, fine)
    size = occurs.shape[1]
    assert ns.worst_case_resolution(coarse, size) <= ns.worst_case_resolution(fine, size)
    assert ns.anonymity(occurs, coarse) >= ns.anonymity(occurs, fine)


@settings(max_examples=15, deadline=None)
@given(st.data(), joint_ranges(max_s=4, max_x=5))
def test_k_anonymity_against_pycanon(data, occurs):
    """One record for each pair (s, x̂): then records and distinct secrets are the same number."""
    partition = data.draw(partitions(occurs.shape[1]))
    ranges = ns.quantised(occurs, partition)
    rows = [(f"s{s}", f"y{y}") for s, y in np.argwhere(ranges)]
    frame = pd.DataFrame(rows, columns=["secret", "released"]).assign(all="same")
    assert ns.anonymity(occurs, partition) == k_anonymity(frame, ["released", "all"])


@settings(max_examples=15, deadline=None)
@given(joints(max_s=3, max_x=4))
def test_gacs_korner_of_dit_lies_between_zero_and_maximin_information(joint):
    """On equally likely components they are equal; in general I* bounds the entropy."""
    outcomes = [(str(s), str(x)) for s, x in np.argwhere(joint.p)]
    d = dit.Distribution(outcomes, joint.p[joint.p > 0].tolist())
    theirs = dit.multivariate.gk_common_information(d)
    assert measures.gacs_korner(joint.p) / math.log(2) == pytest.approx(theirs, abs=1e-9)
    assert theirs <= ns.maximin_information(joint.p > 0) + 1e-9


def test_side_information_takes_the_worst_case():
    seen, unseen = [[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert ns.max_uncertainty_reduction([seen, unseen]) == pytest.approx(math.log2(3))
    assert ns.anonymity([seen, unseen]) == 1
    assert ns.maximin_information([seen, unseen]) == 1.0
    merged = [(0, 1), (2,)]
    assert ns.max_uncertainty_reduction([seen, unseen], merged) == pytest.approx(math.log2(3))
    assert ns.min_uncertainty_reduction([seen, unseen], merged) == 0.0
    assert ns.maximin_information([seen, unseen], merged) == 1.0
    assert ns.maximin_information([seen, unseen], [(0, 1, 2)]) == 0.0
