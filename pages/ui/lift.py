"""The Lift page's content: log-lift pair by pair, symbol by symbol, and every measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.measures import catalogue as measures
from core.measures.leakage import Leakage
from core.notions import PointwiseNotion
from core.notions import catalogue as notions
from core.release.confusability import most_likely
from core.release.posteriors import Exposure, averages, exposure, pointwise
from core.release.sentences import promise_text
from core.scenario import Result, Scenario
from core.validation import FloatArray
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import Drawing, board, chart, old
from pages.ui.chart import place as chart_place
from pages.ui.figures.bars import UNJUDGED
from pages.ui.frame import controls, following, page_frame
from pages.ui.parts import formulas, tables
from pages.ui.parts.cards import card
from pages.ui.parts.tables import ROWS, first_row, rows
from pages.ui.style import glossary
from pages.ui.style.units import in_unit, level, share
from pages.ui.work import answers, derived, refining
from pages.ui.work.frames import Frame

WIDE = {"measure": 180, "meaning": 460}
"""Pixels that the text columns of the table of averages take."""


LIFT = (
    "The factor by which a symbol changes the probability of a secret: 1 reveals nothing, 0 rules "
    "the secret out."
)
"""What the page is about."""

LOGLIFT, SYMBOLS = "loglift", "symbols"
"""Keys of the charts that follow a slider."""

BELOW = "lift_below"
"""Key of what does not."""

TITLES = {LOGLIFT: "Log-lift of every pair", SYMBOLS: "From min-lift Ψ to max-lift Λ"}
"""Key → title."""


@dataclass(frozen=True)
class View:
    """What is shown of an answer: X itself or the release, from which row on, and the unit."""

    of_x: bool
    first: int
    unit: str


def show() -> None:
    _live(page_frame.frame())


@st.fragment
@page_frame.whole
def _live(places: page_frame.Places) -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    scenario = page_frame.read_sliders(places)
    place = page_frame.answer_head("lift", "Lift, symbol by symbol", scenario)
    result = page_frame.answer(scenario)
    page_frame.report_button(place, "lift", result)
    if result is None:
        if (before := page_frame.last()) is not None:
            with old():
                view = _cards(before)
                board({"": None}, [drawing.sent() for drawing in _drawn(before, view)], ())
        return
    refining.follow(scenario, result.mechanism)
    answer = st.container()
    view = _cards(result)
    with st.container(key=BELOW):
        leak = _leak(result, view)
        _high_risk(result, leak, _exposed(result, leak, view.unit))
        _measures(result, view.unit)
        _asymmetry(view.unit)
    words = _words(result, view, answers.is_refining(scenario))
    terms = [(term.title, term.meaning) for term in glossary.terms_in(words["sentences"][:1])]
    with answer:
        board(
            {"": words | {"terms": [("Lift", LIFT), *terms]}},
            [drawing.sent() for drawing in _drawn(result, view)],
            following.sliders(scenario, partial(_followed, scenario, view)),
        )


def _followed(scenario: Scenario, view: View, name: str) -> dict[str, Any]:
    return following.slider(
        name, scenario, partial(frame, view=view), view, charts=[LOGLIFT, SYMBOLS], behind=[BELOW]
    )


def frame(results: Sequence[Result], view: View) -> Frame:
    """Return what the page shows of an answer at another place of a slider."""
    (result,) = results
    return following.frame(result, partial(_words, result, view), partial(_drawn, view=view))


def _leak(result: Result, view: View) -> Leakage:
    return result.before if view.of_x else result.after


def _exposed(result: Result, leak: Leakage, unit: str) -> Exposure:
    """Return the verdicts on the symbols of X itself or of the release."""
    promised = derived.promise(result.scenario)
    return exposure(leak, promised, result.joint.s_labels, bits=unit == "bits")


def _words(result: Result, view: View, provisional: bool) -> Frame:
    """Return what the page says of an answer: how many symbols are high-risk."""
    leak, notion = _leak(result, view), derived.promise(result.scenario)
    risks = _exposed(result, leak, view.unit)
    risky, name = int(risks.risky.sum()), promise_text(notion, view.unit)
    if not isinstance(notion, PointwiseNotion):
        text = f"{name} does not bound each symbol separately, so no symbol is high-risk."
    elif risky:
        of_records = share(float(risks.mass[risks.risky].sum()))
        text = (
            f"Under {name}, {risky} of {number_of(len(leak.labels), 'symbol')}, covering "
            f"{of_records} of the records, {'exceeds' if risky == 1 else 'exceed'} the budget."
        )
    else:
        text = f"Under {name}, every symbol is within the budget on its own."
    glance = [refining.GLANCE] if provisional else []
    return {"sentences": [text, *glance], "figures": [], "badge": None}


def _reached(leak: Leakage) -> FloatArray:
    """Return how far each symbol shifts beliefs; those that rule a secret out come first."""
    reached = np.maximum(-leak.log_min_lift, leak.log_max_lift)
    return np.where(np.isinf(reached), 1e6 + leak.log_max_lift, reached)


def _cards(result: Result) -> View:
    """Show the cards of the charts, without these, and the switches of what they show."""
    released = st.segmented_control(
        "Show",
        ["X itself", "the release"],
        key="lift_of",
        default="X itself",
        required=True,
        label_visibility="collapsed",
    )
    of_x, unit = released == "X itself", controls.unit()
    leak = result.before if of_x else result.after
    first = first_row(len(leak.labels), "symbols, largest shift of beliefs first", "lift_page")
    risks = _exposed(result, leak, unit)
    left, right = st.columns(2)
    with (
        left,
        card(
            key=LOGLIFT,
            title=TITLES[LOGLIFT],
            subtitle="Orange: the secret becomes more likely. Blue: less. ×: never together.",
            table=lambda: _pairs(risks, leak, result.joint.s_labels, unit),
            formulas=(formulas.measure("lift"),),
        ),
    ):
        chart_place(LOGLIFT, fills=False)
    with (
        right,
        card(
            key=SYMBOLS,
            title=TITLES[SYMBOLS],
            subtitle="How far each symbol shifts beliefs"
            + ("; shaded: allowed by the notion." if derived.budgets(result.scenario) else "."),
            table=lambda: _symbols(leak, risks, unit),
            formulas=(formulas.measure("min_lift"), formulas.measure("max_lift")),
        ),
    ):
        chart_place(SYMBOLS, fills=False)
    return View(of_x, first, unit)


def _drawn(result: Result, view: View) -> list[Drawing]:
    """Return the charts of an answer."""
    leak, unit = _leak(result, view), view.unit
    risks = _exposed(result, leak, unit)
    shown = rows(_reached(leak), view.first)
    secrets = most_likely(leak.joint_sy.sum(axis=1), ROWS)
    names = [leak.labels[y] for y in shown]
    height = int(np.clip(100 + 24 * len(shown), 300, 900))
    judged = isinstance(derived.promise(result.scenario), PointwiseNotion)
    return [
        Drawing(
            lambda: figures.log_lift_matrix(
                risks.log_lift[np.ix_(secrets, shown)],
                [result.joint.s_labels[s] for s in secrets],
                names,
                height,
                unit,
                left_out=result.joint.n_s - len(secrets),
            ),
            LOGLIFT,
            TITLES[LOGLIFT],
            f"Log-lift of {number_of(len(leak.labels), 'symbol')} and "
            f"{number_of(result.joint.n_s, 'secret')}.",
            fills=False,
        ),
        Drawing(
            lambda: figures.symbol_lifts(
                leak.log_min_lift[shown],
                leak.log_max_lift[shown],
                names,
                risks.risky[shown],
                derived.budgets(result.scenario),
                height,
                unit,
                judged=judged,
            ),
            SYMBOLS,
            TITLES[SYMBOLS],
            _verdict(risks, judged=judged),
            fills=False,
        ),
    ]


def _verdict(risks: Exposure, *, judged: bool) -> str:
    """Return how many symbols are high-risk, or that the promise judges none by itself."""
    symbols = number_of(len(risks.labels), "symbol")
    return f"High-risk: {int(risks.risky.sum())} of {symbols}." if judged else f"{UNJUDGED}."


def _pairs(risks: Exposure, leak: Leakage, s_labels: tuple[str, ...], unit: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"symbol": leak.labels}
        | {
            f"{label}, {unit}": risks.log_lift[s] * in_unit(1.0, unit)
            for s, label in enumerate(s_labels)
        }
    )


def _symbols(leak: Leakage, risks: Exposure, unit: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "symbol": leak.labels,
            "probability": risks.mass,
            f"log Ψ, {unit}": leak.log_min_lift * in_unit(1.0, unit),
            f"log Λ, {unit}": leak.log_max_lift * in_unit(1.0, unit),
            "high-risk": risks.risky,
            "why": risks.why,
        }
    )


def _high_risk(result: Result, leak: Leakage, risks: Exposure) -> None:
    st.header("Which symbols are high-risk, and why", anchor=False)
    every = pointwise(leak, _order(result) or _usual(result))
    table = _symbols(leak, risks, controls.unit()).join(pd.DataFrame(dict(every)))
    tables.sheet(table.sort_values("high-risk", ascending=False, kind="stable"), "pointwise")
    with st.popover(
        "formulas of the pointwise measures",
        type="tertiary",
        on_change="rerun",
        key="pointwise_formulas",
    ) as opened:
        if opened.open:
            for entry in measures.ENTRIES:
                if entry.kind == measures.POINTWISE:
                    st.markdown(formulas.measure(entry.key))
            st.markdown(formulas.notion(result.scenario.notion))


def _order(result: Result) -> float | None:
    """Return the order of the mean of lifts in the promise; None where it has none."""
    scenario = result.scenario
    return scenario.alpha if notions.entry(scenario.notion).kind.order_of_lift else None


def _usual(result: Result) -> float:
    """Return the order of measures where the promise has none: the link's, else 2."""
    scenario = result.scenario
    of_set = notions.entry(scenario.notion).kind.of_estimate
    return scenario.alpha if scenario.alpha in controls.ALPHAS and not of_set else 2.0


