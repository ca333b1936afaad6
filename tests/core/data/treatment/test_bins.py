"""Edges of bins: where they are, which side they belong to, and what ties do to them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.data import Binning, Filter, Sources, preview
from core.data.treatment.bins import bin_labels
from core.errors import InvalidInputError


def of(values, binning, kind="parquet"):
    """Cut a column `x` of these values."""
    sources = Sources()
    frame = pd.DataFrame({"x": values, "other": "k"})
    content = frame.to_parquet() if kind == "parquet" else frame.to_csv(index=False).encode()
    return preview(sources.add_bytes(content, "data"), binning, sources=sources)


def nearest_quantiles(values, count):
    """Return distinct edges whose lower tails are closest to i·n/count, the lower of two."""
    ordered = np.sort(values)
    candidates = np.unique(ordered)
    below = np.searchsorted(ordered, candidates)
    inner = [candidates[np.abs(below - len(ordered) * i / count).argmin()] for i in range(1, count)]
    return np.unique([ordered[0], *inner, ordered[-1]])


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.integers(-5, 40), min_size=2, max_size=60).filter(lambda v: len(set(v)) > 1),
    st.sampled_from(["width", "quantile"]),
    st.integers(1, 7),
    st.sampled_from(["csv", "parquet"]),
)
def test_bins_are_those_of_numpy(values, kind, count, form):
    result = of(values, Binning("x", kind, count), form)
    edges = (
        np.linspace(min(values), max(values), count + 1)
        if kind == "width"
        else nearest_quantiles(np.array(values), count)
    )
    assert result.bins.edges == pytest.approx(tuple(edges), rel=1e-5, abs=1e-6)
    assert list(result.counts[1:-1]) == np.histogram(values, edges)[0].tolist()
    assert result.counts[0] == result.counts[-1] == result.missing == 0


def test_ties_make_fewer_bins_than_asked_for():
    result = of([0] * 5 + [1] * 5, Binning("x", "quantile", 4))
    assert result.shown() == (("[0, 1]", 10),)
    halves = of([0] * 5 + [1] * 5 + [2], Binning("x", "quantile", 2))
    assert halves.shown() == (("[0, 1)", 5), ("[1, 2]", 6))


def test_a_column_that_never_varies_is_one_bin():
    for kind in ("width", "quantile"):
        assert of([3, 3, None], Binning("x", kind, 4)).shown() == (("3", 2),)
        assert of([3, 3, None], Binning("x", kind, 4)).missing == 1


def test_edges_by_hand_leave_open_ends():
    values = [1, 20, 34.9, 35, 90, 90.1, None, float("inf"), -float("inf")]
    result = of(values, Binning("x", "edges", edges=(20, 35, 90)))
    assert result.shown() == (("< 20", 2), ("[20, 35)", 2), ("[35, 90]", 2), ("> 90", 2))
    assert result.missing == 1


def test_infinite_numbers_do_not_stretch_the_bins():
    result = of([0.0, 4.0, float("inf")], Binning("x", "width", 2))
    assert result.shown() == (("[0, 2)", 1), ("[2, 4]", 1), ("> 4", 1))


def test_marks_for_missing_numbers_are_no_numbers():
    result = of(["1", "?", "NA", " 3 ", "n/a", None], Binning("x", "width", 1))
    assert (result.shown(), result.missing) == ((("[1, 3]", 2),), 4)


def test_labels_have_as_many_digits_as_tell_them_apart():
    assert bin_labels(np.array([0.0, 1 / 3, 1.0])) == (
        "< 0",
        "[0, 0.333333)",
        "[0.333333, 1]",
        "> 1",
    )
    close = bin_labels(np.array([1.0, 1.0 + 1e-9, 2.0]))
    assert close[1:3] == ("[1, 1.000000001)", "[1.000000001, 2]")
    least = bin_labels(np.array([1.0, np.nextafter(1, 2)]))
    assert least[1] == "[1.0, 1.0000000000000002]"


def test_a_filter_comes_before_the_bins():
    result = preview("adult", Binning("age", "width", 1), (Filter("sex", ("Female",)),))
    assert result.counts[1] == 10_771


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            ["1", "x", "y", None],
            "Column 'x' holds 2 values that are not numbers, such as 'x' in record 2: bins need",
        ),
        ([None, None], "Column 'x' holds .*, and bins need numbers"),
        ([float("nan"), float("inf")], "Column 'x' has no numbers to cut into bins"),
        (["?", None], "Column 'x' has no numbers to cut into bins"),
        (pd.to_datetime(["2020-01-01"]), r"Column 'x' holds timestamp.*, and bins need numbers"),
    ],
)
def test_what_cannot_be_cut_gets_one_sentence(values, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        of(values, Binning("x", "width", 2))


def test_a_joint_has_no_columns_to_cut():
    with pytest.raises(InvalidInputError, match="has no columns to cut into bins"):
        preview("example:parity", Binning("x"))


def test_both_zeros_have_one_name():
    labels = bin_labels(np.array([-9.5, -0.0, 3.0]))
    assert labels == bin_labels(np.array([-9.5, 0.0, 3.0]))
    assert labels[1:3] == ("[-9.5, 0)", "[0, 3]")
    assert bin_labels(np.array([-0.0, 1.0]), exact=True)[1] == "[0, 1]"
