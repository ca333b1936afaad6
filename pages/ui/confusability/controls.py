"""The Confusability page's own question, in the URL, and its controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.data import DataSpec
from core.data.joints import EXAMPLES
from core.nonstochastic import PROBLEMS, Clustering, FrontierPoint, weight_within
from core.nonstochastic import catalogue as clusterings
from core.nonstochastic.ranges.graph import NODES
from core.release.confusability import ConfusabilityGraph
from core.scenario import DOMAINS, Scenario
from core.wording import number_of
from pages.ui.chart import BOARD, picked
from pages.ui.frame import controls, state
from pages.ui.frame.address import PageQuery, Value, one_of, whole_number
from pages.ui.style.labels import markdown

STEP = "step"
"""The URL's key for the step that is shown, where it is not the one at which λ stops."""

URL = PageQuery(
    "confusability",
    Value("problem", PROBLEMS[0], one_of(PROBLEMS), "problem"),
    Value("view", NODES[0], one_of(NODES), "view"),
    Value(
        STEP,
        read=whole_number,
        why="is not a whole number",
        instead="the step at which λ stops is shown",
    ),
)

_WAY = "_confusability_way"


def settle_step(way: Any, stop: int, last: int) -> int:
    """Return and set the step: the requested one, else that on screen, else where λ stops."""
    wanted: int | None = URL.take(STEP)
    if wanted is not None and wanted > last:
        URL.tell(
            f"The link has {STEP}={wanted}, but there {'is' if last == 1 else 'are'} "
            f"{number_of(last, 'merge')}; showing the last one."
        )
        wanted = last
    if wanted is not None:
        step = wanted
    elif st.session_state.get(_WAY) == way and STEP in st.session_state:
        step = min(int(st.session_state[STEP]), last)
    else:
        step = stop
    st.session_state[_WAY] = way
    st.session_state[STEP] = step
    return step


def opened_part(when: str, parts: int) -> int | None:
    """Return the part that is open in the graph before or after; None: all parts, a node each."""
    key = f"part_{when}"
    opened: int | None = st.session_state.get(key)
    if opened not in {None, *range(parts)}:
        st.session_state[key] = opened = None
    return opened


def publish(stop: int) -> None:
    """Write the page's question to the URL; what is the default is left out."""
    URL.publish(address(stop))


def address(stop: int) -> dict[str, list[str]]:
    """Return the URL's part for the page's question, whose λ stops after so many merges."""
    wanted = URL.wanted()
    if st.session_state[STEP] != stop:
        wanted[STEP] = [str(st.session_state[STEP])]
    return wanted


HEART = DataSpec("heart_hungarian", ("age",), ("chol",), missing="drop")
"""The data of [NonStoch] §VII: S is the age, X the cholesterol."""

SHOWN = {"released": "releases", "secret": "secrets"}
"""Kind of nodes → what the switch calls it."""


def examples() -> None:
    with st.popover("Examples", icon=":material/dataset:", key="range_examples"):
        load("Heart disease: age × cholesterol", HEART, "heart")
        for entry in EXAMPLES:
            if not (entry.weights > 0).all():
                spec = DataSpec(
                    f"example:{entry.id}", (), (), secret_released=entry.secret_released
                )
                load(entry.title, spec, entry.id)


def load(label: str, spec: DataSpec, key: str) -> None:
    """Show a button that takes some data as the scenario's."""
    st.button(
        markdown(label),
        key=f"load_{key}",
        on_click=lambda: state.set_data(spec),
        width="stretch",
        type="secondary",
    )


def question(scenario: Scenario) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="asked"):
        st.selectbox(
            "How to merge",
            PROBLEMS,
            format_func=lambda key: clusterings.entry(key, clusterings.ALGORITHM).title,
            key="problem",
            help=clusterings.entry(URL.now("problem"), clusterings.ALGORITHM).meaning,
            persist_state="session",
            width=330,
        )
        controls.price(scenario)


def step(clustering: Clustering) -> None:
    """Show the slider through the merges."""
    last = len(clustering.steps) - 1
    if last == 0:
        st.caption("There is nothing to merge: a single step.")
        return
    st.slider("Merges done", 0, last, key=STEP, persist_state="session")


def nodes() -> None:
    st.segmented_control(
        "Nodes",
        NODES,
        format_func=lambda key: SHOWN[key],
        key="view",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
        help="A line joins two releases that share a possible secret, or two secrets that share a "
        "release. Both graphs have the same parts.",
    )


def rivals() -> bool:
    """Show the switch of the baselines; return whether they are to be drawn."""
    return st.toggle("baselines", value=True, key="rivals", persist_state="session")


def pick_step() -> None:
    point = picked(BOARD)
    if point is not None and point["key"] == ["step"]:
        URL.set(STEP, int(point["x"]))


def part(when: str, sizes: Sequence[int]) -> None:
    """Show the picker of the part to open, where there are too many nodes to draw them all."""
    st.selectbox(
        "Part",
        [None, *range(len(sizes))],
        format_func=lambda part: (
            f"all {len(sizes)} parts; click one to open it"
            if part is None
            else f"part {part + 1}, with {number_of(sizes[part], 'release')}"
        ),
        key=f"part_{when}",
        label_visibility="collapsed",
    )


def pick_part(when: str, graph: ConfusabilityGraph) -> None:
    point = picked(BOARD)
    if point is None or point["key"] != ["part", when]:
        return
    if 0 <= point["at"] < len(graph.parts):
        st.session_state[f"part_{when}"] = int(graph.parts[point["at"]])


def pick_offer(points: tuple[FrontierPoint, ...]) -> None:
    """Set λ so that the algorithm returns the partition that was clicked."""
    point = picked(BOARD)
    if point is None or point["key"] != ["offer"] or not 0 <= point["at"] < len(points):
        return
    weights = points[point["at"]].weights
    if weights is not None:
        low, high = weights
        st.session_state["weight"] = min(weight_within(low, high), DOMAINS["weight"].high)
        st.session_state.pop(STEP, None)


def adopted(scenario: Scenario) -> Scenario:
    """Return the scenario with the quantization that the page asks for as its mechanism."""
    return replace(scenario, mechanism=f"merge_{URL.now('problem')}")


def adopt(scenario: Scenario) -> None:
    wanted = adopted(scenario)
    chosen = scenario == wanted
    st.button(
        "In use on every page" if chosen else "Use on every page",
        icon=":material/check:" if chosen else ":material/push_pin:",
        on_click=lambda: state.adopt(wanted),
        disabled=chosen,
        key="adopt",
        help="Uses this quantization, merged until λ stops it, as the mechanism on all pages.",
    )
