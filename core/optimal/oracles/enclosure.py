"""A round set of few symbols between outputs inside it and a polytope around it.

The best mixture over the polytope bounds the answer; its outputs, moved inside, join the best
mixture of allowed ones and give the cuts that bring the polytope closer where it matters. Once
the two agree, the bound is proven by all vertices that undercut its prices.

Source: outer approximation, Horst, Thoai and de Vries (1988), with vertices carved on demand.
"""

from __future__ import annotations

from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.optimal.bounds.low_vertices import undercutting
from core.optimal.oracles.inner_approximation import AllowedOutputs
from core.optimal.oracles.lazy_double_description import Carving
from core.optimal.polytopes.facets import facets_of
from core.optimal.polytopes.standard_form import Polytope

_PROMISING = 0.05
"""Once estimate and answer are this close, relative to the answer, all of the time goes on."""

_MOST_ASKED = 20
"""Outputs that the oracle is asked about at a time."""

_PROOF_SHARE = 0.2
"""Part of the time left that is kept for the proof."""

MOST_SYMBOLS = 20
"""With more symbols than this a vertex has too many edges for carving to be the quickest way."""


def enclose(
    allowed: AllowedSet,
    space: Polytope,
    inside: AllowedOutputs,
    *,
    gap: float,
    patience: Deadline,
    deadline: Deadline,
) -> float:
    """Bring allowed outputs and a polytope together; return what no mechanism exceeds.

    Parameters
    ----------
    allowed : AllowedSet
        Rows around the allowed outputs, without auxiliary variables: what is proven is proven of
        them, and of the cuts. Its oracle is not asked.
    space : Polytope
        The polytope of these rows, plain and of few symbols: what is searched.
    inside : AllowedOutputs
        Outputs to start from; those that are found join them.
    gap : float
        The two are together at so many nats.
    patience : Deadline
        Time at which to stop unless they are close already.
    deadline : Deadline
        Time at which to stop in any case.

    Raises
    ------
    SolverError
        If HiGHS fails.
    """
    carving = Carving(space.facets(), inside.p_x, inside.utility)
    given = facets_of(allowed, inside.p_x)
    upper, duals = inside.utility.offset(inside.p_x), inside.duals
    stop = deadline.part(1 - _PROOF_SHARE)
    until = min(patience, stop)
    while True:
        found = carving.best(inside.nearly_in_use(), duals, until)
        duals = found.duals if found.finished else duals
        ahead, outputs = found.estimate - inside.value, found.outputs
        if ahead <= _PROMISING * inside.value:
            until = stop
        late = until.over
        if late or ahead <= gap / 2:
            proof = undercutting(
                given,
                inside.p_x,
                inside.utility,
                duals,
                slack=gap / 2,
                deadline=deadline,
            )
            if proof.sure:
                upper = min(upper, proof.bound)
            outputs = proof.outputs  # what carving has missed
        if late or upper - inside.value <= gap or len(outputs) == 0:
            return upper
        before = inside.value
        cuts = inside.take(outputs[:_MOST_ASKED], until)
        if len(cuts):
            carving.add(cuts)
            given = given.with_cuts(cuts)
        elif inside.value <= before:  # the polytope has nothing that is not known
            return upper


def can_enclose(space: Polytope) -> bool:
    """Return whether a polytope is plain and has few enough symbols."""
    return space.plain() and space.n_x <= MOST_SYMBOLS
