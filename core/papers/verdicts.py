"""Verdicts on printed values, computed from the numbers: a verdict is never typed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scipy import stats

from core.errors import InvalidInputError
from core.limits import ROUNDING
from core.validation import shown

Rule = Literal["NUM", "ORD", "EXT", "ERR", "NO"]
"""How a verdict is reached; `RULES` says it in words."""

Outcome = Literal[
    "reproduced", "differs", "error in print", "cannot be checked", "cannot be decided"
]

Relation = Literal["is", "at most", "at least"]
"""What print says of a number: it is the printed one, or that is a bound in all cases."""

RULES: dict[Rule, str] = {
    "NUM": "Ours is within half a printed unit and four standard errors of the printed value.",
    "ORD": "The mean of the paired differences is above three standard errors at every point; "
    "where print says “at least”, equal means and differences that no draw contradicts pass.",
    "EXT": "The extremes of our samples are on average within 25 % and two standard deviations of "
    "the printed ones.",
    "ERR": "Print is wrong: of a named variant and the right formula only one gives the printed "
    "value, or a case breaks what print says of all cases.",
    "NO": "The paper does not say enough to check it.",
}
"""Each rule as a sentence."""

ERRORS = 4.0
"""Standard errors by which a mean may be off, beside half a printed unit."""

APART = 3.0
"""Standard errors by which a paired difference must be above 0."""

EQUAL = 1e-9
"""Largest difference of two means that are told to be equal."""

EXTREME, DEVIATIONS = 0.25, 2.0
"""Share of a printed extreme, and standard deviations of extremes from sample to sample, by which
ours may be off."""

USUAL = 0.05
"""Least probability, if print is right, of a count of few draws that counts as borne out."""


@dataclass(frozen=True)
class Value:
    """A number of print beside ours.

    Attributes
    ----------
    name : str
        What it is, such as "ε = 2, λ = 0.5".
    ours : float
        What we get; under "ORD" the mean of the paired differences of what print says is larger
        and what it says is smaller.
    printed : float or None
        What is printed; None under "ORD".
    error : float
        Standard error of ours; under "EXT" the standard deviation of a sample's extreme.
    unit : float
        One unit of the printed value's last digit, or by how much a figure can be read.
    drawn : bool
        Whether print is a mean over random draws itself, so that its error is like ours.
    relation : {"is", "at most", "at least"}
        Whether print gives the number, or a bound that it keeps in all cases. Under "ORD" "at
        least" lets equal means pass; under "EXT" it says which end of a range the number is.
    variant : float or None
        Under "ERR": what the wrong variant gives that the verdict names. Where a printed number is
        wrong, the variant gives it; where a printed rule is, the variant is that rule and does not
        give the paper's own number.
    variant_error : float
        Its standard error.
    draws : int
        Number of draws, where ours is the share of a few draws for which something is so, and print
        claims a share: then the binomial distribution says what chance explains. Else 0.

    Raises
    ------
    InvalidInputError
        If the relation is another one, or an error or the unit is negative or infinite: then
        whatever we get would agree with print. If there are draws, and print gives nothing.
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
        if self.relation not in get_args(Relation):
            known = ", ".join(get_args(Relation))
            raise InvalidInputError(
                f"{self.name}: the relation must be one of {known}, got {shown(self.relation)}."
            )
        for what in ("error", "unit", "variant_error"):
            if (width := getattr(self, what)) < 0 or math.isinf(width):
                raise InvalidInputError(
                    f"{self.name}: {what} must be finite and at least 0, got {width}."
                )
        if self.draws < 0 or (self.draws and self.printed is None):
            raise InvalidInputError(f"{self.name}: draws need a printed share, got {self.draws}.")

    def near(self, number: float, error: float) -> bool:
        """Say whether a number is the printed one, up to its rounding and both errors.

        Examples
        --------
        >>> Value("mean", 0.528, 0.52, error=0.001, unit=0.01).near(0.528, 0.001)
        True
        >>> Value("mean", 0.54, 0.52, error=0.001, unit=0.01).near(0.54, 0.001)
        False
        """
        if self.printed is None or math.isnan(number):
            return False
        if math.isinf(number) or math.isinf(self.printed):
            return number == self.printed
        allowed = self.unit / 2 + ERRORS * error * (math.sqrt(2) if self.drawn else 1.0)
        return abs(number - self.printed) <= allowed + ROUNDING

    def by_chance(self) -> float:
        """Return how probable a count of `draws` as far from the printed share as ours is, or more.

        Examples
        --------
        >>> one, two = (Value("above", k / 5, 0.05, relation="at most", draws=5) for k in (1, 2))
        >>> round(one.by_chance(), 4), round(two.by_chance(), 4)
        (0.2262, 0.0226)
        """
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
    """Return the verdict on some values.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    values : sequence of Value
        The values; none under "NO".
    few : int
        Number of draws, where they are fewer than in a full run, else 0. Then what speaks neither
        for print nor against it (see `undecided`) is no difference.

    Raises
    ------
    InvalidInputError
        If there is no such rule, there are values under "NO", or none under another rule.

    Examples
    --------
    >>> outcome("NUM", [Value("NMI", 0.5204, 0.52, error=0.003, unit=0.01, drawn=True)])
    'reproduced'
    >>> outcome("ORD", [Value("ε = 1", 0.05, error=0.02)])
    'differs'
    >>> outcome("ORD", [Value("ε = 1", 0.05, error=0.02)], few=5)
    'cannot be decided'
    >>> outcome("ERR", [Value("NMI", 0.834, 0.70, unit=0.01, variant=0.701)])
    'error in print'
    """
    if rule not in tuple(RULES):
        raise InvalidInputError(f"A verdict's rule must be in {list(RULES)}, got {shown(rule)}.")
    if (rule == "NO") == bool(values):
        has, needs = ("values", "none") if values else ("no values", "some")
        raise InvalidInputError(f"A verdict by {rule} has {has}, and must have {needs}.")
    if rule == "NO":
        return "cannot be checked"
    broken = failing(rule, values)
    if few and left_open(rule, values, few):
        return "cannot be decided"
    if rule != "ERR":
        return "differs" if broken else "reproduced"
    if all(_both_agree(one) for one in values):
        return "reproduced"
    return "differs" if broken else "error in print"


