"""Privacy and utility at a true distribution, against the definitions."""

import numpy as np
import pytest

from core import measures
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LDP
from core.studies import robust_designs


def test_level_and_utility_are_those_of_the_joint():
    rng = np.random.default_rng(0)
    cells, kernel = rng.dirichlet(np.ones(6), size=5).reshape(5, 3, 2), rng.dirichlet(np.ones(4), 6)
    levels = robust_designs.realised_level(cells, kernel)
    utilities = robust_designs.information(cells, kernel)
    shares = robust_designs.normalised_information(cells, kernel)
    for i in range(5):
        joint = Joint.with_secret_released(cells[i])
        assert levels[i] == pytest.approx(LDP(1).achieved(joint, kernel))
        expected = measures.mutual_information(joint.release_x(kernel))
        assert utilities[i] == pytest.approx(expected)
        assert shares[i] == pytest.approx(expected / measures.entropy(joint.p_x))


def test_infinite_levels_and_absent_secrets():
    kernel = np.array([[0.8, 0.2], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # P(y2 | s1) = 0.2 and P(y2 | s2) = ¾
    assert robust_designs.realised_level([[0.5, 0.0], [0.25, 0.25]], kernel) == pytest.approx(
        np.log(0.75 / 0.2)
    )
    assert robust_designs.realised_level([[0.0, 0.5], [0.25, 0.25]], kernel) == np.inf
    assert robust_designs.realised_level([[0.5, 0.0], [0.5, 0.0]], kernel) == np.inf
    assert robust_designs.realised_level([[0.5, 0.5], [0.0, 0.0]], kernel) == 0.0


def test_draws_follow_their_laws():
    rng = np.random.default_rng(1)
    truths = robust_designs.draw_truth(2, 2, rng, count=4000)
    assert truths.mean(axis=0) == pytest.approx(np.full((2, 2), 0.25), abs=0.02)
    # the variance of one of four probabilities under Dirichlet(½)
    assert truths.var(axis=0) == pytest.approx(np.full((2, 2), 0.1875 / 3), abs=0.01)
    counts = robust_designs.draw_sample([[0.1, 0.1], [0.2, 0.6]], 10_000, rng)
    assert counts / 10_000 == pytest.approx(np.array([[0.1, 0.1], [0.2, 0.6]]), abs=0.02)


def test_bad_input():
    with pytest.raises(InvalidInputError, match="row for each of the 4 cells"):
        robust_designs.realised_level(np.full((2, 2), 0.25), np.eye(3))
    with pytest.raises(InvalidInputError, match="prior must be in"):
        robust_designs.draw_truth(2, 2, np.random.default_rng(0), prior=0)
    with pytest.raises(InvalidInputError, match="n must be at least 1"):
        robust_designs.draw_sample(np.full((2, 2), 0.25), 0, np.random.default_rng(0))


def test_a_certain_x_is_kept_whole():
    certain, fair = [[1.0, 0.0], [0.0, 0.0]], [[0.5, 0.0], [0.0, 0.5]]
    kernel = np.ones((4, 1))
    assert robust_designs.normalised_information([certain, fair], kernel).tolist() == [1.0, 0.0]
