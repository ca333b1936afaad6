"""How a file is read is part of the question: JSON, hash, link, program, and what is refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import ColumnOptions, DataSpec, ReadOptions
from core.data.options import DECIMALS, ENCODINGS, KINDS, ORDERS, PARTS, THOUSANDS
from core.errors import InvalidInputError
from core.scenario import Scenario
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query

MARKS = st.none() | st.lists(st.text(min_size=1, max_size=5).filter(str.strip), max_size=3).map(
    tuple
)

WORDS = st.text(min_size=1, max_size=6)


@st.composite
def columns(draw):
    kind = draw(st.sampled_from(list(KINDS)))
    date = kind == "date"
    return ColumnOptions(
        draw(WORDS),
        kind,
        draw(st.sampled_from(list(ORDERS))) if date else "ymd",
        draw(st.sampled_from(list(PARTS))) if date else "",
        draw(MARKS),
    )


@st.composite
def options(draw):
    decimal = draw(st.sampled_from(list(DECIMALS)))
    return ReadOptions(
        draw(st.sampled_from(["", *ENCODINGS])),
        draw(st.sampled_from(["", ",", ";", "\t", "|", "~"])),
        decimal,
        draw(st.sampled_from([mark for mark in THOUSANDS if mark != decimal])),
        draw(MARKS),
        tuple({item.column: item for item in draw(st.lists(columns(), max_size=3))}.values()),
        above=draw(MARKS),
    )


@given(options())
def test_what_is_read_survives_json_links_and_programs(read):
    request = Scenario(data=DataSpec(read=read), mechanism="watchdog")
    assert Scenario.from_json(request.to_json()) == request
    assert from_query(to_query(request)) == (request, ())
    written = snippet(request)
    if read != ReadOptions():
        scope = {}
        line = next(item for item in written.splitlines() if item.startswith("data = "))
        exec("from core.data import *\n" + line, scope)
        assert scope["data"] == request.data


def test_a_question_that_says_nothing_on_reading_keeps_its_hash():
    # as it was before a question could say how its file is read
    assert Scenario().content_hash() == (
        "ffdf5b264bbd1630ea99c4cf9f6f856ec5fc51288e081e78a08acdcb91a7f567"
    )
    assert "read" not in json.loads(Scenario().to_json())["data"]


@given(options(), options())
def test_two_ways_to_read_are_two_questions(first, other):
    request = [Scenario(data=DataSpec(read=read)) for read in (first, other)]
    assert (request[0].content_hash() == request[1].content_hash()) == (first == other)


def test_columns_and_marks_have_one_order_and_defaults_are_left_out():
    read = ReadOptions(
        missing=("b", " a ", "b"),
        columns=(ColumnOptions("z", "text"), ColumnOptions("y"), ColumnOptions("a", "boolean")),
    )
    assert read.missing == ("a", "b")
    assert [item.column for item in read.columns] == ["a", "z"]
    assert read.of("a").kind == "boolean"
    assert read.of("y") == ColumnOptions("y")
    assert read.marks_of("z") == ("a", "b")
    own = replace(read, columns=(ColumnOptions("z", missing=()),))
    assert (own.marks_of("z"), own.marks_of("a")) == ((), ("a", "b"))
    assert ReadOptions("utf-8", ";").of_values is False
    assert ReadOptions("utf-8", missing=()).of_values is True


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], r"How the data is read must be a JSON object, got \[\]"),
        ({"colour": 1}, "has an unknown entry 'colour'"),
        ({"encoding": "ebcdic"}, "The encoding must be one of 'utf-8', .* got 'ebcdic'"),
        ({"encoding": ["utf-8"]}, "The encoding must be one of"),
        ({"delimiter": ";,"}, "The delimiter must be one character, .* got ';,'"),
        ({"delimiter": '"'}, "no quote and no line break"),
        ({"decimal": ";"}, "The decimal mark must be one of '.', ',', got ';'"),
        ({"thousands": "_"}, "The thousands mark must be one of"),
        ({"thousands": "."}, "decimal mark and the thousands mark are both '.'"),
        ({"missing": "NA"}, "marks of missing values must be a list of texts, got 'NA'"),
        ({"missing": [" "]}, "must be texts that are not blank"),
        ({"missing": [-99]}, "must be texts that are not blank, got -99"),
        ({"missing": [str(i) for i in range(101)]}, "may be at most 100, got 101"),
        ({"columns": "age"}, "columns must be a list, got 'age'"),
        ({"columns": ["age"]}, "A column that is read must be a JSON object, got 'age'"),
        ({"columns": [{"kind": "text"}]}, "A column that is read must be named"),
        ({"columns": [{"column": ""}]}, "must be named, got ''"),
        ({"columns": [{"column": "a", "kind": "money"}]}, "The type of 'a' must be one of"),
        ({"columns": [{"column": "a", "kind": "date", "order": "ydm"}]}, "order of the dates"),
        ({"columns": [{"column": "a", "kind": "date", "part": "age"}]}, "What is kept"),
        ({"columns": [{"column": "a", "part": "year"}]}, "Only a date has an order and parts"),
        (
            {"columns": [{"column": "a", "kind": "text"}, {"column": "a", "kind": "number"}]},
            "'a' is read in more than one way",
        ),
    ],
)
def test_bad_options_get_one_sentence(values, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        DataSpec.from_dict({"read": values})
    request, notices = from_query({"read": json.dumps(values)})
    assert request.data.read == ReadOptions()
    assert len(notices) == 1
    assert notices[0].startswith("The link has read=")
