"""The optimum over a set that only an oracle knows: between polytopes outside and outputs inside.

Few symbols: the vertices of the polytope are carved, so that either side is exact. More: outputs
of the polytope are searched for as anywhere, and only when polytope and allowed outputs agree is
it worth proving that the polytope has nothing better.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from core.allowed.allowed_set import AllowedSet, SeparationOracle
from core.clock import Deadline
from core.errors import InfeasibleError, SolverError
from core.optimal.bounds.prover import Prover
from core.optimal.columns.vertex_search import ColumnSearch
from core.optimal.oracles.enclosure import can_enclose, enclose
from core.optimal.oracles.inner_approximation import AllowedOutputs, distinct
from core.optimal.polytopes.standard_form import polytope
from core.optimal.utility import Utility
from core.validation import FloatArray

_PATIENCE = 0.6
"""Part of the time after which carving that is far from done leaves the rest to a search."""

_AGREED = 0.25
"""Part of the gap by which polytope and outputs may differ when a proof starts."""

_SEARCH_SHARE = 0.6
"""Part of the time after which a proof starts even if they differ by more."""

_FIRST_PROOF = 0.05
"""Part of the time for a proof over the first polytope: a poor bound, if time allows no other."""

_WIDE_SHARE = 0.05
"""Part of the time that one look further afield may take."""

SMALL = 1e-9
"""Entry of a posterior whose surprise, −log, is as large as it gets."""


class CutLoop:
    """A polytope around the allowed outputs, allowed outputs in it, and the bound.

    Parameters
    ----------
    allowed : AllowedSet
        A polytope around the allowed outputs; its own oracle is not asked.
    oracle : callable
        Its cuts leave the allowed outputs, with P_X well inside.
    p_x : ndarray
        P(x), shape (n_x,), all positive.
    start : ndarray
        P(y | x) of outputs that are allowed, shape (n_x, n_y): the answer is at least as good as
        their best mixture.
    goal : Utility
        What is to be large.
    until : Deadline
        When to stop; of the time until then each step gets its share.
    gap : float
        Stop when the optimum is known to half of this.
    seed : int
        Of the random starts.

    Attributes
    ----------
    inside : AllowedOutputs
        The allowed outputs and their best mixture.
    upper : float
        What no mechanism exceeds, as far as it is proven.
    """

    def __init__(
        self,
        allowed: AllowedSet,
        oracle: SeparationOracle,
        p_x: FloatArray,
        start: FloatArray,
        goal: Utility,
        until: Deadline,
        gap: float,
        seed: int,
    ) -> None:
        self.p_x, self.gap, self.seed = p_x, gap, seed
        self.goal = goal
        self.until, self._patience = until, until.part(_PATIENCE)
        self._first_proof, self._early = until.part(_FIRST_PROOF), until.part(_SEARCH_SHARE)
        self.outer = AllowedSet(allowed.rows, allowed.n_x, blocks=allowed.blocks)
        self.upper = self.goal.value(np.diag(p_x), p_x)
        self.inside = AllowedOutputs(start, p_x, self.goal, oracle)

    def run(self, *, prove: bool = True) -> None:
        """Bring the polytope and the allowed outputs together, until time is over.

        Parameters
        ----------
        prove : bool
            Whether to narrow the polytope and to prove that no other outputs are better; else one
            search is all, and its outputs moved inside.

        Raises
        ------
        InfeasibleError, SolverError
            If HiGHS fails, as on cuts that are all but parallel: what is known stands.
        """
        space = polytope(self.outer, self.p_x)
        if prove and can_enclose(space):
            gap, patience = self.gap / 2, self._patience
            bound = enclose(
                self.outer, space, self.inside, gap=gap, patience=patience, deadline=self.until
            )
            self.upper = min(self.upper, bound)
        if not self._closed() and not self.until.over:
            self._search(prove=prove)

    def _search(self, *, prove: bool) -> None:
        """Narrow the polytope where columns are in use that are not allowed; prove what is left."""
        search = ColumnSearch(
            polytope(self.outer, self.p_x), self.p_x, self.goal, seed=self.seed, deadline=self.until
        )
        search.include(self.inside.points)
        search.run()
        if prove:
            self._prove(search, self._first_proof)
        while True:
            search.run()
            search.settled()
            points = search.in_use()
            cuts = self.inside.take(points, self.until)
            if not prove or self._closed() or self.until.over:
                return
            differ = self.goal.offset(self.p_x) - search.mixture.cost - self.inside.value
            early = not self._early.over
            if len(cuts) and early and differ > _AGREED * self.gap:
                self._cut(search, cuts, points)
                continue
            if early and (search.include(self.inside.points) or self._wider(search)):
                continue
            better = self._prove(search, self.until)
            if self._closed():
                return
            more = self.inside.take(better, self.until) if len(better) else cuts[:0]
            if len(cuts) + len(more):
                self._cut(search, distinct(np.vstack([cuts, more])), np.vstack([points, better]))
            elif not search.include(better) and not search.widen():
                return

    def _closed(self) -> bool:
        """Say whether the bound is close enough."""
        return self.upper - self.inside.value <= self.gap / 2

    def _cut(self, search: ColumnSearch, cuts: FloatArray, points: FloatArray) -> None:
        """Narrow the polytope, and look for vertices near points that are cut off."""
        search.cut(cuts)
        search.descend_from(-np.log(np.maximum(points, SMALL)))
        rows = self.outer.rows
        padded = np.hstack([cuts, np.zeros((len(cuts), self.outer.n_auxiliary))])
        rows = sparse.csr_array(sparse.vstack([rows, sparse.csr_array(padded)]))
        self.outer = AllowedSet(rows, self.outer.n_x, blocks=self.outer.blocks)

    def _wider(self, search: ColumnSearch) -> bool:
        """Look further afield for better outputs, for a while; say whether there are any."""
        search.deadline = self.until.part(_WIDE_SHARE)
        found = search.widen()
        search.deadline = self.until
        return found

    def _prove(self, search: ColumnSearch, deadline: Deadline) -> FloatArray:
        """Lower the bound; return outputs of the polytope that the search has missed."""
        try:
            prover = Prover(self.outer, search.space, self.p_x, self.goal)
            verdict = prover.check(search.mixture.duals, self.gap / 2, deadline)
        except (SolverError, InfeasibleError):  # nothing is proven, nor disproven
            return np.zeros((0, len(self.p_x)))
        self.upper = min(self.upper, verdict.bound)
        return verdict.better
