"""What a cell means: numbers, blanks, spellings, marks, rows that are counts of records."""

import json
from dataclasses import replace

import ibis
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import texts
from core.data import (
    Binning,
    ColumnOptions,
    DataSpec,
    ReadOptions,
    Sources,
    count,
    describe,
    present_marks,
)
from core.data.joints import parse_matrix
from core.data.readers.describe import size_text
from core.data.spec import Filter
from core.data.tables import as_number, as_text, define_texts
from core.errors import InvalidInputError
from core.level_order import number
from core.records.applying import apply
from core.records.certificate import make
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate


def of_query(values, ask):
    """Return what a query makes of texts."""
    backend = ibis.duckdb.connect()
    define_texts(backend)
    try:
        table = backend.create_table("t", pa.table({"v": pa.array(values, pa.string())}), temp=True)
        return backend.to_pyarrow(table.select(answer=ask(table.v))).column(0).to_pylist()
    finally:
        backend.disconnect()


ODD = [
    "1_000",
    "0x1F",
    "infinity",
    "-inf",
    "nan",
    "1e5",
    "+-5",
    ".5",
    "1.",
    "e5",
    "1e999",
    "\u00a07",
]


def test_a_query_and_python_take_the_same_texts_for_numbers():
    cases = [
        *ODD,
        "18_24",
        "٣",
        "1,5",
        " 1 ",
        "\x1c3",
        "3\x1f",
        "\u200b2\u200b",
        "--1",
        "+1",
        "1 000",
        "007",
        "-0.0",
    ]
    assert of_query(cases, as_number) == [texts.number(item) for item in cases]
    assert [number(item) for item in ODD] == [texts.number(item) for item in ODD]


@settings(max_examples=15)
@given(
    st.lists(
        st.text("019._+-eExXnaif \t\x0b\x1c\u00a0\u200b\x85", max_size=6), min_size=20, max_size=40
    )
)
@example(["Que\u0301bec ", "TRUE", "True", "1.0", "01.0", "1.00", "-2.0", "", " ", "\ufeffa"])
def test_a_query_and_python_find_the_same_numbers_and_levels(values):
    assert of_query(values, as_number) == [texts.number(item) for item in values]
    assert of_query(values, as_text) == [texts.as_level(item) or None for item in values]


def test_codes_with_underscores_are_text_and_so_are_bands(sources):
    text = b"sex,band,plot\nF,5_17,1_23\nM,18_24,12_3\nF,18_24,1_23\nM,5_17,12_3\n"
    source = sources.add_bytes(text, "codes.csv")
    info = {item.name: item for item in describe(source, sources).columns}
    assert not info["band"].numeric
    joint = count(DataSpec(source, ("sex",), ("plot",)), sources).joint
    assert joint.x_labels == ("12_3", "1_23")


@pytest.mark.parametrize("cell", ["1_000", "nan", "0x10", "infinity"])
def test_a_pasted_matrix_takes_no_such_number(cell):
    with pytest.raises(InvalidInputError):
        parse_matrix(f"1 2\n3 {cell}")


def test_one_value_in_two_spellings_is_one_level_and_is_known_at_release(sources, tmp_path):
    first = "sex,region,ok\n" + "F,1,TRUE\nM,2,True\nF,2,false\nM,1,true\n" * 3
    source = sources.add_bytes(first.encode(), "design.csv")
    assert count(DataSpec(source, ("sex",), ("ok",)), sources).joint.x_labels == ("false", "true")
    scenario = Scenario(data=DataSpec(source, ("sex",), ("region",)), mechanism="watchdog", eps=1)
    later = sources.add_bytes(b"sex,region\nF,1.0\nM,2.0\n\xc2\xa0F ,1.0\n", "new.csv")
    result = evaluate(scenario, sources)
    table = sources.open(later)
    applied = apply(result, table, tmp_path / "y.csv", Plan(Seeded(2**70), "replaced"))
    assert (applied.released, applied.unknown) == (3, ())


def test_levels_that_look_alike_are_stripped_or_told(sources):
    rows = [
        "Male,Québec",
        "Male\u00a0,Que\u0301bec",
        "Male\u200b,Québec",
        "male,Québec",
        "Female,X",
    ]
    source = sources.add_bytes(("sex,town\n" + "\n".join(rows) + "\n").encode(), "t.csv")
    counted = count(DataSpec(source, ("town",), ("sex",)), sources)
    assert counted.joint.x_labels == ("Female", "Male", "male")
    assert counted.joint.s_labels == ("Québec", "X")
    assert counted.report.alike == (("sex", ("Male", "male")),)
    assert (
        "'Male' and 'male' of 'sex' look alike but are separate symbols."
        in counted.report.sentences()
    )


