"""The long run: repeatable by seed, and it fails when something failed."""

import random
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.fuzz.campaign import Campaign, tried
from tests.fuzz.kinds import KINDS, Tried


@pytest.mark.parametrize("name", KINDS)
def test_a_case_is_the_same_whenever_it_is_tried(name):
    number = next(i for i in range(200) if _name(i) == name)
    first, again = tried(1, number), tried(1, number)
    assert first[:2] == again[:2] == (number, name)
    assert first[2].calls == again[2].calls
    assert [str(f) for f in first[2].failures] == [str(f) for f in again[2].failures]


def _name(number):
    chance = random.Random(f"1:{number}")
    return chance.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]


def test_a_failure_is_printed_counted_and_returned(capsys):
    campaign = Campaign(7)
    campaign.add(3, "optimum", Tried(Counter({"LIP": 3})))
    assert campaign.report() == 0
    campaign.add(
        4, "optimum", Tried(Counter({"LIP": 1}), failures=[SimpleNamespace(kind="raised")])
    )
    assert campaign.report() == 1
    said = capsys.readouterr().out
    assert "case 4 of seed 7" in said
    assert "seed 7: 4 calls in 2 cases" in said
    assert "failures: raised 1" in said


def test_nothing_tried_is_no_success():
    assert Campaign(7).report() == 1
