"""How values of a batch are read: as texts, and with the index of each record's value."""

import numpy as np
import pyarrow as pa
import pytest

from core.data.spec import Filter
from core.data.treatment.bins import Bins
from core.records.applying import apply
from core.records.coded import Values, encoded
from core.records.draws import Keyed, Seeded
from tests.core.records.makers import answer_on, keeping, people, read, write

ARRAYS = {
    "whole numbers": pa.array([7, -3, None, 2**62]),
    "bare texts": pa.array(["a", "東 京", "c-1"]),
    "blanks at the ends": pa.array([" a", "b\t", "c", "\x0bd"]),
    "an empty one": pa.array(["", "b", "  "]),
    "a missing one": pa.array(["a", None]),
    "a slice": pa.array([" x", "a", "b", " y"])[1:3],
    "none": pa.array([], pa.string()),
    "numbers": pa.array([1.0, -0.0, 2.5, float("nan")]),
    "large texts": pa.array(["a", " b"], pa.large_string()),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_texts_are_those_that_are_counted(name):
    values = Values(())
    array = ARRAYS[name]
    expected = values.levels("column", array, None)
    result = values.texts(array)
    assert result.type == pa.string()
    assert result.to_pylist() == expected
    values.close()


@pytest.mark.parametrize("name", ARRAYS)
def test_values_that_the_last_batch_had_are_not_asked_again(name, monkeypatch):
    values, fresh, array = Values(()), Values(()), ARRAYS[name]
    batches = [array, array[::-1], array[:1], array[:0], array]
    asked = []
    query = values._queried
    monkeypatch.setattr(values, "_queried", lambda *of: asked.append(of[0]) or query(*of))
    for of in (None, Bins("column", (0.0, 2.0, 9.0), ("<0", "low", "high", ">9"), 2)):
        asked.clear()
        for batch in batches:
            assert values.levels("column", batch, of) == fresh_levels(fresh, batch, of)
        assert len(asked) == 1
    values.close()
    fresh.close()


def fresh_levels(values, array, bins):
    values._results.clear()
    return values.levels("column", array, bins)


def test_a_value_that_the_last_batch_lacked_is_asked():
    values = Values(())
    for texts in (["a", "1.0"], ["1.0", "b", None], ["a", " b"], [None, "b", "1.0"]):
        expected = [None if text is None else text.strip().replace(".0", "") for text in texts]
        assert values.levels("column", pa.array(texts, pa.string()), None) == expected
    passing = [values.passing(Filter("column", (one,)), pa.array(["a", "b"])) for one in "ab"]
    assert [list(each) for each in passing] == [[True, False], [False, True]]
    values.close()


def test_equal_texts_alone_have_equal_hashes():
    values = Values(())
    texts = [*map(str, range(20_000)), *(f"{i:x}" * 9 for i in range(20_000))]
    hashes = values.hashes(pa.array([*texts, *texts[::-1]]))
    assert hashes.dtype == np.uint64
    assert (hashes == np.concatenate([hashes[: len(texts)], hashes[: len(texts)][::-1]])).all()
    assert len(np.unique(hashes)) == len(set(texts))
    for kind, numbers in ((pa.int64(), [-1, 1, -(2**63)]), (pa.uint64(), [0, 1, 2**64 - 1])):
        assert len(np.unique(values.hashes(pa.array([*numbers, *numbers], kind)))) == 3
    values.close()


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", "b", "a"]),
        pa.array(["a", None, "b", None]),
        pa.array([None, None], pa.string()),
    ],
)
def test_a_dictionary_has_the_values_of_what_it_stands_for(array):
    for item in (array, array.dictionary_encode(), array.dictionary_encode("encode")):
        result = encoded(item)
        assert [result.values[int(i)].as_py() for i in result.index] == array.to_pylist()
        assert result.index.dtype == np.int64


@pytest.mark.parametrize("draw", [Seeded(5), Keyed(b"k" * 16, "id")])
@pytest.mark.parametrize("columns", ["replaced", "dropped", "kept"])
def test_a_release_is_the_same_from_every_kind_of_file(draw, columns, tmp_path):
    records = people(700)
    records["town"][3] = records["sex"][9] = None
    records["id"] = list(range(700))
    answer = []
    for name in ("a.csv", "a.parquet"):
        result, table = answer_on(write(records, tmp_path / name), missing="level")
        target = tmp_path / f"{columns}{name}"
        apply(result, table, target, keeping(draw, columns), batch=97)
        released = read(target)
        kept = [name for name in released if name not in ("age", "sex", "town")]
        answer.append({name: list(map(str, released[name])) for name in kept})
    assert answer[0] == answer[1]