def marks(sources, content):
    source = sources.add_bytes(content.encode(), "t.csv")
    return {item.word: (item.columns, item.records) for item in present_marks(source, sources)}


def test_all_sentinels_that_stand_apart_are_offered_together(sources):
    text = (
        "sex,pay,drinks,kids\nF,410,2,0\nF,365,77,1\nF,7777,0,2\nF,9999,99,97\nM,520,3,1\n"
        "M,480,77,98\nM,9999,1,0\nM,615,88,3\nF,390,4,99\nM,-7,2,2\nF,-999999,99,1\n"
    )
    result = marks(sources, text)
    assert result["7777"] == (("pay",), 1)
    assert result["9999"] == (("pay",), 2)
    assert result["-7"] == (("pay",), 1)
    assert result["-999999"] == (("pay",), 1)
    assert result["77"] == (("drinks",), 2)
    assert result["88"] == (("drinks",), 1)
    assert {"97", "98"} <= set(result)


def test_ages_of_a_nursing_home_are_no_sentinels(sources):
    ages = [66, 71, 75, 77, 79, 83, 86, 88, 90, 92, 97, 99, 61]
    assert marks(sources, "sex,age\n" + "".join(f"F,{item}\n" for item in ages)) == {}


def test_suppressed_cells_are_offered_and_a_true_column_of_x_is_not(sources):
    text = (
        "unit,band,stay\nheart,30-39,4\nheart,*,*\nlung,30-39,<5\nlung,40-49,x\nheart,40-49,..\n"
        "x,30-39,9\nx,40-49,6\n"
    )
    result = marks(sources, text)
    assert result == {
        "*": (("band", "stay"), 2),
        "<5": (("stay",), 1),
        "..": (("stay",), 1),
        "x": (("stay",), 1),
    }


POINTS = "town;people\nA;1.234\nB;10.500\nC;980\n"


def test_points_before_three_digits_are_asked_about(sources):
    source = sources.add_bytes(
        ("kind;town;people\n" + "a;A;1.234\nb;B;10.500\na;C;980\n").encode(), "p.csv"
    )
    spec = DataSpec(source, ("kind",), ("people",))
    text = count(spec, sources).report.sentences()[0]
    assert text.startswith("'people' has three digits after every point, as in 10.500")
    thousands = ReadOptions(decimal=",", thousands=".")
    joint = count(DataSpec(source, ("kind",), ("people",), read=thousands), sources)
    assert joint.joint.x_labels == ("980", "1234", "10500")
    assert not joint.report.left_open
    plain = ReadOptions(columns=(ColumnOptions("people", "number"),))
    assert not count(DataSpec(source, ("kind",), ("people",), read=plain), sources).report.left_open


@pytest.mark.parametrize("values", [("1.234", "1.5"), ("0.123", "0.456"), ("1.1", "2.2")])
def test_decimals_are_not_asked_about(sources, values):
    text = "a;b\n" + "".join(f"{'xy'[i]};{item}\n" for i, item in enumerate(values))
    source = sources.add_bytes(text.encode(), "p.csv")
    assert not count(DataSpec(source, ("a",), ("b",)), sources).report.left_open


FREQUENCIES = (
    "ward,sex,outcome,Freq\nA,F,home,312\nA,F,transfer,18\nA,M,home,95\nA,M,transfer,140\n"
    "B,F,home,40\nB,F,transfer,207\nB,M,home,288\nB,M,transfer,33\n"
)


def test_rows_that_stand_for_several_records_are_asked_about_and_counted(sources):
    source = sources.add_bytes(FREQUENCIES.encode(), "freq.csv")
    spec = DataSpec(source, ("ward",), ("outcome",))
    assert "occurs once. 'Freq' may count" in count(spec, sources).report.left_open[0]
    weighted = DataSpec(source, ("ward",), ("outcome",), read=ReadOptions(weight="Freq"))
    counted = count(weighted, sources)
    assert (counted.joint.n, counted.report.n_used, counted.report.left_open) == (1133, 1133, ())
    a, b = (407, 158), (328, 240)
    assert (counted.joint.p * 1133).round().astype(int).tolist() == [list(a), list(b)]
    answered = DataSpec(source, ("ward",), ("outcome",), read=ReadOptions(weight=""))
    assert count(answered, sources).report.left_open == ()
    info = describe(source, sources, ReadOptions(weight="Freq"))
    assert (info.rows, [item.name for item in info.columns]) == (1133, ["ward", "sex", "outcome"])


