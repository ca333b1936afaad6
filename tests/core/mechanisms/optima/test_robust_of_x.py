"""Robust optima of a mechanism of X: nothing that is known without a search keeps more."""

from itertools import chain, combinations, pairwise, permutations

import numpy as np
import pytest
from scipy import optimize

from benchmarks.pairs import COLUMNS
from core import clock
from core import mechanisms as m
from core.data import DataSpec, count
from core.errors import InvalidInputError
from core.joint import Joint
from core.measures import entropy, mutual_information
from core.mechanisms import result as made
from core.mechanisms.optima import robust_optimal, robust_starts
from core.mechanisms.optima.remembered import MEMORY
from core.mechanisms.optima.robust_optimal import with_rare_as_one
from core.mechanisms.optima.robust_starts import in_groups, of_x_itself
from core.mechanisms.optima.starts import starts
from core.mechanisms.options import Options
from core.notions import LDP, LIP, RLDP, Intersection, robust_markov
from core.notions.robust_markov import RobustALIP, RobustLDP, RobustLIP, RobustPML, ball_around
from core.optimal.cutting_planes import CutLoop
from core.optimal.plan import SHARES, SIZES
from core.studies.robust_designs import Sample, design
from core.uncertainty import RenyiBall
from core.utilities import Guess

CASES = [(2, 2, 50), (2, 4, 400), (3, 5, 2_000), (4, 3, 150), (3, 3, 10**7)]


def drawn(n_s, n_x, n):
    """A joint of n records, some cells of which are empty; every secret occurs."""
    rng = np.random.default_rng([n_s, n_x, n])
    truth = rng.dirichlet(np.full(n_s * n_x, 0.7))
    counts = rng.multinomial(n, truth).reshape(n_s, n_x)
    counts[counts.sum(axis=1) == 0, 0] = 1
    return Joint.from_counts(counts)


def answer(joint, notion, seconds=1.0, start=None):
    """Return a search's own answer: what an earlier one found is forgotten."""
    MEMORY.clear()
    with clock.using(clock.Ticking(4e-3)):
        return m.optimal(joint, notion, time_limit=seconds, start=start)


def kept(joint, kernel):
    return float(mutual_information(joint.p_x[:, None] * kernel))


def at_its_level(joint, kernel, notion):
    """What a kernel keeps once it is moved towards P_X until it keeps a notion."""
    low, high = 0.0, 1.0
    for _ in range(14):
        share = (low + high) / 2
        moved = (1 - share) * kernel + share * (joint.p_x @ kernel)
        low, high = (low, share) if notion.holds(joint, moved) else (share, high)
    return kept(joint, (1 - high) * kernel + high * (joint.p_x @ kernel))


def of_itself(p_x, eps):
    """The most that LDP of X itself keeps: all of its extreme outputs, mixed by one program."""
    n_x = len(p_x)
    sets = chain.from_iterable(combinations(range(n_x), k) for k in range(1, n_x + 1))
    columns = np.ones((2**n_x - 1, n_x))
    for column, chosen in zip(columns, sets, strict=True):
        column[list(chosen)] = np.exp(eps)
    weights = columns * p_x
    total = weights.sum(axis=1)
    gain = (weights * np.log(columns / total[:, None])).sum(axis=1)
    result = optimize.linprog(-gain, A_eq=columns.T, b_eq=np.ones(n_x))
    return -result.fun


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("eps", [0.5, 1.5])
def test_ldp_of_x_itself_keeps_no_more(case, eps):
    joint = drawn(*case)
    notion = RobustLDP.of_joint(joint, eps)
    floor = of_itself(joint.p_x, eps)
    (known,) = of_x_itself(joint, notion)
    result = answer(joint, notion)
    assert floor - 1e-6 <= known.utility <= result.utility + 1e-9
    assert result.audit.holds
    assert result.utility <= result.upper_bound


@pytest.mark.parametrize("case", CASES)
def test_optima_at_the_estimate_bound_it_and_moved_to_its_level_keep_no_more(case):
    joint = drawn(*case)
    notion = RobustLDP.of_joint(joint, 1.0)
    result = answer(joint, notion)
    most = answer(joint, LDP(1.0), 5.0).upper_bound
    assert result.upper_bound <= most + 1e-6
    for eps in (1.0, 0.5, 0.25):
        kernel = m.optimal(joint, LDP(eps)).kernel
        assert at_its_level(joint, kernel, notion) <= result.utility + 1e-6


