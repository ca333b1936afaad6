"""The command that runs sweeps: what it writes, what it refuses, and how it stops."""

import hashlib
import json
import math
import os
import re
import shlex
import subprocess
import sys

import duckdb
import pytest
from pyarrow import parquet

from core.__main__ import main
from core.command import sweep as command
from core.command.common import REPORTED, UNFINISHED
from core.data import joints
from core.data.catalogue import FOLDER
from core.scenario import Scenario, evaluate
from core.sweep import PoolWorkers, Sweep, read, summary
from tests.core.records.makers import people, write
from tests.core.sweep.clusters import ROOT
from tests.core.sweep.makers import LARGE, SWEEP, Here


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIFTSCOPE_SCHEDULER", raising=False)
    (tmp_path / "sweep.json").write_text(SWEEP.to_json(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def here(monkeypatch):
    """Compute in this process; return the workers."""
    made = Here()
    monkeypatch.setattr(command, "Pool", lambda size: Nothing(size, made))
    monkeypatch.setattr(command, "PoolWorkers", lambda pool: pool.workers)
    return made


class Nothing:
    def __init__(self, size, workers):
        self.workers = workers
        workers.processes = size

    def kill(self):
        pass

    close = kill


def run(line):
    return main(["sweep", *shlex.split(line)])


def test_the_example_of_the_help_runs(folder, capsys, here):
    with pytest.raises(SystemExit) as ended:
        main(["sweep", "--help"])
    assert ended.value.code == 0
    reported = capsys.readouterr().out
    ((name, content),) = re.findall(r"\$ cat (\S+)\n(.*?)\n(?=  \$)", reported, re.S)
    (folder / name).write_text(content, encoding="utf-8")
    (line,) = re.findall(r"\$ python -m core (.*)", reported.replace("\\\n", " "))
    assert main(line.split()) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0] == "320 points: 2 mechanisms × 8 budgets × 20 draws."
    assert lines[-1] == "320 points in 'results.parquet'."
    table, sweep = read(folder / "results.parquet")
    assert table.num_rows == 320
    means = json.loads((folder / "means.json").read_text())
    assert len(means["summary"]) == 16 * len(sweep.measures)
    assert means["summary"][0]["mean"] == summary(table, sweep)[0]["mean"]
    assert {row["than"] for row in means["differences"]} == {"watchdog"}
    assert here.computed == [1, 0]


def test_the_size_is_told_before_anything_is_computed(folder, capsys):
    assert run("sweep.json --estimate") == 0
    assert capsys.readouterr().err == (
        "48 points: 2 mechanisms × 2 budgets × 12 draws.\n"
        "Searches take at most 240 s on one processor.\n"
    )
    request = {"vary": {"eps": [0.5, 1]}, "random": {"draws": 500_000_000, "n_s": 5, "n_x": 17}}
    (folder / "large.json").write_text(json.dumps(request))
    assert run("large.json --out out.parquet") == 2
    reported = capsys.readouterr().err
    assert "has 1,000,000,000 points (2 budgets × 500,000,000 draws)" in reported
    assert reported.count("\n") == 1
    assert not (folder / "out.parquet.parts").exists()


def test_a_file_of_records_is_counted_and_known_by_its_content(folder, capsys, here):
    write(people(200), folder / "people.csv")
    request = {
        "scenario": {"mechanism": "watchdog", "notion": "lip"},
        "vary": {
            "data": [
                {"source": "people.csv", "secret": ["sex"], "released": ["town"]},
                {"source": "adult", "secret": ["sex"], "released": ["race"]},
            ],
            "eps": [0.2, 0.4],
        },
        "measures": ["kept"],
    }
    (folder / "files.json").write_text(json.dumps(request))
    assert run("files.json --out out.parquet --summary out.json") == 0
    table, sweep = read(folder / "out.parquet")
    assert sweep.questions[0].data.source == "people.csv"
    assert table["source"].to_pylist() == ["people.csv"] * 2 + ["adult"] * 2
    question = Scenario(sweep.questions[2].data, notion="lip", eps=0.2, mechanism="watchdog")
    assert table["kept"][2].as_py() == evaluate(question).mechanism.kept
    row = json.loads((folder / "out.json").read_text())["summary"][0]
    assert (row["n"], row["error"]) == (1, None)
    capsys.readouterr()
    here.computed.clear()
    assert run("files.json --out out.parquet") == 0
    assert here.computed == []
    write(people(201), folder / "people.csv")
    assert run("files.json --out out.parquet --resume") == 2
    assert "has the results of other records" in capsys.readouterr().err


def test_no_file_that_a_sweep_writes_has_the_hash_of_the_records(folder, here, monkeypatch):
    path = write(people(200), folder / "people.csv")
    plain = hashlib.sha256(path.read_bytes()).hexdigest()
    data = {"source": "people.csv", "secret": ["sex"], "released": ["town"]}
    request = about("people.csv") | {
        "vary": {"data": [data, {"source": "adult"}], "eps": [0.2, 2.0]}
    }
    (folder / "files.json").write_text(json.dumps(request))
    here.most = 1

    def stopped(*_args, **_more):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(command._Progress, "__call__", stopped)
        assert run("files.json --out out.parquet") == UNFINISHED
    unfinished = sorted(item for item in (folder / "out.parquet.parts").iterdir() if item.is_file())
    assert {item.suffix for item in unfinished} >= {".json", ".parquet"}
    no_hash_in(unfinished, plain)
    for means in ("means.json", "means.parquet"):
        assert run(f"files.json --out out.parquet --resume --summary {means}") == 0
        assert "people.csv" in whole(folder / means)
    no_hash_in([folder / name for name in ("out.parquet", "means.json", "means.parquet")], plain)


def no_hash_in(paths, plain):
    for path in paths:
        assert plain not in whole(path)


def whole(path):
    """Return all that a file says, decoded where it is Parquet."""
    text = path.read_bytes().decode("latin-1")
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        text += f"{table.to_pydict()}{table.schema.metadata}"
    return text


def test_a_file_may_be_what_all_points_share(folder, here):
    request = {
        "scenario": {
            "data": {
                "source": str(FOLDER / "german_credit.parquet"),
                "secret": ["credit"],
                "released": ["job"],
            },
            "mechanism": "watchdog",
        },
        "vary": {"eps": [0.3, 0.6]},
    }
    (folder / "one.json").write_text(json.dumps(request))
    assert run("one.json --out out.parquet --summary out.parquet.parquet --differences eps") == 0
    assert here.computed == [1, 0]
    result = parquet.read_table(folder / "out.parquet.parquet")
    assert result.num_rows == 3 * len(Sweep().measures)
    assert result["than"].to_pylist()[-1] == 0.3


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("none.json --out a.parquet", "sweep file 'none.json' cannot be read"),
        ("sweep.json", "Name the output file"),
        ("sweep.json --out a --workers 0", "--workers must be at least 1"),
        ("sweep.json --out a --summary a.txt", "ends in .json or .parquet"),
        ("sweep.json --out a --differences eps", "part of a summary"),
        ("sweep.json --out a --summary a.json --differences lam", "needs a field that varies"),
        ("sweep.json --out a --front level_lip kept", "A front is part of a summary in JSON"),
        ("sweep.json --out a --summary a.json --front level_rldp kept", "no measure 'level_rldp'"),
        ("sweep.json --out a.parquet --summary a.parquet", "'a.parquet' is used twice"),
        ("sweep.json --out a.json --summary ./a.json", "'a.json' is used twice"),
        ("sweep.json --out a.parquet --summary sweep.json", "'sweep.json' is used twice"),
        ("sweep.json --out ../{here}/sweep.json", "is used twice"),
        ("sweep.json --out none/a.parquet", "cannot be written: no such file"),
    ],
)
def test_what_cannot_be_is_one_sentence(line, sentence, folder, capsys):
    assert run(line.replace("{here}", folder.name)) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err.splitlines()[-1]
    assert captured.out == ""
    assert [path.name for path in folder.iterdir()] == ["sweep.json"]
    assert (folder / "sweep.json").read_text(encoding="utf-8") == SWEEP.to_json()


