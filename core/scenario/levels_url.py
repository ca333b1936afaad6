"""Hierarchies and the rare levels of single columns as a part of a URL's query, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.data.hierarchies import Hierarchy, RareLevels, check_apart
from core.data.spec import Binning, DataSpec
from core.errors import CoreError, InvalidInputError
from core.scenario.json_text import read_json

Query = dict[str, list[str]]
"""Values by key of a URL's query, where a key may occur more than once."""

_LONGEST = 80
"""Most characters of a link's value that a notice repeats."""


def cut(text: str) -> str:
    """Return the first `_LONGEST` characters of a link's value.

    Examples
    --------
    >>> cut("eps"), len(cut("9" * 5_000))
    ('eps', 80)
    """
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def levels_to_query(data: DataSpec) -> Query:
    """Return hierarchies and rare levels of single columns as a part of a query.

    Examples
    --------
    >>> levels_to_query(DataSpec(rare_levels=(RareLevels("occupation", 50),)))
    {'rare_of': ['["occupation", 50]']}
    """
    query: Query = {}
    if data.hierarchies:
        query["level"] = [_text(_parts(one)) for one in data.hierarchies]
    if data.rare_levels:
        query["rare_of"] = [_text([one.column, one.below]) for one in data.rare_levels]
    return query


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parts(one: Hierarchy) -> list[Any]:
    """Return a hierarchy as [COLUMN, KIND, LEVEL, STEPS or ROWS, START]."""
    if one.kind == "table":
        return [one.column, one.kind, one.level, list(map(list, one.rows))]
    steps = [int(step) if step == int(step) else step for step in one.steps]
    start = [one.start] if one.start else []
    return [one.column, one.kind, one.level, steps, *start]


def levels_from_query(
    query: Query, binnings: tuple[Binning, ...], notices: list[str]
) -> tuple[tuple[Hierarchy, ...], tuple[RareLevels, ...]]:
    """Read hierarchies and rare levels; a sentence for each that is not used goes to `notices`.

    Parameters
    ----------
    query : mapping
        The query.
    binnings : tuple of Binning
        Those of the same query: a column has either.
    notices : list of str
        Is added to.

    Examples
    --------
    >>> levels_from_query({"rare_of": ['["job", 10]']}, (), [])
    ((), (RareLevels(column='job', below=10),))
    """
    bins = tuple(one.column for one in binnings)
    hierarchies: list[Hierarchy] = []
    rare: list[RareLevels] = []
    for text in query.get("level", []):
        try:
            one = _hierarchy(read_json(text, "It"))
            check_apart(bins, (*hierarchies, one), ())
        except CoreError as error:
            notices.append(f"The link has level={cut(text)}, which is ignored. {error}")
        else:
            hierarchies.append(one)
    for text in query.get("rare_of", []):
        try:
            group = _rare(read_json(text, "It"))
            check_apart(bins, tuple(hierarchies), (*rare, group))
        except CoreError as error:
            notices.append(f"The link has rare_of={cut(text)}, which is ignored. {error}")
        else:
            rare.append(group)
    return tuple(hierarchies), tuple(rare)


def _hierarchy(parts: Any) -> Hierarchy:
    if not isinstance(parts, list) or not 4 <= len(parts) <= 5:
        raise InvalidInputError('It must be ["COLUMN", "KIND", LEVEL, [STEP or ROW, …]].')
    column, kind, level, what, *start = parts
    name = "rows" if kind == "table" else "steps"
    values = {"column": column, "kind": kind, "level": level, name: what}
    return Hierarchy.from_dict(values | ({"start": start[0]} if start else {}))


def _rare(parts: Sequence[Any]) -> RareLevels:
    if not isinstance(parts, list) or len(parts) != 2:
        raise InvalidInputError('It must be ["COLUMN", RECORDS].')
    return RareLevels.from_dict({"column": parts[0], "below": parts[1]})
