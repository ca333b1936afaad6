"""What keys do: menus by keyboard, the field that looks for an option, and fields of numbers."""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
_SCRIPT = (_HERE / "menus.js").read_text(encoding="utf-8")

_WATCH = st.components.v2.component("liftscope_menus", js=_SCRIPT, isolate_styles=False)

_FIELD = st.components.v2.component(
    "liftscope_look",
    html='<div class="lsc-look"><input type="search" autocomplete="off" spellcheck="false">'
    '<p class="lsc-none" role="status" hidden>No option has these words.</p></div>',
    js=_SCRIPT,
    isolate_styles=False,
)


def watch() -> None:
    """Have focus go into each menu that opens and back, read 0,7 as 0.7, and refuse letters."""
    _WATCH(key="menus")


def look(key: str, label: str) -> None:
    """Show the field that leaves the options with some words; a choice closes its menu."""
    _FIELD(key=f"{key}_look", data={"label": label})
