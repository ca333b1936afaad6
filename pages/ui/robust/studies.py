"""The Robust page's long work: frontiers, many draws, the effect of β."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.scenario import DOMAINS, Scenario
from core.studies.robust_designs import (
    BETAS,
    BUDGETS,
    DESIGNS,
    DesignOutcome,
    DrawnDesigns,
    realised_reach,
)
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.frame import controls
from pages.ui.parts.cards import card
from pages.ui.robust import controls as robust_controls
from pages.ui.robust import results
from pages.ui.style.units import budget, in_unit, share
from pages.ui.work.long_answer import QUARTER

PLACES = {key: place for place, key in enumerate(DESIGNS)}
"""Each design's color and symbol, the same in every chart."""


def frontiers(scenario: Scenario, outcomes: tuple[DesignOutcome, ...]) -> None:
    st.header("What robustness costs at each ε", anchor=False)
    question = results.question("frontiers", scenario)
    desk = results.desk_of("frontiers")
    results.row(
        "frontiers",
        "Frontiers",
        question,
        scenario,
        "Compute the frontiers",
        f"Six mechanisms at {len(BUDGETS)} budgets; {_estimate('frontiers', question)}.",
    )
    if desk.answered is None or desk.answered.data != question.data:
        return
    results.stale("frontiers", question)
    unit = controls.unit()
    scale = in_unit(1.0, unit)
    budgets = np.array(BUDGETS) * scale
    lines = [
        figures.Line(PLACES[key], ("", key), DESIGNS[key], budgets, nmi, utility * scale)
        for key, (nmi, utility) in desk.answer.items()
    ]
    current = next((outcome.mechanism.nmi for outcome in outcomes if outcome.key == "exact"), None)
    with card(
        key="robust_frontier",
        title="Share of (S, U) kept, at the estimate",
        subtitle="Circle: the robust optimum at the current ε. Click a point to jump there.",
        table=lambda: pd.DataFrame(
            {f"eps_{unit}": budgets} | {line.title: line.nmi for line in lines}
        ),
        formulas=(results.RLDP, results.DESIGNS),
    ):
        chart(
            figures.robust_frontier(
                lines,
                eps=scenario.eps * scale,
                nmi=current,
                limit=DOMAINS["eps"].end * scale,
                unit=unit,
            ),
            key="robust_frontier",
            title="What robustness costs",
            alt="Share kept at the largest budget: "
            + "; ".join(f"{line.title} {share(float(line.nmi[-1]))}" for line in lines),
            on_pick=robust_controls.pick_budget,
        )


def many(scenario: Scenario) -> None:
    """Show studies of many samples: who keeps the promise, and what a smaller β costs."""
    draws(scenario)
    betas(scenario)


def draws(scenario: Scenario) -> None:
    st.header("Many samples: which designs stay within the budget?", anchor=False)
    st.markdown(
        "One sample proves nothing. Here the designer starts over many times with new records "
        f"and a budget of ε = {budget(scenario.eps, controls.unit())}; the charts show the level "
        "reached at the truth."
    )
    fresh, count, keys = robust_controls.draws()
    if not keys:
        st.info("Choose at least one design.")
        return
    question = results.question("draws", scenario, draws=count, fresh=fresh, keys=keys)
    desk = results.desk_of("draws")
    results.row(
        "draws",
        "Drawing",
        question,
        scenario,
        "Draw samples",
        f"{number_of(count, 'sample')}, {number_of(len(keys), 'design')} each; "
        f"{_estimate('draws', question)}.",
    )
    if desk.answered is not None:
        results.stale("draws", question)
        _drawn(desk.answer, desk.answered)


