"""Exercises with checked answers: a class may do them with numbers of its own."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import InvalidInputError
from core.learning import Exercise, check
from core.learning.answers import LONGEST, NEEDED
from core.learning.exercises import table
from core.wording import number_of
from pages.ui.learn import controls, query, results
from pages.ui.style.labels import markdown


def show() -> None:
    """Show the exercises."""
    with st.container(key="finding"):
        st.markdown(
            "A test for an illness is to be published; S is whether somebody is ill, X the result. "
            f"Work with the table below. An answer needs {NEEDED} digits; write it as 0.143, 1/7 "
            "or 14.3 %."
        )
    _live()


@st.fragment
def _live() -> None:
    variant = controls.variant()
    query.publish()
    joint = table(variant)
    shown = pd.DataFrame(joint.p.round(6), index=list(joint.s_labels), columns=list(joint.x_labels))
    st.table(shown.map(lambda share: f"{share:.4f}".rstrip("0")))
    right = 0
    for place, one in enumerate(results.exercises(variant), 1):
        right += _exercise(one, place, variant)
    total = number_of(len(results.exercises(variant)), "exercise")
    st.markdown(f"**{right} of {total} right.**")


def _exercise(one: Exercise, place: int, variant: int) -> bool:
    """Show an exercise; return whether its answer is right."""
    name = f"learn_{one.key}_{variant}"
    right = False
    with st.container(border=True, key=f"exercise_{one.key}"):
        st.markdown(f"{place}. {markdown(one.question)}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            given = st.text_input(
                f"Answer {place}", key=f"{name}_answer", max_chars=LONGEST, width=170
            )
            with st.popover("hint", type="tertiary", key=f"{name}_hint"):
                st.markdown(markdown(one.hint))
            with st.popover("solution", type="tertiary", key=f"{name}_solution"):
                st.markdown(f"$$ {one.formula} $$")
                st.markdown(f"The answer is {one.shown}.")
        if given:
            try:
                said = check(one, given)
            except InvalidInputError as error:
                st.warning(markdown(str(error)))
            else:
                right = said.right
                (st.success if right else st.info)(
                    markdown(said.said),
                    icon=":material/check_circle:" if right else ":material/undo:",
                )
    return right
