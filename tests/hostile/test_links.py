"""Links that someone wrote to break the page: each is answered, in short sentences."""

import json
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.data import count, describe, first_question
from core.data.databases import tables
from core.errors import CoreError
from core.scenario import Scenario
from core.scenario.url import KEYS, from_query, to_query, within_reach
from pages.ui.compare import query as compare
from pages.ui.confusability import controls as confusability
from pages.ui.frame import address, state
from pages.ui.frontiers import query as frontiers
from pages.ui.learn import query as learn
from pages.ui.mechanisms import query as mechanisms
from pages.ui.papers import query as papers
from pages.ui.release import controls as release
from tests.hostile.links import DIGITS, HALF, LONG, PAGES, QUOTED, SCENARIO
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def named(link):
    return "&".join(f"{key}={value[:25]!r}" for key, value in link.items())


def refusal(ask, about):
    """Return the sentence with which something is refused; "" where it is not."""
    try:
        ask(about)
    except CoreError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("link", SCENARIO, ids=named)
def test_a_link_is_read_in_short_sentences_and_its_data_counted_or_refused_in_one(link):
    scenario, notices = from_query(link)
    scenario, more = within_reach(scenario)
    for notice in (*notices, *more):
        assert len(notice) <= QUOTED
        notice.encode()
    assert len(refusal(count, scenario.data)) <= QUOTED


@pytest.mark.parametrize(("page", "link"), PAGES, ids=lambda part: str(part)[:40])
def test_a_page_tells_what_is_wrong_in_its_part_of_a_link(page, link):
    app = AppTest.from_file(ROOT / "pages" / f"{page}.py", default_timeout=PATIENCE)
    for key, value in ({"mech": "watchdog", "x": "race", "s": "sex"} | link).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert app.warning
    assert all(
        len(item.value) <= 2 * QUOTED for item in app.warning
    )  # signs of Markdown are escaped


@pytest.mark.parametrize("page", ["explore", "data", "release"])
@pytest.mark.parametrize("engine", ["duckdb:///tmp/x.db", "postgres://10.0.0.1/db", "spark://h:1"])
def test_a_link_makes_no_page_connect_to_a_data_base(page, engine, monkeypatch):
    request = []
    monkeypatch.setattr(tables, "connected", request.append)
    app = AppTest.from_file(ROOT / "pages" / f"{page}.py", default_timeout=PATIENCE)
    app.query_params["data"] = f"{engine}#people"
    app.run()
    assert not app.exception
    assert not request
    assert any("databases are not open here" in item.value for item in app.error)


def test_a_page_asks_no_more_than_a_link_may():
    app = AppTest.from_file(ROOT / "pages" / "explore.py", default_timeout=PATIENCE)
    app.query_params["limit"] = "600"
    app.query_params["mech"] = "watchdog"
    app.query_params["data"] = "random:uniform:500x500:1"
    app.run()
    assert not app.exception
    assert app.session_state["limit"] == 60
    assert app.session_state["_data"].source == "adult"
    assert len(app.warning) == 1  # of both faults
    assert all(fault in app.warning[0].value for fault in ("limit=", "data="))


VALUES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["²", "-0", "1e999", "nan", "٣", "\x00", "[" * 99, HALF, DIGITS, LONG, "0x1", ""]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.tuples(st.integers(0, 99), st.sampled_from("xX:,"), st.integers(-9, 9)).map(
        lambda part: "".join(map(str, part))
    ),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists).map(
        json.dumps
    ),
)
"""What may stand behind any key: valid, nearly valid, and neither."""

OWN = [compare, confusability, frontiers, learn, mechanisms, papers, release]
"""The modules that read a page's own part of a link."""


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.__name__.split(".")[-2])
def test_any_part_of_a_link_that_is_a_pages_own_is_read_or_told_in_short_sentences(page):
    links = st.dictionaries(st.sampled_from(page.URL._keys), st.lists(VALUES, min_size=1))

    @settings(max_examples=40)
    @given(links)
    def read(link):
        reported, session = [], {}
        with (
            mock.patch.object(page.URL, "read", return_value=link),
            mock.patch.object(page.URL, "tell", reported.append),
            mock.patch.object(address.st, "session_state", session),
        ):
            state.adopt(Scenario())
            getattr(page, "restore", page.URL.restore)()
        for sentence in reported:
            assert len(sentence) <= QUOTED
            sentence.encode()

    read()


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(KEYS), st.lists(VALUES, min_size=1, max_size=3)))
def test_any_question_is_read_or_told_in_short_sentences(link):
    scenario, notices = from_query(link)
    scenario, more = within_reach(scenario)
    for notice in (*notices, *more):
        assert len(notice) <= QUOTED
        notice.encode()
    assert from_query(to_query(scenario)) == (scenario, ())


REFERENCES = st.one_of(
    st.text(max_size=40),
    st.tuples(
        st.sampled_from(["random", "upload", "matrix", "example", "adult", ""]),
        st.sampled_from([":", "", "::"]),
        st.text(max_size=40),
    ).map("".join),
    st.from_regex(r"random:(uniform|dirichlet[0-9.]{0,5}):[0-9]{0,4}x[0-9]{0,2}:[0-9]{0,25}"),
)


@given(source=REFERENCES)
def test_any_reference_to_data_is_opened_or_refused_in_a_short_sentence(source):
    for ask in (describe, first_question, lambda item: count(first_question(item))):
        assert len(refusal(ask, source)) <= QUOTED
