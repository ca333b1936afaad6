"""Whatever is legal has an answer: no exception but a true refusal, and no warning."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.legal import FORMULAS, SEARCHED, Question, failure, question

EXAMPLES = int(os.environ.get("LEGAL_EXAMPLES", "300"))
"""Questions that are asked here; `make fuzz` asks more."""


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_mechanism_without_a_search_answers_every_legal_question(random):
    result = failure(question(random, FORMULAS))
    assert result is None, str(result)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_mechanism_with_a_search_answers_every_legal_question(random):
    result = failure(question(random, SEARCHED))
    assert result is None, str(result)


def posed(**changes):
    base = {
        "counts": ((3.0, 1.0), (1.0, 2.0)),
        "notion": "lip",
        "eps": 0.5,
        "lam": 0.5,
        "other": 1.0,
        "alpha": 2.0,
        "beta": 0.05,
        "n": 100,
        "mechanism": "watchdog",
        "utility": "resolution",
    }
    return Question(**(base | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"notion": "rldp", "alpha": 0.3, "mechanism": "independent_reporting"},
        {"notion": "rldp", "alpha": 0.05, "eps": 0.0, "mechanism": "secret_rr"},
        {"notion": "chi2", "counts": ((1.0, 1e-300), (1e-300, 1.0)), "eps": 50.0},
        {
            "notion": "rldp",
            "counts": ((3e-300, 0.0, 5e-100), (6e-300, 1e-100, 1.0), (4e-100, 4e-100, 4.0)),
            "eps": 50.0,
            "alpha": 0.9,
            "mechanism": "polyopt",
        },
        {"notion": "lip", "eps": 0.0, "mechanism": "subset_random_response"},
        {  # a lift of 1e307, whose product with its logarithm is no double
            "notion": "kl",
            "counts": ((3e-308, 1e-307), (1e-300, 0.0), (1.0, 3e-308)),
            "eps": 1e-13,
            "mechanism": "subset_merging",
        },
        {  # boxes that rounding left empty, where the gap is 0
            "notion": "sides",
            "counts": ((1e300, 3.0), (3.0, 0.0), (3.0, 1.0)),
            "eps": 1e-300,
            "other": 1e-13,
            "gap": 0.0,
            "mechanism": "optimal",
        },
        {  # e^-600 times a rare secret's probability is no double
            "notion": "min_lift",
            "counts": ((1.0, 1e15, 1e300, 1.0), (0.0, 3.0, 1e17, 1e15)),
            "eps": 7.95,
            "mechanism": "grr",
        },
        {  # multipliers times widths of boxes that are no doubles
            "notion": "lip",
            "counts": ((1e300, 1.0, 3.0, 3.0, 1e15), (1e17, 3.0, 3.0, 1e15, 1e15)),
            "eps": 0.05,
            "gap": 0.0,
            "mechanism": "optimal",
        },
        {  # steps so small that their room is no double
            "notion": "average_arimoto",
            "counts": ((1e300, 1e15), (1e15, 1.0), (1e300, 1.0)),
            "eps": 1e-300,
            "alpha": 1 + 1e-9,
            "mechanism": "optimal",
        },
        {  # budgets so small that a row of coefficients is 0
            "notion": "robust_ldp",
            "counts": ((6.0, 1.0), (6.0, 3.0), (3.0, 3.0), (0.0, 0.0), (4.0, 4.0)),
            "eps": 1e-300,
            "beta": 0.05,
            "n": 10_000_000,
            "mechanism": "optimal",
        },
        {  # a column of e^-709.5 alone was weighed in a unit that no sum of doubles holds
            "notion": "min_lift",
            "counts": (
                (0.0, 2.0, 7.0, 0.0, 0.0),
                (5e-100, 5e-300, 0.0, 6e-300, 3e-100),
                (0.0, 4.0, 9.0, 9.0, 7.0),
                (6.0, 0.0, 7e-300, 8.0, 5e-300),
            ),
            "eps": 709.5,
            "mechanism": "optimal_reading_secret",
            "utility": "distortion",
        },
        {  # an output that says 1e-309 of the symbol it says most about
            "notion": "ldp",
            "counts": ((2e-300, 5e-100, 0.0), (8e-300, 1e-100, 3.0), (3e-300, 4e-300, 5.0)),
            "eps": 300.0,
            "mechanism": "optimal_reading_secret",
        },
        {  # prices of 1e308
            "notion": "pml",
            "counts": (
                (0.0, 1e-300, 9e-100),
                (8e-100, 1e-100, 9.0),
                (3e-300, 8e-300, 5.0),
                (8e-100, 4e-300, 6.0),
            ),
            "eps": 700.0,
            "mechanism": "optimal_reading_secret",
        },
        {  # pairs and symbols sum up in another order
            "notion": "alip",
            "counts": ((2.0, 0.0), (7e-9, 6e-9), (3e-9, 7e-9), (5e-6, 5e-9)),
            "eps": 740.0,
            "lam": 0.0,
            "mechanism": "optimal_reading_secret",
        },
        {
            "notion": "alip",
            "counts": (
                (
                    *(0.28571428571542856, 0.2285714285721143, 0.3428571428564572),
                    *(0.5142857142862287, 0.0571428571428),
                ),
                (
                    *(0.3571428571410714, 0.2857142857154285, 0.4285714285727143),
                    *(0.6428571428577858, 0.07142857142864285),
                ),
            ),
            "eps": 709.9,
            "lam": 1.0,
            "mechanism": "subset_random_response",
        },
        {
            "notion": "rldp",
            "counts": (
                (0.8000023999999999, 0.7000006999999999),
                (0.45714422857142856, 0.4),
                (0.9142847999999999, 0.8),
            ),
            "eps": 1e-12,
            "alpha": 0.9,
            "beta": 0.999999999,
            "n": 1000,
            "mechanism": "non_robust",
        },
        {  # e^-740 times a rare secret's probability is no double
            "notion": "lip",
            "counts": (
                (8e-300, 9e-300, 7.0, 6e-300, 2.0, 0.0),
                (2.0, 8.0, 7.0, 2e-100, 7.0, 8e-300),
                (2.0, 3.0, 5.0, 4e-100, 1.0, 7e-300),
            ),
            "eps": 740.0,
            "mechanism": "conditional_reporting",
        },
        {  # the optimum of X alone, from which the search starts, sums up in another order
            "notion": "average",
            "counts": (
                (0.17142839999999998, 0.3857150571428572),
                (0.05714297142857143, 0.12857155714285715),
                (0.2857157142857143, 0.6428565),
            ),
            "eps": float("inf"),
            "lam": 1.0,
            "other": 740.0,
            "alpha": 100.0,
            "beta": 0.999999999,
            "n": 1000,
            "mechanism": "optimal_reading_secret",
        },
        {
            "notion": "rldp",
            "counts": ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0)),
            "eps": 745.0,
            "alpha": 0.3,
            "beta": 0.001,
            "n": 1,
            "mechanism": "independent_reporting",
        },
    ],
)
def test_what_raised_has_an_answer(changes):
    assert failure(posed(**changes)) is None


def test_a_failure_is_found_and_told(monkeypatch):
    def broken(*_arguments, **_options):
        raise ZeroDivisionError("here")

    monkeypatch.setattr("tests.legal.mechanisms.build", broken)
    result = failure(posed())
    assert result.kind == "watchdog, ZeroDivisionError"
    assert "ZeroDivisionError('here')" in str(result)
