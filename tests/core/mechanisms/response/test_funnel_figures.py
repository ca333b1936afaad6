"""Printed figures of [Funnel] that compare generalized randomized response and reporting."""

import numpy as np
import pytest

from core import mechanisms as m
from core.joint import Joint
from core.mechanisms.response.calibrated import conditional_alpha, grr_alpha
from core.notions import LIP


def differences(draws, n_s, n_x, eps, seed):
    """α and NMI of GRR less those of conditional reporting, under the Jeffreys prior."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        joint = Joint.random_dirichlet(n_s, n_x, 0.5, rng)
        alphas = grr_alpha(joint, LIP(eps)), conditional_alpha(joint, LIP(eps))
        if np.inf in alphas:
            continue
        grr = m.generalized_randomized_response(joint, eps=eps).nmi
        reporting = m.conditional_reporting(joint, LIP(eps)).nmi
        result.append((alphas[0] - alphas[1], grr - reporting))
    return np.array(result)


@pytest.mark.parametrize(("eps", "printed"), [(1.0, 0.9815), (1.5, 0.9889), (2.0, 0.9731)])
def test_figure_8_the_difference_in_alpha_explains_that_in_utility(eps, printed):
    result = differences(100, 5, 5, eps, seed=8)
    ours = np.corrcoef(result.T)[0, 1]
    # Two samples of 100: Fisher's z of each has standard error 1/√97.
    assert abs(np.arctanh(ours) - np.arctanh(printed)) < 4 * np.sqrt(2 / 97)


def test_figure_7_reporting_gains_on_randomised_response_as_x_outgrows_s():
    small, large = (differences(60, n_s, n_x, 1.0, seed=7)[:, 1] for n_s, n_x in ((5, 2), (2, 5)))
    error = np.hypot(small.std(), large.std()) / np.sqrt(60)
    assert small.mean() - large.mean() > 4 * error
