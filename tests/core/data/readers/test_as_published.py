"""Tables as offices of six countries publish them: what was read wrongly without a word."""

import io
from dataclasses import replace

import openpyxl
import pytest

from core.data import ReadOptions, Sources, describe, first_question, first_rows, present_marks
from core.data.readers.doubts import questions_about
from core.errors import InvalidInputError, ReadingError


def opened(content, name="t.csv", **options):
    """Return a session's sources, the source of a file, and how it was read."""
    sources = Sources()
    content = content.encode() if isinstance(content, str) else content
    source = sources.add_bytes(content, name, ReadOptions(**options))
    return sources, source, sources.uploads[source]


def rows_of(content, name="t.csv", **options):
    """Return names and rows as the first question reads them, and what is said and offered."""
    sources, source, upload = opened(content, name, **options)
    read = first_question(source, sources, ReadOptions(**options)).read
    result = first_rows(source, sources, read, 1000)
    text = [item.sentence for item in upload.repairs]
    return result.columns, result.rows, text, [item.label for item in upload.hints]


def choices(content, name="t.csv"):
    with pytest.raises(ReadingError) as caught:
        opened(content, name)
    return {item.label: dict(item.options) for item in caught.value.choices}


def test_a_number_below_one_is_no_group_of_thousands():
    text = "land;anteil\n" + "".join(f"{item};0,{i}71\n" for i, item in enumerate("abcdef", 1))
    for mark in ";|":
        _, rows, _, _ = rows_of(text.replace(";", mark))
        assert rows[0] == ("a", "0.171")
    _, rows, _, _ = rows_of(text.replace(",", "."))
    assert rows[0] == ("a", "0.171")


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u2009", "\u202f"])
def test_thousands_with_blanks_beside_marks_are_numbers_once_these_are_missing(blank):
    rows = f"Bretagne;1{blank}234{blank}567\nCorse;s\nMayotte;nd\nNord;89{blank}345\n"
    sources, source, _ = opened(f"région;femmes\n{rows}")
    read = first_question(source, sources).read
    assert read.thousands == " "
    marks = present_marks(source, sources, read)
    assert [(item.word, item.columns) for item in marks] == [
        ("nd", ("femmes",)),
        ("s", ("femmes",)),
    ]
    info = describe(source, sources, replace(read, missing=("nd", "s"))).columns[1]
    assert (info.numeric, info.low, info.high, info.missing) == (True, 89345, 1234567, 2)


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "x"])
def test_commas_before_three_digits_are_asked_about_where_they_separate_no_fields(delimiter, mark):
    text = f"land;people\nA;1,234\nB;12,345\nC;{mark}\nD;7\n".replace(";", delimiter)
    sources, source, _ = opened(text)
    read = first_question(source, sources).read
    assert (read.decimal, read.thousands) == (".", "")
    (question,) = questions_about(source, sources, read)
    assert question.sentence.startswith("'people' has three digits after every comma, as in 12,345")
    result = []
    for item in question.choices:
        answered = replace(read, missing=("x",), **dict(item.options))
        assert questions_about(source, sources, answered) == ()
        result.append(describe(source, sources, answered).columns[1].low)
    assert result == [7, 1.234]


@pytest.mark.parametrize("other", ["1,5", "0,234", "1,234,567", "1,234.5"])
def test_commas_are_not_asked_about_where_another_value_says_what_they_are(other):
    sources, source, _ = opened(f"land;people\nA;1,234\nB;12,345\nC;{other}\n")
    read = first_question(source, sources).read
    assert (read.decimal, read.thousands) == ((",", "") if len(other) < 6 else (".", ","))
    assert questions_about(source, sources, read) == ()


def test_words_before_a_colon_below_the_table_are_notes():
    body = "Région;Femmes;Hommes\nBretagne;12;11\nCorse;4;s\nMayotte;5;6\n"
    notes = "Lecture : en 2021, elles sont 12.\nChamp : France.\nSource : Insee.\n"
    _, rows, text, _ = rows_of(body + notes)
    assert len(rows) == 3
    assert text == ["3 lines below the table are no records: left out."]
    _, rows, _, _ = rows_of(body + "Total: 3;21;23\n", skip_end=0)
    assert len(rows) == 4


