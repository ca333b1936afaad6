import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import mechanisms as m
from core.errors import AuditError, InfeasibleError, InvalidInputError
from core.joint import Joint
from core.mechanisms.merging import batch
from core.mechanisms.merging.subset_levels import low_risk
from core.notions import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Chi2Privacy,
    GuessingProbability,
    Intersection,
    L1Privacy,
)
from tests.strategies import joints

FAMILIES = {
    "LIP": LIP,
    "LDP": LDP,
    "ALIP": lambda eps: ALIP.from_lambda(eps, 0.65),
    "l1": lambda eps: L1Privacy(eps, eps),
    "chi2": lambda eps: Chi2Privacy(eps, 0.5 * eps),
    "alpha": lambda eps: AlphaLift(eps, eps, 3.0),
}
GRID = (0.0, 0.1, 0.4, 0.8, 1.5, 2.5, np.inf)


def random_joints(count, n_s, n_x, seed, alpha):
    rng = np.random.default_rng(seed)
    return [Joint.random_dirichlet(n_s, n_x, alpha, rng) for _ in range(count)]


def compare(result, make, singles, notions):
    made = [[make(joint, notion) for notion in notions] for joint in singles]
    nmi = [[mechanism.nmi for mechanism in row] for row in made]
    attained = [[mechanism.status != "repaired" for mechanism in row] for row in made]
    np.testing.assert_allclose(result.nmi, nmi, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(result.attained, attained)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_a_batch_gives_what_single_calls_give(family, alpha):
    singles = random_joints(12, 4, 9, 3, alpha)
    stacked = np.stack([joint.p for joint in singles])
    notions = [FAMILIES[family](eps) for eps in GRID]
    compare(m.watchdog_batch(stacked, notions), m.watchdog, singles, notions)
    compare(m.subset_merging_batch(stacked, notions), m.subset_merging, singles, notions)


@pytest.mark.parametrize("risk", ["max", "sum", "ratio"])
def test_risks_carry_over(risk):
    singles = random_joints(15, 3, 10, 8, 1.0)
    notions = [ALIP(0.7, 0.4), LIP(0.4)]
    result = m.subset_merging_batch(np.stack([joint.p for joint in singles]), notions, risk)
    compare(result, lambda j, n: m.subset_merging(j, n, risk=risk), singles, notions)


@settings(max_examples=40, deadline=None)
@given(joints(), st.sampled_from(list(FAMILIES)))
def test_zero_cells_and_ties_as_well(joint, family):
    notions = [FAMILIES[family](eps) for eps in GRID]
    compare(m.watchdog_batch(joint.p[None], notions), m.watchdog, [joint], notions)
    compare(m.subset_merging_batch(joint.p[None], notions), m.subset_merging, [joint], notions)


def test_a_last_set_that_takes_in_one_earlier_set_after_the_other():
    joint = Joint.from_counts(
        [
            [6, 4, 6, 2, 6, 4, 2, 0, 5, 0],
            [7, 6, 0, 6, 7, 8, 3, 1, 3, 5],
            [8, 8, 5, 6, 1, 7, 0, 3, 2, 4],
            [6, 1, 1, 7, 0, 3, 5, 2, 0, 3],
        ]
    )
    steps = m.subset_merging_steps(joint, LIP(0.2))
    assert [len(step.joined) for step in steps[-2:]] == [3, 3]
    compare(
        m.subset_merging_batch(joint.p[None], [LIP(0.2)]), m.subset_merging, [joint], [LIP(0.2)]
    )


def merged(sets):
    """Return which symbols share an output, by the first symbol of each one's."""
    return [x if item == 0 else sets.index(item) for x, item in enumerate(sets)]


def first_alike(kernel):
    rows = kernel.tolist()
    return [rows.index(row) for row in rows]


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_ties_are_broken_alike(family):
    # counts from 1 to 3, mirrored rows and repeated columns: symbols tie in probability and risk;
    # budgets are the lifts themselves, so that levels tie with them too
    rng = np.random.default_rng(5)
    for trial in range(25):
        counts = rng.integers(1, 4, (int(rng.integers(2, 5)), int(rng.integers(3, 8))))
        if trial % 3 == 0:
            counts = np.concatenate([counts, counts[:, ::-1]], axis=1)
        if trial % 3 == 1:
            counts = np.concatenate([counts, counts[::-1]], axis=0)
        joint = Joint.from_counts(counts)
        p = joint.p
        levels = np.abs(np.log(p / p.sum(axis=1, keepdims=True) / p.sum(axis=0))).ravel()
        notions = [FAMILIES[family](eps) for eps in rng.choice(levels, 3).tolist()]
        for single, many in (
            (m.watchdog, m.watchdog_batch),
            (m.subset_merging, m.subset_merging_batch),
        ):
            result = many(p[None], notions)
            for notion, sets in zip(notions, result.sets[0].tolist(), strict=True):
                assert merged(sets) == first_alike(single(joint, notion).kernel)


@pytest.mark.parametrize("make", [m.watchdog, m.subset_merging])
def test_a_repair_takes_the_first_of_symbols_that_tie_in_probability(make):
    # sums of the same counts over their number are rounded in several ways
    joint = Joint.from_counts(
        [[1, 2, 2, 1, 3, 2, 3], [2, 1, 3, 1, 3, 3, 3], [1, 3, 1, 3, 2, 3, 2], [3, 3, 1, 2, 3, 2, 3]]
    )
    result = make(joint, LIP(0.6519891080664377))
    assert result.status == "repaired"
    batch = {m.watchdog: m.watchdog_batch, m.subset_merging: m.subset_merging_batch}[make]
    answer = batch(joint.p[None], [LIP(0.6519891080664377)])
    alike = first_alike(result.kernel)
    assert alike == [0, 0, 2, 3, 4, 5, 6]
    assert merged(answer.sets[0, 0].tolist()) == alike


def test_a_repair_keeps_all_of_x_h_even_if_a_part_of_it_would_do():
    # x1 and x2 balance each other, but x3 breaks the budget beside them.
    joint = Joint.from_counts([[8, 1, 12, 30, 31, 3], [1, 8, 1, 30, 31, 3]])
    assert m.watchdog(joint, LIP(0.2)).status == "repaired"
    compare(m.watchdog_batch(joint.p[None], [LIP(0.2)]), m.watchdog, [joint], [LIP(0.2)])


def test_many_ties_at_infinite_risk_go_to_the_lowest_index():
    rng = np.random.default_rng(2)
    singles = [Joint.from_counts(np.eye(4)[rng.integers(0, 4, 40)].T) for _ in range(6)]
    stacked = np.stack([joint.p for joint in singles])
    notions = [LIP(0.2), LDP(1.0), Chi2Privacy(0.5, 0.5)]
    compare(m.subset_merging_batch(stacked, notions), m.subset_merging, singles, notions)


def test_mixed_families_blocks_of_any_size_and_symbols_that_never_occur(monkeypatch):
    singles = random_joints(5, 3, 6, 1, 0.4)
    notions = [LIP(0.5), AlphaLift(0.5, 0.5, 2.0), LDP(1.0), AlphaLift(0.5, 0.5, 9.0), LIP(1.0)]
    padded = np.zeros((5, 4, 8))
    padded[:, :3, :6] = [joint.p for joint in singles]
    monkeypatch.setattr(batch, "CACHED", 70)
    compare(m.subset_merging_batch(padded, notions), m.subset_merging, singles, notions)
    compare(m.watchdog_batch(padded, notions), m.watchdog, singles, notions)


def test_one_symbol_keeps_all_there_is():
    result = m.watchdog_batch(np.full((2, 2, 1), 0.5), [LIP(0)])
    np.testing.assert_array_equal(result.nmi, [[1.0], [1.0]])
    assert result.attained.all()


def test_bad_input_is_named():
    p = np.full((1, 2, 2), 0.25)
    with pytest.raises(InvalidInputError, match="bounds every symbol separately"):
        m.watchdog_batch(p, [Intersection(LIP(1))])
    with pytest.raises(InvalidInputError, match="choice under LIP and ALIP only"):
        m.subset_merging_batch(p, [LDP(1)], "sum")
    with pytest.raises(InvalidInputError, match=r"shape \(k, n_s, n_x\), got \(2, 2\)"):
        m.watchdog_batch(p[0], [LIP(1)])
    with pytest.raises(InfeasibleError, match=r"even the constant one breaks it, at 0\.5\."):
        m.watchdog_batch(p, [GuessingProbability(0.4)])


def test_a_batch_that_gives_less_privacy_than_asked_is_an_error(monkeypatch):
    def publish_all(block, _high):
        rows, _, n_x = block.p.shape
        return np.zeros((rows, n_x), dtype=np.int64), np.ones(rows, dtype=np.bool_)

    monkeypatch.setattr(batch, "merge_completely", publish_all)
    with pytest.raises(AuditError, match=r"under LIP: an output has level 0\.916291, and 0\.1 is"):
        m.watchdog_batch([[[0.4, 0.1], [0.1, 0.4]]], [LIP(0.1)])


@pytest.mark.parametrize(
    ("eps", "lam", "low", "high"),
    [(1.5, 0.5, 0.04, 0.04), (1.5, 0.65, 0.10, 0.11), (2, 0.5, 0.26, 0.30), (2, 0.65, 0.67, 0.70)],
)
def test_the_printed_shares_of_draws_with_any_utility_come_out(eps, lam, low, high):
    # [ALIP] Fig. 3 and 4: n_x = 30, n_s = 20, 10⁴ draws; 4, 10–11, 26–30 and 67–70%.
    rng = np.random.default_rng(17)
    p = rng.random((1500, 20, 30))
    p /= p.sum(axis=(1, 2), keepdims=True)
    share = (m.watchdog_batch(p, [ALIP.from_lambda(eps, lam)]).nmi > 1e-9).mean()
    slack = 0.005 + 4 * np.sqrt(high * (1 - high) / len(p))
    assert low - slack < share < high + slack


def test_a_share_is_positive_exactly_where_a_symbol_is_low_risk():
    singles = random_joints(40, 6, 12, 2, 1.0)
    notion = LIP(0.9)
    result = m.watchdog_batch(np.stack([joint.p for joint in singles]), [notion])
    some = np.array([low_risk(joint, notion).any() for joint in singles])
    kept = result.attained[:, 0]
    np.testing.assert_array_equal((result.nmi[:, 0] > 1e-9)[kept], some[kept])


@pytest.mark.parametrize("merging", [m.watchdog_batch, m.subset_merging_batch])
def test_a_symbol_that_never_occurs_breaks_no_guessing_bound(merging):
    joint = np.array([[0.3, 0.0, 0.2], [0.1, 0.0, 0.4]])
    notion = GuessingProbability(0.7)
    alone = merging([joint[:, [0, 2]]], [notion])
    np.testing.assert_array_equal(merging([joint], [notion]).nmi, alone.nmi)


def test_probabilities_that_are_negative_by_rounding_are_taken_for_zero():
    rounded = np.array([[0.4, 0.1, 1 - 0.9 - 0.1], [0.1, 0.4, 0.0]])
    assert rounded[0, 2] < 0
    exact = np.maximum(rounded, 0.0)
    result = m.subset_merging_batch([rounded], [LIP(1.0), ALIP(0.2, 0.4)])
    np.testing.assert_array_equal(
        result.nmi, m.subset_merging_batch([exact], [LIP(1.0), ALIP(0.2, 0.4)]).nmi
    )
    with pytest.raises(InvalidInputError, match="at least 0, got -1e-06"):
        m.subset_merging_batch([[[0.5, -1e-6], [0.0, 0.5 + 1e-6]]], [LIP(1.0)])


@pytest.mark.parametrize("notion", [LIP(709.5), LIP(0.0)], ids=str)
def test_what_is_kept_of_a_symbol_that_is_all_but_certain_is_what_one_mechanism_keeps(notion):
    p = np.array([[1.0, 0.0, 2.7e-300], [1.7e-100, 0.0, 0.0]])
    joint = Joint.from_counts(p)
    pairs = (m.watchdog_batch, m.watchdog), (m.subset_merging_batch, m.subset_merging)
    for many, item in pairs:
        assert many(p[None], [notion]).nmi[0, 0] == item(joint, notion).nmi
