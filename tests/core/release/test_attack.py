"""The attack against its definition record by record, and cases whose answer is known."""

import math

import numpy as np
import pytest
from scipy.optimize import check_grad

from core.errors import InvalidInputError
from core.release import attack, beside
from core.release import attack as function

module = __import__(function.__module__, fromlist=["_Learner"])


def by_definition(s, columns, fold, folds, weights_of):
    """Return how many secrets are guessed right, by loops over records, secrets and columns."""
    right = 0
    for part in range(folds):
        learned = [i for i in range(len(s)) if fold[i] != part]
        secrets = sorted({s[i] for i in learned})
        p = {item: sum(s[i] == item for i in learned) / len(learned) for item in secrets}
        weights = weights_of(part)
        for i in range(len(s)):
            if fold[i] != part:
                continue
            scores = []
            for item in secrets:
                score = math.log(p[item])
                for weight, column in zip(weights, columns, strict=True):
                    same = [j for j in learned if column[j] == column[i]]
                    both = sum(s[j] == item for j in same)
                    given_v = (both + p[item]) / (len(same) + 1)
                    score += weight * math.log(given_v / p[item])
                scores.append(score)
            right += secrets[int(np.argmax(np.round(scores, 12)))] == s[i]
    return right


@pytest.mark.parametrize("seed", range(4))
def test_each_record_is_guessed_from_the_other_folds(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 3, 60)
    columns = [(s + rng.integers(0, 3, 60)) % 4, rng.integers(0, 20, 60), np.arange(60)]
    fitted = []
    own = module._Learner.of.__func__

    def kept(cls, *arguments):
        fitted.append(own(cls, *arguments))
        return fitted[-1]

    monkeypatch.setattr(module._Learner, "of", classmethod(kept))
    monkeypatch.setattr(module, "AT_ONCE", 50)  # several batches
    result = attack(s, columns, folds=3, seed=seed)
    order = np.random.default_rng(seed).permutation(60)
    right = by_definition(
        s[order],
        [item[order] for item in columns],
        np.arange(60) % 3,
        3,
        lambda part: fitted[part].weights,
    )
    assert result.right == right / 60
    assert result.error == pytest.approx(math.sqrt(result.right * (1 - result.right) / 60))
    assert result.records == 60


def test_the_weights_are_the_likeliest_with_each_record_left_out(monkeypatch):
    rng = np.random.default_rng(5)
    s = rng.integers(0, 3, 200)
    first = np.where(rng.random(200) < 0.6, s, rng.integers(0, 3, 200))
    columns = np.stack([first, first, rng.integers(0, 30, 200)])
    losses = []

    def seen(loss, start, **options):
        losses.append(loss)
        return own(loss, start, **options)

    own = module.minimize
    monkeypatch.setattr(module, "minimize", seen)
    learner = module._Learner.of(s, columns, columns.max(axis=1) + 1)
    (loss,) = losses
    assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], np.array([0.3, 0.7, 0.2])) < 1e-5

    def by_hand(weights):
        total = 0.0
        for i in range(200):
            p_s = np.bincount(s) / 200
            counts = [
                np.array([sum((item == item[i]) & (s == k)) - (s[i] == k) for k in range(3)])
                for item in columns
            ]
            score = np.log(p_s) + sum(
                w * np.log1p(n / p_s) for w, n in zip(weights, counts, strict=True)
            )
            total -= score[s[i]] - np.log(np.exp(score).sum())
        return total / 200

    best = by_hand(learner.weights)
    assert best == pytest.approx(loss(learner.weights)[0])
    for other in ([1, 1, 1], [0, 0, 0], [1, 0, 0], [0.5, 0.5, 0.1]):
        assert best <= by_hand(other) + 1e-7
    assert learner.weights[0] + learner.weights[1] == pytest.approx(
        1, abs=0.35
    )  # a copy: half each


def test_a_copy_of_s_reveals_it_and_an_identifier_nothing():
    rng = np.random.default_rng(1)
    s = (rng.random(1_000) < 0.3).astype(int)
    assert attack(s, [7 - s]).right == 1.0
    alone = attack(s, [np.arange(1_000)])
    assert alone.right == alone.blind == pytest.approx(1 - s.mean(), abs=1e-12)
    k = np.zeros((2, 1, 1_000))
    k[s, 0, np.arange(1_000)] = 1
    assert beside(k, [[1.0]]).known["guess"] == pytest.approx(1)  # as the counts have it


def test_it_comes_to_the_best_guess_where_a_column_has_many_records():
    """P(s = v) = 0.8: the best guess is right in 80% of records."""
    rng = np.random.default_rng(2)
    s = rng.integers(0, 2, 20_000)
    v = np.where(rng.random(20_000) < 0.8, s, 1 - s)
    result = attack(s, [v, rng.integers(0, 5, 20_000)])
    exact = (v == s).mean()
    assert result.right == pytest.approx(exact, abs=1e-12)
    assert abs(result.right - 0.8) < 4 * result.error


def test_a_column_twice_is_not_counted_twice():
    """Ten copies of a weak column do not outweigh a strong one."""
    rng = np.random.default_rng(3)
    s = rng.integers(0, 2, 8_000)
    strong, weak = (np.where(rng.random(8_000) < p, s, 1 - s) for p in (0.8, 0.6))
    both = attack(s, [strong, *[weak] * 10])
    assert both.right >= attack(s, [strong]).right - both.error


def test_the_seed_decides_the_folds_alone():
    s = np.random.default_rng(4).integers(0, 2, 300)
    v = np.random.default_rng(5).integers(0, 9, 300)
    assert attack(s, [v]) == attack(s, [v])
    assert attack(s + 5, [v * 3]) == attack(s, [v])  # numbers are names


def test_a_secret_that_only_one_fold_has_is_never_guessed():
    s = np.array([0] * 19 + [1])
    result = attack(s, [np.arange(20) % 2])
    assert result.right == result.blind == 0.95


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: attack([0, 1, 0], [[0, 1, 0]]), "needs at least as many records, got 3"),
        (lambda: attack([0, 1], []), "needs at least one column"),
        (lambda: attack([0, 1] * 5, [[0, 1]]), "must have shape (10,), got (2,)"),
        (lambda: attack([[0, 1]], [[0]]), "must have shape (n,), got (1, 2)"),
        (lambda: attack([0.5, 1] * 5, [[0] * 10]), "secrets must hold whole numbers"),
        (lambda: attack([0, 1] * 5, [[-1] * 10]), "A column must hold whole numbers"),
        (lambda: attack([0, 1] * 5, [[0] * 10], folds=1), "folds"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence):
    with pytest.raises(InvalidInputError) as error:
        call()
    assert sentence in str(error.value)
