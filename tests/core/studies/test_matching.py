import math
from types import SimpleNamespace

import numpy as np
import pytest

from core import clock
from core.data import count
from core.data.spec import DataSpec
from core.errors import CoreError, InfeasibleError, InvalidInputError
from core.scenario import Scenario, evaluate
from core.studies import matching
from core.studies.matching import FIRST, figure, has_budget, match

SMALL = DataSpec("random:uniform:3x5:0", (), ())
LIP, LDP = (Scenario(data=SMALL, notion=key) for key in ("lip", "ldp"))
DATA = count(SMALL)


@pytest.fixture
def set_figure(monkeypatch):
    """Let the figure of a question be any function of ε."""

    def use(function):
        monkeypatch.setattr(matching, "answer", lambda request, _data: answered(request))
        monkeypatch.setattr(matching, "figure", lambda result, _target: function(result.eps))

    return use


def answered(request, status="optimal"):
    """Return an answer of which only its ε and its status are asked."""
    return SimpleNamespace(eps=request.eps, mechanism=SimpleNamespace(status=status))


@pytest.mark.parametrize(("wanted", "otherwise"), [(0.5, "jumps"), (2.0, "beyond")])
def test_an_answer_that_time_cut_short_proves_no_end_of_the_figure(
    set_figure, monkeypatch, wanted, otherwise
):
    set_figure(lambda eps: float(eps > 0.3))
    assert match(LIP, DATA, "kept", wanted).status == otherwise

    def late(request, _data):
        return answered(request, "time limit" if request.eps == 8 else "optimal")

    monkeypatch.setattr(matching, "answer", late)
    assert match(LIP, DATA, "kept", wanted).status == "cut short"
    assert match(LIP, DATA, "kept", 1.0).status == "reached"


@pytest.mark.parametrize("target", ["ldp", "kept", "leak"])
def test_another_notion_comes_to_the_same_figure(target):
    wanted = figure(evaluate(LIP), target)
    result = match(LDP, DATA, target, wanted)
    assert result.status == "reached"
    again = figure(evaluate(Scenario(data=SMALL, notion="ldp", eps=result.eps)), target)
    assert again == pytest.approx(wanted, abs=1e-4)
    assert result.value == again
    assert result.low <= wanted <= result.high
    assert result.monotone


def test_the_levels_of_ldp_are_their_own_budgets():
    result = match(LDP, DATA, "ldp", 0.7)
    assert result.eps == pytest.approx(0.7, abs=1e-3)


def test_the_same_eps_needs_no_search():
    result = match(LDP, DATA, "eps", 1.25)
    assert (result.status, result.eps, result.looks) == ("reached", 1.25, 0)
    beyond = match(LDP, DATA, "eps", 51.0)
    assert (beyond.status, beyond.eps, beyond.low, beyond.high) == ("beyond", 50.0, 0.0, 50.0)


def test_what_cannot_be_reached_is_told_with_the_range_that_can():
    everything = figure(evaluate(Scenario(data=SMALL, notion="ldp", eps=8.0)), "leak")
    result = match(LDP, DATA, "leak", 2.0)
    assert result.status == "beyond"
    assert result.low == pytest.approx(0.0, abs=1e-20)
    assert result.high == pytest.approx(everything)
    assert result.value == result.high


@pytest.mark.parametrize("function", [math.sqrt, lambda e: e**3 / 64, lambda e: -math.expm1(-e)])
def test_smooth_figures_are_reached(set_figure, function):
    set_figure(function)
    for wanted in (0.05, 0.3, 0.9):
        result = match(LDP, DATA, "leak", wanted)
        assert result.status == "reached"
        assert abs(function(result.eps) - wanted) <= 1e-4
        assert result.looks <= len(FIRST) + 25


def test_a_jump_is_told_and_the_side_that_gives_less_away_is_taken(set_figure):
    set_figure(lambda eps: 1.0 if eps >= 1.3 else 0.25)
    result = match(LDP, DATA, "leak", 0.6)
    assert (result.status, result.value) == ("jumps", 0.25)
    assert result.eps == pytest.approx(1.3, abs=2e-6)
    assert result.eps < 1.3


def test_a_figure_that_falls_is_said_to_be_not_monotone(set_figure):
    set_figure(lambda eps: math.sin(eps) ** 2)
    result = match(LDP, DATA, "leak", 0.5)
    assert not result.monotone
    assert result.status == "reached"
    assert result.eps == pytest.approx(math.pi / 4, abs=1e-3)  # the smallest of them


