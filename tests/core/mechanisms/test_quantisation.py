import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import nonstochastic as ns
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import quantisation, secret_quantisation
from tests.strategies import joints, partitions


@settings(max_examples=50, deadline=None)
@given(st.data(), joints())
def test_its_release_has_the_range_of_the_partition(data, joint):
    partition = tuple(sorted(data.draw(partitions(joint.n_x))))
    mechanism = quantisation(joint, partition)
    released = joint.release(mechanism.kernel)
    assert np.array_equal(released > 0, ns.quantised(joint.p > 0, partition))
    assert mechanism.partition == partition
    assert mechanism.utility == pytest.approx(measures.entropy(released.sum(axis=0)), abs=1e-12)
    assert mechanism.notion is None


@settings(max_examples=50, deadline=None)
@given(joints(max_s=3, max_x=3))
def test_one_that_reads_the_secret(joint):
    ranges, pairs = ns.with_secret(joint.p > 0)
    result = ns.merge_for_indistinguishability(ranges, 0.0, objective="reduction")
    mechanism = secret_quantisation(joint, result.partition)
    assert mechanism.kernel.shape == (joint.n_s * joint.n_x, len(result.partition))
    released = joint.release(mechanism.kernel)
    assert np.array_equal(released > 0, ns.quantised(ranges, result.partition))
    masses = [sum(joint.p[pairs[i]] for i in cluster) for cluster in result.partition]
    assert released.sum(axis=0) == pytest.approx(masses)


def test_a_partition_that_does_not_fit():
    joint = Joint.from_counts([[1, 2], [3, 4]])
    with pytest.raises(InvalidInputError, match="once"):
        quantisation(joint, [(0,)])
    with pytest.raises(InvalidInputError, match="once"):
        secret_quantisation(joint, [(0, 1)])
