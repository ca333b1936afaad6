"""The papers' experiments as one HTML file: each figure redrawn, each claim with its verdict."""

from __future__ import annotations

import math
from collections import Counter

from core.papers.results import PAPERS, Experiment, Run
from core.papers.verdicts import RULES, Rule, Value, published, written
from core.scenario.data_url import Query
from core.wording import number_of
from pages.ui.figures.papers import paper_panel
from pages.ui.report.document import Document

NAMES = {
    "lift": "[Lift]",
    "alip": "[ALIP]",
    "rldp": "[RLDP]",
    "funnel": "[Funnel]",
    "nonstochastic": "[NonStoch]",
}
"""How the papers are cited."""

MOST_VALUES = 4
"""Values of one claim that its row shows; of a run all are in its JSON file."""


def page(run: Run) -> str:
    document = Document("The papers, rerun")
    counts = Counter(
        verdict.outcome for experiment in run.experiments for verdict in experiment.verdicts
    )
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    document.text(
        f"{number_of(len(run.experiments), 'experiment')}, "
        f"{number_of(counts.total(), 'claim')}{f': {summary}' if summary else ''}. "
        f"Version {run.version}, {run.date}, {run.machine}, seed {run.seed}"
        f"{', fewer draws' if run.quick else ''}."
    )
    if run.missing:
        document.text(f"Not run: {', '.join(run.missing)}.")
    _rules(document)
    for paper, title in PAPERS.items():
        of = [experiment for experiment in run.experiments if experiment.paper == paper]
        if of:
            document.heading(f"{NAMES[paper]} {title}")
        for experiment in of:
            _experiment(document, experiment)
    return document.html()


def of_one(experiment: Experiment, query: Query) -> str:
    """Return the report of one experiment; `query`: its address on the Papers page."""
    document = Document("A paper, rerun")
    _experiment(document, experiment)
    _rules(document)
    document.end({}, "papers", query, None, nameless=False)
    return document.html()


def _rules(document: Document) -> None:
    document.heading("How verdicts are reached")
    document.table(("rule", "requirement"), RULES.items())


def _experiment(document: Document, experiment: Experiment) -> None:
    """Add an experiment: its claim, its figure, its verdicts, and the results beyond the paper."""
    document.heading(f"{NAMES[experiment.paper]} {experiment.place}: {experiment.title}")
    drawn = (
        f" {number_of(experiment.draws, 'draw')}, {experiment.seconds:.1f} s."
        if experiment.draws
        else ""
    )
    drawn += f" Rerun on {experiment.date}, {experiment.machine}." if experiment.date else ""
    document.text(f"{experiment.claim}{drawn}")
    for panel, of in enumerate(experiment.panels):
        text = f"{NAMES[experiment.paper]} {experiment.place}: {of.title}"
        names = ", ".join(line.name for line in experiment.series if line.panel == panel)
        document.chart(
            paper_panel(experiment, panel),
            text,
            f"{text}. Lines: {names}.{read(experiment, panel)}",
        )
    if text := unmarked(experiment):
        document.text(text, "source")
    document.table(
        ("verdict", "claim", "place", "rule", "ours next to the paper's", "reason"),
        [
            (v.outcome, v.claim, v.place, v.rule, beside_paper(v.values, v.rule), v.reason)
            for v in experiment.verdicts
        ],
    )
    if text := of_errors(experiment):
        document.text(text, "source")
    if experiment.beyond:
        document.table(BEYOND, of_beyond(experiment))
    for note in experiment.notes:
        document.text(note, "source")


def beside_paper(values: tuple[Value, ...], rule: Rule = "NUM") -> str:
    """Return the values of a claim, ours next to the paper's."""
    parts = [
        f"{value.name}: {with_error(value.ours, value.error)}"
        f"{published(value, bounds=rule != 'EXT')}"
        for value in values[:MOST_VALUES]
    ]
    more = len(values) - MOST_VALUES
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


BEYOND = ("beyond the paper", "ours", "proven bound", "the paper's method")
"""The columns of the rows that `of_beyond` returns."""


def of_beyond(experiment: Experiment) -> list[tuple[str, str, str, str]]:
    """Return the results beyond the paper, one row each."""
    return [
        (
            result.text,
            with_error(result.value, result.error),
            "" if result.bound is None else written(result.bound),
            "" if result.printed_method is None else written(result.printed_method),
        )
        for result in experiment.beyond
    ]


def with_error(value: float, error: float) -> str:
    """Return a number with its error, which has two digits and ends where the number does."""
    if not (0 < error < math.inf and math.isfinite(value)):
        return written(value)
    places = max(0, 1 - math.floor(math.log10(error)))
    # most places behind the point of a number that is not written as a power of ten
    if places > 7:
        return f"{value:.4g} ± {error:.2g}".replace("-", "−")
    return f"{value:.{places}f} ± {error:.{places}f}".replace("-", "−")


def read(experiment: Experiment, panel: int) -> str:
    """Return the paper's values in a panel, for the figure's description; begins with a blank."""
    values = list(dict.fromkeys(mark.text for mark in experiment.marks if mark.panel == panel))
    return f" The paper: {'; '.join(values)}." if values else ""


def unmarked(experiment: Experiment) -> str:
    """Return that the paper has no number to mark in a figure, or in some panels; else ""."""
    marked = {mark.panel for mark in experiment.marks}
    if len(marked) == len(experiment.panels) or any(
        line.name == EQUAL for line in experiment.series
    ):
        return ""
    where = "the panels without a mark" if marked else "this figure"
    return f"The paper's text gives no number to mark in {where}."


EQUAL = "equal"
"""The name of the line on which ours equals the paper's value, which is then an axis."""


def of_errors(experiment: Experiment) -> str:
    """Return what "±" means next to our values, in a sentence; empty where no value has one."""
    rules = {
        verdict.rule
        for verdict in experiment.verdicts
        for value in verdict.values
        if value.error > 0
    }
    means = rules - {"EXT"} or any(result.error > 0 for result in experiment.beyond)
    meanings = ["the standard error over draws"] if means else []
    if "EXT" in rules:
        meanings.append("the standard deviation from sample to sample")
    return f"± is {'; under rule EXT, '.join(meanings)}." if meanings else ""