def test_infinite_levels_are_matched_and_passed(set_figure):
    set_figure(lambda eps: math.inf if eps > 2.5 else eps)
    assert match(LDP, DATA, "ldp", math.inf).eps == 4.0
    result = match(LDP, DATA, "ldp", 2.8)
    assert (result.status, result.value) == ("jumps", pytest.approx(2.5, abs=1e-5))


def test_budgets_without_an_answer_are_passed_over(set_figure):
    def figure_of(eps):
        if eps < 0.3:
            raise InfeasibleError("Nothing keeps it.")
        return eps

    set_figure(figure_of)
    assert match(LDP, DATA, "leak", 0.75).eps == pytest.approx(0.75, abs=2e-4)
    below = match(LDP, DATA, "leak", 0.1)
    assert (below.status, below.eps, below.low) == ("beyond", 0.5, 0.5)

    def nothing(_eps):
        raise InfeasibleError("Nothing keeps it.")

    set_figure(nothing)
    with pytest.raises(CoreError, match="Nothing keeps it"):
        match(LDP, DATA, "leak", 0.1)


def test_a_gap_inside_the_bracket_ends_the_search(set_figure):
    def figure_of(eps):
        if eps not in FIRST:
            raise InfeasibleError("Nothing keeps it.")
        return eps

    set_figure(figure_of)
    result = match(LDP, DATA, "leak", 0.75)
    assert (result.status, result.eps) == ("cut short", 0.5)


def test_time_ends_the_search(set_figure):
    set_figure(lambda eps: eps**2)
    with clock.using(clock.Ticking(1.0)):
        result = match(LDP, DATA, "leak", 30.0, seconds=12.0)
    assert result.status == "cut short"
    assert result.looks < len(FIRST)
    reported = []
    match(LDP, DATA, "leak", 30.0, report=reported.append)
    assert reported == list(range(1, len(reported) + 1))


def test_what_has_no_eps_is_told_as_it_is():
    plain = Scenario(data=SMALL, mechanism="identity")
    result = match(plain, DATA, "kept", 0.5)
    assert (result.status, result.value) == ("fixed", 1.0)
    assert math.isnan(result.eps)
    assert [has_budget(item) for item in (plain, LIP)] == [False, True]
    assert not has_budget(Scenario(data=SMALL, notion="sides"))


@pytest.mark.parametrize(
    ("target", "value", "sentence"),
    [
        ("mood", 1.0, "A target must be one of eps, ldp, kept, leak, got 'mood'."),
        ("kept", -1.0, "The value to match must be in"),
        ("kept", np.nan, "The value to match must be in"),
    ],
)
def test_bad_targets_are_refused(target, value, sentence):
    with pytest.raises(InvalidInputError) as refused:
        match(LDP, DATA, target, value)
    assert sentence in str(refused.value)
    with pytest.raises(InvalidInputError):
        figure(evaluate(LDP), "mood")


def test_figures_are_those_of_the_answer():
    result = evaluate(LIP)
    assert figure(result, "eps") == 1.0
    assert figure(result, "kept") == result.mechanism.kept
    assert figure(result, "leak") == result.after.averages["mutual_information"]


def test_a_search_begins_where_a_line_has_the_value_between_two_points(monkeypatch):
    looks = []
    monkeypatch.setattr(matching, "answer", lambda request, _data: answered(request))

    def kept(result, _target):
        looks.append(result.eps)
        return result.eps / 4

    monkeypatch.setattr(matching, "figure", kept)
    result = match(LIP, DATA, "kept", 0.3, {0.5: 0.125, 1.0: 0.25, 1.5: 0.375})
    assert result.status == "reached"
    assert result.eps == pytest.approx(1.2, abs=1e-3)
    assert min(looks) > 1.0
    assert max(looks) < 1.5
    looks.clear()
    assert match(LIP, DATA, "kept", 0.25, {0.5: 0.125, 1.0: 0.25}).eps == 1.0
    assert not looks  # a point of the line has it
    assert match(LIP, DATA, "kept", 0.3, {0.5: 0.125}).eps == pytest.approx(1.2, abs=1e-3)
    assert set(FIRST) <= set(looks)  # the line does not bracket it


def test_an_answer_of_a_search_is_not_below_the_line_it_begins_from(set_figure):
    set_figure(lambda eps: eps / 8)  # a short search finds less than the line shows
    result = match(LIP, DATA, "kept", 0.3, {0.5: 0.2, 1.0: 0.25, 2.0: 0.5})
    assert result.monotone
    assert result.low >= 0.2
    assert result.value >= 0.25
