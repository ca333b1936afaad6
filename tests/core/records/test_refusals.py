import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from core.data import Binning, DataSpec
from core.errors import InvalidInputError
from core.records import applying, written
from core.records.applying import apply, preview
from core.records.coded import Coder
from core.records.draws import Keyed, Seeded
from core.scenario import Scenario, evaluate
from tests.core.records.makers import (
    answer_on,
    identity,
    keeping,
    opened,
    people,
    released,
    with_kernel,
    write,
)


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (["a", "a", "b", "c"], "'id' has 'a' for 2 records"),
        (["a", None, "b", "c"], "has 1 record without 'id'"),
        ([7, -7, 8, 7], "'id' has '7' for 2 records"),
        ([7, None, 8, 9], "has 1 record without 'id'"),
    ],
)
def test_ids_must_name_each_record_once(ids, sentence, tmp_path):
    columns = {"id": ids, "sex": ["f", "m", "f", "m"], "town": ["a", "b", "b", "a"]}
    for name in ("a.csv", "a.parquet"):
        result, table = answer_on(write(columns, tmp_path / name))
        with pytest.raises(InvalidInputError, match=sentence):
            apply(result, table, tmp_path / "out.csv", keeping(Keyed(b"k" * 16, "id")), batch=3)
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "a.parquet"]


def test_different_ids_with_equal_hashes_are_no_repeated_ids(tmp_path, monkeypatch):
    result, table = answer_on(write(people(40), tmp_path / "a.csv"))
    monkeypatch.setattr(Coder, "hashes", lambda _self, ids: np.full(len(ids), 5, np.uint64))
    plan = keeping(Keyed(b"k" * 16, "id"))
    assert apply(result, table, tmp_path / "out.csv", plan, batch=7).released == 40


def test_ids_whose_random_numbers_agree_in_53_bits_are_not_counted(tmp_path, monkeypatch):
    result, table = answer_on(write(people(40), tmp_path / "a.csv"))
    monkeypatch.setattr(Keyed, "uniforms", lambda _self, _start, count, _ids: np.full(count, 0.5))
    monkeypatch.setattr(applying, "_check_ids", None)  # reads the whole file once more
    plan = keeping(Keyed(b"k" * 16, "id"))
    assert apply(result, table, tmp_path / "out.csv", plan, batch=7).released == 40


def other_file(tmp_path, changes, name="other.csv", n=10):
    columns = people(n, seed=3)
    for column, place, value in changes:
        columns[column][place] = value
    return columns, opened(write(columns, tmp_path / name))


def test_unknown_values_are_an_error_that_names_them_and_their_number(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    changes = [("town", i, "Atlantis") for i in range(4)] + [("town", 5, ""), ("town", 6, "Ys")]
    _, table = other_file(tmp_path, changes)
    with pytest.raises(InvalidInputError) as caught:
        apply(result, table, tmp_path / "out.csv", keeping(Seeded(1)), batch=3)
    text = str(caught.value)
    assert "'Atlantis' (4 records), '(missing)' (1 record), 'Ys' (1 record) of 'town'" in text
    assert "6 records cannot be released" in text
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "other.csv"]


def test_unknown_values_may_be_left_out_or_taken_for_a_symbol(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    columns, table = other_file(tmp_path, [("town", 0, "Atlantis"), ("town", 9, "")])
    made = identity(result)
    applied, answer = released(made, table, tmp_path / "o.csv", keeping(Seeded(1), unknown="drop"))
    assert answer["id"] == columns["id"][1:9]
    assert dict(applied.unknown) == {"Atlantis": 1, "(missing)": 1}
    applied, answer = released(
        made, table, tmp_path / "o.csv", keeping(Seeded(1), unknown="Zürich")
    )
    place = result.joint.x_labels.index("Zürich")
    assert answer["town"][0] == answer["town"][9] == f"y{place + 1}"
    assert applied.released == 10


def test_a_fallback_must_be_a_symbol(tmp_path):
    result, table = answer_on(write(people(400), tmp_path / "a.csv"))
    with pytest.raises(InvalidInputError, match="or a symbol of X such as 'Köln', got 'Ys'"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1), unknown="Ys"))


