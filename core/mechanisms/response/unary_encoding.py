"""Optimized unary encoding: release a random set that holds x with probability ½."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from core import measures, validation
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibrated import (
    LARGEST,
    calibrate,
    calibration_note,
    notion_or_lip,
    status_at,
)
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions import Notion, PointwiseNotion
from core.optimal.plan import SIZES
from core.validation import FloatArray


def optimized_unary_encoding(
    joint: Joint, eps: float | None = None, notion: Notion | None = None
) -> Mechanism:
    """Release a random set: x is in it with probability ½, each other symbol with 1/(e^α + 1).

    Source: [Funnel] eq. 27, with the largest α at which the notion holds. Its utility is at most
    ½·H(X), whatever the budget.

    Parameters
    ----------
    joint : Joint
        P(s, x), n_x ≤ 16: the matrix has 2^n_x columns, numbered with x1 as the lowest bit.
        For more symbols see `unary_encoding_summary`.
    eps : float, optional
        Budget of ε-LIP, in nats.
    notion : LIP, ALIP or LDP, optional
        The notion, in place of `eps`.

    Raises
    ------
    InvalidInputError
        If both or neither of `eps` and `notion` is given, the notion is another, or X has more
        than 16 symbols.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> mechanism = optimized_unary_encoding(joint, eps=0.3)
    >>> mechanism.y_labels
    ('{}', '{x1}', '{x2}', '{x1, x2}')
    >>> round(mechanism.audit.achieved, 9)
    0.3
    """
    pointwise = lift_notion(eps, notion)
    if joint.n_x > SIZES.listed_symbols:
        raise InvalidInputError(
            f"Unary encoding of {joint.n_x} symbols has 2^{joint.n_x} outputs, and its matrix is "
            f"written out for at most {SIZES.listed_symbols}; unary_encoding_summary gives its "
            "level and an estimate of its utility."
        )
    alpha = unary_alpha(joint, pointwise)
    return make_mechanism(
        joint,
        unary_kernel(joint.n_x, alpha),
        name="Optimized unary encoding",
        status=status_at(alpha),
        notion=pointwise,
        y_labels=_set_labels(joint.x_labels),
        notes=(calibration_note(alpha),),
    )


def unary_kernel(n_x: int, alpha: float) -> FloatArray:
    """Return P(y | x), (n_x, 2^n_x) ([Funnel] eq. 28); bit x of y shows whether x is in the set."""
    size = validation.whole(n_x, "n_x", low=1, high=SIZES.listed_symbols)
    flip = special.expit(-validation.budget(alpha, "alpha"))
    kernel = np.ones((size, 1))
    for x in range(size):
        present = np.where(np.arange(size) == x, 0.5, flip)[:, None]
        kernel = np.hstack([kernel * (1 - present), kernel * present])
    return kernel


def unary_levels(joint: Joint, notion: PointwiseNotion, alpha: float) -> tuple[float, float]:
    """Return the largest lower and upper level over all 2^n_x outputs, exactly, in nats.

    T has lift (1 + (e^α − 1) P(T|s))/(1 + (e^α − 1) P(T)) ([Funnel] eq. 29). For one s, a set of
    largest lift λ is {x : P(x|s) > λ P(x)}, as it maximizes 1 + (e^α − 1) P(T|s) − λ (1 + (e^α − 1)
    P(T)), a sum over x: only the n_x sets of the first symbols in order of lift matter. The same
    holds for the smallest lift, and for LDP with P(x|s') in place of P(x).
    """
    x_given_s = joint.p / joint.p_s[:, None]
    other = np.exp(-alpha)
    if notion.bounds_ratio:
        return 0.0, max(_largest_ratio(x_given_s, against, other) for against in x_given_s)
    lower = _largest_ratio(np.broadcast_to(joint.p_x, x_given_s.shape), x_given_s, other)
    return lower, _largest_ratio(x_given_s, joint.p_x, other)


def unary_alpha(joint: Joint, notion: PointwiseNotion) -> float:
    """Return the largest α at which unary encoding keeps LIP, ALIP or LDP, rounded down."""
    alpha = calibrate(lambda alpha: unary_levels(joint, notion, alpha), notion)
    rarest = np.log(joint.p_s.min()) - joint.n_x * np.log(2.0)
    room = min(LARGEST, max(float(rarest - np.log(np.finfo(float).tiny)), 0.0))
    return alpha if alpha == np.inf else min(alpha, room / joint.n_x)


def lift_notion(eps: float | None, notion: Notion | None) -> PointwiseNotion:
    """Return the notion for unary encoding, checked to bound the lift or the ratio of two lifts."""
    pointwise = notion_or_lip(eps, notion, "Unary encoding")
    if not (pointwise.bounds_lift or pointwise.bounds_ratio):
        raise InvalidInputError(
            f"Unary encoding is calibrated to LIP, ALIP or LDP, got {pointwise}."
        )
    return pointwise


def _largest_ratio(above: FloatArray, below: FloatArray, other: float) -> float:
    """Return the log of the largest ratio over rows s and sets T of X; T = X has ratio 1.

    It is (c + (1 − c) above_s(T))/(c + (1 − c) below_s(T)), c = `other` for e^{−α}. Shapes: above
    (n_s, n_x), below (n_x,) or (n_s, n_x).
    """
    below = np.broadcast_to(below, above.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.nan_to_num(above / below, nan=0.0, posinf=np.inf), axis=1)
    upper = other + (1 - other) * np.take_along_axis(above, order, axis=1).cumsum(axis=1)
    lower = other + (1 - other) * np.take_along_axis(below, order, axis=1).cumsum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # α = ∞: x/0 is ∞, 0/0 does not occur
        ratios = np.log(upper / lower)
    return float(np.nanmax(ratios))


def _set_labels(x_labels: Sequence[str]) -> list[str]:
    """Return the 2^n_x subsets as text, in the order of `unary_kernel`."""
    names = [""]
    for label in x_labels:
        names += [f"{name}, {label}" if name else label for name in names]
    return [f"{{{name}}}" for name in names]


@dataclass(frozen=True)
class UnaryEncoding:
    """Levels and utility of unary encoding.

    - `alpha`: its parameter, in [0, ∞].
    - `flip`: 1/(e^α + 1): the probability that a symbol other than x is in the set.
    - `notion`: the notion that it keeps.
    - `lower_level`, `upper_level`: the largest levels over all 2^n_x outputs, exact, in nats.
    - `utility`: I(X;Y) in nats: a seeded estimate, exact where `standard_error` is 0.
    - `standard_error`: standard error of `utility`, in nats.
    - `nmi`: `utility`/H(X).
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
    draws: int = 10_000,  # noise patterns that an estimated utility averages over
) -> UnaryEncoding:
    """Return levels and utility of unary encoding, for any number of symbols."""
    pointwise = lift_notion(eps, notion)
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
    """Return a seeded estimate of I(X;Y) and its standard error; 0 < α < ∞."""
    other = np.exp(-alpha)
    chunk = max(1, (1 << 20) // p_x.size)  # most bits of noise drawn at once: 8 MB of doubles
    means = []
    for start in range(0, draws, chunk):
        noise = rng.random((min(chunk, draws - start), p_x.size)) < special.expit(-alpha)
        rest = noise @ p_x
        without = np.maximum(rest[:, None] - noise * p_x, 0.0)
        both = np.log(other + (1 - other) * without) + np.log(other + (1 - other) * (without + p_x))
        means.append(both @ p_x / 2)
    values = -alpha / 2 - np.concatenate(means)
    return max(0.0, float(values.mean())), float(values.std(ddof=1) / np.sqrt(draws))
