"""Rows of totals among the records are asked about: by their name, or as their numbers are sums."""

import json
import random
from dataclasses import replace

import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources, count, first_question, first_rows
from core.data.readers.doubts import questions_about
from core.errors import InvalidInputError, choice
from core.records.certificate import make
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate

INNER = "ward,sex,n\nA,F,3\nA,M,5\nTotal A,,8\nB,F,2\nB,M,4\nTotal B,,6\nC,F,1\n"
COUNTRY = "area,men,women\n" + (
    "Brasil,6110,8012\nNorte,3110,4012\na,1100,1500\nb,1010,1512\nc,1000,1000\n"
    "Sul,3000,4000\nd,1700,1200\ne,1300,2800\n"
)


CODED = "code,area,sex_id,sex,age,year,value\n" + "".join(
    f"{code},{area},{i},{sex},totale,2022,{n}\n"
    for code, area, counts in (
        ("IT", "Italia", (6961, 7264, 14225)),
        ("C1", "Nord", (2071, 2182, 4253)),
        ("C4", "Sud", (4890, 5082, 9972)),
    )
    for i, (sex, n) in enumerate(zip(("maschi", "femmine", "totale"), counts, strict=True))
)
"""Codes beside their names, a column that is "totale" throughout, and totals of areas and sexes."""


def opened(text, **options):
    sources = Sources()
    source = sources.add_bytes(text.encode(), "t.csv", ReadOptions(**options).layout)
    return sources, source, ReadOptions(**options)


def question(text, **options):
    """Return the question about rows of totals: its sentence, and what its choices leave out."""
    sources, source, read = opened(text, **options)
    result = [
        item for item in questions_about(source, sources, read) if "of others, but" in item.sentence
    ]
    return [(item.sentence, dict(item.choices[0].options).get("omit")) for item in result]


def long_table(total):
    """Return a table of areas, sexes and ages in which one sex is the sum of the others."""
    draw = random.Random(3)
    lines = ["geo,year,sex,age,n"]
    for area in "AB":
        for age in ("0-17", "18+"):
            men, women = draw.randint(50, 900), draw.randint(50, 900)
            for sex, n in ((total, men + women), ("M", men), ("F", women)):
                lines.append(f"{area},2023,{sex},{age},{n}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "rows", "called"),
    [
        ("ward,sex,n\nTotal,,10\nA,F,3\nA,M,5\nB,F,2\n", 1, ("Total",)),
        (INNER, 2, ("Total A", "Total B")),
        (INNER.replace("8", "9").replace("6", "s"), 2, ("Total A", "Total B")),
        (COUNTRY, 3, ("Brasil", "Norte", "Sul")),
        (long_table("T"), 4, ("T",)),
        (
            "state,sector,hurt\nTX,a,3\nTX,b,4\nTX subtotal,,9\nUT,a,1\nUT,b,2\nUT total,,3\n",
            2,
            ("TX subtotal", "UT total"),
        ),
        ("land;n\nBremen;12\nHessen;40\nSumme;52\nBayern;9\n", 1, ("Summe",)),
        ("land;n\nBremen;12\nHessen;x\nZusammen;52\n", 1, ("Zusammen",)),
        ("県;n\n東京;12\n大阪;9\n合計;22\n", 1, ("合計",)),
        ("a\tb\nSub-total, all\t3\nx\t1\ny\t2\n", 1, ("Sub-total, all",)),
        (CODED, 5, ("Italia", "totale")),
    ],
)
def test_rows_that_add_up_others_are_asked_about_and_left_out_by_a_click(text, rows, called):
    ((sentence, omitted),) = question(text)
    assert sentence.startswith(
        f"{rows} rows may be totals of others" if rows > 1 else "1 row may be a total of others"
    )
    assert omitted == called
    sources, source, _ = opened(text)
    before = sources.open(source).rows
    read = ReadOptions(omit=omitted)
    assert sources.open(source, (), read).rows == before - rows
    assert sources.records(source, read).rows == before - rows
    shown = first_rows(source, sources, read, 100).rows
    columns = [set(column) for column in zip(*shown, strict=True)]
    several = [item for item in columns if len(item) > 1]  # what all rows have names none of them
    assert not set().union(*several) & set(called)
    assert question(text, omit=omitted) == question(text, omit=()) == []


