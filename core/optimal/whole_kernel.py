"""Climbs over whole kernels, for sets with a curved boundary: programs of all outputs under cuts.

I(X;Y) is convex in the kernel, so it lies above its tangent at any kernel: whatever maximizes the
tangent keeps at least as much, and its tangent is next (concave–convex procedure, Yuille and
Rangarajan 2003). Each program has all outputs at once, so none has to wait for others that make
up P_X with it; and it has cuts only where its own outputs break the set, each at one output. Its
outputs are moved inside, and the mixture of all that were met is the answer. Near a kernel a few
cuts tell where the set ends, so the best mixture is then refined by steps that stay near it.
Where conditions of one secret each are enough, a kernel outside the set is mixed within each secret
until it is inside: so whatever ends a climb, what it reached is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np
from scipy import sparse
from scipy.special import rel_entr

from core.clock import NEVER, Deadline, Pace
from core.errors import InfeasibleError, SolverError, TimeLimitError
from core.limits import CUT_TOL
from core.optimal.cutting_planes import AllowedOutputs, ManyOracle, Rough, cuts_of, distinct
from core.optimal.plan import SHARES, SIZES
from core.optimal.programs.highs import INFINITY, LinearProgram
from core.optimal.tolerances import SMALL
from core.validation import BoolArray, FloatArray, IntArray

DEEPEST = 3
"""Most cuts that one output gets from one program: the deepest, as others seldom bind."""

ALMOST_ALLOWED = 0.02
"""Part of the way to P_X that outputs may be moved to be allowed where the tangent is taken anew:
they then show well enough where the answer lies."""

PROGRESS = 3e-3
"""Relative gain of a new tangent or step up to which it is in vain: another kernel gains more."""

BEYOND, FURTHER = 1e-9, 4.0
"""Part of the way to the mean output that outputs are moved beyond a cut, for the oracle, and its
factor from one cut to the next: fifteen are enough."""

REACH, GROWN, SHRUNK, NEAREST = 0.2, 1.3, 0.5, 0.02
"""By how much a step may change P(y | x), in parts of P(y): at first, its factor after a step that
gains and after one that does not, and the least that is tried."""

VAIN = 3
"""Climbs without a gain, from outputs in use and random ones in turn, after which there is none."""

SLIGHT = 1e-5
"""Probability of an output up to which it is left out: its conditions would be rounding."""

TINY = np.finfo(np.float64).tiny
"""Least scale of a cut, which may have entries only at symbols that no output of a program has."""


REPLACED = 0.1
"""Least part of each symbol that random outputs get from those that are kept beside them."""


@runtime_checkable
class SidesOracle(Protocol):
    """An oracle with conditions of one secret each that together are enough."""

    @property
    def has_sides(self) -> bool:
        """Whether `sides` are worth a climb of their own."""
        ...

    def sides(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return rows a and b, (k, n_s, n_x) each: allowed where all a·r are at most all b·r."""
        ...

    @property
    def owners(self) -> IntArray:
        """The secret of each symbol, shape (n_x,)."""
        ...


def climbs_apart(oracle: ManyOracle, n_x: int) -> TypeGuard[SidesOracle]:
    """Return whether most climbs are of one secret each: of fewer symbols other cuts find more."""
    apart = isinstance(oracle, SidesOracle) and oracle.has_sides
    return apart and n_x > SIZES.enclosed_symbols


