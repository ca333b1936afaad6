"""Random tables and questions, and their counts by hand: plain Python, exact fractions, no query.

Only what can be counted in a few lines is drawn; whatever else a question may ask has tests of its
own.
"""

import calendar
import math
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from core.data import Binning, DataSpec, Filter
from core.data.hierarchies import Hierarchy, RareLevels
from core.data.options import ColumnOptions, ReadOptions
from core.joint import JOINER, MISSING

KINDS = {
    "word": "text",
    "figure": "text",
    "whole": "integer",
    "price": "numeric(10, 2)",
    "real": "double precision",
    "flag": "boolean",
    "day": "date",
    "moment": "timestamp",
}
"""The columns, each with its type in PostgreSQL and DuckDB."""

POOLS = {
    "word": (
        "cook",
        " cook",
        "Köchin",
        "厨师",
        "",
        "  ",
        "null",
        "a'b",
        "a · b",
        "(missing)",
        "🙂x",
    ),
    "figure": ("31", " 42 ", "7.0", "-0.5", "NA", "-", "", "1e3", "07"),
    "whole": (-3, 0, 1, 2, 41, 1000),
    "price": tuple(map(Decimal, ("-3.25", "0.00", "0.10", "0.30", "1.50", "12.00"))),
    "real": (-0.0, 0.0, 0.1, 0.3, 2.5, -3.75, 7.0, math.nan),
    "flag": (True, False),
    "day": (date(1999, 12, 31), date(2020, 2, 29), date(2026, 1, 4), date(2026, 3, 31)),
    "moment": tuple(datetime(2026, 1, 4, 23, 59, 58) + timedelta(days=45 * i) for i in range(4)),
}

NUMBERS = ("figure", "whole", "price", "real")
MARKS = ("?", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "-", "--", ".")


def table(random):
    """Draw a table: rows, each a tuple in the order of `KINDS`."""
    empty = random.choice((0.0, 0.1, 0.3))
    pools = {
        name: random.sample(pool, min(len(pool), random.randint(3, 6)))
        for name, pool in POOLS.items()
    }
    return [
        tuple(None if random.random() < empty else random.choice(pools[name]) for name in KINDS)
        for _ in range(random.choice((12, 40, 200)))
    ]


def question(random):
    """Draw a question about such a table."""
    names = random.sample(list(KINDS), random.choice((2, 2, 3)))
    cut = random.randint(1, len(names) - 1)
    parts = {"binnings": [], "hierarchies": [], "rare_levels": [], "filters": [], "columns": []}
    for name in names:
        how = random.choice(("", "", "", "bins", "coarser", "rare", "read"))
        if how == "bins" and name in NUMBERS:
            edges = (-1.0, 0.1, 2.5, 41.0)
            made = random.choice(
                (
                    Binning(name, "edges", edges=edges),
                    Binning(name, "width", random.choice((1, 2, 5))),
                )
            )
            parts["binnings"].append(made)
        elif how == "coarser" and name == "word":
            parts["hierarchies"].append(Hierarchy(name, "prefix", 1, steps=(random.randint(1, 3),)))
        elif how == "coarser" and name in NUMBERS:
            step = random.choice((0.1, 0.25, 10.0)) if name != "whole" else 10.0
            steps = (50.0,) if name == "figure" or step == 10.0 else (step,)
            start = random.choice((0.0, 0.05))
            parts["hierarchies"].append(Hierarchy(name, "interval", 1, steps=steps, start=start))
        elif how == "coarser" and name == "flag":
            given = (("true", "b"), ("false", "a"))
            parts["hierarchies"].append(Hierarchy(name, "table", 1, rows=given))
        elif how == "rare":
            parts["rare_levels"].append(RareLevels(name, random.choice((2, 4))))
        elif how == "read" and name in ("day", "moment"):
            part = random.choice(("year", "month", "quarter", "weekday", "day"))
            parts["columns"].append(ColumnOptions(name, "date", part=part))
        elif how == "read" and name in ("word", "flag", "whole"):
            marks = tuple(random.sample(("cook", "true", "0", "41", "厨师"), 2))
            parts["columns"].append(ColumnOptions(name, missing=marks))
    if random.random() < 0.4:
        name = random.choice(list(KINDS))
        if name in NUMBERS:
            parts["filters"].append(Filter(name, low=random.choice((-1.0, 0.1)), high=41.0))
        elif name in ("word", "flag"):
            levels = random.choice((("cook", "true"), (MISSING, "false", "厨师")))
            parts["filters"].append(Filter(name, levels))
    read = ReadOptions(columns=tuple(parts.pop("columns")))
    return DataSpec(
        secret=tuple(names[:cut]),
        released=tuple(names[cut:]),
        missing=random.choice(("level", "drop")),
        rare_below=random.choice((0, 0, 0, 2, 5)),
        rare_below_s=random.choice((0, 0, 0, 2)),
        read=read,
        **{name: tuple(result) for name, result in parts.items()},
    )


