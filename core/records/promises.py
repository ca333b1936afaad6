"""Sentences of a certificate on what a release promises to whom, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.records.plan import LEAVE_OUT, REFUSE
from core.wording import listed, number_of, were

PROMISED, NOT_PROMISED = "promised", "not promised"
"""Whether a sentence states a promise, or that there is none."""


def promises(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a certificate promises, from its own figures.

    Parameters
    ----------
    body : mapping
        The certificate without its promises.

    Returns
    -------
    sentences : list of dict
        Each with "about", "status" ("promised" or "not promised") and "sentence".
    """
    told = [_asked(body), _fresh(body), _sampling(body), _again(body), _others(body)]
    left = body["unknown"]["records"]
    if left and body["unknown"]["treatment"] not in (REFUSE, LEAVE_OUT):
        told.append(
            _sentence(
                "unknown values",
                False,
                f"{number_of(left, 'record')} with unknown values {were(left)} taken for "
                f"{body['unknown']['treatment']!r}: their Y does not depend on their own X.",
            )
        )
    gone = body["original"]["filtered"]
    gone += left if body["unknown"]["treatment"] == LEAVE_OUT else 0
    if gone:
        told.append(
            _sentence(
                "records left out",
                False,
                f"{number_of(gone, 'record')} {were(gone)} left out: their absence from the file "
                "may tell something about them.",
            )
        )
    if body["released"]["treatment"] != "kept":
        told.append(
            _sentence(
                "order",
                False,
                "The records are in the order of the original: whoever has another file in the "
                "same order can join the two.",
            )
        )
    secret = "seed" if body["draw"]["kind"] == "seed" else "key"
    told.append(
        _sentence(
            secret,
            False,
            f"Nothing is promised against whoever knows the {secret}, which can undo the draw.",
        )
    )
    return told


def stated(body: Mapping[str, Any]) -> tuple[bool, str]:
    """Say whether a certificate's promises are those that follow from its figures, and what not."""
    rest = {name: value for name, value in body.items() if name != "promises"}
    try:
        expected = promises(rest)
    except (KeyError, TypeError, ValueError) as error:
        return False, f"Its figures are not complete, so no promise follows from them: {error!r}."
    for place, one in enumerate(expected):
        said = body["promises"][place] if place < len(body["promises"]) else None
        if said != one:
            return False, f"What it says of {one['about']} does not follow from its figures."
    if len(body["promises"]) > len(expected):
        return False, "It has more promises than follow from its figures."
    return True, f"Its {len(expected)} promises and limits follow from its figures."


def _sentence(about: str, promised: bool, text: str) -> dict[str, str]:
    return {
        "about": about,
        "status": PROMISED if promised else NOT_PROMISED,
        "sentence": text,
    }


def _asked(body: Mapping[str, Any]) -> dict[str, str]:
    asked = body["levels"]["asked"]
    if asked is None:
        return _sentence("one record", False, "No promise was asked of this mechanism.")
    if body["released"]["treatment"] == "kept":
        text = "This is the owner's copy: it holds X and S beside Y, so nothing is promised."
        return _sentence("one record", False, text)
    return _sentence(
        "one record",
        True,
        f"Against whoever sees Y of one record, and knows the distribution of S and X that "
        f"{body['design']['data']} shows: {asked['notion']} (level reached: "
        f"{_figure(asked['achieved'])}).",
    )


def _fresh(body: Mapping[str, Any]) -> dict[str, str]:
    if body["design"]["same"]:
        text = (
            "The level is that of the distribution of these records. Nothing is promised of fresh "
            "records from elsewhere."
        )
        return _sentence("fresh records", False, text)
    own = body["levels"]["records"]
    if own is None:
        reached = "their own level is not known, since they have no column of S"
    else:
        reached = (
            f"by their own distribution LIP holds at {_figure(own['lip'])} nats and LDP at "
            f"{_figure(own['ldp'])}"
        )
    return _sentence(
        "fresh records",
        False,
        f"The mechanism was made for {body['design']['data']}, not for these records: {reached}.",
    )


def _sampling(body: Mapping[str, Any]) -> dict[str, str]:
    found, numbers = body["levels"]["design"], body["levels"]["numbers"]
    for ldp, pml in (("robust_ldp", "robust_pml"), ("rldp", "rldp")):
        if found.get(ldp) is not None:
            sure = f"{100 * (1 - numbers['beta']):g} %"
            also = "" if pml == ldp else f", and PML at {_figure(found[pml])}"
            return _sentence(
                "sampling error",
                True,
                f"With confidence {sure} the records come from a distribution for which LDP holds "
                f"at {_figure(found[ldp])} nats{also}: the level over the confidence set.",
            )
    return _sentence(
        "sampling error",
        False,
        "The level is that of the counted distribution; the level over the confidence set was not "
        "computed for this mechanism.",
    )


def _again(body: Mapping[str, Any]) -> dict[str, str]:
    if body["draw"]["kind"] == "key":
        return _sentence(
            "repeated releases",
            True,
            "Released again with the same key and mechanism, a record whose values stay the same "
            "is answered the same way; with a changed value or mechanism it is a further release.",
        )
    repeated = body["levels"]["repeated"]
    if not repeated:
        text = "Nothing is promised of repeated releases."
    else:
        levels = listed([f"{k} reach {_figure(one['level'])}" for k, one in repeated.items()])
        notion = body["levels"]["asked"]["notion"]
        text = (
            f"Of independent releases of the same records, seen together, {levels}; {notion} is "
            "promised of one."
        )
    return _sentence("repeated releases", False, text)


def _others(body: Mapping[str, Any]) -> dict[str, str]:
    others = [name for name in body["released"]["columns"] if name != body["released"]["column"]]
    if not others:
        return _sentence("other columns", True, "No other column is released.")
    names = listed([repr(name) for name in others])
    return _sentence(
        "other columns",
        False,
        f"Nothing is promised of what {names} tell of S, alone or together with Y.",
    )


def _figure(value: float | str | None) -> str:
    return "∞" if value == "inf" else f"{value:.4g}"
