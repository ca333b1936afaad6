"""The histogram of log-lift: its bars stand in what is allowed exactly where the promise holds."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.joint import Joint
from core.measures.leakage import leakage
from core.notions import (
    ALIP,
    LDP,
    LIP,
    EpsDelta,
    Intersection,
    PointwiseMaximalLeakage,
    RobustLDP,
)
from core.release.histogram import lift_histogram, limits, no_limits, reach
from pages.ui import figures

BUDGET = st.sampled_from([0.0, 1e-9, 1e-3, 0.4, 0.999, math.inf]) | st.floats(0, 4)
LN2 = math.log(2)


def drawn(joint, budgets, unit="nats", kernel=None):
    leak = leakage(joint.p, joint.x_labels)
    after = leak if kernel is None else leakage(joint.p @ kernel, ("u", "v", "w"))
    far = reach(leak)
    before, later = (lift_histogram(item, far, limits=budgets) for item in (leak, after))
    names = ("X itself", "the release")
    return figures.lift_histogram(before, later, budgets, names, unit), later, after


def bars(figure):
    """Each bar below as (left end, right end, share), that of −∞ first."""
    trace = figure["data"][1]
    return [
        (x - width / 2, x + width / 2, share or 0.0)
        for x, width, share in zip(trace["x"], trace["width"], trace["y"], strict=True)
    ]


@given(seed=st.integers(0, 9_999), fall=BUDGET, rise=BUDGET, unit=st.sampled_from(["nats", "bits"]))
@example(seed=1, fall=0.0, rise=0.0, unit="nats")
@example(seed=1, fall=0.5, rise=0.5, unit="bits")
@example(seed=0, fall=0.0, rise=0.0625, unit="nats")
@example(seed=0, fall=0.0625, rise=1e-9, unit="bits")
@settings(max_examples=120, deadline=None)
def test_a_bar_is_either_in_the_band_or_out_of_it(seed, fall, rise, unit):
    rng = np.random.default_rng(seed)
    joint = Joint.random_uniform(3, 5, rng)
    figure, bins, leak = drawn(joint, (fall, rise), unit, rng.dirichlet(np.ones(3), 5))
    band = figure["layout"]["shapes"][0]
    places = {name: y for y, name in enumerate(leak.labels)}
    end = figure["layout"]["xaxis"]["range"]
    for (left, right, share), names, place in zip(
        bars(figure)[1:], bins.members, range(len(bins.members)), strict=True
    ):
        assert end[0] <= left < right <= end[1]
        if not share:
            continue
        falls = place < bins.below
        level = max(
            (-leak.log_min_lift if falls else leak.log_max_lift)[places[name]] for name in names
        )
        inside = left >= band["x0"] and right <= band["x1"]
        outside = right <= band["x0"] or left >= band["x1"]
        assert inside if level <= (fall if falls else rise) else outside or inside
        assert inside != outside


@pytest.mark.parametrize("unit", ["nats", "bits"])
def test_a_release_that_keeps_its_promise_stays_in_the_band(unit):
    # lifts 1 ± d: log Ψ = −ε_l and log Λ = ε_u exactly
    joint = Joint.from_counts(np.array([[0.35, 0.15], [0.15, 0.35]]))
    budgets = (-math.log(0.6), math.log(1.4))
    figure, _, _ = drawn(joint, budgets, unit)
    band = figure["layout"]["shapes"][0]
    scale = LN2 if unit == "bits" else 1.0
    assert (band["x0"], band["x1"]) == pytest.approx((-budgets[0] / scale, budgets[1] / scale))
    filled = [(left, right) for left, right, share in bars(figure) if share]
    assert len(filled) == 2
    assert all(band["x0"] <= left and right <= band["x1"] for left, right in filled)


@given(seed=st.integers(0, 9_999), zeros=st.booleans())
@settings(max_examples=30, deadline=None)
def test_each_side_adds_up_to_all_records(seed, zeros):
    rng = np.random.default_rng(seed)
    p = rng.random((3, 5))
    if zeros:
        p[0, 1] = p[2, 3] = 0
    figure, bins, _ = drawn(Joint.from_counts(p), (0.3, 0.2))
    sides = [share for _, _, share in bars(figure)]
    assert sum(sides[: bins.below + 1]) == pytest.approx(1, abs=1e-4)
    assert sum(sides[bins.below + 1 :]) == pytest.approx(1, abs=1e-4)
    text = [item["text"] for item in figure["layout"]["annotations"]]
    assert "share of records: each side 100%" in text


def test_only_an_endless_budget_holds_what_rules_a_secret_out():
    joint = Joint.from_counts(np.array([[0.4, 0.2, 0.0], [0.1, 0.2, 0.1]]))
    for budget, holds in ((math.inf, True), (50.0, False), (1.02, False)):
        figure, _, _ = drawn(joint, (budget, budget))
        left, right, share = bars(figure)[0]
        assert share == pytest.approx(0.1)
        band = figure["layout"]["shapes"][0]
        assert (band["x0"] <= left and right <= band["x1"]) == holds
        assert holds or right <= band["x0"]


def test_bits_leave_no_nats():
    joint = Joint.from_counts(np.array([[0.4, 0.2], [0.1, 0.3]]))
    figure, _, _ = drawn(joint, (0.5, 0.5), "bits")
    assert "nats" not in str(figure)
    nats, _, _ = drawn(joint, (0.5, 0.5))
    assert figure["layout"]["xaxis"]["range"] == pytest.approx(
        [end / LN2 for end in nats["layout"]["xaxis"]["range"]]
    )
    assert "bits" in figure["data"][0]["customdata"][1][0]


def test_names_stand_above_their_panels_where_no_bar_or_bound_crosses_them():
    figure, _, _ = drawn(
        Joint.from_counts(np.array([[0.4, 0.2, 0.0], [0.1, 0.2, 0.1]])), (0.5, 9.0)
    )
    layout = figure["layout"]
    tops = {"X itself": layout["yaxis2"]["domain"][1], "the release": layout["yaxis"]["domain"][1]}
    result = {item["text"]: item for item in layout["annotations"] if item["text"] in tops}
    assert {name: (item["y"], item["yanchor"]) for name, item in result.items()} == {
        name: (top, "bottom") for name, top in tops.items()
    }
    assert all(
        item["y1"] <= tops["the release"] or item["y0"] >= layout["yaxis2"]["domain"][0]
        for item in layout["shapes"]
        if item["type"] == "line"
    )


def test_a_promise_that_bounds_no_lift_says_why_nothing_is_shaded():
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    leak = leakage(joint.p, joint.x_labels)
    for notion, allowed, why in (
        (ALIP(0.2, 0.4), (0.2, 0.4), ""),
        (PointwiseMaximalLeakage(0.3), (math.inf, 0.3), ""),
        (Intersection(LDP(1.0), LIP(0.5)), (0.5, 0.5), ""),
        (RobustLDP.of_joint(joint, 1.0), None, "the notion bounds no single lift"),
        (EpsDelta(LIP(0.5), 0.1), None, "exceptions may have any lift"),
        (None, None, ""),
    ):
        assert (limits(notion), no_limits(notion)) == (allowed, why)
        bins = lift_histogram(leak, reach(leak), limits=allowed)
        names = ("X itself", "the release")
        figure = figures.lift_histogram(bins, bins, allowed, names, unshaded=no_limits(notion))
        words = [mark["text"] for mark in figure["layout"]["annotations"]]
        assert ("allowed" in words) == (allowed is not None)
        assert [item for item in words if "not shaded" in item] == (
            [f"not shaded: {why}"] * bool(why)
        )


@pytest.mark.parametrize("notion", [LDP(1.0), EpsDelta(LIP(0.5), 0.1)])
def test_words_above_a_narrow_histogram_fit_beside_its_name_and_below_its_edge(notion):
    joint = Joint.from_counts([[3, 1, 2], [1, 3, 2]])
    leak = leakage(joint.p, joint.x_labels)
    bins = lift_histogram(leak, reach(leak))
    names = ("X itself", "the release")
    layout = figures.lift_histogram(
        bins, bins, None, names, unshaded=no_limits(notion), narrow=True
    )["layout"]
    (text,) = [item for item in layout["annotations"] if "not shaded" in item["text"]]
    lines = text["text"].split("<br>")
    assert " ".join(lines) == f"not shaded: {no_limits(notion)}"
    plot = 250 - 32 - layout["margin"]["l"] - layout["margin"]["r"]  # a card of four side by side
    letter, name = 0.43 * text["font"]["size"], 40  # as Chromium draws them
    assert max(map(len, lines)) * letter + name < plot
    assert 1.3 * text["font"]["size"] * len(lines) < layout["margin"]["t"]


def test_a_low_one_on_a_board_has_its_names_within_the_panels_and_one_number_at_each():
    joint = Joint.random_uniform(3, 5, np.random.default_rng(1))
    leak = leakage(joint.p, joint.x_labels)
    bins = lift_histogram(leak, reach(leak), limits=(0.5, 0.5))
    names = ("X itself", "the release")
    figure = figures.lift_histogram(bins, bins, (0.5, 0.5), names, "nats", dense=True)
    low = figure["layout"]["meta"]["low"]["layout"]
    before, after = (note for note in low["annotations"] if note["text"] in names)
    assert before["yanchor"] == after["yanchor"] == "top"  # below its place, so within the panel
    assert after["y"] == figure["layout"]["yaxis"]["domain"][1]
    assert [low[axis]["ticktext"] for axis in ("yaxis", "yaxis2")] == [["100%"], ["100%"]]
