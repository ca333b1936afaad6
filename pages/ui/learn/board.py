"""The Learn page: a lesson beside its live figures, the exercises, or the glossary."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import InvalidInputError
from core.learning import LESSONS, SETTINGS, Exercise, Lesson, check, lesson
from core.learning.exercises import NEEDED, table
from core.learning.expressions import LONGEST
from core.learning.lessons import opens
from core.scenario.context import Context
from core.wording import number_of
from pages.ui.frame import address, state, theme
from pages.ui.learn import pictures, query
from pages.ui.parts import formulas, tables
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import context

COLUMNS = ["term", "meaning", "source"]
"""Columns of the table."""


def show_glossary() -> None:
    """Show the glossary, or only the entries with the words that the reader looks for."""
    text = st.text_input(
        "Look for", key="learn_look", placeholder="lift, ε, robust …", max_chars=80, width=360
    )
    entries = sought(text or "")
    if entries.empty:
        st.info("No entry matches these words.", icon=":material/search_off:")
        return
    with context.about({"data": "glossary"}):
        tables.read(entries, "learn_glossary")


def sought(text: str) -> pd.DataFrame:
    """Return the entries that have every word of a text, in the glossary's order."""
    wanted = text.casefold().split()
    rows = [
        {
            "term": entry.title.replace("\\", ""),
            "meaning": entry.meaning.replace("`", ""),
            "source": entry.source,
        }
        for entry in glossary.terms().values()
    ]
    matching = [
        row for row in rows if all(word in " ".join(row.values()).casefold() for word in wanted)
    ]
    return pd.DataFrame(matching, columns=COLUMNS)


def pick_variant() -> int:
    """Show the field for the variant of the exercises' numbers, and return it."""
    setting = SETTINGS["variant"]
    query.NUMBERS.settle("variant")
    st.number_input(
        setting.title,
        setting.low,
        setting.high,
        step=setting.step,
        format="%.0f",
        key=query.NUMBERS.widget("variant"),
        persist_state="session",
        width=190,
        help="Give each row of seats its own number; 0 is the lessons' table.",
    )
    query.NUMBERS.read("variant")
    return int(query.NUMBERS.values()["variant"])


def picker() -> None:
    st.session_state.setdefault(query.PICKER, query.topic())
    st.sidebar.radio(
        "Topics",
        list(query.TOPICS),
        format_func=lambda key: query.TOPICS[key],
        key=query.PICKER,
        on_change=query.pick,
    )


def progress() -> None:
    """Show how far the reader is among the lessons, and the button to the next topic."""
    keys = list(query.TOPICS)
    place = keys.index(query.topic())
    lessons = len(LESSONS)
    with st.container(
        horizontal=True, vertical_alignment="center", width="content", key="learn_progress"
    ):
        if place < lessons:
            st.markdown(f":small[Lesson {place + 1} of {lessons}]")
            st.progress((place + 1) / lessons, width=140)
        if place + 1 < len(keys):
            st.button(
                "Next",
                icon=":material/arrow_forward:",
                icon_position="right",
                key="learn_next",
                on_click=query.go,
                args=(keys[place + 1],),
                help=query.TOPICS[keys[place + 1]],
            )


def turn() -> None:
    keys = list(query.TOPICS)
    place = keys.index(query.topic())
    with st.container(horizontal=True, horizontal_alignment="distribute", key="learn_turn"):
        for step, icon in ((-1, ":material/arrow_back:"), (1, ":material/arrow_forward:")):
            if 0 <= place + step < len(keys):
                other = keys[place + step]
                st.button(
                    f"Next: {query.TOPICS[other]}" if step > 0 else query.TOPICS[other],
                    icon=icon,
                    key="learn_back" if step < 0 else "learn_on",
                    on_click=query.go,
                    args=(other,),
                )


def show_exercises() -> None:
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(
            "The results of a medical test are to be published. S is whether a person is ill, X "
            f"is the test result. Use the table below. Answers need {NEEDED} digits; write 0.143, "
            "1/7, 14.3% or ln(8/7)."
        )
    _live_exercises()


