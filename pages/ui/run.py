"""What pages ask of `core`, each answer cached under the question alone.

What stems from an upload is cached in its session only; nothing of it is shared or logged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from core import histogram as lift
from core.data import (
    BinPreview,
    ColumnLevels,
    Counted,
    Sources,
    TableInfo,
    count,
    describe,
    preview,
)
from core.data import column_levels as list_levels
from core.data.spec import Binning, DataSpec
from core.disclosure import Beliefs, Disclosure, SideChannel, about_x, disclosure, side_channels
from core.errors import CoreError
from core.histogram import Asymmetry, LiftHistogram
from core.jobs import Job, Pool, State
from core.jobs.work import find_answer, make_frontier
from core.leakage import leakage
from core.lookalikes import Lookalikes, lookalikes
from core.mechanisms import MergeStep, catalogue, subset_merging_steps
from core.notions import ALIP, LIP, Notion
from core.notions import catalogue as notions
from core.scenario import Result, Scenario, answer
from core.sweep import GRID, Frontier, sweep
from core.uncertainty.estimate import assumed_records
from pages.ui.store import Store

Made = TypeVar("Made")

LIFT_BOUNDS = (LIP, ALIP)
"""The notions whose budgets bound log Ψ and log Λ themselves."""

QUICK = ("watchdog", "watchdog_uniform", "subset_merging", "grr", "secret_rr", "pair_rr")
"""Mechanisms whose whole sweep takes less than a glance."""

QUICK_SYMBOLS = 40
"""Largest alphabet of X for which that is so."""

POINT_LIMIT = 1.5
"""Seconds that a solver may take over one point of a frontier in the background."""

SWEEP_LIMIT = 60.0
"""Seconds that a frontier in the background may take."""

SWEEPS = Pool(1)
"""Works out frontiers beside the interface, in a process of its own."""

GLANCE = 0.25
"""Seconds that an answer may take before a release of a slider is felt."""

SLOW_FROM = {
    "oue": 12,
    "srlip_product": 0,
    "srlip_product_optimised": 0,
    "independent_reporting": 60,
    "merge_anonymity": 400,
    "merge_maximin": 400,
    "merge_reduction": 160,
}
"""From how many symbols of X on a mechanism that cannot be cut short takes longer than that."""

GRACE = 30.0
"""Seconds beside the solver's own limit after which its process is ended."""

SOLVES = Pool(2)
"""Answers what takes longer, for two sessions at once; others wait in line, no slider does."""

PRIVATE = ("upload:", "matrix:")
"""How sources that belong to one session begin."""


SHARED = Store(2_000)
"""Answers about bundled, random and example data, for every session."""


class UnfinishedError(CoreError):
    """There is no answer yet, and work on it is under way."""


def kept_for(spec: DataSpec) -> Store:
    """Return where answers about some data are kept: in its session alone if it is its own."""
    if not spec.source.startswith(PRIVATE):
        return SHARED
    own: Store = st.session_state.setdefault("_answers", Store(500))
    return own


def _cached(spec: DataSpec, key: tuple[Hashable, ...], make: Callable[[], Made]) -> Made:
    """Return what was made under a key, making it first where needed."""
    return kept_for(spec).get(key, make)


def sources() -> Sources:
    """Return this session's uploads and pasted matrices."""
    found: Sources = st.session_state.setdefault("sources", Sources())
    return found


def counted(spec: DataSpec) -> Counted:
    """Return the joint distribution that a spec describes."""
    return _cached(spec, ("counted", repr(spec)), lambda: count(spec, sources()))


def described(source: str) -> TableInfo | None:
    """Return what a source's columns hold; None where it is a joint."""
    spec = DataSpec(source)
    return _cached(spec, ("described", source), lambda: describe(source, sources()))


def column_levels(source: str, column: str) -> ColumnLevels:
    """Return the levels of a column of a source, to choose from."""
    return _cached(
        DataSpec(source),
        ("levels", source, column),
        lambda: list_levels(source, column, sources()),
    )


def previewed(spec: DataSpec, binning: Binning) -> BinPreview:
    """Return what a binning does to a column of a spec's data."""
    key = ("preview", spec.source, repr(spec.filters), repr(binning))
    return _cached(spec, key, lambda: preview(spec.source, binning, spec.filters, sources()))


def evaluate(scenario: Scenario) -> Result:
    """Return the best answer to a scenario that there is now.

    Where a solver's whole time would be felt, the answer of its first moment comes at once, with
    a bound that is valid all the same, and `refining` is the job that works on a better one.

    Raises
    ------
    UnfinishedError
        If there is no answer yet: another process is at work on it.
    CoreError
        If there is none, or the promise is none that fits the data.
    """
    promise(scenario)
    job = refining(scenario)
    if job is not None and job.state == State.DONE:
        return job.result()
    if job is not None and _elsewhere(scenario):
        if job.finished:
            job.result()  # raises what went wrong
        raise UnfinishedError(f"{catalogue.entry(scenario.mechanism).title} is being worked out.")
    return _first(scenario)


def refining(scenario: Scenario) -> Job[Result] | None:
    """Return the job that answers a scenario better than its first moment; None if it need not.

    A session has one: asking another question ends the work on the last.
    """
    if not _elsewhere(scenario) and _first(scenario).mechanism.status != "time limit":
        return None
    under_way: tuple[str, Job[Result] | None] = st.session_state.get("_refining", ("", None))
    question, job = under_way
    if question == repr(scenario):
        return job
    if job is not None:
        job.cancel()
    limit = scenario.time_limit + GRACE
    job = SOLVES.submit(find_answer, scenario, counted(scenario.data), time_limit=limit)
    st.session_state["_refining"] = (repr(scenario), job)
    return job


