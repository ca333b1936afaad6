"""The kinds of files of docs/data.md, by name: each gives the right table, at once or by clicks.

`python -m pytest tests/core/data/readers/test_kinds.py -v` names each kind with its result. Each
has a mirror image, which looks alike and stays as it is.
"""

import io
from dataclasses import dataclass, replace
from itertools import product

import pytest
from openpyxl import Workbook

from core.data import ReadOptions, Sources, count, first_rows, present_marks
from core.data.joints import parse_matrix
from core.data.readers.describe import recognised
from core.data.readers.doubts import questions_about
from core.data.spec import DataSpec, Merge
from core.errors import ReadingError


@dataclass(frozen=True)
class Kind:
    """A file, the labels of what is clicked, and the table: names, and rows as one text each.

    `sentence`: a part of a repair or a question that the page shows. `marks`: texts that
    are offered as marks of missing values, and chosen. `records`: how many there are, where rows
    stand for several.
    """

    content: str | bytes
    names: str
    rows: str
    sentence: str = ""
    clicks: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    records: int | None = None
    file: str = "t.csv"


@dataclass
class Reader:
    """A file, read step by step as the page reads it."""

    kind: Kind

    def __post_init__(self):
        content = self.kind.content
        self.content = content.encode() if isinstance(content, str) else content
        self.sources = Sources()
        self.read, self.sentences = ReadOptions(), []
        for label in self.kind.clicks:
            offered = self.offered()
            assert label in offered, (label, *offered)
            self.read = replace(self.read, **offered[label])
        self.offered()

    def offered(self):
        """Return what is offered by its label, and keep what is said."""
        try:
            self.source = self.sources.add_bytes(self.content, self.kind.file, self.read.layout)
        except ReadingError as error:
            self.sentences.append(str(error))
            return {choice.label: dict(choice.options) for choice in error.choices}
        upload = self.sources.uploads[self.source]
        if not self.read.of_values:
            self.read = recognised(self.source, self.sources, self.read)
        questions = questions_about(self.source, self.sources, self.read)
        self.sentences += [repair.sentence for repair in upload.repairs]
        self.sentences += [question.sentence for question in questions]
        choices = [*upload.hints, *(choice for item in questions for choice in item.choices)]
        return {choice.label: dict(choice.options) for choice in choices}

    def table(self):
        table = first_rows(self.source, self.sources, self.read, 50)
        cells = (["·" if cell == "(missing)" else cell for cell in row] for row in table.rows)
        return "|".join(table.columns), [" ".join(row) for row in cells]


