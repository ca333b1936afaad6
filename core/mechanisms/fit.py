"""Which mechanisms work under which notions, why one does not, and which replaces it."""

from collections.abc import Mapping, Sequence

from core.mechanisms.catalogue import CATALOGUE
from core.mechanisms.entry import MechanismEntry
from core.notions import Intersection
from core.notions.base import Notion, PointwiseNotion
from core.wording import listed

BEST = ("optimal", "subset_merging")
"""What replaces a mechanism that does not work under a notion: the first of these that does."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "Optimal": (
        "optimal",
        "optimal_reading_secret",
        "robust_optimal",
        "polyopt",
        "non_robust",
    ),
    "Merging symbols": ("watchdog", "watchdog_uniform", "subset_merging"),
    "Randomized answers": (
        "subset_random_response",
        "grr",
        "oue",
        "truncated_geometric",
        "conditional_reporting",
        "srlip_product",
        "srlip_product_optimised",
    ),
    "Robust, closed form": ("independent_reporting", "secret_rr", "pair_rr"),
    "Merging by joint occurrence": ("merge_anonymity", "merge_maximin", "merge_reduction"),
    "Extremes": ("identity", "constant"),
}
"""Keys of the catalogue's mechanisms by family, in the order in which to offer them."""


def families() -> dict[str, tuple[MechanismEntry, ...]]:
    """Return the entries of each family; those of the catalogue that are in none come last."""
    grouped = {
        title: tuple(CATALOGUE[key] for key in keys if key in CATALOGUE)
        for title, keys in FAMILIES.items()
    }
    named = {key for keys in FAMILIES.values() for key in keys}
    others = tuple(entry for key, entry in CATALOGUE.items() if key not in named)
    return grouped | ({"Others": others} if others else {})


OF_A_TASK = (
    "how much a release that reads S reveals about a task T depends on how S and T occur together"
)
"""Why a mechanism that reads S does not work where a task must survive."""


def obstacle(entry: MechanismEntry, kinds: Sequence[type[Notion]], *, of_task: bool = False) -> str:
    """Return the reason why a mechanism does not work under notions; "" where it does."""
    if of_task and entry.reads_secret:
        return OF_A_TASK
    if not entry.uses_notion:
        return ""
    kind = kinds[0] if len(kinds) == 1 else Intersection
    if not issubclass(kind, entry.notions):
        if len(kinds) > 1 and all(issubclass(part, entry.notions) for part in kinds):
            return "it satisfies one notion at a time"
        if PointwiseNotion in entry.notions:
            return "it needs a single notion that bounds each output"
        names = sorted({part.name for part in entry.notions})
        return f"it works only under {listed(names, 'or')}"
    if entry.needs_lift and not (kind.bounds_lift or kind.bounds_ratio):
        return "it needs a single notion that bounds the lift, or the ratio of two lifts"
    if entry.needs_convex and not all(part.convex for part in kinds):
        return "it needs a notion with a convex set of allowed outputs"
    return ""


def successor(key: str, kinds: Sequence[type[Notion]], *, of_task: bool = False) -> str:
    """Return the same mechanism if it works under the notions, else the first that does."""
    able = [
        candidate
        for candidate in (key, *BEST)
        if not obstacle(CATALOGUE[candidate], kinds, of_task=of_task)
    ]
    able += [
        candidate.key
        for candidate in CATALOGUE.values()
        if candidate.uses_notion and not obstacle(candidate, kinds, of_task=of_task)
    ]
    return able[0] if able else key
