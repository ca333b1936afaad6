"""Numbers that a page's sliders set, kept while they are not shown, and written to the URL."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import streamlit as st

from core.errors import InvalidInputError
from core.learning.settings import Setting, written
from pages.ui.frame.address import PageQuery, Query
from pages.ui.style import glossary


class Numbers:
    """The numbers of a page, by the URL's key."""

    def __init__(self, page: str, url: PageQuery, settings: Mapping[str, Setting]) -> None:
        self._page, self._url, self._settings = page, url, settings

    def restore(self, query: Query) -> None:
        """Set the session to what the URL says; invalid values fall back with a notice."""
        values = self._defaults()
        for key in [name for name in self._settings if name in query]:
            try:
                values[key] = self._settings[key].read(query[key][-1])
            except InvalidInputError as error:
                problem = f"{str(error)[:-1]}; {written(values[key])} is used."
                self._url.tell(f"The link has an error: {problem}")
        st.session_state[f"_{self._page}_values"] = values
        for key, value in values.items():
            st.session_state[self.widget(key)] = value

    def _defaults(self) -> dict[str, float]:
        return {key: setting.default for key, setting in self._settings.items()}

    def widget(self, key: str) -> str:
        """Return the key of a number's widget."""
        return f"{self._page}_{key}"

    def values(self) -> dict[str, float]:
        """Return every number as it is on screen."""
        current: dict[str, float] = st.session_state.setdefault(
            f"_{self._page}_values", self._defaults()
        )
        return current

    def take(self, key: str, value: float) -> None:
        """Set a number to a valid value; its widget shows it from the next run on."""
        if self._settings[key].allows(value):
            self.values()[key] = st.session_state[self.widget(key)] = value

    def settle(self, key: str) -> None:
        """Give a widget its number before it is shown, if it has none yet."""
        if st.session_state.get(self.widget(key)) is None:
            st.session_state[self.widget(key)] = self.values()[key]

    def read(self, key: str) -> None:
        """Read a number from its widget."""
        self.values()[key] = float(st.session_state[self.widget(key)])

    def wanted(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """Return what the URL is to say of some of the numbers: defaults are left out."""
        now = self.values()
        return {key: [written(now[key])] for key in keys if now[key] != self._settings[key].default}

    def slider(self, key: str) -> None:
        """Show the slider of a number, and take it; the session holds it while it is not shown."""
        self.settle(key)
        setting = self._settings[key]
        explanation = glossary.explanation(setting.title)
        if setting.choices:
            st.select_slider(
                setting.title,
                setting.choices,
                format_func=lambda value: "∞" if math.isinf(value) else f"{value:,g}",
                key=self.widget(key),
                persist_state="session",
                help=explanation,
            )
        else:
            st.slider(
                setting.title,
                float(setting.low),
                float(setting.high),
                step=float(setting.step),
                format="%.0f" if setting.whole else "%.2f",
                key=self.widget(key),
                persist_state="session",
                help=explanation,
            )
        self.read(key)