def test_records_are_said_with_the_rows_that_stand_for_them(sources):
    source = sources.add_bytes(FREQUENCIES.encode(), "freq.csv")
    read = ReadOptions(weight="Freq")
    assert size_text(source, sources) == "8 records"
    assert size_text(source, sources, read) == "1,133 records in 8 rows"
    spec = DataSpec(source, ("ward",), ("outcome",), read=read)
    assert count(spec, sources).report.size == "1,133 records in 8 rows"
    women = replace(spec, filters=(Filter("sex", ("F",)),))
    assert count(women, sources).report.size == "577 of 1,133 records in 8 rows"
    assert count(DataSpec()).report.size == "32,561 records"
    joint = DataSpec("random:uniform:3x3:1")
    assert count(joint).report.size == "a distribution without records"


def test_records_with_a_number_each_are_no_counts(sources):
    text = "sex,job,age\n" + "F,a,31\nM,b,45\nF,a,52\nM,a,28\nF,b,31\nM,b,45\n"
    source = sources.add_bytes(text.encode(), "people.csv")
    assert count(DataSpec(source, ("sex",), ("job",)), sources).report.left_open == ()


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("many", "record 2 (line 3) has 'many': use a whole number of at least 0."),
        ("-1", "record 2 (line 3) has '-1'"),
        ("", "record 2 (line 3) has no value"),
        ("1.5", "or read them as sampling weights"),
    ],
)
def test_bad_weights_get_one_sentence(sources, cell, message):
    source = sources.add_bytes(f"a,b,n\nx,p,3\ny,q,{cell}\nx,q,2\n".encode(), "t.csv")
    spec = DataSpec(source, ("a",), ("b",), read=ReadOptions(weight="n"))
    with pytest.raises(InvalidInputError) as caught:
        count(spec, sources)
    assert message in str(caught.value)


def test_rows_of_many_records_are_written_in_their_order(sources):
    weights = [2500, 0, 1, 1000, 1001, 3]
    text = "".join(f"{place},{n}\n" for place, n in enumerate(weights))
    source = sources.add_bytes(f"a,n\n{text}".encode(), "t.csv")
    (path,) = sources.records(source, ReadOptions(weight="n")).table.paths
    written = parquet.read_table(path)
    expected = [str(place) for place, n in enumerate(weights) for _ in range(n)]
    assert [str(value) for value in written.column(0).to_pylist()] == expected


def test_a_release_has_a_row_for_each_record_and_is_verified(tmp_path):
    path = tmp_path / "freq.csv"
    path.write_text(FREQUENCIES.replace("ward", "ward ").replace("A,F,home,312", "A,F,home,0"))
    sources = Sources()
    read = ReadOptions(weight="Freq")
    source = sources.add_file(path)
    scenario = Scenario(
        data=DataSpec(source, ("ward",), ("outcome",), read=read), mechanism="watchdog", eps=1
    )
    target = tmp_path / "y.csv"
    draw = Seeded(2**90 + 1)
    plan = Plan(draw, "replaced")
    made = make(evaluate(scenario, sources), original(source, sources, read), plan, target)
    assert made.applied.records == made.applied.released == 1133 - 312
    assert pd.read_csv(target).columns.tolist() == ["sex", "outcome"]
    checks = list(verify(json.dumps(made.certificate), target, path, str(2**90 + 1)))
    assert failed(checks) == []


def test_a_column_with_bins_names_what_is_no_number(sources):
    source = sources.add_bytes(b"a,n\nx,1\ny,*\nx,3\ny,*\n", "t.csv")
    spec = DataSpec(source, ("a",), ("n",), binnings=(Binning("n"),))
    with pytest.raises(
        InvalidInputError, match=r"holds 2 values that are not numbers, such as '\*'"
    ):
        count(spec, sources)


def test_a_release_of_formulas_of_a_text_has_the_texts_and_is_verified(tmp_path):
    path = tmp_path / "zips.csv"
    rows = "".join(f'="0213{i % 3}",{"FM"[i % 2]},="00{i % 2}"\n' for i in range(12))
    path.write_text(f"zip,sex,code\n{rows}")
    sources = Sources()
    scenario = Scenario(
        data=DataSpec(sources.add_file(path), ("sex",), ("zip",)), mechanism="watchdog", eps=1
    )
    target = tmp_path / "y.csv"
    result = original(scenario.data.source, sources)
    made = make(evaluate(scenario, sources), result, Plan(Seeded(2**90 + 1), "replaced"), target)
    released = pd.read_csv(target, dtype=str)
    assert released["code"].tolist() == ["000", "001"] * 6
    checks = list(verify(json.dumps(made.certificate), target, path, str(2**90 + 1)))
    assert failed(checks) == []