def climbed(
    inside: AllowedOutputs,
    oracle: ManyOracle,
    rows: FloatArray,
    *,
    seed: int,
    deadline: Deadline,
    patient: bool = True,
) -> FloatArray:
    """Improve allowed outputs by climbs from many kernels; return the cuts met, (k, n_x).

    `rows`, (j, n_x), are those of the set, which outputs moved by its oracle have to meet before.
    Unless `patient` climbs soon leave the rest to a proof, which improves outputs too.
    """
    rough = AllowedOutputs(inside.kernel(), inside.p_x, inside.utility, Rough(oracle))
    climb, begun = _Climb(rough, rows, seed), rough.value
    n_x, few = len(inside.p_x), len(inside.p_x) <= SIZES.enclosed_symbols
    if n_x > SIZES.apart_symbols and isinstance(oracle, SidesOracle) and oracle.has_sides:
        climb.begin_apart(oracle, deadline.part(SHARES.sides_of_few if few else SHARES.sides))
    elif not few:
        climb.limit(SIZES.climb_outputs)
    climb.run(deadline.part(SHARES.rough_climbs), patient=patient)
    # they are few and hardly outside: what was reached is kept even where time is over
    climb.cuts = np.vstack([climb.cuts, inside.take(rough.in_use(), NEVER)])
    climb.inside = inside
    if patient and rough.value > begun * (1 + PROGRESS):
        climb.refine(deadline)
    return climb.cuts[len(rows) :]


