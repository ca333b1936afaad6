import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.leakage import leakage
from core.lookalikes import lookalikes
from pages.ui import figures
from pages.ui.figures.base import label_axis
from pages.ui.figures.placing import _around, _box, _meet, place_names

PLACES = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 200)), min_size=1, max_size=25, unique=True
)


@settings(max_examples=60)
@given(PLACES, st.integers(1, 12))
def test_names_cover_neither_nodes_nor_each_other(places, length):
    pixels, name = np.array(places, dtype=float), "n" * length
    sides = place_names(pixels, [name] * len(pixels))
    boxes = [_box(x, y, side, name) for (x, y), side in zip(pixels, sides, strict=True) if side]
    nodes = [_around(x, y, 6, 6) for x, y in pixels]
    for i, box in enumerate(boxes):
        assert not any(_meet(box, other) for other in boxes[:i])
        assert not any(_meet(box, node) for node in nodes)


def test_a_name_stands_on_the_side_that_looks_away_from_the_middle():
    cross = np.array([[0, 100], [0, -100], [100, 0], [-100, 0]], dtype=float)
    assert place_names(cross, list("abcd")) == ["top", "bottom", "right", "left"]
    assert place_names(cross[:1], ["alone"]) == ["bottom"]


def full_circle(count):
    return lookalikes(
        leakage(np.full((2, count), 0.5 / count), [f"name {i}" for i in range(count)])
    )


@pytest.mark.parametrize("count", [13, 60])
def test_names_around_a_full_circle_are_rays_where_there_is_room(count):
    graph = full_circle(count)
    wide = figures.confusability(graph, "X itself", "before", width=420)
    rays = [note for note in wide["layout"]["annotations"] if "textangle" in note]
    assert [ray["text"] for ray in rays] == [f"name {i}" for i in range(count)]
    assert all(abs(ray["textangle"]) <= 90 for ray in rays)
    narrow = figures.confusability(graph, "X itself", "before")
    assert not any("textangle" in note for note in narrow["layout"]["annotations"])
    shown = [text for text in narrow["data"][-1]["text"] if text]
    assert len(shown) == len(set(shown)) > count / 5


def test_names_on_an_axis_are_as_many_as_there_is_room_for():
    names = [f"n{i}" for i in range(42)]
    assert label_axis(names)["ticktext"] == names
    some = label_axis(names, 270)
    assert some["ticktext"] == names[::2]
    assert some["tickvals"] == list(range(0, 42, 2))
    assert len(label_axis(["x"] * 2_000, 270)["ticktext"]) <= 23
