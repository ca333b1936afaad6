"""The Papers page: an experiment with its figure, verdicts and runs; or the errors in the paper."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.learning.lessons import Opens
from core.learning.settings import Values
from core.papers.catalogue import entry
from core.papers.experiment import Definition
from core.papers.results import PAPERS, Experiment, Mark, Series, Verdict
from core.papers.verdicts import RULES, Outcome
from core.papers.worlds import WORLDS, World, world
from core.scenario import Project, Scenario
from core.scenario.context import Context
from core.wording import listed, number_of
from pages.ui.chart import chart
from pages.ui.figures.papers import legend_rows, paper_panel
from pages.ui.frame import address, page_frame, pins, state, theme
from pages.ui.papers import query, worlds
from pages.ui.parts import exports, tables
from pages.ui.parts.cards import Still, card
from pages.ui.report.comparison import Picture
from pages.ui.report.papers import (
    BEYOND,
    EQUAL,
    MOST_VALUES,
    NAMES,
    beside_paper,
    of_beyond,
    of_errors,
    of_one,
    read,
    unmarked,
)
from pages.ui.report.parts import Parts, report
from pages.ui.style.labels import markdown, spoken
from pages.ui.work import context, progress

BEST = {"rldp": "robust_optimal"}
"""Notion → the mechanism that is its proven optimum, where that is not "optimal"."""


def scenario(experiment: Experiment) -> Scenario | None:
    return (
        None if experiment.scenario is None else Scenario.from_json(json.dumps(experiment.scenario))
    )


def ways_on(experiment: Experiment) -> tuple[tuple[str, str], ...]:
    """Return the label and the address of each link to an experiment's question."""
    question = scenario(experiment)
    if question is None:
        return ()
    drawn = "one draw" if experiment.draws else "it"
    if experiment.paper == "nonstochastic":
        page = Opens(question, "confusability")
        return ((f"Open {drawn} in {page.title}", page.link),)
    return (
        (f"Open {drawn} in Explore", Opens(question).link),
        ("Open it in Compare", compare(question)),
        ("Open it in Frontiers", frontiers(question)),
    )


def beside(question: Scenario) -> Project:
    """Return a question next to the optimum under the same notion; for an optimum, next to LDP."""
    best = BEST.get(question.notion, "optimal")
    if question.mechanism == best:
        return Project((question, replace(question, notion="ldp")), ("as in the paper", "LDP"))
    return Project(
        (question, replace(question, mechanism=best)), ("as in the paper", "the optimum")
    )


def frontiers(question: Scenario) -> str:
    """Return the address of Frontiers with a question's notion, mechanism and optimum."""
    best = BEST.get(question.notion, "optimal")
    chosen = {"promise": [question.notion], "by": list(dict.fromkeys([question.mechanism, best]))}
    return Opens(question, "frontiers", chosen).link


def compare(question: Scenario) -> str:
    return f"./compare?{urlencode(beside(question).to_query(), doseq=True)}"


Tint = Literal["green", "orange", "violet", "blue", "gray"]

LOOK: dict[Outcome, tuple[str, Tint]] = {
    "reproduced": (":material/verified:", "green"),
    "differs": (":material/difference:", "orange"),
    "error in the paper": (":material/gpp_bad:", "violet"),
    "cannot be decided": (":material/hourglass_bottom:", "blue"),
    "cannot be checked": (":material/help:", "gray"),
}
"""Icon and color of each outcome."""

PLURAL: dict[Outcome, str] = {"differs": "differ", "error in the paper": "errors in the paper"}
"""Outcomes that are worded otherwise of several claims."""

KINDS = {"line": "Lines", "points": "Dots", "bars": "Bars", "boxes": "Boxes"}
"""The names of the kinds of series."""

OWN_BARS = "bars show"
"""A part of the names of series that explain their own error bars."""


