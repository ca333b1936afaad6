"""A page that waits for its first answer says so, and one that shows an answer does not jump."""

from contextlib import contextmanager
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui.work import answers, refining
from tests.pages.waiting import PATIENCE

PAGES = Path(__file__).parents[2] / "pages"


@pytest.fixture
def waits(monkeypatch):
    """Return what pages say while they wait, and how many answers there are before and after it."""
    result, glances = [], []
    glance = answers._glance

    @contextmanager
    def spinner(text):
        before = len(glances)
        yield
        result.append((text, before, len(glances)))

    def counted(scenario):
        glances.append(scenario)
        return glance(scenario)

    monkeypatch.setattr(st, "spinner", spinner)
    monkeypatch.setattr(answers, "_glance", counted)
    return result


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize(("page", "answers_of_it"), [("explore", 1), ("compare", 3), ("lift", 1)])
def test_it_is_said_while_the_first_answers_are_looked_for_and_never_again(
    waits, page, answers_of_it
):
    app = AppTest.from_file(PAGES / f"{page}.py", default_timeout=PATIENCE)
    app.query_params["data"] = "german_credit"
    app.query_params["s"] = "credit"
    app.query_params["x"] = "purpose"
    assert not app.run().exception
    ((text, before, after),) = waits
    assert (text, before) == (refining.FIRST, 0)
    assert after >= answers_of_it
    app.slider("eps").set_value(2.0)
    assert not app.run().exception
    assert len(waits) == 1
