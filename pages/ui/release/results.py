"""What the Release page asks of `core`: the preview, the released file, estimates from it."""

from __future__ import annotations

import json
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
from core.records.plan import Plan
from core.scenario import Result, Scenario
from pages.ui.work import derived, long_answer, own_release
from pages.ui.work.long_answer import LongAnswer

SHOWN = 50
"""Records of the preview."""

QUICK = 50_000
"""Records up to which a file is written in place, which takes less than a second."""

LIMIT = 3600.0
"""Seconds that a release may take: ten million records take a few minutes."""

_PREVIEW = "_release_preview"

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

    @property
    def commitment(self) -> str:
        """The hash of the seed or key that it was drawn by."""
        return str(self.made.certificate["draw"]["commitment"])


def original(result: Result) -> Upload:
    """Return the file that is released.

    Raises
    ------
    CoreError
        If the data is no single file.
    """
    data = result.scenario.data
    return derived.kept(
        data,
        ("original file", data.source, repr(data.read)),
        lambda: design.original(data.source, derived.sources(), data.read),
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
    """Return the first records before and after, with columns in the file's order.

    Raises
    ------
    CoreError
        If they cannot be released.
    """
    key = name(result, plan, "")
    last: tuple[Name, Any] | None = st.session_state.get(_PREVIEW)
    if last is None or last[0] != key:
        before, after = applying.preview(result, original(result).table, plan, SHOWN)
        last = (key, (before.to_pandas(), after.to_pandas()))
        st.session_state[_PREVIEW] = last
    shown: tuple[pd.DataFrame, pd.DataFrame] = last[1]
    return shown


def ask(key: Name) -> None:
    """Ask for a release to be made."""
    own_release.release().asked = key


def is_asked(key: Name) -> bool:
    """Say whether a release was asked for, and not given up."""
    return own_release.release().asked == key


def written(key: Name) -> Written | None:
    """Return a release that was made; None where the last one is another."""
    own = own_release.release()
    found: Written | None = own.made
    if found is not None and not found.path.exists():
        own.lose()
        return None
    return found if found is not None and found.name == key else None


def asked_before() -> Scenario | None:
    """Return the question of the file that is there; None where there is none."""
    found: Written | None = own_release.release().made
    if found is None:
        return None
    return Scenario.from_json(json.dumps(found.made.certificate["scenario"]))


def work(result: Result, plan: Plan, key: Name) -> LongAnswer[Made]:
    """Return the work of making a release in another process."""

    def given() -> tuple[Any, ...]:
        return result, original(result), plan, _target(key)

    folder = own_release.release().files.folder.name  # each page writes a file of its own
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
    """Return where a release is written; work that goes on after a reload writes where it did."""
    own = own_release.release()
    if own.target is None or own.target[0] != key or not own.target[1].parent.exists():
        own.made = None  # whose file goes
        own.target = (key, own.files.target(f"released.{key[-1]}"))
    return own.target[1]


def _keep(key: Name, made: Made) -> Written:
    own = own_release.release()
    found = Written(key, made, _target(key))
    own.made, own.asked, own.lost = found, None, ""
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