def workbook(*sheets, hidden="", merged=(), padded=()):
    """Return a workbook of sheets, each a name and rows."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name == hidden else "visible"
        for area in merged:
            sheet.merge_cells(area)
        for place in padded:
            sheet[place].number_format = "00000"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def counted(names, value):
    """Return a table of years, sexes and outcomes, with a value for each."""
    rows = product(("2022", "2023"), "FM", ("home", "away"))
    return names + "".join(f"{y},{s},{o},{value(i)}\n" for i, (y, s, o) in enumerate(rows))


STAYS = "region;sex;stay\nNord;F;4,5\nSud;M;6,1\nEst;F;3,9\n"
OF_STAYS = ("region|sex|stay", "Nord F 4.5/Sud M 6.1/Est F 3.9")
SHIFTS = "sex,age,shift\nF,31,day\nM,45,night\n"
OF_SHIFTS = ("sex|age|shift", "F 31 day/M 45 night/F 39 day")
WARDS = "ward,sex\nA,F\nA,M\nB,F\n"
OF_WARDS = ("ward|sex", "A F/A M/B F")
BEDS = [["ward", "sex"], ["A", "F"], ["A", "M"], ["B", "F"]]
LEAVE = "Leave out everything from line 6 on"
DATED = "2022 F home/2022 F away/2022 M home/2022 M away/2023 F home/2023 F away/2023 M home"
PROVISIONAL = "area,n\nA,1234 p\nB,1302\nC,998\nD,1410\n"

KINDS = {
    "dimensions joined by commas": Kind(
        "freq,sex,geo\\TIME\t2021 \t2022 \nA,F,AT\t41.2 \t40.8 b \nA,F,BE\t: \t39.5 \n"
        "A,M,AT\t52.3 \t51.9 \nA,M,BE\t50.1 \t50.6 \n",
        "freq,sex,geo\\TIME|2021|2022",
        "A,F,AT 41.2 40.8/A,F,BE · 39.5/A,M,AT 52.3 51.9/A,M,BE 50.1 50.6",
        "as in 40.8 b",
        ("Read 40.8 b as 40.8",),
        (":",),
    ),
    "title lines above the names": Kind(
        f"Stays, by region\nSource: the office, 2024\n\n{STAYS}", *OF_STAYS, "2 lines above"
    ),
    "no names": Kind(
        "41,Public,Male\n29,Private,Female\n53,Private,Male\n",
        "column 1|column 2|column 3",
        "41 Public Male/29 Private Female/53 Private Male",
        "may hold the names or be a record",
        ("The columns have no names",),
    ),
    "names again in mid-file": Kind(
        f"{SHIFTS}sex,age,shift\nF,39,day\n", *OF_SHIFTS, "repeats the names: left out"
    ),
    "several rows of names": Kind(
        "region;2020;;2021;\n;men;women;men;women\nNord;4;5;6;7\nSud;1;2;3;4\nEst;1;1;2;3\n",
        "region|2020 · men|2020 · women|2021 · men|2021 · women",
        "Nord 4 5 6 7/Sud 1 2 3 4/Est 1 1 2 3",
        "names",
        ("Join lines 1 and 2",),
    ),
    "questions and codes below the names": Kind(
        "Q1,Q2,Q3\nWhat is your sex?,How old are you?,How tall are you?\nQID1,QID2,QID3\n"
        "F,31,170\nM,45,180\nF,28,165\nM,30,177\n",
        "Q1|Q2|Q3",
        "F 31 170/M 45 180/F 28 165/M 30 177",
        "may hold names, questions or units",
        ("Names in line 1, leave out the 2 lines below",),
    ),
    "names that fill the gaps of those above": Kind(
        "day,town,by,,cost\n,,,,\n,,air,rail,\n1.4.12,Leeds,,£5,5\n2.4.12,York,£7,,7\n"
        "3.4.12,Bath,,£4,4\n",
        "day|town|by · air|by · rail|cost",
        "1.4.12 Leeds · £5 5/2.4.12 York £7 · 7/3.4.12 Bath · £4 4",
        "line 3 may hold names, questions or units",
        ("Join lines 1 and 3",),
    ),
    "lines about the table": Kind(
        "Title,Growth\nCDID,IHYP\nUnit,%\nRelease date,12-02-2024\nNotes,\n"
        "1949,4.2\n1950,3.3\n1951,3.7\n1951 Q1,1.5\n1951 Q2,..\n",
        "column 1|column 2",
        "1949 4.2/1950 3.3/1951 3.7/1951 Q1 1.5/1951 Q2 ..",
        "lines 1 to 5 may be about the table",
        ("Leave them out, the columns have no names",),
    ),
    "trailing delimiters": Kind(
        STAYS.replace("\n", ";\n"), *OF_STAYS, "has no name and no value: left out"
    ),
    "unnamed and repeated names": Kind(
        "id,n,,n\na,1,x,2\nb,3,y,4\n",
        "id|n|column 3|n (2)",
        "a 1 x 2/b 3 y 4",
        "Another column 'n' is called 'n (2)'.",
    ),
    "short records": Kind(
        "a,b,c\n1,2,3\n1,2\n5,6,7\n9,9,9\n", "a|b|c", "1 2 3/1 2 ·/5 6 7/9 9 9", "is too short"
    ),
    "codes with underscores": Kind(
        "sex,band\nF,5_17\nM,18_24\nF,1_23\n", "sex|band", "F 5_17/M 18_24/F 1_23"
    ),
    "thousands written with points": Kind(
        "land;people\nA;1.234\nB;12.345\nC;7.001\n",
        "land|people",
        "A 1234/B 12345/C 7001",
        "may be thousands or decimals",
        ("7.001 is 7001",),
    ),
    "several sentinels": Kind(
        "pay,drinks\n410,2\n365,77\n7777,0\n380,99\n9999,1\n402,3\n390,2\n371,1\n",
        "pay|drinks",
        "410 2/365 ·/· 0/380 ·/· 1/402 3/390 2/371 1",
        marks=("77", "99", "7777", "9999"),
    ),
    "suppressed cells": Kind(
        "area,n\nA,4\nB,*\nC,7\nD,..\nE,<5\n",
        "area|n",
        "A 4/B ·/C 7/D ·/E ·",
        marks=("*", "..", "<5"),
    ),
    "figures followed by a mark": Kind(
        PROVISIONAL,
        "area|n",
        "A 1234/B 1302/C 998/D 1410",
        "some followed by a mark, as in 1234 p",
        ("Read 1234 p as 1234",),
    ),
    "rows that stand for several records": Kind(
        counted("year,sex,outcome,Freq\n", lambda i: 7 * i),
        "year|sex|outcome",
        f"{DATED.partition('/')[2]}/2023 M away",
        "may count the records that a row stands for",
        ("Count by Freq",),
        records=196,
    ),
    "fractional counts": Kind(
        counted("year,sex,outcome,Freq\n", lambda i: 7 * i + 1.5),
        "year|sex|outcome|Freq",
        "/".join(f"{row} {7 * i + 1.5}" for i, row in enumerate(f"{DATED}/2023 M away".split("/"))),
        "may count the records that a row stands for",
        ("Weight by Freq (not all whole numbers)",),
    ),
    "blanks that mean as above": Kind(
        "region,sex,stay\nNord,F,4.5\n,M,6.1\nSud,F,3.9\n,M,5.2\n",
        "region|sex|stay",
        "Nord F 4.5/Nord M 6.1/Sud F 3.9/Sud M 5.2",
        "These may stand for the value above",
        ("Fill blanks from above",),
    ),
    "quoted by apostrophes": Kind(
        "sex,job\n'F','nurse, old'\n'M','clerk'\n'F','it''s'\n",
        "sex|job",
        "F nurse, old/M clerk/F it's",
        "Fields are in apostrophes.",
    ),
    "backslash as escape": Kind(
        'sex,job\n"F","a \\"big\\" one, yes"\n"M","clerk"\n',
        "sex|job",
        'F a "big" one, yes/M clerk',
        "A backslash marks a quote",
    ),
    "comma and blank as delimiter": Kind(
        'sex, job, n\n"F", "nurse, old", 1\n"M", "clerk", 2\n',
        "sex|job|n",
        "F nurse, old 1/M clerk 2",
    ),
    "totals": Kind(
        "area,sex,stay\nA,F,3\nA,M,5\nB,F,8\nB,M,4\nTotal,,20\n",
        "area|sex|stay",
        "A F 3/A M 5/B F 8/B M 4",
        "Line 6 is the total: left out.",
    ),
    "notes below": Kind(f"{STAYS}\nSource: the office\n* revised\n", *OF_STAYS, "2 lines below"),
    "a second table below": Kind(
        f"{STAYS}\nward;beds;floor\nA;12;1\nB;14;2\n",
        *OF_STAYS,
        "line 6 may begin another table",
        (LEAVE,),
    ),
    "another encoding": Kind(
        "région,sexe\nCôte,h\nÎle,f\n".encode("mac-roman"),
        "région|sexe",
        "Côte h/Île f",
        clicks=("Read it as Mac Roman: région",),
    ),
    "workbook: a hidden first sheet": Kind(
        workbook(("codes", [["code", "meaning"], ["1", "x"]]), ("data", BEDS), hidden="codes"),
        *OF_WARDS,
    ),
    "workbook: the table on another sheet": Kind(
        workbook(("About", [["by hand"], ["2024"]]), ("data", BEDS)),
        *OF_WARDS,
        "'About' of t.csv has a single column",
        ("Read sheet 'data'",),
    ),
    "workbook: merged cells": Kind(
        workbook(("a", [BEDS[0], BEDS[1], [None, "M"], BEDS[3]]), merged=["A2:A3"]),
        *OF_WARDS,
        "1 empty cell inside merged cells: filled with their value.",
    ),
    "workbook: formulas without results": Kind(
        workbook(("a", [[*BEDS[0], "n"], ["A", "F", "=1+1"], ["A", "M", "=2+2"]])),
        "ward|sex|n",
        "A F ·/A M ·",
        "2 formulas have no stored result",
    ),
    "workbook: zeros by a format": Kind(
        workbook(("a", [["zip", "sex"], [2134, "F"], [90210, "M"]]), padded=["A2", "A3"]),
        "zip|sex",
        "02134 F/90210 M",
    ),
    "a web page called .xls": Kind(
        "<html><table><tr><td>ward<td>sex<tr><td>A<td>F<tr><td>A<td>M<tr><td>B<td>F</table></html>",
        *OF_WARDS,
        "It has a workbook's name, but is a web page",
        file="t.xls",
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_is_read_right_at_once_or_by_its_clicks(kind):
    reader = Reader(kind)
    if kind.marks:
        offered = {mark.word for mark in present_marks(reader.source, reader.sources, reader.read)}
        assert offered >= set(kind.marks)
        reader.read = replace(reader.read, missing=kind.marks)
    assert reader.table() == (kind.names, kind.rows.split("/"))
    assert not kind.sentence or any(kind.sentence in text for text in reader.sentences)
    if kind.records is not None:
        assert reader.sources.records(reader.source, reader.read).rows == kind.records


MIRRORS = {
    "a column of commas within tabs": "a,b\tn\nx,y\t1\nz,w\t2\nx,w\t3\n",
    "a first record like a title": "title,n\nThe annual report of the office,3\nb,4\nc,5\n",
    "names that are years": "geo,2019,2020\na,0.1,0.2\nb,1.1,1.2\nc,2.1,2.2\n",
    "a cell that is a name": "sex,age\nsex,31\nF,45\nM,38\n",
    "a rare record": "sex,age,job\nF,unknown,cook\n" + "F,30,nurse\nM,41,clerk\n" * 2,
    "a named column without values": "sex,job,x\nF,nurse,\nM,clerk,\nF,cook,\n",
    "names with underscores": "a_1,b_2\nx,1\ny,2\n",
    "decimals of three digits": "land,share\nA,1.234\nB,0.345\nC,7.001\n",
    "ages 77 and 88 in a nursing home": "sex,age\nF,77\nM,88\nF,81\nM,79\nF,91\nM,85\n",
    "a column of true x": "sex,mark\nF,x\nM,y\nF,x\nM,z\n",
    "codes such as 2A": "dep,stay\n01,3\n2A,4\n2B,4\n03,5\n75,9\n",
    "a level called Total": "kind,n\nPart,3\nTotal,4\nPart,5\nTotal,6\nTotal,3\n",
    "people whose rows repeat": "sex,job,persons\n" + "F,nurse,2\nM,clerk,3\nF,cook,4\n" * 4,
    "a first column with gaps": "job,sex,age\nnurse,F,31\n,M,45\nnurse,M,28\n,F,39\ncook,F,44\n",
    "a code that ends in a letter": "house,sex\n12,F\n12a,M\n14,F\n15,F\n",
    "apostrophes in words": "sex,job\nF,O'Brien\nM,'tis\nF,d'accord\n",
    "a backslash in a path": "id,dir\n1,C:\\\n2,D:\\\n",
    "a pair of settings above words": "sex,job\nF,nurse\nM,clerk\nF,cook\nM,cook\n",
    "blank lines between records": "ward,sex,n\nA,F,3\n\nB,M,5\nA,M,4\n",
}


@pytest.mark.parametrize("text", MIRRORS.values(), ids=MIRRORS)
def test_what_looks_like_a_kind_stays_as_it_is(text):
    reader = Reader(Kind(text, "", ""))
    assert (reader.sentences, reader.read) == ([], ReadOptions())
    delimiter = "\t" if "\t" in text else ","
    names, *rows = (line.split(delimiter) for line in text.splitlines() if line)
    expected = [" ".join(cell or "·" for cell in row) for row in rows]
    assert reader.table() == ("|".join(names), expected)


def test_levels_that_look_alike_are_reported_and_merged_by_a_click():
    text = (
        "sex,town\nMale,Québec\nMale ,Que\u0301bec\nMALE,Québec\nFemale,Lyon\n\u00a0Female,Lyon\n"
    )
    sources = Sources()
    source = sources.add_bytes(text.encode(), "t.csv")
    spec = DataSpec(source, ("sex",), ("town",))
    result = count(spec, sources)
    assert result.joint.s_labels == ("Female", "MALE", "Male")
    assert result.joint.x_labels == ("Lyon", "Québec")
    assert result.report.alike == (("sex", ("MALE", "Male")),)
    merged = replace(spec, merges=(Merge(("sex",), ("MALE", "Male")),))
    assert count(merged, sources).joint.s_labels == ("Female", "MALE or Male")


def test_a_value_in_two_spellings_is_one_level():
    sources = Sources()
    source = sources.add_bytes(b"flag,n\nTRUE,1\nTrue,1.0\ntrue,1\nfalse,2\nFALSE,2.0\n", "t.csv")
    joint = count(DataSpec(source, ("flag",), ("n",)), sources).joint
    assert (joint.s_labels, joint.x_labels) == (("false", "true"), ("1", "2"))


def test_a_pasted_table_has_names_in_its_corner_and_totals_are_left_out():
    source = parse_matrix("sex\t2021\t2022\tTotal\nF\t30\t10\t40\nM\t10\t30\t40\nTotal\t40\t40\t80")
    assert (source.s_labels, source.x_labels) == (("F", "M"), ("2021", "2022"))
    assert source.weights.tolist() == [[30, 10], [10, 30]]


def test_a_count_column_of_a_long_table_is_asked_about():
    names = "year,ward,sex,cases\n"
    cells = product(range(2000, 2015), range(200), "FM")
    text = names + "".join(f"{y},w{w},{s},{i % 97}\n" for i, (y, w, s) in enumerate(cells))
    reader = Reader(Kind(text, "", "", clicks=("Count by cases",)))
    assert "occurs once in the first 5,000 rows" in reader.sentences[0]
    people = names + "".join(f"{i % 9},w{i % 20},{'FM'[i % 2]},{i % 5}\n" for i in range(6_000))
    assert Reader(Kind(people, "", "")).sentences == []
