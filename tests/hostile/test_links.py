"""Links that someone wrote to break the page: each is answered, in short sentences."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.data import count, describe, first_question
from core.data.databases import tallies
from core.errors import CoreError
from core.scenario.url import from_query, within_reach
from tests.hostile.links import PAGES, QUOTED, SCENARIO
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
    assert all(len(one.value) <= 2 * QUOTED for one in app.warning)  # signs of Markdown are escaped


@pytest.mark.parametrize("page", ["explore", "data", "release"])
@pytest.mark.parametrize("engine", ["duckdb:///tmp/x.db", "postgres://10.0.0.1/db", "spark://h:1"])
def test_a_link_makes_no_page_connect_to_a_data_base(page, engine, monkeypatch):
    asked = []
    monkeypatch.setattr(tallies, "connected", asked.append)
    app = AppTest.from_file(ROOT / "pages" / f"{page}.py", default_timeout=PATIENCE)
    app.query_params["data"] = f"{engine}#people"
    app.run()
    assert not app.exception
    assert not asked
    assert any("data bases are not open here" in one.value for one in app.error)


def test_a_page_asks_no_more_than_a_link_may():
    app = AppTest.from_file(ROOT / "pages" / "explore.py", default_timeout=PATIENCE)
    app.query_params["limit"] = "600"
    app.query_params["mech"] = "watchdog"
    app.query_params["data"] = "random:uniform:500x500:1"
    app.run()
    assert not app.exception
    assert app.session_state["limit"] == 60
    assert app.session_state["_data"].source == "adult"
    assert len(app.warning) == 2


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
    for ask in (describe, first_question, lambda one: count(first_question(one))):
        assert len(refusal(ask, source)) <= QUOTED
