"""Files as offices publish them: each kind is read right, or asked about; its mirror image stays.

What is left out, named or filled is said, and can be undone.
"""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core.data import ReadOptions, Sources, count, first_question
from core.errors import InvalidInputError, ReadingError


def read(text, **options):
    """Return the names, the rows, and the sentences on what was repaired."""
    content = text if isinstance(text, bytes) else text.encode()
    upload, _ = opened(content, ReadOptions(**options))
    return columns_and_rows(upload), [item.sentence for item in upload.repairs]


def opened(content, options):
    sources = Sources()
    source = sources.add_bytes(content, "t.csv", options)
    return sources.uploads[source], sources


def columns_and_rows(upload):
    table = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    return list(upload.table.columns), [list(row) for row in zip(*table, strict=True)]


def question_of(text, **options):
    """Return the question about a file: its sentence, and the tables of its choices by label."""
    with pytest.raises(ReadingError) as caught:
        read(text, **options)
    result = {}
    for item in caught.value.choices:
        try:
            result[item.label] = read(text, **(options | dict(item.options)))[0]
        except ReadingError as error:
            result[item.label] = str(error)
    return str(caught.value), result


PEOPLE = "region;sex;stay;age\nNord;F;4,5;62\nSud;M;6,1;71\nEst;F;3,9;58\n"
TABLE = (
    ["region", "sex", "stay", "age"],
    [["Nord", "F", "4,5", "62"], ["Sud", "M", "6,1", "71"], ["Est", "F", "3,9", "58"]],
)


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("Extract of 2025-01-06\n", 1),
        ("Hospital stays, by region\nSource: the office; 2024\n\n", 2),
        ("Stays;;;\n;;;\n", 2),
        ("Report on stays, final; revised\n\n", 1),
        ("Stand:;31.12.2024;;\n", 1),
    ],
)
def test_titles_and_notes_above_the_names_are_left_out_and_said(above, lines):
    table, text = read(above + PEOPLE)
    assert table == TABLE
    plural = "line above the names was" if lines == 1 else "lines above the names were"
    assert text == [f"{lines} {plural} left out."]


def test_a_first_record_like_a_title_is_a_record():
    table, text = read("title,n\nThe annual report of the office,3\nb,4\nc,5\n")
    assert table[1][0] == ["The annual report of the office", "3"]
    assert text == []


def test_a_title_is_undone_by_taking_it_for_the_names():
    upload, sources = opened(("Extract\n" + PEOPLE).encode(), ReadOptions())
    (repair,) = upload.repairs
    again = sources.upload(f"upload:{upload.sha256}", ReadOptions(**dict(repair.undo)))
    assert (again.table.columns[:2], again.rows) == (("Extract", "column 2"), 4)


def test_a_table_without_names_is_asked_about():
    text = "41,Public,Degree,Male\n29,Private,School,Female\n53,Private,Degree,Male\n"
    message, result = question_of(text)
    assert (
        message
        == "In t.csv, line 1 may hold the names or be a record: choose the line with the names."
    )
    columns, rows = result["The columns have no names"]
    assert columns == ["column 1", "column 2", "column 3", "column 4"]
    assert rows[0] == ["41", "Public", "Degree", "Male"]
    columns, rows = result["The names are in line 1"]
    assert (columns[1], len(rows)) == ("Public", 2)


@pytest.mark.parametrize("names", ["geo,2019,2020", "id,1,2", "year,2019,2020,2021", "sex,a_1,b_2"])
def test_names_that_are_numbers_are_names(names):
    width = names.count(",")
    body = "".join(
        f"{'abc'[i]}," + ",".join(f"{i}.{j}" for j in range(width)) + "\n" for i in range(3)
    )
    if names.startswith("id"):
        assert (
            "The columns have no names" in question_of(f"{names}\n{body}")[1]
        )  # 1 and 2 may be values
    else:
        assert read(f"{names}\n{body}")[0][0] == names.split(",")


def test_names_again_in_mid_file_are_left_out_and_said_or_kept():
    text = "sex,age,shift\nF,31,day\nM,45,night\nsex,age,shift\nF,39,night\nsex,age,shift\n"
    (_, rows), message = read(text)
    assert [row[1] for row in rows] == ["31", "45", "39"]
    assert message == ["2 lines further down repeat the names: left out."]
    assert len(read(text, kept=("again",))[0][1]) == 5
    assert len(read(text.replace("sex,age,shift\nF,39", "Sex,Age,Shift\nF,39"))[0][1]) == 3
    (_, rows), message = read("sex,age\nsex,31\nF,45\n")  # one cell alone does not repeat them
    assert (len(rows), message) == (2, [])


