"""What robust designs are worth at a known truth: samples, designs, draws, the effect of β."""

import numpy as np
import pytest
from scipy import stats

from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.mechanisms.response.calibrated import grr_kernel
from core.notions import RLDP
from core.studies.robust_designs import (
    DESIGNS,
    QUICK,
    Drawn,
    DrawnDesigns,
    compare_designs,
    design,
    design_all,
    most_seconds,
    named,
    realised_level,
    robust_frontiers,
    study_beta,
    study_draws,
    take_sample,
)
from core.uncertainty import RenyiBall

TRUTH = np.array([[0.1, 0.1], [0.2, 0.6]])


def silent(_progress):
    """Take progress and forget it."""


@pytest.fixture(scope="module")
def sample():
    return take_sample(TRUTH, 100, seed=3)


def test_a_sample_is_n_records_and_the_same_for_the_same_seed(sample):
    assert sample.counts.sum() == 100
    np.testing.assert_array_equal(sample.counts, take_sample(TRUTH, 100, seed=3).counts)
    np.testing.assert_allclose(sample.ball.p_hat_su, sample.counts / 100)
    np.testing.assert_allclose(sample.true_conditional, [[0.5, 0.5], [0.25, 0.75]])


def test_about_one_in_twenty_samples_misses_the_truth():
    missed = sum(not take_sample(TRUTH, 200, 0.05, seed=seed).covered for seed in range(400))
    assert stats.binomtest(missed, 400, 0.05).pvalue > 1e-3


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 3.0])
def test_balls_of_every_order_hold_the_truth_as_often_as_they_say(alpha):
    missed = sum(not take_sample(TRUTH, 500, 0.2, alpha, seed).covered for seed in range(400))
    assert stats.binomtest(missed, 400, 0.2).pvalue > 1e-3


def test_the_order_2_is_the_paper_s_set_and_orders_near_1_and_2_are_continuous():
    def bound(alpha):
        return RenyiBall.confidence(TRUTH, 100, 0.05, alpha).bound

    assert bound(2.0) == pytest.approx(np.log1p(stats.chi2.ppf(0.95, 3) / 100), rel=1e-12)
    assert bound(1.0) == pytest.approx(stats.chi2.ppf(0.95, 3) / 200, rel=1e-12)
    assert bound(1.000001) == pytest.approx(bound(1.0), rel=1e-4)


def test_few_records_of_an_order_below_1_rule_nothing_out():
    assert RenyiBall.confidence(TRUTH, 1, 0.01, 0.5).bound == np.inf


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"truth": [[0.4, 0.6]]}, "two secrets"),
        ({"n": 0}, "n"),
        ({"beta": 0.0}, "beta"),
        ({"beta": 1.0}, "beta"),
        ({"alpha": np.inf}, "alpha"),
        ({"alpha": 0.0}, "alpha"),
    ],
)
def test_bad_input_is_one_sentence(change, word):
    with pytest.raises(InvalidInputError, match=word) as caught:
        take_sample(**({"truth": TRUTH, "n": 100} | change))
    assert str(caught.value).count(". ") == 0


def test_a_secret_never_seen_is_named_and_nothing_is_designed():
    sample = take_sample([[1e-6, 1e-6], [0.3, 0.7 - 2e-6]], 20)
    assert sample.never_seen == (0,)
    assert sample.ball.conditional_bound[0] == np.inf
    with pytest.raises(InvalidInputError, match="never occurs"):
        design("polyopt", sample, 1.0, 1.0)


def test_an_unknown_design_is_an_error(sample):
    with pytest.raises(InvalidInputError, match="nonsense"):
        design("nonsense", sample, 1.0, 1.0)


def test_designs_are_ordered_as_theorems_say(sample):
    made = design_all(sample, 1.0, 1.0)
    assert tuple(made) == tuple(DESIGNS)
    nmi = {key: mechanism.nmi for key, mechanism in made.items()}
    assert nmi["secret_rr"] <= nmi["polyopt"] + 1e-6
    assert max(nmi["polyopt"], nmi["independent"]) <= nmi["exact"] + 1e-6
    assert nmi["exact"] <= nmi["non_robust"] + 1e-6
    np.testing.assert_allclose(made["grr"].kernel, grr_kernel(4, 1.0))


def test_the_robust_optimum_without_others_starts_by_itself(sample):
    alone = design_all(sample, 1.0, 2.0, ("exact",))["exact"]
    assert alone.nmi == pytest.approx(design_all(sample, 1.0, 2.0)["exact"].nmi, abs=2e-3)


