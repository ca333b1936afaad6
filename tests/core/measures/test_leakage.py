import numpy as np
import pytest

from core.errors import InvalidInputError
from core.measures.leakage import leakage


def test_a_channel_that_tells_everything_has_infinite_levels_and_finite_averages():
    result = leakage(np.eye(2) / 2, ("a", "b"))
    assert result.achieved == {"lip": np.inf, "ldp": np.inf, "pml": pytest.approx(np.log(2))}
    np.testing.assert_array_equal(result.log_min_lift, [-np.inf, -np.inf])
    np.testing.assert_allclose(result.log_max_lift, np.log([2, 2]))
    assert result.averages == {
        "mutual_information": pytest.approx(np.log(2)),
        "total_variation": pytest.approx(0.5),
        "chi2_divergence": pytest.approx(1.0),
        "maximal_leakage": pytest.approx(np.log(2)),
    }
    np.testing.assert_array_equal(result.occurs, np.eye(2, dtype=bool))


def test_outputs_that_never_occur_are_left_out():
    result = leakage([[0.25, 0.0, 0.25], [0.25, 0.0, 0.25]], ("a", "b", "c"))
    assert result.labels == ("a", "c")
    assert result.joint_sy.shape == (2, 2)
    assert result.achieved == {"lip": 0.0, "ldp": 0.0, "pml": 0.0}


def test_levels_by_hand():
    result = leakage([[0.3, 0.2], [0.1, 0.4]], ("a", "b"))
    lift = np.array([[0.3 / 0.2, 0.2 / 0.3], [0.1 / 0.2, 0.4 / 0.3]])
    assert result.achieved["lip"] == pytest.approx(np.log(2))
    assert result.achieved["ldp"] == pytest.approx(np.log(lift[0, 0] / lift[1, 0]))
    assert result.achieved["pml"] == pytest.approx(np.log(1.5))


def test_labels_must_fit():
    with pytest.raises(InvalidInputError, match="labels must be 1 labels, got 2"):
        leakage([[1.0]], ("a", "b"))