def test_lines_of_questions_and_codes_below_the_names_are_asked_about():
    text = (
        "Q1,Q2,Q3\nWhat is your sex?,How old are you?,How tall are you?\n"
        '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3""}"\n'
        "F,31,170\nM,45,180\nF,28,165\nM,30,177\n"
    )
    message, result = question_of(text)
    assert "lines 2 and 3 may hold names, questions or units, not records" in message
    columns, rows = result["Names in line 1, leave out the 2 lines below"]
    assert (columns, len(rows), rows[0]) == (["Q1", "Q2", "Q3"], 4, ["F", "31", "170"])


@pytest.mark.parametrize("units", [",degC,%", "(yyyy-mm-dd),(degC),(%)"])
def test_a_line_of_units_below_the_names_is_asked_about(units):
    days = "".join(f"2015-02-01 10:{i:02}:00,{20 + i}.5,{45 - i}.2\n" for i in range(6))
    _, result = question_of(f"time,temp,hum\n{units}\n{days}")
    columns, rows = result["Names in line 1, leave out the line below"]
    assert (columns, len(rows)) == (["time", "temp", "hum"], 6)


def test_a_line_of_codes_beside_few_levels_is_asked_about_and_a_rare_record_is_not():
    body = "F,30,nurse\nM,41,clerk\n" * 3
    _, result = question_of(f"sex,age,job\nV1,V2,V3\n{body}")
    assert result["Names in line 1, leave out the line below"][0] == ["sex", "age", "job"]
    assert len(read(f"sex,age,job\nF,none,cook\n{body}")[0][1]) == 7


def test_two_rows_of_names_with_repeated_years_are_joined_by_a_click():
    text = (
        ";;2022;2022;2023;2023\nLand;Alter;m;w;m;w\nA;jung;1;2;3;4\nA;alt;5;6;7;8\nB;alt;1;2;3;4\n"
    )
    _, result = question_of(text)
    names = ["Land", "Alter", "2022 · m", "2022 · w", "2023 · m", "2023 · w"]
    assert result["Join lines 1 and 2"][0] == names


def test_three_rows_of_names_are_joined_by_a_click():
    head = ";Men;;Women;\n;2019;2020;2019;2020\nArea;n;n;n;n\n"
    body = "".join(f"{item};{i};1;{i + 2};3\n" for i, item in enumerate("NSEW"))
    _, result = question_of(head + body)
    columns, rows = result["Join lines 1, 2 and 3"]
    assert columns[1:3] == ["Men · 2019 · n", "Men · 2020 · n"]
    assert (columns[0], len(rows)) == ("Area", 4)


def test_names_that_begin_with_the_second_column_are_those_of_r():
    text = "age,sex\n1,20,f\n2,31,m\n3,28,f\n"
    (columns, rows), message = read(text)
    assert (columns, rows[0]) == (["column 1", "age", "sex"], ["1", "20", "f"])
    assert message[0] == "The names begin with the second column."
    assert read(text, kept=("shift",))[0][0] == ["age", "sex", "column 3"]
    _, result = question_of(text.replace("1,20", "Ann,20").replace("2,31", "Bo,31"))
    assert result["The first column has no name"][0] == ["column 1", "age", "sex"]
    assert result["The last column has no name"][0] == ["age", "sex", "column 3"]


def test_a_title_with_delimiters_is_asked_about_where_a_blank_line_follows():
    title = "Table 3, staff by area, 2024\nSource: Office, unpublished\n\n"
    text = f"{title}ward,sex,n\nA,F,3\nB,M,5\nA,M,4\n"
    _, result = question_of(text)
    columns, rows = result["The names are in line 4"]
    assert (columns, len(rows)) == (["ward", "sex", "n"], 3)
    assert read("ward,sex,n\n\nA,F,3\nB,M,5\nA,M,4\n")[1] == []