def _measures(result: Result, unit: str) -> None:
    st.header("Averages over the release", anchor=False)
    alpha = _order(result)
    with st.container(key="measures"):
        if alpha is None:
            alpha = st.select_slider(
                "α · order of the measures below",
                options=list(controls.ALPHAS),
                value=_usual(result),
                format_func=controls.order,
                key="measure_alpha",
                help="1.05 is close to Shannon's mean; ∞ is the worst case.",
            )
        order = controls.order(alpha)
        before, after = averages(result.before, alpha), averages(result.after, alpha)
        table = pd.DataFrame(
            {
                "measure": [
                    measures.entry(key).title
                    + (f", α = {order}" if measures.entry(key).parameters else "")
                    for key in before
                ],
                "X itself": [_shown(value, unit) for value in before.values()],
                "the release": [_shown(value, unit) for value in after.values()],
                "unit": [unit if of == "nats" else "–" for _, of in before.values()],
                "meaning": [measures.entry(key).meaning for key in before],
            }
        )
        tables.sheet(
            table,
            "averages",
            most=560,
            wrapped=WIDE,
            column_config={
                name: st.column_config.TextColumn(width=pixels, pinned=name == "measure")
                for name, pixels in WIDE.items()
            },
        )
    with st.popover(
        "formulas of the averages", type="tertiary", on_change="rerun", key="averages_formulas"
    ) as opened:
        if opened.open:
            for key in before:
                st.markdown(formulas.measure(key))


