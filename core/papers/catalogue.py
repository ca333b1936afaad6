"""Every experiment, in the order of the papers."""

from __future__ import annotations

from collections.abc import Iterable

from core.errors import InvalidInputError
from core.papers.experiment import Definition
from core.papers.experiments import (
    alip,
    funnel,
    funnel_reporting,
    lift,
    lift_measures,
    lift_optimal,
    nonstochastic,
    rldp,
    rldp_examples,
)
from core.validation import shown

EXPERIMENTS: tuple[Definition, ...] = (
    Definition(
        "lift_1",
        1,
        "Figure 1",
        "The lift is asymmetric",
        (
            "On random joints, log Ψ rarely falls far, but its lowest values lie much farther "
            "below 0 than log Λ rises above it."
        ),
        lift.ranges,
        1,
    ),
    Definition(
        "lift_2",
        2,
        "Figures 2 and 4",
        "Complete and subset merging under LDP and ALIP",
        "A larger share of the budget for falling beliefs keeps more; subset merging keeps far "
        "more than complete merging, and both stay within the budget.",
        lift.merging,
        6,
    ),
    Definition(
        "lift_3",
        3,
        "Figure 3",
        "Optimal random response",
        "The optimum keeps far more than the watchdog, within the same budgets.",
        lift_optimal.optimum,
        250,
    ),
    Definition(
        "lift_5",
        4,
        "Figure 5",
        "Optimum, subset random response and merging",
        "Subset random response keeps nearly what the optimum keeps, and more than merging.",
        lift_optimal.compared,
        110,
    ),
    Definition(
        "lift_6",
        5,
        "Figure 6",
        "Two hundred symbols",
        "Subset random response and merging still work where no optimum can be computed.",
        lift_optimal.large,
        80,
    ),
    Definition(
        "lift_7",
        6,
        "Figures 7 and 8",
        "ℓ1-, χ²- and α-lift-privacy",
        "Measures that average over secrets relax ALIP: they keep more at the same budgets.",
        lift_measures.relaxations,
        25,
    ),
    Definition(
        "lift_propositions",
        7,
        "Propositions 1, 3 and 5",
        "What ALIP implies for other measures",
        "Under ALIP, the budget for Λ bounds average measures and those of single outputs; the "
        "budget for Ψ bounds the inverse measures.",
        lift_measures.propositions,
        2,
    ),
    Definition(
        "alip_1",
        8,
        "Figure 1",
        "The lift is asymmetric",
        "On random joints, log Ψ falls much farther below 0 than log Λ rises above it.",
        alip.ranges,
        8,
    ),
    Definition(
        "alip_2",
        9,
        "Figure 2",
        "The watchdog along εₗ",
        "Utility rises with the budget for falling beliefs, up to what εᵤ allows.",
        alip.watchdog,
        40,
    ),
    Definition(
        "alip_3",
        10,
        "Figures 3 and 4",
        "A larger share for falling beliefs",
        "Far more draws have any utility at λ = 0.65 than at λ = 0.5.",
        alip.asymmetry,
        10,
    ),
    Definition(
        "rldp_examples",
        11,
        "Examples 1 to 5",
        "Every published number in the examples",
        "The confidence set, its projections, PolyOpt, GRR, SRR and independent reporting for two "
        "secrets and two values of U.",
        rldp_examples.examples,
        3,
    ),
    Definition(
        "rldp_2",
        12,
        "Figure 2",
        "Mechanisms on Adult",
        "PolyOpt outperforms independent reporting and SRR, GRR is the worst, and robustness "
        "costs little compared with the non-robust optimum.",
        rldp.adult,
        430,
    ),
    Definition(
        "rldp_3",
        13,
        "Figures 3 and 5, Table 2",
        "Mechanisms on samples of random truths",
        (
            "The ranking is the same as on Adult, utility at the estimate is close to utility at "
            "the truth, and β matters little."
        ),
        rldp.synthetic,
        1000,
    ),
    Definition(
        "rldp_4",
        14,
        "Figure 4",
        "What designs reveal at the truth",
        "The non-robust optimum reveals more than its budget allows, PolyOpt less.",
        rldp.realised,
        750,
    ),
    Definition(
        "funnel_3",
        15,
        "Figures 3 and 4, Theorem 2",
        "Optimal LIP and LDP protocols",
        ("LIP keeps slightly more than LDP, and LDP slightly more than LIP with half the budget."),
        funnel.optima,
        4,
    ),
    Definition(
        "funnel_5",
        16,
        "Figure 5",
        "Side channels: LIP next to SRLIP",
        "Resistance to side channels costs utility, and products of protocols cost more.",
        funnel.attributes,
        150,
    ),
    Definition(
        "funnel_6",
        17,
        "Figures 6 and 9",
        "Four protocols on Adult",
        "GRR and conditional reporting lie between the optimum and OUE, whose limit is ½H(X).",
        funnel_reporting.adult,
        40,
    ),
    Definition(
        "funnel_7",
        18,
        "Figure 7",
        "GRR and conditional reporting on random joints",
        "The more symbols X has for each secret, the more conditional reporting gains.",
        funnel_reporting.synthetic,
        30,
    ),
    Definition(
        "funnel_8",
        19,
        "Figure 8",
        "The difference in α explains the difference in utility",
        "Over random joints the differences in α and in utility are strongly correlated.",
        funnel_reporting.correlations,
        3,
    ),
    Definition(
        "funnel_theorem4",
        20,
        "Theorem 4",
        "Products of protocols of single attributes",
        "If protocols of single attributes meet the theorem's condition, their product resists "
        "side channels at the sum of their budgets.",
        funnel.theorem_4,
        10,
    ),
    Definition(
        "nonstochastic_8",
        21,
        "Figures 8 and 9",
        "Clustering of the Hungarian heart data",
        "Both algorithms lower their Lagrangian to a local optimum and dominate their rivals.",
        nonstochastic.heart,
        10,
    ),
    Definition(
        "nonstochastic_examples",
        22,
        "Examples 1 to 5",
        "Small ranges worked by hand",
        "Leakages, confusability graphs and solutions of a small joint range.",
        nonstochastic.examples,
        1,
    ),
)
"""The experiments; each number is used once, so that draws do not change with the order."""


def entry(key: str) -> Definition:
    for experiment in EXPERIMENTS:
        if experiment.key == key:
            return experiment
    known = ", ".join(experiment.key for experiment in EXPERIMENTS)
    raise InvalidInputError(f"There is no experiment {shown(key)}; choose one of {known}.")


def chosen(keys: Iterable[str]) -> tuple[Definition, ...]:
    """Return experiments by their keys or their papers' keys, in order; all where none is given."""
    wanted = set(keys)
    papers = {experiment.paper for experiment in EXPERIMENTS}
    for key in sorted(wanted - papers):
        entry(key)
    return tuple(
        experiment
        for experiment in EXPERIMENTS
        if not wanted or experiment.key in wanted or experiment.paper in wanted
    )