def test_another_table_of_as_many_columns_is_asked_about():
    text = "ward,sex,n\nA,F,3\nA,M,5\nB,F,2\n\nward,beds,floor\nA,4,1\nB,7,2\n"
    _, result = question_of(text)
    assert len(result["Leave out everything from line 6 on"][1]) == 3
    assert len(result["All lines are records"][1]) == 6
    spaced = "ward,sex,n\nA,F,3\nA,M,5\n\nB,F,2\nB,M,n/a\n"
    assert len(read(spaced)[0][1]) == 4  # a blank line alone begins no table


def test_rules_below_names_and_counts_of_rows_are_left_out():
    text = " id | name | n\n----+------+---\n 1 | ab | 3\n 2 | cd | 4\n(2 rows)\n"
    (columns, rows), message = read(text)
    assert (columns, len(rows)) == (["id", "name", "n"], 2)
    assert message[0] == "Line 2, a rule below the names, was left out."
    assert len(read("a,b\n-,--\nx,-\ny,--\n")[0][1]) == 3


def test_a_backslash_stands_before_a_delimiter():
    table, _ = read("id,txt\n1,a\\, b\n2,c\n3,d\\, e\n4,f\n")
    assert table[1] == [["1", "a, b"], ["2", "c"], ["3", "d, e"], ["4", "f"]]
    assert read("id,dir,n\n1,C:\\,3\n2,D:\\,4\n")[0][1][0] == ["1", "C:\\", "3"]


def test_an_encoding_that_is_not_found_is_offered_with_how_it_reads():
    _, result = question_of("都道府県,性別\n北海道,男\n青森県,女\n".encode("shift_jis"))
    assert result["Read it as Shift JIS (Japanese): 都道府県"][1][0] == ["北海道", "男"]


def test_names_alone_are_refused_and_may_be_a_record():
    sentence, result = question_of("a,b\n")
    assert sentence == "t.csv has column names but no records."
    assert result["The columns have no names"] == (["column 1", "column 2"], [["a", "b"]])


def test_two_rows_of_names_are_joined_by_a_click():
    text = "region;2020;;2021;\n;men;women;men;women\nNord;4;5;6;7\nSud;1;2;3;4\nEst;1;1;2;3\n"
    _, result = question_of(text)
    columns, rows = result["Join lines 1 and 2"]
    assert columns == ["region", "2020 · men", "2020 · women", "2021 · men", "2021 · women"]
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sex;job;\nF;nurse\nM;clerk\n", "The names end with 1 extra delimiter."),
        ("sex;job\nF;nurse;\nM;clerk;\n", "Column 3 has no name and no value: left out."),
        ("sex;job;\nF;nurse;\nM;clerk;\n", "Column 3 has no name and no value: left out."),
        (
            "sex;job;;;\nF;nurse;;;\nM;clerk;;;\n",
            "Columns 3–5 have no name and no value: left out.",
        ),
        ("sex;;job\nF;;nurse\nM; ;clerk\n", "Column 2 has no name and no value: left out."),
    ],
)
def test_empty_columns_and_trailing_delimiters(text, message):
    table, repairs = read(text)
    assert table == (["sex", "job"], [["F", "nurse"], ["M", "clerk"]])
    assert repairs == [message]


def test_a_named_column_without_values_stays_and_so_do_others_that_are_kept():
    assert read("sex;job;x\nF;nurse;\nM;clerk;\n")[0][0] == ["sex", "job", "x"]
    columns, _ = read("sex;job;\nF;nurse;\nM;clerk;\n", kept=("empty",))[0]
    assert columns == ["sex", "job", "column 3"]


def test_unnamed_and_repeated_names_are_numbered_and_said():
    (columns, _), text = read("id,Amount,,Amount\na,1,x,2\nb,3,y,4\n")
    assert columns == ["id", "Amount", "column 3", "Amount (2)"]
    assert text == [
        "Another column 'Amount' is called 'Amount (2)'.",
        "Column 3 has no name: called column 3.",
    ]


def test_names_with_underscores_and_brackets_stay():
    assert read("a_1,b (EUR)\nx,1\ny,2\n")[0][0] == ["a_1", "b (EUR)"]


@pytest.mark.parametrize(
    ("below", "message"),
    [
        ("\nSource: the office\n", "1 line below the table is no record: left out."),
        (";;;\n;;;\n", "2 lines below the table are no records: left out."),
        (
            "* revised figures\n(1) estimated\n",
            "2 lines below the table are no records: left out.",
        ),
        ("Total;;14,5;191\n", "Line 5 is the total: left out."),
        ("\nTotal;;14,5;191\n\nNote: stays in days.\n", None),
    ],
)
def test_notes_and_totals_below_are_left_out_and_undone(below, message):
    table, repairs = read(PEOPLE + below)
    assert table == TABLE
    assert message is None or repairs == [message]
    assert len(read(PEOPLE + below, skip_end=0, pad="pad")[0][1]) > 3


