"""An upper bound on I(X;Y) in closed form, by the chain rule over S."""

from core import measures
from core.joint import Joint
from core.notions.base import Notion

_SLACK = 1e-12
"""Nats by which the bound is raised, for the rounding of its sums."""


def chain_bound(joint: Joint, notion: Notion) -> float:
    """Return an upper bound on I(X;Y) of every kernel P(y | x) under a notion, in nats.

    I(X;Y) = I(S;Y) + I(X;Y|S). The first term is at most the notion's `most_about_secret`, the
    second at most H(X|S). The bound is tightest where X (nearly) determines S, and improves on H(X)
    where a search is too large for a proof.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Any notion; where `most_about_secret` is at least I(S;X) the bound is H(X).

    Examples
    --------
    >>> import numpy as np
    >>> from core.notions import LDP
    >>> joint = Joint.with_secret_released([[0.25, 0.25], [0.25, 0.25]])
    >>> print(f"{chain_bound(joint, LDP(0)) / np.log(2):.6f}")  # of the 2 bits of X, one is S
    1.000000
    """
    of_secret = float(measures.mutual_information(joint.p))
    hidden = max(of_secret - notion.most_about_secret(), 0.0)
    return float(measures.entropy(joint.p_x)) - hidden + _SLACK
