"""The worked examples: numbers worked out by hand, and what the words say of them."""

import itertools
import math
import re

import numpy as np
import pytest

from core.learning import LESSONS, words
from core.learning.examples import (
    alip_example,
    alpha_example,
    flipped,
    funnel_example,
    ldp_example,
    lip_example,
    of_clue,
    of_test,
    pml_example,
    range_example,
    revealed,
    robust_example,
)

BUDGETS = (0.0, 0.05, 0.5, 1.0, 2.5)


def test_a_positive_test_makes_the_illness_three_times_likelier_a_negative_one_seven_times_less():
    result = revealed(of_test())
    assert result.lift == pytest.approx(np.array([[3, 1 / 7], [0.5, 17 / 14]]))
    assert result.posterior == pytest.approx(np.array([[0.6, 1 / 35], [0.4, 34 / 35]]))
    assert (result.lip, result.pml) == pytest.approx((math.log(7), math.log(3)))
    assert result.ldp == pytest.approx(math.log(8.5))
    assert words.of_lift(result) == (
        "After “positive” (30% of all results), “ill” is 3 times as likely and “well” half as "
        "likely.",
        "After “negative” (70% of all results), “ill” is one seventh as likely and “well” 1.21 "
        "times as likely.",
        "The largest change of any belief, up or down, sets the level: X itself satisfies LIP at ε "
        "= 1.946 nats (a factor of 7) and at no smaller ε.",
    )


SETTABLE = [step / 100 for step in range(1, 100)]


