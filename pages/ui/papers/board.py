"""The Papers page: an experiment with its figure, verdicts and runs; or the errors in the paper."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from core.learning.settings import Values
from core.papers.catalogue import entry
from core.papers.experiment import Definition
from core.papers.results import PAPERS, Experiment, Mark, Series, Verdict
from core.papers.verdicts import RULES, Outcome
from core.papers.worlds import WORLDS, World, world
from core.scenario import Project, Scenario
from core.scenario.url import to_query
from core.wording import listed, number_of
from pages.ui.chart import chart
from pages.ui.figures.papers import legend_rows, paper_panel
from pages.ui.frame import state, theme
from pages.ui.papers import query, worlds
from pages.ui.parts import tables
from pages.ui.parts.cards import card
from pages.ui.report.papers import (
    BEYOND,
    EQUAL,
    MOST_VALUES,
    NAMES,
    beside_paper,
    of_beyond,
    of_errors,
    read,
    unmarked,
)
from pages.ui.style.labels import markdown
from pages.ui.work import context, progress

BEST = {"rldp": "robust_optimal"}
"""Notion → the mechanism that is its proven optimum, where that is not "optimal"."""


def scenario(found: Experiment) -> Scenario | None:
    return None if found.scenario is None else Scenario.from_json(json.dumps(found.scenario))


def ways_on(found: Experiment) -> tuple[tuple[str, str], ...]:
    """Return what each link to an experiment's question says, and its address."""
    asked = scenario(found)
    if asked is None:
        return ()
    drawn = "one draw" if found.draws else "it"
    if found.paper == "nonstochastic":
        return ((f"Open {drawn} in Confusability", confusability(asked)),)
    return (
        (f"Open {drawn} in Explore", explore(asked)),
        ("Open it in Compare", compare(asked)),
        ("Open it in Frontiers", frontiers(asked)),
    )


def confusability(asked: Scenario) -> str:
    """Return the address of Confusability with a question's data, relative to this page's."""
    return f"./confusability?{urlencode(to_query(asked), doseq=True)}"


def explore(asked: Scenario) -> str:
    return f"./?{urlencode(to_query(asked), doseq=True)}"


def beside(asked: Scenario) -> Project:
    """Return a question beside the optimum under the same promise, or, of an optimum, under LDP."""
    best = BEST.get(asked.notion, "optimal")
    if asked.mechanism == best:
        return Project((asked, replace(asked, notion="ldp")), ("as in the paper", "LDP"))
    return Project((asked, replace(asked, mechanism=best)), ("as in the paper", "the optimum"))


def frontiers(asked: Scenario) -> str:
    """Return the address of Frontiers with a question's promise, mechanism and optimum."""
    best = BEST.get(asked.notion, "optimal")
    chosen = {"promise": [asked.notion], "by": list(dict.fromkeys([asked.mechanism, best]))}
    return f"./frontiers?{urlencode(to_query(asked) | chosen, doseq=True)}"


def compare(asked: Scenario) -> str:
    return f"./compare?{urlencode(beside(asked).to_query(), doseq=True)}"


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
"""What the kinds of series are called."""

OWN_BARS = "bars show"
"""What the names of series contain that say themselves what their error bars are."""


def badges(found: Experiment) -> None:
    counts = Counter(one.outcome for one in found.verdicts)
    with st.container(horizontal=True, key="papers_badges"):
        for outcome, (icon, tint) in LOOK.items():
            if counts[outcome]:
                said = PLURAL.get(outcome, outcome) if counts[outcome] > 1 else outcome
                st.badge(f"{counts[outcome]} {said}", icon=icon, color=tint)


def figure(found: Experiment) -> None:
    for first in range(0, len(found.panels), 2):
        numbers = range(first, min(first + 2, len(found.panels)))
        rows = max(legend_rows(found, panel) for panel in numbers)
        for panel, place in zip(numbers, st.columns(len(numbers)), strict=True):
            with place:
                _panel(found, panel, rows)
    if told := unmarked(found):
        st.caption(told)


def _panel(found: Experiment, panel: int, rows: int) -> None:
    title = found.panels[panel].title or found.place
    drawn = [one for one in found.series if one.panel == panel]
    names = ", ".join(one.name for one in drawn)
    key = f"papers_panel_{panel}"
    with card(
        key=key,
        title=markdown(title),
        subtitle=explained(drawn, [one for one in found.marks if one.panel == panel]),
        table=lambda: points(found, panel),
    ):
        chart(
            paper_panel(found, panel, rows),
            key=key,
            title=title,
            alt=f"{NAMES[found.paper]} {found.place}, {title}. {kinds(drawn)}: {names}."
            f"{read(found, panel)}",
        )


def kinds(drawn: Sequence[Series]) -> str:
    """Return what is drawn, in a word or two."""
    found = [said for kind, said in KINDS.items() if any(one.kind == kind for one in drawn)]
    return listed([found[0], *(said.lower() for said in found[1:])]) if found else "Nothing"