def test_a_note_without_blanks_between_words_is_left_out():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["都道府県", "男女", "令和5年"], ["北海道", "男", 3], ["北海道", "女", 4]):
        sheet.append(row)
    sheet.append(["岩手県", "女", 8])
    sheet.append(["資料：総務省統計局「人口推計」"])
    content = io.BytesIO()
    book.save(content)
    _, rows, text, _ = rows_of(content.getvalue(), "t.xlsx")
    assert len(rows) == 3
    assert text == ["1 line below the table is no record: left out."]


def test_a_last_record_of_one_value_may_be_left_out_by_a_click():
    text = "land,sex,n\nA,F,3\nB,M,5\nC,F,4\nZimbabwe,,\n"
    _, rows, message, offered = rows_of(text)
    assert (len(rows), message) == (4, [])
    assert offered == ["Leave out the last record: it is called 'Zimbabwe'"]
    assert rows_of(text.replace("Zimbabwe,,", "Zimbabwe,M,"))[3] == []


def test_a_total_above_lines_that_are_left_out_by_choice_is_still_told():
    text = "ward;sex;n;rate\nA;F;3;1,5\nB;M;5;2,5\nC;M;4;2,0\nTotal;;12;2,1\nnot; for\ncounts\n"
    left = {"skip_end": 2}
    _, rows, _, _ = rows_of(text, **left)
    assert len(rows) == 4
    sources, source, _ = opened(text, **left)
    (question,) = questions_about(source, sources, ReadOptions(**left))
    assert question.sentence == "1 row may be a total of others, but counts as a record: 'Total'."
    read = ReadOptions(**left, **dict(question.choices[0].options))
    assert sources.open(source, (), read).rows == 3


def test_a_legend_with_another_delimiter_below_notes_is_left_out():
    text = (
        '"Tabela 6403 - População"\n"Unidade";"Sexo";"2021"\n"Acre";"Homens";"12"\n'
        '"Acre";"Mulheres";"13"\n"Bahia";"Homens";"X"\n"Fonte: IBGE"\n\n"Legenda"\n'
        '"Símbolo","Significado"\n"-","Zero; absoluto"\n"X","Valor inibido."\n'
    )
    columns, rows, message, _ = rows_of(text)
    assert (columns, len(rows)) == (("Unidade", "Sexo", "2021"), 3)
    assert message[-1] == "Nothing from line 6 on is a record: left out."
    long = text + '"Y","Valor"\n' * 60  # as long as a table: not left out
    with pytest.raises(ReadingError, match="text after a closing quote in line 9"):
        opened(long)


def test_joined_names_do_not_reach_over_a_trailing_delimiter():
    text = "GEO_ID,B01,\nGeography,Total,\nA1,4,\nA2,5,\nA3,9,\nA4,2,\n"
    columns, _, message, _ = rows_of(text, header=(1, 2))
    assert columns == ("GEO_ID · Geography", "B01 · Total")
    assert message == ["Column 3 has no name and no value: left out."]


def test_counts_beside_row_numbers_are_asked_about():
    cells = [(c, s, v) for c in ("1st", "2nd", "Crew") for s in "MF" for v in ("No", "Yes")]
    lines = [f'"{i}","{c}","{s}","{v}",{7 * i}\n' for i, (c, s, v) in enumerate(cells, 1)]
    text = '"","Class","Sex","Survived","Freq"\n' + "".join(lines)
    sources, source, _ = opened(text)
    (question,) = questions_about(source, sources)
    assert [item.label for item in question.choices] == ["Count by Freq", "Each row is one record"]
    twice = text + lines[0].replace('"1"', '"13"')
    sources, source, _ = opened(twice)
    assert questions_about(source, sources) == ()


def test_a_first_code_of_a_single_column_is_asked_about():
    codes = "".join(f"202208{i % 3}F{i:05}\n" for i in range(30))
    assert choices(codes)["The columns have no names"] == {"header": (0,)}
    assert rows_of("code2022\n" + codes)[0] == ("code2022",)


