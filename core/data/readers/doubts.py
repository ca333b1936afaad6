"""What a table's values leave open: marks of thousands or decimals, rows of totals or counts.

The page asks each before it counts, and every count reports those that are not answered.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import ibis

from core.data.joints import JointSource
from core.data.options import AS_IT_IS, MOST_MARKS, ColumnOptions, ReadOptions
from core.data.readers.converted import no_count
from core.data.readers.describe import MOST_WORDS
from core.data.readers.marks import (
    SUPPRESSED,
    first_rows_of,
    histogram,
    is_flagged,
    is_suppressed,
    per_column,
)
from core.data.readers.names import count_up
from core.data.readers.sources import Sources
from core.data.readers.totals import (
    MOST_CROSSED,
    asides,
    code_columns,
    first_texts,
    levels_of,
    total_columns,
)
from core.data.tables import (
    BLANKS,
    FileTable,
    OpenTable,
    as_number,
    as_text,
    is_mark,
    open_table,
    plain_text,
)
from core.errors import Choice, choice
from core.texts import FLAG_END, TOTAL, group_mark, number, number_pattern
from core.validation import shown
from core.wording import first_of, listed, number_of

MOST_ROWS = 5_000
"""Most rows of a table that may be counts: each stands for a combination of levels."""

LEAST_ROWS = 4
"""Fewest such rows."""

_COUNTS = re.compile(
    r"(?i)(?:freq(?:uency|uencies)?|counts?|n|nb(?:re)?|num(?:ber)?s?|fälle|häufigkeit(?:en)?"
    r"|nombre|effectifs?|frequenz|frecuencia|cantidad|casos|numero|número|aantal|antal|antall"
    r"|liczba|počet|weights?|wt|weighting|gewicht|poids|cases|persons|people|population|totals?"
    r"|(?:un)?weighted[ _.-](?:n|counts?|cases|freq\w*|population|total)|records"
    r"|observations|obs|(?:obs_)?value|valore?|valeur|wert|waarde|personen|einwohner"
    r"|(?:.*an|fall|personen|einwohner|bevölkerungs)zahl(?:en)?|bevölkerung|población|população"
    r"|residenti|deaths|births|staff|числ\w*|население|(?:人口|人数)\w*)"
    r"(?:[0-9]+|[ _.:-]+(?:(?:of|der|de)[ _.:-]+)?\w+|(?-i:(?<=[a-z])[A-Z]\w*))?(?: ?[(\[].*)?"
)
"""Names of columns of counts."""

_AMOUNTS = re.compile(r"(?i)\W*(?:obs_)?val|wert|waarde|total")
"""Names of those that are as often amounts or rates where they are not whole numbers."""


@dataclass(frozen=True)
class OpenQuestion:
    """An open question about a table's values, or about some `columns`, and what answers it."""

    sentence: str
    choices: tuple[Choice, ...]
    columns: tuple[str, ...] = ()


def questions_about(
    source: str, sources: Sources | None = None, read: ReadOptions = AS_IT_IS
) -> tuple[OpenQuestion, ...]:
    """Return what is open about a source's values, as they are read; nothing of a joint."""
    file = (sources or Sources()).open(source, (), read)
    if isinstance(file, JointSource) or not file.reports_doubts:
        return ()
    with open_table(file) as table:
        return open_questions(table, read)


def open_questions(table: OpenTable, read: ReadOptions) -> tuple[OpenQuestion, ...]:
    """Return what is open about a table's values, as they are read."""
    names = table.texts
    first = min(first_rows_of(names), MOST_ROWS)
    seen = per_column(table, names, _seen, first)
    pointed = [name for name in names if seen[name]["pointed"]]
    flagged = [name for name in names if seen[name]["flagged"] and not read.of(name).kind]
    marks = (
        *_points(per_column(table, pointed, _forms, first), read),
        *_flags(per_column(table, flagged, partial(_flagged, read), first), read),
    )
    if any(kind.is_nested() for kind in table.types.values()):
        return marks
    lead = table.file.columns[0]
    gaps = seen.get(lead) or per_column(table, [lead], _gaps, first)[lead]
    if gaps["blank"] and (above := _above(table, first, read)):
        return (*marks, above)  # totals and counts are by names, which a blank has above
    if out := tuple(_totals(table, any(column["total"] for column in seen.values()), read)):
        return (*marks, *out)  # what is left out is no count either
    if read.weight is not None or read.sampling or read.cells or table.file.counted:
        return marks
    return (*marks, *(_cells(table, read) or _counts(table, read)))


