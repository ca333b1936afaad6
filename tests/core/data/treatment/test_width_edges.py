"""Edges of bins of equal width are the decimals of their labels, against exact fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.data import Binning, DataSpec, Sources, count, preview
from core.data.treatment.bins import Bins, bin_labels, equal_widths
from core.records.coded import Values
from core.records.recount import _level

TENTHS = [f"{i / 10}" for i in range(11)]


def source_of(texts, sources, form="csv"):
    """Write decimals to a file, as text or as numbers, beside a column of two levels."""
    pairs = ["ab"[i % 2] for i in range(len(texts))]
    if form == "csv":
        lines = ["n,g", *(f"{text},{item}" for text, item in zip(texts, pairs, strict=True))]
        return sources.add_bytes("\n".join(lines).encode(), "n.csv")
    frame = pd.DataFrame({"n": list(map(float, texts)), "g": pairs})
    return sources.add_bytes(frame.to_parquet(), "n.parquet")


def named(label):
    """Return a label's edges as fractions, and whether the last one belongs to it."""
    low, high = label[1:-1].split(", ")
    return Fraction(low), Fraction(high), label[-1] == "]"


def by_hand(texts, labels):
    """Count decimals in intervals by their labels, in exact arithmetic."""
    result = []
    for low, high, closed in map(named, labels):
        exact = map(Fraction, texts)
        result.append(sum(low <= item < high or (closed and item == high) for item in exact))
    return result


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tenths_fall_where_their_labels_say(form):
    sources = Sources()
    source = source_of(TENTHS, sources, form)
    result = preview(source, Binning("n", "width", 10), sources=sources)
    assert result.shown()[2:4] == (("[0.2, 0.3)", 1), ("[0.3, 0.4)", 1))
    assert [n for _, n in result.shown()] == [1] * 9 + [2]
    assert result.bins.edges == tuple(i / 10 for i in range(11))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=2, max_size=40).filter(
        lambda item: len(set(item)) > 1
    ),
    st.integers(1, 40),
)
@example([0, 1, 7], 7)
@example(["0.001", "0.002"], 40)
def test_edges_are_the_decimals_of_the_labels(values, bins):
    exact = sorted({Fraction(str(item)) for item in values})
    low, high = exact[0], exact[-1]
    edges = equal_widths(float(low), float(high), bins)
    labels = bin_labels(edges, exact=True)[1:-1]
    shown = [named(label) for label in labels]
    assert [item[0] for item in shown[1:]] == [item[1] for item in shown[:-1]]
    assert [float(item[0]) for item in shown] == edges[:-1].tolist()
    assert float(shown[-1][1]) == edges[-1]
    assert len(labels) == bins
    width = (high - low) / bins
    for k, (edge, following, _) in enumerate(shown):
        assert abs(edge - (low + k * width)) <= width / 1000
        assert abs(following - (low + (k + 1) * width)) <= width / 1000
    assert shown[0][0] <= low
    assert high <= shown[-1][1]
    places = np.searchsorted(edges, list(map(float, exact)), side="right")
    numpy = np.bincount(np.minimum(places, len(labels)), minlength=len(labels) + 1)[1:]
    assert numpy.tolist() == by_hand(exact, labels)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(-300, 300), min_size=2, max_size=30), st.sampled_from([1, 3, 6, 10]))
def test_every_way_of_counting_puts_decimals_where_their_labels_say(values, bins):
    texts = ["-30.1", "30.1", *(f"{item / 10}" for item in values)]
    sources = Sources()
    source = source_of(texts, sources)
    spec = DataSpec(source, ("g",), ("n",), binnings=(Binning("n", "width", bins),))
    result = count(spec, sources) if bins > 1 else None
    seen = preview(source, Binning("n", "width", bins), sources=sources)
    labels = [label for label, _ in seen.shown()]
    expected = by_hand(texts, labels)
    assert [n for _, n in seen.shown()] == expected
    if result is not None:
        joint = result.joint
        counted = dict(zip(joint.x_labels, np.rint(joint.p_x * joint.n).astype(int), strict=True))
        assert counted == {
            label: n for label, n in zip(labels, expected, strict=True) if n or label in counted
        }
    values_of = Values(())
    try:
        coded = values_of.levels("n", pa.array(texts), seen.bins)
    finally:
        values_of.close()
    again = [_level(text, seen.bins.edges, marked=False) for text in texts]
    assert coded == again
    assert [coded.count(i + 1) for i in range(len(labels))] == expected


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [
        (-1.7e308, 1.7e308, 7),
        (0.0, 1.7976931348623157e308, 10),
        (-1.7976931348623157e308, 1.7976931348623157e308, 3),
        (5e-324, 1e-323, 5),
        (1.0, 1.0000000000000002, 4),
        (1e17, 1e17 + 16, 3),
        (0.8444218515250481, 0.8444218515250499, 3),
        (0.0, 1 / 3, 128),
    ],
)
def test_extreme_ends_are_inside_and_labels_are_read_as_edges(low, high, count):
    edges = equal_widths(low, high, count)
    assert edges[0] <= low < high <= edges[-1]
    assert (edges[:-1] < edges[1:]).all()
    assert np.isfinite(edges).all()
    made = Bins("x", tuple(edges.tolist()), bin_labels(edges, exact=True), count)
    assert ((edges[:-1] <= made.midpoints[1:-1]) & (made.midpoints[1:-1] <= edges[1:])).all()
    shown = [named(label) for label in bin_labels(edges, exact=True)[1:-1]]
    assert [(float(a), float(b)) for a, b, _ in shown] == list(itertools.pairwise(edges.tolist()))


def test_long_decimals_are_shown_with_few_digits():
    labels = bin_labels(equal_widths(0.12345678901234, 9.87654321098765, 3), exact=True)
    assert labels[1:-1] == ("[0.123456, 3.37449)", "[3.37449, 6.62551)", "[6.62551, 9.87655]")
    assert equal_widths(12_285.0, 1_484_705.0, 2).tolist() == [12_285, 748_495, 1_484_705]


def test_edges_by_hand_are_shown_as_they_were_written():
    result = preview("adult", Binning("age", "edges", edges=(17.1234567, 1_234_567.5)))
    assert result.bins.labels[1] == "[17.1234567, 1234567.5]"
