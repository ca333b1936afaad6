"""A release's purpose with its task or losses, and further privacy notions to satisfy."""

from __future__ import annotations

import math
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from core.data.question import easiest
from core.data.spec import Binning, DataSpec
from core.errors import CoreError
from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.notions.numbers import declared
from core.scenario import LOSSES, PURPOSES, Promise, Scenario
from core.scenario.purpose import read_losses
from core.scenario.url import to_query
from core.wording import listed, number_of
from pages.ui.frame import data_controls, pickers, state
from pages.ui.style.labels import markdown, plain_short
from pages.ui.work import derived

MOST_FURTHER = 4
"""Further promises that can be added."""

_ADD = "also_add"


def adder() -> None:
    """Show the picker that adds a promise to those to be kept at once."""
    if len(state.scenario().also) >= MOST_FURTHER:
        st.caption(f"At most {MOST_FURTHER} notions can be added.")
        return
    st.session_state[_ADD] = None
    st.selectbox(
        "Additional notions",
        [entry.key for family in FAMILIES for entry in notions.of_family(family)],
        index=None,
        format_func=lambda key: notions.entry(key).title,
        key=_ADD,
        on_change=_add,
        placeholder="Add another notion",
        label_visibility="collapsed",
        help="A notion to satisfy together with the first.",
    )


