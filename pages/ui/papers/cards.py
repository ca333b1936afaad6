"""An experiment's figure, panel by panel, and tables of its verdicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from core.papers.results import Experiment, Mark, Series, Verdict
from core.papers.verdicts import RULES, Outcome, Rule, Value
from core.wording import listed
from pages.ui.chart import chart
from pages.ui.figures.papers import legend_rows, paper_panel
from pages.ui.parts import tables
from pages.ui.parts.cards import card
from pages.ui.report.papers import EQUAL, NAMES, of_errors, read, unmarked, with_error
from pages.ui.style.labels import markdown

Tint = Literal["green", "orange", "violet", "blue", "gray"]

LOOK: dict[Outcome, tuple[str, Tint]] = {
    "reproduced": (":material/verified:", "green"),
    "differs": (":material/difference:", "orange"),
    "error in print": (":material/gpp_bad:", "violet"),
    "cannot be decided": (":material/hourglass_bottom:", "blue"),
    "cannot be checked": (":material/help:", "gray"),
}
"""Icon and colour of each outcome."""

PLURAL: dict[Outcome, str] = {"differs": "differ", "error in print": "errors in print"}
"""Outcomes that are worded otherwise of several claims."""

KINDS = {"line": "Lines", "points": "Dots", "bars": "Bars", "boxes": "Boxes"}
"""What the kinds of series are called."""

OWN_BARS = "bars show"
"""What the names of series contain that say themselves what their error bars are."""


def badges(found: Experiment) -> None:
    """Show how many claims have each outcome."""
    counts = Counter(one.outcome for one in found.verdicts)
    with st.container(horizontal=True, key="papers_badges"):
        for outcome, (icon, tint) in LOOK.items():
            if counts[outcome]:
                said = PLURAL.get(outcome, outcome) if counts[outcome] > 1 else outcome
                st.badge(f"{counts[outcome]} {said}", icon=icon, color=tint)


def figure(found: Experiment) -> None:
    """Show the panels of the figure, two beside each other."""
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
    """Return what is drawn, in a word or two.

    Examples
    --------
    >>> kinds([Series("ours", (0.0,), (1.0,), kind="points")])
    'Dots'
    """
    found = [said for kind, said in KINDS.items() if any(one.kind == kind for one in drawn)]
    return listed([found[0], *(said.lower() for said in found[1:])]) if found else "Nothing"


def explained(drawn: Sequence[Series], marks: Sequence[Mark] = ()) -> str:
    """Return how the panel of a figure is read.

    Parameters
    ----------
    drawn : sequence of Series
        What is drawn in it.
    marks : sequence of Mark
        What print says of it.

    Examples
    --------
    >>> explained([Series("LDP", (1.0,), (0.5,), (0.01,))], [Mark(1.0, 0.5, "")])
    'Lines: ours, with standard errors. Crosses: print.'
    >>> equal = Series("equal", (0.0, 1.0), (0.0, 1.0))
    >>> explained([Series("ours", (0.0,), (1.0,), kind="points"), equal])
    'Dots: ours. On the line ours equals print.'
    """
    ours = [one for one in drawn if one.name != EQUAL]
    errors = any(math.isfinite(each) for one in ours for each in one.error)
    own = any(OWN_BARS in one.name for one in ours)
    told = [f"{kinds(ours)}: ours{', with standard errors' if errors and not own else ''}."]
    if len(ours) < len(drawn):
        told.append("On the line ours equals print.")
    if any(one.kind == "boxes" for one in ours):
        told.append("A box is from the first to the last quartile, whiskers reach the extremes.")
    crosses = any(math.isfinite(one.x) and math.isfinite(one.y) for one in marks)
    lines = any(math.isfinite(one.x) != math.isfinite(one.y) for one in marks)
    if crosses or lines:
        signs = ["crosses"] * crosses + ["thin dots"] * lines
        told.append(f"{' and '.join(signs).capitalize()}: print.")
    return " ".join(told)


def points(found: Experiment, panel: int) -> pd.DataFrame:
    """Return what a panel shows as a table: our points, and those of print."""
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
            "line": f"print: {one.text}",
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
    st.header("What is claimed, and what comes out", anchor=False)
    with st.container(key="papers_verdicts"):
        frame = pd.DataFrame(
            [
                {
                    "verdict": one.outcome,
                    "claim": one.claim,
                    "place": one.place,
                    "ours beside print": beside_print(one.values, one.rule),
                    "reason": one.reason,
                    "rule": one.rule,
                }
                for one in found.verdicts
            ]
        )
        tables.read(frame, "papers_claims", pd.DataFrame(map(_read, found.verdicts)))
        if told := of_errors(found):
            st.caption(told)
    with st.popover("how a verdict is reached", type="tertiary", key="papers_rules"):
        for rule, said in RULES.items():
            st.markdown(f"**{rule}**: {markdown(said)}")


def _read(one: Verdict) -> dict[str, str]:
    """Return the row of a claim, as Markdown."""
    icon, tint = LOOK[one.outcome]
    # a reason begins with the numbers that decide: they are shown beside it, if they are few
    alone = one.rule != "ORD" and one.cause and one.reason and len(one.values) <= MOST
    return {
        "verdict": f":{tint}-badge[{icon} {one.outcome}]",
        "claim": f"{markdown(one.claim)} · :gray[:small[{markdown(one.place)}]]",
        "ours beside print": markdown(beside_print(one.values, one.rule)),
        "reason": markdown(one.cause if alone else one.reason),
    }


MOST = 4
"""Values of one claim that its row shows; the table's files have as many."""


def beside_print(values: tuple[Value, ...], rule: Rule = "NUM") -> str:
    """Return the values of a claim, ours beside print.

    Parameters
    ----------
    values : tuple of Value
        The values.
    rule : str
        The claim's: by EXT print is an end of a range, not a bound.

    Examples
    --------
    >>> beside_print((Value("share", 0.0, 0.05, relation="at most"),))
    'share: 0 (to be at most the printed 0.05)'
    >>> beside_print((Value("NMI", 0.834, 0.83, error=0.001, unit=0.01),))
    'NMI: 0.8340 ± 0.0010 (printed 0.83)'
    """
    told = [
        f"{one.name}: {with_error(one.ours, one.error)}"
        + ("" if one.printed is None else f" ({_of_print(one, rule)} {one.printed:.4g})")
        + ("" if one.variant is None else f" [the wrong variant {one.variant:.4g}]")
        for one in values[:MOST]
    ]
    more = len(values) - MOST
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _of_print(value: Value, rule: Rule) -> str:
    bound = value.relation != "is" and rule != "EXT"
    return f"to be {value.relation} the printed" if bound else "printed"


def beyond(found: Experiment) -> None:
    """Show what is reached beyond print."""
    if not found.beyond:
        return
    st.header("Beyond print", anchor=False)
    frame = pd.DataFrame(
        [
            {
                "what": one.text,
                "ours": with_error(one.value, one.error),
                "proven bound": "" if one.bound is None else f"{one.bound:.4g}",
                "the paper's method": ""
                if one.printed_method is None
                else f"{one.printed_method:.4g}",
            }
            for one in found.beyond
        ]
    )
    tables.read(frame, "papers_beyond")
