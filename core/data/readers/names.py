"""Where a table's names and records are: the names' lines, what is above and below, and columns.

What has one evident reading is read that way, and each repair is reported with what undoes it.
Anything ambiguous raises a `ReadingError`, whose choices ask for one reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.data.options import MOST_JOINED, Repair, repaired
from core.data.readers.dialect import LINE_END, Row
from core.data.tables import check_columns
from core.errors import Choice, InvalidInputError, ReadingError, choice
from core.texts import FLAGGED, TOTAL, any_number, are_series, is_any_number, stripped
from core.validation import shown
from core.wording import first_of, free_name, listed, number_of, were

FIRST = "column 1"
"""Name of a first column without a name, in which many programs write row numbers."""

JOINED = " · "
"""Between the parts of names that stand in several lines."""

SHOWN = 12
"""Most lines that are shown to choose the names from."""

HEAD = 2_000
"""Most first rows by which the names are found."""

_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b.*|\d{1,2}:\d{2}(:\d{2})?")

_MARK = re.compile(r"(?i)[^\w]+|na|n/a|n\.a\.|nan|null|none|x|k\. ?a\.|n\.d\.|s|c|nd")
"""Texts in a column of numbers that mean a missing one."""

_IN_BRACKETS = re.compile(r"[(\[][A-Za-z]+[)\]]")
"""Marks such as [c] for confidential; above a column of numbers these are units."""

_NOTE = re.compile(
    r"(?i)\W*(?:sources?|quellen?|fuentes?|fonte|bron|källa|kilde|lähde|zdroj|źródło|notes?|nota"
    r"|remarks?|anmerkung|hinweis|bemerkung|stand|legende?|copyright|generated|created|erstellt"
    r"|last updated?|updated|aktualis|data extracted|extracted|export)\b.*|[*†©¹²³!].*"
    r"|\(?\d\)\s.*|\d{1,2}\.\s+(?:\S+\s+){3,}.*|注[\d１-９ ]*[)）].*"
    r"|(?:[^\W\d_]+\s){0,2}[^\W\d_]+\s?[:：](?!\d).*"
    r"|[-=_+|: ]{3,}|\(\d+ rows?( affected)?\)"
)
"""What a note below a table begins with: also up to three words before a colon."""


_FLAGGED = re.compile(FLAGGED)

_RULE = re.compile(r"[-=_+:]{3,}")
"""A line drawn by characters, within one field."""


Placed = tuple[tuple[int, ...], int, tuple[Repair, ...], tuple[Choice, ...]]
"""Places of the names and of the first record among rows, repairs, and what else may be meant."""


def find_names(rows: Sequence[Row], width: int, name: str) -> Placed:
    """Find the names among a table's first rows; raise where more than one row may have them."""
    if lacks_first(rows[0][1], rows[1:], width):
        if count_up([row[0] for _, row in rows[1:HEAD]]):
            return (0,), 1, (), ()
        raise _first_or_last(rows, name)
    if width == 1 and (gap := _first_gap(rows)):
        raise _apart(rows, 0, gap, name)
    first = titles(rows, width)
    rows = rows[: first + HEAD]
    above, (line, cells) = rows[:first], rows[first]
    body = [row for _, row in rows[first + 1 :] if not same_names(row, cells)]
    columns = _columns(body, width)
    below = _names_below(rows, first, width) or _fills_gaps(rows, first)
    if width == 2 and (about := _about(rows)) > first + below + 1:
        raise _without_about(rows, about, name)
    if below == 1 and _is_rule(rows[first + 1][1]):
        below = 0
    is_record = bool(body) and _likeness(cells, columns) > 0
    if any(not _is_title(row, width) for _, row in above):
        why = "more than one line may hold the names"
        raise _question(rows, first, below, name, why, unnamed=is_record)
    if not below and _is_prose(cells, body):
        why = f"line {line:,} may be a title with commas"
        raise _question(rows, first, 1, name, why)
    if is_record:
        why = f"line {line:,} may hold the names or be a record"
        raise _question(rows, first, below, name, why, unnamed=True)
    if below:
        lines = _lines(rows[first + 1 : first + 1 + below])
        what = f"line{'' if len(lines) == 1 else 's'} {_numbers(lines)}"
        why = f"{what} may hold names, questions or units, not records"
        raise _question(rows, first, below, name, why)
    if apart := _after_gap(rows, first, width):
        raise _apart(rows, first, apart, name)
    repairs = []
    hints: tuple[Choice, ...] = ()
    if above:
        if above[-1][0] == line - 1 and len(above[-1][1]) == width and above[-1][1][0].strip():
            both = line - 1, line  # a line of the table's own form: it may name a group of columns
            hints = (_joining(both),)
        sentence = f"{number_of(len(above), 'line')} above the names {were(len(above))} left out"
        repairs.append(repaired(f"{sentence}.", header=(rows[0][0],), pad="pad"))
    start = first + 1
    if start < len(rows) - 1 and _is_rule(rows[start][1]):
        start += 1
        drawn = any(_RULE.fullmatch(cell.strip()) for cell in rows[start - 1][1])
        what = "a rule" if drawn else "numbers of columns"
        sentence = f"Line {rows[start - 1][0]:,}, {what} below the names, was left out."
        repairs.append(repaired(sentence, header=(line,)))
    return (first,), start, tuple(repairs), hints