def left_open(rule: Rule, values: Sequence[Value], few: int) -> tuple[Value, ...]:
    """Return the values on which few draws leave a verdict open; none where they decide it.

    Under "ERR" print is wrong only if ours, or the variant, is off by more than few draws are by
    chance; and nothing is said of print where both agree with it within errors.
    """
    broken = failing(rule, values)
    if broken or rule != "ERR":
        return broken if all(undecided(rule, one, few) for one in broken) else ()
    apart = tuple(one for one in values if not _both_agree(one))
    if apart:
        return apart if all(undecided(rule, one, few) for one in apart) else ()
    return tuple(
        one for one in values if one.variant is not None and one.error + one.variant_error > 0
    )


def failing(rule: Rule, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the values that do not bear out what the rule asks; under "ERR" the unexplained."""
    bears_out = {"NUM": _agrees, "ORD": _ordered, "EXT": _extreme, "ERR": _wrong}
    return tuple(one for one in values if rule != "NO" and not bears_out[rule](one))


def undecided(rule: Rule, value: Value, few: int) -> bool:
    """Return whether so few draws show neither what print says of a value nor the contrary.

    A difference is shown by so many standard errors as chance exceeds no oftener than it does the
    3 or 4 of many draws: of few draws, whose standard error is not known well, Student's t says how
    many. Where no draw tells two means apart, no number of draws that is small shows that they are
    equal. Extremes are those of samples as large as print's, so that only the deviation from sample
    to sample is not known well. What chance gives a share of draws is binomial.

    Parameters
    ----------
    rule : str
        Key of `RULES`.
    value : Value
        One that does not bear out what the rule asks.
    few : int
        The number of draws.

    Examples
    --------
    >>> undecided("ORD", Value("ε = 1", -0.05, error=0.01), 5)  # 5 standard errors of 5 draws
    True
    >>> undecided("ORD", Value("ε = 1", -0.05, error=0.01), 50)
    False
    """
    if few < 2 or not (math.isfinite(value.ours) and math.isfinite(value.error)):
        return False
    if rule == "ORD":
        return value.ours >= -max(_many(APART, few) * value.error, EQUAL)
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
    """Return why the verdict is what it is, in one sentence; empty where all is reproduced.

    Examples
    --------
    >>> explained("ORD", [Value("ε = 1", 0.05, error=0.02), Value("ε = 2", 0.9)])
    'Not above 3 standard errors at ε = 1.'
    >>> explained("ORD", [Value("ε = 1", 0.0), Value("ε = 2", -0.5, error=0.01)])
    'Lower at ε = 2. Equal at ε = 1.'
    >>> explained("NUM", [Value("I at P*", 0.3702, 0.2804, unit=0.0001)])
    'I at P*: 0.3702, printed 0.2804.'
    >>> explained("ORD", [Value("ε = 1", 0.05, error=0.02)], few=5)
    '5 draws are too few to tell at ε = 1.'
    """
    reached = outcome(rule, values, few)
    if reached in ("reproduced", "cannot be checked"):
        return ""
    broken = failing(rule, values)
    if reached == "cannot be decided":
        of = "samples" if rule == "EXT" else "draws"
        names = _listed([one.name for one in left_open(rule, values, few)])
        return f"{few} {of} are too few to tell at {names}."
    if rule == "ORD":
        return _order_in_words(broken)
    if broken:
        return "; ".join(_compared(one) for one in broken[:3]) + _more(len(broken) - 3)
    shown = [one for one in values if one.variant is not None or not _agrees(one)]
    return "; ".join(_compared(one) for one in shown[:3]) + _more(len(shown) - 3)


def _order_in_words(broken: Sequence[Value]) -> str:
    """Return where an order does not hold: where it is the other way round, equal or undecided."""
    lower = [one.name for one in broken if one.ours < -APART * one.error and one.ours < -EQUAL]
    equal = [one.name for one in broken if abs(one.ours) <= EQUAL and one.error <= EQUAL]
    rest = [one.name for one in broken if one.name not in {*lower, *equal}]
    told = (("Lower", lower), ("Not above 3 standard errors", rest), ("Equal", equal))
    return " ".join(f"{words} at {_listed(names)}." for words, names in told if names)


def _agrees(value: Value) -> bool:
    """Return whether ours is what is printed, or within the printed bound."""
    if math.isnan(value.error):
        return False
    if value.draws:
        return math.isfinite(value.ours) and value.by_chance() >= USUAL
    if value.relation == "is" or value.near(value.ours, value.error):
        return value.near(value.ours, value.error)
    assert value.printed is not None
    return value.ours < value.printed if value.relation == "at most" else value.ours > value.printed


def _ordered(value: Value) -> bool:
    if value.relation == "at least" and abs(value.ours) <= EQUAL and value.error <= EQUAL:
        return True
    return value.ours > APART * value.error


def _extreme(value: Value, deviations: float = DEVIATIONS) -> bool:
    assert value.printed is not None
    allowed = EXTREME * abs(value.printed) + deviations * value.error
    return abs(value.ours - value.printed) <= allowed


def _wrong(value: Value) -> bool:
    """Return whether a value is shown to be an error of print, or agrees with it."""
    if math.isnan(value.ours) or math.isnan(value.error):
        return False  # what could not be computed shows nothing
    if value.variant is None:
        return _agrees(value) or value.relation != "is"
    return _agrees(value) or _variant_agrees(value)


def _both_agree(value: Value) -> bool:
    """Return whether ours is what is printed, and so is the variant, if there is one."""
    return _agrees(value) and (value.variant is None or _variant_agrees(value))


def _variant_agrees(value: Value) -> bool:
    return value.variant is not None and value.near(value.variant, value.variant_error)


def _compared(value: Value) -> str:
    """Return one value beside print, as a clause."""
    word = "printed" if value.relation == "is" else f"printed {value.relation}"
    told = f"{value.name}: {value.ours:.4g}, {word} {value.printed:.4g}"
    return told if value.variant is None else f"{told}, the wrong variant {value.variant:.4g}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _more(count: int) -> str:
    return f"; and {count} more." if count > 0 else "."
