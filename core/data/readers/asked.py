"""What a table's values leave open: points that may be marks of thousands, rows that are counts.

Each is asked before it is counted on the page, and said with every count until it is answered.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.data.joints import JointSource
from core.data.options import AS_IT_IS, ColumnOptions, ReadOptions
from core.data.readers.marks import first_rows_of, per_column
from core.data.readers.sources import Sources
from core.data.tables import OpenTable, as_number, as_text, open_table, plain_text
from core.errors import Choice, choice
from core.texts import number
from core.validation import shown
from core.wording import first_of

MOST_ROWS = 5_000
"""Most rows of a table that may be counts: each stands for a combination of levels."""

LEAST_ROWS = 4
"""Fewest such rows."""

_COUNTS = re.compile(
    r"(?i)(?:freq(?:uency|uencies)?|counts?|n|nb|num(?:ber)?|anzahl|fälle|häufigkeit(?:en)?|nombre"
    r"|effectifs?|frequenz|frecuencia|cantidad|casos|numero|número|aantal|antal|antall|liczba"
    r"|počet|weights?|wt|weighting|gewicht|poids|cases|persons?|people|population|total|records"
    r"|observations|obs)(?:[ _.-]*(?:of|der|de)?[ _.-]*\w+)?"
)
"""Names of columns of counts."""


@dataclass(frozen=True)
class Asked:
    """An open question about a table's values, or about some `columns`, and what answers it."""

    sentence: str
    choices: tuple[Choice, ...]
    columns: tuple[str, ...] = ()


def asked_of(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[Asked, ...]:
    """Return what is open about a source's values, as they are read; nothing of a joint."""
    file = (sources or Sources()).open(source, (), read)
    if isinstance(file, JointSource) or not file.told:
        return ()
    with open_table(file) as table:
        return open_questions(table, read)


def open_questions(table: OpenTable, read: ReadOptions) -> tuple[Asked, ...]:
    """Return what is open about a table's values, as they are read."""
    return (*_points(table, read), *_counts(table, read))


def _points(table: OpenTable, read: ReadOptions) -> tuple[Asked, ...]:
    """Ask what points mean that have three digits behind them throughout."""
    if (read.decimal, read.thousands) != (".", ""):
        return ()
    names = [one for one in table.texts if not read.of(one).kind]
    found = per_column(table, names, _grouped, table.file.rows, first_rows_of(names))
    open_ones = [name for name in names if found[name]["groups"] and not found[name]["others"]]
    if not open_ones:
        return ()
    example = found[open_ones[0]]["example"]
    whole = example.replace(".", "")
    are = "has" if len(open_ones) == 1 else "have"
    plain = tuple(ColumnOptions(name, "number") for name in open_ones)
    return (
        Asked(
            f"{_named(open_ones)} {are} three digits behind every point, as in {example}: these "
            "may be thousands, and are read as decimals.",
            (
                choice(f"{example} is {whole}", decimal=",", thousands="."),
                choice(f"{example} is a decimal", columns=(*read.columns, *plain)),
            ),
            tuple(open_ones),
        ),
    )


def _grouped(column: Any) -> dict[str, Any]:
    """Return how many values have points before three digits, and how many any other point."""
    text = plain_text(column)
    groups = text.re_search(r"^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$")
    whole = text.re_search(r"^[+-]?[0-9]+$")
    return {
        "groups": groups.sum(),
        "others": (text.notnull() & ~groups & ~whole).sum(),
        "example": text.max(where=groups),
    }


def _counts(table: OpenTable, read: ReadOptions) -> tuple[Asked, ...]:
    """Ask whether rows stand for several records, where every combination occurs once."""
    file = table.file
    if read.weight is None and not file.counted and file.weigher:
        return (_weighed(table, file.weigher),)
    if read.weight is not None or file.counted or not LEAST_ROWS <= file.rows <= MOST_ROWS:
        return ()
    if len(file.columns) < 3 or any(kind.is_nested() for kind in table.types.values()):
        return ()
    texts = table.rows(
        table.records.select(
            **{f"c{i}": as_text(table.column(name)) for i, name in enumerate(file.columns)}
        )
    )
    columns = {name: [row[f"c{i}"] for row in texts] for i, name in enumerate(file.columns)}
    likely = [name for name in columns if _stand_for_records(name, columns)]
    if not likely:
        return ()
    choices = [choice(f"Count by {name}", weight=name) for name in likely[:3]]
    return (
        Asked(
            f"Each combination of the other columns occurs once beside {_named(likely)}: a row may "
            "stand for that many records, and counts as one.",
            (*choices, _ONE_EACH),
        ),
    )


def _weighed(table: OpenTable, name: str) -> Asked:
    """Ask whether the records are to be counted by the column that their program weighs them by."""
    value = as_number(table.column(name))
    wrong = (value.isnull() | (value < 0) | (value != value.floor())).fill_null(True)
    said = f"The file weighs its records by {shown(name)}"
    if table.row(table.records.aggregate(n=wrong.sum()))["n"]:
        said += ": not all are whole numbers, as of sampling weights, which cannot be counted."
        return Asked(said, (_ONE_EACH,))
    count = choice(f"Count by {name}", weight=name)
    return Asked(f"{said}, and each row counts as one.", (count, _ONE_EACH))


_ONE_EACH = choice("Each row is one record", weight="")


def _stand_for_records(name: str, columns: Mapping[str, Sequence[str | None]]) -> bool:
    """Say whether a column may be the numbers of records of its rows."""
    values = [None if one is None else number(one) for one in columns[name]]
    numbers = [one for one in values if one is not None]
    if len(numbers) < len(values) or not all(one >= 0 and one == int(one) for one in numbers):
        return False
    if max(numbers) < 2:
        return False
    rows = len(values)
    named = _COUNTS.fullmatch(name.strip()) is not None
    others = {
        other: texts
        for other, texts in columns.items()
        if other != name and not _numbers_rows(texts)
    }
    if named:
        others = {other: texts for other, texts in others.items() if not _COUNTS.fullmatch(other)}
    levels = {other: len(set(texts)) for other, texts in others.items()}
    if len(others) < 2 or any(few * 2 > rows and few > 2 for few in levels.values()):
        return False
    if len(set(zip(*others.values(), strict=True))) < rows:
        return False
    full = rows >= 8 and rows >= 0.6 * math.prod(levels.values())
    return named or (full and len(set(numbers)) * 2 > rows and sum(numbers) >= 5 * rows)


def _numbers_rows(texts: Sequence[str | None]) -> bool:
    """Say whether a column counts the rows, as R writes them, from 0 or 1."""
    return any(list(texts) == [str(i + first) for i in range(len(texts))] for first in (0, 1))


def _named(names: Sequence[str]) -> str:
    return first_of(list(map(shown, names)))
