"""How a file is read: encoding, delimiter, number formats, markers of missing values, types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.data import ColumnOptions, DataSpec, PresentMark, ReadOptions, first_question
from core.data.options import DECIMALS, ENCODINGS, KINDS, MOST_SEED, ORDERS, PARTS, THOUSANDS
from core.data.readers.dialect import DELIMITERS
from core.data.readers.doubts import OpenQuestion
from core.data.readers.reading import TextFile, Upload
from core.data.tables import BLANKS
from core.errors import CoreError, ReadingError
from core.wording import listed, number_of
from pages.ui.data.uploads import pick_line
from pages.ui.frame import data_controls, state
from pages.ui.parts import tables
from pages.ui.style.labels import markdown, plain_short
from pages.ui.work import derived, visits

_PROBLEM = "_read_problem"
_OF_VALUES = ("weight", "sampling", "person", "omit", "cells", "above")
_CHOSEN = ("header", "skip", "skip_end", "quote", "escape", "pad", "sheet", "kept", *_OF_VALUES)
"""Options whose choice is listed with Undo."""

_CHOICES = "_read_choices"
_COLUMN = "_read_of"

USUAL, CHOSEN = "the usual ones", "custom"
"""The texts that mark a missing value."""

OF_FILE, OWN = "as in the file", "custom"
"""The texts that mark a missing value in one column."""

_NAMED = 4
"""Most columns that are named for one mark."""


def show(spec: DataSpec) -> None:
    """Show how a file is read, with its first rows; for other sources only what is unusual."""
    columns = data_controls.columns_of(spec)
    own = spec.source in visits.sources().uploads or spec.read != ReadOptions()
    if not columns or not own:
        return
    _ask(spec)
    _suggest_dates(spec)
    text = _text(spec)
    summary = "; ".join(spec.read.phrases())
    if text is not None and text.phrase():
        summary = "; ".join([text.phrase(), *spec.read.phrases()])
    _sheets(spec)
    upload = _upload(spec)
    if upload is not None and upload.repairs:
        lines = [number_of(len(upload.repairs), "repair")]
        if chosen := _chosen(spec.read):
            lines.append(number_of(len(chosen), "choice"))
        summary = "; ".join(filter(None, [listed(lines), summary]))
    title = (
        f"How the file is read: {markdown(plain_short(summary, 200))}"
        if summary
        else "How the file is read"
    )
    with st.expander(title, icon=":material/text_fields:", key="read", expanded=bool(summary)):
        _problem(above=True)
        _repairs(spec)
        _layout(spec)
        _numbers(spec)
        _marks(spec)
        _types(spec, columns)
        _weights(spec, columns)
        _persons(spec, columns)
        _problem(above=False)
        _rows(spec)


def _sheets(spec: DataSpec) -> None:
    """Say which sheet of a workbook is read if there are several: outside of what can be closed."""
    upload = visits.sources().uploads.get(spec.source)
    if upload is not None and upload.sheets is not None and (text := upload.sheets.sentence()):
        st.caption(markdown(text))


def _text(spec: DataSpec) -> TextFile | None:
    """Return the text file that the data is; None where it is anything else."""
    upload = visits.sources().uploads.get(spec.source)
    return None if upload is None else visits.sources().upload(spec.source, spec.read.layout).text


def _upload(spec: DataSpec) -> Upload | None:
    """Return the data's upload with its layout; None if the data is anything else."""
    if spec.source not in visits.sources().uploads:
        return None
    try:
        return visits.sources().upload(spec.source, spec.read.layout)
    except CoreError:
        return None  # the board says why


def _repairs(spec: DataSpec) -> None:
    """List what was repaired to read the file, and what was chosen, each with Undo; and hints."""
    upload = _upload(spec)
    if upload is None:
        return
    plain = ReadOptions()
    for place, repair in enumerate(upload.repairs):
        undo = spec.read.undoing(repair.undo)
        _line(repair.sentence, f"repair_{place}", "Undo" if undo else "", undo)
    for name in _chosen(spec.read):
        sentence = "; ".join(replace(plain, **{name: getattr(spec.read, name)}).phrases())
        undo = {name: getattr(plain, name)}
        if name == "person":
            undo |= {"first": False, "drawn": None}
        _line(f"{sentence[:1].upper()}{sentence[1:]}.", f"chosen_{name}", "Undo", undo)
    for place, hint in enumerate(upload.hints):
        _line("", f"hint_{place}", hint.label, dict(hint.options))
    if upload.text is not None:
        _lines(upload.text)


