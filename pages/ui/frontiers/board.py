"""The Frontiers page: choose a sweep, compute it or open it from a file, and see its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.data.readers.sources import shared_file, shared_files
from core.errors import CoreError, InvalidInputError, SolverError
from core.jobs import Job
from core.limits import MAX_UPLOAD_MB
from core.notions import catalogue as notions
from core.release.sentences import for_whom
from core.sweep import Gathered, Sweep
from core.sweep.results import opened
from core.sweep.running import Estimate
from core.validation import shown
from core.wording import file_called, number_of
from pages.ui.chart import old
from pages.ui.frame import address, data_remedies, page_frame, state, theme
from pages.ui.frontiers import controls, findings, query, results
from pages.ui.frontiers.query import MOST_POINTS, Request
from pages.ui.frontiers.results import Desk, Shown
from pages.ui.parts import exports
from pages.ui.report.comparison import Picture
from pages.ui.report.parts import Parts, report
from pages.ui.style.labels import markdown
from pages.ui.work import context, derived, progress, visits

TITLE = "Many questions at once"
"""The page's title."""

FILE, FOLDER = "sweep_file", "sweep_folder"
"""Keys of the upload, and of the picker of a file in the server's folder."""

ENDS = (".parquet", ".pq")
"""Ends of the names of results files."""

_OPENED = "_sweep_opened"
_FRESH = "_sweep_just_opened"


def show_opening() -> None:
    """Show the ways to open a results file, and what came of the last one."""
    with st.expander("Open results from a file", icon=":material/folder_open:"):
        st.file_uploader(
            "Parquet from `python -m core sweep` or from this page's export, up to "
            f"{MAX_UPLOAD_MB} MB",
            type=[end[1:] for end in ENDS],
            key=FILE,
            on_change=_take_upload,
            help="Loads the file's sweep, shows its points, and can continue an unfinished one.",
        )
        _folder()
        good, message = st.session_state.get(_OPENED, (True, ""))
        if message and good:
            st.caption(markdown(message))
        elif message:
            st.error(markdown(message), icon=":material/error:")


def refresh() -> None:
    """Run the whole page again where a file has just changed what the sidebar shows."""
    if st.session_state.pop(_FRESH, False):
        st.rerun()


def _folder() -> None:
    """Show the results files in the folder that the server's owner opened."""
    try:
        names = [name for name in shared_files() if name.lower().endswith(ENDS)]
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "File in the server's folder",
            names,
            index=None,
            key=FOLDER,
            placeholder="Choose a file",
        )
        chosen = st.session_state[FOLDER]
        st.button("Open", key="sweep_open", on_click=_take_shared, disabled=chosen is None)


def _take_upload() -> None:
    file = st.session_state[FILE]
    st.session_state.pop(_OPENED, None)
    if file is not None:
        _take(file.name, file.getvalue)


def _take_shared() -> None:
    name = st.session_state[FOLDER]

    def content() -> bytes:
        path = shared_file(name)
        try:
            if path.stat().st_size > MAX_UPLOAD_MB * 1_000_000:
                raise InvalidInputError(
                    f"{shown(name)} has more than {MAX_UPLOAD_MB} MB, the limit here."
                )
            return path.read_bytes()
        except OSError as error:
            raise InvalidInputError(f"{shown(name)} cannot be read.") from error

    _take(name, content)


def _take(name: str, content: Callable[[], bytes]) -> None:
    """Show the points of a file and ask for its sweep, or say why not."""
    try:
        gathered = results.of_own_file(opened(content(), name, query.MOST_POINTS), name)
        _ask(gathered, name)
        results.take(gathered)
    except CoreError as error:
        st.session_state[_OPENED] = (False, str(error))
        return
    points, sweep = gathered.count, gathered.sweep
    st.session_state[_OPENED] = (
        True,
        f"{file_called(name)}: {points:,} of {number_of(sweep.size, 'point')}, {sweep.described}.",
    )
    st.session_state[_FRESH] = True


def _ask(gathered: Gathered, name: str) -> None:
    """Set the controls to a file's sweep."""
    sweep = gathered.sweep
    if sweep.draws is None:
        visits.recover(question.data.source for question in sweep.questions)
    if gathered.counts != results.counts(sweep):  # which says what data is not here
        raise InvalidInputError(
            f"{shown(name)} has the results for other records: the data has changed since."
        )
    chosen = query.form_of(sweep, state.scenario())
    if chosen is None or not query.take(chosen[0]):
        raise InvalidInputError(
            f"{shown(name)} has the results of a sweep that this page cannot run: "
            f"{sweep.described}."
        )
    state.adopt(chosen[1])


