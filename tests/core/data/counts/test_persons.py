"""Persons with several records: said at once, and one record each counts where that is chosen."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources, count
from core.errors import InvalidInputError

PERSON, FIRST = ReadOptions(person="id"), ReadOptions(person="id", first=True)


def rows(seed=0, n=200):
    rng = np.random.default_rng(seed)
    return [
        (str(rng.integers(60)), str(rng.choice(list("ab"))), str(rng.choice(list("xyz"))))
        for _ in range(n)
    ]


def counted(records, read):
    sources = Sources()
    text = "".join(f"{person},{s},{x}\n" for person, s, x in records)
    source = sources.add_bytes(f"id,s,x\n{text}".encode(), "visits.csv")
    return count(DataSpec(source, ("s",), ("x",), read=read), sources)


def cells(joint):
    return {
        (s, x): int(joint.counts[i, j])
        for i, s in enumerate(joint.s_labels)
        for j, x in enumerate(joint.x_labels)
        if joint.counts[i, j]
    }


def test_several_records_are_said_and_counted():
    records = rows()
    most = max(Counter(person for person, *_ in records).values())
    result = counted(records, PERSON)
    assert cells(result.joint) == Counter((s, x) for _, s, x in records)
    text = f"Up to {most} records a person: a promise for one record is not one for a person."
    assert text in result.report.sentences()


@pytest.mark.parametrize("seed", range(3))
def test_the_first_record_of_each_person_counts(seed):
    records = rows(seed, 5_000)
    first = {}
    for person, s, x in records:
        first.setdefault(person, (s, x))
    result = counted(records, FIRST)
    assert cells(result.joint) == Counter(first.values())
    assert result.report.n_used == len(first)
    left = f"{len(records) - len(first):,} records were left out: only one record of each"
    assert any(text.startswith(left) for text in result.report.sentences())
    assert not any("Up to" in text for text in result.report.sentences())


def test_a_seed_draws_one_record_of_each_person_and_each_equally_often():
    records = [(str(person), "ab"[person % 2], x) for x in "wxyz" for person in range(600)]
    drawn = ReadOptions(person="id", drawn=3)
    taken = cells(counted(records, drawn).joint)
    assert sum(n for (s, _), n in taken.items() if s == "a") == 300
    # 75 of each are expected, with a standard deviation of 7.5
    assert all(37 < taken[s, x] < 113 for s in "ab" for x in "wxyz")
    assert taken == cells(counted(records, drawn).joint)
    assert taken != cells(counted(records, replace(drawn, drawn=4)).joint)


@pytest.mark.parametrize("read", [PERSON, FIRST, ReadOptions(person="id", drawn=3)])
def test_one_record_each_changes_nothing(read):
    records = [(str(i), s, x) for i, (_, s, x) in enumerate(rows())]
    result = counted(records, read)
    assert cells(result.joint) == Counter((s, x) for _, s, x in records)
    assert result.report.sentences() == ()


def test_a_person_without_a_name_and_counts_too_are_refused():
    with pytest.raises(
        InvalidInputError, match=r"identifies persons, but record 2 \(line 3\) has no"
    ):
        counted([("1", "a", "x"), ("", "b", "y"), ("1", "b", "x")], PERSON)
    with pytest.raises(InvalidInputError, match="cannot stand for several records"):
        ReadOptions(person="id", weight="n")
    with pytest.raises(InvalidInputError, match="only with a column that identifies the person"):
        ReadOptions(first=True)
    for wrong in ({}, {"person": "id", "first": True}):
        with pytest.raises(InvalidInputError, match="needs a column that identifies the person"):
            ReadOptions(drawn=1, **wrong)
    with pytest.raises(InvalidInputError, match="drawn must be at least 0"):
        ReadOptions(person="id", drawn=-1)
    with pytest.raises(InvalidInputError, match="drawn must be a whole number, got 'x'"):
        ReadOptions.from_text(["person=id", "drawn=x"])


def test_said_saved_and_read_again():
    assert ReadOptions.from_text(["person=id", "first=true"]) == FIRST
    assert ReadOptions.from_dict(FIRST.to_dict()) == FIRST
    assert FIRST.phrases() == [
        "persons are identified by 'id': only the first record of each counts"
    ]
    assert FIRST.within(["s", "x"]) == ReadOptions()
    drawn = ReadOptions(person="id", drawn=7)
    assert ReadOptions.from_text(["person=id", "drawn=7"]) == drawn
    assert ReadOptions.from_dict(drawn.to_dict()) == drawn
    assert drawn.phrases() == [
        "persons are identified by 'id': one record of each counts, drawn with seed 7"
    ]
    assert drawn.within(["s", "x"]) == ReadOptions()


def test_columns_of_a_parquet_file_keep_their_values(tmp_path):
    path = tmp_path / "visits.parquet"
    frame = pd.DataFrame(
        {"person": [2, 1, 2, 1], "record": ["u", "v", "v", "u"], "place": ["a", "b", "b", "a"]}
    )
    frame.to_parquet(path, index=False)
    sources = Sources()
    read = ReadOptions(person="person", first=True)
    spec = DataSpec(sources.add_file(path), ("record",), ("place",), read=read)
    assert cells(count(spec, sources).joint) == {("u", "a"): 1, ("v", "b"): 1}
