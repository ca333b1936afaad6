"""Every notion by key: its meaning in words and as a formula, and how to make one."""

import numpy as np

from core.catalogued import find
from core.joint import Joint
from core.notions import in_numbers
from core.notions.average import AVERAGES
from core.notions.base import Notion, split
from core.notions.compound import EpsDelta
from core.notions.divergence import PointwiseDivergence
from core.notions.entry import FAMILIES, NotionEntry
from core.notions.guessing import GuessingProbability, PointwiseMaximalLeakage
from core.notions.ldp import LDP, MetricLDP
from core.notions.lift_norms import AlphaLift, Chi2Lift, Chi2Privacy, L1Lift, L1Privacy, MinLift
from core.notions.lip import ALIP, LIP
from core.notions.numbers import Numbers
from core.notions.rldp import RLDP
from core.notions.robust_markov import RobustALIP, RobustLDP, RobustLIP, RobustPML
from core.notions.srlip import SRLIP

__all__ = [
    "ALL",
    "AVERAGES",
    "ENTRIES",
    "EXCEPTIONS",
    "FAMILIES",
    "NotionEntry",
    "Numbers",
    "always_reported",
    "build",
    "entry",
    "of_family",
]

OVER_PARTS = "the polytopes of [RLDP] Theorem 2, for each part of the range of P(s)"
"""Source of robust notions that bound the lift."""

