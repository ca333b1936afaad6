"""Long lists page by page."""

import numpy as np
from streamlit.testing.v1 import AppTest

from pages.ui.parts.tables import ROWS, page


def shown(count):
    def script(count):
        import numpy as np
        import streamlit as st

        from pages.ui.parts.tables import page

        st.session_state["seen"] = page(np.arange(count) % 7 + 0.0, "rows", "at").tolist()

    return AppTest.from_function(script, args=(count,)).run()


def test_what_fits_stays_in_its_order():
    assert page(np.array([1.0, 3.0, 2.0]), "rows", "at").tolist() == [0, 1, 2]
    assert page(np.zeros(0), "rows", "at").tolist() == []
    assert len(page(np.ones(ROWS), "rows", "at")) == ROWS


def test_every_row_is_on_one_page_and_the_weightiest_come_first():
    count = 400
    app = shown(count)
    seen = list(app.session_state["seen"])
    for start in range(ROWS, count, ROWS):
        app.select_slider(key="at").set_value(start).run()
        assert not app.exception
        seen += app.session_state["seen"]
    assert sorted(seen) == list(range(count))
    weights = [place % 7 for place in seen]
    assert weights == sorted(weights, reverse=True)
