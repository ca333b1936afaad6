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
    found = failure(question(random, FORMULAS))
    assert found is None, str(found)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_mechanism_with_a_search_answers_every_legal_question(random):
    found = failure(question(random, SEARCHED))
    assert found is None, str(found)


def asked(**changes):
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
    ],
)
def test_what_raised_has_an_answer(changes):
    assert failure(asked(**changes)) is None


def test_a_failure_is_found_and_told(monkeypatch):
    def broken(*_arguments, **_options):
        raise ZeroDivisionError("here")

    monkeypatch.setattr("tests.legal.mechanisms.build", broken)
    found = failure(asked())
    assert found.kind == "watchdog, ZeroDivisionError"
    assert "ZeroDivisionError('here')" in str(found)
