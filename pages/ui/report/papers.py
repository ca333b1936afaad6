"""The papers' experiments as one HTML file: each figure redrawn, each claim with its verdict."""

from __future__ import annotations

import math
from collections import Counter

from core.papers.results import PAPERS, Experiment, Run
from core.papers.verdicts import RULES, Rule, Value
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
    counts = Counter(one.outcome for each in run.experiments for one in each.verdicts)
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    document.text(
        f"{number_of(len(run.experiments), 'experiment')}, "
        f"{number_of(counts.total(), 'claim')}{f': {told}' if told else ''}. "
        f"Version {run.version}, {run.date}, {run.machine}, seed {run.seed}"
        f"{', fewer draws' if run.quick else ''}."
    )
    if run.missing:
        document.text(f"Not run: {', '.join(run.missing)}.")
    document.heading("How verdicts are reached")
    document.table(("rule", "requirement"), RULES.items())
    for paper, title in PAPERS.items():
        of = [one for one in run.experiments if one.paper == paper]
        if of:
            document.heading(f"{NAMES[paper]} {title}")
        for one in of:
            _experiment(document, one)
    return document.html()


def _experiment(document: Document, one: Experiment) -> None:
    """Add an experiment: its claim, its figure, its verdicts, and what is reached beyond."""
    document.heading(f"{NAMES[one.paper]} {one.place}: {one.title}")
    drawn = f" {number_of(one.draws, 'draw')}, {one.seconds:.0f} s." if one.draws else ""
    drawn += f" Rerun on {one.date}, {one.machine}." if one.date else ""
    document.text(f"{one.claim}{drawn}")
    for panel, of in enumerate(one.panels):
        told = f"{NAMES[one.paper]} {one.place}: {of.title}"
        names = ", ".join(line.name for line in one.series if line.panel == panel)
        document.chart(paper_panel(one, panel), told, f"{told}. Lines: {names}.{read(one, panel)}")
    if told := unmarked(one):
        document.text(told, "source")
    document.table(
        ("verdict", "claim", "place", "rule", "ours next to the paper's", "reason"),
        [
            (v.outcome, v.claim, v.place, v.rule, beside_paper(v.values, v.rule), v.reason)
            for v in one.verdicts
        ],
    )
    if told := of_errors(one):
        document.text(told, "source")
    if one.beyond:
        document.table(BEYOND, of_beyond(one))
    for note in one.notes:
        document.text(note, "source")


def beside_paper(values: tuple[Value, ...], rule: Rule = "NUM") -> str:
    """Return the values of a claim, ours next to the paper's."""
    told = [
        f"{one.name}: {with_error(one.ours, one.error)}"
        + ("" if one.printed is None else f" ({_of_paper(one, rule)} {one.printed:.4g})")
        + ("" if one.variant is None else f" [the wrong variant {one.variant:.4g}]")
        for one in values[:MOST_VALUES]
    ]
    more = len(values) - MOST_VALUES
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _of_paper(value: Value, rule: Rule) -> str:
    bound = value.relation != "is" and rule != "EXT"
    return f"published bound: {value.relation}" if bound else "published"


BEYOND = ("beyond the paper", "ours", "proven bound", "the paper's method")
"""What `of_beyond` returns of each."""


def of_beyond(found: Experiment) -> list[tuple[str, str, str, str]]:
    """Return what is reached beyond the paper, a row each."""
    return [
        (
            one.text,
            with_error(one.value, one.error),
            "" if one.bound is None else f"{one.bound:.4g}",
            "" if one.printed_method is None else f"{one.printed_method:.4g}",
        )
        for one in found.beyond
    ]


def with_error(value: float, error: float) -> str:
    """Return a number with its error, which has two digits and ends where the number does."""
    if not (0 < error < math.inf and math.isfinite(value)):
        return f"{value:.4g}"
    places = max(0, 1 - math.floor(math.log10(error)))
    # most places behind the point of a number that is not written as a power of ten
    if places > 7:
        return f"{value:.4g} ± {error:.2g}"
    return f"{value:.{places}f} ± {error:.{places}f}"


def read(found: Experiment, panel: int) -> str:
    """Return the paper's values in a panel, for the figure's description; begins with a blank."""
    told = list(dict.fromkeys(one.text for one in found.marks if one.panel == panel))
    return f" The paper: {'; '.join(told)}." if told else ""


def unmarked(found: Experiment) -> str:
    """Return that the paper has no number to mark in a figure, or in some panels; else ""."""
    marked = {one.panel for one in found.marks}
    if len(marked) == len(found.panels) or any(one.name == EQUAL for one in found.series):
        return ""
    where = "the panels without a mark" if marked else "this figure"
    return f"The paper's text gives no number to mark in {where}."


EQUAL = "equal"
"""The name of the line on which ours equals the paper's value, which is then an axis."""


def of_errors(found: Experiment) -> str:
    """Return what "±" means next to our values, in a sentence; empty where no value has one."""
    rules = {one.rule for one in found.verdicts for value in one.values if value.error > 0}
    means = rules - {"EXT"} or any(one.error > 0 for one in found.beyond)
    told = ["± the standard error over draws"] if means else []
    if "EXT" in rules:
        told.append("± the standard deviation of an extreme from sample to sample, by EXT")
    return f"Ours {'; '.join(told)}." if told else ""
