import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from core import clock, measures
from core import mechanisms as m
from core.data.joints import example
from core.errors import AuditError, InvalidInputError
from core.joint import Joint
from core.mechanisms.products import SECONDS, ProductSearch
from core.mechanisms.result import make_mechanism
from core.notions import LIP, SRLIP, side_channel_levels
from core.optimal.solve import maximise

COPIES = Joint.from_counts(example("funnel_theorem4").weights)
"""X¹ = X² = (a, b), two fair bits; S = a xor b."""

REVEALS_A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
REVEALS_B = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])


@st.composite
def product_joints(draw):
    shape = draw(st.sampled_from([(2, 2), (3, 2), (2, 2, 2), (4, 1)]))
    n_s, n_x = draw(st.integers(2, 3)), int(np.prod(shape))
    row = st.lists(st.integers(0, 5), min_size=n_x, max_size=n_x)
    counts = np.array(draw(st.lists(row, min_size=n_s, max_size=n_s)))
    counts[draw(st.integers(0, n_s - 1)), draw(st.integers(0, n_x - 1))] += 1
    return Joint.from_counts(counts), shape


@settings(max_examples=12, deadline=None)
@given(product_joints(), st.sampled_from([0.1, 0.5, 1.2, np.inf]), st.booleans())
def test_a_repaired_product_keeps_its_promise_and_never_beats_the_optimum(drawn, eps, optimised):
    joint, shape = drawn
    result = m.srlip_product(joint, eps, shape, split="optimised" if optimised else "even")
    assert result.kernel.shape[0] == joint.n_x
    assert max(side_channel_levels(joint, result.kernel, shape).values()) <= eps + 1e-12
    assert LIP(eps).holds(joint, result.kernel)
    best = m.optimal(joint, SRLIP(eps, shape), time_limit=1)
    assert result.utility <= best.upper_bound + 1e-9


@settings(max_examples=5, deadline=None)
@given(product_joints(), st.sampled_from([0.3, 1.0]))
def test_the_optimised_split_is_never_worse(drawn, eps):
    joint, shape = drawn
    even = m.srlip_product(joint, eps, shape)
    assert m.srlip_product(joint, eps, shape, "optimised").utility >= even.utility - 1e-12


def test_theorem_4_is_false():
    # each kernel meets its condition at ε_j = 0: whatever is known of the other attribute
    for kernel, alone in ((REVEALS_A, (0,)), (REVEALS_B, (1,))):
        reported = np.repeat(kernel, 4, axis=0) if alone == (0,) else np.tile(kernel, (4, 1))
        levels = side_channel_levels(COPIES, reported[COPIES.kept_x], (4, 4))
        assert levels == {(): 0.0, (0,): 0.0, (1,): 0.0}
    together = np.einsum("iy,jz->ijyz", REVEALS_A, REVEALS_B).reshape(16, 4)[COPIES.kept_x]
    assert SRLIP(0, (4, 4)).achieved(COPIES, together) == np.inf
    with pytest.raises(AuditError, match=r"less privacy than requested: 0\.5-SRLIP is reached"):
        make_mechanism(
            COPIES, together, name="As printed", solver="", status="", notion=SRLIP(0.5, (4, 4))
        )


def test_theorem_4s_counterexample_is_repaired():
    search = ProductSearch(COPIES, SRLIP(0.5, (4, 4)))
    for budget in (0.0, 0.25):  # what a solver may well return: the printed kernels
        search.known[0, budget], search.known[1, budget] = REVEALS_A, REVEALS_B
    assert search.product((0.25, 0.25)) is None
    repaired = search.shrunk((0.25, 0.25))
    assert 0 < repaired.share < 1
    assert SRLIP(0.5, (4, 4)).holds(COPIES, repaired.kernel)
    # with a share d of noise each bit comes out right with 1 − d/2: the xor with 1 − d + d²/2
    agreement = 1 - repaired.share + repaired.share**2 / 2
    assert np.log(2 - 2 * agreement) == pytest.approx(-0.5, abs=1e-4)
    assert -np.log(2 - 2 * agreement) <= 0.5
    assert repaired.utility > 0


