"""A release under way and at its end: its progress, files and certificate."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.data.databases.reference import is_reference
from core.data.readers.reading import Upload
from core.data.tables import FileTable
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import make_release
from core.records import applying, design
from core.records.applying import Applied
from core.records.certificate import Made
from core.records.design import Plan
from core.records.draws import Keyed
from core.records.estimate import estimate
from core.records.for_each import ResultForEach
from core.records.readable import PROMISED, level_rows, sections
from core.records.several import Several
from core.scenario import Result, Scenario
from pages.ui.parts import tables
from pages.ui.style.labels import markdown
from pages.ui.work import derived, long_answer, visits
from pages.ui.work.long_answer import STUDY, LongAnswer

MARKS = {True: ":green[:material/verified_user:]", False: ":orange[:material/gpp_maybe:]"}
"""Marks of what is promised and of what is not; the words say it too."""


def as_json(made: Made) -> bytes:
    """Return the certificate's file, as the command writes it."""
    return (json.dumps(made.certificate, indent=1, ensure_ascii=False) + "\n").encode()


def answers(result: Result, several: Several | None) -> tuple[Result, ...]:
    """Return the answer for each X, in the order of release."""
    return (result,) if several is None else several.results


def show(result: Result, made: Made, several: Several | None = None) -> None:
    """Show a certificate, and what can be estimated from the released file."""
    body = made.certificate
    with st.container(border=True, key="card_certificate"):
        st.markdown("**Certificate**")
        left, right = st.columns(2, gap="large")
        with left:
            _promises(body["promises"])
        with right:
            for section in sections(body)[:-1]:
                st.markdown(f"**{section.title}**")
                st.markdown(_lines(section.rows))
        hashes = sections(body)[-1]
        with st.expander("Hashes: the exact files that the certificate covers"):
            st.markdown(_lines(hashes.rows, mono=True))
    alone = several is None and not isinstance(result, ResultForEach)
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch", key="card_levels"):
        st.markdown("**Levels**")
        st.caption(
            "The smallest level at which each privacy notion holds for "
            + ("this mechanism." if alone else "all mechanisms together.")
            + (ROBUST if body["levels"]["design"].get("robust_pml") is not None else "")
        )
        tables.sheet(_levels(body), "release_levels", most=400)
    with right, st.container(border=True, height="stretch", key="card_estimate"):
        applied = (made.applied, *made.applied.further)
        _estimates(list(zip(answers(result, several), applied, strict=True)))


def _promises(promises: list[dict[str, str]]) -> None:
    """Show what is promised to whom, and what is not."""
    for status, title in ((True, "What is promised"), (False, "What is not promised")):
        chosen = [promise for promise in promises if (promise["status"] == PROMISED) == status]
        if chosen:
            st.markdown(f"**{title}**")
        for promise in chosen:
            about = promise["about"][:1].upper() + promise["about"][1:]
            st.markdown(f"{MARKS[status]} **{markdown(about)}**: {markdown(promise['sentence'])}")


def _lines(rows: tuple[tuple[str, str], ...], *, mono: bool = False) -> str:
    """Return rows as a list in Markdown."""
    return "\n".join(
        f"- {markdown(name)}: " + (f"`{text}`" if mono else markdown(text)) for name, text in rows
    )


def _levels(body: dict[str, object]) -> pd.DataFrame:
    rows = level_rows(body)
    return pd.DataFrame(
        {
            "notion": [level.title for level in rows],
            "level": [math.nan if level.design is None else level.design for level in rows],
            "unit": [level.unit for level in rows],
        }
    )


def _estimates(columns: Sequence[tuple[Result, Applied]]) -> None:
    """Show P(x) as the released file's readers can estimate it, beside the truth, for each X."""
    st.markdown("**What readers can estimate**")
    shown = [_estimate(result, applied) for result, applied in columns]
    if any(isinstance(item, pd.DataFrame) for item in shown):
        st.caption(
            "P(x), estimated from the released file and the certificate alone, next to the "
            "original. A standard error of ∞ means that no number of records separates that "
            "symbol from the others."
        )
    heads = {"standard_error": {"label": "standard error"}}  # a name for programs in the files
    for place, (item, (_, applied)) in enumerate(zip(shown, columns, strict=True)):
        if len(columns) > 1:
            st.markdown(markdown(applied.column))
        if isinstance(item, pd.DataFrame):
            key = f"release_estimate_{place}" if place else "release_estimate"
            tables.sheet(item, key, most=400, column_config=heads)
        else:
            st.caption(markdown(item))


def _estimate(result: Result, applied: Applied) -> pd.DataFrame | str:
    """Return the estimate, or why there is none."""
    if isinstance(result, ResultForEach):
        known = result.counted.report.known
        return (
            f"The mechanism depends on {known}: a reader who knows it can estimate P(x) for each "
            f"{known}."
        )
    try:
        estimated = estimates(result, applied)
    except CoreError as error:
        return str(error)
    if estimated is None:
        return "The mechanism also reads S, so Y alone is not enough to estimate P(x)."
    return estimated


ROBUST = (
    " Robust PML holds over a slightly larger set of distributions than the levels at the truth on "
    "Explore, so it may be higher."
)
"""What is said of that level: Explore's bound is another one."""

SHOWN = 50
"""Records of the preview."""

QUICK = 50_000
"""Records up to which a file is written and attacked in place, which takes about a second, and
cells of other columns up to which they are counted there."""

