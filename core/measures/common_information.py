"""Gács–Körner common information: the entropy of what S and Y both determine."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from core.measures.average import Average, entropy
from core.measures.conditionals import conditionals
from core.validation import FloatArray


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