def test_a_last_level_called_total_that_is_no_sum_is_not_left_out():
    upload, _ = opened(b"kind,n\nPart,3\nHalf,4\nTotal,5\n", ReadOptions())
    assert upload.rows == 3
    assert read("kind,n\nTotal,3\nHalf,4\nPart,5\n")[1] == []


def test_short_records_are_filled_and_said_where_none_is_broken():
    text = "a,b,c,d\n1,2,3,4\n1,2\n5,6,7,8\n1,2,3\n9,9,9,9\n5,6,7,8\n"
    (_, rows), message = read(text)
    assert rows[1] == ["1", "2", "", ""]
    assert message == ["2 records are too short (lines 3, 5): their last fields are missing."]
    sentence, result = question_of(text, pad="refuse")
    assert sentence == "t.csv has 2 fields in line 3, but its header has 4."
    assert len(result["Leave all 2 out"][1]) == 4
    assert len(result["Fill 2 short records"][1]) == 6


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,x,2\n1,brok\nen,2\n1,y,2\n3,z,4\n4,z,4\n",  # a line break without quotes
        "a,b,c\n1,x,2\n1,x,2\n1,x",  # cut off
        "a,b,c\n1,x,2\n1,x,2,3\n1,x,2\n",
    ],
)
def test_broken_records_are_asked_about(text):
    assert "fields in line" in question_of(text)[0]


def test_a_second_table_below_is_refused_by_line_and_left_out_by_a_click():
    text = PEOPLE + "\nward;beds\nA;12\nB;14\nC;9\n"
    sentence, result = question_of(text)
    assert sentence == "t.csv has 2 fields in line 6, but its header has 4."
    assert result["Leave out everything from line 6 on"] == TABLE


def test_apostrophes_backslashes_and_commas_with_a_blank():
    table, text = read("sex,job\n'F','nurse, old'\n'M','clerk'\n'F','it''s'\n")
    assert table[1] == [["F", "nurse, old"], ["M", "clerk"], ["F", "it's"]]
    assert text == ["Fields are in apostrophes."]
    assert read("sex,job\nF,O'Brien\nM,'tis\nF,d'accord\n")[0][1][1] == ["M", "'tis"]
    table, text = read('sex,job\n"F","a \\"big\\" one, yes"\n"M","clerk"\n')
    assert table[1] == [["F", 'a "big" one, yes'], ["M", "clerk"]]
    assert text == ["A backslash marks a quote inside quotes."]
    path = 'sex,path\n"F","C:\\temp\\"\n"M","D:\\x\\"\n'
    assert read(path)[0][1][0] == ["F", "C:\\temp\\"]
    table, _ = read('sex, job, n\n"F", "nurse, old", 1\n"M", "clerk", 2\n')
    assert table == (["sex", "job", "n"], [["F", "nurse, old", "1"], ["M", "clerk", "2"]])
    assert read("sex||job\nF||ab\nM||c\n")[0] == (["sex", "job"], [["F", "ab"], ["M", "c"]])


def test_a_stray_quote_is_refused_by_line_with_a_choice():
    sentence, result = question_of('a,b\nw,4\nx,"1\ny,2\nz,3\n')
    assert sentence == "t.csv has an unclosed quote in line 3."
    assert result["Read quotes as ordinary characters"][1][1] == ["x", '"1']


def test_dimensions_joined_by_commas_in_a_table_with_tabs():
    text = (
        "freq,unit,sex,geo\\TIME\t2021 \t2022 \nA,PC,F,AT\t41.2 \t40.8 b \nA,PC,F,BE\t: \t39.5 \n"
        "A,PC,M,AT\t52.3 \t51.9 \nA,PC,M,BE\t50.1 \t50.6 p \n"
    )
    (columns, rows), _ = read(text)
    assert columns == ["freq,unit,sex,geo\\TIME", "2021", "2022"]
    assert rows[0][0] == "A,PC,F,AT"


