"""Verdicts on published values, computed from the numbers: a verdict is never typed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scipy import stats

from core.errors import InvalidInputError
from core.limits import CLOSE, ROUNDING
from core.validation import one_of

Rule = Literal["NUM", "ORD", "EXT", "ERR", "NO"]
"""How a verdict is reached; `RULES` says it in words."""

Outcome = Literal[
    "reproduced", "differs", "error in the paper", "cannot be checked", "cannot be decided"
]

Relation = Literal["is", "at most", "at least"]
"""How the paper states a number: as a value, or as a bound in all cases."""

RULES: dict[Rule, str] = {
    "NUM": (
        "Ours is within half a unit of the published value's last digit plus four standard errors."
    ),
    "ORD": "The mean of the paired differences exceeds three standard errors at every point. "
    "Where the paper says “at least”, equal means also pass, if no draw contradicts them. "
    "The verdict is “differs” where a mean is four standard errors on the other side, or "
    "exactly 0. Between the two it cannot be decided: with this many points, some are that "
    "far off by chance. It cannot be decided either where the claim concerns a figure and "
    "the contradiction is smaller than the figure can show.",
    "EXT": "The extremes of our samples are, on average, within 25% and two standard deviations "
    "of the published ones.",
    "ERR": "It is an error in the paper if exactly one of a named variant and the correct formula "
    "gives the published value, or if one case breaks a claim about all cases. It is "
    "reproduced if both give the value, and differs otherwise.",
    "NO": "The paper does not give enough detail to check it.",
}
"""Each rule as a sentence."""

ERRORS = 4.0
"""Standard errors by which a mean may be off, beside half a published unit."""

SEPARATION = 3.0
"""Standard errors by which a paired difference must be above 0."""

DEVIATIONS = 2.0
"""Standard deviations of extremes from sample to sample by which ours may be off."""


@dataclass(frozen=True)
class Value:
    """A number in the paper next to ours.

    - `ours`: under "ORD" the mean paired difference of what the paper says is larger and smaller.
    - `error`: standard error of ours; under "EXT" the standard deviation of a sample's extreme.
    - `unit`: one unit of the published value's last digit, or the precision of a figure; under
      "ORD" 0 where the claim concerns more than a figure's lines.
    - `drawn`: whether the paper's value is a mean over random draws, with an error like ours.
    - `relation`: under "ORD" "at least" lets equal means pass; under "EXT" it is a range's end.
    - `variant`: under "ERR" what the wrong variant gives: the paper's number if it is wrong, or
      what a wrong published rule gives, which is not the paper's own number.
    - `draws`: number of draws where ours is the share of a few, so chance is binomial; else 0.
    """

    name: str
    ours: float
    printed: float | None = None
    error: float = 0.0
    unit: float = 0.0
    drawn: bool = False
    relation: Relation = "is"
    variant: float | None = None
    variant_error: float = 0.0
    draws: int = 0

    def __post_init__(self) -> None:
        one_of(self.relation, get_args(Relation), f"{self.name}: the relation")
        for what in ("error", "unit", "variant_error"):
            if (width := getattr(self, what)) < 0 or math.isinf(width):
                raise InvalidInputError(
                    f"{self.name}: {what} must be finite and at least 0, got {width}."
                )
        if self.draws < 0 or (self.draws and self.printed is None):
            raise InvalidInputError(f"{self.name}: draws need a published share, got {self.draws}.")

    def near(self, number: float, error: float) -> bool:
        """Say whether a number is the published one, up to its rounding and both errors."""
        if self.printed is None or math.isnan(number):
            return False
        if math.isinf(number) or math.isinf(self.printed):
            return number == self.printed
        allowed = self.unit / 2 + ERRORS * error * (math.sqrt(2) if self.drawn else 1.0)
        return abs(number - self.printed) <= allowed + ROUNDING

    def by_chance(self) -> float:
        """Return the probability of a count of `draws` at least as far from the published share."""
        count = round(self.ours * self.draws)
        printed = self.printed
        if printed is None or not 0 <= printed <= 1:  # no distribution has such a share
            return 0.0
        more = float(stats.binom.sf(count - 1, self.draws, printed))
        fewer = float(stats.binom.cdf(count, self.draws, printed))
        if self.relation == "is":
            return min(1.0, 2 * min(more, fewer))
        return more if self.relation == "at most" else fewer


def outcome(rule: Rule, values: Sequence[Value], few: int = 0) -> Outcome:
    one_of(rule, RULES, "A verdict's rule")
    if (rule == "NO") == bool(values):
        has, needs = ("values", "none") if values else ("no values", "some")
        raise InvalidInputError(f"A verdict by {rule} has {has}, and must have {needs}.")
    if rule == "NO":
        return "cannot be checked"
    broken = failing(rule, values)
    if (few or rule == "ORD") and left_open(rule, values, few):
        return "cannot be decided"
    if rule != "ERR":
        return "differs" if broken else "reproduced"
    if all(_both_agree(value) for value in values):
        return "reproduced"
    return "differs" if broken else "error in the paper"


def left_open(rule: Rule, values: Sequence[Value], few: int) -> tuple[Value, ...]:
    """Return the values on which few draws leave a verdict open; none where they decide it.

    Under "ERR" the paper is wrong only if ours, or the variant, is off by more than a few draws are
    by chance; where both agree with the paper within errors, the verdict is silent.
    """
    broken = failing(rule, values)
    if broken or rule != "ERR":
        return broken if all(undecided(rule, value, few) for value in broken) else ()
    apart = tuple(value for value in values if not _both_agree(value))
    if apart:
        return apart if all(undecided(rule, value, few) for value in apart) else ()
    return tuple(
        value
        for value in values
        if value.variant is not None and value.error + value.variant_error > 0
    )


def failing(rule: Rule, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values that do not bear out what the rule asks; under "ERR" the unexplained."""
    bears_out = {"NUM": _agrees, "ORD": _ordered, "EXT": _extreme, "ERR": _wrong}
    return tuple(value for value in values if rule != "NO" and not bears_out[rule](value))


