"""Exercises, and what a reader types: answers worked out by the same code as everything else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from core import measures
from core import mechanisms as m
from core.data.joints import example
from core.joint import Joint
from core.learning.examples import BETA, STOPS, Revealed, of_test, revealed
from core.learning.expressions import number
from core.nonstochastic import max_uncertainty_reduction, maximin_information
from core.notions import LIP
from core.uncertainty import RenyiBall

NEEDED = 3
"""Digits that an answer needs."""


@dataclass(frozen=True)
class Slip:
    """A wrong answer that is often given, and what went wrong, in a sentence."""

    value: float
    message: str


@dataclass(frozen=True)
class Feedback:
    """Whether an answer is right, and a sentence or two about it."""

    right: bool
    message: str


def near(answer: float, wanted: float) -> bool:
    """Say whether an answer is right to three digits."""
    # rounding to three digits moves it by less
    return math.isclose(answer, wanted, rel_tol=0.006, abs_tol=1e-9)


def compare(answer: float, wanted: float, slips: tuple[Slip, ...]) -> Feedback:
    """Return the feedback on an answer."""
    if near(answer, wanted):
        return Feedback(True, "Right.")
    for slip in slips:
        if near(answer, slip.value):
            return Feedback(False, f"Not yet. {slip.message}")
    return Feedback(False, "Not yet.")


@dataclass(frozen=True)
class Exercise:
    """A question with a number as its answer, a hint, and how it is worked out, as LaTeX."""

    key: str
    question: str
    hint: str
    formula: str
    answer: float
    slips: tuple[Slip, ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.answer:.{4}g}"


def numbers(variant: int) -> tuple[float, float, float]:
    """Return P(ill), P(positive | ill) and P(positive | well) of a variant."""
    if variant == 0:
        return 0.2, 0.9, 0.15
    rng = np.random.default_rng([16, variant])
    drawn = (rng.integers(2, 9), rng.integers(12, 20), rng.integers(1, 8))
    ill, hit, alarm = (int(value) / 20 for value in drawn)
    return ill, hit, alarm


def table(variant: int) -> Joint:
    return of_test(*numbers(variant))


def check(exercise: Exercise, text: str) -> Feedback:
    return compare(number(text), exercise.answer, exercise.slips)


def exercises(variant: int = 0) -> tuple[Exercise, ...]:
    joint = table(variant)
    test = revealed(joint)
    return (
        *_about_lift(test, numbers(variant)),
        *_about_notions(test),
        *_about_means(joint, test),
        *_others(test),
    )


def _in_bits(value: float) -> Slip:
    return Slip(value / math.log(2), "That is in bits; the question asks for nats.")


def _about_lift(test: Revealed, rates: tuple[float, float, float]) -> tuple[Exercise, ...]:
    ill, hit, alarm = rates
    lift, back = test.of("ill", "positive"), float(test.posterior[0, 0])
    return (
        Exercise(
            "positive",
            "How likely is a positive result, P(positive)?",
            "Sum over the ill and the well.",
            r"P(+) = P(\text{ill})\,P(+ \mid \text{ill}) + P(\text{well})\,P(+ \mid \text{well})",
            float(test.p_y[0]),
            (Slip(hit, "That is P(positive | ill), for the ill alone."),),
        ),
        Exercise(
            "posterior",
            "A person tests positive. How likely are they to be ill?",
            "Bayes' rule: divide P(ill, positive) by P(positive).",
            r"P(\text{ill} \mid +) = \frac{P(\text{ill})\,P(+ \mid \text{ill})}{P(+)}",
            back,
            (
                Slip(hit, "That is P(positive | ill), the reverse of the question."),
                Slip(ill * hit, "That is P(ill, positive): divide it by P(positive)."),
            ),
        ),
        Exercise(
            "lift",
            "What is the lift of “ill” after a positive result?",
            "By what factor does the probability of “ill” change?",
            r"l(\text{ill}, +) = \frac{P(\text{ill} \mid +)}{P(\text{ill})}",
            lift,
            (
                Slip(
                    1 / lift, "That is its inverse: divide the belief after by the belief before."
                ),
                Slip(hit / alarm, "That compares the ill with the well, as LDP does."),
                Slip(math.log(lift), "That is its logarithm."),
            ),
        ),
        Exercise(
            "min_lift",
            "What is the min-lift Ψ of a negative result?",
            "The smallest lift over all secrets.",
            r"\Psi(-) = \min_s l(s, -)",
            float(test.lift[:, 1].min()),
            (Slip(float(test.lift[:, 1].max()), "That is the largest lift Λ."),),
        ),
    )


def _about_notions(test: Revealed) -> tuple[Exercise, ...]:
    falls, rises = float(-test.log_min.min()), float(test.log_max.max())
    ratios = np.exp(test.log_max - test.log_min)
    return (
        Exercise(
            "lip",
            (
                "The result is released unchanged. What is the smallest ε, in nats, at which it "
                "satisfies LIP?"
            ),
            "The largest |log-lift| over all secrets and results.",
            r"\varepsilon = \max_{s,x} |\log l(s,x)|",
            test.lip,
            (_in_bits(test.lip), Slip(math.exp(test.lip), "That is e^ε: take its logarithm.")),
        ),
        Exercise(
            "ldp",
            "And the smallest ε, in nats, at which it satisfies LDP?",
            "Divide the largest lift of a result by the smallest one; the priors cancel.",
            r"\varepsilon = \max_x \log \frac{\Lambda(x)}{\Psi(x)}",
            test.ldp,
            (
                _in_bits(test.ldp),
                Slip(math.log(float(ratios.min())), "That belongs to the other result."),
                Slip(test.lip, "That is LIP's."),
            ),
        ),
        Exercise(
            "alip",
            "Under ALIP with εₗ and εᵤ as small as X itself allows, what is λ?",
            "εₗ is for the largest fall, εᵤ for the largest rise.",
            r"\lambda = \frac{\varepsilon_l}{\varepsilon_l + \varepsilon_u}",
            falls / (falls + rises),
            (Slip(rises / (falls + rises), "That is 1 − λ, the share of rising beliefs."),),
        ),
        Exercise(
            "pml",
            "What is the pointwise maximal leakage of X itself, in nats?",
            "Only rises count.",
            r"\max_x \log \Lambda(x)",
            test.pml,
            (_in_bits(test.pml), Slip(test.lip, "That is LIP's level, which also counts falls.")),
        ),
    )


def _about_means(joint: Joint, test: Revealed) -> tuple[Exercise, ...]:
    mean = float(measures.alpha_lift(joint.p, 2.0)[0])
    return (
        Exercise(
            "alpha",
            "What is the mean of order 2 of the lifts of a positive result?",
            "The square root of the mean square, each secret weighted by P(s).",
            r"\Bigl(\sum_s P(s)\,l(s,+)^2\Bigr)^{1/2}",
            mean,
            (
                Slip(
                    float((test.lift[:, 0] ** 2).mean() ** 0.5),
                    "The secrets are weighted by P(s), not equally.",
                ),
                Slip(mean**2, "Now take the square root."),
            ),
        ),
        Exercise(
            "truth",
            "The result is reported truthfully with probability t, otherwise the other one is "
            "reported. What is the largest t that satisfies LIP at ε = 0.5?",
            "P(positive reported) and P(positive reported | s) are linear in t; try both secrets "
            "and both results.",
            r"e^{-0.5} \le \frac{P(y \mid s)}{P(y)} \le e^{0.5}",
            float(m.generalized_randomized_response(joint, notion=LIP(0.5)).kernel[0, 0]),
        ),
    )


def _others(test: Revealed) -> tuple[Exercise, ...]:
    occurs = example(STOPS).weights > 0
    quantile = float(chi2.ppf(1 - BETA, 3))
    bound = RenyiBall.confidence([[0.25, 0.25], [0.25, 0.25]], 200, BETA).bound
    return (
        Exercise(
            "funnel",
            (
                "The result is reported one time in ten, otherwise nothing is. What is I(S;Y), in "
                "nats?"
            ),
            "With probability 0.9 nothing is learned: compute I(S;X) first.",
            r"I(S;Y) = 0.1 \cdot I(S;X), \quad I(S;X) = \sum_{s,x} P(s,x) \log l(s,x)",
            0.1 * test.about_secret,
            (
                Slip(test.about_secret, "That is I(S;X): the result reported every time."),
                _in_bits(0.1 * test.about_secret),
            ),
        ),
        Exercise(
            "maximin",
            "The lesson on maximin information distinguishes six stops. How many bits is the "
            "maximin information of the stop itself?",
            "Count the groups of stops that share no street with each other.",
            r"I_* = \log_2(\text{groups})",
            maximin_information(occurs),
            (
                Slip(max_uncertainty_reduction(occurs), "That is L₀, of the most revealing stop."),
                Slip(2 ** maximin_information(occurs), "That is their number: take log₂."),
            ),
        ),
        Exercise(
            "rldp",
            "A 2 × 2 table was estimated from n = 200 records. The χ² quantile with 3 degrees of "
            f"freedom at 1 − β = 0.95 is {quantile:.3f}. What is the bound B of the uncertainty "
            "set?",
            "α = 2: the quantile is divided by n, then a logarithm.",
            r"B = \log\Bigl(1 + \frac{q}{n}\Bigr)",
            float(bound),
            (Slip(quantile / 200, "That is the argument of the logarithm: B = log(1 + q/n)."),),
        ),
    )
