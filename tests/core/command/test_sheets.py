"""Of a workbook with several sheets each command says which one it reads."""

import json

import pytest
from openpyxl import Workbook

from core.__main__ import main

NOTICE = "people.xlsx: Sheet “first” is read; “second” is not: choose another sheet.\n"
COMMANDS = [
    "evaluate scenario.json",
    "compare project.json",
    "report scenario.json report.html --lines none",
    "sweep sweep.json --out points.parquet --workers 1",
    "release scenario.json people.xlsx out.csv --seed 5",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = Workbook()
    book.active.title = "first"
    for name, rows in (("first", ["fa", "fb", "ma", "ma"]), ("second", ["fa", "mb"])):
        sheet = book[name] if name == "first" else book.create_sheet(name)
        for row in (["sex", "town"], *rows):
            sheet.append(list(row))
    book.save("people.xlsx")
    data = {"source": "people.xlsx", "secret": ["sex"], "released": ["town"]}
    request = {"data": data, "notion": "lip", "eps": 0.3, "mechanism": "watchdog"}
    (tmp_path / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    project = {"columns": [{"name": name, "scenario": request} for name in "ab"]}
    (tmp_path / "project.json").write_text(json.dumps(project), encoding="utf-8")
    sweep = {"scenario": request, "vary": {"eps": [0.1, 0.3]}}
    (tmp_path / "sweep.json").write_text(json.dumps(sweep), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_a_workbook_of_several_sheets_is_told_once(line, capsys):
    assert main(line.split()) == 0
    assert capsys.readouterr().err.count(NOTICE) == 1


def test_a_workbook_of_one_sheet_is_read_without_a_word(folder, capsys):
    book = Workbook()
    for row in (["sex", "town"], *["fa", "fb", "ma", "ma"]):
        book.active.append(list(row))
    book.save(folder / "people.xlsx")
    assert main(["evaluate", "scenario.json"]) == 0
    assert "heet" not in capsys.readouterr().err
