"""Liftscope: page config and navigation, nothing else."""

from pathlib import Path

import streamlit as st

ICON = Path(__file__).parent / "pages" / "ui" / "icon.png"

st.set_page_config(page_title="Liftscope", page_icon=ICON, layout="wide")
st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/explore:", default=True),
        st.Page("pages/lift.py", title="Lift", icon=":material/stacked_bar_chart:"),
        st.Page("pages/mechanisms.py", title="Mechanisms", icon=":material/tune:"),
        st.Page("pages/robust.py", title="Robust", icon=":material/verified_user:"),
        st.Page("pages/confusability.py", title="Confusability", icon=":material/hub:"),
        st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
    ],
    position="top",
).run()
