"""Questions about the data that have an answer, offered in place of one that has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import streamlit as st

from core.data import Binning, TableInfo, easiest, first_question
from core.data.options import ENDINGS
from core.data.spec import DataSpec
from core.data.treatment.generalise import at_level
from core.errors import CoreError
from core.limits import MAX_UPLOAD_MB
from core.wording import file_called, listed, nearest
from pages.ui.frame import state
from pages.ui.style.labels import markdown
from pages.ui.work import derived, visits
from pages.ui.work.visits import kept_for

OFFERED = 2
"""Remedies of one kind offered at once."""

TYPES = [ending.removeprefix(".") for ending in ENDINGS]
"""Ends of the names of files that can be read."""

_FILE_PROBLEM = "_file_problem"


BINS = 8
"""Bins that a column is cut into."""

Changed = tuple[str, DataSpec]
"""A remedy's name, and the data that it asks for."""

_SIDES = (("S", "secret", "rare_below_s"), ("X", "released", "rare_below"))
"""Each side's name, and where a spec holds its columns and the records its rare levels have."""


def offered(spec: DataSpec) -> tuple[Changed, ...]:
    """Return specs that have an answer in place of one that has none, the nearest to it first."""
    return kept_for(spec).get(("remedies", repr(spec)), lambda: _working(spec))


def buttons(spec: DataSpec, key: str) -> None:
    """Show a button for each remedy; keys begin with `key`."""
    with st.container(horizontal=True, key=key):
        for i, (label, changed) in enumerate(offered(spec)):
            st.button(markdown(label), key=f"{key}_{i}", on_click=state.set_data, args=(changed,))


def missing_file(sources: Iterable[str]) -> None:
    """Show an uploader where one of some sources is an upload that this session has not."""
    here = visits.sources().uploads
    missing = [source for source in sources if source.startswith("upload:") and source not in here]
    if not missing:
        st.session_state.pop(_FILE_PROBLEM, None)
        return
    st.file_uploader(
        f"The file, up to {MAX_UPLOAD_MB} MB",
        type=TYPES,
        key="missing_file",
        on_change=_bring,
        args=(missing,),
    )
    if problem := st.session_state.get(_FILE_PROBLEM):
        st.error(markdown(problem))


def _bring(missing: list[str]) -> None:
    """Load a file; say so if no question on screen uses it."""
    st.session_state.pop(_FILE_PROBLEM, None)
    file = st.session_state.get("missing_file")
    if file is None:
        return
    try:
        key = visits.sources().add_bytes(file.getvalue(), file.name)
    except CoreError as error:
        st.session_state[_FILE_PROBLEM] = str(error)
        return
    if key not in missing:
        st.session_state[_FILE_PROBLEM] = (
            f"{file_called(file.name)} is not the requested file: its content differs."
        )


def _working(spec: DataSpec) -> tuple[Changed, ...]:
    try:
        info = derived.described(spec)
    except CoreError:
        info = None  # the source itself cannot be read: only another one helps
    changes: list[Changed] = []
    if spec.task and _has_answer(replace(spec, task=())):
        changes.append(("Without the task T", replace(spec, task=())))
    if spec.known and _has_answer(replace(spec, known=())):
        changes.append(("Without the known columns", replace(spec, known=())))
    for some in () if info is None else _kinds(spec, info):
        working = (change for change in some if _has_answer(change[1]))
        changes += [change for change, _ in zip(working, range(OFFERED), strict=False)]
    if not changes:
        changes = [change for change in _fresh_starts(spec) if _has_answer(change[1])][:1]
    return tuple(changes[:6])


def _has_answer(spec: DataSpec) -> bool:
    try:
        derived.counted(spec)
    except CoreError:
        return False
    return True


def _kinds(spec: DataSpec, info: TableInfo) -> Iterator[Iterator[Changed]]:
    """Return remedies of each kind; those that change the question least come first."""
    yield _bins(spec, info)
    yield _coarser(spec)
    for name, _, rare in _SIDES:
        yield _groups(spec, name, rare)
    yield _without_filters(spec)
    yield _as_they_are(spec)
    yield _respelled(spec, info)
    for name, columns, rare in _SIDES:
        yield _other_columns(spec, info, name, columns, rare)


def _bins(spec: DataSpec, info: TableInfo) -> Iterator[Changed]:
    used, cut = spec.treated, {binning.column: binning for binning in spec.binnings}
    for column in info.columns:
        name = column.name
        if not column.numeric or name not in used:
            continue
        if name not in cut or len(cut[name].edges) > BINS + 1 or cut[name].count > BINS:
            changed = binned(spec, Binning(name, count=BINS))
            yield f"Bin {name} into {BINS} bins", changed


def binned(spec: DataSpec, binning: Binning) -> DataSpec:
    """Return a spec that cuts a column into bins, in place of a hierarchy or rare levels."""
    name = binning.column
    return replace(
        spec,
        binnings=(*(cut for cut in spec.binnings if cut.column != name), binning),
        hierarchies=tuple(hierarchy for hierarchy in spec.hierarchies if hierarchy.column != name),
        rare_levels=tuple(rare for rare in spec.rare_levels if rare.column != name),
    )


