"""A release of a file that is read as its question says: made, certified and verified by it."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from core.data import ColumnOptions, DataSpec, ReadOptions, Sources
from core.records.certificate import make
from core.records.design import designed, original
from core.records.draws import Seeded
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate
from tests.core.records.makers import SEED, keeping

LINES = "née;lohn;kind\n" + "01.02.1990;1.000,5;ja\n05.07.1991;2,5;nein\n31.12.1990;k. A.;ja\n" * 40

READ = ReadOptions(
    "windows-1252",
    ";",
    ",",
    ".",
    ("k. A.",),
    (ColumnOptions("née", "date", "dmy", "year"), ColumnOptions("kind", "boolean")),
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "löhne.csv"
    path.write_bytes(LINES.encode("cp1252"))
    return path


def question(source):
    data = DataSpec(source, ("kind",), ("née", "lohn"), read=READ)
    return Scenario(data=data, notion="ldp", eps=1.0, mechanism="watchdog")


def test_a_release_of_a_file_read_otherwise_verifies(tmp_path, file):
    sources = Sources()
    request = question(str(file))
    made = designed(request.to_json(), file, sources)
    assert made.same
    assert set(made.result.joint.x_labels) == {"1990 · 1000.5", "1991 · 2.5", "1990 · (missing)"}
    assert original(made.result.scenario.data.source, sources, READ) == made.upload
    target = tmp_path / "out.csv"
    body = make(made.result, made.upload, keeping(Seeded(SEED)), target).certificate
    assert json.loads(json.dumps(body))["scenario"]["data"]["read"] == READ.to_dict()
    answer = verify(json.dumps(body), target, file, str(SEED))
    assert failed(list(answer)) == []
    data = next(item for item in answer if item.name == "data")
    assert "because the scenario has reading options" in data.sentence
    body["scenario"]["data"]["read"] = replace(READ, missing=()).to_dict()
    assert failed(list(verify(json.dumps(body), target, file, str(SEED))))


def test_other_records_may_lack_a_column_that_is_read_otherwise(tmp_path, file):
    records = tmp_path / "new.csv"
    records.write_bytes("née;lohn\n01.02.1990;2,5\n".encode("cp1252"))
    request = Scenario(
        data=DataSpec(secret=("kind",), released=("née",), read=READ),
        notion="ldp",
        eps=1.0,
        mechanism="watchdog",
    )
    made = designed(request.to_json(), records, Sources(), design=file)
    assert not made.same
    assert made.upload.table.columns == ("née", "lohn")
    assert made.upload.rows == 1


def test_the_command_line_reads_as_the_scenario_says(tmp_path, file):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(question(str(file)).to_json(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "core", "evaluate", str(scenario)],
        capture_output=True,
        check=True,
        timeout=300,
    )
    text = json.loads(done.stdout)
    sources = Sources()
    source = sources.add_file(file, ReadOptions("windows-1252", ";"))
    expected = evaluate(question(source), sources)
    assert text["mechanism"]["information"] == pytest.approx(expected.mechanism.information)
    bad = replace(READ, columns=(ColumnOptions("née", "date", "mdy"),))
    request = question(str(file))
    request = replace(request, data=replace(request.data, read=bad))
    scenario.write_text(request.to_json(), encoding="utf-8")
    failed_run = subprocess.run(
        [sys.executable, "-m", "core", "evaluate", str(scenario)],
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert failed_run.returncode == 2
    assert "record 3 (line 4) has '31.12.1990': use a date" in failed_run.stderr.decode()
