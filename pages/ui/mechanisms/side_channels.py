"""Side channels on the Mechanisms page: what the attacker knows already, and what that changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.attributes import Attribute
from core.scenario import Result
from core.scenario.data_url import cut
from core.validation import shown
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.mechanisms import query
from pages.ui.parts import formulas
from pages.ui.parts.cards import card
from pages.ui.style.labels import spoken
from pages.ui.style.units import in_unit, level
from pages.ui.work import derived


@dataclass(frozen=True)
class SideInformation:
    """The values of X's attributes that the attacker knows, and `who` that is, in words."""

    values: tuple[tuple[int, int], ...] = ()
    who: str = "someone who knows only the distribution of the data"


def known(result: Result) -> SideInformation:
    """Show the switch of the side channel where X has attributes; return what is known."""
    attributes = result.counted.attributes
    _adopt(query.URL.take("known") or [], attributes)
    query.show("known", [])
    if len(attributes) < 2:
        return SideInformation()
    with st.container(border=True, key="side_channel"):
        on = st.toggle(
            "The attacker already knows part of X",
            key="side_channel_on",
            persist_state="session",
            help="From elsewhere: a neighbor knows a person's race, an employer the education.",
        )
        if not on:
            return SideInformation()
        values = []
        for j, column in enumerate(st.columns(len(attributes))):
            with column:
                picked = _pick(attributes[j])
            if picked is not None:
                values.append((j, picked))
    if not values:
        return SideInformation()
    query.show(
        "known",
        [query.pair_text(attributes[j].name, attributes[j].labels[value]) for j, value in values],
    )
    words = " and ".join(
        f"{attributes[j].name} = {attributes[j].labels[value]}" for j, value in values
    )
    return SideInformation(tuple(values), f"someone who knows {words}")


def _adopt(wanted: list[tuple[str, str]], attributes: tuple[Attribute, ...]) -> None:
    """Set the switches to what the URL says is known; what X does not have gets a notice."""
    by_name = {attribute.name: attribute for attribute in attributes}
    for name, label in wanted:
        text = query.pair_text(name, label)
        if len(attributes) < 2:
            reason = "X is a single column, so no one can know part of it"
        elif name not in by_name:
            reason = f"X has no column {shown(name)}"
        elif label not in by_name[name].labels:
            reason = f"{shown(name)} has no level {shown(label)}"
        else:
            st.session_state["side_channel_on"] = True
            st.session_state[_key(name)] = label
            continue
        query.URL.tell(f"The link has known={cut(text)}, which is ignored: {reason}.")


def _key(name: str) -> str:
    return f"known_{name}"


def _pick(attribute: Attribute) -> int | None:
    """Show the picker of what is known of an attribute; return the place of the level."""
    key = _key(attribute.name)
    if st.session_state.get(key) not in attribute.labels:
        st.session_state[key] = None
    picked = st.selectbox(
        spoken(attribute.name),
        [None, *attribute.labels],
        format_func=lambda label: "not known" if label is None else label,
        key=key,
        persist_state="session",
    )
    return None if picked is None else attribute.labels.index(picked)


def levels(result: Result, unit: str) -> None:
    """Show what the release gives away to those who know some attributes."""
    if len(result.counted.attributes) < 2:
        with st.container(border=True, height="stretch", key="no_attributes"):
            st.markdown("**What side channels add**")
            st.caption(
                "X is a single column here, so no one can know part of it. Choose several columns "
                "for X in the sidebar to see what the mechanism reveals to an attacker who "
                "already knows one of them."
            )
        return
    channels = derived.channels(result)
    names = [" and ".join(channel.known) or "nothing" for channel in channels]
    reached = np.array([channel.level for channel in channels])
    worst = float(reached.max())
    with card(
        key="channels",
        title="What side channels add",
        subtitle="The largest shift of beliefs for readers who know some columns of X.",
        table=lambda: pd.DataFrame(
            {
                "the attacker knows": names,
                f"level_{unit}": [in_unit(value, unit) for value in reached],
            }
        ),
        formulas=(formulas.notion("srlip"),),
    ):
        chart(
            figures.levels(names, np.array([in_unit(value, unit) for value in reached]), unit),
            key="channels",
            title="Level by known columns",
            alt=f"For a reader who knows nothing the level is {level(reached[0], unit)} {unit}; "
            f"with the worst side channel {level(worst, unit)}.",
        )
        if worst > reached[0] + 1e-9 and result.scenario.notion != "srlip":
            st.caption(
                f"A side channel raises the level from {level(float(reached[0]), unit)} to "
                f"{level(worst, unit)} {unit}."
            )
            st.button(
                "Protect against side channels (SRLIP)",
                icon=":material/shield:",
                key="protect",
                on_click=_protect,
            )


def _protect() -> None:
    """Ask for SRLIP, by the optimum."""
    st.session_state["notion"] = "srlip"
    st.session_state["mech"] = "optimal"
