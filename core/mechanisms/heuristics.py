"""Catalogue entries of the mechanisms other than optima, which optima start from."""

from core.joint import Joint
from core.mechanisms.entry import MechanismEntry, required
from core.mechanisms.merging.partition import constant, identity
from core.mechanisms.merging.subset_merging import subset_merging, watchdog
from core.mechanisms.options import SEARCH, SEARCH_CODE, Options
from core.mechanisms.products import Split, srlip_product
from core.mechanisms.quantisation import clustering
from core.mechanisms.response.calibrated import (
    conditional_reporting,
    generalized_randomized_response,
    truncated_geometric,
)
from core.mechanisms.response.subset_random_response import subset_random_response
from core.mechanisms.response.unary_encoding import optimized_unary_encoding
from core.mechanisms.result import Mechanism
from core.mechanisms.robust.entries import CLOSED_FORMS
from core.nonstochastic import PROBLEMS
from core.nonstochastic import catalogue as clusterings
from core.notions import SRLIP, MetricLDP, Notion, PointwiseNotion

_LOSS = r"I(X;Y) = H(X) - \sum_{x \in X_H} P(x) \log \frac{P(X_H)}{P(x)}"


def _product(joint: Joint, notion: Notion, split: Split, options: Options) -> Mechanism:
    """Return the product protocol under SRLIP."""
    srlip = required(notion, SRLIP, "The product protocol")
    return srlip_product(joint, srlip.eps, srlip.shape, split, options.time_limit)


def _clustering(problem: str) -> MechanismEntry:
    """Return the entry of the quantization that solves a problem of [NonStoch] §V, by its key."""
    known = clusterings.entry(problem, clusterings.ALGORITHM)
    return MechanismEntry(
        f"merge_{problem}",
        f"Quantization: {known.title[0].lower()}{known.title[1:]}",
        f"{known.meaning} Only which pairs occur together matters, not how often.",
        known.formula,
        known.source,
        f'm.clustering(joint, "{problem}", {{weight!r}}, {{utility!r}}, values)',
        lambda joint, _notion, options: clustering(
            joint, problem, options.weight, options.utility, options.values
        ),
        parameters=("weight", "utility"),
        slow_from=known.slow_from,
        monotone=True,
    )


