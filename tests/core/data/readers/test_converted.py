"""A file read as its question says: numbers, dates, types and missing values, and what is none."""

import csv
import datetime
import io

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.data import (
    Binning,
    ColumnOptions,
    DataSpec,
    Filter,
    ReadOptions,
    Sources,
    column_levels,
    count,
    describe,
    preview,
)
from core.data.readers import sources as module
from core.errors import InvalidInputError

CODECS = {"utf-8": "utf-8", "utf-16": "utf-16", "windows-1252": "cp1252", "latin-1": "latin-1"}

LETTERS = "aZé ßñ\"\n'x"
"""Letters that all encodings have; é and ß are two bytes in UTF-8."""

FORMATS = [(".", ""), (",", ""), (",", "."), (".", ","), (",", " "), (".", "'"), (",", "'")]


def written(number, decimal, thousands):
    """Return a number of thousandths as a text with these marks."""
    whole, rest = divmod(abs(number), 1000)
    digits = f"{whole:,}".replace(",", thousands)
    return ("-" if number < 0 else "") + digits + (f"{decimal}{rest:03}" if rest else "")


def values(sources, source, column, read):
    table = sources.open(source, (), read)
    return parquet.read_table(table.paths[0]).column(table.columns.index(column)).to_pylist()


@settings(deadline=None, max_examples=20)
@given(
    numbers=st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=8),
    names=st.lists(st.text(LETTERS, min_size=1, max_size=4), min_size=8, max_size=8),
    encoding=st.sampled_from(list(CODECS)),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    form=st.sampled_from(FORMATS),
    mark=st.sampled_from(["NA", "-99", "k. A.", "?"]),
    named=st.booleans(),
)
def test_a_table_is_read_back_as_it_was_written(
    numbers, names, encoding, delimiter, form, mark, named
):
    decimal, thousands = form
    texts = [written(number, *form) for number in numbers]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(["name é", "pay"])
    rows = [["é" + name, text] for name, text in zip(names, texts, strict=False)]
    writer.writerows([*rows, ["é", mark]])
    content = text.getvalue().encode(CODECS[encoding])
    sources = Sources()
    source = sources.add_bytes(
        content, "pay.csv", ReadOptions(encoding if named else "", delimiter)
    )
    read = ReadOptions(
        encoding if named else "",
        delimiter,
        decimal=decimal,
        thousands=thousands,
        missing=(mark,),
        columns=(ColumnOptions("pay", "number"),),
    )
    # the csv module and Python's own arithmetic are the independent way
    with io.StringIO(content.decode(CODECS[encoding]), newline="") as again:
        expected = list(csv.reader(again, delimiter=delimiter))[1:]
    assert values(sources, source, "name é", read) == [row[0] for row in expected]
    assert values(sources, source, "pay", read) == [*(n / 1000 for n in numbers), None]
    info = describe(source, sources, read).columns[1]
    assert (info.numeric, info.missing, info.low) == (True, 1, min(numbers) / 1000)
    assert info.levels == len(set(numbers))


def test_numbers_are_recognised_by_the_marks_of_the_question(sources):
    lines = "a;b;c;d\n1,5;1.234;7;x\n2;-2.000,25;08;1,5\nNA;1.000.000;9;2\n"
    source = sources.add_bytes(lines.encode(), "data.csv")
    plain = {item.name: item for item in describe(source, sources).columns}
    assert [plain[name].numeric for name in "abcd"] == [False, False, True, False]
    read = ReadOptions(decimal=",", thousands=".")
    result = {item.name: item for item in describe(source, sources, read).columns}
    assert [result[name].numeric for name in "abcd"] == [True, True, True, False]
    assert (result["b"].low, result["b"].high) == (-2000.25, 1_000_000)
    assert result["a"].missing == 1
    assert values(sources, source, "c", read) == ["7", "08", "9"]  # as written: no mark is needed
    cut = count(DataSpec(source, ("d",), ("b",), read=read), sources)
    assert cut.joint.x_labels == ("-2000.25", "1234", "1000000")
    assert cut.x_values.tolist() == [-2000.25, 1234.0, 1e6]
    bins = preview(source, Binning("b", "edges", edges=(0, 10_000)), (), sources, read)
    assert bins.counts == (1, 1, 1)


