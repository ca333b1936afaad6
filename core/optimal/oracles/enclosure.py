"""The optimum over a set of few symbols given by an oracle, by outer approximation.

The best mixture over a polytope around the set estimates an upper bound. Its outputs, moved inside,
join the allowed outputs, and give the cuts that narrow the polytope near the optimum. Once the two
mixtures agree, the bound is proven by all vertices that undercut its prices.

Source: outer approximation, Horst, Thoai and de Vries (1988), with vertices computed on demand.
"""

from __future__ import annotations

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.optimal.bounds.low_vertices import MOST, Undercut, undercutting
from core.optimal.oracles.inner_approximation import AllowedOutputs
from core.optimal.oracles.lazy_double_description import LazyDoubleDescription
from core.optimal.polytopes.facets import Facets, facets_of
from core.optimal.polytopes.standard_form import Polytope
from core.validation import FloatArray

_PROMISING = 0.05
"""Relative difference of estimate and answer from which on `patience` no longer ends the loop."""

_MOST_OUTPUTS = 20
"""Most outputs that the oracle gets at a time."""

_PROOF_SHARE = 0.2
"""Part of the time left that is kept for the proof."""

_GROWTH, _MOST_KEPT = 4, 32_000
"""Factor by which the number of vertices that a proof keeps grows where it was too small, and the
most: with hundreds of cuts they take about 10 kB each."""

MOST_SYMBOLS = 20
"""Most symbols: with more a vertex has so many edges that column generation is faster."""


def enclose(
    allowed: AllowedSet,
    space: Polytope,
    inside: AllowedOutputs,
    *,
    gap: float,
    patience: Deadline,
    deadline: Deadline,
) -> float:
    """Improve allowed outputs and cut a polytope until they agree; return an upper bound.

    Parameters
    ----------
    allowed : AllowedSet
        Rows around the allowed outputs, without auxiliary variables: the bound is proven from them
        and from the cuts. Its oracle is not used.
    space : Polytope
        The polytope of these rows, plain and of few symbols, which is searched.
    inside : AllowedOutputs
        Outputs to start from; those found are added.
    gap : float
        Difference of upper bound and utility, in nats, at which to stop.
    patience : Deadline
        When to stop unless the two are close.
    deadline : Deadline
        When to stop in any case.

    Raises
    ------
    SolverError
        If HiGHS fails.
    """
    lazy = LazyDoubleDescription(space.facets(), inside.p_x, inside.utility)
    given = facets_of(allowed, inside.p_x)
    upper, duals = inside.utility.offset(inside.p_x), inside.duals
    stop = deadline.part(1 - _PROOF_SHARE)
    until = min(patience, stop)
    while True:
        found = lazy.best(inside.nearly_in_use(), duals, until)
        duals = found.duals if found.finished else duals
        ahead, outputs = found.estimate - inside.value, found.outputs
        if ahead <= _PROMISING * inside.value:
            until = stop
        late = until.over
        if late or ahead <= gap / 2:
            proof = _proof(given, inside, duals, gap / 2, deadline)
            if proof.sure:
                upper = min(upper, proof.bound)
            outputs = proof.outputs  # vertices that the search has missed
        if late or upper - inside.value <= gap or len(outputs) == 0:
            return upper
        before = inside.value
        cuts = inside.take(outputs[:_MOST_OUTPUTS], until)
        if len(cuts):
            lazy.add(cuts)
            given = given.with_cuts(cuts)
        elif inside.value <= before:  # neither a cut nor a better output
            return upper


def _proof(
    given: Facets, inside: AllowedOutputs, duals: FloatArray, slack: float, deadline: Deadline
) -> Undercut:
    """Return the vertices that undercut the duals; more are kept where too many were dropped."""
    most = MOST
    while True:
        found = undercutting(
            given, inside.p_x, inside.utility, duals, slack=slack, most=most, deadline=deadline
        )
        vain = len(found.outputs) == 0 and found.slack > slack
        if not (found.finished and vain) or most * _GROWTH > _MOST_KEPT:
            return found
        most *= _GROWTH


def can_enclose(space: Polytope) -> bool:
    """Return whether a polytope is plain and has few enough symbols."""
    return space.plain() and space.n_x <= MOST_SYMBOLS
