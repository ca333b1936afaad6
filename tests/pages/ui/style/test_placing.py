import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.measures.leakage import leakage
from core.release.confusability import release_graph
from pages.ui import figures
from pages.ui.figures import graph as graph_figure
from pages.ui.style.base import label_axis
from pages.ui.style.placing import SLACK, meet, name_box, place_names

PLACES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 200)), min_size=1, max_size=25, unique=True
)


SIZE = (300.0, 200.0)


@settings(max_examples=60)
@given(PLACES, st.integers(1, 12), st.sampled_from([4.0, 6.5, 20.0]))
def test_names_cover_neither_nodes_nor_each_other(places, length, radius):
    pixels, name = np.array(places, dtype=float), "n" * length
    sides = place_names(pixels, [name] * len(pixels), [radius] * len(pixels), SIZE)
    boxes = [
        name_box(x, y, side, name, radius)
        for (x, y), side in zip(pixels, sides, strict=True)
        if side
    ]
    for i, box in enumerate(boxes):
        assert not any(meet(box, other) for other in boxes[:i])
        for x, y in pixels:
            assert not meet(box, (x - radius, x + radius, y - radius, y + radius))
        assert box[0] >= -SLACK
        assert box[1] <= SIZE[0] + SLACK
        assert box[2] >= -SLACK
        assert box[3] <= SIZE[1] + SLACK


def test_a_name_stands_on_the_side_that_looks_away_from_the_middle():
    cross = np.array([[150, 150], [150, 50], [200, 100], [100, 100]], dtype=float)
    assert place_names(cross, list("abcd"), [6] * 4, SIZE) == ["top", "bottom", "right", "left"]
    assert place_names(cross[:1], ["alone"], [6], SIZE) == ["bottom"]
    assert place_names(cross[:1], ["n" * 60], [6], SIZE) == [""]


def test_names_of_an_ellipse_never_look_inwards():
    turns = 2 * np.pi * np.arange(20) / 20
    pixels = np.column_stack([150 + 60 * np.sin(turns), 100 + 90 * np.cos(turns)])
    sides = place_names(pixels, ["a name"] * 20, [6.5] * 20, SIZE)
    assert sum(side != "" for side in sides) > 10
    for (x, _), side in zip(pixels, sides, strict=True):
        assert side != ("left" if x > 155 else "right" if x < 145 else "none")


def full_circle(count):
    return release_graph(
        leakage(np.full((2, count), 0.5 / count), [f"name {i}" for i in range(count)])
    )


@pytest.mark.parametrize("count", [13, 60])
def test_names_around_a_full_circle_are_rays_in_the_frame(count):
    graph = full_circle(count)
    for width in (205, 420):
        drawn = figures.confusability(graph, "X itself", "before", width=width)
        rays = [note for note in drawn["layout"]["annotations"] if "textangle" in note]
        each = 2 if (count, width) == (60, 205) else 1  # where they would touch
        assert [ray["text"] for ray in rays] == [f"name {i}" for i in range(0, count, each)]
        assert all(abs(ray["textangle"]) <= 90 for ray in rays)
        for axis, shift, size in (("x", "xshift", width - 8), ("y", "yshift", 376 - 26 - 58)):
            low, high = drawn["layout"][f"{axis}axis"]["range"]
            for ray in rays:
                reach = abs(ray[axis] - (low + high) / 2) * size / (high - low) + abs(ray[shift])
                assert reach < size / 2


def written(drawn):
    """Return the names that a graph shows: beside its nodes, or as rays."""
    rays = [note["text"] for note in drawn["layout"]["annotations"] if "textangle" in note]
    return rays + [name for trace in drawn["data"] for name in trace.get("text", ()) if name]


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("width", [205, 300, 420])
def test_no_two_outputs_of_300_streets_have_the_same_name_in_a_graph(joined, width):
    street = [f"street {i:03d} of the old town" for i in range(300)]
    names = [f"{street[i]} 60%; {street[i - 1]} 30%; 298 more 10%" for i in range(300)]
    p = np.full((2, 300), 1 / 600) if joined else np.eye(300) / 300
    shown = written(
        figures.confusability(release_graph(leakage(p, names)), "it", "after", width=width)
    )
    assert len(shown) > 3
    assert len(set(shown)) == len(shown)
    assert all(any(f"{i:03d}" in name for i in range(300)) for name in shown)


@pytest.mark.parametrize("width", [205, 420])
@pytest.mark.parametrize("count", [1, 2, 5, 13, 42])
def test_a_unit_is_as_long_across_as_it_is_up(count, width):
    joints = (np.full((2, count), 0.5 / count), np.eye(count) / count)
    for p in joints:
        graph = release_graph(leakage(p, [f"a long name {i}" for i in range(count)]))
        drawn = figures.confusability(graph, "X itself", "before", width=width)["layout"]
        across, up = (np.ptp(drawn[f"{axis}axis"]["range"]) for axis in ("x", "y"))
        assert across / (width - 8) == pytest.approx(up / (376 - 26 - 58))
        assert drawn["yaxis"]["scaleanchor"] == "x"
        for axis, places in zip(("x", "y"), graph.positions.T, strict=True):
            low, high = drawn[f"{axis}axis"]["range"]
            assert low < places.min()
            assert places.max() < high


def test_names_on_an_axis_are_as_many_as_there_is_room_for():
    names = [f"n{i}" for i in range(42)]
    assert label_axis(names)["ticktext"] == names
    some = label_axis(names, 270)
    assert some["ticktext"] == names[::2]
    assert some["tickvals"] == list(range(0, 42, 2))
    assert len(label_axis(["x"] * 2_000, 270)["ticktext"]) <= 23


def test_what_is_said_below_a_graph_fits_its_width():
    rng = np.random.default_rng(0)
    weights = rng.random((3, 400))
    leak = leakage(weights / weights.sum(), tuple(f"x{i}" for i in range(400)))
    graph = release_graph(leak, ("a", "b", "c"))
    text = graph_figure._summary(graph).split("<br>")
    assert text[0] == "one part; 340 rare ones not drawn"
    assert len(text) == 2
    assert max(map(len, text)) * graph_figure.LETTER < graph_figure.WIDTH
    below = figures.confusability(graph, "X itself", "before", dense=True)["layout"]["margin"]["b"]
    assert 15 * len(text) <= below < graph_figure.FRAME[3]