def _elsewhere(scenario: Scenario) -> bool:
    """Say whether a mechanism takes longer than a glance and cannot be cut short."""
    slow = SLOW_FROM.get(scenario.mechanism)
    return slow is not None and counted(scenario.data).joint.n_x >= slow


def _first(scenario: Scenario) -> Result:
    """Return what a scenario's mechanism gives in its first moment: all, where it is quick."""
    data = scenario.data
    hurried = replace(scenario, time_limit=min(GLANCE, scenario.time_limit))
    found = _cached(data, ("first", repr(scenario)), lambda: answer(hurried, counted(data)))
    return replace(found, scenario=scenario)


def frontier(scenario: Scenario) -> Frontier | None:
    """Return a scenario's utility along the grid of budgets; its own ε plays no part.

    None while it is being worked out in another process; ask again.

    Raises
    ------
    CoreError
        If it cannot be worked out, or took too long.
    """
    data = scenario.data
    question = repr(scenario).replace(f"eps={scenario.eps!r}", "eps=any", 1)
    if scenario.mechanism in QUICK and counted(data).joint.n_x <= QUICK_SYMBOLS:
        return _cached(data, ("sweep", question), lambda: sweep(scenario, counted(data).joint))
    job: Job[Frontier] = _cached(
        data,
        ("sweep", question),
        lambda: SWEEPS.submit(
            make_frontier,
            replace(scenario, time_limit=POINT_LIMIT),
            counted(data).joint,
            GRID,
            time_limit=SWEEP_LIMIT,
        ),
    )
    return job.result() if job.finished else None


def reach(result: Result) -> float:
    """Return how far the axis of log-lift goes: as far as X itself, whatever the release."""
    data = result.scenario.data
    return _cached(data, ("reach", repr(data)), lambda: lift.reach(result.before))


def lift_histograms(result: Result) -> tuple[LiftHistogram, LiftHistogram]:
    """Return the histograms of log-lift before and after a release."""
    far, limits = reach(result), budgets(result.scenario)
    return (
        lift.lift_histogram(result.before, far, limits=limits),
        lift.lift_histogram(result.after, far, limits=limits),
    )


def confusability_before(data: DataSpec) -> Lookalikes:
    """Return the confusability graph of X itself."""
    joint = counted(data).joint
    return _cached(
        data,
        ("graph", repr(data)),
        lambda: lookalikes(leakage(joint.p, joint.x_labels), joint.s_labels),
    )


def confusability_after(result: Result) -> Lookalikes:
    """Return the confusability graph of a release."""
    scenario = result.scenario
    return _cached(
        scenario.data,
        ("graph after", repr(scenario)),
        lambda: lookalikes(result.after, result.joint.s_labels),
    )


def records(scenario: Scenario) -> int:
    """Return how many records are behind the estimate of a robust promise."""
    return scenario.n or assumed_records(counted(scenario.data).joint.n)


def promise(scenario: Scenario) -> Notion:
    """Return what a scenario asks of its data.

    Raises
    ------
    CoreError
        If the data cannot be counted, or the notion is not about such data.
    """
    data = scenario.data
    key = ("promise", repr(data), repr((scenario.notion, scenario.numbers)))
    return _cached(data, key, lambda: scenario.build_notion(counted(data).joint))


def bounds_lift(scenario: Scenario) -> bool:
    """Say whether a promise bounds how far beliefs fall and rise."""
    return notions.entry(scenario.notion).kind in LIFT_BOUNDS


def budgets(scenario: Scenario) -> tuple[float, float] | None:
    """Return how far a promise lets beliefs fall and rise; None if it bounds something else."""
    notion = promise(scenario)
    return (notion.lower_budget, notion.upper_budget) if isinstance(notion, LIFT_BOUNDS) else None


def asymmetry(n_s: int, n_x: int, draws: int) -> Asymmetry:
    """Return how log Ψ and log Λ spread over random joints."""
    key = ("asymmetry", f"{n_s} {n_x} {draws}")
    return SHARED.get(key, lambda: lift.asymmetry(n_s, n_x, draws))


def disclosed(result: Result, known: tuple[tuple[int, int], ...] = ()) -> Disclosure:
    """Return what each output tells about S, to one who knows some attributes' values."""
    scenario = result.scenario
    return _cached(
        scenario.data,
        ("disclosed", repr(scenario), known),
        lambda: disclosure(result.joint, result.mechanism, dict(known)),
    )


def posteriors(result: Result) -> Beliefs:
    """Return what each output tells about X."""
    scenario = result.scenario
    return _cached(
        scenario.data,
        ("posteriors", repr(scenario)),
        lambda: about_x(result.joint, result.mechanism),
    )


def channels(result: Result) -> tuple[SideChannel, ...]:
    """Return what a release gives away to those who know some attributes of X."""
    scenario = result.scenario
    return _cached(
        scenario.data,
        ("channels", repr(scenario)),
        lambda: side_channels(result.joint, result.mechanism, result.counted.attributes),
    )


def merging(scenario: Scenario) -> tuple[MergeStep, ...]:
    """Return Algorithm 1's steps under a scenario's notion, whatever its mechanism."""
    data = scenario.data
    question = repr(replace(scenario, mechanism="subset_merging"))
    return _cached(
        data,
        ("merging", question),
        lambda: subset_merging_steps(counted(data).joint, promise(scenario)),
    )
