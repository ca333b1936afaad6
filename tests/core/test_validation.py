import numpy as np
import pytest

from core import validation
from core.errors import InvalidInputError


def test_a_distribution_is_normalised_exactly_only_when_it_nearly_sums_to_one():
    p = validation.distribution([[0.5, 0.5 + 1e-10]], "P")
    assert p.sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(InvalidInputError, match=r"P must sum to 1, got 0\.9"):
        validation.distribution([[0.5, 0.4]], "P")
    with pytest.raises(InvalidInputError, match="P must sum to 1, got inf"):
        validation.distribution([[1e308, 1e308]], "P")
    with pytest.raises(InvalidInputError, match="row 0 sums to inf"):
        validation.kernel([[1e308, 1e308]], 1)


def test_batches_are_checked_matrix_by_matrix():
    batch = np.full((3, 2, 2), 0.25)
    np.testing.assert_array_equal(validation.distribution(batch, "P", batch=True), batch)
    batch[1] *= 2
    with pytest.raises(InvalidInputError, match="must sum to 1, got 2"):
        validation.distribution(batch, "P", batch=True)


@pytest.mark.parametrize("value", [-0.1, float("nan"), "much", None])
def test_a_budget_is_a_number_from_zero_to_infinity(value):
    with pytest.raises(InvalidInputError, match="eps must be"):
        validation.budget(value, "eps")


def test_zero_and_infinity_are_budgets():
    assert validation.budget(0, "eps") == 0.0
    assert validation.budget(np.inf, "eps") == np.inf


@pytest.mark.parametrize(
    ("value", "sentence"), [(2.5, "whole"), (True, "whole"), (0, "at least 1 and at most 9")]
)
def test_whole_numbers_are_whole_and_in_their_domain(value, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        validation.whole(value, "n", low=1, high=9)
    assert validation.whole(np.int64(3), "n", low=1) == 3
