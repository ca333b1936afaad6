from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP, SRLIP, side_channel_levels
from tests.strategies import kernels

SHAPES = ((2, 2), (3, 2), (1, 3), (2, 1, 2), (2, 2, 2))

XOR = Joint.from_counts([[1, 0, 0, 1], [0, 1, 1, 0]])
FIRST_BIT = np.repeat(np.eye(2), 2, axis=0)


@st.composite
def products(draw, reads_secret=False):
    """A joint over a product of attributes, zero cells and columns included, and a kernel."""
    shape = draw(st.sampled_from(SHAPES))
    n_s, n_x = draw(st.integers(1, 3)), int(np.prod(shape))
    row = st.lists(st.integers(0, 4), min_size=n_x, max_size=n_x)
    counts = np.array(draw(st.lists(row, min_size=n_s, max_size=n_s)))
    counts[0, draw(st.integers(0, n_x - 1))] += 1
    joint = Joint.from_counts(counts)
    kernel = draw(kernels(joint.n_x * (joint.n_s if reads_secret else 1)))
    return joint, shape, kernel


def levels_by_loops(joint, shape, kernel):
    """For each J the largest |log P(y|s,x^J)/P(y|x^J)|, as Definition 3 is printed."""
    columns = list(product(*map(range, shape)))
    reads_secret = len(kernel) == joint.n_s * joint.n_x and joint.n_s > 1
    p = {
        (s, columns[joint.kept_x[x]], y): joint.p[s, x]
        * kernel[s * joint.n_x + x if reads_secret else x][y]
        for s in range(joint.n_s)
        for x in range(joint.n_x)
        for y in range(kernel.shape[1])
    }
    result = {}
    for known in chain.from_iterable(combinations(range(len(shape)), k) for k in range(len(shape))):
        worst = 0.0
        for at in product(*(range(shape[j]) for j in known)):
            part = {
                key: value
                for key, value in p.items()
                if all(key[1][j] == value_j for j, value_j in zip(known, at, strict=True))
            }
            total = sum(part.values())
            for s, y in product(range(joint.n_s), range(kernel.shape[1])):
                p_s = sum(value for key, value in part.items() if key[0] == s)
                p_y = sum(value for key, value in part.items() if key[2] == y)
                if p_s > 0 and p_y > 0:
                    both = sum(v for key, v in part.items() if key[0] == s and key[2] == y)
                    ratio = (both / p_s) / (p_y / total)
                    worst = max(worst, np.inf if ratio == 0 else abs(np.log(ratio)))
        result[known] = worst
    return result


@settings(max_examples=40, deadline=None)
@given(products())
def test_levels_are_definition_3(drawn):
    joint, shape, kernel = drawn
    result, expected = side_channel_levels(joint, kernel, shape), levels_by_loops(*drawn)
    assert result.keys() == expected.keys()
    for known in result:
        assert result[known] == pytest.approx(expected[known], abs=1e-9)
    achieved = SRLIP(1, shape).achieved(joint, kernel)
    assert achieved == max(result.values())


@settings(max_examples=20, deadline=None)
@given(products(reads_secret=True))
def test_levels_of_a_mechanism_that_reads_the_secret(drawn):
    joint, shape, kernel = drawn
    result, expected = side_channel_levels(joint, kernel, shape), levels_by_loops(*drawn)
    for known in result:
        assert result[known] == pytest.approx(expected[known], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(products())
def test_srlip_implies_lip_and_is_lip_for_one_attribute(drawn):
    joint, shape, kernel = drawn
    lip = LIP(1).achieved(joint, kernel)
    assert SRLIP(1, shape).achieved(joint, kernel) >= lip - 1e-12
    columns = int(np.prod(shape))
    assert SRLIP(1, (columns,)).achieved(joint, kernel) == pytest.approx(lip, abs=1e-12)
    alone = side_channel_levels(joint, kernel)
    assert alone.keys() == {()}  # a joint that says nothing of attributes has one


@settings(max_examples=40, deadline=None)
@given(products(), st.sampled_from([0.0, 0.2, 0.7, 1.5, np.inf]))
def test_the_allowed_set_is_what_holds(drawn, eps):
    joint, shape, kernel = drawn
    notion = SRLIP(eps, shape)
    allowed = notion.allowed_set(joint)
    assert allowed.n_auxiliary == 0
    assert allowed.oracle is None
    posterior = (joint.p_x[:, None] * kernel).T
    posterior = posterior[posterior.sum(axis=1) > 0]
    posterior = posterior / posterior.sum(axis=1, keepdims=True)
    excess = (allowed.rows @ posterior.T).max(initial=-1.0)
    # rows scale each condition by its own mass, so only a clear verdict is compared
    level = notion.achieved(joint, kernel)
    if level <= eps - 1e-9:
        assert excess <= 1e-12
    elif level > eps + 1e-6 and np.isfinite(level):
        assert excess > 0


def test_a_side_channel_opens_what_was_closed():
    assert LIP(0).holds(XOR, FIRST_BIT)
    assert side_channel_levels(XOR, FIRST_BIT, (2, 2)) == {(): 0.0, (0,): 0.0, (1,): np.inf}
    assert not SRLIP(5, (2, 2)).holds(XOR, FIRST_BIT)
    assert SRLIP(np.inf, (2, 2)).holds(XOR, FIRST_BIT)


def test_what_never_happens_asks_nothing():
    # x² is a copy of x¹: who knows one has nothing left to learn
    copies = Joint.from_counts([[3, 0, 0, 1], [1, 0, 0, 3]])
    assert copies.n_x == 2
    assert SRLIP(1, (2, 2)).achieved(copies, np.eye(2)) == LIP(1).achieved(copies, np.eye(2))
    assert SRLIP(0.1, (2, 2)).allowed_set(copies).rows.shape[0] == 4


def test_rows_that_repeat_are_left_out():
    joint = Joint.from_counts(np.random.default_rng(0).random((2, 4)))
    plain = SRLIP(0.01, (2, 2)).allowed_set(joint).rows
    padded = SRLIP(0.01, (2, 1, 2)).allowed_set(joint).rows
    assert plain.shape == padded.shape


@settings(max_examples=30, deadline=None)
@given(products(), st.data())
def test_looking_less_closely_never_tells_more(drawn, data):
    joint, shape, kernel = drawn
    after = data.draw(kernels(kernel.shape[1]))
    notion = SRLIP(1, shape)
    assert notion.achieved(joint, kernel @ after) <= notion.achieved(joint, kernel) + 1e-9


def test_scale_text_and_bad_input():
    assert str(SRLIP(0.5, (2, 2))) == "0.5-SRLIP"
    skewed = Joint.from_counts([[3, 1, 1, 1], [1, 1, 1, 1]])
    level = SRLIP(1, (2, 2)).achieved(skewed, np.eye(4))
    assert SRLIP(2, (2, 2)).scale(skewed, np.eye(4)) == level / 2
    with pytest.raises(InvalidInputError, match=r"eps must be in \[0, inf\], got -1"):
        SRLIP(-1, (2, 2))
    with pytest.raises(InvalidInputError, match="size must be at least 1"):
        SRLIP(1, (0, 2))
    with pytest.raises(InvalidInputError, match="must multiply to the number of columns"):
        SRLIP(1, (2, 3)).achieved(XOR, FIRST_BIT)