def _is_pointed(text: Any) -> Any:
    return text.re_search(r"^[+-]?[0-9]+[.,][0-9.,]*$")


def _seen(column: Any) -> dict[str, Any]:
    """Return how many values name totals, have points or commas, have a mark, or are blank."""
    text = plain_text(column)
    total = text.re_search(f"^(?:{TOTAL.pattern})$")
    return {
        "total": total.sum(),
        "pointed": _is_pointed(text).sum(),
        "flagged": is_flagged(column).sum(),
        **_gaps(column),
    }


def _gaps(column: Any) -> dict[str, Any]:
    return {"blank": as_text(column).isnull().sum()}


def _forms(column: Any) -> dict[str, Any]:
    """Return how many values have a mark before three digits, and how many are of another form.

    Marks of missing and suppressed numbers are of none.
    """
    text = plain_text(column)
    pointed = _is_pointed(text)
    none = text.re_search(r"^[+-]?[0-9]+$") | is_mark(column) | is_suppressed(column)
    counts = {"others": ibis.ifelse(pointed, False, text.notnull() & ~none).sum()}
    for mark in ".,":
        form = text.re_search(rf"^[+-]?[1-9][0-9]{{0,2}}(\{mark}[0-9]{{3}})+$")
        groups = ibis.ifelse(pointed, form, False)
        counts[mark] = groups.sum()
        counts[f"not {mark}"] = (pointed & ~groups).sum()
        counts[f"such {mark}"] = text.max(where=groups)
    return counts


def _points(forms: Mapping[str, Mapping[str, Any]], read: ReadOptions) -> Iterator[OpenQuestion]:
    """Ask what points or commas mean that have three digits behind them throughout."""
    if (read.decimal, read.thousands) != (".", ""):
        return
    columns = {name: n for name, n in forms.items() if not (read.of(name).kind or n["others"])}
    for mark, called, are_now in ((".", "point", "decimals"), (",", "comma", "text")):
        some = [name for name, n in columns.items() if n[mark] and not n[f"not {mark}"]]
        if not some:
            continue
        example = columns[some[0]][f"such {mark}"]
        plain = tuple(ColumnOptions(name, "number") for name in some)
        decimals = {"decimal": ","} if mark == "," else {"columns": (*read.columns, *plain)}
        yield OpenQuestion(
            f"{_named(some)} {'has' if len(some) == 1 else 'have'} three digits after every "
            f"{called}, as in {example}. These may be thousands or decimals; they are read as "
            f"{are_now}.",
            (
                choice(
                    f"{example} is {example.replace(mark, '')}",
                    decimal="," if mark == "." else ".",
                    thousands=mark,
                ),
                choice(f"{example} is a decimal", **decimals),
            ),
            tuple(some),
        )


def _flagged(read: ReadOptions, column: Any) -> dict[str, Any]:
    """Return how many values are numbers, which have a mark behind, and which mean a missing one.

    `others`: how many are neither.
    """
    text = plain_text(column)
    plain = text.re_search(f"^{number_pattern(read.decimal, read.thousands)}$")
    flagged = is_flagged(column)
    missing = is_mark(column) | is_suppressed(column)
    return {
        "plain": plain.sum(),
        "flagged": flagged.sum(),
        "example": text.min(where=flagged),
        "flags": text.re_extract(FLAG_END, 1).nunique(where=flagged),
        "missing": histogram(as_text(column), where=missing & ~plain),
        "others": (text.notnull() & ~plain & ~flagged & ~missing).sum(),
    }


def _flags(columns: Mapping[str, Mapping[str, Any]], read: ReadOptions) -> Iterator[OpenQuestion]:
    """Ask what marks behind a few numbers mean, as of provisional ones."""
    for name, seen in columns.items():
        example = seen["example"]
        words = tuple({*(seen["missing"] or ()), *(read.marks_of(name) or ())}) or None
        few = seen["flagged"] <= seen["plain"] and seen["flags"] <= MOST_WORDS
        if seen["others"] or not few or len(words or ()) > MOST_MARKS:
            continue
        plain = ColumnOptions(name, "flagged", missing=words)
        yield OpenQuestion(
            f"{shown(name)} has numbers, some followed by a mark, as in {example}; now all are "
            "read as text.",
            (
                choice(
                    f"Read {example} as {re.sub(FLAG_END, '', example)}",
                    columns=(*read.columns, plain),
                ),
                choice("They are text", columns=(*read.columns, ColumnOptions(name, "text"))),
            ),
            (name,),
        )