def test_robust_designs_keep_their_promise_at_worst_and_the_non_robust_one_does_not(sample):
    ticks = []
    outcomes = {item.key: item for item in compare_designs(sample, 1.0, 1.0, report=ticks.append)}
    assert ticks == [(done, len(DESIGNS)) for done in range(len(DESIGNS))]
    joint = Joint.with_secret_released(sample.ball.p_hat_su, keep_unseen=True)
    for key, item in outcomes.items():
        kernel = item.mechanism.kernel
        worst = RLDP(1.0, sample.ball, exact=True).achieved(joint, kernel)
        assert item.worst == pytest.approx(worst, abs=1e-9)
        assert item.realised == pytest.approx(float(realised_level(TRUTH, kernel)))
        assert sample.covered
        assert item.realised <= item.worst + 1e-9
        assert (item.worst <= 1.0 + 1e-9) == (key != "non_robust")


def test_names_go_to_cells_and_to_outputs_that_are_cells(sample):
    cells = ("f · a", "f · b", "m · a", "m · b")
    true_joint = Joint.from_counts(TRUTH, s_labels=("f", "m"), x_labels=("a", "b"))
    by_cell = named(design("secret_rr", sample, 1.0, 1.0), true_joint)
    assert by_cell.x_labels == by_cell.y_labels == cells
    free = named(design("non_robust", sample, 1.0, 1.0), true_joint)
    assert free.x_labels == cells
    assert all(label.split("%")[0].startswith(cells) for label in free.y_labels)
    assert {tuple(column) for column in free.kernel.T} == {
        tuple(column) for column in design("non_robust", sample, 1.0, 1.0).kernel.T
    }


def test_frontiers_never_fall_and_are_those_of_each_budget(sample):
    result = robust_frontiers(sample, 1.0, (0.5, 1.0, 2.0), report=silent)
    assert set(result) == set(DESIGNS)
    for nmi, utility in result.values():
        assert (np.diff(nmi) >= -1e-9).all()
        assert (np.diff(utility) >= -1e-9).all()
    alone = design("secret_rr", sample, 1.0, 1.0)
    assert result["secret_rr"][0][1] == pytest.approx(alone.nmi)
    assert result["secret_rr"][1][1] == pytest.approx(alone.utility)


KEYS = ("non_robust", "polyopt", "secret_rr")


def test_over_draws_robust_designs_keep_the_promise_where_the_set_holds_the_truth():
    drawn = Drawn(100, 0.05, 2.0, seed=10, draws=12, fresh=False)
    result = study_draws(TRUTH, 0.5, drawn, KEYS, 0.5, report=silent)
    covered = np.array([drawn.sample(TRUTH, i).covered for i in range(12)])
    assert result.covered == covered.sum()
    assert result.skipped == 0
    assert (result.realised["polyopt"][covered] <= 0.5 + 1e-9).all()
    assert (result.realised["secret_rr"] <= 0.5 + 1e-9).all()
    assert (result.realised["non_robust"] > 0.5).sum() >= 6
    assert result.nmi["polyopt"].shape == result.true_nmi["polyopt"].shape == (12,)


def test_fresh_draws_have_truths_of_their_own_and_the_same_again():
    drawn = Drawn(1000, 0.05, 2.0, seed=1, draws=2, fresh=True)
    first, second = (drawn.sample(TRUTH, i).truth for i in range(2))
    assert np.abs(first - second).max() > 0.01
    np.testing.assert_array_equal(first, drawn.sample(np.full((2, 2), 0.25), 0).truth)


def test_draws_without_a_secret_are_counted_and_none_at_all_is_an_error():
    truth = np.array([[0.02, 0.02], [0.36, 0.6]])
    drawn = Drawn(20, 0.05, 2.0, seed=0, draws=10, fresh=False)
    lost = sum(bool(drawn.sample(truth, i).never_seen) for i in range(10))
    assert 0 < lost < 10
    result = study_draws(truth, 1.0, drawn, ("secret_rr",), 0.5, report=silent)
    assert result.skipped == lost
    assert len(result.nmi["secret_rr"]) == 10 - lost
    never = np.array([[1e-9, 1e-9], [0.4, 0.6 - 2e-9]])
    for study in (
        lambda: study_draws(never, 1.0, drawn, ("secret_rr",), 0.5, report=silent),
        lambda: study_beta(never, 1.0, drawn, 0.5, report=silent),
    ):
        with pytest.raises(CoreError, match="Take more records"):
            study()


