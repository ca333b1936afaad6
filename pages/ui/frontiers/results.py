"""A sweep under way and at its end, and its downloads, with the command that repeats it."""

from __future__ import annotations

import io
import json
import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any

import pandas as pd
import streamlit as st
from pyarrow import parquet

from core.codec import plain_json
from core.data import Counted
from core.data.databases.reference import is_reference
from core.data.spec import HASHED, WITHHELD, DataSpec
from core.errors import CoreError, InvalidInputError
from core.jobs import Job
from core.records.design import is_bundled
from core.scenario.context import METADATA, Context, file_part
from core.sweep import Gathered, PoolWorkers, Sweep, Workers, counts_hash, differences, summary
from core.sweep.cluster import ClusterWorkers, address_of
from core.sweep.points import schema
from core.sweep.results import CODE, COUNTS, KEY, UNFINISHED, described, is_final
from core.sweep.running import Estimate, begin, estimate
from core.validation import shown as as_shown
from pages.ui.frontiers import query
from pages.ui.parts import exports
from pages.ui.work import context, derived, long_answer, visits
from pages.ui.work.long_answer import STUDY, LongAnswer, StoppedError
from pages.ui.work.store import is_private

_WITHHELD = tuple(f"{kind}:{WITHHELD}" for kind in HASHED)
_KINDS = ("upload:", "matrix:", "random:", "example:")
"""Prefixes of sources that are not names of files."""

PLACE = "estimate of a sweep"
"""Where the session waits for an estimate."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The points on screen, as `Gathered.table` returns them, and their sweep."""

    sweep: Sweep
    table: Any

    @property
    def count(self) -> int:
        return int(self.table.num_rows)

    @property
    def whole(self) -> bool:
        return self.count == self.sweep.size

    @property
    def undisclosed(self) -> Shown:
        """The same with names in place of the hashes of the user's files."""
        sweep = _undisclosed(self.sweep)
        points = self.table.select(schema(sweep.measures).names)
        return Shown(sweep, described(sweep, [points]))


@dataclass
class Desk:
    """A session's sweep under way, and the points that it shows.

    `expected`: the seconds that the last sweep asked for was estimated to take, by itself.
    """

    sweep: Sweep | None = None
    work: LongAnswer[Any] | None = None
    job: Job[Any] | None = None
    left: Gathered | None = None
    shown: Shown | None = None
    problem: str = ""
    stopped: bool = False
    expected: dict[Sweep, float] = field(default_factory=dict)


def desk() -> Desk:
    """Return this session's work, with the points that have come meanwhile."""
    place = desk_of_session()
    if place.work is None or place.sweep is None:
        return place
    try:
        outcome = place.work.ask()
    except CoreError as error:
        place.problem = str(error)
        place.stopped = isinstance(error, StoppedError)
        _ended(place)
        return place
    if isinstance(outcome, Job):
        place.job, place.left = outcome, outcome.progress
        if place.left is not None:
            _show(place, place.left)
    else:
        place.shown = Shown(place.sweep, outcome)
        place.left = place.work = place.job = None
    return place


def desk_of_session() -> Desk:
    """Return this session's work as last seen."""
    place: Desk = st.session_state.setdefault("_frontiers_desk", Desk())
    return place


def start(sweep: Sweep) -> None:
    cancel()
    place = desk()
    if place.left is not None and place.left.sweep != sweep:
        place.left = None
    place.sweep, place.problem, place.stopped = sweep, "", False
    place.work = work(sweep)
    place.work.resume()  # an earlier attempt may have been stopped or have failed
    desk()


def take(gathered: Gathered) -> None:
    """Show the points of a results file; those of an unfinished sweep can be gone on with."""
    cancel()
    place = desk()
    place.sweep, place.problem, place.stopped = gathered.sweep, "", False
    place.left = None if gathered.complete else gathered
    place.shown = Shown(gathered.sweep, gathered.table())


def cancel() -> None:
    place = desk()
    if place.work is not None:
        place.work.stop()
        place.problem, place.stopped = "", True
        _ended(place)


def _ended(place: Desk) -> None:
    """Keep the points of work that has ended before its end."""
    if place.left is not None:
        _show(place, place.left)
    place.work = place.job = None


def _show(place: Desk, left: Gathered) -> None:
    """Show points that have come; the points of another sweep stay until there are some."""
    now = left.count
    same = place.shown is not None and place.shown.sweep == left.sweep
    if now and (not same or place.shown is None or place.shown.count != now):
        place.shown = Shown(left.sweep, left.table())