def badges(experiment: Experiment) -> None:
    counts = Counter(verdict.outcome for verdict in experiment.verdicts)
    with st.container(horizontal=True, key="papers_badges"):
        for outcome, (icon, tint) in LOOK.items():
            if counts[outcome]:
                label = PLURAL.get(outcome, outcome) if counts[outcome] > 1 else outcome
                st.badge(f"{counts[outcome]} {label}", icon=icon, color=tint)


def figure(experiment: Experiment) -> None:
    for first in range(0, len(experiment.panels), 2):
        numbers = range(first, min(first + 2, len(experiment.panels)))
        rows = max(legend_rows(experiment, panel) for panel in numbers)
        for panel, place in zip(numbers, st.columns(len(numbers)), strict=True):
            with place:
                _panel(experiment, panel, rows)
    if note := unmarked(experiment):
        st.caption(note)


def _panel(experiment: Experiment, panel: int, rows: int) -> None:
    title = experiment.panels[panel].title or experiment.place
    drawn = [line for line in experiment.series if line.panel == panel]
    names = ", ".join(line.name for line in drawn)
    key = f"papers_panel_{panel}"
    with card(
        key=key,
        title=markdown(title),
        subtitle=explained(drawn, [mark for mark in experiment.marks if mark.panel == panel]),
        table=lambda: points(experiment, panel),
    ):
        chart(
            paper_panel(experiment, panel, rows),
            key=key,
            title=title,
            alt=f"{NAMES[experiment.paper]} {experiment.place}, {title}. {kinds(drawn)}: {names}."
            f"{read(experiment, panel)}",
        )


def kinds(drawn: Sequence[Series]) -> str:
    """Return the kinds of the series drawn, in a word or two."""
    names = [name for kind, name in KINDS.items() if any(line.kind == kind for line in drawn)]
    return listed([names[0], *(name.lower() for name in names[1:])]) if names else "Nothing"


def explained(drawn: Sequence[Series], marks: Sequence[Mark] = ()) -> str:
    """Return how to read the panel of a figure."""
    ours = [line for line in drawn if line.name != EQUAL]
    errors = any(math.isfinite(error) for line in ours for error in line.error)
    own = any(OWN_BARS in line.name for line in ours)
    sentences = [f"{kinds(ours)}: ours{', with standard errors' if errors and not own else ''}."]
    if len(ours) < len(drawn):
        sentences.append("On the line, ours equals the paper's.")
    if any(line.kind == "boxes" for line in ours):
        sentences.append("A box spans the first to the last quartile; whiskers reach the extremes.")
    crosses = any(math.isfinite(mark.x) and math.isfinite(mark.y) for mark in marks)
    lines = any(math.isfinite(mark.x) != math.isfinite(mark.y) for mark in marks)
    if crosses or lines:
        signs = ["crosses"] * crosses + ["thin dots"] * lines
        sentences.append(f"{' and '.join(signs).capitalize()}: the paper's values.")
    return " ".join(sentences)


def points(experiment: Experiment, panel: int) -> pd.DataFrame:
    """Return what a panel shows as a table: our points, and those of the paper."""
    rows: list[dict[str, object]] = []
    names = experiment.panels[panel].x_names

    def place(x: float) -> object:
        return names[round(x)] if names and math.isfinite(x) else x

    for line in experiment.series:
        if line.panel != panel:
            continue
        errors = line.error or (float("nan"),) * len(line.x)
        rows += [
            {"line": line.name, "x": place(x), "y": y, "standard error": error}
            for x, y, error in zip(line.x, line.y, errors, strict=True)
        ]
    rows += [
        {
            "line": f"paper: {mark.text}",
            "x": place(mark.x),
            "y": mark.y,
            "standard error": float("nan"),
        }
        for mark in experiment.marks
        if mark.panel == panel
    ]
    return pd.DataFrame(rows, columns=["line", "x", "y", "standard error"])


CLAIMS = "Claims and verdicts"
"""The title of the verdicts."""


