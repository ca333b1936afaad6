"""Liftscope: page config and navigation, nothing else."""

import streamlit as st

st.set_page_config(page_title="Liftscope", page_icon=":material/blur_on:", layout="wide")
st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", icon=":material/explore:", default=True),
        st.Page("pages/lift.py", title="Lift", icon=":material/stacked_bar_chart:"),
    ],
    position="top",
).run()
