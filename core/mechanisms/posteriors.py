"""Symbols with equal posteriors, P(s | x): one symbol for a search, apart again in its answer.

Let C = c(X) name the class of symbols that share P(s | x). Under a notion of P(s, y) alone,
max I(X;Y) = H(X) − H(C) + max I(C;Y). At most: H(X | y) ≥ H(C | y) for every output, and as S – C –
X is a Markov chain, P(s, y) is that of the mechanism P(y | c). At least: split each output of C's
optimum so that each part has one symbol of every class (`split`); a part has the lifts of
its output, and its entropy is that of C. The proof is in docs/architecture.md. Given what is known,
K, the same holds of classes that share P(s, k | x).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.entries import Entries, entries_of
from core.joint import Joint
from core.measures import entropy
from core.notions.base import Notion
from core.optimal.plan import SHARES
from core.optimal.solve import Outcome
from core.three_way import direction
from core.utilities import Guess, Information, Purpose, Task
from core.validation import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of symbols of X that a search may join: the class `of_x`, shape (n_x,), of each.

    `joint`: P(s, c); a class is named after its first symbol. `notion`: that of C, another one than
    that of X only given K. `purpose`: the utility of C that stands for that of X, which is `more`
    above it: H(X) − H(C), in nats; 0 for a task.
    """

    joint: Joint
    notion: Notion
    of_x: IntArray
    purpose: Purpose
    more: float

    @property
    def fewer(self) -> bool:
        """Whether there are fewer classes than symbols."""
        return self.joint.n_x < len(self.of_x)

    def seconds(self, limit: float) -> float:
        """Return the part of a time limit for the search; splitting, naming and audit follow."""
        # of 10,000 symbols and 3,000 outputs they take .4 s, and 2 s where all outputs were moved
        rest = (1.1e-7 if self.fewer else 2.5e-8) * len(self.of_x) ** 2
        share = SHARES.classes if self.fewer else 1.0
        return max(share * limit - rest, 0.1 * limit)

    def together(self, joint: Joint, kernel: FloatArray) -> FloatArray:
        """Return P(y | c), shape (n_c, n_y), of a kernel P(y | x)."""
        if not self.fewer:
            return kernel
        few, n_c = entries_of(kernel), self.joint.n_x
        if few is not None:
            x, y = few.places()
            at, place = np.unique(y * n_c + self.of_x[x], return_inverse=True)
            values = np.bincount(place, joint.p_x[x] * few.values)
            mass = np.bincount(at % n_c, values)
            of_classes = Entries((n_c, kernel.shape[1]), at, values / mass[at % n_c], True)
            return of_classes.dense()
        weights = np.zeros((n_c, kernel.shape[1]))
        np.add.at(weights, self.of_x, joint.p_x[:, None] * kernel)
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def apart(self, joint: Joint, kernel: FloatArray) -> FloatArray:
        """Return P(y | x), shape (n_x, n_y), of a kernel P(y | c), outputs split where it helps."""
        if isinstance(self.purpose, Task) or not self.purpose.of_x:
            return kernel[self.of_x]
        return split(self.of_x, joint.p_x, kernel)

    def outcome(self, joint: Joint, outcome: Outcome) -> Outcome:
        """Return the outcome of a search for C as that for X."""
        if not self.fewer:
            return outcome
        return replace(
            outcome,
            kernel=self.apart(joint, outcome.kernel),
            utility=outcome.utility + self.more,
            upper_bound=outcome.upper_bound + self.more,
        )


