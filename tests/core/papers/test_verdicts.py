"""Verdicts follow from numbers alone: any number that moves far enough turns them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core.errors import InvalidInputError
from core.papers.experiment import Setting
from core.papers.experiments import rldp
from core.papers.results import Beyond, Experiment, Mark, Panel, Run, Series, Verdict
from core.papers.verdicts import Value, explained, outcome
from tests.core.papers.turning import turned


def test_a_mean_may_be_off_by_half_a_unit_and_four_standard_errors():
    value = Value("NMI", 0.5, 0.5, error=0.01, unit=0.02)
    for ours, expected in ((0.549, "reproduced"), (0.551, "differs"), (0.449, "differs")):
        assert outcome("NUM", [replace(value, ours=ours)]) == expected
    of_draws = replace(value, drawn=True)  # 0.01 + 4·√2·0.01 = 0.0666
    for ours, expected in ((0.566, "reproduced"), (0.567, "differs")):
        assert outcome("NUM", [replace(of_draws, ours=ours)]) == expected


def test_a_number_that_is_none_agrees_with_nothing_and_infinity_with_itself():
    assert outcome("NUM", [Value("a", math.nan, 0.5, unit=9.0)]) == "differs"
    assert outcome("NUM", [Value("a", math.inf, 0.5, unit=9.0)]) == "differs"
    assert outcome("NUM", [Value("a", math.inf, math.inf)]) == "reproduced"
    assert outcome("NUM", [Value("a", 0.5, 0.5, error=math.nan)]) == "differs"


@pytest.mark.parametrize(
    "value",
    [
        Value("a", math.nan, 0.5, relation="at most"),
        Value("a", math.nan, 0.5, relation="at least"),
        Value("a", math.nan, 0.7, unit=0.01, variant=0.7),
        Value("a", 0.6, 0.5, error=math.nan, relation="at most"),
    ],
)
def test_a_number_that_is_none_shows_no_error_of_print(value):
    assert outcome("ERR", [value]) == "differs"


def test_an_order_needs_three_standard_errors_at_every_point():
    values = [Value("ε = 1", 0.031, error=0.01), Value("ε = 2", 0.5, error=0.01)]
    assert outcome("ORD", values) == "reproduced"
    for ours in (0.029, -0.0399):  # of so many points some are that far off by chance
        values[0] = Value("ε = 1", ours, error=0.01)
        assert outcome("ORD", values) == "cannot be decided"
        text = "Between −4 and 3 standard errors at ε = 1, which chance can explain."
        assert explained("ORD", values) == text
    values[0] = Value("ε = 1", -0.0401, error=0.01)
    assert outcome("ORD", values) == "differs"
    assert explained("ORD", values) == "Lower at ε = 1."
    assert outcome("ORD", [Value("ε = 1", 0.0)]) == "differs"
    assert outcome("ORD", [Value("ε = 1", 1.0, error=math.nan)]) == "differs"


def test_extremes_may_be_off_by_a_quarter_and_two_deviations():
    for ours, expected in ((-14.9, "reproduced"), (-15.1, "differs"), (-9.1, "reproduced")):
        assert outcome("EXT", [Value("low", ours, -12.0)]) == expected
    assert outcome("EXT", [Value("low", -15.1, -12.0, error=0.1)]) == "reproduced"


def test_an_error_of_print_is_one_that_a_variant_explains():
    wrong_number = Value("B_s", 0.40673, 0.3782, unit=1e-4, variant=0.37824)
    assert outcome("ERR", [wrong_number]) == "error in the paper"
    assert outcome("ERR", [replace(wrong_number, variant=0.39)]) == "differs"
    assert outcome("ERR", [replace(wrong_number, variant=None)]) == "differs"
    assert outcome("ERR", [replace(wrong_number, ours=0.3782)]) == "reproduced"
    wrong_rule = Value("NMI", 0.834, 0.83, unit=0.02, variant=0.70)
    assert outcome("ERR", [wrong_rule]) == "error in the paper"
    assert explained("ERR", [wrong_rule]) == "NMI: 0.834 (paper: 0.83; wrong variant: 0.7)."


@pytest.mark.parametrize(("relation", "over"), [("at most", 0.2), ("at least", -0.2)])
def test_a_case_beyond_a_printed_bound_shows_an_error(relation, over):
    value = Value("T", over, 0.0, relation=relation)
    assert outcome("ERR", [value]) == "error in the paper"
    assert outcome("ERR", [replace(value, ours=-over)]) == "reproduced"
    assert outcome("NUM", [value]) == "differs"
    assert outcome("NUM", [replace(value, ours=-over)]) == "reproduced"


def test_what_cannot_be_checked_says_why():
    verdict = Verdict("NO", "…", "Example 1", (), "The data are lost in the text.")
    assert (verdict.outcome, verdict.reason) == ("cannot be checked", verdict.cause)


def test_a_cause_is_told_only_where_numbers_differ():
    verdict = Verdict("NUM", "…", "", (Value("a", 1.0, 1.0),), "Its unit is wrong.")
    assert verdict.reason == ""
    differs = replace(verdict, values=(Value("a", 2.0, 1.0),))
    assert differs.reason == "a: 2 (paper: 1). Its unit is wrong."


def test_a_comparison_needs_a_printed_value():
    with pytest.raises(InvalidInputError, match="NUM needs published values"):
        Verdict("NUM", "…", "", (Value("a", 1.0),))


@pytest.mark.parametrize(
    ("rule", "values", "message"),
    [
        ("NO", (Value("a", 1.0, 1.0),), "A verdict by NO has values, and must have none."),
        ("NUM", (), "A verdict by NUM has no values, and must have some."),
        ("ORD", (), "A verdict by ORD has no values, and must have some."),
        ("SEEN", (Value("a", 1.0, 1.0),), "A verdict's rule must be one of"),
    ],
)
def test_numbers_can_neither_be_left_out_nor_go_unheard(rule, values, message):
    with pytest.raises(InvalidInputError, match=message):
        Verdict(rule, "…", "", values, "A cause.")


def test_what_cannot_be_checked_needs_a_reason():
    with pytest.raises(InvalidInputError, match="must say why"):
        Verdict("NO", "…", "Example 1", ())


@pytest.mark.parametrize(
    "of",
    [
        {"error": math.inf},
        {"error": -1.0},
        {"unit": math.inf},
        {"unit": -0.1},
        {"variant": 1.0, "variant_error": math.inf},
        {"relation": "near"},
    ],
)
def test_no_width_or_relation_lets_every_number_agree(of):
    with pytest.raises(InvalidInputError, match="must be"):
        Value("a", 1.0, 0.5, **of)


def test_a_number_whose_error_is_none_keeps_no_bound():
    assert outcome("ERR", [Value("a", 0.4, 0.5, math.nan, relation="at most")]) == "differs"
    assert outcome("NUM", [Value("a", 0.4, 0.5, math.nan, relation="at most")]) == "differs"


def test_few_draws_leave_open_what_they_neither_show_nor_refute():
    order = Value("ε = 1", 0.01, error=0.01)
    assert outcome("ORD", [order], few=50) == "cannot be decided"
    assert outcome("ORD", [replace(order, ours=0.031)], few=50) == "reproduced"
    text = explained("ORD", [order, Value("ε = 2", 0.5)], few=50)
    assert text == "50 draws are too few to decide at ε = 1."
    # of 5 draws 6.62 standard errors are as improbable as 3 of many
    assert stats.t.sf(6.62, 4) == pytest.approx(stats.norm.sf(3), rel=0.005)
    for ours, expected in ((-0.066, "cannot be decided"), (-0.0663, "differs")):
        assert outcome("ORD", [replace(order, ours=ours)], few=5) == expected
    # one point that is shown to be the other way round decides for all
    assert outcome("ORD", [order, Value("ε = 2", -0.5, error=0.01)], few=50) == "differs"


def test_few_draws_that_are_all_alike_do_not_show_that_two_means_are_equal():
    assert outcome("ORD", [Value("ε = 1", 0.0)], few=5) == "cannot be decided"
    assert outcome("ORD", [Value("ε = 1", -1e-8)], few=5) == "differs"
    assert outcome("ORD", [Value("ε = 1", 0.0)]) == "differs"


def test_a_mean_of_few_draws_differs_by_more_than_students_t_says():
    value = Value("NMI", 0.5, 0.5, error=0.01, unit=0.02)
    allowed = 0.01 + 0.01 * float(stats.t.isf(stats.norm.sf(4), 49))
    assert allowed > 0.05  # what many draws allow
    for ours, expected in (
        (0.549, "reproduced"),
        (0.5 + allowed - 1e-4, "cannot be decided"),
        (0.5 + allowed + 1e-4, "differs"),
    ):
        assert outcome("NUM", [replace(value, ours=ours)], few=50) == expected
    # a number without an error is what it is, however few the draws
    assert outcome("NUM", [Value("a", 0.6, 0.5, unit=0.02)], few=50) == "differs"
    wrong = Value("a", 0.4, 0.5, error=0.01, unit=0.02, variant=0.9)
    assert outcome("ERR", [wrong], few=5) == "cannot be decided"
    assert outcome("ERR", [replace(wrong, ours=-0.4)], few=5) == "differs"


def test_few_draws_show_an_error_of_print_only_where_what_differs_does_so_by_far():
    # ours is 5 standard errors off: of 5 draws 4 of many are 14
    off = Value("a", 0.44, 0.5, error=0.01, unit=0.02, variant=0.5, variant_error=0.01)
    assert outcome("ERR", [off]) == "error in the paper"
    assert outcome("ERR", [off], few=5) == "cannot be decided"
    assert explained("ERR", [off], few=5) == "5 draws are too few to decide at a."
    assert outcome("ERR", [replace(off, ours=-0.4)], few=5) == "error in the paper"
    # the other way round: ours is published, and the variant is off
    rule = replace(off, ours=0.5, variant=0.44)
    assert outcome("ERR", [rule]) == "error in the paper"
    assert outcome("ERR", [rule], few=5) == "cannot be decided"
    assert outcome("ERR", [replace(rule, variant=-0.4)], few=5) == "error in the paper"
    # one value that is shown to differ is enough
    assert outcome("ERR", [rule, replace(rule, variant=-0.4)], few=5) == "error in the paper"


def test_a_bound_is_not_shown_to_be_broken_by_few_draws_that_may_be_so_by_chance():
    mean = Value("T", 0.05, 0.0, error=0.01, relation="at most")
    assert outcome("ERR", [mean]) == "error in the paper"
    assert outcome("ERR", [mean], few=5) == "cannot be decided"
    assert outcome("ERR", [replace(mean, error=0.0)], few=5) == "error in the paper"


def test_few_draws_that_tell_the_variant_not_from_ours_say_nothing_of_print():
    both = Value("a", 0.49, 0.5, error=0.01, unit=0.02, variant=0.51, variant_error=0.01)
    assert outcome("ERR", [both]) == "reproduced"
    assert outcome("ERR", [both], few=5) == "cannot be decided"
    assert outcome("ERR", [replace(both, error=0.0, variant_error=0.0)], few=5) == "reproduced"


@pytest.mark.parametrize("relation", ["at least", "at most"])
@pytest.mark.parametrize("off", [8.0, -8.0])
def test_extremes_of_few_samples_differ_on_the_inner_side_as_on_the_outer(relation, off):
    value = Value("end", -12.0 + off, -12.0, error=0.1, relation=relation)
    assert outcome("EXT", [value]) == "differs"
    assert outcome("EXT", [value], few=5) == "differs"


def test_extremes_of_few_samples_leave_open_what_their_deviation_may_explain():
    value = Value("end", -12.0, -12.0, error=1.0)
    # 2 deviations of many samples are 2.87 of 5: the chance of either is the same
    assert stats.t.sf(2.87, 4) == pytest.approx(stats.norm.sf(2), rel=0.005)
    for off, expected in ((4.9, "reproduced"), (5.8, "cannot be decided"), (5.9, "differs")):
        for side in (-1, 1):
            result = [replace(value, ours=value.ours + side * off)]
            assert outcome("EXT", result, few=5) == expected
    assert explained("EXT", [replace(value, ours=-6.2)], few=5) == (
        "5 samples are too few to decide at end."
    )


@pytest.mark.parametrize(
    ("above", "quick", "expected"),
    [
        (5, False, "reproduced"),
        (6, False, "differs"),
        (15, False, "differs"),
        (0, True, "reproduced"),
        (1, True, "reproduced"),
        (2, True, "cannot be decided"),
        (3, True, "cannot be decided"),
        (4, True, "differs"),
        (5, True, "differs"),
    ],
)
def test_more_than_five_of_a_hundred_draws_above_the_budget_differ(above, quick, expected):
    grid = np.array([0.5])
    levels = np.full((2, 5 if quick else 100, 1), 0.4)
    levels[0], levels[1, :above] = 0.9, 0.6
    result = [
        replace(item, few=5 if quick else 0)
        for item in rldp._realised((2, 5), levels, grid, Setting(14, quick=quick))
    ]
    (covered,) = [item for item in result if "95%" in item.claim]
    assert covered.outcome == expected


@pytest.mark.parametrize("rule", ["NUM", "ORD", "EXT", "ERR"])
@pytest.mark.parametrize("none", [{"ours": math.nan}, {"error": math.nan}, {"ours": -math.inf}])
def test_what_could_not_be_computed_is_not_left_open(rule, none):
    value = replace(Value("a", 0.4, 0.5, error=0.1, relation="at least"), **none)
    assert outcome(rule, [value], few=5) == (
        "error in the paper" if rule == "ERR" and none.get("ours") == -math.inf else "differs"
    )
    assert outcome("ORD", [Value("a", -1.0, error=0.9)], few=1) == "differs"


def test_a_verdict_that_is_left_open_does_not_say_why_print_is_wrong():
    verdict = Verdict("ORD", "…", "", (Value("a", 0.0, error=0.1),), "Its unit is wrong.", few=5)
    assert verdict.outcome == "cannot be decided"
    assert verdict.reason == "5 draws are too few to decide at a."
    lower = replace(verdict, few=0, values=(Value("a", -0.5, error=0.1),))
    assert lower.reason.endswith("Its unit is wrong.")
    with pytest.raises(InvalidInputError, match="draws must be at least 0"):
        replace(verdict, few=-1)


SAMPLE = Experiment(
    "lift_1",
    "lift",
    "Figure 1",
    "A title",
    "A claim",
    10,
    (Panel("(a)", "ε", "NMI"),),
    (Series("LDP", (1.0, 2.0), (0.5, math.inf), (0.1, 0.2), beyond=True),),
    (Mark(1.0, 0.5, "0.5"),),
    (
        Verdict("NUM", "one", "Figure 1", (Value("a", 0.5, 0.5), Value("b", 2.0, 1.0))),
        Verdict("ORD", "two", "Figure 1", (Value("ε = 1", 0.5, error=0.1),)),
        Verdict("ERR", "three", "§2", (Value("c", 0.4, 0.3, unit=0.01, variant=0.3),)),
        Verdict("ERR", "four", "§2", (Value("d", 0.4, 0.3, relation="at most"),)),
        Verdict("EXT", "five", "§2", (Value("e", 0.4, 0.3, error=0.01),)),
        Verdict("NO", "six", "§2", (), "Nobody knows."),
    ),
    (Beyond("The optimum", 0.9, bound=0.9),),
    ("A note.",),
    {"notion": "lip"},
    1.5,
)


def test_results_come_back_from_their_json_with_the_same_verdicts():
    run = Run("0.1.0", "2026-01-01", "2 cores", 3, False, (SAMPLE,), ("lift_2",))
    again = Run.from_json(run.to_json())
    assert again == run
    reported = SAMPLE.to_dict()["verdicts"]
    assert [item["outcome"] for item in reported] == [item.outcome for item in SAMPLE.verdicts]
    assert reported[0]["reason"] == "b: 2 (paper: 1)."


def test_an_experiment_that_was_run_again_tells_when_and_where_and_the_others_stay():
    other = replace(SAMPLE, key="lift_2")
    run = Run("0.1.0", "2026-01-01", "2 cores", 3, False, (SAMPLE, other), ("lift_3",))
    third = replace(SAMPLE, key="lift_3")
    fresh = replace(SAMPLE, draws=7)
    later = Run("0.1.0", "2026-01-02", "4 cores", 3, False, (third, fresh))
    result = run.renewed(later)
    assert [item.key for item in result.experiments] == ["lift_1", "lift_2", "lift_3"]
    reported = [(item.draws, item.date, item.machine) for item in result.experiments]
    assert reported == [(7, "2026-01-02", "4 cores"), (10, "", ""), (10, "2026-01-02", "4 cores")]
    assert (result.date, result.machine, result.missing) == ("2026-01-01", "2 cores", ())
    assert Run.from_json(result.to_json()) == result


@pytest.mark.parametrize("other", [{"version": "0.2.0"}, {"seed": 4}, {"quick": True}])
def test_experiments_of_another_kind_of_run_are_not_taken_in(other):
    run = Run("0.1.0", "2026-01-01", "2 cores", 3, False, (SAMPLE,))
    with pytest.raises(InvalidInputError, match=f"The {next(iter(other))} must be"):
        run.renewed(replace(run, **other))


def test_an_outcome_in_the_json_is_not_believed():
    reported = SAMPLE.to_dict()
    reported["verdicts"][0]["outcome"] = "reproduced"
    assert Experiment.from_dict(reported).verdicts[0].outcome == "differs"


def forged(**changes):
    """Return the JSON form of the sample with another first verdict, or another value of it."""
    reported = SAMPLE.to_dict()
    verdict = reported["verdicts"][0]
    assert verdict["outcome"] == "differs"
    for name, value in changes.items():
        (verdict if name in verdict else verdict["values"][1])[name] = value
    return reported


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": "reproduced", "reason": ""},
        {"outcome": "cannot be checked", "cause": "Nobody knows."},
        {"outcome": "error in the paper"},
    ],
)
def test_a_verdict_that_is_typed_is_overruled_by_its_numbers(changes):
    assert Experiment.from_dict(forged(**changes)).verdicts[0].outcome == "differs"


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": "NO", "cause": "Nobody knows."},
        {"rule": "NO", "cause": "Nobody knows.", "values": None},
        {"rule": "ok"},
        {"rule": ["NUM"]},
        {"values": []},
        {"error": "inf"},
        {"error": -1},
        {"unit": "inf"},
        {"unit": "wide"},
        {"relation": "any"},
        {"drawn": 1},
        {"claim": 3},
        {"printed": True},
    ],
)
def test_a_verdict_that_is_forged_so_that_it_hears_no_number_is_refused(changes):
    with pytest.raises(InvalidInputError):
        Experiment.from_dict(forged(**changes))


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"version": "1"}'])
def test_other_texts_are_no_results(text):
    with pytest.raises(InvalidInputError):
        Run.from_json(text)


def test_no_numbers_are_lost_in_a_list_that_is_none():
    reported = SAMPLE.to_dict() | {"series": 3}
    with pytest.raises(InvalidInputError, match="list"):
        Experiment.from_dict(reported)


@pytest.mark.parametrize("verdict", SAMPLE.verdicts[:-1], ids=lambda item: item.claim)
def test_each_number_of_a_verdict_turns_it(verdict):
    assert turned(verdict) == []


def test_less_than_a_figure_shows_speaks_against_no_order_of_its_lines():
    point, others = Value("ε = 1", -0.007, unit=0.01), Value("ε = 2", 0.4, unit=0.01)
    assert outcome("ORD", [point, others]) == "cannot be decided"
    assert "at ε = 1 is smaller than a figure can show (0.01)" in explained("ORD", [point, others])
    assert outcome("ORD", [replace(point, ours=-0.011), others]) == "differs"
    assert outcome("ORD", [replace(point, unit=0.0), others]) == "differs"
    assert outcome("ORD", [replace(point, ours=0.007), others]) == "reproduced"
    drawn = Value("ε = 3", -0.2, error=0.1)  # a figure does not excuse what chance has to
    assert "which chance can explain" in explained("ORD", [point, drawn])
    assert outcome("ORD", [point, replace(drawn, error=0.04)]) == "differs"