def _is_prose(cells: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Say whether blanks follow a row's delimiters, and none below, where names may be."""
    if len(body) < 4 or not any(cell.startswith(" ") for cell in cells[1:]):
        return False
    if any(cell.startswith(" ") for row in body[:200] for cell in row[1:]):
        return False
    names, *rest = body
    seen = [{row[i].strip() for row in rest if i < len(row)} for i in range(len(names))]
    new = all(name.strip() not in values for name, values in zip(names, seen, strict=True))
    return new and all(name.strip() for name in names) and not any(map(is_any_number, names))


def may_be_names(rows: Sequence[Row], width: int) -> bool:
    """Say whether the first row is of another kind than what is below it."""
    body = [row for _, row in rows[1:HEAD]]
    return bool(body) and _likeness(rows[0][1], _columns(body, width)) < 0


def lacks_first(names: Sequence[str], rows: Sequence[Row], width: int) -> bool:
    """Say whether all records have a field more than the names, as R writes names of rows."""
    if not len(names) == width - 1 > 1 or not all(name.strip() for name in names):
        return False
    some = rows[:HEAD]
    return bool(some) and all(len(row) == width and row[-1].strip() for _, row in some)


def count_up(cells: Sequence[str | None]) -> bool:
    """Say whether cells count the rows from 0 or 1, as R writes them."""
    counts = [cell and cell.strip() for cell in cells]
    return any(counts == [str(i + first) for i in range(len(counts))] for first in (0, 1))


def _first_or_last(rows: Sequence[Row], name: str) -> ReadingError:
    """Return the question which column has no name."""
    why = "each record has one more field than there are names: choose which column has no name"
    header = (rows[0][0],)
    first = choice("The first column has no name", header=header)
    last = choice("The last column has no name", header=header, kept=("shift",))
    return _ask(rows, name, why, first, last, UNNAMED)


def _is_rule(row: Sequence[str]) -> bool:
    """Say whether a row is a line drawn by characters, or has the numbers of columns: (1), (2)."""
    filled = [cell.strip() for cell in row if cell.strip()]
    numbered = len(filled) > 1 and filled == [f"({i + 1})" for i in range(len(row))]
    return numbered or (bool(filled) and all(map(_RULE.fullmatch, filled)))


def _first_gap(rows: Sequence[Row]) -> int:
    """Return the place of a row behind the first blank lines, of those that may be names."""
    if _are_spaced(rows):
        return 0
    last = min(MOST_BELOW + 1, len(rows))
    return next((place for place in range(1, last) if _is_after_gap(rows, place)), 0)


def _is_after_gap(rows: Sequence[Row], place: int) -> bool:
    """Say whether blank lines are above a row."""
    before, cells = rows[place - 1]
    return rows[place][0] - before > lines_of(cells)


def _after_gap(rows: Sequence[Row], first: int, width: int) -> int:
    """Return the place of a row behind blank lines or titles that may hold the names instead.

    Return 0 for none.
    """
    for place in range(first + 1, min(first + 1 + MOST_BELOW, len(rows) - 2)):
        titled = place > first + 1 and _texts(rows[place - 1][1]) == 1
        if not (titled or _is_after_gap(rows, place)):
            continue
        if same_names(rows[place][1], rows[first][1]):
            return 0
        own = _columns([row for _, row in rows[first + 1 : place]], width)
        if _likeness(rows[first][1], own) < 0:
            return 0  # a table of its own, with another one below
        full = _is_full(rows[place][1], _used(rows[place:], width))
        if full and may_be_names(rows[place:], width):
            return place
    return 0


def _apart(rows: Sequence[Row], first: int, place: int, name: str) -> ReadingError:
    """Return the question which of two lines holds the names."""
    upper, lower = rows[first][0], rows[place][0]
    why = f"the names may be in line {upper:,} or in line {lower:,}: choose the line with the names"
    return _ask(rows, name, why, names_in(lower), names_in(upper))


def lines_of(row: Sequence[str]) -> int:
    """Return how many lines a record takes."""
    return 1 + sum(len(LINE_END.findall(cell)) for cell in row)


def titles(rows: Sequence[Row], width: int) -> int:
    """Return how many first rows are titles; 0 where none may be names."""
    used = _used(rows, width)
    return next((i for i, (_, row) in enumerate(rows) if _is_full(row, used)), 0)


def same_names(row: Sequence[str], names: Sequence[str]) -> bool:
    """Say whether a record repeats the names: all of them, two or more."""
    if row and names and row[0].strip().casefold() != names[0].strip().casefold():
        return False  # as nearly all do
    cells = [cell.strip().casefold() for cell in row]
    folded = [cell.strip().casefold() for cell in names]
    return cells[: len(folded)] == folded[: len(cells)] and sum(map(bool, folded)) > 1 < len(cells)


def _used(rows: Sequence[Row], width: int) -> int:
    """Return the number of columns up to the last one that has a value."""
    alike = [row for _, row in rows[1:] if len(row) == width] or [rows[-1][1]]
    filled = [i for i in range(width) if any(i < len(row) and row[i].strip() for row in alike)]
    return max(filled, default=0) + 1


def _texts(row: Sequence[str]) -> int:
    """Return how many fields of a row are filled."""
    return sum(bool(cell.strip()) for cell in row)


def _lines(rows: Sequence[Row]) -> list[int]:
    """Return the lines of the rows that are not blank."""
    return [line for line, row in rows if _texts(row)]


def _is_full(row: Sequence[str], used: int) -> bool:
    """Say whether a row may hold names: as many fields as are used, and most of them filled."""
    filled = _texts(row)
    if len(row) < max(used, 2):
        return False
    return filled >= max(2, 0.6 * used) or (used == 2 and not row[0].strip() and filled == 1)


def _is_title(row: Sequence[str], width: int) -> bool:
    """Say whether a row above the names is clearly a title: one text, or a word and a text."""
    filled = [i for i, cell in enumerate(row) if cell.strip()]
    return len(filled) < 2 or (filled == [0, 1] and width > 3)


def _columns(body: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return the values of each column, without blanks."""
    alike = [row for row in body if len(row) == width] or body[:200]
    return [
        [cell for row in alike if i < len(row) and (cell := row[i].strip())] for i in range(width)
    ]


def _kind(values: Sequence[str]) -> str:
    """Return "number" or "date" where four of five values are such, else ""."""
    plain = [
        value
        for value in values[:500]
        if is_any_number(value) or not (_MARK.fullmatch(value) or _IN_BRACKETS.fullmatch(value))
    ]
    if plain and sum(bool(_DATE.fullmatch(value)) for value in plain) >= 0.8 * len(plain):
        return "date"
    numbers = sum(is_any_number(value) or bool(_FLAGGED.fullmatch(value)) for value in plain)
    return "number" if plain and numbers >= 0.8 * len(plain) else ""


def _likeness(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    """Return how many more cells are of their column's kind than of another: names have few."""
    apart, alike, years = 0, 0, []
    for raw, values in zip(cells, columns, strict=False):
        cell, kind = raw.strip(), _kind(values)
        if not cell or not values:
            continue
        if kind == "number" and is_any_number(cell):
            years.append((cell, values))
        elif kind == "date" and _DATE.fullmatch(cell):
            alike += 1
        elif kind and not _MARK.fullmatch(cell):
            apart += 1
        elif not kind:
            alike += cell in values or _is_code(cell, values)
    if years and not are_series(years):
        alike += len(years)
    return alike - apart


def _is_code(cell: str, values: Sequence[str]) -> bool:
    """Say whether a text is a code of the form that its column's others have, such as AB1234."""
    if len(cell) < 4 or not any(map(str.isdigit, cell)):
        return False
    own, forms = _form(cell), [_form(form) for form in values[:200]]
    alike = [form for form in forms if abs(len(form) - len(own)) < 3]  # the last part may be blank
    same = sum(form.startswith(own) or own.startswith(form) for form in alike)
    return same >= 0.8 * len(forms)


def _form(text: str) -> str:
    """Return a text with A for each letter and 9 for each digit."""
    return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in text)


MOST_BELOW = 4
"""Most rows below the names that may be questions, units or codes."""


def _names_below(rows: Sequence[Row], first: int, width: int) -> int:
    """Return how many rows below the names are not records: questions, units, codes."""
    for count in range(min(MOST_BELOW, len(rows) - first - 2), 0, -1):
        rest = [row for _, row in rows[first + 1 + count :] if not same_names(row, rows[first][1])]
        if sum(len(row) == width for row in rest) < 2:
            continue
        columns = _columns(rest, width)
        between = [row for _, row in rows[first + 1 : first + 1 + count] if _texts(row)]
        if not _texts(rows[first + count][1]):
            continue
        if len(rest) > 200 and not _is_other(between[0], columns, len(rest)):
            return 0  # nor is it with a few records more
        if all(len(row) >= min(2, width) and _is_other(row, columns, len(rest)) for row in between):
            return count
    return 0


def _is_other(row: Sequence[str], columns: Sequence[Sequence[str]], records: int) -> bool:
    """Say whether no value of a row is of the same kind as the others in its column."""
    cells = [
        (cell, values)
        for raw, values in zip(row, columns, strict=False)
        if (cell := raw.strip()) and values
    ]
    if any(cell in values for cell, values in cells):
        return False
    kinds = [_kind(values) for _, values in cells]
    numeric = [cell for (cell, _), kind in zip(cells, kinds, strict=True) if kind]
    marks = sum(bool(_MARK.fullmatch(cell)) for cell in numeric)
    if any(_kind([cell]) for cell in numeric) or (marks and 2 * marks > len(numeric)):
        lacks = any(
            len(values) == records and not raw.strip()
            for raw, values in zip(row, columns, strict=False)
        )
        return lacks and len(numeric) == len(cells) and are_series(list(dict(cells).items()))
    words = [values for (_, values), kind in zip(cells, kinds, strict=True) if not kind]
    few = all(len(set(values)) * 2 <= len(values) for values in words)
    if numeric:
        sure = len(numeric) > 1 or len(columns) < 3 or len(cells) < len(columns)
        return sure or (few and len(words) > 1)
    return len(cells) > 2 and records >= 8 and few


def _fills_gaps(rows: Sequence[Row], first: int) -> int:
    """Return how many rows below the names end with one that fills their gaps, and nothing else."""
    names = rows[first][1]
    gaps = {i for i, cell in enumerate(names) if not cell.strip()}
    groups = {i - 1 for i in gaps} - gaps
    for place, (_, row) in enumerate(rows[first + 1 : first + 1 + MOST_BELOW], 1):
        filled = {i for i, cell in enumerate(row) if cell.strip()}
        if filled:
            words = not any(is_any_number(row[i].strip()) for i in filled)
            return place if words and gaps and gaps < filled <= gaps | groups else 0
    return 0


def _about(rows: Sequence[Row]) -> int:
    """Return how many first rows of two columns are about the table: no number is in the second."""
    values = [row[1].strip() if len(row) == 2 else "" for _, row in rows]
    about = next((i for i, value in enumerate(values) if is_any_number(value)), 0)
    rest = (value for value in values[about:] if value and not is_any_number(value))
    alike = all(map(_MARK.fullmatch, rest))
    alike &= all(len(row) == 2 for _, row in rows[:about])  # one text alone is a title
    return about if alike and 2 < about <= len(rows) / 2 else 0


def _without_about(rows: Sequence[Row], about: int, name: str) -> ReadingError:
    """Return the question what the first rows are, which seem to be about the table."""
    first, last = rows[0][0], rows[about - 1][0]
    why = f"lines {first:,} to {last:,} may be about the table, not records"
    above = f"Names in line {first:,}, leave out the others"
    return _ask(
        *(rows, name, f"{why}: choose where the names are"),
        choice("Leave them out, the columns have no names", header=(0,), skip=about),
        choice(above, header=(first,), skip=about - 1),
        choice(f"Names in line {last:,}, leave out those above", header=(last,)),
    )


def _question(
    rows: Sequence[Row], first: int, below: int, name: str, why: str, *, unnamed: bool = False
) -> ReadingError:
    """Return the question which lines hold the names; `unnamed` where there may be none."""
    line = rows[first][0]
    lines = _lines(rows[first : first + below + 1])
    above = [at for at, row in rows[:first] if _texts(row) > 1]
    if below and not above:
        rest = "the line" if below == 1 else f"the {below} lines"
        choices = [
            choice(f"Names in line {line:,}, leave out {rest} below", header=(line,), skip=below),
            choice(f"Names in line {lines[-1]:,}", header=(lines[-1],)),
            _joining(lines),
            choice(f"Names in line {line:,}, records below", header=(line,)),
        ]
    else:
        nearest = above[-2:]
        # the first may be a table's own, above a wider one
        candidates = dict.fromkeys([line, *above[:1], *nearest, *lines[1:]])
        choices = list(map(names_in, candidates))
        own = [at for at, row in rows[:first] if not _is_title(row, len(rows[first][1]))]
        joined = own[-3:] if unnamed else [], [*nearest, *lines][:MOST_JOINED]
        choices += [_joining(lines) for lines in joined if len(lines) > 1]
    if unnamed or not below:
        choices.append(UNNAMED)
    return _ask(rows, name, f"{why}: choose the line with the names", *choices)


def _ask(rows: Sequence[Row], name: str, why: str, *choices: Choice) -> ReadingError:
    return ReadingError(f"In {name}, {why}.", choices, first_lines(rows))


UNNAMED = choice("The columns have no names", header=(0,))
"""What may help where the first line may be a record."""


def names_in(line: int) -> Choice:
    return choice(f"The names are in line {line:,}", header=(line,))


def _joining(lines: Sequence[int]) -> Choice:
    return choice(f"Join lines {_numbers(lines)}", header=tuple(lines))


def _numbers(lines: Sequence[int]) -> str:
    return listed([f"{line:,}" for line in lines])


def first_lines(rows: Sequence[Row]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the first rows, to choose from."""
    return tuple((line, tuple(cell[:80] for cell in row[:60])) for line, row in rows[:SHOWN])


def joined_names(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of several lines joined.

    In the upper ones a blank takes what is to its left, where something is below it.
    """
    if len(rows) == 1:
        return [stripped(cell) for cell in rows[0]]
    width = max(map(len, rows), default=0)
    parts: list[list[str]] = [[] for _ in range(width)]
    for depth, row in enumerate(rows):
        last = ""
        for i in range(width):
            cell = stripped(row[i]) if i < len(row) else ""
            last = cell or (last if depth < len(rows) - 1 else "")
            below = any(i < len(later) and stripped(later[i]) for later in rows[depth + 1 :])
            if last and (cell or below) and last not in parts[i]:
                parts[i].append(last)
    return [JOINED.join(part) for part in parts]


@dataclass(frozen=True)
class Columns:
    """Names of columns, each once; `unnamed` are the places of those that the file does not name.

    `repairs`: what was repaired, but for the unnamed ones, which may be empty.
    """

    names: tuple[str, ...]
    unnamed: tuple[int, ...]
    repairs: tuple[Repair, ...] = ()


def name_columns(raw: Sequence[str], file: str) -> Columns:
    """Return distinct names of columns: those without one, and repeated ones, are numbered."""
    names = [stripped(name) for name in raw]
    if not names:
        raise InvalidInputError(f"{file} has no columns.")
    check_columns(file, len(names))
    taken, notes = set(names), []
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not name:
            names[i] = free_name(f"column {i + 1}", lambda text: text in taken)
        elif name in seen:
            names[i] = free_name(name, lambda text: text in taken)
            notes.append(f"Another column {shown(name)} is called {shown(names[i])}.")
        seen.add(name)
        taken.add(names[i])
    repairs = [Repair(sentence) for sentence in notes[:5]]
    if len(notes) > 5:
        repairs.append(
            Repair(f"{number_of(len(notes) - 5, 'more name')} {were(len(notes) - 5)} repeated.")
        )
    unnamed = tuple(i for i, name in enumerate(raw) if not stripped(name))
    return Columns(tuple(names), unnamed, tuple(repairs))


def unnamed_repairs(columns: Columns, empty: Sequence[int]) -> list[Repair]:
    """Say which columns without a name are left out, as they are empty, and what others are called.

    `empty`: the places of the former.
    """
    repairs = []
    if empty:
        single = len(empty) == 1
        sentence = f"{_places(empty)} {'has' if single else 'have'} no name and no value: left out."
        repairs.append(repaired(sentence, kept=("empty",)))
    named = [i for i in columns.unnamed if i not in empty]
    if named:
        single = len(named) == 1
        called = listed([columns.names[i] for i in named[:3]] + ["…"] * (len(named) > 3))
        sentence = f"{_places(named)} {'has' if single else 'have'} no name: called {called}."
        repairs.append(Repair(sentence))
    return repairs


def _places(places: Sequence[int]) -> str:
    """Name columns by their places, runs as one."""
    parts: list[list[int]] = []
    for place in places:
        if parts and parts[-1][-1] == place - 1:
            parts[-1].append(place)
        else:
            parts.append([place])
    labels = [f"{run[0] + 1}–{run[-1] + 1}" if len(run) > 1 else f"{run[0] + 1}" for run in parts]
    return f"Column{'' if len(places) == 1 else 's'} {first_of(labels, 4)}"


def _note_alone(rows: Sequence[Row], width: int) -> str:
    """Return the last row's first cell, where it may be a note; else ""."""
    if len(rows) < 3 or width < 3:
        return ""
    first, *others = rows[-1][1]
    return "" if "".join(others).strip() else first.strip()[:60]


def _second_table(rows: Sequence[Row], names: Sequence[str]) -> int:
    """Return the place of a record that begins another table, 0 for none.

    It is of another kind behind blank lines, or a title above names, which are repeated or below
    several titles.
    """
    for place in range(2, len(rows)):
        title = place
        while title > 1 and _texts(rows[title - 1][1]) < 2:
            title -= 1
        if title < place and (same_names(rows[place][1], names) or _entitled(rows, title, place)):
            return title
    for place in range(2, 0 if _are_spaced(rows) else len(rows)):
        row = rows[place][1]
        if not _is_after_gap(rows, place) or len(row) != len(names) or same_names(row, names):
            continue
        above = _columns([cells for _, cells in rows[:place]], len(row))
        if _texts(row) > 1 and _likeness(row, above) < 0:
            return place
    return 0


def _entitled(rows: Sequence[Row], title: int, place: int) -> bool:
    """Say whether a row may hold names below titles: two or more, behind blank rows or lines."""
    titles = [row for _, row in rows[title:place] if _texts(row)]
    words = [cell for cell in rows[place][1] if cell.strip()]
    behind = not _texts(rows[title][1]) or _is_after_gap(rows, title)
    alone = all(row[0].strip() for row in titles)
    named = not any(is_any_number(word.strip()) or _DATE.fullmatch(word.strip()) for word in words)
    return behind and alone and len(titles) > 1 and named and not _are_spaced(rows)


def find_below(
    records: Sequence[Row],
    names: Sequence[str],
    name: str,
    to_end: Callable[[int], int],
    *,
    whole: bool = True,
    search: bool = True,
) -> tuple[int, list[Repair], tuple[Choice, ...]]:
    """Return how many of the last lines are not records, repairs to report, and doubtful lines.

    `to_end`: how many lines there are from a record on; `whole`: whether these are all records;
    `search`: whether no choice says where they end.
    """
    if len(records) < 2 or len(names) < 2:
        return 0, [], ()  # of a single column any text may be a value
    gone = _short_notes(records, len(names)) if search else 0
    while search and gone < len(records) - 1 and _is_note(records, -1 - gone, len(names)):
        gone += 1
    are_none = "is no record" if gone == 1 else "are no records"
    reasons = [f"{number_of(gone, 'line')} below the table {are_none}"] if gone else []
    kept = records[: len(records) - gone]
    hints: tuple[Choice, ...] = ()
    undo: dict[str, Any] = {"skip_end": 0}
    if search and whole and _is_total(kept):
        reasons.insert(0, f"line {kept[-1][0]:,} is the total")
        kept = kept[:-1]
        undo["omit"] = ()
    elif called := _note_alone(kept, len(names)):
        label = f"Leave out the last record: it is called {shown(called)}"
        hints = (choice(label, skip_end=to_end(len(kept) - 1)),)
    sentence = f"{listed(reasons)}: left out." if reasons else ""
    repairs = [repaired(sentence[0].upper() + sentence[1:], **undo)] if reasons else []
    if search and whole and (place := _second_table(kept, names)):
        line = kept[place][0]
        raise ReadingError(
            f"In {name}, line {line:,} may begin another table: it is a title above names, or "
            "follows a blank line and differs from the lines above.",
            [
                choice(f"Leave out everything from line {line:,} on", skip_end=to_end(place)),
                choice("All lines are records", skip_end=0),
            ],
        )
    return len(records) - len(kept), repairs, hints


def _short_notes(rows: Sequence[Row], width: int) -> int:
    """Return how many last rows are short, of which the first is a note, as of a block of them."""
    short = 0
    while short < len(rows) - 1 and 2 * len(rows[-1 - short][1]) <= width:
        short += 1
    while short and not _is_note(rows, len(rows) - short, width):
        short -= 1
    return short


def _is_note(rows: Sequence[Row], place: int, width: int) -> bool:
    """Say whether a row is clearly a note: a single text behind a gap, or one that reads so."""
    row = rows[place][1]
    filled = [cell.strip() for cell in row if cell.strip()]
    if not filled:
        return True
    # where the first record reads so too, it says nothing
    noted = _NOTE.fullmatch(filled[0]) and not _NOTE.fullmatch(rows[0][1][0].strip())
    if len(filled) > 1 and not (len(row) < width and noted):
        return False
    if len(filled) == 1 and not row[0].strip():
        return False
    text = filled[0]
    gap = _is_after_gap(rows, place) and not _are_spaced(rows)
    reads = bool(noted) or len(text.split()) > 3
    if len(row) == width > 1 and len(filled) == 1:
        return (reads or gap) and width > 2
    return gap or reads


def _are_spaced(rows: Sequence[Row]) -> bool:
    """Say whether blank lines are between most records, so one more says nothing."""
    last = min(200, len(rows))
    gaps = sum(_is_after_gap(rows, place) for place in range(1, last))
    return last > 2 and 2 * gaps >= last - 1


def _is_total(rows: Sequence[Row]) -> bool:
    """Say whether the last row calls itself a total, and adds up all numbers above, one or more."""
    if len(rows) < 3:
        return False
    *above, total = (row for _, row in rows)
    first = next((cell.strip() for cell in total if cell.strip()), "")
    if not TOTAL.fullmatch(first):
        return False
    added = 0
    for i, cell in enumerate(total):
        value = any_number(cell)
        if value is None:
            continue
        column = (any_number(row[i]) for row in above if i < len(row))
        numbers = [n for n in column if n is not None]
        if len(numbers) < 2:
            continue
        if abs(sum(numbers) - value) > 1e-6 * max(1.0, abs(value)):
            return False
        added += 1
    return added > 0