def test_other_delimiters_are_offered():
    sentence, result = question_of("sex job age\nf a 1\nm b 2\n")
    assert sentence.endswith("it seems to be separated by spaces: choose that.")
    assert result["Read it as separated by spaces"][1] == [["f", "a", "1"], ["m", "b", "2"]]


def test_a_comment_or_names_behind_a_hash_are_asked_about():
    _, result = question_of("# a, b\nid,c\n1,x\n")
    assert result["The names are in line 1"][0] == ["a", "b"]
    assert result["The names are in line 2"] == (["id", "c"], [["1", "x"]])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (",".join(f"c{i}" for i in range(10_000)) + "\n1,2\n", "has 10,000 columns; at most 2,000"),
        ("x" * 10_000_000 + ",b\n1,2\n", "has a first line of more than 1,048,576 characters"),
        ("sex,job\n", "has column names but no records"),
    ],
    ids=["wide", "long", "empty"],
)
def test_bad_files_get_one_sentence(content, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        read(content)


WORDS = st.sampled_from(
    ["Nord", "Süd", "nurse, old", "O'Brien", 'say "hi"', "a b", "x-y; z", "18_24", "é", "a|b"]
)
VALUES = st.one_of(WORDS, st.integers(-999, 9999).map(str), st.just(""))
NAMES = ["region", "sex", "age band", "n_1", "Größe"]


@st.composite
def tables(draw):
    """Return names and records, with the text of a file in some office's dialect."""
    width = draw(st.integers(2, 5))
    rows = draw(st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=3, max_size=12))
    rows = [[row[0] or "x", *row[1:]] for row in rows]
    names = NAMES[:width]
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", ", ", "; ", "||"]))
    quote, escaped = draw(st.sampled_from([('"', False), ("'", False), ('"', True)]))
    always, end = draw(st.booleans()), draw(st.sampled_from(["\n", "\r\n"]))

    def written(cell):
        if not always and not set(cell) & {delimiter[0], quote}:
            return cell
        inner = cell.replace(quote, f"\\{quote}" if escaped else quote * 2)
        return f"{quote}{inner}{quote}"

    lines = "".join(delimiter.join(map(written, row)) + end for row in [names, *rows])
    above = draw(st.sampled_from(["", "", "Extract of 2024\n", "A title\n\n", "Stand: heute\n"]))
    below = draw(st.sampled_from(["", "", "\nSource: the office\n", "\n\n"]))
    if draw(st.booleans()) and above == "" and below == "":
        lines = "".join(f"{line}{delimiter}{end}" for line in lines.splitlines())
    return names, rows, above + lines + below


def check_table(result):
    """Check that a file is read as it was written, or asked about."""
    names, rows, text = result
    try:
        columns, records = read(text)[0]
    except InvalidInputError:
        return  # a question, or a refusal
    assert columns[: len(names)] == names
    # a blank behind a delimiter is no part of a level, and goes out as it came in
    assert [[cell.strip() for cell in row[: len(names)]] for row in records] == rows
    assert not any("".join(row[len(names) :]) for row in records)


@settings(max_examples=40)
@given(tables())
def test_a_table_is_read_as_it_was_written_or_asked_about(result):
    check_table(result)


@settings(max_examples=2_000)
@given(tables())
def test_two_thousand_tables_are_read_as_they_were_written_or_asked_about(result):
    check_table(result)


def test_names_such_as_e1_are_no_numbers_though_an_exponent_reads_so():
    rows = [[str(i % 3), str(i % 2)] for i in range(12)]
    body = "\n".join(map(",".join, rows))
    assert read(f"E1,e2\n{body}\n") == ((["E1", "e2"], rows), [])
    sentence, _ = question_of(f"1E1,1e2\n{body}\n")
    assert "may hold the names or be a record" in sentence


def test_a_first_line_of_names_is_offered_though_a_wider_table_follows():
    upper = ["run,left,right", *(f"{i},{i % 3},{i % 2}" for i in range(12))]
    lower = ["run,a,b,c,d,e", *(f"{i},{i % 2},0,1,{i % 5},2" for i in range(12))]
    sentence, tables = question_of("\n".join(upper + lower))
    assert "more than one line may hold the names" in sentence
    assert "The names are in line 1" in tables