@pytest.mark.parametrize("hit", [0.0, 0.33, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("alarm", [0.0, 0.15, 0.5, 0.97])
def test_shares_of_all_results_are_near_and_add_up_for_every_table(hit, alarm):
    for ill in SETTABLE:
        result = revealed(of_test(ill, hit, alarm))
        shown = re.findall(r"\(([<>]?)([\d.]+)% of all", " ".join(words.of_lift(result)))
        assert len(shown) == len(result.names)
        if not any(sign for sign, _ in shown):
            assert sum(round(10 * float(share)) for _, share in shown) == 1000
        for (_, share), exact in zip(shown, result.p_y, strict=True):
            assert float(share) == pytest.approx(100 * exact, abs=0.1 + 1e-9)


@pytest.mark.parametrize("hit", [0.0, 0.5, 0.9, 1.0])
def test_no_belief_is_said_to_change_by_a_factor_of_one(hit):
    for ill in SETTABLE:
        for alarm in (0.0, 0.5, 0.89, 0.9, 0.91):
            text = " ".join(words.of_lift(revealed(of_test(ill, hit, alarm))))
            assert not re.search(r"(?<![\d.])1 times", text), text


def test_a_factor_near_one_is_told_as_a_percentage_of_the_lift():
    assert words.change(1.0049) == "0.49% more likely"
    assert words.change(1.0051) == "1.01 times as likely"
    assert words.change(1 / 1.0051) == "0.995 times as likely"
    assert words.change(0.996) == "0.40% less likely"
    assert words.change(1 + 1e-12) == "as likely as before"


def test_every_table_that_can_be_dragged_has_lifts_that_average_to_one(subtests):
    ends = (0.0, 0.5, 1.0)
    for ill, hit, alarm in itertools.product((0.01, 0.5, 0.99), ends, ends):
        with subtests.test(ill=ill, hit=hit, alarm=alarm):
            result = revealed(of_test(ill, hit, alarm))
            assert (result.lift @ result.p_y) == pytest.approx(np.ones(2))
            assert len(words.of_lift(result)) == len(result.names) + 1
            text = " ".join(words.of_lift(result))
            assert "nan" not in text
            assert ("ruled out" in text) == bool((result.lift == 0).any())


@pytest.mark.parametrize("eps", BUDGETS)
def test_the_most_truthful_answer_keeps_lip_and_a_little_more_truth_breaks_it(eps):
    result = lip_example(eps, 0.8)
    joint = of_test()
    assert revealed(joint, flipped(result.most_truthful)).lip <= eps + 1e-9
    if result.most_truthful < 1:
        assert revealed(joint, flipped(min(1.0, result.most_truthful + 1e-4))).lip > eps
    assert result.simple <= result.best + 1e-9
    assert result.kept == (result.release.lip <= eps)
    assert ("breaks" in words.of_lip(result)[0]) == (not result.kept)


@pytest.mark.parametrize("share", [0.0, 0.35, 0.5, 1.0])
def test_the_optimum_under_alip_keeps_both_budgets(share):
    result = alip_example(1.0, share)
    assert (result.eps_l, result.eps_u) == pytest.approx((share, 1 - share))
    assert -result.release.log_min.min() <= share + 1e-9
    assert result.release.log_max.max() <= 1 - share + 1e-9
    assert result.kept[[0, -1]] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_what_the_lesson_on_alip_says_of_this_table_is_so():
    (lesson,) = (item for item in LESSONS if item.key == "alip")
    assert "In this table, however, λ below ½ keeps the most at ε = 1" in " ".join(lesson.use)
    assert alip_example(1.0, 0.5).best_share < 0.5


@pytest.mark.parametrize("truth", [0.5, 0.6, 0.8, 1.0])
def test_ldp_does_not_depend_on_who_is_asked_and_bounds_lip_on_both_sides(truth):
    result = ldp_example(0.2, truth)
    assert np.ptp(result.ldp) == pytest.approx(0.0, abs=1e-9)
    assert (result.lip <= result.ldp + 1e-9).all()
    assert (result.lip >= result.ldp / 2 - 1e-9).all()
    low, high = truth * 0.85 + (1 - truth) * 0.15, truth * 0.1 + (1 - truth) * 0.9  # negative
    least, most = truth * 0.15 + (1 - truth) * 0.85, truth * 0.9 + (1 - truth) * 0.1
    assert result.release.ldp == pytest.approx(math.log(max(low / high, most / least)))


@pytest.mark.parametrize("eps", BUDGETS)
def test_pml_bounds_rises_alone_and_keeps_at_least_what_lip_keeps(eps):
    result = pml_example(eps)
    assert result.release.pml <= eps + 1e-9
    assert result.kept >= result.kept_by_lip - 1e-9
    assert result.informed <= result.blind * math.exp(eps) + 1e-9
    assert result.blind == pytest.approx(0.8)


def test_pml_lets_a_belief_fall_further_than_lip():
    result = pml_example(0.5)
    assert result.release.lip > 0.5
    assert words.of_pml(result)[1].endswith("after it, a secret is one seventh as likely.")


@pytest.mark.parametrize("lift", [0.0, 1.0, 2.5, 4.0])
def test_the_mean_of_lifts_rises_from_one_to_the_largest(lift):
    lifts = np.array([lift, *[(4 - lift) / 3] * 3])
    for order in (1.0, 2.0, 5.0):
        assert alpha_example(lift, order).mean == pytest.approx(
            ((lifts**order).mean()) ** (1 / order)
        )
    result = alpha_example(lift, math.inf)
    assert result.lifts == pytest.approx(lifts)
    assert result.mean == pytest.approx(lifts.max())
    assert (np.diff(result.means) >= -1e-9).all()
    assert result.means[0] == 1.0
    assert of_clue(lift).p.sum() == pytest.approx(1)


@pytest.mark.parametrize("n", [30, 100, 100_000])
@pytest.mark.parametrize("eps", [0.0, 0.7, 2.5])
def test_the_robust_design_keeps_its_promise_where_the_trusting_one_breaks_it(eps, n):
    result = robust_example(eps, n)
    assert result.robust_at_worst <= eps + 1e-9
    if eps > 0:
        assert result.at_worst > eps
    assert result.robust <= result.trusting + 1e-9
    assert (result.low <= result.estimate).all()
    assert (result.estimate <= result.high).all()
    assert (np.diff(result.levels) <= 1e-9).all()


def test_the_robust_lesson_has_the_printed_estimate():
    result = robust_example(math.log(2), 100)
    assert result.estimate == pytest.approx([0.07 / 0.17, 0.26 / 0.83])
    assert result.low == pytest.approx([0.15522, 0.19213], abs=1e-5)  # [RLDP] Example 2, corrected
    assert 1 - result.high == pytest.approx([0.27272, 0.53337], abs=1e-5)


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.5, 1.0])
def test_the_funnel_keeps_more_than_telling_rarely_for_the_same_average(chance):
    result = funnel_example(chance)
    whole = revealed(of_test())
    assert result.release.about_secret == pytest.approx(chance * whole.about_secret)
    assert result.release.about_x == pytest.approx(chance * whole.about_x)
    assert result.best_here >= result.release.about_x - 1e-6
    assert result.release.lip == pytest.approx(math.log(7) if chance else 0.0)
    assert ("factor of 7" in " ".join(words.of_funnel(result))) == (chance > 0)
    assert (np.diff(result.best) > 0).all()


