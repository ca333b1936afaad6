"""A scenario as the query of a URL, and back; an invalid value gives a default and a notice."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.codec import plain_json, read_json
from core.data.joints import cells_drawn
from core.data.spec import DataSpec
from core.errors import CoreError
from core.limits import MAX_CELLS
from core.notions import catalogue as notions
from core.scenario.data_url import (
    DATA_KEYS,
    Query,
    cut,
    data_from_query,
    data_to_query,
    ignoring,
    text_of,
)
from core.scenario.purpose import DOMAINS, Promise
from core.scenario.scenario import Scenario

NUMBERS = {"limit" if name == "time_limit" else name: name for name in DOMAINS}
"""URL key → the scenario's number."""

CHOICES = {
    "notion": "notion",
    "mech": "mechanism",
    "keep": "utility",
    "for": "purpose",
    "loss": "loss",
}
"""URL key → the scenario's choice."""

MOST_LETTERS = 20_000
"""Most characters of a link's value."""


MOST_VALUES = 500
"""Most values of a key of a link."""


MOST_DRAWN = MAX_CELLS // 5
"""Most cells of a random joint that a link may ask for."""

LISTS = {"also": "also", "table": "table"}
"""URL key → the scenario's list; each value is JSON."""

KEYS = (*DATA_KEYS, *CHOICES, *NUMBERS, *LISTS)
"""All keys of a scenario's URL."""


def to_query(scenario: Scenario) -> Query:
    """Return a scenario as a query; defaults are left out.

    Budgets that matter up to what X itself reveals are always there: a link without them stands for
    half of that on its data.

    Examples
    --------
    >>> to_query(Scenario(notion="lip", eps=0.5))
    {'notion': ['lip'], 'eps': ['0.5']}
    """
    plain = Scenario()
    query = data_to_query(scenario.data)
    entry = notions.entry(scenario.notion)
    on_data = set(entry.parameters) & {"eps", "bound"} if entry.kind.ends_at_x else set()
    for key, name in (CHOICES | NUMBERS).items():
        value = getattr(scenario, name)
        differs = value != getattr(plain, name) or name in on_data
        if differs and value is not None:
            query[key] = [text_of(value)]
    if scenario.also:
        query["also"] = [
            json.dumps(plain_json(promise.to_dict()), ensure_ascii=False)
            for promise in scenario.also
        ]
    if scenario.table:
        query["table"] = [json.dumps(list(map(list, scenario.table)))]
    return query


def from_query(query: Mapping[str, str | Sequence[str]]) -> tuple[Scenario, tuple[str, ...]]:
    """Read a scenario from a URL's query, and say which values were not used.

    Parameters
    ----------
    query : mapping
        One value or several by key. Keys that are not a scenario's are ignored.

    Returns
    -------
    scenario : Scenario
        With the default in place of each value that is unknown or outside its domain.
    notices : tuple of str
        One sentence for each such value.

    Examples
    --------
    >>> scenario, notices = from_query({"eps": "-3", "notion": "lip"})
    >>> scenario.eps, scenario.notion
    (1.0, 'lip')
    >>> notices
    ('The link has eps=-3, which is not in [0, 50]; 1 is used.',)
    """
    notices: list[str] = []
    values = _bounded(query, notices)
    scenario = Scenario(data=data_from_query(values, notices))
    for key, name in CHOICES.items():
        if values.get(key):
            scenario = _choose(scenario, key, name, values[key][-1], notices)
    for key, name in NUMBERS.items():
        if values.get(key):
            scenario = _set_number(scenario, key, name, values[key][-1], notices)
    for key in LISTS:
        if values.get(key):
            scenario = _set_list(scenario, key, values[key], notices)
    return scenario, tuple(notices)


def unknown_keys(keys: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Return a sentence that names the keys of a link that nothing reads; none if all are known."""
    names = [key for key in keys if key not in known]
    if not names:
        return ()
    return (f"The link has {cut(', '.join(names))}, which this page does not know and ignores.",)


def within_reach(
    scenario: Scenario, chosen: Scenario | None = None
) -> tuple[Scenario, tuple[str, ...]]:
    """Return a link's scenario within a shared server's limits, and what changed."""
    notices = []
    # whoever opens the link did not choose it
    longest = max(60.0, 0.0 if chosen is None else chosen.time_limit)
    if scenario.time_limit > longest:
        notices.append(
            f"The link has limit={text_of(scenario.time_limit)}, and a link may ask for at most "
            f"{longest:g} s; {longest:g} is used."
        )
        scenario = replace(scenario, time_limit=longest)
    source = scenario.data.source
    cells = cells_drawn(source)
    if cells > MOST_DRAWN and (chosen is None or source != chosen.data.source):
        notices.append(
            f"The link has data={cut(source)}, which has {cells:,} cells, but a link may draw at "
            f"most {MOST_DRAWN:,}: draw it on the Data page. data={DataSpec().source} is used."
        )
        scenario = replace(scenario, data=DataSpec())
    return scenario, tuple(notices)


def _bounded(query: Mapping[str, str | Sequence[str]], notices: list[str]) -> Query:
    """Return the values of a scenario's keys, without those that are too long or too many."""
    result: Query = {}
    for key, value in query.items():
        texts = [value] if isinstance(value, str) else list(value)
        if not texts or key not in KEYS:
            continue
        most = 2_000_000 if key in ("table", "level") else MOST_LETTERS
        kept = [text for text in texts if len(text) <= most][:MOST_VALUES]
        if len(kept) < len(texts):
            notices.append(
                f"The link has {len(texts) - len(kept):,} of {key}= that are ignored: at most "
                f"{MOST_VALUES} values of {most:,} letters each are read."
            )
        if kept:
            result[key] = kept
    return result


def _set_list(scenario: Scenario, key: str, texts: Sequence[str], notices: list[str]) -> Scenario:
    """Return the scenario with further promises, one for each text, or a loss table, if valid."""
    promises: list[Promise] = []
    for text in texts if key == "also" else texts[-1:]:
        with ignoring(key, text, notices):
            value = read_json(text, "It")
            if key == "also":
                promises.append(Promise.from_dict(value))
            else:
                scenario = replace(scenario, table=value)
    return replace(scenario, also=tuple(promises)) if key == "also" else scenario


def _choose(scenario: Scenario, key: str, name: str, value: str, notices: list[str]) -> Scenario:
    current = getattr(scenario, name)
    try:
        change: dict[str, Any] = {name: value}
        return replace(scenario, **change)
    except CoreError:
        notices.append(
            f"The link has {key}={cut(value)}, which is not known; {key}={current} is used."
        )
        return scenario


def _set_number(scenario: Scenario, key: str, name: str, text: str, notices: list[str]) -> Scenario:
    try:
        change: dict[str, Any] = {name: float(text)}
        return replace(scenario, **change)
    except ValueError:  # no number, or one that the scenario refuses
        domain, current = DOMAINS[name], getattr(scenario, name)
        used = "the data's own number" if current is None else f"{current:g}"
        high = f"{domain.high:g}" if math.isfinite(domain.high) else "∞"
        place = "not a whole number in" if DOMAINS[name].whole else "not in"
        notices.append(
            f"The link has {key}={cut(text)}, which is {place} [{domain.low:g}, {high}]; "
            f"{used} is used."
        )
        return scenario