def _chosen(read: ReadOptions) -> list[str]:
    """Return the options that are listed with Undo, of those that are chosen."""
    return [name for name in _CHOSEN if getattr(read, name) != getattr(ReadOptions(), name)]


def _line(sentence: str, key: str, label: str, options: dict[str, Any]) -> None:
    """Show a sentence with the button that changes how the file is read."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_row"):
        if sentence:
            st.markdown(f":material/build: {markdown(sentence)}", width="content")
        if label:
            st.button(
                markdown(label),
                key=key,
                icon=":material/undo:" if label == "Undo" else None,
                on_click=_take_changed,
                args=(options,),
            )


def _take_changed(options: dict[str, Any]) -> None:
    _take(_changed(state.data().read, **options), above=True)


def _lines(text: TextFile) -> None:
    """Show the first lines on demand, as they are and cut: a click takes one for the names."""
    with st.popover("Lines of the file", icon=":material/segment:"):
        st.caption("Select the line with the column names.")
        pick_line(text.first(), "read_lines", _choose_line)
        st.button(
            "The columns have no names",
            key="read_no_names",
            on_click=_take_changed,
            args=({"header": (0,)},),
        )
        st.code(text.raw(), language=None)


def _choose_line() -> None:
    rows = st.session_state["read_lines"]["selection"]["rows"]
    text = _text(state.data())
    if rows and text is not None:
        _take_changed({"header": (text.first()[rows[0]][0],), "skip": 0})


def _layout(spec: DataSpec) -> None:
    upload = visits.sources().uploads.get(spec.source)
    if upload is not None and upload.sheets is not None and upload.sheets.others:
        sheets = [upload.sheets.read, *upload.sheets.others]
        first = f"as detected: {upload.sheets.read}"
        titles = {"": first, **{name: name for name in sheets}}
        if spec.read.sheet:
            titles.setdefault(spec.read.sheet, spec.read.sheet)
        _choice("Sheet", titles, "sheet", spec.read.sheet)
    text = _text(spec)
    if text is None:
        return
    with st.container(horizontal=True, key="read_layout"):
        read = text.samples()
        detected = ENCODINGS[text.encoding] + (", a guess" if text.guessed else "")
        names = {
            name: f"{title}: {read[name]}" if name in read else title
            for name, title in ENCODINGS.items()
        }
        _choice(
            "Encoding",
            {"": f"as detected: {detected}" if not spec.read.encoding else "as detected", **names},
            "encoding",
            spec.read.encoding,
        )
        delimiter = text.layout.delimiter
        single = text.layout.width == 1
        known = "nothing" if single else DELIMITERS.get(delimiter, repr(delimiter))
        named = {
            "": f"as detected: {known}" if not spec.read.delimiter else "as detected",
            **DELIMITERS,
        }
        if spec.read.delimiter:
            named.setdefault(spec.read.delimiter, text.layout.dialect.called)
        _choice("Field separator", named, "delimiter", spec.read.delimiter)


def _numbers(spec: DataSpec) -> None:
    with st.container(horizontal=True, key="read_numbers"):
        for label, names, name in (
            ("Decimal mark", DECIMALS, "decimal"),
            ("Thousands separator", THOUSANDS, "thousands"),
        ):
            _choice(label, names, name, getattr(spec.read, name))


def _choice(label: str, names: Mapping[str, str], name: str, value: str) -> None:
    """Show the picker of one field of the options."""
    key = f"read_{name}"
    st.session_state[key] = value

    def taken() -> None:
        _take(_changed(state.data().read, **{name: st.session_state[key]}))

    st.selectbox(
        label, list(names), format_func=names.__getitem__, key=key, on_change=taken, width=260
    )


FREQUENCY, SAMPLING = "frequency", "sampling"
"""The kinds of weights: numbers of records, or shares of a population that these stand for."""


def _weights(spec: DataSpec, columns: list[str]) -> None:
    """Show the picker of the column of weights, and of their kind where there are some."""
    read = spec.read
    chosen = read.weight or read.sampling
    st.session_state["read_weights"] = chosen
    if chosen:
        st.session_state["read_weights_kind"] = SAMPLING if read.sampling else FREQUENCY
    st.session_state.setdefault("read_weights_kind", FREQUENCY)
    names = list(dict.fromkeys(["", *([chosen] if chosen else []), *columns]))
    with st.container(horizontal=True, vertical_alignment="top", key="read_weighted"):
        st.selectbox(
            "Weights",
            names,
            format_func=lambda name: name or "none: each row is one record",
            key="read_weights",
            on_change=_take_weights,
            width=260,
        )
        if chosen:
            st.segmented_control(
                "Kind of weights",
                [FREQUENCY, SAMPLING],
                key="read_weights_kind",
                required=True,
                on_change=_take_weights,
                help="A frequency is how many records a row stands for. A sampling weight, such as "
                "that of a survey, says how much of the population a record stands for: the row "
                "stays one record.",
            )


def _take_weights() -> None:
    read, name = state.data().read, st.session_state["read_weights"]
    if not name:
        weight, sampling = None if read.weight else read.weight, ""
    elif st.session_state["read_weights_kind"] == SAMPLING:
        weight, sampling = None, name
    else:
        weight, sampling = name, ""
    _take(_changed(read, weight=weight, sampling=sampling))


ALL, FIRST, DRAWN = "all", "first", "drawn"
"""Which records of a person count."""

EACH = {ALL: "all count", FIRST: "the first", DRAWN: "one, drawn"}
"""Their names."""


def _persons(spec: DataSpec, columns: list[str]) -> None:
    """Show the picker of the column that names persons, and which records of each count."""
    read = spec.read
    st.session_state["read_person"] = read.person
    st.session_state["read_each"] = (
        DRAWN if read.drawn is not None else FIRST if read.first else ALL
    )
    st.session_state["read_drawn"] = read.drawn or 0
    with st.container(horizontal=True, vertical_alignment="bottom", key="read_persons"):
        st.selectbox(
            "Persons",
            list(dict.fromkeys(["", *([read.person] if read.person else []), *columns])),
            format_func=lambda name: name or "not named",
            key="read_person",
            on_change=_take_person,
            width=260,
            help="The column that identifies the person of each record. A privacy notion holds for "
            "one record, not for a person with several.",
        )
        if read.person:
            st.selectbox(
                "Records of each",
                EACH,
                format_func=EACH.__getitem__,
                key="read_each",
                on_change=_take_person,
                width=160,
            )
        if read.drawn is not None:
            st.number_input(
                "Seed",
                min_value=0,
                max_value=MOST_SEED,
                key="read_drawn",
                on_change=_take_person,
                width=160,
                help="Another seed draws other records. Address and certificate contain the seed.",
            )


def _take_person() -> None:
    person = st.session_state["read_person"]
    each = st.session_state.get("read_each", ALL) if person else ALL
    seed = int(st.session_state.get("read_drawn", 0)) if each == DRAWN else None
    _take(_changed(state.data().read, person=person, first=each == FIRST, drawn=seed))


def _changed(read: ReadOptions, **changes: Any) -> ReadOptions | str:
    """Return the options with a change; where they are none, the sentence that says why."""
    try:
        return replace(read, **changes)
    except CoreError as error:
        return str(error)


def _marks(spec: DataSpec) -> None:
    """Show which texts mark a missing value, with those that are in the file."""
    try:
        present, missing = derived.present_marks(spec), derived.are_missing(spec)
    except CoreError:
        return  # the board says why the data cannot be read
    st.session_state["read_marks_kind"] = USUAL if spec.read.missing is None else CHOSEN
    st.segmented_control(
        "Markers of missing values",
        [USUAL, CHOSEN],
        key="read_marks_kind",
        required=True,
        on_change=_take_marks_kind,
        args=(present,),
        help="The usual ones are NA, N/A, null, none, nan, ?, - and a single period. They mean a "
        "missing value in a column of numbers, and are a level in any other column. A blank "
        "is always missing.",
    )
    if spec.read.missing is not None:
        counts = {mark.word: mark for mark in present}
        st.session_state["read_marks"] = list(spec.read.missing)
        st.multiselect(
            "Missing values in every column",
            [*counts, *(word for word in spec.read.missing if word not in counts)],
            format_func=lambda word: (
                f"{word} ({counts[word].records:,})" if word in counts else word
            ),
            key="read_marks",
            accept_new_options=True,
            on_change=_take_marks,
            placeholder="Only blanks; type to add a marker",
            help="Each with its number of records in all columns.",
        )
    st.caption(_present(present, missing))


def _present(present: tuple[PresentMark, ...], missing: Callable[[str, str], bool]) -> str:
    """Return which markers the file has, how often, where, and what they count as."""
    there = [mark for mark in present if mark.records]
    if not there:
        return "The file has none of the usual markers, and no isolated number such as -99."
    lines = []
    for mark in there:
        parts = []
        for what, is_missing in (("missing", True), ("an ordinary value", False)):
            names = [name for name in mark.columns if missing(name, mark.word) is is_missing]
            more = ", …" if len(names) > _NAMED else ""
            if names:
                parts.append(f"{what} in {', '.join(names[:_NAMED])}{more}")
        times = number_of(mark.records, "time")
        lines.append(markdown(f"{mark.word!r} {times} ({'; '.join(parts)})"))
    return f"In the file: {'; '.join(lines)}."


def _take_marks_kind(present: tuple[PresentMark, ...]) -> None:
    missing = None
    if st.session_state["read_marks_kind"] == CHOSEN:
        missing = tuple(
            mark.word
            for mark in present
            if mark.word.lower() in BLANKS or not mark.word.lstrip("-").isalnum()
        )
    _take(replace(state.data().read, missing=missing))


def _take_marks() -> None:
    words = tuple(word for word in st.session_state["read_marks"] if word.strip())
    _take(_changed(state.data().read, missing=words))


def _types(spec: DataSpec, columns: list[str]) -> None:
    """Show how one column is read, and let the user choose."""
    named = [own.column for own in spec.read.columns]
    first = next((name for name in named if name in columns), columns[0])
    held = st.session_state.get(_COLUMN)
    column = held if held in columns else first
    options = spec.read.of(column)
    with st.container(horizontal=True, key="read_types"):
        st.session_state["read_column"] = column
        st.selectbox("Column", columns, key="read_column", on_change=_choose_column, width=240)
        for label, names, name in (
            ("Type", KINDS, "kind"),
            ("Order", ORDERS, "order"),
            ("What is kept", PARTS, "part"),
        ):
            if name != "kind" and options.kind != "date":
                continue
            key = f"read_column_{name}"
            st.session_state[key] = getattr(options, name)
            st.selectbox(
                label,
                list(names),
                format_func=names.__getitem__,
                key=key,
                on_change=_take_type,
                args=(column, name),
                width=184,
            )
    _date_order(spec, options)
    _own_marks(spec, options)
    for own in spec.read.columns:
        st.caption(markdown(own.phrase()))


def open_questions(spec: DataSpec) -> tuple[OpenQuestion, ...]:
    """Return what is open about an upload, which must be answered before counting."""
    try:
        return derived.open_questions(spec) if spec.source in visits.sources().uploads else ()
    except CoreError:
        return ()  # the board says why the data cannot be read


def _ask(spec: DataSpec) -> None:
    """Ask the questions that the values leave open."""
    for place, question in enumerate(open_questions(spec)):
        with st.container(border=True, key=f"asked_row_{place}"):
            st.markdown(f":material/help: {markdown(question.sentence)}")
            with st.container(horizontal=True):
                for number, choice in enumerate(question.choices):
                    st.button(
                        markdown(choice.label),
                        key=f"asked_{place}_{number}",
                        on_click=_take_changed,
                        args=(dict(choice.options),),
                    )


def _suggest_dates(spec: DataSpec) -> None:
    """Offer to read columns of text that hold dates as dates; ask if two orders fit."""
    try:
        columns = [column for column in derived.dated(spec) if not spec.read.of(column.column).kind]
    except CoreError:
        return  # the board says why the data cannot be read
    for place, column in enumerate(columns[:_NAMED]):
        name = markdown(repr(column.column))
        which = "in which order?" if len(column.orders) > 1 else "but are read as text."
        st.markdown(f":material/calendar_month: All values of {name} look like dates, {which}")
        with st.container(horizontal=True, key=f"dates_row_{place}"):
            for order in column.orders:
                st.button(
                    f"Read {name} as dates: {ORDERS[order]}",
                    key=f"dates_{place}_{order}",
                    on_click=_take_column,
                    args=(ColumnOptions(column.column, "date", order),),
                )


def _date_order(spec: DataSpec, options: ColumnOptions) -> None:
    """Ask which order is meant where the dates of a column fit two."""
    if options.kind != "date":
        return
    try:
        orders = derived.likely_orders(spec, options.column)
    except CoreError:
        return  # the board says why the data cannot be read
    if len(orders) > 1 and options.order in orders:
        first, second = (ORDERS[order] for order in orders)
        st.warning(
            markdown(
                f"The dates in {options.column!r} can be read as {first} or as {second}. Check "
                "that the order above is the right one."
            ),
            icon=":material/help:",
        )


def _own_marks(spec: DataSpec, options: ColumnOptions) -> None:
    """Show which texts mark a missing value in one column, where they differ from the file's."""
    column = options.column
    st.session_state["read_own_kind"] = OF_FILE if options.missing is None else OWN
    st.segmented_control(
        f"Markers of missing values in {markdown(column)}",
        [OF_FILE, OWN],
        key="read_own_kind",
        required=True,
        on_change=_take_own_kind,
        args=(column,),
        help="A column can have its own markers: -1 may mean missing in one and be a number in "
        "another.",
    )
    if options.missing is None:
        return
    try:
        there = [mark.word for mark in derived.present_marks(spec) if column in mark.columns]
    except CoreError:
        return  # the board says why the data cannot be read
    st.session_state["read_own_marks"] = list(options.missing)
    st.multiselect(
        f"Missing values in {markdown(column)}",
        list(dict.fromkeys((*there, *options.missing))),
        key="read_own_marks",
        accept_new_options=True,
        on_change=_take_own_marks,
        args=(column,),
        placeholder="Only blanks; type to add a marker",
    )


