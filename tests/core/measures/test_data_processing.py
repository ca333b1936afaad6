"""Data processing: it lowers every measure but two, which are not convex."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from tests import channels
from tests.strategies import kernels, matrices

INF = np.inf
WORST = {
    "max_lift": lambda p: np.nanmax(measures.max_lift(p)),
    "min_lift": lambda p: -np.nanmin(measures.min_lift(p)),
    "lift_ratio": lambda p: np.nanmax(measures.lift_ratio(p)),
    "l1_lift": lambda p: np.nanmax(measures.l1_lift(p)),
    "chi2_lift": lambda p: np.nanmax(measures.chi2_lift(p)),
    "alpha_lift": lambda p: np.nanmax(measures.alpha_lift(p, 2.5)),
    "alpha_lift_inverse": lambda p: np.nanmax(measures.alpha_lift_inverse(p, 2.5)),
}
AVERAGES = {
    "mutual_information": measures.mutual_information,
    "total_variation": measures.total_variation,
    "chi2_divergence": measures.chi2_divergence,
    "maximal_leakage": measures.maximal_leakage,
    "gacs_korner": measures.gacs_korner,
    "sibson .3": lambda p: measures.sibson(p, 0.3),
    "sibson 3": lambda p: measures.sibson(p, 3),
    "arimoto .3": lambda p: measures.arimoto(p, 0.3),
    "arimoto 3": lambda p: measures.arimoto(p, 3),
    "arimoto ∞": lambda p: measures.arimoto(p, INF),
}


@st.composite
def processed(draw):
    """Return P(s, y) and P(s, z) of S − Y − Z."""
    p = draw(matrices())
    return p, p @ draw(kernels(p.shape[1]))


@settings(max_examples=60)
@given(processed())
def test_no_measure_grows(pair):
    before, after = pair
    for name, measure in (WORST | AVERAGES).items():
        high, low = measure(before), measure(after)
        assert low <= high + 1e-9 * abs(high) + 1e-12, name


@pytest.mark.parametrize("measure", [measures.l1_lift_inverse, measures.chi2_lift_inverse])
def test_two_inverses_grow_when_outputs_merge(measure):
    p = channels.MERGING_COUNTEREXAMPLE
    merged = p @ np.array([[1, 0], [1, 0], [0, 1]])
    assert measure(merged).max() > 1.00001 * measure(p).max()
    assert merged.sum(axis=0) @ measure(merged) > p.sum(axis=0) @ measure(p)
