"""Every figure: valid for Plotly, text as text, axes that do not move, nothing by color alone."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from core.measures.leakage import leakage
from core.nonstochastic import pareto_frontier, solve
from core.release.confusability import component_graph, range_table, release_graph
from core.release.histogram import asymmetry, lift_histogram
from core.wording import percent
from pages.ui import figures
from pages.ui.style.base import DARK, LIGHT, MARKERS, SERIES

MARKUP = ("<b>bold</b>", '<a href="https://x">y</a>', "$x^2$ & more")
LEAK = leakage([[0.3, 0.2, 0.0], [0.1, 0.2, 0.2]], MARKUP)
EPS = np.array([0.5, 1.0, 2.0])
APART = leakage(np.diag([0.3, 0.3, 0.4]), MARKUP)
WAY = solve("anonymity", np.eye(4, dtype=bool), 0.5)


def frontier(eps=1.0, nmi=0.7):
    lines = [
        figures.Line(0, ("alip", "optimal"), "Optimal", EPS, EPS / 4, EPS),
        figures.Line(3, ("alip", "watchdog"), "Watchdog", EPS, EPS / 8, EPS),
    ]
    return figures.frontier(lines, eps=eps, nmi=nmi, unit="nats", limit=8.0, current=0)


def histogram(budgets=(0.5, 0.5)):
    bins = lift_histogram(LEAK, 1.0)
    return figures.lift_histogram(bins, bins, budgets, ("X itself", "the release"))


def trade_off(utility, leakage=1.0, kept=-0.5):
    points = pareto_frontier(np.eye(4, dtype=bool), "anonymity", utility, [0.0, 1.0, 5.0, 9.0])
    return figures.trade_off(
        [figures.Offers("Algorithm 1", points, "offer"), figures.Offers("Rival", points[:1])],
        leakage=leakage,
        utility=kept,
        most=2.0,
        titles=("L₀", "kept"),
        distortion=utility == "distortion",
    )


@pytest.mark.parametrize("utility", ["resolution", "distortion"])
def test_a_trade_off_in_nats_says_the_same(utility):
    points = pareto_frontier(np.eye(4, dtype=bool), "anonymity", utility, [0.0, 1.0, 5.0, 9.0])
    bits, nats = (
        figures.trade_off(
            [figures.Offers("Algorithm 1", points, "offer")],
            leakage=1.0,
            utility=-0.5,
            most=2.0,
            titles=("L₀", "kept"),
            distortion=utility == "distortion",
            unit=unit,
        )
        for unit in ("bits", "nats")
    )
    ln2 = np.log(2)
    kept = 1.0 if utility == "distortion" else ln2
    item, other = bits["data"][0], nats["data"][0]
    np.testing.assert_allclose(other["x"], np.array(item["x"]) * ln2, rtol=1e-4)
    np.testing.assert_allclose(other["y"], np.array(item["y"]) * kept, rtol=1e-4)
    now = np.array(bits["layout"]["meta"]["now"]) * (ln2, kept)
    np.testing.assert_allclose(nats["layout"]["meta"]["now"], now, rtol=1e-4)
    assert "bits" not in str(nats)


def test_merges_in_nats_say_the_same():
    bits, nats = (
        figures.merges(WAY.steps, stop=1, at=1, leakage="L₀", unit=unit)
        for unit in ("bits", "nats")
    )
    for item, other in zip(bits["data"], nats["data"], strict=True):
        np.testing.assert_allclose(other["y"], np.array(item["y"]) * np.log(2), rtol=1e-4)
    assert "bits" not in str(nats)


def every_figure():
    result = asymmetry(draws=5)
    with np.errstate(divide="ignore"):
        log_lift = np.log(LEAK.joint_sy / LEAK.joint_sy.sum(0) / LEAK.joint_sy.sum(1)[:, None])
    risky = np.array([False, False, True])
    return {
        "frontier": frontier(),
        "empty frontier": figures.frontier([], eps=1, nmi=0.5, unit="nats", limit=8, current=-1),
        "histogram": histogram(),
        "free histogram": histogram(None),
        "asymmetry": figures.overlay_histogram(result.edges, result.low, result.high),
        "mechanism": figures.mechanism_matrix(np.eye(3), MARKUP, MARKUP),
        "joint": figures.joint_matrix(LEAK.joint_sy, ("f", "m"), MARKUP),
        "log-lift": figures.log_lift_matrix(log_lift, ("f", "m"), MARKUP),
        "graph": figures.confusability(release_graph(LEAK), "the release", "after"),
        "parts": figures.confusability(
            component_graph(APART, MARKUP), "X itself", "before", open_parts=True
        ),
        "ranges": figures.range_matrix(range_table(APART, MARKUP), 300),
        "merges": figures.merges(WAY.steps, stop=len(WAY.path) - 1, at=1, leakage="L₀"),
        "trade-off": trade_off("resolution"),
        "trade-off of numbers": trade_off("distortion"),
        "symbols": figures.symbol_lifts(
            LEAK.log_min_lift, LEAK.log_max_lift, MARKUP, risky, (0.5, 0.5)
        ),
    }


FIGURES = every_figure()


@pytest.mark.parametrize("name", FIGURES)
def test_plotly_takes_it(name):
    assert go.Figure(FIGURES[name]).to_plotly_json()["data"] is not None


@pytest.mark.parametrize("name", FIGURES)
def test_it_is_strict_json_with_a_fixed_height(name):
    text = json.dumps(FIGURES[name], allow_nan=False)
    assert FIGURES[name]["layout"]["height"] > 100
    assert "<b>" not in text
    assert "<a " not in text
    assert "$" not in text


@pytest.mark.parametrize(
    "name", ["mechanism", "joint", "log-lift", "graph", "parts", "ranges", "symbols"]
)
def test_labels_show_as_they_are(name):
    text = json.dumps(FIGURES[name], ensure_ascii=False)
    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "&#36;x^2&#36; &amp; more" in text


@pytest.mark.parametrize("make", [frontier, histogram])
def test_axes_stay_while_sliders_move(make):
    item, two = (
        (frontier(0.5, 0.2), frontier(6.0, 0.9))
        if make is frontier
        else (histogram((0.1, 0.2)), histogram((3.0, 0.5)))
    )
    for name in ("xaxis", "yaxis"):
        assert item["layout"][name] == two["layout"][name]
        assert item["layout"][name]["autorange"] is False


def test_moving_the_current_point_changes_nothing_that_plotly_draws():
    item, two = frontier(0.5, 0.2), frontier(6.0, 0.9)
    assert item["data"] == two["data"]
    assert {k: v for k, v in item["layout"].items() if k != "meta"} == {
        k: v for k, v in two["layout"].items() if k != "meta"
    }
    assert two["layout"]["meta"] == {"now": [6.0, 0.9]}


def test_lines_differ_by_more_than_colour():
    item, two = FIGURES["frontier"]["data"]
    assert item["line"]["dash"] != two["line"]["dash"]
    assert item["marker"]["symbol"] != two["marker"]["symbol"]
    assert item["meta"] == ["alip", "optimal"]


def test_before_and_after_differ_by_pattern_and_place():
    before, after = FIGURES["histogram"]["data"]
    assert "pattern" in before["marker"]
    assert "pattern" not in after["marker"]
    assert before["yaxis"] != after["yaxis"]


def test_what_excludes_a_secret_is_hollow():
    nodes = FIGURES["graph"]["data"][-1]
    assert nodes["marker"]["color"] == [MARKERS["after"], MARKERS["after"], MARKERS["paper"]]
    assert nodes["marker"]["line"]["color"] == [MARKERS["after"]] * 3


def test_parts_differ_by_colour_and_shape_and_edges_say_what_is_shared():
    apart = release_graph(leakage(np.diag([0.3, 0.3, 0.4]), MARKUP), ("f", "m", "o"))
    nodes = figures.confusability(apart, "X itself", "before")["data"][-1]
    looks = set(zip(nodes["marker"]["line"]["color"], nodes["marker"]["symbol"], strict=True))
    assert len(looks) == 3
    assert nodes["marker"]["line"]["color"][0] == MARKERS["before"]
    assert "part %{customdata[2]} of 3" in nodes["hovertemplate"]
    joined = leakage([[0.3, 0.2, 0.0], [0.0, 0.2, 0.3]], MARKUP)
    dual = release_graph(joined, ("f", "<i>m</i>"), nodes="secret")
    edges = figures.confusability(dual, "X itself", "before")["data"][1]
    assert edges["customdata"][0].startswith("1 release in common:<br>&lt;a href")
    both = figures.confusability(release_graph(LEAK, ("f", "<i>m</i>")), "X itself", "before")
    assert both["data"][1]["customdata"][0] == "2 secrets in common:<br>f, &lt;i&gt;m&lt;/i&gt;"


@pytest.mark.parametrize(
    ("count", "dense"),
    [(1, False), (3, False), (5, False), *((count, True) for count in (1, 2, 3, 4, 5, 9))],
)
def test_few_nodes_keep_their_names_in_a_low_chart(count, dense):
    names = tuple(f"symbol {i}" for i in range(count))
    even = leakage(np.full((2, count), 0.5 / count), names)
    figure = figures.confusability(release_graph(even), "X itself", "before", dense=dense)
    assert figure["data"][-1]["text"] == list(names)
    (low,) = figure["layout"]["meta"]["low"]["data"].values()
    assert low["mode"] == "markers+text"
    assert low["text"][:4] == list(names)[:4]


@pytest.mark.parametrize("dense", [False, True])
def test_many_nodes_have_no_names_in_a_low_chart(dense):
    names = tuple(f"symbol {i}" for i in range(20))
    even = leakage(np.full((2, 20), 0.025), names)
    figure = figures.confusability(release_graph(even), "X itself", "before", dense=dense)
    low = figure["layout"]["meta"]["low"]
    assert 180 < low["below"] < figure["layout"]["height"]
    assert len(low["layout"]["annotations"]) == 2  # the title and what is said below
    (nodes,) = low["data"].values()
    assert nodes["mode"] == "markers"


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 1, 0], [1, 1, 1]], "each allows ≥ 1 of 2 secrets"),
        ([[1, 1], [1, 1]], "each allows both secrets"),
        ([[1, 1], [1, 1], [1, 1]], "each allows all 3 secrets"),
    ],
)
def test_a_graph_says_how_many_secrets_each_release_allows(counts, message):
    joint = np.array(counts) / np.sum(counts)
    drawn = figures.confusability(
        release_graph(leakage(joint, tuple("abc")[: joint.shape[1]])), "X itself", "before"
    )
    assert drawn["layout"]["annotations"][1]["text"] == f"one part<br>{message}"


def test_names_around_a_circle_of_a_card_have_a_dozen_letters_and_short_ones_stand_upright():
    names = ("?", *(f"occupation no. {i}" for i in range(14)))
    even = leakage(np.full((2, 15), 1 / 30), names)
    figure = figures.confusability(release_graph(even), "X itself", "before", dense=True)
    rays = [item for item in figure["layout"]["annotations"] if item["xref"] == "x"]
    assert max(len(item["text"]) for item in rays) == 12
    assert {item["text"]: item["textangle"] for item in rays}["?"] == 0
    assert all(item["textangle"] for item in rays if item["text"] != "?")


def test_a_pair_that_never_occurs_is_crossed():
    cross = FIGURES["log-lift"]["data"][1]
    assert (cross["x"], cross["y"]) == ([0], [2])


def test_rows_and_columns_of_a_matrix_are_what_its_axes_say():
    p = LEAK.joint_sy
    pair, three = ("f", "m"), ("a", "b", "c")
    secret, outputs = ("secret s", pair), ("output y", three)
    for figure, shown, across, down in (
        (figures.joint_matrix(p, pair, three), p.T, secret, ("symbol x", three)),
        (figures.mechanism_matrix(p, pair, three), p, outputs, ("input x", pair)),
        (figures.posterior_matrix(p, pair, three, "s"), p.T, secret, outputs),
        (figures.posterior_matrix(p, pair, three, "x"), p.T, ("input x", pair), outputs),
    ):
        np.testing.assert_allclose(figure["data"][0]["z"], shown, atol=1e-4)
        for axis, (title, names) in (("xaxis", across), ("yaxis", down)):
            assert figure["layout"][axis]["title"]["text"] == title
            assert tuple(figure["layout"][axis]["ticktext"]) == names


def test_the_histogram_shades_what_is_allowed():
    box = FIGURES["histogram"]["layout"]["shapes"][0]
    assert (box["x0"], box["x1"]) == (-0.5, 0.5)
    assert not FIGURES["free histogram"]["layout"]["shapes"]


def test_many_symbols_leave_out_names_but_not_cells():
    many = tuple(map(str, range(60)))
    figure = figures.mechanism_matrix(np.eye(60), many, many, left_out=7)
    assert figure["layout"]["yaxis"]["ticktext"] == list(many[::3])
    assert figure["layout"]["xaxis"]["ticktext"] == list(many[::4])
    assert len(figure["data"][0]["z"]) == 60
    assert "7 more" in figure["layout"]["xaxis"]["title"]["text"]


def contrast(first, second):
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("role", ["ink", "muted", "rule", *SERIES])
def test_text_and_lines_stand_out_from_the_paper(theme, role):
    assert contrast(theme[role], theme["paper"]) >= 4.5


def test_both_themes_have_every_role_and_markers_stand_for_one():
    assert LIGHT.keys() == DARK.keys() == MARKERS.keys()
    assert len(set(MARKERS.values())) == len(MARKERS)
    assert not set(MARKERS.values()) & {*LIGHT.values(), *DARK.values()}


def test_what_can_be_picked_is_the_algorithms_own():
    own, rival = FIGURES["trade-off"]["data"]
    assert own["meta"] == ["offer"]
    assert "meta" not in rival
    assert own["line"]["dash"] != rival["line"]["dash"]
    assert FIGURES["parts"]["data"][1]["meta"][0] == "part"
    assert "meta" not in FIGURES["graph"]["data"][-1]


def test_up_is_more_of_what_is_kept():
    low, high = FIGURES["trade-off"]["layout"]["yaxis"]["range"]
    assert low < high
    low, high = FIGURES["trade-off of numbers"]["layout"]["yaxis"]["range"]
    assert low > high
    item, two = trade_off("resolution", 0.0, 0.0), trade_off("resolution", 2.0, 2.0)
    assert item["layout"]["meta"] == {"now": [0.0, 0.0]}
    assert two["layout"]["meta"] == {"now": [2.0, 2.0]}
    assert item["layout"]["yaxis"] == two["layout"]["yaxis"]


def test_merges_show_where_the_way_ends():
    leakage_line, way, beyond = FIGURES["merges"]["data"]
    assert len(leakage_line["x"]) == len(WAY.steps)
    assert way["x"][-1] == beyond["x"][0] == len(WAY.path) - 1
    assert beyond["line"]["dash"] != way["line"]["dash"]
    assert FIGURES["merges"]["layout"]["meta"]["now"][0] == 1.0


def test_parts_of_a_range_are_blocks_of_their_own_tone():
    cells = np.array(FIGURES["ranges"]["data"][0]["z"])
    assert cells.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]
    marks = FIGURES["ranges"]["data"][1]
    assert list(zip(marks["x"], marks["y"], strict=True)) == [(0, 0), (1, 1), (2, 2)]
    assert [mark[2] for mark in marks["customdata"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("most", "faded", "is_drawn"),
    [
        ([0.9, 1.0], False, True),
        ([0.5, 0.6], False, False),
        ([0.9, 1.0], True, False),
        (None, False, False),
    ],
)
def test_what_is_open_is_drawn_and_what_is_proven_is_not(most, faded, is_drawn):
    line = figures.Line(
        place=0,
        key=("lip", "optimal"),
        title="Optimal",
        eps=np.array([1.0, 2.0]),
        nmi=np.array([0.5, 0.6]),
        utility=np.array([1.0, 1.2]),
        most=None if most is None else np.array(most),
        faded=faded,
    )
    drawn = figures.frontier([line], eps=1, nmi=0.5, unit="nats", limit=8, current=0)
    assert figures.is_open(line) == is_drawn
    assert (len(drawn["data"]) == 2) == is_drawn


def test_shares_are_written_as_everywhere():
    axis = figures.frontier([], eps=1, nmi=0.5, unit="nats", limit=8, current=-1)["layout"]["yaxis"]
    assert axis["ticktext"][axis["tickvals"].index(0.25)] == percent(0.25)


def test_small_graphs_tell_names_apart_that_differ_in_the_middle():
    names = tuple(f"street {number:03d} of the old town" for number in range(4))
    leak = leakage(np.full((2, 4), 1 / 8), names)
    figure = figures.confusability(release_graph(leak), "X itself", "before")
    text = {name for trace in figure["data"] for name in trace.get("text", ())} - {""}
    assert len(text) == 4


@pytest.mark.parametrize("budgets", [(0.5, 0.4), (np.inf, 0.4), None])
def test_what_rules_a_secret_out_stands_whole_within_the_axis_and_is_named(budgets):
    low, high = np.array([-0.7, -np.inf, 0.0]), np.array([0.3, 1.1, 0.0])
    figure = figures.symbol_lifts(low, high, ("a", "b", "c"), np.array([0, 1, 0], bool), budgets)
    axis = figure["layout"]["xaxis"]
    left, right = axis["range"]
    ends = [x for trace in figure["data"] if trace["mode"] == "markers" for x in trace["x"]]
    assert left < min(ends) < -0.7
    pixel = (right - left) / 360
    assert min(ends) - left > 6 * pixel  # more than half of the marker
    named = dict(zip(axis["ticktext"], axis["tickvals"], strict=True))
    assert named["−∞"] == pytest.approx(min(ends), rel=1e-3)
    numbers = [at for text, at in named.items() if text != "−∞"]
    assert min(numbers) - named["−∞"] > 20 * pixel
    shaded = [shape["x0"] for shape in figure["layout"]["shapes"] if shape["type"] == "rect"]
    assert shaded == ([] if budgets is None else [left] if np.isinf(budgets[0]) else [-0.5])


def test_without_it_the_axis_ends_at_the_numbers():
    low, high = np.array([-0.7, 0.0]), np.array([0.3, 0.0])
    axis = figures.symbol_lifts(low, high, ("a", "b"), np.zeros(2, bool), None)["layout"]["xaxis"]
    assert axis["range"] == [-0.7 * 1.12, 0.7 * 1.12]
    assert "−∞" not in axis["ticktext"]


def test_the_likeliest_inputs_and_outputs_are_drawn_and_the_others_counted():
    kernel = np.array([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7], [0.0, 1.0, 0.0], [0.3, 0.3, 0.4]])
    p = np.array([0.1, 0.4, 0.2, 0.3])  # the inputs 1 and 3; of their outputs 0: 0.13, 2: 0.4
    figure = figures.likeliest_matrix(kernel, p, "abcd", "xyz", inputs=2, outputs=2)
    assert np.asarray(figure["data"][0]["z"]).tolist() == [[0.2, 0.7], [0.3, 0.4]]
    assert "1 more not shown" in figure["layout"]["xaxis"]["title"]["text"]
    assert "2 more not shown" in figure["layout"]["yaxis"]["title"]["text"]
    whole = figures.likeliest_matrix(kernel, p, "abcd", "xyz", inputs=9, outputs=9)
    assert whole == figures.mechanism_matrix(kernel, "abcd", "xyz")


def test_of_a_large_joint_the_likeliest_symbols_are_drawn():
    weights = np.array([[1.0, 2.0]] * 2).repeat(400, axis=1)
    weights[0, 799] = 5.0
    p = weights / weights.sum()
    names = tuple(f"x{x}" for x in range(800))
    (drawn,) = figures.joint_matrix(p, ("f", "m"), names)["data"]
    assert np.shape(drawn["z"]) == (500, 2)
    assert drawn["customdata"][-1][0][0] == "x799"
    assert drawn["customdata"][0][0][0] == "x0"  # 400 symbols with more, and the first 100 others
    assert drawn["customdata"][100][0][0] == "x400"
    figure = figures.joint_matrix(p, ("f", "m"), names)
    assert "300 more not shown" in figure["layout"]["yaxis"]["title"]["text"]


@pytest.mark.parametrize("dense", [False, True])
def test_the_title_and_the_caption_of_a_graph_have_room_however_tall_it_is(dense):
    even = leakage(np.full((2, 15), 1 / 30), tuple(f"symbol {i}" for i in range(15)))
    layout = figures.confusability(release_graph(even), "it", "after", dense=dense)["layout"]
    title, caption = layout["annotations"][:2]
    assert (title["y"], caption["y"]) == (1, 0)  # a share beside them grows with the height
    line = 1.3 * title["font"]["size"] + 1
    assert title["yshift"] + line <= layout["margin"]["t"]
    two = 2.6 * caption["font"]["size"] + 1
    assert two - caption["yshift"] <= layout["margin"]["b"]


def test_names_around_a_circle_beside_two_others_can_be_read_or_are_left_out():
    names = ("?", *(f"occupation no. {i}" for i in range(14)))
    even = leakage(np.full((2, 15), 1 / 30), names)
    layout = figures.confusability(release_graph(even), "it", "after", width=260)["layout"]
    rays = [item["text"] for item in layout["annotations"] if item["xref"] == "x"]
    assert min(map(len, rays[1:])) >= 10
    assert 180 < layout["meta"]["low"]["narrower"] < 260
    assert len(layout["meta"]["low"]["layout"]["annotations"]) == 2  # no names in what is narrower
