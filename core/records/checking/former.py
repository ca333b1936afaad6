"""The words of certificates of version 1, and whether promises follow from a certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.errors import CoreError
from core.records.promises import Sentence, figure, further, promises, sentence
from core.wording import listed

FIRST = 1
"""The version whose certificates have no units, and other words."""

NAMES = {"RLDP for S – X – Y": "robust LDP"}
"""Names of notions today, and what they were in version 1."""

_REPAIRED = re.compile(
    r"not attained: X_H alone leaks (?P<level>.*); "
    r"repaired by moving (?P<what>\d+ symbols?) of X_L into it \((?P<names>.*)\)\."
)
_INSTEAD = re.compile(
    r"Columns answer, with a bound of their own: enumeration ended with “(?P<why>.*)”"
)

NOTES = (
    (
        _REPAIRED,
        "X_H, the symbols that break the promise by themselves, reach {level} even as one output; "
        "repaired by moving {what} of the others, X_L, into X_H ({names}).",
    ),
    (
        _INSTEAD,
        "Not all outputs that the promise allows could be listed, so the search built them one by "
        "one; its bound does not depend on such a list. Listing them ended with: “{why}”",
    ),
)
"""Notes on mechanisms as version 1 has them, and as they are today."""


def stated(body: Mapping[str, Any]) -> tuple[bool, str]:
    """Say whether a certificate's promises are those that follow from its figures, and what not."""
    rest = {name: value for name, value in body.items() if name != "promises"}
    try:
        expected = _first(rest) if body["version"] == FIRST else promises(rest)
    except (CoreError, KeyError, TypeError, ValueError) as error:
        return False, f"Its figures are not complete, so no promise follows from them: {error!r}."
    for place, one in enumerate(expected):
        said = body["promises"][place] if place < len(body["promises"]) else None
        if said != one:
            return False, f"What it says of {one['about']} does not follow from its figures."
    if len(body["promises"]) > len(expected):
        return False, "It has more promises than follow from its figures."
    return True, f"Its {len(expected)} promises and limits follow from its figures."


def named(body: Mapping[str, Any], notion: str) -> str:
    """Return a notion's text in the words of a certificate's version."""
    if body["version"] == FIRST:
        for now, then in NAMES.items():
            notion = notion.replace(now, then)
    return notion


def notes(body: Mapping[str, Any]) -> list[str]:
    """Return a certificate's notes on its mechanism in the words of today."""
    said = list(body["proof"]["notes"])
    return [_today(one) for one in said] if body["version"] == FIRST else said


def _today(note: str) -> str:
    for then, now in NOTES:
        found = then.fullmatch(note)
        if found:
            return now.format(**found.groupdict())
    return note


def _first(body: Mapping[str, Any]) -> list[Sentence]:
    """Return what a certificate of version 1 promises, from its own figures."""
    return [_asked(body), _fresh(body), _sampling(body), _again(body), *further(body)]


def _asked(body: Mapping[str, Any]) -> Sentence:
    asked = body["levels"]["asked"]
    if asked is None:
        return sentence("one record", False, "No promise was asked of this mechanism.")
    if body["released"]["treatment"] == "kept":
        text = "This is the owner's copy: it holds X and S beside Y, so nothing is promised."
        return sentence("one record", False, text)
    return sentence(
        "one record",
        True,
        f"Against whoever sees Y of one record, and knows the distribution of S and X that "
        f"{body['design']['data']} shows: {asked['notion']} (level reached: "
        f"{figure(asked['achieved'])}).",
    )


def _fresh(body: Mapping[str, Any]) -> Sentence:
    if body["design"]["same"]:
        text = (
            "The level is that of the distribution of these records. Nothing is promised of fresh "
            "records from elsewhere."
        )
        return sentence("fresh records", False, text)
    own = body["levels"]["records"]
    if own is None:
        reached = "their own level is not known, since they have no column of S"
    else:
        reached = (
            f"by their own distribution LIP holds at {figure(own['lip'])} nats and LDP at "
            f"{figure(own['ldp'])}"
        )
    return sentence(
        "fresh records",
        False,
        f"The mechanism was made for {body['design']['data']}, not for these records: {reached}.",
    )


def _sampling(body: Mapping[str, Any]) -> Sentence:
    found, numbers = body["levels"]["design"], body["levels"]["numbers"]
    for ldp, pml in (("robust_ldp", "robust_pml"), ("rldp", "rldp")):
        if found.get(ldp) is not None:
            sure = f"{100 * (1 - numbers['beta']):g} %"
            also = "" if pml == ldp else f", and PML at {figure(found[pml])}"
            return sentence(
                "sampling error",
                True,
                f"With confidence {sure} the records come from a distribution for which LDP holds "
                f"at {figure(found[ldp])} nats{also}: the level over the confidence set.",
            )
    return sentence(
        "sampling error",
        False,
        "The level is that of the counted distribution; the level over the confidence set was not "
        "computed for this mechanism.",
    )


def _again(body: Mapping[str, Any]) -> Sentence:
    if body["draw"]["kind"] == "key":
        return sentence(
            "repeated releases",
            True,
            "Released again with the same key and mechanism, a record whose values stay the same "
            "is answered the same way; with a changed value or mechanism it is a further release.",
        )
    repeated = body["levels"]["repeated"]
    if not repeated:
        text = "Nothing is promised of repeated releases."
    else:
        levels = listed([f"{k} reach {figure(one['level'])}" for k, one in repeated.items()])
        notion = body["levels"]["asked"]["notion"]
        text = (
            f"Of independent releases of the same records, seen together, {levels}; {notion} is "
            "promised of one."
        )
    return sentence("repeated releases", False, text)
