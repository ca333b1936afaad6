"""The slider of a number with its range, or its choices."""

from __future__ import annotations

import math

import streamlit as st

from core.learning.settings import Setting
from pages.ui.style import glossary


def number_slider(setting: Setting, key: str) -> None:
    """Show the slider of a number; the session holds its value under the widget's key.

    It holds it too while the slider is not shown: who moves it and at once chooses something else
    finds it moved.

    Parameters
    ----------
    setting : Setting
        The number.
    key : str
        The widget's.
    """
    told = glossary.told(setting.title)
    if setting.choices:
        st.select_slider(
            setting.title,
            setting.choices,
            format_func=lambda value: "∞" if math.isinf(value) else f"{value:,g}",
            key=key,
            persist_state="session",
            help=told,
        )
    else:
        st.slider(
            setting.title,
            float(setting.low),
            float(setting.high),
            step=float(setting.step),
            format="%.0f" if setting.whole else "%.2f",
            key=key,
            persist_state="session",
            help=told,
        )
