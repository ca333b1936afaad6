"""The address bar: a question is not lost where runs follow one another quickly."""

from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.runtime.state import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from core import learning as lessons
from core.papers import worlds
from pages.ui.compare import query as compare_query
from pages.ui.confusability import controls as confusability_query
from pages.ui.frame import address
from pages.ui.frame.address import PAGES_KEYS, PARTS
from pages.ui.frontiers import query as frontiers_query
from pages.ui.learn import query as learn_query
from pages.ui.mechanisms import query as mechanisms_query
from pages.ui.papers import query as papers_query
from pages.ui.release import controls as release_query
from pages.ui.robust import controls as robust_controls
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]
HOME, ROBUST = str(ROOT / "pages/data.py"), str(ROOT / "pages/robust.py")
LIFT = str(ROOT / "pages/lift.py")
QUERY = {"x": ["race"], "n": ["300"]}


def opened(page=HOME, **query):
    app = AppTest.from_file(page, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def turn_to(app, page):
    """Open another page of the same session, as the menu does: without a query."""
    app._script_path = page
    app.query_params.clear()


def query(app):
    result = dict(app.query_params)
    return {key: item if isinstance(item, list) else [item] for key, item in result.items()}


@pytest.fixture
def sent(monkeypatch):
    """Return a list of what is written to the browser; a call in it may interrupt the run."""
    written, write = [], QueryParamsProxy.from_dict

    def send(self, params):
        write(self, params)
        written.append(dict(params))
        if written.interrupts:
            written.interrupts -= 1
            raise StopException

    class Written(list):
        interrupts = 0

    written = Written()
    monkeypatch.setattr(QueryParamsProxy, "from_dict", send)
    return written


def test_a_page_whose_first_run_is_interrupted_keeps_the_question(sent):
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    sent.interrupts = 1
    app.run()
    assert sent[-1] == QUERY
    app.query_params.clear()  # the browser has not heard of it when it asks again
    app.run()
    assert query(app) == QUERY
    assert sent[-1] == QUERY
    assert app.session_state["_n"] == 300


def test_a_page_that_is_interrupted_before_its_sliders_keeps_their_values(monkeypatch):
    app = opened(LIFT, **QUERY | {"eps": ["1.5"]})
    assert app.slider(key="eps").value == 1.5
    turn_to(app, ROBUST)
    with monkeypatch.context() as patched:
        patched.setattr(robust_controls, "sidebar", stop)
        app.run()
        assert "eps" not in {item.key for item in app.slider}
    app.run()
    assert app.slider(key="eps").value == 1.5
    assert app.session_state["eps"] == 1.5
    assert query(app) == QUERY | {"eps": ["1.5"]}


def stop():
    raise StopException


def test_an_address_that_was_written_over_does_not_undo_a_second_slider():
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    app.run()
    app.slider(key="eps").set_value(0.5).run()
    assert query(app) == QUERY | {"eps": ["0.5"]}
    app.query_params.clear()
    for key, value in QUERY.items():
        app.query_params[key] = value
    app.slider(key="beta").set_value(0.02).run()
    assert query(app) == QUERY | {"eps": ["0.5"], "beta": ["0.02"]}
    assert app.slider(key="eps").value == 0.5


def part():
    """Write what is asked, as a part of a page does that runs alone."""
    import streamlit as st

    from pages.ui.frame import address

    address.write(["eps"], st.session_state["wanted"])


def test_a_slider_that_is_moved_back_before_the_browser_has_the_answer_ends_where_it_was(sent):
    app = AppTest.from_function(part, default_timeout=PATIENCE)
    for reported in ({"eps": ["0.5"]}, {}, {"eps": ["0.6"]}, {}):
        app.query_params.clear()
        app.query_params["x"] = ["race"]  # asked for before the browser has read any answer
        app.session_state["wanted"] = reported
        app.run()
        assert not app.exception
        assert sent[-1] == {"x": ["race"]} | reported
    assert len(sent) == 4
    app.run()
    assert len(sent) == 4  # the browser is there


def test_back_leads_to_an_address_that_was_written_over(monkeypatch):
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    app.run()
    app.slider(key="eps").set_value(0.5).run()
    app.query_params.clear()
    for key, value in QUERY.items():
        app.query_params[key] = value
    monkeypatch.setattr(address, "_went_through_history", lambda: True)
    app.run()
    assert query(app) == QUERY
    assert app.slider(key="eps").value == 1.0
    monkeypatch.undo()  # what is moved next goes on from there
    app.slider(key="beta").set_value(0.02).run()
    assert query(app) == QUERY | {"beta": ["0.02"]}
    assert app.slider(key="eps").value == 1.0


def test_back_tells_its_address_again_where_a_late_one_may_have_taken_its_place(sent, monkeypatch):
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    app.run()
    app.slider(key="eps").set_value(0.5).run()
    before = len(sent)
    app.run()
    assert len(sent) == before  # the browser is there already
    app.query_params.clear()
    for key, value in QUERY.items():
        app.query_params[key] = value
    monkeypatch.setattr(address, "_went_through_history", lambda: True)
    app.run()
    assert sent[before:]
    assert all(item == QUERY for item in sent[before:])


def test_an_address_counts_again_once_the_browser_has_read_what_was_written():
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    app.run()
    app.slider(key="eps").set_value(0.5).run()
    app.run()  # from the address with ε = 0.5
    del app.query_params["eps"]
    app.run()
    assert query(app) == QUERY
    assert app.slider(key="eps").value == 1.0


def test_only_so_many_addresses_are_remembered(monkeypatch):
    monkeypatch.setattr(address, "MOST_LATE", 2)
    app = opened(**QUERY)
    turn_to(app, ROBUST)
    app.run()
    for eps in (0.5, 0.6, 0.7):  # asked for before the browser has read any answer
        for key, value in QUERY.items():
            app.query_params[key] = value
        app.slider(key="eps").set_value(eps).run()
        app.query_params.clear()
    assert len(app.session_state["_address_late"]) == 2


READERS = {
    "compare": compare_query,
    "confusability": confusability_query,
    "frontiers": frontiers_query,
    "learn": learn_query,
    "mechanisms": mechanisms_query,
    "papers": papers_query,
    "release": release_query,
}


def test_the_keys_of_every_page_are_known_to_all():
    settings = {"learn": lessons.SETTINGS, "papers": worlds.SETTINGS}
    for page, keys in PARTS.items():
        part = READERS.get(page)
        known = set() if part is None else set(part.URL._values)
        assert known | settings.get(page, {}).keys() <= set(keys.split())
        assert len(keys.split()) == len(set(keys.split()))
    assert set().union(*(keys.split() for keys in PARTS.values())) == PAGES_KEYS


def test_what_a_link_has_that_nothing_reads_is_named_and_the_rest_works():
    app = opened(**QUERY, epz=["2"], topic=["lift"], **{"y" * 200: ["1"]})
    (reported,) = [item.value for item in app.warning]
    assert "epz" in reported
    assert "topic" not in reported
    assert "y" * 90 not in reported
    assert reported.count("ignores") == 1
    assert app.session_state["_data"].released == ("race",)
    assert not opened(**QUERY, topic=["lift"]).warning
