"""What one notion implies of another, against the levels of random releases."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core.joint import Joint
from core.mechanisms.result import make_mechanism
from core.notions import catalogue as notions
from core.scenario import Promise, Scenario
from core.studies.implied import OF_EACH, bounds_of, least_eps, measured

KEYS = sorted({entry.key for entry in notions.ALL} - {"srlip", "metric_ldp", "rldp"})
"""Notions that can be asked of any joint."""

CASES = [
    *(Scenario(notion=key, alpha=2.0, n=200) for key in KEYS),
    *(Scenario(notion="alip", lam=lam) for lam in (0.0, 0.3, 1.0)),
    *(Scenario(notion=key, delta=0.2) for key in ("lip_delta", "ldp_delta")),
    *(Scenario(notion="sides", eps_l=a, eps_u=b) for a, b in ((0.2, np.inf), (np.inf, 0.2))),
    Scenario(notion="robust_ldp", n=30, beta=0.01),
    Scenario(notion="robust_ldp", n=200, alpha=1.0),
    Scenario(notion="pml", also=(Promise("min_lift", eps=0.3),)),
    Scenario(notion="pml_delta", delta=0.1, also=(Promise("lip_delta", eps=0.3, delta=0.1),)),
]


def releases(seed):
    """Yield joints, and kernels from nearly nothing to X itself."""
    rng = np.random.default_rng(seed)
    for n_s, n_x in ((2, 2), (3, 3)):
        joint = Joint.from_counts(rng.integers(1, 40, size=(n_s, n_x)))
        for share in (0.05, 0.7):
            noise = rng.dirichlet(np.ones(n_x), size=n_x)
            yield joint, share * noise + (1 - share) * joint.p_x
        yield joint, np.eye(n_x)
        yield joint, rng.dirichlet(np.full(4, 0.3), size=n_x)


def holds_from(scenario, joint, kernel):
    """Return the least ε at which a scenario's notions hold, by bisection; None if at none."""

    def holds(eps):
        return replace(scenario, eps=float(eps)).build_notion(joint).holds(joint, kernel)

    low, high = 0.0, 50.0
    if holds(low):
        return low
    if not holds(high):
        return None
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def test_a_release_under_one_notion_keeps_every_notion_that_it_implies():
    used = set()
    for joint, kernel in releases(0):
        least = [holds_from(scenario, joint, kernel) for scenario in CASES]
        release = make_mechanism(joint, kernel, name="", notion=None)
        for (i, a), (j, b) in product(enumerate(CASES), enumerate(CASES)):
            question = bounds_of(replace(b, eps=1.0), joint)
            true = np.inf if least[j] is None else least[j]
            given = () if least[i] is None else bounds_of(replace(a, eps=least[i]), joint)
            eps = least_eps(given, b, question)
            assert eps >= true - 1e-6, (str(a), str(b))
            used |= {(a.notion, b.notion)} if eps < np.inf else set()
            if i == 0:
                reached = least_eps((measured(joint, release),), b, question)
                assert reached >= true - 1e-6, str(b)
                if b.notion in {"lip", "alip", "ldp", "pml", "min_lift"} and not b.also:
                    assert reached == pytest.approx(true, abs=1e-6), str(b)
    for pair in (
        *(("ldp", "lip"), ("lip", "ldp"), ("alip", "ldp"), ("alip", "lip"), ("lip", "lip_delta")),
        *(("robust_ldp", "ldp"), ("robust_ldp", "lip"), ("robust_lip", "lip")),
        *(("robust_lip", "robust_pml"), ("robust_pml", "pml"), ("sides", "pml"), ("pml", "kl")),
        *(("lip_delta", "lip_delta"), ("lip", "average_mi"), ("pml", "average_leakage")),
    ):
        assert pair in used
    for pair in (("ldp", "robust_ldp"), ("lip_delta", "lip"), ("average_mi", "lip"), ("kl", "lip")):
        assert pair not in used


JOINT = Joint.from_counts([[3, 1, 2], [1, 3, 2]])


def least(a, b):
    return least_eps(bounds_of(a, JOINT), b, bounds_of(replace(b, eps=1.0), JOINT))


@pytest.mark.parametrize(
    ("a", "b", "eps"),
    [
        (Scenario(notion="ldp", eps=0.5), Scenario(notion="lip"), 0.5),
        (Scenario(notion="lip", eps=0.5), Scenario(notion="ldp"), 1.0),
        (Scenario(notion="alip", eps=1.0, lam=0.3), Scenario(notion="lip"), 0.7),
        (Scenario(notion="lip", eps=0.5), Scenario(notion="alip", lam=0.2), 2.5),
        (Scenario(notion="robust_alip", eps=1.0, lam=0.3), Scenario(notion="ldp"), 1.0),
        (Scenario(notion="pml", eps=0.5), Scenario(notion="lip"), np.inf),
        (Scenario(notion="pml", eps=0.0), Scenario(notion="ldp"), 0.0),
        (
            Scenario(notion="pml", eps=0.5, also=(Promise("min_lift", eps=0.25),)),
            Scenario(notion="ldp"),
            0.75,
        ),
        (
            Scenario(notion="lip", eps=0.5),
            Scenario(notion="ldp", also=(Promise("pml", eps=0.4),)),
            np.inf,
        ),
        (  # together outputs of probability 0.2 may break one of the two
            Scenario(notion="pml_delta", delta=0.1, also=(Promise("lip_delta", delta=0.1),)),
            Scenario(notion="ldp_delta", delta=0.15),
            2.0,
        ),
        (Scenario(notion="lip_delta", delta=0.2), Scenario(notion="lip_delta", delta=0.1), np.inf),
    ],
)
def test_known_implications(a, b, eps):
    assert least(a, b) == pytest.approx(eps, rel=1e-12)


def test_a_set_of_distributions_holds_for_every_smaller_one_of_its_order():
    few = Scenario(notion="robust_ldp", eps=0.5, n=40, beta=0.01)
    for smaller in (replace(few, n=41), replace(few, beta=0.02), replace(few, n=4_000)):
        assert least(few, smaller) == pytest.approx(0.5)
        assert least(smaller, few) == np.inf
    assert least(few, replace(few, alpha=3.0)) == np.inf
    lifts = replace(few, notion="robust_lip")  # asked of a larger set than F
    assert least(lifts, replace(few, n=50)) == pytest.approx(1.0)
    assert least(few, lifts) == least(lifts, replace(lifts, n=50)) == np.inf


def test_every_budget_that_is_asked_is_in_proportion_to_epsilon():
    for case in CASES:
        one, two = (bounds_of(replace(case, eps=eps), JOINT)[0].budgets for eps in (1.0, 2.0))
        scale = 2.0 if "eps" in notions.entry(case.notion).parameters else 1.0
        assert {key: scale * budget for key, budget in one.items()} == pytest.approx(two)


def test_every_robust_notion_is_of_each_distribution():
    assert set(OF_EACH) == {entry.key for entry in notions.ALL if entry.kind.of_estimate}