def near_copies(seed, stray=0.2):
    """X² is X¹ but for a few records: [Funnel] Theorem 4 asks next to nothing there."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, 3, 3))
    counts[:, range(3), range(3)] = rng.integers(0, 9, size=(2, 3))
    counts[0, 0, 0] += 1
    counts += rng.integers(0, 2, size=counts.shape) * (rng.random(counts.shape) < stray)
    return Joint.from_counts(counts.reshape(2, 9))


@pytest.mark.parametrize("stray", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_what_the_theorem_promises_is_refused_by_the_audit_and_repaired(seed, stray):
    joint, notion = near_copies(seed, stray), SRLIP(0.8, (3, 3))
    printed = ProductSearch(joint, notion).product((0.4, 0.4))
    result = m.srlip_product(joint, 0.8, (3, 3))
    assert (result.status == "repaired") == (printed is None)
    assert (len(result.notes) == 2) == (printed is None)
    assert notion.holds(joint, result.kernel)


@pytest.mark.parametrize(("seed", "stray", "how"), [(1, 0.2, "shrunk"), (0, 0.0, "noise")])
def test_near_copies_are_refused(seed, stray, how):
    result = m.srlip_product(near_copies(seed, stray), 0.8, (3, 3))
    assert result.status == "repaired"
    assert "leaks more than allowed, although [Funnel] Theorem 4 says otherwise" in result.notes[1]
    assert how in result.notes[1]
    assert result.utility > 0


def test_where_no_budget_is_small_enough_none_grows():
    search = ProductSearch(COPIES, SRLIP(0.5, (4, 4)))
    search.known[0, 0.0], search.known[1, 0.0] = REVEALS_A, REVEALS_B
    assert search.grown((0.0, 0.0), (0, 1)) is None


def test_independent_attributes_need_no_repair():
    # given S the attributes are independent: there the theorem's proof is right
    rng = np.random.default_rng(3)
    first, second = rng.dirichlet(np.ones(3), size=2), rng.dirichlet(np.ones(2), size=2)
    joint = Joint.from_counts(np.einsum("s,si,sj->sij", [0.4, 0.6], first, second).reshape(2, 6))
    for eps in (0.2, 0.6, 1.0):
        result = m.srlip_product(joint, eps, (3, 2))
        assert result.status == "heuristic"
        assert result.audit.achieved <= eps + 1e-12


def test_each_kernel_is_optimal_for_its_attribute():
    """Against a linear program over all vertices of eq. 22 and 23, found by brute force."""
    joint = Joint.from_counts(np.random.default_rng(5).random((2, 6)))
    search = ProductSearch(joint, SRLIP(0.8, (3, 2)))
    search.product((0.4, 0.4))
    kernel = search.known[0, 0.4]
    p = joint.p.reshape(2, 3, 2)
    given = [p.sum(axis=2), p[:, :, 0], p[:, :, 1]]
    conditions = []
    for part in given:
        of_x = part.sum(axis=0) / part.sum()
        for s in range(2):
            of_s = part[s] / part[s].sum()
            conditions += [np.exp(-0.4) * of_x - of_s, of_s - np.exp(0.4) * of_x]
    best = optimum_by_vertices(np.array(conditions) / p.sum(axis=(0, 2)), p.sum(axis=(0, 2)))
    p_x = p.sum(axis=(0, 2))
    assert measures.mutual_information(p_x[:, None] * kernel) == pytest.approx(best, abs=1e-9)


def test_conditions_are_those_of_the_definition_where_cells_are_empty():
    """Rows of eq. 22 and 23 by loops: of s, values and x^J that occur, where x^j varies."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        counts = rng.integers(0, 3, size=(3, 3, 2, 2))
        counts[0, 0, 0, 0] += 1
        joint, p = Joint.from_counts(counts.reshape(3, 12)), counts / counts.sum()
        occurs = p.sum(axis=(0, 2, 3)) > 0
        p_x = p.sum(axis=(0, 2, 3))[occurs]
        posteriors = rng.dirichlet(np.full(p_x.size, 0.5), size=30)
        allowed = np.ones(30, dtype=bool)
        for known in itertools.product((slice(None), 0, 1), repeat=2):
            part = p[(slice(None), slice(None), *known)].reshape(3, 3, -1).sum(axis=2)[:, occurs]
            for s in np.flatnonzero(part.sum(axis=1) > 0):
                of_s = part[s] / part[s].sum() / p_x
                of_all = part.sum(axis=0) / part.sum() / p_x
                low, high = posteriors @ of_s, posteriors @ of_all
                within = (np.exp(-0.4) * high <= low) & (low <= np.exp(0.4) * high)
                allowed &= within | (high == 0)
        rows = ProductSearch(joint, SRLIP(0.8, (3, 2, 2))).conditions[0].rows(0.4)
        np.testing.assert_array_equal((posteriors @ rows.T <= 1e-12).all(axis=1), allowed)