def explained(drawn: Sequence[Series], marks: Sequence[Mark] = ()) -> str:
    """Return how the panel of a figure is read."""
    ours = [one for one in drawn if one.name != EQUAL]
    errors = any(math.isfinite(each) for one in ours for each in one.error)
    own = any(OWN_BARS in one.name for one in ours)
    told = [f"{kinds(ours)}: ours{', with standard errors' if errors and not own else ''}."]
    if len(ours) < len(drawn):
        told.append("On the line, ours equals the paper's.")
    if any(one.kind == "boxes" for one in ours):
        told.append("A box spans the first to the last quartile; whiskers reach the extremes.")
    crosses = any(math.isfinite(one.x) and math.isfinite(one.y) for one in marks)
    lines = any(math.isfinite(one.x) != math.isfinite(one.y) for one in marks)
    if crosses or lines:
        signs = ["crosses"] * crosses + ["thin dots"] * lines
        told.append(f"{' and '.join(signs).capitalize()}: the paper's values.")
    return " ".join(told)


def points(found: Experiment, panel: int) -> pd.DataFrame:
    """Return what a panel shows as a table: our points, and those of the paper."""
    rows: list[dict[str, object]] = []
    names = found.panels[panel].x_names

    def place(x: float) -> object:
        return names[round(x)] if names and math.isfinite(x) else x

    for one in found.series:
        if one.panel != panel:
            continue
        errors = one.error or (float("nan"),) * len(one.x)
        rows += [
            {"line": one.name, "x": place(x), "y": y, "standard error": error}
            for x, y, error in zip(one.x, one.y, errors, strict=True)
        ]
    rows += [
        {
            "line": f"paper: {one.text}",
            "x": place(one.x),
            "y": one.y,
            "standard error": float("nan"),
        }
        for one in found.marks
        if one.panel == panel
    ]
    return pd.DataFrame(rows, columns=["line", "x", "y", "standard error"])


def verdicts(found: Experiment) -> None:
    """Show every claim with its verdict, the numbers that decide, and the reason."""
    if not found.verdicts:
        return
    st.header("Claims and verdicts", anchor=False)
    with st.container(key="papers_verdicts"):
        frame = pd.DataFrame(
            [
                {
                    "verdict": one.outcome,
                    "claim": one.claim,
                    "place": one.place,
                    "ours next to the paper's": beside_paper(one.values, one.rule),
                    "reason": one.reason,
                    "rule": one.rule,
                }
                for one in found.verdicts
            ]
        )
        tables.read(frame, "papers_claims", pd.DataFrame(map(_read, found.verdicts)))
        if told := of_errors(found):
            st.caption(told)
    with st.popover("How verdicts are reached", type="tertiary", key="papers_rules"):
        for rule, said in RULES.items():
            st.markdown(f"**{rule}**: {markdown(said)}")


def _read(one: Verdict) -> dict[str, str]:
    """Return the row of a claim, as Markdown."""
    icon, tint = LOOK[one.outcome]
    # a reason begins with the numbers that decide: they are shown beside it, if they are few
    alone = one.rule != "ORD" and one.cause and one.reason and len(one.values) <= MOST_VALUES
    return {
        "verdict": f":{tint}-badge[{icon} {one.outcome}]",
        "claim": f"{markdown(one.claim)} · :gray[:small[{markdown(one.place)}]]",
        "ours next to the paper's": markdown(beside_paper(one.values, one.rule)),
        "reason": markdown(one.cause if alone else one.reason),
    }


def beyond(found: Experiment) -> None:
    if not found.beyond:
        return
    st.header("Beyond the paper", anchor=False)
    frame = pd.DataFrame(of_beyond(found), columns=list(BEYOND))
    tables.read(frame, "papers_beyond")


def show_errata() -> None:
    """Show a statement of the paper as a world, and all errors that were found."""
    one = world(query.world())
    with st.container(horizontal=True, key="header"):
        st.title(f"{one.kind}: {markdown(one.title)}", anchor=False)
    with st.container(key="finding"):
        st.markdown(f"The paper says: {markdown(one.statement)}")
    _live(one)
    _listed()


@st.fragment
def _live(one: World) -> None:
    """Show a world, which alone runs again when a slider is released."""
    beside, told = st.columns([3, 2])
    with told:
        with st.container(border=True, key=f"papers_try_{one.key}"):
            for name in one.settings:
                query.NUMBERS.slider(name)
        said = st.container()
    now = query.NUMBERS.values()
    with beside, context.about({"world": one.title} | _shown(one, now)):
        worlds.show(one, now)
        with st.container(key="papers_formulas"):
            st.markdown(f"The paper: $\\quad {one.printed}$")
            st.markdown(f"{'What holds' if one.wrong else 'Enough'}: $\\quad {one.holds}$")
    with said:
        sentences = one.words(worlds.found(one, now))
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in sentences))
        opens = one.opens(now)
        st.link_button(f"Open it in {opens.title}", opens.link, icon=":material/open_in_new:")
    query.publish()


