import json
import re
import shlex

import duckdb
import numpy as np
import pandas as pd
import pytest

from core.__main__ import main
from core.data.catalogue import FOLDER
from core.scenario import Scenario
from tests.core.records.makers import SEED, people, read, write

SCENARIO = '{"data": {"secret": ["sex"], "released": ["town"]}, "notion": "lip", "eps": 0.3}'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenario.json").write_text(SCENARIO, encoding="utf-8")
    write(people(500), tmp_path / "people.csv")
    return tmp_path


def run(line):
    return main(["release", *shlex.split(line)])


def test_the_example_of_the_help_runs(tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        main(["release", "--help"])
    assert ended.value.code == 0
    reported = capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"\$ cat (\S+)\n(.*?)\n(?=  \$)", reported, re.S):
        text = "\n".join(line[2:] for line in content.splitlines()) + "\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    (command,) = re.findall(r"\$ python -m core (.*)", reported.replace("\\\n", " "))
    assert main(command.split()) == 0
    result = read(tmp_path / "released.csv")
    assert list(result) == ["job", "town"]
    assert result["town"] == ["A", "B", "A", "A", "B", "A"]
    assert capsys.readouterr().out == ""
    assert json.loads((tmp_path / "certificate.json").read_text())["released"]["records"] == 6


def test_a_release_is_said_on_standard_error_alone(folder, capsys):
    assert run(f"scenario.json people.csv out.parquet --seed {2**70}") == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "500 records of 500 in 'out.parquet', Y in the column 'town'." in captured.err
    assert "small" not in captured.err
    assert "attack" not in captured.err  # nothing is beside Y
    assert len(read(folder / "out.parquet")["town"]) == 500


def test_records_of_the_same_person_are_said_before_all_else(folder, capsys):
    frame = pd.read_csv(folder / "people.csv", dtype=str, keep_default_na=False)
    frame.assign(who=np.arange(500) // 3).to_csv(folder / "visits.csv", index=False)
    rest = f"out.csv --seed {2**70} --read person=who"
    assert run(f"scenario.json visits.csv {rest}") == 0
    first, second = capsys.readouterr().err.strip().splitlines()
    assert first.startswith("Up to 3 records a person: a promise for one record is not one for a")
    assert "500 records of 500" in second
    assert run(f"scenario.json visits.csv {rest} --read first=true") == 0
    assert "Up to" not in (text := capsys.readouterr().err)
    assert "167 records of 167" in text


@pytest.mark.slow
def test_columns_are_randomized_for_themselves_and_verified(folder, capsys):
    line = f"scenario.json people.csv out.csv --seed {SEED} --certificate c.json"
    assert run(f"{line} --randomize note --keep age") == 0
    reported = capsys.readouterr().err
    assert re.search(r"Y in the columns '(town|note)' and '(town|note)'\.", reported)
    assert (
        len(re.findall(r"'(?:town|note)': ε = \S+, which keeps \d+% of its inform", reported)) == 2
    )
    assert list(read(folder / "out.csv")) == ["town", "age", "note"]
    body = json.loads((folder / "c.json").read_text())
    assert sum(column["eps"] for column in body["columns"]) == pytest.approx(0.3)
    assert main(["verify", *shlex.split(f"c.json out.csv people.csv --seed {SEED}")]) == 0
    assert "FAILS" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        ("--randomize sex", "'sex' is S already"),
        ("--randomize note --keep note", "'note' is X itself"),
        ("--randomize note --unknown drop", "records with unknown values stop the release"),
    ],
)
def test_columns_that_cannot_be_randomized_are_one_sentence(rest, sentence, folder, capsys):
    assert run(f"scenario.json people.csv out.csv --seed {SEED} {rest}") == 2
    assert sentence in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


@pytest.mark.slow
def test_a_mechanism_for_each_known_value_is_released_and_verified(folder, capsys):
    scenario = json.loads((folder / "scenario.json").read_text())
    scenario["data"]["known"] = ["note"]
    (folder / "known.json").write_text(json.dumps(scenario))
    line = f"known.json people.csv out.csv --seed {SEED} --certificate c.json"
    assert run(f"{line} --for-each 50 --keep note") == 0
    reported = capsys.readouterr().err
    assert re.search(r"for each of 3 groups of 'note': together they keep \d+% of", reported)
    assert list(read(folder / "out.csv")) == ["town", "note"]
    body = json.loads((folder / "c.json").read_text())
    assert [group["values"] for group in body["groups"]] != []
    assert main(["verify", *shlex.split(f"c.json out.csv people.csv --seed {SEED}")]) == 0
    assert "FAILS" not in capsys.readouterr().out
    assert run(f"{line.replace('known', 'scenario')} --for-each 50") == 2
    assert "the question must say what others know" in capsys.readouterr().err


