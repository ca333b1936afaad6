"""What is asked of every column of a table, however many there are."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, count, describe, first_question

per_column = import_module("core.data.readers.marks")


def test_two_thousand_columns_of_a_short_table_are_named_once(sources, monkeypatch):
    request = []
    below, beside = per_column._below, per_column._beside
    monkeypatch.setattr(
        per_column, "_below", lambda *args: request.append(len(args[2])) or below(*args)
    )
    monkeypatch.setattr(
        per_column, "_beside", lambda *args: request.append(len(args[2])) or beside(*args)
    )
    names = ",".join(f"c{i}" for i in range(2_000))
    rows = [",".join("12x"[(i + j) % (2 + i % 2)] for i in range(2_000)) for j in range(2)]
    key = sources.add_bytes("\n".join([names, *rows]).encode(), "wide.csv")
    info = describe(key, sources)
    # first records, what they tell, exact levels: each one query
    assert request == [2_000, 2_000, 2_000]
    assert [column.name for column in info.columns] == [f"c{i}" for i in range(2_000)]
    assert [column.levels for column in info.columns] == [2] * 2_000
    for i, column in enumerate(info.columns):
        cells = [row.split(",")[i] for row in rows]
        assert column.numeric == ("x" not in cells)
        assert (column.low, column.high) == ((1.0, 2.0) if column.numeric else (None, None))
    assert first_question(key, sources) == DataSpec(key, ("c0",), ("c1",))
    assert count(DataSpec(key, ("c1999",), ("c0",)), sources).joint.n == 2


def test_marks_of_two_thousand_columns_are_counted_by_one_query(sources, monkeypatch):
    request = []
    below = per_column._below
    monkeypatch.setattr(
        per_column, "_below", lambda *args: request.append(len(args[2])) or below(*args)
    )
    names = ",".join(f"c{i}" for i in range(2_000))
    rows = [",".join(["NA", "7", "n/a", "NA"][(i + j) % 4] for i in range(2_000)) for j in range(4)]
    key = sources.add_bytes("\n".join([names, *rows]).encode(), "wide.csv")
    marks = sources.uploads[key].table.marks
    assert request == [2_000, 2_000]  # what each column holds, and how often each mark
    assert [item.column for item in marks] == [f"c{i}" for i in range(2_000)]
    assert {(item.words, item.records) for item in marks} == {(("NA", "n/a"), 3)}


@pytest.mark.parametrize("rows", [1, 7, 300])
def test_columns_below_and_beside_each_other_tell_the_same(add, sources, monkeypatch, rows):
    rng = np.random.default_rng(rows)
    some = rng.random(rows) < 0.3
    frame = pd.DataFrame(
        {
            "word": rng.choice(["a", " a", "", "?", "É\n"], rows),
            'number "as" text': rng.choice(["1", "2.50", "NA", "-", " 3 "], rows),
            "same number as text": rng.choice(["-0.0", "0", "1e400", "nan"], rows),
            "float": np.where(some, np.nan, rng.choice([0.0, -0.0, np.inf, 2.5], rows)),
            "whole": rng.integers(-3, 3, rows),
            "flag": some,
            "day": np.where(some, np.datetime64("2020-01-01"), np.datetime64("NaT")),
            "list": [[1, None] if item else None for item in some],
            "nothing": [None] * rows,
            "Float": rng.random(rows),
        }
    )
    for kind in ("parquet", "csv"):
        key = add(frame, kind)
        together = describe(key, sources)
        with monkeypatch.context() as patch:
            patch.setattr(per_column, "SHORT", 0)
            assert describe(key, sources) == together
            assert add(frame, kind) == key
            assert sources.uploads[key].table.marks == together.marks
        with monkeypatch.context() as patch:
            patch.setattr(per_column, "AT_ONCE", 2 * rows)
            assert describe(key, sources) == together