HEURISTICS = (
    MechanismEntry(
        "identity",
        "Identity",
        "Releases X unchanged.",
        r"P(y \mid x) = 1[y = x]",
        "the upper end of every trade-off",
        "m.identity(joint)",
        lambda joint, _notion, _options: identity(joint),
        instant=True,
        monotone=True,
    ),
    MechanismEntry(
        "constant",
        "Constant",
        "Releases the same output for every X.",
        r"P(y \mid x) = 1",
        "the lower end of every trade-off",
        "m.constant(joint)",
        lambda joint, _notion, _options: constant(joint),
        monotone=True,
    ),
    MechanismEntry(
        "watchdog",
        "Watchdog",
        "Releases symbols within the budget unchanged; merges all others into one.",
        _LOSS,
        "[Lift] §III-A, [ALIP] §III",
        "m.watchdog(joint, notion)",
        lambda joint, notion, _options: watchdog(joint, notion),
        (PointwiseNotion,),
        sweep_slow_from=61,
    ),
    MechanismEntry(
        "watchdog_uniform",
        "Watchdog, uniform",
        "Releases symbols within the budget unchanged; replaces each other symbol by any of them "
        "with equal probability.",
        r"P(y \mid x) = \frac{1}{|X_H|} \quad (x, y \in X_H)",
        "[Lift] §III-A, [ALIP] §III",
        'm.watchdog(joint, notion, merge="uniform")',
        lambda joint, notion, _options: watchdog(joint, notion, "uniform"),
        (PointwiseNotion,),
        sweep_slow_from=61,
    ),
    MechanismEntry(
        "subset_merging",
        "Subset merging",
        "Releases symbols within the budget unchanged; merges the others greedily into the "
        "smallest sets within the budget.",
        r"I(X;Y) = H(X) - \sum_i \sum_{x \in X_i} P(x) \log \frac{P(X_i)}{P(x)}",
        "[Lift] Algorithm 1, corrected",
        "m.subset_merging(joint, notion)",
        lambda joint, notion, options: subset_merging(joint, notion, deadline=options.deadline),
        (PointwiseNotion,),
        sweep_slow_from=61,
        instant=True,
    ),
    MechanismEntry(
        "subset_random_response",
        "Subset random response",
        "Releases symbols within the budget unchanged; within each set of subset merging, "
        "randomizes optimally.",
        r"\max I(X;Y) \text{ within each } X_i \subseteq X_H",
        "[Lift] Algorithm 2, corrected",
        f"m.subset_random_response(\n    joint, notion, {SEARCH_CODE}\n)",
        lambda joint, notion, options: subset_random_response(joint, notion, **options.search),
        (PointwiseNotion,),
        needs_convex=True,
        parameters=SEARCH,
        slow_from=60,
    ),
    MechanismEntry(
        "grr",
        "Generalized randomized response",
        (
            "Releases X unchanged with some probability; otherwise releases any other symbol, all "
            "equally likely."
        ),
        r"P(x \mid x) = \frac{e^{\alpha}}{e^{\alpha} + n_x - 1}",
        "[Funnel] eq. 25–26",
        "m.generalized_randomized_response(joint, notion=notion)",
        lambda joint, notion, _options: generalized_randomized_response(joint, notion=notion),
        (PointwiseNotion,),
        monotone=True,
        sweep_slow_from=61,
    ),
    MechanismEntry(
        "oue",
        "Optimized unary encoding",
        "Releases a random set that contains X half of the time and other symbols rarely.",
        r"P(x' \in Y \mid x) = \begin{cases} \frac12 & x' = x \\ "
        r"\frac{1}{e^{\alpha} + 1} & x' \neq x \end{cases}",
        "[Funnel] eq. 27–29",
        "m.optimized_unary_encoding(joint, notion=notion)",
        lambda joint, notion, _options: optimized_unary_encoding(joint, notion=notion),
        (PointwiseNotion,),
        needs_lift=True,
        slow_from=12,
    ),
    MechanismEntry(
        "truncated_geometric",
        "Truncated geometric noise",
        "Moves X along the order of its symbols by random steps, long ones rarely, stopping at the "
        "ends.",
        r"P(y \mid x) \propto e^{-\alpha |y - x|} \text{ between the ends}",
        "Ghosh, Roughgarden and Sundararajan 2009",
        "m.truncated_geometric(joint, notion)",
        lambda joint, notion, _options: truncated_geometric(
            joint, required(notion, MetricLDP, "Truncated geometric noise")
        ),
        (MetricLDP,),
        monotone=True,
        slow_from=60,
        sweep_slow_from=30,
    ),
    MechanismEntry(
        "conditional_reporting",
        "Conditional reporting",
        "Randomizes S; releases X if S came out right, otherwise a symbol typical of the random "
        "value.",
        r"P(y \mid s) = \frac{(e^{\alpha} - 1) P_{X|S}(y|s) + \sum_{s'} P_{X|S}(y|s')}"
        r"{e^{\alpha} + n_s - 1}",
        "[Funnel] Algorithm 1, Prop. 1",
        "m.conditional_reporting(joint, notion=notion)",
        lambda joint, notion, _options: conditional_reporting(joint, notion=notion),
        (PointwiseNotion,),
        reads_secret=True,
    ),
    MechanismEntry(
        "srlip_product",
        "Attribute by attribute",
        "Releases each column of X separately, all with the same budget, as large as side-channel "
        "resistance allows.",
        r"P(y \mid x) = \prod_j Q^j(y^j \mid x^j), \quad \varepsilon_j = t\varepsilon/m",
        "[Funnel] Theorem 4, corrected",
        "m.srlip_product(joint, notion.eps, notion.shape, time_limit={time_limit!r})",
        lambda joint, notion, options: _product(joint, notion, "even", options),
        (SRLIP,),
        parameters=("time_limit",),
        slow_from=0,
    ),
    MechanismEntry(
        "srlip_product_optimised",
        "Attribute by attribute, best split",
        "Releases each column of X separately, with the largest budgets that side-channel "
        "resistance of the whole allows.",
        r"P(y \mid x) = \prod_j Q^j(y^j \mid x^j)",
        "[Funnel] Theorem 4, corrected; the split of the budget is its open question",
        "m.srlip_product(\n"
        '    joint, notion.eps, notion.shape, split="optimised", time_limit={time_limit!r}\n)',
        lambda joint, notion, options: _product(joint, notion, "optimised", options),
        (SRLIP,),
        parameters=("time_limit",),
        slow_from=0,
    ),
    *CLOSED_FORMS,
    *map(_clustering, PROBLEMS),
)
"""The entries in the order in which to list them; `catalogue` inserts the optima."""