def _above(table: OpenTable, most: int, read: ReadOptions) -> OpenQuestion | None:
    """Ask whether a blank in the first columns stands for the value above."""
    file = table.file
    if read.above is not None or file.counted or file.rows < LEAST_ROWS:
        return None
    columns = first_texts(table, most)
    filled = list[str]()
    for name in file.columns[:-1]:
        if not _heads_blocks(columns, name, filled):
            break
        filled.append(name)
    if not filled:
        return None
    have = "has" if len(filled) == 1 else "have"
    return OpenQuestion(
        f"{_named(filled)} {have} a value in the first row of each group, and blanks below it. "
        "These may stand for the value above; now they count as missing.",
        (
            choice("Fill blanks from above", above=tuple(filled)),
            choice("Leave blanks missing", above=()),
        ),
    )


def _heads_blocks(columns: Mapping[str, Sequence[str | None]], name: str, outer: list[str]) -> bool:
    """Say whether a column has values in the first rows of groups alone, within those of others."""
    cells = columns[name]
    heads = [i for i, cell in enumerate(cells) if cell is not None]
    groups = sum(TOTAL.fullmatch(cell) is None for cell in cells if cell is not None)
    if heads[:1] != [0] or not 2 <= groups <= cells.count(None):
        return False
    if any(cells[i] is None for other in outer for i, cell in enumerate(columns[other]) if cell):
        return False
    inner = [texts for other, texts in columns.items() if other not in (*outer, name)]
    beside = [sum(texts[i] is not None for texts in inner) for i in range(len(cells))]
    if not all(beside[i] for i in range(len(cells)) if cells[i] is None):
        return False
    if 2 * sum(not beside[i] for i in heads) > len(heads):
        return False  # these are headings
    begun = [0] * len(cells)
    if outer:
        begun = list(accumulate(cell is not None for cell in columns[outer[-1]]))
    return len({(begun[i], cells[i]) for i in heads}) == len(heads)


def _totals(table: OpenTable, named: bool, read: ReadOptions) -> Iterator[OpenQuestion]:
    """Ask whether rows that are called totals, or are sums of others, are records.

    `named`: whether any is called so; if none is, a long table is not searched.
    """
    file = table.file
    if file.counted and not (read.weight or read.cells):
        return
    if read.omit is not None or len(file.columns) < 2:
        return
    if file.rows > MOST_ROWS and not named:
        return
    summary = asides(first_texts(table, MOST_ROWS))
    if not summary.called:
        return
    single = summary.rows == 1
    total = "a total of others" if single else "totals of others"
    may = total if summary.totals else "totals, headings or parts of others"
    counts = "counts as a record" if single else "count as records"
    records = choice("It is a record" if single else "They are records", omit=())
    out = choice(f"Leave {'it' if single else 'them'} out", omit=summary.called)
    few = len(summary.called) <= MOST_MARKS
    yield OpenQuestion(
        f"{number_of(summary.rows, 'row')} may be {may}, but {counts}: {_named(summary.called)}.",
        (out, records) if few else (records,),
    )


def _cells(table: OpenTable, read: ReadOptions) -> tuple[OpenQuestion, ...]:
    """Ask whether cells count records, as in a cross table: each row has its own name."""
    file = table.file
    if read.cells is not None or not 1 < file.rows <= MOST_CROSSED:
        return ()
    if not 2 < len(file.columns) <= MOST_CROSSED:
        return ()
    labels: list[Sequence[str | None]] = []
    counts, marks = dict[str, list[float]](), set[str]()
    columns = _plain_texts(table, read, MOST_CROSSED)
    totals = total_columns(columns)
    codes = code_columns(columns)
    for name, texts in columns.items():
        if count_up(texts) and _INDEX.fullmatch(name):
            continue
        values = [n for text in texts if text is not None and (n := number(text)) is not None]
        others = {text for text in texts if text is not None and number(text) is None}
        marked = 2 * len(values) >= len(texts) and all(map(_is_mark, others))
        coded = name in codes or _name_rows_in_order(texts, first=not labels)
        if not (marked and values) or coded:
            labels.append(texts)
        elif name in totals or _SHARES.search(name):
            continue
        elif not all(n >= 0 and n == int(n) for n in values):
            return ()
        else:
            counts[name] = values
            marks |= others
    enough = sum(map(sum, counts.values())) >= 5 * file.rows * len(counts)
    if len(counts) < 2 or not enough or not _name_rows(labels, list(counts.values())):
        return ()
    return (
        OpenQuestion(
            f"Each row has its own name, and whole numbers in {_named(list(counts))}. These may "
            "count records, as in a cross table; now each row counts as one.",
            (
                _count_cells("Each cell counts records", tuple(counts), marks, file),
                choice("Each row is one record", cells=()),
            ),
        ),
    )