@pytest.mark.parametrize("case", CASES[:3])
@pytest.mark.parametrize(
    ("strict", "loose"),
    [
        ({"eps": 0.4}, {"eps": 0.8}),
        ({"eps": 1.0, "n": 50}, {"eps": 1.0, "n": 5_000}),
        ({"eps": 1.0, "beta": 0.001}, {"eps": 1.0, "beta": 0.5}),
    ],
)
def test_a_larger_budget_more_records_or_a_larger_beta_keep_no_less(case, strict, loose):
    joint = drawn(*case)
    less = answer(joint, RobustLDP.of_joint(joint, **strict))
    more = answer(joint, RobustLDP.of_joint(joint, **loose))
    assert less.utility <= more.utility + 1e-6
    assert less.utility <= more.upper_bound + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "alpha"), [((4, 3), 0.5), ((3, 3), 5.0), ((4, 4), 1.0), ((5, 5), 5.0), ((12, 2), 1.0)]
)
def test_separate_answers_of_pairs_keep_no_less_at_a_larger_budget_or_of_more_records(shape, alpha):
    """At 5×5 and 1 s one of 1.8 kept less than one of 1.5: its search had ended early."""
    joint = Joint.from_counts(np.maximum(drawn(*shape, 2_000).counts, 1))

    def found(eps, n):
        MEMORY.clear()
        with clock.using(clock.Ticking(4e-3)):
            ball = ball_around(joint, n=n, alpha=alpha)
            return m.robust_optimal(joint.p, eps, ball, time_limit=1.0)

    made = [found(eps, 2_000) for eps in (1.0, 1.5, 2.0)]
    few = found(2.0, 500)
    assert not any("ended early" in note for each in (*made, few) for note in each.notes)
    for less, more in (*pairwise(made), (few, made[-1])):
        assert less.utility <= more.utility + 1e-6


