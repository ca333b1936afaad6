"""The outputs that exceptions may be, where another promise holds for these too."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.optimal.polytopes.enumeration import all_vertices
from core.optimal.polytopes.standard_form import polytope
from core.validation import FloatArray

MOST = 4_000
"""Vertices that are taken for exceptions: each is a column of every master program."""


def excepted_outputs(allowed: AllowedSet | None, p_x: FloatArray, deadline: Deadline) -> FloatArray:
    """Return outputs whose mixtures are all that exceptions may be, or more, shape (k, n_x).

    Costs are concave, so the best exceptions are among the vertices of what is asked of them. Where
    these are too many, or a set is round, single symbols stand for them: all outputs are mixtures
    of these, so a bound stays one, and what is found has to be moved inside.

    Parameters
    ----------
    allowed : AllowedSet or None
        What exceptions must be allowed by; None where they may be any outputs.
    p_x : ndarray
        P(x), shape (n_x,).
    deadline : Deadline
        When to stop.

    Examples
    --------
    >>> from core.joint import Joint
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> found = excepted_outputs(LIP(0.5).allowed_set(joint), joint.p_x, Deadline.after(10))
    >>> np.sort(found[:, 0]).round(4)
    array([0.1065, 0.8935])
    """
    single: FloatArray = np.eye(len(p_x))
    if allowed is None or allowed.oracle is not None:
        return single
    with suppress(TimeLimitError, SolverError, InfeasibleError):
        space = polytope(allowed, p_x)
        found = all_vertices(allowed, p_x, space, deadline, MOST).outer
        result: FloatArray = found / found.sum(axis=1, keepdims=True)
        return result
    return single