def undecided(rule: Rule, value: Value, few: int) -> bool:
    """Return whether so few draws show neither what the paper says of a value nor the contrary.

    A difference must exceed as many standard errors as chance exceeds no oftener than the 3 or 4 of
    many draws, by Student's t for few; extremes are of samples as large as the paper's, and a share
    is binomial. Where no draw tells two means apart, few draws do not show that they are
    equal. An order of a figure's lines is not contradicted by less than can be read off the figure.
    """
    if not (math.isfinite(value.ours) and math.isfinite(value.error)):
        return False
    if rule == "ORD" and value.unit > 0 and value.ours >= -value.unit:
        return True
    if rule == "ORD" and few == 0:
        return value.error > 0 and value.ours >= -ERRORS * value.error
    if few < 2:
        return False
    if rule == "ORD":
        return value.ours >= -max(_many(SEPARATION, few) * value.error, CLOSE)
    if rule == "EXT":
        return _extreme(value, _many(DEVIATIONS, few))
    if rule not in ("NUM", "ERR"):
        return False
    if value.draws:
        return value.by_chance() >= float(stats.norm.sf(ERRORS))
    more = _many(ERRORS, few) / ERRORS
    if value.error > 0 and not _agrees(value) and value.near(value.ours, more * value.error):
        return True
    return (
        value.variant is not None
        and value.variant_error > 0
        and not _variant_agrees(value)
        and value.near(value.variant, more * value.variant_error)
    )


def _many(errors: float, draws: int) -> float:
    """Return how many standard errors of a few draws are as improbable as some of many."""
    return float(stats.t.isf(stats.norm.sf(errors), draws - 1))


