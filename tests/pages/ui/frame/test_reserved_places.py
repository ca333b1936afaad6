"""A fragment finds its places, also where the last whole run was cut off before them."""

import asyncio

import pytest

from tests.browser.served import served
from tests.visitor import EXCEPTION, visiting

SCRIPT = """
import streamlit as st
from pages.ui.frame import page_frame

place = st.container()

@st.fragment
@page_frame.whole
def live():
    if {whole} or st.session_state.setdefault("runs", 0):
        page_frame.reserve([place])
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    moved = st.slider("ε", 0, 10, key="eps")
    if st.session_state.runs > 1:
        with place:
            st.markdown(f"moved to {{moved}}")

live()
"""


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "cut_off"])
def test_a_fragment_writes_into_its_places(tmp_path, whole):
    script = tmp_path / "page.py"
    script.write_text(SCRIPT.format(whole=whole), encoding="utf-8")

    async def moved():
        async with visiting(address) as visitor:
            await visitor.load()
            await visitor.move("eps", 7)
            while not visitor.says("moved to 7") and not visitor.says(EXCEPTION):
                await asyncio.sleep(0.02)
            return list(visitor.texts.values())

    with served(script) as address:
        assert asyncio.run(moved()) == ["moved to 7"]
