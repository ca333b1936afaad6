"""Measures of what Y reveals about S on average; entropy, informations and leakage are in nats.

Every function of a joint takes P(s, y) of shape (..., n_s, n_y) and returns a number, or an array
of shape (...,) for a batch. It ignores symbols that do not occur, and raises
`InvalidInputError` if an entry is no probability or the entries of a joint do not sum to 1.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special
from scipy.sparse import csgraph

from core import validation
from core.measures.pointwise import (
    JOINT,
    Conditionals,
    conditionals,
    conditionals_of,
    divergence_of,
    excess,
    power_gain,
    ratio,
)
from core.validation import FloatArray, IntArray

Average = Any
"""A float for one joint, an array for a batch: untyped, as NumPy's own sums are."""


def entropy(p: ArrayLike) -> Average:
    """Return H = −Σ p log p, in nats, of probability vectors on the last axis.

    Parameters
    ----------
    p : array_like
        Probabilities, shape (n,), or a batch (..., n).

    Raises
    ------
    InvalidInputError
        If an entry is no probability or a vector does not sum to 1.

    Examples
    --------
    >>> float(entropy([0.5, 0.5, 0.0]))
    0.6931471805599453
    """
    rows = np.atleast_1d(np.asarray(p))[..., None, :]
    return special.entr(validation.distribution(rows, "p", batch=True)).sum(axis=(-2, -1))


