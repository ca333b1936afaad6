"""The Robust page: a sample, what it leaves possible, and designs at the estimate and the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.scenario import Scenario
from core.studies.robust_designs import DESIGNS, DesignOutcome, Sample, level_reach, named
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import Drawing, board, chart
from pages.ui.chart import place as chart_place
from pages.ui.frame import controls, following, state, theme
from pages.ui.parts import exports
from pages.ui.parts.cards import card
from pages.ui.parts.tables import COLUMNS, ROWS, first_row, rows
from pages.ui.robust import controls as robust_controls
from pages.ui.robust import results, studies
from pages.ui.robust import results as words
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget, in_unit, level, share
from pages.ui.work import ahead, context
from pages.ui.work.frames import Frame

INTERVALS, LEAVES = "intervals", "What the sample leaves possible"
"""Key and title of the chart that follows the sliders of the sample."""

MISSED, WITHIN, LEVELS, BELOW = "robust_missed", "robust_within", "robust_made", "robust_below"
"""Keys of what does not."""

TERMS = ("n", "ball_bound", "distance_of_truth", "confidence_set")
"""The terms that explain the figures."""

ROBUST = (
    "A mechanism that trusts the estimate P̂ may exceed its budget at the truth; a robust one stays "
    "within it for every distribution consistent with the records."
)
"""What the page is about."""


@dataclass(frozen=True)
class View:
    """The secret whose intervals are shown, from which row on, and the unit."""

    secret: int
    first: int
    unit: str


def show() -> None:
    """Show the page: first all that stays while sliders move, then what is live."""
    theme.apply()
    robust_controls.sidebar()
    for sentence in state.notices():
        st.warning(markdown(sentence), icon=":material/link_off:")
    with st.container(horizontal=True, vertical_alignment="top", key="header"):
        st.title("What if the data misleads?", anchor=False)
        with st.container(horizontal=True, width="content"):
            controls.unit_switch()
    _live()


@st.fragment
def _live() -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    try:
        robust_controls.sliders(state.scenario())
        scenario = state.scenario()
        sample = results.sample(scenario)
    except CoreError as error:
        st.error(markdown(str(error)))
        return
    state.publish(scenario)
    robust = context.of(replace(scenario, notion="rldp", also=()))  # whatever Explore asks
    context.tell_about({name: one for name, one in robust.items() if name != "mechanism"})
    answer = st.container()
    with st.container(key=MISSED):
        _missed(scenario, sample)
    left, right = st.columns(2)
    with left:
        view = _intervals(scenario, sample)
    with answer:
        board(
            {"": _answer(scenario, view.unit, sample) | _meant(scenario, sample)},
            [_interval_chart(scenario, view, sample).sent()],
            _sliders(scenario, view),
        )
    if sample.never_seen:
        results.cancel("designs")
        _never_seen(scenario, sample)
    else:
        found = results.designs(scenario, sample)
        with right, st.container(key=LEVELS):
            _levels(scenario, found)
        with st.container(key=BELOW):
            if found.outcomes:
                _matrices(scenario, found.outcomes)
            studies.frontiers(scenario, found.outcomes)
    studies.many(scenario)


def _sliders(scenario: Scenario, view: View) -> list[dict[str, Any]]:
    """Return what a browser is told of the sliders of the sample: see live.js."""
    robust = replace(scenario, notion="rldp", mechanism="polyopt", also=())
    return [
        following.slider(
            name,
            robust,
            partial(frame, view=view),
            view,
            charts=[INTERVALS],
            behind=[MISSED, WITHIN, LEVELS, BELOW],
            find=partial(_sampled, name),
        )
        for name in ("n", "beta", "alpha")
    ]


def _sampled(name: str, scenario: Scenario, place: Any) -> tuple[Scenario, Sample]:
    """Return a question and its sample at a place of a slider; it is quick to draw."""
    asked = ahead.at(scenario, name, place)
    return asked, results.sample(asked)


def frame(samples: Sequence[tuple[Scenario, Sample]], view: View) -> Frame:
    """Return what the page shows of a sample at another place of a slider."""
    ((scenario, sample),) = samples
    robust = context.of(scenario)
    with context.about({name: one for name, one in robust.items() if name != "mechanism"}):
        drawn = _interval_chart(scenario, view, sample).frame()
    return {
        "answers": {"": _answer(scenario, view.unit, sample)},
        "charts": {INTERVALS: drawn},
        "open": False,
    }


def _never_seen(scenario: Scenario, sample: Sample) -> None:
    names = results.true_joint(scenario.data).s_labels
    gone = ", ".join(names[s] for s in sample.never_seen)
    st.error(
        f"{markdown(gone)}: never observed in this sample of "
        f"{number_of(results.records(scenario), 'record')}, so P(u | s) may be anything (B_s = ∞) "
        "and no mechanism can be designed. Take more records or another seed, or group rare "
        "levels on the Data page."
    )


def _answer(scenario: Scenario, unit: str, sample: Sample) -> Frame:
    """Return what the page says: what it shows, and how far an estimate is from the truth."""
    n, data = results.records(scenario), scenario.data
    u, s = " and ".join(data.released) or "U", " and ".join(data.secret) or "S"
    return {
        "said": [
            f"Here the data is the truth P*. A designer sees only {number_of(n, 'record')} drawn "
            f"from it, and builds a mechanism that hides {s} in {u}."
        ],
        "figures": [
            ["Records observed", f"{n:,}", None],
            [f"B, {unit}", level(sample.ball.bound, unit, 4), None],
            [
                f"Distance of the truth, {unit}",
                level(float(sample.ball.divergence(sample.truth)), unit, 4),
                None,
            ],
            ["Truth in the set", "yes" if sample.covered else "no", None],
        ],
        "badge": None,
    }


def _meant(scenario: Scenario, sample: Sample) -> Frame:
    """Return what the signs of what the page says mean."""
    answer = _answer(scenario, controls.unit(), sample)
    terms = [(term.title, term.meaning) for term in glossary.terms_in(answer["said"])]
    helps = [
        glossary.listed(label, term)
        for (label, *_), term in zip(answer["figures"], TERMS, strict=True)
    ]
    helps[0] = [*helps[0], ("Sample", "Drawn at random from the data.")]
    helps[-1] = [*helps[-1], ("1 − β", f"Here that is {share(1 - scenario.beta)}.")]
    return {"terms": [("Robust", ROBUST), ("Explore", words.APART), *terms], "helps": helps}


def _missed(scenario: Scenario, sample: Sample) -> None:
    """Say that the set misses the truth, where it does."""
    if not sample.covered:
        st.info(
            "The uncertainty set of this sample misses the truth, which happens with probability "
            f"about β = {scenario.beta:g}. Here even robust mechanisms may exceed their budget. "
            "Try another seed or a smaller β.",
            icon=":material/info:",
        )


def _intervals(scenario: Scenario, sample: Sample) -> View:
    """Show the card of the intervals, without its chart; return what that shows."""
    joint, unit = results.true_joint(scenario.data), controls.unit()
    with card(
        key=INTERVALS,
        title=LEAVES,
        subtitle="Bar: values of P(u | s) consistent with n records. Circle: estimate. Tick: "
        "truth.",
        table=lambda: _interval_table(scenario, sample),
        formulas=(words.BALL, words.INTERVALS),
    ):
        s = st.selectbox(
            "Secret",
            range(joint.n_s),
            format_func=lambda s: (
                f"{joint.s_labels[s]} ({number_of(int(sample.counts[s].sum()), 'record')} seen)"
            ),
            key=f"robust_secret_{joint.n_s}",
        )
        first = first_row(joint.n_x, "values of u, most likely first", "intervals_page")
        chart_place(INTERVALS, fills=False)
        with st.container(key=WITHIN):
            st.caption(
                _within(sample, s, joint.n_x),
                help="Given this secret, the truth may be "
                f"{level(float(sample.ball.conditional_bound[s]), unit, 4)} {unit} (B_s) from the "
                f"estimate, and its probabilities may differ by up to {sample.ball.radius[s]:.3f} "
                f"in total (rad_s).\n\n{glossary.explanation('B_s and rad_s')}",
            )
    return View(s, first, unit)


def _interval_chart(scenario: Scenario, view: View, sample: Sample) -> Drawing:
    joint, truth, s = results.true_joint(scenario.data), sample.true_conditional, view.secret
    shown = rows(truth[s], view.first)
    return Drawing(
        lambda: figures.intervals(
            sample.ball.lower[s, shown],
            sample.ball.upper[s, shown],
            sample.ball.p_u_given_s[s, shown],
            truth[s, shown],
            [joint.x_labels[u] for u in shown],
            sample.reach,
        ),
        INTERVALS,
        LEAVES,
        f"Intervals of {number_of(joint.n_x, 'value')} of P(u | s) for {joint.s_labels[s]}; the "
        f"widest spans {share(sample.widest(s))}.",
        fills=False,
    )


def _within(sample: Sample, s: int, n_u: int) -> str:
    """Say how many true values lie in their bars, and whether the set misses the truth even so."""
    inside = sample.within(s)
    found = f"{inside} of {number_of(n_u, 'true value')} {'lies' if inside == 1 else 'lie'} within "
    found += "its bar." if n_u == 1 else "their bars."
    if sample.covered or inside < n_u:
        return found
    return (
        f"{found} Yet the truth as a whole is outside the set: a bar bounds one value at a time, "
        "the set bounds all values and secrets together."
    )


def _interval_table(scenario: Scenario, sample: Sample) -> pd.DataFrame:
    joint, ball, truth = results.true_joint(scenario.data), sample.ball, sample.true_conditional
    return pd.DataFrame(
        {
            "s": [s for s in joint.s_labels for _ in joint.x_labels],
            "u": [u for _ in joint.s_labels for u in joint.x_labels],
            "records": sample.counts.ravel(),
            "lower": ball.lower.ravel(),
            "estimate": ball.p_u_given_s.ravel(),
            "upper": ball.upper.ravel(),
            "truth": truth.ravel(),
            "B_s": np.repeat(ball.conditional_bound, joint.n_x),
            "radius_s": np.repeat(ball.radius, joint.n_x),
        }
    )


def _levels(scenario: Scenario, found: results.Designs) -> None:
    with card(
        key="robust_levels",
        title="Budget versus realized level",
        subtitle="Level ε* at the truth, and its worst case. Right of the dashed line: over "
        "budget.",
        table=lambda: outcome_table(found.outcomes, controls.unit()),
        formulas=(words.RLDP, words.REALISED, words.DESIGNS),
    ):
        asked = results.question("designs", scenario)
        with st.container(key="designs_work"):
            if found.stale:
                results.stale("designs", asked)
            results.launch(
                "designs", asked, scenario, "Design", "Finds the robust optimum for this sample."
            )
            results.progress("designs", "Designing")
            if results.desk_of("designs").answered == asked:
                st.caption("All designs are for the settings in the sidebar.")
        if not found.outcomes:
            return
        made, unit = {outcome.key: outcome for outcome in found.outcomes}, controls.unit()
        chart(
            figures.levels_at(
                list(DESIGNS.values()),  # all rows, so that the chart stays as the last one comes
                np.array([made[key].realised if key in made else np.nan for key in DESIGNS]),
                np.array([made[key].worst if key in made else np.nan for key in DESIGNS]),
                found.eps,
                level_reach(found.eps),
                unit,
            ),
            key="robust_levels",
            title="Budget versus realized level",
            alt="Privacy level at the truth: "
            + "; ".join(
                f"{DESIGNS[one.key]} {level(one.realised, unit)} {unit}" for one in found.outcomes
            ),
        )
        _finding(found, unit)


def _finding(found: results.Designs, unit: str) -> None:
    """Say what the non-robust and the best robust design keep, and their levels at the truth."""
    by_key = {outcome.key: outcome for outcome in found.outcomes}
    trusting, robust = by_key["non_robust"], by_key.get("exact", by_key["polyopt"])
    name = "The robust optimum" if robust.key == "exact" else "PolyOpt, which is robust,"
    st.markdown(
        f"Trusting the estimate keeps {share(trusting.mechanism.nmi)} of the pair and "
        + (
            f"**exceeds the budget**: ε\\* is {level(trusting.realised, unit)} {unit}"
            if trusting.breaks(found.eps)
            else (
                f"stays within the budget this time: ε\\* is {level(trusting.realised, unit)} "
                f"{unit}"
            )
        )
        + f"; the budget is {budget(found.eps, unit)}. {name} keeps {share(robust.mechanism.nmi)} "
        f"with ε\\* = {level(robust.realised, unit)} {unit}."
    )


def outcome_table(outcomes: tuple[DesignOutcome, ...], unit: str = "nats") -> pd.DataFrame:
    """Return the designs with their utilities and levels."""
    return pd.DataFrame(
        {
            "design": [DESIGNS[one.key] for one in outcomes],
            "kept at P̂": [one.mechanism.nmi for one in outcomes],
            "kept at P*": [one.true_nmi for one in outcomes],
            "at most, at P̂": [one.most_nmi for one in outcomes],
            f"ε* at P*, {unit}": [in_unit(one.realised, unit) for one in outcomes],
            f"worst-case ε*, {unit}": [in_unit(one.worst, unit) for one in outcomes],
            "outputs": [one.mechanism.n_y for one in outcomes],
            "status": [one.mechanism.status for one in outcomes],
        }
    )


def _matrices(scenario: Scenario, outcomes: tuple[DesignOutcome, ...]) -> None:
    by_key = {outcome.key: outcome for outcome in outcomes}
    joint = results.true_joint(scenario.data)
    for side, (column, default) in enumerate(
        zip(st.columns(2), ("non_robust", "exact"), strict=True)
    ):
        with column:
            key = f"robust_matrix_{side}"
            wanted = st.session_state.get(f"{key}_design", default)
            chosen = by_key.get(wanted, by_key["polyopt"])  # where the robust optimum is missing
            made = named(chosen.mechanism, joint)
            with card(
                key=key,
                title=DESIGNS[chosen.key],
                subtitle=_instead(wanted, chosen.key)
                + "P(y | s, u): the probability of y (column) given the pair (row).",
                table=partial(exports.kernel_table, made, made.x_labels),
                formulas=(words.DESIGNS,),
                beside=partial(_pick, key, default),
            ):
                chart(
                    figures.likeliest_matrix(
                        made.kernel,
                        joint.p.ravel(),
                        made.x_labels,
                        made.y_labels,
                        inputs=ROWS,
                        outputs=COLUMNS,
                        height=int(np.clip(150 + 14 * min(len(made.x_labels), ROWS), 320, 640)),
                    ),
                    key=key,
                    title=DESIGNS[chosen.key],
                    alt=f"{DESIGNS[chosen.key]}: "
                    f"{number_of(len(made.x_labels), 'pair')}, {number_of(made.n_y, 'output')}.",
                )
                st.caption(
                    f"Keeps {share(made.nmi)} at the estimate, {share(chosen.true_nmi)} at the "
                    f"truth; {markdown(made.status)}. {markdown(' '.join(made.notes))}"
                )


def _instead(wanted: str, shown: str) -> str:
    """Say why the picked design is missing and which one is shown; "" where it is there."""
    if wanted == shown:
        return ""
    why = "is still being designed" if results.desk_of("designs").job else "was not designed"
    return f":orange[{DESIGNS[wanted]} {why}; showing {DESIGNS[shown]}, which is also robust.] "


def _pick(key: str, default: str) -> None:
    st.selectbox(
        "Design",
        list(DESIGNS),
        index=list(DESIGNS).index(default),
        format_func=DESIGNS.__getitem__,
        key=f"{key}_design",
        label_visibility="collapsed",
        persist_state="session",
        # pixels that the picker of a design takes: its longest name, in full
        width=250,
    )