@pytest.mark.parametrize(
    "text",
    [
        "name,pay\nAnn,100\nBo,200\nCy,300\nDi,50\n",
        "name,n\nAnn,1\nBo,2\nCy,3\n",
        long_table("T").replace("T,0-17,1", "T,0-17,9"),
        "sex,region,n\n" + "Total,Nord,4\nTotal,Sud,5\nTotal,Est,9\n",
        "brand,fuel,price\n" + "Total,E5,1799\nTotal,E5,1819\nShell,E5,1809\nTotal,E10,1709\n",
        "sex,age,pay\n" + "".join(f"{'MF'[i % 2]},{20 + i},{1500 + 37 * i}\n" for i in range(30)),
    ],
)
def test_true_levels_and_numbers_that_are_no_sums_are_not(text):
    assert question(text) == []


@pytest.mark.parametrize(
    ("text", "rows", "called"),
    [
        (
            "kind,men,women\nNSW,,\nMining,3,1\nRetail,5,9\nVIC,,\nTrade,2,2\nOther,7,8\n",
            2,
            ("NSW", "VIC"),
        ),
        (
            "kind;n\nCadres;120\n  dont A+;30\nOuvriers;77\nEnsemble;197\n",
            2,
            ("Ensemble", "dont A+"),
        ),
        ("kind,n\nAll staff,120\nof which nurses,30\nAll guests,77\n", 1, ("of which nurses",)),
    ],
)
def test_headings_and_parts_of_other_rows_are_asked_about(text, rows, called):
    sources, source, read = opened(text, skip_end=0)
    (request, *_) = questions_about(source, sources, read)
    are = (
        "row may be totals, headings or parts of others, but counts"
        if rows == 1
        else ("rows may be totals, headings or parts of others, but count")
    )
    assert request.sentence.startswith(f"{rows} {are}")
    assert sorted(dict(request.choices[0].options)["omit"]) == sorted(called)


def test_totals_of_a_long_table_are_asked_about_by_their_name():
    text = "area,sex,n\n" + "".join(f"a{i},{'MF'[i % 2]},{i}\n" for i in range(6_000))
    assert question(text) == []
    ((_, omitted),) = question(text.replace("a7,", "Total north,"))
    assert omitted == ("Total north",)


def test_they_are_counted_with_a_word_until_that_is_answered():
    sources, source, _ = opened(INNER)
    spec = DataSpec(source, ("ward",), ("sex",))
    text = count(spec, sources).report.sentences()
    assert any("2 rows may be totals of others, but count as records" in item for item in text)
    out = DataSpec(source, ("ward",), ("sex",), read=ReadOptions(omit=("Total A", "Total B")))
    counted = count(out, sources)
    assert counted.report.n_used == 5
    assert not any("of others, but" in item for item in counted.report.sentences())


def test_a_weight_that_a_row_of_totals_lacks_is_no_error_where_it_is_left_out():
    text = "ward,sex,n\nA,F,3\nA,M,5\nTotal,,\nB,F,2\nB,M,4\n"
    sources, source, _ = opened(text)
    with pytest.raises(InvalidInputError, match="no value"):
        sources.open(source, (), ReadOptions(weight="n"))
    table = sources.open(source, (), ReadOptions(weight="n", omit=("Total",)))
    assert (table.rows, table.columns) == (4, ("ward", "sex"))
    with pytest.raises(InvalidInputError, match="no records left: all are left out"):
        sources.open(source, (), ReadOptions(omit=("A", "B", "Total")))


