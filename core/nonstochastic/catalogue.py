"""Every non-stochastic measure and algorithm: its meaning, its formula and its source."""

from __future__ import annotations

from dataclasses import dataclass

from core.catalogued import Catalogued, find

MEASURE = "measure"
"""Kind of an entry: a measure of what a release tells or keeps."""

ALGORITHM = "algorithm"
"""Kind of an entry: an algorithm of [NonStoch] that merges symbols."""

BASELINE = "baseline"
"""Kind of an entry: an older algorithm, to compare with."""


@dataclass(frozen=True)
class ClusteringEntry(Catalogued):
    """One measure or algorithm, under its name in `core.nonstochastic` or in `pareto_frontier`."""

    kind: str
    slow_from: int = 0
    sweep_slow_from: int = 0


CATALOGUE: tuple[ClusteringEntry, ...] = (
    ClusteringEntry(
        "hartley",
        "Hartley entropy",
        "How many symbols there are, in bits: the uncertainty before any release.",
        r"H_0(X) = \log_2 |[\![X]\!]|",
        "[NonStoch] §II",
        MEASURE,
    ),
    ClusteringEntry(
        "max_uncertainty_reduction",
        "Greatest uncertainty reduction",
        "How far the most revealing release narrows down the possible secrets.",
        r"L_0(S \to \hat X) = \max_{\hat x} \log_2 \frac{|[\![S]\!]|}{|[\![S|\hat x]\!]|}",
        "[NonStoch] §III-A",
        MEASURE,
    ),
    ClusteringEntry(
        "min_uncertainty_reduction",
        "Least uncertainty reduction",
        "How far every release, even the least revealing one, narrows down the secrets.",
        r"I_0(S; \hat X) = \min_{\hat x} \log_2 \frac{|[\![S]\!]|}{|[\![S|\hat x]\!]|}",
        "[NonStoch] §III-A",
        MEASURE,
    ),
    ClusteringEntry(
        "anonymity",
        "k-anonymity",
        "The smallest number of secrets that a release leaves possible.",
        r"k = \min_{\hat x} |[\![S|\hat x]\!]|",
        "[NonStoch] Def. 2, Lemma 1",
        MEASURE,
    ),
    ClusteringEntry(
        "maximin_information",
        "Maximin information",
        "How many bits of the secret can be known for certain: each connected component of the "
        "confusability graph is a group of secrets that a release identifies.",
        r"I_*(S; \hat X) = \log_2 (\text{number of connected components})",
        "[NonStoch] Def. 1, Lemma 2",
        MEASURE,
    ),
    ClusteringEntry(
        "worst_case_resolution",
        "Worst-case resolution",
        "How far even the coarsest release narrows down X.",
        r"I_0(X; \hat X) = \min_{\hat x} \log_2 \frac{|[\![X]\!]|}{|\hat x|}",
        "[NonStoch] §V-A",
        MEASURE,
    ),
    ClusteringEntry(
        "max_distortion",
        "Largest distortion",
        "The largest distance of a symbol from the codeword of its cluster.",
        r"\max_{x} d(x, \hat x(x))",
        "[NonStoch] §V-A1",
        MEASURE,
    ),
    ClusteringEntry(
        "anonymity",
        "Algorithm 1: merge for anonymity",
        "Merges the symbols that leave the fewest secrets possible with those that cost least, "
        "until the privacy gained no longer outweighs the utility lost.",
        r"\min_{\hat X} \; L_0(S \to \hat X) - \lambda \, U(X; \hat X)",
        "[NonStoch] problem (3), Algorithm 1",
        ALGORITHM,
        slow_from=400,
        sweep_slow_from=400,
    ),
    ClusteringEntry(
        "maximin",
        "Algorithm 2: merge for indistinguishability",
        "Merges symbols of different components, cheapest first, so less of the secret can be "
        "known for certain.",
        r"\min_{\hat X} \; I_*(S; \hat X) - \lambda \, U(X; \hat X)",
        "[NonStoch] problem (5), Algorithm 2",
        ALGORITHM,
        slow_from=300,
        sweep_slow_from=300,
    ),
    ClusteringEntry(
        "reduction",
        "Indistinguishability first",
        "Merges until nothing about the secret can be known for certain, keeping the uncertainty "
        "reduction small. It stops there, even if further merging would pay off.",
        r"\min_{\hat X} \; L_0(S \to \hat X) - \lambda \, U(X; \hat X)"
        r" \quad \text{subject to } I_*(S; \hat X) = 0",
        "[NonStoch] problem (10)",
        ALGORITHM,
        slow_from=240,
        sweep_slow_from=60,
    ),
    ClusteringEntry(
        "generalise_and_suppress",
        "Generalization and suppression",
        "Puts all symbols with fewer than k secrets into one cluster, at any cost in utility.",
        r"|[\![S|\hat x]\!]| \ge k \text{ for every } \hat x",
        "[NonStoch] §VII-B, after Sweeney",
        BASELINE,
    ),
    ClusteringEntry(
        "submodular_path",
        "Submodularity-based clustering",
        "Merges whole sets of symbols to lower a stochastic trade-off, here with all occurring "
        "pairs equally likely.",
        r"\min_{\hat X} \; I(S; \hat X) - \lambda \, I(X; \hat X)",
        "[NonStoch] ref. 50: Ding, Sadeghi, ITW 2019",
        BASELINE,
    ),
)
"""All entries, in the order in which they are shown."""


def entry(key: str, kind: str = MEASURE) -> ClusteringEntry:
    return find((item for item in CATALOGUE if item.kind == kind), key, kind)
