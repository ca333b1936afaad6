"""The optimum over a set given by an oracle: polytopes around it and allowed outputs inside.

With few symbols `enclose` computes the polytope's relevant vertices by double description. With
more, columns are generated over the polytope, and a proof starts only where the best mixtures of
polytope and allowed outputs nearly agree.
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
"""Part of the time after which `enclose` stops unless it is nearly done."""

_AGREED = 0.25
"""Part of the gap by which the mixtures of polytope and outputs may differ when a proof starts."""

_SEARCH_SHARE = 0.6
"""Part of the time after which a proof starts even if they differ by more."""

_FIRST_PROOF = 0.05
"""Part of the time for a proof over the first polytope: a weak bound, in case there is no other."""

_WIDE_SHARE = 0.05
"""Part of the time that one search around outputs nearly in use or random starts may take."""

SMALL = 1e-9
"""Entries of a posterior are raised to this before −log is taken."""


class CutLoop:
    """The cutting-plane loop: a polytope, allowed outputs in it, and the upper bound.

    Parameters
    ----------
    allowed : AllowedSet
        A polytope around the allowed outputs; its own oracle is not used.
    oracle : callable
        The oracle of the allowed outputs; P_X is strictly inside.
    p_x : ndarray
        P(x), shape (n_x,), all positive.
    start : ndarray
        P(y | x) of allowed outputs, shape (n_x, n_y): the answer is at least as good as their best
        mixture.
    goal : Utility
        The utility to maximise.
    until : Deadline
        When to stop; the steps get parts of the time until then.
    gap : float
        Stop when utility and upper bound differ by at most half of this.
    seed : int
        Seed of the random starts.

    Attributes
    ----------
    inside : AllowedOutputs
        The allowed outputs and their best mixture.
    upper : float
        The least upper bound proven so far.
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
        """Narrow the polytope and improve the allowed outputs, until they agree or time is over.

        Parameters
        ----------
        prove : bool
            Whether to cut the polytope and to prove that no other outputs are better; else there is
            one search, whose outputs are moved inside.

        Raises
        ------
        InfeasibleError, SolverError
            If HiGHS fails, as on nearly parallel cuts; `inside` and `upper` remain valid.
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
        """Cut the polytope where columns in use are not allowed, and prove an upper bound."""
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
        """Return whether utility and upper bound differ by at most half of the gap."""
        return self.upper - self.inside.value <= self.gap / 2

    def _cut(self, search: ColumnSearch, cuts: FloatArray, points: FloatArray) -> None:
        """Add cuts to the polytope, and search from vertices near the points that are cut off."""
        search.cut(cuts)
        search.descend_from(-np.log(np.maximum(points, SMALL)))
        rows = self.outer.rows
        padded = np.hstack([cuts, np.zeros((len(cuts), self.outer.n_auxiliary))])
        rows = sparse.csr_array(sparse.vstack([rows, sparse.csr_array(padded)]))
        self.outer = AllowedSet(rows, self.outer.n_x, blocks=self.outer.blocks)

    def _wider(self, search: ColumnSearch) -> bool:
        """Search for better outputs for a part of the time; return whether there are any."""
        search.deadline = self.until.part(_WIDE_SHARE)
        found = search.widen()
        search.deadline = self.until
        return found

    def _prove(self, search: ColumnSearch, deadline: Deadline) -> FloatArray:
        """Lower the upper bound; return better outputs of the polytope, shape (k, n_x)."""
        try:
            prover = Prover(self.outer, search.space, self.p_x, self.goal)
            verdict = prover.check(search.mixture.duals, self.gap / 2, deadline)
        except (SolverError, InfeasibleError):  # neither a bound nor a better output
            return np.zeros((0, len(self.p_x)))
        self.upper = min(self.upper, verdict.bound)
        return verdict.better