def about(source):
    data = {"source": source, "secret": ["sex"], "released": ["town"]}
    return {
        "scenario": {"data": data, "notion": "lip", "mechanism": "watchdog"},
        "vary": {"eps": [0.05, 2.0]},
        "measures": ["kept"],
    }


def test_the_records_of_a_sweep_are_not_written_over(folder, capsys):
    write(people(200), folder / "people.parquet")
    before = (folder / "people.parquet").read_bytes()
    (folder / "files.json").write_text(json.dumps(about("people.parquet")))
    for line in ("--out people.parquet", "--out o.parquet --summary people.parquet"):
        assert run(f"files.json {line}") == 2
        assert "'people.parquet' is used twice" in capsys.readouterr().err
    assert (folder / "people.parquet").read_bytes() == before


def test_a_sweep_may_be_about_a_table_of_a_data_base(folder, here):
    write(people(200), folder / "people.csv")
    with duckdb.connect(str(folder / "own.db")) as base:
        base.execute("CREATE TABLE people AS SELECT sex, town FROM read_csv('people.csv')")
    request = about(f"duckdb://{folder}/own.db#people")
    (folder / "base.json").write_text(json.dumps(request))
    assert run("base.json --out out.parquet") == 0
    assert here.computed == [1, 0]
    table, sweep = read(folder / "out.parquet")
    expected = [evaluate(question).mechanism.kept for question in sweep.questions]
    assert table["kept"].to_pylist() == expected
    (folder / "file.json").write_text(json.dumps(about("people.csv")))
    assert run("file.json --out file.parquet") == 0
    assert read(folder / "file.parquet")[0]["kept"].to_pylist() == expected
    assert expected[0] < expected[1]