ENTRIES: tuple[NotionEntry, ...] = (
    NotionEntry(
        key="lip",
        title="LIP",
        family="lift",
        meaning="No output makes any secret more than e^ε or less than e^−ε times as likely.",
        formula=r"e^{-\varepsilon} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon}",
        source="[Lift] Def. 1, [Funnel] Def. 2",
        parameters=("eps",),
        kind=LIP,
        always_reported=True,
        sentence=in_numbers.lip,
    ),
    NotionEntry(
        key="alip",
        title="ALIP",
        family="lift",
        meaning=(
            "No output makes any secret more than e^((1−λ)ε) times as likely, or less than "
            "e^(−λε) times."
        ),
        formula=(
            r"e^{-\varepsilon_l} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon_u}, \quad "
            r"\varepsilon_l = \lambda\varepsilon,\ \varepsilon_u = (1-\lambda)\varepsilon"
        ),
        source="[Lift] Def. 3, [ALIP] Def. 1",
        parameters=("eps", "lam"),
        kind=ALIP,
        builder=ALIP.from_lambda,
        sentence=in_numbers.alip,
    ),
    NotionEntry(
        key="ldp",
        title="LDP",
        family="ratio",
        meaning="No output is more than e^ε times as likely under one secret as under another.",
        formula=r"\Gamma(y) = \max_{s, s'} \frac{P(y \mid s)}{P(y \mid s')} \le e^{\varepsilon}",
        source="[Lift] Def. 2, [Funnel] Def. 1",
        parameters=("eps",),
        kind=LDP,
        always_reported=True,
        sentence=in_numbers.ldp,
    ),
    NotionEntry(
        key="metric_ldp",
        title="LDP by distance",
        family="ratio",
        meaning=(
            "No output is more than e^(εd) times as likely under one secret as under another at "
            "distance d: the difference of numbers, or of ranks of levels. Close secrets are "
            "harder to distinguish than distant ones."
        ),
        formula=r"P(y \mid s) \le e^{\varepsilon\, d(s, s')} P(y \mid s')",
        source="Chatzikokolakis, Andrés, Bordenabe and Palamidessi 2013",
        parameters=("eps",),
        kind=MetricLDP,
        of_joint=True,
    ),
    NotionEntry(
        key="l1",
        title="ℓ1-privacy",
        family="distance",
        meaning=(
            "Averaged over the secrets, the lift of any output, and its inverse, stay close to 1 "
            "in absolute value."
        ),
        formula=(
            r"\sum_s P(s)\,|l(s,y)-1| \le e^{\varepsilon_u}-1, \quad "
            r"\sum_s P(s)\,\Bigl|\tfrac{1}{l(s,y)}-1\Bigr| \le e^{\varepsilon_l}-1"
        ),
        source="[Lift] Def. 5 and 6, eq. 27 and 30",
        parameters=("eps", "lam"),
        kind=L1Privacy,
        builder=lambda eps, lam: L1Privacy(*split(eps, lam)),
    ),
    NotionEntry(
        key="chi2",
        title="χ²-privacy",
        family="distance",
        meaning=(
            "Averaged over the secrets, the lift of any output, and its inverse, stay close to 1 "
            "in squared distance."
        ),
        formula=(
            r"\sum_s P(s)\,(l(s,y)-1)^2 \le (e^{\varepsilon_u}-1)^2, \quad "
            r"\sum_s P(s)\,\Bigl(\tfrac{1}{l(s,y)}-1\Bigr)^2 \le (e^{\varepsilon_l}-1)^2"
        ),
        source="[Lift] Def. 5 and 6, eq. 28 and 31",
        parameters=("eps", "lam"),
        kind=Chi2Privacy,
        builder=lambda eps, lam: Chi2Privacy(*split(eps, lam)),
    ),
    NotionEntry(
        key="alpha",
        title="α-lift-privacy",
        family="distance",
        meaning=(
            "The power mean of order α of an output's lifts, and of their inverses, is bounded: "
            "an average for small α, ALIP for α = ∞."
        ),
        formula=(
            r"\Bigl(\sum_s P(s)\,l(s,y)^{\alpha}\Bigr)^{1/\alpha} \le e^{\varepsilon_u}, \quad "
            r"\Bigl(\sum_s P(s)\,l(s,y)^{-\alpha}\Bigr)^{1/\alpha} \le e^{\varepsilon_l}"
        ),
        source="[Lift] Def. 5 and 6, eq. 29 and 32",
        parameters=("eps", "lam", "alpha"),
        kind=AlphaLift,
        builder=lambda eps, lam, alpha: AlphaLift(*split(eps, lam), alpha),
    ),
    NotionEntry(
        key="pml",
        title="Pointwise maximal leakage",
        family="guess",
        meaning=(
            "No output makes any guess about the secret more than e^ε times as likely to be right."
        ),
        formula=r"\log \Lambda(y) \le \varepsilon",
        source="Saeidian et al. 2023, cited in [RLDP] as 34; the upper half of [Lift] eq. 5",
        parameters=("eps",),
        kind=PointwiseMaximalLeakage,
        level_title="Max-lift (PML)",
        sentence=in_numbers.pml,
    ),
    NotionEntry(
        key="srlip",
        title="SRLIP",
        family="side_channels",
        meaning=(
            "LIP even for someone who already knows some of X's columns: no output makes any "
            "secret more than e^ε times as likely to them, or less than e^−ε times. With one "
            "column it equals LIP."
        ),
        formula=(
            r"e^{-\varepsilon} \le \frac{P(y \mid s, x^J)}{P(y \mid x^J)} \le e^{\varepsilon} "
            r"\quad \text{for every } J \subsetneq \{1, \dots, m\} \text{ and } x^J"
        ),
        source="[Funnel] Def. 3",
        parameters=("eps",),
        kind=SRLIP,
        sentence=in_numbers.after(in_numbers.KNOWING, in_numbers.lip),
    ),
    NotionEntry(
        key="rldp",
        title="RLDP",
        family="robust",
        meaning=(
            "Robust local differential privacy: LDP for every distribution consistent with the "
            "records, not only the estimated one. S is released together with the rest, X = (S, U)."
        ),
        formula=(
            r"P(y \mid s_1) \le e^{\varepsilon} P(y \mid s_2) \quad \text{for all } P \in F,\ y,\ "
            r"s_1 \ne s_2, \qquad F = \{P : D_\alpha(\hat P \Vert P) \le B(n, \beta)\}"
        ),
        source="[RLDP] Def. 1, eq. 9",
        parameters=("eps", "alpha", "beta", "n"),
        kind=RLDP,
        of_joint=True,
        sentence=in_numbers.after(in_numbers.POSSIBLE, in_numbers.ldp),
        level_title="RLDP for X = (S, U)",
    ),
    NotionEntry(
        key="sides",
        title="ALIP, separate budgets",
        family="lift",
        meaning=(
            "No output makes any secret more than e^(εᵤ) times as likely, or less than e^(−εₗ) "
            "times; ∞ leaves a side unbounded."
        ),
        formula=r"e^{-\varepsilon_l} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon_u}",
        source="[Lift] Def. 3, [ALIP] Def. 1",
        parameters=("eps_l", "eps_u"),
        kind=ALIP,
        sides=("min_lift", "pml"),
        sentence=in_numbers.sides,
    ),
    NotionEntry(
        key="min_lift",
        title="Min-lift",
        family="lift",
        meaning="No output makes any secret less than e^−ε times as likely.",
        formula=r"e^{-\varepsilon} \le \Psi(y)",
        source="the lower half of [Lift] Def. 3",
        parameters=("eps",),
        kind=MinLift,
        sentence=lambda secret, eps: in_numbers.sides(secret, eps, np.inf),
    ),
    NotionEntry(
        key="l1_upper",
        title="ℓ1-lift",
        family="distance",
        meaning="Averaged over the secrets, the lift of any output stays close to 1.",
        formula=r"\sum_s P(s)\,|l(s,y)-1| \le e^{\varepsilon}-1",
        source="[Lift] eq. 27",
        parameters=("eps",),
        kind=L1Lift,
    ),
    NotionEntry(
        key="chi2_upper",
        title="χ²-lift",
        family="distance",
        meaning=(
            "Averaged over the secrets, the lift of any output stays close to 1 in squared "
            "distance."
        ),
        formula=r"\sum_s P(s)\,(l(s,y)-1)^2 \le (e^{\varepsilon}-1)^2",
        source="[Lift] eq. 28",
        parameters=("eps",),
        kind=Chi2Lift,
    ),
    NotionEntry(
        key="kl",
        title="KL-privacy",
        family="distance",
        meaning="No output reveals more than ε nats about the secret.",
        formula=r"D(P_{S \mid Y=y} \Vert P_S) \le \varepsilon",
        source="I(S;Y) of [Funnel] Problem 1, for every output",
        parameters=("eps",),
        kind=PointwiseDivergence,
    ),
    NotionEntry(
        key="guess",
        title="Guessing bound",
        family="guess",
        meaning="After any output, the best guess of S is right with probability at most c.",
        formula=r"\max_s P(s \mid y) \le c",
        source="linear in the posterior, as pointwise maximal leakage is",
        parameters=("bound",),
        kind=GuessingProbability,
        level_title="Best guess of S, from one output",
        in_nats=False,
        sentence=in_numbers.guess,
    ),
    NotionEntry(
        key="robust_ldp",
        title="RLDP for S – X – Y",
        family="robust",
        meaning=(
            "Robust local differential privacy: LDP for every distribution consistent with the "
            "records, for a release that reads X alone."
        ),
        formula=(
            r"P(y \mid s_1) \le e^{\varepsilon} P(y \mid s_2) \quad \text{for all } P_{SX} \in F,\ "
            r"y,\ s_1 \ne s_2, \quad S - X - Y"
        ),
        source="[RLDP] Def. 1, eq. 9, with the same answers for every secret",
        parameters=("eps", "alpha", "beta", "n"),
        kind=RobustLDP,
        of_joint=True,
        sentence=in_numbers.after(in_numbers.POSSIBLE, in_numbers.ldp),
        level_title="RLDP for S – X – Y",
    ),
    NotionEntry(
        key="robust_pml",
        title="Robust PML",
        family="robust",
        meaning=(
            "Pointwise maximal leakage for every distribution consistent with the records, for a "
            "release that reads X alone."
        ),
        formula=(
            r"P(y \mid s) \le e^{\varepsilon} P(y) \quad \text{for all } P_{SX} \in F,\ y,\ s, "
            r"\quad S - X - Y"
        ),
        source=OVER_PARTS,
        parameters=("eps", "alpha", "beta", "n"),
        kind=RobustPML,
        of_joint=True,
        sentence=in_numbers.after(in_numbers.POSSIBLE, in_numbers.pml),
        level_title="Robust PML for S – X – Y",
    ),
    NotionEntry(
        key="robust_lip",
        title="Robust LIP",
        family="robust",
        meaning=(
            "LIP for every distribution consistent with the records, for a release that reads X "
            "alone."
        ),
        formula=(
            r"e^{-\varepsilon} \le \frac{P(y \mid s)}{P(y)} \le e^{\varepsilon} \quad "
            r"\text{for all } P_{SX} \in F,\ y,\ s, \quad S - X - Y"
        ),
        source=OVER_PARTS,
        parameters=("eps", "alpha", "beta", "n"),
        kind=RobustLIP,
        of_joint=True,
        sentence=in_numbers.after(in_numbers.POSSIBLE, in_numbers.lip),
        level_title="Robust LIP for S – X – Y",
    ),
    NotionEntry(
        key="robust_alip",
        title="Robust ALIP",
        family="robust",
        meaning=(
            "ALIP for every distribution consistent with the records, for a release that reads X "
            "alone."
        ),
        formula=(
            r"e^{-\lambda\varepsilon} \le \frac{P(y \mid s)}{P(y)} \le e^{(1-\lambda)\varepsilon} "
            r"\quad \text{for all } P_{SX} \in F,\ y,\ s, \quad S - X - Y"
        ),
        source=OVER_PARTS,
        parameters=("eps", "lam", "alpha", "beta", "n"),
        kind=RobustALIP,
        of_joint=True,
        sentence=in_numbers.after(in_numbers.POSSIBLE, in_numbers.alip),
        level_title="Robust ALIP for S – X – Y",
    ),
)
"""Notions that bound each output, in the order in which they are shown."""

