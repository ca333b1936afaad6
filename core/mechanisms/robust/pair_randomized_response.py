"""Randomised response of the pair (s, u): LDP of X, and so of S under every distribution."""

import numpy as np
from numpy.typing import ArrayLike

from core import validation
from core.mechanisms.response.generalized_randomized_response import grr_kernel
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.design import released
from core.notions.rldp import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.estimate import cell_probabilities

NAME = "Randomised response of (s, u)"


def pair_randomized_response(p_su: ArrayLike, eps: float) -> Mechanism:
    """Report (s, u) with probability e^ε/(e^ε + n_s·n_u − 1), else another pair drawn uniformly.

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
    Source: [RLDP] §8, GRR.

    Examples
    --------
    >>> p_hat = [[0.07, 0.10], [0.26, 0.57]]
    >>> round(pair_randomized_response(p_hat, 0.6931471805599453).utility, 4)
    0.0419
    """
    cells = cell_probabilities(p_su)
    budget = validation.budget(eps, "eps")
    return released(
        cells,
        grr_kernel(cells.size, budget),
        name=NAME,
        solver="closed form",
        status="closed form",
        notion=RLDP(budget, RenyiBall(cells, np.inf)),
        by_symbol=True,
    )
