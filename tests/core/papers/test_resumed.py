"""A run that ends in the middle goes on where it was, and gives the same results bit for bit."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.memory import descendants
from core import clock
from core.__main__ import main
from core.jobs import Job, carry_out
from core.papers import running
from core.papers.catalogue import chosen
from core.records.files import held

ROOT = Path(__file__).parents[3]
KEYS = ["lift_1", "lift_propositions", "rldp_examples"]


def numbers(run):
    """Return the results of a run as text, without how long they took."""
    reported = json.loads(run.to_json())["experiments"]
    return json.dumps([item | {"seconds": 0} for item in reported])


@pytest.fixture(scope="module")
def whole():
    """Return the numbers of a run that nothing interrupts."""
    return numbers(running.run(chosen(KEYS), quick=True))


@contextmanager
def begun(folder, *words):
    """Start the command in a process of its own, which does not outlive the test."""
    with subprocess.Popen(
        [sys.executable, "-m", "core", "reproduce", *words, "--out", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as job:
        try:
            yield job
        finally:
            job.kill()


def heard(job, words):
    """Wait until the command says some words."""
    while words not in (line := job.stderr.readline()):
        assert line, "it ended without a word of them"


def resumed(folder, keys=KEYS):
    """Run again into a folder; return what comes out, and what is said of each experiment."""
    reported = {}
    run = running.run(
        chosen(keys), folder, quick=True, report=lambda key, words: reported.setdefault(key, words)
    )
    return run, reported


def test_a_run_that_is_killed_goes_on_with_what_it_has_kept(tmp_path, whole):
    resumed(tmp_path, ["lift_1"])
    with begun(tmp_path, "--quick", "--only", *KEYS) as job:
        # it runs first, since it takes longest; how far it is when first asked is not sure
        heard(job, "rldp_examples: ")
        job.kill()
        job.communicate()
    assert not list(tmp_path.glob("*.part"))
    run, reported = resumed(tmp_path)
    assert reported["lift_1"] == "kept from an earlier run"
    assert numbers(run) == whole


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists a thread's children")
def test_an_experiment_whose_process_is_killed_is_run_again(tmp_path, whole):
    known, ended = set(descendants(os.getpid())), []

    def kill_first(key, _words):
        if key == "rldp_examples" and not ended:
            ended.extend(set(descendants(os.getpid())) - known)
            for item in ended:
                os.kill(item, signal.SIGKILL)

    run = running.run(chosen(KEYS), tmp_path, quick=True, report=kill_first)
    assert ended
    assert numbers(run) == whole


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_what_it_has_kept(tmp_path, ended_by):
    with begun(tmp_path, "--only", "rldp_examples", "rldp_4", "--jobs", "2") as job:
        heard(job, "rldp_examples: done")  # the other one takes minutes
        job.send_signal(ended_by)
        out, err = job.communicate()
    assert job.returncode == 3
    last = err.splitlines()[-1]
    assert last == (
        f"Stopped: 1 of 2 experiments kept in {str(tmp_path)!r}; "
        "run the same command again to continue."
    )
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "rldp_examples.json"]


def test_an_interrupted_run_without_a_folder_keeps_nothing(monkeypatch, capsys):
    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Job, "wait", interrupt)
    assert main(["reproduce", "--quick", "--only", "lift_1"]) == 3
    assert capsys.readouterr().err == "Stopped. Without --out nothing is kept.\n"


@pytest.fixture
def here(monkeypatch):
    """Run experiments in this process: what is asked is about files."""

    def submit(_pool, function, *arguments, time_limit):
        job = Job(time_limit)
        job.start(lambda: None)
        job.succeed(carry_out(function, arguments))
        return job

    monkeypatch.setattr(running.Pool, "submit", submit)


def of_another(text):
    """Return the text of a file with the results of another experiment."""
    kept = json.loads(text)
    kept["experiment"]["key"] = "lift_2"
    return json.dumps(kept)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[]",
        lambda _: "[" * 100_000,
        lambda text: text.replace('"draws": 1000', '"draws": "fifty"'),
        lambda text: text.replace('"rule": "EXT"', '"rule": "NO"'),
        of_another,
    ],
)
def test_a_damaged_file_is_told_and_made_again(tmp_path, damage):
    path = tmp_path / "lift_1.json"
    first, _ = resumed(tmp_path, ["lift_1"])
    whole = path.read_text(encoding="utf-8")
    path.write_text(damage(whole), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != whole
    second, reported = resumed(tmp_path, ["lift_1"])
    assert reported["lift_1"] == f"{str(path)!r} is damaged: running it again"
    assert numbers(second) == numbers(first)
    assert resumed(tmp_path, ["lift_1"])[1]["lift_1"] == "kept from an earlier run"


@pytest.mark.usefixtures("here")
def test_bytes_that_are_no_text_are_a_damaged_file_too(tmp_path):
    (tmp_path / "lift_1.json").write_bytes(b"\xff\x00")
    assert "is damaged" in resumed(tmp_path, ["lift_1"])[1]["lift_1"]


@pytest.mark.usefixtures("here")
def test_two_runs_cannot_write_to_one_folder(tmp_path, capsys):
    request = ["reproduce", "--quick", "--only", "lift_1", "--out", str(tmp_path / "kept")]
    with held(tmp_path / "kept"):
        assert main(request) == 2
    assert capsys.readouterr().err == (
        f"Another run is writing to {str(tmp_path / 'kept')!r}: wait until it ends, or write to "
        "another folder.\n"
    )
    assert main(request) == 0


@pytest.mark.usefixtures("here")
def test_a_full_disk_is_one_sentence_and_leaves_no_half_of_a_file(tmp_path, monkeypatch, capsys):
    def full(_path, *_arguments, **_options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        assert main(["reproduce", "--quick", "--only", "lift_1", "--out", str(tmp_path)]) == 2
    text = capsys.readouterr().err.splitlines()
    path = str(tmp_path / "lift_1.json")
    assert text == [f"{path!r} cannot be written: no space left on device."]
    assert [item.name for item in tmp_path.iterdir()] == ["lock"]


def test_a_folder_that_is_a_file_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "kept").write_text("", encoding="utf-8")
    assert main(["reproduce", "--only", "rldp_4", "--out", str(tmp_path / "kept")]) == 2
    text = capsys.readouterr().err.splitlines()[-1]
    assert text == f"{str(tmp_path / 'kept')!r} cannot be written: file exists."


@pytest.mark.usefixtures("here")
def test_an_error_of_one_experiment_leaves_the_others(monkeypatch, tmp_path):
    reported = []
    result = Job.result

    def first_fails(job, timeout=None):
        if not reported:
            raise RuntimeError("a slip")
        return result(job, timeout)

    monkeypatch.setattr(Job, "result", first_fails)
    answer = running.run(
        chosen(["lift_propositions", "lift_1"]),
        tmp_path,
        quick=True,
        report=lambda key, words: reported.append((key, words)) if "failed" in words else None,
    )
    ((lost, words),) = reported
    assert words == "failed: RuntimeError: a slip"
    assert {item.key for item in answer.experiments} == {"lift_1", "lift_propositions"} - {lost}
    assert lost in answer.missing


@pytest.mark.parametrize("counting", [False, True])
def test_time_limits_are_of_the_processor_s_time_unless_the_clock_counts(monkeypatch, counting):
    read = []

    class One:
        def perform(self, _seed, **_options):
            read.append(clock._read)
            return self

        def to_dict(self):
            return {}

    monkeypatch.setattr(running, "entry", lambda _key: One())
    ticking = clock.Ticking(0.5)
    with clock.using(ticking if counting else time.monotonic):
        running.perform("lift_1", 0, True, report=print)
    assert read == [ticking if counting else time.process_time]