def test_an_unknown_secret_matters_where_s_is_read(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    _, table = other_file(tmp_path, [("sex", 2, "x"), ("town", 3, "Ys")])
    pairs = with_kernel(result, np.eye(result.joint.p.size))
    with pytest.raises(InvalidInputError, match=r"'x' \(1 record\), 'Ys' \(1 record\)"):
        apply(pairs, table, tmp_path / "o.csv", keeping(Seeded(1)))
    with pytest.raises(InvalidInputError, match="made without 'x'"):
        apply(pairs, table, tmp_path / "o.csv", keeping(Seeded(1), unknown="Köln"))
    assert apply(pairs, table, tmp_path / "o.csv", keeping(Seeded(1), unknown="drop")).released == 8
    plan = keeping(Seeded(1), unknown="drop")
    assert apply(result, table, tmp_path / "o.csv", plan).released == 9


def test_a_word_among_numbers_and_a_number_outside_all_bins_are_unknown(tmp_path):
    spec = {"released": ("age",), "binnings": (Binning("age", "width", 4),)}
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"), **spec)
    _, table = other_file(tmp_path, [("age", 1, "old"), ("age", 2, 999)])
    with pytest.raises(
        InvalidInputError, match=r"'old' \(1 record\), '> .*' \(1 record\) of 'age'"
    ):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))