def show() -> None:
    theme.apply()
    controls.sidebar()
    address.warn(*state.notices())
    _live()


@st.fragment
def _live() -> None:
    """Show all that changes with a control; only this runs again when one is used."""
    refresh()
    notices = st.container()
    files = page_frame.head(TITLE)
    st.markdown(
        "Solve every combination of notion, mechanism and budget, on data or on random joint "
        "distributions. Plot any two results against each other; circles mark the points that no "
        "other point beats."
    )
    with st.container(border=True, key="sweep_asked"):
        controls.show()
        controls.sliders(state.scenario())
        request = _request()
        place = results.desk()
        if request is not None and _goes_on(place, request.sweep):
            results.start(request.sweep)
            place = results.desk()
        _work(place, request)
    state.publish(state.scenario())
    query.publish()
    shown = place.shown
    if shown is None:
        with files:
            exports.no_files("sweep", "There are no points yet: run a sweep, or open a file.")
    else:
        pictures, tables = _results(shown, place, None if request is None else request.sweep)
        with files:
            _files(shown, pictures, tables)
    show_opening()
    if request is not None and not results.obstacle(request.sweep):
        results.command(request.sweep)
    address.warn(*query.URL.notices(), place=notices)


def _files(shown: Shown, pictures: Sequence[Picture], tables: Mapping[str, pd.DataFrame]) -> None:
    """Show the menu of downloads of the points on screen, and the button of a report."""
    sweep, facts = shown.sweep, dict(context.shown())
    line = results.command_line(sweep)  # a report is made where the controls cannot be read

    def make() -> str:
        levels = for_whom(*sweep.questions)
        names = [scenario.notion for scenario in sweep.questions]
        parts = Parts(
            sentences=[
                f"{shown.count:,} of {number_of(sweep.size, 'point')}: {sweep.described}.",
                *([f"Levels are those of Y alone{levels}."] if levels else []),
            ],
            facts=facts,
            pictures=pictures,
            tables=tables,
            address=("frontiers", {}),
            explained=[notions.entry(key) for key in dict.fromkeys(names)],
            sources={"In a terminal": line, "sweep.json": results.definition(sweep)},
        )
        return report(TITLE, None, parts)

    exports.files("sweep", partial(results.downloads, shown), make, help=exports.OF_PAGE)


def _request() -> Request | None:
    """Return the sweep that the controls ask for; where there is none, say so and return None."""
    try:
        return query.request_of(query.form(), state.scenario())
    except CoreError as error:
        st.error(markdown(str(error)), icon=":material/error:")
        return None


def _is_uncountable() -> bool:
    """Return whether the data of the sidebar cannot be counted."""
    try:
        derived.counted(state.data())
    except CoreError:
        return True
    return False


def _goes_on(place: Desk, sweep: Sweep) -> bool:
    """Return whether a sweep is there, or under way, that this session does not show yet."""
    if place.work is not None or _is_shown(place, sweep) or sweep.size > MOST_POINTS:
        return False
    return results.is_known(sweep)


def _is_shown(place: Desk, sweep: Sweep) -> bool:
    return place.shown is not None and place.shown.sweep == sweep and place.shown.whole


def _work(place: Desk, request: Request | None) -> None:
    """Show the size of the sweep and its estimate, or how far the one under way is."""
    if request is not None:
        for sentence in request.left_out:
            st.caption(markdown(sentence))
    idle = request is not None and place.work is None and _is_shown(place, request.sweep)
    with st.container(key="sweep_all_there" if idle else "sweep_work"):  # no room for progress
        if place.work is not None and place.job is not None and place.sweep is not None:
            results.expect_nothing()
            other = request is None or place.sweep != request.sweep
            _follow(place, other=other)
            return
        if place.problem and not place.stopped:
            st.error(markdown(place.problem), icon=":material/error:")
        if request is None:
            results.expect_nothing()
            return
        _offer(place, request.sweep)


