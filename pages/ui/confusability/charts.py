"""What the Confusability page asks of `core`, elsewhere where slow, and the cards that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from core.data import DataSpec
from core.errors import InvalidInputError
from core.jobs import Job
from core.nonstochastic import (
    EXACT,
    Clustering,
    FrontierPoint,
    pareto_frontier,
    rivals,
    singletons,
    solve,
)
from core.nonstochastic import catalogue as ranges
from core.nonstochastic.baselines import BASELINES, SLOW_FROM
from core.nonstochastic.catalogue import ALGORITHM, ClusteringEntry, entry
from core.nonstochastic.ranges.partition import Partition
from core.notions import catalogue as notions
from core.release.confusability import (
    DRAWN,
    ConfusabilityGraph,
    RangeRelease,
    RangeTable,
    component_graph,
    range_release,
    range_table,
    release_graph,
)
from core.release.sentences import knowable
from core.scenario import Scenario
from core.validation import BoolArray, FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import Drawing, chart, place
from pages.ui.confusability import controls
from pages.ui.parts import formulas, tables
from pages.ui.parts.cards import card
from pages.ui.style import glossary
from pages.ui.style.units import level, of_bits, share
from pages.ui.work import derived, progress
from pages.ui.work.frames import Frame
from pages.ui.work.long_answer import LongAnswer

Made = TypeVar("Made")

Range = tuple[BoolArray, FloatArray | None]
RangeQuestion = tuple[str, str, DataSpec]
"""Problem, utility and data."""


def joint_range(data: DataSpec, utility: str) -> Range:
    """Return which pairs occur, and the numbers of X where the utility needs them."""
    counted = derived.counted(data)
    if utility == "distortion" and counted.x_values is None:
        raise InvalidInputError(
            "Distortion needs a numeric X: one column of numbers without a level for missing "
            f"values, got {counted.report.released!r}."
        )
    return counted.joint.p > 0, counted.x_values if utility == "distortion" else None


def clustering(problem: str, scenario: Scenario) -> Clustering | Job[Clustering]:
    """Return a problem's clustering for a scenario's weight; the job while it is computed."""
    return _answer(
        clustering_work(problem, scenario),
        quick=_symbols(scenario.data) < algorithm(problem).slow_from,
    )


def clustering_work(problem: str, scenario: Scenario) -> LongAnswer[Clustering]:
    def arguments() -> tuple[Any, ...]:
        occurs, values = joint_range(scenario.data, scenario.utility)
        return problem, occurs, scenario.weight, scenario.utility, values

    key = ("clustering", problem, repr(scenario.weight), scenario.utility)
    return LongAnswer(scenario.data, key, solve, arguments, urgent=True)


def trade_offs(question: RangeQuestion) -> tuple[FrontierPoint, ...] | Job[Any]:
    """Return an algorithm's frontier over all weights; the job while it is computed."""
    problem, _, data = question
    return _answer(
        trade_offs_work(question),
        quick=_symbols(data) < algorithm(problem).sweep_slow_from,
    )


def compared(question: RangeQuestion) -> Mapping[str, tuple[FrontierPoint, ...]] | Job[Any]:
    """Return the baselines' frontiers; the job while they are computed."""
    return _answer(rivals_work(question), quick=_symbols(question[2]) < SLOW_FROM)


def trade_offs_work(question: RangeQuestion) -> LongAnswer[tuple[FrontierPoint, ...]]:
    def arguments() -> tuple[Any, ...]:
        problem, occurs, utility, values = _ranges(question)
        return occurs, problem, utility, values

    return LongAnswer(question[2], ("trade-offs", *question[:2]), pareto_frontier, arguments)


def rivals_work(question: RangeQuestion) -> LongAnswer[Mapping[str, tuple[FrontierPoint, ...]]]:
    return LongAnswer(question[2], ("rivals", *question[:2]), rivals, lambda: _ranges(question))


def _ranges(question: RangeQuestion) -> tuple[Any, ...]:
    problem, utility, data = question
    occurs, values = joint_range(data, utility)
    return problem, occurs, utility, values


def algorithm(problem: str) -> ClusteringEntry:
    """Return what the catalogue says of a problem's algorithm."""
    return entry(problem, ALGORITHM)


def _symbols(data: DataSpec) -> int:
    return derived.counted(data).joint.n_x


def released(data: DataSpec, partition: Partition) -> RangeRelease:
    """Return the release of a partition: what publishing the cluster of X reveals and keeps."""
    counted = derived.counted(data)
    return derived.kept(
        data,
        ("range release", repr(data), repr(partition)),
        lambda: range_release(counted.joint, partition, counted.x_values),
    )