def seen(place: Desk) -> int:
    """Return how many points of the sweep under way are on screen."""
    if place.shown is None or place.shown.sweep != place.sweep:
        return 0
    return place.shown.count


def is_known(sweep: Sweep) -> bool:
    """Return whether a sweep is there or under way, in this session or in another one."""
    return work(sweep).is_begun


def work(sweep: Sweep) -> LongAnswer[Any]:
    """Return the work on a sweep: apart from all other work where it has points of a file."""
    origin = _gathered(sweep).origin
    return LongAnswer(
        _whose(sweep),
        ("points of a sweep", sweep.content_hash(), *([origin] if origin else [])),
        _begun,
        lambda: (_gathered(sweep), counted(sweep)),
        STUDY,
        is_final=is_final,
        of_many=True,
    )


def expected(sweep: Sweep) -> Estimate | Job[Estimate]:
    """Return how long a sweep may take, or the job that estimates it."""
    estimating: LongAnswer[Estimate] = LongAnswer(
        _whose(sweep),
        ("estimate of a sweep", sweep.content_hash()),
        estimate,
        lambda: (sweep, counted(sweep)),
        60.0,
        is_final=lambda _: False,  # on a busy machine it is longer
    )
    long_answer.await_only(PLACE, [estimating])
    return estimating.ask()


def expect_nothing() -> None:
    """Stop waiting for an estimate."""
    long_answer.await_only(PLACE, ())


def counts(sweep: Sweep) -> str:
    """Return the hash of what a sweep's data was counted to, for its results file."""
    return counts_hash(counted(sweep))


def cluster() -> str | None:
    return address_of(None)


def processes() -> int:
    return long_answer.GENERAL


def spread() -> int:
    """Return how many points of a sweep are worked on at full speed at a time."""
    return 1 if cluster() is not None else min(processes(), os.cpu_count() or 1)


def _gathered(sweep: Sweep) -> Gathered:
    """Return where a sweep's points are kept: with those that this session has already."""
    left = desk_of_session().left
    return left if left is not None and left.sweep == sweep else Gathered(sweep)


def _begun(gathered: Gathered, counted: dict[DataSpec, Counted], *, owner: str) -> Job[Any]:
    address = cluster()

    def workers() -> AbstractContextManager[Workers]:
        if address is not None:
            return ClusterWorkers(address)
        return nullcontext(PoolWorkers(long_answer.WORKERS, owner))

    return begin(gathered, workers, counted, time_limit=STUDY)


def counted(sweep: Sweep) -> dict[DataSpec, Counted]:
    """Return the data that a sweep is about, counted; none of random joints."""
    if sweep.draws is not None:
        return {}
    return {spec: derived.counted(spec) for spec in _data(sweep)}


def obstacle(sweep: Sweep) -> str:
    """Return why a sweep's data cannot be counted, as each of its points would; "" if it can."""
    try:
        counted(sweep)
    except CoreError as error:
        return str(error)
    return ""


def of_own_file(gathered: Gathered, name: str) -> Gathered:
    """Return a results file's points, tied to the session's file of the same name, if any."""
    names = [] if gathered.sweep.draws is not None else _names(gathered.sweep)
    if len(names) != 1:  # the page asks of one file at most
        return gathered
    here = [gathered.about({names[0]: source}) for source in _meant(names[0])]
    if not here:
        what, missing = as_shown(name), as_shown(names[0])
        raise InvalidInputError(
            f"{what} uses {missing}, which is not in this session. Upload it on the Data page, "
            "then open the results again."
        )
    return next(
        (candidate for candidate in here if _is_counted_to(candidate.sweep, candidate.counts)),
        here[0],
    )


def _names(sweep: Sweep) -> list[str]:
    """Return a sweep's names of files or matrices that belong to a session."""
    return [
        source
        for source in dict.fromkeys(spec.source for spec in _data(sweep))
        if source.startswith(_WITHHELD)
        or not (is_bundled(source) or is_reference(source) or source.startswith(_KINDS))
    ]


def _meant(name: str) -> list[str]:
    """Return this session's sources that a name may stand for."""
    own = visits.sources()
    if name.startswith(_WITHHELD):
        return list(own.matrices if name.startswith("matrix") else own.uploads)
    file = PureWindowsPath(name).name  # it knows the paths of other systems too
    called = own.upload_labels.items()
    return [source for source, label in called if file in (label, own.uploads[source].name)]


