"""Legal questions: any joint, notion and mechanism that fit together have an answer.

Everything is drawn from a `random.Random`, so that Hypothesis can steer it and a long run can
repeat it.
"""

import warnings
import zlib
from dataclasses import dataclass

import numpy as np

from core import clock
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.measures.leakage import leakage
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.options import Options
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Average,
    GuessingProbability,
    Intersection,
    PointwiseMaximalLeakage,
)
from core.notions import catalogue as notions
from core.notions.catalogue import Numbers

INF = float("inf")
BUDGETS = (0.0, 1e-12, 1e-9, 0.01, 0.5, 1.0, 8.0, 50.0, 709.5, 1e308, INF)
SHARES = (0.0, 0.3, 1.0)
ORDERS = (1 + 1e-9, 1.5, 2.0, 10.0, 100.0, INF)
BALL_ORDERS = (0.05, 0.3, 0.5, 0.9, 1.0, 2.0, 10.0, 100.0)
CHANCES = (0.001, 0.05, 0.5, 1 - 1e-9)
RECORDS = (1, 10, 1000, 10**7)
GAPS = (0.0, 1e-9, 1e-4, 1.0)
KINDS = ("counts", "zeros", "independent", "nearly independent", "tiny", "equal", "diagonal")
OTHER = ("guessing probability", "intersection", "average", "average beside a notion")
"""Notions that no page lists, and budgets on averages of any size."""

AVERAGES = ("mutual_information", "total_variation", "chi2", "maximal_leakage", "guessing")
AVERAGES += ("sibson", "arimoto")
PARTS = (0.0, 1e-12, 1e-6, 0.01, 0.3, 0.9, 1 - 1e-9, 1.0, 1.5)
"""Budgets, in parts of what X itself tells."""

SEARCHED = ("optimal", "subset_random_response", "robust_optimal", "polyopt", "non_robust")
SEARCHED += ("srlip_product", "srlip_product_optimised")
"""Mechanisms that the solver takes part in."""

FORMULAS = tuple(key for key in mechanisms.CATALOGUE if key not in SEARCHED)
"""Mechanisms that are made without the solver."""


