"""Moves every number of a verdict and tells which of them the verdict does not hear of."""

import math
from dataclasses import replace

FAR = 10.0


def mended(verdict):
    """Return the verdict with numbers that agree with the paper."""
    if verdict.rule == "ORD":
        values = [replace(item, ours=1.0, error=0.0) for item in verdict.values]
    else:
        values = [
            replace(
                item,
                ours=item.printed,
                variant=None if item.variant is None else item.printed,
                error=0.0,
                variant_error=0.0,
            )
            for item in verdict.values
        ]
    return replace(verdict, values=tuple(values))


def turned(verdict):
    """Return which numbers can move far without the verdict's hearing of it; [] is right.

    A verdict on few draws is looked at as one on all of them too.
    """
    result = deaf_to(verdict)
    return result + (deaf_to(replace(verdict, few=0)) if verdict.few else [])


def deaf_to(verdict):
    """Return which numbers can move far without the verdict's hearing of it."""
    whole = mended(verdict)
    deaf = [] if whole.outcome == "reproduced" else ["mended"]
    for place, value in enumerate(whole.values):
        deaf += [
            f"{value.name}: {name}"
            for name, moved in moves(verdict.rule, value)
            if with_one(whole, place, moved).outcome not in heard(verdict)
        ]
    for place, value in enumerate(verdict.values):  # as they were found
        none = [replace(value, ours=math.nan), replace(value, error=math.nan)]
        if any(with_one(verdict, place, item).outcome != "differs" for item in none):
            deaf.append(f"{value.name}: a number that is none")
        left_open = verdict.rule == "ERR" and verdict.outcome == "cannot be decided"
        if verdict.outcome in ("reproduced", "cannot be decided") and not left_open:
            deaf += [
                f"{value.name}, as found: {name}"
                for name, moved in moves(verdict.rule, value)
                if with_one(verdict, place, moved).outcome not in heard(verdict)
            ]
        if value.variant is not None and (left_open or verdict.outcome == "error in the paper"):
            far = value.variant + FAR + 100 * value.unit
            unexplained = replace(value, ours=far, variant=far)
            if with_one(verdict, place, unexplained).outcome != "differs":
                deaf.append(f"{value.name}: its variant")
    return deaf


def heard(verdict):
    """Return what a verdict may say when a number has moved far against the paper."""
    return ("differs", "error in the paper") if verdict.rule == "ERR" else ("differs",)


def with_one(verdict, place, value):
    """Return the verdict with another value in one place."""
    values = [*verdict.values[:place], value, *verdict.values[place + 1 :]]
    return replace(verdict, values=tuple(values))


def moves(rule, value):
    """Yield a value with one of its numbers moved to where it speaks against the paper."""
    if rule == "ORD":
        yield "ours", replace(value, ours=-FAR)
        return
    far = FAR + 100 * value.unit + abs(value.printed)
    if value.relation != "at least" or rule == "EXT":
        yield "ours up", replace(value, ours=value.ours + far)
        yield "printed down", replace(value, printed=value.printed - far)
    if value.relation != "at most" or rule == "EXT":
        yield "ours down", replace(value, ours=value.ours - far)
        yield "printed up", replace(value, printed=value.printed + far)
    if value.variant is not None:
        yield "variant", replace(value, variant=value.variant + far)