@pytest.mark.parametrize(
    "mark",
    [
        *("[c]", "[low]", "!", "n.d.", "nd", "Suppressed", "#NULO#"),
        *("·", "..C", "( )", "#DIV/0!", "#VALUE!", "#NAME?"),
    ],
)
def test_marks_of_suppressed_numbers_are_offered(mark):
    text = f"area,n\nA,4\nB,{mark}\nC,7\nD,{mark}\nE,9\n"
    sources, source, _ = opened(text)
    (result,) = present_marks(source, sources)
    assert (result.word, result.records) == (mark, 2)
    assert present_marks(*reversed(opened(text.replace("7", "seven"))[:2])) in ((), (result,))


def test_japanese_text_of_windows_is_offered_as_shift_jis():
    text = "項目,値\n①東京㈱,3\n②大阪～,4\n"
    result = choices(text.encode("cp932"))
    (label,) = [item for item in result if "Shift JIS" in item]
    columns, rows, _, _ = rows_of(text.encode("cp932"), **result[label])
    assert (columns, rows[0]) == (("項目", "値"), ("①東京㈱", "3"))


def test_padded_numbers_beside_marks_need_no_mark_of_thousands():
    text = 'id;"n"\n' + "".join(f'a;"{item:>8}"\n' for item in ("3", ".", "12", "4.5", "."))
    sources, source, _ = opened(text)
    assert first_question(source, sources).read == ReadOptions()


def test_a_first_code_that_is_longer_or_shorter_than_others_is_asked_about():
    codes = "".join(f"202208{i % 3}F{i:03}{('01', '  ')[i % 2]}\n" for i in range(30))
    assert choices(codes)["The columns have no names"] == {"header": (0,)}


@pytest.mark.parametrize("fields", [2, 3])
def test_a_title_with_commas_above_words_is_asked_about(fields):
    title = ", ".join(["Staff by sex", "area", "2024"][:fields])
    body = ["sex,area,band", *(f"{'FM'[i % 2]},{'NS'[i % 2]},b{i % 3}" for i in range(6))]
    text = "\n".join([title, *(",".join(item.split(",")[:fields]) for item in body)]) + "\n"
    columns, rows, _, _ = rows_of(text, **choices(text)["Names in line 2"])
    assert (columns[:2], len(rows)) == (("sex", "area"), 6)
    spaced = "name, town\nAnn,Ulm\nBob,Ulm\nCy,Bonn\nDi,Bonn\nEd,Ulm\n"
    assert rows_of(spaced)[0] == ("name", "town")


ALIGNED = """Labor force by state, 2023
(thousands of persons)

State               Employed   Unemployed    Rate
Alabama              2,234.1         51.2     2.3
New York             9,312.0        402.7     4.1
North Carolina       5,044.3        180.9     3.5
Rhode Island           511.7         21.0     3.5

Source: Bureau of Labor Statistics
"""


@pytest.mark.parametrize(
    ("text", "columns", "second", "records"),
    [
        (
            ALIGNED,
            ("State", "Employed", "Unemployed", "Rate"),
            ("New York", "9312", "402.7", "4.1"),
            4,
        ),
        (
            "id  name            dose\n1   Ann Lee           10\n2   Bob             2000\n"
            "3   Cy de la Cruz     15\n",
            ("id", "name", "dose"),
            ("2", "Bob", "2000"),
            3,
        ),
    ],
)
def test_columns_of_fixed_widths_are_read_by_a_click(text, columns, second, records):
    with pytest.raises(ReadingError, match="seems to have columns of fixed widths") as caught:
        opened(text)
    options = dict(caught.value.choices[0].options)
    assert options == {"delimiter": "aligned"}
    assert caught.value.choices[0].setting == "--read delimiter=aligned"
    result, rows, _, _ = rows_of(text, **options)
    assert (result, rows[1], len(rows)) == (columns, second, records)