def test_a_total_below_the_table_is_left_out_and_its_undo_answers_the_question():
    text = "area,n\nA,3\nB,5\nC,1\nTotal,9\n"
    sources, source, _ = opened(text)
    (repair,) = sources.uploads[source].repairs
    assert repair.sentence == "Line 5 is the total: left out."
    undone = ReadOptions(**dict(repair.undo))
    assert sources.open(source, (), undone).rows == 4
    assert questions_about(source, sources, undone) == ()
    assert first_question(source, sources, undone).read == undone


def test_all_records_left_out_by_choice_is_one_sentence():
    with pytest.raises(InvalidInputError, match="has column names but no records"):
        opened("area,sex,n\nA,M,3\nB,F,5\n", skip_end=2)


def test_what_is_left_out_is_a_setting_of_the_command_line():
    assert choice("", omit=("Total A", "Total B")).setting == "--read omit='Total A,Total B'"
    setting = choice("", omit=("Total, all", "it's")).setting
    text = setting.removeprefix("--read ").strip("'").replace("'\"'\"'", "'")
    assert ReadOptions.from_text([text]).omit == ("Total, all", "it's")
    assert ReadOptions.from_text(["omit=Total,Summe"]).phrases() == [
        "rows called Summe, Total left out"
    ]
    assert ReadOptions.from_text(["omit="]).phrases() == ["rows of totals are records"]


CROSSED = "\tBus\tCar\tBike\nCity\t120\t45\t88\nSuburb\t60\t77\t40\nRural\t10\t90\t20\n"


def crossed(text, **options):
    """Return how the question about a cross table has its cells read; None where none is asked."""
    sources, source, read = opened(text, **options)
    read = first_question(source, sources, read).read
    result = [
        item for item in questions_about(source, sources, read) if "cross table" in item.sentence
    ]
    return sources, source, replace(read, **dict(result[0].choices[0].options)) if result else None


def test_a_cross_table_is_asked_about_and_read_by_a_click():
    sources, source, read = crossed(CROSSED)
    counted = count(DataSpec(source, ("column 1",), ("column",), read=read), sources)
    assert counted.joint.s_labels == ("City", "Rural", "Suburb")
    assert (counted.joint.x_labels, counted.joint.n) == (("Bike", "Bus", "Car"), 550)
    assert (counted.joint.p * 550).round().tolist() == [[88, 120, 45], [20, 10, 90], [40, 60, 77]]
    records = sources.records(source, read)
    assert (records.rows, records.table.columns) == (550, ("column 1", "column"))
    assert crossed(CROSSED, cells=())[2] is None
    assert read.phrases() == ["numbers of records in Bike, Bus, Car"]


@pytest.mark.parametrize(
    ("text", "columns", "records"),
    [
        ("Age,Low,High,Grand Total\nA,12,30,42\nB,20,15,35\nGrand Total,32,45,77\n", 2, 77),
        ("area;sex;2021;2022\nA;m;40;51\nA;f;41;52\nB;m;42;51\nB;f;43;52\n", 3, 372),
        ("Age;Men;Women\nA;1.200;3.100\nB;2.000;-\n", 2, 6_300),
        ("Age;Men;Women\nA;12;3\nTotal;40;5\nB;9;-\n", 0, 0),  # the total first
    ],
)
def test_totals_and_further_names_of_a_cross_table(text, columns, records):
    marks = {"decimal": ",", "thousands": "."} if "." in text else {}
    sources, source, read = crossed(text, **marks)
    assert (read is not None) == (columns > 0)
    if read is not None:
        table = sources.records(source, read).table
        assert (len(table.columns), table.rows) == (columns, records)


AREAS = ("Alba", "Brno", "Cork", "Delft", "Essen", "Fano")


