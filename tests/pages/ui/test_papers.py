"""The papers' figures and the page of `reproduce`: our numbers as lines, the paper as marks."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from core.papers.results import Beyond, Experiment, Mark, Panel, Run, Series, Verdict
from core.papers.verdicts import Value
from pages.ui.figures import legend_rows, overlay_histogram, paper_panel
from pages.ui.report.papers import of_errors, page

EXPERIMENT = Experiment(
    "rldp_3",
    "rldp",
    "Figure 3",
    "Samples <of> truths",
    "PolyOpt outperforms IR.",
    100,
    (Panel("(a) 2 × 5", "ε", "NMI"), Panel("Time", "ε", "seconds", log_y=True)),
    (
        Series("IR", (0.5, 1.0), (0.1, 0.2), (0.01, float("nan"))),
        Series("PolyOpt", (0.5, 1.0), (0.5, float("nan")), beyond=True, kind="points"),
        Series("IR", (0.5, 1.0), (0.001, 0.002), panel=1, kind="bars"),
    ),
    (Mark(1.0, 0.25, "0.25 in the paper"),),
    (
        Verdict("NUM", "IR keeps 0.25", "Table 2", (Value("mean", 0.2, 0.25, error=0.01),), "Why."),
        Verdict("ERR", "B_s", "Example 2", (Value("B_s", 0.4, 0.3, unit=0.01, variant=0.3),)),
        Verdict("ORD", "More", "", tuple(Value(f"ε = {i}", 1.0 + i) for i in range(9))),
    ),
    (Beyond("The optimum", 0.5, 0.01, 0.6, 0.2), Beyond("Alone", 0.4)),
    ("A note.",),
)


@pytest.mark.parametrize("panel", [0, 1])
def test_a_panel_is_a_figure_that_plotly_takes(panel):
    go.Figure(paper_panel(EXPERIMENT, panel))


def test_lines_have_standard_errors_and_print_is_a_cross():
    line, points, marks = paper_panel(EXPERIMENT, 0)["data"]
    assert line["y"] == [0.1, 0.2]
    assert line["error_y"]["array"] == [0.01, None]
    assert points["mode"] == "markers"
    assert points["y"] == [0.5, None]
    assert points["name"] == "PolyOpt (ours, beyond the paper)"
    assert "error_y" not in points
    assert (marks["x"], marks["y"], marks["text"]) == ([1.0], [0.25], ["0.25 in the paper"])
    assert marks["marker"]["symbol"] == "x-thin"


def test_a_sixth_line_looks_like_none_of_the_other_five():
    """A bound was drawn in the blue of the first mechanism."""
    lines = tuple(Series(f"line {i}", (0.5, 1.0), (0.1, 0.2)) for i in range(10))
    drawn = paper_panel(replace(EXPERIMENT, series=lines, marks=()), 0)["data"]
    assert len({line["line"]["color"] for line in drawn[:6]}) == 6
    looks = {(line["line"]["color"], line["line"]["dash"]) for line in drawn}
    assert len(looks) == len(drawn)


def marked(*marks, panel=0, **changes):
    """Return the traces and legend entries of the paper's values in a panel of the sample."""
    of = [replace(item, panel=panel) for item in marks]
    whole = paper_panel(replace(EXPERIMENT, marks=tuple(of), **changes), panel)
    go.Figure(whole)
    traces = [item for item in whole["data"] if item["name"] == "paper"]
    return traces, [item["name"] for item in whole["data"] if item["name"].startswith("paper: ")]


def test_a_number_of_one_axis_is_a_line_across_what_is_drawn_that_says_what_it_is():
    limit = Mark(math.nan, 0.3, "a <limit>", place="§VI")
    crossing = Mark(0.75, math.nan, "a crossing")
    (cross, across, up), words = marked(Mark(1.0, 0.25, "0.25"), limit, crossing)
    assert cross["mode"] == "markers"
    assert (min(across["x"]), max(across["x"]), set(across["y"])) == (0.5, 1.0, {0.3})
    assert (min(up["y"]), max(up["y"]), set(up["x"])) == (0.1, 0.5, {0.75})
    assert set(across["text"]) == {"a &lt;limit&gt; (§VI)"}
    assert set(up["text"]) == {"a crossing"}
    assert [item["showlegend"] for item in (across, up)] == [False, False]
    assert words == []