def _shown(value: tuple[float, str], unit: str) -> str:
    number, of = value
    return level(number, unit if of == "nats" else "nats", 4)


def _asymmetry(unit: str) -> None:
    # secrets, symbols and draws of [Lift] Fig. 1
    n_s, n_x, draws = 5, 17, 1000
    histogram = derived.asymmetry(n_s, n_x, draws)
    st.header("Why is the bound on min-lift so costly?", anchor=False)
    st.markdown(
        f"In {draws:,} random joints of {n_s} secrets and {n_x} symbols, log Ψ ranges from "
        f"{level(histogram.low_range[0], unit, 1)} to {level(histogram.low_range[1], unit, 2)}, "
        f"log Λ only from {level(histogram.high_range[0], unit, 2)} to "
        f"{level(histogram.high_range[1], unit, 2)} {unit}: beliefs fall much further than they "
        "rise. A single bound for both sides limits the falls most; λ above ½ gives them the "
        "larger share of ε."
    )
    with card(
        key="asymmetry",
        title="Log-lift over random joints",
        subtitle="Entries are independent and uniform, then normalized, as in [Lift] Fig. 1.",
        table=lambda: pd.DataFrame(
            {
                "from_nats": histogram.edges[:-1],
                "to_nats": histogram.edges[1:],
                "share_log_min_lift": histogram.low,
                "share_log_max_lift": histogram.high,
            }
        ),
        formulas=(formulas.measure("min_lift"), formulas.measure("max_lift")),
    ):
        chart(
            figures.overlay_histogram(histogram.edges, histogram.low, histogram.high, unit),
            key="asymmetry",
            title="Log-lift over random joints",
            alt=f"Histogram: log Ψ down to {level(histogram.low_range[0], unit, 1)}, log Λ up to "
            f"{level(histogram.high_range[1], unit, 2)} {unit}.",
        )