def claims(experiment: Experiment) -> pd.DataFrame:
    """Return every claim with its verdict, the numbers that decide, and the reason."""
    return pd.DataFrame(
        [
            {
                "verdict": verdict.outcome,
                "claim": verdict.claim,
                "place": verdict.place,
                "ours next to the paper's": beside_paper(verdict.values, verdict.rule),
                "reason": verdict.reason,
                "rule": verdict.rule,
            }
            for verdict in experiment.verdicts
        ]
    )


def verdicts(experiment: Experiment) -> None:
    """Show every claim with its verdict, the numbers that decide, and the reason."""
    if not experiment.verdicts:
        return
    st.header(CLAIMS, anchor=False)
    with st.container(key="papers_verdicts"):
        frame = claims(experiment)
        tables.read(frame, "papers_claims", pd.DataFrame(map(_read, experiment.verdicts)))
        if note := of_errors(experiment):
            st.caption(note)
    with st.popover("How verdicts are reached", type="tertiary", key="papers_rules"):
        for rule, text in RULES.items():
            st.markdown(f"**{rule}**: {markdown(text)}")


def _read(verdict: Verdict) -> dict[str, str]:
    """Return the row of a claim, as Markdown."""
    icon, tint = LOOK[verdict.outcome]
    # a reason begins with the numbers that decide: they are shown beside it, if they are few
    alone = (
        verdict.rule != "ORD"
        and verdict.cause
        and verdict.reason
        and len(verdict.values) <= MOST_VALUES
    )
    return {
        "verdict": f":{tint}-badge[{icon} {verdict.outcome}]",
        "claim": f"{markdown(verdict.claim)} · :gray[:small[{markdown(verdict.place)}]]",
        "ours next to the paper's": markdown(beside_paper(verdict.values, verdict.rule)),
        "reason": markdown(verdict.cause if alone else verdict.reason),
    }


def beyond(experiment: Experiment) -> None:
    if not experiment.beyond:
        return
    st.header("Beyond the paper", anchor=False)
    frame = pd.DataFrame(of_beyond(experiment), columns=list(BEYOND))
    tables.read(frame, "papers_beyond")


def show_errata() -> None:
    """Show a statement of the paper as a world, and all errors that were found."""
    claim = world(query.world())
    files = page_frame.head(f"{claim.kind}: {markdown(claim.title)}", units=False)
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(f"The paper says: {markdown(claim.statement)}")
    _live(claim, files)
    _listed()


@st.fragment
@page_frame.whole
def _live(claim: World, files: DeltaGenerator) -> None:
    """Show a world, which alone runs again when a slider is released."""
    page_frame.reserve([files])
    beside, side = st.columns([3, 2])
    with side:
        with st.container(border=True, key=f"papers_try_{claim.key}"):
            for name in claim.settings:
                query.NUMBERS.slider(name)
        text = st.container()
    now = query.NUMBERS.values()
    with beside, context.about({"world": claim.title} | _shown(claim, now)):
        drawn = worlds.show(claim, now)
        with st.container(key="papers_formulas"):
            st.markdown(f"The paper: $\\quad {claim.printed}$")
            st.markdown(f"{'What holds' if claim.wrong else 'Enough'}: $\\quad {claim.holds}$")
    with text:
        sentences = claim.words(worlds.example(claim, now))
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        opens = claim.opens(now)
        st.link_button(f"Open it in {opens.title}", opens.link, icon=":material/open_in_new:")
    query.publish()
    with files:
        _files_of_errata(claim, now, sentences, drawn)


def _files_of_errata(
    claim: World, now: Values, sentences: Sequence[str], drawn: Sequence[Still]
) -> None:
    """Show the menu of the tables of a world and of all errors, and the button of a report."""
    made = {item.title: item.table for item in drawn} | {ERRORS: errors}
    about, here = {"world": claim.title} | _shown(claim, now), ("papers", query.wanted())

    def make() -> str:
        pictures = [Picture(item.figure, item.title, item.alt) for item in drawn]
        lead = [f"The paper says: {claim.statement}", *sentences]
        whole = {title: table() for title, table in made.items()}
        title = f"{claim.kind}: {claim.title}"
        return report(title, None, Parts(lead, _shown(claim, now), pictures, whole, here))

    _files(made, about, make)


