"""What a table's values leave open: blanks below a group's name, and figures with a mark."""

import json
import re
import shlex
from dataclasses import replace
from itertools import product

import pandas as pd
import pyarrow as pa
import pytest

from core import texts
from core.data import ColumnOptions, DataSpec, ReadOptions, Sources, count, first_rows
from core.data.readers import converted
from core.data.readers.doubts import questions_about
from core.errors import InvalidInputError, choice
from core.records.certificate import make
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate


def opened(text):
    sources = Sources()
    return sources.add_bytes(text.encode(), "t.csv"), sources


def rows_of(source, sources, read):
    return [" ".join(row) for row in first_rows(source, sources, read, 100).rows]


GROUPS = "area,year,sex,n\nNord,2020,F,3\n,,M,4\n,2021,F,5\n, ,M,6\nSud,2021,F,3\n,,M,8\n"


def test_blanks_of_groups_within_groups_are_filled_by_a_click_or_missing():
    source, sources = opened(GROUPS)
    (question,) = questions_about(source, sources)
    assert question.sentence.startswith("'area' and 'year' have a value in the first row of each")
    spec = DataSpec(source, ("sex",), ("n",))
    assert count(spec, sources).report.left_open == (question.sentence,)
    fill, leave = (ReadOptions(**dict(item.options)) for item in question.choices)
    assert rows_of(source, sources, fill)[2:5] == ["Nord 2021 F 5", "Nord 2021 M 6", "Sud 2021 F 3"]
    assert rows_of(source, sources, leave)[1] == "(missing) (missing) M 4"
    assert fill.phrases() == ["blanks of area, year filled with the value above"]
    assert ReadOptions.from_text(["above=area,year"]) == fill
    assert fill.within(["area", "sex"]).above == ("area",)
    with pytest.raises(InvalidInputError, match="has no column 'town'"):
        rows_of(source, sources, ReadOptions(above=("town",)))


def test_a_group_reaches_over_the_batches_that_are_read():
    parts = [["a", None], [None], [], [None, "b"], [None, None]]
    batches = [pa.record_batch({"c0": pa.array(part, pa.string())}) for part in parts]
    result = [batch.column(0).to_pylist() for batch in converted._filled(batches, [0])]
    assert result == [["a", "a"], ["a"], [], ["a", "b"], ["b", "b"]]


def test_blanks_above_a_total_are_asked_about_first():
    text = "area,sex,n\nNord,F,30\n,M,41\nSud,F,52\n,M,64\nTotal,,187\n"
    fill, *_ = questions_about(*opened(text))
    assert dict(fill.choices[0].options) == {"above": ("area",)}


@pytest.mark.parametrize(
    "text",
    [
        "area,sex,n\n,F,3\nNord,M,4\n,F,5\n,M,6\nSud,F,1\n",  # nothing is above the first
        "area,sex,n\nNord,F,3\n,M,4\nNord,F,5\n,M,6\n",  # a level that comes again
        "area,sex,n\nNord,F,3\nSud,M,4\n,F,5\nEst,M,6\n",  # most have a value
        "area,sex,n\nNord,,\n,F,5\n,M,6\nSud,,\n,F,7\n,M,9\n",  # headings
        "area,sex,n\nNord,F,3\n,,\nSud,F,5\n,M,6\n",  # a record without any value
    ],
)
def test_other_blanks_are_not_asked_about(text):
    assert not [item for item in questions_about(*opened(text)) if "above" in item.sentence]


@pytest.mark.parametrize("secret", ["area", "sex"])
def test_a_release_of_filled_groups_has_their_values_and_is_verified(secret, tmp_path):
    path, target = tmp_path / "groups.csv", tmp_path / "y.csv"
    path.write_text(GROUPS)
    sources = Sources()
    source, read = sources.add_file(path), ReadOptions(above=("area", "year"))
    scenario = Scenario(
        data=DataSpec(source, (secret,), ("n",), read=read), mechanism="watchdog", eps=1
    )
    plan = Plan(Seeded(2**90 + 1), "replaced")
    made = make(evaluate(scenario, sources), original(source, sources, read), plan, target)
    released = pd.read_csv(target, dtype=str, keep_default_na=False)
    assert released["year"].tolist() == ["2020"] * 2 + ["2021"] * 4
    assert failed(list(verify(json.dumps(made.certificate), target, path, str(2**90 + 1)))) == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        *(("1234 p", "1234"), ("10.3r", "10.3"), ("9.0*", "9.0"), ("12 [r]", "12"), ("7(2)", "7")),
        *(("410,020 E", "410,020"), ("1'234 ep", "1'234"), ("1998p", "1998"), ("-3 †", "-3")),
        *(
            (text, None)
            for text in ("2A", "12a", "1001A", "1.2k", "3 M", "12 kg", "10%", "12", "1e5", "E11")
        ),
    ],
)
def test_a_mark_behind_a_number_is_no_unit_and_no_code(text, plain):
    assert bool(re.fullmatch(texts.FLAGGED, text)) == (plain is not None)
    assert plain is None or re.sub(texts.FLAG_END, "", text) == plain


