"""Numbers of figures: few digits, and gaps where there is none."""

import math

import numpy as np

from pages.ui.style.base import numbers


def test_numbers_have_few_digits_and_gaps_stay_gaps():
    given = [1 / 3, 123456.7, -2e-300, 0.0, math.inf, -math.inf, math.nan]
    assert numbers(given) == [0.33333, 123460.0, -2e-300, 0.0, None, None, None]
    assert numbers(given[:2], digits=3) == [0.333, 123000.0]


def test_whole_numbers_matrices_and_one_number_become_a_list_of_floats():
    assert numbers(np.arange(4).reshape(2, 2)) == [0.0, 1.0, 2.0, 3.0]
    assert numbers(7) == [7.0]
    assert {type(item) for item in numbers(np.arange(3))} == {float}
