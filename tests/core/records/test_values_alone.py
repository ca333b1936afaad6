"""A released file holds the values that were released, and nothing of the others."""

import datetime
import decimal
import json

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from pyarrow import parquet

from core.data import Sources
from core.data.spec import DataSpec, Filter
from core.records import files
from core.records.applying import apply
from core.records.certificate import make
from core.records.design import LEAVE_OUT
from core.records.draws import Seeded
from core.records.verifying import verify
from core.scenario import Scenario, evaluate
from tests.core.records.makers import SEED, answer_on, keeping

COUNT = 120
GONE = tuple(f"gone-{i:03d}" for i in range(40))
"""Towns of records that a filter leaves out, a name each."""

DAY = datetime.date(2020, 1, 1)


def marked(kind):
    """Return for each record a value of a type that is found again in the bytes of a file."""
    texts = [f"kept-{i % 3}" for i in range(COUNT - len(GONE))] + [f"mark-{i}" for i in GONE]
    if kind == "text":
        return pa.array(texts)
    if kind == "category":
        return pa.array(texts).dictionary_encode()
    if kind == "ordered category":
        indices, values = np.unique(texts, return_inverse=True)[::-1]
        return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values), ordered=True)
    if kind == "binary category":
        return pa.array([text.encode() for text in texts]).dictionary_encode()
    if kind == "view":
        return pa.array(texts).cast(pa.string_view())
    if kind == "list of views":
        lists = pa.ListArray.from_arrays(range(COUNT + 1), pa.array(texts))
        return lists.cast(pa.list_(pa.string_view()))
    if kind == "list of categories":
        return pa.ListArray.from_arrays(range(COUNT + 1), pa.array(texts).dictionary_encode())
    if kind == "structure":
        of = pa.array(texts).dictionary_encode()
        field = pa.field("inner", of.type, metadata={"levels": " ".join(GONE)})
        return pa.StructArray.from_arrays([of], fields=[field])
    if kind == "map":
        return pa.array([[("key", text)] for text in texts], pa.map_(pa.string(), pa.string()))
    if kind == "extension":
        return pa.ExtensionArray.from_storage(
            pa.opaque(pa.string(), GONE[0], "maker"), pa.array(texts)
        )
    numbers = [i % 3 for i in range(COUNT - len(GONE))] + [7_000 + i for i in range(len(GONE))]
    if kind == "category of numbers":
        return pa.array(numbers).dictionary_encode()
    if kind == "category of days":
        return pa.array([DAY + datetime.timedelta(n) for n in numbers]).dictionary_encode()
    if kind == "decimal":
        return pa.array([decimal.Decimal(n) / 100 for n in numbers])
    if kind == "time with a zone":
        return pa.array([n * 10**6 for n in numbers], pa.timestamp("us", "Europe/Berlin"))
    return pa.array([n % 2 == 0 for n in numbers])


KINDS = (
    "text",
    "view",
    "list of views",
    "category",
    "ordered category",
    "binary category",
    "list of categories",
    "structure",
    "map",
    "extension",
    "category of numbers",
    "category of days",
    "decimal",
    "time with a zone",
    "truth",
)


