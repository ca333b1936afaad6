"""What browsers are sent of a chart: made once for what it is made of, and never of another."""

import json
from dataclasses import dataclass
from weakref import ref

import pytest

from core.data import DataSpec
from pages.ui.chart import MadeOf, chart, component
from pages.ui.work import store

DATA = DataSpec("example:heuristics")


@dataclass(eq=False)
class Answer:
    height: int


@pytest.fixture
def sent(monkeypatch):
    """Keep what browsers are sent, and begin without kept charts."""
    result = []
    monkeypatch.setattr(component, "_COMPONENT", lambda **reported: result.append(reported))
    monkeypatch.setattr(store, "SHARED", store.Store(10))
    return result


class Drawer:
    """Draws an answer, and counts how often."""

    def __init__(self):
        self.drawn = 0

    def show(self, answer, unit="nats", alt="a chart", faded=False, title="Chart"):
        def draw():
            self.drawn += 1
            return {"data": [], "layout": {"height": answer.height, "meta": {"now": unit}}}

        made_of = MadeOf(DATA, (ref(answer), unit))
        chart(draw, key="it", title=title, alt=alt, faded=faded, made_of=made_of)


def test_the_same_answer_is_drawn_once(sent):
    drawer, answer = Drawer(), Answer(300)
    drawer.show(answer)
    drawer.show(answer)
    assert drawer.drawn == 1
    assert sent[0]["data"] == sent[1]["data"]
    assert [item["height"] for item in sent] == [300 + component.BAR] * 2


def test_another_answer_unit_text_or_state_is_another_chart(sent):
    drawer, answer = Drawer(), Answer(300)
    drawer.show(answer)
    drawer.show(Answer(400))
    drawer.show(answer, unit="bits")
    drawer.show(answer, alt="another text")
    drawer.show(answer, title="Another")
    drawer.show(answer, faded=True)
    with component.old():
        drawer.show(answer, alt="old")
    reported = [json.loads(item["data"]) for item in sent]
    assert drawer.drawn == len(reported) == 7
    assert [item["height"] for item in reported] == [300, 400, 300, 300, 300, 300, 300]
    assert [item["now"] for item in reported][:3] == ["nats", "nats", "bits"]
    assert [item["faded"] for item in reported] == [False] * 5 + [True] * 2


def test_a_chart_says_what_the_page_is_about_now(sent):
    drawer, answer = Drawer(), Answer(300)
    with component.context.about({"data": "Adult"}):
        drawer.show(answer)
    with component.context.about({"data": "Heart"}):
        drawer.show(answer)
    assert ["Adult" in str(json.loads(item["data"])["plain"]) for item in sent] == [True, False]


def test_an_answer_that_is_gone_is_taken_for_no_new_one(sent):
    drawer = Drawer()
    for height in (300, 310, 320):  # a new object may get the old one's place in memory
        drawer.show(Answer(height))
    assert [item["height"] - component.BAR for item in sent] == [300, 310, 320]


def test_a_figure_that_is_not_kept_is_sent_as_it_is(sent):
    figure = {"data": [], "layout": {"height": 200}}
    chart(figure, key="it", title="Chart", alt="a chart")
    assert json.loads(sent[0]["data"])["height"] == 200


def test_a_table_names_its_rows_and_columns_once(sent):
    cells = [[["a", "x"], ["a", "y"]], [["b", "x"], ["b", "y"]]]
    figures = [
        {"data": [{"type": "heatmap", "customdata": customdata}], "layout": {"height": 300}}
        for customdata in (cells, [[["a", "x"], ["b", "y"]]], [[["a", "x", "1"]]], [])
    ]
    for figure in figures:
        chart(figure, key="it", title="Chart", alt="a chart")
    (first,), *others = [json.loads(json.loads(item["data"])["data"]) for item in sent]
    assert first == {"type": "heatmap", "names": [["a", "b"], ["x", "y"]]}
    assert others == [figure["data"] for figure in figures[1:]]
    assert figures[0]["data"][0]["customdata"] == cells