def test_s_need_not_be_there_unless_it_is_read(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    columns = people(20)
    del columns["sex"]
    table = opened(write(columns, tmp_path / "b.csv"))
    assert apply(result, table, tmp_path / "o.csv", keeping(Seeded(1))).cells is None
    pairs = with_kernel(result, np.eye(result.joint.p.size))
    with pytest.raises(InvalidInputError, match=r"the column 'sex', but b.csv has no such column"):
        apply(pairs, table, tmp_path / "o.csv", keeping(Seeded(1)))


def test_one_record_is_released(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    _, table = other_file(tmp_path, [], n=1)
    applied, answer = released(identity(result), table, tmp_path / "o.csv")
    assert applied.released == 1
    assert len(answer["town"]) == 1


def test_a_kernel_for_another_alphabet_is_refused(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    other = evaluate(Scenario(mechanism="identity"))
    mixed = type(result)(
        result.scenario, result.counted, other.mechanism, result.before, result.after, 0.0
    )
    _, table = other_file(tmp_path, [])
    with pytest.raises(InvalidInputError, match="for another alphabet: it has 15 rows"):
        apply(mixed, table, tmp_path / "o.csv", keeping(Seeded(1)))


def test_a_joint_without_records_is_refused(tmp_path):
    result = evaluate(Scenario(data=DataSpec("random:uniform:3x4:1"), mechanism="identity"))
    _, table = other_file(tmp_path, [])
    with pytest.raises(InvalidInputError, match="a joint distribution without columns"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("out.xlsx", "must end in .parquet, .csv or .tsv"),
        ("none/out.csv", "cannot be written: no such file"),
        ("folder.csv", "cannot be written: it is a folder"),
        ("a" * 300 + ".csv", "cannot be written: file name too long"),
        ("a\0.csv", "cannot be written"),
    ],
)
def test_a_target_that_cannot_be_written_is_refused(target, sentence, tmp_path):
    result, table = answer_on(write(people(100), tmp_path / "a.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInputError, match=sentence):
        apply(result, table, tmp_path / target, keeping(Seeded(1)))
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "folder.csv"]


def test_what_csv_cannot_hold_is_refused_and_nothing_is_left(tmp_path):
    columns = people(100) | {"all": [[i] for i in range(100)]}
    result, table = answer_on(write(columns, tmp_path / "a.parquet"))
    with pytest.raises(InvalidInputError, match="Parquet holds every type"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))
    assert os.listdir(tmp_path) == ["a.parquet"]
    _, answer = released(result, table, tmp_path / "o.parquet")
    assert answer["all"] == columns["all"]


def test_outputs_that_text_files_could_not_tell_apart_need_parquet(tmp_path):
    columns = people(100)
    columns["town"] = ["=a" if town == "Köln" else "'=a" for town in columns["town"]]
    result, table = answer_on(write(columns, tmp_path / "a.parquet"), mechanism="identity")
    with pytest.raises(InvalidInputError, match="become the same once they are protected"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_columns_that_text_files_could_not_tell_apart_need_parquet(tmp_path):
    columns = people(100) | {"=a": ["x"] * 100, "'=a": ["y"] * 100}
    result, table = answer_on(write(columns, tmp_path / "a.csv"))
    with pytest.raises(InvalidInputError, match=r"^The columns '=a' and \"'=a\" become the same"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))
    assert os.listdir(tmp_path) == ["a.csv"]
    _, answer = released(result, table, tmp_path / "o.parquet")
    assert answer["'=a"] == columns["'=a"]


def test_a_full_disk_leaves_what_was_there(tmp_path):
    write(people(20_000), tmp_path / "a.parquet")
    (tmp_path / "o.csv").write_text("before")
    program = f"""
import resource, signal, sys
from pathlib import Path
from core.errors import InvalidInputError
from core.records.applying import apply
from core.records.draws import Seeded
from tests.core.records.makers import answer_on, keeping
result, table = answer_on(Path({str(tmp_path / "a.parquet")!r}))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, {resource.RLIM_INFINITY}))
try:
    apply(result, table, Path({str(tmp_path / "o.csv")!r}), keeping(Seeded(1)))
except InvalidInputError as error:
    sys.exit(f"told: {{error}}")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "o.csv' cannot be written" in done.stderr
    assert "told:" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a.parquet", "o.csv"]
    assert (tmp_path / "o.csv").read_text() == "before"


def test_an_unknown_treatment_of_columns_is_refused():
    with pytest.raises(InvalidInputError, match="columns must be one of replaced, dropped"):
        keeping(Seeded(1), "hidden")


def test_a_file_that_goes_while_it_is_read_is_told(tmp_path):
    path = write(people(100), tmp_path / "a.parquet")
    result, table = answer_on(path)
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(InvalidInputError, match="damaged, or has changed"):
        apply(result, table, tmp_path / "o.csv", keeping(Seeded(1)))
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_the_preview_refuses_what_the_release_does(tmp_path):
    result, _ = answer_on(write(people(400), tmp_path / "a.csv"))
    _, table = other_file(tmp_path, [("town", 0, "Ys")])
    with pytest.raises(InvalidInputError, match="'Ys'"):
        preview(result, table, keeping(Seeded(1)))


def test_a_mechanism_too_large_for_a_certificate_is_refused_before_anything_is_written(
    tmp_path, monkeypatch
):
    result, table = answer_on(write(people(40), tmp_path / "a.csv"))
    rows, outputs = result.mechanism.kernel.shape
    entries = np.count_nonzero(result.mechanism.kernel)
    monkeypatch.setattr(written, "MAX_WRITTEN", entries - 1)
    sentence = f"of {rows} rows and {outputs} outputs: {entries} entries that are not 0; at most"
    with pytest.raises(InvalidInputError, match=sentence):
        preview(result, table, keeping(Seeded(1)))
    with pytest.raises(InvalidInputError, match=sentence):
        apply(result, table, tmp_path / "out.csv", keeping(Seeded(1)))
    assert os.listdir(tmp_path) == ["a.csv"]
    monkeypatch.setattr(written, "MAX_WRITTEN", entries)
    assert apply(result, table, tmp_path / "out.csv", keeping(Seeded(1))).released == 40
