"""Every mechanism by key: its meaning, its source, the notions it works under, how to make it."""

from collections.abc import Mapping

from core.catalogued import found
from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms.entry import MechanismEntry
from core.mechanisms.heuristics import HEURISTICS
from core.mechanisms.optima.entries import (
    NON_ROBUST,
    OPTIMAL,
    OPTIMAL_READING_SECRET,
    POLYOPT,
    ROBUST_OPTIMAL,
)
from core.mechanisms.options import DEFAULTS, Options
from core.mechanisms.result import Mechanism, valued
from core.notions import Notion

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
    return found(CATALOGUE.values(), key, "mechanism")


def build(key: str, joint: Joint, notion: Notion, options: Options = DEFAULTS) -> Mechanism:
    """Return the mechanism of a key; one that depends on no notion ignores it."""
    check_fit(key, notion)
    chosen = entry(key)
    made = chosen.make(joint, notion, options)
    return made if options.purpose is None else valued(joint, made, options.purpose)


def check_fit(key: str, notion: Notion) -> None:
    chosen = entry(key)
    if not chosen.works_under(notion):
        raise InvalidInputError(
            f"{chosen.title} does not work under {notion.name}; choose another mechanism."
        )
