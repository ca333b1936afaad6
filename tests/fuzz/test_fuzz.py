"""The long run: repeatable by seed, and it fails when something failed."""

import random
import signal
import time
from collections import Counter
from dataclasses import replace
from math import inf
from random import Random
from types import SimpleNamespace

import pytest
from scipy import special

from core.mechanisms import posteriors
from core.mechanisms.catalogue import build
from tests.exact.promises import Promise
from tests.fuzz import alike as alike_module
from tests.fuzz import anything as anything_module
from tests.fuzz import averages as averages_module
from tests.fuzz import campaign as campaign_module
from tests.fuzz import reading as reading_module
from tests.fuzz.alike import Alike, both
from tests.fuzz.anything import Anything, strictly_worth
from tests.fuzz.averages import Averaged, exactly, within
from tests.fuzz.campaign import Campaign, tried
from tests.fuzz.kinds import KINDS, Tried
from tests.fuzz.reading import Reading, both_read


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
    campaign.add(3, "optimum", Tried(Counter({"LIP": 3}), seconds=2.0))
    assert campaign.report() == 0
    campaign.add(
        4, "optimum", Tried(Counter({"LIP": 1}), failures=[SimpleNamespace(kind="raised")])
    )
    assert campaign.report() == 1
    text = capsys.readouterr().out
    assert "case 4 of seed 7" in text
    assert "seed 7: 4 calls in 2 cases" in text
    assert "failures: raised 1" in text
    assert "in CPU seconds: optimum 4 in 2 s, comparison 0 in 0 s" in text


def _hangs(_seed, _number):
    signal.raise_signal(signal.SIGPROF)


def test_a_case_that_hangs_ends_the_run_as_a_failure(monkeypatch, capsys):
    monkeypatch.setattr(campaign_module, "tried", _hangs)
    campaign = Campaign(7)
    campaign.run(1.0, 1)
    assert campaign.totals["failures"] == {"no answer": 1}
    assert "cases [0, 1]" in capsys.readouterr().out


def test_what_hangs_is_told_by_the_cpu_and_not_by_the_clock(monkeypatch):
    """On a busy machine 180 s went by in which a case had 20 s of a processor."""
    burnt = []
    before = signal.signal(signal.SIGPROF, lambda *_: burnt.append(1))
    try:
        monkeypatch.setattr(campaign_module, "HANGS", 0.2)
        monkeypatch.setattr(
            campaign_module, "KINDS", {"sleep": (lambda _: (time.sleep(0.5), Tried())[1], 1)}
        )
        assert tried(1, 0)[1] == "sleep"
        assert not burnt

        def busy(_):
            while not burnt:
                sum(range(1000))
            return Tried()

        monkeypatch.setattr(campaign_module, "KINDS", {"busy": (busy, 1)})
        tried(1, 0)
        assert burnt
        assert signal.getitimer(signal.ITIMER_PROF)[0] == 0
    finally:
        signal.signal(signal.SIGPROF, before)


def test_nothing_tried_is_no_success():
    assert Campaign(7).report() == 1


def test_what_only_the_audits_slack_allows_is_worth_what_it_is_without_it():
    counts = ((10**13, 300_000, 9), (2, 9, 0))
    request = Anything(counts, "GuessingProbability(0.9999999999989001)")
    joint, notion = request.joint(), request.notion()
    merged = build("merge_anonymity", joint, notion)
    assert notion.holds(joint, merged.kernel)
    assert merged.utility > 5e-7
    assert strictly_worth(joint, notion, merged.kernel) < 1e-9


def test_what_is_well_within_its_budgets_is_worth_all_of_it():
    request = Anything(
        ((8, 1, 5, 5), (1, 8, 5, 5)), "Intersection(LIP(0.5), Chi2Privacy(inf, 0.5))"
    )
    joint, notion = request.joint(), request.notion()
    best = build("optimal", joint, notion)
    assert strictly_worth(joint, notion, best.kernel) == pytest.approx(best.utility, abs=1e-9)
    robust = Anything(((7, 10), (26, 57)), "RLDP.of_joint(joint, 1.0, n=100)", released=True)
    joint, notion = robust.joint(), robust.notion()
    best = build("optimal", joint, notion)
    assert strictly_worth(joint, notion, best.kernel) == pytest.approx(best.utility, abs=1e-9)


def test_a_mechanism_above_a_bound_is_found(monkeypatch):
    real = anything_module.build
    monkeypatch.setattr(
        anything_module,
        "build",
        lambda key, *request: (
            replace(real(key, *request), upper_bound=0.0, utility=0.0)
            if key == "optimal"
            else real(key, *request)
        ),
    )
    kinds = {
        failure.kind for seed in range(12) for failure in anything_module.beaten(Random(seed))[3]
    }
    assert kinds == {"above the bound"}