def graph_of(
    data: DataSpec, partition: Partition, nodes: str, part: int | None = None, most: int = DRAWN
) -> ConfusabilityGraph:
    """Return the confusability graph of a partition, or of one of its parts."""
    key = ("range graph", repr(data), repr(partition), nodes, repr(part), str(most))
    names = derived.counted(data).joint.s_labels
    return derived.kept(
        data,
        key,
        lambda: release_graph(
            released(data, partition).leak, names, nodes=nodes, part=part, most=most
        ),
    )


def parts(data: DataSpec, partition: Partition, nodes: str) -> ConfusabilityGraph:
    """Return the parts of a partition's confusability graph, a node each."""
    names = derived.counted(data).joint.s_labels
    return derived.kept(
        data,
        ("range parts", repr(data), repr(partition), nodes),
        lambda: component_graph(released(data, partition).leak, names, nodes=nodes),
    )


def table_of(data: DataSpec, partition: Partition) -> RangeTable:
    """Return which secrets occur with which clusters."""
    return derived.kept(
        data,
        ("range table", repr(data), repr(partition)),
        lambda: range_table(released(data, partition).leak, derived.counted(data).joint.s_labels),
    )


def _answer(work: LongAnswer[Made], *, quick: bool) -> Made | Job[Made]:
    """Return an answer, made here where that is quick, else the job until it has ended."""
    return work.here() if quick else work.ask()


BEFORE, AFTER = "range_graph_before", "range_graph_after"
MERGES, TRADE_OFF = "merges", "trade_off"
"""Keys of the charts: all but the first follow the slider of the merges."""

TITLES = {MERGES: "Merge by merge", TRADE_OFF: "Trade-off over all λ"}
"""Key → title."""

PART = "range_part"
"""Key of the picker below the graph of the release."""

SHARED = "mutual_information"
"""Key of I(S;Y) among the averages."""

MERGING = (
    "Two releases are confusable if they share a possible secret. Merging releases until all are "
    "confusable hides the secret at the cost of detail."
)
"""What the page is about."""

LEAKAGE = {"anonymity": "L₀", "maximin": "I⁎", "reduction": "L₀"}
"""The leakage that each problem lowers."""


@dataclass(frozen=True, eq=False)
class ShownPath:
    """The question, the path of its algorithm, and X before and after the step on screen."""

    scenario: Scenario
    problem: str
    clustering: Clustering
    step: int
    before: RangeRelease
    after: RangeRelease

    @property
    def partition(self) -> Partition:
        return self.clustering.steps[self.step].clusters

    @property
    def question(self) -> RangeQuestion:
        return self.problem, self.scenario.utility, self.scenario.data


def at(shown: ShownPath, step: int) -> ShownPath:
    """Return the same path at another step."""
    after = released(shown.scenario.data, shown.clustering.steps[step].clusters)
    return replace(shown, step=step, after=after)


@dataclass(frozen=True)
class View:
    """How the graphs are shown: the kind of nodes, the parts that are open, and the unit."""

    nodes: str
    whole: int | None
    part: int | None
    unit: str


def graphs(shown: ShownPath, unit: str) -> View:
    """Show the card of the confusability graphs, without these; return how they are shown."""
    nodes = controls.URL.now("view")
    with card(
        key="range_graph",
        title="Confusability graph",
        subtitle="Lines join nodes with something in common. Hollow nodes rule something out. "
        "Color and shape show the separate parts.",
        table=lambda: _graph_table(shown, nodes),
        formulas=(formulas.RANGE, formulas.of_ranges("maximin_information")),
        beside=controls.nodes,
    ):
        left, right = st.columns(2, gap="small")
        with left:
            whole = _opened("before", shown.before, nodes)
            place(BEFORE, fills=False)
            _picker("before", shown.before, nodes)
        with right:
            opened = _opened("after", shown.after, nodes)
            place(AFTER, fills=False)
            with st.container(key=PART):
                _picker("after", shown.after, nodes)
    return View(nodes, whole, opened, unit)


def _is_large(release: RangeRelease, nodes: str) -> bool:
    """Return whether a release has too many nodes to draw them all."""
    return bool(release.leak.joint_sy.shape[0 if nodes == "secret" else 1] > DRAWN)


def _opened(when: str, release: RangeRelease, nodes: str) -> int | None:
    return controls.opened_part(when, release.parts) if _is_large(release, nodes) else None


def _picker(when: str, release: RangeRelease, nodes: str) -> None:
    if _is_large(release, nodes) and release.parts > 1:
        controls.part(when, [len(part) for part in release.components])


