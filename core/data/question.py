"""The first question about new data: columns for S and X that can be counted at once."""

from __future__ import annotations

import re
from dataclasses import replace

from core.data.catalogue import BUNDLED
from core.data.joints import EXAMPLES
from core.data.options import AS_IT_IS, ReadOptions
from core.data.readers.describe import ColumnInfo, TableInfo, describe, recognised
from core.data.readers.names import FIRST
from core.data.readers.sources import Sources
from core.data.spec import Binning, DataSpec

_PERSON = re.compile(
    r"(?i)(?:person(?:ne)?|patient|proband|respondent|participant|individual|user|customer|client"
    r"|student|pupil|employee)[\W_]*(?:id|n[ro]|num(?:ber)?|code|key)?|id|uuid|guid|identifier"
)
"""Names of columns that may say whose record it is: person, patient_nr, id."""

FEW = 50
"""Most levels of a column that is chosen without bins."""


def first_question(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> DataSpec:
    """Choose S and X for a source: those of its catalogue entry, or two columns with few levels."""
    for entry in BUNDLED:
        if entry.id == source:
            return DataSpec(source, entry.secret, entry.released, read=read)
    read = recognised(source, sources, read) if source.startswith("upload:") else read
    info = describe(source, sources, read)
    if info is not None:
        return replace(_of_table(source, info), read=read)
    released = any(entry.secret_released for entry in EXAMPLES if source == f"example:{entry.id}")
    return DataSpec(source, (), (), secret_released=released)


def easiest(info: TableInfo) -> list[tuple[str, tuple[Binning, ...]]]:
    """Return a table's columns with their binnings, those with fewest levels to handle first."""
    return [
        (column.name, (Binning(column.name),) if column.numeric and column.levels > FEW else ())
        for column in sorted(info.columns, key=lambda column: _effort(column, info.rows))
    ]


def _of_table(source: str, info: TableInfo) -> DataSpec:
    """Choose the first two columns of `easiest`, in the file's order."""
    cuts = dict(easiest(info)[:2])
    chosen = [column.name for column in info.columns if column.name in cuts]
    binnings = tuple(cut for name in chosen for cut in cuts[name])
    return DataSpec(source, (chosen[0],), (chosen[-1],), binnings=binnings)


def _effort(column: ColumnInfo, rows: int) -> int:
    """Return a column's rank for `easiest`: 0 for few levels, 1 for numbers, 2 for many levels.

    3: numbers that seem to name records, and what may name persons, of whom there are more than
    two. 4: text that seems to name records, a single level, or an unnamed numbering.
    """
    counts = column.name.startswith(FIRST) and column.numeric and column.levels == rows
    if column.levels < 2 or counts or (column.identifier and not column.numeric):
        return 4
    if column.identifier or (column.levels > 2 and _PERSON.fullmatch(column.name)):
        return 3
    if column.levels <= FEW:
        return 0
    return 1 if column.numeric else 2