def test_a_title_above_names_again_begins_another_table():
    upper = "Travel by class,\n,\nclass,cost\nRail,12\nAir,7\nBus,3\n"
    sentence, tables = question_of(
        f"{upper},\nStationery by shop,\n,\nclass,cost\nPen Ltd,4\nInk Ltd,9\n"
    )
    assert "line 7 may begin another table" in sentence
    assert tables["Leave out everything from line 7 on"][1] == [
        ["Rail", "12"],
        ["Air", "7"],
        ["Bus", "3"],
    ]


def test_titles_above_other_names_begin_another_table():
    upper = "day,town,cost\n1 May,Ulm,12\n2 May,Bonn,7\n,,\n"
    lower = "Hospitality,,\nMay 2012,,\n,,\nwhen,host,kind\n3 May,Lee,lunch\n"
    sentence, tables = question_of(upper + lower)
    assert "line 4 may begin another table: it is a title above names" in sentence
    assert len(tables["Leave out everything from line 4 on"][1]) == 2
    assert len(read(upper + lower.replace("May 2012,,\n", ""))[0][1]) > 3  # one heading of a group


def test_names_that_fill_the_gaps_of_those_above_are_joined_by_a_click():
    body = "1 May,Ulm,,5,5\n2 May,Bonn,7,,7\n3 May,Ulm,,4,4\n"
    _, tables = question_of(f"day,town,by,,cost\n,,,,\n,,air,rail,\n{body}")
    assert tables["Join lines 1 and 3"][0] == ["day", "town", "by · air", "by · rail", "cost"]
    assert len(read(f"day,town,by,,cost\n,,x,,\n{body}")[0][1]) == 4  # it fills no gap


def test_lines_about_a_table_of_two_columns_are_asked_about():
    about = "Title,Growth\nCDID,IHYP\nUnit,%\nDate,1-2-24\nNotes,\n"
    body = "1949,4.2\n1950,3.3\n1951,..\n1951 Q1,1.5\n1951 Q2,1.6\n"
    sentence, tables = question_of(about + body)
    assert "lines 1 to 5 may be about the table, not records" in sentence
    rows = [line.split(",") for line in body.split()[:3]]
    assert tables["Leave them out, the columns have no names"][1][:3] == rows
    assert tables["Names in line 1, leave out the others"][0] == ["Title", "Growth"]
    names = tables["Names in line 5, leave out those above"]
    assert (names[0], len(names[1])) == (["Notes", "column 2"], 5)
    titled, _ = question_of("A report\nby area,new\n\nkind,rate\n" + body.replace("..", "2"))
    assert "about the table" not in titled


def test_a_comment_of_as_many_fields_above_the_names_is_asked_about_and_names_are_read():
    sentence, tables = question_of("#made here,by hand\nward,age\nA,31\nB,32\n")
    assert "may hold the names or be a comment" in sentence
    assert tables["The names are in line 2"][0] == ["ward", "age"]
    assert read("#ward,age\nA,31\nB,32\n")[0][0] == ["#ward", "age"]


SINGLE = "There is a single column. It is both S and X: S itself is released privately."


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sex\nF\nM\nF\n", ["F", "M", "F"]),
        ('town\n"Bath, Avon"\n"Wells"\n"Bath, Avon"\n', ["Bath, Avon", "Wells", "Bath, Avon"]),
        ("answer\nyes\nno\nno\nTotal\n", ["yes", "no", "no", "Total"]),
    ],
)
def test_a_single_column_is_a_question_about_itself(text, rows):
    (names, result), message = read(text)
    assert (len(names), [row[0] for row in result], message) == (1, rows, [SINGLE])
    upload, sources = opened(text.encode(), ReadOptions())
    assert upload.kind == "CSV, a single column"
    spec = first_question(f"upload:{upload.sha256}", sources)
    assert spec.secret == spec.released == tuple(names)
    assert count(spec, sources).joint.n == len(rows)


def test_a_single_column_of_other_kinds_of_files_is_one_too(tmp_path):
    for ending in ("parquet", "xlsx"):
        path = tmp_path / f"a.{ending}"
        write = pd.DataFrame.to_parquet if ending == "parquet" else pd.DataFrame.to_excel
        write(pd.DataFrame({"sex": ["F", "M", "F"]}), path, index=False)
        upload, sources = opened(path.read_bytes(), ReadOptions())
        assert [item.sentence for item in upload.repairs] == [SINGLE]
        assert first_question(f"upload:{upload.sha256}", sources).released == ("sex",)


