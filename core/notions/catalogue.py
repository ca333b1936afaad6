"""Every notion by key: what it asks, in words and as a formula, and how to make one."""

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions.base import Notion
from core.notions.budgets import split
from core.notions.guessing import PointwiseMaximalLeakage
from core.notions.ldp import LDP
from core.notions.lift_norms import AlphaLift, Chi2Privacy, L1Privacy
from core.notions.lip import ALIP, LIP
from core.notions.numbers import Numbers
from core.notions.rldp import RLDP
from core.notions.srlip import SRLIP
from core.validation import shown


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
        Which of the numbers have an effect, by name as in `Numbers`.
    kind : type
        Class of the notion.
    make : callable
        Takes the joint and the numbers; returns the notion.
    code : callable
        Takes the numbers; returns the notion as a call, with the joint as `joint`.
    """

    key: str
    title: str
    meaning: str
    formula: str
    source: str
    parameters: tuple[str, ...]
    kind: type[Notion]
    make: Callable[[Joint, Numbers], Notion]
    code: Callable[[Numbers], str]


def _of_numbers(
    key: str,
    title: str,
    meaning: str,
    formula: str,
    source: str,
    parameters: tuple[str, ...],
    kind: type[Notion],
    make: Callable[[Numbers], Notion],
) -> Entry:
    """Return the entry of a notion that is the same for every joint."""
    return Entry(
        key=key,
        title=title,
        meaning=meaning,
        formula=formula,
        source=source,
        parameters=parameters,
        kind=kind,
        make=lambda _joint, numbers: make(numbers),
        code=lambda numbers: repr(make(numbers)),
    )


def _robust_code(numbers: Numbers) -> str:
    asked = f"n={numbers.n!r}, beta={numbers.beta!r}, alpha={numbers.alpha!r}"
    return f"RLDP.of_joint(joint, eps={numbers.eps!r}, {asked})"


ENTRIES: tuple[Entry, ...] = (
    _of_numbers(
        key="lip",
        title="LIP",
        meaning="No output makes any secret more than e^ε times likelier or less likely.",
        formula=r"e^{-\varepsilon} \le \Psi(y), \quad \Lambda(y) \le e^{\varepsilon}",
        source="[Lift] Def. 1, [Funnel] Def. 2",
        parameters=("eps",),
        kind=LIP,
        make=lambda numbers: LIP(numbers.eps),
    ),
    _of_numbers(
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
        kind=ALIP,
        make=lambda numbers: ALIP.from_lambda(numbers.eps, numbers.lam),
    ),
    _of_numbers(
        key="ldp",
        title="LDP",
        meaning="No output is more than e^ε times likelier under one secret than under another.",
        formula=r"\Gamma(y) = \max_{s, s'} \frac{P(y \mid s)}{P(y \mid s')} \le e^{\varepsilon}",
        source="[Lift] Def. 2, [Funnel] Def. 1",
        parameters=("eps",),
        kind=LDP,
        make=lambda numbers: LDP(numbers.eps),
    ),
    _of_numbers(
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
        kind=L1Privacy,
        make=lambda numbers: L1Privacy(*split(numbers.eps, numbers.lam)),
    ),
    _of_numbers(
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
        kind=Chi2Privacy,
        make=lambda numbers: Chi2Privacy(*split(numbers.eps, numbers.lam)),
    ),
    _of_numbers(
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
        kind=AlphaLift,
        make=lambda numbers: AlphaLift(*split(numbers.eps, numbers.lam), numbers.alpha),
    ),
    _of_numbers(
        key="pml",
        title="Pointwise maximal leakage",
        meaning="No output makes any guess about the secret more than e^ε times likelier right.",
        formula=r"\log \Lambda(y) \le \varepsilon",
        source="Saeidian et al. 2023, cited in [RLDP] as 34; the upper half of [Lift] eq. 5",
        parameters=("eps",),
        kind=PointwiseMaximalLeakage,
        make=lambda numbers: PointwiseMaximalLeakage(numbers.eps),
    ),
    _of_numbers(
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
        kind=SRLIP,
        make=lambda numbers: SRLIP(numbers.eps),
    ),
    Entry(
        key="rldp",
        title="RLDP",
        meaning=(
            "LDP for every distribution that the records leave possible, not for the estimated "
            "one alone. S is released together with the rest, X = (S, U)."
        ),
        formula=(
            r"P(y \mid s_1) \le e^{\varepsilon} P(y \mid s_2) \quad \text{for all } P \in F,\ y,\ "
            r"s_1 \ne s_2, \qquad F = \{P : D_\alpha(\hat P \Vert P) \le B(n, \beta)\}"
        ),
        source="[RLDP] Def. 1, eq. 9",
        parameters=("eps", "alpha", "beta", "n"),
        kind=RLDP,
        make=lambda joint, numbers: RLDP.of_joint(
            joint, numbers.eps, numbers.n, numbers.beta, numbers.alpha
        ),
        code=_robust_code,
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
    raise InvalidInputError(f"notion must be one of {known}, got {shown(key)}.")


def build(key: str, joint: Joint, numbers: Numbers) -> Notion:
    """Return the notion with these numbers; those that it does not use are ignored.

    Parameters
    ----------
    key : str
        One of the catalogue's keys.
    joint : Joint
        P(s, x): what a notion that is about an estimate takes for it.
    numbers : Numbers
        Its budgets and the rest.

    Raises
    ------
    InvalidInputError
        If the key is unknown, a number that is used is outside its domain, or the notion is not
        about such joints.

    Examples
    --------
    >>> joint = Joint.from_counts([[3, 1], [1, 3]])
    >>> str(build("alip", joint, Numbers(eps=2.0, lam=0.75)))
    '(1.5, 0.5)-ALIP'
    """
    return entry(key).make(joint, numbers)
