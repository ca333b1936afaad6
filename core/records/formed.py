"""How records and X are formed, as a certificate shows it: others draw anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from core.data import Counted
from core.records.design import Plan, stand_in
from core.records.draws import Keyed, mechanism_hash
from core.records.for_each import ResultForEach
from core.records.left_out import marked_columns, shown_codings
from core.scenario import Result, Scenario


def drawn_for(result: Result, plan: Plan, *, same: bool) -> str:
    """Return the hash of all that a release's random numbers are for, beside its secret and file.

    `same`: whether the mechanism was made for the file that is released.

    Raises
    ------
    InvalidInputError
        If the mechanism has more entries than a certificate writes out.
    """
    inputs, how = result.joint.x_labels, formed(result, plan, same=same)
    if isinstance(result, ResultForEach):
        inputs = result.counted.alone.joint.x_labels
        groups = [
            [list(values), list(own.x_labels)]
            for values, own in zip(result.values, result.each.mechanisms, strict=True)
        ]
        how = {
            **how,
            "groups": groups,
            "known": known_of(result.counted.known, result.scenario, plan),
        }
    return mechanism_hash(
        result.scenario.data.released,
        inputs,
        result.mechanism.y_labels,
        result.mechanism.kernel,
        how,
    )


def known_of(counted: Counted, scenario: Scenario, plan: Plan) -> dict[str, Any]:
    """Return how columns that others know are formed; `counted`: as if they were X."""
    codings = shown_codings(counted, scenario.data, plan.draw.committed)
    marked = marked_columns(counted, codings, scenario.data, same=True)
    return {"coding": codings[1], "marked": marked, "inputs": list(counted.joint.x_labels)}


def withheld(result: Result, plan: Plan, *, same: bool) -> str:
    """Return a hash of the names left out that a mechanism's data have, "" where it is not needed.

    It enters random numbers alone, and is never shown. What a certificate shows of data other than
    the file may be the same with and without a name left out: one release would then be a part of
    the other.
    """
    data = result.scenario.data
    gone = [
        sorted(data.without(coding.columns).intersection(coding.labels))
        for coding in result.counted.codings
    ]
    if same or isinstance(plan.draw, Keyed) or not any(gone):
        return ""
    return hashlib.sha256(json.dumps(gone).encode()).hexdigest()


def formed(result: Result, plan: Plan, *, same: bool) -> Mapping[str, Any]:
    """Return what a record's row of the kernel follows from: what a certificate shows of it.

    By a seed, also which records are released: two releases with the same outputs, one with a
    filter, would show which records it leaves out. Tables of parents are sorted, because
    their order means nothing. What a certificate withholds is not in it, because anyone could test
    guesses of that by the hash; `withheld` has it.
    """
    counted, data = result.counted, result.scenario.data
    reads_s = len(result.mechanism.kernel) != result.joint.n_x
    codings = shown_codings(counted, data, plan.draw.committed)
    keyed = isinstance(plan.draw, Keyed)
    used = codings if not keyed or reads_s or data.secret_released else codings[1:]
    columns = {name for coding in used for name in coding["columns"]}
    plain = result.scenario.to_dict()["data"]
    tables = [table for table in plain.get("hierarchies", ()) if table["column"] in columns]
    marked = marked_columns(counted, codings, data, same=same)
    return {
        "coding": used,
        "filters": [] if keyed else sorted(plain["filters"], key=json.dumps),
        "hierarchies": sorted(
            ({**table, "rows": sorted(map(list, table["rows"]))} for table in tables),
            key=lambda table: str(table["column"]),
        ),
        "id": plan.draw.column if isinstance(plan.draw, Keyed) else None,
        "marked": sorted(columns.intersection(marked) if keyed else marked),
        "missing": data.missing,
        "read": plain.get("read", {}),
        "s": list(result.joint.s_labels) if reads_s else None,
        "unknown": stand_in(plan.unknown),
    }