def _plain_texts(table: OpenTable, read: ReadOptions, most: int) -> dict[str, Sequence[str | None]]:
    """Return the first texts of columns, numbers without their marks of thousands.

    Where a column has other words too, its numbers are texts until these are missing.
    """
    columns = first_texts(table, most)
    known = re.compile(number_pattern(read.decimal, read.thousands))
    group = re.compile(group_mark(read.thousands) if read.thousands else "$^")
    return {
        name: texts
        if name not in table.texts
        else [
            group.sub("", text).replace(read.decimal, ".")
            if text is not None and known.fullmatch(text)
            else text
            for text in texts
        ]
        for name, texts in columns.items()
    }


def _count_cells(label: str, columns: Sequence[str], marks: set[str], file: FileTable) -> Choice:
    """Offer to count by the cells of columns, where marks stand for no number."""
    if all(mark.lower() in BLANKS for mark in marks):
        return choice(label, cells=tuple(columns))
    usual = {word for own in file.marks if own.column in columns for word in own.words}
    missing = sorted(marks | usual)
    but = f"{label}, except for {listed(list(map(shown, missing)))}"
    return choice(but, cells=tuple(columns), missing=tuple(missing))


_SHARES = re.compile(r"(?i)%|per ?cent|prozent|pour ?cent|porcent|shares?\b|rates?\b|anteil|taux")
"""Names of columns whose whole numbers count nothing."""

_INDEX = re.compile(r"(?i)column 1|row ?names?|rows?|index|id|nr\.?|no\.?|#|unnamed: 0|obs|case")
"""Names of columns that number the rows."""

_MARKS = re.compile(SUPPRESSED)


def _is_mark(text: str) -> bool:
    """Say whether a text often stands for a number that is missing or not published."""
    return text.lower() in BLANKS or _MARKS.match(text) is not None


def _name_rows_in_order(texts: Sequence[str | None], *, first: bool) -> bool:
    """Say whether numbers name rows: years, codes with zeros before, a `first` column in order."""
    values = [number(text) for text in texts if text is not None]
    numbers = [value for value in values if value is not None]
    if all(1800 <= value <= 2100 for value in numbers):
        return True
    if any(re.match("0[0-9]", text) for text in texts if text is not None):
        return True
    rising = len(numbers) == len(texts) and all(a < b for a, b in pairwise(numbers))
    return rising and (first or count_up(texts))


def _name_rows(labels: Sequence[Sequence[str | None]], counts: Sequence[Sequence[float]]) -> bool:
    """Say whether columns name rows as those of a cross table do, and not as of people.

    Their levels are crossed, or one names each row, and others groups of rows that follow each
    other, or numbers of each column are of very different size.
    """
    rows = len(labels[0]) if labels else 0
    kinds = set(map(levels_of, labels))
    distinct = tuple(range(rows))
    if distinct in kinds:
        groups = [levels for levels in kinds if levels != distinct]
        wide = all(
            max(column) >= 10 * min((n for n in column if n), default=1) for column in counts
        )
        follow = all(list(levels) == sorted(levels) for levels in groups)
        return follow or wide
    return rows > 0 and _are_crossed(kinds, rows)


_CROSSED = 0.6
"""Share of the combinations of levels that are there from which rows are a table of these."""

_SPARSE = 0.01
"""The same of thousands of rows: were they people, some combinations would occur again."""


def _are_crossed(kinds: set[tuple[int, ...]], rows: int, least: float = _CROSSED) -> bool:
    """Say whether enough combinations of columns' levels are there, each in one row."""
    crossed = [levels for levels in kinds if not any(_follows(levels, other) for other in kinds)]
    full = rows >= least * math.prod(len(set(levels)) for levels in crossed)
    return full and rows == len(set(zip(*crossed, strict=True)))


def _follows(levels: Sequence[int], other: Sequence[int]) -> bool:
    """Say whether another column's level gives this one's, and not the other way."""
    return len(set(levels)) < len(set(other)) == len(set(zip(levels, other, strict=True)))