def _take_own_kind(column: str) -> None:
    own = st.session_state["read_own_kind"] == OWN
    read = state.data().read
    _take_column(replace(read.of(column), missing=(read.missing or ()) if own else None))


def _take_own_marks(column: str) -> None:
    words = tuple(word for word in st.session_state["read_own_marks"] if word.strip())
    try:
        _take_column(replace(state.data().read.of(column), missing=words))
    except CoreError as error:
        _take(str(error))


def _take_column(options: ColumnOptions) -> None:
    """Set how one column is read."""
    read = state.data().read
    others = tuple(other for other in read.columns if other.column != options.column)
    _take(replace(read, columns=(*others, options)))


def _choose_column() -> None:
    st.session_state[_COLUMN] = st.session_state["read_column"]


def _take_type(column: str, name: str) -> None:
    """Set the type of a column, the order of its dates, or what is kept of them."""
    read, value = state.data().read, st.session_state[f"read_column_{name}"]
    old = read.of(column)
    if name != "kind":
        new = replace(old, **{name: value})
    elif value == "date":
        order = derived.likely_orders(state.data(), column)[0]
        new = ColumnOptions(column, value, order, missing=old.missing)
    else:
        new = ColumnOptions(column, value, missing=old.missing)
    _take_column(new)


def _take(read: ReadOptions | str, *, above: bool = False) -> None:
    """Ask the question on screen of the data as it is to be read, or keep why it cannot be.

    `above`: whether the control is among the repairs, at the top.
    """
    _forget()
    if isinstance(read, str):
        st.session_state[_PROBLEM] = (state.data().source, read, above)
        return
    spec = state.data()
    try:
        read = read.within(derived.columns(replace(spec, read=read.layout)))
        if set(spec.columns) <= set(derived.columns(replace(spec, read=read))):
            state.set_data(_without_bins_of_words(replace(spec, read=read)))
        else:
            state.set_data(first_question(spec.source, visits.sources(), read))
    except CoreError as error:
        st.session_state[_PROBLEM] = (spec.source, str(error), above)
        if isinstance(error, ReadingError):
            st.session_state[_CHOICES] = read, error.choices