_PREVIEW = "_release_preview"

Name = tuple[str, ...]
"""What a release is known by: the answer, the plan and the kind of file."""


@dataclass(frozen=True, eq=False)
class Written:
    """A released file of this session: its name, counts and certificate.

    `columns`: those kept, those randomized separately beside the question's X, and from how
    many records a known value has a mechanism of its own.
    """

    name: Name
    made: Made
    path: Path
    question: Scenario
    columns: tuple[tuple[str, ...], tuple[str, ...], int]

    @property
    def commitment(self) -> str:
        """The hash of the seed or key that it was drawn by."""
        return str(self.made.certificate["draw"]["commitment"])


def table(result: Result) -> FileTable:
    """Return the records that are released; those of a database are counts."""
    data = result.scenario.data
    if not is_reference(data.source):
        return original(result).table
    counts = visits.sources().open(data.source, data.columns, data.read)
    assert isinstance(counts, FileTable)
    return counts


def name_of(table: FileTable) -> tuple[str, ...]:
    """Return what tells counts of a database from others of the same table; () for a file."""
    return tuple(map(str, table.paths)) if table.counted else ()


def original(result: Result) -> Upload:
    """Return the file that is released."""
    data = result.scenario.data
    return derived.kept(
        data,
        ("original file", data.source, repr(data.read)),
        lambda: design.original(data.source, visits.sources(), data.read),
    )


def name(result: Result, plan: Plan, kind: str, several: Several | None = None) -> Name:
    """Return what a release is known by; a seed or key is there as its hash only."""
    made = result.mechanism
    column = plan.draw.column if isinstance(plan.draw, Keyed) else ""
    return (
        result.content_id,
        result.scenario.to_json(),
        f"{made.status} {made.upper_bound!r}",
        plan.draw.commitment,
        column,
        plan.columns,
        repr(plan.keep),
        f"{plan.randomize!r} {plan.for_each}",
        " ".join(own.content_id for own in answers(result, several)[several is None :]),
        plan.unknown,
        kind,
    )


def preview(
    result: Result, plan: Plan, several: Several | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first records before and after, with columns in the file's order."""
    key = name(result, plan, "", several)
    last: tuple[Name, Any] | None = st.session_state.get(_PREVIEW)
    if last is None or last[0] != key:
        file = original(result)
        first, *further = answers(result, several)
        before, after = applying.preview(first, file.table, plan.on(file), SHOWN, further)
        last = (key, (before.to_pandas(), after.to_pandas()))
        st.session_state[_PREVIEW] = last
    shown: tuple[pd.DataFrame, pd.DataFrame] = last[1]
    return shown


def request(key: Name) -> None:
    """Request a release."""
    visits.release().requested = key


def is_requested(key: Name) -> bool:
    """Say whether a release was requested and not given up."""
    return visits.release().requested == key


def written(key: Name) -> Written | None:
    """Return a release that was made; None where the last one is another."""
    own = visits.release()
    last: Written | None = own.made
    if last is not None and not last.path.exists():
        own.lose()
        return None
    return last if last is not None and last.name == key else None


def earlier() -> Written | None:
    """Return the file that is there, whatever it answers; None where there is none."""
    last: Written | None = visits.release().made
    return last


def work(result: Result, plan: Plan, key: Name, several: Several | None = None) -> LongAnswer[Made]:
    """Return the work of making a release in another process."""

    def given() -> tuple[Any, ...]:
        return result, original(result), plan, _target(key), several

    folder = visits.release().files.folder.name  # each page writes a file of its own
    return LongAnswer(
        result.scenario.data, ("release", folder, *key), make_release, given, STUDY, keep=False
    )


def make(
    result: Result, plan: Plan, key: Name, several: Several | None = None
) -> Written | Job[Made]:
    """Return the release, or the job that is at work on it."""
    long_work = work(result, plan, key, several)
    if original(result).rows <= QUICK:
        ready: Callable[..., Made] = make_release
        own = ready(result, original(result), plan, _target(key), several, report=lambda _: None)
        return _keep(key, own, result.scenario, plan)
    long_answer.await_only("release", [long_work])
    release = long_work.ask()
    return release if isinstance(release, Job) else _keep(key, release, result.scenario, plan)


def give_up() -> None:
    """Stop work on a release that is not asked for any more."""
    long_answer.await_only("release", ())


def _target(key: Name) -> Path:
    """Return where a release is written; work that goes on after a reload writes where it did."""
    own = visits.release()
    if own.target is None or own.target[0] != key or not own.target[1].parent.exists():
        own.made = None  # whose file goes
        own.target = (key, own.files.target(f"released.{key[-1]}"))
    return own.target[1]


def _keep(key: Name, made: Made, question: Scenario, plan: Plan) -> Written:
    own = visits.release()
    kept = Written(key, made, _target(key), question, (plan.keep, plan.randomize, plan.for_each))
    own.made, own.requested, own.lost = kept, None, ""
    return kept


def estimates(result: Result, applied: Applied) -> pd.DataFrame | None:
    """Return P(x) estimated from the file beside the truth; None where the mechanism reads S."""
    joint, kernel = result.joint, result.mechanism.kernel
    if len(kernel) != joint.n_x:
        return None
    estimated = estimate(applied.outputs, kernel)
    return pd.DataFrame(
        {
            "x": joint.x_labels,
            "original": joint.p_x,
            "estimate": estimated.p,
            "standard_error": estimated.stderr,
        }
    )
