"""Privacy and utility at the true distribution P* of a mechanism designed at an estimate.

P(s, u) has shape (..., n_s, n_u); a kernel P(y | s, u) (n_s·n_u, n_y), rows s·n_u + u.
"""

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core.errors import InvalidInputError
from core.uncertainty.ball import conditionals
from core.validation import FloatArray, IntArray

JEFFREYS = 0.5
"""Order of the Dirichlet distribution that is the Jeffreys prior of probabilities."""


def realised_level(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return ε* = max over y, s1, s2 of log P(y|s1)/P(y|s2), (...,), in nats ([RLDP] §8.3)."""
    cells, rows = _checked(p_su, kernel)
    table = rows.reshape(*cells.shape[-2:], -1)
    given_s = np.einsum("...su,suy->...sy", conditionals(cells), table)
    occurs = (cells.sum(axis=-1) > 0)[..., None]
    high = np.where(occurs, given_s, -np.inf).max(axis=-2)
    low = np.where(occurs, given_s, np.inf).min(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = np.where(high > 0, np.log(high) - np.log(low), 0.0)
    result: FloatArray = levels.max(axis=-1)
    return result


def information(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return I(X;Y) in nats at true distributions, shape (...,); arguments as `realised_level`."""
    cells, rows = _checked(p_su, kernel)
    flat = cells.reshape(*cells.shape[:-2], -1)
    return np.asarray(measures.mutual_information(flat[..., None] * rows), dtype=np.float64)


def normalised_information(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return I(X;Y)/H(X) at true distributions, shape (...,); 1 where H(X) = 0."""
    cells, _ = _checked(p_su, kernel)
    entropy = measures.entropy(cells.reshape(*cells.shape[:-2], -1))
    certain = entropy == 0
    shares = information(p_su, kernel) / np.where(certain, 1.0, entropy)
    return np.where(certain, 1.0, shares)


def draw_truth(
    n_s: int, n_u: int, rng: np.random.Generator, count: int = 1, prior: float = JEFFREYS
) -> FloatArray:
    """Draw distributions P* from a symmetric Dirichlet, shape (count, n_s, n_u) ([RLDP] §8.2)."""
    return draw_posterior(np.zeros((n_s, n_u)), rng, count, prior)


def draw_posterior(
    counts: ArrayLike, rng: np.random.Generator, count: int = 1, prior: float = JEFFREYS
) -> FloatArray:
    """Draw P* from its posterior Dirichlet(counts + prior), shape (count, n_s, n_u)."""
    cells = validation.matrix(counts, "The counts")
    order = validation.number(prior, "prior", low=0.0, open_low=True)
    whole = validation.whole(count, "count", low=1)
    drawn = rng.dirichlet(cells.ravel() + order, whole)
    result: FloatArray = drawn.reshape(whole, *cells.shape)
    return result


def draw_sample(p_su: ArrayLike, n: int, rng: np.random.Generator) -> IntArray:
    """Draw the counts of n records of P*, shape (n_s, n_u)."""
    cells = validation.distribution(p_su, "P(s, u)")
    drawn = rng.multinomial(validation.whole(n, "n", low=1), cells.ravel())
    counts: IntArray = np.asarray(drawn, dtype=np.int64).reshape(cells.shape)
    return counts


def _checked(p_su: ArrayLike, kernel: ArrayLike) -> tuple[FloatArray, FloatArray]:
    cells = validation.distribution(p_su, "P(s, u)", batch=True)
    rows = validation.matrix(kernel, "kernel")
    n_cells = cells.shape[-2] * cells.shape[-1]
    if rows.shape[0] != n_cells:
        raise InvalidInputError(
            f"kernel must have a row for each of the {n_cells} cells (s, u), got {rows.shape[0]}."
        )
    return cells, validation.kernel(rows, n_cells)
