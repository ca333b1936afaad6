"""Side channels on the Mechanisms page: what the attacker knows already, and what that changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.attributes import Attribute
from core.scenario import Result
from pages.ui import figures, run, words
from pages.ui.cards import card
from pages.ui.chart import chart
from pages.ui.units import in_unit, level


@dataclass(frozen=True)
class Known:
    """What the attacker knows.

    Attributes
    ----------
    values : tuple of (int, int)
        Attribute of X and its value.
    who : str
        The attacker in words.
    """

    values: tuple[tuple[int, int], ...] = ()
    who: str = "someone who knows only the law behind the data"


def known(result: Result) -> Known:
    """Show the switch of the side channel where X has attributes; return what it says."""
    attributes = result.counted.attributes
    if len(attributes) < 2:
        return Known()
    with st.container(border=True, key="side_channel"):
        on = st.toggle(
            "The attacker already knows a part of X",
            key="side_channel_on",
            help="From elsewhere: a neighbour knows somebody's race, an employer the education.",
        )
        if not on:
            return Known()
        values = []
        for j, column in enumerate(st.columns(len(attributes))):
            with column:
                picked = _pick(attributes[j])
            if picked is not None:
                values.append((j, picked))
    if not values:
        return Known()
    said = " and ".join(
        f"{attributes[j].name} = {attributes[j].labels[value]}" for j, value in values
    )
    return Known(tuple(values), f"someone who knows {said}")


def _pick(attribute: Attribute) -> int | None:
    picked = st.selectbox(
        attribute.name,
        [None, *range(len(attribute.labels))],
        format_func=lambda value: "not known" if value is None else attribute.labels[value],
        key=f"known_{attribute.name}",
    )
    return None if picked is None else int(picked)


def levels(result: Result, unit: str) -> None:
    """Show what the release gives away to those who know some attributes."""
    if len(result.counted.attributes) < 2:
        with st.container(border=True, key="no_attributes"):
            st.markdown("**What side channels add**")
            st.caption(
                "X is a single column here, so nobody can know a part of it. Choose two or more "
                "columns for X in the sidebar to see what the mechanism gives away to an "
                "attacker who knows one of them already."
            )
        return
    found = run.channels(result)
    names = [" and ".join(channel.known) or "nothing" for channel in found]
    reached = np.array([channel.level for channel in found])
    worst = float(reached.max())
    with card(
        key="channels",
        title="What side channels add",
        subtitle="How far the worst output moves beliefs of those who know some columns of X.",
        table=lambda: pd.DataFrame({"the attacker knows": names, "level_nats": reached}),
        formulas=(words.notion("srlip"),),
    ):
        chart(
            figures.levels(names, np.array([in_unit(value, unit) for value in reached]), unit),
            key="channels",
            title="Level by what is known",
            alt=f"To one who knows nothing the level is {level(reached[0], unit)} {unit}; with "
            f"the worst side channel {level(worst, unit)}.",
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
