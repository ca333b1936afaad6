"""Numbers as they are shown: nats or bits, ∞, shares."""

import math

NATS_PER_BIT = math.log(2)


def in_unit(nats: float, unit: str) -> float:
    """Return a quantity in the unit shown."""
    return nats / NATS_PER_BIT if unit == "bits" else nats


def level(nats: float, unit: str, digits: int = 3) -> str:
    """Write a quantity of information or a privacy level.

    Examples
    --------
    >>> level(0.5, "nats"), level(float("inf"), "bits"), level(0.0, "nats")
    ('0.500', '∞', '0.000')
    """
    if math.isinf(nats):
        return "∞" if nats > 0 else "−∞"
    return f"{in_unit(nats, unit):.{digits}f}".replace("-", "−")


def share(value: float) -> str:
    """Write a share of 1.

    Examples
    --------
    >>> share(0.7812)
    '78.1 %'
    """
    return f"{value:.1%}".replace("%", " %")
