"""The strip of figures above the charts: what is kept, what is given away, how sure that is."""

from __future__ import annotations

import streamlit as st

from core.notions import RLDP
from core.release.sentences import promise_text
from core.scenario import Result
from pages.ui.style import glossary
from pages.ui.style.units import level, share


def strip(result: Result, unit: str) -> None:
    """Show a result's figures in one row that wraps where there is little room."""
    mechanism, after, before = result.mechanism, result.after, result.before
    with st.container(horizontal=True, gap="medium", key="strip"):
        _figure(
            f"I(X;Y), {unit}",
            level(mechanism.utility, unit),
            f"at most {level(mechanism.upper_bound, unit)}",
            "mutual_information",
        )
        _figure("NMI", share(mechanism.nmi), "of what X says", "nmi")
        for title, term, now, then, digits in (
            ("LIP reached", "level", after.achieved["lip"], before.achieved["lip"], 3),
            ("LDP reached", "level", after.achieved["ldp"], before.achieved["ldp"], 3),
            (
                "I(S;Y)",
                "secret_information",
                after.averages["mutual_information"],
                before.averages["mutual_information"],
                4,
            ),
        ):
            _figure(
                f"{title}, {unit}",
                level(now, unit, digits),
                f"X itself {level(then, unit, digits)}",
                term,
            )
        if isinstance(mechanism.notion, RLDP) and mechanism.audit is not None:
            worst = level(mechanism.audit.achieved, unit)
            _figure(f"RLDP reached, {unit}", worst, "LDP at worst over the set", "robust")
        _figure(f"Gap, {unit}", level(mechanism.gap, unit), mechanism.status, "gap")
        _audit(result, unit)


def _figure(label: str, value: str, beside: str, term: str) -> None:
    """Show a figure, with what is beside it; on hover, what the glossary says of a term."""
    st.metric(
        label,
        value,
        beside,
        delta_color="off",
        delta_arrow="off",
        width="content",
        help=glossary.meaning(term),
    )


def _audit(result: Result, unit: str) -> None:
    audit = result.mechanism.audit
    if audit is None:
        st.badge("nothing promised", icon=":material/remove:", color="gray")
    elif result.scenario.notion == "rldp" and not isinstance(audit.notion, RLDP):
        st.badge(
            f"audit: {promise_text(audit.notion, unit)} kept, RLDP is not",
            icon=":material/warning:",
            color="orange",
        )
    else:
        st.badge("audit: promise kept", icon=":material/verified:", color="green")