def _offer(place: Desk, sweep: Sweep) -> None:
    """Show the button that begins a sweep, its size and its time; or why its data has no counts."""
    size = f"**{number_of(sweep.size, 'point')}**: {sweep.described}."
    if _is_shown(place, sweep):
        results.expect_nothing()
        st.caption(f"{size} All are below.")
        return
    if obstacle := results.obstacle(sweep):
        results.expect_nothing()
        st.error(markdown(obstacle), icon=":material/error:")
        if _is_uncountable():
            data_remedies.buttons(state.data(), "frontiers_way")
        return
    if sweep.size > MOST_POINTS:
        results.expect_nothing()
        st.error(
            f"{size} This page computes at most {MOST_POINTS:,}. Choose fewer values or draws, or "
            "run the command below.",
            icon=":material/error:",
        )
        return
    left = place.left is not None and place.left.sweep == sweep
    expected = _expected(sweep)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Continue" if left else "Run the sweep",
            key="sweep_start",
            icon=":material/play_arrow:",
            type="primary",
            on_click=results.start,
            args=(sweep,),
        )
        st.markdown(f"{size} {expected} {_where()}")


def _where() -> str:
    """Return where sweeps are computed."""
    address = results.cluster()
    if address is not None:
        return f"The Dask cluster at {markdown(address)} computes them."
    return f"The server uses {number_of(results.processes(), 'worker')}."


def _expected(sweep: Sweep) -> str:
    """Say how long a sweep may take; check again while the estimate is under way."""
    try:
        estimate = results.expected(sweep)
    except CoreError as error:
        if isinstance(error, SolverError):
            return "Could not estimate the time: a single point takes too long."
        return markdown(str(error))
    if isinstance(estimate, Job):
        progress.watched(lambda: None if estimate.finished else (0.0, ""), key="sweep_estimate")
        return "Estimating the time…"
    results.desk_of_session().expected = {sweep: estimate.seconds / results.spread()}
    return _time(estimate)


def _time(estimate: Estimate) -> str:
    """Say how long a sweep may take."""
    of = " on one processor" if results.spread() == 1 else ""
    duration = _duration(estimate.seconds / results.spread())
    return f"About {duration}{of}, estimated from {number_of(estimate.measured, 'point')}."


def _duration(seconds: float) -> str:
    if seconds >= 7_200.0:
        return f"{seconds / 3600:,.0f} hours"
    if seconds >= 100.0:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds:.0f} s" if seconds >= 1 else "a second"


def _follow(place: Desk, *, other: bool) -> None:
    """Show how far the sweep under way is."""
    if other and place.sweep is not None:
        st.caption(
            f"Another sweep is running: {number_of(place.sweep.size, 'point')}, "
            f"{place.sweep.described}."
        )
    job, sweep, seen = place.job, place.sweep, results.seen(place)
    expected = place.expected.get(sweep, 0.0) if sweep is not None else 0.0

    def look() -> tuple[float, str] | None:
        if job is None or sweep is None or job.finished:
            return None
        left = job.progress
        before, done = (0, 0) if left is None else (left.earlier, left.count)
        if done - seen >= max(1, sweep.size // 20):  # points that have come are shown by this part
            return None
        text = f"{done:,} of {number_of(sweep.size, 'point')}, {job.seconds:.0f} s so far"
        to_go = expected * (1 - before / sweep.size) - job.seconds
        came = done - before
        if left is not None and came and (not expected or came >= results.processes()):
            since = min(left.since.seconds, job.seconds)  # the next ones are under way as long
            to_go = (job.seconds - since) * (sweep.size - done) / came - since
        if to_go > 0:
            text += f", about {_duration(to_go)} left"
        return done / sweep.size, text

    progress.watched(look, key="sweep_cancel", on_cancel=results.cancel)


def _results(
    shown: Shown, place: Desk, sweep: Sweep | None
) -> tuple[list[Picture], dict[str, pd.DataFrame]]:
    """Show points that have been computed, and say where they are old or unfinished.

    Returns the chart and the tables.
    """
    stale = shown.sweep != sweep
    running = place.work is not None and place.sweep == shown.sweep
    about = query.facts(shown.sweep)
    with st.container(horizontal=True, vertical_alignment="center", key="sweep_state"):
        if stale:
            st.badge(
                f"previous: {number_of(shown.sweep.size, 'point')} on {about['data']}, "
                f"{query.promises(shown.sweep)}",
                icon=":material/history:",
                color="orange",
            )
        if not shown.whole:
            st.badge(
                f"unfinished: {shown.count:,} of {number_of(shown.sweep.size, 'point')}",
                icon=":material/hourglass_top:" if running else ":material/hourglass_disabled:",
                color="orange",
            )
            about["points"] = f"{shown.count:,} of {shown.sweep.size:,}, unfinished"
    context.tell_about(about)
    if whose := for_whom(*shown.sweep.questions):
        st.caption(markdown(f"Levels are those of Y alone{whose}."))
    with old(stale):
        return findings.show(shown)