def test_a_value_that_reaches_over_a_gap_is_asked_about_with_its_line():
    text = "id   name    n\n" + "".join(f"{i:<5}Ann    {i:>2}\n" for i in range(10, 99)) * 4
    wide = "4    Dorothea Ann Smith 9\n"
    with pytest.raises(ReadingError, match="has 1 field in line 358"):
        opened(f"{text}{wide}99   Di     1\n", delimiter="aligned")
    with pytest.raises(InvalidInputError, match="no blanks below each other"):
        opened("a b\nc d\n", delimiter="aligned")


def test_codes_without_separators_say_what_helps():
    text = "".join(f"2022{i:02}F{i * 37:04}\n" for i in range(12))
    sources, source, _ = opened(text, header=(0,))
    assert "Its lines have 11 characters each" in sources.uploads[source].repairs[-1].sentence


def test_prose_does_not_look_like_a_table():
    with pytest.raises(ReadingError, match="does not look like a table: 2 of its first 3 lines"):
        opened("Dear all,\n\nplease find the minutes below.\nBest, Ann\n")


def test_zip_codes_are_no_numbers_and_padded_numbers_are():
    codes = "".join(f"{zip},{i:07}\n" for i, zip in enumerate(("02139", "94110", "10001")))
    sources, source, _ = opened(f"zip,items\n{codes}")
    assert [item.numeric for item in describe(source, sources).columns] == [False, True]


def test_a_block_of_short_lines_below_a_note_is_left_out():
    notes = "Fonte: MS/SVS\nNotas:\nDados preliminares\n20230831 08:30\n"
    columns, rows, text, _ = rows_of(f"area;m;f;n\nA;1;2;3\nB;4;5;9\nC;1;1;2\n{notes}")
    assert (columns, len(rows)) == (("area", "m", "f", "n"), 3)
    assert text == ["4 lines below the table are no records: left out."]


def test_numbers_of_columns_below_the_names_are_left_out():
    text = "No.,State,Cars\n(1),(2),(3)\n1,Goa,12\n2,Kerala,40\n3,Punjab,31\n"
    columns, rows, message, _ = rows_of(text)
    assert (columns, rows[0], len(rows)) == (("No.", "State", "Cars"), ("1", "Goa", "12"), 3)
    assert message == ["Line 2, numbers of columns below the names, was left out."]


def test_a_row_of_units_above_two_records_is_asked_about():
    result = choices(";men;women\n;number;number\n2021;40;41\n2022;42;43\n")
    assert "Names in line 1, leave out the line below" in result


def test_groups_of_two_digits_are_thousands_as_in_india():
    _, rows, _, _ = rows_of('state,n\nGoa,"8,02,635"\nBihar,"67,46,461"\nDelhi,"1,234"\n')
    assert [row[1] for row in rows] == ["802635", "6746461", "1234"]


@pytest.mark.parametrize("mark", ["－", "−", "Ⅹ"])
def test_marks_of_full_width_are_offered(mark):
    sources, source, _ = opened(f"a,n\nx,1200\ny,{mark}\nz,33\n")
    assert [item.word for item in present_marks(source, sources)] == [mark]


STATES = "".join(
    f"{land};{sex};{age};{n};{n + 9};{i},5;/\n"
    for i, land in enumerate(("Hessen", "Bayern"), 1)
    for n, sex, age in ((40, "m", "jung"), (50, "m", "alt"), (60, "w", "jung"), (70, "w", "alt"))
)


def test_lines_of_names_above_the_records_are_joined_without_the_first_record():
    head = ";;;Anzahl;Anzahl;Prozent;Prozent\n;;;2022;2023;2022;2023\nLand;Sex;Alter;;;;\n"
    result = choices(f"Tabelle: 63211\n{head}{STATES}")["Join lines 2, 3 and 4"]
    names, rows, _, _ = rows_of(f"Tabelle: 63211\n{head}{STATES}", **result)
    assert names[:5] == ("Land", "Sex", "Alter", "Anzahl · 2022", "Anzahl · 2023")
    assert (len(rows), rows[0][:3]) == (8, ("Hessen", "m", "jung"))