@st.fragment
def _live_exercises() -> None:
    variant = pick_variant()
    query.publish()
    joint = table(variant)
    shown = pd.DataFrame(joint.p.round(6), index=list(joint.s_labels), columns=list(joint.x_labels))
    st.table(shown.map(lambda share: f"{share:.4f}".rstrip("0")))
    right = 0
    for place, exercise in enumerate(pictures.exercises(variant), 1):
        right += _exercise(exercise, place, variant)
    total = number_of(len(pictures.exercises(variant)), "exercise")
    st.markdown(f"**{right} of {total} right.**")


def _exercise(exercise: Exercise, place: int, variant: int) -> bool:
    """Show an exercise; return whether its answer is right."""
    name = f"learn_{exercise.key}_{variant}"
    right = False
    with st.container(border=True, key=f"exercise_{exercise.key}"):
        st.markdown(f"{place}. {markdown(exercise.question)}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            answer = st.text_input(
                f"Answer {place}", key=f"{name}_answer", max_chars=LONGEST, width=170
            )
            with st.popover("hint", type="tertiary", key=f"{name}_hint"):
                st.markdown(markdown(exercise.hint))
            with st.popover("solution", type="tertiary", key=f"{name}_solution"):
                st.markdown(f"$$ {exercise.formula} $$")
                st.markdown(f"The answer is {exercise.shown}.")
        if answer:
            try:
                reply = check(exercise, answer)
            except InvalidInputError as error:
                st.warning(markdown(str(error)))
            else:
                right = reply.right
                (st.success if right else st.info)(
                    markdown(reply.message),
                    icon=":material/check_circle:" if right else ":material/undo:",
                )
    return right


def show() -> None:
    theme.apply()
    address.warn(*state.notices(), *query.URL.notices())
    state.publish(state.scenario())
    picker()
    topic = query.topic()
    with st.container(horizontal=True, key="header"):
        st.title(f"Learn: {query.TOPICS[topic]}", anchor=False)
        progress()
    if topic == query.EXERCISES:
        show_exercises()
    elif topic == query.GLOSSARY:
        query.publish()
        show_glossary()
    else:
        _lesson(lesson(topic))
    turn()


def _lesson(lesson: Lesson) -> None:
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(markdown(lesson.idea))
    _live(lesson)
    left, right = st.columns(2)
    with left:
        st.header("When to use it", anchor=False)
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in lesson.use))
        st.header("What it does not guarantee", anchor=False)
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in lesson.limits))
    with right:
        st.header("Formulas", anchor=False)
        for named in lesson.formulas:
            kind, _, key = named.partition(":")
            st.markdown(_FORMULAS[kind](key))


_FORMULAS = {
    "measure": formulas.measure,
    "notion": formulas.notion,
    "range": formulas.of_ranges,
}
"""The lessons' name of a catalogue → its paragraph with the formula."""


@st.fragment
def _live(lesson: Lesson) -> None:
    """Show the worked example, which alone runs again when a slider is released."""
    # the dragged table and the beliefs are side by side: they need more room
    beside, side = st.columns([2, 1] if lesson.key == "lift" else [3, 2])
    with side:
        with st.container(border=True, key="learn_try"):
            st.markdown("**Try it**")
            for key in lesson.settings:
                query.NUMBERS.slider(key)
        query.publish()
        findings = st.container(key="learn_said")
    now = query.NUMBERS.values()
    # in a container of its own a card is as high as its chart, however long the words beside it
    with beside, st.container(), context.about(_about(lesson, now)):
        sentences = pictures.show(lesson, now)
    with findings:
        st.markdown("**What the numbers show**")
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        if lesson.key == "lift":
            pictures.own_table(now)
        else:
            page = opens(lesson.key, now)
            st.link_button(f"Open it in {page.title}", page.link, icon=":material/open_in_new:")


def _about(lesson: Lesson, now: dict[str, float]) -> Context:
    """Return what exported charts are about: the lesson and its numbers."""
    return {"lesson": lesson.title} | {key: f"{now[key]:g}" for key in lesson.settings}