def mutual_information(joint_sy: ArrayLike) -> Average:
    """Return I(S;Y) = Σ P(s, y) log l(s, y), never negative.

    Examples
    --------
    >>> float(mutual_information([[0.5, 0.0], [0.0, 0.5]]))
    0.6931471805599453
    """
    joint = validation.distribution(joint_sy, JOINT, batch=True)
    p_s = joint.sum(axis=-1, keepdims=True)
    # a few outputs at a time: what is computed for all cells takes six times the joint's memory
    step = max(1, 2**17 * joint.shape[-1] // joint.size)
    total = 0.0
    for y in range(0, joint.shape[-1], step):
        parts = conditionals_of(joint[..., y : y + step], p_s)
        p_y = parts.p_y[..., 0, :]
        total += (p_y * np.where(p_y > 0, divergence_of(parts), 0.0)).sum(axis=-1)
    return total


def information_of_entries(rows: IntArray, columns: IntArray, weights: FloatArray) -> float:
    """Return `mutual_information` of a joint whose cells are 0 but for some, in nats.

    Parameters
    ----------
    rows, columns : ndarray
        The place of each cell, shape (k,), no two alike.
    weights : ndarray
        Its probability, shape (k,); divided by their sum.

    Examples
    --------
    >>> both = np.array([0, 1])
    >>> information_of_entries(both, both, np.array([0.5, 0.5])).__round__(6)
    0.693147
    """
    occurs = weights > 0  # an input may have probability 0
    rows, columns, weights = rows[occurs], columns[occurs], weights[occurs] / weights.sum()
    of_row, of_column = np.bincount(rows, weights)[rows], np.bincount(columns, weights)[columns]
    prior = of_row * of_column  # 0 where both are below 1e-162
    lift = weights / of_row / of_column
    near = np.abs(lift - 1) < 0.5  # at a lift of 1e-16 the gap rounds to -1, whose log is -∞
    gap = np.divide(weights - prior, prior, where=near & (prior > 0), out=lift - 1)
    terms = weights * np.log(lift) - weights + prior
    terms[near] = prior[near] * ((1 + gap[near]) * np.log1p(gap[near]) - gap[near])
    # any other cell adds its P(s) P(y)
    return float(terms.sum() + max(1.0 - prior.sum(), 0.0))


def total_variation(joint_sy: ArrayLike) -> Average:
    """Return T(S;Y) = ½ Σ |P(s, y) − P(s) P(y)|, half the mean of the ℓ1-lift.

    Source: [Lift] below eq. 27.

    Examples
    --------
    >>> float(total_variation([[0.5, 0.0], [0.0, 0.5]]))
    0.5
    """
    parts = conditionals(joint_sy)
    return np.abs(parts.joint - parts.p_s * parts.p_y).sum(axis=(-2, -1)) / 2


def chi2_divergence(joint_sy: ArrayLike) -> Average:
    """Return χ²(S;Y) = Σ P(s) P(y) (l(s, y) − 1)², the mean of the χ²-lift.

    Source: [Lift] below eq. 28.

    Examples
    --------
    >>> float(chi2_divergence([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    parts = conditionals(joint_sy)
    terms = parts.p_y * ratio((parts.posterior - parts.p_s) ** 2, parts.p_s)
    return np.nansum(terms, axis=(-2, -1))


def sibson(joint_sy: ArrayLike, alpha: float) -> Average:
    """Return Sibson's I_α = α/(α−1) · log Σ_y P(y) (Σ_s P(s) l(s, y)^α)^{1/α}.

    Source: [Lift] below eq. 29. Order 1 is I(S;Y), order ∞ the maximal leakage.

    Parameters
    ----------
    joint_sy : array_like
        P(s, y), shape (..., n_s, n_y).
    alpha : float
        Order, in (0, ∞].

    Raises
    ------
    InvalidInputError
        If `alpha` is not above 0.

    Examples
    --------
    >>> float(sibson([[0.5, 0.0], [0.0, 0.5]], 2))
    0.6931471805599453
    """
    order = validation.number(alpha, "alpha", low=0.0, open_low=True)
    if order == 1:
        return mutual_information(joint_sy)
    parts = conditionals(joint_sy)
    means = _log_power_mean(parts.p_s, parts.lift, order)
    gain = _near_zero(parts, parts.p_s, order, _log_expectation(parts, means))
    return np.maximum(_factor(order) * gain, 0.0)


def arimoto(joint_sy: ArrayLike, alpha: float) -> Average:
    """Return Arimoto's I_α = α/(α−1) · log(Σ_y P(y) ‖P(·|y)‖_α / ‖P_S‖_α), the α-leakage.

    Source: [ALIP] eq. 11 and, for order ∞, 16. Order 1 is I(S;Y).

    Parameters
    ----------
    joint_sy : array_like
        P(s, y), shape (..., n_s, n_y).
    alpha : float
        Order, in (0, ∞].

    Raises
    ------
    InvalidInputError
        If `alpha` is not above 0.

    Examples
    --------
    >>> float(arimoto([[0.5, 0.0], [0.0, 0.5]], float("inf")))
    0.6931471805599453
    """
    order = validation.number(alpha, "alpha", low=0.0, open_low=True)
    if order == 1:
        return mutual_information(joint_sy)
    parts = conditionals(joint_sy)
    ones = (parts.p_s > 0).astype(np.float64)
    norms = _log_power_mean(ones, parts.posterior, order)
    prior = _log_power_mean(ones, parts.p_s, order)[..., 0]
    if order == np.inf:
        return np.maximum(_log_expectation(parts, norms) - prior, 0.0)
    tilted = special.softmax(np.where(ones > 0, order * _log(parts.p_s), -np.inf), axis=-2)
    gain = _near_zero(parts, tilted, order, _log_expectation(parts, norms) - prior)
    return np.maximum(_factor(order) * gain, 0.0)


def maximal_leakage(joint_sy: ArrayLike) -> Average:
    """Return log Σ_y max_s P(y | s).

    Source: [ALIP] eq. 17; it is Sibson's I_α at α = ∞.

    Examples
    --------
    >>> float(maximal_leakage([[0.5, 0.0], [0.0, 0.5]]))
    0.6931471805599453
    """
    return sibson(joint_sy, np.inf)


def guessing_probability(joint_sy: ArrayLike) -> Average:
    """Return Σ_y max_s P(s, y): the probability that the best guess of S from Y is right.

    Source: [ALIP] eq. 16, where its ratio to max_s P(s) is e^{I_∞} of Arimoto.

    Examples
    --------
    >>> float(guessing_probability([[0.5, 0.25], [0.0, 0.25]]))
    0.75
    """
    return conditionals(joint_sy).joint.max(axis=-2).sum(axis=-1)


def _factor(order: float) -> float:
    """Return α/(α−1), which is 1 at ∞."""
    return 1.0 if order == np.inf else order / (order - 1)


def _log(values: FloatArray) -> FloatArray:
    """Return the logarithm, −∞ at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def _log_power_mean(weights: FloatArray, values: FloatArray, order: float) -> FloatArray:
    """Return (1/α) log Σ_s w(s) v(s, y)^α, (..., n_y), over w > 0; −∞ for a y of NaN."""
    occurs = (weights > 0) & (values > 0)
    logs = _log(np.where(occurs, values, 0.0))
    highest: FloatArray = logs.max(axis=-2)
    if order == np.inf:
        return highest
    below = np.where(occurs, logs - np.where(occurs, highest[..., None, :], 0.0), -np.inf)
    total = _log((weights * np.exp(order * below)).sum(axis=-2))
    return np.where(highest > -np.inf, highest + total / order, -np.inf)


def _log_expectation(parts: Conditionals, logs: FloatArray) -> FloatArray:
    """Return log Σ_y P(y) e^{logs(y)}, shape (...,); logs (..., n_y) are −∞ where P(y) = 0."""
    highest = logs.max(axis=-1, keepdims=True)
    total = (parts.p_y[..., 0, :] * np.exp(logs - highest)).sum(axis=-1)
    result: FloatArray = np.log(total) + highest[..., 0]
    return result


def _near_zero(
    parts: Conditionals, weights: FloatArray, order: float, far: FloatArray
) -> FloatArray:
    """Return log Σ_y P(y) (Σ_s w(s) l(s, y)^α)^{1/α}, Σw = 1, exact where it, `far`, is small."""
    if order == np.inf:
        return far
    gap = excess(parts)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        linear = np.where(weights > 0, weights * gap, 0.0).sum(axis=-2)
        curved = np.where(weights > 0, weights * power_gain(gap, order), 0.0).sum(axis=-2)
        gain = np.expm1(np.log1p(curved + order * linear) / order) - linear
        p_y = parts.p_y[..., 0, :]
        total = np.where(p_y > 0, p_y * gain, 0.0).sum(axis=-1)
    # distance of a power mean from 1 within which it is summed as 1 + Σ(… − 1), to lose no digits
    near = np.abs(total) < 0.5
    return np.where(near, np.log1p(np.where(near, total, 0.0)), far)


def gacs_korner(joint_sy: ArrayLike) -> Average:
    """Return the entropy in nats of the component of (S, Y), shape (...,) for a batch.

    The components are those of the bipartite graph that joins s and y where P(s, y) > 0.
    Source: [NonStoch] §VI-B.

    Parameters
    ----------
    joint_sy : array_like
        P(s, y), shape (n_s, n_y), or a batch (..., n_s, n_y).

    Raises
    ------
    InvalidInputError
        If an entry is no probability or the entries do not sum to 1.

    Examples
    --------
    >>> float(gacs_korner([[0.5, 0.0, 0.0], [0.0, 0.25, 0.25]]))
    0.6931471805599453
    """
    joint = conditionals(joint_sy).joint
    flat = joint.reshape(-1, *joint.shape[-2:])
    values = np.array([entropy(_component_masses(single)) for single in flat])
    return values.reshape(joint.shape[:-2])[()]


def _component_masses(joint: FloatArray) -> FloatArray:
    """Return the probability of each component of P(s, y), shape (n_s, n_y)."""
    n_s = joint.shape[0]
    rows, columns = np.nonzero(joint)
    size = n_s + joint.shape[1]
    edges = sparse.coo_array((np.ones(len(rows)), (rows, columns + n_s)), shape=(size, size))
    count, label = csgraph.connected_components(edges, directed=False)
    masses = np.zeros(count)
    np.add.at(masses, label[:n_s], joint.sum(axis=1))
    return masses
