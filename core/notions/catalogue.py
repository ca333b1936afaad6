"""Every notion by key: what it asks, in words and as a formula, and how to make one."""

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.notions.base import Notion
from core.notions.budgets import split
from core.notions.guessing import PointwiseMaximalLeakage
from core.notions.ldp import LDP
from core.notions.lift_norms import AlphaLift, Chi2Privacy, L1Privacy
from core.notions.lip import ALIP, LIP
from core.notions.srlip import SRLIP


@dataclass(frozen=True)
class Entry:
    """One notion of the catalogue.

    Attributes
    ----------
    key, title : str
        What code and what readers call it.
    meaning : str
        What it promises, in one sentence.
    formula : str
        The same in LaTeX, for every output y.
    source : str
        Paper and place.
    parameters : tuple of str
        Which of eps, lam, alpha have an effect.
    convex : bool
        Whether its optimum is computed with a bound; otherwise only subset merging and the
        watchdog work under it.
    make : callable
        Takes eps, lam, alpha; returns the notion.
    """

    key: str
    title: str
    meaning: str
    formula: str
    source: str
    parameters: tuple[str, ...]
    convex: bool
    make: Callable[[float, float, float], Notion]


ENTRIES: tuple[Entry, ...] = (
    Entry(
        key="lip",
        title="LIP",
        meaning="No output makes any secret more than e^ε times likelier or less likely.",
        formula=r"e^{-\varepsilon} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon}",
        source="[Lift] Def. 1, [Funnel] Def. 2",
        parameters=("eps",),
        convex=True,
        make=lambda eps, _lam, _alpha: LIP(eps),
    ),
    Entry(
        key="alip",
        title="ALIP",
        meaning=(
            "No output makes any secret more than e^((1−λ)ε) times likelier, or more than e^(λε) "
            "times less likely."
        ),
        formula=(
            r"e^{-\varepsilon_l} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon_u}, \quad "
            r"\varepsilon_l = \lambda\varepsilon,\ \varepsilon_u = (1-\lambda)\varepsilon"
        ),
        source="[Lift] Def. 3, [ALIP] Def. 1",
        parameters=("eps", "lam"),
        convex=True,
        make=lambda eps, lam, _alpha: ALIP.from_lambda(eps, lam),
    ),
    Entry(
        key="ldp",
        title="LDP",
        meaning="No output is more than e^ε times likelier under one secret than under another.",
        formula=r"\Gamma(y) = \max_{s, s'} \frac{P(y \mid s)}{P(y \mid s')} \le e^{\varepsilon}",
        source="[Lift] Def. 2, [Funnel] Def. 1",
        parameters=("eps",),
        convex=True,
        make=lambda eps, _lam, _alpha: LDP(eps),
    ),
    Entry(
        key="l1",
        title="ℓ1-privacy",
        meaning=(
            "Averaged over the secrets, the lift of no output, and no inverse of it, is far from "
            "1 in absolute value."
        ),
        formula=(
            r"\sum_s P(s)\,|l(s,y)-1| \le e^{\varepsilon_u}-1, \quad "
            r"\sum_s P(s)\,\Bigl|\tfrac{1}{l(s,y)}-1\Bigr| \le e^{\varepsilon_l}-1"
        ),
        source="[Lift] Def. 5 and 6, eq. 27 and 30",
        parameters=("eps", "lam"),
        convex=False,
        make=lambda eps, lam, _alpha: L1Privacy(*split(eps, lam)),
    ),
    Entry(
        key="chi2",
        title="χ²-privacy",
        meaning=(
            "Averaged over the secrets, the lift of no output, and no inverse of it, is far from "
            "1 in square."
        ),
        formula=(
            r"\sum_s P(s)\,(l(s,y)-1)^2 \le (e^{\varepsilon_u}-1)^2, \quad "
            r"\sum_s P(s)\,\Bigl(\tfrac{1}{l(s,y)}-1\Bigr)^2 \le (e^{\varepsilon_l}-1)^2"
        ),
        source="[Lift] Def. 5 and 6, eq. 28 and 31",
        parameters=("eps", "lam"),
        convex=False,
        make=lambda eps, lam, _alpha: Chi2Privacy(*split(eps, lam)),
    ),
    Entry(
        key="alpha",
        title="α-lift-privacy",
        meaning=(
            "The power mean of order α of the lifts of an output, and of their inverses, is "
            "bounded: an average for small α, ALIP for α = ∞."
        ),
        formula=(
            r"\Bigl(\sum_s P(s)\,l(s,y)^{\alpha}\Bigr)^{1/\alpha} \le e^{\varepsilon_u}, \quad "
            r"\Bigl(\sum_s P(s)\,l(s,y)^{-\alpha}\Bigr)^{1/\alpha} \le e^{\varepsilon_l}"
        ),
        source="[Lift] Def. 5 and 6, eq. 29 and 32",
        parameters=("eps", "lam", "alpha"),
        convex=True,
        make=lambda eps, lam, alpha: AlphaLift(*split(eps, lam), alpha),
    ),
    Entry(
        key="pml",
        title="Pointwise maximal leakage",
        meaning="No output makes any guess about the secret more than e^ε times likelier right.",
        formula=r"\log \Lambda(y) \le \varepsilon",
        source="Saeidian et al. 2023, cited in [RLDP] as 34; the upper half of [Lift] eq. 5",
        parameters=("eps",),
        convex=True,
        make=lambda eps, _lam, _alpha: PointwiseMaximalLeakage(eps),
    ),
    Entry(
        key="srlip",
        title="SRLIP",
        meaning=(
            "LIP even against those who know some of X's columns already: no output makes any "
            "secret more than e^ε times likelier or less likely to them. With one column it is LIP."
        ),
        formula=(
            r"e^{-\varepsilon} \le \frac{P(y \mid s, x^J)}{P(y \mid x^J)} \le e^{\varepsilon} "
            r"\quad \text{for every } J \subsetneq \{1, \dots, m\} \text{ and } x^J"
        ),
        source="[Funnel] Def. 3",
        parameters=("eps",),
        convex=True,
        make=lambda eps, _lam, _alpha: SRLIP(eps),
    ),
)
"""The notions, in the order in which they are shown."""


def entry(key: str) -> Entry:
    """Return the notion's entry.

    Raises
    ------
    InvalidInputError
        If there is no such notion.

    Examples
    --------
    >>> entry("ldp").parameters
    ('eps',)
    """
    for candidate in ENTRIES:
        if candidate.key == key:
            return candidate
    known = ", ".join(candidate.key for candidate in ENTRIES)
    raise InvalidInputError(f"notion must be one of {known}, got {key!r}.")


def build(key: str, eps: float, lam: float, alpha: float) -> Notion:
    """Return the notion with these budgets; parameters that it does not use are ignored.

    Parameters
    ----------
    key : str
        One of the catalogue's keys.
    eps : float
        Budget in nats, in [0, ∞].
    lam : float
        λ in [0, 1]: ε_l = λε, ε_u = (1−λ)ε, where the notion has two budgets.
    alpha : float
        Order in (1, ∞], where the notion has one.

    Raises
    ------
    InvalidInputError
        If the key is unknown or a parameter that is used is outside its domain.

    Examples
    --------
    >>> str(build("alip", 2.0, 0.75, 2.0))
    '(1.5, 0.5)-ALIP'
    """
    return entry(key).make(eps, lam, alpha)
