"""Every released cell beside Y is compared with its record's in the original."""

import datetime
import decimal
import hashlib
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from core.data.spec import Filter
from core.records.certificate import fingerprint
from core.records.checking import contents
from core.records.verifying import failed, verify
from tests.core.records.makers import SEED, answer_on, people, read, write
from tests.core.records.test_verifying import certified

KINDS = ("released.csv", "released.tsv", "released.parquet")


def rewritten(body, path, change):
    """Change a released file, and put its new hash into its certificate."""
    columns = read(path)
    change(columns)
    if path.suffix == ".tsv":
        text = "\n".join("\t".join(map(str, row)) for row in zip(*columns.values(), strict=True))
        path.write_text("\t".join(columns) + "\n" + text + "\n", encoding="utf-8")
    else:
        write(columns, path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    body["released"] = body["released"] | {"sha256": digest}
    del body["fingerprint"]
    return json.dumps(body | {"fingerprint": fingerprint(body)})


def backwards(columns):
    columns["id"] = columns["id"][::-1]


def one_age(columns):
    columns["age"][-1] = type(columns["age"][-1])(17.5)


def two_swapped(columns):
    ids = columns["id"]
    ids[3], ids[4] = ids[4], ids[3]


def one_missing(columns):
    columns["note"][5] = None


def secret_shown(columns):
    columns["note"] = [("n0", "n1")[int(y == columns["town"][0])] for y in columns["town"]]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("change", [backwards, one_age, two_swapped, one_missing, secret_shown])
def test_a_changed_cell_fails_though_the_hash_is_right(tmp_path, name, change):
    columns = people(300)
    columns["town"] = [town.replace("\n", " ") for town in columns["town"]]
    original = write(columns, tmp_path / "people.csv")
    result, _ = answer_on(original, filters=(Filter("age", low=30),))
    body, path = certified(tmp_path, result, original, target=name)
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
    text = rewritten(body, path, change)
    answer = {item.name: item for item in failed(verify(text, path, original, str(SEED)))}
    # a forger's file has its own layout, and its columns may give away something else
    assert set(answer) - {"nothing else", "beside"} == {"cells"}
    assert "differs in '" in answer["cells"].sentence


def test_without_the_original_nothing_is_said_of_cells(tmp_path):
    original = write(people(60), tmp_path / "people.parquet")
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    (answer,) = [item for item in verify(json.dumps(body), path) if item.name == "cells"]
    assert answer.passed is None
    assert answer.sentence == "The original was not given, so this was not checked."


TYPES = {
    "whole": pa.array([0, -3, 2**62, None]),
    "small": pa.array([0, 1, 2, None], pa.int8()),
    "double": pa.array([0.1, -0.0, 1e300, float("nan")]),
    "single": pa.array([0.1, 3.0, 1e30, None], pa.float32()),
    "decimal": pa.array([decimal.Decimal("1.10"), decimal.Decimal("-2"), None, None]),
    "truth": pa.array([True, False, None, True]),
    "day": pa.array([datetime.date(2020, 1, 2), None, datetime.date(1900, 3, 4), None]),
    "time": pa.array([0, 1_600_000_000_123_456, None, 5], pa.timestamp("us")),
    "zoned": pa.array([0, 1_600_000_000_123_456, None, 5], pa.timestamp("us", "Europe/Berlin")),
    "text": pa.array([" a", "=1+1", "", None]),
    "large text": pa.array(["ü", '"', "a\nb", None], pa.large_string()),
    "category": pa.array(["b", "a", "b", None]).dictionary_encode(),
    "number in text": pa.array(["007", "1.50", "1e3", "-0"]),
}


@pytest.mark.parametrize("name", KINDS)
def test_cells_of_every_type_are_the_same_after_a_release(tmp_path, name):
    repeat = [i % 4 for i in range(80)]
    table = pa.table(
        {
            "sex": pa.array([("f", "m")[i // 2 % 2] for i in range(80)]),
            "town": pa.array([("Bonn", "Ulm", "Trier")[i % 3] for i in range(80)]),
            **{kind: values.take(pa.array(repeat)) for kind, values in TYPES.items()},
        }
    )
    original = tmp_path / "a.parquet"
    parquet.write_table(table, original)
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target=name)
    (answer,) = [
        o for o in verify(json.dumps(body), path, original, str(SEED)) if o.name == "cells"
    ]
    assert answer.passed, answer.sentence


TEXTS = [("01234", "1234"), ("1e3", "1000"), ("5", " 5.000"), ("5", "'5"), ("A", " A  "), ("", " ")]


@pytest.mark.parametrize("name", ["released.csv", "released.parquet"])
@pytest.mark.parametrize(("text", "instead"), TEXTS)
def test_a_text_is_compared_letter_by_letter(tmp_path, name, text, instead):
    columns = people(60) | {"code": [text] * 60}
    original = write(columns, tmp_path / f"people{name[8:]}")
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target=name)
    (fine,) = [o for o in verify(json.dumps(body), path, original) if o.name == "cells"]
    assert fine.passed, fine.sentence

    def changed(released):
        released["code"][7] = instead

    (answer,) = [
        item
        for item in verify(rewritten(body, path, changed), path, original, str(SEED))
        if item.name == "cells"
    ]
    assert answer.passed is False


OTHER_TYPES = {
    "whole": pa.string(),
    "small": pa.int16(),
    "truth": pa.int8(),
    "day": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Asia/Tokyo"),
    "text": pa.large_string(),
}


@pytest.mark.parametrize("kind", OTHER_TYPES)
def test_a_column_of_another_type_is_told(tmp_path, kind):
    columns = {"sex": ["f", "m", "f", "m"], "town": ["Bonn", "Ulm", "Ulm", "Bonn"]}
    table = pa.table(columns | {"it": TYPES[kind]}).take([i % 4 for i in range(80)])
    original = tmp_path / "a.parquet"
    parquet.write_table(table, original)
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    changed = parquet.read_table(path)
    place = changed.column_names.index("it")
    parquet.write_table(
        changed.set_column(place, "it", changed["it"].cast(OTHER_TYPES[kind])), path
    )
    (answer,) = [o for o in verify(json.dumps(body), path, original) if o.name == "cells"]
    assert answer.passed is False
    assert str(OTHER_TYPES[kind]) in answer.sentence


def test_a_nanosecond_of_a_time_is_a_difference(tmp_path):
    times = pa.array([1, 2_000_000_001, None, 5], pa.time64("ns"))
    columns = {"sex": ["f", "m", "f", "m"], "town": ["Bonn", "Ulm", "Ulm", "Bonn"]}
    original = tmp_path / "a.parquet"
    parquet.write_table(
        pa.table(columns | {"it": times}).take([i % 4 for i in range(80)]), original
    )
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    (fine,) = [o for o in verify(json.dumps(body), path, original) if o.name == "cells"]
    assert fine.passed, fine.sentence
    released = parquet.read_table(path)
    moved = pa.array([1, 2_000_000_002, None, 5] * 20, pa.time64("ns"))
    parquet.write_table(released.set_column(released.column_names.index("it"), "it", moved), path)
    (answer,) = [o for o in verify(json.dumps(body), path, original) if o.name == "cells"]
    assert answer.passed is False
    assert "Record 2 " in answer.sentence


def test_nested_cells_are_compared_too(tmp_path):
    count = 60
    lists = pa.ListArray.from_arrays(
        range(count + 1), pa.array([f"v{i % 7}" for i in range(count)]).dictionary_encode()
    )
    columns = people(count) | {"lists": lists}
    original = tmp_path / "a.parquet"
    parquet.write_table(pa.table(columns), original)
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []

    def reversed_lists(columns):
        columns["lists"] = columns["lists"][::-1]

    text = rewritten(body, path, reversed_lists)
    answer = {item.name: item for item in failed(verify(text, path, original, str(SEED)))}
    assert "differs in 'lists' from its record 1 of" in answer["cells"].sentence


WHOLE = {
    "no number in a list": pa.array([[float("nan"), 1.0], None, [], [None]]),
    "a structure": pa.array([{"a": float("nan")}, None, {"a": 1.0}, {"a": None}]),
    "identifiers": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([bytes([i]) * 16 for i in range(3)] + [None], pa.binary(16))
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_cells_with_parts_hold_where_true_and_fail_where_changed(tmp_path, kind):
    it = pa.concat_arrays([WHOLE[kind]] * 20)
    columns = people(80)
    original = tmp_path / "a.parquet"
    parquet.write_table(pa.table(columns | {"it": it}), original)
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
    table = parquet.read_table(path)
    place = table.column_names.index("it")
    parquet.write_table(
        table.set_column(place, "it", table["it"].take(list(range(80))[::-1])), path
    )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    forged = body | {"released": body["released"] | {"sha256": digest}}
    forged["fingerprint"] = fingerprint(forged)
    answer = {item.name for item in failed(verify(json.dumps(forged), path, original, str(SEED)))}
    assert answer == {"cells"}


@given(st.text(), st.text())
def test_texts_are_the_same_only_if_they_look_the_same(first, other):
    assert contents._same(first, first)
    if contents._same(first, other):
        stripped = first.strip(contents.SPACE), other.strip(contents.SPACE).removeprefix("'")
        assert stripped[0].removeprefix("'") == stripped[1] or (
            float(stripped[0]) == float(stripped[1])
        )


def certificate_of(body, path):
    """Return a certificate's text with a released file's new hash."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    forged = body | {"released": body["released"] | {"sha256": digest}}
    return json.dumps(forged | {"fingerprint": fingerprint(forged)})


def of_schema(table, path):
    parquet.write_table(table.replace_schema_metadata({"note": "S"}), path)


def of_field(table, path):
    note = table.schema.field("note").with_metadata({"levels": "S"})
    place = table.column_names.index("note")
    schema = table.schema.set(place, note)
    parquet.write_table(table.cast(schema), path)


def as_category(table, path):
    place = table.column_names.index("note")
    reported = pa.array([*table["note"].to_pylist(), "S"]).dictionary_encode()[: len(table)]
    parquet.write_table(table.set_column(place, "note", reported), path)


def in_groups(table, path):
    parquet.write_table(table, path, row_group_size=7)


def between(table, path):
    parquet.write_table(table, path)
    content = path.read_bytes()
    described = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[:-described] + b"S" + content[-described:])


@pytest.mark.parametrize("hide", [of_schema, of_field, as_category, in_groups, between])
def test_what_is_hidden_beside_the_values_of_a_parquet_file_fails(tmp_path, hide):
    original = write(people(80), tmp_path / "a.parquet")
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
    hide(parquet.read_table(path), path)
    answer = failed(verify(certificate_of(body, path), path, original, str(SEED)))
    assert "nothing else" in {item.name for item in answer}
    without = failed(verify(certificate_of(body, path), path))
    assert [item.name for item in without] == ["nothing else"]


NANOSECONDS = {
    "structure": lambda times: pa.StructArray.from_arrays([times], ["at"]),
    "list": lambda times: pa.ListArray.from_arrays(range(len(times) + 1), times),
}


@pytest.mark.parametrize("nested", NANOSECONDS)
def test_a_nanosecond_within_a_cell_is_a_difference(tmp_path, nested):
    def made(last):
        return NANOSECONDS[nested](pa.array([1, last, None, 5] * 20, pa.time64("ns")))

    original = tmp_path / "a.parquet"
    parquet.write_table(pa.table(people(80) | {"it": made(2_000_000_001)}), original)
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, target="o.parquet")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
    released = parquet.read_table(path)
    place = released.column_names.index("it")
    parquet.write_table(released.set_column(place, "it", made(2_000_000_002)), path)
    (answer,) = [o for o in verify(json.dumps(body), path, original) if o.name == "cells"]
    assert answer.passed is False
    assert "Record 2 " in answer.sentence