def _partition(shown: ShownPath, when: str) -> Partition:
    whole = singletons(derived.counted(shown.scenario.data).joint.n_x)
    return whole if when == "before" else shown.partition


def _parts(shown: ShownPath, when: str, nodes: str) -> ConfusabilityGraph:
    """Return the parts of the graph before or after, a node each."""
    return parts(shown.scenario.data, _partition(shown, when), nodes)


def _graph(shown: ShownPath, when: str, nodes: str, part: int | None) -> Drawing:
    release = shown.before if when == "before" else shown.after
    if not _is_large(release, nodes) or part not in range(release.parts):
        part = None
    closed = _is_large(release, nodes) and release.parts > 1 and part is None
    graph = (
        _parts(shown, when, nodes)
        if closed
        else graph_of(shown.scenario.data, _partition(shown, when), nodes, part)
    )
    name = "X itself" if when == "before" else "the release"
    if part is not None:
        name += f", part {part + 1}"
    return Drawing(
        # pixels across for which names are placed in a graph: half a card's width on a desktop
        lambda: figures.confusability(graph, name, when, open_parts=closed, width=420),
        f"range_graph_{when}",
        f"Confusability graph: {name}",
        _alt(graph, name, closed=closed),
        pickable=closed,
        fills=False,
    )


def _alt(graph: ConfusabilityGraph, name: str, *, closed: bool) -> str:
    kind = "part" if closed else ("secret" if graph.nodes == "secret" else "release")
    return (
        f"Confusability graph of {name}: {number_of(len(graph.names), kind)}, "
        f"{number_of(len(graph.edges), 'line')}, "
        f"{number_of(graph.components, 'separate part')}."
    )


def _graph_table(shown: ShownPath, view: str) -> pd.DataFrame:
    rows = []
    for when in ("before", "after"):
        graph = graph_of(shown.scenario.data, _partition(shown, when), view, most=200)
        rows += [
            (when, graph.names[a], graph.names[b], ", ".join(graph.others[i] for i in shared))
            for (a, b), shared in zip(graph.edges, graph.shared, strict=True)
        ]
    return pd.DataFrame(rows, columns=["when", "one", "other", "in_common"])


def way(shown: ShownPath, unit: str) -> None:
    """Show the card of the Lagrangian along the merges, without its chart."""
    with card(
        key=MERGES,
        title=TITLES[MERGES],
        subtitle="λ stops merging when the next merge would not lower the Lagrangian."
        if shown.problem != "reduction"
        else "Merging continues until nothing is known for certain; λ chooses the merges.",
        table=lambda: way_table(shown.clustering, unit),
        formulas=(formulas.of_ranges(shown.problem, ranges.ALGORITHM),),
    ):
        place(MERGES, fills=False)


def _merges(shown: ShownPath, unit: str) -> Drawing:
    steps, stop, leakage = (
        shown.clustering.steps,
        len(shown.clustering.path) - 1,
        LEAKAGE[shown.problem],
    )
    return Drawing(
        lambda: figures.merges(steps, stop=stop, at=shown.step, leakage=leakage, unit=unit),
        MERGES,
        TITLES[MERGES],
        f"{leakage} and the Lagrangian over {number_of(len(steps) - 1, 'merge')}; λ stops after "
        f"{stop}; now at {shown.step}.",
        pickable=True,
        fills=False,
    )


def way_table(result: Clustering, unit: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "merges": range(len(result.steps)),
            "clusters": [len(step.clusters) for step in result.steps],
            f"leakage_{unit}": [of_bits(step.leakage, unit) for step in result.steps],
            "utility": [step.utility for step in result.steps],
            f"lagrangian_{unit}": [of_bits(step.lagrangian, unit) for step in result.steps],
            "within_lambda": [place < len(result.path) for place in range(len(result.steps))],
        }
    )


@dataclass(frozen=True)
class Offered:
    """The trade-offs that are there: those of the algorithm, and the lines that show them."""

    points: tuple[FrontierPoint, ...] = ()
    lines: tuple[figures.Offers, ...] = ()


