"""Own data: upload a file, paste a matrix, draw a joint. What has an error changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.data import DataSpec
from core.data.joints import LAWS, NotNormalisedError
from core.data.options import AS_IT_IS, OTHER_ENDINGS, ReadOptions
from core.data.readers.dialect import DELIMITERS
from core.data.readers.labelled import labelled_kind
from core.data.readers.reading import read_file
from core.data.workbooks import OLD_EXCEL, weight
from core.errors import CoreError, ReadingError, TimeLimitError
from core.jobs import Job
from core.limits import MAX_CELLS, MAX_LEVELS, MAX_UPLOAD_MB
from pages.ui.data import databases
from pages.ui.frame import data_controls, data_remedies, state
from pages.ui.style.labels import markdown, short
from pages.ui.work import progress, visits
from pages.ui.work.long_answer import LIMIT, LongAnswer

_AUTO = "detect"
_PROBLEM = "_own_problem"
_READABLE = "_own_readable"
_CHOSEN = "_own_chosen"
_READING = "_own_reading"

SLOW = 2_000_000
"""Bytes that a workbook read in place may take, which is a second or two."""

_MATRIX = """\
\tred\tgreen\tblue
yes\t30\t10\t5
no\t10\t30\t15"""


def show(spec: DataSpec) -> None:
    """Show the ways to bring data of one's own, and the databases that are open here, if any."""
    ways: dict[str, Callable[[], None]] = {
        "Upload a file": partial(_upload, spec),
        "Paste a matrix": _paste,
        "Random joint": _draw,
    }
    ways |= databases.ways()
    first = "Database" if databases.is_requested(spec) else None
    for tab, show_way in zip(st.tabs(list(ways), default=first), ways.values(), strict=True):
        with tab:
            show_way()


def _upload(spec: DataSpec) -> None:
    st.file_uploader(
        f"CSV, Parquet, Excel, ODS, SPSS, Stata or SAS, up to {MAX_UPLOAD_MB} MB",
        type=data_remedies.TYPES,
        key="own_file",
        on_change=_take_file,
        help=(
            "One record per line, with column names first. The file stays in this session, on "
            "this machine."
        ),
    )
    shown = visits.sources().uploads.get(spec.source)
    if _is_about_lines() if _PROBLEM in st.session_state else shown is None:
        st.selectbox(
            "Field separator",
            [_AUTO, *DELIMITERS],
            format_func=lambda mark: DELIMITERS.get(mark, mark),
            key="own_delimiter",
            on_change=_take_file,
        )
    _follow_reading()
    _problem("file")


def _is_about_lines() -> bool:
    """Return whether what cannot be read is a text, which another separator may cut."""
    file = st.session_state["own_file"]
    named = file is None or not file.name.lower().endswith(OTHER_ENDINGS)
    return named and isinstance(st.session_state.get(_READABLE), ReadingError)


def _read_elsewhere(content: bytes, name: str, read: ReadOptions) -> None:
    """Have another process read a workbook: here it would block every session."""
    try:
        staged = visits.sources().stage(content, name)
    except CoreError as error:
        st.session_state[_PROBLEM] = ("file", str(error), False)
        return
    source = f"upload:{staged.parent.name}"
    work = LongAnswer(
        DataSpec(source),
        ("workbook",),
        read_file,
        lambda: (staged, name, staged.parent, read),
        keep=False,
    )
    st.session_state[_READING] = (work, staged, name, read)


def _follow_reading() -> None:
    """Show the progress of the reading of a workbook, and take its result."""
    if _READING not in st.session_state:
        return
    work, _, name, read = st.session_state[_READING]
    try:
        answer = work.ask()
    except CoreError as error:
        _stop_reading()
        late = f"{name} takes more than {LIMIT:g} s to read. Save the table as CSV."
        sentence = late if isinstance(error, TimeLimitError) else str(error)
        st.session_state[_PROBLEM] = ("file", sentence, False)
        st.session_state[_READABLE] = error
        return
    if isinstance(answer, Job):
        progress.follow(
            answer,
            f"Reading {markdown(short(name))}",
            limit=LIMIT,
            key="cancel_reading",
            on_cancel=work.stop,
        )
        return
    del st.session_state[_READING]
    _take("file", lambda: visits.sources().add_read(answer), read)
    st.rerun()


def _stop_reading() -> None:
    """End the reading of a workbook, and remove its files."""
    work, staged, *_ = st.session_state.pop(_READING, (None, None))
    if work is not None:
        work.stop()
        visits.sources().unstage(staged)


def _take_file(options: tuple[tuple[str, Any], ...] = ()) -> None:
    """Read the file that was brought; `options` are those that its user has chosen."""
    _stop_reading()
    file = st.session_state["own_file"]
    if file is None:
        _clear()
        return
    delimiter = st.session_state.get("own_delimiter", _AUTO)
    chosen = {} if delimiter == _AUTO else {"delimiter": delimiter}
    read = ReadOptions(**(chosen | dict(options)))
    if _weighs(file.getvalue()) > SLOW:
        _clear()
        _read_elsewhere(file.getvalue(), file.name, read)
        return
    _take("file", lambda: visits.sources().add_bytes(file.getvalue(), file.name, read), read)
    st.session_state[_CHOSEN] = options