def _shown(one: World, now: Values) -> dict[str, str]:
    return {key: f"{now[key]:g}" for key in one.settings}


def _listed() -> None:
    """Show every claim of the shipped run that came out as an error in the paper."""
    st.header("All errors found", anchor=False)
    run = query.full_run()
    rows = [
        {
            "paper": NAMES[one.paper],
            "place": said.place,
            "claim": said.claim,
            "what is wrong": said.reason,
        }
        for one in (run.experiments if run is not None else ())
        for said in one.verdicts
        if said.outcome == "error in the paper"
    ]
    if rows:
        shown = [
            {
                "place": f"{markdown(row['paper'])} {markdown(row['place'])}",
                "claim": markdown(row["claim"]),
                "what is wrong": markdown(row["what is wrong"]),
            }
            for row in rows
        ]
        tables.read(pd.DataFrame(rows), "papers_errata", pd.DataFrame(shown))
    else:
        st.info(
            "This version ships without a full run. Run an experiment to see what is wrong; "
            "docs/errata.md has the derivations.",
            icon=":material/hourglass_empty:",
        )


def show() -> None:
    theme.apply()
    for sentence in (*state.notices(), *query.URL.notices()):
        st.warning(markdown(sentence), icon=":material/link_off:")
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
                [one.key for one in WORLDS],
                format_func=lambda key: world(key).title,
                key=query.STATEMENT,
                on_change=query.pick_world,
            )
        else:
            st.session_state.setdefault(query.EXPERIMENT, query.shown())
            st.radio(
                "Figure or table",
                query.of_paper(query.paper()),
                format_func=lambda key: f"{entry(key).place}: {entry(key).title}",
                key=query.EXPERIMENT,
                on_change=query.pick_experiment,
            )


def _experiment(one: Definition) -> None:
    with st.container(horizontal=True, key="header"):
        st.title(markdown(f"{NAMES[one.paper]} {one.place}: {one.title}"), anchor=False)
    with st.container(key="finding"):
        st.markdown(markdown(one.claim), help=markdown(PAPERS[one.paper]))
    found = _found(one)
    if found is None:
        return
    with context.about({"paper": f"{NAMES[one.paper]} {one.place}"}):
        badges(found)
        figure(found)
        verdicts(found)
        beyond(found)
    for note in found.notes:
        st.caption(markdown(note))
    _ways(found)


def _found(one: Definition) -> Experiment | None:
    """Return what came out, of a run here or of the one that comes with the program."""
    chosen = query.run()
    kept, run = query.of_full_run(one.key), query.full_run()
    buttons = st.container(horizontal=True, key="papers_again")
    made: dict[str, Any] | None = None
    ended = False
    if chosen:
        work = query.again(one.key, quick=chosen == "quick")
        made = progress.awaited(
            work, work.ask, f"{one.place} again", seconds=query.LIMIT, key="papers_run"
        )
        ended = made is not None or not work.is_begun
    with buttons:
        # while a run is under way the full one is on screen anyway, and Cancel ends it
        _buttons(one, back=kept is not None and ended)
    if made is not None:
        found = Experiment.from_dict(made)
        how = "with fewer draws" if chosen == "quick" else "in full"
        st.caption(f"Run here {how}: {_drawn(found)}{found.seconds:.1f} s.")
        return found
    if kept is not None and run is not None:
        day, machine = kept.date or run.date, kept.machine or run.machine
        st.caption(
            markdown(
                f"From the full run shipped with version {run.version}: {_drawn(kept)}"
                f"{kept.seconds:.1f} s."
            ),
            help=markdown(f"Made on {day} with seed {run.seed}. Machine: {machine}."),
        )
        return kept
    if not chosen:
        st.info(
            "This version ships without a full run. Run the experiment here.",
            icon=":material/hourglass_empty:",
        )
    return None


def _drawn(found: Experiment) -> str:
    return f"{number_of(found.draws, 'draw')}, " if found.draws else ""


def _buttons(one: Definition, *, back: bool) -> None:
    """Show the buttons that run an experiment here, and the one back to what is shipped, if any."""
    for how, label, share in (("quick", "Run a quick version", 0.05), ("full", "Run in full", 1.0)):
        st.button(
            label,
            icon=":material/play_arrow:",
            key=f"papers_{how}",
            on_click=_start,
            args=(one, how),
            help=f"About {max(1.0, share * one.seconds):.0f} s on one core"
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


def _start(one: Definition, how: str) -> None:
    """Run an experiment here; what was cancelled or failed begins again."""
    query.run_as(how)
    query.again(one.key, quick=how == "quick").resume()


def _ways(found: Experiment) -> None:
    """Show the links that ask the experiment's question anew."""
    ways = ways_on(found)
    if not ways:
        return
    with st.container(horizontal=True, key="papers_ways"):
        for said, link in ways:
            st.link_button(said, link, icon=":material/open_in_new:")
