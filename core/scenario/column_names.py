"""Names of a comparison's columns, made from scenarios, and checks of names and notes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from core.errors import InvalidInputError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario.scenario import Scenario
from core.validation import shown

LONGEST_NAME = 60
"""Most characters of a column's name, which is printed above charts."""

LONGEST_NOTE = 2_000
"""Most characters of a note, all of which are in the address."""

LONGEST_FILE = 255
"""Most characters of a file's name, as on most file systems."""

Files = tuple[tuple[str, str], ...]
"""Pairs of an uploaded source and its file's name."""


def is_made(name: str, scenario: Scenario) -> bool:
    """Say whether a name is one that `suggested` makes for a scenario.

    Examples
    --------
    >>> is_made("ALIP (2)", Scenario()), is_made("mine", Scenario())
    (True, False)
    """
    bare = re.sub(r" \(\d+\)$", "", name)
    title = _title(scenario)[:LONGEST_NAME]
    return bare == title or (
        name != bare and len(name) == LONGEST_NAME and bare == title[: len(bare)]
    )


def suggested(scenarios: Sequence[Scenario], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return distinct names for scenarios: the notion, and the mechanism unless it is an optimum.

    Parameters
    ----------
    scenarios : sequence of Scenario
        What is to be named.
    taken : sequence of str
        Names that are in use.

    Examples
    --------
    >>> watchdog = Scenario(mechanism="watchdog")
    >>> suggested((Scenario(), watchdog, Scenario()), ["ALIP"])
    ('ALIP (2)', 'ALIP, Watchdog', 'ALIP (3)')
    """
    used, names = set(taken), []
    for scenario in scenarios:
        name = base = _title(scenario)[:LONGEST_NAME]
        number = 2
        while name in used:
            end = f" ({number})"
            name = base[: LONGEST_NAME - len(end)] + end
            number += 1
        used.add(name)
        names.append(name)
    return tuple(names)


def _title(scenario: Scenario) -> str:
    mechanism = mechanisms.entry(scenario.mechanism)
    if not mechanism.uses_notion:
        return mechanism.title
    keys = [scenario.notion, *(promise.notion for promise in scenario.also)]
    entries = [notions.entry(key) for key in keys]
    notion = " + ".join(entry.title for entry in entries)
    return notion if mechanism.optimum else f"{notion}, {mechanism.title}"


def filled(names: Sequence[str], scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Return names in which each empty one is replaced by one made from its scenario.

    Examples
    --------
    >>> filled(["", "mine"], [Scenario(), Scenario()])
    ('ALIP', 'mine')
    """
    found = list(names)
    for place, name in enumerate(names):
        if not name:
            found[place] = suggested((scenarios[place],), [one for one in found if one])[0]
    return tuple(found)


def checked_text(value: Any, what: str, most: int, *, least: int = 1, lines: bool = False) -> str:
    """Return a text without blanks at its ends, and on one line unless `lines`.

    Raises
    ------
    InvalidInputError
        If it is no text, has fewer than `least` or more than `most` characters, or has control
        characters.

    Examples
    --------
    >>> checked_text("  two   words ", "A name", 60)
    'two words'
    """
    if not isinstance(value, str):
        raise InvalidInputError(f"{what} must be a text, got {shown(value)}.")
    text = "\n".join(map(str.rstrip, value.splitlines())) if lines else " ".join(value.split())
    text = text.strip()
    if not least <= len(text) <= most:
        raise InvalidInputError(
            f"{what} must have {least} to {most:,} characters, got {len(text):,}."
        )
    if any(unicodedata.category(one) in ("Cc", "Cs") for one in text.replace("\n", "")):
        raise InvalidInputError(f"{what} must have no control characters, got {shown(value)}.")
    return text


def checked_files(values: Any, scenarios: Sequence[Scenario]) -> Files:
    """Return the files of the sources that scenarios use, checked and sorted by source."""
    used, found = {one.data.source for one in scenarios}, {}
    for pair in listed(values, "The files of a project"):
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InvalidInputError(
                f"A file of a project must be its source and its name, got {shown(pair)}."
            )
        found[pair[0]] = checked_text(pair[1], "The name of a file", LONGEST_FILE)
    return tuple(sorted((source, name) for source, name in found.items() if source in used))


def listed(values: Any, what: str) -> tuple[Any, ...]:
    """Return a list as a tuple; `what` names it in the error's sentence."""
    if not isinstance(values, list | tuple):
        raise InvalidInputError(f"{what} must be a list, got {shown(values)}.")
    return tuple(values)
