import numpy as np
import pytest

from core import nonstochastic as ns
from core.errors import InvalidInputError

OCCURS = np.array([[1, 1, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 1], [0, 0, 0, 1, 0]], dtype=bool)
VALUES = np.array([0.0, 1.0, 5.0, 6.0, 9.0])


@pytest.mark.parametrize("utility", ns.UTILITIES)
def test_each_problem_has_the_baseline_with_its_leakage(utility):
    anonymity = ns.rivals("anonymity", OCCURS, utility, VALUES)
    assert list(anonymity) == ["generalise_and_suppress", ns.EXACT]
    assert anonymity["generalise_and_suppress"] == ns.suppression_frontier(OCCURS, utility, VALUES)
    maximin = ns.rivals("maximin", OCCURS, utility, VALUES)
    assert list(maximin) == ["submodular_path", ns.EXACT]
    assert maximin["submodular_path"] == ns.submodular_frontier(OCCURS, utility, VALUES)
    assert list(ns.rivals("reduction", OCCURS, utility, VALUES)) == [ns.EXACT]


@pytest.mark.parametrize("problem", ns.PROBLEMS)
def test_nothing_beats_the_optimum(problem):
    exact = ns.rivals(problem, OCCURS)[ns.EXACT]
    for point in ns.pareto_frontier(OCCURS, problem, "resolution"):
        assert any(
            best.leakage <= point.leakage + 1e-12 and best.utility >= point.utility - 1e-12
            for best in exact
        )


def test_of_many_symbols_no_optimum_is_looked_for():
    wide = np.ones((2, 11), dtype=bool)
    assert ns.rivals("reduction", wide) == {}
    with pytest.raises(InvalidInputError, match="problem must be one of"):
        ns.rivals("best", OCCURS)
