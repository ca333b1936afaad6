"""The table of two by two as areas that can be dragged, and the way to ask about it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from core.learning import SETTINGS, Values
from core.learning.tables import of_test
from pages.ui.frame import data_controls
from pages.ui.learn import query
from pages.ui.work import derived

_HERE = Path(__file__).parent
_PART = "learn_table"
_SERIAL = "_learn_serial"

KEYS = ("ill", "hit", "alarm")
"""The numbers that a table is made of."""

_COMPONENT = st.components.v2.component(
    "liftscope_learn_table",
    js=(_HERE / "drag.js").read_text(encoding="utf-8"),
    css=(_HERE / "drag.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def table(values: Values) -> None:
    """Show P(s, x) as four areas, whose borders can be dragged or moved by arrow keys."""
    with st.container(border=True, key="card_learn_table"):
        st.markdown("**The table, to be dragged**")
        st.caption("Each area is a probability. Drag a border, or choose it and press an arrow.")
        _COMPONENT(
            data={"serial": st.session_state.get(_SERIAL, 0)}
            | {
                key: {
                    "value": values[key],
                    "low": SETTINGS[key].low,
                    "high": SETTINGS[key].high,
                    "step": SETTINGS[key].step,
                    "title": SETTINGS[key].title,
                }
                for key in KEYS
            },
            key=_PART,
            on_moved_change=_moved,
        )


def _moved() -> None:
    """Take what was dragged; what is no number of a table is not taken."""
    moved = (st.session_state.get(_PART) or {}).get("moved")
    if not isinstance(moved, Mapping):
        return
    serial = moved.get("serial")
    if isinstance(serial, int) and not isinstance(serial, bool):
        st.session_state[_SERIAL] = serial
    for key in KEYS:
        value = moved.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            query.take(key, round(float(value), 4))


def own_table(values: Values) -> None:
    """Show the button that makes the table on screen the data of all pages."""
    if st.button(
        "Ask about this table in Explore",
        icon=":material/explore:",
        key="learn_own",
        help="The table becomes a matrix of this session, as one that was pasted on the Data page.",
    ):
        joint = of_test(*(values[key] for key in KEYS))
        rows = ["\t".join(["", *joint.x_labels])]
        for label, row in zip(joint.s_labels, joint.p, strict=True):
            rows.append("\t".join([label, *map(repr, map(float, row))]))
        data_controls.choose(derived.sources().add_matrix("\n".join(rows)))
        st.switch_page("pages/explore.py")
