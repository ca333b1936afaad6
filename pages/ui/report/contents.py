"""The contents of a report: one question, its answer, the charts of Explore, audit and sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from core.errors import CoreError
from core.measures import catalogue as measures
from core.measures.leakage import leakage
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.records.left_out import for_others
from core.release.confusability import release_graph
from core.release.histogram import lift_histogram, limits, no_limits, reach
from core.release.sentences import caution_of, finding, for_whom, promise_text, question
from core.scenario import Result, spans
from core.scenario.snippet import snippet
from core.scenario.url import to_query
from core.studies.advice import Consequences
from core.studies.frontier import Frontier
from core.studies.funnel import is_funnel
from core.studies.matching import has_budget
from core.studies.side_by_side import SLOW_CELLS, level_title, levels, reference
from core.validation import FloatArray
from core.wording import fixed, number_of, percent
from pages.ui import figures
from pages.ui.report import lower_cards
from pages.ui.report.document import NONE, Document
from pages.ui.report.lower_cards import OnScreen
from pages.ui.style.units import in_unit, level, share
from pages.ui.work import refining
from pages.ui.work.derived import inputs

NAMES = ("X itself", "the release")
"""The names of before and after."""


IN_TABLE = 8
"""Outputs of each input that its table names."""


def report(
    result: Result,
    lines: Sequence[Frontier],
    shown: OnScreen | Consequences,
    unit: str = "nats",
    when: datetime | None = None,
    *,
    provisional: bool = False,
    file: str = "",
) -> str:
    """Return the report of an answer: one HTML file that needs nothing else.

    `file`: what the columns that are to be released beside Y give away; "" where there are none.
    """
    scenario = result.scenario
    page = Document(question(scenario))
    if provisional:
        page.text(refining.PROVISIONAL, "lead")
    page.text(finding(result, unit, provisional=provisional), "lead")
    if file:
        page.text(file, "lead")
    for note in (caution_of(result), *result.mechanism.notes):
        if note:
            page.text(note, "source")
    page.table(("", ""), _rows(result, unit))
    page.heading("Charts")
    _charts(page, result, lines, unit)
    if isinstance(shown, Consequences):
        shown = OnScreen(shown)
    lower_cards.add(page, result, lines, shown, unit)
    page.heading("Audit and certificate of the mechanism")
    _audited(page, result, unit)
    page.heading("Tables")
    _tables(page, result, unit)
    entries = [notions.entry(scenario.notion)]
    entries += [notions.entry(other.notion) for other in scenario.also]
    explained = (*entries, mechanisms.entry(scenario.mechanism))
    page.formulas((*explained, *map(measures.entry, ("lift", "max_lift", "min_lift"))))
    public = replace(scenario, data=for_others(scenario.data))
    command = "As a scenario for the command line (python -m core evaluate scenario.json)"
    written = json.dumps(json.loads(public.to_json()), ensure_ascii=False)
    page.end(
        {"In Python, with core": snippet(public), command: written},
        "",
        to_query(public),
        when,
        nameless=public.data.left_out != scenario.data.left_out,
    )
    return page.html()


def _rows(result: Result, unit: str) -> list[tuple[str, str]]:
    """Return the question, and the figures of its answer."""
    scenario, mechanism, counts = result.scenario, result.mechanism, result.counted.report
    after, before = result.after, result.before
    rows = [
        ("Data", f"{counts.title}: {counts.size}"),
        ("Secret S", f"{counts.secret}, {number_of(result.joint.n_s, 'level')}"),
        ("Released X", f"{counts.released}, {number_of(result.joint.n_x, 'level')}"),
        (
            "Privacy notion",
            NONE if mechanism.notion is None else promise_text(mechanism.notion, unit),
        ),
        ("Mechanism", mechanisms.entry(scenario.mechanism).title),
        ("What to keep", mechanism.purpose.title),
        ("Share kept", share(mechanism.kept)),
        (f"I(X;Y), {unit}", f"{level(mechanism.information, unit)} (NMI {share(mechanism.nmi)})"),
        (
            f"I(S;Y), {unit}",
            f"{level(after.averages['mutual_information'], unit, 4)} (X itself "
            f"{level(before.averages['mutual_information'], unit, 4)})",
        ),
        ("Proof", f"{mechanism.status}, gap {mechanism.gap:.2g}"),
    ]
    if scenario.data.hashed and scenario.data.left_out:
        counts = counts.nameless()
    return rows + [("Data treatment", sentence) for sentence in counts.sentences()]


def _charts(page: Document, result: Result, lines: Sequence[Frontier], unit: str) -> None:
    joint = result.joint
    if lines:
        page.chart(
            _frontier(result, lines, unit),
            "Cost of privacy: share kept at each budget",
            f"Share kept; {percent(result.mechanism.kept)} at the current setting.",
        )
    far = max(reach(result.before), reach(result.after))
    notion = result.mechanism.notion
    allowed = limits(notion)
    before = lift_histogram(result.before, far, limits=allowed)
    after = lift_histogram(result.after, far, limits=allowed)
    page.chart(
        figures.lift_histogram(before, after, allowed, NAMES, unit, unshaded=no_limits(notion)),
        "Lift: how far beliefs shift, share of records by log-lift",
        "Histograms of log-lift before and after.",
    )
    kernel, names = result.mechanism.kernel, inputs(result)
    p_x = joint.p.ravel() if len(kernel) > joint.n_x else joint.p_x
    page.chart(
        figures.likeliest_matrix(
            kernel,
            p_x,
            names,
            result.mechanism.y_labels,
            inputs=40,
            outputs=24,
        ),
        "The mechanism P(y | x): inputs in rows, outputs in columns",
        f"{result.mechanism.name}: {number_of(len(names), 'input')}.",
    )
    leaks = (leakage(joint.p, joint.x_labels), result.after)
    for name, role, leak in zip(NAMES, ("before", "after"), leaks, strict=True):
        page.chart(
            figures.confusability(release_graph(leak, joint.s_labels), name, role),
            f"Confusability graph: {name}",
            f"Confusability graph of {name}.",
        )


def _frontier(result: Result, lines: Sequence[Frontier], unit: str) -> figures.Figure:
    """Return the chart of what is kept along ε; lines of one notion are named by mechanism."""
    scenario, purpose = result.scenario, result.mechanism.purpose
    scale = in_unit(1.0, unit) if spans.in_nats(scenario.notion) else 1.0
    several = len({line.notion for line in lines}) > 1
    drawn = [
        figures.Line(
            place=place,
            key=(line.notion, line.mechanism),
            title=notions.entry(line.notion).title
            if several
            else mechanisms.entry(line.mechanism).title,
            eps=line.eps * scale,
            nmi=line.nmi,
            utility=line.utility * (in_unit(1.0, unit) if purpose.unit == "nats" else 1.0),
            most=line.most_nmi if line.mechanism == "optimal" else None,
        )
        for place, line in enumerate(lines)
    ]
    most = scale * spans.span(scenario.notion, "eps", result.joint, scenario.numbers).high
    kept = figures.OF_X
    if scenario.purpose != "information":
        kept = figures.Kept(
            "share kept",
            "the utility of X itself",
            purpose.title,
            in_nats=purpose.unit == "nats",
        )
    key, budget = (scenario.notion, scenario.mechanism), None
    if is_funnel(scenario):
        budget = figures.Budget("M", "revealed about S on average", unit if scale != 1 else "nats")
    return figures.frontier(
        drawn,
        eps=min(scenario.eps * scale, most) if has_budget(scenario) else None,
        nmi=result.mechanism.kept,
        kept=kept,
        unit=unit,
        limit=most,
        budget=budget,
        current=next((line.place for line in drawn if line.key == key), -1),
    )


def _audited(page: Document, result: Result, unit: str) -> None:
    """Add what the audit found, what is proven, and the level of every notion."""
    scenario, mechanism = result.scenario, result.mechanism
    if mechanism.audit is None or mechanism.notion is None:
        page.text("This mechanism has no privacy notion, so there is nothing to audit.")
    else:
        trusts = result.joint.n is not None and not mechanism.audit.notion.of_estimate
        verdict = "holds" if mechanism.audit.holds else "does not hold"
        verdict += " for the counted distribution" if trusts else ""
        page.text(
            f"An independent audit found that {promise_text(mechanism.audit.notion, unit)} "
            f"{verdict}: level reached {mechanism.audit.achieved:.4g}."
        )
    page.text(
        f"Utility {mechanism.utility:.6g} {mechanism.purpose.unit}; no mechanism under this "
        f"notion exceeds {mechanism.upper_bound:.6g} (gap {mechanism.gap:.2g}, "
        f"{mechanism.status}, found by {mechanism.solver})."
    )
    page.text(
        "This covers one release of each record of the distribution counted here. It does not "
        "cover repeated releases, other columns, or records from elsewhere."
    )
    numbers = reference([scenario])
    quick = mechanism.kernel.size < SLOW_CELLS
    try:
        reached = levels(result.joint, mechanism.kernel, numbers, slow=quick)
    except CoreError as error:
        page.text(str(error))
        return
    page.table(
        ("Privacy notion", "level reached", ""),
        [
            (
                level_title(key, numbers),
                fixed(value, 4),
                "nats" if notions.entry(key).in_nats else "",
            )
            for key, value in reached.items()
            if not np.isnan(value)
        ],
        f"The smallest level at which each notion holds{for_whom(scenario)}",
    )
    data = scenario.data
    if data.hashed:  # a hash of the file would let others test guesses of its records
        page.text(f"Data: {data.undisclosed().source}.", "source")
    else:
        text = f"Data: {data.source}. Hash of data and mechanism: {result.content_id}."
        page.text(text, "source")


def _tables(page: Document, result: Result, unit: str) -> None:
    after, kernel = result.after, result.mechanism.kernel
    scale = in_unit(1.0, unit)
    page.table(
        ("Output y", "P(y)", f"log Ψ, {unit}", f"log Λ, {unit}"),
        [
            (label, f"{p:.4f}", fixed(low * scale, 4), fixed(high * scale, 4))
            for label, p, low, high in zip(
                after.labels,
                after.joint_sy.sum(axis=0),
                after.log_min_lift,
                after.log_max_lift,
                strict=True,
            )
        ],
        "Outputs: how far each lowers and raises beliefs",
    )
    page.table(
        ("Input x", "probability of y"),
        [
            (name, _drawn(row, result.mechanism.y_labels))
            for name, row in zip(inputs(result), kernel, strict=True)
        ],
        "The mechanism P(y | x), most likely outputs first",
    )


def _drawn(row: FloatArray, names: Sequence[str]) -> str:
    """Return a row of a kernel in words, the likeliest outputs first."""
    order = np.argsort(-row, kind="stable")
    outputs = [f"{row[y]:.4f} as “{names[y]}”" for y in order if row[y] > 0]
    more = len(outputs) - IN_TABLE
    return "; ".join(outputs[:IN_TABLE]) + (f"; {more} more" if more > 0 else "")