def optimum_by_vertices(rows, p_x):
    """Maximize I(X;Y) over mixtures of all vertices of {r ≥ 0, Σr = 1, rows @ r ≤ 0}."""
    n = len(p_x)
    faces = np.vstack([rows, -np.eye(n)])
    tight = np.array(list(itertools.combinations(range(len(faces)), n - 1)))
    systems = np.concatenate([faces[tight], np.ones((len(tight), 1, n))], axis=1)
    systems = systems[np.abs(np.linalg.det(systems)) > 1e-11]
    points = np.linalg.solve(systems, np.tile(np.eye(n)[-1][:, None], (len(systems), 1, 1)))[..., 0]
    points = np.clip(points[(points @ faces.T <= 1e-10).all(axis=1)], 0, None)
    points = np.unique(points.round(12), axis=0)
    logs = np.log(points, out=np.zeros_like(points), where=points > 0)
    entropy = -(points * logs).sum(axis=1)
    solved = optimize.linprog(entropy, A_eq=points.T, b_eq=p_x, method="highs")
    return -(p_x * np.log(p_x)).sum() - solved.fun


@pytest.mark.parametrize(
    ("shape", "eps"), [((2, 2), 0.1), ((2, 2), 0.5), ((3, 2), 0.3), ((2, 3), 1.0)]
)
def test_small_optima_against_enumeration_and_random_search(shape, eps):
    n_x = int(np.prod(shape))
    rng = np.random.default_rng(n_x)
    joint = Joint.from_counts(rng.random((2, n_x)))
    p = joint.p.reshape(2, *shape)
    rows = []
    for axis in (None, 0, 1):  # J = ∅, {1}, {2}, straight from the definition
        for at in range(1 if axis is None else shape[axis]):
            mask = np.zeros(shape)
            mask[(slice(None),) * 2 if axis is None else (at,) if axis == 0 else (..., at)] = 1
            part = (p * mask).reshape(2, n_x)
            of_x = part.sum(axis=0) / part.sum()
            for s in range(2):
                of_s = part[s] / part[s].sum()
                rows += [np.exp(-eps) * of_x - of_s, of_s - np.exp(eps) * of_x]
    best = optimum_by_vertices(np.array(rows) / joint.p_x, joint.p_x)
    result = m.optimal(joint, SRLIP(eps, shape))
    assert result.status == "optimal"
    assert result.utility == pytest.approx(best, abs=1e-6)
    assert result.upper_bound >= best - 1e-9
    for _ in range(60):  # kernels drawn at random, pulled towards the constant until allowed
        kernel = rng.dirichlet(np.full(n_x, 0.2), size=n_x)
        constant = np.tile(joint.p_x @ kernel, (n_x, 1))
        share = 1.0
        while not SRLIP(eps, shape).holds(joint, share * kernel + (1 - share) * constant):
            share *= 0.8
        mixed = share * kernel + (1 - share) * constant
        assert measures.mutual_information(joint.release_x(mixed)) <= result.upper_bound + 1e-9


