"""Cards: a table that cannot be made says why, and takes nothing else down."""

from streamlit.testing.v1 import AppTest

from tests.pages.waiting import PATIENCE


def script():
    import streamlit as st

    from core.errors import NotConvexError
    from pages.ui.parts.cards import card

    st.session_state["one_table"] = True  # as a click leaves it

    def table():
        raise NotConvexError("The set *is* not convex.")

    with card(key="one", title="One", subtitle="What it shows.", table=table):
        st.write("the chart")


def test_a_table_that_cannot_be_made_says_why():
    app = AppTest.from_function(script, default_timeout=PATIENCE).run()
    assert not app.exception
    assert "The set \\*is\\* not convex\\." in [caption.value for caption in app.caption]
    assert "the chart" in [text.value for text in app.markdown]
