"""The pages' quick calls of `core`; what is derived from an upload stays in its session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVar

from core.data import (
    BinPreview,
    ColumnLevels,
    Counted,
    FirstRows,
    PresentMark,
    TableInfo,
    count,
    describe,
    preview,
)
from core.data import column_levels as list_levels
from core.data.readers import describe as looking
from core.data.readers.describe import Dated
from core.data.readers.describe import dated as list_dated
from core.data.readers.doubts import OpenQuestion, questions_about
from core.data.spec import Binning, DataSpec
from core.data.tables import FileTable
from core.data.treatment.generalise import at_level, suggested_steps
from core.errors import CoreError
from core.measures.leakage import leakage
from core.mechanisms import MergeStep, subset_merging_steps
from core.notions import Notion
from core.release import histogram as lift
from core.release import posteriors as outputs
from core.release import repeats as levels
from core.release.confusability import ConfusabilityGraph, release_graph
from core.release.histogram import Asymmetry, LiftHistogram
from core.release.posteriors import (
    Beliefs,
    Disclosure,
    SideChannel,
    about_x,
    disclosure,
    side_channels,
)
from core.scenario import Result, Scenario
from core.scenario.purpose import build_purpose
from core.studies import what_if
from core.studies.what_if import LevelFigures
from core.uncertainty.ball import assumed_records
from core.utilities import Guess, Purpose
from pages.ui.work.store import SHARED
from pages.ui.work.visits import kept_for, sources

Made = TypeVar("Made")


def kept(spec: DataSpec, key: tuple[Hashable, ...], make: Callable[[], Made]) -> Made:
    """Return what a page derives from some data, made once and kept."""
    return kept_for(spec).get(key, make)


def counted(spec: DataSpec) -> Counted:
    """Return the joint distribution that a spec describes."""
    return kept(spec, ("counted", repr(spec)), lambda: count(spec, sources()))


def numeric(data: DataSpec) -> bool:
    """Return whether X is numeric; False where the data has an error, which the page shows."""
    try:
        return counted(data).x_values is not None
    except CoreError:
        return False


def _looked(look: Callable[..., Made], spec: DataSpec, *about: str) -> Made:
    """Return what a function reports of a spec's data as it is read, or of its column."""
    key = (look.__name__, spec.source, *about, repr(spec.read))
    return kept(spec, key, lambda: look(spec.source, *about, sources=sources(), read=spec.read))


def described(spec: DataSpec) -> TableInfo | None:
    """Return what the columns of a spec's data hold; None where it is a joint."""
    return _looked(describe, spec)


def columns(spec: DataSpec) -> tuple[str, ...]:
    """Return the names of a spec's columns, read as it says; none of a joint."""
    table = sources().open(spec.source, (), spec.read)
    return table.columns if isinstance(table, FileTable) else ()


def first_rows(spec: DataSpec) -> FirstRows:
    """Return the first rows of a spec's data, as they are read."""
    return _looked(looking.first_rows, spec)


def size(spec: DataSpec) -> str:
    """Return how many records a spec's data has, as it is read."""
    return _looked(looking.size_text, spec)


def open_questions(spec: DataSpec) -> tuple[OpenQuestion, ...]:
    """Return what is open about the values of a spec's data."""
    return _looked(questions_about, spec)


def present_marks(spec: DataSpec) -> tuple[PresentMark, ...]:
    """Return what may mark a missing value in a spec's data."""
    return _looked(looking.present_marks, replace(spec, read=replace(spec.read, columns=())))


def are_missing(spec: DataSpec) -> Callable[[str, str], bool]:
    """Return what says whether a word of a column counts as missing in a spec's data."""
    table = sources().open(spec.source, (), spec.read)
    return looking.are_missing(table, spec.read)


def likely_orders(spec: DataSpec, column: str) -> tuple[str, ...]:
    """Return the orders of the parts of a column's dates that fit most of its values."""
    return _looked(looking.likely_orders, replace(spec, read=spec.read.layout), column)


def dated(spec: DataSpec) -> tuple[Dated, ...]:
    """Return the columns of a spec's data that are dates, and in which order of their parts."""
    return _looked(list_dated, replace(spec, read=spec.read.layout))


def column_levels(spec: DataSpec, column: str) -> ColumnLevels:
    """Return the levels of a column of a spec's data, to choose from."""
    return _looked(list_levels, spec, column)


def interval_steps(spec: DataSpec, column: str) -> tuple[float, ...]:
    """Return widths to begin a hierarchy of intervals of a column with."""
    return _looked(suggested_steps, spec, column)


def previewed(spec: DataSpec, binning: Binning) -> BinPreview:
    """Return what a binning does to a column of a spec's data."""
    key = ("preview", spec.source, repr(spec.filters), repr(binning), repr(spec.read))
    return kept(
        spec, key, lambda: preview(spec.source, binning, spec.filters, sources(), spec.read)
    )


def along_levels(spec: DataSpec, column: str) -> tuple[LevelFigures, ...]:
    """Return the figures of a question at each level of a column's hierarchy."""
    level_0 = replace(spec, hierarchies=at_level(spec.hierarchies, column, 0))
    key = ("along levels", column, repr(level_0))  # the same for each place of the slider
    return kept(spec, key, lambda: what_if.along_levels(spec, column, sources()))


