"""Exercises: answers by hand, what is said of wrong ones, and what readers may type."""

import math
from fractions import Fraction

import pytest

from core.learning import check, exercises
from core.learning.exercises import NEEDED, near, numbers


def by_key(variant=0):
    return {item.key: item for item in exercises(variant)}


def test_the_answers_of_the_table_of_the_lessons_are_those_worked_out_by_hand():
    result = {key: item.answer for key, item in by_key().items()}
    assert result == pytest.approx(
        {
            "positive": 0.3,
            "posterior": 0.6,
            "lift": 3.0,
            "min_lift": 1 / 7,
            "lip": math.log(7),
            "ldp": math.log(8.5),
            "alip": math.log(7) / (math.log(7) + math.log(3)),
            "pml": math.log(3),
            "alpha": math.sqrt(0.2 * 9 + 0.8 * 0.25),
            # told negative: .2(.1t + .9(1−t))·√e ≥ .2 P: P = .7t + .3(1−t), (.9−.8t)√e = .3+.4t
            "truth": (0.9 * math.sqrt(math.e) - 0.3) / (0.4 + 0.8 * math.sqrt(math.e)),
            "funnel": 0.1
            * (
                0.18 * math.log(3)
                - 0.02 * math.log(7)
                - 0.12 * math.log(2)
                + 0.68 * math.log(17 / 14)
            ),
            "maximin": math.log2(3),
            "rldp": math.log(1 + 7.814728 / 200),
        },
        rel=1e-6,
    )


def test_every_variant_agrees_with_exact_fractions(subtests):
    for variant in range(1, 100):
        with subtests.test(variant=variant):
            agrees_with_exact_fractions(variant)


def agrees_with_exact_fractions(variant):
    ill, hit, alarm = (Fraction(value).limit_denominator(20) for value in numbers(variant))
    p_y = ill * hit + (1 - ill) * alarm
    lifts = [[hit / p_y, (1 - hit) / (1 - p_y)], [alarm / p_y, (1 - alarm) / (1 - p_y)]]
    every = [lift for row in lifts for lift in row]
    result = {key: item.answer for key, item in by_key(variant).items()}
    assert result["positive"] == pytest.approx(float(p_y))
    assert result["posterior"] == pytest.approx(float(ill * hit / p_y))
    assert result["lift"] == pytest.approx(float(lifts[0][0]))
    assert result["min_lift"] == pytest.approx(float(min(lifts[0][1], lifts[1][1])))
    assert result["lip"] == pytest.approx(max(abs(math.log(lift)) for lift in every))
    assert result["pml"] == pytest.approx(math.log(max(every)))
    assert result["ldp"] == pytest.approx(math.log(max(hit / alarm, (1 - alarm) / (1 - hit))))
    assert 0 < result["alip"] < 1


def test_two_variants_differ():
    assert len({numbers(variant) for variant in range(100)}) > 60


@pytest.mark.parametrize("variant", [0, 1, 17])
def test_the_shown_answer_is_right_and_common_slips_are_explained(variant):
    for item in exercises(variant):
        assert check(item, item.shown).right, item.key
        assert item.question.endswith("?")
        assert item.hint.endswith((".", "?"))
        for slip in item.slips:
            if near(slip.value, item.answer):
                continue
            text = check(item, f"{slip.value:.8f}")
            assert not text.right
            assert text.message.startswith("Not yet. ")


def test_what_is_wrong_without_a_reason_is_just_not_right_yet():
    assert check(by_key()["lift"], "17").message == "Not yet."


def test_an_answer_needs_the_digits_that_the_page_asks_for():
    answers = [item.answer for variant in range(100) for item in exercises(variant)]
    assert all(near(float(f"{answer:.{NEEDED}g}"), answer) for answer in answers)
    assert not all(near(float(f"{answer:.{NEEDED - 1}g}"), answer) for answer in answers)