def test_a_line_without_a_cross_is_in_the_legend_once_and_stands_on_bars():
    traces, _ = marked(Mark(0.5, math.nan, "here"), Mark(1.0, math.nan, "there"), panel=1)
    assert [item["showlegend"] for item in traces] == [True, False]
    assert min(traces[0]["y"]) == 0.0  # bars begin there
    assert max(traces[0]["y"]) == 0.002


def test_what_print_says_of_a_panel_as_a_whole_is_said_by_its_legend():
    traces, words = marked(Mark(math.nan, math.nan, "ρ < 1"), Mark(math.nan, math.nan, "2"))
    assert traces == []
    assert words == ["paper: ρ &lt; 1", "paper: 2"]


def test_the_report_says_what_print_says_in_a_figure_and_where_it_says_nothing():
    run = Run("0.1.0", "2026-01-01", "2 cores", 3, True, (EXPERIMENT,))
    assert "The paper: 0.25 in the paper." in page(run)
    none = "The paper&#x27;s text gives no number to mark in "
    assert f"{none}the panels without a mark." in page(run)
    without = replace(run, experiments=(replace(EXPERIMENT, marks=()),))
    assert f"{none}this figure." in page(without)
    both = replace(EXPERIMENT, marks=(Mark(1.0, 0.5, "a"), Mark(1.0, 0.5, "b", 1)))
    assert none not in page(replace(run, experiments=(both,)))


def test_the_legend_has_room_for_its_rows_and_panels_side_by_side_are_of_one_height():
    short = tuple(Series(name, (0.0, 1.0), (0.1, 0.2)) for name in ("SRR", "IR", "GRR"))
    long = tuple(
        replace(item, name=f"{item.name}, of the first draw alone", panel=1) for item in short
    )
    result = replace(EXPERIMENT, series=(*short, *long), marks=())
    assert [legend_rows(result, panel) for panel in (0, 1)] == [1, 3]
    heights = [paper_panel(result, panel)["layout"]["height"] for panel in (0, 1)]
    assert heights[0] < heights[1]
    assert paper_panel(result, 0, 3)["layout"]["height"] == heights[1]
    lines = (Mark(math.nan, 0.1, "a"), Mark(math.nan, 0.2, "b"))  # the legend has the paper once
    assert legend_rows(replace(result, marks=lines), 0) == 1
    assert legend_rows(replace(result, marks=(Mark(math.nan, math.nan, "m" * 60),)), 0) == 4


def test_a_long_line_has_no_sign_at_each_point():
    x = tuple(float(i) for i in range(101))
    for count, mode in ((50, "lines+markers"), (51, "lines")):
        of = (Series("SRR", x[:count], x[:count]),)
        assert paper_panel(replace(EXPERIMENT, series=of), 0)["data"][0]["mode"] == mode


def test_falling_and_rising_beliefs_have_the_colours_of_the_lift_page():
    names = ("log Ψ", "log Λ")
    bars = tuple(Series(name, (0.0, 0.1), (0.5, 0.5), kind="bars") for name in names)
    ours = paper_panel(replace(EXPERIMENT, series=bars, marks=()), 0)["data"]
    theirs = overlay_histogram([0.0, 1.0, 2.0], np.array([0.5, 0.5]), np.array([0.2, 0.8]))["data"]
    assert [item["name"].partition(":")[0] for item in theirs] == list(names)
    assert [item["marker"] for item in ours] == [item["marker"] for item in theirs]
    assert ours[0]["marker"]["color"] != ours[1]["marker"]["color"]


