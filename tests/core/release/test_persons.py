"""What all outputs of a person reveal: by dictionaries and sums over all of their combinations."""

import math
from collections import Counter, defaultdict
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP
from core.release import persons
from core.release.persons import alike_and_independent, of_persons
from core.release.repeats import repeated


def visits(seed, n=40):
    """Draw records of persons with a secret each, in any order, and a kernel."""
    rng = np.random.default_rng(seed)
    person = rng.integers(n, size=3 * n)
    secret = rng.integers(3, size=n)
    row = (secret[person] + rng.integers(3, size=3 * n)) % 4
    return person, secret[person], row, rng.dirichlet([1, 1, 0.2], 4)


def by_hand(person, secret, row, kernel):
    """Return {m: (persons, level of LIP, chance of a right guess)} for persons of m records."""
    of = defaultdict(list)
    for who, s, x in zip(person.tolist(), secret.tolist(), row.tolist(), strict=True):
        of[who].append((s, x))
    found = {}
    for m in {len(records) for records in of.values()}:
        counts = Counter(
            (records[0][0], tuple(x for _, x in records))
            for records in of.values()
            if len(records) == m
        )
        n = sum(counts.values())
        prior = Counter()
        for (s, _), count in counts.items():
            prior[s] += count / n
        worst = guess = 0.0
        for outputs in product(range(kernel.shape[1]), repeat=m):
            joint = dict.fromkeys(prior, 0.0)
            for (s, xs), count in counts.items():
                chances = [kernel[x, y] for x, y in zip(xs, outputs, strict=True)]
                joint[s] += count / n * math.prod(chances)
            total = sum(joint.values())
            guess += max(joint.values())
            for s, mass in joint.items():
                lift = mass / total / prior[s]
                worst = max(worst, abs(math.log(lift)) if lift > 0 else math.inf)
        found[m] = (n, worst, guess)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_persons_are_counted_by_all_of_their_values(seed):
    records = visits(seed)
    found, expected = of_persons(*records), by_hand(*records)
    assert found.keys() == expected.keys()
    for m, (n, level, guess) in expected.items():
        assert found[m].persons == n
        assert found[m].levels["lip"] == pytest.approx(level, rel=1e-9, abs=1e-9)
        assert found[m].levels["guess"] == pytest.approx(guess)


def test_records_of_one_person_that_are_alike_are_draws_of_one():
    """Each person has two records of the same X: two draws of one mechanism."""
    table = np.array([[5, 2, 1], [1, 3, 4]])
    s, x = (np.repeat(place.ravel(), table.ravel()) for place in np.indices(table.shape))
    kernel = np.array([[0.7, 0.3], [0.5, 0.5], [0.2, 0.8]])
    pairs = np.arange(len(s))
    found = of_persons(np.tile(pairs, 2), np.tile(s, 2), np.tile(x, 2), kernel)
    joint = Joint.from_counts(table)
    level = repeated(joint, kernel, LIP(1), 2)
    assert found[2].levels["lip"] == pytest.approx(level)
    assert alike_and_independent(joint, kernel, 2)[0].level == pytest.approx(level)


def test_independent_records_reveal_more_than_their_number_times_one():
    """Outputs are independent given S: the level of two is that of a product of channels of S."""
    joint, kernel = Joint.from_counts([[3, 1], [1, 3]]), np.array([[0.8, 0.2], [0.2, 0.8]])
    one, _ = alike_and_independent(joint, kernel, 1)
    alike, independent = alike_and_independent(joint, kernel, 2)
    low = 2 * 0.35**2 / (0.65**2 + 0.35**2)
    assert independent.level == pytest.approx(-math.log(low))
    assert one.level < alike.level < independent.level


def test_several_secrets_of_a_person_are_none_of_the_person():
    assert of_persons([0, 0, 1], [0, 1, 1], [0, 0, 0], [[1.0]]) is None


def test_too_many_combinations_are_not_counted():
    person, secret, row, kernel = visits(0)
    with patch.object(persons, "MOST_TOGETHER", 9):
        found = of_persons(person, secret, row, kernel)
    assert all((of.levels is None) == (m > 2) for m, of in found.items())
    assert max(found) > 2


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        (([], [], []), "at least one"),
        (([0, 1], [0], [0, 0]), "of the same records"),
        (([0], [0], [3]), "The kernel has 2 rows, not one for each record"),
        (([0], [0], [-1]), "The kernel has 2 rows, not one for each record"),
    ],
)
def test_records_that_do_not_fit_are_one_sentence(records, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        of_persons(*records, np.eye(2))