def split(of_x: IntArray, p_x: FloatArray, kernel: FloatArray) -> FloatArray:
    """Return P(y | x), shape (n_x, n_y), of P(y | c), its outputs split into one symbol a class.

    Shapes: of_x and p_x (n_x,), the class and the weight of each symbol; kernel (n_c, n).
    """
    order = np.lexsort((p_x, of_x))  # rare ones first, where doubles are dense
    size = np.bincount(of_x)
    begin = np.cumsum(size) - size
    mass = np.bincount(of_x, p_x)
    many = np.flatnonzero(size > 1)
    until = np.cumsum(kernel[many], axis=1)
    until /= until[:, -1:]
    # where a symbol follows another of its class: in which output, and where in that
    members = [order[begin[c] : begin[c] + size[c]] for c in many]
    at = [np.cumsum(p_x[own])[:-1] / p_x[own].sum() for own in members]
    outputs = [np.searchsorted(ends, t, side="right") for ends, t in zip(until, at, strict=True)]
    of_cut = np.repeat(np.arange(len(many)), size[many] - 1)
    output = np.concatenate(outputs or [of_cut]).clip(max=kernel.shape[1] - 1)
    after = np.where(output > 0, until[of_cut, output - 1], 0.0)
    place = (np.concatenate(at or [of_cut]) - after) / (until[of_cut, output] - after)
    here = np.split(
        np.argsort(output, kind="stable"),
        np.cumsum(np.bincount(output, minlength=kernel.shape[1]))[:-1],
    )
    cuts = [np.unique(np.concatenate([[0.0], place[cut], [1.0]])) for cut in here]
    now = begin.copy()
    entries: list[FloatArray] = []
    places: list[IntArray] = []
    n_x, n_y = len(p_x), 0
    for weights, own, ends in zip(kernel.T, here, cuts, strict=True):
        held = np.union1d(np.flatnonzero(weights), many[of_cut[own]])
        steps = np.zeros((len(ends), len(held)), dtype=np.intp)
        cut = np.searchsorted(ends, place[own]), np.searchsorted(held, many[of_cut[own]])
        np.add.at(steps, cut, 1)
        symbol = now[held] + np.cumsum(steps, axis=0)
        now[held] = symbol[-1]
        width = np.diff(ends)[:, None]
        of = order[symbol[:-1]]
        entries.append((width * (mass * weights)[held] / p_x[of]).ravel())
        places.append((n_x * np.arange(n_y, n_y + len(of))[:, None] + of).ravel())
        n_y += len(of)
    whole = np.concatenate(entries)
    own = np.concatenate(places)[whole > 0]
    shares = whole[whole > 0] / np.bincount(own % n_x, whole[whole > 0])[own % n_x]
    return Entries((n_x, n_y), own, shares, by_columns=True).dense()


def none(joint: Joint, notion: Notion, purpose: Purpose) -> Classes:
    """Return a class for each symbol."""
    return Classes(joint, notion, np.arange(joint.n_x), purpose, 0.0)


def classes(joint: Joint, notion: Notion, purpose: Purpose, decimals: int | None = None) -> Classes:
    """Return the classes that a search for an optimum may join.

    With `decimals` posteriors that agree to so many are one, and what is found may break the
    notion slightly.
    """
    if not isinstance(purpose, Information | Task | Guess) or not (joint.p_x > 0).all():
        return none(joint, notion, purpose)
    marks = [part.alike(joint) for part in notion.parts]
    if any(mark is None for mark in marks):
        return none(joint, notion, purpose)
    counts = joint.counts
    weights = joint.p if counts is None else counts
    columns = np.vstack(
        [
            direction(weights, whole=counts is not None)
            if decimals is None
            else np.round(joint.p / joint.p_x, decimals),
            *(mark[None] for mark in marks if mark is not None),
            *_task(joint, purpose),
        ]
    )
    _, first, of_x = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    of_x = of_x.ravel()
    if len(first) == joint.n_x:
        return none(joint, notion, purpose)
    return _joined(joint, notion.with_classes(of_x), purpose, first, of_x)


def _joined(
    joint: Joint, notion: Notion, purpose: Purpose, first: IntArray, of_x: IntArray
) -> Classes:
    """Return classes, given the first symbol of each, shape (n_c,)."""
    p = np.zeros((joint.n_s, len(first)))
    np.add.at(p.T, of_x, (joint.p if joint.counts is None else joint.counts).T)
    p /= p.sum()
    p.flags.writeable = False
    small = replace(
        joint,
        p=p,
        x_labels=tuple(joint.x_labels[x] for x in first),
        kept_x=np.arange(len(first)),
        dropped_x=(),
        x_shape=(),
        known=None,
    )
    more = 0.0
    if isinstance(purpose, Information):
        more = float(entropy(joint.p_x) - entropy(small.p_x))
    elif isinstance(purpose, Task):
        purpose = Task(_task(joint, purpose)[0][:, first])
    elif isinstance(purpose, Guess) and not purpose.of_x:
        purpose = Guess(_task(joint, purpose)[0][:, first])
    return Classes(small, notion, of_x, purpose, more)


def _task(joint: Joint, purpose: Purpose) -> list[FloatArray]:
    """Return P(t | x) of the joint's symbols, in a list, which is empty for X itself."""
    if not isinstance(purpose, Task | Guess) or purpose.p_t_given_x is None:
        return []
    purpose.solver_utility(joint)  # checks the table
    table = purpose.p_t_given_x
    return [table if table.shape[1] == joint.n_x else table[:, joint.kept_x]]
