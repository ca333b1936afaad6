"""All vertices of small allowed sets by trying every basis: slow, and shares nothing with core."""

from itertools import combinations

import numpy as np

from core.allowed.allowed_set import AllowedSet

MISS = 1e-9


def allowed_vertices(allowed: AllowedSet) -> np.ndarray:
    """Return the vertices of {Σr = 1} of the set (projected on r), shape (k, n_x)."""
    rows = allowed.rows.toarray()
    n_vars = rows.shape[1]
    mass = np.zeros(n_vars)
    mass[: allowed.n_x] = 1
    everything = np.vstack([-np.eye(n_vars), rows])
    choices = np.array(list(combinations(range(len(everything)), n_vars - 1)), dtype=int)
    choices = choices.reshape(len(choices), n_vars - 1)
    systems = np.concatenate(
        [everything[choices], np.broadcast_to(mass, (len(choices), 1, n_vars))], axis=1
    )
    proper = np.abs(np.linalg.det(systems)) > 1e-10
    right = np.zeros((proper.sum(), n_vars, 1))
    right[:, -1] = 1
    points = np.linalg.solve(systems[proper], right)[:, :, 0]
    kept = points[(points @ everything.T <= MISS).all(axis=1), : allowed.n_x]
    kept = np.maximum(kept, 0)
    return np.unique(np.round(kept / kept.sum(axis=1, keepdims=True), 13), axis=0)


def entropies(points: np.ndarray) -> np.ndarray:
    """Return H(r) in nats of posteriors, shape (k, n_x)."""
    logs = np.log(np.where(points > 0, points, 1))
    return -(points * logs).sum(axis=1)
