"""What the Release page asks of `core`: the preview, the released file, estimates from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.data.readers.reading import Upload
from core.jobs import Job
from core.jobs.work import make_release
from core.records import applying, design
from core.records.certificate import Made
from core.records.draws import Keyed
from core.records.estimate import estimate
from core.records.plan import Layout, Plan
from core.scenario import Result
from pages.ui.work import derived, long_answer, released_files
from pages.ui.work.long_answer import LongAnswer

SHOWN = 50
"""Records of the preview."""

QUICK = 50_000
"""Records up to which a file is written in place, which takes less than a second."""

LIMIT = 3600.0
"""Seconds that a release may take: ten million records take a few minutes."""

_MADE, _ASKED, _PREVIEW = "_release_made", "_release_asked", "_release_preview"

Name = tuple[str, ...]
"""What a release is known by: the answer, the plan and the kind of file."""


@dataclass(frozen=True, eq=False)
class Written:
    """A released file of this session.

    Attributes
    ----------
    name : tuple of str
        What it is a release of.
    made : Made
        Its counts and certificate.
    path : Path
        The file.
    """

    name: Name
    made: Made
    path: Path


def original(result: Result) -> Upload:
    """Return the file that is released.

    Raises
    ------
    CoreError
        If the data is no single file.
    """
    return derived.kept(
        result.scenario.data,
        ("original file", result.scenario.data.source),
        lambda: design.original(result.scenario.data.source, derived.sources()),
    )


def name(result: Result, plan: Plan, kind: str) -> Name:
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
        plan.unknown,
        kind,
    )


def preview(result: Result, plan: Plan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the first records before and after, what changes in their first columns.

    Raises
    ------
    CoreError
        If they cannot be released.
    """
    key = name(result, plan, "")
    last: tuple[Name, Any] | None = st.session_state.get(_PREVIEW)
    if last is None or last[0] != key:
        table, spec = original(result).table, result.scenario.data
        before, after = applying.preview(result, table, plan, SHOWN)
        column = Layout.of(spec, table.columns, plan.columns).column
        last = (key, (_first(before, spec.released + spec.secret), _first(after, (column,))))
        st.session_state[_PREVIEW] = last
    shown: tuple[pd.DataFrame, pd.DataFrame] = last[1]
    return shown


def _first(table: Any, names: tuple[str, ...]) -> pd.DataFrame:
    """Return an Arrow table as a frame with some columns before the others."""
    frame: pd.DataFrame = table.to_pandas()
    return frame[[*names, *(name for name in frame.columns if name not in names)]]


def ask(key: Name) -> None:
    """Ask for a release to be made."""
    st.session_state[_ASKED] = key


def is_asked(key: Name) -> bool:
    """Say whether a release was asked for, and not given up."""
    return bool(st.session_state.get(_ASKED) == key)


def written(key: Name) -> Written | None:
    """Return a release that was made; None where the last one is another."""
    found: Written | None = st.session_state.get(_MADE)
    return found if found is not None and found.name == key and found.path.exists() else None


def work(result: Result, plan: Plan, key: Name) -> LongAnswer[Made]:
    """Return the work of making a release in another process."""

    def given() -> tuple[Any, ...]:
        return result, original(result), plan, _target(key)

    folder = released_files.files().folder.name  # each session writes a file of its own
    return LongAnswer(
        result.scenario.data, ("release", folder, *key), make_release, given, LIMIT, keep=False
    )


def make(result: Result, plan: Plan, key: Name) -> Written | Job[Made]:
    """Return the release, or the job that is at work on it.

    Raises
    ------
    CoreError
        If the records cannot be released, or the work was stopped.
    """
    long_work = work(result, plan, key)
    if original(result).rows <= QUICK:
        ready: Callable[..., Made] = make_release
        target = _target(key)
        return _keep(key, ready(result, original(result), plan, target, report=lambda _: None))
    long_answer.await_only("release", [long_work])
    found = long_work.ask()
    return found if isinstance(found, Job) else _keep(key, found)


def give_up() -> None:
    """Stop work on a release that is not asked for any more."""
    long_answer.await_only("release", ())


def _target(key: Name) -> Path:
    target = released_files.files().target(f"released.{key[-1]}")
    st.session_state["_release_target"] = target
    return target


def _keep(key: Name, made: Made) -> Written:
    found = Written(key, made, st.session_state["_release_target"])
    st.session_state[_MADE] = found
    del st.session_state[_ASKED]
    return found


def estimates(result: Result, made: Made) -> pd.DataFrame | None:
    """Return P(x) estimated from the released file beside the truth.

    None where the kernel's rows are pairs (s, x): outputs alone do not tell X's distribution then.

    Raises
    ------
    CoreError
        If nothing was released.
    """
    joint, kernel = result.joint, result.mechanism.kernel
    if len(kernel) != joint.n_x:
        return None
    found = estimate(made.applied.outputs, kernel)
    return pd.DataFrame(
        {
            "x": joint.x_labels,
            "original": joint.p_x,
            "estimate": found.p,
            "standard_error": found.stderr,
        }
    )
