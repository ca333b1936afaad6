import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.sweep.definition import MEASURES
from core.sweep.findings import front, non_dominated, smaller_is_better

VALUES = st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf, -np.inf, np.nan])


@given(st.lists(st.tuples(VALUES, VALUES), max_size=9))
def test_the_front_is_what_every_pair_says(points):
    costs, gains = [c for c, _ in points], [g for _, g in points]

    def beaten(i):
        return any(
            costs[j] <= costs[i]
            and gains[j] >= gains[i]
            and (costs[j] < costs[i] or gains[j] > gains[i])
            for j in range(len(points))
        )

    expected = [
        not np.isnan(costs[i]) and not np.isnan(gains[i]) and not beaten(i)
        for i in range(len(points))
    ]
    assert non_dominated(costs, gains).tolist() == expected


def row(question, measure, mean):
    return {"question": question, "mechanism": f"m{question}", "measure": measure, "mean": mean}


ROWS = [
    row(0, "kept", 0.5),
    row(0, "level_lip", 2.0),
    row(1, "kept", 0.4),
    row(1, "level_lip", 1.0),
    row(2, "kept", 0.3),
    row(2, "level_lip", 1.5),
]


def test_the_front_of_a_summary_is_in_order_of_cost():
    result = front(ROWS, "level_lip", "kept")
    assert [(item["mechanism"], item["cost"], item["mean"]) for item in result] == [
        ("m1", 1.0, 0.4),
        ("m0", 2.0, 0.5),
    ]


def test_what_is_no_front_is_refused():
    with pytest.raises(InvalidInputError, match="no measure 'nmi'"):
        front(ROWS, "level_lip", "nmi")
    with pytest.raises(InvalidInputError, match="in this order, got 'kept' and 'level_lip'"):
        front(ROWS, "kept", "level_lip")
    with pytest.raises(InvalidInputError, match="lists of one length"):
        non_dominated([1.0], [1.0, 2.0])


def test_every_measure_has_a_direction():
    less = {key for key in MEASURES if smaller_is_better(key)}
    assert {"gap", "outputs", "achieved", "level_lip", "level_average_mi"} <= less
    assert not less & {"kept", "utility", "nmi", "information", "most", "upper_bound"}
