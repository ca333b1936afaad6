"""Unary encoding of many symbols: its levels and its utility without the kernel."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from core import measures, validation
from core.joint import Joint
from core.mechanisms.response.unary_encoding import lift_promise, unary_alpha, unary_levels
from core.notions import Notion, PointwiseNotion
from core.validation import FloatArray

DRAWS = 10_000
"""Noise patterns that an estimated utility averages over."""

CHUNK = 1 << 20
"""Most bits of noise drawn at once: 8 MB of doubles."""


@dataclass(frozen=True)
class UnaryEncoding:
    """Levels and utility of unary encoding.

    Attributes
    ----------
    alpha : float
        Its parameter, in [0, ∞].
    flip : float
        1/(e^α + 1): the probability that a symbol other than x is in the set.
    notion : PointwiseNotion
        The notion that it keeps.
    lower_level, upper_level : float
        The largest levels over all 2^n_x outputs, exact, in nats.
    utility : float
        I(X;Y) in nats: a seeded estimate, exact where `standard_error` is 0.
    standard_error : float
        Standard error of `utility`, in nats.
    nmi : float
        `utility`/H(X).
    """

    alpha: float
    flip: float
    notion: PointwiseNotion
    lower_level: float
    upper_level: float
    utility: float
    standard_error: float
    nmi: float


def unary_encoding_summary(
    joint: Joint,
    eps: float | None = None,
    notion: Notion | None = None,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> UnaryEncoding:
    """Return levels and utility of unary encoding, for any number of symbols.

    Parameters
    ----------
    joint, eps, notion
        As in `optimized_unary_encoding`, but X may have any number of symbols.
    seed : int
        Seed of the estimate of I(X;Y).
    draws : int
        Noise patterns of the estimate, at least 2.

    Raises
    ------
    InvalidInputError
        If both or neither of `eps` and `notion` is given, the notion is not LIP, ALIP or LDP, or
        `draws` is too small.

    Examples
    --------
    >>> joint = Joint.random_uniform(3, 40, np.random.default_rng(0))
    >>> summary = unary_encoding_summary(joint, eps=0.5)
    >>> round(max(summary.lower_level, summary.upper_level), 9)
    0.5
    >>> 0 < summary.standard_error < 0.01 * summary.utility
    True
    """
    pointwise = lift_promise(eps, notion)
    validation.whole(draws, "draws", low=2)
    alpha = unary_alpha(joint, pointwise)
    lower, upper = unary_levels(joint, pointwise, alpha)
    entropy = float(measures.entropy(joint.p_x))
    if alpha in (0.0, np.inf):  # Y is noise, or {x} with probability ½ and else empty
        utility, error = entropy / 2 * (alpha > 0), 0.0
    else:
        utility, error = _estimate(joint.p_x, alpha, np.random.default_rng(seed), draws)
    return UnaryEncoding(
        alpha=alpha,
        flip=float(special.expit(-alpha)),
        notion=pointwise,
        lower_level=lower,
        upper_level=upper,
        utility=utility,
        standard_error=error,
        nmi=utility / entropy if entropy > 0 else 1.0,
    )


def _estimate(
    p_x: FloatArray, alpha: float, rng: np.random.Generator, draws: int
) -> tuple[float, float]:
    """Return a seeded estimate of I(X;Y) and its standard error, in nats; 0 < α < ∞.

    I(X;Y) = −α/2 − E log(e^{−α} + (1 − e^{−α}) P(T)) over the released set T. Only the noise of
    symbols other than x is drawn; the mean over x and over whether x is in T is exact.
    """
    other = np.exp(-alpha)
    chunk = max(1, CHUNK // p_x.size)
    means = []
    for start in range(0, draws, chunk):
        noise = rng.random((min(chunk, draws - start), p_x.size)) < special.expit(-alpha)
        rest = noise @ p_x
        without = np.maximum(rest[:, None] - noise * p_x, 0.0)
        both = np.log(other + (1 - other) * without) + np.log(other + (1 - other) * (without + p_x))
        means.append(both @ p_x / 2)
    values = -alpha / 2 - np.concatenate(means)
    return max(0.0, float(values.mean())), float(values.std(ddof=1) / np.sqrt(draws))