@pytest.mark.parametrize(
    ("rules", "beyond", "message"),
    [
        (("NUM", "ORD"), 0.0, "± is the standard error over draws."),
        ((), 0.1, "± is the standard error over draws."),
        (
            ("EXT",),
            0.0,
            "± is the standard deviation from sample to sample.",
        ),
        (
            ("EXT", "NUM"),
            0.0,
            "± is the standard error over draws; under rule EXT, the standard deviation "
            "from sample to sample.",
        ),
        ((), 0.0, ""),
    ],
)
def test_what_stands_behind_a_number_is_said_once(rules, beyond, message):
    with_error = Value("mean", 0.2, 0.25, error=0.01)
    result = replace(
        EXPERIMENT,
        verdicts=(
            Verdict("NUM", "one", "", (replace(with_error, error=0.0),)),
            *(Verdict(rule, "two", "", (with_error,)) for rule in rules),
        ),
        beyond=(Beyond("The optimum", 0.5, beyond),),
    )
    assert of_errors(result) == message
    text = page(Run("0.1.0", "2026-01-01", "2 cores", 3, True, (result,)))
    assert text.count("± is the standard") == (1 if message else 0)


def test_each_panel_has_its_own_series_and_axes():
    whole = paper_panel(EXPERIMENT, 1)
    (bars,) = whole["data"]
    assert bars["type"] == "bar"
    assert whole["layout"]["yaxis"]["type"] == "log"
    assert paper_panel(EXPERIMENT, 0)["layout"]["yaxis"]["type"] == "linear"


@pytest.mark.parametrize(("count", "angle"), [(3, 0), (11, -40)])
def test_an_axis_of_names_has_one_at_each_place_and_the_hover_says_it(count, angle):
    names = tuple(f"<{i}>" for i in range(count))
    lines = Series("IR", (0.0, 2.0), (0.1, 0.2), (0.01, 0.01))
    result = replace(
        EXPERIMENT, panels=(Panel("", "β", "NMI", x_names=names),), series=(lines,), marks=()
    )
    whole = paper_panel(result, 0)
    go.Figure(whole)
    across = whole["layout"]["xaxis"]
    assert across["tickvals"] == list(range(count))
    assert across["ticktext"][2] == "&lt;2&gt;"
    assert across["tickangle"] == angle
    assert whole["data"][0]["text"] == ["&lt;0&gt;", "&lt;2&gt;"]
    assert "at %{text}" in whole["data"][0]["hovertemplate"]


def test_a_box_has_its_quartiles_and_extremes_at_each_place():
    boxes = Series("IR", (0.0,) * 5 + (2.0,) * 5, tuple(range(10)), kind="boxes")
    result = replace(
        EXPERIMENT, panels=(Panel("", "", "", x_names=("a", "b", "c")),), series=(boxes,)
    )
    whole = paper_panel(result, 0)
    go.Figure(whole)
    box = whole["data"][0]
    assert box["x"] == [0.0, 2.0]
    assert (box["lowerfence"], box["q1"], box["median"]) == ([0, 5], [1, 6], [2, 7])
    assert (box["q3"], box["upperfence"]) == ([3, 8], [4, 9])
    assert whole["layout"]["boxmode"] == "group"


def test_the_page_says_each_verdict_beside_its_numbers():
    text = page(Run("0.1.0", "2026-01-01", "2 cores", 3, True, (EXPERIMENT,), ("lift_1",)))
    assert "1 experiment, 3 claims: 1 differs, 1 error in the paper, 1 reproduced" in text
    assert "seed 3, fewer draws" in text
    assert "Not run: lift_1." in text
    assert "Samples &lt;of&gt; truths" in text
    assert "mean: 0.200 ± 0.010 (paper: 0.25)" in text
    assert "B_s: 0.4 (paper: 0.3; wrong variant: 0.3)" in text
    assert "and 5 more" in text
    assert "mean: 0.2 (paper: 0.25). Why." in text
    assert "<td>The optimum</td><td>0.500 ± 0.010</td><td>0.6</td><td>0.2</td>" in text
    assert "<td>Alone</td><td>0.4</td><td></td><td></td>" in text
    (drawn,) = re.findall(r"const FIGURES = (\[.*?\]);\n", text, re.S)
    assert len(json.loads(drawn)) == 2
