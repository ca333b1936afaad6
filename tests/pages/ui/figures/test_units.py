"""With bits chosen a figure is in bits: its axis, its marks, its limits and what hovering says."""

import json
import math

import numpy as np
import pytest

from core.release.histogram import asymmetry
from pages.ui import figures
from pages.ui.compare import columns

LN2 = math.log(2)
LOW, HIGH = np.array([-0.7, -np.inf, 0.0]), np.array([0.3, 1.1, 0.0])
NAMES = ("a", "b", "c")
SPREAD = asymmetry(draws=5)


def symbols(unit):
    risky = np.array([False, True, False])
    return figures.symbol_lifts(LOW, HIGH, NAMES, risky, (0.5, 0.4), 300, unit)


def log_lift(unit):
    return figures.log_lift_matrix(np.array([LOW, HIGH]), ("s", "t"), NAMES, 300, unit)


def risks(unit):
    fits = np.array([True, False, True])
    return figures.set_risks(NAMES, np.array([0.2, np.inf, 0.7]), fits, 1.5, unit)


def levels(unit):
    return figures.levels_at(NAMES, HIGH, np.array([np.inf, 1.5, 0.2]), 0.7, 4.0, unit)


def boxes(unit):
    result = [figures.BoxPlot(0, "a", HIGH), figures.BoxPlot(1, "b", HIGH * 2)]
    return figures.boxes(result, eps=0.7, reach=3.0, unit=unit)


def spread(unit):
    return figures.overlay_histogram(SPREAD.edges, SPREAD.low, SPREAD.high, unit)


MAKERS = (symbols, log_lift, risks, levels, boxes, spread)


@pytest.mark.parametrize("make", MAKERS)
def test_all_of_it_is_in_the_unit(make):
    nats, bits = (json.dumps(make(unit), ensure_ascii=False) for unit in ("nats", "bits"))
    assert "nats" in nats
    assert "bits" not in nats
    assert "bits" in bits
    assert "nats" not in bits


@pytest.mark.parametrize("make", [symbols, risks, levels, boxes, spread])
def test_places_and_axes_grow_alike(make):
    nats, bits = make("nats"), make("bits")
    ends = [end / LN2 for end in nats["layout"]["xaxis"]["range"]]
    assert bits["layout"]["xaxis"]["range"] == pytest.approx(ends)
    for item, other in zip(nats["data"], bits["data"], strict=True):
        for a, b in zip(item["x"], other["x"], strict=True):
            assert (b is None) == (a is None)
            assert a is None or b == pytest.approx(a / LN2, rel=1e-4, abs=1e-9)


def test_the_band_of_what_is_allowed_moves_along():
    nats, bits = (symbols(unit)["layout"]["shapes"][0] for unit in ("nats", "bits"))
    assert (bits["x0"], bits["x1"]) == pytest.approx((nats["x0"] / LN2, nats["x1"] / LN2))


def test_log_lift_and_its_colours_are_in_the_unit():
    bits = log_lift("bits")["data"][0]
    assert bits["zmax"] == pytest.approx(1.1 / LN2)
    assert bits["customdata"][0][0][2] == "−1.010 bits"


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_the_axis_of_levels_is_told_whole_on_a_phone(unit):
    titles = ["Robust PML for S – X – Y"]
    layout = columns.column_levels(titles, [(0, "LIP", np.array([1.0]))], unit, spelt=titles)[
        "layout"
    ]
    margin = layout["margin"]
    room = 326 - margin["l"] + margin["r"]  # of a card on a phone, about the middle of its axis
    assert 4.75 * len(layout["xaxis"]["title"]["text"]) < room  # a letter as Chromium draws it


def test_the_names_of_levels_have_the_room_they_take_and_marks_at_nothing_are_whole():
    titles = ["Robust PML for S – X – Y"]
    figure = columns.column_levels(titles, [(0, "LIP", np.array([0.0]))], "nats", spelt=titles)
    length = 4.75 * len(titles[0])  # as Chromium draws it
    assert length + 10 < figure["layout"]["margin"]["l"] < length + 30
    assert [trace["cliponaxis"] for trace in figure["data"]] == [False]