def promised(seed, kind, joint, n, seconds):
    """Check an answer of a kind of promise, its budget and order drawn, against what is known."""
    rng = np.random.default_rng(seed)
    eps, of_ball = rng.uniform(0.2, 1.5), {"alpha": [0.5, 1, 2, 5][seed % 4]}
    notion = kind.of_joint(joint, eps, **of_ball)
    result = answer(joint, notion, seconds)
    assert result.audit.holds
    for known in of_x_itself(joint, notion):
        assert known.utility <= result.utility + 1e-9
    few = ({"eps": eps / 2}, {"eps": eps, "n": max(n // 10, 1)})
    for strict in (*few, {"eps": 0.9 * eps}, {"eps": eps, "n": max(n // 2, 1)}):
        less = answer(joint, kind.of_joint(joint, **strict, **of_ball), seconds)
        assert less.utility <= result.upper_bound + 1e-9
        # near budgets may be cut short at different depths, unless one goes on from the other
        own = result if strict in few else answer(joint, notion, seconds, less.kernel)
        assert less.utility <= own.utility + 1e-6
    nominal = LDP if kind is RLDP else notion.at_estimate
    at_estimate = joint  # of pairs the engine has P̂, whose search takes more steps than of counts
    if kind is RLDP:
        at_estimate = Joint.with_secret_released(notion.uncertainty.p_hat_su)
    assert result.upper_bound <= answer(at_estimate, nominal(eps), seconds / 20).upper_bound + 1e-6
    smaller = answer(joint, nominal(eps / 2), seconds)
    assert at_its_level(joint, smaller.kernel, notion) <= result.utility + 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", [RobustLDP, RobustALIP])
def test_no_answer_is_below_what_is_known_nor_a_bound_above(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(10 ** rng.uniform(1.7, 7))
    joint = drawn(int(rng.integers(2, 5)), int(rng.integers(2, 7)), n)
    promised(seed, kind, joint, n, 1.0)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", [RobustLDP, RobustPML, RobustLIP, RLDP])
def test_of_larger_data_no_answer_is_below_what_is_known_nor_a_bound_above(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(10 ** rng.uniform(1.7, 7))
    shape = (int(rng.integers(2, 9)), int(rng.integers(2, 21)))
    joint = drawn(*np.minimum(shape, (3, 4)), n) if kind is RLDP else drawn(*shape, n)
    pairs = Joint.with_secret_released(joint.counts) if kind is RLDP else joint
    promised(seed, kind, pairs, n, 2.0)


def asked(joint, notion, seconds):
    """Return an answer of a search that knows what earlier ones found."""
    with clock.using(clock.Ticking(4e-3)):
        return m.optimal(joint, notion, time_limit=seconds)


@pytest.mark.parametrize(("secret", "released"), list(permutations(COLUMNS, 2)))
def test_of_adult_no_answer_is_below_what_is_known_nor_a_bound_above(secret, released):
    """What is stricter, or at the estimate alone, is asked for first, each for as long."""
    joint = count(DataSpec(source="adult", secret=(secret,), released=(released,))).joint
    made = []
    for eps in (0.5, 1.0):
        smaller, whole = (asked(joint, LDP(budget), 1.0) for budget in (eps / 2, eps))
        for n in (joint.n // 4, joint.n):
            notion = RobustLDP.of_joint(joint, eps, n=n)
            result = asked(joint, notion, 1.0)
            assert result.audit.holds
            (known,) = of_x_itself(joint, notion)
            assert known.utility <= result.utility + 1e-9
            assert at_its_level(joint, smaller.kernel, notion) <= result.utility + 1e-6
            assert result.utility <= result.upper_bound <= whole.upper_bound + 1e-9
            for of_n, less in made:
                if of_n <= n:
                    assert less.utility <= result.utility + 1e-9
                    assert less.utility <= result.upper_bound + 1e-9
            made.append((n, result))


@pytest.mark.parametrize("part", [0.5, 0.75])
def test_an_optimum_at_the_estimate_with_a_part_of_the_budget_keeps_no_more(part):
    """With half of it one kept .873 nats, and the robust optimum .787 after as long."""
    rng = np.random.default_rng(6)
    n = int(10 ** rng.uniform(1.7, 7))
    joint = drawn(int(rng.integers(2, 9)), int(rng.integers(2, 21)), n)
    notion = RobustLDP.of_joint(joint, 0.9)
    result = answer(joint, notion, 2.0)
    kernel = answer(joint, LDP(0.9 * part), 2.0).kernel
    assert at_its_level(joint, kernel, notion) <= result.utility + 1e-6


@pytest.mark.parametrize("notion", [RobustLDP, RobustPML])
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 5.0])
def test_every_order_has_an_answer_that_keeps_something(notion, alpha):
    joint = drawn(3, 4, 60)
    made = answer(joint, notion.of_joint(joint, 1.0, alpha=alpha))
    assert made.utility >= of_itself(joint.p_x, 1.0) - 1e-6
    assert made.audit.holds


@pytest.mark.parametrize("n", [1, None])
def test_where_all_distributions_are_possible_it_is_ldp_of_x_itself(n):
    joint = Joint.from_counts(np.array([[6, 2, 1], [3, 4, 5]]) / 21)
    ball = RenyiBall(joint.p, np.inf) if n is None else ball_around(joint, n=n, alpha=0.5)
    result = answer(joint, RobustLDP(1.0, ball), 5.0)
    assert ball.bound == np.inf
    assert result.status == "optimal"
    assert result.utility == pytest.approx(of_itself(joint.p_x, 1.0), abs=1e-6)


def test_where_all_distributions_are_possible_many_symbols_are_proven_too():
    joint = drawn(4, 12, 500)
    result = answer(joint, RobustLDP(1.0, RenyiBall(joint.p, np.inf)))
    assert result.status == "optimal"
    assert result.utility == pytest.approx(of_itself(joint.p_x, 1.0), abs=1e-6)


def test_ldp_of_x_itself_is_known_under_robust_notions_of_x_alone():
    joint = drawn(2, 4, 400)
    ball = ball_around(joint)
    assert of_x_itself(joint, LIP(1.0)) == []
    assert of_x_itself(joint, RobustLDP(0.0, ball)) == []
    assert of_x_itself(joint, RobustLDP(np.inf, ball)) == []
    pairs = Joint.with_secret_released(joint.p)
    assert of_x_itself(pairs, RLDP.of_joint(pairs, 1.0)) == []
    many = Joint.random_uniform(2, SIZES.leveled_symbols + 1, np.random.default_rng(0))
    assert of_x_itself(many, RobustLDP(1.0, ball_around(many))) == []


@pytest.mark.parametrize(
    "notion",
    [
        lambda ball: RobustLDP(0.5, ball),
        lambda ball: RobustLIP(0.5, ball),
        lambda ball: RobustPML(0.5, ball),
        lambda ball: RobustALIP(1.5, ball, lam=0.25),
    ],
)
def test_of_more_symbols_it_is_randomized_response_of_halves(notion):
    """At 10×442 an answer within 1 s kept nothing."""
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(
        1 + rng.multinomial(5_000, rng.dirichlet(np.ones(210))).reshape(3, 70)
    )
    promise = notion(ball_around(joint))
    (halves,) = in_groups(joint, promise)
    assert promise.holds(joint, halves.kernel)
    eps = min(getattr(promise, "budgets", (0.5,)))
    low, high = 1 / (1 + np.exp(eps)), 1 / (1 + np.exp(-eps))
    np.testing.assert_allclose(np.sort(halves.kernel, axis=1), np.tile([low, high], (70, 1)))
    assert halves.utility > 0.99 * (np.log(2) + low * np.log(low) + high * np.log(high))
    assert any(known.name == halves.name for known in starts(joint, promise, Options(), []))


@pytest.mark.parametrize(("eps", "groups", "told"), [(2.0, 4, 1.4), (4.0, 16, 2.7), (8.0, 32, 4.8)])
def test_a_large_budget_is_worth_more_groups_than_halves(eps, groups, told):
    """At 10×442 an answer of two outputs kept 22% at every large budget."""
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(1 + rng.multinomial(9_000, np.full(300, 1 / 300)).reshape(3, 100))
    (made,) = in_groups(joint, RobustLDP(eps, ball_around(joint)))
    assert made.kernel.shape == (100, groups)
    assert made.audit.holds
    halves = 1 / (1 + np.exp(eps))
    bits = 1 + halves * np.log2(halves) + (1 - halves) * np.log2(1 - halves)
    assert made.utility > told * bits * np.log(2)


def test_no_halves_are_made_where_more_is_known():
    few = drawn(2, 4, 400)
    assert in_groups(few, RobustLDP(1.0, ball_around(few))) == []
    many = Joint.random_uniform(2, SIZES.leveled_symbols + 1, np.random.default_rng(0))
    assert in_groups(many, LIP(1.0)) == []
    for eps in (0.0, np.inf):
        assert in_groups(many, RobustLDP(eps, ball_around(many))) == []


def test_of_forty_symbols_it_is_as_near_its_bound_as_of_few():
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(
        1 + rng.multinomial(10_000, rng.dirichlet(np.ones(82))).reshape(2, 41)
    )
    (known,) = of_x_itself(joint, RobustLDP(0.5, ball_around(joint)))
    most = m.optimal(Joint.from_counts(np.diag(joint.counts.sum(axis=0))), LDP(0.5)).upper_bound
    assert most - 1e-5 <= known.utility <= most


def test_a_budget_of_nothing_or_of_anything_needs_no_search():
    joint = drawn(2, 4, 400)
    ball = ball_around(joint)
    assert answer(joint, RobustLDP(0.0, ball)).utility <= 1e-9
    assert answer(joint, RobustLDP(np.inf, ball)).utility == pytest.approx(entropy(joint.p_x))


@pytest.mark.parametrize(("notion", "more"), [(RobustLDP, 1.2), (RobustPML, 0.0)])
def test_dozens_of_symbols_begin_with_what_a_few_of_them_keep(notion, more):
    # one symbol of nine tenths and two dozens of rare ones, which differ by secret
    rng = np.random.default_rng(0)
    shares = np.array([[0.9], [0.94], [0.4]])
    truth = np.hstack([shares, (1 - shares) * rng.dirichlet(np.ones(24), size=3)])
    counts = np.rint(np.array([[20_000], [300], [1_000]]) * truth) + np.eye(3, 25)
    joint = Joint.from_counts(counts)
    promise = notion.of_joint(joint, 1.0)
    with clock.using(clock.Ticking(2e-3)):
        (kernel,) = with_rare_as_one(joint, promise, 0.5, gap=1e-6, seed=0)
        assert with_rare_as_one(joint, promise, 0.1, gap=1e-6, seed=0) == []
        assert with_rare_as_one(drawn(2, 4, 400), promise, 0.5, gap=1e-6, seed=0) == []
        (itself,) = of_x_itself(joint, promise)
    assert promise.holds(joint, kernel)
    assert kept(joint, kernel) > more * itself.utility


@pytest.mark.parametrize("make", [RobustLDP, RobustLIP])
def test_of_thousands_of_symbols_the_likeliest_stay_apart(make, monkeypatch):
    """Rows over F of 6×10000 cells were a matrix of 5 GB, and a check of it took 7 s."""
    rng = np.random.default_rng(4)
    counts = 1 + rng.multinomial(40_000, rng.dirichlet(np.ones(75)))
    joint = Joint.from_counts(counts.reshape(3, 25))
    notion = make.of_joint(joint, 1.0)
    monkeypatch.setattr(robust_markov, "MAX_ENTRIES", 1_000)
    sizes, allowed_set = [], make.allowed_set
    monkeypatch.setattr(
        make, "allowed_set", lambda own, of: sizes.append(of.n_x) or allowed_set(own, of)
    )
    few = answer(joint, notion)
    with clock.using(clock.Ticking(4e-3)):
        guess = m.optimal(joint, notion, time_limit=1.0, utility=Guess())
        both = m.optimal(joint, Intersection(notion, LIP(0.5)), time_limit=1.0)
    assert set(sizes) == {4}
    assert few.audit.holds
    assert guess.audit.holds
    assert both.audit.holds
    assert few.status == "time limit"
    assert guess.upper_bound == pytest.approx(1.0)
    assert few.utility > 0.1
    assert both.upper_bound <= few.upper_bound <= entropy(joint.p_x) + 1e-9
    assert guess.utility > 1.5 * joint.p_x.max()


def test_of_many_cells_half_of_the_time_goes_to_the_optimum_at_the_estimate(monkeypatch):
    """At 10×442 its bound was 0.935 after a fifth of the time, where 0.872 is that of all of it."""
    limits, search = [], robust_optimal.optimal_from

    def limited(*args, time_limit, **options):
        limits.append(time_limit)
        return search(*args, time_limit=time_limit, **options)

    monkeypatch.setattr(robust_optimal, "optimal_from", limited)
    for cells, share in ((24, SHARES.nominal), (23, 0.5)):
        monkeypatch.setitem(vars(SIZES), "cells_over_set", cells)
        limits.clear()
        joint = drawn(4, 6, 5_000)
        answer(joint, RobustLDP.of_joint(joint, 0.5))
        assert limits[0] == share


@pytest.mark.parametrize("seconds", [0.0, 0.1, np.inf])
def test_outputs_at_smaller_budgets_are_moved_until_a_deadline(seconds):
    """At 10×200 they took 1.8 s of a limit of one; what is moved in part keeps the notion."""
    joint = drawn(4, 24, 5_000)
    notion, kernel = RobustLDP.of_joint(joint, 1.0), m.optimal(joint, LDP(1.0)).kernel
    with clock.using(clock.Ticking(4e-3)):
        deadline, begun = clock.Deadline.after(seconds), clock.now()
        (moved,) = robust_optimal._moved_inside(joint, notion, [], [kernel], deadline)
        late = clock.now() - begun - seconds
    assert notion.holds(joint, moved)
    assert (kept(joint, moved) > 0) == (seconds > 0)
    assert late < 0.05


@pytest.mark.parametrize("alone", [24, 10_000])
def test_a_search_over_a_set_is_not_begun_where_time_is_too_short(alone, monkeypatch):
    """At 10×442 it went on for a second after a limit of 5."""
    monkeypatch.setitem(vars(SIZES), "peeled_alone", alone)  # it begins in a second, or at once
    searches, joint = [], drawn(2, 24, 400)
    monkeypatch.setattr(CutLoop, "_search", lambda _, prove: searches.append(prove))
    answer(joint, RobustLDP.of_joint(joint, 0.5), 2.0)
    assert len(searches) == (alone > 24)


@pytest.mark.parametrize("find", ["of x", "of pairs", "from known ones", "polyopt"])
def test_where_x_is_the_secret_ldp_of_it_needs_no_search_over_a_set(find, monkeypatch):
    """Cells that were never seen may have the answers of those that were: nothing keeps more."""
    monkeypatch.setattr(CutLoop, "_search", lambda *_: pytest.fail("a search over the set"))
    p_s, eps = np.array([0.4, 0.25, 0.2, 0.1, 0.05]), 0.8
    cells, counts = np.diag(p_s), np.diag(np.round(500 * p_s).astype(int))
    ball = RenyiBall.confidence(cells, 500)
    sees_x = find == "of x"
    made = Joint.from_counts(counts)
    joint = made if sees_x else Joint.with_secret_released(cells, keep_unseen=True)
    notion = RobustLDP(eps, ball) if sees_x else RLDP(eps, ball, exact=True)
    reported = m.independent_reporting(cells, eps, ball)
    found = {
        "of x": lambda: answer(joint, notion),
        "of pairs": lambda: m.robust_optimal(cells, eps, ball, time_limit=1.0),
        "from known ones": lambda: design("exact", Sample(cells, counts, ball), eps, 1, [reported]),
        "polyopt": lambda: m.polyopt(cells, eps, ball, time_limit=1.0),
    }[find]()
    assert found.status == "optimal"
    assert found.utility == pytest.approx(of_itself(p_s, eps), abs=2e-6)
    assert found.upper_bound - found.utility <= 1e-6
    assert notion.holds(joint, found.kernel)


def test_a_nominal_optimum_of_many_cells_that_is_robust_is_searched_for_once(monkeypatch):
    """Where X is the secret a search over F of 220 secrets took 12 s, and found the same again."""
    joint = Joint.from_counts(np.diag(np.arange(1.0, 61.0)))
    notion = RobustLDP.of_joint(joint, 1.0, n=10**6)
    searches = []
    find = robust_optimal.optimal_from
    monkeypatch.setattr(
        robust_optimal,
        "optimal_from",
        lambda *args, **how: searches.append(1) or find(*args, **how),
    )
    result = robust_optimal.robust_of_x(
        joint, notion, None, solver="auto", time_limit=1.0, gap=0.0, seed=0
    )
    assert len(searches) == 1
    assert result.utility > 0
    assert result.audit.holds


@pytest.mark.parametrize("make", [RobustLDP.of_joint, RobustPML.of_joint, lambda _, eps: LIP(eps)])
def test_symbols_that_never_occur_are_answered_for_under_rldp_of_pairs_alone(make):
    """Others ended in “row 2 sums to 0”, about a kernel that nobody gave."""
    joint = Joint.with_secret_released([[0.3, 0.2, 0.0], [0.1, 0.3, 0.1]], keep_unseen=True)
    assert answer(joint, RLDP.of_joint(joint, 1.0, n=300)).kernel.shape[0] == 6
    with pytest.raises(InvalidInputError, match="1 of the 6 symbols of X never occur"):
        answer(joint, make(joint, 1.0))


def test_groups_of_many_symbols_are_audited_once(monkeypatch):
    """Of a thousand secrets an audit takes a second."""
    for module in (robust_optimal, robust_starts):
        monkeypatch.setitem(vars(module.SIZES), "peeled_whole", 70)
    audits = []
    audit = made.require
    monkeypatch.setattr(made, "require", lambda *args: audits.append(args[1].shape) or audit(*args))
    joint = drawn(3, 80, 10_000)
    result = m.optimal(joint, RobustLDP.of_joint(joint, 1.0), time_limit=0.5)
    assert result.n_y > 1
    assert audits.count(result.kernel.shape) == 1
