"""Shares of few draws beside published shares, by the binomial distribution written out."""

import math

import pytest
from scipy import stats

from core.errors import InvalidInputError
from core.papers.verdicts import Value, outcome


@pytest.mark.parametrize("relation", ["at most", "at least", "is"])
def test_a_share_of_few_draws_is_judged_by_the_sum_of_binomial_terms(relation):
    terms = [math.comb(8, k) * 0.3**k * 0.7 ** (8 - k) for k in range(9)]
    for count in range(9):
        more, fewer = sum(terms[count:]), sum(terms[: count + 1])
        both = min(1.0, 2 * min(more, fewer))
        chance = {"at most": more, "at least": fewer, "is": both}[relation]
        value = Value("a", count / 8, 0.3, relation=relation, draws=8)
        assert value.by_chance() == pytest.approx(chance)
        reported = "cannot be decided" if chance > stats.norm.sf(4) else "differs"
        assert outcome("NUM", [value], few=8) == ("reproduced" if chance >= 0.05 else reported)
    with pytest.raises(InvalidInputError, match="a published share"):
        Value("a", 0.5, draws=8)
    for none in (math.nan, math.inf, 1.5):
        assert outcome("NUM", [Value("a", none, 0.3, draws=8)], few=8) == "differs"
    assert outcome("NUM", [Value("a", 0.5, 1.3, draws=8)], few=8) == "differs"
