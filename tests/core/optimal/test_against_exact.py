"""Every optimum under a polyhedral notion, held against exact enumeration in whole numbers."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.exact.optimum import truth
from tests.exact.promises import Promise
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
    request = drawn(chance, kind)
    known = truth(request.counts, request.promise)
    failures = [result for solver in SOLVERS for result in answer(request, known, solver)[1]]
    assert not failures, known_to_be(failures)


@pytest.mark.parametrize("kind", PROMISES)
@settings(max_examples=12, **QUICK)
@given(chance=chances)
def test_no_known_mechanism_is_above_the_bound_or_the_optimum(kind, chance):
    request = drawn(chance, kind)
    _, failures = rivals(request, truth(request.counts, request.promise), chance)
    assert not failures, known_to_be(failures)


NEAR = 100_000


def many_secrets(n_s, n_x, seed):
    """Return counts that are independent, nearly so, of rank 2, or any."""
    chance = np.random.default_rng(seed)

    def product():
        return np.outer(chance.integers(1, 9, n_s), chance.integers(1, 9, n_x))

    independent = NEAR * product()
    yield independent
    yield independent + chance.integers(-3, 4, (n_s, n_x))
    yield product() + product()
    yield 10**10 * product() + product()
    yield chance.integers(0, 4, (n_s, n_x)) + 1


@pytest.mark.parametrize("n_s", [7, 8, 9])
@pytest.mark.parametrize("n_x", [2, 3, 4])
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.05])
def test_ldp_of_many_secrets_is_true_near_independence(n_s, n_x, eps):
    for counts in many_secrets(n_s, n_x, n_s * n_x):
        cells = tuple(map(tuple, counts.tolist()))
        request = Question(cells, Promise("LDP", (eps,)))
        known = truth(cells, request.promise)
        for solver in ("auto", "columns"):
            best, failures = answer(request, known, solver)
            assert not failures, known_to_be(failures)
            assert best.status == "optimal"