def show_further(scenario: Scenario) -> None:
    """Show each further promise with its numbers and a button that drops it."""
    for place, promise in enumerate(scenario.also):
        entry = notions.entry(promise.notion)
        with st.container(border=True, key=f"also_{place}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f":small[and **{markdown(entry.title)}**]", help=entry.meaning)
                st.button(
                    "Drop",
                    icon=":material/close:",
                    type="tertiary",
                    key=f"also_drop_{place}",
                    help=f"Remove {entry.title}.",
                    on_click=_drop,
                    args=(place,),
                )
            for name in entry.parameters:
                if declared()[name].title:
                    _number(place, name, promise)


def _number(place: int, name: str, promise: Promise) -> None:
    """Show the field of one number of a further promise."""
    domain, key = declared()[name], f"also_{place}_{name}"
    state.put(key, getattr(promise, name))

    def take() -> None:
        also = list(state.scenario().also)
        also[place] = replace(also[place], **{name: st.session_state[key]})
        st.session_state["_also"] = tuple(also)

    st.number_input(
        domain.title,
        min_value=domain.low,
        max_value=domain.high if math.isfinite(domain.high) else None,
        step=domain.step,
        format="%.6g",
        key=key,
        on_change=take,
        persist_state="session",
    )


def _add() -> None:
    """Add the promise that was picked, with the numbers of the first."""
    key = st.session_state[_ADD]
    if key is None:
        return
    scenario = state.scenario()
    used = {name: getattr(scenario, name) for name in notions.entry(key).parameters}
    st.session_state["_also"] = (*scenario.also, Promise(notion=key, **used))
    pickers.settle()


def _drop(place: int) -> None:
    """Remove one of the further promises."""
    also = state.scenario().also
    st.session_state["_also"] = also[:place] + also[place + 1 :]
    pickers.settle()


NOT_NUMERIC = f"This X is not numeric. Choose “{LOSSES['hamming']}” or provide a table."
"""The sentence shown if the error of a number is asked for but X has no numbers."""

CODES = (
    "The levels of this X count as numbers. If they are codes, such as ZIP codes, whose "
    f"differences mean nothing, choose “{LOSSES['hamming']}”."
)
"""The sentence shown if it has: only the reader knows whether its numbers mean something."""

PRESET = Scenario(data=DataSpec(task=("income",)), purpose="task")
"""The example that the sidebar links to while its data is on screen."""


def show() -> None:
    """Show the picker, and what the chosen purpose needs."""
    with st.sidebar:
        st.selectbox(
            "What to keep",
            list(PURPOSES),
            format_func=lambda key: PURPOSES[key].title,
            key="for",
            help="  \n".join(f"**{entry.title}**: {entry.meaning}" for entry in PURPOSES.values()),
            on_change=_changed,
            persist_state="session",
        )
        chosen = st.session_state["for"]
        if chosen in ("task", "guess"):
            _task(optional=chosen == "guess")
        if chosen == "distortion":
            _losses()
        _example()


def _example() -> None:
    """Show a link to the question on screen with a task: a column that is neither S nor X."""
    spec = state.data()
    task = None if spec.releases_secret else _a_task(spec)
    if task is None:
        return
    columns, binnings = task
    data = replace(spec, task=columns, binnings=(*spec.binnings, *binnings))
    example = Scenario(data=data, purpose="task")
    if state.scenario() == example:
        return
    secret, released = (
        listed([plain_short(name) for name in names]) for names in (spec.secret, spec.released)
    )
    text = (
        f"Publish {released} so that others can predict {plain_short(columns[0])} but not {secret}"
    )
    st.markdown(f":small[[{markdown(text)}](?{urlencode(to_query(example), doseq=True)})]")


def _a_task(spec: DataSpec) -> tuple[tuple[str, ...], tuple[Binning, ...]] | None:
    """Return the task chosen, the example's, or the column of fewest levels, and how it is cut."""
    if not (spec.secret and spec.released) or spec.secret_released:
        return None
    used = {*spec.secret, *spec.released}
    if spec.task and not used & {*spec.task}:
        return spec.task, ()
    try:
        info = derived.described(spec)
    except CoreError:
        return None  # shown where the data is chosen
    if info is None:
        return None
    levels = {column.name: column.levels for column in info.columns}
    if not used <= levels.keys():
        return None
    cut = {binning.column for binning in spec.binnings}
    free = [
        (name, () if name in cut else binnings)
        for name, binnings in easiest(info)
        if name not in used and levels[name] > 1
    ]
    own = PRESET.data.task if spec.source == PRESET.data.source else ()
    free.sort(key=lambda choice: choice[0] not in own)
    return ((free[0][0],), free[0][1]) if free else None


def _changed() -> None:
    """Remove the task T where the purpose has none, and what reads S where it has one."""
    if st.session_state["for"] in ("information", "distortion") and state.data().task:
        state.with_data(task=())
    pickers.settle()


def _chosen() -> None:
    """Ask for the task that was chosen."""
    state.with_data(task=tuple(st.session_state["data_task"]))
    pickers.settle()


def _task(*, optional: bool) -> None:
    """Show the picker of T's columns."""
    spec = state.data()
    columns = data_controls.columns_of(spec)
    if not columns:
        st.caption("This data has no columns to use as a task.")
        return
    st.session_state["data_task"] = [name for name in spec.task if name in columns]
    st.multiselect(
        "Task T",
        columns,
        key="data_task",
        on_change=_chosen,
        placeholder="X itself" if optional else "Choose a column",
        help="The column to predict from the release: any column other than S and X.",
        select_all=False,
    )


def _losses() -> None:
    """Show the picker of how an error counts, and of the table where it is one."""
    st.selectbox(
        "Loss function",
        list(LOSSES),
        format_func=lambda key: LOSSES[key],
        key="loss",
        persist_state="session",
    )
    if st.session_state["loss"] != "table":
        if st.session_state["loss"] != "hamming":
            st.caption(CODES if derived.numeric(state.data()) else NOT_NUMERIC)
        return
    st.file_uploader(
        "Loss table (CSV)",
        type=["csv", "txt"],
        key="loss_file",
        on_change=_take,
        help="One row per symbol of X, one column per guess; numbers of at least 0.",
    )
    if problem := st.session_state.get("_loss_problem"):
        st.markdown(f":red[:small[{markdown(problem)}]]")
    table = st.session_state["_table"]
    if table:
        st.caption(f"{number_of(len(table), 'row')}, {number_of(len(table[0]), 'column')}.")


def _take() -> None:
    """Apply an uploaded table; if it has an error, say so and keep the last one."""
    st.session_state["_loss_problem"] = ""
    file = st.session_state.get("loss_file")
    if file is None:
        return
    try:
        st.session_state["_table"] = read_losses(file.getvalue().decode("utf-8", "replace"))
    except CoreError as error:
        st.session_state["_loss_problem"] = str(error)
