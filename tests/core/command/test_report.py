"""The command that writes a report: what the file holds, and what is refused."""

import json
import re
import sys

import pytest

from core.__main__ import main
from core.command import report as command
from core.scenario import Scenario, evaluate
from pages.ui.report.document import NAMELESS
from tests.core.records.makers import people, write

SCENARIO = Scenario(notion="lip", eps=0.5, mechanism="watchdog")
LARGEST = 6_000_000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenario.json").write_text(SCENARIO.to_json(), encoding="utf-8")
    return tmp_path


def figures(text):
    """Return the charts that a report draws."""
    (result,) = re.findall(r"const FIGURES = (\[.*?\]);\n", text, re.S)
    return json.loads(result)


def test_the_example_of_the_help_runs(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["report", "--help"])
    assert ended.value.code == 0
    reported = capsys.readouterr().out
    (content,) = re.findall(r"\$ cat scenario.json\n(.*?)\n(?=  \$)", reported, re.S)
    (folder / "scenario.json").write_text(content, encoding="utf-8")
    (line,) = re.findall(r"\$ python -m core (.*)", reported)
    assert main(line.split()) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Written: 'report.html'" in captured.err
    assert (folder / "report.html").stat().st_size < LARGEST


def test_it_holds_the_answer_its_charts_and_how_to_get_it_again(folder):
    assert main(["report", "scenario.json", "r.html", "--lines", "own"]) == 0
    text = (folder / "r.html").read_text(encoding="utf-8")
    result = evaluate(SCENARIO)
    drawn = figures(text)
    assert len(drawn) == 7
    line = next(item for item in drawn[0]["data"] if item.get("name") == "Watchdog")
    assert len(line["x"]) == 32
    cells = [
        value for item in drawn[2]["data"] if "z" in item for row in item["z"] for value in row
    ]
    assert pytest.approx(sorted(cells), abs=1e-3) == sorted(result.mechanism.kernel.ravel())
    assert f"{result.mechanism.nmi:.1%}" in text
    assert "00fe" not in json.dumps(drawn)
    assert text.count("<math") >= 5
    assert "http" not in re.sub(r"<script>.*?</script>", "", text, flags=re.S).replace(
        "http-equiv", ""
    )
    assert "Scenario" in text or "DataSpec" in text
    assert json.loads(SCENARIO.to_json())["notion"] in text


