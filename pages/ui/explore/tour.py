"""The start of Explore: examples, one's own data, and a tour of six steps for who wants it.

Its box, by tour.js, moves no chart and covers nothing that a slider in the sidebar changes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from core.scenario.presets import PRESETS
from pages.ui.frame import site
from pages.ui.style.labels import markdown

_HERE = Path(__file__).parent
_RUN = "_tour_run"


@dataclass(frozen=True)
class Step:
    """A step of the tour; `about` is a CSS selector of what gets an outline.

    `folded`: what it says where the sidebar is folded (and its button outlined); empty for the
    same.
    """

    title: str
    text: str
    about: str
    folded: str = ""


STEPS = (
    Step(
        "The question",
        "In the sidebar: the data, the secret S, and X, the data to release.",
        ".st-key-data_secret, .st-key-data_released",
        "The button » above opens the sidebar: the data, the secret S, and X, the data to release.",
    ),
    Step(
        "The privacy notion",
        ("Below it: what the release must not reveal, and how strictly. A smaller ε allows less."),
        ".st-key-promise_sliders",
        "Also in the sidebar: what the release must not reveal, and how strictly. A smaller ε "
        "allows less.",
    ),
    Step(
        "The answer",
        "How far a belief may shift, how much of X survives, how much better another mechanism "
        "could be, and whether a second check agrees.",
        ".st-key-finding, .st-key-strip",
    ),
    Step(
        "The cost of privacy",
        "Share kept at each ε. Click a point to jump there.",
        ".st-key-card_frontier",
    ),
    Step(
        "The mechanism",
        "The probability of each output given each input. The menu next to each title has its "
        "formulas and table.",
        ".st-key-card_mechanism",
    ),
    Step(
        "Where to go next",
        "Here are examples and the way to your own data. Compare shows several notions side by "
        "side; Class, next to the name above, projects one chart at a time.",
        ".st-key-start",
        "Here are examples and the way to your own data. In the sidebar: the other pages, such as "
        "Compare, which shows several notions side by side, and Class, which projects one chart "
        "at a time.",
    ),
)
"""The tour."""

_COMPONENT = st.components.v2.component(
    "liftscope_tour",
    js=(_HERE / "tour.js").read_text(encoding="utf-8"),
    css=(_HERE / "tour.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def show() -> None:
    """Add the tour to the page; it begins when its button is pressed."""
    steps = [asdict(step) for step in STEPS]
    _COMPONENT(data={"steps": steps, "run": st.session_state.get(_RUN, 0)}, key="tour")


def panel() -> None:
    """Show the examples behind one button, the way to one's own data, and the offer of the tour."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="start"):
        with st.popover("Examples", icon=":material/lightbulb:", key="examples"):
            for preset in PRESETS:
                line = preset.line.replace(" = ", "\u00a0=\u00a0")
                source = f" {preset.source}" if preset.source else ""
                st.markdown(
                    f"[{markdown(preset.title)}]({preset.link})  \n"
                    f":small[{markdown(line + source)}]"
                )
        site.link("data", "Use my own data")
        st.button(
            "Tour",
            icon=":material/tour:",
            type="tertiary",
            key="tour_begin",
            on_click=_begin,
            help="This page in six steps.",
        )


def _begin() -> None:
    st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1