def test_a_mark_counts_as_missing_where_it_was_chosen_and_is_told_elsewhere(sources):
    source = sources.add_bytes(b"s,x,n\na,NA,1\nb,-,-99\nb,NA,-99\na,u,5\n", "data.csv")
    plain = count(DataSpec(source, ("s",), ("x",)), sources)
    assert plain.joint.x_labels == ("-", "NA", "u")
    assert plain.report.sentences() == ("'NA' and '-' in 'x' are taken for levels: 3 records.",)
    read = ReadOptions(missing=("NA", "-99"))
    chosen = count(DataSpec(source, ("s",), ("x",), read=read), sources)
    assert chosen.joint.x_labels == ("-", "u", "(missing)")
    assert chosen.report.sentences() == (
        "'NA' in 'x' is taken for a missing value: 2 records.",
        "'x' is missing in 2 records, which counts as a level.",
    )
    info = describe(source, sources, read)
    assert [(item.column, item.words, item.records) for item in info.marks] == [
        ("x", ("NA",), 2),
        ("n", ("-99",), 2),
    ]
    assert (info.columns[2].low, info.columns[2].missing) == (1, 2)
    own = ReadOptions(missing=("NA",), columns=(ColumnOptions("x", missing=("-",)),))
    mixed = count(DataSpec(source, ("s",), ("x",), read=own, missing="drop"), sources)
    assert (mixed.joint.x_labels, mixed.report.n_used) == (("NA", "u"), 3)
    none = ReadOptions(missing=())
    assert count(DataSpec(source, ("s",), ("x",), read=none), sources).joint.n_x == 3


def test_with_chosen_marks_no_other_word_is_missing_in_a_column_of_numbers(sources):
    source = sources.add_bytes(b"s,n\na,1\nb,NA\nb,-\n", "data.csv")
    assert describe(source, sources).columns[1].missing == 2
    info = describe(source, sources, ReadOptions(missing=("NA",))).columns[1]
    assert (info.numeric, info.missing, info.levels) == (False, 1, 2)
    cut = DataSpec(
        source, ("s",), ("n",), binnings=(Binning("n"),), read=ReadOptions(missing=("NA",))
    )
    with pytest.raises(
        InvalidInputError, match="'n' holds 1 value that is not a number, such as '-'"
    ):
        count(cut, sources)


DATES = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)).map(
    lambda item: item.replace(microsecond=0)
)

ORDERED = {
    "ymd": ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d"],
    "dmy": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "mdy": ["%m/%d/%Y"],
}

KEPT = {
    "day": lambda item: item.date().isoformat(),
    "month": lambda item: item.date().isoformat()[:7],
    "quarter": lambda item: f"{item.year:04}-Q{(item.month + 2) // 3}",
    "year": lambda item: item.year,
    "hour": lambda item: item.hour,
    "weekday": lambda item: f"{item.isoweekday()} {item:%A}",
    "": lambda item: item.isoformat(" "),
}


@settings(deadline=None, max_examples=20)
@given(
    moments=st.lists(DATES, min_size=2, max_size=6),
    order=st.sampled_from(list(ORDERED)),
    part=st.sampled_from(list(KEPT)),
    data=st.data(),
)
def test_dates_are_what_the_calendar_says(moments, order, part, data):
    form = data.draw(st.sampled_from(ORDERED[order])).replace("%Y", "{y:04}")
    after = data.draw(st.sampled_from([" %H:%M:%S", "T%H:%M:%S.5Z", " %H:%M:%S+02:00"]))
    texts = [item.strftime(form + after).format(y=item.year) for item in moments]
    sources = Sources()
    source = sources.add_bytes(
        ("s;when\n" + "".join(f"a;{item}\n" for item in texts)).encode(), "when.csv"
    )
    read = ReadOptions(columns=(ColumnOptions("when", "date", order, part),))
    assert values(sources, source, "when", read) == [KEPT[part](item) for item in moments]


def test_a_day_without_a_time_has_no_hour(sources):
    source = sources.add_bytes(b"s;d\na;2024-02-29\nb;2024-02-29 07:05\nc;\n", "data.csv")
    for part, expected in (
        ("hour", [None, 7, None]),
        ("", ["2024-02-29", "2024-02-29 07:05:00", None]),
        ("quarter", ["2024-Q1", "2024-Q1", None]),
    ):
        read = ReadOptions(columns=(ColumnOptions("d", "date", part=part),))
        assert values(sources, source, "d", read) == expected


def test_dates_numbers_and_flags_of_parquet(sources):
    table = pa.table(
        {
            "day": pa.array([datetime.date(2024, 3, 4), None]),
            "when": pa.array([datetime.datetime(2024, 3, 4, 5, 6), None]),
            "code": [7, -99],
            "flag": [True, False],
            "share": [1.5, 2.0],
        }
    )
    packed = io.BytesIO()
    parquet.write_table(table, packed)
    source = sources.add_bytes(packed.getvalue(), "data.parquet")
    read = ReadOptions(
        missing=("-99",),
        columns=(
            ColumnOptions("day", "date", part="month"),
            ColumnOptions("when", "date", part="hour"),
            ColumnOptions("share", "text"),
        ),
    )
    result = {name: values(sources, source, name, read) for name in table.column_names}
    assert result == {
        "day": ["2024-03", None],
        "when": [5, None],
        "code": [7, None],
        "flag": [True, False],
        "share": ["1.5", "2"],
    }
    whole = ReadOptions(columns=(ColumnOptions("when", "date"), ColumnOptions("flag", "number")))
    assert values(sources, source, "when", whole) == ["2024-03-04 05:06:00", None]
    assert values(sources, source, "flag", whole) == [1.0, 0.0]


