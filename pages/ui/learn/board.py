"""The Learn page: a lesson beside its live figures, the exercises, or the glossary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.catalogued import Catalogued
from core.errors import InvalidInputError
from core.learning import LESSONS, SETTINGS, Exercise, Lesson, check, lesson
from core.learning.exercises import NEEDED, table
from core.learning.expressions import LONGEST
from core.learning.lessons import opens
from core.measures import catalogue as measures
from core.nonstochastic import catalogue as ranges
from core.notions import catalogue as notions
from core.scenario.context import Context
from core.wording import number_of
from pages.ui.frame import address, page_frame, pins, state, theme
from pages.ui.learn import pictures, query
from pages.ui.learn.query import EXERCISES, GLOSSARY, TOPICS
from pages.ui.parts import exports, formulas, tables
from pages.ui.parts.cards import Still
from pages.ui.report.comparison import Picture
from pages.ui.report.parts import Parts, report
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import context

NO_ENTRY = "No entry matches these words."
"""What the glossary says where it shows nothing."""

USE, LIMITS = "When to use it", "What it does not guarantee"
"""Titles of the parts of a lesson."""

COLUMNS = ["term", "meaning", "source"]
"""Columns of the table."""


def show_glossary(files: DeltaGenerator) -> None:
    """Show the glossary, or only the entries with the words that the reader looks for."""
    text = st.text_input(
        "Look for", key="learn_look", placeholder="lift, ε, robust …", max_chars=80, width=360
    )
    entries = sought(text or "")
    with files:
        if entries.empty:
            exports.no_files("learn", NO_ENTRY)
        else:
            _files({TOPICS[GLOSSARY]: lambda: entries}, {"data": "glossary"})
    if entries.empty:
        st.info(NO_ENTRY, icon=":material/search_off:")
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
    topic = query.topic()
    with st.sidebar:
        pins.restore()
        if topic in (EXERCISES, GLOSSARY):
            pins.button(lacking=f"{TOPICS[topic]}: there is no question to pin.")
        else:
            pins.button(partial(pictures.question, lesson(topic)))
    st.sidebar.radio(
        "Topics",
        list(TOPICS),
        format_func=lambda key: TOPICS[key],
        key=query.PICKER,
        on_change=query.pick,
    )


def progress() -> None:
    """Show how far the reader is among the lessons, and the button to the next topic."""
    keys = list(TOPICS)
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
                help=TOPICS[keys[place + 1]],
            )


def turn() -> None:
    keys = list(TOPICS)
    place = keys.index(query.topic())
    with st.container(horizontal=True, horizontal_alignment="distribute", key="learn_turn"):
        for step, icon in ((-1, ":material/arrow_back:"), (1, ":material/arrow_forward:")):
            if 0 <= place + step < len(keys):
                other = keys[place + step]
                st.button(
                    f"Next: {TOPICS[other]}" if step > 0 else TOPICS[other],
                    icon=icon,
                    key="learn_back" if step < 0 else "learn_on",
                    on_click=query.go,
                    args=(other,),
                )


TASK = (
    "The results of a medical test are to be published. S is whether a person is ill, X is the "
    f"test result. Use the table below. Answers need {NEEDED} digits; write 0.143, 1/7, 14.3% or "
    "ln(8/7)."
)
"""What the exercises are about."""


def show_exercises(files: DeltaGenerator) -> None:
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(TASK)
    _live_exercises(files)


@st.fragment
@page_frame.whole
def _live_exercises(files: DeltaGenerator) -> None:
    page_frame.reserve([files])
    variant = pick_variant()
    query.publish()
    joint = table(variant)
    shown = pd.DataFrame(joint.p.round(6), index=list(joint.s_labels), columns=list(joint.x_labels))
    with files:
        questions = [exercise.question for exercise in pictures.exercises(variant)]
        facts = {f"{place}.": text for place, text in enumerate(questions, 1)}
        rows = {"P(s, x)": lambda: shown.reset_index(names="s")}
        _files(rows, {"exercises": f"variant {variant}"}, sentences=(TASK,), facts=facts)
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
    files = page_frame.head(_title(), progress, units=False)
    if topic == EXERCISES:
        show_exercises(files)
    elif topic == GLOSSARY:
        query.publish()
        show_glossary(files)
    else:
        _lesson(lesson(topic), files)
    turn()


def _title() -> str:
    return f"Learn: {TOPICS[query.topic()]}"


def _files(
    tables: Mapping[str, Callable[[], pd.DataFrame]],
    about: Context,
    *,
    sentences: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
    drawn: Sequence[Still] = (),
    explained: Sequence[Catalogued] = (),
) -> None:
    """Show the menu of the tables on screen, and the button of a report of the page."""
    title, here = _title(), ("learn", query.wanted())

    def make() -> str:
        made = {title: table() for title, table in tables.items()}
        pictures = [Picture(item.figure, item.title, item.alt) for item in drawn]
        return report(title, None, Parts(sentences, facts or {}, pictures, made, here, explained))

    exports.files(
        "learn",
        lambda: exports.of_tables("learn", tables, about),
        make,
        help=exports.OF_PAGE,
    )


def _lesson(lesson: Lesson, files: DeltaGenerator) -> None:
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(markdown(lesson.idea))
    _live(lesson, files)
    left, right = st.columns(2)
    with left:
        st.header(USE, anchor=False)
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in lesson.use))
        st.header(LIMITS, anchor=False)
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in lesson.limits))
    with right:
        st.header("Formulas", anchor=False)
        for entry in _explained(lesson):
            st.markdown(formulas.paragraph(entry))


_ENTRIES: dict[str, Callable[[str], Catalogued]] = {
    "measure": measures.entry,
    "notion": notions.entry,
    "range": ranges.entry,
}
"""The lessons' name of a catalogue → what finds an entry there."""


def _explained(lesson: Lesson) -> list[Catalogued]:
    """Return the entries whose formulas a lesson has."""
    parts = [named.partition(":") for named in lesson.formulas]
    return [_ENTRIES[kind](key) for kind, _, key in parts]


@st.fragment
@page_frame.whole
def _live(lesson: Lesson, files: DeltaGenerator) -> None:
    """Show the worked example, which alone runs again when a slider is released."""
    page_frame.reserve([files])
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
        sentences, drawn = pictures.show(lesson, now)
    with findings:
        st.markdown("**What the numbers show**")
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        if lesson.key == "lift":
            pictures.own_table(now)
        else:
            page = opens(lesson.key, now)
            st.link_button(f"Open it in {page.title}", page.link, icon=":material/open_in_new:")
    with files:
        _files(
            {item.title: item.table for item in drawn},
            _about(lesson, now),
            sentences=[lesson.idea, *sentences],
            facts={SETTINGS[key].title: f"{now[key]:g}" for key in lesson.settings}
            | {USE: " ".join(lesson.use), LIMITS: " ".join(lesson.limits)},
            drawn=drawn,
            explained=_explained(lesson),
        )


def _about(lesson: Lesson, now: dict[str, float]) -> Context:
    """Return what exported charts are about: the lesson and its numbers."""
    return {"lesson": lesson.title} | {key: f"{now[key]:g}" for key in lesson.settings}
