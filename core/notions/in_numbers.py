"""What a notion promises, as a sentence with the factors on screen in place of raw exponents."""

from __future__ import annotations

import math

from core.notions.base import split
from core.notions.numbers import Numbers
from core.wording import percent, rounded_up

LARGEST = math.log(1e6)
"""Budget, in nats, above which a factor says less than its exponent."""

SIDE_CHANNELS = "For someone who knows some columns of X, "
POSSIBLE = "For every distribution consistent with the records, "


def in_numbers(key: str, numbers: Numbers, secret: str) -> str:
    """Return what a notion promises about a secret; "" where one factor does not say it."""
    if key == "guess":
        return (
            f"After any output, the best guess of {secret} is right with probability at most "
            f"{percent(numbers.bound)}."
        )
    over_records = key == "rldp" or key.startswith("robust_")
    base = "ldp" if key == "rldp" else key.removeprefix("robust_").removesuffix("_delta")
    promise = _sentence(base, numbers, secret)
    if not promise:
        return ""
    start = SIDE_CHANNELS if key == "srlip" else POSSIBLE if over_records else ""
    if key.endswith("_delta"):
        start = f"Except for outputs of total probability {numbers.delta:g}, "
    return f"{start}{promise[0].lower() if start else promise[0]}{promise[1:]}"


def _sentence(base: str, numbers: Numbers, secret: str) -> str:
    """Return the sentence of a notion without exceptions; "" of one that bounds no factor."""
    eps = numbers.eps
    sides = {
        "lip": (eps, eps),
        "srlip": (eps, eps),
        "alip": split(eps, numbers.lam),
        "sides": (numbers.eps_l, numbers.eps_u),
        "min_lift": (eps, math.inf),
    }
    if base in sides:
        return _of_lift(*sides[base], secret)
    if base not in ("ldp", "pml") or eps > LARGEST:
        return ""
    if eps == 0:
        return f"No output depends on {secret}."
    up = _up(eps)
    if base == "pml":
        return (
            f"No output makes any guess about {secret} more than {up} times as likely to be right."
        )
    return (
        f"No output is more than {up} times as likely under one value of {secret} as under another."
    )


def _of_lift(low: float, high: float, secret: str) -> str:
    """Return the sentence of bounds on how far beliefs fall and rise; ∞ leaves a side free."""
    if low == high == 0:
        return f"No output changes any belief about {secret}."
    bounds = [
        *([f"more than {_up(high)} times as likely"] if high < math.inf else []),
        *([f"less than {_down(low)} times as likely"] if low < math.inf else []),
    ]
    if not bounds or any(LARGEST < side < math.inf for side in (low, high)):
        return ""
    return f"No output makes any value of {secret} {', or '.join(bounds)}."


def _up(eps: float) -> str:
    """Write e^ε, rounded up."""
    return rounded_up(math.exp(eps))


def _down(eps: float) -> str:
    """Write e^−ε with three digits, rounded down."""
    factor = math.exp(-eps)
    places = 2 - math.floor(math.log10(factor))
    return f"{math.floor(factor * 10**places + 1e-9) / 10**places:.{places}f}"
