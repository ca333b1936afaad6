"""An upper bound that costs nothing: what can be told of S at all, and all of X beside it."""

from core import measures
from core.joint import Joint
from core.notions.base import Notion

_SLACK = 1e-12
"""Nats for the rounding of the sums."""


def chain_bound(joint: Joint, notion: Notion) -> float:
    """Return what no kernel P(y | x) under a notion exceeds in I(X;Y), in nats.

    I(X;Y) = I(S;Y) + I(X;Y|S), of which the first is at most what the notion lets any output tell
    of S (its `most_about_secret`), and the second at most H(X|S). It says most where S is a part
    of X or nearly given by it, and saves a search too large for a proof from H(X) as its bound.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : Notion
        Any; one that bounds no lift leaves H(X).

    Examples
    --------
    >>> import numpy as np
    >>> from core.notions import LDP
    >>> joint = Joint.with_secret_released([[0.25, 0.25], [0.25, 0.25]])
    >>> print(f"{chain_bound(joint, LDP(0)) / np.log(2):.6f}")  # of 2 bits, one is of S alone
    1.000000
    """
    of_secret = float(measures.mutual_information(joint.p))
    hidden = max(of_secret - notion.most_about_secret(), 0.0)
    return float(measures.entropy(joint.p_x)) - hidden + _SLACK
