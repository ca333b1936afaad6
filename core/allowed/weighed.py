"""Allowed sets of one output together with something else that is known of X."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.validation import FloatArray, IntArray


def weighed(
    whole: AllowedSet, likelihood: FloatArray, members: IntArray, p_x: FloatArray
) -> AllowedSet:
    """Return the outputs r for which r(x)·likelihood(x), x in `members`, is in an allowed set.

    Parameters
    ----------
    whole : AllowedSet
        Of the members alone, without budgets or exceptions.
    likelihood : ndarray
        P(k | x) of what is known, up to a factor, shape (n_members,).
    members : ndarray
        The symbols of X that agree with it, shape (n_members,).
    p_x : ndarray
        P(x) of all symbols, shape (n_x,); it is allowed.
    """
    n_x, n_auxiliary = len(p_x), whole.n_auxiliary
    weights = np.append(likelihood, np.ones(n_auxiliary))
    weighted = sparse.csr_array(whole.rows @ sparse.diags_array(weights)).toarray()
    useful = (weighted > 0).any(axis=1)
    weighted = weighted[useful] / np.abs(weighted[useful]).max(axis=1, keepdims=True)
    matrix = np.zeros((len(weighted), n_x + n_auxiliary))
    matrix[:, np.append(members, n_x + np.arange(n_auxiliary))] = weighted
    if not n_auxiliary:  # auxiliary variables have no known value at P_X
        at_prior = matrix @ p_x
        # a row with coefficients up to 1 whose value at P_X is this close to 0 is taken as 0 there:
        # the budget is used up, to the rounding of the audit
        met = np.abs(at_prior) <= 1e-11
        matrix[met] -= at_prior[met][:, None]  # rows of r with Σr = 1
    oracle = None if whole.oracle is None else _Weighed(whole.oracle, likelihood, members)
    return AllowedSet(sparse.csr_array(matrix), n_x, oracle)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """The separation oracle for outputs that are weighted on some symbols."""

    oracle: SeparationOracle
    likelihood: FloatArray
    members: IntArray

    def __call__(self, r: FloatArray) -> FloatArray:
        cuts = np.zeros((0, len(r)))
        given = np.maximum(r[self.members], 0.0) * self.likelihood
        if given.sum() <= 0:  # what is known and this output never occur together
            return cuts
        rows = self.oracle(given / given.sum()) * self.likelihood
        rows = rows[(rows > 0).any(axis=1)]
        cuts = np.zeros((len(rows), len(r)))
        cuts[:, self.members] = rows / np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        return cuts