def _drawn(drawn: DrawnDesigns, answered: results.RobustQuestion) -> None:
    eps, unit = answered.eps or 0.0, controls.unit()
    text = f"The uncertainty set contained the truth in {drawn.covered} of {drawn.used} draws."
    if drawn.skipped:
        text += f" In {drawn.skipped} more, a secret was never observed and no design was possible."
    st.markdown(text)
    left, right = st.columns(2)
    with (
        left,
        card(
            key="robust_boxes",
            title="Privacy level at the truth",
            subtitle="Box: the middle half of the draws; points: single draws. Right of the "
            "dashed line the budget is exceeded; values beyond the axis are drawn at its "
            "end.",
            table=lambda: _draw_table(drawn, unit),
            formulas=(results.REALISED, results.RLDP),
        ),
    ):
        chart(
            figures.boxes(
                [
                    figures.BoxPlot(PLACES[key], DESIGNS[key], v)
                    for key, v in drawn.realised.items()
                ],
                eps=eps,
                reach=realised_reach(eps),
                unit=unit,
            ),
            key="robust_boxes",
            title="Privacy level at the truth",
            alt=f"Draws that exceed ε = {budget(eps, unit)}: " + _broken(drawn, eps),
        )
        st.markdown(f"Draws that exceed the budget: {_broken(drawn, eps)}.")
    with (
        right,
        card(
            key="robust_shift",
            title="Utility: expected and achieved",
            subtitle="One point per draw. Below the dashed line, less is kept at the truth than "
            "at the estimate.",
            table=lambda: _draw_table(drawn, unit),
            formulas=(results.DESIGNS,),
        ),
    ):
        chart(
            figures.before_after(
                [
                    (figures.BoxPlot(PLACES[key], DESIGNS[key], nmi), drawn.true_nmi[key])
                    for key, nmi in drawn.nmi.items()
                ]
            ),
            key="robust_shift",
            title="Utility: expected and achieved",
            alt="Mean share kept at the estimate and at the truth: "
            + "; ".join(
                f"{DESIGNS[key]} {share(at_estimate)}, {share(at_truth)}"
                for key, (at_estimate, at_truth) in drawn.means().items()
            ),
        )


def _broken(drawn: DrawnDesigns, eps: float) -> str:
    return ", ".join(
        f"{DESIGNS[key]} {count} of {drawn.used}" for key, count in drawn.broken(eps).items()
    )


def _draw_table(drawn: DrawnDesigns, unit: str) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame(
            {
                "draw": np.arange(1, len(levels) + 1),
                "design": DESIGNS[key],
                f"realised_eps_{unit}": levels * in_unit(1.0, unit),
                "kept_at_estimate": drawn.nmi[key],
                "kept_at_truth": drawn.true_nmi[key],
            }
        )
        for key, levels in drawn.realised.items()
    )


def betas(scenario: Scenario) -> None:
    """Show what a smaller β costs: the mean share kept for several β."""
    st.header("What does a smaller β cost?", anchor=False)
    st.markdown(
        "A smaller β enlarges the uncertainty set: it misses the truth less often, and robust "
        "designs keep less. The paper reports a small cost."
    )
    fresh = bool(st.session_state.get("robust_fresh", False))
    count = min(int(st.session_state.get("robust_draws", 20)), 20)
    question = results.question("betas", scenario, draws=count, fresh=fresh)
    desk = results.desk_of("betas")
    results.row(
        "betas",
        "Varying β",
        question,
        scenario,
        "Vary β",
        f"{number_of(count, 'sample')}, β = 0.1, 0.01 and 0.001; {_estimate('betas', question)}.",
    )
    if desk.answered is None:
        return
    results.stale("betas", question)
    lines = [figures.BoxPlot(PLACES[key], DESIGNS[key], nmi) for key, nmi in desk.answer.items()]
    with card(
        key="robust_beta",
        title="Mean share kept, by β",
        subtitle=f"Over {number_of(desk.answered.draws or 0, 'sample')} at ε = "
        f"{budget(desk.answered.eps or 0.0, controls.unit())}; secret "
        "randomized response does not depend on β.",
        table=lambda: pd.DataFrame({"beta": BETAS} | {line.title: line.values for line in lines}),
        formulas=(results.BALL, results.DESIGNS),
    ):
        chart(
            figures.beta_lines(lines, BETAS),
            key="robust_beta",
            title="Mean share kept, by β",
            alt="From β = 0.1 to β = 0.001: "
            + "; ".join(
                f"{line.title} {share(float(line.values[0]))} to {share(float(line.values[-1]))}"
                for line in lines
            ),
        )


def _estimate(kind: str, question: results.RobustQuestion) -> str:
    """Return about how long a study takes at most, or that it would exceed its limit."""
    seconds = results.most_seconds(kind, question)
    if seconds > QUARTER:
        return (
            f"with this many levels probably more than the limit of {QUARTER / 60:.0f} "
            "minutes, so group rare levels on the Data page first"
        )
    if seconds >= 100.0:
        return f"up to about {np.ceil(seconds / 60):.0f} minutes"
    return f"up to about {np.ceil(seconds):.0f} s" if seconds else "a moment"
