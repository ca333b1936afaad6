"""How a page about one answer opens: notices, the sidebar with its sliders, and the answer."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import CoreError
from core.scenario import Result, Scenario
from pages.ui import answers, controls, look, remedies, solving, state
from pages.ui.labels import markdown


def frame() -> None:
    """Show what stays while sliders move: look, pickers, and what was wrong in the URL."""
    look.apply()
    controls.sidebar()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")


def asked() -> Scenario:
    """Show the sliders, write the URL, and return the question on screen; call it in a fragment."""
    with st.sidebar:
        controls.live_sliders(state.scenario())
        controls.idle_sliders(state.scenario())
    scenario = state.scenario()
    state.publish(scenario)
    return scenario


def answer(
    scenario: Scenario, otherwise: Callable[[Scenario], None] | None = None
) -> Result | None:
    """Return the answer; None where there is none (yet), after saying why.

    Parameters
    ----------
    scenario : Scenario
        The question.
    otherwise : callable, optional
        Shows what could be asked instead, below the reason.
    """
    try:
        return answers.evaluate(scenario)
    except answers.UnfinishedError as error:
        st.info(markdown(str(error)), icon=":material/hourglass_top:")
        solving.follow(scenario)
    except CoreError as error:
        remedies.show(scenario, error)
        if otherwise is not None:
            otherwise(scenario)
    return None
