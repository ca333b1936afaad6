from dataclasses import replace

import numpy as np
import pytest

from core import attributes
from core.attributes import attribute_shape, attribute_values, cells_of, given_known, known_sets
from core.errors import InvalidInputError
from core.joint import Joint

JOINT = Joint.from_counts(np.arange(24).reshape(2, 12) % 7)  # x = 0 and 7 … some cells are zero


def test_values_are_those_of_the_columns_handed_in():
    counts = np.ones((2, 6))
    counts[:, 2] = 0
    joint = Joint.from_counts(counts)
    np.testing.assert_array_equal(
        attribute_values(joint, (2, 3)), [[0, 0, 1, 1, 1], [0, 1, 0, 1, 2]]
    )


def test_every_proper_subset_is_named_once():
    sets = known_sets(4)
    assert len(sets) == len(set(sets)) == 2**4 - 1
    assert sets[0] == ()
    assert (0, 1, 2, 3) not in sets


def test_cells_number_what_agrees():
    values = attribute_values(Joint.from_counts(np.ones((1, 12))), (2, 3, 2))
    np.testing.assert_array_equal(cells_of(values, ()), np.zeros(12))
    np.testing.assert_array_equal(cells_of(values, (0, 2)), [0, 1] * 3 + [2, 3] * 3)


@pytest.mark.parametrize("block", [1, 40, 1 << 21])
@pytest.mark.parametrize("known", known_sets(3))
def test_conditioning_is_bayes_rule_in_blocks_of_any_size(monkeypatch, known, block):
    monkeypatch.setattr(attributes, "AT_ONCE", block)
    rng = np.random.default_rng(1)
    kernel = rng.dirichlet(np.ones(5), size=JOINT.n_x)
    values = attribute_values(JOINT, (2, 3, 2))
    cells = cells_of(values, known)
    result = np.concatenate(list(given_known(JOINT, kernel, cells)))
    assert len(result) == len({tuple(column) for column in values[list(known)].T})
    for x in range(JOINT.n_x):
        agree = [i for i in range(JOINT.n_x) if all(values[j, i] == values[j, x] for j in known)]
        mass = JOINT.p[:, agree] @ kernel[agree]
        np.testing.assert_allclose(result[cells[x]], mass / mass.sum(), rtol=1e-12)


@pytest.mark.parametrize("block", [1, 1 << 21])
def test_conditioning_takes_kernels_that_read_the_secret(monkeypatch, block):
    monkeypatch.setattr(attributes, "AT_ONCE", block)
    kernel = np.random.default_rng(2).dirichlet(np.ones(3), size=2 * JOINT.n_x)
    whole = next(given_known(JOINT, kernel, np.zeros(JOINT.n_x, dtype=np.int64)))
    np.testing.assert_allclose(whole[0], JOINT.release(kernel), rtol=1e-12)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((2, 5), r"sizes 2·5 = 10 must multiply to the number of columns of the joint, 12\."),
        ((), "1 to 10 attributes, got 0 sizes"),
        ((1,) * 11, "1 to 10 attributes, got 11 sizes"),
        ((12, 0), "size must be at least 1, got 0"),
        ((2, 6.0), "must be a whole number"),
    ],
)
def test_sizes_that_do_not_fit_are_named(shape, message):
    with pytest.raises(InvalidInputError, match=message):
        attribute_shape(JOINT, shape)


def test_without_sizes_x_is_what_the_joint_says():
    assert attribute_shape(JOINT) == (12,)
    assert attribute_shape(replace(JOINT, x_shape=(3, 4))) == (3, 4)