def test_a_title_with_commas_above_notes_and_names_is_asked_about():
    notes = "One table.,,,\nSource: the office,,,\n"
    text = "Code,Area,Deaths,Rate\n" + "".join(
        f"E{i},{area},{n},{mark}\n"
        for i, (area, n, mark) in enumerate(
            [("Bath", 12, "9.1"), ("York", "[c]", "[z]"), ("Hull", 31, "8.0"), ("Ely", 17, "7.7")]
        )
    )
    result = choices(f"Table 3: Deaths by area, England, Wales, 2023\n{notes}{text}")
    assert result["The names are in line 4"] == {"header": (4,)}
    heading = text.replace("E1,York", "North,,,\nE1,York")  # a group of records is no second table
    assert rows_of(heading)[0] == ("Code", "Area", "Deaths", "Rate")


def test_lines_of_years_and_units_below_repeated_names_are_asked_about():
    units = ";;2022;2023;2022;2023\n;;[os];[os];[os];[os]\n"
    rows = "".join(
        f"0{i}00;{item};{50 + i};{60 + i};{20 + i};{30 + i}\n" for i, item in enumerate("ABC")
    )
    result = choices(f"Kod;Nazwa;all;all;men;men\n{units}{rows}")["Join lines 1, 2 and 3"]
    names, _, _, _ = rows_of(f"Kod;Nazwa;all;all;men;men\n{units}{rows}", **result)
    assert names[2:4] == ("all · 2022 · [os]", "all · 2023 · [os]")
    assert len(rows_of("name;from;to\n;2019;2020\nA;2018;2019\nB;2017;2021\n")[1]) == 3


def asked_to_count(text, **options):
    """Return the first choice about what rows stand for, and the records that it counts."""
    sources, source, _ = opened(text)
    read = first_question(source, sources, ReadOptions(**options)).read
    (item,) = questions_about(source, sources, read)
    chosen = replace(read, **dict(item.choices[0].options))
    return item.choices[0].label, sources.open(source, (), chosen), sources, source, chosen


PEOPLE = [(area, sex, year) for area in "AB" for sex in "FM" for year in (2022, 2023)]


@pytest.mark.parametrize("mark", ["..", "", "-"])
def test_counts_of_which_some_are_not_published_are_asked_about(mark):
    rows = "".join(
        f"{area},{sex},{year},v{i},{mark if i == 3 else 10 + i},{'x' * (i == 3)}\n"
        for i, (area, sex, year) in enumerate(PEOPLE)
    )
    label, *_, sources, source, read = asked_to_count(f"geo,sex,year,vector,VALUE,STATUS\n{rows}")
    assert label == "Count by VALUE" + (f", except for {mark!r}" if mark == ".." else "")
    assert sources.records(source, read).rows == sum(10 + i for i in range(8)) - 13


def test_counts_with_marks_of_thousands_and_others_are_asked_about():
    rows = "".join(
        f"{area};{sex};{year};{('***', '-')[i // 4] if i % 4 == 3 else f'{10 + i},{100 + i}'}\n"
        for i, (area, sex, year) in enumerate(PEOPLE)
    )
    label, *_, sources, source, read = asked_to_count(f"geo;sex;year;value\n{rows}", thousands=",")
    assert (label, read.thousands) == ("Count by value, except for '***' and '-'", ",")
    assert sources.records(source, read).rows == sum(
        1000 * (10 + i) + 100 + i for i in range(8) if i % 4 != 3
    )


def test_usual_marks_beside_others_count_nothing_in_a_cross_table():
    text = "town,2019,2020\n" + "".join(
        f"{item},{90 + i},{70 + i}\n" for i, item in enumerate("ABCD")
    )
    label, *_, sources, source, read = asked_to_count(text.replace("72", "-").replace("93", "..."))
    assert label == "Each cell counts records, except for '-' and '...'"
    assert sources.records(source, read).rows == 90 + 91 + 92 + 70 + 71 + 73


def test_totals_with_apostrophes_for_thousands_are_left_out():
    text = "Kanton;Frauen\nUri;18'120\nZug;61’300\nJura;37'000\nTotal;116'420\n"
    assert rows_of(text)[2] == ["Line 5 is the total: left out."]
