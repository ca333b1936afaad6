"""The Robust page: a sample, what it leaves possible, designs at it and at the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.robust_designs import DESIGNS, Outcome, Sample, named
from core.scenario import Scenario
from core.validation import FloatArray
from pages.ui import (
    exports,
    figures,
    look,
    robust_controls,
    robust_studies,
    robust_work,
    run_robust,
    state,
)
from pages.ui import robust_words as words
from pages.ui.cards import card
from pages.ui.chart import chart
from pages.ui.labels import markdown
from pages.ui.units import level, share

REACH = 4.0
"""End of the axes of ε*, in nats, where the budget lies below it."""


def show() -> None:
    """Show the page."""
    look.apply()
    robust_controls.sidebar()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    st.title("What if the data misleads?", anchor=False)
    scenario = state.scenario()
    try:
        robust_controls.sliders(scenario)
        scenario = state.scenario()
        sample = run_robust.sample(scenario)
    except CoreError as error:
        st.error(markdown(str(error)))
        return
    state.publish(scenario)
    _story(scenario, sample)
    left, right = st.columns(2)
    with left:
        _intervals(scenario, sample)
    names = run_robust.world(scenario.data).s_labels
    if sample.never_seen:
        run_robust.cancel("designs")
        gone = ", ".join(names[s] for s in sample.never_seen)
        st.error(
            f"{markdown(gone)}: never seen in this sample of {run_robust.records(scenario):,} "
            "records, so P(u | s) may be anything (B_s = ∞) and no mechanism can be designed. Take "
            "more records or another seed, or group rare levels on the Data page."
        )
    else:
        outcomes = _designs(scenario)
        with right:
            _levels(scenario, outcomes)
        if outcomes:
            _matrices(scenario, outcomes)
        robust_studies.frontiers(scenario, outcomes)
    robust_studies.draws(scenario)
    robust_studies.betas(scenario)


def _story(scenario: Scenario, sample: Sample) -> None:
    """Say what is played here, and how this sample went."""
    n = run_robust.records(scenario)
    data = scenario.data
    u = markdown(" and ".join(data.released) or "U")
    s = markdown(" and ".join(data.secret) or "S")
    st.markdown(
        f"The data itself is the world here. A designer sees only **{n:,} records** drawn from it, "
        f"estimates how {u} goes with {s}, and builds a mechanism that hides {s}. "
        "A mechanism that trusts the estimate can break its promise in the world; a robust one "
        "keeps it for everything that the records leave possible."
    )
    with st.container(key="strip"):
        facts = st.columns(4)
        facts[0].metric("Records seen", f"{n:,}", help="Drawn at random from the world.")
        facts[1].metric(
            "B, nats",
            level(sample.ball.bound, "nats", 4),
            help="How far, in Rényi divergence, the truth may be from the estimate.",
        )
        facts[2].metric(
            "Distance of the truth",
            level(float(sample.ball.divergence(sample.truth)), "nats", 4),
            help="D_α(P̂‖P*), which the designer does not know.",
        )
        facts[3].metric(
            "Truth in the set",
            "yes" if sample.covered else "no",
            help=f"It is, in about {share(1 - scenario.beta)} of samples.",
        )
    if not sample.covered:
        st.info(
            "This is one of the rare samples whose set misses the truth: even robust mechanisms "
            "promise nothing here. Another seed, or a smaller β, shows the usual case.",
            icon=":material/info:",
        )


def _intervals(scenario: Scenario, sample: Sample) -> None:
    world = run_robust.world(scenario.data)
    with card(
        key="intervals",
        title="What the sample leaves possible",
        subtitle="Bar: values of P(u | s) that n records do not rule out. Circle: the estimate. "
        "Stroke: the truth.",
        table=lambda: _interval_table(scenario, sample),
        formulas=(words.BALL, words.INTERVALS),
    ):
        s = st.selectbox(
            "Secret",
            range(world.n_s),
            format_func=lambda s: (
                f"{world.s_labels[s]} ({int(sample.counts[s].sum()):,} records seen)"
            ),
            key=f"robust_secret_{world.n_s}",
        )
        truth = sample.true_conditional
        low, high = sample.ball.lower[s], sample.ball.upper[s]
        chart(
            figures.intervals(
                low,
                high,
                sample.ball.p_u_given_s[s],
                truth[s],
                world.x_labels,
                _reach(truth),
            ),
            key="intervals",
            title="What the sample leaves possible",
            alt=f"Intervals of {world.n_x} values of P(u | s) for {world.s_labels[s]}; the widest "
            f"spans {share(float((high - low).max()))}.",
        )
        inside = int(((low <= truth[s]) & (truth[s] <= high)).sum())
        st.caption(
            f"B_s = {level(float(sample.ball.conditional_bound[s]), 'nats', 4)} nats; P(U | s) may "
            f"differ from the estimate by up to {sample.ball.radius[s]:.3f} in ℓ1. "
            f"{inside} of {world.n_x} true values lie within their bars."
        )


def _reach(truth: FloatArray) -> float:
    """Return the end of the axis of P(u | s): twice the largest true one, whatever the sample."""
    return float(min(1.0, np.ceil(20 * float(truth.max())) / 10))


def _interval_table(scenario: Scenario, sample: Sample) -> pd.DataFrame:
    world, ball, truth = run_robust.world(scenario.data), sample.ball, sample.true_conditional
    return pd.DataFrame(
        {
            "s": [s for s in world.s_labels for _ in world.x_labels],
            "u": [u for _ in world.s_labels for u in world.x_labels],
            "records": sample.counts.ravel(),
            "lower": ball.lower.ravel(),
            "estimate": ball.p_u_given_s.ravel(),
            "upper": ball.upper.ravel(),
            "truth": truth.ravel(),
            "B_s": np.repeat(ball.conditional_bound, world.n_x),
            "radius_s": np.repeat(ball.radius, world.n_x),
        }
    )


def _designs(scenario: Scenario) -> tuple[Outcome, ...]:
    """Begin the designs for the settings on screen; return those that are there."""
    asked = run_robust.question("designs", scenario)
    desk = run_robust.desk("designs")
    if desk.asked != asked:
        run_robust.start("designs", asked, scenario)
        desk = run_robust.desk("designs")
    fits = desk.answered is not None and desk.answered.data == asked.data
    return desk.answer if fits else ()


def _levels(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> None:
    asked = run_robust.question("designs", scenario)
    with card(
        key="robust_levels",
        title="Promised and kept",
        subtitle="Each design's privacy level in the world, and at worst over all that is "
        "possible. Right of the dashed line the promise is broken.",
        table=lambda: outcome_table(outcomes),
        formulas=(words.RLDP, words.REALISED, words.DESIGNS),
    ):
        robust_work.stale("designs", asked)
        robust_work.progress("designs", "Designing")
        robust_work.launch("designs", asked, scenario, "Design", "Six mechanisms at these records.")
        if not outcomes:
            return
        eps = run_robust.desk("designs").answered.eps
        chart(
            figures.levels_at(
                [DESIGNS[outcome.key] for outcome in outcomes],
                np.array([outcome.realised for outcome in outcomes]),
                np.array([outcome.worst for outcome in outcomes]),
                eps,
                max(REACH, np.ceil(eps) + 1),
            ),
            key="robust_levels",
            title="Promised and kept",
            alt="Privacy level at the truth: "
            + "; ".join(f"{DESIGNS[one.key]} {level(one.realised, 'nats')}" for one in outcomes),
        )
        _finding(outcomes, eps)


def _finding(outcomes: tuple[Outcome, ...], eps: float) -> None:
    """Say what trusting the estimate gives away here, and what robustness costs."""
    found = {outcome.key: outcome for outcome in outcomes}
    trusting, robust = found["non_robust"], found["exact"]
    broken = trusting.realised > eps + 1e-9
    st.markdown(
        f"Trusting the estimate keeps {share(trusting.mechanism.nmi)} of the pair and "
        + (
            f"**breaks the promise**: ε\\* is {level(trusting.realised, 'nats')}"
            if broken
            else f"keeps the promise this time: ε\\* is {level(trusting.realised, 'nats')}"
        )
        + f" where {eps:g} was promised. The robust optimum keeps "
        f"{share(robust.mechanism.nmi)} with ε\\* = {level(robust.realised, 'nats')}."
    )


def outcome_table(outcomes: tuple[Outcome, ...]) -> pd.DataFrame:
    """Return the designs with their utilities and levels."""
    return pd.DataFrame(
        {
            "design": [DESIGNS[one.key] for one in outcomes],
            "kept at P̂": [one.mechanism.nmi for one in outcomes],
            "kept at P*": [one.true_nmi for one in outcomes],
            "at most, at P̂": [
                one.mechanism.nmi * one.mechanism.upper_bound / one.mechanism.utility
                if one.mechanism.utility > 0
                else np.nan
                for one in outcomes
            ],
            "ε* at P*": [one.realised for one in outcomes],
            "ε* at worst": [one.worst for one in outcomes],
            "outputs": [one.mechanism.n_y for one in outcomes],
            "status": [one.mechanism.status for one in outcomes],
        }
    )


def _matrices(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> None:
    by_key = {outcome.key: outcome for outcome in outcomes}
    world = run_robust.world(scenario.data)
    for side, (column, default) in enumerate(
        zip(st.columns(2), ("non_robust", "exact"), strict=True)
    ):
        with column:
            key = f"robust_matrix_{side}"
            chosen = by_key[st.session_state.get(f"{key}_design", default)]
            made = named(chosen.mechanism, world.s_labels, world.x_labels)
            with card(
                key=key,
                title=("One mechanism", "and another")[side],
                subtitle="P(y | s, u): how likely the pair (row) comes out as y (column).",
                table=lambda made=made: exports.kernel_table(made),
                formulas=(words.DESIGNS,),
                beside=lambda key=key, default=default: _pick(key, default),
            ):
                shown = np.argsort(-made.kernel.sum(axis=0), kind="stable")[:80]
                shown = np.sort(shown)
                chart(
                    figures.mechanism_matrix(
                        made.kernel[:, shown],
                        made.x_labels,
                        [made.y_labels[y] for y in shown],
                        left_out=made.n_y - len(shown),
                        height=int(np.clip(150 + 14 * len(made.x_labels), 320, 640)),
                    ),
                    key=key,
                    title=DESIGNS[chosen.key],
                    alt=f"{DESIGNS[chosen.key]}: {len(made.x_labels)} pairs, {made.n_y} outputs.",
                )
                st.caption(
                    f"Keeps {share(made.nmi)} at the estimate, {share(chosen.true_nmi)} at the "
                    f"truth; {markdown(made.status)}. {markdown(' '.join(made.notes))}"
                )


def _pick(key: str, default: str) -> None:
    st.selectbox(
        "Design",
        list(DESIGNS),
        index=list(DESIGNS).index(default),
        format_func=DESIGNS.__getitem__,
        key=f"{key}_design",
        label_visibility="collapsed",
        persist_state="session",
    )
