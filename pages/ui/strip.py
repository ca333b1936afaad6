"""The strip of figures above the charts: what is kept, what is given away, how sure that is."""

from __future__ import annotations

import streamlit as st

from core.scenario import Result
from pages.ui import controls
from pages.ui.units import level, share


def strip(result: Result) -> str:
    """Show a result's figures in one row that wraps where there is little room.

    Returns the unit that the switch at its end is set to.
    """
    mechanism, after, before = result.mechanism, result.after, result.before
    unit = controls.chosen_unit()
    with st.container(horizontal=True, gap="medium", key="strip"):
        _figure(
            f"I(X;Y), {unit}",
            level(mechanism.utility, unit),
            "Utility: how much the release says about X, on average.",
        )
        _figure("NMI", share(mechanism.nmi), "I(X;Y)/H(X): the share of X's information kept.")
        for key, title, about in (
            (
                "lip",
                "LIP",
                "The least ε at which local information privacy holds: no belief in a "
                "secret changes by more than e^ε.",
            ),
            (
                "ldp",
                "LDP",
                "The least ε at which local differential privacy holds: no output is "
                "more than e^ε times likelier under one secret than under another.",
            ),
        ):
            _figure(
                f"{title} reached, {unit}",
                level(after.achieved[key], unit),
                f"{about} X itself: {level(before.achieved[key], unit)}.",
            )
        _figure(
            f"I(S;Y), {unit}",
            level(after.averages["mutual_information"], unit, 4),
            "What the release tells about S on average. X itself: "
            f"{level(before.averages['mutual_information'], unit, 4)}.",
        )
        _figure(
            f"Gap, {unit}",
            level(mechanism.gap, unit),
            "How far the best mechanism under the same promise could still be above this one, at "
            f"most. Made by: {mechanism.solver}. Status: {mechanism.status}.",
        )
        _audit(result)
        controls.unit()
    return unit


def _figure(label: str, value: str, about: str) -> None:
    st.metric(label, value, help=about, width="content")


def _audit(result: Result) -> None:
    mechanism = result.mechanism
    with st.container(width="content", gap=None, key="audit"):
        st.caption("Audit")
        if mechanism.audit is None:
            st.badge("nothing promised", icon=":material/remove:", color="gray")
            return
        st.badge(
            "promise kept",
            icon=":material/verified:",
            color="green",
            help=f"{mechanism.audit.notion} was recomputed from the matrix and the data alone, by "
            f"code that shares nothing with what made it. Status: {mechanism.status}.",
        )
