"""A release's certificate on the page: promises, levels, proof, and an estimate of P(x)."""

from __future__ import annotations

import json
import math

import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.records.certificate import Made
from core.records.promises import PROMISED
from core.records.readable import level_rows, sections
from core.scenario import Result
from pages.ui.parts import tables
from pages.ui.release import results
from pages.ui.style.labels import markdown

MARKS = {True: ":green[:material/verified_user:]", False: ":orange[:material/gpp_maybe:]"}
"""Marks of what is promised and of what is not; the words say it too."""


def as_json(made: Made) -> bytes:
    """Return the certificate's file, as the command writes it."""
    return (json.dumps(made.certificate, indent=1, ensure_ascii=False) + "\n").encode()


def show(result: Result, made: Made) -> None:
    """Show a certificate, and what can be estimated from the released file."""
    body = made.certificate
    with st.container(border=True, key="card_certificate"):
        st.markdown("**Certificate**")
        left, right = st.columns(2, gap="large")
        with left:
            _promises(body["promises"])
        with right:
            for section in sections(body)[:-1]:
                st.markdown(f"**{section.title}**")
                st.markdown(_lines(section.rows))
        hashes = sections(body)[-1]
        with st.expander("Hashes: what the certificate is about, byte by byte"):
            st.markdown(_lines(hashes.rows, mono=True))
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch", key="card_levels"):
        st.markdown("**Levels reached**")
        st.caption("The least level at which each privacy notion holds for this mechanism.")
        tables.sheet(_levels(body), "release_levels", most=400)
    with right, st.container(border=True, height="stretch", key="card_estimate"):
        _estimates(result, made)


def _promises(promises: list[dict[str, str]]) -> None:
    """Show what is promised to whom, and what is not."""
    for status, title in ((True, "What is promised"), (False, "What is not promised")):
        told = [one for one in promises if (one["status"] == PROMISED) == status]
        if told:
            st.markdown(f"**{title}**")
        for one in told:
            about = one["about"][:1].upper() + one["about"][1:]
            st.markdown(f"{MARKS[status]} **{markdown(about)}**: {markdown(one['sentence'])}")


def _lines(rows: tuple[tuple[str, str], ...], *, mono: bool = False) -> str:
    """Return rows as a list in Markdown."""
    return "\n".join(
        f"- {markdown(name)}: " + (f"`{text}`" if mono else markdown(text)) for name, text in rows
    )


def _levels(body: dict[str, object]) -> pd.DataFrame:
    rows = level_rows(body)
    return pd.DataFrame(
        {
            "notion": [one.title for one in rows],
            "level": [math.nan if one.design is None else one.design for one in rows],
            "unit": [one.unit for one in rows],
        }
    )


def _estimates(result: Result, made: Made) -> None:
    """Show P(x) as the released file's readers can estimate it, beside the truth."""
    st.markdown("**What readers can estimate**")
    st.caption(
        "P(x) from the released file and the certificate alone, beside the original. Where the "
        "standard error is ∞, no number of records tells that symbol from others."
    )
    try:
        found = results.estimates(result, made)
    except CoreError as error:
        st.caption(markdown(str(error)))
        return
    if found is None:
        st.caption(
            "The mechanism reads S too: Y alone is not enough to estimate P(x), see the docs."
        )
        return
    tables.sheet(found, "release_estimate", most=400)
