"""Randomised responses of (s, u): robust under every distribution, without an estimate."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.mechanisms.response.calibration import LARGEST
from core.mechanisms.response.generalized_randomized_response import grr_kernel
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.design import released
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import cell_probabilities
from core.validation import FloatArray


def secret_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u) most often, (s', u') less often, and (s, u') least often.

    It is (ε, F)-RLDP for every F and, where F is all distributions, optimal for large enough ε.

    Parameters
    ----------
    p_su : array_like
        P(s, u), or counts, shape (n_s, n_u); only the utility depends on them.
    eps : float
        Budget in nats.

    Raises
    ------
    InvalidInputError
        If there are fewer than two secrets or u, or `eps` is outside [0, ∞].

    Notes
    -----
    Source: [RLDP] Def. 4, Lemma 2, Theorem 4.

    Examples
    --------
    >>> mechanism = secret_randomized_response([[0.07, 0.10], [0.26, 0.57]], np.log(2))
    >>> round(mechanism.utility, 4)
    0.1005
    """
    return _under_every_distribution(
        p_su,
        eps,
        "Secret randomised response",
        secret_response_kernel,
    )


def secret_response_kernel(n_s: int, n_u: int, eps: float) -> FloatArray:
    """Return P(y | s, u), shape (n_s·n_u, n_s·n_u), in the order s·n_u + u.

    It is proportional to e^ε for y = (s, u), e^{−ε} for another u of s and 1 for other secrets.

    Examples
    --------
    >>> secret_response_kernel(2, 2, np.log(2)).round(3)
    array([[0.444, 0.111, 0.222, 0.222],
           [0.111, 0.444, 0.222, 0.222],
           [0.222, 0.222, 0.444, 0.111],
           [0.222, 0.222, 0.111, 0.444]])
    """
    # weights are divided by e^ε, so that an infinite budget gives the identity
    eps = eps if eps == np.inf else min(eps, LARGEST / 2)  # no weight underflows to 0
    other, same = np.exp(-eps), np.exp(-2 * eps)
    block = np.where(np.eye(n_u) > 0, 1.0, same)
    weights = np.where(
        np.kron(np.eye(n_s), np.ones((n_u, n_u))) > 0, np.tile(block, (n_s, n_s)), other
    )
    kernel: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return kernel


def pair_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u) with probability e^ε/(e^ε + n_s·n_u − 1), else another pair drawn uniformly.

    It is LDP of X, and so of S under every distribution.

    Shapes: p_su (n_s, n_u).

    Source: [RLDP] §8, GRR.
    """
    return _under_every_distribution(
        p_su,
        eps,
        "Randomised response of (s, u)",
        lambda n_s, n_u, budget: grr_kernel(n_s * n_u, budget),
    )


def _under_every_distribution(
    p_su: ArrayLike, eps: float, name: str, kernel: Callable[[int, int, float], FloatArray]
) -> Mechanism:
    """Return a report of (s, u) that is audited over the set of all distributions."""
    cells = cell_probabilities(p_su)
    n_s, n_u = cells.shape
    budget = validation.budget(eps, "eps")
    return released(
        cells,
        kernel(n_s, n_u, budget),
        name=name,
        solver="closed form",
        status="closed form",
        notion=RLDP(budget, RenyiBall(cells, np.inf)),
        by_symbol=True,
    )
