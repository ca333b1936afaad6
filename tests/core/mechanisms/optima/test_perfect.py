"""The start under perfect privacy: outputs that tell nothing, as the kernel alone shows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from core import clock
from core.allowed.inequalities import excess_lift
from core.clock import NEVER, Deadline
from core.joint import Joint
from core.mechanisms import optimal
from core.mechanisms.optima import starts as starts_module
from core.mechanisms.optima.starts import perfectly_private, starts
from core.mechanisms.options import Options
from core.mechanisms.posteriors import classes
from core.notions import ALIP, LDP, LIP, Chi2Lift, L1Lift, PointwiseDivergence
from core.optimal.budgets.silent import silent_outputs
from core.optimal.plan import SIZES
from core.release.perfect_privacy import perfect_privacy
from core.utilities import Information
from tests.strategies import joints


def largest_lift(joint, kernel):
    """The largest |lift − 1| of an output, in fractions of the kernel's own doubles."""
    p = [[Fraction(float(item)) for item in row] for row in joint.p]
    columns = [[Fraction(float(item)) for item in column] for column in kernel.T]
    worst = Fraction(0)
    total = sum(map(sum, p))
    for column in columns:
        reported = [sum(a * b for a, b in zip(row, column, strict=True)) for row in p]
        for row, item in zip(p, reported, strict=True):
            worst = max(worst, abs(item * total / sum(reported) / sum(row) - 1))
    return float(worst)


@given(joints(max_s=4, max_x=7, min_x=2))
@settings(max_examples=150)
def test_outputs_tell_nothing_and_exist_where_any_do(joint):
    result = perfectly_private(joint, LIP(0.0), NEVER)
    left = perfect_privacy(joint)
    assert bool(result) == (left.dimension > 0)
    for made in result:
        assert made.kernel.sum(axis=1) == pytest.approx(1.0)
        assert largest_lift(joint, made.kernel) < 1e-9
        assert ((made.kernel > 0).sum(axis=0) <= left.rank).all()
        assert 0 < made.utility <= optimal(joint, LIP(0.0)).upper_bound + 1e-9


@pytest.mark.parametrize("counts", [[[2, 1, 1], [4, 2, 2]], [[5, 0, 3, 3], [5, 0, 3, 3]]], ids=str)
def test_x_that_tells_nothing_is_published_itself(counts):
    joint = Joint.from_counts(counts)
    (made,) = perfectly_private(joint, LDP(0.0), NEVER)
    assert made.nmi == pytest.approx(1.0)


def test_values_that_say_all_different_things_leave_nothing():
    assert perfectly_private(Joint.from_counts([[3, 1], [1, 3]]), LIP(0.0), NEVER) == []


@pytest.mark.parametrize(
    ("notion", "symbols"),
    [(LIP(0.0), 400), (ALIP(0.0, 1.0), 100), (ALIP(1.0, 0.0), 100), (LDP(0.0), 100)],
    ids=str,
)
def test_many_symbols_keep_most(notion, symbols):
    joint = Joint.random_uniform(5, symbols, np.random.default_rng(1))
    (made,) = perfectly_private(joint, notion, NEVER)
    # an output has at most five symbols, so that H(X | Y) ≤ log 5
    least = 1 - np.log(5) / -(joint.p_x @ np.log(joint.p_x))
    assert least < made.nmi < 1
    assert largest_lift(joint, made.kernel) < 1e-9


def test_rare_symbols_leave_no_output_that_tells():
    p = np.random.default_rng(3).random((3, 12)) * 10.0 ** -np.arange(12)
    joint = Joint.from_counts(p)
    for made in perfectly_private(joint, LIP(0.0), NEVER):
        assert largest_lift(joint, made.kernel) < 1e-8


def test_what_time_leaves_is_one_output_that_tells_nothing_either():
    joint = Joint.random_uniform(2, 30, np.random.default_rng(2))
    with clock.using(clock.Ticking(1.0)):
        (made,) = perfectly_private(joint, LIP(0.0), Deadline.after(6.0))
    (whole,) = perfectly_private(joint, LIP(0.0), NEVER)
    assert 1 < made.n_y < whole.n_y
    assert largest_lift(joint, made.kernel) < 1e-9
    with clock.using(clock.Ticking(1.0)):
        assert perfectly_private(joint, LIP(0.0), Deadline.after(0.5)) == []


def test_equations_that_rounding_has_made_contradictory_end_the_outputs():
    p_x = np.array([0.5, 0.3, 0.2])
    kernel = silent_outputs(np.array([[1.0, -1.0, -0.9]]), p_x, NEVER)
    assert kernel.sum(axis=1) == pytest.approx(1.0)


