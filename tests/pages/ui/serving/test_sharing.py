"""What two servers share: the second one takes the first one's answer and solves nothing."""

import asyncio
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core.data import DataSpec, count
from core.data.databases.tables import tables_of
from core.jobs import work
from core.scenario import Scenario, answer
from core.stored import VARIABLE, from_bytes
from core.studies.matching import match
from core.studies.side_by_side import levels
from pages.ui.serving import sharing
from pages.ui.work import answers, derived
from tests.browser.served import ROOT, served
from tests.visitor import EXCEPTION, visiting

DATA = DataSpec("example:parity", (), ())

SOLVED = "s=race&x=native-country&eps=0.7&limit=60"
"""A question whose optimum takes longer to prove than a first glance may."""

PROVEN = "Proven: no mechanism under"
"""What the page says of that optimum, and of nothing else."""

COUNTING = """
import os

import core.jobs.pool

submit = core.jobs.pool.Pool.submit


def counted(pool, function, *arguments, **options):
    with open(os.environ["LIFTSCOPE_TEST_COUNT"], "a") as file:
        file.write(function.__name__ + "\\n")
    return submit(pool, function, *arguments, **options)


core.jobs.pool.Pool.submit = counted
"""
"""Is run at the start of each server: it writes down what is given to other processes."""


@pytest.fixture
def shared(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "answers"))
    return sharing.SHARED.folder()


def arguments_of_call():
    return (Scenario(DATA, mechanism="constant"), count(DATA))


@pytest.mark.usefixtures("shared")
def test_the_key_is_all_that_the_call_is_given(monkeypatch):
    scenario, counted = arguments_of_call()
    first = sharing.place_of(answer, arguments_of_call)
    assert first == sharing.place_of(answer, arguments_of_call)
    others = [
        sharing.place_of(match, arguments_of_call),
        sharing.place_of(answer, lambda: (Scenario(DATA, eps=2.0), counted)),
        sharing.place_of(answer, lambda: (scenario, counted, np.zeros(1))),
    ]
    monkeypatch.setattr(sharing, "_version", lambda: {"liftscope": "another"})
    others.append(sharing.place_of(answer, arguments_of_call))
    assert len({first, *others}) == 5


@pytest.mark.usefixtures("shared")
def test_what_reads_files_is_not_shared(tmp_path):
    assert sharing.place_of(work.read_shared, lambda: ("name", tmp_path)) == ""
    assert sharing.place_of(levels, lambda: (tmp_path,)) == ""
    assert sharing.place_of(tables_of, lambda: ("address",)) == ""


def test_without_a_folder_nothing_is_shared(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert sharing.place_of(answer, arguments_of_call) == ""
    assert sharing.find("") is None
    sharing.keep("", 1)


def test_an_answer_comes_back_and_a_damaged_one_is_gone(shared):
    place = sharing.place_of(answer, arguments_of_call)
    assert sharing.find(place) is None
    sharing.keep(place, (1, 2.5))
    assert sharing.find(place) == (1, 2.5)
    file = shared.path / place
    file.write_bytes(file.read_bytes()[:-1])
    assert sharing.find(place) is None
    assert not file.exists()


def test_an_answer_at_the_place_of_another_question_is_none(shared):
    here, there = "a" * 64, "b" * 64
    sharing.keep(here, (1, 2.5))
    (shared.path / here).rename(shared.path / there)
    assert sharing.find(there) is None
    assert not (shared.path / there).exists()


def test_what_cannot_be_written_or_does_not_come_back_is_not_kept(shared, monkeypatch):
    sharing.keep("0" * 64, object())
    monkeypatch.setattr(sharing, "from_bytes", lambda content: from_bytes(content) + 1)
    sharing.keep("1" * 64, 1)
    assert not list(shared.path.iterdir())


def test_a_folder_that_cannot_be_used_is_a_sentence_and_costs_the_sharing_alone(
    tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    assert sharing.SHARED.folder() is None
    assert sharing.SHARED.problem.startswith("Answers are not shared with other servers. ")
    assert sharing.place_of(answer, arguments_of_call) == ""
    monkeypatch.delenv(VARIABLE)
    assert sharing.SHARED.folder() is None
    assert sharing.SHARED.problem == ""


async def answered(address):
    """Return what a page says when the optimum that it asked for is proven."""
    async with visiting(address) as visitor:
        await visitor.load(SOLVED)
        while not visitor.says(PROVEN):  # a visitor keeps what a place said before: the estimate
            await asyncio.sleep(0.05)
        assert not visitor.says(EXCEPTION), visitor.texts
        return [text for text in visitor.texts.values() if PROVEN in text]


def test_a_second_server_takes_the_answers_of_the_first(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(COUNTING)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "answers"))
    text, counts = [], []
    for server in "12":
        log = tmp_path / f"given{server}"
        monkeypatch.setenv("LIFTSCOPE_TEST_COUNT", str(log))
        log.touch()
        with served() as address:
            text.append(asyncio.run(answered(address)))
        counts.append(Counter(log.read_text().split()))
    assert text[0] == text[1]
    assert counts[0]["answer"] >= 1  # the optimum, and what it starts from
    assert counts[1]["answer"] == 0


@pytest.mark.usefixtures("shared")
def test_a_glance_takes_what_another_server_has_proven():
    scenario = Scenario(DATA, eps=0.8)
    counted = derived.counted(DATA)
    result = answer(scenario, counted)
    place = sharing.place_of(answer, lambda: (scenario, counted))
    reported = replace(result.mechanism, notes=("from another server",))
    sharing.keep(place, replace(result, mechanism=reported))
    assert "from another server" in answers.evaluate(scenario).mechanism.notes