def test_merging_stops_of_different_groups_leaves_nothing_certain():
    groups, bits = zip(
        *(
            (result.after.parts, result.after.information)
            for result in map(range_example, range(4))
        ),
        strict=True,
    )
    assert groups == (3, 2, 1, 1)
    assert bits == pytest.approx([math.log2(3), 1.0, 0.0, 0.0])
    assert "nothing about the street for certain" in words.of_maximin(range_example(2))[0]
    # even so one cluster is served by one street alone: School is Cedar's, Harbor Fir's
    assert "1 of 6 streets possible" in words.of_maximin(range_example(2))[1]


def test_numbers_in_words_are_those_of_the_example():
    result = robust_example(0.7, 100)
    text = words.of_rldp(result)
    assert re.search(r"worst-case level is (\S+)\.$", text[1])[1] == words.level(result.at_worst)
    assert words.level(float("inf")) == "∞"
    assert words.level(-0.0) == "0"
    assert words.level(10.0) == "10"
    assert words.nats(math.log(2)) == "0.693 nats (a factor of 2)"


@pytest.mark.parametrize(
    ("eps", "share", "message"),
    [
        (1.0, 0.5, "Beliefs may rise by a factor of 1.65 and fall by a factor of 1.65."),
        (
            1.0,
            1.0,
            "Beliefs may fall by a factor of 2.72, but not rise: beliefs sum to 1, so none moves.",
        ),
        (
            1.0,
            0.0,
            "Beliefs may rise by a factor of 2.72, but not fall: beliefs sum to 1, so none moves.",
        ),
        (0.0, 0.5, "Beliefs may neither rise nor fall."),
    ],
)
def test_a_budget_of_0_forbids_its_own_way_alone_and_so_both(eps, share, message):
    result = alip_example(eps, share)
    assert words.of_alip(result)[0] == message
    still = min(result.eps_l, result.eps_u) == 0
    assert still == bool(np.allclose(result.release.lift, 1))
    assert ("no λ" in words.of_alip(result)[1]) == (result.kept.max() < 1e-9)


@pytest.mark.parametrize(
    ("eps", "message"),
    [
        (0.0, "Both allow the same: no belief may shift."),
        (0.5, "LIP would not allow one of its outputs: after it, a secret is one seventh"),
        (2.5, "LIP allows all of its outputs too: at worst a secret is one seventh as likely."),
    ],
)
def test_what_pml_allows_and_lip_does_not_is_what_lip_forbids(eps, message):
    result = pml_example(eps)
    assert words.of_pml(result)[1].startswith(message)
    forbidden = result.release.lip > eps + 1e-9
    assert message.startswith("LIP would not allow") == forbidden


def test_at_0_no_belief_moves_and_no_factor_of_1_is_told():
    useless = ldp_example(0.2, 0.5)
    assert useless.release.ldp == pytest.approx(0.0, abs=1e-12)
    assert words.of_ldp(useless) == (
        "This release satisfies LDP at ε = 0 (no belief moves) for every population.",
        "So it also satisfies LIP at 0, whatever share is ill.",
    )
    text = [
        *words.of_lip(lip_example(0.0, 0.5)),
        *words.of_rldp(robust_example(0.0, 100)),
        *words.of_lift(revealed(of_test(hit=0.5, alarm=0.5))),
    ]
    assert not any("factor of 1)" in item for item in text)
    assert "So X itself satisfies LIP at ε = 0 (no belief moves)." in text


def test_a_clue_that_tells_nothing_and_an_order_without_end_are_told_as_such():
    assert words.of_alpha(alpha_example(1.0, 2.0))[0].endswith("by 1, 1, 1, 1: it reveals nothing.")
    assert words.of_alpha(alpha_example(2.5, math.inf))[1] == (
        "Their mean of order α = ∞ is the largest, 2.5."
    )


def test_one_bit_is_one():
    assert words.of_maximin(range_example(1))[0].endswith("log₂ 2 = 1 bit.")
    assert words.of_maximin(range_example(0))[0].endswith("log₂ 3 = 1.58 bits.")