def explained(rule: Rule, values: Sequence[Value], few: int = 0) -> str:
    """Return why the verdict is what it is, in one sentence; empty where all is reproduced."""
    reached = outcome(rule, values, few)
    if reached in ("reproduced", "cannot be checked"):
        return ""
    broken = failing(rule, values)
    if reached == "cannot be decided":
        of = "samples" if rule == "EXT" else "draws"
        open_ones = left_open(rule, values, few)
        names = _listed([value.name for value in open_ones])
        if rule == "ORD" and all(value.unit > 0 and value.error == 0 for value in open_ones):
            widest = max(value.unit for value in open_ones)
            return f"The contradiction at {names} is smaller than a figure can show ({widest:g})."
        if not few:
            return f"Between −4 and 3 standard errors at {names}, which chance can explain."
        return f"{few} {of} are too few to decide at {names}."
    if rule == "ORD":
        return _order_in_words(broken)
    if broken:
        return "; ".join(_compared(value) for value in broken[:3]) + _more(len(broken) - 3)
    shown = [value for value in values if value.variant is not None or not _agrees(value)]
    return "; ".join(_compared(value) for value in shown[:3]) + _more(len(shown) - 3)


def _order_in_words(broken: Sequence[Value]) -> str:
    """Return where an order does not hold: where it is the other way round, equal or undecided."""
    lower = [
        value.name
        for value in broken
        if value.ours < -SEPARATION * value.error and value.ours < -CLOSE
    ]
    equal = [value.name for value in broken if abs(value.ours) <= CLOSE and value.error <= CLOSE]
    rest = [value.name for value in broken if value.name not in {*lower, *equal}]
    groups = (("Lower", lower), ("At most 3 standard errors higher", rest), ("Equal", equal))
    return " ".join(f"{words} at {_listed(names)}." for words, names in groups if names)


def _agrees(value: Value) -> bool:
    """Return whether ours is what is published, or within the published bound."""
    if math.isnan(value.error):
        return False
    if value.draws:
        # least probability, if the paper is right, that counts as borne out
        return math.isfinite(value.ours) and value.by_chance() >= 0.05
    if value.relation == "is" or value.near(value.ours, value.error):
        return value.near(value.ours, value.error)
    assert value.printed is not None
    return value.ours < value.printed if value.relation == "at most" else value.ours > value.printed


def _ordered(value: Value) -> bool:
    if value.relation == "at least" and abs(value.ours) <= CLOSE and value.error <= CLOSE:
        return True
    return value.ours > SEPARATION * value.error


def _extreme(value: Value, deviations: float = DEVIATIONS) -> bool:
    assert value.printed is not None
    allowed = 0.25 * abs(value.printed) + deviations * value.error
    return abs(value.ours - value.printed) <= allowed


def _wrong(value: Value) -> bool:
    """Return whether a value is shown to be an error of the paper, or agrees with it."""
    if math.isnan(value.ours) or math.isnan(value.error):
        return False  # what could not be computed shows nothing
    if value.variant is None:
        return _agrees(value) or value.relation != "is"
    return _agrees(value) or _variant_agrees(value)


def _both_agree(value: Value) -> bool:
    """Return whether ours is what is published, and so is the variant, if there is one."""
    return _agrees(value) and (value.variant is None or _variant_agrees(value))


def _variant_agrees(value: Value) -> bool:
    return value.variant is not None and value.near(value.variant, value.variant_error)


def published(value: Value, *, bounds: bool = True) -> str:
    """Return what stands after our number: the paper's, and the wrong variant's; else "".

    Without `bounds` a value that the paper's bounds is one that it gives.
    """
    if value.printed is None:
        return ""
    bound = f"{value.relation} " if bounds and value.relation != "is" else ""
    variant = "" if value.variant is None else f"; wrong variant: {written(value.variant)}"
    return f" (paper: {bound}{written(value.printed)}{variant})"


def written(number: float) -> str:
    """Return a number with four digits."""
    return f"{number:.4g}".replace("-", "−")


def _compared(value: Value) -> str:
    """Return one value next to the paper's, as a clause."""
    return f"{value.name}: {written(value.ours)}{published(value)}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _more(count: int) -> str:
    return f"; and {count} more." if count > 0 else "."
