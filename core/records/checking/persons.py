"""The check of what all outputs of a person reveal: by sums over all combinations of outputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from core.joint import Joint
from core.records.checking.check import Check, close
from core.records.checking.other_columns import Extremes
from core.records.fields import MOST_RECORDS
from core.records.recount import Recount
from core.release.in_turn import MOST_HELD, MOST_TOGETHER
from core.release.persons import alike_and_independent
from core.validation import FloatArray
from core.wording import number_of

NAME = "person levels"
"""The name of the check."""

Values = Counter[tuple[int, tuple[int, ...]]]
"""How many persons have a secret and the rows of the kernel of all of their records."""


def check_person_levels(
    body: Mapping[str, Any],
    counted: Recount,
    kernel: FloatArray,
    names: Sequence[str | None],
    design: tuple[Joint, FloatArray] | None,
) -> Check:
    """Count persons by all of their values, and compare what their outputs reveal.

    `names`: the person of each record of the original. `design`: the joint of one record that the
    mechanism was made for, and its kernel; None where that is not known.
    """
    if "persons" not in body["levels"]:  # as in the first certificates with persons
        return Check(NAME, None, "It has no levels of all records of a person.")
    stated = body["levels"]["persons"]
    again = _counted(counted, names)
    if stated is None or again is None:
        text = "S is unknown or differs within a person, so no level was counted."
        if stated is not None or again is not None:
            text = "It has levels of persons" if stated else "It lacks the levels of persons"
            text += ", but S is " + ("no secret of a person." if again is None else "one of each.")
        return Check(NAME, stated is again, text)
    if sorted(stated["counted"]) != sorted(map(str, again)):
        text = f"Persons have {sorted(again)} records, but it has levels of other numbers."
        return Check(NAME, False, text)
    left = 0
    for m, values in again.items():
        of = stated["counted"][str(m)]
        if of["persons"] != values.total():
            text = f"{number_of(values.total(), 'person')} have {m} records, not {of['persons']}."
            return Check(NAME, False, text)
        levels = _levels(values, kernel)
        left = m if levels is None else left
        wrong = _difference(levels, of["levels"])
        if wrong:
            return Check(NAME, False, f"Of persons with {m} records, {wrong}.")
    return _cases(stated["cases"], left, design)


def _counted(counted: Recount, names: Sequence[str | None]) -> dict[int, Values] | None:
    """Return the values of persons with several records, by their number in ascending order."""
    own: dict[str | None, list[tuple[int, int]]] = defaultdict(list)
    places = zip(counted.places.tolist(), counted.secrets.tolist(), counted.rows, strict=True)
    for place, s, row in places:
        if s >= 0:
            own[names[place]].append((s, int(row)))
    if not own or any(len({s for s, _ in records}) > 1 for records in own.values()):
        return None
    again: dict[int, Values] = {m: Counter() for m in sorted({*map(len, own.values())} - {1})}
    for records in own.values():
        if len(records) > 1:
            again[len(records)][records[0][0], tuple(row for _, row in records)] += 1
    return again


def _levels(values: Values, kernel: FloatArray) -> dict[str, float] | None:
    """Return the levels by their definitions; None where there are too many combinations."""
    m, n_y = len(next(iter(values))[1]), kernel.shape[1]
    kinds = len({rows for _, rows in values})
    if n_y**m > MOST_TOGETHER or n_y**m * kinds > MOST_HELD:
        return None
    places = {s: place for place, s in enumerate(sorted({s for s, _ in values}))}
    s = np.array([places[s] for s, _ in values])
    rows = np.array([rows for _, rows in values])
    share = np.array(list(values.values())) / values.total()
    prior: FloatArray = np.bincount(s, share).astype(np.float64)
    extremes = Extremes()
    for outputs in product(range(n_y), repeat=m):
        chance = np.prod([kernel[rows[:, i], y] for i, y in enumerate(outputs)], axis=0)
        joint = np.bincount(s, share * chance, len(prior))
        if joint.any():
            posterior = (joint / joint.sum())[:, None]
            extremes.see(posterior, prior[:, None], np.ones_like(posterior, dtype=bool))
            extremes.guess += float(joint.max())
    return extremes.levels()


def _difference(levels: Mapping[str, float] | None, stated: Mapping[str, Any] | None) -> str:
    """Say where levels differ from the certificate's; "" where they do not."""
    if levels is None or stated is None:
        return "" if levels is stated else "it has levels only of some that can be counted"
    for key, value in levels.items():
        if not close(value, stated[key]):
            return f"{key!r} is {value:.9g}, not {stated[key]}"
    return ""


def _cases(
    stated: Mapping[str, Any] | None, left: int, design: tuple[Joint, FloatArray] | None
) -> Check:
    """Compare the two cases of so many records as were not counted; 0 where all were."""
    again = "Recomputed with the same result: what all outputs of a person reveal."
    if (stated is None) == (0 < left <= MOST_RECORDS):
        text = "It lacks the two cases of many records." if stated is None else "It has two cases"
        return Check(NAME, False, text if stated is None else f"{text} too many or too few.")
    if stated is None:
        return Check(NAME, True, again)
    if design is None:
        text = "Its two cases of many records follow from data that you did not give."
        return Check(NAME, None, text)
    for name, case in zip(
        ("alike", "independent"), alike_and_independent(*design, left), strict=True
    ):
        for part in ("level", "at_most"):
            value = getattr(case, part)
            if not close(value, stated[name][part]):
                text = f"The case {name!r} reaches {value:.9g}, not {stated[name][part]}."
                return Check(NAME, False, text)
    return Check(NAME, True, again)
