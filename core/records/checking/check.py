"""One check of a certificate, and when two figures are equal."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

from core.limits import CLOSE

REWORDED = (
    (r"(?<=\d) %", "%"),
    ("Against whoever sees Y of one record, and", "Against anyone who sees Y of one record and"),
    ("promised against whoever knows", "promised against anyone who knows"),
    ("order of the original: whoever has", "order of the original: anyone who has"),
    ("Whoever knows the values of", "Anyone who knows the values of"),
    ("values: whoever has them from elsewhere", "values: anyone who has them from elsewhere"),
    ("and the counts (say nothing but that|show nothing else)", "and the counts show only that"),
    ("may tell something about them", "may reveal something about them"),
    ("promised of fresh records", "promised about new records"),
    ("promised of repeated releases", "promised about repeated releases"),
    ("No promise was asked of", "No promise was requested of"),
    ("was asked, and this mechanism does not keep it", "was requested, but does not hold"),
    ("Of independent releases", "Among independent releases"),
    ("What (.+) tell of S in other files than this one is", r"What other files with \1 reveal is"),
    ("promised of what (.+) tell of S, alone", r"promised about S given \1, alone"),
    (
        "Not all outputs that the promise allows could be listed, so the search built them one by "
        "one; its bound does not depend on such a list. Listing them ended with:",
        "The outputs that the notion allows could not all be listed, so the search built them one "
        "by one; its bound does not need the list. Listing stopped:",
    ),
    ("Time was over among", "Time ran out while listing"),
    ("Time was over before", "Time ran out before"),
    ("by up to > ×", "by a factor of more than "),
    (r"by up to ×(?=\d)", "by up to a factor of "),
    (
        "promised of a person who has two names there",
        "promised about a person who appears under two names",
    ),
    ("nothing else of the person", "nothing else about the person"),
    ("∞ of its budgets", "∞ times its budgets"),
    (r"person, as (.+?) names them, (is|has)", r"person, identified by \1, \2"),
    ("was drawn by the seed", "was drawn with seed"),
    (
        r"distribution by the sampling weights of (.+?)\. The records themselves, counted once "
        "each, have another:",
        r"distribution weighted by \1. The records counted once each have another distribution:",
    ),
    (
        r"By the sampling weights of (.+?) the records are worth",
        r"With the sampling weights in \1, the records are worth",
    ),
    ("Over the confidence set of so many LDP", "Over the confidence set for that many, LDP"),
    (
        "but how likely this set has the true distribution is not known",
        "but the probability that this set contains the true distribution is unknown",
    ),
    (", and what they weigh together:", ", and their total weight:"),
    (
        r"With confidence (\S+), which is exact for many records only, the records",
        r"With \1 confidence (exact only for many records), the records",
    ),
    (r"With confidence (\S+) the records", r"With \1 confidence, the records"),
    (
        r"(cells?) never seen: answered like a typical member of the secret",
        r"\1 never observed: treated as typical of the secret",
    ),
    ("Generalised randomised response", "Generalized randomized response"),
    ("Optimised unary encoding", "Optimized unary encoding"),
    (
        "the promise holds with no noise at all",
        "the notion holds without noise",
    ),
    ("α = 0 keeps the promise", "α = 0 satisfies the notion"),
    ("break the promise by themselves", "exceed the budget on their own"),
    ("leaks more than asked", "leaks more than allowed"),
    ("each randomized for itself", "each randomized separately"),
    ("([Ss])ecret randomised response", r"\1ecret randomized response"),
    ("Randomised response of", "Randomized response of"),
    ("The vertices found are not proven to be all", "The list of vertices is not proven complete"),
    ("too many to walk", "too many to list"),
    (
        "trying all finds it, with this certificate alone: release again with a seed that is drawn",
        "anyone with this certificate can find it by trial: release again with a seed drawn at "
        "random",
    ),
    (
        r"The ends of the bins of (.+?) are the least and the largest value",
        r"The outer ends of the bins of \1 are the smallest and the largest value",
    ),
    ("Those between of", "The inner ends of"),
    ("filters, those left out later too", "filters, even if left out later"),
    ("Released again with the same key", "In another release with the same key"),
    (
        "values stay the same is answered the same way",
        "values stay the same gets the same output",
    ),
    ("two different answers show", "two different outputs show"),
    ("it is a further release, drawn anew", "its output is drawn anew"),
    (", the levels of every release; that of", "; the level of"),
    (
        r"have values (?:there )?that occur with one value of (.+?) alone\.",
        r"have values that occur with only one value of \1.",
    ),
    ("Every record is alone with its values", "No two records have the same values"),
    ("of the records are alone with theirs", "of the records share their values with no other"),
    (
        r"It keeps (.+?) at the estimate alone: over all that the records leave possible its level",
        r"It satisfies \1 only at the estimate: over all distributions consistent with the "
        "records, its level",
    ),
)
"""Phrases of older certificates, as regular expressions, and how they are written now."""


@dataclass(frozen=True)
class Check:
    """What is checked, whether it holds (None where that is not known), and what was found."""

    name: str
    passed: bool | None
    sentence: str


class WrongError(Exception):
    """What a check finds to be wrong, in a sentence."""


class UncheckedError(Exception):
    """Why a check cannot be made, in a sentence."""


def failing(name: str, error: WrongError | UncheckedError) -> Check:
    """Return the check of this name that ends with an error."""
    return Check(name, False if isinstance(error, WrongError) else None, str(error))


_Given = ParamSpec("_Given")


def check_named(name: str) -> Callable[[Callable[_Given, str]], Callable[_Given, Check]]:
    """Make a check of a function that returns what holds, or raises one of the two errors."""

    def made(function: Callable[_Given, str]) -> Callable[_Given, Check]:
        @wraps(function)
        def checked(*args: _Given.args, **more: _Given.kwargs) -> Check:
            try:
                return Check(name, True, function(*args, **more))
            except (WrongError, UncheckedError) as error:
                return failing(name, error)

        return checked

    return made


def reworded(value: Any) -> Any:
    """Return a value whose texts have the words that certificates have now, to compare them."""
    if isinstance(value, dict):
        return {key: reworded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [reworded(entry) for entry in value]
    if isinstance(value, str):
        for old, new in REWORDED:
            value = re.sub(old, new, value)
    return value


def close(figure: float | None, stated: Any) -> bool:
    """Say whether a figure is what a certificate says."""
    if figure is None or stated is None:
        return figure is None and stated is None
    if (isinstance(stated, bool) or not isinstance(stated, int | float)) and stated != "inf":
        return False
    value = math.inf if stated == "inf" else float(stated)
    if math.isinf(figure) or math.isinf(value):
        return figure == value
    return abs(figure - value) <= CLOSE * max(1.0, abs(figure), abs(value))