def test_a_symbol_that_is_used_up_is_no_part_of_a_later_output():
    weights = [
        [1.00000001, 1e-08, 2, 1, 2, 0, 1e-08, 2.00000001],
        [1, 2.00000001, 1, 1.00000001, 1e-08, 1.00000001, 1, 0],
        [2, 2, 0, 1e-08, 0, 2.00000001, 0, 1],
        [2, 1, 0, 0, 0, 2, 0, 0],
        [0, 1e-08, 0, 0, 1e-08, 0, 1e-08, 0],
        [2, 2.00000001, 2, 1, 2, 1, 2, 0],
    ]  # a program's tolerance gives a used symbol 9e-10, of which nothing could be taken for ever
    joint = Joint.from_counts(weights)
    with clock.using(clock.Ticking(1.0)):
        kernel = silent_outputs(excess_lift(joint), joint.p_x, Deadline.after(50.0))
    assert kernel.shape[1] <= joint.n_x
    assert (kernel.sum(axis=0) > 0).all()


def test_it_is_among_the_starts_where_nothing_may_be_told():
    joint = Joint.from_counts([[8, 1, 5, 5], [1, 8, 5, 5]])
    names = [made.name for made in starts(joint, LIP(0.0), Options())]
    assert "Perfect privacy" in names
    assert "Perfect privacy" not in [made.name for made in starts(joint, LIP(0.1), Options())]


def entropy(masses):
    """Shannon entropy in nats of masses above 0."""
    return -float(masses @ np.log(masses))


def two_posteriors(seed):
    """A joint of weights where two posteriors of S belong to all symbols, up to rounding."""
    rng = np.random.default_rng(seed)
    posteriors = np.array([[3.0, 1, 1, 3], [1, 1, 0, 1]])
    of = np.repeat([0, 1], rng.integers(1, 4, 2))
    weights = 2.0 ** -rng.integers(0, 20, len(of)) * rng.integers(1, 4, len(of))
    p = (posteriors[of] * weights[:, None]).T
    units = rng.integers(-2, 3, p.shape)  # in the last place
    return Joint.from_counts(p / p.sum() * (1 + units * 2.0**-52)), of


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "notion",
    [LIP(0.0), ALIP(0.0, 1.0), LDP(0.0), Chi2Lift(0.0), L1Lift(0.0), PointwiseDivergence(0.0)],
)
def test_rounded_posteriors_that_are_equal_keep_all_that_symbols_differ_by(seed, notion):
    # an output has a share of each posterior, as S must not be told: H(X) − H(posterior) is left
    joint, of = two_posteriors(seed)
    masses = np.bincount(of, joint.p_x)
    expected = entropy(joint.p_x) - entropy(masses)
    result = optimal(joint, notion)
    assert result.upper_bound >= expected - 1e-12
    assert result.utility == pytest.approx(expected, abs=1e-7)


def few_records(n_s, n_x):
    """Return a joint of a few records a symbol, as two columns have; many symbols tell the same."""
    rng = np.random.default_rng(0)
    return Joint.from_counts(rng.poisson(0.6, (n_s, n_x)) + (np.arange(n_x) % n_s == np.c_[:n_s]))


@pytest.mark.parametrize(("n_s", "n_x"), [(6, 400), (9, 900)])
def test_of_hundreds_of_symbols_outputs_that_tell_nothing_come_first(n_s, n_x):
    """Within 1 to 5 s only the classes' own symbols were told apart: .0185 at 10×442, now .52."""
    joint = few_records(n_s, n_x)
    joined = classes(joint, LIP(0.0), Information())
    assert joined.fewer
    assert joined.joint.n_x >= SIZES.peeled_symbols
    with clock.using(clock.Ticking(0.01)):
        made = optimal(joint, LIP(0.0), time_limit=1.0)
    assert LIP(0.0).holds(joint, made.kernel)
    assert made.utility > joined.more + 0.03 * entropy(joint.p_x)


def test_what_tells_by_rounding_joins_the_likeliest_output(monkeypatch):
    """At 30×1629 one of 214 outputs told 4e-12 nats, so none were used."""
    joint = few_records(3, 40)
    kernel = silent_outputs(excess_lift(joint, budget=0.0), joint.p_x, NEVER)
    told = int(np.argmin(joint.p_x @ kernel))
    slight = kernel.copy()
    x = np.flatnonzero(slight[:, told])[0]
    slight[x, told] += 1e-11 * slight[x, told]
    assert not LIP(0.0).holds(joint, slight)
    monkeypatch.setattr(starts_module, "silent_outputs", lambda *_: slight)
    (made,) = perfectly_private(joint, LIP(0.0), NEVER)
    assert made.n_y == kernel.shape[1] - 1
    assert LIP(0.0).holds(joint, made.kernel)
