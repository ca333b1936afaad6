"""What is a number is the same for the count, a release and the recount of its certificate."""

import math

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.data import Filter
from core.data.treatment.bins import Bins
from core.records.coded import Values
from core.records.draws import Seeded
from core.records.recount import NO_NUMBER, _level, _passes
from core.records.verifying import failed
from tests.core.records.makers import SEED, answer_on, keeping, write
from tests.core.records.test_verifying import certified, outcomes

AGES = ["１２", "12", "+-7", "\u00a012", "٣", "1_2", "\x1c3", "40", " 9 "] * 12
"""Texts that readers of numbers disagree about, with plain ones."""


@pytest.mark.parametrize(
    "treated",
    [
        {"filters": (Filter("age", low=5.0),)},
        {"filters": (Filter("age", low=-10.0, high=12.0),)},
    ],
)
def test_an_honest_release_verifies(treated, tmp_path):
    columns = {
        "sex": ["fm"[i % 2] for i in range(len(AGES))],
        "town": ["uvw"[i % 7 % 3] for i in range(len(AGES))],
        "age": AGES,
    }
    original = write(columns, tmp_path / "a.csv")
    result, _ = answer_on(original, **treated)
    body, path = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    answer = outcomes(body, path, original, str(SEED))
    assert failed(list(answer.values())) == []
    assert answer["data"].passed
    low, high = treated["filters"][0].low, treated["filters"][0].high or math.inf
    known = {"12": 12, "\u00a012": 12, "40": 40, " 9 ": 9}
    assert result.joint.n == sum(low <= known.get(item, math.nan) <= high for item in AGES)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text("+-.eE_019 \t\n\x0b\x0c\x1c\x1f\x85\u00a0\u2003\ufeff１٣²inftyNaxX,'", max_size=7),
        min_size=1,
        max_size=30,
    )
)
@example(
    ["+-1", "１", "\u00a01", "\x1c1", "1_0", "1__0", "inf", "+-inf", "1e999", "-nan", "Infinity"]
)
def test_texts_are_numbers_alike(texts):
    bins = Bins("n", (0.0, 1.0, 10.0), ("< 0", "[0, 1)", "[1, 10]", "> 10"), 2)
    chosen = Filter("n", low=0.0, high=10.0)
    values = Values(())
    try:
        array = pa.array(texts, pa.string())
        levels, kept = values.levels("n", array, bins), values.passing(chosen, array)
    finally:
        values.close()
    again = [_level(text, bins.edges, marked=False) for text in texts]
    assert [NO_NUMBER if isinstance(item, list) else item for item in levels] == again
    assert kept.tolist() == [_passes(text, chosen, marked=False) for text in texts]
