import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures.leakage import leakage
from core.release.confusability import range_release, range_table
from core.release.sentences import knowable

BLOCKS = Joint.from_counts(np.kron(np.eye(3), np.ones((2, 2))))


@given(seed=st.integers(0, 10_000), n_s=st.integers(2, 6), n_x=st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_a_release_is_judged_as_its_own_joint_would_be(seed, n_s, n_x):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, (n_s, n_x)) * (rng.random((n_s, n_x)) < 0.5)
    counts[rng.integers(n_s, size=n_x), np.arange(n_x)] += 1
    counts[np.arange(n_s), rng.integers(n_x, size=n_s)] += 1
    joint = Joint.from_counts(counts)
    blocks = rng.integers(3, size=n_x)
    partition = [np.flatnonzero(blocks == k).tolist() for k in np.unique(blocks)]
    values = rng.random(n_x)
    result = range_release(joint, partition, values)
    merged = np.stack([counts[:, cluster].sum(axis=1) for cluster in partition], axis=1)
    assert result.anonymity == (merged > 0).sum(axis=0).min()
    assert result.reduction == pytest.approx(np.log2(n_s / result.anonymity))
    assert result.information == pytest.approx(np.log2(result.parts))
    assert sorted(y for part in result.components for y in part) == list(range(len(partition)))
    assert result.resolution == pytest.approx(np.log2(n_x / max(map(len, partition))))
    assert result.distortion == pytest.approx(
        max(np.abs(values[c] - values[c].mean()).max() for c in partition)
    )
    np.testing.assert_allclose(
        np.sort(result.leak.joint_sy.sum(axis=0)), np.sort(merged.sum(axis=0) / counts.sum())
    )
    assert result.mechanism.notion is None


def test_names_have_no_distortion_and_a_partition_must_hold_every_symbol():
    assert range_release(BLOCKS, ns.singletons(6)).distortion is None
    with pytest.raises(InvalidInputError, match="must hold every index"):
        range_release(BLOCKS, [(0, 1)])


def test_parts_are_blocks_of_the_table():
    mixed = np.random.default_rng(0).permutation(6)
    leak = leakage(BLOCKS.p[mixed][:, mixed], tuple("abcdef"))
    result = range_table(leak, tuple("uvwxyz"))
    assert (result.occurs == np.kron(np.eye(3), np.ones((2, 2)))).all()
    assert result.parts.tolist() == [0, 0, 1, 1, 2, 2]
    assert sorted(result.y_labels) == list("abcdef")
    assert sorted(result.s_labels) == list("uvwxyz")
    for s, y in np.argwhere(result.occurs):
        assert leak.occurs["uvwxyz".index(result.s_labels[s]), "abcdef".index(result.y_labels[y])]
    assert range_table(leak, tuple("uvwxyz"), most=2).left_out == (4, 4)


def test_what_can_be_known_is_said_as_it_is():
    apart = range_release(BLOCKS, ns.singletons(6))
    assert knowable(apart, "age") == (
        "1.58 bits of age can be known for certain: every release reveals which of 3 groups its "
        "value is in. Every release leaves at least 2 of 6 values possible."
    )
    hidden = range_release(BLOCKS, [range(6)])
    assert knowable(hidden, "age") == (
        "Nothing about age is sure to be revealed: no question about it is answered by every "
        "release. Every release leaves all 6 values possible."
    )
    chain = Joint.from_counts([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    assert knowable(range_release(chain, ns.singletons(3)), "age").endswith(
        "Yet at least one release leaves only one of 3 values possible."
    )
