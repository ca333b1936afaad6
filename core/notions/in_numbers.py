"""What a notion guarantees, as a sentence with the factors on screen in place of raw exponents.

Each takes the name of S and the notion's numbers, and returns "" where one factor does not say it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from core.notions.base import split
from core.wording import percent, rounded_up

LARGEST = math.log(1e6)
"""Budget, in nats, above which a factor says less than its exponent."""

KNOWING = "For someone who knows some columns of X, "
POSSIBLE = "For every distribution consistent with the records, "
EXCEPT = "Except for outputs of total probability {delta:g}, "


def sides(secret: str, eps_l: float, eps_u: float) -> str:
    """Say how far beliefs fall and rise; ∞ leaves a side free."""
    if eps_l == eps_u == 0:
        return f"No output changes any belief about {secret}."
    bounds = [
        *([f"more than {_up(eps_u)} times as likely"] if eps_u < math.inf else []),
        *([f"less than {_down(eps_l)} times as likely"] if eps_l < math.inf else []),
    ]
    if not bounds or any(LARGEST < side < math.inf for side in (eps_l, eps_u)):
        return ""
    return f"No output makes any value of {secret} {', or '.join(bounds)}."


def lip(secret: str, eps: float, **_others: float) -> str:
    return sides(secret, eps, eps)


def alip(secret: str, eps: float, lam: float, **_others: float) -> str:
    return sides(secret, *split(eps, lam))


def ldp(secret: str, eps: float, **_others: float) -> str:
    end = f"times as likely under one value of {secret} as under another."
    return _at_most(secret, eps, "No output is", end)


def pml(secret: str, eps: float, **_others: float) -> str:
    start = f"No output makes any guess about {secret}"
    return _at_most(secret, eps, start, "times as likely to be right.")


def guess(secret: str, bound: float) -> str:
    return (
        f"After any output, the best guess of {secret} is right with probability at most "
        f"{percent(bound)}."
    )


def after(start: str, sentence: Callable[..., str]) -> Callable[..., str]:
    """Return a sentence that begins with for whom, or up to what, another one holds."""

    def whole(secret: str, **numbers: float) -> str:
        text = sentence(secret, **numbers)
        return text and f"{start.format(**numbers)}{text[0].lower()}{text[1:]}"

    return whole


def _at_most(secret: str, eps: float, start: str, end: str) -> str:
    if eps == 0:
        return f"No output depends on {secret}."
    return f"{start} more than {_up(eps)} {end}" if eps <= LARGEST else ""


def _up(eps: float) -> str:
    """Write e^ε, rounded up."""
    return rounded_up(math.exp(eps))


def _down(eps: float) -> str:
    """Write e^−ε with three digits, rounded down."""
    factor = math.exp(-eps)
    places = 2 - math.floor(math.log10(factor))
    return f"{math.floor(factor * 10**places + 1e-9) / 10**places:.{places}f}"