KINDS = {
    "the funnel": ({"notion": "average_mi", "eps": 0.05, "mechanism": "optimal"}, "I(S;Y) ≤ 0.05"),
    "several notions": (
        {"notion": "lip", "eps": 0.5, "also": [{"notion": "ldp", "eps": 0.6}]},
        "0.5-LIP and 0.6-LDP",
    ),
    "a task": ({"notion": "lip", "eps": 0.3, "purpose": "task"}, "0.3-LIP"),
    "a guess": ({"notion": "lip", "eps": 0.3, "purpose": "guess"}, "0.3-LIP"),
    "a robust notion": ({"notion": "robust_ldp", "eps": 1.0}, "1-RLDP for S – X – Y"),
    "exceptions": ({"notion": "lip_delta", "eps": 0.2, "delta": 0.1}, "0.2-LIP"),
    "S beside X": ({"notion": "rldp", "eps": 1.0, "mechanism": "polyopt"}, "1-RLDP"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_on_a_file_has_a_report(kind, folder):
    changes, promise = KINDS[kind]
    columns = people(80)
    columns["town"] = [("a", "b", "c")[len(town) % 3] for town in columns["town"]]
    columns["income"] = [("low", "high")[town == "a"] for town in columns["town"]]
    write(columns, folder / "people.csv")
    data = {"source": "people.csv", "secret": ["sex"], "released": ["town"], "task": ["income"]}
    data["secret_released"] = kind == "S beside X"
    request = {"data": data, "time_limit": 1.0} | changes
    (folder / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    own = kind != "a robust notion"  # whose optima take a second each
    assert main(["report", "scenario.json", "r.html", "--lines", "own" if own else "none"]) == 0
    path = folder / "r.html"
    assert path.stat().st_size < LARGEST
    text = path.read_text(encoding="utf-8")
    body = text[: text.index("<script>")]
    assert "people.csv: 80 records" in body
    assert promise in body
    for title in ("What this notion implies", "Repeated releases"):
        assert f"<h2>{title}</h2>" in body
    drawn = figures(text)
    assert len(drawn) == 6 + own
    if not own:
        return
    (line, *_) = [item for item in drawn[0]["data"] if len(item.get("x", ())) > 9]
    kept = [value for value in line["y"] if value is not None]
    assert kept == sorted(kept)
    assert 0 <= kept[0] <= kept[-1] <= 1.0 + 1e-6


def test_labels_are_text_in_every_part(folder):
    columns = people(60)
    evil = "</script><img src=x onerror=alert(1)>"
    columns["town"] = [evil if town == "Köln" else town for town in columns["town"]]
    write(columns, folder / "people.csv")
    request = {"data": {"source": "people.csv", "secret": ["sex"], "released": ["town"]}}
    (folder / "scenario.json").write_text(
        json.dumps(request | {"mechanism": "watchdog"}), encoding="utf-8"
    )
    assert main(["report", "scenario.json", "r.html", "--lines", "none"]) == 0
    text = (folder / "r.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "&lt;img src=x" in text
    assert text.count("<script>") == text.count("</script>") == 2
    assert len(figures(text)) == 6


def test_symbols_that_are_left_out_of_a_file_are_not_named(folder):
    columns = people(60)
    towns = ("Bonn", "Ulm", "Trier", "vanished-a", "vanished-b")
    columns["town"] = [towns[i // 2 % 5] for i in range(60)]
    columns["sex"][6] = "vanished-c"  # an S of a record left out
    write(columns, folder / "people.csv")
    gone = {"columns": ["town"], "names": ["vanished-a", "vanished-b", "vanished-d"]}
    merge = {"columns": ["town"], "names": ["Bonn", "Ulm", "vanished-b"]}
    data = {"source": "people.csv", "secret": ["sex"], "released": ["town"], "left_out": [gone]}
    request = {"data": data | {"merges": [merge]}, "mechanism": "watchdog"}
    (folder / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    assert main(["report", "scenario.json", "r.html", "--lines", "none"]) == 0
    text = (folder / "r.html").read_text(encoding="utf-8")
    assert "of 60 records" in text
    assert "left out with symbols of &#x27;town&#x27;." in text
    assert NAMELESS in text
    assert "Bonn" in text
    assert "vanished" not in text


def test_what_is_refused_leaves_no_file(folder, capsys):
    assert main(["report", "scenario.json", "nowhere/r.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err
    (folder / "scenario.json").write_text(
        Scenario(notion="rldp", mechanism="watchdog").to_json(), encoding="utf-8"
    )
    assert main(["report", "scenario.json", "r.html"]) == 2
    assert [path.name for path in folder.iterdir()] == ["scenario.json"]


def test_another_file_than_the_scenarios_is_refused(folder, capsys):
    write(people(30), folder / "people.csv")
    request = {"data": {"source": "upload:" + "0" * 64, "secret": ["sex"], "released": ["town"]}}
    (folder / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    assert main(["report", "scenario.json", "r.html", "--data", "people.csv"]) == 2
    assert "another file, or a changed one" in capsys.readouterr().err


def test_lines_are_the_mechanisms_that_keep_the_promise():
    result = command.lines(evaluate(SCENARIO), alone=False)
    keys = [line.mechanism for line in result]
    assert keys[0] == "watchdog"
    assert set(keys) == set(command.COMPARED)
    assert command.lines(evaluate(Scenario(notion="guess", mechanism="optimal"))) == ()


def test_without_the_dashboard_it_is_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "WRITER", "no_such_package.report.report")
    request = tmp_path / "asked.json"
    request.write_text('{"mechanism": "watchdog"}', encoding="utf-8")
    assert main(["report", str(request), str(tmp_path / "report.html")]) == 2
    assert "the dashboard is not installed here: `python" in capsys.readouterr().err
    assert "no_such_package" not in sys.modules


def test_a_report_is_not_written_over_what_it_is_made_of(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = {"source": "people.csv", "secret": ["sex"], "released": ["job"]}
    request = json.dumps({"data": data, "mechanism": "watchdog"})
    (tmp_path / "scenario.json").write_text(request, encoding="utf-8")
    (tmp_path / "people.csv").write_text("sex,job\nf,a\nf,b\nm,b\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for line in ("people.csv", "scenario.json", "own.csv --data own.csv"):
        assert main(["report", "scenario.json", *line.split()]) == 2
        assert "is used twice: write to another file." in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
