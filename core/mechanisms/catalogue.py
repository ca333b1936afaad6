"""Every mechanism by key: its meaning, its source, the notions it works under, how to make it."""

from collections.abc import Mapping
from dataclasses import replace

from core.catalogued import find
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import MechanismEntry
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.optima.reading_secret import optimal_reading_secret
from core.mechanisms.optima.robust_optimal import non_robust, polyopt, robust_optimal
from core.mechanisms.options import DEFAULTS, SEARCH, SEARCH_CODE, Options
from core.mechanisms.result import Mechanism, valued
from core.mechanisms.robust.entries import at_estimate
from core.notions import RLDP, Average, EpsDelta, Intersection, Notion, PointwiseNotion

_NON_ROBUST = at_estimate(non_robust, over_set=False, search=True)


def _trusting(joint: Joint, notion: Notion, options: Options) -> Mechanism:
    """Return the non-robust optimum, with a note on its largest level over F."""
    mechanism = _NON_ROBUST[1](joint, notion, options)
    worst = notion.achieved(joint, mechanism.kernel)
    level = "∞" if worst == float("inf") else f"{worst:.3g}"
    note = (
        f"It satisfies {mechanism.notion} only at the estimate: over all distributions consistent "
        f"with the records, its level reaches {level} nats."
    )
    return replace(mechanism, notes=(*mechanism.notes, note))


OPTIMAL = MechanismEntry(
    "optimal",
    "Optimal",
    "Keeps the most of X under the notion, with a proven upper bound.",
    r"\max_{P(y \mid x)} I(X;Y) \quad \text{subject to the notion}",
    "[Lift] §III-A2, [Funnel] §IV, [RLDP] §5: here one solver for all",
    f"m.optimal(joint, notion, {SEARCH_CODE})",
    lambda joint, notion, options: optimal(
        joint,
        notion,
        utility=options.purpose,
        **options.search,
    ),
    (Notion,),
    needs_convex=True,
    parameters=SEARCH,
    optimum=True,
    monotone=True,
)

OPTIMAL_READING_SECRET = MechanismEntry(
    "optimal_reading_secret",
    "Optimal, reading S",
    "Keeps the most of X under the notion when the release may also read S, with a proven bound. "
    "The party that runs it must hold S.",
    r"\max_{P(y \mid s,x)} I(X;Y) \quad \text{subject to the notion}",
    "the optimum for the task T = X of the pair (S, X); [Funnel] Algorithm 1 reads S by its own "
    "rule",
    f"m.optimal_reading_secret(\n    joint, notion, {SEARCH_CODE}\n)",
    lambda joint, notion, options: optimal_reading_secret(
        joint,
        notion,
        utility=options.purpose,
        **options.search,
    ),
    (PointwiseNotion, Average, EpsDelta, Intersection),
    needs_convex=True,
    parameters=SEARCH,
    reads_secret=True,
    monotone=True,
)

ROBUST_OPTIMAL = MechanismEntry(
    "robust_optimal",
    "Robust optimum",
    "Keeps the most of X under robust LDP for the uncertainty set itself, found by cutting "
    "planes, with an upper bound.",
    r"\max_{P(y \mid s,u)} I(X;Y) \quad \text{subject to RLDP for all } P \in F",
    "the open question of [RLDP] §9",
    *at_estimate(robust_optimal, search=True),
    (RLDP,),
    parameters=SEARCH,
    optimum=True,
    monotone=True,
)

POLYOPT = MechanismEntry(
    "polyopt",
    "PolyOpt",
    "The best mechanism that is robust for a polytope around the distributions possible given "
    "each secret: simpler than the robust optimum, and stricter than necessary.",
    r"\max I(X;Y) \text{ subject to RLDP for all } P_{U|s} \in D_s = \{R : R_u \ge L_{u|s}\}",
    "[RLDP] Theorems 2 and 3, without comparing a secret with itself",
    *at_estimate(polyopt, search=True),
    (RLDP,),
    parameters=SEARCH,
    optimum=True,
    monotone=True,
)

NON_ROBUST = MechanismEntry(
    "non_robust",
    "Non-robust optimum",
    "Treats the estimate as the truth and optimizes for it: the notion holds only at the estimate.",
    r"\max I(X;Y) \quad \text{subject to LDP at } \hat P",
    "[RLDP] §8, NR",
    _NON_ROBUST[0],
    _trusting,
    (RLDP,),
    parameters=SEARCH,
    optimum=True,
    monotone=True,
)


_AFTER = {
    "subset_merging": (OPTIMAL,),
    "conditional_reporting": (OPTIMAL_READING_SECRET,),
    "srlip_product_optimised": (ROBUST_OPTIMAL, POLYOPT),
    "pair_rr": (NON_ROBUST,),
}
"""Optima, by the mechanism after which they are listed."""

CATALOGUE: Mapping[str, MechanismEntry] = {
    item.key: item for other in HEURISTICS for item in (other, *_AFTER.get(other.key, ()))
}
"""Every mechanism, by key, in the order in which to list them."""


def entry(key: str) -> MechanismEntry:
    return find(CATALOGUE.values(), key, "mechanism")


def build(key: str, joint: Joint, notion: Notion, options: Options = DEFAULTS) -> Mechanism:
    """Return the mechanism of a key; one that depends on no notion ignores it."""
    check_fit(key, notion)
    chosen = entry(key)
    mechanism = chosen.make(joint, notion, options)
    return mechanism if options.purpose is None else valued(joint, mechanism, options.purpose)


def check_fit(key: str, notion: Notion) -> None:
    chosen = entry(key)
    if not chosen.works_under(notion):
        raise InvalidInputError(
            f"{chosen.title} does not work under {notion.name}; choose another mechanism."
        )
