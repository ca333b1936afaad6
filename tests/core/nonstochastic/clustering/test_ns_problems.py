import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import mechanisms as m
from core import nonstochastic as ns
from core.data.spec import DataSpec
from core.errors import InvalidInputError
from core.joint import Joint
from core.scenario import Scenario, evaluate

OCCURS = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
HEART = DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")


def test_each_problem_has_its_algorithm():
    for problem in ns.PROBLEMS:
        result = ns.solve(problem, OCCURS, 0.3)
        plain = (
            ns.merge_for_anonymity(OCCURS, 0.3)
            if problem == "anonymity"
            else ns.merge_for_indistinguishability(OCCURS, 0.3, objective=problem)
        )
        assert result == plain
    with pytest.raises(InvalidInputError, match=r"problem must be one of anonymity, .*'best'"):
        ns.solve("best", OCCURS, 0.3)


@given(
    low=st.floats(0, 1e6),
    gap=st.floats(1e-9, 1e6) | st.just(float("inf")),
)
def test_a_weight_lies_within_its_stretch(low, gap):
    high = low + gap
    if low < high:
        assert low < ns.weight_within(low, high) < high


def test_the_quantisation_found_is_that_of_the_algorithm():
    joint = Joint.from_counts(OCCURS + 2 * np.eye(4))
    made = m.clustering(joint, "maximin", 0.5)
    assert made.partition == ns.merge_for_indistinguishability(joint.p > 0, 0.5).partition
    assert made.notion is None
    with pytest.raises(InvalidInputError, match="needs values"):
        m.clustering(joint, "maximin", 0.5, "distortion")


@pytest.mark.parametrize("problem", ns.PROBLEMS)
def test_a_scenario_quantises_numbers_by_their_distance(problem):
    request = Scenario(data=HEART, mechanism=f"merge_{problem}", weight=0.003, utility="distortion")
    result = evaluate(request)
    answer = ns.solve(
        problem, result.joint.p > 0, 0.003, "distortion", result.counted.x_values
    ).partition
    assert result.mechanism.partition == answer
    assert 1 <= result.mechanism.n_y < result.joint.n_x
    assert Scenario.from_json(request.to_json()) == request


def test_weight_and_utility_are_idle_where_nothing_is_merged():
    assert {"weight", "utility"} <= Scenario().without_effect().keys()
    merging = Scenario(mechanism="merge_anonymity")
    assert not {"weight", "utility"} & merging.without_effect().keys()
    assert Scenario(weight=0.1).content_hash() == Scenario().content_hash()
    assert Scenario(mechanism="merge_anonymity", weight=0.1).content_hash() != (
        merging.content_hash()
    )
    with pytest.raises(InvalidInputError, match="utility must be one of resolution, d"):
        Scenario(utility="beauty")
    with pytest.raises(InvalidInputError, match="weight"):
        Scenario(weight=-1)