def test_the_optimum_starts_from_the_product_where_time_is_short():
    joint = Joint.random_uniform(2, 36, np.random.default_rng(0))
    product = m.srlip_product(joint, 0.5, (3, 3, 4))
    best = m.optimal(joint, SRLIP(0.5, (3, 3, 4)), time_limit=1)
    assert best.utility >= product.utility - 1e-6
    assert SRLIP(0.5, (3, 3, 4)).holds(joint, best.kernel)


def test_many_symbols_start_from_the_best_split():
    joint = Joint.random_uniform(2, 80, np.random.default_rng(0))
    notion = SRLIP(0.5, (4, 4, 5))
    even = m.srlip_product(joint, 0.5, (4, 4, 5))
    split = m.srlip_product(joint, 0.5, (4, 4, 5), "optimised")
    assert split.utility > 2 * even.utility
    with clock.using(clock.Ticking(0.02)):  # its programs are large
        best = m.optimal(joint, notion, time_limit=2)
    with clock.using(clock.Ticking(0.02)):
        short = m.srlip_product(joint, 0.5, (4, 4, 5), "optimised", 2)
    assert best.utility >= short.utility - 1e-12
    assert notion.holds(joint, best.kernel)


def test_four_attributes_of_which_some_never_vary():
    rng = np.random.default_rng(8)
    counts = np.zeros((2, 2, 3, 2, 2))
    counts[:, :, 1:, :, 0] = rng.integers(1, 9, size=(2, 2, 2, 2))  # values that never occur
    joint = Joint.from_counts(counts.reshape(2, 24))
    result = m.srlip_product(joint, 0.7, (2, 3, 2, 2), "optimised")
    assert result.audit.holds
    assert result.kernel.shape == (8, result.n_y)
    assert len(set(result.y_labels)) == result.n_y
    assert result.y_labels[0].split(" ")[0] in joint.x_labels


def test_one_attribute_is_the_optimum_under_lip():
    joint = Joint.from_counts(np.random.default_rng(9).random((3, 5)))
    product, best = m.srlip_product(joint, 0.5), m.optimal(joint, LIP(0.5))
    assert product.utility == pytest.approx(best.utility, abs=1e-6)


def test_bad_input_is_named():
    with pytest.raises(InvalidInputError, match="split must be even or optimised, got 'odd'"):
        m.srlip_product(COPIES, 1, (4, 4), "odd")
    with pytest.raises(InvalidInputError, match="must multiply to the number of columns"):
        m.srlip_product(COPIES, 1, (4, 5))
    with pytest.raises(InvalidInputError, match="eps must be in"):
        m.srlip_product(COPIES, -1, (4, 4))


def test_a_product_to_start_from_ends_in_time_and_keeps_the_promise(monkeypatch):
    joint = Joint.from_counts(np.random.default_rng(0).integers(1, 9, (2, 12)))
    notion, limits = SRLIP(0.5, (2, 6)), []  # the second is left to the solver

    def recorded(*args, time_limit, **options):
        limits.append(time_limit)
        return maximise(*args, time_limit=time_limit, **options)

    monkeypatch.setattr("core.mechanisms.products.maximise", recorded)
    with clock.using(clock.Ticking(0.5)):
        late = m.srlip_product(joint, 0.5, (2, 6), "optimised", time_limit=1.0)
    assert notion.holds(joint, late.kernel)
    assert late.status == "time limit"
    assert set(limits) == {0.0}
    assert len(limits) <= 2  # the even budgets and none: nothing is halved
    limits.clear()
    ready = m.srlip_product(joint, 0.5, (2, 6), "optimised", time_limit=1e9)
    assert min(limits) > 1000 * SECONDS  # a longer limit is one for each kernel too
    limits.clear()
    m.srlip_product(joint, 0.5, (2, 6), "optimised")
    assert set(limits) == {SECONDS}
    assert ready.status != "time limit"
    whole = m.srlip_product(joint, 0.5, (2, 6), "optimised").utility
    assert late.utility <= ready.utility == pytest.approx(whole, abs=1e-9)