def test_figures_with_a_mark_are_numbers_by_a_click_and_counted():
    text = "area,sex,n\nA,F,1200 p\nA,M,30\nB,F,..\nB,M,9\nC,F,9*\nC,M,7\n"
    source, sources = opened(text)
    question, *_ = questions_about(source, sources)
    assert question.sentence == (
        "'n' has numbers, some followed by a mark, as in 1200 p; now all are read as text."
    )
    read = ReadOptions(**dict(question.choices[0].options))
    assert read.columns == (ColumnOptions("n", "flagged", missing=("..",)),)
    _, setting = shlex.split(question.choices[0].setting)
    assert ReadOptions.from_text([setting]) == read
    assert [row.split()[2] for row in rows_of(source, sources, read)][:4] == [
        *("1200", "30", "(missing)", "9"),
    ]
    (weigh,) = questions_about(source, sources, read)
    assert weigh.choices[0].label == "Count by n"
    counted = replace(read, **dict(weigh.choices[0].options))
    assert sources.records(source, counted).rows == 1200 + 30 + 9 + 9 + 7
    text = ReadOptions(**dict(question.choices[1].options))
    assert questions_about(source, sources, text) == ()
    wrong, sources = opened("area,n\nA,1 p\nB,x1\n")
    with pytest.raises(InvalidInputError, match=r"'x1': use a number such as 1234\.5, perhaps"):
        rows_of(wrong, sources, ReadOptions(columns=(ColumnOptions("n", "flagged"),)))


@pytest.mark.parametrize(
    "values",
    [
        ("1 p", "2 p", "3"),  # most have one
        *(("1 p", "2", "x1"), ("2A", "2B", "01", "03")),
        [f"{i} {mark}" for i, mark in enumerate("abcdef")] + [str(i) for i in range(9)],
    ],
)
def test_other_texts_behind_numbers_are_not_asked_about(values):
    text = "n,sex\n" + "".join(f"{value},F\n" for value in values)
    source, sources = opened(text)
    assert not [item for item in questions_about(source, sources) if "mark" in item.sentence]


def test_fractional_counts_weight_rows_by_a_click():
    cells = product("AB", "FM", ("yes", "no"))
    rows = "".join(f"{area},{sex},{kind},{3 * i}.5\n" for i, (area, sex, kind) in enumerate(cells))
    (question,) = questions_about(*opened(f"area,sex,kind,Freq\n{rows}"))
    assert [item.options for item in question.choices] == [
        (("sampling", "Freq"),),
        (("weight", ""),),
    ]
    for name in ("OBS_VALUE", "Total", "stay"):  # amounts and rates
        assert questions_about(*opened(f"area,sex,kind,{name}\n{rows}")) == ()


def test_a_column_of_counts_in_thousands_of_rows_is_asked_about_by_its_name():
    cells = list(product(range(2000, 2010), range(300), "FM"))
    text = "".join(f"{year},w{ward},{sex},{i % 97}\n" for i, (year, ward, sex) in enumerate(cells))
    (question,) = questions_about(*opened(f"year,ward,sex,cases\n{text}"))
    assert question.sentence.startswith(
        "Each combination of the other columns occurs once in the first 5,000 rows. 'cases' may"
    )
    assert questions_about(*opened(f"year,ward,sex,age\n{text}")) == ()
    people = "".join(f"{i % 9},w{i % 20},{'FM'[i % 2]},{i % 5}\n" for i in range(6_000))
    assert questions_about(*opened(f"year,ward,sex,cases\n{people}")) == ()


def test_a_setting_of_columns_is_written_as_json():
    setting = choice("", columns=(ColumnOptions("a b", "flagged"),)).setting
    assert setting == """--read columns='[{"column": "a b", "kind": "flagged"}]'"""


@pytest.mark.parametrize("name", ["country", "county", "nationality", "nuts2", "name", "neighbor"])
def test_a_name_that_begins_as_that_of_a_count_names_none(name):
    rows = (f"A{i},{sex},{10 + 3 * i + 5 * j}\n" for i in range(4) for j, sex in enumerate("FM"))
    (question,) = questions_about(*opened(f"{name},sex,n\n{''.join(rows)}"))
    assert "'n' may count the records" in question.sentence


@pytest.mark.parametrize(
    "name",
    ["n_2021", "Number of cases", "numberOfCases", "population2020", "Einwohnerzahl", "Weighted n"],
)
def test_a_count_is_known_by_the_words_of_its_name(name):
    rows = "".join(f"A{i},{sex},{8 + i}.5\n" for i in range(3) for sex in "FM")
    (question,) = questions_about(*opened(f"area,sex,{name}\n{rows}"))
    assert question.choices[0].label == f"Weight by {name} (not all whole numbers)"


def test_numbers_of_persons_in_a_household_count_nobody():
    text = "household,person,sex,age\nA,1,F,31\nA,2,M,\nA,3,F,9\nB,1,M,\nB,2,F,4\n"
    assert questions_about(*opened(text)) == ()