@pytest.mark.parametrize("seed", range(40))
def test_budgets_on_averages_hold_against_other_routes(seed):
    _, _, result = within(Random(f"average {seed}"))
    assert not result, result[0]


NEARLY_SILENT = [
    ("total_variation", 1.2055133171149554e-10, "1e13 4e7 9e8 1e5; 6e7 8 3 0; 0 8 7 6e5"),
    ("total_variation", 0.0, "10000000000008 3 7e12 6; 0 7e10 1e11 2e10; 0 9 1 0"),
    ("maximal_leakage", 0.0, "10000000030000 2 3 2e9; 1e6 0 8e7 7; 0 5 2 0"),
    ("guessing", 0.5333333333801169, "349999999 1050000001 980000000; 400000001 1199999999 1.12e9"),
]
"""Budgets and counts whose costs are as small as the rounding of a search in doubles."""


@pytest.mark.parametrize(("measure", "bound", "text"), NEARLY_SILENT)
def test_tiny_budgets_on_averages_are_held_against_fractions(measure, bound, text, monkeypatch):
    counts = tuple(tuple(int(float(n)) for n in row.split()) for row in text.split(";"))
    request = Averaged(counts, measure, None, bound)
    monkeypatch.setattr(averages_module, "averaged", lambda _: request)
    assert not within(Random(0))[2]


@pytest.mark.parametrize("measure", ["total_variation", "maximal_leakage"])
def test_a_budget_that_bounds_nothing_lets_all_of_x_through(measure, monkeypatch):
    """The budget of ∞ is no fraction."""
    request = Averaged(((6, 2, 2), (1, 3, 6)), measure, None, inf)
    known = float(special.entr(request.joint().p_x).sum())
    assert exactly(request, 0.0) == pytest.approx((known, known))
    monkeypatch.setattr(averages_module, "averaged", lambda _: request)
    assert not within(Random(0))[2]


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_an_average_optimum_that_is_wrong_is_found(least, monkeypatch):
    """As if nothing could be kept; and as if all of X could, proven so."""
    real = averages_module.m.optimal

    def wrong(joint, notion):
        made = real(joint, notion)
        most = float(special.entr(joint.p_x).sum()) * least
        return replace(made, upper_bound=most, utility=most)

    request = Averaged(((6, 2, 2), (1, 3, 6)), "total_variation", None, 0.1)
    monkeypatch.setattr(averages_module, "averaged", lambda _: request)
    assert not within(Random(0))[2]
    monkeypatch.setattr(averages_module.m, "optimal", wrong)
    kinds = {failure.kind for failure in within(Random(0))[2]}
    assert kinds == ({"wrong"} if least else {"wrong", "above the bound"})


@pytest.mark.parametrize("seed", range(40))
def test_optima_that_read_s_are_those_of_all_extreme_outputs(seed):
    _, _, result = both_read(Random(f"reading {seed}"))
    assert not result, result[0]


@pytest.mark.parametrize("purpose", ["information", "guess"])
def test_an_optimum_that_reads_s_and_is_wrong_is_found(purpose, monkeypatch):
    """As if it kept what the best of X alone does; and more than any does."""
    real = reading_module.m.optimal_reading_secret
    request = Reading(((8, 1, 5), (1, 8, 5)), Promise("LIP", (0.1,)), purpose, ((0,),))
    monkeypatch.setattr(reading_module, "reading", lambda _: request)
    assert not both_read(Random(0))[2]
    for moved, kinds in (
        (-0.01, {"utility", "false bound", "false proof"}),
        (0.01, {"utility", "too good"}),
    ):
        monkeypatch.setattr(
            reading_module.m,
            "optimal_reading_secret",
            lambda *request, moved=moved, **options: replace(
                made := real(*request, **options),
                utility=made.utility + moved,
                upper_bound=made.utility + moved,
            ),
        )
        assert {failure.kind for failure in both_read(Random(0))[2]} == kinds


@pytest.mark.parametrize("seed", range(200))
def test_symbols_with_equal_posteriors_are_one(seed):
    _, _, result = both(Random(f"one {seed}"))
    assert not result, result[0]


TWICE = Alike((((5.0,), (1.0,), (2.0,), (10.0,)), ((1.0,), (4.0,), (3.0,), (2.0,))), "LIP(0.1)")
"""A question in which the first and the last symbol tell the same of S."""


def test_a_lemma_that_is_wrong_is_found(monkeypatch):
    """As if no output were split, so that nothing is told of the symbols within a class."""
    monkeypatch.setattr(alike_module, "alike", lambda _: TWICE)
    assert not both(Random(0))[2]
    monkeypatch.setattr(posteriors, "split", lambda of_x, _p_x, kernel: kernel[of_x])
    assert both(Random(0))[2]