def offers(shown: ShownPath, unit: str) -> Offered:
    """Show the card of the trade-off over all λ, without its chart, or the progress of the work."""
    distortion = shown.scenario.utility == "distortion"
    lines: list[figures.Offers] = []
    baseline = BASELINES.get(shown.problem)
    with card(
        key=TRADE_OFF,
        title=TITLES[TRADE_OFF],
        subtitle="Up: more kept. Left: less leakage. The circle marks the partition on screen; "
        "click any point to set its λ.",
        table=lambda: _offers_table(lines, unit, distortion=distortion),
        formulas=(
            formulas.of_ranges("max_distortion" if distortion else "worst_case_resolution"),
            formulas.of_ranges(
                "maximin_information" if shown.problem == "maximin" else "max_uncertainty_reduction"
            ),
            *([formulas.of_ranges(baseline[0], ranges.BASELINE)] if baseline else []),
        ),
        beside=controls.rivals,
    ):
        points = (
            progress.awaited(
                trade_offs_work(shown.question),
                lambda: trade_offs(shown.question),
                "Computing the trade-offs",
                key="trade_offs",
            )
            or ()
        )
        if points:
            lines.append(figures.Offers(_algorithm(shown), points, "offer"))
        lines += _rivals(shown.question)
        place(TRADE_OFF, fills=False)
    return Offered(points, tuple(lines))


def _algorithm(shown: ShownPath) -> str:
    return ranges.entry(shown.problem, ranges.ALGORITHM).title


def _trade_off(shown: ShownPath, lines: Sequence[figures.Offers], unit: str) -> Drawing:
    distortion = shown.scenario.utility == "distortion"
    now, most = shown.clustering.steps[shown.step], shown.before
    return Drawing(
        lambda: figures.trade_off(
            lines,
            leakage=now.leakage,
            utility=now.utility,
            path=[step.utility for step in shown.clustering.steps],
            most=most.information if shown.problem == "maximin" else most.reduction,
            titles=(
                f"{LEAKAGE[shown.problem]}, {unit}: lower is more private",
                "largest distortion" if distortion else f"resolution I₀(X;X̂), {unit}",
            ),
            distortion=distortion,
            unit=unit,
        ),
        TRADE_OFF,
        TITLES[TRADE_OFF],
        f"Trade-off of {_algorithm(shown)}: now {of_bits(now.leakage, unit):.2f} {unit} "
        f"leakage, utility {now.utility:.4g}.",
        pickable=True,
        fills=False,
    )


def before(shown: ShownPath, view: View) -> Drawing:
    """Return the graph of X itself, which stays the same at all steps."""
    return _graph(shown, "before", view.nodes, view.whole)


def drawn(shown: ShownPath, view: View, lines: Sequence[figures.Offers]) -> list[Drawing]:
    """Return the charts that follow the slider of the merges."""
    after = _graph(shown, "after", view.nodes, view.part)
    return [after, _merges(shown, view.unit), _trade_off(shown, lines, view.unit)]


def picked(shown: ShownPath, view: View, offered: Offered) -> None:
    """Take over a click on one of these charts."""
    controls.pick_step()
    controls.pick_offer(offered.points)
    for when in ("before", "after"):
        controls.pick_part(when, _parts(shown, when, view.nodes))


def at_step(shown: ShownPath, view: View) -> Frame:
    """Return what the page shows at a step: of the curves the ring alone, as they stay."""
    after, *curves = drawn(shown, view, ())
    rings = {curve.key: {"now": curve.figure()["layout"]["meta"]["now"]} for curve in curves}
    return {
        "answers": {"": answer(shown, view.unit)},
        "charts": {AFTER: after.frame()} | rings,
        "open": False,
    }


def _rivals(question: RangeQuestion) -> list[figures.Offers]:
    """Return the baselines' trade-offs, where they are wanted, or show the work's progress."""
    if not st.session_state.get("rivals", True):
        return []
    frontiers = progress.awaited(
        rivals_work(question),
        lambda: compared(question),
        "Computing the trade-offs of the baselines",
        key="rivals",
    )
    return [
        figures.Offers(
            "Optimum" if key == EXACT else ranges.entry(key, ranges.BASELINE).title, line
        )
        for key, line in (frontiers or {}).items()
    ]


def _offers_table(lines: list[figures.Offers], unit: str, *, distortion: bool) -> pd.DataFrame:
    def row(line: figures.Offers, point: FrontierPoint) -> dict[str, object]:
        low, high = point.weights or (np.nan, np.nan)
        return {
            "method": line.title,
            f"leakage_{unit}": of_bits(point.leakage, unit),
            "largest_distortion" if distortion else f"resolution_{unit}": abs(point.utility)
            if distortion
            else of_bits(abs(point.utility), unit),
            "clusters": len(point.partition),
            "weight_from": low,
            "weight_to": high,
        }

    return pd.DataFrame([row(line, point) for line in lines for point in line.points])