def _files(
    made: Mapping[str, Callable[[], pd.DataFrame]], about: Context, make: Callable[[], str]
) -> None:
    exports.files(
        "papers", lambda: exports.of_tables("papers", made, about), make, help=exports.OF_PAGE
    )


def _shown(claim: World, now: Values) -> dict[str, str]:
    return {key: f"{now[key]:g}" for key in claim.settings}


ERRORS = "All errors found"
"""The title of the list of errors."""


def errors() -> pd.DataFrame:
    """Return every claim that the shipped run found to be an error in the paper."""
    run = query.full_run()
    rows = [
        (NAMES[experiment.paper], verdict.place, verdict.claim, verdict.reason)
        for experiment in (run.experiments if run is not None else ())
        for verdict in experiment.verdicts
        if verdict.outcome == "error in the paper"
    ]
    return pd.DataFrame(rows, columns=["paper", "place", "claim", "what is wrong"])


def _listed() -> None:
    """Show every error in the papers."""
    st.header(ERRORS, anchor=False)
    rows = errors()
    if len(rows):
        texts = rows.map(markdown)
        texts["place"] = texts.pop("paper") + " " + texts["place"]
        tables.read(rows, "papers_errata", texts)
    else:
        st.info(
            "This version ships without a full run. Run an experiment to see what is wrong; "
            "docs/errata.md has the derivations.",
            icon=":material/hourglass_empty:",
        )


def show() -> None:
    theme.apply()
    address.warn(*state.notices(), *query.URL.notices())
    state.publish(state.scenario())
    _pickers()
    if query.shown() == query.ERRATA:
        show_errata()
        return
    query.publish()
    _experiment(entry(query.shown()))


def _pickers() -> None:
    """Show the list of papers and, of a paper, its figures and tables, in the sidebar."""
    st.session_state.setdefault(query.PAPER, query.paper())
    with st.sidebar:
        pins.restore()
        _pin()
        st.radio(
            "Paper",
            query.choices(),
            format_func=lambda key: "Errors in the papers" if key == query.ERRATA else NAMES[key],
            key=query.PAPER,
            on_change=query.pick_paper,
        )
        if query.shown() == query.ERRATA:
            st.session_state.setdefault(query.STATEMENT, query.world())
            st.radio(
                "Statement",
                [claim.key for claim in WORLDS],
                format_func=lambda key: world(key).title,
                key=query.STATEMENT,
                on_change=query.pick_world,
            )
        else:
            st.session_state.setdefault(query.EXPERIMENT, query.shown())
            st.radio(
                "Figure or table",
                query.of_paper(query.paper()),
                format_func=lambda key: spoken(f"{entry(key).place}: {entry(key).title}"),
                key=query.EXPERIMENT,
                on_change=query.pick_experiment,
            )


def _pin() -> None:
    """Show the button that pins the question of the experiment, or of the world, on screen."""
    if query.shown() == query.ERRATA:
        claim = world(query.world())
        pins.button(lambda: claim.opens(query.NUMBERS.values()).scenario)
        return
    shipped = query.of_full_run(query.shown())
    question = None if shipped is None else scenario(shipped)
    if question is None:
        pins.button(lacking="There is no question of one draw to pin.")
    else:
        pins.button(lambda: question)


