"""What a file gives away, in words."""

import math

import numpy as np
import pytest

from core.notions import ALIP, LDP, LIP, SRLIP, Average, EpsDelta, Intersection, L1Privacy
from core.release import Attack, beside
from core.release.file_words import attack_sentence, extent, factor, file_sentences, keeps, warnings

NOISE = beside(np.outer([8, 8], [1, 1]).reshape(2, 1, 2), [[1.0]])
"""K and Y tell nothing."""

TWIN = beside([[[3, 0], [1, 0]], [[0, 2], [0, 2]]], np.eye(2))
"""K is S."""

HALF = beside([[[2, 1]], [[1, 2]]], [[1.0]])
"""Beliefs of 1/2 become 2/3 and 1/3: lifts of 4/3 and 2/3."""


@pytest.mark.parametrize(
    ("notion", "expected"),
    [
        (None, None),
        (LIP(math.log(3 / 2)), True),
        (LIP(0.4), False),
        (ALIP(0.41, 0.28), False),  # log 4/3 = 0.288 above
        (ALIP(0.41, 0.29), True),
        (LDP(math.log(2)), True),
        (LDP(0.69), False),
        (Intersection(LIP(1), LDP(0.69)), False),
        (Intersection(LIP(1), LDP(0.7)), True),
        (Intersection(LIP(0.1), Average("mutual_information", 9)), False),
        (Intersection(LIP(1), Average("mutual_information", 9)), None),
        (EpsDelta(LIP(0.1), 0.5), None),
        (L1Privacy(9, 9), None),
        (SRLIP(1), None),
        (SRLIP(0.4), False),
    ],
)
def test_whether_a_file_keeps_a_promise(notion, expected):
    assert keeps(HALF, notion) is expected


@pytest.mark.parametrize(
    ("times", "words"),
    [(1, "×1.00"), (1.001, "×1.01"), (3.04, "×3.04"), (4364.4, "×4,364"), (2e9, "> ×1,000,000")],
)
def test_a_factor(times, words):
    assert factor(math.log(times)) == words
    assert factor(math.inf) == "×∞"


def test_a_factor_in_a_sentence():
    assert extent(math.log(3.04)) == "by up to a factor of 3.04"
    assert extent(math.log(2e9)) == "by a factor of more than 1,000,000"
    assert extent(math.inf) == "without limit"


def test_what_speaks_against_a_column():
    assert warnings(NOISE, "sex", LIP(0.1)) == ()
    assert warnings(TWIN, "sex", LIP(9)) == ("determines sex", "breaks 9-LIP")
    assert warnings(TWIN, "sex", None) == ("determines sex", "rules out a value of sex")
    person = beside(np.eye(4).reshape(4, 1, 4)[:2].repeat(1, axis=0) + 0, [[1.0]])
    assert "is unique for 100% of records" in warnings(person, "sex", None)
    mostly = beside([[[3, 1]], [[0, 1]]], [[1.0]])
    assert warnings(mostly, "sex", LIP(9))[0] == "determines sex for 60% of records"


def test_a_file_in_sentences():
    assert file_sentences(NOISE, ["a"], "sex") == (
        "In this file, for these records: 'a' alone changes no belief about sex; to a reader who "
        "knows it, Y changes no belief about sex; the file as a whole changes no belief about sex. "
        "A guess of sex is right with probability 0.500 from it, and 0.500 with Y."
    )
    reported = file_sentences(TWIN, ["a", "b", "c", "d", "e"], "sex")
    assert "'a', 'b', 'c', 'd' and 1 more alone can rule out a value of sex" in reported
    assert "to a reader who knows them, Y changes no belief" in reported
    assert "100% of the records have values that occur with only one value of sex." in reported
    person = beside(np.eye(2).reshape(2, 1, 2), [[1.0]])
    assert "No two records have the same values" in file_sentences(person, ["id"], "sex")


def test_an_attack_is_one_sentence():
    result = Attack(0.79964, 0.6692, 32_561)
    assert attack_sentence(result, ["age", "race"], "sex") == (
        "An attack that learns from other records guesses sex right for 80.0% ± 0.2% of 32,561 "
        "records from Y and these 2 columns, compared with 66.9% without them."
    )
    assert "from Y and this column, " in attack_sentence(result, ["age"], "sex")
