"""Sentences of a certificate on what a release promises to whom, and what it does not."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from core.notions import catalogue as notions
from core.notions.base import OF_BUDGETS
from core.notions.numbers import Numbers
from core.records.plan import LEAVE_OUT, REFUSE
from core.scenario import Scenario
from core.studies.side_by_side import level_title
from core.wording import listed, number_of, were

PROMISED, NOT_PROMISED = "promised", "not promised"
"""Whether a sentence states a promise, or that there is none."""

Sentence = dict[str, str]
"""What is promised or not: its "about", its "status" and its "sentence"."""

OVER_THE_SET = ("ldp", "rldp", "robust_ldp", "pml", "robust_pml")
"""Keys of the notions whose level over the confidence set a certificate has."""


def promises(body: Mapping[str, Any]) -> list[Sentence]:
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
    told = [_asked(body), _fresh(body), _sampling(body), _again(body)]
    return told + further(body)


def further(body: Mapping[str, Any]) -> list[Sentence]:
    """Return what a certificate says of columns, records, their order and the draw."""
    told = [_others(body)]
    left = body["unknown"]["records"]
    if left and body["unknown"]["treatment"] not in (REFUSE, LEAVE_OUT):
        told.append(
            sentence(
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
            sentence(
                "records left out",
                False,
                f"{number_of(gone, 'record')} {were(gone)} left out: their absence from the file "
                "may tell something about them.",
            )
        )
    if body["released"]["treatment"] != "kept":
        told.append(
            sentence(
                "order",
                False,
                "The records are in the order of the original: whoever has another file in the "
                "same order can join the two.",
            )
        )
    secret = "seed" if body["draw"]["kind"] == "seed" else "key"
    told.append(
        sentence(
            secret,
            False,
            f"Nothing is promised against whoever knows the {secret}, which can undo the draw.",
        )
    )
    return told


def sentence(about: str, promised: bool, text: str) -> Sentence:
    """Return a sentence on what is promised or not."""
    return {
        "about": about,
        "status": PROMISED if promised else NOT_PROMISED,
        "sentence": text,
    }


def _asked(body: Mapping[str, Any]) -> Sentence:
    asked = body["levels"]["asked"]
    if asked is None:
        return sentence("one record", False, "No promise was asked of this mechanism.")
    if body["released"]["treatment"] == "kept":
        text = "This is the owner's copy: it holds X and S beside Y, so nothing is promised."
        return sentence("one record", False, text)
    if not asked["holds"]:
        text = f"{asked['notion']} was asked, and this mechanism does not keep it."
        return sentence("one record", False, text)
    return sentence(
        "one record",
        True,
        f"Against whoever sees Y of one record, and knows the distribution of S and X that "
        f"{body['design']['data']} shows: {asked['notion']} (level reached: "
        f"{reached(asked['achieved'], asked['unit'])}).",
    )


def _fresh(body: Mapping[str, Any]) -> Sentence:
    if body["design"]["same"]:
        text = (
            "The level is that of the distribution of these records. Nothing is promised of fresh "
            "records from elsewhere."
        )
        return sentence("fresh records", False, text)
    return sentence(
        "fresh records",
        False,
        f"The mechanism was made for {body['design']['data']}, not for these records: {_own(body)}",
    )


def _own(body: Mapping[str, Any]) -> str:
    """Return the level of what was asked by the records' own distribution."""
    own, asked = body["levels"]["records"], body["levels"]["asked"]
    if own is None:
        return "their own level is not known, since they have no column of S."
    keys = () if asked is None else asked_keys(body)
    told = [key for one in keys for key in (notions.entry(one).sides or (one,))]
    if told and all(own.get(key) is not None for key in told):
        levels = listed([f"{title(body, key)}: {_level(key, own[key])}" for key in told])
        return f"by their own distribution it reaches {levels}."
    both = f"LIP at {figure(own['lip'])} nats and LDP at {figure(own['ldp'])} nats"
    said = f"by their own distribution it keeps {both}"
    if not told:
        return f"{said}."
    return f"{said}, the levels of every release; that of {asked['notion']} was not computed."


def _sampling(body: Mapping[str, Any]) -> Sentence:
    found, numbers = body["levels"]["design"], body["levels"]["numbers"]
    asked = body["levels"]["asked"]
    pairs = [("robust_ldp", "robust_pml"), ("rldp", "rldp")]
    if asked is not None and "rldp" in asked_keys(body):
        pairs.reverse()  # the level that was asked for
    for ldp, pml in pairs:
        if found.get(ldp) is not None:
            sure = f"{100 * (1 - numbers['beta']):g} %"
            also = "" if pml == ldp else f", and PML at {figure(found[pml])} nats"
            text = (
                f"With confidence {sure} the records come from a distribution for which LDP holds "
                f"at {figure(found[ldp])} nats{also}: the level over the confidence set."
            )
            if asked is not None and not set(asked_keys(body)) <= set(OVER_THE_SET):
                text += (
                    f" It is known of LDP and PML only: that of {asked['notion']}, which was "
                    "asked, is that of the counted distribution."
                )
            return sentence("sampling error", found[ldp] != "inf", text)
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
    repeated, asked = body["levels"]["repeated"], body["levels"]["asked"]
    if not repeated:
        text = "Nothing is promised of repeated releases."
    else:
        levels = listed(
            [f"{k} reach {reached(one['level'], asked['unit'])}" for k, one in repeated.items()]
        )
        text = (
            f"Of independent releases of the same records, seen together, {levels}, where "
            f"{asked['notion']} is promised of one."
        )
    return sentence("repeated releases", False, text)


def _others(body: Mapping[str, Any]) -> dict[str, str]:
    others = [name for name in body["released"]["columns"] if name != body["released"]["column"]]
    if not others:
        return sentence("other columns", True, "No other column is released.")
    names = listed([repr(name) for name in others])
    return sentence(
        "other columns",
        False,
        f"Nothing is promised of what {names} tell of S, alone or together with Y.",
    )


def asked_keys(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the notions that a certificate's scenario asks for."""
    scenario = Scenario.from_json(json.dumps(body["scenario"]))
    return (scenario.notion, *(one.notion for one in scenario.also))


def title(body: Mapping[str, Any], key: str) -> str:
    """Return the name of a notion's level at a certificate's numbers."""
    return level_title(key, numbers_of(body))


def numbers_of(body: Mapping[str, Any]) -> Numbers:
    """Return the λ, α, β and n of a certificate's levels."""
    told = {one.name for one in fields(Numbers)}
    given = {key: value for key, value in body["levels"]["numbers"].items() if key in told}
    known: dict[str, Any] = {key: math.inf if one == "inf" else one for key, one in given.items()}
    return Numbers(**known)


def reached(value: float | str, unit: str) -> str:
    """Return a level as text with its unit.

    Examples
    --------
    >>> reached(0.38, "nats"), reached(0.95892, "of its budgets"), reached("inf", "")
    ('0.38 nats', '95.89 % of its budgets', '∞')
    """
    if unit == OF_BUDGETS and not isinstance(value, str):
        return f"{100 * value:.4g} % {unit}"
    return f"{figure(value)} {unit}".rstrip()


def figure(value: float | str) -> str:
    """Return a figure of a certificate as text.

    Examples
    --------
    >>> figure(0.123456), figure("inf")
    ('0.1235', '∞')
    """
    return "∞" if isinstance(value, str) else f"{value:.4g}"


def _level(key: str, value: float | str) -> str:
    return reached(value, "nats" if notions.entry(key).in_nats else "")
