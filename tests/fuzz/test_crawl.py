"""The crawl moves sliders of random questions, and tells what is wrong with its question."""

import asyncio
import random
from urllib.parse import parse_qs

import pytest

from core.mechanisms.catalogue import CATALOGUE
from tests.browser.served import served
from tests.fuzz import crawl
from tests.visitor import EXCEPTION, Visitor


def test_questions_are_of_all_kinds_and_repeat_with_their_seed():
    request = [crawl.question(random.Random(seed)) for seed in range(200)]
    assert request == [crawl.question(random.Random(seed)) for seed in range(200)]
    queries = [parse_qs(item) for item in request]
    assert len({item["mech"][0] for item in queries}) > len(CATALOGUE) / 2
    assert {item["eps"][0] for item in queries} == set(crawl.BUDGETS)


@pytest.mark.parametrize("broken", [False, True])
def test_an_exception_on_a_page_is_counted(monkeypatch, capsys, broken):
    if broken:  # as if each page showed one
        shown = property(lambda _: {(0,): f"{EXCEPTION}seen"}, lambda *_: None)
        monkeypatch.setattr(Visitor, "texts", shown, raising=False)
    with served() as address:
        wrong = asyncio.run(crawl.crawl(address, 9, random.Random(3), visitors=1))
    assert bool(wrong) == broken, wrong
    reported = capsys.readouterr().out
    assert reported.rstrip().endswith(f"{len(wrong):,} errors")
    assert "seen" in reported if broken else "moves, 0 errors" in reported
