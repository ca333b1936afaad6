"""The data, S and X: pickers that show and change the spec on screen, for every page's sidebar."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import streamlit as st

from core.data import BUNDLED, EXAMPLES, first_question
from core.data.options import AS_IT_IS, ReadOptions
from core.data.spec import DataSpec
from core.data.tables import FileTable
from core.errors import CoreError
from core.validation import shown
from core.wording import first_of, listed, number_of
from pages.ui.frame import pins, state
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.work import visits

ITSELF = (
    "X is S itself, so LDP is classical local differential privacy, and RLDP, with U constant, "
    "equals it: both hold for every distribution of S. Side information and "
    "conditional reporting do not apply, because nothing else is released."
)
"""The note shown where S itself is released."""

_JOINTS = ("matrix:", "random:", "example:")


def show(*, pair: bool = True, known: bool = False) -> None:
    """Show the pickers of data, S and X, and what is below them; parameters as of `treated`."""
    pick()
    treated(pair=pair, known=known)


def pick() -> None:
    """Show the pickers of data, S and X."""
    pins.restore()
    pins.button()
    spec = state.data()
    options = _sources(spec.source)
    st.session_state["data_source"] = spec.source
    st.selectbox(
        "Data",
        options,
        format_func=lambda source: options[source],
        key="data_source",
        on_change=_choose_source,
        help=(
            "Bundled data, uploads of this session, and joints from papers. The Data page offers "
            "more."
        ),
    )
    columns = columns_of(spec)
    if columns:
        for key, label, chosen, term in (
            ("data_secret", "Secret S", spec.secret, "s"),
            ("data_released", "Release X", spec.released, "x"),
        ):
            st.session_state[key] = [name for name in chosen if name in columns]
            st.multiselect(
                label,
                columns,
                key=key,
                on_change=_choose_columns,
                placeholder="Choose a column",
                help=f"{glossary.meaning(term)} You can join several columns into one.",
                select_all=False,
            )
        if {*spec.secret} <= {*columns}:
            _itself(spec)


def _named(names: Sequence[str]) -> str:
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'}"


def _known(spec: DataSpec) -> None:
    """Show the picker of the columns that others know of each record."""
    columns = columns_of(spec)
    if not columns:
        return
    used = {*spec.secret, *spec.released} - {*spec.known}
    st.session_state["data_known"] = [name for name in spec.known if name in columns]
    st.multiselect(
        "Also known",
        [name for name in columns if name not in used],
        key="data_known",
        on_change=lambda: state.with_data(known=tuple(st.session_state["data_known"])),
        placeholder="Nothing else",
        help=glossary.meaning("also_known"),
        select_all=False,
    )


def treated(*, pair: bool = True, known: bool = False) -> None:
    """Show what others know, whether S is released too, and how the data is treated.

    `pair`, `known`: whether the page considers a release of S, and what others know.
    """
    spec = state.data()
    if known:
        _known(spec)
    elif spec.known:
        st.caption(markdown(f"This page ignores that {_named(spec.known)} known."))
    if pair:
        st.session_state["data_pair"] = spec.secret_released
        st.toggle(
            "Also release S",
            key="data_pair",
            on_change=lambda: state.with_data(secret_released=st.session_state["data_pair"]),
            disabled=spec.releases_secret and not spec.secret_released,
            help="X becomes the pair (S, U): the mechanism may read and change the secret itself.",
        )
    treatment = _treatment(spec)
    if treatment:
        st.caption(f"Before counting: {markdown(treatment)}")


def _itself(spec: DataSpec) -> None:
    """Offer to release S itself; where it is, say what that means."""
    if spec.releases_secret:
        st.caption(markdown(ITSELF))
    elif spec.secret:
        st.button(
            markdown(f"Release {' and '.join(spec.secret)} itself, privately"),
            key="data_itself",
            type="tertiary",
            icon=":material/casino:",
            on_click=state.with_data,
            kwargs={"released": spec.secret, "secret_released": False},
            help="X becomes S: randomized response, the classic setting of local privacy.",
        )


def choose(source: str, read: ReadOptions = AS_IT_IS) -> None:
    """Put a source's first question on screen; a source that cannot be read changes nothing."""
    state.set_data(first_question(source, visits.sources(), read))


def is_joint(spec: DataSpec) -> bool:
    """Return whether a spec's data is a joint distribution, which has no columns."""
    return spec.source.startswith(_JOINTS)


def _sources(current: str) -> dict[str, str]:
    """Return every source that can be chosen, with its title; the current one is always there."""
    titles = {entry.id: entry.title for entry in BUNDLED}
    own = visits.sources()
    titles |= own.upload_labels
    titles |= {source: own.title(source) for source in own.counted_sources}
    for i, key in enumerate(own.matrices):
        titles[key] = f"Pasted matrix {i + 1}"
    titles |= {f"example:{entry.id}": f"Example: {entry.title}" for entry in EXAMPLES}
    if current not in titles:
        try:
            titles[current] = own.title(current)
        except CoreError:
            titles[current] = "(not in this session)"
    return titles


def columns_of(spec: DataSpec) -> list[str]:
    """Return the columns that S, X and T can be chosen from; none of a joint distribution."""
    if is_joint(spec):
        return []
    try:
        source = visits.sources().open(spec.source, read=spec.read.layout)
    except CoreError:
        return []
    if not isinstance(source, FileTable):
        return []
    return [name for name in source.columns if name != spec.read.weight]


def _choose_source() -> None:
    known = state.data().known
    try:
        choose(st.session_state["data_source"])
    except CoreError as error:
        st.toast(markdown(str(error)), icon=":material/error:")
        return
    if known:
        text = f"For the new data, others are no longer assumed to know {listed(known)}."
        st.toast(markdown(text), icon=":material/info:")


def _choose_columns() -> None:
    """Apply the columns; a column left out keeps its binning and filter for its return."""
    state.with_data(
        secret=tuple(st.session_state["data_secret"]),
        released=tuple(st.session_state["data_released"]),
    )


def _treatment(spec: DataSpec) -> str:
    """Return in a few words how the data is preprocessed."""
    used = spec.treated
    notes = [f"{cut.column} in bins" for cut in spec.binnings if cut.column in used]
    notes += spec.read.phrases()
    notes += [
        f"{hierarchy.column} at level {hierarchy.level} of its hierarchy"
        for hierarchy in spec.hierarchies
        if hierarchy.level and hierarchy.column in used
    ]
    notes += [
        f"levels of {rare.column} below {number_of(rare.below, 'record')} grouped"
        for rare in spec.rare_levels
        if rare.column in used
    ]
    if spec.missing == "drop":
        notes.append("records with missing values left out")
    if spec.rare_below:
        notes.append(f"levels of X below {number_of(spec.rare_below, 'record')} grouped")
    if spec.rare_below_s:
        notes.append(f"levels of S below {number_of(spec.rare_below_s, 'record')} grouped")
    merged = {
        "S": spec.merged(spec.secret),
        "X": spec.merged(spec.released),
    }
    notes += [f"symbols of {side} merged" for side, some in merged.items() if some]
    gone = {"S": spec.without(spec.secret), "X": spec.without(spec.released)}
    notes += [f"{_few(some)} of {side} left out" for side, some in gone.items() if some]
    if spec.filters:
        notes.append(f"filtered by {', '.join(condition.column for condition in spec.filters)}")
    return "; ".join(notes)


def _few(names: Collection[str]) -> str:
    """List names, the first ones of many."""
    return first_of([shown(name) for name in sorted(names)])