def file_of(path, kind, *, town_as_category=True):
    """Write records of which the last forty are from towns of their own."""
    town = [("Bonn", "Trier", "Ulm")[i % 3] for i in range(COUNT - len(GONE))] + list(GONE)
    towns = pa.array(town)
    schema = pa.schema(
        [
            pa.field("sex", pa.string(), metadata={"note": " ".join(GONE)}),
            pa.field("town", towns.dictionary_encode().type if town_as_category else pa.string()),
            pa.field("mark", marked(kind).type, metadata={"levels": " ".join(GONE)}),
        ],
        metadata={"pandas": " ".join(GONE)},
    )
    columns = [
        pa.array([("f", "m")[i // 2 % 2] for i in range(COUNT)]),
        towns.dictionary_encode() if town_as_category else towns,
        marked(kind),
    ]
    parquet.write_table(pa.Table.from_arrays(columns, schema=schema), path)
    return path


def kept_only(kind):
    """Return what the released column is to hold: values of the records that remain."""
    return marked(kind)[: COUNT - len(GONE)].to_pylist()


REMAIN = (Filter("town", ("Bonn", "Trier", "Ulm")),)
"""The filter that leaves the forty records out, without naming their towns."""


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_records_left_out_is_in_the_bytes(tmp_path, kind):
    path = file_of(tmp_path / "a.parquet", kind)
    result, table = answer_on(path, mechanism="watchdog", filters=REMAIN)
    target = tmp_path / "released.parquet"
    done = apply(result, table, target, keeping(Seeded(3)))
    assert (done.filtered, done.released) == (len(GONE), COUNT - len(GONE))
    assert b"gone" in path.read_bytes()
    assert b"gone" not in target.read_bytes()
    assert b"mark-" not in target.read_bytes()
    released = parquet.read_table(target)
    assert released.schema.metadata is None
    assert "gone" not in "".join(str(field.metadata) for field in released.schema)
    assert released.column("mark").to_pylist() == kept_only(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_decoded_lists_released_values_alone(tmp_path, kind):
    path = file_of(tmp_path / "a.parquet", kind)
    result, table = answer_on(path, mechanism="watchdog", filters=REMAIN)
    target = tmp_path / "released.parquet"
    apply(result, table, target, keeping(Seeded(3)))
    kept = {str(value) for value in kept_only(kind)}
    for name in ("town", "mark"):
        plain = parquet.read_table(target).column(name).combine_chunks()
        if pa.types.is_nested(plain.type):
            continue
        listed = plain.dictionary_encode().dictionary.to_pylist()
        assert {str(value) for value in listed} <= kept | set(result.mechanism.y_labels)
    groups = parquet.ParquetFile(target).metadata
    for group in range(groups.num_row_groups):
        for column in range(groups.num_columns):
            reported = groups.row_group(group).column(column).statistics
            if reported is not None and reported.has_min_max:
                assert "gone" not in f"{reported.min}{reported.max}"
                assert "mark-" not in f"{reported.min}{reported.max}"


@pytest.mark.parametrize("category", [True, False])
def test_unknown_and_missing_values_leave_nothing_behind(tmp_path, category):
    made = file_of(tmp_path / "a.parquet", "category", town_as_category=False)
    result, _ = answer_on(made, mechanism="watchdog", filters=REMAIN)
    whole = parquet.read_table(made).slice(0, COUNT - len(GONE))
    towns = whole.column("town").to_pylist()
    towns[:5] = [None, "gone-new", "gone-too", None, "Bonn"]
    column = pa.array(towns)
    later = whole.set_column(1, "town", column.dictionary_encode() if category else column)
    parquet.write_table(later, tmp_path / "later.parquet")
    _, table = answer_on(tmp_path / "later.parquet", mechanism="watchdog")
    target = tmp_path / "released.parquet"
    done = apply(result, table, target, keeping(Seeded(3), unknown=LEAVE_OUT))
    assert done.released < len(later)
    assert b"gone" not in target.read_bytes()


def test_row_numbers_of_pandas_are_not_released(tmp_path):
    town = [("Bonn", "Trier", "Ulm")[i % 3] for i in range(60)]
    frame = pd.DataFrame({"sex": [("f", "m")[i // 2 % 2] for i in range(60)], "town": town})
    frame.index = [f"gone-{i}" for i in range(60)]
    path = tmp_path / "a.parquet"
    frame.to_parquet(path)
    result, table = answer_on(path, mechanism="watchdog")
    target = tmp_path / "released.parquet"
    apply(result, table, target, keeping(Seeded(3)))
    assert parquet.read_schema(target).names == ["town"]
    assert b"gone" not in target.read_bytes()


def test_sizes_of_row_groups_do_not_tell_where_records_were_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BATCH", 50)
    path = file_of(tmp_path / "a.parquet", "text")
    whole = parquet.read_table(path)
    mixed = [i * 7 % COUNT for i in range(COUNT)]
    parquet.write_table(whole.take(mixed), path)
    result, table = answer_on(path, mechanism="watchdog", filters=REMAIN)
    contents = set()
    for batch in (16, 50, 1_000):
        target = tmp_path / "released.parquet"
        apply(result, table, target, keeping(Seeded(3)), batch=batch)
        groups = parquet.ParquetFile(target).metadata
        sizes = [groups.row_group(place).num_rows for place in range(groups.num_row_groups)]
        assert sizes == [50, COUNT - len(GONE) - 50]
        contents.add(target.read_bytes())
    assert len(contents) == 1


CELLS = {
    "whole numbers": ([3, -1, 0, 10**6], pa.float64()),
    "numbers": ([0.5, 3, None, 1e-7], pa.float64()),
    "nothing": ([None, None, None, None], pa.float64()),
    "more digits than a double has": ([str(2**53 + 1), "3", "4", "5"], pa.string()),
    "codes": (["007", "1.50", "12", "3"], pa.string()),
    "words": (["a", "b", None, "1"], pa.string()),
}


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_cell_left_out_does_not_type_the_column_of_a_workbook(tmp_path, cells, kind):
    own, expected = CELLS[cells]
    written = set()
    for left_out in ("word", 7, None):
        code = pd.Series([own[i % 4] for i in range(40)] + [left_out], dtype=object)
        towns = [("Bonn", "Trier", "Ulm")[i % 3] for i in range(40)] + ["gone"]
        sexes = [("f", "m")[i // 2 % 2] for i in range(41)]
        path = tmp_path / "a.xlsx"
        pd.DataFrame({"sex": sexes, "town": towns, "code": code}).to_excel(path, index=False)
        sources = Sources()
        key = sources.add_file(path)
        data = DataSpec(key, ("sex",), ("town",), filters=REMAIN)
        result = evaluate(Scenario(data=data, mechanism="watchdog"), sources)
        target = tmp_path / f"released.{kind}"
        upload = sources.uploads[key]
        with pytest.MonkeyPatch.context() as patch:  # random numbers of the mechanism alone
            patch.setattr(Seeded, "on", lambda self, _: self)
            make(result, upload, keeping(Seeded(SEED)), target)
        written.add(target.read_bytes())
        body = make(result, upload, keeping(Seeded(SEED)), target).certificate
        if kind == "parquet":
            assert parquet.read_schema(target).field("code").type == expected
        answer = verify(json.dumps(body), target, path, str(SEED))
        assert {item.name: item.sentence for item in answer if not item.passed} == {}
    assert len(written) == 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_nothing_of_a_workbook_but_its_cells_is_released(tmp_path, kind):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["sex", "town", "note"])
    for i in range(40):
        sheet.append([("f", "m")[i // 2 % 2], ("Bonn", "Trier", "Ulm")[i % 3], f"n{i % 4}"])
    sheet.append(["f", "Atlantis", "hidden"])
    sheet["A2"].comment = Comment("hidden", "hidden")
    sheet.oddHeader.center.text = book.properties.creator = book.properties.title = "hidden"
    book.defined_names["hidden"] = DefinedName("hidden", attr_text='"hidden"')
    for state in ("hidden", "veryHidden"):
        other = book.create_sheet(f"{state} sheet")
        other.append(["hidden"])
        other.sheet_state = state
    path = tmp_path / "a.xlsx"
    book.save(path)
    sources = Sources()
    key = sources.add_file(path)
    data = DataSpec(key, ("sex",), ("town",), filters=REMAIN)
    result = evaluate(Scenario(data=data, mechanism="watchdog"), sources)
    target = tmp_path / f"released.{kind}"
    body = make(result, sources.uploads[key], keeping(Seeded(SEED)), target).certificate
    for written in (target.read_bytes(), json.dumps(body).encode()):
        assert b"hidden" not in written
        assert b"Atlantis" not in written