def _without_bins_of_words(spec: DataSpec) -> DataSpec:
    """Return the data without the bins of columns that hold no numbers as they are read."""
    info = derived.described(spec)
    numeric = set() if info is None else {column.name for column in info.columns if column.numeric}
    return replace(spec, binnings=tuple(cut for cut in spec.binnings if cut.column in numeric))


def _problem(*, above: bool) -> None:
    """Show why the last change could not be made, near what was clicked."""
    source, sentence, place = st.session_state.get(_PROBLEM, ("", "", False))
    if source != state.data().source or place != above:
        return
    st.error(markdown(sentence), icon=":material/error:")
    read, choices = st.session_state.get(_CHOICES, (None, ()))
    with st.container(horizontal=True):
        for place, choice in enumerate(choices):
            st.button(
                markdown(choice.label),
                key=f"read_choice_{place}",
                on_click=lambda options: _take(_changed(read, **options), above=above),
                args=(dict(choice.options),),
            )
        st.button("Leave as is", key="read_stay", on_click=_forget)


def _forget() -> None:
    st.session_state.pop(_PROBLEM, None)
    st.session_state.pop(_CHOICES, None)


def _rows(spec: DataSpec) -> None:
    try:
        first = derived.first_rows(spec)
    except CoreError:
        return  # the board says why
    frame = pd.DataFrame(first.rows, columns=list(first.columns))
    st.markdown("**The first rows as read**")
    tables.sheet(frame, "first_rows", most=320)
