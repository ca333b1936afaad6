"""The check of what all outputs of a person reveal: by sums over all combinations of outputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from core.joint import Joint
from core.records.checking.check import UncheckedError, WrongError, check_named, close
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


@check_named(NAME)
def check_person_levels(
    body: Mapping[str, Any],
    counted: Recount,
    kernel: FloatArray,
    names: Sequence[str | None],
    design: tuple[Joint, FloatArray] | None,
) -> str:
    """Count persons by all of their values, and compare what their outputs reveal.

    `names`: the person of each record of the original. `design`: the joint of one record that the
    mechanism was made for, and its kernel; None where that is not known.
    """
    if "persons" not in body["levels"]:  # as in the first certificates with persons
        raise UncheckedError("It has no levels of all records of a person.")
    stated = body["levels"]["persons"]
    again = _counted(counted, names)
    if stated is None and again is None:
        return "S is unknown or differs within a person, so no level was counted."
    if again is None:
        raise WrongError("It has levels of persons, but S is no secret of a person.")
    if stated is None:
        raise WrongError("It lacks the levels of persons, but S is one of each.")
    if sorted(stated["counted"]) != sorted(map(str, again)):
        raise WrongError(
            f"Persons have {sorted(again)} records, but it has levels of other numbers."
        )
    left = 0
    for m, values in again.items():
        of = stated["counted"][str(m)]
        if of["persons"] != values.total():
            persons = number_of(values.total(), "person")
            raise WrongError(f"{persons} have {m} records, not {of['persons']}.")
        levels = _levels(values, kernel)
        left = m if levels is None else left
        wrong = _difference(levels, of["levels"])
        if wrong:
            raise WrongError(f"Of persons with {m} records, {wrong}.")
    _compare_cases(stated["cases"], left, design)
    return "Recomputed with the same result: what all outputs of a person reveal."


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


def _compare_cases(
    stated: Mapping[str, Any] | None, left: int, design: tuple[Joint, FloatArray] | None
) -> None:
    """Compare the two cases of so many records as were not counted; 0 where all were."""
    needed = 0 < left <= MOST_RECORDS
    if stated is None:
        if needed:
            raise WrongError("It lacks the two cases of many records.")
        return
    if not needed:
        raise WrongError("It has two cases too many or too few.")
    if design is None:
        raise UncheckedError(
            "Its two cases of many records follow from data that you did not give."
        )
    for name, case in zip(
        ("alike", "independent"), alike_and_independent(*design, left), strict=True
    ):
        for part in ("level", "at_most"):
            value = getattr(case, part)
            if not close(value, stated[name][part]):
                raise WrongError(
                    f"The case {name!r} reaches {value:.9g}, not {stated[name][part]}."
                )
