"""The first question of new data can be answered."""

import numpy as np
import pandas as pd
import pytest

from core.data import BUNDLED, Binning, DataSpec, count, first_question
from core.errors import InvalidInputError


def test_bundled_sets_are_asked_what_their_entry_says():
    for entry in BUNDLED:
        assert first_question(entry.id) == DataSpec(entry.id, entry.secret, entry.released)


def test_columns_with_few_levels_come_first(add, sources):
    frame = pd.DataFrame(
        {"id": [f"u{i}" for i in range(100)], "age": range(100), "one": "k", "b": list("pq") * 50}
    )
    spec = first_question(add(frame), sources)
    assert (spec.secret, spec.released) == (("age",), ("b",))
    assert spec.binnings == (Binning("age"),)
    assert count(spec, sources).joint.p.shape == (8, 2)
    more = first_question(add(frame.assign(c=np.arange(100) % 3)), sources)
    assert (more.secret, more.released, more.binnings) == (("b",), ("c",), ())


@pytest.mark.parametrize("name", ["person", "patient_id", "Proband Nr", "ID"])
def test_what_may_name_persons_is_not_chosen_first(name, add, sources):
    frame = pd.DataFrame({name: [f"p{i % 9}" for i in range(60)], "sex": list("fm") * 30})
    frame = frame.assign(job=list("abcab") * 12)
    spec = first_question(add(frame), sources)
    assert (spec.secret, spec.released) == (("sex",), ("job",))
    two = frame.assign(**{name: list("ynn") * 20})  # whether it is one, as in "student: yes"
    assert first_question(add(two), sources).secret == (name,)


def test_numbers_without_a_name_that_count_the_records_are_not_asked_about(sources):
    frame = pd.DataFrame({"sex": list("fmfm") * 9, "job": list("abca") * 9})
    spec = first_question(sources.add_bytes(frame.to_csv().encode(), "frame.csv"), sources)
    assert (spec.secret, spec.released) == (("sex",), ("job",))
    few = first_question(sources.add_bytes(b",a\n0,x\n1,y\n0,y\n", "few.csv"), sources)
    assert (few.secret, few.released) == (("column 1",), ("a",))  # these do not


def test_joints_have_no_columns_and_examples_say_whether_s_is_released():
    assert first_question("random:uniform:2x3:1") == DataSpec("random:uniform:2x3:1", (), ())
    assert first_question("example:rldp_truth").secret_released
    assert not first_question("example:parity").secret_released
    with pytest.raises(InvalidInputError, match="no example 'x'"):
        first_question("example:x")


def test_sources_have_titles(sources):
    key = sources.add_bytes(b"a,b\n1,2\n", "people.csv")
    assert sources.title(key) == "people.csv"
    assert sources.title("adult").startswith("Adult")
    assert sources.title(sources.add_matrix("1 2\n3 4")) == "Pasted matrix"


def test_uploads_of_one_name_are_numbered_in_their_order(sources):
    names = ["a.csv", "b.csv", "a.csv", "a.csv (2)", "a.csv"]
    files = [f"s,x\na,{i}\nb,1\n".encode() for i in range(len(names))]
    keys = [sources.add_bytes(*item) for item in zip(files, names, strict=True)]
    labels = ["a.csv", "b.csv", "a.csv (2)", "a.csv (2) (2)", "a.csv (3)"]
    assert [sources.label(key) for key in keys] == labels
    assert sources.add_bytes(files[0], "a.csv") == keys[0]  # nothing new
    assert [sources.label(key) for key in keys] == labels
    assert [sources.title(key) for key in keys] == names  # a file keeps its name
