"""What this process has found under robust notions, below which no later answer is.

What keeps a robust notion keeps it at every larger ε and over every smaller F, and a bound there
holds here. So does a bound at P̂ alone, a member of F, and what was found there with a budget as
small keeps the notion once it is moved towards P_X. A search that time ends may find less at a
larger budget. It does not start from what is remembered: of small joints it found no more from
there, and less at times.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from typing import Any, cast

from core.allowed.robust import spread
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.optima.starts import at_least, capped
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion, PointwiseNotion
from core.notions.rldp import RobustNotion
from core.optimal.polish import mixed
from core.sizes import LruCache
from core.utilities import Purpose
from core.validation import FloatArray


@dataclass(frozen=True)
class Question:
    """An optimum: all but budgets and the sizes of sets F as a key, and these.

    `nested`: whether a smaller F is known to allow all that a larger one does. Under bounds on the
    lift, rows are made for intervals of P(s), which differ with F.
    """

    same: Hashable
    budgets: tuple[float, ...]
    bounds: tuple[float, ...]
    nested: bool

    def is_looser_than(self, other: Question) -> bool:
        """Return whether budgets are as large as another one's or larger, and F as small."""
        budgets = zip(self.budgets, other.budgets, strict=True)
        bounds = zip(self.bounds, other.bounds, strict=True)
        return all(own >= its for own, its in budgets) and all(own <= its for own, its in bounds)

    def allows_all_of(self, other: Question) -> bool:
        """Return whether all that another one of the same key allows is known to be allowed."""
        return self.is_looser_than(other) and (self.nested or self.bounds == other.bounds)


@dataclass(frozen=True)
class Answer:
    """A kernel that was found, its utility, and the bound on all utilities."""

    question: Question
    kernel: FloatArray
    utility: float
    upper_bound: float

    def joined(self, other: Answer) -> Answer:
        """Return the better of two answers to one question, with the lower of their bounds."""
        best = self if self.utility >= other.utility else other
        upper = min(self.upper_bound, other.upper_bound)
        return Answer(self.question, best.kernel, best.utility, max(upper, best.utility))


class Memory:
    """A cache of answers, safe for threads; those of the questions asked longest ago go first.

    `most_same`: most answers to questions that differ in ε and F alone; a chart has 32.
    """

    def __init__(self, most_bytes: int = 50_000_000, most_same: int = 64) -> None:
        self._most_bytes, self._most_same = most_bytes, most_same
        self._kept = LruCache(200, most_bytes)  # questions that differ in more
        self._lock = threading.Lock()

    def best(self, question: Question) -> Answer | None:
        """Return the best answer to a stricter question, or to the same; None without any."""
        return next(iter(self.stricter(question)), None)

    def stricter(self, question: Question) -> list[Answer]:
        """Return the answers to stricter questions, and to the same, the best first."""
        of = [answer for answer in self._of(question) if question.is_looser_than(answer.question)]
        return sorted(of, key=lambda answer: -answer.utility)

    def upper_bound(self, question: Question) -> float:
        """Return the lowest bound of what allows as much or more; ∞ if there is none."""
        of = [answer for answer in self._of(question) if answer.question.allows_all_of(question)]
        return min((answer.upper_bound for answer in of), default=float("inf"))

    def add(self, question: Question, mechanism: Mechanism) -> None:
        """Keep an answer; of two to the same question the better kernel and the lower bound.

        A kernel that would be all of the memory is not kept.
        """
        if 8 * len(mechanism.x_labels) * mechanism.n_y > self._most_bytes:
            return
        new = Answer(question, mechanism.kernel, mechanism.utility, mechanism.upper_bound)
        with self._lock:
            others = []
            for answer in self._kept.find(question.same) or ():
                if answer.question == question:
                    new = new.joined(answer)
                else:
                    others.append(answer)
            kept = [*others, new][-self._most_same :]
            while len(kept) > 1 and _bytes(kept) > self._most_bytes:
                del kept[0]
            self._kept.put(question.same, tuple(kept), _bytes(kept))

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._kept.clear()

    def _of(self, question: Question) -> tuple[Answer, ...]:
        with self._lock:
            answers: tuple[Answer, ...] | None = self._kept.find(question.same)
        return answers or ()


def _bytes(answers: list[Answer]) -> int:
    """Return the bytes of kernels; the rest of an answer is small."""
    return sum(1_000 + answer.kernel.nbytes for answer in answers)


MEMORY = Memory()
"""The answers of this process."""


