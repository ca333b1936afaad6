"""Every optimum under a polyhedral notion, held against exact enumeration in whole numbers."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.exact.optimum import truth
from tests.exact.questions import PROMISES, Question, joint_counts, promise
from tests.exact.verdict import SOLVERS, answer, rivals

QUICK = {"deadline": None, "derandomize": True, "phases": [Phase.generate]}
"""The same cases on every run, and no shrinking: `tests.fuzz` does it, with counts in view."""

chances = st.randoms(use_true_random=False)
"""Chance that Hypothesis steers."""


def drawn(chance, kind):
    counts = joint_counts(chance)
    return Question(counts, promise(chance, counts, [kind]))


def known_to_be(failures):
    return "\n\n".join(map(str, failures))


@pytest.mark.parametrize("kind", PROMISES)
@settings(max_examples=63, **QUICK)
@given(chance=chances)
def test_the_optimum_is_true_and_its_bound_is_too(kind, chance):
    asked = drawn(chance, kind)
    known = truth(asked.counts, asked.promise)
    failures = [found for solver in SOLVERS for found in answer(asked, known, solver)[1]]
    assert not failures, known_to_be(failures)


@pytest.mark.parametrize("kind", PROMISES)
@settings(max_examples=12, **QUICK)
@given(chance=chances)
def test_no_known_mechanism_is_above_the_bound_or_the_optimum(kind, chance):
    asked = drawn(chance, kind)
    _, failures = rivals(asked, truth(asked.counts, asked.promise), chance)
    assert not failures, known_to_be(failures)
