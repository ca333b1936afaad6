"""Ctrl-C ends long work with what there is; the examples of help run; progress is told."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core import clock
from core.__main__ import main, run
from core.clock import Deadline
from core.command import common, datasets
from core.command.common import finishing, reporting
from core.errors import InvalidInputError

ROOT = Path(__file__).parents[3]
LONG = {"data": {"source": "random:uniform:40x60:1"}, "notion": "alip", "time_limit": 600}


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_a_first_interrupt_ends_all_deadlines_and_a_second_one_the_work(capsys):
    before = signal.getsignal(signal.SIGINT)
    with finishing("Answering") as state:
        first = Deadline.after(100)
        assert not first.over
        assert state.status() == 0
        interrupt()
        assert first.over
        assert Deadline.after(100).over
        assert state.status(2) == common.UNFINISHED == 3
        assert clock.step() is not None  # solvers on a clock that counts still get no limit
        with pytest.raises(KeyboardInterrupt):
            interrupt()
    assert signal.getsignal(signal.SIGINT) is before
    assert not Deadline.after(100).over
    assert "Answering ends with the best result so far" in capsys.readouterr().err


def test_other_threads_leave_signals_alone():
    result = []

    def work():
        with finishing("Answering") as state:
            result.append((state.status(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert result == [(0, signal.getsignal(signal.SIGINT))]


def test_long_work_is_reported_and_short_work_is_not(monkeypatch):
    reported, twice = [], threading.Event()

    def say(text):
        reported.append(text)
        if len(reported) == 2:
            twice.set()

    monkeypatch.setattr(common, "say", say)
    with clock.using(time.monotonic), reporting("Answering", first=1e-3):
        assert twice.wait(60)
    assert reported[:2] == ["Answering: 0 s", "Answering: 0 s"]
    count = len(reported)
    with clock.using(time.monotonic), reporting("Answering", first=3600):
        pass
    with reporting("Answering", first=0.0):  # on a clock that counts
        pass
    assert len(reported) == count


def started(folder, *arguments, **environment):
    """Start a command in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


def begun(folder, *arguments):
    """Start a command; return it once it has said that it is at work."""
    job = started(folder, *arguments)
    assert re.fullmatch(r"\w+: \d+ s\n", job.stderr.readline())
    return job


def test_an_interrupted_answer_is_printed_with_its_bound(tmp_path):
    (tmp_path / "long.json").write_text(json.dumps(LONG), encoding="utf-8")
    job = begun(tmp_path, "evaluate", "long.json")
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=600)
    assert job.returncode == 3
    assert "ends with the best result so far" in err
    made = json.loads(out)
    assert made["audit"]["holds"]
    assert 0 < made["mechanism"]["utility"] <= made["mechanism"]["upper_bound"]
    assert made["mechanism"]["status"] == "time limit"


def test_an_interrupted_comparison_and_report_have_every_answer(tmp_path):
    (tmp_path / "long.json").write_text(json.dumps(LONG), encoding="utf-8")
    columns = [{"scenario": LONG}, {"scenario": LONG | {"notion": "ldp"}}]
    (tmp_path / "project.json").write_text(json.dumps({"columns": columns}), encoding="utf-8")
    jobs = [
        begun(tmp_path, "compare", "--json", "project.json"),
        begun(tmp_path, "report", "long.json", "r.html", "--lines", "none"),
    ]
    for job in jobs:
        job.send_signal(signal.SIGINT)
    (out, _), (_, err) = (job.communicate(timeout=600) for job in jobs)
    assert [job.returncode for job in jobs] == [3, 3]
    assert all(item["answer"]["audit"]["holds"] for item in json.loads(out)["columns"])
    assert "Written: 'r.html'." in err
    assert (tmp_path / "r.html").read_text(encoding="utf-8").endswith("</html>\n")


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_a_release_that_is_ended_leaves_nothing(ended_by, tmp_path):
    rows = "".join(f"{'fm'[i % 2]},{i % 7},{i}\n" for i in range(300_000))
    (tmp_path / "people.csv").write_text(f"sex,town,id\n{rows}", encoding="utf-8")
    request = {"data": {"secret": ["sex"], "released": ["town"]}, "mechanism": "watchdog"}
    (tmp_path / "scenario.json").write_text(json.dumps(request), encoding="utf-8")
    (tmp_path / "scratch").mkdir()
    line = "release scenario.json people.csv out.csv --seed 1 --certificate c.json"
    job = started(tmp_path, *line.split(), TMPDIR=str(tmp_path / "scratch"))
    assert "of 300,000 records" in job.stderr.readline()
    job.send_signal(ended_by)
    _, err = job.communicate(timeout=600)
    assert job.returncode == 3
    assert err.endswith("Stopped: nothing was written. Run the same command again.\n")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["people.csv", "scenario.json", "scratch"]
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize(("command", "examples"), [("evaluate", 3), ("datasets", 2)])
def test_the_examples_of_the_help_run(command, examples, tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    reported = capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"\$ cat (\S+)\n(.*?)\n(?=  \$)", reported, re.S):
        lines = "\n".join(line[2:] for line in content.splitlines())
        (tmp_path / name).write_text(f"{lines}\n", encoding="utf-8")
    commands = re.findall(r"\$ python -m core (.*)", reported)
    assert len(commands) == examples
    result = []
    for line in commands:
        assert main(line.split()) == 0
        result.append(capsys.readouterr())
    assert {item.err for item in result} == {""}
    if command == "evaluate":
        answers = [json.loads(item.out) for item in result]
        assert [item["audit"]["asked"] for item in answers] == ["0.5-LIP", "1-LDP", "1-LDP"]
        assert answers[1]["n"] == 6
        kept = answers[2].pop("beside")
        assert answers[2] | {"seconds": answers[1]["seconds"]} == answers[1]
        assert kept["columns"] == ["town"]
        assert kept["records"] == 6
    else:
        sets = json.loads(result[1].out)
        assert [item["source"] for item in sets] == [
            line.split()[0] for line in result[0].out.splitlines()
        ]
        assert {"sex", "occupation"} <= set(sets[0]["columns"])


IMPORTING = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["core", "datasets"]
"""
"""The start of a program that is interrupted as soon as it imports the first large package."""

STARTS = {
    "core": "import runpy\nrunpy.run_module('core', run_name='__main__')\n",
    "liftscope": "from pages.ui.command import main\nsys.exit(main())\n",
}
"""What `python -m core` and the command `liftscope` do."""


@pytest.mark.parametrize("start", STARTS)
def test_an_interrupt_while_a_command_starts_is_told(start, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING + STARTS[start]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr == ("Stopped: nothing was written. Run the same command again.\n")


@pytest.mark.parametrize("error", [RuntimeError, InvalidInputError])
def test_an_interrupt_that_a_library_turns_into_an_error_is_one(error, monkeypatch, capsys):
    def interrupted(_options):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            raise error("reading failed: KeyboardInterrupt") from None

    before = {item: signal.getsignal(item) for item in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(datasets, "run", interrupted)
    try:
        assert run(["datasets"]) == 3
    finally:
        for item, handler in before.items():
            signal.signal(item, handler)
    assert capsys.readouterr().err.startswith("Stopped: nothing was written")


def test_a_reader_who_has_seen_enough_ends_a_command_without_a_word(tmp_path):
    (tmp_path / "s.json").write_text('{"mechanism": "watchdog"}', encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "core", "evaluate", "s.json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    # a slow machine reports on the search meanwhile
    said = [line for line in done.stderr.splitlines() if not line.startswith("Answering: ")]
    assert (done.returncode, said) == (1, [])