def question_of(joint: Joint, notion: Notion, goal: Purpose) -> Question | None:
    """Return what is asked for under a robust notion, or at P̂ alone; None under any other."""
    robust = [part for part in notion.parts if isinstance(part, RobustNotion)]
    if not (robust or _may_be_of_estimate(notion)):
        return None
    numbers = [
        getattr(part, field.name)
        for part in notion.parts
        for field in fields(cast(Any, part))
        if field.name not in (*part.in_nats, "uncertainty")
    ]
    balls = [part.uncertainty for part in robust]
    # which pair each symbol is says how RLDP over a set around another estimate reads it
    sets = [(ball.alpha, ball.p_hat_su, joint.kept_x) for ball in balls]
    about = [getattr(goal, field.name) for field in fields(cast(Any, goal))]
    seen = joint.p[:, joint.p_x > 0]
    content = hashlib.sha256(pickle.dumps((seen.shape, seen.tobytes(), numbers, sets, about)))
    return Question(
        same=(*map(type, notion.parts), type(goal), content.digest()),
        budgets=tuple(float(getattr(part, name)) for part in notion.parts for name in part.in_nats),
        bounds=tuple(float(ball.bound) for ball in balls),
        nested=all(part.nested for part in robust),
    )


def _may_be_of_estimate(notion: Notion) -> bool:
    """Return whether some robust notion may be this one at P̂."""
    return isinstance(notion, PointwiseNotion) and (
        notion.bounds_lift or notion.bounds_ratio or notion.bounds_greatest
    )


def with_remembered(joint: Joint, mechanism: Mechanism) -> Mechanism:
    """Return the better of an optimum and what is remembered, with the lowest bound; remember it.

    An optimum under a notion that is not robust is returned as it is.
    """
    notion, goal = mechanism.notion, mechanism.purpose
    question = None if notion is None else question_of(joint, notion, goal)
    if notion is None or question is None:
        return mechanism
    robust = [part for part in notion.parts if isinstance(part, RobustNotion)]
    if robust:
        at_estimate = [part.at_estimate(part.eps) for part in robust if part.is_around(joint)]
        best = MEMORY.best(question)
        if best is not None and _is_more(best, mechanism):
            # sums over F may round otherwise
            kernel = polished(joint, best.kernel, notion, quick=True)
            mechanism = _at_least(joint, mechanism, kernel)
        if isinstance(notion, RobustNotion) and at_estimate:
            mechanism = _at_least_moved(joint, mechanism, notion)
        looser = [question_of(joint, each, goal) for each in (notion, *notion.parts, *at_estimate)]
        bound = min(MEMORY.upper_bound(each) for each in looser if each is not None)
        if bound < mechanism.upper_bound:
            mechanism = capped(joint, mechanism, bound)
    if robust or joint.p_x.all():
        MEMORY.add(question, mechanism)
    return mechanism


def _is_more(answer: Answer, mechanism: Mechanism) -> bool:
    """Return whether an answer has more utility than a mechanism, by more than rounding."""
    return answer.utility > mechanism.utility + ROUNDING * mechanism.purpose.size()


def _at_least(joint: Joint, mechanism: Mechanism, kernel: FloatArray) -> Mechanism:
    """Return the better of an optimum and a kernel that keeps its notion."""
    known = make_mechanism(
        joint,
        kernel,
        name=mechanism.name,
        solver=mechanism.solver,
        notion=mechanism.notion,
        purpose=mechanism.purpose,
    )
    return at_least(joint, mechanism, [known])


def _at_least_moved(joint: Joint, mechanism: Mechanism, notion: RobustNotion) -> Mechanism:
    """Return the best of an optimum and of answers at P̂ with budgets as small, moved towards P_X.

    Utilities are convex: moved by a share an answer loses at least that share of what it has beyond
    an output independent of X. So one check tells whether it may lose less than it is ahead.
    """
    question = question_of(joint, notion.at_estimate(notion.eps), mechanism.purpose)
    least = mechanism.purpose.range(joint)[0]
    for answer in MEMORY.stricter(question) if question else []:
        if not _is_more(answer, mechanism):
            break
        kernel, ball = answer.kernel, notion.uncertainty
        if len(kernel) < joint.n_x:  # pairs that were never seen have answers too
            seen = Joint.with_secret_released(joint.p_x.reshape(ball.n_s, ball.n_u))
            kernel = spread(ball, seen) @ kernel
        most = (answer.utility - mechanism.utility) / (answer.utility - least)

        def passes(share: float, kernel: FloatArray = kernel) -> bool:
            return notion.holds(joint, mixed(kernel, joint.p_x, share))

        if passes(most):
            share = 0.0 if passes(0.0) else _least(passes, most)
            mechanism = _at_least(joint, mechanism, mixed(kernel, joint.p_x, share))
    return mechanism


def _least(passes: Callable[[float], bool], high: float) -> float:
    """Return a share that passes, as one does, close to the least."""
    low = 0.0
    for _ in range(20):  # halvings, up to a millionth of it
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high
