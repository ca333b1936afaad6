"""Sentences on notions: their factors are bounds."""

import math
import re

import pytest

from core.notions import catalogue as notions
from core.notions.numbers import Numbers


def in_numbers(key, numbers, secret):
    return notions.entry(key).in_numbers(numbers, secret)


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 3.0, 12.0])
def test_the_factors_are_those_of_the_budget_and_rounded_to_the_safe_side(eps):
    text = in_numbers("lip", Numbers(eps=eps), "sex")
    up, down = (
        float(item.replace(",", "")) for item in re.findall(r"than ([\d.,]+) times as likely", text)
    )
    assert math.exp(eps) <= up <= 1.01 * math.exp(eps) + 0.01
    assert 0.99 * math.exp(-eps) <= down <= math.exp(-eps) + 1e-9


@pytest.mark.parametrize(
    ("key", "numbers", "message"),
    [
        ("alip", {"eps": 1.0, "lam": 0.0}, "more than 2.72 times as likely, or less than 1.00"),
        (
            "sides",
            {"eps_l": math.inf, "eps_u": 0.5},
            "any value of S more than 1.65 times as likely.",
        ),
        ("min_lift", {"eps": 0.5}, "any value of S less than 0.606 times as likely."),
        ("ldp", {"eps": 0.5}, "No output is more than 1.65 times as likely under one value of S"),
        ("pml", {"eps": 0.5}, "any guess about S more than 1.65 times as likely to be right."),
        ("rldp", {"eps": 0.5}, "For every distribution consistent with the records, no output is"),
        (
            "robust_alip",
            {"eps": 1.0, "lam": 0.0},
            "For every distribution consistent with the records, no output makes any value of S "
            "more than 2.72 times as likely, or less than 1.00",
        ),
        (
            "ldp_delta",
            {"eps": 0.5, "delta": 0.1},
            "Except for outputs of total probability 0.1",
        ),
        ("lip", {"eps": 0.0}, "No output changes any belief about S."),
        ("guess", {"bound": 0.25}, "is right with probability at most 25%."),
    ],
)
def test_a_promise_is_said_in_numbers(key, numbers, message):
    assert message in in_numbers(key, Numbers(**numbers), "S")


def test_what_one_factor_does_not_say_has_no_sentence():
    assert in_numbers("l1", Numbers(), "S") == ""
    assert in_numbers("sides", Numbers(eps_l=math.inf, eps_u=math.inf), "S") == ""
    for key in ("ldp", "robust_pml", "lip_delta"):
        assert in_numbers(key, Numbers(eps=20.0), "S") == ""