def _coarser(spec: DataSpec) -> Iterator[Changed]:
    """Offer a coarser level of a hierarchy, or the values as they are."""
    used = [hierarchy for hierarchy in spec.hierarchies if hierarchy.column in spec.treated]
    for hierarchy in used:
        for level in range(hierarchy.level + 1, hierarchy.height + 1):
            changed = replace(spec, hierarchies=at_level(spec.hierarchies, hierarchy.column, level))
            yield f"Use level {level} of {hierarchy.column}", changed
    for hierarchy in used:
        others = tuple(other for other in spec.hierarchies if other is not hierarchy)
        yield f"Use {hierarchy.column} without its hierarchy", replace(spec, hierarchies=others)
    for rare in spec.rare_levels:
        if rare.column in spec.treated:
            left = tuple(other for other in spec.rare_levels if other is not rare)
            yield f"Do not group levels of {rare.column}", replace(spec, rare_levels=left)


def _groups(spec: DataSpec, name: str, rare: str) -> Iterator[Changed]:
    # numbers of records below which levels are offered to be grouped
    for least in (10, 100, 1_000, 10_000):
        if least > getattr(spec, rare):
            label = f"Group levels of {name} below {least:,} records"
            yield label, _with(spec, **{rare: least})


def _without_filters(spec: DataSpec) -> Iterator[Changed]:
    for i, condition in enumerate(spec.filters):
        changed = replace(spec, filters=spec.filters[:i] + spec.filters[i + 1 :])
        yield f"Remove the filter on {condition.column}", changed
    if len(spec.filters) > 1:
        yield "Remove all filters", replace(spec, filters=())


def _as_they_are(spec: DataSpec) -> Iterator[Changed]:
    """Offer to undo treatment: missing values left out, numbers binned, rare levels grouped."""
    if spec.missing == "drop":
        yield "Keep missing values as a level", replace(spec, missing="level")
    for cut in spec.binnings:
        others = tuple(other for other in spec.binnings if other is not cut)
        if cut.column in spec.treated:
            yield f"Use {cut.column} without bins", replace(spec, binnings=others)
    for name, _, rare in _SIDES:
        if getattr(spec, rare):
            yield f"Do not group levels of {name}", _with(spec, **{rare: 0})
    if any(merge.columns in (spec.secret, spec.released) for merge in spec.merges):
        yield "Do not merge symbols", replace(spec, merges=())
    if spec.without(spec.secret) or spec.without(spec.released):
        yield "Do not leave out symbols", replace(spec, left_out=())


def _respelled(spec: DataSpec, info: TableInfo) -> Iterator[Changed]:
    """Offer the columns nearest to unknown ones, and those that a link names with commas."""
    known = [column.name for column in info.columns]
    sides: dict[str, tuple[str, ...]] = {}
    labels = []
    for name, columns, _ in _SIDES:
        chosen: tuple[str, ...] = getattr(spec, columns)
        parts = [[column] if column in known else column.split(",") for column in chosen]
        meant = [
            part if part in known else (nearest(part, known) or [part])[0]
            for some in parts
            for part in some
        ]
        apart = tuple(dict.fromkeys(meant))
        if apart != chosen and set(known) >= set(apart):
            sides[columns] = apart
            labels.append(f"{listed(apart)} as {name}")
    if sides:
        yield f"Use {', '.join(labels)}", _with(spec, **sides)


def _other_columns(
    spec: DataSpec, info: TableInfo, name: str, columns: str, rare: str
) -> Iterator[Changed]:
    """Offer to leave out one of several columns of S or X, then another column for all of them."""
    chosen: tuple[str, ...] = getattr(spec, columns)
    known = {column.name for column in info.columns}
    if len(chosen) > 1:
        for column in chosen:
            others = tuple(other for other in chosen if other != column)
            yield f"Remove {column} from {name}", _with(spec, **{columns: others})
    used = spec.treated
    for binned in [pair for pair in easiest(info) if pair[0] not in used][: 2 * OFFERED]:
        column, binning = binned
        binnings = tuple(cut for cut in spec.binnings if cut.column in known - {column})
        own = tuple(
            hierarchy for hierarchy in spec.hierarchies if hierarchy.column in known - {column}
        )
        by_column = tuple(group for group in spec.rare_levels if group.column in known - {column})
        changed = _with(
            spec,
            binnings=binnings + binning,
            hierarchies=own,
            rare_levels=by_column,
            **{columns: (column,), rare: 0},
        )
        yield f"Use {column} as {name}", changed


def _with(spec: DataSpec, **changes: Any) -> DataSpec:
    return replace(spec, **changes)


def _fresh_starts(spec: DataSpec) -> Iterator[Changed]:
    if spec.read.of_values:
        yield "Read every column as is", replace(spec, read=spec.read.layout)
    try:
        first = first_question(spec.source, visits.sources())
    except CoreError:
        pass  # shown where the source was chosen
    else:
        yield "Start again with this data", first
    default = DataSpec()
    yield f"Open {visits.sources().title(default.source)}", default
