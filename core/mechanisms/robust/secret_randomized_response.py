"""Secret randomised response: robust for every distribution, with no estimate needed."""

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.mechanisms.response.calibration import LARGEST
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.design import released
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import cell_probabilities
from core.validation import FloatArray

NAME = "Secret randomised response"


def secret_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u), or another u of s rarely, or a cell of another secret more often.

    It is (ε, F)-RLDP for every F and, with F all distributions, the best mechanism for all large
    enough ε.

    Parameters
    ----------
    p_su : array_like
        P(s, u), or counts, shape (n_s, n_u); only its utility depends on them.
    eps : float
        Budget in nats.

    Raises
    ------
    InvalidInputError
        If there are fewer than two secrets or u, or `eps` is no budget.

    Notes
    -----
    Source: [RLDP] Def. 4, Lemma 2, Theorem 4.

    Examples
    --------
    >>> mechanism = secret_randomized_response([[0.07, 0.10], [0.26, 0.57]], np.log(2))
    >>> round(mechanism.utility, 4)
    0.1005
    """
    cells = cell_probabilities(p_su)
    budget = validation.budget(eps, "eps")
    return released(
        cells,
        secret_response_kernel(cells.shape[0], cells.shape[1], budget),
        name=NAME,
        solver="closed form",
        status="closed form",
        notion=RLDP(budget, RenyiBall(cells, np.inf)),
        by_symbol=True,
    )


def secret_response_kernel(n_s: int, n_u: int, eps: float) -> FloatArray:
    """Return P(y | x), shape (n_s·n_u, n_s·n_u).

    Weights are e^ε on y = x, e^{−ε} on another u of the same s, 1 on other secrets.

    Examples
    --------
    >>> secret_response_kernel(2, 2, np.log(2)).round(3)
    array([[0.444, 0.111, 0.222, 0.222],
           [0.111, 0.444, 0.222, 0.222],
           [0.222, 0.222, 0.444, 0.111],
           [0.222, 0.222, 0.111, 0.444]])
    """
    # all weights over e^ε, so that an infinite budget is the identity
    eps = eps if eps == np.inf else min(eps, LARGEST / 2)  # so that no weight is rounded to 0
    other, same = np.exp(-eps), np.exp(-2 * eps)
    block = np.where(np.eye(n_u) > 0, 1.0, same)
    weights = np.where(
        np.kron(np.eye(n_s), np.ones((n_u, n_u))) > 0, np.tile(block, (n_s, n_s)), other
    )
    kernel: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return kernel