class _Climb:
    """Climbs from many kernels; `inside` has the outputs that they met, `cuts` what they broke."""

    def __init__(self, inside: AllowedOutputs, rows: FloatArray, seed: int) -> None:
        self.inside, self.p_x, self.cuts = inside, inside.p_x, rows
        self._rng = np.random.default_rng(seed)
        self._entries, self._pace = SIZES.kernel_entries, Pace()

    def limit(self, outputs: int) -> None:
        """Have no more outputs in a program."""
        self._entries = min(self._entries, outputs * len(self.p_x))

    def run(self, until: Deadline, *, patient: bool) -> None:
        """Climb from the outputs in use and from random ones in turn, until this is in vain.

        Unless `patient` also until the last gain is as long ago as it took to come there.
        """
        early, vain, gained = until.part(SHARES.wide_climbs), 0, self.inside.value
        begun = until.left
        last = begun
        while vain < VAIN and not early.over:
            self.once(random=vain % 2 == 1, until=early)
            vain, gained = self._vain(vain, gained)
            last = until.left if vain == 0 else last
        self.refine(until)
        vain, gained = self._vain(0, gained)
        last, vain = until.left if vain == 0 else last, 0
        while vain < VAIN and not until.over:
            if not patient and last - until.left > begun - last:
                break
            self.once(random=True, until=until)
            vain, gained = self._vain(vain, gained)
            if vain == 0:
                last = until.left
                self.refine(until)

    def begin_apart(self, oracle: SidesOracle, until: Deadline) -> None:
        """Climb under conditions of one secret each, from many random kernels; refine the best."""
        weights = self._best_apart(oracle, until.part(SHARES.apart))
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            self._refine(weights[_used(weights)], until)

    def _best_apart(self, oracle: SidesOracle, until: Deadline) -> FloatArray:
        """Return the weights P(x, y) of the best of climbs, each from the best before.

        Random outputs replace some of its own: from wholly random ones most climbs end below it.
        """
        count = min(SIZES.apart_outputs, max(self._entries // len(self.p_x), 2))
        best = self._mixed(self._anywhere(count))
        most, vain = -1.0, 0
        while most < 0 or (vain < 2 * VAIN and not until.over):
            begun = best if most < 0 else self._replaced(best)
            weights = self._refine_apart(oracle, self._climb_apart(oracle, begun, until), until)
            value = self.inside.utility.value(weights[_used(weights)], self.p_x)
            vain = 0 if value > most * (1 + PROGRESS) else vain + 1
            best, most = (weights, value) if value > most else (best, most)
        return best

    def _replaced(self, weights: FloatArray) -> FloatArray:
        """Return weights P(x, y) with a quarter of their outputs random, and a part of the rest.

        The random ones share what the others leave of each symbol.
        """
        kept = _used(weights) & (self._rng.permutation(len(weights)) < 3 * len(weights) // 4)
        left = np.where(kept[:, None], (1 - REPLACED) * weights, 0.0)
        others = np.where(kept[:, None], 0.0, self._anywhere(len(weights)))
        result: FloatArray = left + others / others.sum(axis=0) * (self.p_x - left.sum(axis=0))
        return result

    def _climb_apart(self, oracle: SidesOracle, begun: FloatArray, until: Deadline) -> FloatArray:
        """Return weights P(x, y), (n_y, n_x), at which tangents gain no more, nearly allowed.

        Where time or a program that failed ended the climb they are the last that were, or the
        nearest.
        """
        gained, last, least = 0.0, begun, np.inf
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            program, weights = _Apart(oracle, self.p_x, len(begun)), begun
            program.cut_all(begun)
            while not until.over:
                program.aim(_slopes(weights, self.p_x))
                for _ in range(SIZES.tangent_programs):
                    weights, depth = program.step(until)
                    if depth <= max(SIZES.climb_depth, least):
                        last, least = weights, depth
                    if depth <= SIZES.climb_depth or until.over:
                        break
                value = self.inside.utility.value(weights[_used(weights)], self.p_x)
                if depth <= SIZES.climb_depth and value <= gained * (1 + PROGRESS):
                    return weights
                gained = value
        return last

    def _refine_apart(
        self, oracle: SidesOracle, weights: FloatArray, until: Deadline
    ) -> FloatArray:
        """Return weights P(x, y), (n_y, n_x), mixed until they are allowed, improved by steps."""
        program = _Apart(oracle, self.p_x, len(weights))
        begun = _within_secrets(oracle, self._mixed(weights), self.p_x)
        program.cut_all(begun)

        def ahead() -> FloatArray:
            for _ in range(SIZES.step_programs):
                tried, depth = program.step(until)
                if depth <= SIZES.step_depth or until.over:
                    break
            return _within_secrets(oracle, self._mixed(tried), self.p_x)

        return self._by_steps(program, begun, ahead, until)

    def _vain(self, vain: int, gained: float) -> tuple[int, float]:
        """Return the climbs in vain, 0 after a gain, and the value from which one counts."""
        value = self.inside.value
        return (0, value) if value > gained * (1 + PROGRESS) else (vain + 1, gained)

    def once(self, *, random: bool, until: Deadline) -> None:
        """Climb once; a program that fails ends it, and the outputs met stay."""
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            weights = self._start(random=random)
            self._climb(weights[_used(weights)], until)

    def refine(self, until: Deadline) -> None:
        """Improve the best mixture by small steps; a program that fails ends them."""
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            weights = self._start(random=False)
            self._refine(weights[_used(weights)], until)

    def _start(self, *, random: bool) -> FloatArray:
        """Return the best mixture, or some of its outputs, as weights P(x, y), or a random one."""
        n_x = len(self.p_x)
        most = max(self._entries // n_x, 3)
        kernel = self.inside.kernel()
        weights = (self.p_x[:, None] * kernel).T
        if len(weights) > most:
            weights = weights[self._rng.permutation(len(weights))[:most]]
        elif len(weights) < min(n_x, most):
            more = self._anywhere(min(n_x, most) - len(weights))
            share = len(more) / min(n_x, most) * 1e-3
            weights = np.vstack([(1 - share) * weights, share * self._mixed(more)])
        if random:
            weights = weights.sum(axis=0) / self.p_x * self._mixed(self._anywhere(len(weights)))
        return weights

    def _anywhere(self, count: int) -> FloatArray:
        """Return random outputs as weights, shape (count, n_x), each above P_X at some symbols."""
        chosen = self._rng.random((count, len(self.p_x))) < self._rng.uniform(0.1, 0.6)
        lifted = 1 + self._rng.exponential(size=chosen.shape) * (1 + 3 * chosen)
        result: FloatArray = self.p_x * lifted
        return result

    def _mixed(self, outputs: FloatArray) -> FloatArray:
        """Return outputs scaled, each symbol by itself, so they mix to P_X."""
        result: FloatArray = outputs / outputs.sum(axis=0) * self.p_x
        return result

    def _climb(self, weights: FloatArray, until: Deadline) -> None:
        """Improve outputs with weights P(x, y), shape (n_y, n_x), together."""
        program = _Program(weights.sum(axis=0), len(weights))
        program.aim(_slopes(weights, self.p_x))
        gained, since = self.inside.value, 0
        for _ in range(SIZES.climb_programs):
            weights, since = program.solve(until), since + 1
            depth = self._cut(program, weights, until)
            if depth <= ALMOST_ALLOWED or since == SIZES.tangent_programs:
                self._take(weights, until)
                value = self.inside.value
                if depth <= ALMOST_ALLOWED and value <= gained * (1 + PROGRESS):
                    return
                gained, since = value, 0
                program.aim(_slopes(self._revived(weights), self.p_x))
            if until.over:
                return

    def _refine(self, weights: FloatArray, until: Deadline) -> None:
        """Improve outputs with weights P(x, y), shape (n_y, n_x), by steps that stay near them.

        Near a kernel a few cuts tell where the set ends. What a step ends at is moved towards the
        mean output until it is allowed, and its gain is what it has then.
        """
        program = _Program(weights.sum(axis=0), len(weights))

        def ahead() -> FloatArray:
            for _ in range(SIZES.step_programs):
                tried = program.solve(until)
                if self._cut(program, tried, until) <= ALMOST_ALLOWED or until.over:
                    break
            return self._allowed(tried, until)

        self._by_steps(program, self._allowed(weights, until), ahead, until)

    def _by_steps(
        self,
        program: _Program | _Apart,
        weights: FloatArray,
        ahead: Callable[[], FloatArray],
        until: Deadline,
    ) -> FloatArray:
        """Return allowed weights P(x, y), (n_y, n_x), improved by steps of a program near them.

        `ahead` returns what a step ends at, allowed. A program that fails ends the steps; what
        they began with and what they reached join the mixture.
        """
        self._take(weights, NEVER)
        reach = REACH
        with suppress(InfeasibleError, SolverError, TimeLimitError):
            while reach >= NEAREST and not until.over:
                program.aim(_slopes(weights, self.p_x))
                program.stay_near(weights, reach)
                tried = ahead()
                costs = self.inside.utility.cost(np.stack([weights, tried])).sum(axis=1)
                gain = float(costs[0] - costs[1])
                reach *= GROWN if gain > PROGRESS * self.inside.value else SHRUNK
                weights = tried if gain > 0 else weights
        self._take(weights, NEVER)
        return weights

    def _allowed(self, weights: FloatArray, until: Deadline) -> FloatArray:
        """Return weights P(x, y) moved towards the mean output until all outputs are allowed.

        Outputs of hardly any probability join the likeliest one.
        """
        used = _used(weights)
        joined = np.where(used[:, None], weights, 0.0)
        joined[weights.sum(axis=1).argmax()] += weights[~used].sum(axis=0)
        masses, mean = joined[used].sum(axis=1, keepdims=True), weights.sum(axis=0) / weights.sum()
        points, share, beyond = joined[used] / masses, 0.0, BEYOND
        while share < 1:
            depth = self._meet((1 - share) * points + share * mean, mean, until)
            if depth == 0:
                break
            share = min(share + (1 - share) * depth + beyond, 1.0)
            beyond *= FURTHER
        joined[used] = masses * ((1 - share) * points + share * mean)
        return joined

    def _cut(self, program: _Program, weights: FloatArray, until: Deadline) -> float:
        """Cut a program where its outputs break the set; return the deepest cut's depth."""
        self._meet(self._moved(_outputs(weights)), self.p_x, until)
        return program.cut(_outputs(weights), np.flatnonzero(_used(weights)), self.cuts, self.p_x)

    def _take(self, weights: FloatArray, until: Deadline) -> None:
        """Take the outputs of weights P(x, y), moved inside, for the best mixture."""
        self._keep(self.inside.take(self._moved(_outputs(weights)), until))

    def _moved(self, points: FloatArray) -> FloatArray:
        """Return outputs, shape (k, n_x), moved towards P_X until they meet all known cuts."""
        share = _depths(points, self.cuts, self.p_x).max(axis=1, initial=0.0)[:, None]
        result: FloatArray = (1 - share) * points + share * self.p_x
        return result

    def _meet(self, points: FloatArray, center: FloatArray, until: Deadline) -> float:
        """Keep the deepest cuts that points, (k, n_x), break, a few of each; return the deepest.

        Depth is the part of the way to the center. Of 40×400 it takes a second.
        """
        with self._pace.step(until):
            cuts, which = cuts_of(self.inside.oracle, points)
        depths = _shares(cuts, points[which], center)
        order = np.lexsort((-depths, which))
        begin = np.searchsorted(which[order], which[order])
        self._keep(cuts[order[np.arange(len(order)) - begin < DEEPEST]])
        return float(depths.max(initial=0.0))

    def _keep(self, cuts: FloatArray) -> None:
        """Keep new cuts, shape (k, n_x), for all outputs of this climb and of later ones."""
        self.cuts = np.vstack([self.cuts, distinct(cuts)])

    def _revived(self, weights: FloatArray) -> FloatArray:
        """Return weights with unused outputs replaced by random directions."""
        unused = weights.sum(axis=1) <= SLIGHT * weights.sum()
        result = weights.copy()
        result[unused] = self._anywhere(int(unused.sum()))
        return result


class _Program:
    """Kernels of n_y outputs that share `total` of P_X, shape (n_x,), under cuts at outputs."""

    def __init__(self, total: FloatArray, n_y: int) -> None:
        n_x = len(total)
        self.total, self._shape = total, (n_y, n_x)
        rows = sparse.hstack([sparse.eye_array(n_x)] * n_y, format="csr")
        self._program = LinearProgram(sparse.csr_array(rows), np.ones(n_x), np.ones(n_x))
        self._met: list[tuple[int, int]] = []

    def aim(self, slopes: FloatArray) -> None:
        """Minimize Σ slopes·weights, both of shape (n_y, n_x)."""
        if len(self._met) > SIZES.climb_rows * len(self.total) * self._shape[0]:
            basic = self._program.basic()[1][len(self.total) :]
            self._program.drop_rows(len(self.total) + np.flatnonzero(basic))
            self._met = [pair for pair, slack in zip(self._met, basic, strict=True) if not slack]
        costs = slopes * self.total
        self._program.set_costs((costs - costs.min(axis=0)).ravel())

    def stay_near(self, weights: FloatArray, reach: float) -> None:
        """Let P(x, y) differ from weights, (n_y, n_x), by at most `reach` of P(x) P(y)."""
        self._program.set_col_bounds(*_near(weights, self.total, reach))

    def solve(self, deadline: Deadline) -> FloatArray:
        """Return the weights P(x, y), shape (n_y, n_x)."""
        weights = self._program.solve(deadline.left).x.reshape(self._shape)
        result: FloatArray = np.maximum(weights, 0.0) * self.total
        return result

    def cut(
        self, points: FloatArray, outputs: IntArray, cuts: FloatArray, p_x: FloatArray
    ) -> float:
        """Add the deepest cuts that points (k, n_x) break to their outputs; return the deepest.

        A cut's depth is the part of the way to P_X at which a point meets it.
        """
        depths = _depths(points, cuts, p_x)
        rows: list[tuple[int, int]] = []
        known = set(self._met)
        for output, depth in zip(outputs.tolist(), depths, strict=True):
            deepest = np.argsort(-depth, kind="stable")[:DEEPEST]
            met = [(output, i) for i in deepest[depth[deepest] > 0].tolist()]
            rows.extend(pair for pair in met if pair not in known)
        # numbers of cuts are stable, as new ones are appended
        self._met += rows
        if rows:
            added = np.zeros((len(rows), *self._shape))
            at, which = np.array(rows).T
            scaled = cuts[which] * self.total
            scaled /= np.maximum(np.abs(scaled).max(axis=1, keepdims=True), TINY)
            added[np.arange(len(rows)), at] = scaled
            self._program.add_cuts(added.reshape(len(rows), -1))
        return float(depths.max(initial=0.0))


class _Apart:
    """Kernels of n_y outputs with a level l each, and a·r ≤ l ≤ b·r for all sides of an oracle.

    Each such row concerns one secret, where cuts of pairs concern two; F may have pairs of which
    this takes no account, so more is allowed than what is met here.
    """

    def __init__(self, oracle: SidesOracle, p_x: FloatArray, n_y: int) -> None:
        n_x = len(p_x)
        self._oracle, self._p_x, self._shape, self._first = oracle, p_x, (n_y, n_x), 0
        rows = [sparse.eye_array(n_x)] * n_y + [sparse.csr_array((n_x, n_y))]
        self._program = LinearProgram(
            sparse.csr_array(sparse.hstack(rows, format="csr")), np.ones(n_x), np.ones(n_x)
        )

    def aim(self, slopes: FloatArray) -> None:
        """Minimize Σ slopes·weights, both of shape (n_y, n_x)."""
        n_x = len(self._p_x)
        if self._program.n_rows > n_x + SIZES.apart_rows * self._first:
            basic = self._program.basic()[1][n_x:]
            self._program.drop_rows(n_x + np.flatnonzero(basic))
        costs = slopes * self._p_x
        levels = np.zeros(len(slopes))
        self._program.set_costs(np.append((costs - costs.min(axis=0)).ravel(), levels))

    def stay_near(self, weights: FloatArray, reach: float) -> None:
        """Let P(x, y) differ from weights, (n_y, n_x), by at most `reach` of P(x) P(y)."""
        self._program.set_col_bounds(*_near(weights, self._p_x, reach))

    def step(self, deadline: Deadline) -> tuple[FloatArray, float]:
        """Return the weights P(x, y), shape (n_y, n_x), and by how much they break the deepest."""
        solved, size = self._program.solve(deadline.left).x, self._p_x.size * self._shape[0]
        weights = np.maximum(solved[:size].reshape(self._shape), 0.0) * self._p_x
        used = np.flatnonzero(_used(weights))
        return weights, self._cut(weights, used, solved[size:])

    def cut_all(self, weights: FloatArray) -> None:
        """Add all sides at weights P(x, y), shape (n_y, n_x)."""
        self._cut(weights, np.arange(len(weights)), np.zeros(0))
        self._first = self._program.n_rows - len(self._p_x)

    def _cut(self, weights: FloatArray, outputs: IntArray, levels: FloatArray) -> float:
        """Add sides that outputs break at their levels, or all; return the deepest's depth.

        It is in parts of the output's probability.
        """
        high, low = self._oracle.sides(weights[outputs])
        sides = np.concatenate([high, -low], axis=1)
        signs = np.repeat([-1.0, 1.0], high.shape[1])
        depths = np.ones(sides.shape[:2])
        if len(levels):
            values = (sides @ weights[outputs, :, None])[..., 0]
            masses = weights[outputs].sum(axis=1, keepdims=True)
            depths = (values + signs * levels[outputs, None]) / masses
        row, side = np.nonzero(depths > CUT_TOL)
        at, y = np.arange(len(row)), outputs[row]
        kernels = np.zeros((len(row), *self._shape))
        kernels[at, y] = sides[row, side] * self._p_x
        scales = np.zeros((len(row), self._shape[0]))
        scales[at, y] = signs[side]
        if len(row):
            self._program.add_cuts(np.hstack([kernels.reshape(len(row), -1), scales]))
        return float(depths.max(initial=0.0))


def _within_secrets(oracle: SidesOracle, weights: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return weights P(x, y), (n_y, n_x), mixed by as little as it takes for all sides to hold.

    P(y | x) becomes P(y) + a (P(y | s) − P(y)) + t (P(y | x) − P(y | s)), with 0 ≤ t ≤ a ≤ 1 of
    its secret s. So it still sums to 1 over y, each side stays the tangent at what it becomes, and
    one small program tells the a and t that lose least, if losses were linear in them.
    """
    used = _used(weights)
    joined = np.where(used[:, None], weights, 0.0)
    joined[weights.sum(axis=1).argmax()] += weights[~used].sum(axis=0)
    points, of_secret = joined[used], np.eye(oracle.owners.max() + 1)[oracle.owners]
    p_s, masses = p_x @ of_secret, points.sum(axis=1)
    per_secret = points @ of_secret / p_s
    flat = masses[:, None] * p_x
    between = per_secret[:, oracle.owners] * p_x - flat
    within = points - flat - between
    n_y, n_s = per_secret.shape
    y, s = np.divmod(np.arange(n_y * n_s), n_s)
    sides = []
    for sign, rows in zip((1.0, -1.0), oracle.sides(points), strict=True):
        level, of_a, of_t = (
            sign * np.einsum("ysx,yx->ys", rows, part).ravel() / masses[y]
            for part in (flat, between, within)
        )
        side = np.zeros((len(y), 2 * n_s + n_y))
        side[np.arange(len(y)), s], side[np.arange(len(y)), n_s + s] = of_a, of_t
        side[np.arange(len(y)), 2 * n_s + y] = -sign
        sides.append((side, -level))
    order = np.hstack([-np.eye(n_s), np.eye(n_s), np.zeros((n_s, n_y))])
    rows = np.vstack([sides[0][0], sides[1][0], order])
    most = np.concatenate([sides[0][1], sides[1][1], np.zeros(n_s)])
    of_x = rel_entr(points, flat + between).sum(axis=0) @ of_secret
    of_s = p_s * rel_entr(per_secret, masses[:, None]).sum(axis=0)
    program = LinearProgram(
        sparse.csr_array(rows),
        np.full(len(most), -INFINITY),
        most,
        col_upper=np.append(np.ones(2 * n_s), np.full(n_y, INFINITY)),
        cost=np.concatenate([-of_s, -of_x, np.zeros(n_y)]),
    )
    a, t = program.solve().x[: 2 * n_s].reshape(2, n_s)
    joined[used] = flat + a[oracle.owners] * between + t[oracle.owners] * within
    return np.maximum(joined, 0.0)


def _near(weights: FloatArray, total: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return bounds of P(x, y)/total(x), flat, that differ from weights' by `reach` of P(y)."""
    present = total > 0
    shares = weights / np.where(present, total, 1.0)
    most = np.where(present, reach * weights.sum(axis=1, keepdims=True), 1.0)
    return np.maximum(shares - most, 0.0).ravel(), (shares + most).ravel()


def _depths(points: FloatArray, cuts: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the part of the way to P_X at which points meet cuts g·r ≤ 0, shape (k, j)."""
    here, there = points @ cuts.T, cuts @ p_x
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.where(here > 0, here / (here - np.minimum(there, 0.0)), 0.0)
    return result


def _shares(cuts: FloatArray, points: FloatArray, center: FloatArray) -> FloatArray:
    """Return the part of the way to a center at which each point, (k, n_x), meets its own cut."""
    here, there = (cuts * points).sum(axis=1), cuts @ center
    result: FloatArray = here / (here - np.minimum(there, 0.0))
    return result


def _used(weights: FloatArray) -> BoolArray:
    """Return which outputs, shape (n_y,), have more than hardly any probability."""
    used: BoolArray = weights.sum(axis=1) > SLIGHT * weights.sum()
    return used


def _outputs(weights: FloatArray) -> FloatArray:
    """Return the posteriors, shape (k, n_x), of the outputs that are used."""
    chosen = weights[_used(weights)]
    result: FloatArray = chosen / chosen.sum(axis=1, keepdims=True)
    return result


def _slopes(weights: FloatArray, p_x: FloatArray) -> FloatArray:
    """Return the tangent −log P(x | y)/P(x) of each output's cost, shape (n_y, n_x)."""
    masses = weights.sum(axis=1, keepdims=True)
    ratio = weights / np.where(masses > 0, masses, 1.0) / p_x
    result: FloatArray = -np.log(np.maximum(ratio, SMALL))
    return result