def _weighs(content: bytes) -> int:
    """Return the bytes that the reading of a file takes; 0 for text and Parquet."""
    if labelled_kind(content[:1_000]) or content.startswith(OLD_EXCEL):
        return len(content)
    return weight(content, enough=SLOW)


def _paste() -> None:
    st.text_area(
        "P(s, x) or counts: one row per s, one column per x; names are optional",
        value=_MATRIX,
        height=130,
        key="own_matrix",
    )
    with st.container(horizontal=True):
        st.button("Use this matrix", key="own_matrix_use", on_click=_take_matrix)
        if st.session_state.get(_PROBLEM, ("", "", False))[2]:
            st.button(
                "Normalize and use", key="own_matrix_normalise", on_click=_take_matrix, args=(True,)
            )
    _problem("matrix")


def _take_matrix(normalise: bool = False) -> None:
    text = st.session_state["own_matrix"]
    _take("matrix", lambda: visits.sources().add_matrix(text, normalise=normalise))


def _draw() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Distribution", LAWS, key="own_law", width=170)
        st.number_input("Levels of S", 2, MAX_LEVELS, 5, key="own_n_s", width=130)
        st.number_input("Levels of X", 2, MAX_LEVELS, 17, key="own_n_x", width=130)
        st.number_input("Seed", 0, 2**31 - 1, 0, key="own_seed", width=130)
        st.button("Draw", key="own_draw", on_click=_take_draw)
    st.caption(
        "Uniform entries, normalized, as in \\[Lift] and \\[ALIP]; Dirichlet(½) is the Jeffreys "
        f"prior of \\[RLDP]. At most {MAX_CELLS:,} cells."
    )
    _problem("draw")


def _take_draw() -> None:
    law, n_s, n_x, seed = (
        st.session_state[key] for key in ("own_law", "own_n_s", "own_n_x", "own_seed")
    )
    _take("draw", lambda: f"random:{law}:{n_s}x{n_x}:{seed}")


def _take(kind: str, make: Callable[[], str], read: ReadOptions = AS_IT_IS) -> None:
    """Make a source and put its first question on screen, or the link's own one about it."""
    _clear()
    waiting = state.data()
    try:
        source = make()
        if source != waiting.source or (read != AS_IT_IS and read != waiting.read.layout):
            data_controls.choose(source, read)
    except CoreError as error:
        st.session_state[_READABLE] = error
        offer = isinstance(error, NotNormalisedError)
        st.session_state[_PROBLEM] = (kind, str(error), offer)


def _clear() -> None:
    for name in (_PROBLEM, _READABLE, _CHOSEN):
        st.session_state.pop(name, None)


def _problem(kind: str) -> None:
    """Show the error of what was brought last, in the tab where it was brought."""
    where, sentence, _ = st.session_state.get(_PROBLEM, ("", "", False))
    if where != kind:
        return
    st.error(markdown(sentence), icon=":material/error:")
    if kind == "file":
        _first_lines()
    with st.container(horizontal=True):
        error = st.session_state.get(_READABLE)
        if kind == "file" and isinstance(error, ReadingError):
            for place, choice in enumerate(error.choices):
                st.button(
                    markdown(choice.label),
                    key=f"own_as_{place}",
                    on_click=_choose,
                    args=(choice.options,),
                )
        st.button(f"Keep {markdown(_title())}", key=f"own_{kind}_stay", on_click=_clear)


def _first_lines() -> None:
    """Show the first lines of a file with an open question: a click makes one the header."""
    error = st.session_state.get(_READABLE)
    if not isinstance(error, ReadingError) or not error.lines:
        return
    st.caption("The first lines of the file. Select the line with the names.")
    pick_line(error.lines, "own_lines", _choose_line, height=260)


def pick_line(
    lines: Sequence[tuple[int, Sequence[str]]], key: str, choose: Callable[[], None], **more: Any
) -> None:
    """Show the first lines of a file, cut: a click selects one."""
    width = max((len(cells) for _, cells in lines), default=1)
    frame = pd.DataFrame(
        [[*cells, *[""] * (width - len(cells))] for _, cells in lines],
        index=pd.Index([line for line, _ in lines], name="line"),
        columns=[f"{i + 1}" for i in range(width)],
    )
    st.dataframe(frame, key=key, on_select=choose, selection_mode="single-row", **more)


def _title() -> str:
    try:
        return visits.sources().label(state.data().source)
    except CoreError:
        return "the data on screen"


def _choose(options: tuple[tuple[str, Any], ...]) -> None:
    """Read the uploaded file as one of the choices says, beside those that were taken before."""
    before = dict(st.session_state.get(_CHOSEN, ()))
    _take_file(tuple((before | dict(options)).items()))


def _choose_line() -> None:
    rows = st.session_state["own_lines"]["selection"]["rows"]
    error = st.session_state.get(_READABLE)
    if rows and isinstance(error, ReadingError):
        _choose((("header", (error.lines[rows[0]][0],)),))