def reach(result: Result) -> float:
    """Return the end of the axis of log-lift in nats: the largest of X itself and the release."""
    data = result.scenario.data
    of_x = kept(data, ("reach", repr(data)), lambda: lift.reach(result.before))
    return max(of_x, lift.reach(result.after))


def lift_histograms(
    result: Result, far: float | None = None
) -> tuple[LiftHistogram, LiftHistogram]:
    """Return the histograms of log-lift before and after a release."""
    far = reach(result) if far is None else far
    limits = budgets(result.scenario)
    return (
        lift.lift_histogram(result.before, far, limits=limits),
        lift.lift_histogram(result.after, far, limits=limits),
    )


def confusability_before(data: DataSpec) -> ConfusabilityGraph:
    """Return the confusability graph of X itself."""
    joint = counted(data).joint
    return kept(
        data,
        ("graph", repr(data)),
        lambda: release_graph(leakage(joint.p, joint.x_labels), joint.s_labels),
    )


def confusability_after(result: Result) -> ConfusabilityGraph:
    """Return the confusability graph of a release."""
    return _of_release(result, "graph", lambda: release_graph(result.after, result.joint.s_labels))


def _of_release(result: Result, kind: str, make: Callable[[], Made], *more: Hashable) -> Made:
    """Return what is derived from a release: kept by the answer, never by the question."""
    return kept(result.scenario.data, (f"{kind} of", result.content_id, *more), make)


def inputs(result: Result) -> tuple[str, ...]:
    """Return the names of a kernel's rows: x, or "s: x" of a mechanism that reads S too."""
    names = result.mechanism.x_labels
    if len(result.mechanism.kernel) == len(names):
        return names
    return tuple(f"{s}: {x}" for s in result.joint.s_labels for x in names)


def own_levels(result: Result) -> dict[str, float]:
    """Return what a release reaches of every level that a promise may imply."""
    return _of_release(
        result, "levels", lambda: levels.own_levels(result.joint, result.mechanism.kernel)
    )


def right_guess(result: Result) -> tuple[float, float] | None:
    """Return P(X is guessed right) with and without a release; None if its kernel reads S."""
    joint, kernel = result.joint, result.mechanism.kernel
    if len(kernel) != joint.n_x:
        return None
    return _of_release(
        result,
        "right guess",
        lambda: (Guess().value(joint, kernel), Guess().range(joint)[0]),
    )


def records(scenario: Scenario) -> int:
    """Return how many records are behind the estimate of a robust promise."""
    return scenario.n or assumed_records(counted(scenario.data).joint.n)


def promise_key(scenario: Scenario) -> str:
    """Return the key of a scenario's promise on its data: notion, numbers, further promises."""
    return repr((scenario.notion, scenario.numbers, scenario.also))


def promise(scenario: Scenario) -> Notion:
    """Return what a scenario asks of its data."""
    data = scenario.data
    key = ("promise", repr(data), promise_key(scenario))
    return kept(data, key, lambda: scenario.build_notion(counted(data).joint))


def purpose(scenario: Scenario) -> Purpose:
    """Return what a scenario asks to be kept of its data."""
    data = counted(scenario.data)
    return build_purpose(scenario, data.joint, data.x_values, data.task)


def budgets(scenario: Scenario) -> tuple[float, float] | None:
    """Return how far a promise lets beliefs fall and rise, in nats; None if it bounds no lift."""
    return lift.limits(promise(scenario))


def asymmetry(n_s: int, n_x: int, draws: int) -> Asymmetry:
    """Return how log Ψ and log Λ spread over random joints."""
    key = ("asymmetry", f"{n_s} {n_x} {draws}")
    return SHARED.get(key, lambda: lift.asymmetry(n_s, n_x, draws))


def disclosed(result: Result, known: tuple[tuple[int, int], ...] = ()) -> Disclosure:
    """Return what each output reveals about S to a person who knows some attributes' values."""
    return _of_release(
        result,
        "disclosure",
        lambda: disclosure(result.joint, result.mechanism, dict(known)),
        known,
    )


def posteriors(result: Result) -> Beliefs:
    """Return what each output reveals about X."""
    return _of_release(result, "posteriors", lambda: about_x(result.joint, result.mechanism))


def channels(result: Result) -> tuple[SideChannel, ...]:
    """Return what a release gives away to those who know some attributes of X."""
    return _of_release(
        result,
        "side channels",
        lambda: side_channels(result.joint, result.mechanism, result.counted.attributes),
    )


def merging(scenario: Scenario) -> tuple[MergeStep, ...]:
    """Return Algorithm 1's steps under a scenario's notion, whatever its mechanism."""
    data = scenario.data
    question = repr(replace(scenario, mechanism="subset_merging"))
    return kept(
        data,
        ("merging", question),
        lambda: subset_merging_steps(counted(data).joint, promise(scenario)),
    )


def least_bounds(result: Result, high_risk: tuple[int, ...]) -> tuple[float, float]:
    """Return the least ε_l and ε_u at which symbols, by index, can be merged into one output."""
    data = result.scenario.data
    key = ("least bounds", repr(data), high_risk)
    return kept(data, key, lambda: outputs.least_bounds(result.joint, high_risk))