def _is_counted_to(sweep: Sweep, counts_: str) -> bool:
    """Return whether a sweep's data is counted to what a file of results is of."""
    return not obstacle(sweep) and counts(sweep) == counts_


def _data(sweep: Sweep) -> list[DataSpec]:
    return list(dict.fromkeys(question.data for question in sweep.questions))


def _whose(sweep: Sweep) -> DataSpec:
    """Return the data that decides whether a sweep is this session's alone."""
    specs = _data(sweep)
    return next((spec for spec in specs if is_private(spec)), specs[0])


HASH_NOTE = (
    "The address names your file by its SHA-256 hash. Anyone who guesses the file can confirm the "
    "guess, so share it only with people who have the file. The files here do not contain the "
    "hash."
)
"""Stands beside the address of a sweep of a user's file."""


def downloads(shown: Shown) -> None:
    """Show the downloads of the points on screen."""
    about, field = context.shown(), query.value("apart")
    name = file_part(about)
    sweep = shown.sweep
    with st.container(gap="small"):
        st.caption("All points" if shown.whole else "The points so far, unfinished")
        left, right = st.columns(2)
        with left:
            exports.button(
                "CSV",
                f"points-{name}.csv",
                "text/csv",
                lambda: exports.csv_bytes(points(shown)),
                "sweep_points_csv",
            )
        with right:
            exports.button(
                "Parquet",
                f"points-{name}.parquet",
                "application/octet-stream",
                lambda: parquet_bytes(shown, about),
                "sweep_points_parquet",
            )
        st.caption("Means, quantiles and paired differences for all results")
        exports.button(
            "JSON",
            f"means-{name}.json",
            "application/json",
            lambda: means_json(shown, about, field),
            "sweep_means_json",
        )
        st.caption("The sweep, for `python -m core sweep`")
        _defined(sweep, "sweep_definition")
        st.caption("The address of this page is a permalink: it holds the sweep, never the data.")
        if any(spec.hashed for spec in _data(sweep)):
            st.caption(HASH_NOTE)


def command(sweep: Sweep) -> None:
    with st.expander("From the command line", icon=":material/terminal:"):
        st.code(command_line(sweep), language="bash")
        st.code(definition(sweep), language="json", height=220)
        _defined(sweep, "sweep_command", width="content", icon=":material/download:")


def _defined(sweep: Sweep, key: str, **more: Any) -> None:
    mime = "application/json"
    exports.button(
        "Sweep (JSON)", "sweep.json", mime, lambda: definition(sweep).encode(), key, **more
    )


def command_line(sweep: Sweep) -> str:
    """Return the command that computes a sweep and its means."""
    line = "python -m core sweep sweep.json --out results.parquet --summary means.json"
    field = query.value("apart")
    return f"{line} \\\n  --differences {field}" if field in sweep.varied else line


def definition(sweep: Sweep) -> str:
    return _undisclosed(sweep).to_json()


def _undisclosed(sweep: Sweep) -> Sweep:
    return sweep.undisclosed(visits.sources().upload_labels)


def points(shown: Shown) -> pd.DataFrame:
    """Return the points as a table, without a hash of the user's file."""
    frame: pd.DataFrame = shown.undisclosed.table.to_pandas()
    return frame


def parquet_bytes(shown: Shown, about: Context) -> bytes:
    """Return the points as a results file, without a hash of the user's file.

    Of an unfinished sweep no run takes it for one.
    """
    table = shown.undisclosed.table
    metadata = dict(table.schema.metadata)
    if not shown.whole:
        metadata = {CODE: metadata[CODE], UNFINISHED: metadata[KEY]}
    metadata[COUNTS] = counts(shown.sweep).encode()
    metadata[METADATA.encode()] = json.dumps(dict(about), ensure_ascii=False).encode()
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def means_json(shown: Shown, about: Context, field: str) -> bytes:
    """Return the means of all figures with their quantiles, and a field's differences, as JSON."""
    public = shown.undisclosed
    sweep = public.sweep
    means = summary(public.table, sweep)
    content: dict[str, Any] = {
        "about": dict(about),
        "sweep": json.loads(sweep.to_json()),
        "points": public.count,
        "of": sweep.size,
        "summary": means,
    }
    if field in sweep.varied:
        content["differences"] = differences(public.table, sweep, field)
    return json.dumps(plain_json(content), indent=1, ensure_ascii=False).encode()