EXCEPTIONS: tuple[NotionEntry, ...] = (
    NotionEntry(
        key="lip_delta",
        title="LIP with exceptions δ",
        family="exceptions",
        meaning=(
            "Except for outputs of total probability δ, no output makes any secret more than e^ε "
            "times as likely, or less than e^−ε times; the exceptions may reveal everything."
        ),
        formula=r"P\bigl(e^{-\varepsilon} \le \Psi(Y),\ \Lambda(Y) \le e^{\varepsilon}\bigr) "
        r"\ge 1 - \delta",
        source="[Lift] Def. 1, with the exceptions of probabilistic (ε, δ)-privacy",
        parameters=("eps", "delta"),
        kind=EpsDelta,
        builder=lambda eps, delta: EpsDelta(LIP(eps), delta),
        sentence=in_numbers.after(in_numbers.EXCEPT, in_numbers.lip),
    ),
    NotionEntry(
        key="ldp_delta",
        title="LDP with exceptions δ",
        family="exceptions",
        meaning=(
            "Except for outputs of total probability δ, no output is more than e^ε times as "
            "likely under one secret as under another; the exceptions may reveal everything. This "
            "is not the standard (ε, δ)-LDP: δ is the probability of the outputs that break the "
            "bound."
        ),
        formula=r"P\bigl(\Gamma(Y) \le e^{\varepsilon}\bigr) \ge 1 - \delta",
        source="[Lift] Def. 2, with the exceptions of probabilistic (ε, δ)-privacy",
        parameters=("eps", "delta"),
        kind=EpsDelta,
        builder=lambda eps, delta: EpsDelta(LDP(eps), delta),
        sentence=in_numbers.after(in_numbers.EXCEPT, in_numbers.ldp),
    ),
    NotionEntry(
        key="pml_delta",
        title="PML with exceptions δ",
        family="exceptions",
        meaning=(
            "Except for outputs of total probability δ, no output makes any guess about the "
            "secret more than e^ε times as likely to be right; the exceptions may reveal "
            "everything."
        ),
        formula=r"P\bigl(\log \Lambda(Y) \le \varepsilon\bigr) \ge 1 - \delta",
        source="Saeidian et al. 2023, cited in [RLDP] as 34",
        parameters=("eps", "delta"),
        kind=EpsDelta,
        builder=lambda eps, delta: EpsDelta(PointwiseMaximalLeakage(eps), delta),
        sentence=in_numbers.after(in_numbers.EXCEPT, in_numbers.pml),
    ),
)
"""Notions that may fail with a small probability."""

ALL = ENTRIES + AVERAGES + EXCEPTIONS
"""Every notion."""


def always_reported() -> tuple[NotionEntry, ...]:
    """Return the notions whose level is shown for every release, in the order of the catalogue."""
    return tuple(entry for entry in ENTRIES if entry.always_reported)


def entry(key: str) -> NotionEntry:
    return find(ALL, key, "notion")


def of_family(key: str) -> tuple[NotionEntry, ...]:
    """Return the notions of a family of `FAMILIES`, in the order in which to show them."""
    return tuple(notion for notion in ALL if notion.family == key)


def build(key: str, joint: Joint, numbers: Numbers) -> Notion:
    return entry(key).make(joint, numbers)