def number_of(value):
    """Return a value as an exact number, None where it is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        try:
            return Fraction(value.strip())
        except ValueError:
            return None
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def text_of(value):
    """Return a value's level, None where it is missing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return None if math.isnan(value) else str(value + 0.0).removesuffix(".0")
    if isinstance(value, str):
        plain = value.strip()
        whole = plain.removesuffix(".0")
        # a whole number is one level, however it is written; a code with a zero ahead is none
        is_whole = whole.lstrip("+-").isdigit() and str(abs(int(whole))) == whole.lstrip("+-")
        return (whole if is_whole else plain) or None
    return None if value is None else str(value)


def part_of(value, part):
    """Return what is kept of a day or a moment."""
    if value is None:
        return None
    day = f"{value.isoweekday()} {calendar.day_name[value.weekday()]}"
    return {
        "year": str(value.year),
        "month": f"{value:%Y-%m}",
        "quarter": f"{value.year}-Q{(value.month + 2) // 3}",
        "weekday": day,
        "day": f"{value:%Y-%m-%d}",
    }[part]


def read_as(name, values, read):
    """Return a column's values and levels as the question reads them."""
    options = read.of(name)
    texts = list(map(text_of, values))
    marks = set(options.missing or ())
    if not marks and isinstance(next((item for item in values if item is not None), None), str):
        words = [item for item in texts if item is not None and number_of(item) is None]
        if len(words) < sum(item is not None for item in texts) and all(
            item.lower() in MARKS for item in words
        ):
            marks = set(words)
    kept = [None if text in marks else value for value, text in zip(values, texts, strict=True)]
    if options.part:
        return kept, [part_of(value, options.part) for value in kept]
    return kept, list(map(text_of, kept))


def place(number, labels):
    """Return the label of the interval that a number is in, by what the labels say."""
    for label in labels:
        if label[0] == "<" and number < Fraction(label[2:]):
            return label
        if label[0] == ">" and number > Fraction(label[2:]):
            return label
        if label[0] == "[":
            low, high = map(Fraction, label[1:-1].split(", "))
            if low <= number < high or (label[-1] == "]" and number == high):
                return label
    single = [label for label in labels if label[0] not in "<>[" and Fraction(label) == number]
    assert len(single) == 1, (number, labels)
    return single[0]


def counted(rows, spec, bins):
    """Count a question by hand.

    Parameters
    ----------
    rows : list of tuple
        The table.
    spec : DataSpec
        The question.
    bins : dict
        The labels of each column that is cut, as the program has them.

    Returns
    -------
    Counter
        Number of records of each (s, x), by their names.
    """
    values, levels = {}, {}
    for i, name in enumerate(KINDS):
        values[name], levels[name] = read_as(name, [row[i] for row in rows], spec.read)
    left = range(len(rows))
    for item in spec.filters:
        if item.is_range:
            numbers = list(map(number_of, values[item.column]))
            low, high = Fraction(str(item.low)), Fraction(str(item.high))
            left = [i for i in left if numbers[i] is not None and low <= numbers[i] <= high]
        else:
            left = [i for i in left if (levels[item.column][i] or MISSING) in item.levels]
    if not left:
        return Counter()
    for item in spec.hierarchies:
        if item.kind != "interval":
            coarser = item.coarser()
            levels[item.column] = [
                None if text is None else coarser(text) for text in levels[item.column]
            ]
    for name, labels in bins.items():
        numbers = list(map(number_of, values[name]))
        levels[name] = [
            place(number, labels) if number is not None and i in set(left) else None
            for i, number in enumerate(numbers)
        ]
    if spec.missing == "drop":
        used = spec.secret + spec.released
        left = [i for i in left if all(levels[name][i] is not None for name in used)]
    for item in spec.rare_levels:
        result = Counter(levels[item.column][i] for i in left)
        rare = {level for level, n in result.items() if n < item.below}
        group = rare_name(len(rare))
        levels[item.column] = [group if item in rare else item for item in levels[item.column]]
    sides = []
    for columns, below in ((spec.secret, spec.rare_below_s), (spec.released, spec.rare_below)):
        keys = {i: tuple(levels[name][i] for name in columns) for i in left}
        result = Counter(keys.values())
        rare = {key for key, n in result.items() if n < below}
        sides.append(
            {
                i: rare_name(len(rare))
                if key in rare
                else JOINER.join(MISSING if item is None else item for item in key)
                for i, key in keys.items()
            }
        )
    return Counter((sides[0][i], sides[1][i]) for i in left)


def rare_name(count):
    return f"(rare: {count:,} {'level' if count == 1 else 'levels'})"