def test_columns_are_kept_and_known_by_their_names(folder, capsys):
    line = f"scenario.json people.csv out.csv --seed {SEED} --certificate c.json"
    assert run(f"{line} --keep note age --known id") == 0
    assert list(read(folder / "out.csv")) == ["town", "age", "note"]
    body = json.loads((folder / "c.json").read_text())
    assert body["released"]["treatment"] == "chosen"
    assert body["beside"]["columns"] == ["age", "note"]
    assert body["beside"]["known"] == ["id"]
    reported = capsys.readouterr().err
    assert "What a reader has next to Y determines sex" in reported
    assert "No two records have the same values" in reported
    assert "An attack that learns from other records guesses sex right for" in reported
    assert "of 500 records from Y and these 3 columns, compared with" in reported
    assert main(["verify", "c.json", "out.csv", "people.csv", "--seed", str(SEED)]) == 0
    assert "holds        beside: Recomputed with the same result" in capsys.readouterr().out


def test_all_columns_may_still_be_kept_at_once(folder, capsys):
    hint = "Add --certificate FILE to count what {} may reveal about sex."
    assert run("scenario.json people.csv out.csv --seed 5 --columns replaced") == 0
    assert list(read(folder / "out.csv")) == ["id", "town", "age", "note"]
    assert hint.format("'id', 'age' and 'note'") in capsys.readouterr().err
    assert run("scenario.json people.csv out.csv --seed 5 --known id") == 0
    assert list(read(folder / "out.csv")) == ["town"]
    assert hint.format("'id'") in capsys.readouterr().err
    assert run("scenario.json people.csv out.csv --seed 5") == 0
    assert "--certificate" not in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_small_seed_is_warned_of(capsys):
    assert run("scenario.json people.csv out.csv --seed 1") == 0
    assert "small enough to guess" in capsys.readouterr().err


def test_the_design_may_be_a_table_of_a_data_base(folder, capsys):
    with duckdb.connect(str(folder / "own.db")) as base:
        base.execute("CREATE TABLE people AS SELECT sex, town FROM read_csv('people.csv')")
    data = {"source": f"duckdb://{folder}/own.db#people", "secret": ["sex"], "released": ["town"]}
    request = {"data": data, "notion": "lip", "eps": 0.3}
    (folder / "base.json").write_text(json.dumps(request), encoding="utf-8")
    assert run("base.json people.csv out.csv --seed 8 --certificate c.json") == 0
    assert f"(made for people in duckdb://{folder}/own.db)" in capsys.readouterr().err
    assert run("scenario.json people.csv same.csv --seed 8") == 0  # counts, and so the mechanism
    assert (folder / "out.csv").read_bytes() == (folder / "same.csv").read_bytes()


def test_the_records_that_a_mechanism_is_made_for_are_not_written_over(folder, capsys):
    write(people(300, seed=2), folder / "design.csv")
    before = (folder / "design.csv").read_bytes()
    data = {"source": "design.csv", "secret": ["sex"], "released": ["town"]}
    (folder / "named.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    assert run("named.json people.csv design.csv --seed 8") == 2
    assert "'design.csv' is used twice" in capsys.readouterr().err
    assert (folder / "design.csv").read_bytes() == before


def test_the_same_seed_gives_the_same_bytes(folder):
    assert run("scenario.json people.csv a.csv --seed 5") == 0
    assert run("scenario.json people.csv b.csv --seed 5") == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_a_bundled_set_is_released_from_its_file(folder, capsys):
    (folder / "adult.json").write_text(Scenario(mechanism="watchdog").to_json(), encoding="utf-8")
    adult = FOLDER / "adult_train.parquet"
    assert run(f"adult.json {adult} out.parquet --seed 5") == 0
    assert "made for" not in capsys.readouterr().err
    assert len(read(folder / "out.parquet")["occupation"]) == 32_561
    other = FOLDER / "adult_test.parquet"
    assert run(f"adult.json {other} out.parquet --seed 5") == 0
    assert "made for Adult" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["adult", "adult_all"])
def test_a_bundled_set_is_named_by_its_key(key, folder, capsys):
    request = {"data": {"source": key}, "mechanism": "watchdog"}
    (folder / "asked.json").write_text(json.dumps(request), encoding="utf-8")
    assert run(f"asked.json {key} out.parquet --seed {SEED} --certificate c.json") == 0
    assert "made for" not in capsys.readouterr().err
    rows = {"adult": 32_561, "adult_all": 48_842}[key]
    assert len(read(folder / "out.parquet")["occupation"]) == rows
    assert main(["verify", "c.json", "out.parquet", key, "--seed", str(SEED), "--json"]) == 0
    assert all(item["passed"] for item in json.loads(capsys.readouterr().out))


