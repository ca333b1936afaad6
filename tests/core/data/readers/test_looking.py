"""What is said of a file before it is counted: first rows, marks, numbers, dates, identifiers."""

import numpy as np
import pandas as pd
import pytest

from core.data import (
    ColumnOptions,
    DataSpec,
    ReadOptions,
    Sources,
    count,
    describe,
    first_question,
    first_rows,
    likely_orders,
    present_marks,
    recognised,
)
from core.data.readers.describe import Dated, dated
from core.errors import InvalidInputError


def test_the_first_rows_are_shown_as_they_are_read(sources):
    source = sources.add_bytes(b"a;b\n1,5;x\n;NA\n2;y\n", "data.csv")
    assert first_rows(source, sources, most=2).rows == (("1,5", "x"), ("(missing)", "NA"))
    read = ReadOptions(decimal=",", missing=("NA",), columns=(ColumnOptions("b", "text"),))
    shown = first_rows(source, sources, read)
    assert shown.columns == ("a", "b")
    assert shown.rows == (("1.5", "x"), ("(missing)", "(missing)"), ("2", "y"))
    with pytest.raises(InvalidInputError, match="it has no columns to read"):
        first_rows("random:uniform:2x2:1")


def test_marks_are_counted_where_they_are_and_numbers_that_stand_apart(sources):
    rng = np.random.default_rng(1)
    ages = [*rng.integers(0, 98, 60), 99, 99]
    scores = [*rng.integers(1, 6, 60), 99, -9]
    words = ["NA", "null", "x", "-"] * 15 + ["y", "keine"]
    frame = pd.DataFrame({"age": ages, "score": scores, "word": words, "tall": [999] + [180] * 61})
    source = sources.add_bytes(frame.to_csv(index=False).encode(), "data.csv")
    result = {item.word: (item.columns, item.records) for item in present_marks(source, sources)}
    assert result == {
        "-": (("word",), 15),
        "-9": (("score",), 1),
        "99": (("score",), 1),
        "999": (("tall",), 1),
        "NA": (("word",), 15),
        "null": (("word",), 15),
    }
    chosen = present_marks(source, sources, ReadOptions(missing=("keine", "nil")))
    assert {item.word: item.records for item in chosen} | {"keine": 1, "nil": 0} == {
        item.word: item.records for item in chosen
    }


def test_words_of_a_column_that_is_numbers_otherwise_may_be_marks(sources):
    numbers = "".join(f"{i},{i}\n" for i in range(9))
    text = f"n,m\n{numbers}9,missing\n10,not asked\n".encode()
    result = present_marks(sources.add_bytes(text, "data.csv"), sources)
    assert [(item.word, item.columns) for item in result] == [
        ("missing", ("m",)),
        ("not asked", ("m",)),
    ]
    names = f"n,m\n{numbers * 3}".encode() + b"".join(b"1,%c%c\n" % (c, c) for c in b"abcdef")
    assert present_marks(sources.add_bytes(names, "data.csv"), sources) == ()
    few = b"town\tcars\nA\t12\nB\t88\nC\t5\n"  # 88 stands apart from two numbers alone
    assert present_marks(sources.add_bytes(few, "data.tsv"), sources) == ()


def test_codes_are_found_among_numbers_with_decimal_commas_and_in_parquet(sources, add):
    source = sources.add_bytes(b"a;b\n1,5;x\n-99;x\n2,5;y\n", "data.csv")
    assert present_marks(source, sources) == ()
    (result,) = present_marks(source, sources, ReadOptions(decimal=","))
    assert (result.word, result.columns, result.records) == ("-99", ("a",), 1)
    frame = pd.DataFrame({"n": [1, 2, -999], "x": list("aba"), "all": [99, 99, 99]})
    (result,) = present_marks(add(frame, "parquet"), sources)
    assert (result.word, result.columns) == ("-999", ("n",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;b\n1,5;x\n2,5;y\n", ["decimal comma"]),
        ("a;b\n1.234;x\n2,5;y\n", ["decimal comma", "thousands point"]),
        ("a;b\n1.234,5;x\n2,5;y\n", ["decimal comma", "thousands point"]),
        ("a;b;c\n1,5;1.234;x\n2,5;10.000;y\n", ["decimal comma", "thousands point"]),
        ("a;b;c\n1,5;1.2;x\n2,5;10.000;y\n", ["decimal comma"]),
        ("a\tb\n1,234\tx\n25\ty\n", []),  # asked about: thousands or decimals
        ("a;b\n1,234;x\n25;y\n", []),
        ("a,b\n1 234.5,x\nNA,y\n", ["thousands space"]),
        ("a;b\n1'234,5;x\n2;y\n", ["decimal comma", "thousands apostrophe"]),
        ("a,b\n1.5,x\n2,y\n", []),
        ("a;b\n1.1.2024;x\n2.1.2024;y\n", []),
    ],
)
def test_the_form_of_numbers_is_recognised_where_it_makes_more_columns_numbers(
    sources, content, message
):
    source = sources.add_bytes(content.encode(), "data.csv")
    assert recognised(source, sources).phrases() == message
    request = first_question(source, sources)
    assert request.read.phrases() == message
    assert request == DataSpec.from_dict(request.to_dict())


