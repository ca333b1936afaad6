import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.scenario import Scenario, evaluate


def test_evaluate_prints_the_answer_as_json(tmp_path, capsys):
    scenario = Scenario(notion="lip", eps=0.4, mechanism="watchdog")
    path = tmp_path / "scenario.json"
    path.write_text(scenario.to_json(), encoding="utf-8")
    assert main(["evaluate", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    result = evaluate(scenario)
    assert printed["mechanism"]["utility"] == result.mechanism.utility
    assert printed["mechanism"]["kernel"] == result.mechanism.kernel.tolist()
    assert printed["audit"] == {
        "asked": "0.4-LIP",
        "achieved": result.mechanism.audit.achieved,
        "holds": True,
    }
    assert printed["scenario"]["notion"] == "lip"


def test_infinite_levels_are_valid_json(tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_text(
        '{"mechanism": "identity", "data": {"source": "adult", "secret_released": true}}',
        encoding="utf-8",
    )
    assert main(["evaluate", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["after"]["lip"] == "inf"
    assert printed["audit"] is None


def test_datasets_lists_what_is_bundled(capsys):
    assert main(["datasets"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("adult")
    assert "32,561" in printed
    assert "CC BY 4.0" in printed


@pytest.mark.parametrize("text", [None, "{", '{"eps": -1}'])
def test_a_bad_scenario_is_one_sentence_and_exit_status_2(text, tmp_path, capsys):
    path = tmp_path / "scenario.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main(["evaluate", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'\xff{"eps": 1}', "cannot be read"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"mechanism": []}', "mechanism must be one of"),
        (b'{"data": {"source": "random:uniform:%b:1"}}' % (b"9" * 5000), "A random joint is"),
    ],
)
def test_a_scenario_that_is_none_is_refused_in_one_sentence(content, sentence, tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_bytes(content)
    assert main(["evaluate", str(path)]) == 2
    reported = capsys.readouterr().err
    assert sentence in reported
    assert reported.count("\n") == 1


def test_a_path_that_no_file_can_have_is_refused(capsys):
    assert main(["evaluate", "a\0b"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_scenario_may_begin_with_a_byte_order_mark(tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_bytes(b'\xef\xbb\xbf{"mechanism": "constant"}')
    assert main(["evaluate", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["mechanism"]["name"] == "Constant"


def test_columns_beside_y_are_counted_each_and_together(tmp_path, capsys):
    path = tmp_path / "scenario.json"
    path.write_text('{"mechanism": "watchdog"}', encoding="utf-8")
    assert main(["evaluate", str(path), "--keep", "relationship", "race"]) == 0
    beside = json.loads(capsys.readouterr().out)["beside"]
    assert list(beside["each"]) == beside["columns"] == ["relationship", "race"]
    assert round(np.exp(beside["each"]["relationship"]["known"]["lip"])) == 4364
    assert beside["holds"] is False
    assert main(["evaluate", str(path), "--keep", "sex"]) == 2
    assert "'sex' is S itself" in capsys.readouterr().err
    path.write_text('{"data": {"source": "random:uniform:3x4:1"}}', encoding="utf-8")
    assert main(["evaluate", str(path), "--keep", "age"]) == 2
    assert "with no columns to keep next to Y." in capsys.readouterr().err


PROJECT = """{"columns": [
  {"name": "first", "scenario": {"notion": "lip", "mechanism": "watchdog"}},
  {"scenario": {"notion": "ldp", "mechanism": "watchdog"}, "note": "why"}
]}"""


def test_compare_prints_columns_and_their_differences(tmp_path, capsys):
    path = tmp_path / "project.json"
    path.write_text(PROJECT, encoding="utf-8")
    assert main(["compare", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["first", "LDP,", "Watchdog"]
    kept = evaluate(Scenario(notion="lip", mechanism="watchdog")).mechanism.kept
    reported = next(line for line in lines if line.startswith("Share kept"))
    assert f" {100 * kept:.1f}%" in reported


def test_compare_prints_json(tmp_path, capsys):
    path = tmp_path / "project.json"
    path.write_text(PROJECT, encoding="utf-8")
    assert main(["compare", "--json", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [column["note"] for column in printed["columns"]] == ["", "why"]
    result = evaluate(Scenario(notion="ldp", mechanism="watchdog"))
    assert printed["columns"][1]["answer"]["mechanism"]["kernel"] == (
        result.mechanism.kernel.tolist()
    )
    assert printed["columns"][1]["levels"]["ldp"] == result.after.achieved["ldp"]


def test_questions_may_be_about_files(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = "sex,job\n" + "f,a\nf,b\nf,a\nm,b\nm,b\nm,a\n" * 3
    (tmp_path / "people.csv").write_text(people, encoding="utf-8")
    data = {"source": "people.csv", "secret": ["sex"], "released": ["job"]}
    request = {"data": data, "mechanism": "watchdog"}
    columns = {"columns": [{"name": "own", "scenario": request}, {"scenario": {}}]}
    (tmp_path / "project.json").write_text(json.dumps(columns), encoding="utf-8")
    assert main(["compare", "--json", "project.json"]) == 0
    printed = capsys.readouterr().out
    answers = [item["answer"] for item in json.loads(printed)["columns"]]
    assert [item["n"] for item in answers] == [18, 32_561]
    named = [item["scenario"]["data"]["source"] for item in answers]
    assert named == ["people.csv", "adult"]  # not by a hash that tests guesses of the file
    assert hashlib.sha256(people.encode()).hexdigest() not in printed
    data["source"] = "adult"
    (tmp_path / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    assert main(["evaluate", "scenario.json", "--data", "people.csv"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["n"] == 18
    assert printed["scenario"]["data"]["source"] == "people.csv"
    (tmp_path / "again.json").write_text(json.dumps(printed["scenario"]), encoding="utf-8")
    assert main(["evaluate", "again.json"]) == 0
    assert json.loads(capsys.readouterr().out)["mechanism"] == printed["mechanism"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "The project file "),
        ("{", "The project is not valid JSON"),
        ('{"columns": []}', "one scenario or more"),
        ('{"columns": [{"scenario": {"eps": 90}}]}', "Column 1: eps must be in [0, 50], got 90."),
        ('{"columns": [{"name": "a", "scenario": {"notion": "rldp"}}]}', "a: RLDP protects S"),
    ],
)
def test_a_bad_project_is_one_sentence_and_exit_status_2(text, sentence, tmp_path, capsys):
    path = tmp_path / "project.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main(["compare", str(path)]) == 2
    reported = capsys.readouterr().err
    assert reported.startswith(sentence) or sentence in reported
    assert reported.count("\n") == 1


def test_the_example_of_compare_runs(tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        main(["compare", "--help"])
    assert ended.value.code == 0
    reported = capsys.readouterr().out
    written, command = re.search(r"cat project.json\n(.*?)\n *\$ (.*)", reported, re.S).groups()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project.json").write_text(written, encoding="utf-8")
    assert command.strip() == "python -m core compare project.json"
    assert main(command.split()[3:]) == 0
    assert capsys.readouterr().out.split()[:2] == ["LIP", "LDP"]


def test_rows_that_stand_for_several_records_are_counted_as_such(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "ward,sex,Freq\nA,F,40\nA,M,93\nB,F,80\nB,M,45\n"
    Path("wards.csv").write_text(rows, encoding="utf-8")
    data = {"source": "wards.csv", "secret": ["sex"], "released": ["ward"]}
    Path("scenario.json").write_text(json.dumps({"data": data, "mechanism": "watchdog"}))
    assert main(["evaluate", "scenario.json", "--read", "weight=Freq"]) == 0
    assert "wards.csv: 258 records in 4 rows.\n" in capsys.readouterr().err
