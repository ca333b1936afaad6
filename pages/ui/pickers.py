"""Pickers of data, S and X."""

import streamlit as st

from core.data.catalogue import BUNDLED, bundled
from core.data.spec import DataSpec
from pages.ui import state


def show() -> None:
    """Show the pickers of data, S and X."""
    spec = state.data()
    ids = [entry.id for entry in BUNDLED]
    data = st.selectbox(
        "Data",
        ids,
        index=ids.index(spec.source) if spec.source in ids else 0,
        format_func=lambda key: bundled(key).title,
    )
    columns = bundled(data).column_names
    s = st.selectbox("Secret S", columns, index=columns.index(spec.secret[0]))
    x = st.selectbox("Release X", columns, index=columns.index(spec.released[0]))
    state.set_data(DataSpec(data, (s,), (x,)))