def test_a_smaller_beta_costs_robust_designs_a_little_and_secret_response_nothing():
    drawn = Drawn(1000, 0.05, 2.0, seed=0, draws=3, fresh=False)
    ticks = []
    result = study_beta(TRUTH, 1.0, drawn, 1.0, (0.1, 0.001), report=ticks.append)
    assert ticks == [(0, 3), (1, 3), (2, 3)]
    assert result["polyopt"][0] > result["polyopt"][1] > 0.5 * result["polyopt"][0]
    assert result["independent"][0] > result["independent"][1]
    assert result["secret_rr"][0] == result["secret_rr"][1]


def test_what_is_quick_is_all_but_the_robust_optimum(sample):
    outcomes = compare_designs(sample, 1.0, 0.5, QUICK, report=silent)
    assert tuple(item.key for item in outcomes) == QUICK
    assert set(DESIGNS) - set(QUICK) == {"exact"}
    by_key = {item.key: item for item in outcomes}
    trusting = by_key["non_robust"]
    assert trusting.most_nmi == pytest.approx(trusting.mechanism.nmi, abs=1e-5)
    assert by_key["secret_rr"].most_nmi == pytest.approx(1.0)  # no bound but H(X)
    nothing = compare_designs(sample, 0.0, 0.5, ("secret_rr",), report=silent)[0]
    assert nothing.most_nmi == 1.0
    assert trusting.breaks(trusting.realised - 1e-3)
    assert not trusting.breaks(trusting.realised)


def test_what_a_sample_leaves_possible_in_figures(sample):
    truth, ball = sample.true_conditional, sample.ball
    assert sample.reach == 1.0  # twice .75 is more than there is
    assert take_sample(np.full((2, 8), 1 / 16), 100).reach == pytest.approx(0.3)
    assert take_sample(np.full((2, 150), 1 / 300), 5_000).reach == pytest.approx(0.02)
    for s in range(2):
        inside = [ball.lower[s, u] <= truth[s, u] <= ball.upper[s, u] for u in range(2)]
        assert sample.within(s) == sum(inside)
        assert sample.widest(s) == pytest.approx(max(ball.upper[s] - ball.lower[s]))
    assert sample.covered
    assert sample.within(0) == 2


def test_where_the_secret_is_released_itself_all_of_it_lies_within_its_bars():
    """One of 15 bars ended 1e-16 below 100%."""
    truth = np.diag(np.random.default_rng(1).dirichlet(np.ones(15)))
    sample = take_sample(truth, 5_000, seed=1)
    assert sample.covered
    assert [sample.within(s) for s in range(15)] == [15] * 15


def test_draws_are_counted_and_averaged():
    result = DrawnDesigns(
        realised={"a": np.array([0.5, 1.5, np.inf]), "b": np.array([0.1, 0.2, 1.0])},
        nmi={"a": np.array([0.1, 0.2, 0.3]), "b": np.array([0.0, 0.0, 0.3])},
        true_nmi={"a": np.array([0.3, 0.3, 0.3]), "b": np.array([0.0, 0.3, 0.0])},
        skipped=1,
        covered=3,
    )
    assert result.used == 3
    assert result.broken(1.0) == {"a": 2, "b": 0}
    assert result.means() == {"a": pytest.approx((0.2, 0.3)), "b": pytest.approx((0.1, 0.1))}


def test_a_study_takes_as_long_as_its_searches_may():
    assert most_seconds("frontiers", 0.6) == pytest.approx(10 * 0.6 * 3)
    assert most_seconds("draws", 0.3, ("non_robust", "polyopt", "grr"), 20) == pytest.approx(12)
    assert most_seconds("draws", 0.3, ("grr",), 20) == 0
    assert most_seconds("betas", 0.3, draws=20) == pytest.approx(20 * 3 * 0.3)


def test_a_larger_beta_never_keeps_less_even_where_time_ends_a_search(monkeypatch):
    result = iter([0.3, 0.5, 0.2])

    class Made:
        nmi = property(lambda _self: next(result))

    def made(_sample, _eps, _seconds, keys):
        return {key: Made() if key == "polyopt" else FIXED for key in keys}

    class Fixed:
        nmi = 0.1

    FIXED = Fixed()
    monkeypatch.setattr("core.studies.robust_designs.design_all", made)
    drawn = Drawn(1000, 0.05, 2.0, seed=0, draws=1, fresh=False)
    means = study_beta(TRUTH, 1.0, drawn, 1.0, (0.1, 0.01, 0.001), report=silent)
    assert means["polyopt"].tolist() == [0.5, 0.5, 0.2]  # what holds for .01 holds for .1
    assert means["secret_rr"].tolist() == [0.1, 0.1, 0.1]
