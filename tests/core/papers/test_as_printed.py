"""What is wrong in the paper stays out of every catalogue, and is wrong in the way that it says."""

import inspect

import numpy as np
import pytest

from core import mechanisms
from core.joint import Joint
from core.mechanisms import catalogue as mechanism_catalogue
from core.mechanisms import heuristics, subset_merging
from core.notions import ALIP, RLDP
from core.notions import catalogue as notion_catalogue
from core.papers import as_printed
from core.scenario import snippet
from core.uncertainty import RenyiBall

P_HAT = np.array([[0.07, 0.10], [0.26, 0.57]])


WRONG = {
    name
    for name, item in inspect.getmembers(as_printed, inspect.isfunction)
    if item.__module__ == as_printed.__name__ and not name.startswith("_")
}


def test_the_module_says_that_all_its_functions_are_wrong():
    assert len(WRONG) >= 10
    assert as_printed.__doc__.startswith("What is WRONG in the paper")


def test_no_catalogue_offers_what_is_wrong():
    for room in (mechanisms, mechanism_catalogue, heuristics, notion_catalogue, snippet):
        assert not WRONG & set(vars(room))
        assert "as_printed" not in inspect.getsource(room)
    titles = list(mechanism_catalogue.CATALOGUE)
    assert not [key for key in titles if "printed" in key]


def test_the_printed_rules_break_or_waste_what_the_right_ones_keep():
    ball = RenyiBall.confidence(P_HAT, 100)
    assert (as_printed.conditional_bound_as_printed(ball) < ball.conditional_bound).all()
    assert (as_printed.lower_as_printed(ball) > ball.lower).all()
    assert (as_printed.radius_as_printed(ball) < ball.radius).all()
    eps = 1.0
    whole = Joint.with_secret_released(P_HAT)
    notion = RLDP(eps, ball, exact=True)
    wrong = notion.achieved(whole, as_printed.independent_reporting_as_printed(ball, eps))
    right = mechanisms.independent_reporting(P_HAT, eps, ball)
    assert notion.achieved(whole, right.kernel) <= eps + 1e-9
    assert wrong > notion.achieved(whole, right.kernel)


@pytest.mark.parametrize("wrong", ["risk", "line 4"])
def test_algorithm_1_as_printed_merges_more_than_it_must_on_average(wrong):
    notion, kept = ALIP(1.0, 1.0), []
    for seed in range(20):
        joint = Joint.random_uniform(5, 17, np.random.default_rng(seed))
        sets = as_printed.subset_merging_as_printed(joint, notion, wrong)
        assert len({x for item in sets for x in item}) == sum(map(len, sets))
        right = subset_merging(joint, notion).partition
        kept.append(len(right) - (len(sets) + joint.n_x - sum(map(len, sets))))
    assert np.mean(kept) > 1


def test_a_product_of_protocols_is_their_kronecker_product():
    first, second = np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([[0.6, 0.4], [0.5, 0.5]])
    whole = as_printed.product_as_printed([first, second])
    assert whole[1, 2] == pytest.approx(0.3 * 0.5)
    assert whole.sum(axis=1) == pytest.approx(np.ones(4))
