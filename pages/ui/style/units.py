"""Numbers as they are shown: in nats or bits, ∞, percentages."""

import math

from core.scenario import spans
from core.wording import at_most, fixed, percent

UNITS = ("nats", "bits")
"""The units of information and of privacy levels."""

NATS_PER_BIT = math.log(2)


def in_unit(nats: float, unit: str) -> float:
    return nats / NATS_PER_BIT if unit == "bits" else nats


def of_bits(bits: float, unit: str) -> float:
    """Return a quantity given in bits, as measures of ranges are, in the unit shown."""
    return bits if unit == "bits" else bits * NATS_PER_BIT


def to_nats(value: float, unit: str) -> float:
    """Return a quantity in nats, `rounded` to ten places, that is given in the unit shown."""
    return rounded(value * NATS_PER_BIT, 10) if unit == "bits" else value


def rounded(value: float, places: int) -> float:
    """Round to places after the point, and below 0.1 to as many digits: what is not 0 stays so."""
    return float(f"{value:.{places}g}") if abs(value) < 0.1 else round(value, places)


def of_budget(notion: str, unit: str) -> str:
    return unit if spans.in_nats(notion) else "nats"


def exact(nats: float, unit: str) -> str:
    """Write a quantity in the unit shown, with as few digits as `to_nats` needs to read it back."""
    value = in_unit(nats, unit)
    for digits in range(1, 17):
        text = f"{value:.{digits}g}"
        if to_nats(float(text), unit) == nats:
            return text
    return repr(value)


def level(nats: float, unit: str, digits: int = 3) -> str:
    return fixed(in_unit(nats, unit), digits)


def budget(nats: float, unit: str) -> str:
    value = in_unit(nats, unit)
    text = "∞" if math.isinf(value) else f"{value:.4g}"
    return f"{text} {unit.removesuffix('s') if text == '1' else unit}"


def share(value: float) -> str:
    return percent(value, 1)


def most_share(value: float) -> str:
    """Write the most that a share may be: above 99.9% rounded up, with more digits."""
    text = share(value)
    return at_most(value) if text.startswith(">") else text
