"""Preview the bins of a column before they are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.joints import JointSource
from core.data.options import ReadOptions
from core.data.readers.sources import AS_IT_IS, Sources
from core.data.spec import Binning, Filter
from core.data.tables import as_number, filtered, open_table
from core.data.treatment.bins import Bins, bin_index, cut
from core.errors import InvalidInputError


@dataclass(frozen=True)
class BinPreview:
    """A column's bins and the number of records in each.

    Attributes
    ----------
    bins : Bins
        Edges and labels.
    counts : tuple of int
        Number of records in each of the k + 2 levels: below the first edge, the k bins, above the
        last edge.
    missing : int
        Number of records without a number.
    """

    bins: Bins
    counts: tuple[int, ...]
    missing: int

    def shown(self) -> tuple[tuple[str, int], ...]:
        """Return labels and counts of the bins, and of the open ends where there are records."""
        last = len(self.counts) - 1
        pairs = enumerate(zip(self.bins.labels, self.counts, strict=True))
        return tuple(pair for i, pair in pairs if pair[1] or 0 < i < last)


def preview(
    source: str,
    binning: Binning,
    filters: Sequence[Filter] = (),
    sources: Sources | None = None,
    read: ReadOptions = AS_IT_IS,
) -> BinPreview:
    """Cut a column and count its bins.

    Parameters
    ----------
    source : str
        The data, as in a `DataSpec`.
    binning : Binning
        The column and how to cut it.
    filters : sequence of Filter
        Only records that pass all of them are counted.
    sources : Sources, optional
        The session's uploads.
    read : ReadOptions, optional
        How the data is read.

    Raises
    ------
    InvalidInputError
        If there is no such data or column, or it holds no numbers.

    Examples
    --------
    >>> preview("adult", Binning("age", "width", 2)).shown()
    (('[17, 53.5)', 27638), ('[53.5, 90]', 4923))
    """
    columns = (binning.column, *(one.column for one in filters))
    file = (sources or Sources()).open(source, columns, read)
    if isinstance(file, JointSource):
        raise InvalidInputError(f"{file.title} has no columns to cut into bins.")
    with open_table(file) as table:
        records = filtered(table, filters)
        bins = cut(table, records, binning)
        number = as_number(table.column(binning.column))
        numbers = records.select(number=number, **table.weight())
        levels = numbers.mutate(level=bin_index(numbers.number, bins))
        rows = table.rows(levels.group_by("level").agg(n=table.number(levels)))
    found = {row["level"]: row["n"] for row in rows}
    counts = tuple(found.get(i, 0) for i in range(len(bins.labels)))
    return BinPreview(bins, counts, found.get(None, 0))