def test_a_joint_and_a_bundled_set_are_read_as_they_are():
    assert recognised("random:uniform:2x2:1") == ReadOptions()
    assert first_question("adult").read == ReadOptions()


@pytest.mark.parametrize(
    ("values", "orders"),
    [
        (["2024-01-31", "2024-02-01"], ("ymd",)),
        (["31.01.2024", "01.02.2024"], ("dmy",)),
        (["01/31/2024", "02/01/2024"], ("mdy",)),
        (["01/02/2024", "02/01/2024"], ("dmy", "mdy")),  # both fit: the first is proposed
        (["01/02/2024 3 PM", "NA"], ("dmy", "mdy")),
        (["01/01/2024", "02/02/2024"], ("dmy",)),  # both say the same
        (["01/02/2024", "31/01/2024"], ("dmy",)),
        (["3 Jan 2024", "4 Feb 2024"], ("ymd",)),  # any order: it is seen
        (["14:35", "2 PM"], ("ymd",)),
        (["x", "y"], ("ymd",)),
    ],
)
def test_the_order_of_a_date_is_proposed_and_two_are_told_apart(sources, values, orders):
    source = sources.add_bytes(("d;s\n" + "".join(f"{v};a\n" for v in values)).encode(), "a.csv")
    assert likely_orders(source, "d", sources) == orders


def test_the_order_is_proposed_for_columns_that_are_no_text(sources, tmp_path):
    days = pd.to_datetime(["2024-01-31", "2024-02-01"])
    frame = pd.DataFrame({"n": [20240131, 20240201], "f": [1.5, None], "d": days})
    frame.to_parquet(tmp_path / "a.parquet")
    source = sources.add_file(tmp_path / "a.parquet")
    assert [likely_orders(source, item, sources) for item in frame] == [("ymd",)] * 3


def test_identifiers_are_recognised_and_chosen_last(sources):
    n = 60
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "person_id": rng.permutation(np.arange(5_000, 5_000 + 7 * n, 7)),
            "row": range(1, n + 1),
            "code": [f"u{i}" for i in range(n)],
            "pay": np.arange(n) * 1.5,
            "town": [f"t{i % 40}" for i in range(n)],
            "userID": [i // 2 for i in range(n)],
            "valid": [i % 3 for i in range(n)],
            "covid": [i % 2 for i in range(n)],
        }
    )
    source = sources.add_bytes(frame.to_csv(index=False).encode(), "data.csv")
    info = describe(source, sources)
    flagged = {item.name for item in info.columns if item.identifier}
    assert flagged == {"person_id", "row", "code", "userID"}
    request = first_question(source, sources)
    assert not flagged & {*request.secret, *request.released}
    few = sources.add_bytes(frame.head(19).to_csv(index=False).encode(), "few.csv")
    assert not any(item.identifier for item in describe(few, sources).columns)


def test_a_file_brought_again_with_another_delimiter_leaves_older_questions_alone():
    sources = Sources()
    content = b"a;b,c\n1;x,p\n2;y,q\n"
    source = sources.add_bytes(content, "data.csv", ReadOptions(delimiter=";"))
    again = sources.add_bytes(content, "data.csv", ReadOptions(delimiter=","))
    assert source == again
    old = DataSpec(source, ("a",), ("b,c",))
    new = DataSpec(source, ("a;b",), ("c",), read=ReadOptions(delimiter=","))
    assert count(old, sources).joint.x_labels == ("x,p", "y,q")
    assert count(new, sources).joint.x_labels == ("p", "q")


@pytest.mark.parametrize(
    ("values", "orders"),
    [
        (["26.02.2014", "1.3.2014", ""], ("dmy",)),
        (["2/26/2014", "1/2/2014", "NA"], ("mdy",)),
        (["2014-02-26", "2014-03-01"], ("ymd",)),
        (["1/2/2014", "3/4/2014"], ("dmy", "mdy")),
        (["5/5/2014", "6/6/2014"], ("dmy",)),
        (["3 Jan 2014", "4 Feb 2014"], ("ymd",)),
        (["26.02.2014", "2/26/2014"], None),
        (["26.02.2014", "unknown"], None),
        (["1/2014", "2/2014"], None),
        (["14:30", "15:00"], None),
        (["20140226", "20140301"], None),
        (["", ""], None),
    ],
)
def test_dates_are_told_where_every_value_is_one(values, orders):
    sources = Sources()
    lines = "".join(f"{value},{job}\n" for value, job in zip(values * 2, "abcdef", strict=False))
    source = sources.add_bytes(f"day,job\n{lines}".encode(), "days.csv")
    expected = () if orders is None else (Dated("day", orders),)
    assert dated(source, sources) == expected


def test_a_joint_has_no_dates():
    assert dated("example:parity") == ()
