"""The result of a count: the joint, and a report of the records used and left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.attributes import Attribute
from core.data.hierarchies import Hierarchy
from core.data.tables import Marks
from core.data.treatment.bins import Bins
from core.data.treatment.symbols import Coding
from core.errors import InvalidInputError
from core.joint import Joint
from core.validation import FloatArray, shown
from core.wording import first_of, listed, number_of, percent, records_in, were


class TooManyLevelsError(InvalidInputError):
    """A column has more levels than allowed; bins or grouping rare levels make them fewer."""


@dataclass(frozen=True)
class Grouped:
    """The number of rare levels of S or of X that were grouped into one, and of their records."""

    levels: int = 0
    records: int = 0


@dataclass(frozen=True)
class CountReport:
    """What a count did with the records; numbers are of records unless said otherwise.

    `n_total`: None where the data is a joint without records. `missing`: by column, after
    filtering. `marks`, `taken`: marks of missing numbers, and marks that were chosen as missing
    values. `as_levels`: words that often mark a missing value, and are levels here. `merged`,
    `left_out`, `unknown`: symbols with the name of their columns; `unknown` ones are to be merged
    or left out, and no record has them. `zero_cells`: number of pairs of a level of S and one of X
    that never occur, before S is released too. `left_open`: what the data leaves open. `alike`:
    symbols that look alike, with the name of their columns. `known`: the columns that others know,
    "" for none; `known_values`: the names of these values, by their number; `determined`: records
    whose S each of them knows by these alone. `rows`: how many rows stand for all records where a
    column says for how many each does, else None. `sampling`: the column of sampling weights, ""
    for none; `effective`: Kish's number of records of these; `unweighted`: rows of weight 0, left
    out. `person`: the column that names persons, "" for none; `most`: the most records of one;
    `repeated`: records left out because the person has an earlier one.
    """

    title: str
    secret: str
    released: str
    n_total: int | None
    n_used: int | None
    filtered: int = 0
    missing: tuple[tuple[str, int], ...] = ()
    dropped_missing: int = 0
    grouped_s: Grouped = Grouped()
    grouped_x: Grouped = Grouped()
    bins: tuple[Bins, ...] = ()
    marks: tuple[Marks, ...] = ()
    taken: tuple[Marks, ...] = ()
    as_levels: tuple[Marks, ...] = ()
    merged: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out_records: int = 0
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    hierarchies: tuple[Hierarchy, ...] = ()
    rare_levels: tuple[tuple[str, Grouped], ...] = ()
    zero_cells: int = 0
    left_open: tuple[str, ...] = ()
    alike: tuple[tuple[str, tuple[str, ...]], ...] = ()
    rows: int | None = None
    known: str = ""
    known_values: tuple[str, ...] = ()
    determined: int = 0
    sampling: str = ""
    effective: int | None = None
    unweighted: int = 0
    person: str = ""
    most: int = 1
    repeated: int = 0

    @property
    def size(self) -> str:
        """How many records were counted, and in how many rows where these stand for several."""
        if self.n_used is None:
            return "a distribution without records"
        if self.rows is None or self.n_used == self.n_total:
            return records_in(self.n_used, self.rows)
        return f"{self.n_used:,} of {records_in(self.n_total or 0, self.rows)}"

    def nameless(self) -> CountReport:
        """Return it without the names of symbols that are left out, which no release has."""
        gone = {name for _, names in self.left_out for name in names}
        alike = [(of, tuple(n for n in names if n not in gone)) for of, names in self.alike]
        return replace(
            self,
            left_out=tuple((of, ()) for of, _ in self.left_out),
            unknown=(),
            alike=tuple((of, names) for of, names in alike if len(names) > 1),
        )

    def sentences(self) -> tuple[str, ...]:
        result = [*self.left_open, *self._of_weights()]
        total = self.n_total or 0
        gone = [
            (self.filtered, "by filters"),
            (self.dropped_missing, "because a value is missing"),
        ]
        if self.left_out:
            parts = (f"{listed([*map(repr, n)]) or 'symbols'} of {of!r}" for of, n in self.left_out)
            gone.append((self.left_out_records, f"with {listed([*parts])}"))
        result += [
            f"{records:,} of {number_of(total, 'record')} ({_share(records, total)}) "
            f"{were(records)} left out {why}."
            for records, why in gone
            if records
        ]
        result += [marks.sentence() for marks in (*self.marks, *self.taken)]
        result += [marks.sentence(level=True) for marks in self.as_levels]
        if not self.dropped_missing:
            result += [
                f"{column!r} is missing in {number_of(rows, 'record')}, which counts as a level."
                for column, rows in self.missing
                if rows
            ]
        result += [hierarchy.sentence() for hierarchy in self.hierarchies]
        sides = ((self.secret, self.grouped_s), (self.released, self.grouped_x))
        for name, grouped in (*self.rare_levels, *sides):
            if grouped.levels:
                share = _share(grouped.records, self.n_used or 0)
                records = number_of(grouped.records, "record")
                what = "marked as rare" if grouped.levels == 1 else "grouped into one"
                result.append(
                    f"{number_of(grouped.levels, 'rare level')} of {name!r} with {records} "
                    f"({share}) {were(grouped.levels)} {what}."
                )
        if self.determined:
            share = _share(self.determined, self.n_used or 0)
            records = number_of(self.determined, "record")
            result.append(
                f"Anyone who knows {self.known!r} already knows {self.secret!r} for {records} "
                f"({share}): no promise covers them."
            )
        result += self._of_symbols()
        result += [
            f"{cut.column!r} has {number_of(len(cut.labels) - 2, 'bin')} instead of {cut.chosen}, "
            "because equal values stay together."
            for cut in self.bins
            if len(cut.labels) - 2 < cut.chosen
        ]
        return tuple(result)

    def _of_weights(self) -> list[str]:
        """Return what is to know of sampling weights, and of persons with several records."""
        result = []
        if self.effective is not None:
            records = number_of(self.n_used or 0, "record")
            result.append(
                f"Shares are weighted by {self.sampling!r}: {records} are worth about "
                f"{self.effective:,}. This n is Kish's approximation, so no confidence is claimed."
            )
        if self.unweighted:
            rows = number_of(self.unweighted, "row")
            result.append(f"{rows} with weight 0 {were(self.unweighted)} left out.")
        if self.most > 1:
            result.append(several(self.most))
        if self.repeated:
            records = number_of(self.repeated, "record")
            result.append(
                f"{records} {were(self.repeated)} left out: only one record of each person, "
                f"identified by {self.person!r}, counts."
            )
        return result

    def _of_symbols(self) -> list[str]:
        """Return a sentence for each group of symbols that are merged, unknown or alike."""
        result = [
            f"{listed([*map(repr, names)])} of {column!r} are merged into one symbol."
            for column, names in self.merged
        ]
        result += [
            f"No counted record has {first_of([*map(shown, names)], word='or')} of {column!r}, "
            "which the question merges or leaves out."
            for column, names in self.unknown
        ]
        result += [
            f"{first_of([*map(shown, names)])} of {column!r} look alike but are separate symbols."
            for column, names in self.alike
        ]
        return result


def several(most: int) -> str:
    """Say that a promise is not one for a person with so many records."""
    return f"Up to {most:,} records a person: a promise for one record is not one for a person."


def _share(part: int, whole: int) -> str:
    share = part / whole if whole else 0.0
    return percent(share, 1 if 0 < share < 0.1 else 0)


@dataclass(frozen=True, eq=False)
class CountedTask:
    """The distribution P(t | x), shape (n_t, n_x), of a task T whose columns are its `title`."""

    title: str
    labels: tuple[str, ...]
    p_t_given_x: FloatArray


@dataclass(frozen=True, eq=False)
class Counted:
    """A joint distribution and how it was counted.

    `x_values`: shape (n_x,), where X is one numeric column: its values, or the middles of its bins.
    `attributes`: of an X that is a product; the joint then has all combinations, in C order, and
    its `x_shape` is their sizes. `codings`: how records become symbols of S and of X (of U, where S
    is released too); empty where the data is a joint without records.
    """

    joint: Joint
    report: CountReport
    x_values: FloatArray | None = None
    attributes: tuple[Attribute, ...] = ()
    task: CountedTask | None = None
    codings: tuple[Coding, ...] = ()