def table(shown: ShownPath) -> None:
    pairs = table_of(shown.scenario.data, shown.partition)
    with card(
        key="range_table",
        title="Co-occurrence",
        subtitle="One row per release, one column per secret; filled cells can occur. Diagonal "
        "blocks are the parts.",
        table=lambda: pd.DataFrame(
            {"release": pairs.y_labels}
            | {label: pairs.occurs[s].astype(int) for s, label in enumerate(pairs.s_labels)}
        ),
        formulas=(formulas.of_ranges("anonymity"), formulas.of_ranges("max_uncertainty_reduction")),
    ):
        height = int(np.clip(130 + 15 * len(pairs.y_labels), 300, 620))
        chart(
            figures.range_matrix(pairs, height),
            key="range_table",
            title="Co-occurrence",
            alt=f"Which of {number_of(len(pairs.s_labels), 'secret')} occur with which of "
            f"{number_of(len(pairs.y_labels), 'release')}: "
            f"{number_of(int(pairs.occurs.sum()), 'pair')}.",
        )


def clusters(shown: ShownPath) -> None:
    """Show the card of the clusters."""
    with st.container(border=True, height="stretch", key="card_clusters"):
        st.markdown("**The clusters**")
        st.caption("The release names the cluster of x instead of x.")
        tables.sheet(
            clusters_table(shown),
            "clusters",
            most=560,
            wrapped={"cluster": tables.WIDTHS["cluster"]},
            column_config={
                "cluster": st.column_config.TextColumn(width=tables.WIDTHS["cluster"]),
                "symbols": st.column_config.NumberColumn(width=70),
                "secrets": st.column_config.NumberColumn(width=70),
                "part": st.column_config.NumberColumn(width=45),
                "probability": st.column_config.NumberColumn(format="%.4f", width=78),
            },
        )


def clusters_table(shown: ShownPath) -> pd.DataFrame:
    """Return the clusters, the largest first."""
    mechanism, leak = shown.after.mechanism, shown.after.leak
    partition = mechanism.partition or ()  # a release of clusters has one
    labels = derived.counted(shown.scenario.data).joint.x_labels
    part_of = {y: k for k, part in enumerate(shown.after.components) for y in part}
    return pd.DataFrame(
        {
            "cluster": [", ".join(labels[x] for x in members) for members in partition],
            "symbols": [len(members) for members in partition],
            "secrets": leak.occurs.sum(axis=0),
            "part": [part_of[y] + 1 for y in range(mechanism.n_y)],
            "probability": leak.joint_sy.sum(axis=0),
        }
    ).sort_values(["symbols", "cluster"], ascending=[False, True], kind="stable")


def answer(shown: ShownPath, unit: str) -> Frame:
    """Return what the page says of the release, in words and figures."""
    secret = derived.counted(shown.scenario.data).report.secret
    return {
        "sentences": [knowable(shown.after, secret, unit)],
        "figures": [list(row[:3]) for row in measures(shown, unit)],
        "badge": None,
    }


def explained(shown: ShownPath, unit: str) -> Frame:
    """Return the same with what its signs mean."""
    report = derived.counted(shown.scenario.data).report
    only = f"Only which pairs of {report.secret} and {report.released} occur together matters here"
    helps = [glossary.listed(label, term) for label, _, _, term in measures(shown, unit)]
    meant = {"terms": [("For sure", f"{only}, not how often. {MERGING}")], "helps": helps}
    return answer(shown, unit) | meant


def measures(shown: ShownPath, unit: str) -> list[tuple[str, str, str, str]]:
    """Return label, value, that of X itself and term of each figure; the likely ones come last."""
    before, after = shown.before, shown.after

    def bits(label: str, now: float, then: float, term: str) -> tuple[str, str, str, str]:
        value, of_x = (f"{of_bits(number, unit):.2f}" for number in (now, then))
        return f"{label}, {unit}", value, f"X itself {of_x}", term

    utility = (
        ("Largest distortion", f"{after.distortion:.4g}", "X itself 0", "max_distortion")
        if shown.scenario.utility == "distortion"
        else bits("Resolution", after.resolution, before.resolution, "resolution")
    )
    now, then = (level(leak.leak.averages[SHARED], unit, 4) for leak in (after, before))
    return [
        bits("Known for certain", after.information, before.information, "maximin_information"),
        ("k-anonymity", str(after.anonymity), f"X itself {before.anonymity}", "k_anonymity"),
        bits("Most ruled out L₀", after.reduction, before.reduction, "most_ruled_out"),
        utility,
        ("NMI", share(after.mechanism.nmi), "of X's information", "nmi"),
        *(
            (
                f"{notion.title} reached, {unit}",
                level(after.leak.achieved[notion.key], unit),
                f"X itself {level(before.leak.achieved[notion.key], unit)}",
                "level",
            )
            for notion in notions.always_reported()
        ),
        (f"I(S;Y), {unit}", now, f"X itself {then}", "secret_information"),
    ]
