"""The command that runs the papers' experiments: what it writes, keeps and refuses."""

import json
import re
from dataclasses import replace

import pytest

from core.__main__ import main
from core.command import reproduce as command
from core.errors import SolverError
from core.papers import running
from core.papers.catalogue import EXPERIMENTS
from core.papers.results import Experiment, Run, Verdict
from core.papers.verdicts import Value

LARGEST = 6_000_000


def test_the_example_of_the_help_runs_and_writes_one_page_and_the_data(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "--help"])
    assert ended.value.code == 0
    (line,) = re.findall(r"\$ python -m core (.*)", capsys.readouterr().out)
    assert main(line.split()) == 0
    reported = capsys.readouterr()
    assert "lift_1  Figure 1" in reported.out
    assert "claims: " in reported.out
    assert "lift_1: done" in reported.err
    run = Run.from_json((tmp_path / "reproduced/results.json").read_text(encoding="utf-8"))
    assert [item.key for item in run.experiments] == ["lift_1"]
    assert run.quick
    assert len(run.missing) == len(EXPERIMENTS) - 1
    page = (tmp_path / "reproduced/results.html").read_text(encoding="utf-8")
    assert len(page) < LARGEST
    assert "src=" not in re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    (drawn,) = re.findall(r"const FIGURES = (\[.*?\]);\n", page, re.S)
    assert [trace["name"] for trace in json.loads(drawn)[0]["data"]] == [
        "log Ψ",
        "log Λ",
        "paper",  # the ends of the ranges, and where |log Ψ| is 6
        "paper",
    ]
    assert main(line.split()) == 0  # goes on with what is kept
    assert "lift_1: kept from an earlier run" in capsys.readouterr().err


def test_a_quick_run_says_that_few_draws_decide_less():
    undecided = Verdict("ORD", "a > b", "", (Value("ε = 1", 0.1, error=0.1),), few=5)
    item = Experiment("lift_1", "lift", "", "", "", 5, (), (), (), (undecided,))
    run = Run("0.1.0", "2026-01-01", "2 cores", 0, True, (item,))
    text = command.table(run)
    assert "5 draws are too few to decide at ε = 1." in text
    assert "too few draws to decide" in text
    assert "DIFFERS" not in text
    lower = replace(undecided, few=0, values=(Value("ε = 1", -0.5, error=0.1),))
    decided = replace(item, verdicts=(lower,))
    text = command.table(replace(run, quick=False, experiments=(decided,)))
    assert "too few" not in text
    assert "DIFFERS" in text


def test_what_another_seed_or_code_has_made_is_made_again(tmp_path, capsys):
    request = ["reproduce", "--quick", "--only", "lift_1", "--out", str(tmp_path)]
    assert main(request) == 0
    first = json.loads((tmp_path / "lift_1.json").read_text(encoding="utf-8"))
    capsys.readouterr()
    assert main([*request, "--seed", "7"]) == 0
    assert "kept from an earlier" not in capsys.readouterr().err
    second = json.loads((tmp_path / "lift_1.json").read_text(encoding="utf-8"))
    assert first["experiment"] != second["experiment"]
    (tmp_path / "lift_1.json").write_text("{", encoding="utf-8")
    assert main([*request, "--seed", "7"]) == 0
    assert json.loads((tmp_path / "lift_1.json").read_text(encoding="utf-8"))["seed"] == 7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "lift_99"], "There is no experiment 'lift_99'"),
        (["--jobs", "0"], "--jobs must be at least 1, got 0."),
        (["--seed", "-1"], "--seed must be at least 0, got -1."),
    ],
)
def test_what_it_refuses(words, message, capsys):
    assert main(["reproduce", *words]) == 2
    assert message in capsys.readouterr().err


def test_without_the_dashboard_there_is_no_page(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "WRITER", "no_such_package.papers.page")
    assert main(["reproduce", "--only", "lift_1", "--out", str(tmp_path)]) == 2
    assert "without --out the same verdicts go to the terminal" in capsys.readouterr().err


def test_an_experiment_that_fails_is_named_and_the_others_are_kept(monkeypatch, capsys):
    def submit(_pool, *arguments, time_limit):
        del arguments, time_limit
        job = running.Job(1.0)
        job.start(lambda: None)
        job.fail(SolverError("no more memory"))
        return job

    monkeypatch.setattr(running.Pool, "submit", submit)
    assert main(["reproduce", "--quick", "--only", "lift_1"]) == 3
    reported = capsys.readouterr()
    assert "lift_1: failed: no more memory" in reported.err
    assert reported.out == "0 claims\n"


def test_the_machine_is_told_without_its_name(monkeypatch):
    import platform

    monkeypatch.setattr(running.os, "cpu_count", lambda: 1)
    assert running.machine().startswith("1 core, ")
    assert platform.node() not in running.machine()


def test_results_that_come_with_the_program_can_be_read(monkeypatch, tmp_path):
    run = Run("0.1.0", "2026-01-01", "2 cores", 0, False, ())
    monkeypatch.setattr(running, "SHIPPED", tmp_path / "shipped.json")
    assert running.shipped() is None
    running.SHIPPED.write_text(run.to_json(), encoding="utf-8")
    assert running.shipped() == run