def test_a_mechanism_for_other_records_is_applied_to_fresh_ones(folder, capsys):
    write(people(50, seed=9), folder / "fresh.csv")
    assert run("scenario.json fresh.csv out.csv --seed 5 --design people.csv") == 0
    assert "(made for people.csv): 50 records of 50" in capsys.readouterr().err
    named = json.loads(SCENARIO)
    named["data"]["source"] = "people.csv"
    (folder / "named.json").write_text(json.dumps(named), encoding="utf-8")
    assert run("named.json fresh.csv again.csv --seed 5") == 0
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_unknown_values_are_left_out_and_told(folder, capsys):
    columns = people(50)
    columns["town"][7] = "Ys"
    write(columns, folder / "fresh.csv")
    line = "scenario.json fresh.csv out.csv --seed 5 --design people.csv"
    assert run(line) == 2
    assert "'Ys' (1 record)" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()
    assert run(f"{line} --unknown drop") == 0
    assert "1 record with the unknown value 'Ys': left out." in capsys.readouterr().err
    assert run(f"{line} --unknown Köln") == 0
    assert "taken as 'Köln'" in capsys.readouterr().err


def test_a_key_answers_the_same_way_twice(folder):
    (folder / "key").write_bytes(b"0123456789abcdef")
    assert run("scenario.json people.csv a.csv --key key --id id") == 0
    assert run("scenario.json people.csv b.csv --key key --id id") == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("scenario.json people.csv out.csv --seed x", "whole number of at least 0, got 'x'"),
        ("scenario.json people.csv out.csv", "Give a seed (--seed N) or a key"),
        ("scenario.json people.csv out.csv --seed 1 --key k", "not both"),
        (
            "scenario.json people.csv out.csv --key k",
            "with a unique id for each record (--id COLUMN)",
        ),
        ("scenario.json people.csv out.csv --key k --id id", "key file 'k' cannot be read"),
        ("scenario.json people.csv out.csv --seed 1 --id id", "goes with a key"),
        ("scenario.json none.csv out.csv --seed 1", "There is no file 'none.csv'"),
        ("none.json people.csv out.csv --seed 1", "scenario file 'none.json' cannot be read"),
        ("scenario.json people.csv no/out.csv --seed 1", "'no/out.csv' cannot be written"),
        ("scenario.json people.csv out.doc --seed 1", "must end in .parquet, .csv or .tsv"),
        ("scenario.json people.csv people.csv --seed 1", "is used twice"),
        ("other.json people.csv out.csv --seed 1", "people.csv has no column 'job'"),
        ("moved.json people.csv out.csv --seed 1", "another file or a changed one"),
        ("drawn.json people.csv out.csv --seed 1", "a joint distribution without columns"),
        ("adult.json people.csv out.csv --seed 1", "people.csv has no such column"),
        ("scenario.json empty.csv out.csv --seed 1", "empty.csv is empty"),
        ("scenario.json header.csv out.csv --seed 1", "column names but no records"),
        ("scenario.json one.csv out.csv --seed 1", "only one level"),
        ("scenario.json people.csv out.csv --seed 1 --columns x", "columns must be one of"),
        ("scenario.json people.csv out.csv --seed 1 --keep sex", "'sex' is S itself"),
        ("scenario.json people.csv out.csv --seed 1 --known town", "'town' is X itself"),
        ("scenario.json people.csv out.csv --seed 1 --keep job", "no column 'job'"),
        (
            "scenario.json people.csv out.csv --seed 1 --keep age --columns kept",
            "Name columns to keep only if",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(line, sentence, folder, capsys):
    scenarios = {
        "other": {"data": {"secret": ["sex"], "released": ["job"]}},
        "moved": {"data": {"source": "upload:" + "0" * 64}},
        "drawn": {"data": {"source": "random:uniform:3x4:1"}},
        "adult": {"mechanism": "watchdog", "data": {"source": "adult"}},
    }
    for name, content in scenarios.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("sex,town\n")
    (folder / "one.csv").write_text("sex,town\nf,a\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run(line) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1 + captured.err.count("\n  --read ")  # what is offered
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_file_that_changes_while_it_is_read_is_told(folder, capsys, monkeypatch):
    from core.command import release

    stamps = iter([(1, 1), (1, 2)])
    monkeypatch.setattr(release, "_stamp", lambda _: next(stamps))
    assert run("scenario.json people.csv out.csv --seed 1") == 2
    assert "changed while it was read" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_an_interrupt_leaves_nothing_and_has_its_own_status(folder, capsys, monkeypatch):
    from core.command import release

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(release, "write_release", interrupted)
    assert run("scenario.json people.csv out.csv --seed 1") == 3
    assert "Run the same command again" in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "scenario.json"]


@pytest.mark.usefixtures("folder")
def test_progress_is_told_ten_times_at_most(capsys, monkeypatch):
    from core.records import applying

    monkeypatch.setattr(
        "core.records.certificate.write",
        lambda *a, **k: applying.write(*a, **k, batch=10),
    )
    assert run("scenario.json people.csv out.csv --seed 1") == 0
    reported = [line for line in capsys.readouterr().err.splitlines() if "of 500 records" in line]
    assert reported[0] == "50 of 500 records"
    assert len(reported) == 9
