"""Every measure by key: its meaning, formula, source and function."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from core import measures
from core.catalogued import Catalogued, find

POINTWISE = "pointwise"
"""A measure of each output y."""

AVERAGE = "average"
"""One number for the whole release."""


@dataclass(frozen=True)
class MeasureEntry(Catalogued):
    """A measure; `key`: its function in `core.measures`; `kind`: `POINTWISE` or `AVERAGE`."""

    kind: str
    parameters: tuple[str, ...]
    unit: str
    compute: Callable[..., Any]

    def of(self, joint_sy: ArrayLike, alpha: float) -> Any:
        """Return the measure of P(s, y), with the order α if it has one."""
        return self.compute(joint_sy, *((alpha,) if self.parameters else ()))


def _entry(
    kind: str,
    compute: Callable[..., Any],
    title: str,
    meaning: str,
    formula: str,
    source: str,
    parameters: tuple[str, ...] = (),
    unit: str = "nats",
) -> MeasureEntry:
    key = compute.__name__
    return MeasureEntry(key, title, meaning, formula, source, kind, parameters, unit, compute)


pointwise, average = partial(_entry, POINTWISE, unit=""), partial(_entry, AVERAGE)
"""Take the function and what an entry says of it; return the entry."""

ENTRIES: tuple[MeasureEntry, ...] = (
    pointwise(
        measures.lift,
        "Lift",
        "The factor by which output y changes the probability of secret s.",
        r"l(s,y) = \frac{P(s \mid y)}{P(s)} = \frac{P(s,y)}{P(s)\,P(y)}",
        "[Lift] eq. 1",
    ),
    pointwise(
        measures.max_lift,
        "Max-lift Λ",
        "The factor for the secret that output y favors most.",
        r"\Lambda(y) = \max_s l(s,y)",
        "[Lift] eq. 2",
    ),
    pointwise(
        measures.min_lift,
        "Min-lift Ψ",
        "The factor for the secret that output y disfavors most.",
        r"\Psi(y) = \min_s l(s,y)",
        "[Lift] eq. 2",
    ),
    pointwise(
        measures.lift_ratio,
        "Lift ratio Γ",
        "The largest ratio of y's probabilities under two secrets.",
        r"\Gamma(y) = \frac{\Lambda(y)}{\Psi(y)} = \max_{s,s'} \frac{P(y \mid s)}{P(y \mid s')}",
        "[Lift] eq. 4",
    ),
    pointwise(
        measures.l1_lift,
        "ℓ1-lift",
        "The mean distance of the lift from 1; half of it is the distance of posterior and prior.",
        r"\sum_s P(s)\,|l(s,y) - 1|",
        "[Lift] eq. 27",
    ),
    pointwise(
        measures.chi2_lift,
        "χ²-lift",
        "The variance of the lift over the prior of the secret.",
        r"\sum_s P(s)\,(l(s,y) - 1)^2",
        "[Lift] eq. 28",
    ),
    pointwise(
        measures.alpha_lift,
        "α-lift",
        "The power mean of order α of the lift; it grows with α up to the max-lift.",
        r"\Bigl(\sum_s P(s)\,l(s,y)^{\alpha}\Bigr)^{1/\alpha}",
        "[Lift] eq. 29, [ALIP] eq. 14",
        ("alpha",),
    ),
    pointwise(
        measures.l1_lift_inverse,
        "ℓ1-lift-inverse",
        "The mean distance of the inverse lift from 1; infinite where y rules a secret out.",
        r"\sum_s P(s)\,\Bigl|\tfrac{1}{l(s,y)} - 1\Bigr|",
        "[Lift] eq. 30",
    ),
    pointwise(
        measures.chi2_lift_inverse,
        "χ²-lift-inverse",
        "The mean square distance of the inverse lift from 1; infinite where y rules a secret out.",
        r"\sum_s P(s)\,\Bigl(\tfrac{1}{l(s,y)} - 1\Bigr)^2",
        "[Lift] eq. 31",
    ),
    pointwise(
        measures.alpha_lift_inverse,
        "α-lift-inverse",
        "The power mean of order α of the inverse lift; it grows with α up to 1/Ψ.",
        r"\Bigl(\sum_s P(s)\,l(s,y)^{-\alpha}\Bigr)^{1/\alpha}",
        "[Lift] eq. 32",
        ("alpha",),
    ),
    average(
        measures.mutual_information,
        "Mutual information",
        "How much, on average, Y reduces the uncertainty about the secret.",
        r"I(S;Y) = \sum_{s,y} P(s,y) \log l(s,y)",
        "[Lift] Prop. 1",
    ),
    average(
        measures.total_variation,
        "Total variation",
        "How far the joint is from independence: the largest gap in the probability of an event.",
        r"T(S;Y) = \tfrac12 \sum_{s,y} |P(s,y) - P(s)P(y)|",
        "[Lift] below eq. 27",
        unit="",
    ),
    average(
        measures.chi2_divergence,
        "χ²-divergence",
        "How far the joint is from independence, in mean square.",
        r"\chi^2(S;Y) = \sum_{s,y} P(s)P(y)\,(l(s,y) - 1)^2",
        "[Lift] below eq. 28",
        unit="",
    ),
    average(
        measures.sibson,
        "Sibson mutual information",
        "From Shannon's information (α = 1) to the maximal leakage (α = ∞).",
        (
            r"I^S_\alpha = \frac{\alpha}{\alpha-1} \log \sum_y P(y) "
            r"\Bigl(\sum_s P(s)\,l(s,y)^{\alpha}\Bigr)^{1/\alpha}"
        ),
        "[Lift] below eq. 29, [ALIP] eq. 13",
        ("alpha",),
    ),
    average(
        measures.arimoto,
        "Arimoto mutual information (α-leakage)",
        "How much Y helps an adversary who guesses S, from a soft (α = 1) to a hard guess (α = ∞).",
        (
            r"I^A_\alpha = \frac{\alpha}{\alpha-1} \log "
            r"\frac{\sum_y P(y)\,\lVert P(\cdot \mid y) \rVert_\alpha}{\lVert P_S \rVert_\alpha}"
        ),
        "[ALIP] Def. 3",
        ("alpha",),
    ),
    average(
        measures.maximal_leakage,
        "Maximal leakage",
        "How much, at most, Y raises the chance of guessing any function of the secret.",
        r"\log \sum_y \max_s P(y \mid s)",
        "[ALIP] eq. 17",
    ),
    average(
        measures.guessing_probability,
        "Probability of guessing S",
        "How often the best guess of the secret from Y is right.",
        r"\sum_y \max_s P(s, y)",
        "[ALIP] eq. 16, the ratio to max P(s) of which is Arimoto's information at α = ∞",
        unit="",
    ),
    average(
        measures.gacs_korner,
        "Gács–Körner common information",
        "The entropy of what both S and Y determine.",
        r"H(C), \quad C \text{ the component of } \{(s,y) : P(s,y) > 0\}",
        "[NonStoch] §VI-B",
    ),
)
"""The measures, in the order in which they are shown."""


def entry(key: str) -> MeasureEntry:
    return find(ENTRIES, key, "measure")