def test_a_table_that_has_changed_since_is_not_gone_on_with(folder, here, capsys):  # noqa: ARG001
    write(people(200), folder / "people.csv")
    with duckdb.connect(str(folder / "own.db")) as base:
        base.execute("CREATE TABLE people AS SELECT sex, town FROM read_csv('people.csv')")
    (folder / "base.json").write_text(json.dumps(about(f"duckdb://{folder}/own.db#people")))
    assert run("base.json --out out.parquet") == 0
    before = (folder / "out.parquet").read_bytes()
    assert run("base.json --out out.parquet --resume") == 0  # nothing has changed
    with duckdb.connect(str(folder / "own.db")) as base:
        base.execute("INSERT INTO people SELECT * FROM people LIMIT 1")
    capsys.readouterr()
    assert run("base.json --out out.parquet --resume") == 2
    assert "'out.parquet' has the results of other records" in capsys.readouterr().err
    assert (folder / "out.parquet").read_bytes() == before


DEGENERATE = {
    "scenario": {"eps": 0.5},
    "vary": {"mechanism": ["watchdog"]},
    "random": {"law": "dirichlet0.01", "n_s": 2, "n_x": 3, "draws": 60, "seed": 1},
    "measures": ["kept", "level_lip"],
}


def test_draws_without_an_answer_do_not_end_a_sweep(folder, here):  # noqa: ARG001
    (folder / "draws.json").write_text(json.dumps(DEGENERATE))
    assert run("draws.json --out out.parquet") == 0
    table, sweep = read(folder / "out.parquet")
    for number, row in enumerate(table.to_pylist()):
        alone = joints.drawn(sweep.draws.spec(number).source.partition(":")[2]).weights.shape
        assert (1 in alone) == (" has only one level" in row["reason"]) == math.isnan(row["kept"])
    assert 0 < sum(reason != "" for reason in table["reason"].to_pylist()) < 60


def test_lost_points_are_told_and_can_be_resumed(folder, capsys, here):
    here.failing = {3}
    assert run("sweep.json --out out.parquet --workers 3") == 3
    reported = capsys.readouterr().err
    assert "1 point could not be computed: The worker process died" in reported
    assert "47 of 48 points are kept in 'out.parquet.parts': the same command" in reported
    assert here.processes == 3
    here.failing = ()
    assert run("sweep.json --out out.parquet") == 2
    assert "continue with --resume" in capsys.readouterr().err
    here.computed.clear()
    assert run("sweep.json --out out.parquet --resume") == 0
    assert here.computed == [3]
    assert [path.name for path in sorted(folder.iterdir())] == ["out.parquet", "sweep.json"]


def test_a_front_has_the_questions_that_no_other_dominates(folder, capsys, here):  # noqa: ARG001
    line = "sweep.json --out out.parquet --summary out.json --front"
    assert run(f"{line} level_average_mi kept") == 0
    result = json.loads((folder / "out.json").read_text())["front"]
    means = {
        (item["question"], item["measure"]): item["mean"] for item in summary(*read_both(folder))
    }
    points = [(means[q, "level_average_mi"], means[q, "kept"]) for q in range(4)]
    best = [
        q
        for q, (cost, gain) in enumerate(points)
        if not any(c <= cost and g >= gain and (c, g) != (cost, gain) for c, g in points)
    ]
    assert [item["question"] for item in result] == sorted(best, key=lambda q: points[q])
    assert run(f"{line} kept kept") == 2
    assert "in this order" in capsys.readouterr().err


def read_both(folder):
    return read(folder / "out.parquet")


def test_progress_is_told_with_what_is_left(folder, capsys, here):  # noqa: ARG001
    assert run("sweep.json --out out.parquet") == 0
    reported = re.findall(r"(\d+) of 48 points, about [\d,]+ s left", capsys.readouterr().err)
    assert 3 <= len(reported) <= REPORTED
    assert list(map(int, reported)) == sorted(map(int, reported))


INTERRUPTED = """
import os, signal, sys
from core.__main__ import main
from core.sweep import Results

flush = Results.flush

def interrupted(self):
    flush(self)
    if self._written:
        Results.flush = flush
        os.killpg(0, signal.SIGINT)

Results.flush = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored below a job with "&"
sys.exit(main(sys.argv[1:]))
"""
"""A command that gets Ctrl-C as soon as it has written points, its workers as well."""


def test_ctrl_c_writes_what_there_is_and_says_how_to_go_on(folder):
    (folder / "large.json").write_text(LARGE.to_json(), encoding="utf-8")
    options = ["large.json", "--out", "out.parquet", "--workers", "1"]
    client = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, "sweep", *options],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _, reported = client.communicate()
    assert client.returncode == 3
    assert "Traceback" not in reported
    last = reported.splitlines()[-1]
    result = re.fullmatch(
        r"(\d+) of 400 points are kept in 'out\.parquet\.parts': the same command with --resume "
        r"continues\.",
        last,
    )
    assert result, reported
    assert 0 < int(result[1]) < 400


def test_processes_are_as_many_as_there_are_processors():
    assert command._processors() >= 1
    assert command.PoolWorkers is PoolWorkers