@dataclass(frozen=True)
class Question:
    """What is asked: all of it can be written down and asked again."""

    counts: tuple[tuple[float, ...], ...]
    notion: str
    eps: float
    lam: float
    other: float
    alpha: float
    beta: float
    n: int
    mechanism: str
    utility: str
    gap: float = 1e-4

    def joint(self):
        """Return the joint; robust LDP is about S and X = (S, U)."""
        if self.notion == "rldp":
            return Joint.with_secret_released(self.counts)
        return Joint.from_counts(self.counts)

    def promise(self, joint):
        """Return the notion."""
        if self.notion == "guessing probability":
            return GuessingProbability(max(min(self.beta, 1.0), 1e-6))
        if self.notion == "intersection":
            second = (LIP, LDP, PointwiseMaximalLeakage)[self.n % 3](self.other)
            return Intersection(ALIP.from_lambda(self.eps, self.lam), second)
        if self.notion.startswith("average"):
            budget = self.budget(joint)
            beside = (LIP, LDP, PointwiseMaximalLeakage)[self.n % 3](self.other)
            return budget if self.notion == "average" else Intersection(budget, beside)
        numbers = Numbers(
            eps=self.eps,
            lam=self.lam,
            alpha=self.alpha,
            beta=self.beta,
            n=self.n,
            eps_l=self.eps,
            eps_u=self.other,
            bound=max(min(self.beta, 1.0), 1e-6),
            delta=self.beta,
        )
        return notions.build(self.notion, joint, numbers)

    def budget(self, joint):
        """Return a budget on an average that lies between what nothing and what X tells."""
        drawn = (self.eps, self.lam, self.other, self.alpha, self.beta, self.n)
        place = zlib.crc32(repr(drawn).encode())
        measure = AVERAGES[place % len(AVERAGES)]
        order = self.alpha if measure in ("sibson", "arimoto") else None
        full = Average(measure, 1.0, order)
        least, reported = (
            full.achieved(joint, k) for k in (np.ones((joint.n_x, 1)), np.eye(joint.n_x))
        )
        share = PARTS[place // len(AVERAGES) % len(PARTS)]
        bound = least + share * (reported - least)
        return Average(measure, min(bound, 1.0) if measure == "guessing" else bound, order)


@dataclass(frozen=True)
class Failure:
    """A legal question without an answer, as the long run prints it."""

    kind: str
    question: Question
    error: str

    def __str__(self):
        return f"from tests.legal import *\nfailure({self.question!r})\n# {self.error}"


def counts(random):
    """Return a matrix of 1 to 4 secrets and 1 to 6 symbols; most are awkward in some way."""
    n_s, n_x = random.randint(1, 4), random.randint(1, 6)
    kind = random.choice(KINDS)
    if kind in ("counts", "zeros"):
        least = 1 if kind == "counts" else -3
        cells = [[float(max(random.randint(least, 4), 0)) for _ in range(n_x)] for _ in range(n_s)]
    elif kind in ("independent", "nearly independent"):
        rows = [random.randint(1, 9) / 10 for _ in range(n_s)]
        columns = [random.randint(1, 9) / 7 for _ in range(n_x)]
        noise = 10.0 ** random.choice([-15, -12, -9, -6, -3]) if "nearly" in kind else 0.0
        cells = [[r * c * (1 + noise * random.randint(-5, 5)) for c in columns] for r in rows]
    elif kind == "tiny":
        powers = random.choice([(0, -13), (0, -6, -9), (0, 0, -100, -300)])
        cells = [
            [random.randint(0, 9) * 10.0 ** random.choice(powers) for _ in range(n_x)]
            for _ in range(n_s)
        ]
    elif kind == "equal":
        cells = [[float(random.randint(1, 3))] * n_x for _ in range(n_s)]
    else:
        cells = [[float(s == x % n_s) for x in range(n_x)] for s in range(n_s)]
    if not any(map(any, cells)):
        cells[0][0] = 1.0
    return tuple(map(tuple, cells))


def question(random, keys=tuple(mechanisms.CATALOGUE)):
    """Return a question about one of some mechanisms."""
    notion = random.choice([entry.key for entry in notions.ALL] + list(OTHER))
    return Question(
        counts=counts(random),
        notion=notion,
        eps=random.choice(BUDGETS),
        lam=random.choice(SHARES),
        other=random.choice(BUDGETS),
        alpha=random.choice(BALL_ORDERS if notion == "rldp" else ORDERS),
        beta=random.choice(CHANCES),
        n=random.choice(RECORDS),
        mechanism=random.choice(keys),
        utility=random.choice(["resolution", "distortion"]),
        gap=random.choice(GAPS),
    )


def failure(request):
    """Ask; return None where there is a true answer or a true refusal, else the failure."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            problem = _problem(request)
    except Exception as error:  # whatever it is, it is none that a legal question may raise
        return Failure(f"{request.mechanism}, {type(error).__name__}", request, repr(error))
    return problem and Failure(f"{request.mechanism}, untrue", request, problem)


def _problem(request):
    try:
        joint = request.joint()
        promise = request.promise(joint)
        with clock.using(clock.Ticking(0.1)):
            made = mechanisms.build(
                request.mechanism,
                joint,
                promise,
                Options(
                    time_limit=2.0,
                    gap=request.gap,
                    utility=request.utility,
                    values=np.arange(joint.n_x) / 2,
                ),
            )
    except (InvalidInputError, NotConvexError) as error:
        text = str(error)
        return None if text.endswith(".") and "\n" not in text else f"no sentence: {text}"
    except InfeasibleError as error:
        if _guessed_before(joint, promise):
            return None
        return f"the constant mechanism keeps it: {error}"
    return _untrue(request, joint, promise, made)


def _guessed_before(joint, promise):
    """Say whether S is guessed better without Y than a promise allows."""
    return any(
        joint.p_s.max() > part.bound
        for part in promise.without_exceptions().parts
        if isinstance(part, GuessingProbability)
        or (isinstance(part, Average) and part.measure == "guessing")
    )


def _untrue(request, joint, promise, made):
    """Return what is not true of an answer, None where all is."""
    entry = mechanisms.entry(request.mechanism)
    keeps = entry.uses_notion and request.mechanism != "non_robust"
    if keeps and not promise.holds(joint, made.kernel):
        return "the promise does not hold"
    if not -1e-12 <= made.utility <= made.upper_bound + 1e-12:
        return f"utility {made.utility} and bound {made.upper_bound}"
    if not 0 <= made.nmi <= 1:
        return f"NMI {made.nmi}"
    reported = leakage(joint.release(made.kernel), made.y_labels)
    levels = [promise.achieved(joint, made.kernel), *reported.achieved.values()]
    levels += [
        other.achieved(joint, made.kernel)
        for other in (
            LIP(request.other),
            LDP(request.eps),
            AlphaLift(request.eps, request.other, 10.0),
        )
    ]
    if any(not level >= 0 for level in levels):
        return f"levels {levels}"
    return None