def areas(names, cells):
    """Return a cross table of six areas: names of columns, and what a row has by its place."""
    rows = (",".join(map(str, cells(i, 40 + 13 * i, 90 + 7 * i))) for i in range(len(AREAS)))
    return "\n".join([names, *rows]) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        areas("code,area,M,F", lambda i, m, f: (f"E0{i}", AREAS[i], m, f)),
        areas("code,area,M,F", lambda i, m, f: (1001 + 9 * i, AREAS[i], m, f)),
        areas("area,code,M,F", lambda i, m, f: (AREAS[i], f"0{9 - i}", m, f)),
        areas("region,area,M,F", lambda i, m, f: ("NS"[i // 3], AREAS[i], m, f)),
        areas("age,M,F", lambda i, m, f: (18 + i, m, f)),
        areas("area,both sexes,M,F", lambda i, m, f: (AREAS[i], m + f, m, f)),
        areas("area,M,F,persons", lambda i, m, f: (AREAS[i], m, f, m + f)),
        areas("area,23 · M,23 · F,23 · Total", lambda i, m, f: (AREAS[i], m, f, m + f)),
        areas("area,M,F,%", lambda i, m, f: (AREAS[i], m, f, 100 * m // (m + f))),
    ],
)
def test_codes_groups_and_sums_of_columns_are_no_counts_of_a_cross_table(text):
    sources, source, read = crossed(text)
    assert sources.records(source, read).rows == sum(40 + 13 * i + 90 + 7 * i for i in range(6))


def test_a_cross_table_with_suppressed_cells_counts_the_others():
    text = areas("area,M,F", lambda i, m, f: (AREAS[i], "x" if i == 2 else m, f))
    sources, source, read = crossed(text)
    assert read.missing == ("x",)
    assert sources.records(source, read).rows == sum(130 + 20 * i for i in range(6)) - 66


@pytest.mark.parametrize(
    "text",
    [
        "sex,age,pay\nM,30,1200\nF,41,1300\nM,28,900\n",
        areas("name,sex,age,height", lambda i, m, f: (AREAS[i], "MFFMFM"[i], m, f)),
        areas(",speed,dist", lambda i, m, f: (i + 1, m, f)),
        areas("id,a,b,c,n,m", lambda i, m, f: (i, "xy"[i % 2], "pqr"[i % 3], "uv"[i // 3], m, f)),
        "name,share,n\nA,0.5,12\nB,0.25,40\n",
        "id,sex,age\n1,M,20\n2,F,30\n3,M,40\n4,F,22\n",
        "name,year,n\nA,2019,12\nB,2020,40\n",
    ],
)
def test_records_are_no_cross_table(text):
    assert crossed(text)[2] is None


def test_a_cell_that_is_no_number_of_records_is_an_error_with_its_place():
    sources, source, _ = opened("Age,Men,Women\nA,12,3\nB,9.5,1\n")
    with pytest.raises(InvalidInputError, match="'Men' is read as counts of records, but record"):
        sources.open(source, (), ReadOptions(cells=("Men", "Women")))
    sources, source, _ = opened("Age,Men,Women\nA,0,0\nB,,0\n")
    with pytest.raises(InvalidInputError, match="no records: only zeros in 'Men' and 'Women'"):
        sources.open(source, (), ReadOptions(cells=("Men", "Women")))


@pytest.mark.parametrize(
    ("text", "question", "records", "options"),
    [
        (INNER, (("sex",), ("ward",)), 5, {"omit": ("Total A", "Total B")}),
        (
            "ward,low,high\nA,3,4\nB,6,2\nTotal,9,6\n",
            (("ward",), ("column",)),
            15,
            {"omit": ("Total",), "cells": ("high", "low"), "skip_end": 0},
        ),
    ],
)
def test_a_release_of_them_is_verified(text, question, records, options, tmp_path):
    path, target = tmp_path / "t.csv", tmp_path / "y.csv"
    path.write_text(text)
    sources = Sources()
    source = sources.add_file(path, ReadOptions(**options).layout)
    scenario = Scenario(
        data=DataSpec(source, *question, read=ReadOptions(**options)), mechanism="watchdog", eps=1
    )
    result = original(source, sources, scenario.data.read)
    made = make(evaluate(scenario, sources), result, Plan(Seeded(2**90 + 1), "replaced"), target)
    assert len(pd.read_csv(target)) == records
    checks = list(verify(json.dumps(made.certificate), target, path, str(2**90 + 1)))
    assert failed(checks) == []