def _counts(table: OpenTable, read: ReadOptions) -> tuple[OpenQuestion, ...]:
    """Ask whether rows stand for several records, where every combination occurs once."""
    file = table.file
    if file.weigher:
        return (_weighed(table, file.weigher),)
    if file.rows < LEAST_ROWS or len(file.columns) < 3:
        return ()
    most, where = MOST_ROWS, ""
    if file.rows > MOST_ROWS:
        if not any(map(_is_count, file.columns)):
            return ()
        most = min(MOST_ROWS, first_rows_of(file.columns))
        where = f" in the first {most:,} rows"
    columns = _plain_texts(table, read, most)
    likely = [name for name in columns if _stand_for_records(name, columns, whole=not where)]
    if not likely:
        return ()
    choices = [_count_by(name, columns[name], file) for name in likely[:3]]
    return (
        OpenQuestion(
            f"Each combination of the other columns occurs once{where}. {_named(likely)} may count "
            "the records that a row stands for; now each row counts as one.",
            (*choices, _ONE_EACH),
        ),
    )


def _is_count(name: str) -> bool:
    return _COUNTS.fullmatch(name.strip()) is not None


def _count_by(name: str, texts: Sequence[str | None], file: FileTable) -> Choice:
    """Offer to count by a column; a row without a number then has no records.

    Fractions weight rows.
    """
    numbers = (number(text) for text in texts if text is not None)
    if not all(n is None or n.is_integer() for n in numbers):
        return choice(f"Weight by {name} (not all whole numbers)", sampling=name)
    marks = {text for text in texts if text is not None and number(text) is None}
    if marks or None in texts:
        return _count_cells(f"Count by {name}", [name], marks, file)
    return choice(f"Count by {name}", weight=name)


def _weighed(table: OpenTable, name: str) -> OpenQuestion:
    """Ask whether the records are to be counted by the column that their program weighs them by."""
    wrong = no_count(as_number(table.column(name)))
    sentence = f"The file weights its records by {shown(name)}"
    if table.row(table.records.aggregate(n=wrong.sum()))["n"]:
        sentence += ". Not all are whole numbers: these may be sampling weights."
        return OpenQuestion(sentence, (choice(f"Weight by {name}", sampling=name), _ONE_EACH))
    count = choice(f"Count by {name}", weight=name)
    return OpenQuestion(f"{sentence}; now each row counts as one.", (count, _ONE_EACH))


_ONE_EACH = choice("Each row is one record", weight="")


def _stand_for_records(
    name: str, columns: Mapping[str, Sequence[str | None]], *, whole: bool
) -> bool:
    """Say whether a column may be the numbers of records of its rows; `whole`: of all of them."""
    texts, rows = columns[name], len(columns[name])
    values = [number(text) for text in texts if text is not None]
    numbers = [n for n in values if n is not None]
    if min(numbers, default=0) < 0 or max(numbers, default=0) < 2:
        return False
    named = _is_count(name)
    if not all(map(float.is_integer, numbers)):
        named = named and _AMOUNTS.match(name) is None and len(numbers) == rows
        if not named:
            return False
    if len(numbers) < rows and not (named and 2 * len(numbers) >= rows and _marked(texts)):
        return False
    others = {
        other: texts for other, texts in columns.items() if other != name and not count_up(texts)
    }
    if named:
        others = {other: texts for other, texts in others.items() if not _is_count(other)}
    filled = (texts for texts in others.values() if 2 * texts.count(None) < rows)
    kinds = {levels_of(texts) for texts in filled} - {tuple(range(rows))}
    crossed = _CROSSED if whole else _SPARSE
    if named and 2 <= len(kinds) <= _MOST_KINDS and _are_crossed(kinds, rows, crossed):
        return True  # whatever numbers the rows, or says how sure a few are
    if not whole:
        return False
    levels = {other: len(set(texts)) for other, texts in others.items()}
    if len(others) < 2 or any(few * 2 > rows and few > 2 for few in levels.values()):
        return False
    if len(set(zip(*others.values(), strict=True))) < rows:
        return False
    full = rows >= 8 and rows >= _CROSSED * math.prod(levels.values())
    return named or (full and len(set(numbers)) * 2 > rows and sum(numbers) >= 5 * rows)


_MOST_KINDS = 12
"""Most columns that are compared with each other."""


def _marked(texts: Sequence[str | None]) -> bool:
    """Say whether all texts that are no numbers are marks of a number that is missing."""
    return all(_is_mark(text) for text in texts if text is not None and number(text) is None)


def _named(names: Sequence[str]) -> str:
    return first_of(list(map(shown, names)))
