"""Sliders that move before an answer is there: a few visits of `python -m tests.fuzz.hammer`."""

import random

import pytest

from tests.fuzz import hammer


@pytest.mark.parametrize("seed", range(6))
def test_a_page_whose_sliders_move_early_comes_to_rest_at_their_place(browser, address, seed):
    assert hammer.visit(browser, address, random.Random(seed)) == []
