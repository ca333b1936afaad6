"""Subset random response: the optimal kernel within each set of subset merging's partition."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core import measures, validation
from core.allowed.allowed_set import AllowedSet
from core.clock import Deadline
from core.joint import Joint
from core.mechanisms.entry import TIME_SHARE
from core.mechanisms.merging.subset_levels import pointwise_notion
from core.mechanisms.merging.subset_merging import merge_high_risk, subset_merging
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.polish import polished
from core.mechanisms.posteriors import classes, split
from core.mechanisms.result import Mechanism, make_mechanism, marked_if_cut
from core.notions.base import Notion
from core.optimal.solve import DEFAULT_SECONDS, maximise
from core.utilities import Information
from core.validation import FloatArray, IntArray

Members = tuple[int, ...]

NAME = "Subset random response"


@marked_if_cut
def subset_random_response(
    joint: Joint, notion: Notion, time_limit: float | None = None, gap: float = 1e-6, seed: int = 0
) -> Mechanism:
    """Publish X_L as it is and randomize optimally within each set of subset merging.

    Source: [Lift] Algorithm 2, corrected: a set is feasible if P(X | set) is an allowed posterior,
    that is if the set is allowed as one output. As printed it is if the polytope is not empty,
    which is not enough. All sets of the corrected Algorithm 1 are feasible, so none has to be
    joined with others, unless X_H itself is not: then subset merging with its repair is returned.

    Parameters
    ----------
    joint : Joint
        P(s, x).
    notion : PointwiseNotion
        A convex one: LIP, ALIP, LDP, α-lift, …
    time_limit : float, optional
        Seconds for all sets together, by default 5, of which TIME_SHARE is used. Sets whose merging
        would lose most come first; a set without time left is merged, or its symbols are moved
        towards P(X | set) where that keeps more.
    gap, seed
        As in `optimal`, for each set.

    Returns
    -------
    Mechanism
        With status "time limit" where time ended the search within a set.

    Raises
    ------
    InvalidInputError
        If the notion is not a `PointwiseNotion`, or an option is outside its domain.
    NotConvexError
        If the notion's allowed set is not convex.
    InfeasibleError
        If not even the constant mechanism keeps the notion.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> from core.notions import LIP
    >>> joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    >>> mechanism = subset_random_response(joint, LIP(0.4))
    >>> mechanism.utility > subset_merging(joint, LIP(0.4)).utility
    True
    """
    pointwise = pointwise_notion(notion, "Subset random response")
    allowed = pointwise.allowed_set(joint)
    seconds = DEFAULT_SECONDS if time_limit is None else time_limit
    limit = validation.number(seconds, "time_limit", low=0.0, open_low=True)
    deadline = Deadline.after(TIME_SHARE * limit)
    merging = merge_high_risk(joint, pointwise, deadline=deadline.part(0.5))  # sets get the rest
    if not merging.attained:
        whole = subset_merging(joint, pointwise)
        note = "X_H is not private even as one set, so subset merging answers."
        return replace(whole, name=NAME, notes=(note, *whole.notes))
    sets = merging.sets
    high = {x for members in sets for x in members}
    columns = [np.eye(joint.n_x)[:, [x for x in range(joint.n_x) if x not in high]]]
    of_x = classes(joint, pointwise, Information()).of_x
    alike = [_Alike.of_set(joint, of_x, members) for members in sets]
    stakes = [
        _stake(joint.p_x[list(members)].sum() * item.p_in)
        for members, item in zip(sets, alike, strict=True)
    ]
    ranked = sorted(range(len(sets)), key=lambda i: -stakes[i])
    late = 0
    for done, i in enumerate(ranked):
        members, p_in = list(sets[i]), alike[i].p_in
        inside = _restricted(allowed, alike[i].first)
        plain = inside.oracle is None and not inside.n_auxiliary
        block, proven = np.ones((len(p_in), 1)), len(p_in) == 1
        if len(p_in) == 2 and plain:
            block, proven = _of_two(inside.rows.toarray(), p_in), True
        elif not proven and (seconds := deadline.left) > 0:
            own = seconds * stakes[i] / sum(stakes[j] for j in ranked[done:])
            # the result as a whole is no optimum, so a proof would be of no use
            outcome = maximise(inside, p_in, time_limit=own, gap=gap, seed=seed, prove=False)
            block, proven = outcome.kernel, outcome.status == "optimal"
        if plain and not proven:
            block = _more_of(block, _diluted(inside.rows.toarray(), p_in), p_in)
        late += not proven
        block = alike[i].apart(block)
        wide = np.zeros((joint.n_x, block.shape[1]))
        wide[members] = block
        columns.append(wide)
    notes = (f"{late} of {len(sets)} sets are not proven optimal.",) if late else ()
    kernel, y_labels = in_reading_order(joint, polished(joint, np.hstack(columns), pointwise))
    return make_mechanism(
        joint,
        polished(joint, kernel, pointwise),  # reordered outputs may round to another level
        name=NAME,
        solver="columns",
        notion=pointwise,
        y_labels=y_labels,
        notes=notes,
    )


@dataclass(frozen=True, eq=False)
class _Alike:
    """The symbols of a set that share a posterior: the lemma of `posteriors` holds within it.

    - `first`: a symbol of each class. `of`: the class of each member, shape (k,).
    - `weights`: P(x | set) of each member, shape (k,); `p_in`: the same of each class.
    """

    first: Members
    of: IntArray
    weights: FloatArray
    p_in: FloatArray

    @classmethod
    def of_set(cls, joint: Joint, of_x: IntArray, members: Members) -> _Alike:
        """Return the classes of a set, in the order of their first members."""
        names = of_x[list(members)].tolist()
        place = {name: at for at, name in enumerate(dict.fromkeys(names))}
        of = np.array([place[name] for name in names])
        first = [members[names.index(name)] for name in place]
        mass = joint.p_x[list(members)]
        p_in = np.zeros(len(first))
        np.add.at(p_in, of, mass / mass.sum())
        return cls(tuple(first), of, mass / mass.sum(), p_in)

    def apart(self, block: FloatArray) -> FloatArray:
        """Return a kernel of the members, shape (k, n), of one of the classes."""
        return block if len(block) == len(self.of) else split(self.of, self.weights, block)


def _stake(p_x: FloatArray) -> float:
    """Return the I(X;Y) that merging a set loses, in nats: Σ_x P(x) log(P(set)/P(x))."""
    return float((p_x * np.log(p_x.sum() / p_x)).sum())


def _of_two(rows: FloatArray, p_in: FloatArray) -> FloatArray:
    """Return the optimal kernel of two symbols: the ends of the allowed interval."""
    t, slope = float(p_in[0]), rows[:, 0] - rows[:, 1]
    room = -np.minimum(rows @ p_in, 0.0)  # a value above 0 is rounding
    with np.errstate(divide="ignore", invalid="ignore"):  # a row of slope 0 gives ∞ or NaN
        steps = room / np.abs(slope)
    up = float(steps[slope > 0].min(initial=1.0 - t))
    down = float(steps[slope < 0].min(initial=t))
    if min(up, down) <= 0.0:
        return np.ones((2, 1))
    share = down / (up + down)  # of the output at the upper end
    high = np.array([t + up, 1.0 - t - up]) * share / p_in
    low = np.maximum(1.0 - high, 0.0)
    result: FloatArray = np.column_stack([high, low])
    return result


def _diluted(rows: FloatArray, p_in: FloatArray) -> FloatArray:
    """Return (1 − δ) I + δ P(x | set) with the least δ at which every output meets the rows."""
    there = np.minimum(rows @ p_in, 0.0)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(rows > 0, rows / (rows - there), 0.0)
    share = float(shares.max(initial=0.0))
    result: FloatArray = (1 - share) * np.eye(len(p_in)) + share * p_in
    return result


def _more_of(first: FloatArray, second: FloatArray, p_in: FloatArray) -> FloatArray:
    """Return the kernel, shape (n, n_y), with the larger I(X;Y) within the set."""
    values = [measures.mutual_information(p_in[:, None] * kernel) for kernel in (first, second)]
    return second if values[1] > values[0] else first


def _restricted(allowed: AllowedSet, members: Members) -> AllowedSet:
    """Return the allowed set of posteriors that are 0 outside of `members`."""
    inside = np.array(members)
    auxiliary = np.arange(allowed.n_x, allowed.rows.shape[1])
    rows = sparse.csr_array(allowed.rows[:, np.concatenate([inside, auxiliary])])
    whole = allowed.oracle
    if whole is None:
        return AllowedSet(rows, len(inside))

    def oracle(r: FloatArray) -> FloatArray:
        wide = np.zeros(allowed.n_x)
        wide[inside] = r
        return whole(wide)[:, inside]

    return AllowedSet(rows, len(inside), oracle)