def _experiment(definition: Definition) -> None:
    files = page_frame.head(markdown(query.titled(definition)), units=False)
    with st.container(key="idea"), st.container(key="finding"):
        st.markdown(markdown(definition.claim), help=markdown(PAPERS[definition.paper]))
    experiment = _result(definition)
    with files:
        _files_of(definition, experiment)
    if experiment is None:
        return
    with context.about(_about(definition)):
        badges(experiment)
        figure(experiment)
        verdicts(experiment)
        beyond(experiment)
    for note in experiment.notes:
        st.caption(markdown(note))
    _ways(experiment)


def _about(definition: Definition) -> Context:
    return {"paper": f"{NAMES[definition.paper]} {definition.place}"}


def _files_of(definition: Definition, experiment: Experiment | None) -> None:
    """Show the menu of an experiment's tables, and the button of its report."""
    if experiment is None:
        exports.no_files("papers", "This experiment has no results yet.")
        return
    made = {CLAIMS: partial(claims, experiment)}
    for panel, of in enumerate(experiment.panels):
        made[of.title or experiment.place] = partial(points, experiment, panel)
    _files(made, _about(definition), partial(of_one, experiment, query.wanted()))


def _result(definition: Definition) -> Experiment | None:
    """Return the results of a run here, or of the run that comes with the program."""
    chosen = query.run()
    shipped, run = query.of_full_run(definition.key), query.full_run()
    buttons = st.container(horizontal=True, key="papers_again")
    rerun: dict[str, Any] | None = None
    ended = False
    if chosen:
        work = query.again(definition.key, quick=chosen == "quick")
        rerun = progress.awaited(
            work, work.ask, f"{definition.place} again", seconds=work.seconds, key="papers_run"
        )
        ended = rerun is not None or not work.is_begun
    with buttons:
        # while a run is under way the full one is on screen anyway, and Cancel ends it
        _buttons(definition, back=shipped is not None and ended)
    if rerun is not None:
        experiment = Experiment.from_dict(rerun)
        how = "with fewer draws" if chosen == "quick" else "in full"
        st.caption(
            f"Run here {how}: {_drawn(experiment)}{experiment.seconds:.1f}\N{NO-BREAK SPACE}s."
        )
        return experiment
    if shipped is not None and run is not None:
        day, machine = shipped.date or run.date, shipped.machine or run.machine
        st.caption(
            markdown(
                f"From the full run shipped with version {run.version}: {_drawn(shipped)}"
                f"{shipped.seconds:.1f}\N{NO-BREAK SPACE}s."
            ),
            help=markdown(f"Made on {day} with seed {run.seed}. Machine: {machine}."),
        )
        return shipped
    if not chosen:
        st.info(
            "This version ships without a full run. Run the experiment here.",
            icon=":material/hourglass_empty:",
        )
    return None


def _drawn(experiment: Experiment) -> str:
    return f"{number_of(experiment.draws, 'draw')}, " if experiment.draws else ""


def _buttons(definition: Definition, *, back: bool) -> None:
    """Show the buttons that run an experiment here, and the one back to the shipped run, if any."""
    for how, label, share in (("quick", "Run a quick version", 0.05), ("full", "Run in full", 1.0)):
        st.button(
            label,
            icon=":material/play_arrow:",
            key=f"papers_{how}",
            on_click=_start,
            args=(definition, how),
            help=f"About {max(1.0, share * definition.seconds):.0f} s on one core"
            + (", with fewer draws." if how == "quick" else "."),
        )
    if back:
        st.button(
            "Back to the full run",
            icon=":material/undo:",
            key="papers_shipped",
            type="tertiary",
            on_click=query.run_as,
            args=("",),
        )


def _start(definition: Definition, how: str) -> None:
    """Run an experiment here; a cancelled or failed run starts again."""
    query.run_as(how)
    query.again(definition.key, quick=how == "quick").resume()


def _ways(experiment: Experiment) -> None:
    """Show the links that open the experiment's question on other pages."""
    ways = ways_on(experiment)
    if not ways:
        return
    with st.container(horizontal=True, key="papers_ways"):
        for label, link in ways:
            st.link_button(label, link, icon=":material/open_in_new:")
