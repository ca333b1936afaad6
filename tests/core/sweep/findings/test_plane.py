import math

import numpy as np
import pytest

from core.errors import InvalidInputError
from core.scenario import Scenario
from core.sweep import Draws, Gathered, Sweep, counted_data
from core.sweep.findings import axes, lines, marks, unit_of
from core.sweep.points import chunks, compute

SWEEP = Sweep(
    Scenario(notion="lip"),
    (("mechanism", ("watchdog", "subset_merging", "identity")), ("eps", (2.0, 0.5))),
    draws=Draws(6, 3, 5),
)


def computed(sweep, some=lambda _: True):
    result = Gathered(sweep)
    for chunk in chunks(sweep, counted_data(sweep)):
        if some(chunk):
            result.add(compute(chunk, report=lambda _: None))
    return result.table()


@pytest.fixture(scope="module")
def table():
    return computed(SWEEP)


def by_hand(table, question, name):
    of = table["question"].to_numpy() == question
    return table[name].to_numpy()[of]


def test_each_question_is_at_its_means_with_its_errors_and_bound(table):
    result = marks(table, SWEEP, "level_lip", "kept")
    assert [item.question for item in result] == list(range(5))  # identity asks once
    for item in result:
        for name, spread in (("level_lip", item.across), ("kept", item.up)):
            values = by_hand(table, item.question, name)
            if np.isfinite(values).all():
                assert spread.mean == pytest.approx(values.mean(), rel=1e-12)
                deviation = values.std(ddof=1) / math.sqrt(6)
                assert spread.error == pytest.approx(deviation, rel=1e-9)
        assert math.isnan(item.bound)  # nobody knows more than that all is the most
        assert (item.points, item.none) == (6, 0)
    assert result[4].fields["eps"] is None


def test_a_bound_is_told_where_it_says_more_than_all():
    sweep = Sweep(
        Scenario(notion="lip"), (("mechanism", ("optimal", "watchdog")),), draws=Draws(4, 3, 5)
    )
    result = computed(sweep)
    for up, name in (("kept", "most"), ("utility", "upper_bound")):
        best, watchdog = marks(result, sweep, "eps", up)
        assert best.bound == pytest.approx(by_hand(result, 0, name).mean(), rel=1e-12)
        assert best.bound >= best.up.mean
        assert math.isnan(watchdog.bound)


def test_the_best_are_those_that_brute_force_finds(table):
    for across, up, sides in (
        ("level_lip", "kept", (1, -1)),
        ("kept", "level_lip", (-1, 1)),
        ("level_lip", "level_ldp", (1, 1)),
        ("kept", "information", (-1, -1)),
        ("eps", "kept", (1, -1)),
    ):
        result = marks(table, SWEEP, across, up)
        costs = [(sides[0] * item.across.mean, sides[1] * item.up.mean) for item in result]
        for item, (a, b) in zip(result, costs, strict=True):
            beaten = any(c <= a and d <= b and (c < a or d < b) for c, d in costs)
            assert item.best == (not beaten and not math.isnan(a) and not math.isnan(b))


def test_lines_are_questions_that_differ_in_the_budget_alone_in_its_order(table):
    result = lines(marks(table, SWEEP, "eps", "kept"))
    assert [[item.fields["eps"] for item in line] for line in result] == [[0.5, 2.0]] * 2 + [[None]]
    assert [line[0].fields["mechanism"] for line in result] == [
        "watchdog",
        "subset_merging",
        "identity",
    ]


def test_points_that_are_missing_leave_their_questions_out():
    part = computed(SWEEP, lambda chunk: chunk.first == 0 and 0 in chunk.points)
    result = marks(part, SWEEP, "eps", "kept")
    assert {item.fields["mechanism"] for item in result} == {"watchdog"}
    assert marks(Gathered(SWEEP).table(), SWEEP, "eps", "kept") == ()


def test_the_budget_on_both_axes_still_counts_points(table):
    result = marks(table, SWEEP, "eps", "eps")
    assert [item.points for item in result] == [6] * 5
    assert math.isnan(result[4].up.mean)
    assert not result[4].best


def test_a_question_without_an_answer_is_counted_and_dominated():
    sweep = Sweep(Scenario(notion="rldp"), (("mechanism", ("watchdog",)), ("eps", (1.0,))))
    (item,) = marks(computed(sweep), sweep, "eps", "kept")
    assert (item.points, item.none, item.best) == (1, 1, False)


def test_units_follow_promises_and_purposes():
    assert unit_of("eps", SWEEP) == "nats"
    assert unit_of("eps", Sweep(Scenario(notion="average_tv"))) == ""
    assert unit_of("level_average_tv", SWEEP) == ""
    assert unit_of("utility", SWEEP) == "nats"
    assert unit_of("utility", Sweep(Scenario(purpose="guess"))) == ""
    assert unit_of("information", Sweep(Scenario(purpose="guess"))) == "nats"
    assert unit_of("most", SWEEP) == "share"


def test_what_is_on_no_axis_is_refused(table):
    assert axes(SWEEP)[0] == "eps"
    with pytest.raises(InvalidInputError, match=r"An axis must be one of eps, kept, .* 'joy'"):
        marks(table, SWEEP, "joy", "kept")