def test_a_single_column_with_what_may_separate_fields_is_asked_about():
    text, result = question_of("town\nNew York\nOld York\nNew York\n")
    assert "it seems to be separated by spaces: choose that." in text
    assert result["It is a single column"] == (["town"], [["New York"], ["Old York"], ["New York"]])
    text, result = question_of("town\na\nb\na\n", delimiter=";")
    assert text == "t.csv has a single column when separated by semicolons."
    assert result["It is a single column"][1] == [["a"], ["b"], ["a"]]


def test_names_and_titles_of_a_single_column_are_asked_about():
    text, result = question_of("F\nM\nF\nF\n")
    assert "line 1 may hold the names or be a record" in text
    assert result["The columns have no names"] == (["column 1"], [["F"], ["M"], ["F"], ["F"]])
    text, result = question_of("Survey\n\nsex\nF\nM\nF\n")
    assert "names may be in line 1 or in line 3" in text
    assert result["The names are in line 3"] == (["sex"], [["F"], ["M"], ["F"]])
    text, result = question_of("Survey\nage\n31\n45\n39\n28\n61\n")
    assert result["Names in line 2"] == (
        ["age"],
        [[item] for item in ("31", "45", "39", "28", "61")],
    )


def test_rows_of_a_single_column_stand_for_several_records():
    upload, sources = opened(b"sex,Freq\nF,12\nM,30\n", ReadOptions())
    source = f"upload:{upload.sha256}"
    spec = first_question(source, sources, ReadOptions(weight="Freq"))
    assert (spec.secret, spec.released, count(spec, sources).joint.n) == (("sex",), ("sex",), 42)


def test_a_first_sheet_with_a_single_column_is_asked_about(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"Notes": ["by hand", "2024"]}).to_excel(book, sheet_name="About", index=False)
        pd.DataFrame({"sex": ["F", "M"], "age": [3, 4]}).to_excel(book, sheet_name="T", index=False)
    with pytest.raises(ReadingError, match=r"'About' of t\.csv has a single column") as caught:
        opened(path.read_bytes(), ReadOptions())
    tables = [
        opened(path.read_bytes(), ReadOptions(**dict(item.options)))[0].table.columns
        for item in caught.value.choices
    ]
    assert tables == [("sex", "age"), ("Notes",)]


@pytest.mark.parametrize("zips", ['="02134",F\n="10001",M\n', '"=""02134""",F\n"=""10001""",M\n'])
def test_formulas_of_a_text_are_read_as_the_text_and_said(zips):
    table, text = read(f"zip,sex\n{zips}")
    assert table == (["zip", "sex"], [["02134", "F"], ["10001", "M"]])
    assert text == ['2 values such as ="02134" are formulas for a text: read as 02134.']
    assert read(f"zip,sex\n{zips}", kept=("formulas",))[0][1][0] == ['="02134"', "F"]
    assert read(f'="zip",sex\n{zips}')[0][0] == ["zip", "sex"]


def test_other_formulas_stay_as_they_are():
    rows = [["=1+1", "F"], ['="a"&"b"', "M"], ['="x', "M"]]
    assert read('f,sex\n=1+1,F\n="a"&"b",M\n="x,M\n') == ((["f", "sex"], rows), [])


def test_a_line_of_group_names_that_may_be_a_title_is_offered_to_be_joined():
    upload, sources = opened(b"Water,,\nuse,use each,cost\n44,13.9,68\n12,3.5,7\n", ReadOptions())
    assert [item.sentence for item in upload.repairs] == ["1 line above the names was left out."]
    (hint,) = upload.hints
    assert hint.label == "Join lines 1 and 2"
    joined = sources.upload(f"upload:{upload.sha256}", ReadOptions(**dict(hint.options)))
    assert joined.table.columns == ("Water · use", "Water · use each", "Water · cost")
    assert opened(b"Water\nuse,use each,cost\n44,13.9,68\n12,3.5,7\n", ReadOptions())[0].hints == ()


def test_the_first_column_has_no_name_where_that_is_chosen():
    text, result = question_of("n,cost\nNord,1,2\nSud,3,4\nNord,5,6\n")
    assert "each record has one more field than there are names" in text
    rows = [["Nord", "1", "2"], ["Sud", "3", "4"], ["Nord", "5", "6"]]
    assert result["The first column has no name"] == (["column 1", "n", "cost"], rows)
    assert result["The last column has no name"] == (["n", "cost", "column 3"], rows)