def test_numbers_that_are_text_by_choice_have_no_bins_and_no_values(sources):
    source = sources.add_bytes(b"s,zip\na,01234\nb,99999\nb,01234\n", "data.csv")
    read = ReadOptions(columns=(ColumnOptions("zip", "text"),))
    assert describe(source, sources).columns[1].numeric
    assert not describe(source, sources, read).columns[1].numeric
    request = DataSpec(source, ("s",), ("zip",), read=read)
    assert count(request, sources).x_values is None
    with pytest.raises(InvalidInputError, match="'zip' is read as text, and bins need numbers"):
        count(DataSpec(source, ("s",), ("zip",), binnings=(Binning("zip"),), read=read), sources)


def test_true_and_false_have_many_names_and_filters_see_them(sources):
    words = ["yes", "NO", "Wahr", "0", "t", "off", " 1 ", ""]
    body = "".join(f"a,{word}\n" for word in words)
    source = sources.add_bytes(f"s,b\n{body}b,ja\n".encode(), "data.csv")
    read = ReadOptions(columns=(ColumnOptions("b", "boolean"),))
    result = column_levels(source, "b", sources, read=read)
    assert dict(zip(result.labels, result.counts, strict=True)) == {
        "false": 3,
        "true": 5,
        "(missing)": 1,
    }
    kept = DataSpec(source, ("s",), ("b",), filters=(Filter("b", ("true", "false")),), read=read)
    assert count(kept, sources).report.n_used == 8


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (
            ReadOptions(columns=(ColumnOptions("d", "date", "dmy"),)),
            "Column 'd' is read as dates, but record 3 (line 6) has '30.02.2024': use a date "
            "with a four-digit year (day, month, year) such as 31.12.2024 or 31/12/2024, 3 Jan "
            "2024 1:45 PM, January 2024 or 13:45, or a mark of a missing value.",
        ),
        (
            ReadOptions(decimal=",", thousands=".", columns=(ColumnOptions("n", "number"),)),
            "Column 'n' is read as numbers, but record 2 (line 4) has '1.5': use a number "
            "such as 1.234,5, or a mark of a missing value.",
        ),
        (
            ReadOptions(columns=(ColumnOptions("s", "boolean"),)),
            "Column 's' is read as true or false, but record 1 (line 2) has 'two\\nlines': use "
            "true or false, yes or no, 1 or 0, or a mark of a missing value.",
        ),
        (
            ReadOptions(columns=(ColumnOptions("age", "number"),)),
            "dates.csv has no column 'age', only 's', 'd', 'n'.",
        ),
        (
            ReadOptions("utf-8"),
            "dates.csv is not UTF-8 text: it has the byte 0xE9 in line 6, near position 41; choose "
            "its encoding, or save it as UTF-8.",
        ),
        (
            ReadOptions(delimiter=","),
            "dates.csv has a single column when separated by commas; it seems to be separated by "
            "semicolons: choose that.",
        ),
    ],
)
def test_what_cannot_be_read_so_gets_one_sentence_and_changes_nothing(sources, read, sentence):
    lines = 's;d;n\n"two\nlines";1.2.2024;1,5\nb;NA;1.5\n\né;30.02.2024;3\n'
    source = sources.add_bytes(lines.encode("cp1252"), "dates.csv")
    with pytest.raises(InvalidInputError) as caught:
        sources.open(source, (), read)
    assert str(caught.value) == sentence
    assert count(DataSpec(source, ("s",), ("n",)), sources).report.n_used == 3


def test_few_tables_are_kept_and_one_that_went_is_made_again(sources, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 2)
    source = sources.add_bytes(b"s,x\na,1\nb,2\n", "data.csv")
    reads = [ReadOptions(missing=(mark,)) for mark in "12ab"]
    result = [values(sources, source, "x", read) for read in reads]
    assert result == [[None, "2"], ["1", None], ["1", "2"], ["1", "2"]]
    assert len(list(sources._folder.glob("read-*"))) == 2
    assert values(sources, source, "x", reads[0]) == [None, "2"]


def test_a_file_that_went_says_so_and_a_bundled_set_may_be_read_otherwise(sources, tmp_path):
    path = tmp_path / "gone.csv"
    path.write_text("s,x\na,1\nb,2\n", encoding="utf-8")
    source = sources.add_file(path)
    path.unlink()
    with pytest.raises(InvalidInputError, match=r"gone\.csv is no longer available to be read"):
        sources.open(source, (), ReadOptions("latin-1"))
    read = ReadOptions(missing=("Female",))
    counted = count(DataSpec(released=("race",), missing="drop", read=read, secret=("income",)))
    assert counted.report.n_used == 32_561
    with pytest.raises(InvalidInputError, match="S \\('sex'\\) has only one level, 'Male'"):
        count(DataSpec(released=("race",), missing="drop", read=read))
