import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import mechanisms as m
from core.errors import InfeasibleError, InvalidInputError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, GuessingProbability, Intersection
from tests.strategies import joints, symbol_notions

BALANCED = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
LEAKY = Joint.from_counts([[8, 1, 2, 4], [2, 1, 2, 4]], x_labels=["a", "b", "c", "d"])


def test_symbols_that_keep_the_promise_are_published_and_the_rest_is_one_output():
    mechanism = m.watchdog(BALANCED, LIP(0.5))
    np.testing.assert_array_equal(mechanism.kernel, [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert mechanism.partition == ((0, 1), (2,), (3,))
    assert (mechanism.status, mechanism.solver, mechanism.notes) == ("heuristic", "closed form", ())
    expected = -(18 * np.log(18 / 38) + 2 * 10 * np.log(10 / 38)) / 38
    assert mechanism.utility == pytest.approx(expected, abs=1e-14)


def test_a_budget_that_allows_all_publishes_all_and_is_optimal():
    mechanism = m.watchdog(BALANCED, LIP(1.6))
    assert (mechanism.status, mechanism.nmi, mechanism.gap) == ("optimal", 1.0, 0.0)


def test_what_the_high_risk_symbols_leak_together_is_said_and_repaired_by_the_least_probable():
    mechanism = m.watchdog(LEAKY, LIP(0.3))
    # Only a breaks the budget: P(s2 | a)/P(s2) = 0.2·24/9, and a alone cannot be merged.
    assert mechanism.partition == ((0, 1, 2), (3,))
    assert mechanism.status == "repaired"
    (note,) = mechanism.notes
    assert note.startswith("X_H, the symbols that exceed the budget on their own, reach 0.6286 n")
    assert note.endswith("repaired by moving 2 symbols of the others, X_L, into X_H (b, c).")
    assert LIP(0).achieved(LEAKY, m.watchdog(LEAKY, LIP(0)).kernel) < 1e-12


def test_without_repair_a_budget_that_is_not_attained_is_an_error_that_names_the_repair():
    with pytest.raises(InfeasibleError, match=r"^X_H, the symbols that .* reach .*repair=True"):
        m.watchdog(LEAKY, LIP(0.3), repair=False)


def test_both_sides_that_break_are_named():
    joint = Joint.from_counts([[8, 40, 40], [1, 40, 40]])
    with pytest.raises(InfeasibleError, match=r"downwards \(0\.1 allowed\) and .* upwards \(0\.2"):
        m.watchdog(joint, ALIP(0.1, 0.2), repair=False)


def test_a_promise_that_the_prior_breaks_is_kept_by_no_mechanism():
    with pytest.raises(InfeasibleError, match="even the constant one breaks it"):
        m.watchdog(LEAKY, GuessingProbability(0.5))


def test_merge_must_be_known_and_the_notion_must_bound_single_symbols():
    with pytest.raises(InvalidInputError, match="merge must be complete or uniform, got 'half'"):
        m.watchdog(BALANCED, LIP(1), merge="half")
    with pytest.raises(InvalidInputError, match="bounds every symbol separately"):
        m.watchdog(BALANCED, Intersection(LIP(1), LDP(1)))


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_it_keeps_every_promise_and_its_utility_is_the_formula(joint, notion):
    mechanism = m.watchdog(joint, notion)
    assert mechanism.audit.holds
    p = joint.p_x
    (high,) = [s for s in mechanism.partition if len(s) > 1] or [()]
    mass = p[list(high)].sum()
    lost = sum(p[x] * np.log(mass / p[x]) for x in high)
    assert mechanism.utility == pytest.approx(measures.entropy(p) - lost, abs=1e-12)
    assert sorted(x for members in mechanism.partition for x in members) == list(range(joint.n_x))


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_uniform_merging_keeps_and_leaks_as_much_as_complete_merging(joint, notion):
    complete = m.watchdog(joint, notion)
    uniform = m.watchdog(joint, notion, merge="uniform")
    assert uniform.kernel.shape == (joint.n_x, joint.n_x)
    assert uniform.utility == pytest.approx(complete.utility, abs=1e-12)
    assert uniform.partition == complete.partition
    for level in (LIP(1), LDP(1)):
        ours, other = level.achieved(joint, uniform.kernel), level.achieved(joint, complete.kernel)
        assert ours == pytest.approx(other, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(joints(min_x=2), st.integers(0, 2**31 - 1))
def test_no_release_of_the_merged_symbols_leaks_less_on_them(joint, seed):
    rng = np.random.default_rng(seed)
    high = joint.n_x - 1
    kernel = np.zeros((joint.n_x, 4))
    kernel[:high, :3] = rng.dirichlet([0.5] * 3, size=high)
    kernel[high, 3] = 1
    merged = joint.release(np.eye(2)[(np.arange(joint.n_x) == high).astype(int)])
    released = joint.release(kernel)
    for notion in (LIP(1), LDP(1)):
        for level in (notion.lower_level, notion.upper_level):
            assert np.nanmax(level(released)[:3]) >= level(merged)[0] - 1e-12


def test_ends_of_the_scale_and_one_symbol():
    secret_is_a_function = Joint.from_counts([[3, 0, 2], [0, 4, 0]])
    assert m.watchdog(secret_is_a_function, LIP(5)).utility == 0
    assert m.watchdog(secret_is_a_function, LIP(np.inf)).nmi == 1
    assert m.watchdog(Joint.from_counts([[3], [1]]), LIP(0)).nmi == 1
    independent = Joint.from_counts(np.outer([1, 2, 4], [3, 1, 1, 7]))
    assert m.watchdog(independent, LIP(0)).nmi == 1


def test_ldp_compares_the_ratio_with_e_to_the_eps_and_not_with_eps():
    # Γ(x1) = 2: above ε = 1, as the condition is printed, but below e. log 2 = 0.69 is allowed.
    joint = Joint.from_counts([[20, 10, 10], [10, 20, 10]])
    assert m.watchdog(joint, LDP(1.0)).nmi == 1
    assert m.watchdog(joint, LDP(0.6)).partition == ((0, 1), (2,))
