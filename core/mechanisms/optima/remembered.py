"""What this process has found under robust notions, below which no later answer is.

What keeps a robust notion keeps it at every larger ε and over every smaller F, and a bound there
holds here. A search that time ends may find less at a larger budget. It does not start from what is
remembered: of small joints it found no more from there, and less at times.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Hashable
from dataclasses import dataclass, fields
from typing import Any, cast

from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.optima.starts import at_least, capped
from core.mechanisms.polish import polished
from core.mechanisms.result import Mechanism, make_mechanism
from core.notions.base import Notion
from core.notions.rldp import RLDP, RobustNotion
from core.notions.robust_markov import RobustLDP
from core.sizes import LruCache
from core.utilities import Purpose
from core.validation import FloatArray


@dataclass(frozen=True)
class Question:
    """A robust optimum: all but ε and the size of F as a key, and these.

    `nested`: whether a smaller F is known to allow all that a larger one does. Under bounds on the
    lift, rows are made for intervals of P(s), which differ with F.
    """

    same: Hashable
    eps: float
    bound: float
    nested: bool

    def is_looser_than(self, other: Question) -> bool:
        """Return whether ε is as large as another one's or larger, and F as small or smaller."""
        return other.eps <= self.eps and self.bound <= other.bound

    def allows_all_of(self, other: Question) -> bool:
        """Return whether all that another one of the same key allows is known to be allowed."""
        return self.is_looser_than(other) and (self.nested or self.bound == other.bound)


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
        of = [answer for answer in self._of(question) if question.is_looser_than(answer.question)]
        return max(of, key=lambda answer: answer.utility, default=None)

    def upper_bound(self, question: Question) -> float:
        """Return the lowest bound of what allows as much or more; ∞ if there is none."""
        of = [answer for answer in self._of(question) if answer.question.allows_all_of(question)]
        return min((answer.upper_bound for answer in of), default=float("inf"))

    def add(self, question: Question, mechanism: Mechanism) -> None:
        """Keep an answer; of two to the same question the better kernel and the lower bound."""
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
    """Return what is asked for under a robust notion; None under any other."""
    if not isinstance(notion, RobustNotion):
        return None
    ball = notion.uncertainty
    numbers = [
        getattr(notion, field.name)
        for field in fields(notion)
        if field.name not in ("eps", "uncertainty")
    ]
    about = [getattr(goal, field.name) for field in fields(cast(Any, goal))]
    # which pair each symbol is says how RLDP over a set around another estimate reads it
    content = hashlib.sha256(pickle.dumps((joint.p, joint.kept_x, ball.p_hat_su, about))).digest()
    same = (type(notion), *numbers, ball.alpha, type(goal), content)
    return Question(same, notion.eps, ball.bound, isinstance(notion, RLDP | RobustLDP))


def with_remembered(joint: Joint, mechanism: Mechanism) -> Mechanism:
    """Return the better of an optimum and what is remembered, with the lowest bound; remember it.

    Of an optimum under a notion that is not robust nothing is remembered.
    """
    notion = mechanism.notion
    if notion is None:
        return mechanism
    question = question_of(joint, notion, mechanism.purpose)
    if question is None:
        return mechanism
    best = MEMORY.best(question)
    if best is not None and best.utility > mechanism.utility + ROUNDING * mechanism.purpose.size():
        known = make_mechanism(
            joint,
            polished(joint, best.kernel, notion, quick=True),  # sums over F may round otherwise
            name=mechanism.name,
            solver=mechanism.solver,
            notion=notion,
            purpose=mechanism.purpose,
        )
        mechanism = at_least(joint, mechanism, [known])
    bound = MEMORY.upper_bound(question)
    if bound < mechanism.upper_bound:
        mechanism = capped(joint, mechanism, bound)
    MEMORY.add(question, mechanism)
    return mechanism
